//! Who owes is reminded by day, once for each time that is due, as often as his area says, by what it says.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use geofence::judge::ReturnClass;
use kernel::{
    CommandContext, Foundation, MIGRATIONS, MasterKey, Personal, PoolSizes, Pools, Position, Projectors,
    Runtime,
};
use riding::app::reminding::remind_due;
use riding::model::billing::Billing;
use riding::model::config::{ConfigAct, ConfigCommand, PayConfig, Place};
use riding::model::fare::{Benefits, Left, Ridden, fare};
use riding::model::order::{End, EndKind, Evidence, Opened, Order, OrderCommand, PayState, Pricing, Share};
use riding::model::pay_rules::{PayRules, RemindWay};
use riding::model::rider::{RegisterChannel, Registration, Rider, RiderCommand};
use riding::ports::{Messages, PortError};
use testkit::{Services, TestDatabase};
use vocabulary::{
    AgentId, AreaId, Clock, Day, FixedClock, Phone, RideOrderId, RiderId, Scope, Snowflake, SystemClock,
    Timestamp,
};

const SIZES: PoolSizes = PoolSizes { owner: 2, app: 6, projector: 4, feed: 2 };
/// Noon of a day in Shanghai.
const NOON: Timestamp = Day(20_833).hour(12);
const HOUR_MS: i64 = 3_600_000;
/// Has rules of its own.
const STRICT: AreaId = AreaId(20);
const USUAL: AreaId = AreaId(21);

/// What left for phones, and whether the provider is there.
#[derive(Default)]
struct Sent {
    texts: Mutex<Vec<(String, String)>>,
    away: Mutex<bool>,
}

impl Sent {
    fn take(&self) -> Vec<(String, String)> {
        std::mem::take(&mut self.texts.lock().unwrap())
    }
}

#[async_trait]
impl Messages for Sent {
    async fn send(&self, phone: &Phone, text: &str) -> Result<(), PortError> {
        if *self.away.lock().unwrap() {
            return Err("away".into());
        }
        self.texts.lock().unwrap().push((phone.to_string(), text.to_owned()));
        Ok(())
    }
}

struct System {
    runtime: Runtime,
    sent: Sent,
    _database: TestDatabase,
}

fn at(now: Timestamp) -> CommandContext {
    CommandContext::of_system("test", now)
}

impl System {
    async fn start(services: &Services) -> Self {
        let database = services.migrated(&MIGRATIONS).await;
        let pools = Pools::connect(&database.url, SIZES).await.unwrap();
        let clock: Arc<dyn Clock> = Arc::new(FixedClock::at(NOON));
        let ids = Arc::new(Snowflake::new(SystemClock, 1));
        let runtime =
            Runtime::open(Foundation::new(pools, MasterKey::new([7; 32]), clock, ids)).await.unwrap();
        let projectors = Projectors::new(runtime.clone(), riding::projectors());
        tokio::spawn(async move { projectors.run().await });
        Self { runtime, sent: Sent::default(), _database: database }
    }

    /// The rules of the strict area.
    async fn says(&self, rules: PayRules) {
        let of = Place { area_id: STRICT, agent_id: AgentId(2) };
        let act = ConfigAct::Set { said: rules, from: None, note: "催缴".to_owned() };
        let ctx = at(NOON.plus_millis(-100 * HOUR_MS));
        self.runtime.desk.execute::<PayConfig>(&STRICT, ConfigCommand { of, act }, &ctx).await.unwrap();
    }

    /// A rider's ride of 4 yuan that ended then.
    async fn owes(&self, id: i64, area_id: AreaId, ended: Timestamp) -> RideOrderId {
        let (desk, order_id, rider_id) = (&self.runtime.desk, RideOrderId(id), RiderId(id));
        let registration = Registration {
            rider_id,
            agent_id: AgentId(2),
            area_id,
            channel: RegisterChannel::App,
            phone: Personal::new(format!("rider:{id}"), format!("1380000{id:04}").parse().unwrap()),
            phone_key: format!("p{id}"),
        };
        let begun = ended.plus_millis(-30 * 60_000);
        desk.execute::<Rider>(&rider_id, RiderCommand::Register(registration), &at(begun)).await.unwrap();
        let opened = Opened {
            order_id,
            rider_id,
            car_id: format!("W{id}"),
            imei: "860000000000001".to_owned(),
            agent_id: AgentId(2),
            area_id,
            place: None,
            rider_place: None,
        };
        let end = End {
            at: ended,
            kind: EndKind::Rider,
            place: None,
            distance_m: 2_000,
            class: ReturnClass::Parked,
            fence: None,
            certainty_percent: 100,
            evidence: Evidence::default(),
        };
        let ridden = Ridden { start_at: begun, end_at: ended, distance_m: 2_000 };
        let receipt = fare(&Billing::default(), &ridden, &Left::Well, false, &Benefits::default());
        let pricing = Pricing {
            billing_version: 0,
            ridden,
            left: Left::Well,
            helmet_missing: false,
            benefits: Benefits::default(),
            receipt,
        };
        for (now, command) in [
            (begun, OrderCommand::Unlock { opened, billing_version: 0 }),
            (begun, OrderCommand::Begin),
            (ended, OrderCommand::Return(end)),
            (ended, OrderCommand::Price(pricing)),
        ] {
            desk.execute::<Order>(&order_id, command, &at(now)).await.unwrap();
        }
        order_id
    }

    /// What a round at `now` reminds of, once everything is read.
    async fn round(&self, now: Timestamp) -> usize {
        let db = self.runtime.reads.scoped(&Scope::ALL, Some(Position(i64::MAX)), &["ride_order"]).await;
        assert!(db.unwrap().caught_up(), "the table is up to date");
        remind_due(&self.runtime, &self.sent, now).await.unwrap()
    }

    async fn count(&self, order: RideOrderId) -> u16 {
        self.runtime.desk.load::<Order>(&order).await.unwrap().state.reminders().count
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_owes_is_reminded_when_it_is_due_by_day_and_no_more_often_than_his_area_says() {
    let services = Services::start().await;
    let system = System::start(&services).await;
    // By SMS every two hours, twice; elsewhere what is usual: by his program, once a day.
    let rules = PayRules {
        remind_interval_h: 2,
        reminders_max: 2,
        remind_way: RemindWay::Sms,
        ..PayRules::default()
    };
    let desk = &system.runtime.desk;
    system.says(rules).await;
    let owing = system.owes(1, STRICT, NOON.plus_millis(-HOUR_MS)).await;
    let usual = system.owes(2, USUAL, NOON.plus_millis(-HOUR_MS)).await;
    let after = |hours: i64| NOON.plus_millis(hours * HOUR_MS);

    assert_eq!(system.round(after(0)).await, 0, "nothing is due yet");
    // Two processes at once remind once.
    let two = tokio::join!(system.round(after(1)), system.round(after(1)));
    assert_eq!((two.0 + two.1, system.count(owing).await, system.count(usual).await), (1, 1, 0));
    let texts = system.sent.take();
    let [(phone, text)] = texts.as_slice() else { panic!("{texts:?}") };
    assert_eq!(phone, "13800000001");
    assert!(text.contains("2027-01-15") && text.contains("4.00 元"), "{text}");
    assert_eq!(system.round(after(2)).await, 0, "two hours are not over");
    // It would be due at three, is not looked at before eleven at night, and comes in the morning.
    for night in [after(10), after(11), after(19)] {
        assert_eq!(system.round(night).await, 0, "nobody is reminded by night");
    }
    assert_eq!(system.round(after(20)).await, 1);
    assert_eq!((system.sent.take().len(), system.count(owing).await), (1, 2));
    // Twice are all; the other one is reminded by his program, without a message.
    assert_eq!(system.round(after(24)).await, 1);
    assert_eq!((system.count(owing).await, system.count(usual).await), (2, 1));
    assert!(system.sent.take().is_empty());
    let share = Share { recharge_cents: 400, present_cents: 0, third_cents: 0 };
    let pay = OrderCommand::Pay { share, channel: 0, payment: None };
    desk.execute::<Order>(&usual, pay, &at(after(25))).await.unwrap();
    assert_eq!(system.round(after(72)).await, 0, "who has paid is left alone");
    let mut db =
        system.runtime.reads.scoped(&Scope::ALL, Some(Position(i64::MAX)), &["ride_order"]).await.unwrap();
    let shown: Vec<(i64, i16, Option<i64>, Option<i16>)> = sqlx::query_as(
        "select order_id, reminders, reminded_at_ms, remind_way from read.ride_order order by order_id",
    )
    .fetch_all(&mut *db)
    .await
    .unwrap();
    assert_eq!(
        shown,
        [(1, 2, Some(after(20).millis()), Some(1)), (2, 1, Some(after(24).millis()), Some(0))],
        "lists show how often, when and how"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_does_not_leave_is_never_sent_twice_and_ends_the_round() {
    let services = Services::start().await;
    let system = System::start(&services).await;
    let rules = PayRules { remind_interval_h: 1, remind_way: RemindWay::Sms, ..PayRules::default() };
    system.says(rules).await;
    let mut orders = Vec::new();
    for id in 1..=3 {
        orders.push(system.owes(id, STRICT, NOON.plus_millis(-5 * HOUR_MS)).await);
    }
    *system.sent.away.lock().unwrap() = true;
    assert_eq!(system.round(NOON).await, 1, "the provider is away: the others wait");
    *system.sent.away.lock().unwrap() = false;
    assert_eq!(system.round(NOON.plus_millis(60_000)).await, 2);
    let texts = system.sent.take();
    assert_eq!(texts.len(), 2, "what was written down as sent is not sent again: {texts:?}");
    for order in orders {
        assert_eq!(system.count(order).await, 1);
        let state = system.runtime.desk.load::<Order>(&order).await.unwrap().state;
        assert_eq!(state.state(), PayState::Unpaid);
    }
}
