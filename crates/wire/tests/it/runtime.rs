//! A system with one small context behind the wire.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Path};
use axum::http::{HeaderMap, Request, StatusCode};
use kernel::MasterKey;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sqlx::PgPool;
use testkit::{Services, TestDatabase};
use tokio::sync::Notify;
use tower::ServiceExt;
use utoipa_axum::routes;
use vocabulary::{
    AgentId, AreaId, FixedClock, MachineId, OperatorId, PermissionCode, Phone, Reach, Scope, Timestamp,
};
use wire::client::{ClientSession, HiddenText};
use wire::{
    Answer, BASE, Bare, Caller, CodeSet, Directory, DirectoryError, FinancialAccount, FinancialAnswer,
    Handled, HandledFinancial, MachineStanding, OpenedSession, Params, Permit, Refused, RequestContext,
    Revocations, RouteInfo, Routes, SecretKey, Session, Sessions, Standing, Surface, TokenKeys, TokenSubject,
    Wire, WireConfig,
};

pub const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
pub const OPERATOR: OperatorId = OperatorId(9);
pub const PHONE: &str = "13800000000";
pub const MACHINE_TOKEN: &str = "machine-token";

/// What the access context would tell.
#[derive(Default)]
pub struct Register {
    pub operators: Mutex<HashMap<OperatorId, Standing>>,
    pub machines: Mutex<HashMap<[u8; 32], MachineStanding>>,
    pub accounts: Mutex<HashMap<AgentId, FinancialAccount>>,
}

#[async_trait::async_trait]
impl Directory for Register {
    async fn standing(&self, operator: OperatorId) -> Result<Option<Standing>, DirectoryError> {
        Ok(self.operators.lock().unwrap().get(&operator).cloned())
    }

    async fn machine(&self, token_sha256: [u8; 32]) -> Result<Option<MachineStanding>, DirectoryError> {
        Ok(self.machines.lock().unwrap().get(&token_sha256).cloned())
    }

    async fn financial_account(&self, agent: AgentId) -> Result<FinancialAccount, DirectoryError> {
        Ok(self.accounts.lock().unwrap().get(&agent).copied().unwrap_or_default())
    }
}

#[utoipa::path(get, path = "/echo", responses((status = 200)))]
async fn echo_query(Params(query): Params<BTreeMap<String, String>>) -> Handled<Value> {
    Ok(Answer(json!(query)))
}

#[utoipa::path(post, path = "/echo", responses((status = 200)))]
async fn echo_body(request: RequestContext, body: String) -> Handled<Value> {
    let context = request.context(Value::Null);
    let request_id = context.request_id.map(|id| id.0);
    Ok(Answer(json!({ "body": body, "requestId": request_id, "fingerprint": context.fingerprint })))
}

#[utoipa::path(get, path = "/keyed", responses((status = 200)))]
async fn keyed(session: Session) -> Bare<Value> {
    Bare(json!({ "device": session.device_code, "phone": session.phone }))
}

#[utoipa::path(get, path = "/me", responses((status = 200)))]
async fn me(caller: Caller) -> Handled<Value> {
    Ok(Answer(json!({ "name": caller.name, "scope": caller.scope })))
}

#[utoipa::path(get, path = "/refused", responses((status = 200)))]
async fn refused() -> Handled<Value> {
    Err(Refused::business("in-use", "角色使用中"))
}

#[utoipa::path(get, path = "/file", responses((status = 200)))]
async fn file(_caller: Caller) -> &'static str {
    "file"
}

#[utoipa::path(get, path = "/Pay/account", responses((status = 200)))]
async fn account(Params(query): Params<BTreeMap<String, String>>) -> HandledFinancial<Value> {
    if query.contains_key("fail") {
        Err(Refused::business("no", "余额不足"))
    } else {
        Ok(FinancialAnswer(json!(1)))
    }
}

#[utoipa::path(get, path = "/Pay/bills", responses((status = 200)))]
async fn bills(caller: Caller) -> HandledFinancial<Value> {
    Ok(FinancialAnswer(json!(caller.codes.iter().cloned().collect::<Vec<_>>())))
}

#[utoipa::path(get, path = "/free", responses((status = 200)))]
async fn free() -> Handled<Value> {
    Ok(Answer(json!("free")))
}

#[utoipa::path(get, path = "/no-caller", responses((status = 200)))]
async fn no_caller(_caller: Caller) -> Handled<Value> {
    Ok(Answer(json!("reached")))
}

#[utoipa::path(get, path = "/panic", responses((status = 200)))]
async fn panics() -> Handled<Value> {
    panic!("secret inside")
}

#[utoipa::path(get, path = "/away", responses((status = 200)))]
async fn away() -> Handled<Value> {
    Err(sqlx::Error::PoolTimedOut.into())
}

#[utoipa::path(get, path = "/rider/{phone}", responses((status = 200)))]
async fn rider() -> Handled<Value> {
    Err(sqlx::Error::PoolTimedOut.into())
}

/// Where a request waits until the test lets it go on. Each test has one of its own.
pub struct Gate {
    pub entered: Notify,
    pub open: Notify,
}

pub static GATES: [Gate; 2] = [const { Gate { entered: Notify::const_new(), open: Notify::const_new() } }; 2];

#[utoipa::path(get, path = "/gate/{number}", responses((status = 200)))]
async fn gate(Path(number): Path<usize>) -> Handled<Value> {
    GATES[number].entered.notify_one();
    GATES[number].open.notified().await;
    Ok(Answer(json!("through")))
}

#[utoipa::path(get, path = "/large", responses((status = 200)))]
async fn large() -> Vec<u8> {
    vec![b'x'; 64 * 1024 * 1024]
}

#[utoipa::path(get, path = "/slow", responses((status = 200)))]
async fn slow() -> Handled<Value> {
    tokio::time::sleep(std::time::Duration::from_mins(1)).await;
    Ok(Answer(json!("late")))
}

#[utoipa::path(get, path = "/open/v1/me", responses((status = 200)))]
async fn machine_me(caller: Caller) -> Handled<Value> {
    Ok(Answer(json!(caller.name)))
}

fn context() -> Routes {
    Routes::new("context")
        .add(Permit::AnyOf(&["0301", "0302"]), routes!(echo_query, echo_body))
        .add(Permit::Keyed, routes!(keyed))
        .add(Permit::SignedIn, routes!(me))
        .add(Permit::SignedIn, routes!(refused))
        .add_unwrapped(Permit::SignedIn, routes!(file))
        .add(Permit::SignedIn, routes!(account))
        .add(Permit::AnyOf(&["financial_03"]), routes!(bills))
        .add(Permit::Open, routes!(free))
        .add(Permit::Open, routes!(no_caller))
        .add(Permit::Open, routes!(panics))
        .add(Permit::Open, routes!(away))
        .add(Permit::Open, routes!(slow))
        .add(Permit::Open, routes!(rider))
        .add(Permit::Open, routes!(gate))
        .add(Permit::Open, routes!(large))
        .add(Permit::Machine("open:me"), routes!(machine_me))
}

pub fn codes(codes: &[&str]) -> Arc<CodeSet> {
    Arc::new(codes.iter().map(|code| PermissionCode::try_from((*code).to_owned()).unwrap()).collect())
}

pub fn few() -> Scope {
    Scope::of(Reach::only([AgentId(2), AgentId(3)]), Reach::only([AreaId(20), AreaId(30)]))
}

pub struct Runtime {
    pub app: Router,
    pub table: Vec<RouteInfo>,
    pub openapi: Value,
    pub wire: Arc<Wire>,
    pub clock: Arc<FixedClock>,
    pub register: Arc<Register>,
    pub tokens: TokenKeys,
    pub db: PgPool,
    database: Arc<TestDatabase>,
    services: Services,
}

/// A signed-in client.
#[derive(Clone)]
pub struct Client {
    pub session: ClientSession,
    pub opened: OpenedSession,
    pub token: Option<String>,
}

pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or(Value::Null)
    }

    pub fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// A database with the schema of authentication.
pub async fn database(services: &Services) -> TestDatabase {
    let sql = concat!(
        include_str!("../../../../migrations/0001_roles_and_schemas.sql"),
        "\n",
        include_str!("../../../../migrations/0010_door.sql"),
        "\n",
        include_str!("../../../../migrations/0130_authentication.sql")
    );
    let name = format!("wire_{}", &hex::encode(Sha256::digest(sql.as_bytes()))[..16]);
    let prepare = async |url: String| {
        let db = PgPool::connect(&url).await?;
        sqlx::raw_sql(sql).execute(&db).await?;
        db.close().await;
        Ok(())
    };
    services.database_from(&name, prepare).await
}

pub fn master() -> MasterKey {
    MasterKey::new([42; 32])
}

impl Runtime {
    pub async fn new() -> Self {
        Self::with(WireConfig::default()).await
    }

    pub async fn with(config: WireConfig) -> Self {
        let services = Services::start().await;
        let database = Arc::new(database(&services).await);
        let db = PgPool::connect(&database.url).await.unwrap();
        let clock = Arc::new(FixedClock::at(NOW));
        let register = Arc::new(Register::default());
        let standing = Standing {
            enabled: true,
            scope: few(),
            codes: codes(&["0301"]),
            permission_version: 1,
            name: "张三".into(),
            phone: phone(),
        };
        register.operators.lock().unwrap().insert(OPERATOR, standing);
        let machine = MachineStanding {
            id: MachineId(1),
            name: "rider app".into(),
            enabled: true,
            scope: Scope::ALL,
            codes: codes(&["open:me"]),
        };
        register.machines.lock().unwrap().insert(Sha256::digest(MACHINE_TOKEN).into(), machine);
        let tokens = TokenKeys::from_seed(&SecretKey::new([1; 32]));
        Self::on(services, database, db, clock, register, tokens, config).await
    }

    /// A second node on the same database, clock and directory.
    pub async fn other_node(&self) -> Self {
        Self::on(
            self.services.clone(),
            Arc::clone(&self.database),
            self.db.clone(),
            self.clock.clone(),
            self.register.clone(),
            self.tokens.clone(),
            WireConfig::default(),
        )
        .await
    }

    async fn on(
        services: Services,
        database: Arc<TestDatabase>,
        db: PgPool,
        clock: Arc<FixedClock>,
        register: Arc<Register>,
        tokens: TokenKeys,
        config: WireConfig,
    ) -> Self {
        let sessions = Sessions::new(db.clone(), &master(), Revocations::new(None));
        // Smaller keys are made faster; the size of the product's is asserted in `exchange`.
        let config = WireConfig { exchange_key_bits: 1536, ..config };
        let wire = Wire::start(
            config,
            db.clone(),
            &master(),
            tokens.clone(),
            sessions,
            clock.clone(),
            register.clone(),
        )
        .await
        .unwrap();
        let site = Router::new().route("/", axum::routing::get(async || "site"));
        let Surface { router, table, openapi } = context().into_router(&wire, Some(site));
        let openapi = serde_json::to_value(openapi).unwrap();
        Self { app: router, table, openapi, wire, clock, register, tokens, db, database, services }
    }

    pub fn change(&self, change: impl FnOnce(&mut Standing)) {
        change(self.register.operators.lock().unwrap().get_mut(&OPERATOR).unwrap());
    }

    /// A session that nobody signed in on.
    pub async fn keyed(&self) -> Client {
        let opened = self.wire.sessions.open("device", NOW).await.unwrap();
        let session = ClientSession { t: HiddenText(opened.t.clone()), k: opened.k.clone() };
        Client { session, opened, token: None }
    }

    pub async fn signed_in(&self) -> Client {
        self.selecting(&[], &[]).await
    }

    pub async fn selecting(&self, agents: &[i64], areas: &[i64]) -> Client {
        let mut client = self.keyed().await;
        self.wire.sessions.prove(client.opened.id, &phone(), "obj").await.unwrap();
        self.wire.sessions.sign_in(client.opened.id, OPERATOR).await.unwrap();
        client.token = Some(self.token(&client, agents, areas));
        client
    }

    pub fn token(&self, client: &Client, agents: &[i64], areas: &[i64]) -> String {
        let subject = TokenSubject {
            agent_ids: agents.iter().map(|id| AgentId(*id)).collect(),
            op_area_ids: areas.iter().map(|id| AreaId(*id)).collect(),
            operator: OPERATOR,
            phone: phone(),
            agent: None,
            build: "1".into(),
            dev_id: "device".into(),
            package: "web".into(),
            permission_version: 1,
            session: client.opened.id,
        };
        self.tokens.issue(subject, NOW).token
    }

    /// Sends it as it is.
    pub async fn raw(
        &self,
        method: &str,
        uri: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Reply {
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(body.into()).unwrap();
        request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([192, 0, 2, 1], 4000))));
        let response = self.app.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap().to_vec();
        Reply { status: parts.status, headers: parts.headers, bytes }
    }

    pub async fn with_box(&self, client: &Client, method: &str, path: &str, sealed: &str) -> Reply {
        let authorization = format!("Bearer {}", client.token.as_deref().unwrap_or_default());
        let mut headers = vec![("_t", client.opened.t.as_str())];
        if client.token.is_some() {
            headers.push(("authorization", &authorization));
        }
        if method == "GET" {
            self.raw(method, &format!("{path}?params={sealed}"), &headers, "").await
        } else {
            self.raw(method, path, &headers, json!({ "params": sealed }).to_string()).await
        }
    }

    /// Seals, sends, opens.
    pub async fn call(
        &self,
        client: &Client,
        method: &str,
        path: &str,
        content: Value,
    ) -> (StatusCode, Value) {
        let path = at(path);
        let sealed = client.session.seal_request(method, &path, &content, NOW, nonce());
        let reply = self.with_box(client, method, &path, &sealed).await;
        (reply.status, client.session.open_answer(method, &path, &reply.bytes).unwrap())
    }
}

pub fn at(path: &str) -> String {
    format!("{BASE}{path}")
}

pub fn phone() -> Phone {
    PHONE.parse().unwrap()
}

pub fn nonce() -> [u8; 12] {
    rand::random()
}
