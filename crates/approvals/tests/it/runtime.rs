//! A system with the context in it, people whose rights may change, and browsers that speak the real protocol.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use approvals::model::approval::Standing as Stands;
use approvals::ports::PortError;
use approvals::{Approvals, Standings};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::Request;
use kernel::{CommandContext, Foundation, MIGRATIONS, MasterKey, PoolSizes, Pools, Projectors, Runtime};
use serde_json::{Value, json};
use testkit::{Services, TestDatabase};
use tower::ServiceExt;
use vocabulary::{
    AgentId, AreaId, Clock, FixedClock, OperatorId, PermissionCode, Phone, Reach, Scope, Snowflake,
    SystemClock, Timestamp,
};
use wire::client::{ClientSession, HiddenText};
use wire::{
    BASE, CodeSet, Directory, DirectoryError, MachineStanding, Revocations, SecretKey, Sessions, Standing,
    Surface, TokenKeys, TokenSubject, Wire, WireConfig,
};

use crate::till::{self, Refund, Tidy, Till, TillCommand};

pub const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
pub const DAY_MS: i64 = 86_400_000;
/// Somebody of agent 2 who asks.
pub const CLERK: OperatorId = OperatorId(11);
/// Another one of agent 2, who may do the same.
pub const SECOND: OperatorId = OperatorId(12);
/// Somebody of the whole platform, a reader of the log, who sets limits.
pub const CHIEF: OperatorId = OperatorId(13);
/// Somebody of agent 2 who pays nothing back.
pub const BARE: OperatorId = OperatorId(14);
/// Somebody of agent 3.
pub const STRANGER: OperatorId = OperatorId(15);
/// Somebody of agent 2 who sees another area of it.
pub const NEIGHBOUR: OperatorId = OperatorId(16);

/// A till of agent 2 in area 20, with so much in it.
pub const TILL: i64 = 7;
pub const FULL_CENTS: i64 = 30_000;
const SIZES: PoolSizes = PoolSizes { owner: 4, app: 10, projector: 6, feed: 2 };

fn codes(texts: &[&str]) -> Arc<CodeSet> {
    Arc::new(texts.iter().map(|code| PermissionCode::try_from((*code).to_owned()).unwrap()).collect())
}

fn of(agent: i64) -> Scope {
    Scope::of(Reach::only([AgentId(agent)]), Reach::All)
}

/// Who there is, and how each stands now.
pub struct People(Mutex<HashMap<OperatorId, Standing>>);

impl People {
    fn new() -> Self {
        let elsewhere = Scope { areas: Reach::only([AreaId(21)]), ..of(2) };
        let all: [(OperatorId, Scope, &[&str], &str); 6] = [
            (CLERK, of(2), &["1602", "1002"], "王芳"),
            (SECOND, of(2), &["1602", "1002"], "李强"),
            (CHIEF, Scope::ALL, &["1602", "1002", "1404"], "张敏"),
            (BARE, of(2), &["0301"], "刘洋"),
            (STRANGER, of(3), &["1602", "1002", "1404"], "陈静"),
            (NEIGHBOUR, elsewhere, &["1602", "1002", "1404"], "杨帆"),
        ];
        let person = |(id, scope, held, name): (OperatorId, Scope, &[&str], &str)| {
            let standing = Standing {
                enabled: true,
                scope,
                codes: codes(held),
                permission_version: 1,
                name: name.to_owned(),
                phone: format!("138000000{}", id.0).parse().unwrap(),
            };
            (id, standing)
        };
        Self(Mutex::new(all.map(person).into()))
    }

    /// How somebody stands from now on.
    pub fn change(&self, operator: OperatorId, change: impl FnOnce(&mut Standing)) {
        change(self.0.lock().unwrap().get_mut(&operator).unwrap());
    }

    pub fn hold(&self, operator: OperatorId, held: &[&str]) {
        self.change(operator, |standing| standing.codes = codes(held));
    }

    fn of(&self, operator: OperatorId) -> Option<Standing> {
        self.0.lock().unwrap().get(&operator).cloned()
    }
}

/// The wire's side.
struct Register(Arc<People>);

#[async_trait::async_trait]
impl Directory for Register {
    async fn standing(&self, operator: OperatorId) -> Result<Option<Standing>, DirectoryError> {
        Ok(self.0.of(operator))
    }

    async fn machine(&self, _: [u8; 32]) -> Result<Option<MachineStanding>, DirectoryError> {
        Ok(None)
    }
}

/// The context's side.
struct Staff(Arc<People>);

#[async_trait::async_trait]
impl Standings for Staff {
    async fn of(&self, operator: OperatorId) -> Result<Option<Stands>, PortError> {
        let stands = |found: Standing| Stands {
            enabled: found.enabled,
            codes: found.codes.iter().cloned().collect(),
            scope: found.scope,
        };
        Ok(self.0.of(operator).map(stands))
    }

    async fn administers(&self, operator: OperatorId) -> Result<bool, PortError> {
        Ok(operator == CHIEF || operator == NEIGHBOUR)
    }
}

pub struct TestRuntime {
    app: Router,
    pub runtime: Runtime,
    pub clock: Arc<FixedClock>,
    pub people: Arc<People>,
    wire: Arc<Wire>,
    tokens: TokenKeys,
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
    /// With the till in it.
    pub async fn new() -> Self {
        let services = Services::start().await;
        let database = services.migrated(&MIGRATIONS).await;
        let pools = Pools::connect(&database.url, SIZES).await.unwrap();
        let clock = Arc::new(FixedClock::at(NOW));
        let master = MasterKey::new([7; 32]);
        let ids = Arc::new(Snowflake::new(SystemClock, 1));
        let foundation = Foundation::new(pools, master.clone(), clock.clone() as Arc<dyn Clock>, ids);
        let runtime = Runtime::open(foundation).await.unwrap();
        let projectors = Projectors::new(runtime.clone(), approvals::projectors());
        let projecting = tokio::spawn(async move { projectors.run().await });
        let people = Arc::new(People::new());
        let deeds: Vec<Arc<dyn approvals::Deed>> = vec![Arc::new(Refund(runtime.clone())), Arc::new(Tidy)];
        let context = Approvals::new(runtime.clone(), Arc::new(Staff(Arc::clone(&people))), deeds);
        let tokens = TokenKeys::from_seed(&SecretKey::new([1; 32]));
        let wire = Wire::start(
            WireConfig { exchange_key_bits: 1536, ..WireConfig::default() },
            runtime.pools.app.clone(),
            &master,
            tokens.clone(),
            Sessions::new(runtime.pools.app.clone(), &master, Revocations::new(None)),
            clock.clone(),
            Arc::new(Register(Arc::clone(&people))),
        )
        .await
        .unwrap();
        let routes = approvals::routes(&context).merge(till::routes(&context));
        let Surface { router, .. } = routes.into_router(&wire, None);
        let new = Self {
            app: router,
            runtime,
            clock,
            people,
            wire,
            tokens,
            projecting,
            _database: database,
            _services: services,
        };
        let open = TillCommand::Open { agent_id: AgentId(2), area_id: AreaId(20), cents: FULL_CENTS };
        new.tell(open).await;
        new
    }

    pub async fn tell(&self, command: TillCommand) {
        let ctx = CommandContext::of_system("test", self.clock.now());
        self.runtime.desk.execute::<Till>(&TILL, command, &ctx).await.unwrap();
    }

    /// What is in the till.
    pub async fn cents(&self) -> i64 {
        self.runtime.desk.load::<Till>(&TILL).await.unwrap().state.cents
    }

    pub async fn signed_in(&self, operator: OperatorId) -> Browser<'_> {
        let now = self.clock.now();
        let opened = self.wire.sessions.open("device", now).await.unwrap();
        let phone: Phone = self.people.of(operator).unwrap().phone;
        self.wire.sessions.prove(opened.id, &phone, "obj").await.unwrap();
        self.wire.sessions.sign_in(opened.id, operator).await.unwrap();
        let subject = TokenSubject {
            agent_ids: Vec::new(),
            op_area_ids: Vec::new(),
            operator,
            phone,
            agent: None,
            build: "1".to_owned(),
            dev_id: "device".to_owned(),
            package: "web".to_owned(),
            permission_version: 1,
            session: opened.id,
        };
        let token = self.tokens.issue(subject, now).token;
        let session = ClientSession { t: HiddenText(opened.t.clone()), k: opened.k.clone() };
        Browser { runtime: self, session, token }
    }

    /// The events of a request and of the till: type, position, and the name of the append.
    pub async fn events(&self, kind: &str) -> Vec<(i64, String)> {
        sqlx::query_as(
            "select position, meta::jsonb ->> 'nonce' from log.events where type = $1 order by position",
        )
        .bind(kind)
        .fetch_all(&self.runtime.pools.owner)
        .await
        .unwrap()
    }
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("text: {value}")).to_owned()
}

pub struct Browser<'a> {
    runtime: &'a TestRuntime,
    session: ClientSession,
    token: String,
}

impl Browser<'_> {
    /// Seals, sends, opens. `key`: the idempotency key.
    pub async fn keyed(&self, method: &str, path: &str, content: Value, key: Option<&str>) -> (u16, Value) {
        let at = format!("{BASE}{path}");
        let now = self.runtime.clock.now();
        let sealed = self.session.seal_request(method, &at, &content, now, rand_nonce());
        let request = Request::builder()
            .method(method)
            .header("_t", self.session.t.0.as_str())
            .header("x-seen", i64::MAX.to_string())
            .header("authorization", format!("Bearer {}", self.token));
        let request = match key {
            Some(key) => request.header("idempotency-key", key),
            None => request,
        };
        let mut request = if method == "GET" {
            request.uri(format!("{at}?params={sealed}")).body(Body::empty())
        } else {
            request.uri(&at).body(Body::from(json!({ "params": sealed }).to_string()))
        }
        .unwrap();
        request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([192, 0, 2, 1], 4000))));
        let response = self.runtime.app.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap().to_vec();
        (parts.status.as_u16(), self.session.open_answer(method, &at, &bytes).unwrap_or(Value::Null))
    }

    pub async fn call(&self, method: &str, path: &str, content: Value) -> (u16, Value) {
        self.keyed(method, path, content, None).await
    }

    /// The data of a yes.
    pub async fn ok(&self, method: &str, path: &str, content: Value) -> Value {
        let (status, answer) = self.call(method, path, content).await;
        assert_eq!((status, &answer["suc"]), (200, &json!(true)), "{method} {path}: {answer}");
        answer["data"].clone()
    }

    /// The code of a no.
    pub async fn no(&self, method: &str, path: &str, content: Value) -> String {
        let (status, answer) = self.call(method, path, content).await;
        assert_eq!((status, &answer["suc"]), (200, &json!(false)), "{method} {path}: {answer}");
        text(&answer["error"]["code"])
    }

    /// Asks for so much back above the limit; the request's id.
    pub async fn asks(&self, cents: i64) -> String {
        let wish = json!({"till": TILL, "cents": cents, "reason": "重复扣款"});
        text(&self.ok("POST", "/till/refund", wish).await["approvalId"])
    }

    pub async fn waiting(&self) -> i64 {
        self.ok("GET", "/platform/approval/count", json!({})).await["waiting"].as_i64().unwrap()
    }

    pub async fn info(&self, id: &str) -> Value {
        self.ok("GET", &format!("/platform/approval/{id}"), json!({})).await
    }
}

/// One that no other box has.
fn rand_nonce() -> [u8; 12] {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let mut nonce = [0; 12];
    nonce[..8].copy_from_slice(&NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes());
    nonce
}

pub const DECIDE: &str = "/platform/approval/decide";

pub fn accept(id: &str) -> Value {
    json!({"id": id, "result": "accept"})
}

pub fn reject(id: &str, reason: &str) -> Value {
    json!({"id": id, "result": "reject", "reason": reason})
}
