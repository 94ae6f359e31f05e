//! NATS asks about every connection (auth callout); this answers: a device may use its own topics, a gateway those of
//! devices, both by MQTT and under a client id of their own; nobody else gets in.
//!
//! A client of the plain port may give a message a reply subject, and a stream's acknowledgement then goes to that
//! subject with the rights of NATS itself: into another stream, or to JetStream's own API. MQTT 3.1.1 has no such field.
//! See `docs/adr/0029-who-may-speak-mqtt.md`.
//!
//! Format: NATS JWT version 2 (header `{"typ":"JWT","alg":"ed25519-nkey"}`), as the NATS documentation of the auth
//! callout describes it.

use async_nats::Client;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fleet::credential::{DeviceKey, Identity};
use futures::StreamExt;
use nkeys::KeyPair;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use vocabulary::Timestamp;

const SUBJECT: &str = "$SYS.REQ.USER.AUTH";
/// The account that everything lives in.
const ACCOUNT: &str = "$G";
/// How NATS names the listener that a device has to come in by.
const MQTT: &str = "mqtt";
/// What is denied by name too: NATS itself lets MQTT clients have its MQTT subjects unless these are denied.
const NEVER: [&str; 4] = ["$MQTT.>", "$JS.>", "$SYS.>", "_INBOX.>"];

/// Answers NATS until `stop`.
pub struct AuthCallout {
    issuer: KeyPair,
    devices: DeviceKey,
}

#[derive(Deserialize)]
struct CalloutRequest {
    nats: CalloutFields,
}

#[derive(Deserialize)]
struct CalloutFields {
    server_id: ServerId,
    user_nkey: String,
    connect_opts: ConnectOptions,
    #[serde(default)]
    client_info: ClientInfo,
}

#[derive(Deserialize)]
struct ServerId {
    id: String,
}

#[derive(Default, Deserialize)]
struct ConnectOptions {
    #[serde(default)]
    user: String,
    #[serde(default)]
    pass: String,
}

/// What NATS itself saw of the connection.
#[derive(Default, Deserialize)]
struct ClientInfo {
    /// `mqtt`, `nats` or `websocket`.
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    mqtt_id: String,
}

impl AuthCallout {
    /// `issuer` is the key that the NATS configuration names.
    pub fn new(issuer: KeyPair, devices: DeviceKey) -> Self {
        Self { issuer, devices }
    }

    /// Serves as one of a group, so that with several nodes one answers.
    pub async fn run(self, client: Client, clock: impl Fn() -> Timestamp, stop: CancellationToken) {
        let mut asked = loop {
            match client.queue_subscribe(SUBJECT, "wheelhouse".to_owned()).await {
                Ok(asked) => break asked,
                Err(error) => {
                    tracing::warn!(%error, "cannot subscribe to connection requests yet");
                    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
                }
            }
        };
        loop {
            let message = tokio::select! {
                () = stop.cancelled() => return,
                message = asked.next() => message,
            };
            let Some(message) = message else { return };
            let Some(reply) = message.reply else { continue };
            let answer = match read(&message.payload) {
                Ok(request) => self.answer(&request, clock()),
                Err(error) => {
                    tracing::warn!(%error, "NATS asked something unreadable about a connection");
                    continue; // NATS refuses what is not answered
                }
            };
            if let Err(error) = client.publish(reply, answer.into()).await {
                tracing::warn!(%error, "cannot answer NATS about a connection");
            }
        }
    }

    fn answer(&self, request: &CalloutFields, now: Timestamp) -> String {
        let (options, client) = (&request.connect_opts, &request.client_info);
        let identity = Identity::from_user(&options.user)
            .filter(|identity| self.devices.accepts(identity, &options.pass))
            .filter(|identity| client.kind == MQTT && identity.owns(&client.mqtt_id));
        let body = if let Some(identity) = identity {
            json!({ "jwt": self.user(&request.user_nkey, &identity, now) })
        } else {
            metrics::counter!("wheelhouse_device_connections_refused_total").increment(1);
            json!({ "error": "unknown device, wrong credential, or not by MQTT under its own client id" })
        };
        self.sign("authorization_response", &request.user_nkey, &request.server_id.id, None, body, now)
    }

    fn user(&self, user_nkey: &str, identity: &Identity, now: Timestamp) -> String {
        let who = match identity {
            Identity::Device(imei) => imei.as_str(),
            Identity::Gateway(_) => "*",
        };
        let says = ["up", "ack", "about"].map(|what| format!("ebike.{who}.{what}"));
        let limits = json!({
            "pub": { "allow": says, "deny": NEVER },
            "sub": { "allow": [format!("ebike.{who}.down")], "deny": NEVER },
            "allowed_connection_types": ["MQTT"],
            "subs": 16, "data": -1, "payload": 65_536,
        });
        self.sign("user", user_nkey, ACCOUNT, Some(identity.user()), limits, now)
    }

    fn sign(
        &self,
        kind: &str,
        subject: &str,
        audience: &str,
        name: Option<String>,
        mut body: Value,
        now: Timestamp,
    ) -> String {
        body["type"] = kind.into();
        body["version"] = 2.into();
        let mut claims = json!({
            "jti": hex::encode(rand::random::<[u8; 16]>()),
            "iat": now.millis() / 1000,
            "iss": self.issuer.public_key(),
            "sub": subject,
            "aud": audience,
            "nats": body,
        });
        if let Some(name) = name {
            claims["name"] = name.into();
        }
        let head = URL_SAFE_NO_PAD.encode(r#"{"typ":"JWT","alg":"ed25519-nkey"}"#);
        let signed = format!("{head}.{}", URL_SAFE_NO_PAD.encode(claims.to_string()));
        let signature = self.issuer.sign(signed.as_bytes()).expect("the issuer has its seed");
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

/// The claims of a request. NATS's own signature is not checked: only NATS can publish on a system subject.
fn read(token: &[u8]) -> anyhow::Result<CalloutFields> {
    let text = std::str::from_utf8(token)?;
    let claims = text.split('.').nth(1).ok_or_else(|| anyhow::anyhow!("not a token"))?;
    let asked: CalloutRequest = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims)?)?;
    Ok(asked.nats)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(user: &str, pass: &str, kind: &str, mqtt_id: &str) -> Value {
        let devices = DeviceKey::new([7; 32]);
        let callout = AuthCallout::new(KeyPair::new_account(), devices);
        let request = json!({ "nats": {
            "server_id": { "id": "N" },
            "user_nkey": "U",
            "connect_opts": { "user": user, "pass": pass },
            "client_info": { "type": kind, "mqtt_id": mqtt_id },
        } });
        let asked = format!("e30.{}.", URL_SAFE_NO_PAD.encode(request.to_string()));
        claims(&callout.answer(&read(asked.as_bytes()).unwrap(), Timestamp::from_millis(1_700_000_000_000)))
    }

    fn claims(token: &str) -> Value {
        let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1).unwrap()).unwrap();
        serde_json::from_slice(&claims).unwrap()
    }

    fn secret(user: &str) -> String {
        DeviceKey::new([7; 32]).secret(&Identity::from_user(user).unwrap())
    }

    fn is_refused(answer: &Value) -> bool {
        answer["nats"]["error"].is_string() && answer["nats"]["jwt"].is_null()
    }

    #[test]
    fn a_device_gets_its_own_topics_and_no_others() {
        let imei = "860000000000001";
        let answer = answered(imei, &secret(imei), "mqtt", imei);
        let given = claims(answer["nats"]["jwt"].as_str().unwrap())["nats"].clone();
        let says = ["up", "ack", "about"].map(|what| format!("ebike.{imei}.{what}"));
        assert_eq!(given["pub"]["allow"], json!(says));
        assert_eq!(given["sub"]["allow"], json!(["ebike.860000000000001.down"]));
        assert_eq!(given["allowed_connection_types"], json!(["MQTT"]));
        assert!(given["resp"].is_null(), "nobody may answer where a message says");
        for side in ["pub", "sub"] {
            for denied in ["$MQTT.>", "$JS.>", "$SYS.>", "_INBOX.>"] {
                assert!(given[side]["deny"].as_array().unwrap().contains(&json!(denied)), "{side} {denied}");
            }
        }
    }

    #[test]
    fn a_wrong_credential_and_an_unknown_name_are_refused() {
        for (user, pass) in [("860000000000001", "00"), ("admin", ""), ("", "")] {
            assert!(is_refused(&answered(user, pass, "mqtt", user)), "{user}");
        }
    }

    #[test]
    fn another_client_id_and_another_way_in_than_mqtt_are_refused() {
        let imei = "860000000000001";
        for (kind, id) in [
            ("mqtt", "860000000000002"),
            ("mqtt", "gateway:a"),
            ("mqtt", ""),
            ("nats", ""),
            ("nats", imei),
            ("websocket", imei),
            ("", imei),
        ] {
            assert!(is_refused(&answered(imei, &secret(imei), kind, id)), "{kind} {id}");
        }
        assert!(!is_refused(&answered("gateway:a", &secret("gateway:a"), "mqtt", "gateway:a:7")));
        assert!(is_refused(&answered("gateway:a", &secret("gateway:a"), "mqtt", "gateway:ab")));
        assert!(is_refused(&answered("gateway:a", &secret("gateway:a"), "nats", "")));
    }
}
