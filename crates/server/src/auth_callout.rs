//! NATS asks about every connection (auth callout); this answers: a device may use its own topics, a gateway those of
//! devices, nobody else gets in.
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

/// Answers NATS until `stop`.
pub struct AuthCallout {
    issuer: KeyPair,
    devices: DeviceKey,
}

#[derive(Deserialize)]
struct Asked {
    nats: AskedBody,
}

#[derive(Deserialize)]
struct AskedBody {
    server_id: ServerId,
    user_nkey: String,
    connect_opts: ConnectOptions,
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

    fn answer(&self, request: &AskedBody, now: Timestamp) -> String {
        let options = &request.connect_opts;
        let identity = Identity::from_user(&options.user)
            .filter(|identity| self.devices.accepts(identity, &options.pass));
        let body = if let Some(identity) = identity {
            json!({ "jwt": self.user(&request.user_nkey, &identity, now) })
        } else {
            metrics::counter!("wheelhouse_device_connections_refused_total").increment(1);
            json!({ "error": "unknown device or wrong credential" })
        };
        self.sign("authorization_response", &request.user_nkey, &request.server_id.id, None, body, now)
    }

    fn user(&self, user_nkey: &str, identity: &Identity, now: Timestamp) -> String {
        let who = match identity {
            Identity::Device(imei) => imei.as_str(),
            Identity::Gateway(_) => "*",
        };
        let limits = json!({
            "pub": { "allow": [format!("ebike.{who}.up"), format!("ebike.{who}.ack")] },
            "sub": { "allow": [format!("ebike.{who}.down")] },
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
fn read(token: &[u8]) -> anyhow::Result<AskedBody> {
    let text = std::str::from_utf8(token)?;
    let claims = text.split('.').nth(1).ok_or_else(|| anyhow::anyhow!("not a token"))?;
    let asked: Asked = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims)?)?;
    Ok(asked.nats)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(user: &str, pass: &str) -> Value {
        let devices = DeviceKey::new([7; 32]);
        let callout = AuthCallout::new(KeyPair::new_account(), devices);
        let request = AskedBody {
            server_id: ServerId { id: "N".to_owned() },
            user_nkey: "U".to_owned(),
            connect_opts: ConnectOptions { user: user.to_owned(), pass: pass.to_owned() },
        };
        let token = callout.answer(&request, Timestamp::from_millis(1_700_000_000_000));
        let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1).unwrap()).unwrap();
        serde_json::from_slice(&claims).unwrap()
    }

    #[test]
    fn a_device_gets_its_own_topics_and_no_others() {
        let secret = DeviceKey::new([7; 32]).secret(&Identity::from_user("860000000000001").unwrap());
        let answer = answered("860000000000001", &secret);
        let user = answer["nats"]["jwt"].as_str().unwrap();
        let claims: Value =
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(user.split('.').nth(1).unwrap()).unwrap())
                .unwrap();
        assert_eq!(
            claims["nats"]["pub"]["allow"],
            json!(["ebike.860000000000001.up", "ebike.860000000000001.ack"])
        );
        assert_eq!(claims["nats"]["sub"]["allow"], json!(["ebike.860000000000001.down"]));
    }

    #[test]
    fn a_wrong_credential_and_an_unknown_name_are_refused() {
        for (user, pass) in [("860000000000001", "00"), ("admin", ""), ("", "")] {
            let answer = answered(user, pass);
            assert!(answer["nats"]["error"].is_string() && answer["nats"]["jwt"].is_null(), "{user}");
        }
    }
}
