//! A log of a test's own, with the fleet's commands in it.

use std::sync::Arc;

use fleet::model::command::{CommandCommand, CommandKind, DeviceCommandState, Order};
use fleet::model::device::Imei;
use fleet::model::vehicle::CarId;
use kernel::{
    CommandContext, Foundation, MIGRATIONS, MasterKey, PoolSizes, Pools, Position, Recorded, Runtime,
};
use testkit::{Services, TestDatabase};
use vocabulary::{AgentId, AreaId, Clock, CommandId, FixedClock, Snowflake, SystemClock, Timestamp};

pub const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
pub const IMEI: &str = "860000000000001";
const SIZES: PoolSizes = PoolSizes { owner: 2, app: 6, projector: 4, feed: 2 };

pub struct TestRuntime {
    pub runtime: Runtime,
    pub clock: Arc<FixedClock>,
    _database: TestDatabase,
    _services: Services,
}

impl Drop for TestRuntime {
    fn drop(&mut self) {
        self.runtime.close();
    }
}

impl TestRuntime {
    pub async fn new() -> Self {
        let services = Services::start().await;
        let database = services.migrated(&MIGRATIONS).await;
        let pools = Pools::connect(&database.url, SIZES).await.unwrap();
        let clock = Arc::new(FixedClock::at(NOW));
        let ids = Arc::new(Snowflake::new(SystemClock, 1));
        let master = MasterKey::new([7; 32]);
        let foundation = Foundation::new(pools, master, clock.clone() as Arc<dyn Clock>, ids);
        let runtime = Runtime::open(foundation).await.unwrap();
        Self { runtime, clock, _database: database, _services: services }
    }

    pub async fn tell(&self, id: i64, command: CommandCommand, at: Timestamp) {
        let ctx = CommandContext::of_system("test", at);
        self.runtime.desk.execute::<DeviceCommandState>(&CommandId(id), command, &ctx).await.unwrap();
    }

    /// Asks for an unlock now; the event.
    pub async fn unlock(&self, id: i64) -> Recorded {
        self.ask(id, CommandKind::Unlock, None).await
    }

    /// Asks for a command now; the event.
    pub async fn ask(&self, id: i64, kind: CommandKind, wait_minutes: Option<i64>) -> Recorded {
        let order = Order {
            command_id: CommandId(id),
            car_id: CarId::try_from("B1".to_owned()).unwrap(),
            imei: Imei::try_from(IMEI.to_owned()).unwrap(),
            agent_id: AgentId(2),
            area_id: AreaId(20),
            kind,
            reason: "巡检".to_owned(),
            by: "值班员".to_owned(),
            wait_minutes,
            package: None,
        };
        self.tell(id, CommandCommand::Request(order), self.clock.now()).await;
        self.events_of(id).await.remove(0)
    }

    pub async fn events_of(&self, id: i64) -> Vec<Recorded> {
        let head: i64 = sqlx::query_scalar("select coalesce(max(position), 0) from log.events")
            .fetch_one(&self.runtime.pools.owner)
            .await
            .unwrap();
        let all = self.runtime.reader.read_between(Position(0), Position(head)).await.unwrap();
        all.into_iter().filter(|event| event.stream_id == id.to_string()).collect()
    }

    /// What the log says happened to a command.
    pub async fn story(&self, id: i64) -> Vec<String> {
        let what = |event: Recorded| event.stored_type.trim_start_matches("device-command.").to_owned();
        self.events_of(id).await.into_iter().map(what).collect()
    }
}
