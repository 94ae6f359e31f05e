//! Views of the operation map (视图): one's own, and those that others share.

use kernel::{List, Position};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AgentId, Choice, MapViewId, Scope};
use wire::{
    Answer, Body, ById, Call, Caller, Changed, Column, Export, Handled, Listed, Listing, MadeId, Nothing,
    Params, Permit, Refused, Routes, given,
};

use crate::Fleet;
use crate::model::map_view::{Audience, Form, MapView, MapViewCommand};
use crate::read::map_views::{self, MapViewRow};

/// Who may see the operation map.
const MAP: Permit = Permit::AnyOf(&["0301"]);

/// The routes.
pub fn routes(fleet: &Fleet) -> Routes {
    Routes::new("fleet")
        .add_list::<ListQuery>(
            MAP,
            Listed {
                path: "/vehicle/map-view",
                operations: ["listMapViews", "exportMapViews"],
                summary: "The caller's own views of the operation map and those that are shared in his scope, newest first.",
            },
        )
        .add(MAP, routes!(create, update, delete))
        .with_state(fleet.clone())
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Part of name or maker's name.
    keyword: Option<String>,
    /// Those that are shared, or that are not.
    audience: Option<Audience>,
    /// Those that the caller made, or that others did.
    mine: Option<bool>,
}

impl Listing for ListQuery {
    type State = Fleet;
    type Row = MapViewRow;
    const READS: &'static [&'static str] = &["map_view"];
    const KEY: &'static str = "v.view_id";
    const FILE: Export<MapViewRow> = Export {
        what: "map-view",
        title: "地图视图",
        columns: &[
            Column::text("name", "视图名称", |row| &row.name),
            Column::text("audience", "可见范围", |row| row.audience.label()),
            Column::text("byName", "创建人", |row| &row.by_name),
            Column::time("createdAt", "创建时间", |row| Some(row.created_at)),
            Column::time("updatedAt", "更新时间", |row| Some(row.updated_at)),
            Column::text("state", "筛选与位置", |row| &row.state),
            Column::made("id", "视图编号", |row| row.id.to_string()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        Ok(map_views::list(scope)
            .contains(&["v.name", "v.by_name"], given(self.keyword.as_ref()))
            .is("v.audience", self.audience.map(Choice::number)))
    }

    /// What is not shared is its maker's alone.
    fn permitted(&self, list: List, caller: &Caller) -> List {
        let reader = caller.operator.map_or(0, |operator| operator.0);
        let list = list.matching(
            &["(v.operator_id = ", " or v.audience = ", ")"],
            vec![reader.into(), Audience::Shared.number().into()],
        );
        match self.mine {
            Some(true) => list.is("v.operator_id", Some(reader)),
            Some(false) => list.matching(&["v.operator_id <> ", ""], vec![reader.into()]),
            None => list,
        }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewMapView {
    #[serde(flatten)]
    content: Form,
    /// Whose it is; absent: the caller's only agent's, or the platform's where he reaches all.
    agent_id: Option<AgentId>,
}

/// Stores what the operation map shows under a name; answers `{id}`.
#[utoipa::path(post, path = "/vehicle/map-view", tag = "fleet", operation_id = "createMapView",
    request_body = NewMapView, responses((status = 200, body = Answer<MadeId>)))]
async fn create(call: Call<Fleet>, Body(body): Body<NewMapView>) -> Handled<Value> {
    let (operator, by) = (call.caller.operator()?, call.caller.named()?);
    let agent = call.caller.owner_of_new(body.agent_id)?;
    // All of his are counted, those beyond his present scope too.
    let newest = Some(Position(i64::MAX));
    let mut db = call.state.runtime.reads.scoped(&Scope::ALL, newest, ListQuery::READS).await?;
    let place = map_views::free_place(&mut *db, operator).await?;
    drop(db);
    let id = MapViewId(call.state.runtime.ids.next_id());
    let command = MapViewCommand::Create { id, agent, operator, by, place, form: body.content };
    call.make::<MapView>(&id, command).await
}

/// Renames a view, shares it or not, or has it show something else. Only its maker may; a stale version is refused.
#[utoipa::path(put, path = "/vehicle/map-view", tag = "fleet", operation_id = "updateMapView",
    request_body = Changed<MapViewId, Form>, responses((status = 200, body = Answer<Nothing>)))]
async fn update(call: Call<Fleet>, Body(changed): Body<Changed<MapViewId, Form>>) -> Handled<Value> {
    let command = MapViewCommand::Change(call.caller.operator()?, changed.form);
    Ok(Answer::replied(call.acted::<MapView>(&changed.id, command, Some(changed.version)).await?))
}

/// Deletes a view. Only its maker may.
#[utoipa::path(delete, path = "/vehicle/map-view", tag = "fleet", operation_id = "deleteMapView",
    params(ById<MapViewId>), responses((status = 200, body = Answer<Nothing>)))]
async fn delete(call: Call<Fleet>, Params(ById { id }): Params<ById<MapViewId>>) -> Handled<Value> {
    call.act::<MapView>(&id, MapViewCommand::Delete(call.caller.operator()?)).await
}
