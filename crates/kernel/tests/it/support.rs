//! A system on a database of its own, and an aggregate small enough to see through.

use std::sync::Arc;

use kernel::aggregate::{Aggregate, Claim, Event, Refusal};
use kernel::{
    CommandContext, Foundation, MIGRATIONS, MasterKey, Personal, PoolSizes, Pools, RequestId, Runtime,
};
use serde::{Deserialize, Serialize};
use sqlx::Executor;
use testkit::{Services, TestDatabase};
use vocabulary::{AgentId, AreaId, Clock, DataOwner, FixedClock, Scope, Snowflake, SystemClock, Timestamp};

pub const MASTER: [u8; 32] = [7; 32];
pub const SIZES: PoolSizes = PoolSizes { owner: 4, app: 8, projector: 6, feed: 2 };

/// What a test holds so that its servers stay up.
pub struct Standing {
    pub runtime: Runtime,
    pub database: TestDatabase,
    _services: Services,
}

/// A migrated database.
pub async fn database() -> (Services, TestDatabase) {
    let services = Services::start().await;
    let database = services.migrated(&MIGRATIONS).await;
    (services, database)
}

pub async fn runtime() -> Standing {
    let (services, database) = database().await;
    let runtime = runtime_at(&database.url).await;
    Standing { runtime, database, _services: services }
}

/// Another process on the same database, as far as the log can tell.
pub async fn runtime_at(url: &str) -> Runtime {
    Runtime::open(foundation_at(url).await).await.expect("the system opens")
}

pub async fn foundation_at(url: &str) -> Foundation {
    let pools = Pools::connect(url, SIZES).await.expect("PostgreSQL answers");
    let clock: Arc<dyn Clock> = Arc::new(FixedClock::at(now()));
    let ids = Arc::new(Snowflake::new(SystemClock, 1));
    Foundation::new(pools, MasterKey::new(MASTER), clock, ids)
}

pub const fn now() -> Timestamp {
    Timestamp::from_millis(1_790_000_000_000)
}

pub fn ctx() -> CommandContext {
    CommandContext::of_system("test", now())
}

pub fn request(id: &str, fingerprint: u8, reply: serde_json::Value) -> CommandContext {
    CommandContext {
        request_id: Some(RequestId(id.to_owned())),
        fingerprint: [fingerprint; 32],
        reply,
        ..ctx()
    }
}

pub fn within(scope: Scope) -> CommandContext {
    CommandContext { scope, ..ctx() }
}

pub fn here() -> DataOwner {
    DataOwner::of_area(AgentId(2), AreaId(20))
}

/// A stall on the market, with a name that no other has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stall {
    pub open: bool,
    pub name: String,
    pub sold: i64,
    pub owner: DataOwner,
    pub keeper: Option<Personal<String>>,
}

#[derive(Clone, Debug)]
pub enum StallCommand {
    Open { name: String, owner: DataOwner },
    Sell(i64),
    Rename(String),
    Hire(Personal<String>),
    Close,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data")]
pub enum StallEvent {
    #[serde(rename = "stall.opened")]
    Opened { name: String, owner: DataOwner },
    #[serde(rename = "stall.sold")]
    Sold { count: i64, unit: String },
    #[serde(rename = "stall.renamed")]
    Renamed { name: String },
    #[serde(rename = "stall.hired")]
    Hired { keeper: Personal<String> },
    #[serde(rename = "stall.closed")]
    Closed,
}

impl Event for StallEvent {
    fn stored_type(&self) -> &'static str {
        match self {
            Self::Opened { .. } => "stall.opened",
            Self::Sold { .. } => "stall.sold",
            Self::Renamed { .. } => "stall.renamed",
            Self::Hired { .. } => "stall.hired",
            Self::Closed => "stall.closed",
        }
    }

    fn schema_version(stored_type: &str) -> i16 {
        if stored_type == "stall.sold" { 3 } else { 1 }
    }

    fn upcast(
        stored_type: &str,
        from_version: i16,
        mut data: serde_json::Value,
    ) -> Result<serde_json::Value, kernel::DecodeError> {
        match (stored_type, from_version) {
            // Version 1 counted under another name; version 2 had no unit.
            ("stall.sold", 1) => Ok(serde_json::json!({ "count": data["amount"] })),
            ("stall.sold", 2) => {
                data["unit"] = "piece".into();
                Ok(data)
            }
            _ => Err(kernel::DecodeError::NoUpcaster {
                stored_type: stored_type.to_owned(),
                version: from_version,
            }),
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub enum StallRefusal {
    NotOpen,
    NameTaken,
}

impl Refusal for StallRefusal {
    fn code(&self) -> &'static str {
        match self {
            Self::NotOpen => "stall-not-open",
            Self::NameTaken => "stall-name-taken",
        }
    }

    fn message(&self) -> String {
        "摊位".to_owned()
    }
}

impl Aggregate for Stall {
    const CATEGORY: &'static str = "stall";
    type Id = String;
    type Command = StallCommand;
    type Event = StallEvent;
    type Refusal = StallRefusal;

    fn decide(&self, command: StallCommand, _now: Timestamp) -> Result<Vec<StallEvent>, StallRefusal> {
        match (self.open, command) {
            (false, StallCommand::Open { name, owner }) => Ok(vec![StallEvent::Opened { name, owner }]),
            (true, StallCommand::Open { .. }) | (false, StallCommand::Close) => Ok(vec![]),
            (true, StallCommand::Sell(count)) => {
                Ok(vec![StallEvent::Sold { count, unit: "piece".to_owned() }])
            }
            (true, StallCommand::Rename(name)) => Ok(vec![StallEvent::Renamed { name }]),
            (true, StallCommand::Hire(keeper)) => Ok(vec![StallEvent::Hired { keeper }]),
            (true, StallCommand::Close) => Ok(vec![StallEvent::Closed]),
            (false, _) => Err(StallRefusal::NotOpen),
        }
    }

    fn evolve(&mut self, event: &StallEvent) {
        match event {
            StallEvent::Opened { name, owner } => {
                *self = Self { open: true, name: name.clone(), owner: *owner, ..Self::default() };
            }
            StallEvent::Sold { count, .. } => self.sold += count,
            StallEvent::Renamed { name } => self.name.clone_from(name),
            StallEvent::Hired { keeper } => self.keeper = Some(keeper.clone()),
            StallEvent::Closed => self.open = false,
        }
    }

    fn owner(&self) -> DataOwner {
        self.owner
    }

    fn claims(&self, event: &StallEvent) -> Vec<Claim<StallRefusal>> {
        let take =
            |name: &String| Claim::Take { key: format!("stall:{name}"), refusal: StallRefusal::NameTaken };
        let release = |name: &String| Claim::Release { key: format!("stall:{name}") };
        match event {
            StallEvent::Opened { name, .. } => vec![take(name)],
            StallEvent::Renamed { name } => vec![release(&self.name), take(name)],
            StallEvent::Closed => vec![release(&self.name)],
            StallEvent::Sold { .. } | StallEvent::Hired { .. } => vec![],
        }
    }
}

pub fn open(name: &str) -> StallCommand {
    StallCommand::Open { name: name.to_owned(), owner: here() }
}

/// Opens a stall of its own name.
pub async fn open_stall(runtime: &Runtime, id: &str) {
    runtime.desk.execute::<Stall>(&id.to_owned(), open(id), &ctx()).await.expect("the stall opens");
}

/// Does what only somebody with the owner's rights could do. The system has seen the head before: an event that it took
/// for the head may not change, or it stops.
pub async fn owners_slip(runtime: &Runtime, sql: &'static str) {
    runtime.tail.refresh(&runtime.pools.app).await.unwrap();
    let mut owner = runtime.pools.owner.acquire().await.unwrap();
    owner.execute("set wheelhouse.maintenance = 'on'").await.unwrap();
    let mut transaction = sqlx::Connection::begin(&mut *owner).await.unwrap();
    transaction.execute(sql).await.unwrap();
    transaction.commit().await.unwrap();
    owner.execute("reset wheelhouse.maintenance").await.unwrap();
}

/// Waits until something is so; panics with `what` when it is not within half a minute.
pub async fn eventually(what: &str, mut so: impl AsyncFnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !so().await {
        assert!(begun.elapsed() < std::time::Duration::from_secs(30), "not in time: {what}");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}
