//! Table `crew`: who looks after the maintenance areas; and these, each a fence of its kind with its people.

use std::collections::BTreeSet;

use geofence::{FenceKind, Shape};
use kernel::{After, Fold, List, Recorded};
use serde::{Deserialize, Serialize};
use sqlx::PgExecutor;
use sqlx::types::Json;
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId, DataOwner, FenceId, OperatorId, Phone, Scope};

use super::fences::FenceRow;
use crate::model::crew::{Crew, CrewEvent, Kpi, KpiForm, People};
use crate::ports::Person;

/// Shown for an account that there is no more.
const GONE: &str = "已删除";

/// A row of `crew`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    fence_id: FenceId,
    area_id: AreaId,
    agent_id: AgentId,
    leaders: People,
    checkers: People,
    maintainers: People,
    change_power_persons: People,
    move_car_persons: People,
    max_parking_number: i32,
    #[serde(flatten)]
    kpi: Kpi,
    updated_at_ms: i64,
    version: i64,
}

impl Fold for Row {
    type Of = Crew;
    const TABLE: &'static str = "crew";
    const KEY: &'static str = "fence_id";

    fn fold(_: Option<Self>, event: CrewEvent, recorded: &Recorded) -> After<Self> {
        let CrewEvent::Assigned { post, terms } = event;
        Ok(Some(Self {
            fence_id: post.fence_id,
            area_id: post.area_id,
            agent_id: post.agent_id,
            leaders: terms.leaders,
            checkers: terms.checkers,
            maintainers: terms.maintainers,
            change_power_persons: terms.change_power_persons,
            move_car_persons: terms.move_car_persons,
            max_parking_number: terms.max_parking_number,
            kpi: terms.kpi,
            updated_at_ms: recorded.recorded_at.millis(),
            version: recorded.version,
        }))
    }

    fn owner(&self) -> DataOwner {
        DataOwner::of_area(self.agent_id, self.area_id)
    }
}

/// A person who may look after an area.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CrewMember {
    /// His account, as text.
    #[schema(value_type = String)]
    pub id: OperatorId,
    /// His name.
    pub name: String,
    /// His phone, without its middle; empty when there is no such account any more.
    pub phone: String,
    /// 工种: 1 换电员, 2 挪车员, 3 维修员, 4 巡检员, 5 负责人.
    #[schema(required)]
    pub profession: Option<i16>,
    /// 1, or 0 when his account is disabled or gone.
    pub state: i16,
}

impl From<Person> for CrewMember {
    fn from(person: Person) -> Self {
        Self {
            id: person.id,
            name: person.name,
            phone: person.phone.as_ref().map_or_else(String::new, Phone::masked),
            profession: person.profession,
            state: person.enabled.into(),
        }
    }
}

impl CrewMember {
    const fn gone(id: OperatorId) -> Self {
        Self { id, name: String::new(), phone: String::new(), profession: None, state: 0 }
    }
}

/// A maintenance area as lists, its drawer and its form show it.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct MaintenanceArea {
    /// The area as a fence. Its `version` tells of the people too, and is to be sent with a change of either.
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub fence: FenceRow,
    /// What the calls on the fence alone want as its version.
    pub fence_version: i64,
    /// Its people as they are stored; nothing of one that was drawn without any.
    #[sqlx(json(nullable))]
    #[serde(skip)]
    pub crew: Option<Row>,
    /// 负责人.
    #[sqlx(skip)]
    pub leaders: Vec<CrewMember>,
    /// 巡检员.
    #[sqlx(skip)]
    pub checkers: Vec<CrewMember>,
    /// 维修员.
    #[sqlx(skip)]
    pub maintainers: Vec<CrewMember>,
    /// 换电员.
    #[sqlx(skip)]
    pub change_power_persons: Vec<CrewMember>,
    /// 挪车员.
    #[sqlx(skip)]
    pub move_car_persons: Vec<CrewMember>,
    /// 停放上限, bikes; 0: none.
    #[sqlx(skip)]
    pub max_parking_number: i32,
    /// How soon work is to be done; null before people were assigned.
    #[sqlx(skip)]
    #[schema(required)]
    pub kpi: Option<KpiForm>,
    /// Parking places that count now and have their middle in it; null while it does not count itself.
    #[sqlx(skip)]
    #[schema(required)]
    pub station_count: Option<i64>,
    /// Bikes on the streets whose last fix lies in it; null while it does not count itself.
    #[sqlx(skip)]
    #[schema(required)]
    pub vehicle_count: Option<i64>,
}

impl MaintenanceArea {
    /// Everybody in it.
    pub fn people(&self) -> People {
        let Some(crew) = &self.crew else { return People::new() };
        let all = [
            &crew.leaders,
            &crew.checkers,
            &crew.maintainers,
            &crew.change_power_persons,
            &crew.move_car_persons,
        ];
        all.into_iter().flatten().copied().collect()
    }

    /// With its people as `named` knows them; who is not among these has no account any more.
    pub fn man(&mut self, named: impl Fn(OperatorId) -> Option<CrewMember>) {
        let Some(crew) = &self.crew else { return };
        let members = |people: &People| -> Vec<CrewMember> {
            let member = |id: &OperatorId| {
                named(*id).unwrap_or_else(|| CrewMember { name: GONE.to_owned(), ..CrewMember::gone(*id) })
            };
            people.iter().map(member).collect()
        };
        self.leaders = members(&crew.leaders);
        self.checkers = members(&crew.checkers);
        self.maintainers = members(&crew.maintainers);
        self.change_power_persons = members(&crew.change_power_persons);
        self.move_car_persons = members(&crew.move_car_persons);
        self.max_parking_number = crew.max_parking_number;
        self.kpi = Some(crew.kpi.into());
    }
}

/// Maintenance areas in scope, newest change of the edge first.
pub fn list(scope: &Scope) -> List {
    List::new(
        "f.fence_id, f.kind, f.area_id, a.name as area_name, f.enabled::int::smallint as state, f.data_version, v.from_at_ms,
         v.until_at_ms, f.draft is not null as has_draft, coalesce(f.draft, v.drawing) as drawing, f.photo_ids,
         greatest(f.updated_at_ms, c.updated_at_ms) as updated_at_ms, f.version + coalesce(c.version, 0) as version,
         f.version as fence_version, to_jsonb(c) as crew,
         (select n.data_version from read.fence_version n where n.fence_id = f.fence_id
              and n.counts @> (extract(epoch from now()) * 1000)::bigint) as counts_version",
        "read.fence f left join read.crew c on c.fence_id = f.fence_id left join read.area a on a.area_id = f.area_id
         left join read.fence_version v on v.fence_id = f.fence_id and v.data_version = f.data_version",
        "f.updated_at_ms desc, f.fence_id desc",
    )
    .of_agents("f.agent_id", scope)
    .of_areas("f.area_id", scope)
    .is("f.deleted", Some(false))
    .is("f.kind", Some(FenceKind::Maintenance.number()))
}

/// Of the list those in which somebody works.
#[must_use]
pub fn of_person(list: List, person: Option<OperatorId>) -> List {
    let Some(person) = person else { return list };
    let works = [
        "",
        " = any(c.leaders || c.checkers || c.maintainers || c.change_power_persons || c.move_car_persons)",
    ];
    list.matching(&works, vec![person.0.into()])
}

/// The edges of these maintenance areas, of those that count at an instant.
pub async fn edges(
    db: impl PgExecutor<'_>,
    areas: &[FenceId],
    at_ms: i64,
) -> sqlx::Result<Vec<(FenceId, Json<Shape>)>> {
    let ids: Vec<i64> = areas.iter().map(|area| area.0).collect();
    sqlx::query_as(
        "select fence_id, drawing -> 'shape' from read.fence_version where fence_id = any($1) and counts @> $2::bigint",
    )
    .bind(ids)
    .bind(at_ms)
    .fetch_all(db)
    .await
}

/// The parking places of these service areas that count at an instant.
pub async fn stations(
    db: impl PgExecutor<'_>,
    areas: &BTreeSet<AreaId>,
    at_ms: i64,
) -> sqlx::Result<Vec<(AreaId, Json<Shape>)>> {
    let ids: Vec<i64> = areas.iter().map(|area| area.0).collect();
    sqlx::query_as(
        "select area_id, drawing -> 'shape' from read.fence_version
         where area_id = any($1) and kind = 2 and counts @> $2::bigint",
    )
    .bind(ids)
    .bind(at_ms)
    .fetch_all(db)
    .await
}

/// The maintenance area of a service area that is called so.
pub async fn called(db: impl PgExecutor<'_>, area: AreaId, name: &str) -> sqlx::Result<Option<FenceId>> {
    sqlx::query_scalar(
        "select fence_id from read.fence where area_id = $1 and name = $2 and kind = 8 and not deleted limit 1",
    )
    .bind(area)
    .bind(name)
    .fetch_optional(db)
    .await
}
