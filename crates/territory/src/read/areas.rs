//! Table `area`.

use std::collections::BTreeSet;

use geofence::Ring;
use kernel::{After, Fold, List, Recorded};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor};
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId, DataOwner, Datum, Scope, Timestamp};

use crate::model::area::{Area, AreaEvent, AreaState};
use crate::model::area_terms::{Stop, Terms};

/// A row of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Row {
    area_id: i64,
    agent_id: i64,
    name: String,
    tel: String,
    state: i16,
    notice: String,
    city_code: String,
    vehicle_quota: Option<i32>,
    supervision_ids: Vec<String>,
    takes_applications: bool,
    stop_begin_at_ms: Option<i64>,
    stop_end_at_ms: Option<i64>,
    stop_notice: String,
    ring: Vec<[f64; 2]>,
    datum: Datum,
    area_m2: f64,
    corners: usize,
    data_version: i64,
    delivery_asked_at_ms: Option<i64>,
    created_at_ms: i64,
    updated_at_ms: i64,
    version: i64,
}

impl Row {
    fn stand(&mut self, state: AreaState, notice: String) {
        self.state = state as i16;
        self.notice = notice;
        if state != AreaState::Suspended {
            self.stop(None);
        }
    }

    fn stop(&mut self, stop: Option<Stop>) {
        self.stop_begin_at_ms = stop.as_ref().map(|stop| stop.from.millis());
        self.stop_end_at_ms = stop.as_ref().and_then(|stop| stop.until).map(Timestamp::millis);
        self.stop_notice = stop.map(|stop| stop.notice).unwrap_or_default();
    }

    fn register(&mut self, terms: Terms) {
        self.city_code = terms.city_code;
        self.vehicle_quota = terms.vehicle_quota;
        self.supervision_ids = terms.supervision_ids;
        self.takes_applications = terms.takes_applications;
    }

    fn lie(&mut self, ring: &Ring) {
        self.datum = ring.datum;
        self.area_m2 = ring.area_m2();
        self.corners = ring.corners().len();
        self.ring = ring.closed();
    }
}

impl Fold for Row {
    type Of = Area;
    const TABLE: &'static str = "area";
    const KEY: &'static str = "area_id";
    const VERSION: i32 = 3;

    fn fold(row: Option<Self>, event: AreaEvent, recorded: &Recorded) -> After<Self> {
        let at_ms = recorded.recorded_at.millis();
        if let AreaEvent::Planned(plan) = event {
            let Terms { city_code, vehicle_quota, supervision_ids, takes_applications } = Terms::default();
            return Ok(Some(Self {
                area_id: recorded.stream_id.parse()?,
                agent_id: plan.agent_id.0,
                name: plan.name,
                tel: plan.tel,
                state: AreaState::Planned as i16,
                notice: String::new(),
                city_code,
                vehicle_quota,
                supervision_ids,
                takes_applications,
                stop_begin_at_ms: None,
                stop_end_at_ms: None,
                stop_notice: String::new(),
                datum: plan.ring.datum,
                area_m2: plan.ring.area_m2(),
                corners: plan.ring.corners().len(),
                ring: plan.ring.closed(),
                data_version: 1,
                delivery_asked_at_ms: None,
                created_at_ms: at_ms,
                updated_at_ms: at_ms,
                version: recorded.version,
            }));
        }
        let mut row = row.ok_or("an area changed before it was planned")?;
        match event {
            AreaEvent::Planned(_) => {}
            AreaEvent::Opened => row.stand(AreaState::Open, String::new()),
            AreaEvent::Suspended { notice } => row.stand(AreaState::Suspended, notice),
            AreaEvent::Closed => row.stand(AreaState::Closed, String::new()),
            AreaEvent::Renamed { name } => row.name = name,
            AreaEvent::TelChanged { tel } => row.tel = tel,
            AreaEvent::HandedOver { to, .. } => row.agent_id = to.0,
            AreaEvent::TermsSet(terms) => row.register(terms),
            AreaEvent::StopPlanned(stop) => row.stop(Some(stop)),
            AreaEvent::StopCancelled => row.stop(None),
            AreaEvent::DeliveryAsked => row.delivery_asked_at_ms = Some(at_ms),
            AreaEvent::Redrawn { data_version, ring } => {
                row.data_version = data_version;
                row.lie(&ring);
            }
        }
        row.updated_at_ms = at_ms;
        row.version = recorded.version;
        Ok(Some(row))
    }

    fn owner(&self) -> DataOwner {
        DataOwner::of_area(AgentId(self.agent_id), AreaId(self.area_id))
    }
}

/// A service area as selectors list it.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct AreaOption {
    /// Its id, as text.
    #[schema(value_type = String)]
    #[sqlx(rename = "area_id")]
    pub id: AreaId,
    /// 名称.
    pub name: String,
    /// Who runs it.
    #[schema(value_type = String)]
    pub agent_id: AgentId,
}

/// Areas in scope that are not closed, by name, of `agents` (empty: of all in scope); at most 2,000.
pub async fn options(db: impl PgExecutor<'_>, agents: &[AgentId]) -> sqlx::Result<Vec<AreaOption>> {
    let agents: Vec<i64> = agents.iter().map(|agent| agent.0).collect();
    sqlx::query_as(
        "select area_id, name, agent_id from read.area
         where state <> 3 and (cardinality($1::bigint[]) = 0 or agent_id = any($1))
         order by name, area_id limit 2000",
    )
    .bind(agents)
    .fetch_all(db)
    .await
}

/// A service area as the map draws it.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct AreaShape {
    /// Its id, as text.
    #[schema(value_type = String)]
    #[sqlx(rename = "area_id")]
    pub id: AreaId,
    /// 名称.
    pub name: String,
    /// Who runs it.
    #[schema(value_type = String)]
    pub agent_id: AgentId,
    /// Closed ones have no shape any more.
    #[schema(value_type = AreaState)]
    pub state: i16,
    /// `[lng, lat]` corners, closed, WGS-84.
    #[sqlx(json)]
    pub ring: Vec<[f64; 2]>,
}

/// The edges of the areas in scope; at most 2,000.
pub async fn shapes(db: impl PgExecutor<'_>) -> sqlx::Result<Vec<AreaShape>> {
    sqlx::query_as(
        "select area_id, name, agent_id, state, ring from read.area where state <> 3 order by area_id limit 2000",
    )
    .fetch_all(db)
    .await
}

/// A service area as its management shows it.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct AreaRow {
    /// Its id, as text.
    #[schema(value_type = String)]
    #[sqlx(rename = "area_id")]
    pub id: AreaId,
    /// 名称.
    pub name: String,
    /// Who runs it.
    #[schema(value_type = String)]
    pub agent_id: AgentId,
    /// The agent's company; null when the caller may not see it.
    pub company: Option<String>,
    /// 客服电话.
    pub tel: String,
    /// Bikes that belong to it, on the street or not.
    #[sqlx(skip)]
    pub vehicle_count: i64,
    /// Parking places in it that count.
    pub parking_count: i64,
    /// 服务区状态.
    #[schema(value_type = AreaState)]
    pub state: i16,
    /// What riders are told while it is suspended.
    pub notice: String,
    /// 城市代码, six digits; empty: not said.
    pub city_code: String,
    /// 投放配额, bikes; null: the city sets none.
    pub vehicle_quota: Option<i32>,
    /// 监管平台编号.
    pub supervision_ids: Vec<String>,
    /// Whether riders may ask for stations in it.
    pub takes_applications: bool,
    /// When its planned stop begins or began, epoch milliseconds; null: none is planned.
    #[sqlx(rename = "stop_begin_at_ms")]
    pub stop_begin_at: Option<i64>,
    /// When it resumes by itself, epoch milliseconds; null: when somebody resumes it.
    #[sqlx(rename = "stop_end_at_ms")]
    pub stop_end_at: Option<i64>,
    /// What riders will be told while a planned stop lasts.
    pub stop_notice: String,
    /// Epoch milliseconds.
    #[sqlx(rename = "created_at_ms")]
    pub created_at: i64,
    /// Epoch milliseconds.
    #[sqlx(rename = "updated_at_ms")]
    pub updated_at: i64,
    /// To be sent with a change.
    pub version: i64,
}

/// Areas in scope, newest first.
pub fn list(scope: &Scope) -> List {
    List::new(
        "a.area_id, a.name, a.agent_id, g.company, a.tel, a.state, a.notice, a.city_code, a.vehicle_quota,
         a.supervision_ids, a.takes_applications, a.stop_begin_at_ms, a.stop_end_at_ms, a.stop_notice, a.created_at_ms, a.updated_at_ms,
         a.version,
         (select count(*) from read.fence_version v where v.area_id = a.area_id and v.kind = 2
              and v.counts @> (extract(epoch from now()) * 1000)::bigint) as parking_count",
        "read.area a left join read.agent g on g.agent_id = a.agent_id",
        "a.created_at_ms desc, a.area_id desc",
    )
    .of_agents("a.agent_id", scope)
    .of_areas("a.area_id", scope)
}

/// One area; nothing when it is not in scope.
pub async fn one(db: &mut PgConnection, scope: &Scope, area: AreaId) -> sqlx::Result<Option<AreaRow>> {
    Ok(list(scope).is("a.area_id", Some(area.0)).rows(db, 1).await?.pop())
}

/// Areas that are to stop or to resume at `now_ms`; at most 500.
pub async fn due(db: impl PgExecutor<'_>, now_ms: i64) -> sqlx::Result<Vec<AreaId>> {
    sqlx::query_scalar(
        "select area_id from read.area
         where (state = 1 and stop_begin_at_ms <= $1) or (state = 2 and stop_end_at_ms <= $1)
         order by area_id limit 500",
    )
    .bind(now_ms)
    .fetch_all(db)
    .await
}

/// The edge of an area in scope: `[lng, lat]` corners, closed, WGS-84.
pub async fn ring(db: impl PgExecutor<'_>, area: AreaId) -> sqlx::Result<Vec<[f64; 2]>> {
    let ring = sqlx::query_scalar("select ring from read.area where area_id = $1").bind(area);
    let Json(ring) = ring.fetch_one(db).await?;
    Ok(ring)
}

/// The areas in scope that `agent` runs and that are not closed.
pub async fn run_by(db: impl PgExecutor<'_>, agent: AgentId) -> sqlx::Result<BTreeSet<AreaId>> {
    let run: Vec<AreaId> =
        sqlx::query_scalar("select area_id from read.area where agent_id = $1 and state <> 3")
            .bind(agent)
            .fetch_all(db)
            .await?;
    Ok(run.into_iter().collect())
}

/// Fences in an area and franchisees who work in it, ended ones not counted.
pub async fn belongings(db: impl PgExecutor<'_>, area: AreaId) -> sqlx::Result<(i64, i64)> {
    sqlx::query_as(
        "select (select count(*) from read.fence where area_id = $1 and not deleted),
                (select count(*) from read.franchisee where area_ids @> array[$1::bigint] and state <> 3)",
    )
    .bind(area)
    .fetch_one(db)
    .await
}

/// The names of those of `areas` that are in scope.
pub async fn names(db: impl PgExecutor<'_>, areas: &[AreaId]) -> sqlx::Result<Vec<AreaOption>> {
    let areas: Vec<i64> = areas.iter().map(|area| area.0).collect();
    sqlx::query_as(
        "select area_id, name, agent_id from read.area where area_id = any($1) order by name, area_id",
    )
    .bind(areas)
    .fetch_all(db)
    .await
}
