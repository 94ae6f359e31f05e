//! A system with the finance context in it, and browsers that speak the real protocol.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::Request;
use finance::Context;
use finance::password_desk::{PasswordDesk, StandIn};
use finance::ports::{Agents, CardCodes, PortError, Ports, Standings};
use finance::read::payment_accounts;
use kernel::{Foundation, MIGRATIONS, MasterKey, PoolSizes, Pools, Projectors, Runtime};
use serde_json::{Value, json};
use testkit::{Services, TestDatabase};
use tower::ServiceExt;
use utoipa_axum::routes;
use vocabulary::{
    AgentId, Clock, FixedClock, OperatorId, PermissionCode, Phone, Reach, Scope, Snowflake, SystemClock,
    Timestamp,
};
use wire::client::{ClientSession, HiddenText};
use wire::{
    BASE, CodeSet, Directory, DirectoryError, FinancialAccount, FinancialAnswer, HandledFinancial,
    MachineStanding, Permit, Revocations, Routes, SecretKey, Sessions, Standing, Surface, TokenKeys,
    TokenSubject, Wire, WireConfig,
};

pub const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
pub const CODE: &str = "246810";
/// Somebody of the whole platform.
pub const PLATFORM: OperatorId = OperatorId(11);
/// Somebody of agent 2.
pub const CLERK: OperatorId = OperatorId(12);
/// Somebody of agent 3.
pub const STRANGER: OperatorId = OperatorId(13);
/// Somebody of agent 2 who holds no financial code.
pub const BARE: OperatorId = OperatorId(14);

/// The example of GB 32100-2015.
pub const CREDIT: &str = "91350100M000100Y43";
/// The example of GB 11643-1999 itself: it belongs to nobody.
pub const IDENTITY: &str = "11010519491231002X";
/// From the issuer's numbers for tests.
pub const CARD: &str = "4111111111111111";
pub const MOBILE: &str = "13900000001";

const FINANCIAL: [&str; 7] = [
    "financial",
    "financial_01",
    "financial_02",
    "financial_03",
    "financial_04",
    "financial_05",
    "financial_06",
];
const SIZES: PoolSizes = PoolSizes { owner: 4, app: 10, projector: 6, feed: 2 };

/// The territory's side: agents 2 and 3 work, 4 does not, and there are no others.
struct ThreeAgents;

fn company(agent: AgentId) -> Option<&'static str> {
    BTreeMap::from([(2, "厦门骑行有限公司"), (3, "泉州单车有限公司"), (4, "停用的公司")])
        .get(&agent.0)
        .copied()
}

#[async_trait::async_trait]
impl Agents for ThreeAgents {
    async fn works(&self, agent: AgentId) -> Result<bool, PortError> {
        Ok([2, 3].contains(&agent.0))
    }

    async fn names(&self, agents: &[AgentId]) -> Result<BTreeMap<AgentId, String>, PortError> {
        Ok(agents.iter().filter_map(|agent| Some((*agent, company(*agent)?.to_owned()))).collect())
    }

    async fn called(&self, scope: &Scope, pattern: &str) -> Result<Vec<AgentId>, PortError> {
        let part = pattern.trim_matches('%');
        let matches = |agent: &AgentId| company(*agent).is_some_and(|name| name.contains(part));
        let seen = [2, 3, 4].map(AgentId).into_iter().filter(|agent| scope.agents.contains(agent));
        Ok(seen.filter(matches).collect())
    }
}

/// The provider's side of the SMS adapter: what was handed over.
#[derive(Default)]
pub struct Outbox {
    sent: Mutex<Vec<String>>,
    broken: Mutex<bool>,
}

impl Outbox {
    pub fn to(&self, phone: &str) -> usize {
        self.sent.lock().unwrap().iter().filter(|to| *to == phone).count()
    }

    pub fn break_down(&self, broken: bool) {
        *self.broken.lock().unwrap() = broken;
    }
}

#[async_trait::async_trait]
impl CardCodes for Outbox {
    fn draw(&self) -> String {
        CODE.to_owned()
    }

    async fn send(&self, phone: &Phone, code: &str) -> Result<(), PortError> {
        assert_eq!(code, CODE);
        if *self.broken.lock().unwrap() {
            return Err("the provider is away".into());
        }
        self.sent.lock().unwrap().push(phone.to_string());
        Ok(())
    }
}

/// Counts how often the wire was told to look anew.
#[derive(Default)]
pub struct Told(AtomicUsize);

impl Told {
    pub fn times(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Standings for Told {
    fn forget(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// What the access context would tell: people, and accounts as the context's own table has them.
struct Register {
    operators: HashMap<OperatorId, Standing>,
    runtime: Runtime,
}

#[async_trait::async_trait]
impl Directory for Register {
    async fn standing(&self, operator: OperatorId) -> Result<Option<Standing>, DirectoryError> {
        Ok(self.operators.get(&operator).cloned())
    }

    async fn machine(&self, _token_sha256: [u8; 32]) -> Result<Option<MachineStanding>, DirectoryError> {
        Ok(None)
    }

    async fn financial_account(&self, agent: AgentId) -> Result<FinancialAccount, DirectoryError> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, None, &[]).await.unwrap();
        let found = payment_accounts::standing(&mut *db, agent).await.unwrap();
        Ok(found.map_or_else(FinancialAccount::default, |(status, level)| FinancialAccount {
            status: Some(status.into()),
            level: level.map(i64::from),
        }))
    }
}

/// A call that only bills need: what the level of an account opens and closes.
#[utoipa::path(get, path = "/Pay/bills", responses((status = 200)))]
async fn bills() -> HandledFinancial<Value> {
    Ok(FinancialAnswer(json!([])))
}

/// A call that only objections to bills need.
#[utoipa::path(get, path = "/Pay/objections", responses((status = 200)))]
async fn objections() -> HandledFinancial<Value> {
    Ok(FinancialAnswer(json!([])))
}

fn people() -> HashMap<OperatorId, Standing> {
    let codes = |texts: &[&str]| -> Arc<CodeSet> {
        Arc::new(texts.iter().map(|code| PermissionCode::try_from((*code).to_owned()).unwrap()).collect())
    };
    let of = |agent| Scope::of(Reach::only([AgentId(agent)]), Reach::All);
    let person = |(id, scope, held): (OperatorId, Scope, &[&str])| {
        let standing = Standing {
            enabled: true,
            scope,
            codes: codes(held),
            permission_version: 1,
            name: "王芳".to_owned(),
            phone: format!("138000000{}", id.0).parse().unwrap(),
        };
        (id, standing)
    };
    [
        (PLATFORM, Scope::ALL, &FINANCIAL[..]),
        (CLERK, of(2), &FINANCIAL),
        (STRANGER, of(3), &FINANCIAL),
        (BARE, of(2), &["0301"]),
    ]
    .map(person)
    .into()
}

pub struct TestRuntime {
    app: Router,
    pub runtime: Runtime,
    pub clock: Arc<FixedClock>,
    pub outbox: Arc<Outbox>,
    pub told: Arc<Told>,
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
    pub async fn new() -> Self {
        let desk = |master: &MasterKey| Some(PasswordDesk::StandIn(StandIn::new(master)));
        Self::with(desk).await
    }

    pub async fn with(passwords: impl FnOnce(&MasterKey) -> Option<PasswordDesk>) -> Self {
        let services = Services::start().await;
        let database = services.migrated(&MIGRATIONS).await;
        let pools = Pools::connect(&database.url, SIZES).await.unwrap();
        let clock = Arc::new(FixedClock::at(NOW));
        let master = MasterKey::new([7; 32]);
        let ids = Arc::new(Snowflake::new(SystemClock, 1));
        let runtime =
            Runtime::open(Foundation::new(pools, master.clone(), clock.clone() as Arc<dyn Clock>, ids))
                .await
                .unwrap();
        let projectors = Projectors::new(runtime.clone(), finance::projectors());
        let projecting = tokio::spawn(async move { projectors.run().await });
        let (outbox, told) = (Arc::new(Outbox::default()), Arc::new(Told::default()));
        let ports = Ports {
            agents: Arc::new(ThreeAgents),
            codes: outbox.clone(),
            standings: told.clone(),
            passwords: passwords(&master),
        };
        let context = Context::new(runtime.clone(), ports, &master);
        let tokens = TokenKeys::from_seed(&SecretKey::new([1; 32]));
        let wire = Wire::start(
            WireConfig { exchange_key_bits: 1536, ..WireConfig::default() },
            runtime.pools.app.clone(),
            &master,
            tokens.clone(),
            Sessions::new(runtime.pools.app.clone(), &master, Revocations::new(None)),
            clock.clone(),
            Arc::new(Register { operators: people(), runtime: runtime.clone() }),
        )
        .await
        .unwrap();
        let probe = Routes::new("probe")
            .add(Permit::AnyOf(&["financial_03"]), routes!(bills))
            .add(Permit::AnyOf(&["financial_04"]), routes!(objections));
        let Surface { router, .. } = finance::routes(&context).merge(probe).into_router(&wire, None);
        Self {
            app: router,
            runtime,
            clock,
            outbox,
            told,
            wire,
            tokens,
            projecting,
            _database: database,
            _services: services,
        }
    }

    /// Sends it as it is.
    pub async fn send(
        &self,
        method: &str,
        uri: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> (u16, Vec<u8>) {
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(Body::from(body)).unwrap();
        request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([192, 0, 2, 1], 4000))));
        let response = self.app.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        (parts.status.as_u16(), to_bytes(body, usize::MAX).await.unwrap().to_vec())
    }

    /// A browser that agreed on keys; nobody is signed in.
    pub async fn keyed(&self) -> Browser<'_> {
        let opened = self.wire.sessions.open("device", self.clock.now()).await.unwrap();
        let session = ClientSession { t: HiddenText(opened.t.clone()), k: opened.k.clone() };
        Browser { runtime: self, session, token: None, agent: None }
    }

    pub async fn signed_in(&self, operator: OperatorId) -> Browser<'_> {
        let opened = self.wire.sessions.open("device", self.clock.now()).await.unwrap();
        let phone: Phone = people()[&operator].phone.clone();
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
        let token = self.tokens.issue(subject, self.clock.now()).token;
        let session = ClientSession { t: HiddenText(opened.t.clone()), k: opened.k.clone() };
        Browser { runtime: self, session, token: Some(token), agent: None }
    }

    /// Types of the events of an account, in order.
    pub async fn events(&self, account: &str) -> Vec<String> {
        sqlx::query_scalar(
            "select type from log.events where category = 'payment-account' and stream_id = $1 order by version",
        )
        .bind(account)
        .fetch_all(&self.runtime.pools.owner)
        .await
        .unwrap()
    }

    /// Everything that lies in a table, as text.
    pub async fn lies_in(&self, table: &'static str) -> String {
        let sql = format!("select coalesce(string_agg(t::text, ' '), '') from {table} t");
        sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(&self.runtime.pools.owner).await.unwrap()
    }

    /// An account of the clerk's agent that may be used; its id.
    pub async fn open_account(&self, level: i64) -> String {
        let clerk = self.signed_in(CLERK).await;
        let account =
            text(&clerk.ok("POST", "/Pay/customer/openAccount", application("2")).await["accountId"]);
        let platform = self.signed_in(PLATFORM).await;
        let body = json!({"accountId": account, "version": 1, "status": 2, "accountLevel": level});
        platform.ok("PUT", "/Pay/customer/state", body).await;
        account
    }
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("text: {value}")).to_owned()
}

/// An application of a company.
pub fn application(agent: &str) -> Value {
    json!({"agentId": agent, "accountType": 1, "customerName": "骑行科技", "certNo": CREDIT, "contact": "陈建国",
        "phone": "13900000009"})
}

/// A card to bind.
pub fn card(account: &str) -> Value {
    json!({"accountId": account, "cardNo": CARD, "bankMobile": MOBILE, "bankName": "中国工商银行",
        "holder": "陈建国", "idNo": IDENTITY})
}

/// `value` with what is in `more`.
pub fn with(mut value: Value, more: &Value) -> Value {
    for (name, one) in more.as_object().expect("an object") {
        value[name] = one.clone();
    }
    value
}

pub struct Browser<'a> {
    runtime: &'a TestRuntime,
    session: ClientSession,
    token: Option<String>,
    /// The agent that its calls are about.
    pub agent: Option<&'static str>,
}

impl Browser<'_> {
    /// Seals, sends, opens. `key`: the idempotency key.
    pub async fn keyed(&self, method: &str, path: &str, content: Value, key: Option<&str>) -> (u16, Value) {
        let at = format!("{BASE}{path}");
        let now = self.runtime.clock.now();
        let sealed = self.session.seal_request(method, &at, &content, now, rand::random());
        let bearer = format!("Bearer {}", self.token.as_deref().unwrap_or_default());
        let seen = i64::MAX.to_string();
        let mut headers = vec![("_t", self.session.t.0.as_str()), ("x-seen", &seen)];
        headers.extend(self.token.is_some().then_some(("authorization", bearer.as_str())));
        headers.extend(key.map(|key| ("idempotency-key", key)));
        headers.extend(self.agent.map(|agent| ("agentid", agent)));
        let (status, bytes) = if method == "GET" {
            self.runtime.send(method, &format!("{at}?params={sealed}"), &headers, String::new()).await
        } else {
            self.runtime.send(method, &at, &headers, json!({ "params": sealed }).to_string()).await
        };
        (status, self.session.open_answer(method, &at, &bytes).unwrap_or(Value::Null))
    }

    pub async fn call(&self, method: &str, path: &str, content: Value) -> (u16, Value) {
        self.keyed(method, path, content, None).await
    }

    /// The data of a yes.
    pub async fn ok(&self, method: &str, path: &str, content: Value) -> Value {
        let (status, answer) = self.call(method, path, content).await;
        assert_eq!((status, &answer["success"]), (200, &json!(true)), "{method} {path}: {answer}");
        assert_eq!(answer["msg"], "");
        answer["data"].clone()
    }

    /// The words of a no.
    pub async fn no(&self, method: &str, path: &str, content: Value) -> String {
        let (status, answer) = self.call(method, path, content).await;
        assert_eq!((status, &answer["success"]), (200, &json!(false)), "{method} {path}: {answer}");
        assert_eq!(answer["data"], Value::Null);
        text(&answer["msg"])
    }

    pub async fn status(&self, method: &str, path: &str, content: Value) -> u16 {
        self.call(method, path, content).await.0
    }

    pub async fn detail(&self, account: &str) -> Value {
        self.ok("GET", "/Pay/customer/detail", json!({ "accountId": account })).await
    }
}

/// Nobody signed in gets 401, an operator without a financial code 403.
pub async fn closed(runtime: &TestRuntime, method: &str, path: &str) {
    assert_eq!(runtime.keyed().await.status(method, path, json!({})).await, 401, "{method} {path}");
    let bare = runtime.signed_in(BARE).await;
    assert_eq!(bare.status(method, path, json!({})).await, 403, "{method} {path}");
}
