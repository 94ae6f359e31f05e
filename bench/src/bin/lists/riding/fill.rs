//! Ten million orders of two years, with their riders, bikes and cases; agents and areas of very different size.

use anyhow::Result;
use kernel::Runtime;
use riding::demo::filled;
use riding::demo::life::Times;
use sqlx::{AssertSqlSafe, PgPool};
use vocabulary::Timestamp;

use crate::rows;

/// When the youngest order begins: so that a run measures the same as the one before.
pub const UNTIL: Timestamp = Timestamp::from_millis(1_790_000_000_000);
const SPAN_MS: i64 = 720 * 86_400_000;
/// The agent of a fifth of all orders or more, one in the middle, and one of few.
pub const AGENTS: [i64; 3] = [1, 20, 119];
/// A large area, one in the middle, and a small one.
pub const AREAS: [i64; 3] = [3, 150, 398];

const CITY: [&str; 3] = [
    "insert into read.area select n, greatest(1, ceil(120 * power(n / 400.0, 2.2)))::bigint, '服务区' || n, '', 1, '[]', 'wgs84',
         0, 1, 1, 1 from generate_series(1, 400) n",
    "insert into read.vehicle select lpad(n::text, 8, '0'), (860000000000000 + n)::text, '', agent_id, area_id, 1, 0, '{}', '{}',
         null, null, 1, 1, 1
     from generate_series(1, 40000) n join read.area
         on area_id = 1 + floor(400 * power((hashint8(n)::bigint & 1048575) / 1048576.0, 1.6))::bigint",
    // Every area has a bike.
    "insert into read.vehicle select lpad((50000 + area_id)::text, 8, '0'), (860000000050000 + area_id)::text, '', agent_id,
         area_id, 1, 0, '{}', '{}', null, null, 1, 1, 1 from read.area",
];

const RIDERS: &str = "
    insert into read.rider (rider_id, agent_id, area_id, channel, phone, phone_masked, name, name_masked, id_no_masked,
        is_verified, verified_at_ms, is_frozen, is_closed, blacklisted, qualified, deposit_state, deposit_cents, created_at_ms,
        updated_at_ms, version)
    select n, agent_id, area_id, 1 + n % 4, (13000000000 + n)::text, '130****' || n % 10000, '骑手' || n, '骑**', '1101**********',
        n % 9 > 0, case when n % 9 > 0 then $2 - $3 end, n % 700 = 0, n % 900 = 0,
        case when n % 800 = 0 then '{\"7\": null}' else '{}' end::jsonb,
        case when n % 6 = 0 then '{\"0\": null}' when n % 90 = 1 then '{\"3\": null}' else '{}' end::jsonb,
        case when n % 11 = 0 then 1 when n % 500 = 1 then 3 when n % 300 = 2 then 4 else 0 end, case when n % 11 = 0 then 9900 else 0 end,
        $2 - $3 + ($3 * (n::float8 / $1))::bigint, $2, 3
    from generate_series(1, $1) n
    join read.area on area_id = 1 + floor(400 * power((hashint8(n + 7777777)::bigint & 1048575) / 1048576.0, 1.6))::bigint";

/// Of one order in forty somebody looked at the return; of a rider in twenty a certification, of one in two hundred an entry of
/// the blacklist; one order in a thousand ran though nobody rode.
const CASES: [&str; 5] = [
    "insert into read.return_review select o.order_id, o.order_id, o.rider_id, o.car_id, o.agent_id, o.area_id,
         case when row_number() over (order by o.opened_at_ms desc) <= 900 then 0 when o.order_id % 4 = 0 then 2 else 1 end,
         1 + (o.riding_s % 10 = 0)::int + (o.riding_s % 100 = 0)::int, 1 + o.riding_s % 4, o.class, 1, 60, 12.5, o.dispatch_cents,
         null, null, '{}', '{\"errorM\": 0, \"fixes\": [], \"missing\": [], \"parts\": [], \"reasons\": []}', null, '',
         case when o.order_id % 4 = 0 then '张三' else '李四' end, o.riding_s % 500 = 0, o.end_at_ms, o.end_at_ms + 60000,
         o.end_at_ms + 1800000, o.end_at_ms + 60000 + o.riding_s * 500, o.end_at_ms, 2
     from read.ride_order o where o.class > 0 and o.distance_m % 6 = 0",
    "insert into read.certification select rider_id, rider_id, agent_id, area_id, 1 + rider_id % 6,
         case when rider_id % 800 = 0 then 0 when rider_id % 70 = 0 then 3 when rider_id % 5 = 0 then 2 else 1 end, phone,
         phone_masked, name, name_masked, '大学' || rider_id % 300, '****', '{}', true, '王五', '', null, created_at_ms + 7200000,
         created_at_ms + 3600000, created_at_ms, 2
     from read.rider where rider_id % 20 = 0",
    "insert into read.blacklist_entry select rider_id, rider_id, case when rider_id % 5000 = 0 then null else agent_id end,
         case when rider_id % 400 = 0 then area_id end, agent_id, area_id, 1,
         case when rider_id % 5000 = 0 then 3 when rider_id % 400 = 0 then 1 else 2 end, 1 + rider_id % 3,
         case when rider_id % 600 = 0 then 0 else 1 end, phone, phone_masked, name, name_masked, '破坏车辆' || rider_id % 40, '王五',
         '', '', '{}', case when rider_id % 1000 = 0 then created_at_ms + 86400000 end, null, created_at_ms + 5000, created_at_ms, 2
     from read.rider where rider_id % 200 = 0",
    "insert into read.order_reconciliation select order_id, agent_id, area_id, 1 + riding_s % 4, opened_at_ms, end_at_ms, true,
         opened_at_ms, end_at_ms, end_at_ms, end_at_ms, null, null, end_at_ms, pay_cents * 3, pay_cents, pay_cents * 2,
         riding_s % 3 > 0, null, '已关锁', end_at_ms + 600000
     from read.ride_order where end_at_ms is not null and distance_m % 1000 = 7",
    "update read.ride_order set state = (order_id % 2)::int, class = null,
         end_kind = null, end_at_ms = null, paid_at_ms = null, pay_cents = 0, paid_cents = 0, recharge_cents = 0, third_cents = 0,
         refund_cents = 0, is_modified = false, cancel_reason = null
     where order_id in (select order_id from read.ride_order order by opened_at_ms desc, order_id desc limit 300)",
];

/// What each order booked: its fare, what was paid for it, of few what went back, and of one in twenty a top-up. Ids of entries are
/// those of their orders, four each.
const ENTRIES: &str = "
    insert into read.revenue_entry
    select o.order_id * 4 + e.number, (at_ms + 28800000) / 86400000, o.agent_id, case when e.what = 'top-up' then 0 else o.area_id end,
        o.rider_id, case when e.what = 'top-up' then null else o.order_id end, e.what, case when e.number > 0 then 1 + o.order_id % 3 end,
        o.riding_s % 500 = 3, e.number in (1, 2) and o.riding_s % 40 = 7, at_ms, at_ms + 800, cents,
        case when e.number = 0 then cents else 0 end, case when e.number = 1 then cents else 0 end,
        case when e.number = 2 then cents else 0 end, case when e.number = 2 then -cents when e.number = 0 then 0 else cents end
    from read.ride_order o
    cross join lateral (values (0, 'ride', o.end_at_ms, o.pay_cents), (1, 'ride-paid', o.paid_at_ms, o.paid_cents),
        (2, 'ride-refund', o.paid_at_ms + 3600000 * (o.riding_s % 100), o.refund_cents),
        (3, 'top-up', o.opened_at_ms - 60000, case when o.distance_m % 20 = 3 then 2000 else 0 end)) e (number, what, at_ms, cents)
    where e.at_ms is not null and (e.number = 0 or e.cents > 0)";

/// Misses of the last 90 days, one for ten orders.
const MISSES: &str = "
    insert into report.miss
    select n, 's' || n, case when n % 3 > 0 then o.rider_id end, o.agent_id, o.area_id, 1 + n % 4,
        (array[1, 1, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 10, 20, 21, 22, 23, 30, 31, 40, 40, 41])[1 + n % 24],
        case when n % 4 > 0 then o.car_id end, case when n % 5 = 0 then 1 + n % 900 end, 24.5, 118.1, '', 1, $2 - n * 7776000000 / $1, $2 - n * 7776000000 / $1
    from (select row_number() over () as n, s.* from (select rider_id, agent_id, area_id, car_id from read.ride_order limit $1) s) o";

const CARDS_HELD: i64 = 1_000_000;
/// A million cards bought in two years until now: most for a month and over, some for a year; of few the price went back,
/// some are used up, and some wait for one that still runs.
const CARDS: &str = "
    insert into read.card_holding (holding_id, rider_id, agent_id, area_id, product_id, number, kind, card, price_cents, payment_id,
        channel, bought_at_ms, starts_at_ms, until_at_ms, total_times, used_times, use_day, day_times, saved_cents, last_use_at_ms,
        last_order_id, refunded_at_ms, refunded_cents, refund_to, refund_reason, position)
    select n, rider_id, agent_id, area_id, 1 + n % 40, 1 + n % 3, 1 + n % 6,
        jsonb_build_object('kind', 1 + n % 6, 'name', '卡' || n % 40, 'days', days), 1990, null, 0, at_ms, at_ms + waits_ms,
        at_ms + waits_ms + days * 86400000, case when n % 3 = 0 then 10 end, n % 11, null, 0, n % 900, null, null,
        case when n % 60 = 0 then at_ms + 3600000 end, case when n % 60 = 0 then 1200 else 0 end, case when n % 60 = 0 then 1 end, '', 1
    from (select n, case when n % 10 = 0 then 365 else 30 end::bigint as days, case when n % 50 = 7 then 2592000000 else 0 end as waits_ms,
              (extract(epoch from now()) * 1000)::bigint - $3 + ($3 * (n::float8 / $1))::bigint as at_ms
          from generate_series(1, $1) n) c
    join read.rider on rider_id = 1 + (hashint8(n)::bigint & 2147483647) % $2";

pub async fn fill(runtime: &Runtime, orders: i64) -> Result<()> {
    let owner: &PgPool = &runtime.pools.owner;
    rows::run(owner, &CITY).await?;
    sqlx::query(RIDERS).bind(orders / 20).bind(UNTIL.millis()).bind(SPAN_MS).execute(owner).await?;
    rows::run(owner, &["analyze read.area", "analyze read.vehicle", "analyze read.rider"]).await?;
    let times = Times { orders, since: UNTIL.plus_millis(-SPAN_MS), span_ms: SPAN_MS, seed: 7 };
    let mut db = owner.acquire().await?;
    let begun = std::time::Instant::now();
    filled::fill(&mut db, &times, orders, |done| {
        let rate = done as f64 / begun.elapsed().as_secs_f64();
        println!("{done} of {orders} orders, {rate:.0} a second");
    })
    .await?;
    println!("Indexes stand after {:.0} s.", begun.elapsed().as_secs_f64());
    let indexes = filled::without_indexes(&mut db, "read.revenue_entry").await?;
    sqlx::query(ENTRIES).execute(&mut *db).await?;
    for index in indexes {
        sqlx::raw_sql(AssertSqlSafe(index)).execute(&mut *db).await?;
    }
    sqlx::query(MISSES).bind(orders / 10).bind(UNTIL.millis()).execute(&mut *db).await?;
    sqlx::query(CARDS).bind(CARDS_HELD).bind(orders / 20).bind(SPAN_MS).execute(owner).await?;
    rows::run(owner, &CASES).await?;
    rows::run(
        owner,
        &[
            "vacuum analyze read.ride_order",
            "vacuum analyze read.revenue_entry",
            "vacuum analyze report.miss",
            "vacuum analyze read.card_holding",
            "vacuum analyze read.rider",
            "vacuum analyze read.return_review",
            "vacuum analyze read.certification",
            "vacuum analyze read.blacklist_entry",
            "vacuum analyze read.order_reconciliation",
        ],
    )
    .await
}

/// Everything of a rider somewhere in the middle: his id, his phone, and the car and id of an order of his.
pub async fn somebody(db: &PgPool, pick: i64) -> Result<(i64, String, String, i64)> {
    let found = sqlx::query_as(
        "select o.rider_id, r.phone, o.car_id, o.order_id from read.ride_order o join read.rider r using (rider_id)
         where o.opened_at_ms >= $1 order by o.opened_at_ms limit 1",
    )
    .bind(UNTIL.millis() - SPAN_MS / 300 * (1 + pick.rem_euclid(299)))
    .fetch_one(db)
    .await?;
    Ok(found)
}
