//! Table `report.miss`: missed orders, written in batches beside the answers to riders; no part of the log, forgotten after
//! 90 days.

use kernel::List;
use kernel::list::within;
use serde::Serialize;
use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor, PgPool, QueryBuilder};
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId, FenceId, MissId, RiderId, Scope, Timestamp};

use crate::model::miss::{AGAIN_MS, MissAct, MissReason};

/// Misses are kept so long.
pub const KEPT_DAYS: i64 = 90;
/// Of one rider so many are kept of a day.
const OF_RIDER_MAX: i64 = 50;
/// Of riders whom nobody names so many are kept of a day and an area.
const OF_NOBODY_MAX: i64 = 5_000;
const DAY_MS: i64 = 86_400_000;
/// Old ones go so many at a time.
const FORGOTTEN_AT_ONCE: i64 = 20_000;

/// A miss to be kept, as the table has it.
#[derive(Clone, Debug, Serialize)]
pub struct NewMiss {
    /// Its own id.
    pub miss_id: i64,
    /// [`crate::model::miss::subject`].
    pub subject: String,
    /// Who, where that was said.
    pub rider_id: Option<RiderId>,
    /// Whose it would have been.
    pub agent_id: AgentId,
    /// Where.
    pub area_id: AreaId,
    /// At what.
    pub act: MissAct,
    /// Why.
    pub reason: MissReason,
    /// 车辆编号.
    pub car_id: Option<String>,
    /// The nearest parking place within 300 m.
    pub parking_id: Option<FenceId>,
    /// Degrees north, WGS-84.
    pub lat: Option<f64>,
    /// Degrees east, WGS-84.
    pub lng: Option<f64>,
    /// What the refusal said.
    pub detail: String,
    /// How often he tried.
    pub tries: i32,
    /// The first time, epoch milliseconds.
    pub at_ms: i64,
    /// The last time, epoch milliseconds.
    pub last_at_ms: i64,
}

/// Keeps them. What follows the same within two minutes counts as one more try of it; beyond what is kept of a rider or an area
/// in a day nothing new is. No two may be of the same subject and reason. How many are new.
pub async fn keep(pool: &PgPool, misses: &[NewMiss]) -> sqlx::Result<u64> {
    let kept = sqlx::query(
        "with told as materialized (
             select * from jsonb_populate_recordset(null::report.miss, $1)
         ), known as materialized (
             select t.miss_id as told_id, m.miss_id
             from told t cross join lateral (
                 select miss_id from report.miss
                 where subject = t.subject and reason = t.reason and last_at_ms >= t.at_ms - $2 and at_ms <= t.last_at_ms + $2
                 order by last_at_ms desc limit 1) m
         ), again as (
             update report.miss m set tries = m.tries + t.tries, act = t.act, detail = t.detail,
                 last_at_ms = greatest(m.last_at_ms, t.last_at_ms)
             from known k join told t on t.miss_id = k.told_id where m.miss_id = k.miss_id
         ), riders as materialized (
             select rider_id, (select count(*) from report.miss m
                               where m.rider_id = r.rider_id and m.at_ms > $3) as kept
             from (select distinct rider_id from told where rider_id is not null) r
         ), areas as materialized (
             select area_id, (select count(*) from (select from report.miss m
                                                    where m.area_id = a.area_id and m.rider_id is null and m.at_ms > $3
                                                    limit $5) counted) as kept
             from (select distinct area_id from told where rider_id is null) a
         ), fresh as (
             select t.*, row_number() over (partition by t.rider_id, case when t.rider_id is null then t.area_id end
                                            order by t.at_ms, t.miss_id) as place
             from told t where not exists (select from known k where k.told_id = t.miss_id)
         )
         insert into report.miss (miss_id, subject, rider_id, agent_id, area_id, act, reason, car_id, parking_id, lat, lng,
             detail, tries, at_ms, last_at_ms)
         select f.miss_id, f.subject, f.rider_id, f.agent_id, f.area_id, f.act, f.reason, f.car_id, f.parking_id, f.lat, f.lng,
             f.detail, f.tries, f.at_ms, f.last_at_ms
         from fresh f left join riders r on r.rider_id = f.rider_id
             left join areas a on f.rider_id is null and a.area_id = f.area_id
         where coalesce(r.kept + f.place <= $4, a.kept + f.place <= $5, false)",
    )
    .bind(Json(misses))
    .bind(AGAIN_MS)
    .bind(misses.iter().map(|miss| miss.at_ms).max().unwrap_or_default() - DAY_MS)
    .bind(OF_RIDER_MAX)
    .bind(OF_NOBODY_MAX)
    .execute(pool)
    .await?;
    Ok(kept.rows_affected())
}

/// Forgets those that are too old; how many.
pub async fn forget_old(owner: &PgPool, now: Timestamp) -> sqlx::Result<u64> {
    let oldest = now.plus_millis(-KEPT_DAYS * DAY_MS).millis();
    let mut all = 0;
    loop {
        let gone = sqlx::query(
            "delete from report.miss where miss_id in (select miss_id from report.miss where at_ms < $1 order by at_ms limit $2)",
        )
        .bind(oldest)
        .bind(FORGOTTEN_AT_ONCE)
        .execute(owner)
        .await?
        .rows_affected();
        all += gone;
        if gone < FORGOTTEN_AT_ONCE.unsigned_abs() {
            return Ok(all);
        }
    }
}

/// A miss as lists show it; its rider's phone is masked.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct MissRow {
    /// Its id, as text.
    #[sqlx(rename = "miss_id")]
    #[schema(value_type = String)]
    pub id: MissId,
    /// Who, as text; null: nobody said who.
    #[sqlx(rename = "rider_id")]
    #[schema(value_type = Option<String>)]
    pub user_id: Option<RiderId>,
    /// 手机号, masked.
    pub phone: Option<String>,
    /// Whose it would have been.
    pub agent_id: AgentId,
    /// The service area.
    #[sqlx(rename = "area_id")]
    pub op_area_id: AreaId,
    /// That area's name.
    pub area_name: Option<String>,
    /// 环节.
    pub act: MissAct,
    /// 丢单原因.
    pub reason: MissReason,
    /// 车辆编号.
    pub car_id: Option<String>,
    /// The nearest parking place within 300 m, as text.
    #[schema(value_type = Option<String>)]
    pub parking_id: Option<FenceId>,
    /// Its name.
    pub parking_name: Option<String>,
    /// Where he was, or else the bike: degrees north, WGS-84.
    pub lat: Option<f64>,
    /// Degrees east, WGS-84.
    pub lng: Option<f64>,
    /// What the refusal said.
    pub detail: String,
    /// 次数.
    pub tries: i32,
    /// 丢单时间, the first try: epoch milliseconds.
    #[sqlx(rename = "at_ms")]
    pub at: i64,
    /// The last try, epoch milliseconds.
    #[sqlx(rename = "last_at_ms")]
    pub last_at: i64,
}

/// Misses in scope, newest first.
pub fn list(scope: &Scope) -> List {
    List::new(
        "m.miss_id, m.rider_id, r.phone_masked as phone, m.agent_id, m.area_id, a.name as area_name, m.act, m.reason, m.car_id,
         m.parking_id, f.name as parking_name, m.lat, m.lng, m.detail, m.tries, m.at_ms, m.last_at_ms",
        "report.miss m left join read.area a on a.area_id = m.area_id
         left join read.rider r on r.rider_id = m.rider_id
         left join read.fence f on f.fence_id = m.parking_id",
        "m.at_ms desc, m.miss_id desc",
    )
    .found_in("report.miss m", "m.miss_id")
    .of_agents("m.agent_id", scope)
    .of_areas("m.area_id", scope)
}

/// How many of each reason there were from `from` until before `until`, the most first.
pub async fn by_reason(
    db: &mut PgConnection,
    scope: &Scope,
    from: Timestamp,
    until: Timestamp,
) -> sqlx::Result<Vec<(MissReason, i64)>> {
    let mut query = QueryBuilder::new("select m.reason, count(*) from report.miss m where m.at_ms >= ");
    query.push_bind(from.millis());
    query.push(" and m.at_ms < ").push_bind(until.millis());
    within(&mut query, "m.agent_id", &scope.agents, |agent| agent.0);
    within(&mut query, "m.area_id", &scope.areas, |area| area.0);
    query.push(" group by m.reason order by 2 desc, 1");
    query.build_query_as().fetch_all(db).await
}

/// A miss at a parking place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct MissedAt {
    /// Which.
    pub parking_id: FenceId,
    /// When, epoch milliseconds.
    pub at_ms: i64,
}

/// Misses of parking places from `from` until before `until` that are the operation's own to mend, of all agents.
pub async fn of_parkings(
    db: impl PgExecutor<'_>,
    from: Timestamp,
    until: Timestamp,
) -> sqlx::Result<Vec<MissedAt>> {
    let ours: Vec<i16> =
        MissReason::ALL.iter().filter(|reason| reason.is_ours()).map(|reason| reason.number()).collect();
    sqlx::query_as(
        "select parking_id, at_ms from report.miss
         where at_ms >= $1 and at_ms < $2 and parking_id is not null and reason = any($3)",
    )
    .bind(from.millis())
    .bind(until.millis())
    .bind(ours)
    .fetch_all(db)
    .await
}
