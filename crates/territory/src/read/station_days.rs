//! Table `report.station_day`: days of parking places as they were reckoned, and what is asked of them. It is made of where
//! bikes stood, not of the log; whoever reckons it says in `report.reckoned` how far he is.

use chrono::NaiveDate;
use kernel::Reckoned;
use kernel::list::{containing, within};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use sqlx::{FromRow, PgConnection, PgExecutor, Postgres, QueryBuilder};
use vocabulary::{AgentId, AreaId, FenceId, Page, Rows, Scope, Timestamp};

/// How far they are.
pub const RECKONED: Reckoned = Reckoned::new("station");
/// Rows of one statement.
const AT_ONCE: usize = 1_000;
/// Places that a ranking names.
const RANKED: i64 = 10;

/// A row: a day of a parking place. Each list has an entry for each of the day's hours that are over.
#[derive(Clone, Debug, Serialize)]
pub struct StationDay {
    /// Shanghai's.
    pub day: NaiveDate,
    /// Which place.
    pub fence_id: FenceId,
    /// The area it lies in.
    pub area_id: AreaId,
    /// Who runs that.
    pub agent_id: AgentId,
    /// Hours of the day that are over.
    pub hours: i16,
    /// Bikes that came.
    pub returns: i32,
    /// Bikes that left.
    pub departures: i32,
    /// Bikes left outside of any parking place, this one nearest.
    pub outside: i32,
    /// Bikes at each full hour, added up.
    pub standing: i32,
    /// Full hours at each level.
    pub level_hours: [i16; 5],
    /// Of `standing` those that had stood so long, by band.
    pub idle_hours: [i32; 6],
    /// By hour.
    pub hourly_returns: Vec<i16>,
    /// By hour.
    pub hourly_departures: Vec<i16>,
    /// By hour.
    pub hourly_outside: Vec<i16>,
    /// By hour.
    pub hourly_standing: Vec<i16>,
    /// By hour; -1 while it was not open.
    pub hourly_level: Vec<i16>,
    /// By hour.
    pub hourly_misses: Vec<i16>,
    /// By hour.
    pub hourly_orders: Vec<i16>,
    /// By hour, cents.
    pub hourly_cost_cents: Vec<i64>,
    /// Missed orders nearest to it.
    pub misses: i32,
    /// Rides that began there.
    pub orders: i32,
    /// What these cost, cents.
    pub cost_cents: i64,
}

/// Puts these rows in the place of all that was known of a day, and tells that all is reckoned until then; false when
/// somebody reckons in a later term than `token`.
pub async fn put(
    db: &mut PgConnection,
    day: NaiveDate,
    rows: &[StationDay],
    until: Timestamp,
    token: i64,
) -> sqlx::Result<bool> {
    if !RECKONED.reach(&mut *db, until, token).await? {
        return Ok(false);
    }
    for rows in rows.chunks(AT_ONCE) {
        sqlx::query(
            "insert into report.station_day as known
             select * from jsonb_populate_recordset(null::report.station_day, $1)
             on conflict (day, fence_id) do update set
                 area_id = excluded.area_id, agent_id = excluded.agent_id, hours = excluded.hours,
                 returns = excluded.returns, departures = excluded.departures, outside = excluded.outside,
                 standing = excluded.standing, level_hours = excluded.level_hours, idle_hours = excluded.idle_hours,
                 hourly_returns = excluded.hourly_returns, hourly_departures = excluded.hourly_departures,
                 hourly_outside = excluded.hourly_outside, hourly_standing = excluded.hourly_standing,
                 hourly_level = excluded.hourly_level, hourly_misses = excluded.hourly_misses,
                 hourly_orders = excluded.hourly_orders, hourly_cost_cents = excluded.hourly_cost_cents,
                 misses = excluded.misses, orders = excluded.orders, cost_cents = excluded.cost_cents
             where (known.*) is distinct from (excluded.*)",
        )
        .bind(Json(rows))
        .execute(&mut *db)
        .await?;
    }
    let kept: Vec<i64> = rows.iter().map(|row| row.fence_id.0).collect();
    sqlx::query(
        "delete from report.station_day d where day = $1 and not exists (select from unnest($2::bigint[]) k where k = d.fence_id)",
    )
    .bind(day)
    .bind(kept)
    .execute(db)
    .await?;
    Ok(true)
}

/// Forgets days before this one.
pub async fn forget_before(db: impl PgExecutor<'_>, day: NaiveDate) -> sqlx::Result<()> {
    sqlx::query("delete from report.station_day where day < $1").bind(day).execute(db).await?;
    Ok(())
}

/// Which days of which places are meant.
#[derive(Clone, Debug)]
pub struct Meant {
    /// The first day.
    pub from: NaiveDate,
    /// The last one.
    pub until: NaiveDate,
    /// Of these areas alone; none: all.
    pub areas: Vec<AreaId>,
    /// This one alone.
    pub fence: Option<FenceId>,
    /// Those that have it in their names.
    pub keyword: Option<String>,
    /// Those that are tagged so.
    pub tag: Option<String>,
    /// Just those.
    pub fences: Option<Vec<FenceId>>,
}

impl Meant {
    fn narrow_days(&self, query: &mut QueryBuilder<Postgres>, scope: &Scope) {
        query.push(" where d.day >= ").push_bind(self.from);
        query.push(" and d.day <= ").push_bind(self.until);
        self.narrow(query, scope);
    }

    /// To the places, of whatever table `d` is.
    fn narrow(&self, query: &mut QueryBuilder<Postgres>, scope: &Scope) {
        within(query, "d.agent_id", &scope.agents, |agent| agent.0);
        within(query, "d.area_id", &scope.areas, |area| area.0);
        if !self.areas.is_empty() {
            let areas: Vec<i64> = self.areas.iter().map(|area| area.0).collect();
            query.push(" and d.area_id = any(").push_bind(areas).push(")");
        }
        if let Some(fence) = self.fence {
            query.push(" and d.fence_id = ").push_bind(fence.0);
        }
        if let Some(fences) = &self.fences {
            let fences: Vec<i64> = fences.iter().map(|fence| fence.0).collect();
            query.push(" and d.fence_id in (select unnest(").push_bind(fences).push("::bigint[]))");
        }
        if let Some(keyword) = &self.keyword {
            query.push(" and d.fence_id in (select fence_id from read.fence where kind = 2 and name like ");
            query.push_bind(containing(keyword)).push(")");
        }
        if let Some(tag) = &self.tag {
            query.push(
                " and d.fence_id in (select v.fence_id from read.fence_version v
                      join read.fence f on f.fence_id = v.fence_id and f.data_version = v.data_version
                  where v.kind = 2 and v.drawing -> 'tags' ? ",
            );
            query.push_bind(tag.clone()).push(")");
        }
    }
}

/// What happened at some places in a stretch of time.
#[derive(Clone, Debug, FromRow)]
pub struct Stretch {
    /// The day.
    pub day: NaiveDate,
    /// Its hour, where it is one; otherwise it is the day.
    #[sqlx(default)]
    pub hour: Option<i16>,
    /// Hours of it that are over.
    pub hours: i64,
    /// Bikes that came.
    pub returns: i64,
    /// Bikes that left.
    pub departures: i64,
    /// Bikes left outside.
    pub outside: i64,
    /// Bikes at each full hour, added up.
    pub standing: i64,
    /// Full hours at each level.
    pub level_hours: Vec<i64>,
    /// Of `standing` those that had stood so long, by band; empty for an hour.
    #[sqlx(default)]
    pub idle_hours: Vec<i64>,
    /// Missed orders; nothing where that is not known, as of the following.
    pub misses: Option<i64>,
    /// Rides that began.
    pub orders: Option<i64>,
    /// What these cost, cents.
    pub cost_cents: Option<i64>,
}

const LEVELS: &str = "array[sum(level_hours[1]), sum(level_hours[2]), sum(level_hours[3]), sum(level_hours[4]), \
                      sum(level_hours[5])]::bigint[] as level_hours";
const IDLE: &str = "array[sum(idle_hours[1]), sum(idle_hours[2]), sum(idle_hours[3]), sum(idle_hours[4]), \
                    sum(idle_hours[5]), sum(idle_hours[6])]::bigint[] as idle_hours";
const FLOWS: &str = "sum(returns)::bigint as returns, sum(departures)::bigint as departures, \
                     sum(outside)::bigint as outside, sum(standing)::bigint as standing, \
                     sum(misses)::bigint as misses, sum(orders)::bigint as orders, sum(cost_cents)::bigint as cost_cents";

/// Day by day.
pub async fn by_day(db: &mut PgConnection, meant: &Meant, scope: &Scope) -> sqlx::Result<Vec<Stretch>> {
    let mut query = QueryBuilder::new(format!(
        "select day, max(hours)::bigint as hours, {FLOWS}, {LEVELS}, {IDLE} from report.station_day d"
    ));
    meant.narrow_days(&mut query, scope);
    query.push(" group by day order by day");
    query.build_query_as().fetch_all(db).await
}

/// Hour by hour: for a few days.
pub async fn by_hour(db: &mut PgConnection, meant: &Meant, scope: &Scope) -> sqlx::Result<Vec<Stretch>> {
    let mut query = QueryBuilder::new(
        "select d.day, (h.n - 1)::smallint as hour, 1::bigint as hours, sum(h.returns)::bigint as returns,
             sum(h.departures)::bigint as departures, sum(h.outside)::bigint as outside, sum(h.standing)::bigint as standing,
             array[count(*) filter (where h.level = 0), count(*) filter (where h.level = 1),
                   count(*) filter (where h.level = 2), count(*) filter (where h.level = 3),
                   count(*) filter (where h.level = 4)]::bigint[] as level_hours,
             sum(h.misses)::bigint as misses, sum(h.orders)::bigint as orders, sum(h.cost_cents)::bigint as cost_cents
         from report.station_day d cross join lateral unnest(d.hourly_returns, d.hourly_departures, d.hourly_outside,
             d.hourly_standing, d.hourly_level, d.hourly_misses, d.hourly_orders, d.hourly_cost_cents)
             with ordinality h (returns, departures, outside, standing, level, misses, orders, cost_cents, n)",
    );
    meant.narrow_days(&mut query, scope);
    query.push(" group by d.day, h.n order by d.day, h.n");
    query.build_query_as().fetch_all(db).await
}

/// What happened at a place in all of the days.
#[derive(Clone, Debug, Deserialize)]
pub struct Sums {
    /// Which.
    pub fence_id: FenceId,
    /// Hours that are over.
    pub hours: i64,
    /// Bikes that came.
    pub returns: i64,
    /// Bikes that left.
    pub departures: i64,
    /// Bikes left outside.
    pub outside: i64,
    /// Bikes at each full hour, added up.
    pub standing: i64,
    /// Full hours at each level.
    pub level_hours: [i64; 5],
    /// Of `standing` those that had stood so long, by band.
    pub idle_hours: [i64; 6],
    /// Missed orders nearest to it; nothing where that is not known, as of the following.
    pub misses: Option<i64>,
    /// Rides that began there.
    pub orders: Option<i64>,
    /// What these cost, cents.
    pub cost_cents: Option<i64>,
}

/// Places of a list, and who leads it in some ways.
#[derive(Debug)]
pub struct Places {
    /// Those of the page.
    pub rows: Rows<Sums>,
    /// Those to which most bikes came, at most ten.
    pub busiest: Vec<Sums>,
    /// Those that were 淤积 for most hours.
    pub fullest: Vec<Sums>,
    /// Those that were 空 for most hours.
    pub emptiest: Vec<Sums>,
    /// Those near which most was missed.
    pub missed: Vec<Sums>,
}

/// By what places may be put in order: its name in queries, and what stands in `order by`.
const SORTS: &[(&str, &str)] = &[
    ("returns", "returns"),
    ("departures", "departures"),
    ("outside", "outside"),
    ("standing", "standing::float8 / greatest(hours, 1)"),
    (
        "idle",
        "(idle_hours[1] + idle_hours[2] + idle_hours[3] + idle_hours[4] + idle_hours[5] + idle_hours[6])",
    ),
    ("fullHours", "level_hours[5]"),
    ("emptyHours", "level_hours[1]"),
    ("misses", "coalesce(misses, 0)"),
    ("orders", "coalesce(orders, 0)"),
    ("costCents", "coalesce(cost_cents, 0)"),
];

/// The places cannot be put in order by this.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("列表不能按 {0} 排序")]
pub struct NotASort(pub String);

/// What stands in `order by`, of a name with a minus before it for descending order; the most returns first without one.
fn order(sort: Option<&str>) -> Result<String, NotASort> {
    let asked = sort.unwrap_or("-returns");
    let (name, way) = asked.strip_prefix('-').map_or((asked, "asc"), |name| (name, "desc"));
    let (_, column) =
        SORTS.iter().find(|(known, _)| *known == name).ok_or_else(|| NotASort(name.to_owned()))?;
    Ok(format!("{column} {way}, fence_id"))
}

/// The part of a list that is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// By what it is put in order.
    pub sort: Option<&'a str>,
    /// Rows to skip.
    pub offset: i64,
    /// Rows at most.
    pub limit: i64,
}

impl<'a> Wanted<'a> {
    /// A page.
    pub fn page(page: Page, sort: Option<&'a str>) -> Self {
        Self { sort, offset: page.offset(), limit: page.limit() }
    }
}

/// Why places cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum PlacesError {
    /// They cannot be put in this order.
    #[error(transparent)]
    Sort(#[from] NotASort),
    /// PostgreSQL.
    #[error("the days of parking places cannot be read")]
    Database(#[from] sqlx::Error),
}

/// All places, a page of them, and who leads in four ways.
type Told = (i64, Json<Vec<Sums>>, Json<Vec<Sums>>, Json<Vec<Sums>>, Json<Vec<Sums>>, Json<Vec<Sums>>);

/// Place by place, in one look at the days.
pub async fn by_place(
    db: &mut PgConnection,
    meant: &Meant,
    scope: &Scope,
    wanted: Wanted<'_>,
) -> Result<Places, PlacesError> {
    let order = order(wanted.sort)?;
    let mut query = QueryBuilder::new(format!(
        "with s as materialized (select d.fence_id, sum(hours)::bigint as hours, {FLOWS}, {LEVELS}, {IDLE}
             from report.station_day d"
    ));
    meant.narrow_days(&mut query, scope);
    query.push(format!(
        " group by d.fence_id)
         select (select count(*) from s),
             (select coalesce(jsonb_agg(p), '[]') from (select * from s order by {order} limit "
    ));
    query.push_bind(wanted.limit).push(" offset ").push_bind(wanted.offset).push(") p)");
    for column in ["returns", "level_hours[5]", "level_hours[1]", "misses"] {
        query.push(format!(
            ", (select coalesce(jsonb_agg(p), '[]')
                from (select * from s where {column} > 0 order by {column} desc, fence_id limit {RANKED}) p)"
        ));
    }
    let (counted, Json(rows), Json(busiest), Json(fullest), Json(emptiest), Json(missed)): Told =
        query.build_query_as().fetch_one(db).await?;
    Ok(Places { rows: Rows::new(rows, counted), busiest, fullest, emptiest, missed })
}

/// The places of what is meant that are there now, whatever was reckoned of them.
pub async fn there(db: &mut PgConnection, meant: &Meant, scope: &Scope) -> sqlx::Result<Vec<FenceId>> {
    let mut query =
        QueryBuilder::new("select d.fence_id from read.fence d where d.kind = 2 and not d.deleted");
    meant.narrow(&mut query, scope);
    query.build_query_scalar().fetch_all(db).await
}

/// What a place is called, as it was drawn last.
#[derive(Clone, Debug, FromRow)]
pub struct Called {
    /// Which.
    pub fence_id: FenceId,
    /// 名称.
    pub name: String,
    /// The area it lies in.
    pub area_id: AreaId,
    /// That area's name.
    pub area_name: Option<String>,
    /// 停放上限.
    pub capacity: Option<i32>,
    /// 标签.
    pub tags: Option<Json<Vec<String>>>,
    /// Whether it was taken away.
    pub deleted: bool,
}

/// What these places are called.
pub async fn called(db: impl PgExecutor<'_>, fences: &[FenceId]) -> sqlx::Result<Vec<Called>> {
    let fences: Vec<i64> = fences.iter().map(|fence| fence.0).collect();
    sqlx::query_as(
        "select f.fence_id, f.name, f.area_id, a.name as area_name, v.capacity, v.drawing -> 'tags' as tags, f.deleted
         from read.fence f left join read.area a on a.area_id = f.area_id
         left join read.fence_version v on v.fence_id = f.fence_id and v.data_version = f.data_version
         where f.fence_id = any($1)",
    )
    .bind(fences)
    .fetch_all(db)
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_put_in_order_by_what_is_named_and_nothing_else() {
        assert_eq!(order(None).unwrap(), "returns desc, fence_id");
        assert_eq!(order(Some("fullHours")).unwrap(), "level_hours[5] asc, fence_id");
        assert_eq!(order(Some("-1; drop table")).unwrap_err(), NotASort("1; drop table".to_owned()));
    }
}
