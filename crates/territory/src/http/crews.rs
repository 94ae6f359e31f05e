//! Maintenance areas: fences of their kind, with the people who look after them and how soon.

use kernel::{List, ReadTx};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AreaId, DataOwner, FenceId, OperatorId, Phone, Scope};
use wire::{
    Answer, Body, Call, Caller, Column, Export, Handled, Listed, Listing, MadeId, Nothing, Params, Permit,
    Record, Refused, Routes,
};

use super::fences::{area_of, found, no_area, refused, stage};
use crate::Context;
use crate::app::NEWEST;
use crate::model::area::Area;
use crate::model::crew::{Form, Post};
use crate::model::fence::{FenceCommand, FenceRefusal};
use crate::model::fence_form::{FenceForm, FenceType};
use crate::read::crews::{self, CrewMember, MaintenanceArea};

const MAINTAINED: Permit = Permit::AnyOf(&["0908"]);
/// People to choose from that one answer has.
const CHOICES_MAX: i64 = 50;

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory")
        .add_list::<ListQuery>(
            MAINTAINED,
            Listed {
                path: "/ops/area",
                operations: ["listMaintenanceAreas", "exportMaintenanceAreas"],
                summary: "Maintenance areas in scope with their people, newest change of the edge first.",
            },
        )
        .add_record::<ListQuery>(
            MAINTAINED,
            Record {
                path: "/ops/area/info",
                operation: "maintenanceAreaInfo",
                summary: "One maintenance area.",
            },
        )
        .add(MAINTAINED, routes!(create, update, delete))
        .add(MAINTAINED, routes!(people))
        .add(Permit::Machine("open:territory"), routes!(register))
        .with_state(context.clone())
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Part of the name.
    keyword: Option<String>,
    /// Those of this service area.
    op_area_id: Option<AreaId>,
    /// Those in which this person works.
    #[param(value_type = Option<String>)]
    person_id: Option<OperatorId>,
}

impl Listing for ListQuery {
    type State = Context;
    type Row = MaintenanceArea;
    const READS: &'static [&'static str] = &["fence", "crew", "area"];
    const KEY: &'static str = "f.fence_id";
    const FILE: Export<MaintenanceArea> = Export {
        what: "maintenance-area",
        title: "运维区",
        columns: &[
            Column::text("name", "名称", |row| &row.fence.drawn.name),
            Column::text("state", "状态", |row| stage(&row.fence)),
            Column::text("areaName", "服务区", |row| row.fence.area_name.as_deref().unwrap_or_default()),
            Column::made("leaders", "负责人", |row| names(&row.leaders)),
            Column::made("checkers", "巡检", |row| row.checkers.len().to_string()),
            Column::made("maintainers", "维修", |row| row.maintainers.len().to_string()),
            Column::made("changePowerPersons", "换电", |row| row.change_power_persons.len().to_string()),
            Column::made("moveCarPersons", "挪车", |row| row.move_car_persons.len().to_string()),
            Column::made("stationCount", "站点", |row| figure(row.station_count)),
            Column::made("vehicleCount", "车辆", |row| figure(row.vehicle_count)),
            Column::made("sla", "时限", within),
            Column::time("updatedAt", "更新时间", |row| Some(row.fence.updated_at)),
            Column::made("maxParkingNumber", "停放上限", |row| row.max_parking_number.to_string()),
            Column::made("areaM2", "面积", |row| format!("{:.1} m²", row.fence.drawn.area_m2)),
            Column::made("tags", "标签", |row| row.fence.drawn.tags.join("、")),
            Column::text("remark", "备注", |row| &row.fence.drawn.remark),
            Column::made("id", "运维区编号", |row| row.fence.id.to_string()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let list = crews::list(scope)
            .contains(&["f.name"], self.keyword.as_deref())
            .is("f.area_id", self.op_area_id.map(|area| area.0));
        Ok(crews::of_person(list, self.person_id))
    }

    /// With the names of their people, and what lies in them.
    async fn shown(
        context: &Context,
        db: ReadTx,
        found: Vec<MaintenanceArea>,
    ) -> Result<Vec<MaintenanceArea>, Refused> {
        context.show_maintained(db, found).await
    }
}

/// The people by name; of those who cannot work that they cannot.
fn names(people: &[CrewMember]) -> String {
    let name = |one: &CrewMember| {
        let unable = if one.state == 0 { "（已停用）" } else { "" };
        format!("{}{unable}", one.name)
    };
    people.iter().map(name).collect::<Vec<_>>().join("、")
}

fn figure(count: Option<i64>) -> String {
    count.map_or_else(String::new, |count| count.to_string())
}

/// How soon work is to be done, in a few words.
fn within(row: &MaintenanceArea) -> String {
    row.kpi.map_or_else(String::new, |kpi| kpi.to_string())
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewMaintenanceArea {
    /// The service area it lies in.
    #[schema(value_type = String)]
    op_area_id: AreaId,
    /// Whether the edge is kept as a draft, which counts for nobody; otherwise it counts from now on.
    #[serde(default)]
    draft: bool,
    /// Login phone of a 负责人; alone the only one.
    #[schema(value_type = Option<String>)]
    manager: Option<Phone>,
    #[serde(flatten)]
    edge: FenceForm,
    #[serde(flatten)]
    crew: Form,
}

/// Draws a maintenance area and puts people in charge of it: both or nothing; answers `{id}`.
#[utoipa::path(post, path = "/ops/area", tag = "territory", operation_id = "createMaintenanceArea",
    request_body = NewMaintenanceArea, responses((status = 200, body = Answer<MadeId>)))]
async fn create(call: Call<Context>, Body(body): Body<NewMaintenanceArea>) -> Handled<Value> {
    let Call { state: context, caller, request } = &call;
    let (area, agent_id) = area_of(&call, body.op_area_id).await?;
    let fence_id = FenceId(context.runtime.ids.next_id());
    let post = Post { fence_id, area_id: body.op_area_id, agent_id };
    let drawing =
        body.edge.drawing(fence_id, post.area_id, agent_id, FenceType::Maintain).map_err(refused)?;
    let people = context.assignment(caller, post, body.crew, body.manager.as_ref()).await?;
    let drawn = FenceCommand::drawn(body.draft, drawing, area);
    let ctx = request.context_of_account(json!({ "id": fence_id.to_string() }));
    Ok(Answer::replied(context.keep_maintained(drawn, &people, None, &ctx).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ChangedMaintenanceArea {
    #[schema(value_type = String)]
    id: FenceId,
    /// The service area it lies in; absent: the one that it lies in. It goes to no other one.
    #[schema(value_type = Option<String>)]
    op_area_id: Option<AreaId>,
    /// Whether the edge is kept as a draft; otherwise it counts so from now on. Its people work from now on in either case.
    #[serde(default)]
    draft: bool,
    /// The version that the editor saw; another one is refused.
    version: i64,
    /// Login phone of a 负责人; alone the only one.
    #[schema(value_type = Option<String>)]
    manager: Option<Phone>,
    #[serde(flatten)]
    edge: FenceForm,
    #[serde(flatten)]
    crew: Form,
}

/// Draws a maintenance area anew and changes its people: both or nothing. An edge that is the same is no new version.
#[utoipa::path(put, path = "/ops/area", tag = "territory", operation_id = "updateMaintenanceArea",
    request_body = ChangedMaintenanceArea, responses((status = 200, body = Answer<Nothing>)))]
async fn update(call: Call<Context>, Body(body): Body<ChangedMaintenanceArea>) -> Handled<Value> {
    let known = maintained(&call, body.id).await?;
    if body.op_area_id.is_some_and(|area| area != known.post.area_id) {
        return Err(refused(FenceRefusal::Different));
    }
    let Call { state: context, caller, request } = &call;
    let Maintained { post, edge: area } = known;
    let drawing =
        body.edge.drawing(body.id, post.area_id, post.agent_id, FenceType::Maintain).map_err(refused)?;
    let people = context.assignment(caller, post, body.crew, body.manager.as_ref()).await?;
    let drawn = FenceCommand::drawn(body.draft, drawing, area);
    let ctx = request.context_of_account(json!({}));
    Ok(Answer::replied(context.keep_maintained(drawn, &people, Some(body.version), &ctx).await?))
}

/// A maintenance area that the caller may see and change.
struct Maintained {
    post: Post,
    /// The edge of its service area.
    edge: geofence::Ring,
}

async fn maintained(call: &Call<Context>, id: FenceId) -> Result<Maintained, Refused> {
    let fence = found(call, id).await?;
    if fence.kind != FenceType::Maintain {
        return Err(Refused::not_found());
    }
    let post = Post { fence_id: id, area_id: fence.area, agent_id: fence.agent };
    Ok(Maintained { post, edge: fence.edge })
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Gone {
    #[param(value_type = String)]
    id: FenceId,
    /// The version that the editor saw; another one is refused.
    version: Option<i64>,
}

/// Takes a maintenance area away. Its parking places and bikes are in none then, until another one is drawn around them.
#[utoipa::path(delete, path = "/ops/area", tag = "territory", operation_id = "deleteMaintenanceArea",
    params(Gone), responses((status = 200, body = Answer<Nothing>)))]
async fn delete(call: Call<Context>, Params(gone): Params<Gone>) -> Handled<Value> {
    maintained(&call, gone.id).await?;
    let ctx = call.request.context_of_account(json!({}));
    let done = call.state.change_maintained(gone.id, FenceCommand::Delete, gone.version, &ctx).await?;
    Ok(Answer::replied(done))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct Search {
    /// Part of the name, the whole phone, or the id of an account.
    #[serde(default)]
    keyword: String,
    /// Enabled people who see this service area; absent: all in the caller's scope.
    op_area_id: Option<AreaId>,
}

/// People to choose from.
#[derive(Debug, Serialize, ToSchema)]
struct CrewChoices {
    /// By name, at most 50.
    rows: Vec<CrewMember>,
}

/// People in scope who may look after a maintenance area.
#[utoipa::path(get, path = "/ops/area/people", tag = "territory", operation_id = "maintenancePeople", params(Search),
    responses((status = 200, body = Answer<CrewChoices>)))]
async fn people(call: Call<Context>, Params(search): Params<Search>) -> Handled<CrewChoices> {
    let Call { state: context, caller, .. } = &call;
    let place = match search.op_area_id {
        None => None,
        Some(area) => Some(place_of(context, caller, area).await?),
    };
    let found = context.ports.people.found(&caller.full_scope, search.keyword.trim(), place, CHOICES_MAX);
    let rows = found.await.map_err(Refused::unavailable)?.into_iter().map(CrewMember::from).collect();
    Ok(Answer(CrewChoices { rows }))
}

/// Whose a service area in the caller's scope is.
async fn place_of(context: &Context, caller: &Caller, area: AreaId) -> Result<DataOwner, Refused> {
    let known = context.runtime.desk.load::<Area>(&area).await?.state;
    let place = known.agent().map(|agent| DataOwner::of_area(agent, area));
    place.filter(|place| caller.full_scope.contains(*place)).ok_or_else(no_area)
}

/// A maintenance area.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OpenMaintenanceArea {
    /// The service area it lies in.
    #[schema(value_type = String)]
    area_id: AreaId,
    /// Login phone of its 负责人.
    #[schema(value_type = String)]
    manager: Phone,
    #[serde(flatten)]
    edge: FenceForm,
}

/// What became of it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MaintenanceAreaGiven {
    /// As text.
    fence_id: String,
}

/// Draws a maintenance area that counts from now on, led by one person. The same name in the same service area again gives
/// the same id and changes nothing.
#[utoipa::path(post, path = "/open/v1/maintenance-areas", tag = "open", request_body = OpenMaintenanceArea,
    responses((status = 200, body = Answer<MaintenanceAreaGiven>)))]
async fn register(call: Call<Context>, Body(body): Body<OpenMaintenanceArea>) -> Handled<Value> {
    let Call { state: context, caller, request } = &call;
    let (area, agent_id) = area_of(&call, body.area_id).await?;
    let mut db = context.runtime.reads.scoped(&caller.full_scope, NEWEST, &["fence"]).await?;
    let known = crews::called(&mut *db, body.area_id, body.edge.name().trim()).await?;
    drop(db);
    if let Some(known) = known {
        return Ok(Answer(json!({ "fenceId": known.to_string() })));
    }
    let fence_id = FenceId(context.runtime.ids.next_id());
    let post = Post { fence_id, area_id: body.area_id, agent_id };
    let drawing =
        body.edge.drawing(fence_id, post.area_id, agent_id, FenceType::Maintain).map_err(refused)?;
    let people = context.assignment(caller, post, Form::default(), Some(&body.manager)).await?;
    let ctx = request.context_of_account(json!({ "fenceId": fence_id.to_string() }));
    let drawn = FenceCommand::Draw { drawing, area };
    Ok(Answer::replied(context.keep_maintained(drawn, &people, None, &ctx).await?))
}
