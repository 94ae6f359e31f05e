//! Rows like orders: millions, most of a few agents, sorted by time or money.

use anyhow::Result;
use kernel::{List, Sort};
use sqlx::{FromRow, PgConnection, PgPool};
use vocabulary::{Page, Scope};

use crate::rows::{self, day, nth};
use crate::{PageQuery, SIZE};

pub const FILTERS: [&str; 9] =
    ["none", "state", "state-rare", "states", "day", "amount", "amount-rare", "car", "car-begins"];
pub const SORTS: [&str; 3] = ["newest", "-amount", "amount"];
const SORTABLE: [Sort; 1] = [Sort { name: "amount", column: "o.amount_cents" }];
const COLUMNS: &str =
    "o.order_id, o.agent_id, o.area_id, o.car_id, o.state, o.amount_cents, o.started_at_ms, o.distance_m";
/// Between two orders.
const APART_MS: i64 = 9_000;

/// What a page shows.
#[derive(FromRow)]
#[expect(dead_code, reason = "read as a page reads it")]
struct Order {
    order_id: i64,
    agent_id: i64,
    area_id: i64,
    car_id: String,
    state: i16,
    amount_cents: i64,
    started_at_ms: i64,
    distance_m: i32,
}

pub async fn fill(owner: &PgPool, orders: i64) -> Result<()> {
    rows::run(owner, &[
        "create table read.bench_order (
             order_id bigint not null, agent_id bigint not null, area_id bigint not null, car_id text collate \"C\" not null,
             state smallint not null, amount_cents bigint not null, started_at_ms bigint not null, distance_m int not null)",
        "select wheelhouse.guard_table('read.bench_order')",
    ])
    .await?;
    rows::insert(
        owner,
        "insert into read.bench_order
         select n, a.agent, a.agent * 10 + n % 7, lpad((h % 60000)::text, 8, '0'),
                case when n % 1009 = 7 then 5 when n % 53 = 3 then 4 else 3 end, 100 + h % 2048, $4 + n * $5, 200 + h % 9000
         from generate_series(1, $1) n
         cross join lateral (select hashint8(n)::bigint & 1048575 as h) h
         cross join lateral (select case when n % 5 < 2 then $2 when n % 1250 = 4 then $3 else 10 + h % 200 end as agent) a",
        orders,
        APART_MS,
    )
    .await?;
    rows::run(
        owner,
        &[
            "alter table read.bench_order add primary key (order_id)",
            "create index on read.bench_order (started_at_ms desc, order_id desc)",
            "create index on read.bench_order (agent_id, started_at_ms desc, order_id desc)",
            "create index on read.bench_order (state, started_at_ms desc, order_id desc)",
            "create index on read.bench_order (agent_id, state, started_at_ms desc, order_id desc)",
            "create index on read.bench_order (car_id, started_at_ms desc, order_id desc)",
            "create index on read.bench_order (agent_id, car_id, started_at_ms desc, order_id desc)",
            "create index on read.bench_order (amount_cents, order_id)",
            "create index on read.bench_order (agent_id, amount_cents, order_id)",
            "create index on read.bench_order (state, amount_cents, order_id)",
            "create index on read.bench_order (agent_id, state, amount_cents, order_id)",
            "vacuum analyze read.bench_order",
        ],
    )
    .await
}

fn car(pick: i64) -> String {
    format!("{:08}", nth(pick, 60_000))
}

pub async fn ours(db: &mut PgConnection, scope: &Scope, asked: &PageQuery) -> Result<usize> {
    let list = List::new(COLUMNS, "read.bench_order o", "o.started_at_ms desc, o.order_id desc")
        .of_agents("o.agent_id", scope);
    let (from, until) = day(asked.pick);
    let list = match asked.filter {
        "state" => list.is("o.state", Some(3_i16)),
        "state-rare" => list.is("o.state", Some(5_i16)),
        "states" => list.is_one_of("o.state", vec![4, 5]),
        "day" => list.between("o.started_at_ms", Some(from), Some(until)),
        "amount" => list.between("o.amount_cents", Some(1000), Some(1500)),
        "amount-rare" => list.between("o.amount_cents", Some(2147), None),
        "car" => list.is("o.car_id", Some(car(asked.pick))),
        "car-begins" => list.starts_with(&["o.car_id"], Some(&car(asked.pick)[..6])),
        _ => list,
    };
    let sort = (asked.sort != "newest").then_some(asked.sort);
    let list = list.sorted(&SORTABLE, "o.order_id", sort)?;
    let rows = list.page::<Order>(db, Page::new(Some(asked.page), Some(SIZE))).await?;
    Ok(rows.rows.len())
}

pub fn plain(asked: &PageQuery) -> (&'static str, &'static str, String, &'static str) {
    let (from, until) = day(asked.pick);
    let condition = match asked.filter {
        "state" => "state = 3".to_owned(),
        "state-rare" => "state = 5".to_owned(),
        "states" => "state = any('{4,5}')".to_owned(),
        "day" => format!("started_at_ms between {from} and {until}"),
        "amount" => "amount_cents between 1000 and 1500".to_owned(),
        "amount-rare" => "amount_cents >= 2147".to_owned(),
        "car" => format!("car_id = '{}'", car(asked.pick)),
        "car-begins" => format!("car_id like '{}%'", &car(asked.pick)[..6]),
        _ => "true".to_owned(),
    };
    let order = match asked.sort {
        "amount" => "o.amount_cents, o.order_id",
        "-amount" => "o.amount_cents desc, o.order_id desc",
        _ => "o.started_at_ms desc, o.order_id desc",
    };
    (COLUMNS, "read.bench_order o", condition, order)
}
