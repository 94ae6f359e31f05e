//! Table `map_view`: what operators stored of the operation map.

use kernel::{After, Fold, List, Recorded, row};
use serde::Serialize;
use sqlx::PgExecutor;
use utoipa::ToSchema;
use vocabulary::{AgentId, DataOwner, MapViewId, OperatorId, Scope};

use crate::model::map_view::{Audience, MapView, MapViewEvent};

row! {
    /// A view of the operation map. Times are epoch milliseconds.
    #[derive(Clone, Debug, Default, Serialize, ToSchema, sqlx::FromRow)]
    #[serde(rename_all = "camelCase")]
    pub struct MapViewRow {
        /// Its id, as text.
        pub id: MapViewId = "view_id",
        /// Whose it is; absent: the platform's.
        pub agent_id: Option<AgentId>,
        /// Who made it; nobody else changes it.
        pub operator_id: OperatorId,
        /// 创建人.
        pub by_name: String,
        #[serde(skip)]
        place: i16,
        /// 名称.
        pub name: String,
        /// 可见范围.
        pub audience: Audience,
        /// What it shows: query text.
        pub state: String,
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

impl Fold for MapViewRow {
    type Of = MapView;
    const TABLE: &'static str = "map_view";
    const KEY: &'static str = "view_id";

    fn fold(row: Option<Self>, event: MapViewEvent, recorded: &Recorded) -> After<Self> {
        let at = recorded.recorded_at.millis();
        let (version, position) = (recorded.version, recorded.position.0);
        Ok(match event {
            MapViewEvent::Created { id, agent, operator, by, place, form } => Some(Self {
                id,
                agent_id: agent,
                operator_id: operator,
                by_name: by.known().cloned().unwrap_or_default(),
                place: i16::try_from(place)?,
                name: form.name,
                audience: form.audience,
                state: form.state,
                created_at: at,
                updated_at: at,
                version,
                position,
            }),
            MapViewEvent::Changed(form) => Some(Self {
                name: form.name,
                audience: form.audience,
                state: form.state,
                updated_at: at,
                version,
                position,
                ..recorded.begin(row)?
            }),
            MapViewEvent::Deleted => None,
        })
    }

    fn owner(&self) -> DataOwner {
        DataOwner { agent: self.agent_id, area: None }
    }
}

/// Views in scope, newest first, whoever may see them.
pub fn list(scope: &Scope) -> List {
    List::new("v.*", "read.map_view v", "v.created_at_ms desc, v.view_id desc").of_agents("v.agent_id", scope)
}

/// The lowest number that none of this person's views has.
pub async fn free_place(db: impl PgExecutor<'_>, operator: OperatorId) -> sqlx::Result<u16> {
    let taken: Vec<i16> = sqlx::query_scalar("select place from read.map_view where operator_id = $1")
        .bind(operator)
        .fetch_all(db)
        .await?;
    let is_free = |place: &u16| !taken.iter().any(|taken| i32::from(*taken) == i32::from(*place));
    Ok((0..u16::MAX).find(is_free).unwrap_or(u16::MAX))
}
