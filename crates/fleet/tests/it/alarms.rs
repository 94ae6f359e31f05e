//! Alarm tickets from the log: what rings, rings again, is taken on, settled and escalated.

use fleet::escalation::escalate;
use fleet::model::alarm::{AGAIN_MS, FalseAlarmCause, TicketState};
use fleet::model::region::AlarmState;
use fleet::model::vehicle::{CarId, Registration, Vehicle, VehicleCommand};
use fleet::read::alarm_tickets::{self, AlarmTicketRow, AlarmTickets};
use kernel::{CommandContext, CommandError, Personal, Position, Projector, Recorded};
use vocabulary::{AgentId, AreaId, Clock, Reach, Scope, Wgs84};

use crate::runtime::TestRuntime;

const MINUTE_MS: i64 = 60_000;
const EVIDENCE: &str = r#"{"at":5,"lat":24.5,"lng":118.1,"socPercent":61,"distanceM":84.0}"#;

struct Scene {
    at: TestRuntime,
    car: CarId,
}

impl Scene {
    async fn new() -> Self {
        let it = Self { at: TestRuntime::new().await, car: CarId::try_from("B1".to_owned()).unwrap() };
        let registration = Registration {
            car_id: it.car.clone(),
            plate_no: String::new(),
            agent_id: AgentId(2),
            area_id: AreaId(20),
        };
        let (imei, place) = ("860000000000001".to_owned(), Wgs84::new(24.5, 118.1).unwrap());
        it.tell(VehicleCommand::Enrol { registration, imei, place, place_in_area: true }).await.unwrap();
        it
    }

    async fn tell(
        &self,
        command: VehicleCommand,
    ) -> Result<(), CommandError<<Vehicle as kernel::Aggregate>::Refusal>> {
        let ctx = CommandContext::of_system("test", self.at.clock.now());
        self.at.runtime.desk.execute::<Vehicle>(&self.car, command, &ctx).await.map(|_| ())
    }

    async fn rings(&self, alarm: AlarmState) {
        self.tell(VehicleCommand::RaiseAlarm { alarm, evidence: EVIDENCE.to_owned() }).await.unwrap();
    }

    async fn stops(&self, alarm: AlarmState) {
        self.tell(VehicleCommand::ClearAlarm { alarm, evidence: String::new() }).await.unwrap();
    }

    fn after(&self, ms: i64) {
        self.at.clock.advance(ms);
    }

    async fn events(&self) -> Vec<Recorded> {
        let head: i64 = sqlx::query_scalar("select coalesce(max(position), 0) from log.events")
            .fetch_one(&self.at.runtime.pools.owner)
            .await
            .unwrap();
        self.at.runtime.reader.read_between(Position(0), Position(head)).await.unwrap()
    }

    /// The table from the whole log, so many events at a time.
    async fn built(&self, at_once: usize) -> Vec<AlarmTicketRow> {
        let pools = &self.at.runtime.pools;
        sqlx::raw_sql("truncate read.alarm_ticket").execute(&pools.owner).await.unwrap();
        let mut db = pools.projector.acquire().await.unwrap();
        sqlx::raw_sql("set search_path to read").execute(&mut *db).await.unwrap();
        for some in self.events().await.chunks(at_once) {
            AlarmTickets.apply(&mut db, some).await.unwrap();
        }
        drop(db);
        self.seen(&Scope::ALL).await
    }

    async fn seen(&self, scope: &Scope) -> Vec<AlarmTicketRow> {
        let mut db = self.at.runtime.reads.scoped(scope, None, &[]).await.unwrap();
        alarm_tickets::list(scope).rows(&mut db, 100).await.unwrap()
    }
}

fn by() -> Personal<String> {
    Personal::new("operator:7", "李值班".to_owned())
}

#[tokio::test]
async fn what_rings_again_soon_is_the_same_ticket_and_later_another_one() {
    let it = Scene::new().await;
    for pause_ms in [AGAIN_MS, AGAIN_MS + 1, 0] {
        it.rings(AlarmState::OutOfArea).await;
        it.after(MINUTE_MS);
        it.stops(AlarmState::OutOfArea).await;
        it.after(pause_ms);
    }
    it.rings(AlarmState::AbnormalMove).await;
    let rows = it.built(1).await;
    let told = |rows: &[AlarmTicketRow]| {
        rows.iter().map(|row| (row.kind.number(), row.times, row.number, row.state)).collect::<Vec<_>>()
    };
    assert_eq!(
        told(&rows),
        [(2, 1, 1, TicketState::Open), (3, 1, 3, TicketState::Recovered), (3, 2, 2, TicketState::Recovered),]
    );
    let first = &rows[2];
    assert_eq!((first.lat, first.soc_percent, first.distance_m), (Some(24.5), Some(61), Some(84.0)));
    assert!(first.last_at > first.first_at && first.ended_by.is_empty());
    // However many events come at once, the table is the same.
    let at_once = it.built(1_000).await;
    assert_eq!(format!("{at_once:?}"), format!("{rows:?}"));
    // Another agent's people see nothing of it.
    let other = Scope::of(Reach::only([AgentId(3)]), Reach::All);
    assert!(it.seen(&other).await.is_empty());
    let own = Scope::of(Reach::only([AgentId(2)]), Reach::only([AreaId(20)]));
    assert_eq!(it.seen(&own).await.len(), 3);
}

#[tokio::test]
async fn people_take_alarms_on_and_say_what_came_of_them() {
    let it = Scene::new().await;
    it.rings(AlarmState::Silent).await;
    it.rings(AlarmState::AbnormalMove).await;
    let take = |alarm, number| VehicleCommand::AcknowledgeAlarm { alarm, number, by: by() };
    it.tell(take(AlarmState::Silent, 1)).await.unwrap();
    it.after(MINUTE_MS);
    let cause = Some(FalseAlarmCause::Sensor);
    let settle = |alarm, cause, note: &str| VehicleCommand::SettleAlarm {
        alarm,
        number: 1,
        cause,
        note: note.to_owned(),
        by: by(),
    };
    it.tell(settle(AlarmState::Silent, cause, "")).await.unwrap();
    it.tell(settle(AlarmState::AbnormalMove, None, " 已找回 ")).await.unwrap();
    it.after(MINUTE_MS);
    it.stops(AlarmState::Silent).await;
    let rows = it.built(1).await;
    let [moved, silent] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!(
        (silent.state, silent.cause, silent.acknowledged_by.as_str()),
        (TicketState::FalseAlarm, cause, "李值班")
    );
    assert_eq!(
        (moved.state, moved.note.as_str(), moved.ended_by.as_str()),
        (TicketState::Handled, "已找回", "李值班")
    );
    assert!(
        silent.ended_at < Some(it.at.clock.now().millis()),
        "its recovery came after what was said of it"
    );
}

#[tokio::test]
async fn what_nobody_takes_on_in_time_is_escalated_once() {
    let it = Scene::new().await;
    it.rings(AlarmState::AbnormalMove).await;
    it.rings(AlarmState::NoStopZone).await;
    it.built(10).await;
    let look = async || escalate(&it.at.runtime, it.at.clock.now()).await.unwrap();
    it.after(5 * MINUTE_MS);
    assert_eq!(look().await, 0, "five minutes are left to people");
    it.after(1);
    assert_eq!(look().await, 1);
    let escalated: Vec<bool> = it.built(10).await.iter().map(|row| row.is_escalated).collect();
    assert_eq!(escalated, [false, true], "a bike in a no-stop zone waits for the next round");
    it.after(60 * MINUTE_MS);
    assert_eq!(look().await, 0, "once");
    it.stops(AlarmState::AbnormalMove).await;
    it.rings(AlarmState::AbnormalMove).await;
    let again = it.built(10).await.remove(1);
    assert_eq!((again.times, again.is_escalated, look().await), (2, false, 0), "its time begins anew");
}

#[tokio::test]
async fn an_area_says_how_long_people_have() {
    let it = Scene::new().await;
    let said = |minutes: i64| format!(r#"{{"escalateUrgentMin": {minutes}, "escalateImportantMin": 30}}"#);
    let publish = async |number: i64, minutes: i64, counts: &str| {
        sqlx::query(
            "insert into read.config_version (kind, area_id, number, agent_id, content, note, from_at_ms, published_at_ms,
                 withdrawn, counts) values ('alarm-config', 20, $1, 2, $2::jsonb, '', 0, 0, false, $3::int8multirange)",
        )
        .bind(number)
        .bind(said(minutes))
        .bind(counts)
        .execute(&it.at.runtime.pools.owner)
        .await
        .unwrap();
    };
    let now = it.at.clock.now().millis();
    // One that counted until a moment ago, and the one that does.
    publish(1, 1, &format!("{{[0,{now})}}")).await;
    publish(2, 8, &format!("{{[{now},)}}")).await;
    it.rings(AlarmState::AbnormalMove).await;
    it.built(10).await;
    let look = async || escalate(&it.at.runtime, it.at.clock.now()).await.unwrap();
    it.after(6 * MINUTE_MS);
    assert_eq!(look().await, 0, "its area gives eight minutes");
    it.after(2 * MINUTE_MS + 1);
    assert_eq!(look().await, 1);
}
