//! A small read model: of each stream, how many events it has.

use anyhow::Result;
use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Change, Projector, Recorded};
use sqlx::{AssertSqlSafe, PgConnection, PgPool};

/// One of so many events is of the category whose read model is rebuilt.
pub const RARE: i64 = 5_000;

/// Counts the events of one category.
pub struct Counts {
    name: &'static str,
    pub category: &'static str,
    tables: &'static [&'static str],
    categories: &'static [&'static str],
    sql: &'static str,
}

impl Counts {
    /// The `n`th of them.
    pub fn of(n: usize) -> Self {
        let name: &'static str = format!("bench_{n}").leak();
        let category: &'static str = format!("kind{n}").leak();
        let sql = format!(
            "insert into {name} as t select stream, count(*) from unnest($1::text[]) stream group by stream
             on conflict (stream_id) do update set events = t.events + excluded.events"
        );
        Self { name, category, tables: vec![name].leak(), categories: vec![category].leak(), sql: sql.leak() }
    }

    pub async fn make_table(&self, owner: &PgPool) -> Result<()> {
        let name = self.name;
        let sql = format!(
            "create table read.{name} (stream_id text primary key, events bigint not null, agent_id bigint, area_id bigint);
             select wheelhouse.guard_table('read.{name}')"
        );
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(owner).await?;
        Ok(())
    }
}

#[async_trait]
impl Projector for Counts {
    fn name(&self) -> &'static str {
        self.name
    }

    fn tables(&self) -> &'static [&'static str] {
        self.tables
    }

    fn categories(&self) -> &'static [&'static str] {
        self.categories
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let streams: Vec<&str> = events.iter().map(|event| &*event.stream_id).collect();
        sqlx::query(self.sql).bind(streams).execute(db).await?;
        Ok(Vec::new())
    }
}

/// Fills the log with `events`, of which one of [`RARE`] is of `category`. No chain links them: nobody verifies it here.
pub async fn fill(owner: &PgPool, events: i64, category: &'static str) -> Result<()> {
    let sql = "insert into log.events
        (position, category, stream_id, version, type, schema_version, data, meta, recorded_at, chain)
        select n, case when n % $2 = 0 then $3 else 'other' || n % 30 end, (n / 200000)::text || '-' || n % 20000,
               1 + (n / 20000) % 10, 'thing.seen', 1, '{\"longitude\":113.26,\"latitude\":23.13,\"soc_percent\":80}',
               '{\"actor\":{\"kind\":\"system\",\"name\":\"bench\"}}', now(), sha256(int8send(n))
        from generate_series(1, $1) n";
    sqlx::query(sql).bind(events).bind(RARE).bind(category).execute(owner).await?;
    sqlx::query("vacuum analyze log.events").execute(owner).await?;
    Ok(())
}
