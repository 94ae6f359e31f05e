//! What the lists of riding are asked for: each filter with a value that many rows have, one that few have and one that none
//! has, and the same as plain SQL.

use riding::model::movement::Movement;
use serde_json::{Map, Value, json};

use super::fill::{AGENTS, AREAS, UNTIL};

/// A value of a filter: parameters of the query, and the same as a condition over the list's tables.
#[derive(Clone, Debug)]
pub struct FilterValue {
    pub parameters: Value,
    pub condition: String,
}

/// A filter of a list, with the values that it is asked for.
#[derive(Clone, Debug)]
pub struct Filter {
    pub name: &'static str,
    pub values: Vec<FilterValue>,
}

/// Somebody whose order is looked for.
pub struct Somebody {
    pub rider: i64,
    pub phone: String,
    pub car: String,
    pub order: i64,
}

fn asked(parameters: Value, condition: impl Into<String>) -> FilterValue {
    FilterValue { parameters, condition: condition.into() }
}

fn filter(name: &'static str, values: impl IntoIterator<Item = FilterValue>) -> Filter {
    Filter { name, values: values.into_iter().collect() }
}

/// One parameter of a query.
fn parameter(name: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(name.to_owned(), value)]))
}

/// A truth of a column, either way.
fn truth(name: &'static str, asks: &str, column: &str) -> Filter {
    let values = [true, false].map(|yes| asked(parameter(asks, json!(yes)), format!("{column} = {yes}")));
    filter(name, values)
}

/// A choice by its number in a column.
fn choice(name: &'static str, asks: &str, column: &str, numbers: &[i64]) -> Filter {
    filter(
        name,
        numbers.iter().map(|number| asked(parameter(asks, json!(number)), format!("{column} = {number}"))),
    )
}

fn place(alias: &str) -> [Filter; 2] {
    [
        choice("agent", "agentId", &format!("{alias}.agent_id"), &AGENTS),
        choice("area", "opAreaId", &format!("{alias}.area_id"), &AREAS),
    ]
}

fn text_of(at_ms: i64) -> String {
    let at = vocabulary::Timestamp::from_millis(at_ms + 8 * 3_600_000).datetime();
    at.format("%Y-%m-%d %H:%M:%S").to_string()
}

/// The last hour, a day a year ago, a month, half a year, and all.
fn time(column: &str) -> Filter {
    const DAY_MS: i64 = 86_400_000;
    let until = UNTIL.millis() / 1000 * 1000;
    let spans = [
        (until - 3_600_000, until),
        (until - 365 * DAY_MS, until - 364 * DAY_MS),
        (until - 31 * DAY_MS, until),
        (until - 300 * DAY_MS, until - 120 * DAY_MS),
        (until - 900 * DAY_MS, until - 800 * DAY_MS),
    ];
    filter(
        "time",
        spans.map(|(from, to)| {
            let parameters = json!({"startTime": text_of(from), "endTime": text_of(to)});
            asked(parameters, format!("{column} between {from} and {}", to + 999))
        }),
    )
}

/// Filters of 用户订单.
pub fn orders(who: &Somebody) -> Vec<Filter> {
    let mut all = place("o").to_vec();
    all.extend([
        choice("state", "state", "o.state", &[4, 5, 3, 6, 1, 2]),
        choice("class", "class", "o.class", &[0, 1, 3, 4]),
        choice("end-kind", "endKind", "o.end_kind", &[1, 2, 4, 3]),
        filter(
            "cost",
            [(150, 400), (0, 0), (2500, 100_000), (777, 777), (90_000, 100_000)].map(|(least, most)| {
                asked(
                    json!({"minCents": least, "maxCents": most}),
                    format!("o.pay_cents between {least} and {most}"),
                )
            }),
        ),
        truth("modified", "modified", "o.is_modified"),
        truth("refunded", "refunded", "(o.refund_cents > 0)"),
        time("o.opened_at_ms"),
        filter(
            "rider",
            [
                asked(json!({"userId": who.rider.to_string()}), format!("o.rider_id = {}", who.rider)),
                asked(json!({"userId": "1"}), "o.rider_id = 1"),
            ],
        ),
        filter(
            "keyword",
            [
                asked(json!({"keyword": who.phone}), format!("r.phone = '{}'", who.phone)),
                asked(json!({"keyword": who.car}), format!("o.car_id = '{}'", who.car)),
                asked(json!({"keyword": who.order.to_string()}), format!("o.order_id = {}", who.order)),
                asked(json!({"keyword": "19900000000"}), "r.phone = '19900000000'"),
            ],
        ),
    ]);
    all
}

/// Filters of 用户列表.
pub fn riders(who: &Somebody) -> Vec<Filter> {
    let mut all = place("r").to_vec();
    let listed = "exists (select from jsonb_each_text(r.blacklisted))";
    all.extend([
        filter(
            "standing",
            [
                (0, format!("not r.is_closed and not r.is_frozen and not {listed}")),
                (1, format!("not r.is_closed and r.is_frozen and not {listed}")),
                (2, format!("not r.is_closed and {listed}")),
                (4, "r.is_closed".to_owned()),
            ]
            .map(|(state, condition)| asked(json!({"accountState": state}), condition)),
        ),
        truth("verified", "isVerified", "r.is_verified"),
        filter(
            "qualified",
            [0, 3, 4].map(|by| {
                let has = format!("exists (select from jsonb_each_text(r.qualified) q where q.key = '{by}')");
                asked(json!({"qualification": by}), has)
            }),
        ),
        choice("deposit", "depositState", "r.deposit_state", &[0, 4, 2]),
        time("r.created_at_ms"),
        filter(
            "keyword",
            [
                asked(json!({"keyword": who.phone}), format!("r.phone = '{}'", who.phone)),
                asked(json!({"keyword": who.rider.to_string()}), format!("r.rider_id = {}", who.rider)),
            ],
        ),
    ]);
    all
}

/// Filters of 还车审核.
pub fn reviews(who: &Somebody) -> Vec<Filter> {
    let mut all = place("v").to_vec();
    all.extend([
        choice("state", "state", "v.state", &[1, 2, 0]),
        choice("source", "source", "v.source", &[1, 2, 3]),
        choice("reason", "reason", "v.reason", &[1, 4]),
        choice("class", "class", "v.class", &[1, 3, 4]),
        time("v.opened_at_ms"),
        filter(
            "keyword",
            [
                asked(json!({"keyword": who.phone}), format!("r.phone = '{}'", who.phone)),
                asked(json!({"keyword": who.car}), format!("v.car_id = '{}'", who.car)),
            ],
        ),
    ]);
    all
}

/// Filters of 职业认证.
pub fn certifications(who: &Somebody) -> Vec<Filter> {
    let mut all = place("c").to_vec();
    all.extend([
        choice("kind", "kind", "c.kind", &[1, 6]),
        choice("state", "state", "c.state", &[1, 3, 0]),
        time("c.created_at_ms"),
        filter(
            "keyword",
            [
                asked(json!({"keyword": who.phone}), format!("c.phone = '{}'", who.phone)),
                asked(json!({"keyword": "大学77"}), "(c.name = '大学77' or c.organisation like '%大学77%')"),
            ],
        ),
    ]);
    all
}

/// Filters of 黑名单.
pub fn blacklist(who: &Somebody) -> Vec<Filter> {
    vec![
        choice("agent", "agentId", "b.rider_agent_id", &AGENTS),
        choice("area", "opAreaId", "b.rider_area_id", &AREAS),
        choice("kind", "kind", "b.kind", &[1, 3]),
        choice("reach", "scope", "b.scope", &[2, 3]),
        time("b.created_at_ms"),
        filter("keyword", [asked(json!({"keyword": who.phone}), format!("b.phone = '{}'", who.phone))]),
    ]
}

/// Filters of 营收明细.
pub fn entries() -> Vec<Filter> {
    let day = |days_ago: i64| text_of(UNTIL.millis() - days_ago * 86_400_000)[..10].to_owned();
    let number = |days_ago: i64| (UNTIL.millis() - days_ago * 86_400_000 + 28_800_000).div_euclid(86_400_000);
    let spans = [(0, 0), (6, 0), (29, 0), (400, 400), (300, 120), (900, 800)];
    let areas = |ids: &[i64]| {
        let listed = ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        asked(json!({ "opAreaIds": listed }), format!("e.area_id in ({listed})"))
    };
    vec![
        choice("agent", "agentId", "e.agent_id", &AGENTS),
        filter("areas", [areas(&AREAS[..1]), areas(&AREAS[2..]), areas(&AREAS)]),
        filter("no-area", [asked(json!({"withoutArea": true}), "e.area_id = 0")]),
        filter(
            "movement",
            Movement::ALL
                .iter()
                .map(|one| asked(json!({ "movement": one }), format!("e.what = '{}'", one.what()))),
        ),
        truth("late", "late", "e.is_late"),
        truth("earlier", "ofEarlier", "e.is_of_earlier"),
        filter(
            "time",
            spans.map(|(from, until)| {
                let parameters = json!({"startTime": day(from), "endTime": day(until)});
                asked(parameters, format!("e.day between {} and {}", number(from), number(until)))
            }),
        ),
    ]
}

/// Filters of 丢单.
pub fn misses(who: &Somebody) -> Vec<Filter> {
    let mut all = place("m").to_vec();
    all.extend([
        choice("reason", "reason", "m.reason", &[1, 5, 22, 43]),
        choice("act", "act", "m.act", &[1, 3]),
        choice("parking", "parkingId", "m.parking_id", &[6, 77]),
        filter(
            "rider",
            [asked(json!({"userId": who.rider.to_string()}), format!("m.rider_id = {}", who.rider))],
        ),
        time("m.at_ms"),
        filter(
            "keyword",
            [
                asked(json!({"keyword": who.phone}), format!("r.phone = '{}'", who.phone)),
                asked(json!({"keyword": who.car}), format!("m.car_id = '{}'", who.car)),
            ],
        ),
    ]);
    all
}

/// Filters of 用户持卡.
pub fn cards(who: &Somebody) -> Vec<Filter> {
    const NOW: &str = "(extract(epoch from now()) * 1000)::bigint";
    let stands = |state: i64| {
        let condition = format!(
            "(case when h.refunded_at_ms is not null then 3 when h.until_at_ms <= {NOW} then 2
                 when h.used_times >= h.total_times then 4 when h.starts_at_ms > {NOW} then 0 else 1 end) = {state}"
        );
        asked(json!({ "state": state }), condition)
    };
    let mut all = place("h").to_vec();
    all.extend([
        filter("state", [2, 1, 3, 4, 0].map(stands)),
        choice("kind", "kind", "h.kind", &[1, 6]),
        filter(
            "product",
            [1, 40, 777].map(|product| {
                asked(json!({"productId": product.to_string()}), format!("h.product_id = {product}"))
            }),
        ),
        time("h.bought_at_ms"),
        filter(
            "rider",
            [
                asked(json!({"userId": who.rider.to_string()}), format!("h.rider_id = {}", who.rider)),
                asked(json!({"userId": "999999999"}), "h.rider_id = 999999999"),
            ],
        ),
    ]);
    all
}

/// Filters of 异常订单.
pub fn anomalies(who: &Somebody) -> Vec<Filter> {
    let mut all = place("n").to_vec();
    all.extend([
        choice("kind", "kind", "n.kind", &[1, 4]),
        filter("state", [asked(json!({"state": 1}), "true"), asked(json!({"state": 0}), "false")]),
        truth("by-system", "bySystem", "n.is_by_system"),
        filter(
            "keyword",
            [
                asked(json!({"keyword": who.phone}), format!("r.phone = '{}'", who.phone)),
                asked(json!({"keyword": who.car}), format!("o.car_id = '{}'", who.car)),
            ],
        ),
    ]);
    all
}
