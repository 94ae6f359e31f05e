//! The operator log, by the product's own query.

use std::sync::LazyLock;

use anyhow::Result;
use audit::AuditSchemas;
use audit::read::entries::{Filter, Slice, page};
use sqlx::{PgConnection, PgPool};
use vocabulary::{Scope, Timestamp};

use crate::rows::{self, day, nth};
use crate::{PageQuery, SIZE};

pub const FILTERS: [&str; 12] = [
    "none",
    "people",
    "actor",
    "phone",
    "category",
    "action",
    "target-id",
    "target-name",
    "result",
    "failed",
    "trace",
    "day",
];
pub const SORTS: [&str; 1] = ["newest"];
const APART_MS: i64 = 20_000;
/// Of no context: rows are looked up, not told.
static SCHEMAS: LazyLock<AuditSchemas> = LazyLock::new(|| AuditSchemas::new(&[], Vec::new()));

pub async fn fill(owner: &PgPool, lines: i64) -> Result<()> {
    // The projector makes months as it comes to them; two million lines lie in sixteen.
    rows::insert(
        owner,
        "select wheelhouse.make_months('read.audit_entry',
             array(select $4 + n * $5 from generate_series(1, $1, 86400000 / $5) n))",
        lines,
        APART_MS,
    )
    .await?;
    // Refused commands are one of a hundred.
    rows::insert(
        owner,
        "insert into read.audit_entry (position, at_ms, actor_id, actor_name, actor_phone, category, action,
             target_id, target_name, agent_id, area_id, client_address, trace_id, request_id, before, after)
         select n, $4 + n * $5, 'a' || h % 500, '员工' || h % 500, '138' || lpad((h % 500)::text, 8, '0'),
                (array['vehicle', 'role', 'operator', 'fence', 'franchisee'])[1 + h % 5], 'kind-' || h % 60,
                't' || h % 90000, '目标' || h % 90000,
                case when n % 5 < 2 then $2 when n % 1250 = 4 then $3 else 10 + h % 200 end, null, '10.0.0.1', 'trace-' || n,
                'r' || n, '{\"name\": \"before\"}', '{\"name\": \"after\"}'
         from generate_series(1, $1) n cross join lateral (select hashint8(n)::bigint & 1048575 as h) h",
        lines,
        APART_MS,
    )
    .await?;
    rows::insert(
        owner,
        "insert into log.refused_write (at_ms, actor_kind, actor_id, actor_name, actor_phone, agent_id, target_name, status,
             code, reason, client_address, trace_id)
         select $4 + n * $5, 1, 'a' || n % 500, '员工' || n % 500, '138' || lpad((n % 500)::text, 8, '0'),
                case when n % 5 < 2 then $2 when n % 1250 = 4 then $3 else 10 + n % 200 end, 'POST /platform/role',
                case when n % 50 = 0 then 500 else 200 end, 'code', '理由', '10.0.0.1', 'refused-' || n
         from generate_series(1, $1) n",
        lines / 100,
        100 * APART_MS,
    )
    .await?;
    rows::run(owner, &["vacuum analyze read.audit_entry", "vacuum analyze log.refused_write"]).await
}

pub async fn ours(db: &mut PgConnection, scope: &Scope, asked: &PageQuery) -> Result<usize> {
    let pick = asked.pick;
    let (from, until) = day(pick);
    let mut filter = Filter::default();
    match asked.filter {
        "people" => filter.actor_kind = Some(1),
        "actor" => filter.actor = Some(format!("a{}", nth(pick, 500))),
        "phone" => filter.actor = Some(format!("138{:08}", nth(pick, 500))),
        "category" => filter.category = Some("fence".to_owned()),
        "action" => filter.action = Some(format!("kind-{}", nth(pick, 60))),
        "target-id" => filter.target = Some(format!("t{}", nth(pick, 90_000))),
        "target-name" => filter.target = Some(format!("目标{}", nth(pick, 90_000))),
        "result" => filter.result = Some(2),
        "failed" => filter.result = Some(3),
        "trace" => filter.trace_id = Some(format!("trace-{}", 1 + nth(pick, 9_999))),
        "day" => {
            (filter.from, filter.to) =
                (Some(Timestamp::from_millis(from)), Some(Timestamp::from_millis(until)))
        }
        _ => {}
    }
    let slice = Slice { limit: SIZE.into(), offset: ((asked.page - 1) * SIZE).into(), before: None };
    Ok(page(db, &SCHEMAS, scope, &filter, slice).await?.rows.len())
}

/// Over what was done alone, where the list has what was refused between.
pub fn plain(asked: &PageQuery) -> (&'static str, &'static str, String, &'static str) {
    let pick = asked.pick;
    let (from, until) = day(pick);
    let condition = match asked.filter {
        // Every row is a person's.
        "people" => "true".to_owned(),
        "actor" => format!("actor_id = 'a{}'", nth(pick, 500)),
        "phone" => format!("actor_phone = '138{:08}'", nth(pick, 500)),
        "category" => "category = 'fence'".to_owned(),
        "action" => format!("action = 'kind-{}'", nth(pick, 60)),
        "target-id" => format!("target_id = 't{0}' or target_name like 't{0}%'", nth(pick, 90_000)),
        "target-name" => format!("target_id = '目标{0}' or target_name like '目标{0}%'", nth(pick, 90_000)),
        "result" | "failed" => "false".to_owned(),
        "trace" => format!("trace_id = 'trace-{}'", 1 + nth(pick, 9_999)),
        "day" => format!("at_ms between {from} and {until}"),
        _ => "true".to_owned(),
    };
    ("*", "read.audit_entry", condition, "at_ms desc, position desc")
}
