//! Table `voltage_scheme`.

use std::collections::BTreeMap;

use kernel::list::Value;
use kernel::{After, Fold, List, Recorded, row};
use serde::Serialize;
use sqlx::PgExecutor;
use sqlx::types::Json;
use utoipa::ToSchema;
use vocabulary::{AgentId, DataOwner, Reach, Scope, VoltageSchemeId};

use crate::model::voltage_scheme::{
    Chemistry, Form, NominalVolts, Point, SchemeState, VoltageScheme, VoltageSchemeEvent,
};

row! {
    /// A voltage scheme as pages show it. Times are epoch milliseconds.
    #[derive(Clone, Debug, Default, Serialize, ToSchema, sqlx::FromRow)]
    #[serde(rename_all = "camelCase")]
    pub struct VoltageSchemeRow {
        /// Its id, as text.
        pub id: VoltageSchemeId = "scheme_id",
        /// Whose it is; absent: the platform's, for bikes of all agents.
        pub agent_id: Option<AgentId>,
        /// 方案名称.
        pub name: String,
        /// 标称电压.
        pub nominal_v: NominalVolts,
        /// 电芯.
        pub chemistry: Chemistry,
        /// 电压电量表, rising.
        #[schema(value_type = Vec<Point>)]
        pub points: Json<Vec<Point>>,
        /// Where the curve begins, millivolts.
        pub min_mv: i64,
        /// Where it ends, millivolts.
        pub max_mv: i64,
        /// 满电里程, km.
        pub max_mileage_km: i32,
        /// 低电阈值, percent.
        pub low_percent: i16,
        /// 充足阈值, percent.
        pub enough_percent: i16,
        /// 状态.
        pub state: SchemeState,
        /// 绑定车辆: bikes in the reader's scope that have it.
        pub bound_count: i64 as default,
        /// 创建时间.
        pub created_at: i64 = "created_at_ms",
        /// 更新时间.
        pub updated_at: i64 = "updated_at_ms",
        /// To be sent with a change.
        pub version: i64,
        #[serde(skip)]
        position: i64,
    }
}

impl VoltageSchemeRow {
    fn content(self, form: Form, recorded: &Recorded) -> Self {
        let (min_mv, max_mv) = form.span_mv();
        Self {
            name: form.name,
            nominal_v: form.nominal_v,
            chemistry: form.chemistry,
            points: Json(form.points),
            min_mv: min_mv.into(),
            max_mv: max_mv.into(),
            max_mileage_km: form.max_mileage_km.into(),
            low_percent: form.low_percent.into(),
            enough_percent: form.enough_percent.into(),
            state: form.state,
            updated_at: recorded.recorded_at.millis(),
            version: recorded.version,
            position: recorded.position.0,
            ..self
        }
    }
}

impl Fold for VoltageSchemeRow {
    type Of = VoltageScheme;
    const TABLE: &'static str = "voltage_scheme";
    const KEY: &'static str = "scheme_id";

    fn fold(row: Option<Self>, event: VoltageSchemeEvent, recorded: &Recorded) -> After<Self> {
        Ok(match event {
            VoltageSchemeEvent::Created { id, agent, form } => {
                let created_at = recorded.recorded_at.millis();
                let row = Self { id, agent_id: agent, created_at, ..Self::default() };
                Some(row.content(form, recorded))
            }
            VoltageSchemeEvent::Changed(form) => Some(recorded.begin(row)?.content(form, recorded)),
            VoltageSchemeEvent::Deleted => None,
        })
    }

    fn owner(&self) -> DataOwner {
        DataOwner { agent: self.agent_id, area: None }
    }
}

/// Schemes of the scope's agents and the platform's, newest first, each with its bikes in scope.
pub fn list(scope: &Scope) -> List {
    let list = List::new(
        "s.*, (select count(*) from read.vehicle v where v.voltage_scheme_id = s.scheme_id) as bound_count",
        "read.voltage_scheme s",
        "s.created_at_ms desc, s.scheme_id desc",
    );
    match &scope.agents {
        Reach::All => list,
        Reach::Only(agents) => {
            let agents: Vec<i64> = agents.iter().map(|agent| agent.0).collect();
            list.matching(&["(s.agent_id is null or s.agent_id = any(", "))"], vec![Value::Numbers(agents)])
        }
    }
}

/// What bikes need of their scheme.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Told {
    /// Which.
    pub scheme_id: VoltageSchemeId,
    /// What it is called.
    pub name: String,
    /// What voltage tells of charge.
    pub points: Json<Vec<Point>>,
    /// How far a full battery goes, km.
    pub max_mileage_km: i32,
    /// Up to here charge is low, percent.
    pub low_percent: i16,
    /// From here on there is enough, percent.
    pub enough_percent: i16,
}

/// The scheme of this id; nothing when it is gone, or not in scope.
pub async fn find(db: impl PgExecutor<'_>, id: VoltageSchemeId) -> sqlx::Result<Option<Told>> {
    sqlx::query_as(
        "select scheme_id, name, points, max_mileage_km, low_percent, enough_percent
         from read.voltage_scheme where scheme_id = $1",
    )
    .bind(id)
    .fetch_optional(db)
    .await
}

/// What those of these schemes are called that are in scope.
pub async fn names(db: impl PgExecutor<'_>, ids: &[i64]) -> sqlx::Result<BTreeMap<VoltageSchemeId, String>> {
    let named: Vec<(VoltageSchemeId, String)> =
        sqlx::query_as("select scheme_id, name from read.voltage_scheme where scheme_id = any($1)")
            .bind(ids)
            .fetch_all(db)
            .await?;
    Ok(named.into_iter().collect())
}

/// Which scheme of this agent, or of the platform, is called so.
pub async fn named(
    db: impl PgExecutor<'_>,
    agent: Option<AgentId>,
    name: &str,
) -> sqlx::Result<Option<VoltageSchemeId>> {
    sqlx::query_scalar(
        "select scheme_id from read.voltage_scheme where agent_id is not distinct from $1 and name = $2",
    )
    .bind(agent)
    .bind(name)
    .fetch_optional(db)
    .await
}

/// How many bikes have this scheme.
pub async fn bound(db: impl PgExecutor<'_>, id: VoltageSchemeId) -> sqlx::Result<i64> {
    sqlx::query_scalar("select count(*) from read.vehicle where voltage_scheme_id = $1")
        .bind(id)
        .fetch_one(db)
        .await
}

/// A scheme to choose.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct Choosable {
    /// Its id, as text.
    #[sqlx(rename = "scheme_id")]
    pub id: VoltageSchemeId,
    /// Whose it is; absent: the platform's, for bikes of all agents.
    pub agent_id: Option<AgentId>,
    /// 方案名称.
    pub name: String,
    /// 标称电压.
    pub nominal_v: NominalVolts,
    /// 状态: a disabled one is filtered by, and given to no more bikes.
    pub state: SchemeState,
}

/// Schemes in scope by name, at most `most`.
pub async fn choosable(db: impl PgExecutor<'_>, most: i64) -> sqlx::Result<Vec<Choosable>> {
    sqlx::query_as(
        "select scheme_id, agent_id, name, nominal_v, state from read.voltage_scheme order by name, scheme_id limit $1",
    )
    .bind(most)
    .fetch_all(db)
    .await
}
