//! The way in that a browser takes: keys, the code by SMS, the operator's login.

use anyhow::{Context, Result, ensure};
use rand::rngs::OsRng;
use serde_json::{Value, json};
use vocabulary::{Clock, SystemClock};
use wire::client::{ClientSession, accept, offer};
use wire::{BASE, SecretKey};

/// What a websocket shows at the edge.
#[derive(Clone)]
pub struct Session {
    pub token: String,
    pub t: String,
}

const DEVICE: &str = "bench-live";

async fn plain(http: &reqwest::Client, server: &str, path: &str, body: Option<Value>) -> Result<Value> {
    let address = format!("{server}{BASE}{path}");
    let request = match body {
        Some(body) => http.post(address).json(&body),
        None => http.get(address),
    };
    let response = request.send().await?;
    let status = response.status();
    let text = response.text().await?;
    ensure!(status.is_success(), "{path}: {status} {text}");
    serde_json::from_str(&text).with_context(|| format!("{path}: {text}"))
}

async fn sealed(
    http: &reqwest::Client,
    server: &str,
    session: &ClientSession,
    path: &str,
    content: Value,
) -> Result<Value> {
    let path = format!("{BASE}{path}");
    let params = session.seal_request("POST", &path, &content, SystemClock.now(), rand::random());
    let request = http
        .post(format!("{server}{path}"))
        .header("_t", &session.t.0)
        .header("Idempotency-Key", uuid::Uuid::new_v4().to_string())
        .json(&json!({ "params": params }));
    let answer = request.send().await?.bytes().await?;
    session.open_answer("POST", &path, &answer).context(path)
}

/// Signs the administrator in.
pub async fn sign_in(http: &reqwest::Client, server: &str, phone: &str, code: &str) -> Result<Session> {
    let device = json!({ "device_type": 1, "mobilePhoneNumber": phone, "device_code": DEVICE, "device_name": "bench" });
    plain(http, server, "/mieba/platform/opman/device/verification", Some(device)).await?;
    let answer = plain(http, server, "/auth/publicKey", None).await?;
    let text = |value: &Value, name: &str| {
        value[name].as_str().map(str::to_owned).with_context(|| format!("no {name} in {value}"))
    };
    let (key_id, pem) = (text(&answer["data"], "keyId")?, text(&answer["data"], "publicKey")?);
    let one_time = SecretKey::new(rand::random());
    let body = offer(&key_id, &pem, &one_time, DEVICE, SystemClock.now(), &mut OsRng)?;
    let answer = plain(http, server, "/auth/verifySign", Some(body)).await?;
    let session = accept(&one_time, &text(&answer["data"], "aesKey")?)?;
    plain(http, server, "/auth/sms/code", Some(json!({ "mobilePhoneNumber": phone }))).await?;
    let proof = json!({ "mobilePhoneNumber": phone, "smsCode": code });
    let answer = sealed(http, server, &session, "/auth/sms/verify", proof).await?;
    text(&answer, "objectId")?;
    let answer = sealed(http, server, &session, "/auth/login/phone", json!({ "phone": phone })).await?;
    let operator = text(&answer["data"], "opManId")?;
    let answer =
        sealed(http, server, &session, "/platform/permission/login", json!({ "opManId": operator })).await?;
    Ok(Session { token: text(&answer["data"], "token")?, t: session.t.0.clone() })
}
