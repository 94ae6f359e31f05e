//! A system with the access context in it, and browsers that speak the real protocol.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use access::model::role::SUPER_ADMINISTRATOR;
use access::{Access, AccessConfig, AccessDirectory, AreaOwners, PortError, Ports, SmsError, SmsGateway};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode};
use kernel::{Foundation, MIGRATIONS, MasterKey, PoolSizes, Pools, Projectors, Runtime};
use rand::rngs::OsRng;
use serde_json::{Value, json};
use testkit::{Services, TestDatabase};
use tower::ServiceExt;
use vocabulary::{AgentId, AreaId, Clock, FixedClock, Phone, RoleId, Snowflake, SystemClock, Timestamp};
use wire::client::{ClientSession, accept, offer};
use wire::{BASE, Revocations, RouteInfo, SecretKey, Sessions, Surface, TokenKeys, Wire, WireConfig};

pub const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
pub const ADMIN: &str = "13800000001";
const SIZES: PoolSizes = PoolSizes { owner: 4, app: 10, projector: 6, feed: 2 };

/// The provider's side of the SMS adapter: what was handed over.
#[derive(Default)]
pub struct Outbox {
    sent: Mutex<Vec<(String, String)>>,
    broken: Mutex<bool>,
}

impl Outbox {
    pub fn last_to(&self, phone: &str) -> Option<String> {
        let sent = self.sent.lock().unwrap();
        sent.iter().rev().find(|(to, _)| to == phone).map(|(_, code)| code.clone())
    }

    pub fn count(&self) -> usize {
        self.sent.lock().unwrap().len()
    }

    pub fn break_down(&self, broken: bool) {
        *self.broken.lock().unwrap() = broken;
    }
}

#[async_trait::async_trait]
impl SmsGateway for Outbox {
    async fn send_code(&self, phone: &Phone, code: &str, minutes: i64) -> Result<(), SmsError> {
        assert!(minutes > 0, "a code that is sent is good for a while");
        if *self.broken.lock().unwrap() {
            return Err(SmsError::Refused(500));
        }
        self.sent.lock().unwrap().push((phone.to_string(), code.to_owned()));
        Ok(())
    }

    async fn send_text(&self, phone: &Phone, text: &str) -> Result<(), SmsError> {
        self.sent.lock().unwrap().push((phone.to_string(), text.to_owned()));
        Ok(())
    }
}

/// The neighbour's side of the port: area 20 is agent 2's, 21 too, 30 is agent 3's; there are no others.
struct ThreeAreas;

#[async_trait::async_trait]
impl AreaOwners for ThreeAreas {
    async fn owner_of(&self, area: AreaId) -> Result<Option<AgentId>, PortError> {
        Ok([20, 21, 30].contains(&area.0).then_some(AgentId(area.0 / 10)))
    }
}

pub struct TestRuntime {
    pub app: Router,
    pub table: Vec<RouteInfo>,
    pub runtime: Runtime,
    pub clock: Arc<FixedClock>,
    pub outbox: Arc<Outbox>,
    pub sessions: Sessions,
    address: Mutex<IpAddr>,
    projecting: tokio::task::JoinHandle<()>,
    _database: TestDatabase,
    _services: Services,
}

impl Drop for TestRuntime {
    fn drop(&mut self) {
        self.runtime.close();
        self.projecting.abort();
    }
}

impl TestRuntime {
    pub async fn new() -> Self {
        // On the heap: it is as large as a future of the stack may be.
        Box::pin(Self::with(AccessConfig { calls_per_minute: 10_000, ..AccessConfig::default() })).await
    }

    pub async fn with(config: AccessConfig) -> Self {
        let services = Services::start().await;
        let database = services.migrated(&MIGRATIONS).await;
        let pools = Pools::connect(&database.url, SIZES).await.unwrap();
        let clock = Arc::new(FixedClock::at(NOW));
        let master = MasterKey::new([7; 32]);
        let ids = Arc::new(Snowflake::new(SystemClock, 1));
        let foundation = Foundation::new(pools, master.clone(), clock.clone() as Arc<dyn Clock>, ids);
        let runtime = Box::pin(Runtime::open(foundation)).await.unwrap();
        let projectors = Projectors::new(runtime.clone(), access::projectors());
        let projecting = tokio::spawn(async move { projectors.run().await });
        let first = access::bootstrap(&runtime, &ADMIN.parse().unwrap()).await.unwrap();
        assert!(first, "a fresh system has no administrator");

        let tokens = TokenKeys::from_seed(&SecretKey::new([1; 32]));
        let sessions = Sessions::new(runtime.pools.app.clone(), &master, Revocations::new(None));
        let directory = Arc::new(AccessDirectory::new(runtime.clone()));
        let outbox = Arc::new(Outbox::default());
        let context = Access::new(
            runtime.clone(),
            sessions.clone(),
            tokens.clone(),
            directory.clone(),
            Ports { sms: outbox.clone(), areas: Arc::new(ThreeAreas) },
            &master,
            config,
        );
        let wire_config =
            WireConfig { exchange_key_bits: 1536, key_exchanges_per_minute: 10_000, ..WireConfig::default() };
        let wire = Wire::start(
            wire_config,
            runtime.pools.app.clone(),
            &master,
            tokens,
            sessions.clone(),
            clock.clone(),
            directory,
        )
        .await
        .unwrap();
        let Surface { router, table, .. } = access::routes(context).into_router(&wire, None);
        Self {
            app: router,
            table,
            runtime,
            clock,
            outbox,
            sessions,
            address: Mutex::new([192, 0, 2, 1].into()),
            projecting,
            _database: database,
            _services: services,
        }
    }

    /// From here on calls come from this address.
    pub fn at(&self, address: &str) {
        *self.address.lock().unwrap() = address.parse().unwrap();
    }

    async fn send(
        &self,
        method: &str,
        uri: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> (StatusCode, Vec<u8>) {
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(Body::from(body)).unwrap();
        let address = *self.address.lock().unwrap();
        request.extensions_mut().insert(ConnectInfo(SocketAddr::new(address, 4000)));
        let response = self.app.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        (parts.status, to_bytes(body, usize::MAX).await.unwrap().to_vec())
    }

    /// A call that is not wrapped.
    pub async fn plain(&self, method: &str, path: &str, body: Value) -> (StatusCode, Value) {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, bytes) = self.send(method, &format!("{BASE}{path}"), &[], body).await;
        (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
    }

    /// A browser on a device that agreed on keys; nobody is proved.
    pub async fn browser(&self, device: &str) -> Browser<'_> {
        let (_, answer) = self.plain("GET", "/auth/publicKey", Value::Null).await;
        let data = &answer["data"];
        let one_time = SecretKey::new(rand::random());
        let body = offer(
            data["keyId"].as_str().unwrap(),
            data["publicKey"].as_str().unwrap(),
            &one_time,
            device,
            self.clock.now(),
            &mut OsRng,
        )
        .unwrap();
        let (_, answer) = self.plain("POST", "/auth/verifySign", body).await;
        let session = accept(&one_time, answer["data"]["aesKey"].as_str().unwrap()).unwrap();
        Browser { runtime: self, session, token: None }
    }

    pub async fn announce(&self, phone: &str, device: &str) -> (StatusCode, Value) {
        let body = json!({"device_type": 1, "mobilePhoneNumber": phone, "device_code": device,
            "device_name": "Chrome"});
        self.plain("POST", "/mieba/platform/opman/device/verification", body).await
    }

    /// Asks for a code from a device that names itself; the answer.
    pub async fn ask_code(&self, phone: &str, device: &str) -> Value {
        let body = json!({"mobilePhoneNumber": phone, "deviceCode": device});
        self.plain("POST", "/auth/sms/code", body).await.1
    }

    /// The code of the refusal when a device that was named and proved its phone signs in.
    pub async fn kept_out(&self, phone: &str, device: &str) -> String {
        assert_eq!(self.announce(phone, device).await.1, json!({"suc": true}));
        let browser = self.browser(device).await;
        browser.prove(phone).await;
        browser.refused("POST", "/platform/permission/login", json!({"opManId": phone})).await
    }

    /// The code sent to a phone; the clock moves on so that the next one may be asked for.
    pub async fn code_for(&self, phone: &str) -> String {
        self.clock.advance(60_000);
        let (_, answer) = self.plain("POST", "/auth/sms/code", json!({"mobilePhoneNumber": phone})).await;
        assert_eq!(answer, json!({}), "a code is sent");
        self.outbox.last_to(phone).expect("a code was handed to the provider")
    }

    /// The whole way in.
    pub async fn signed_in_on(&self, phone: &str, device: &str) -> Browser<'_> {
        assert_eq!(self.announce(phone, device).await.1, json!({"suc": true}));
        let mut browser = self.browser(device).await;
        browser.prove(phone).await;
        let answer = browser.ok("POST", "/platform/permission/login", json!({"opManId": phone})).await;
        browser.token = Some(answer["token"].as_str().unwrap().to_owned());
        browser
    }

    pub async fn signed_in(&self, phone: &str) -> Browser<'_> {
        self.signed_in_on(phone, &format!("device-of-{phone}")).await
    }

    pub async fn admin(&self) -> Browser<'_> {
        self.signed_in(ADMIN).await
    }

    /// Types of the events of a stream, in order.
    pub async fn events(&self, category: &str, stream: &str) -> Vec<String> {
        sqlx::query_scalar(
            "select type from log.events where category = $1 and stream_id = $2 order by version",
        )
        .bind(category)
        .bind(stream)
        .fetch_all(&self.runtime.pools.owner)
        .await
        .unwrap()
    }
}

pub struct Browser<'a> {
    pub runtime: &'a TestRuntime,
    pub session: ClientSession,
    pub token: Option<String>,
}

impl Browser<'_> {
    pub async fn call(&self, method: &str, path: &str, content: Value) -> (StatusCode, Value) {
        self.keyed(method, path, content, None).await
    }

    /// Seals, sends, opens. `key`: the idempotency key.
    pub async fn keyed(
        &self,
        method: &str,
        path: &str,
        content: Value,
        key: Option<&str>,
    ) -> (StatusCode, Value) {
        let at = format!("{BASE}{path}");
        let now = self.runtime.clock.now();
        let sealed = self.session.seal_request(method, &at, &content, now, rand::random());
        let bearer = format!("Bearer {}", self.token.as_deref().unwrap_or_default());
        let seen = i64::MAX.to_string();
        let mut headers = vec![("_t", self.session.t.0.as_str()), ("x-seen", &seen)];
        headers.extend(self.token.is_some().then_some(("authorization", bearer.as_str())));
        headers.extend(key.map(|key| ("idempotency-key", key)));
        let in_query = method == "GET" || method == "DELETE";
        let (status, bytes) = if in_query {
            self.runtime.send(method, &format!("{at}?params={sealed}"), &headers, String::new()).await
        } else {
            self.runtime.send(method, &at, &headers, json!({ "params": sealed }).to_string()).await
        };
        (status, self.session.open_answer(method, &at, &bytes).unwrap_or(Value::Null))
    }

    /// The data of an answer that is a yes.
    pub async fn ok(&self, method: &str, path: &str, content: Value) -> Value {
        let (status, answer) = self.call(method, path, content).await;
        assert_eq!((status.as_u16(), &answer["suc"]), (200, &json!(true)), "{method} {path}: {answer}");
        answer["data"].clone()
    }

    /// The code of an answer that is a no.
    pub async fn refused(&self, method: &str, path: &str, content: Value) -> String {
        let (status, answer) = self.call(method, path, content).await;
        assert_eq!((status.as_u16(), &answer["suc"]), (200, &json!(false)), "{answer}");
        let error = &answer["error"];
        assert_eq!(error["promot"], error["promt"]);
        assert!(error["promot"].as_str().unwrap().chars().any(|c| c > '\u{3000}'), "Chinese: {error}");
        error["code"].as_str().unwrap().to_owned()
    }

    pub async fn status(&self, method: &str, path: &str, content: Value) -> u16 {
        self.call(method, path, content).await.0.as_u16()
    }

    /// What trying a code is answered.
    pub async fn verify(&self, phone: &str, code: &str) -> Value {
        let body = json!({"mobilePhoneNumber": phone, "smsCode": code});
        self.call("POST", "/auth/sms/verify", body).await.1
    }

    /// Proves a phone on this session by a code.
    pub async fn prove(&self, phone: &str) {
        let code = self.runtime.code_for(phone).await;
        let body = json!({"mobilePhoneNumber": phone, "smsCode": code});
        let (_, answer) = self.call("POST", "/auth/sms/verify", body).await;
        assert!(answer["objectId"].is_string(), "{answer}");
    }

    pub async fn new_role(&self, name: &str, codes: &[&str]) -> String {
        let body = json!({"name": name, "tier": 2, "remark": "", "codes": codes, "state": 1});
        let data = self.ok("POST", "/platform/permission/role", body).await;
        data["id"].as_str().unwrap().to_owned()
    }

    /// Registers an operator of these roles; `agent` 0 is everything.
    pub async fn new_operator(&self, phone: &str, roles: &[&str], agent: i64) -> String {
        let body = json!({"phone": phone, "name": "王芳", "level": 2, "roleIds": roles, "agentId": agent,
            "opAreaIds": [], "state": 1});
        let data = self.ok("POST", "/platform/permission/user", body).await;
        data["objectId"].as_str().unwrap().to_owned()
    }

    pub async fn codes(&self) -> Vec<String> {
        let data = self.ok("GET", "/platform/permission/allCode", json!({})).await;
        serde_json::from_value(data).unwrap()
    }

    /// The row of an operator as the table of people shows it.
    pub async fn operator_row(&self, phone: &str) -> Value {
        let list = self.ok("GET", "/platform/permission/user", json!({"keyword": phone})).await;
        list["rows"][0].clone()
    }
}

pub fn system_role() -> RoleId {
    SUPER_ADMINISTRATOR
}
