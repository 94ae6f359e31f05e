//! What is asked of tables `revenue_day` and `revenue_entry`. Whoever shows revenue asks here: there is no other sum of it.

use kernel::List;
use kernel::list::within;
use serde::Serialize;
use sqlx::postgres::PgRow;
use sqlx::{FromRow, PgConnection, Postgres, QueryBuilder, Row};
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId, Day, RideOrderId, RiderId, Scope};

use super::revenue::NO_AREA;
use crate::model::movement::Movement;
use crate::model::revenue::Figures;

/// Read models that these need.
pub const READS: &[&str] = &["revenue_day", "shelved_day"];
/// Areas that are told one by one, at most.
pub const AREAS_MOST: i64 = 1_000;

/// Which days of whom are meant.
#[derive(Clone, Debug)]
pub struct Meant {
    /// The first day.
    pub from: Day,
    /// The last one.
    pub until: Day,
    /// Of this agent alone.
    pub agent: Option<AgentId>,
    /// Of these areas alone; none: all, and what is of no area.
    pub areas: Vec<AreaId>,
}

impl Meant {
    /// Cuts rows `d` down to the days from `from` on and to whose they are.
    pub(super) fn narrow(&self, query: &mut QueryBuilder<Postgres>, from: Day, scope: &Scope) {
        query.push(" where d.day >= ").push_bind(from.0);
        query.push(" and d.day <= ").push_bind(self.until.0);
        within(query, "d.agent_id", &scope.agents, |agent| agent.0);
        within(query, "d.area_id", &scope.areas, |area| area.0);
        if let Some(agent) = self.agent {
            query.push(" and d.agent_id = ").push_bind(agent.0);
        }
        if !self.areas.is_empty() {
            let areas: Vec<i64> = self.areas.iter().map(|area| area.0).collect();
            query.push(" and d.area_id = any(").push_bind(areas).push(")");
        }
    }
}

/// All sums, as columns.
fn sums() -> String {
    let sum = |column: &&str| format!("sum(d.{column})::bigint as {column}");
    Figures::COLUMNS.iter().map(sum).collect::<Vec<_>>().join(", ")
}

fn figures(row: &PgRow) -> sqlx::Result<Figures> {
    Figures::known(|column| row.try_get(column))
}

/// What belongs to a day.
#[derive(Clone, Debug)]
pub struct DaySums {
    /// Which.
    pub day: Day,
    /// Everything.
    pub figures: Figures,
    /// The newest of what was recorded, epoch milliseconds.
    pub updated_at_ms: i64,
}

impl FromRow<'_, PgRow> for DaySums {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let day = Day(row.try_get("day")?);
        Ok(Self { day, figures: figures(row)?, updated_at_ms: row.try_get("updated_at_ms")? })
    }
}

/// Day by day; days on which nothing happened are not there.
pub async fn by_day(db: &mut PgConnection, meant: &Meant, scope: &Scope) -> sqlx::Result<Vec<DaySums>> {
    let mut query = QueryBuilder::new(format!(
        "select d.day, max(d.updated_at_ms) as updated_at_ms, {} from read.revenue_day d",
        sums()
    ));
    meant.narrow(&mut query, meant.from, scope);
    query.push(" group by d.day order by d.day");
    query.build_query_as().fetch_all(db).await
}

/// What belongs to an area in all of the days.
#[derive(Clone, Debug)]
pub struct AreaSums {
    /// Whose.
    pub agent_id: AgentId,
    /// Which; none: of no area.
    pub area_id: Option<AreaId>,
    /// That area's name.
    pub area_name: Option<String>,
    /// That agent's company, where the caller sees it.
    pub company: Option<String>,
    /// Everything.
    pub figures: Figures,
}

impl FromRow<'_, PgRow> for AreaSums {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        let area: AreaId = row.try_get("area_id")?;
        Ok(Self {
            agent_id: row.try_get("agent_id")?,
            area_id: Some(area).filter(|area| *area != NO_AREA),
            area_name: row.try_get("area_name")?,
            company: row.try_get("company")?,
            figures: figures(row)?,
        })
    }
}

/// Area by area, the most 应收 first; at most [`AREAS_MOST`].
pub async fn by_area(db: &mut PgConnection, meant: &Meant, scope: &Scope) -> sqlx::Result<Vec<AreaSums>> {
    let mut query = QueryBuilder::new(format!(
        "select s.*, a.name as area_name, g.company from (
             select d.agent_id, d.area_id, {} from read.revenue_day d",
        sums()
    ));
    meant.narrow(&mut query, meant.from, scope);
    query.push(
        " group by d.agent_id, d.area_id) s
         left join read.area a on a.area_id = s.area_id
         left join read.agent g on g.agent_id = s.agent_id
         order by s.fare_cents - s.lowered_cents desc, s.revenue_cents desc, s.agent_id, s.area_id limit ",
    );
    query.push_bind(AREAS_MOST);
    query.build_query_as().fetch_all(db).await
}

/// A journal entry with the day that it belongs to.
#[derive(Clone, Debug, Serialize, ToSchema, FromRow)]
#[serde(rename_all = "camelCase")]
pub struct RevenueEntryRow {
    /// Its place in the log, as text.
    pub id: String,
    /// The day that it belongs to, `YYYY-MM-DD`.
    #[sqlx(skip)]
    pub day: String,
    #[serde(skip)]
    #[sqlx(rename = "day")]
    pub day_number: i64,
    /// 变动类型; none: of a name that is not known.
    #[sqlx(skip)]
    pub movement: Option<Movement>,
    #[serde(skip)]
    pub what: String,
    /// Whose money moved, as text.
    #[sqlx(rename = "rider_id")]
    #[schema(value_type = String)]
    pub user_id: RiderId,
    /// The order that it is about, as text.
    #[schema(value_type = Option<String>)]
    pub order_id: Option<RideOrderId>,
    /// The service area; none: of no area.
    #[sqlx(skip)]
    #[schema(value_type = Option<String>)]
    pub op_area_id: Option<AreaId>,
    #[serde(skip)]
    pub area_id: AreaId,
    /// That area's name.
    pub area_name: Option<String>,
    /// 渠道; none: no money came in or went out.
    pub channel: Option<i16>,
    /// 补记: its own day was closed.
    pub is_late: bool,
    /// Whether it is about a ride of an earlier day.
    pub is_of_earlier: bool,
    /// The moment that it is booked for, epoch milliseconds.
    #[sqlx(rename = "at_ms")]
    pub at: i64,
    /// 入账时间, epoch milliseconds.
    #[sqlx(rename = "recorded_at_ms")]
    pub recorded_at: i64,
    /// 金额: all that it moves, cents.
    pub moved_cents: i64,
    /// What it adds to 应收, cents.
    pub due_cents: i64,
    /// What it adds to 实收总额, cents.
    pub received_cents: i64,
    /// What it adds to 退款, cents.
    pub refund_cents: i64,
    /// What it adds to 总收益, cents.
    pub revenue_cents: i64,
}

impl RevenueEntryRow {
    /// Says what its columns tell.
    #[must_use]
    pub fn told(mut self) -> Self {
        self.day = Day(self.day_number).date().to_string();
        self.movement = Movement::named(&self.what);
        self.op_area_id = Some(self.area_id).filter(|area| *area != NO_AREA);
        self
    }
}

/// Entries in scope, newest first.
pub fn entries(scope: &Scope) -> List {
    List::new(
        "e.position::text as id, e.day, e.what, e.rider_id, e.order_id, e.area_id, a.name as area_name, e.channel, e.is_late,
         e.is_of_earlier, e.at_ms, e.recorded_at_ms, e.moved_cents, e.due_cents, e.received_cents, e.refund_cents,
         e.revenue_cents",
        "read.revenue_entry e left join read.area a on a.area_id = e.area_id",
        "e.day desc, e.position desc",
    )
    .found_in("read.revenue_entry e", "e.position")
    .of_agents("e.agent_id", scope)
    .of_areas("e.area_id", scope)
}
