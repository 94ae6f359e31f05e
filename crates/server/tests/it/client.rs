//! A browser and a machine, over HTTP, by the contract of `docs/wire.md`.

use std::time::{Duration, Instant};

use rand::rngs::OsRng;
use reqwest::Method;
use serde_json::{Value, json};
use vocabulary::{Clock, SystemClock};
use wire::client::{ClientSession, accept, offer};
use wire::{BASE, SecretKey};

use crate::stack::SMS_CODE;

/// What came back.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    /// Opened when it came boxed.
    pub body: Value,
    /// The position that includes an answered command.
    pub position: Option<i64>,
}

impl Reply {
    /// The data of a yes.
    pub fn data(self) -> Value {
        assert_eq!((self.status, &self.body["suc"]), (200, &json!(true)), "{}", self.body);
        self.body["data"].clone()
    }

    /// The code of a no.
    pub fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_default()
    }

    /// Whether to send the same again: the server, or what it needs, was away.
    pub fn is_away(&self) -> bool {
        self.status >= 500
    }
}

fn http() -> reqwest::Client {
    reqwest::Client::builder().timeout(Duration::from_mins(1)).build().expect("a client")
}

async fn taken(response: reqwest::Response) -> reqwest::Result<(u16, Option<i64>, Vec<u8>)> {
    let position = response.headers().get("x-position").and_then(|value| value.to_str().ok()?.parse().ok());
    Ok((response.status().as_u16(), position, response.bytes().await?.to_vec()))
}

/// A call as it is, with these headers.
pub async fn plain(
    url: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&Value>,
) -> reqwest::Result<Reply> {
    let mut request = http().request(method.parse::<Method>().expect("a method"), format!("{url}{path}"));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    if let Some(body) = body {
        request = request.json(body);
    }
    let (status, position, bytes) = taken(request.send().await?).await?;
    let body = serde_json::from_slice(&bytes)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&bytes).into_owned()));
    Ok(Reply { status, body, position })
}

/// Whether a file has this text in it.
pub fn holds(bytes: &[u8], part: &str) -> bool {
    bytes.windows(part.len()).any(|window| window == part.as_bytes())
}

/// What is not answered after this never is.
const PATIENCE: Duration = Duration::from_mins(2);

/// A machine client of the open API.
#[derive(Clone)]
pub struct Machine {
    http: reqwest::Client,
    url: String,
    token: String,
}

impl Machine {
    pub fn new(url: &str, token: &str) -> Self {
        Self { http: http(), url: url.to_owned(), token: token.trim().to_owned() }
    }

    pub async fn post(&self, path: &str, body: &Value, key: Option<&str>) -> reqwest::Result<Reply> {
        let mut request = self.http.post(format!("{}{path}", self.url)).bearer_auth(&self.token).json(body);
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let (status, position, bytes) = taken(request.send().await?).await?;
        Ok(Reply { status, body: serde_json::from_slice(&bytes).unwrap_or(Value::Null), position })
    }

    /// Sends under one key until it is answered: who is told to come again does.
    pub async fn insist(&self, path: &str, body: &Value, key: &str) -> Reply {
        insist(std::iter::repeat(self), path, body, key).await
    }

    /// Asks without a body.
    pub async fn send(&self, method: Method, path: &str) -> Reply {
        self.try_send(method, path).await.expect("an answer")
    }

    /// The same of a server that may be away.
    pub async fn try_send(&self, method: Method, path: &str) -> reqwest::Result<Reply> {
        let request = self.http.request(method, format!("{}{path}", self.url)).bearer_auth(&self.token);
        let (status, position, bytes) = taken(request.send().await?).await?;
        Ok(Reply { status, body: serde_json::from_slice(&bytes).unwrap_or(Value::Null), position })
    }

    /// Sends a file as it is.
    pub async fn upload(&self, path: &str, content: Vec<u8>) -> Reply {
        let request = self.http.post(format!("{}{path}", self.url)).bearer_auth(&self.token).body(content);
        let (status, position, bytes) = taken(request.send().await.expect("an answer")).await.unwrap();
        Reply { status, body: serde_json::from_slice(&bytes).unwrap_or(Value::Null), position }
    }

    /// The data of a yes, by whoever comes again when he is told to.
    pub async fn ok(&self, path: &str, body: &Value) -> Value {
        self.insist(path, body, &format!("{:032x}", rand::random::<u128>())).await.data()
    }
}

/// Who can send the same again under its key.
pub trait Keyed: Sync {
    /// Sends it once.
    fn send_keyed(
        &self,
        path: &str,
        body: &Value,
        key: &str,
    ) -> impl Future<Output = reqwest::Result<Reply>> + Send;
}

impl Keyed for Machine {
    async fn send_keyed(&self, path: &str, body: &Value, key: &str) -> reqwest::Result<Reply> {
        self.post(path, body, Some(key)).await
    }
}

impl Keyed for Browser {
    async fn send_keyed(&self, path: &str, body: &Value, key: &str) -> reqwest::Result<Reply> {
        self.keyed_call(path, body, key).await
    }
}

/// Sends under one key, to one after the other of endless machines or browsers, until there is an answer.
pub async fn insist<'a, Caller: Keyed + 'a>(
    callers: impl Iterator<Item = &'a Caller>,
    path: &str,
    body: &Value,
    key: &str,
) -> Reply {
    let begun = Instant::now();
    for caller in callers {
        match caller.send_keyed(path, body, key).await {
            Ok(reply) if !reply.is_away() && reply.code() != "contended" => return reply,
            away => {
                assert!(begun.elapsed() < PATIENCE, "{path} is never answered: {away:?}");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    unreachable!("there is always another")
}

/// A browser: a session, and who signed in on it.
#[derive(Clone)]
pub struct Browser {
    http: reqwest::Client,
    pub url: String,
    pub session: ClientSession,
    pub token: Option<String>,
}

impl Browser {
    /// Agrees on keys; nobody is signed in.
    pub async fn keyed(url: &str, device: &str) -> Self {
        let asked = plain(url, "GET", &format!("{BASE}/auth/publicKey"), &[], None).await.unwrap().data();
        let one_time = SecretKey::new(rand::random());
        let (id, pem) = (asked["keyId"].as_str().unwrap(), asked["publicKey"].as_str().unwrap());
        let body = offer(id, pem, &one_time, device, SystemClock.now(), &mut OsRng).unwrap();
        let path = format!("{BASE}/auth/verifySign");
        let data = plain(url, "POST", &path, &[], Some(&body)).await.unwrap().data();
        let session = accept(&one_time, data["aesKey"].as_str().unwrap()).unwrap();
        Self { http: http(), url: url.to_owned(), session, token: None }
    }

    /// The same session at another node.
    pub fn at(&self, url: &str) -> Self {
        Self { url: url.to_owned(), ..self.clone() }
    }

    /// The whole way in, by SMS. A phone can be proved once a minute.
    pub async fn signed_in(url: &str, phone: &str) -> Self {
        let device = format!("device-of-{phone}");
        let body = json!({"device_type": 1, "mobilePhoneNumber": phone, "device_code": device,
            "device_name": "Chrome"});
        let path = format!("{BASE}/mieba/platform/opman/device/verification");
        let announced = plain(url, "POST", &path, &[], Some(&body)).await.unwrap();
        assert_eq!(announced.body["suc"], true, "{}", announced.body);
        let mut browser = Self::keyed(url, &device).await;
        let body = json!({ "mobilePhoneNumber": phone });
        let sent = plain(url, "POST", &format!("{BASE}/auth/sms/code"), &[], Some(&body)).await.unwrap();
        assert_eq!(sent.body, json!({}), "a code is sent");
        let body = json!({"mobilePhoneNumber": phone, "smsCode": SMS_CODE});
        let proved = browser.call("POST", "/auth/sms/verify", body).await;
        assert!(proved.body["objectId"].is_string(), "{}", proved.body);
        browser.call("POST", "/auth/login/phone", json!({ "phone": phone })).await.data();
        let signed =
            browser.call("POST", "/platform/permission/login", json!({ "opManId": phone })).await.data();
        browser.token = Some(signed["token"].as_str().expect("a token").to_owned());
        browser
    }

    /// A request that travels plain although it needs the session: a file, taken or brought.
    pub fn plainly(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.http
            .request(method, format!("{}{BASE}{path}", self.url))
            .header("_t", &self.session.t.0)
            .bearer_auth(self.token.as_deref().expect("signed in"))
            .header("x-seen", i64::MAX.to_string())
    }

    /// A box for a call to the full path `at`.
    pub fn sealed(&self, method: &str, at: &str, content: &Value) -> String {
        self.session.seal_request(method, at, content, SystemClock.now(), rand::random())
    }

    /// Sends a box to the full path `at`.
    pub async fn send(
        &self,
        method: &str,
        at: &str,
        sealed: &str,
        key: Option<&str>,
    ) -> reqwest::Result<Reply> {
        let in_query = method == "GET" || method == "DELETE";
        let address =
            if in_query { format!("{}{at}?params={sealed}", self.url) } else { self.url.clone() + at };
        let mut request = self.http.request(method.parse::<Method>().expect("a method"), address);
        request = request.header("_t", &self.session.t.0).header("x-seen", i64::MAX.to_string());
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        if !in_query {
            request = request.json(&json!({ "params": sealed }));
        }
        let (status, position, bytes) = taken(request.send().await?).await?;
        let body = self.session.open_answer(method, at, &bytes).unwrap_or(Value::Null);
        Ok(Reply { status, body, position })
    }

    /// Seals and sends to a full path.
    pub async fn call_at(&self, method: &str, at: &str, content: &Value) -> Reply {
        let sealed = self.sealed(method, at, content);
        self.send(method, at, &sealed, None).await.expect("an answer")
    }

    /// Seals and sends to a path below BASE.
    pub async fn call(&self, method: &str, path: &str, content: Value) -> Reply {
        self.call_at(method, &format!("{BASE}{path}"), &content).await
    }

    /// As [`Self::call`], named so that it can be repeated.
    pub async fn keyed_call(&self, path: &str, content: &Value, key: &str) -> reqwest::Result<Reply> {
        let at = format!("{BASE}{path}");
        self.send("POST", &at, &self.sealed("POST", &at, content), Some(key)).await
    }

    pub async fn ok(&self, method: &str, path: &str, content: Value) -> Value {
        self.call(method, path, content).await.data()
    }

    /// A role with these codes; its id.
    pub async fn new_role(&self, name: &str, codes: &[String]) -> String {
        let body = json!({"name": name, "tier": 1, "remark": "", "codes": codes, "state": 1});
        let data = self.ok("POST", "/platform/permission/role", body).await;
        data["id"].as_str().expect("an id").to_owned()
    }

    /// An operator of these roles; `agent` "0" sees everything.
    pub async fn new_operator(&self, phone: &str, roles: &[&str], agent: &str) {
        let body = json!({"phone": phone, "name": "王芳", "level": 15, "roleIds": roles, "agentId": agent,
            "opAreaIds": [], "state": 1});
        self.ok("POST", "/platform/permission/user", body).await;
    }
}
