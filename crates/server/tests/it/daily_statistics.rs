//! 每日统计 over HTTP: what was ridden, paid, given back and paid a day later, against a plain recomputation of the log's own
//! events; closed days stay, a rebuild says the same, and everybody sees his own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use fleet::model::vehicle::{Registration, Vehicle, VehicleCommand};
use kernel::{CommandContext, Foundation, MasterKey, PoolSizes, Pools, Runtime};
use ledger::{AccountKind, Book, BookCommand, Entry, Holder};
use riding::model::fare::Receipt;
use riding::model::money;
use riding::model::order::Share;
use serde_json::{Value, json};
use sqlx::PgPool;
use vocabulary::{
    AreaId, Clock, Day, PaymentId, RideOrderId, RiderId, Snowflake, SystemClock, Timestamp, Wgs84,
};

use crate::bike::Bike;
use crate::city::City;
use crate::client::{Browser, Machine};
use crate::exports::{lines, recorded, taken};
use crate::rider::Rider;
use crate::stack::{ADMIN, Node, Stack, eventually};
use crate::stream;

const DAILY: &str = "/report/daily";
const AREAS: &str = "/report/daily/areas";
const ENTRIES: &str = "/report/daily/entries";
const PATIENCE: Duration = Duration::from_mins(1);
const SIZES: PoolSizes = PoolSizes { owner: 2, app: 4, projector: 2, feed: 2 };
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("no number: {value}"))
}

/// So many days ago at an hour of Shanghai.
pub fn ago(days: i64, hour: f64) -> Timestamp {
    Day(Day::of(SystemClock.now()).0 - days).hour(0).plus_millis((hour * HOUR_MS as f64) as i64)
}

fn date(at: Timestamp) -> String {
    at.local()[..10].to_owned()
}

/// What a day comes to, counted one by one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counted {
    orders: i64,
    due: i64,
    paid: i64,
    arrears: i64,
    refunds: i64,
    revenue: i64,
    late: i64,
}

impl Counted {
    fn of_row(row: &Value) -> Self {
        let field = |name: &str| number(&row[name]);
        Self {
            orders: field("orders"),
            due: field("dueCents"),
            paid: field("paidCents"),
            arrears: field("arrearsCents"),
            refunds: field("refundsCents"),
            revenue: field("revenueCents"),
            late: field("lateEntries"),
        }
    }
}

/// The day of something: its own, or the first one whose two hours after midnight were not over when it was recorded.
fn day_of(at: i64, recorded: i64) -> (i64, bool) {
    let local = |at: i64| (at + 8 * HOUR_MS).div_euclid(DAY_MS);
    let closed = |day: i64| recorded >= (day + 1) * DAY_MS - 8 * HOUR_MS + 2 * HOUR_MS;
    let own = local(at);
    let mut day = own;
    while closed(day) {
        day += 1;
    }
    (day.min(local(recorded)), day > own)
}

/// Every day of an agent, of the log's own events: entries' postings by cause, and fares by their rides.
async fn recount(owner: &PgPool, agent: &str) -> BTreeMap<String, Counted> {
    let events: Vec<(String, String, String, i64)> = sqlx::query_as(
        "select type, data, meta, (extract(epoch from recorded_at) * 1000)::bigint from log.events
         where type in ('ledger-book.posted', 'ride-order.priced') order by position",
    )
    .fetch_all(owner)
    .await
    .unwrap();
    let mut rides: BTreeMap<String, i64> = BTreeMap::new();
    let mut days: BTreeMap<i64, Counted> = BTreeMap::new();
    for (kind, data, meta, recorded) in events {
        let (data, meta): (Value, Value) =
            (serde_json::from_str(&data).unwrap(), serde_json::from_str(&meta).unwrap());
        if meta["territory"]["agent"].to_string().trim_matches('"') != agent {
            continue;
        }
        if kind == "ride-order.priced" {
            let (day, _) = day_of(number(&data["pricing"]["ridden"]["end_at"]), recorded);
            days.entry(day).or_default().orders += 1;
            continue;
        }
        let (cause, which) = data["cause"].as_str().unwrap().split_once(':').unwrap();
        let order = which.split('-').next().unwrap().to_owned();
        let moved = |account: i64| -> i64 {
            let postings = data["postings"].as_array().unwrap().iter();
            postings
                .filter(|one| one["account"]["kind"] == account)
                .map(|one| number(&one["amount_cents"]))
                .sum()
        };
        let (channel, receivable, recharge, refund_due) = (moved(1), moved(2), moved(10), moved(13));
        let (mut day, late) = day_of(number(&data["at"]), recorded);
        if cause == "ride" {
            rides.insert(order.clone(), day);
        }
        let ridden = rides.get(&order).copied().filter(|_| cause.starts_with("ride")).unwrap_or(day);
        day = day.max(ridden);
        let counted = days.entry(day).or_default();
        counted.late += i64::from(late);
        match cause {
            "ride" => counted.due += receivable,
            "ride-lowered" if ridden == day => counted.due += receivable,
            "ride-paid" => {
                *if ridden == day { &mut counted.paid } else { &mut counted.arrears } -= receivable;
                counted.revenue += channel;
            }
            "top-up" | "card" | "card-unsold" => counted.revenue += channel,
            "ride-refund" | "card-refund" => counted.refunds -= refund_due,
            "going-back" => counted.refunds += recharge,
            "stayed" => counted.refunds += recharge,
            _ => {}
        }
    }
    let named = |(day, mut counted): (i64, Counted)| {
        counted.revenue -= counted.refunds;
        (Day(day).date().to_string(), counted)
    };
    days.into_iter().map(named).collect()
}

/// A city whose bikes are heard of, and a second runtime that records what happened on days that are over.
pub struct Scene {
    pub stack: Stack,
    pub node: Node,
    pub machine: Machine,
    pub city: City,
    pub lines: Vec<Bike>,
    pub admin: Browser,
    runtime: Runtime,
}

impl Scene {
    pub async fn build() -> Self {
        let (stack, node) = Stack::serving().await;
        let machine = Machine::new(&node.url, &stack.full_machine().await);
        let city = City::build(&machine, "D", 1, 1).await;
        let lines = city.on_line(&stack, &machine, (city.lat, city.lng)).await;
        let admin = Browser::signed_in(&node.url, ADMIN).await;
        let pools = Pools::connect(&stack.database_url(), SIZES).await.expect("PostgreSQL answers");
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let ids = Arc::new(Snowflake::new(SystemClock, 902));
        let runtime = Runtime::open(Foundation::new(pools, MasterKey::new([7; 32]), clock, ids)).await;
        let runtime = runtime.expect("a second runtime");
        Self { stack, node, machine, city, lines, admin, runtime }
    }

    fn area(&self) -> AreaId {
        self.city.area.parse().unwrap()
    }

    /// Books an entry that was recorded then.
    pub async fn book(&self, rider: &Rider, entry: Option<Entry>, recorded_at: Timestamp) {
        let holder = Holder::rider(RiderId(rider.id.parse().unwrap()));
        let ctx = CommandContext::of_system("test", recorded_at);
        let post = BookCommand::Post(entry.expect("something moves"));
        self.runtime.desk.execute::<Book>(&holder, post, &ctx).await.expect("it balances");
    }

    /// A ride that cost so much.
    pub async fn ridden(
        &self,
        rider: &Rider,
        order: i64,
        cents: i64,
        end: Timestamp,
        recorded_at: Timestamp,
    ) {
        let receipt = Receipt { pay_cents: cents, ..Receipt::default() };
        self.book(rider, money::fare(RideOrderId(order), self.area(), end, &receipt), recorded_at).await;
    }

    /// Some of it paid through a channel.
    pub async fn paid(&self, rider: &Rider, order: i64, number: i64, cents: i64, at: Timestamp) {
        let share = Share { third_cents: cents, ..Share::default() };
        let entry = money::paid(RideOrderId(order), number, self.area(), at, &share, 3);
        self.book(rider, entry, at).await;
    }

    /// All of the last six days, as this person sees them.
    async fn told(&self, who: &Browser) -> Value {
        who.ok("GET", DAILY, json!({"startTime": date(ago(5, 0.0)), "pageSize": "50"})).await
    }

    /// Holds every day against the recomputation, and the file and the entries against the days.
    async fn holds(&self) -> Value {
        let owner = self.stack.owner().await;
        stream::settled(&owner).await;
        let counted = recount(&owner, &self.city.agent).await;
        let told = self.told(&self.admin).await;
        let rows = told["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 6, "a row for each day, whatever happened on it: {told}");
        for row in rows {
            let wanted = counted.get(row["day"].as_str().unwrap()).copied().unwrap_or_default();
            assert_eq!(Counted::of_row(row), wanted, "{row}");
            let [due, paid, owing] = ["dueCents", "paidCents", "owingCents"].map(|name| number(&row[name]));
            assert_eq!(owing, due - paid, "A = E + C");
            let asked = json!({"startTime": row["day"], "endTime": row["day"], "pageSize": "200"});
            let entries = self.admin.ok("GET", ENTRIES, asked).await;
            let sum = |name: &str| -> i64 {
                entries["rows"].as_array().unwrap().iter().map(|entry| number(&entry[name])).sum()
            };
            assert_eq!(sum("dueCents"), due, "a day is what its entries say: {entries}");
            assert_eq!(sum("receivedCents"), number(&row["receivedCents"]));
            assert_eq!((sum("refundCents"), sum("revenueCents")), (wanted.refunds, wanted.revenue));
        }
        let all = counted.values().fold(Counted::default(), |sum, one| Counted {
            due: sum.due + one.due,
            revenue: sum.revenue + one.revenue,
            ..sum
        });
        assert_eq!(
            (number(&told["totals"]["dueCents"]), number(&told["totals"]["revenueCents"])),
            (all.due, all.revenue)
        );
        assert_eq!(told["summary"]["revenue"]["now"].as_f64(), Some(all.revenue as f64 / 100.0));
        told
    }
}

fn row<'a>(told: &'a Value, day: &str) -> &'a Value {
    let rows = told["rows"].as_array().unwrap();
    rows.iter().find(|row| row["day"] == day).unwrap_or_else(|| panic!("{day}: {told}"))
}

/// Rows and totals without what goes on by itself: the mean of today.
fn fixed(told: &Value) -> (Value, Value) {
    let [mut rows, mut totals] = ["rows", "totals"].map(|name| told[name].clone());
    for row in rows.as_array_mut().unwrap().iter_mut().chain([&mut totals]) {
        for name in ["bikes", "ordersPerBike", "duePerBike"] {
            assert!(row.as_object_mut().unwrap().remove(name).is_some(), "{name}");
        }
    }
    (rows, totals)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_days_bikes_are_those_of_the_log_by_the_time_they_stood() {
    let scene = Scene::build().await;
    let owner = scene.stack.owner().await;
    for (number, at) in [ago(9, 7.0), ago(4, 6.0), ago(4, 18.0), ago(2, 12.0)].into_iter().enumerate() {
        let registration = Registration {
            car_id: format!("OLD{number:04}").try_into().unwrap(),
            plate_no: String::new(),
            agent_id: scene.city.agent.parse().unwrap(),
            area_id: scene.area(),
        };
        let car_id = registration.car_id.clone();
        let place = Wgs84::new(scene.city.lat, scene.city.lng).unwrap();
        let imei = format!("8699900000{number:05}");
        let enrol = VehicleCommand::Enrol { registration, imei, place, place_in_area: true };
        let ctx = CommandContext::of_system("test", at);
        scene.runtime.desk.execute::<Vehicle>(&car_id, enrol, &ctx).await.expect("it comes");
    }
    let rider = Rider::come(&scene.machine, &scene.city.area, "once").await;
    scene.ridden(&rider, 1001, 600, ago(3, 10.0), ago(3, 10.0)).await;
    stream::settled(&owner).await;

    let came: Vec<i64> = sqlx::query_scalar(
        "select (extract(epoch from recorded_at) * 1000)::bigint from log.events where type = 'vehicle.shelved'",
    )
    .fetch_all(&owner)
    .await
    .unwrap();
    assert_eq!(came.len(), 5);
    let told = scene.told(&scene.admin).await;
    let until = number(&told["freshness"]["readAt"]);
    let mut bike_days = 0.0;
    for row in told["rows"].as_array().unwrap() {
        let begun = number(&row["at"]);
        let ended = (begun + DAY_MS).min(until);
        let stood: i64 = came.iter().map(|came| (ended - begun.max(*came)).max(0)).sum();
        let mean = stood as f64 / (ended - begun) as f64;
        assert!((row["bikes"].as_f64().unwrap() - mean).abs() <= 0.0051, "{row}: {mean}");
        bike_days += mean;
    }
    assert_eq!(row(&told, &date(ago(5, 0.0)))["bikes"], 1.0);
    assert_eq!(row(&told, &date(ago(4, 0.0)))["bikes"], 2.0, "three quarters and a quarter of a day");
    let third = row(&told, &date(ago(3, 0.0)));
    assert_eq!((&third["bikes"], &third["duePerBike"]), (&json!(3.0), &json!(2.0)));
    assert_eq!(third["ordersPerBike"], 0.0, "what was booked without its order is none");
    assert!((told["totals"]["bikes"].as_f64().unwrap() - bike_days / 6.0).abs() <= 0.011, "{told}");
    let areas =
        scene.admin.ok("GET", AREAS, json!({"startTime": date(ago(3, 0.0)), "endTime": date(ago(3, 0.0))}));
    let areas = areas.await;
    assert_eq!(areas["rows"][0]["bikes"], 3.0, "{areas}");
    // The same once more from the log alone.
    scene.stack.told(&["rebuild", "shelved_day"]).await;
    let again = scene.told(&scene.admin).await;
    assert_eq!(row(&again, &date(ago(2, 0.0)))["bikes"], row(&told, &date(ago(2, 0.0)))["bikes"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn route_078_days_are_those_of_a_plain_recomputation_and_closed_ones_stay() {
    let mut scene = Scene::build().await;
    let area = scene.city.area.clone();
    let owner = scene.stack.owner().await;
    let past = Rider::come(&scene.machine, &area, "past").await;

    // Four days ago: a fare of 5 yuan, of which 3 were paid at once and 2 two days later.
    scene.ridden(&past, 1001, 500, ago(4, 10.0), ago(4, 10.0)).await;
    scene.paid(&past, 1001, 1, 300, ago(4, 10.1)).await;
    // Just before midnight by the provider's clock, told half an hour later.
    scene.book(&past, money::topped_up(PaymentId(71), 3, ago(3, 23.99), 2_000), ago(2, 0.5)).await;
    scene.paid(&past, 1001, 2, 200, ago(2, 9.0)).await;
    scene.book(&past, money::deposit(PaymentId(72), 3, ago(2, 9.5), 19_900), ago(2, 9.5)).await;
    // A lock that closed three days ago was found two days later.
    scene.ridden(&past, 1002, 700, ago(3, 12.0), ago(1, 12.0)).await;
    let back = money::going_back(AccountKind::Recharge, 73, ago(1, 13.0), 450);
    scene.book(&past, back, ago(1, 13.0)).await;
    scene.book(&past, money::stayed(AccountKind::Recharge, 73, ago(1, 14.0), 450), ago(1, 14.0)).await;

    // Today, all of it over HTTP: money into a wallet, a ride that it pays, and some of that given back.
    let rider = Rider::come(&scene.machine, &area, "today").await;
    let top_up = json!({"userId": rider.id, "channel": 3, "agreed": true, "amountCents": 5_000});
    scene.machine.ok("/open/v1/rider/top-up", &top_up).await;
    eventually("his money came", PATIENCE, async || {
        (rider.account(&scene.machine).await["rechargeCents"] == 5_000).then_some(())
    })
    .await;
    let bike = scene.city.bikes[0].clone();
    let ride = rider.ride_off(&scene.machine, &bike, &mut scene.lines[0]).await;
    let why = json!({"orderId": ride.order, "reason": "用户来电，锁未上报"});
    scene.admin.ok("POST", "/order/forceEnd", why).await;
    let ended = ride.until(&scene.machine, "it is paid", |order| order["state"] == 4).await;
    let paid = number(&ended["payCents"]);
    assert!(paid > 100, "in a no-stop zone a fee is due: {ended}");
    let refund = json!({"orderId": ride.order, "rideCents": 100, "reason": "误收调度费"});
    scene.admin.ok("POST", "/order/refund", refund).await;
    scene.machine.ok("/open/v1/rider/balance/refund", &json!({"userId": rider.id})).await;
    let told = scene.holds().await;

    let (fourth, third, second, last) =
        (date(ago(4, 0.0)), date(ago(3, 0.0)), date(ago(2, 0.0)), date(ago(1, 0.0)));
    let of = |day: &str| Counted::of_row(row(&told, day));
    let wanted = Counted { due: 500, paid: 300, revenue: 300, ..Counted::default() };
    assert_eq!((of(&fourth), number(&row(&told, &fourth)["owingRate"])), (wanted, 4_000));
    assert_eq!(
        of(&third),
        Counted { revenue: 2_000, ..Counted::default() },
        "no ride is put into a closed day"
    );
    assert_eq!(of(&second), Counted { arrears: 200, revenue: 200, ..Counted::default() }, "no deposit");
    let found = Counted { due: 700, late: 1, ..Counted::default() };
    assert_eq!(of(&last), found, "what did not go back is no refund");
    assert_eq!(row(&told, &fourth)["isClosed"], true);
    assert_eq!(row(&told, &date(SystemClock.now()))["isClosed"], false);
    assert!(told["freshness"]["readAt"].is_i64());

    // Late facts leave closed days as they were, to the byte.
    let closed = row(&told, &fourth).clone();
    scene.ridden(&past, 1003, 900, ago(4, 15.0), SystemClock.now()).await;
    scene
        .book(&past, money::lowered(RideOrderId(1001), 9, scene.area(), ago(4, 16.0), 100), SystemClock.now())
        .await;
    let after = scene.holds().await;
    assert_eq!(row(&after, &fourth), &closed);
    let sum = |told: &Value, name: &str| number(&told["totals"][name]);
    assert_eq!(sum(&after, "dueCents"), sum(&told, "dueCents") + 900);
    assert_eq!(sum(&after, "lateDueCents"), sum(&told, "lateDueCents") + 900);
    assert_eq!(sum(&after, "loweredPastCents"), 100, "what was lowered of a closed day stands apart");

    // Built anew they are the same.
    let ours = async |owner: &PgPool| {
        let mut all = stream::fingerprints(owner).await;
        all.retain(|table, _| table.starts_with("revenue_"));
        assert_eq!(all.len(), 2, "{all:?}");
        all
    };
    let before = ours(&owner).await;
    scene.stack.told(&["rebuild", "revenue_day"]).await;
    assert_eq!(ours(&owner).await, before);
    assert_eq!(fixed(&scene.holds().await), fixed(&after));

    // Whose it is: the agent's people see all of it, those of one area what lies in it, others nothing.
    let codes = ["15".to_owned(), "150101".to_owned()];
    let role = scene.admin.new_role("财务", &codes).await;
    scene.admin.new_operator("13700000091", &[&role], &scene.city.agent).await;
    let own = Browser::signed_in(&scene.node.url, "13700000091").await;
    let seen = scene.told(&own).await;
    assert_eq!(fixed(&seen), fixed(&after));
    let ofarea = json!({"name": "片区财务", "tier": 4, "remark": "", "codes": codes, "state": 1, "agentId": scene.city.agent});
    let ofarea = scene.admin.ok("POST", "/platform/permission/role", ofarea).await["id"].clone();
    let person = json!({"phone": "13700000092", "name": "王芳", "level": 4, "roleIds": [ofarea],
        "agentId": scene.city.agent, "opAreaIds": [scene.city.area], "state": 1});
    scene.admin.ok("POST", "/platform/permission/user", person).await;
    let local = Browser::signed_in(&scene.node.url, "13700000092").await;
    let seen = scene.told(&local).await;
    assert_eq!(seen["totals"]["dueCents"], after["totals"]["dueCents"], "fares lie in the area");
    assert_eq!((sum(&seen, "topUpCents"), sum(&after, "topUpCents")), (0, 7_000), "wallets lie in none");
    let areas = local.ok("GET", AREAS, json!({"startTime": fourth})).await;
    let names: Vec<&Value> = areas["rows"].as_array().unwrap().iter().map(|row| &row["opAreaId"]).collect();
    assert_eq!(names, [&json!(scene.city.area)]);
    let areas = own.ok("GET", AREAS, json!({"startTime": fourth})).await;
    let names: Vec<&Value> = areas["rows"].as_array().unwrap().iter().map(|row| &row["opAreaId"]).collect();
    assert_eq!(names, [&json!(scene.city.area), &Value::Null], "{areas}");
    let all = local.ok("GET", ENTRIES, json!({"startTime": fourth, "withoutArea": "true"})).await;
    assert_eq!(all["count"], 0, "{all}");
    let other = City::build(&scene.machine, "E", 2, 0).await;
    scene.admin.new_operator("13700000093", &[&role], &other.agent).await;
    let stranger = Browser::signed_in(&scene.node.url, "13700000093").await;
    for named in [json!({}), json!({"agentId": scene.city.agent}), json!({"opAreaIds": area})] {
        let mut asked = json!({"startTime": fourth});
        asked.as_object_mut().unwrap().extend(named.as_object().unwrap().clone());
        let seen = stranger.ok("GET", DAILY, asked.clone()).await;
        assert_eq!(
            (&seen["totals"]["orders"], &seen["totals"]["dueCents"], &seen["totals"]["revenueCents"]),
            (&json!(0), &json!(0), &json!(0)),
            "{named}"
        );
        assert_eq!(stranger.ok("GET", AREAS, asked.clone()).await["rows"], json!([]), "{named}");
        assert_eq!(stranger.ok("GET", ENTRIES, asked).await["count"], 0, "{named}");
    }

    // Put in order, taken away, refused.
    let by_due = scene.admin.ok("GET", DAILY, json!({"startTime": fourth, "sort": "-dueCents"})).await;
    let dues: Vec<i64> =
        by_due["rows"].as_array().unwrap().iter().map(|row| number(&row["dueCents"])).collect();
    assert!(dues.is_sorted_by(|one, next| one >= next), "{dues:?}");
    let path =
        format!("{DAILY}/export?startTime={fourth}&endTime={fourth}&columns=day,isClosed,dueCents,owingRate");
    let written = lines(&taken(&own, &path).await);
    assert_eq!(written, ["日期,结账,应收 A（元）,欠款率".to_owned(), format!("{fourth},已结,5.00,40.00%")]);
    let (record, count) = recorded(&scene.admin, "daily-statistics").await;
    assert_eq!((count, &record["access"]["rows"]), (1, &json!(1)), "{record}");
    for wrong in [
        json!({"sort": "name"}),
        json!({"opAreaIds": "1,x"}),
        json!({"startTime": date(ago(366, 0.0))}),
        json!({"startTime": date(ago(1, 0.0)), "endTime": date(ago(2, 0.0))}),
    ] {
        assert_eq!(scene.admin.call("GET", DAILY, wrong.clone()).await.status, 400, "{wrong}");
    }
    let role = scene.admin.new_role("无报表", &["07".to_owned(), "1601".to_owned()]).await;
    scene.admin.new_operator("13700000094", &[&role], &scene.city.agent).await;
    let without = Browser::signed_in(&scene.node.url, "13700000094").await;
    for path in [DAILY, AREAS, ENTRIES, "/report/daily/export", "/report/daily/entries/export"] {
        assert_eq!(without.call("GET", path, json!({})).await.status, 403, "{path}");
    }
    assert_eq!(scene.admin.call("GET", "/report/wallet", json!({})).await.status, 404, "not built yet");
}
