//! A system with people and cards in it.

use std::sync::Arc;

use audit::{Action, AuditSchema, AuditSchemas, Field, Fields, Text, mask};
use kernel::{
    Actor, Aggregate, CommandContext, DecodeError, Event, Foundation, MIGRATIONS, MasterKey, Personal,
    PoolSizes, Pools, Position, Projectors, Recorded, Refusal, RequestId, Runtime,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use testkit::{Services, TestDatabase};
use vocabulary::{
    AgentId, DataOwner, FixedClock, MachineId, OperatorId, Reach, Scope, Snowflake, SystemClock, Timestamp,
};

pub const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
pub const WANG: OperatorId = OperatorId(71);
pub const APP: MachineId = MachineId(9);
const SIZES: PoolSizes = PoolSizes { owner: 4, app: 6, projector: 4, feed: 2 };

#[derive(Debug)]
pub struct Never;

impl Refusal for Never {
    fn code(&self) -> &'static str {
        "never"
    }
    fn message(&self) -> String {
        "从不".to_owned()
    }
}

/// A person who may act.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", content = "data")]
pub enum PersonEvent {
    #[serde(rename = "operator.registered")]
    Registered { name: Personal<String>, phone: String },
    #[serde(rename = "operator.signed_in")]
    SignedIn { at: Timestamp },
}

impl Event for PersonEvent {
    fn stored_type(&self) -> &'static str {
        match self {
            Self::Registered { .. } => "operator.registered",
            Self::SignedIn { .. } => "operator.signed_in",
        }
    }
}

#[derive(Clone, Default)]
pub struct Person;

impl Aggregate for Person {
    const CATEGORY: &'static str = "operator";
    type Id = OperatorId;
    type Command = PersonEvent;
    type Event = PersonEvent;
    type Refusal = Never;
    fn decide(&self, command: PersonEvent, _now: Timestamp) -> Result<Vec<PersonEvent>, Never> {
        Ok(vec![command])
    }
    fn evolve(&mut self, _event: &PersonEvent) {}
    fn owner(&self) -> DataOwner {
        DataOwner::PLATFORM
    }
}

/// A program with a token.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", content = "data")]
pub enum MachineEvent {
    #[serde(rename = "machine.added")]
    Added { name: String },
}

impl Event for MachineEvent {
    fn stored_type(&self) -> &'static str {
        "machine.added"
    }
}

#[derive(Clone, Default)]
pub struct Machine;

impl Aggregate for Machine {
    const CATEGORY: &'static str = "machine";
    type Id = MachineId;
    type Command = MachineEvent;
    type Event = MachineEvent;
    type Refusal = Never;
    fn decide(&self, command: MachineEvent, _now: Timestamp) -> Result<Vec<MachineEvent>, Never> {
        Ok(vec![command])
    }
    fn evolve(&mut self, _event: &MachineEvent) {}
    fn owner(&self) -> DataOwner {
        DataOwner::PLATFORM
    }
}

/// A card of an agent. Its first stored form called the name a title.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", content = "data")]
pub enum CardEvent {
    #[serde(rename = "card.made")]
    Made { agent: AgentId, name: String, secret: String },
    #[serde(rename = "card.renamed")]
    Renamed { name: String },
    #[serde(rename = "card.moved")]
    Moved { agent: AgentId },
    #[serde(rename = "card.used")]
    Used { place: String },
}

impl Event for CardEvent {
    fn stored_type(&self) -> &'static str {
        match self {
            Self::Made { .. } => "card.made",
            Self::Renamed { .. } => "card.renamed",
            Self::Moved { .. } => "card.moved",
            Self::Used { .. } => "card.used",
        }
    }

    fn schema_version(stored_type: &str) -> i16 {
        if stored_type == "card.made" { 2 } else { 1 }
    }

    fn upcast(_type: &str, _from: i16, mut data: Value) -> Result<Value, DecodeError> {
        data["name"] = data["title"].take();
        Ok(data)
    }
}

#[derive(Clone, Default)]
pub struct Card {
    agent: Option<AgentId>,
}

impl Aggregate for Card {
    const CATEGORY: &'static str = "card";
    type Id = String;
    type Command = CardEvent;
    type Event = CardEvent;
    type Refusal = Never;
    fn decide(&self, command: CardEvent, _now: Timestamp) -> Result<Vec<CardEvent>, Never> {
        Ok(vec![command])
    }
    fn evolve(&mut self, event: &CardEvent) {
        if let CardEvent::Made { agent, .. } | CardEvent::Moved { agent } = event {
            self.agent = Some(*agent);
        }
    }
    fn owner(&self) -> DataOwner {
        self.agent.map_or(DataOwner::PLATFORM, DataOwner::of_agent)
    }
}

struct People;

impl AuditSchema for People {
    fn category(&self) -> &'static str {
        "operator"
    }
    fn label(&self) -> &'static str {
        "平台用户"
    }
    fn actions(&self) -> Vec<Action> {
        vec![Action { stored_type: "operator.registered", label: "新增平台用户" }]
    }
    fn fields(&self) -> &'static [Field] {
        &[Field { key: "name", label: "姓名", text: Text::Plain }]
    }
    fn fold(&self, state: &mut Fields, event: &Recorded) -> Result<(), DecodeError> {
        fold::<PersonEvent>(state, event)
    }
    fn called_by(&self) -> &'static [&'static str] {
        &["name", "phone"]
    }
    fn name(&self, state: &Fields) -> String {
        state.get("name").map(mask::plain).and_then(Value::as_str).unwrap_or_default().to_owned()
    }
    fn phone(&self, state: &Fields) -> Option<String> {
        state.get("phone").and_then(Value::as_str).map(str::to_owned)
    }
}

struct Cards;

impl AuditSchema for Cards {
    fn category(&self) -> &'static str {
        "card"
    }
    fn label(&self) -> &'static str {
        "卡"
    }
    fn actions(&self) -> Vec<Action> {
        vec![
            Action { stored_type: "card.made", label: "制卡" },
            Action { stored_type: "card.renamed", label: "改名" },
            Action { stored_type: "card.used", label: "用卡" },
        ]
    }
    fn fields(&self) -> &'static [Field] {
        &[
            Field { key: "name", label: "卡名", text: Text::Plain },
            Field { key: "secret", label: "密钥", text: Text::Hidden },
            Field { key: "agent", label: "代理", text: Text::Plain },
            Field { key: "place", label: "地点", text: Text::Plain },
        ]
    }
    fn fold(&self, state: &mut Fields, event: &Recorded) -> Result<(), DecodeError> {
        fold::<CardEvent>(state, event)
    }
    fn name(&self, state: &Fields) -> String {
        state.get("name").and_then(Value::as_str).unwrap_or_default().to_owned()
    }
}

fn fold<E: Event>(state: &mut Fields, event: &Recorded) -> Result<(), DecodeError> {
    let event = serde_json::to_value(event.decode::<E>()?).expect("an event is JSON");
    if let Value::Object(data) = mask::marked(event["data"].clone()) {
        state.extend(data);
    }
    Ok(())
}

pub struct TestRuntime {
    pub database_url: String,
    pub runtime: Runtime,
    pub projectors: Projectors,
    pub schemas: Arc<AuditSchemas>,
    pub clock: Arc<FixedClock>,
    running: tokio::task::JoinHandle<()>,
    _database: TestDatabase,
    _services: Services,
}

impl Drop for TestRuntime {
    fn drop(&mut self) {
        self.runtime.close();
        self.running.abort();
    }
}

/// A process of the system.
pub async fn open(url: &str, clock: Arc<FixedClock>) -> Runtime {
    let pools = Pools::connect(url, SIZES).await.unwrap();
    let ids = Arc::new(Snowflake::new(SystemClock, 1));
    Runtime::open(Foundation::new(pools, MasterKey::new([7; 32]), clock, ids)).await.unwrap()
}

impl TestRuntime {
    /// With 王芳 in it, who acts.
    pub async fn new() -> Self {
        let services = Services::start().await;
        let database = services.migrated(&MIGRATIONS).await;
        let clock = Arc::new(FixedClock::at(NOW));
        let runtime = open(&database.url, clock.clone()).await;
        let categories = &["operator", "machine", "card", "access-record"];
        let schemas = Arc::new(AuditSchemas::new(categories, vec![Arc::new(People), Arc::new(Cards)]));
        let projectors = Projectors::new(runtime.clone(), audit::projectors(&runtime, Arc::clone(&schemas)));
        let run = projectors.clone();
        let running = tokio::spawn(async move { run.run().await });
        let database_url = database.url.clone();
        let this = Self {
            database_url,
            runtime,
            projectors,
            schemas,
            clock,
            running,
            _database: database,
            _services: services,
        };
        let name = Personal::new(format!("operator:{WANG}"), "王芳".to_owned());
        let registered = PersonEvent::Registered { name, phone: "13812348888".to_owned() };
        let rule = CommandContext::of_system("test", NOW);
        this.runtime.desk.execute::<Person>(&WANG, registered, &rule).await.unwrap();
        this
    }

    /// What a machine client does.
    pub fn by_app(&self) -> CommandContext {
        CommandContext { actor: Actor::Machine { id: APP }, trace_id: "trace-2".to_owned(), ..self.by_wang() }
    }

    /// What 王芳 does at her desk.
    pub fn by_wang(&self) -> CommandContext {
        CommandContext {
            actor: Actor::Operator { id: WANG },
            trace_id: "trace-1".to_owned(),
            client_address: Some("192.0.2.7".to_owned()),
            request_id: Some(RequestId(format!("o{WANG}:{}", self.runtime.ids.next_id()))),
            ..CommandContext::of_system("", vocabulary::Clock::now(&*self.clock))
        }
    }

    /// Does it to a card as `ctx` says, a second after what was done before.
    pub async fn card(&self, id: &str, event: CardEvent, ctx: CommandContext) -> Position {
        self.clock.advance(1000);
        let ctx = CommandContext { now: vocabulary::Clock::now(&*self.clock), ..ctx };
        self.runtime.desk.execute::<Card>(&id.to_owned(), event, &ctx).await.unwrap().position
    }

    pub async fn make(&self, id: &str, agent: i64, name: &str) -> Position {
        let made =
            CardEvent::Made { agent: AgentId(agent), name: name.to_owned(), secret: "geheim".to_owned() };
        self.card(id, made, self.by_wang()).await
    }

    pub async fn rename(&self, id: &str, name: &str) -> Position {
        self.card(id, CardEvent::Renamed { name: name.to_owned() }, self.by_wang()).await
    }

    /// A machine uses a card.
    pub async fn used(&self, id: &str, place: &str) -> Position {
        self.card(id, CardEvent::Used { place: place.to_owned() }, self.by_app()).await
    }

    /// A machine gives a card another name.
    pub async fn renamed_by_app(&self, id: &str, name: &str) -> Position {
        self.card(id, CardEvent::Renamed { name: name.to_owned() }, self.by_app()).await
    }

    /// A read that sees everything done so far.
    pub async fn read(&self, scope: &Scope) -> kernel::ReadTx {
        let head = self.runtime.reader.head().await.unwrap();
        let db = self.runtime.reads.scoped(scope, Some(head), &["audit"]).await.unwrap();
        assert!(db.caught_up(), "the projector keeps up");
        db
    }
}

/// Sees one agent.
pub fn agent(id: i64) -> Scope {
    Scope::of(Reach::only([AgentId(id)]), Reach::All)
}
