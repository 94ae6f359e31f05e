//! Voltage schemes (电压方案) of agents and of the platform.

use kernel::{List, Position};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AgentId, Choice, Scope, VoltageSchemeId};
use wire::{
    Answer, Body, ById, Call, Changed, Column, Export, Handled, Listed, Listing, MadeId, Nothing, Params,
    Permit, Record, Refused, Routes, Seen, given,
};

use crate::Fleet;
use crate::model::voltage_scheme::{
    Chemistry, Form, NominalVolts, Point, SchemeState, VoltageScheme, VoltageSchemeCommand,
};
use crate::read::voltage_schemes::{self, Choosable, VoltageSchemeRow};

/// 生产信息.
const PRODUCTION: Permit = Permit::AnyOf(&["06"]);
/// Who binds bikes to schemes or looks for bikes by them.
const CHOOSERS: Permit = Permit::AnyOf(&["0301", "0302", "0305", "0307"]);
/// Schemes to choose from.
const CHOOSABLE_MAX: i64 = 500;

/// The routes.
pub fn routes(fleet: &Fleet) -> Routes {
    Routes::new("fleet")
        .add_list::<ListQuery>(
            PRODUCTION,
            Listed {
                path: "/production/voltageScheme",
                operations: ["listVoltageSchemes", "exportVoltageSchemes"],
                summary: "Voltage schemes of the caller's agents and of the platform, newest first.",
            },
        )
        .add_record::<ListQuery>(
            PRODUCTION,
            Record {
                path: "/production/voltageScheme/{id}",
                operation: "voltageSchemeInfo",
                summary: "One voltage scheme.",
            },
        )
        .add(PRODUCTION, routes!(create, update, delete))
        .add(CHOOSERS, routes!(choices))
        .add(Permit::Machine("open:fleet"), routes!(make_open))
        .with_state(fleet.clone())
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Part of the name.
    keyword: Option<String>,
    /// Those of this agent.
    agent_id: Option<AgentId>,
    /// For this nominal voltage.
    nominal_v: Option<NominalVolts>,
    /// For these cells.
    chemistry: Option<Chemistry>,
    /// Enabled or disabled ones.
    state: Option<SchemeState>,
}

impl Listing for ListQuery {
    type State = Fleet;
    type Row = VoltageSchemeRow;
    const READS: &'static [&'static str] = &["voltage_scheme", "vehicle"];
    const KEY: &'static str = "s.scheme_id";
    const FILE: Export<VoltageSchemeRow> = Export {
        what: "voltage-scheme",
        title: "电压方案",
        columns: &[
            Column::text("name", "方案名称", |row| &row.name),
            Column::text("nominalV", "标称电压", |row| row.nominal_v.label()),
            Column::text("chemistry", "电芯", |row| row.chemistry.label()),
            Column::made("span", "电压范围", |row| {
                let volts = |mv: i64| format!("{:.1} V", mv as f64 / 1_000.0);
                format!("{} – {}", volts(row.min_mv), volts(row.max_mv))
            }),
            Column::count("maxMileageKm", "满电里程（公里）", |row| row.max_mileage_km.into()),
            Column::count("lowPercent", "低电阈值（%）", |row| row.low_percent.into()),
            Column::count("enoughPercent", "充足阈值（%）", |row| row.enough_percent.into()),
            Column::count("boundCount", "绑定车辆", |row| row.bound_count),
            Column::text("state", "状态", |row| row.state.label()),
            Column::made("points", "电压电量表", |row| {
                let point = |point: &Point| format!("{} mV {}%", point.voltage_mv, point.percent);
                row.points.iter().map(point).collect::<Vec<_>>().join("；")
            }),
            Column::time("updatedAt", "更新时间", |row| Some(row.updated_at)),
            Column::time("createdAt", "创建时间", |row| Some(row.created_at)),
            Column::made("agentId", "所属代理编号", |row| {
                row.agent_id.map(|agent| agent.to_string()).unwrap_or_default()
            }),
            Column::made("id", "方案编号", |row| row.id.to_string()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        Ok(voltage_schemes::list(scope)
            .contains(&["s.name"], given(self.keyword.as_ref()))
            .is("s.agent_id", self.agent_id.map(|agent| agent.0))
            .is("s.nominal_v", self.nominal_v.map(Choice::number))
            .is("s.chemistry", self.chemistry.map(Choice::number))
            .is("s.state", self.state.map(Choice::number)))
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewVoltageScheme {
    #[serde(flatten)]
    content: Form,
    /// Whose it is; absent: the caller's only agent's, or the platform's where he reaches all.
    agent_id: Option<AgentId>,
}

/// Creates a voltage scheme; answers `{id}`.
#[utoipa::path(post, path = "/production/voltageScheme", tag = "fleet", operation_id = "createVoltageScheme",
    request_body = NewVoltageScheme, responses((status = 200, body = Answer<MadeId>)))]
async fn create(call: Call<Fleet>, Body(body): Body<NewVoltageScheme>) -> Handled<Value> {
    let agent = call.caller.owner_of_new(body.agent_id)?;
    let id = VoltageSchemeId(call.state.runtime.ids.next_id());
    call.make::<VoltageScheme>(&id, VoltageSchemeCommand::Create { id, agent, form: body.content }).await
}

/// Changes a voltage scheme; what it tells of its bikes changes at once. A stale version is refused.
#[utoipa::path(put, path = "/production/voltageScheme", tag = "fleet", operation_id = "updateVoltageScheme",
    request_body = Changed<VoltageSchemeId, Form>, responses((status = 200, body = Answer<Nothing>)))]
async fn update(call: Call<Fleet>, Body(changed): Body<Changed<VoltageSchemeId, Form>>) -> Handled<Value> {
    let command = VoltageSchemeCommand::Change(changed.form);
    Ok(Answer::replied(call.acted::<VoltageScheme>(&changed.id, command, Some(changed.version)).await?))
}

/// Deletes a voltage scheme that no bike has.
#[utoipa::path(delete, path = "/production/voltageScheme", tag = "fleet", operation_id = "deleteVoltageScheme",
    params(ById<VoltageSchemeId>), responses((status = 200, body = Answer<Nothing>)))]
async fn delete(call: Call<Fleet>, Params(ById { id }): Params<ById<VoltageSchemeId>>) -> Handled<Value> {
    // All of its bikes count, those beyond the caller's scope too.
    let newest = Some(Position(i64::MAX));
    let mut db = call.state.runtime.reads.scoped(&Scope::ALL, newest, &["vehicle"]).await?;
    let bound = voltage_schemes::bound(&mut *db, id).await?;
    drop(db);
    call.act::<VoltageScheme>(&id, VoltageSchemeCommand::Delete { bound }).await
}

/// Voltage schemes to choose.
#[derive(Serialize, ToSchema)]
#[schema(as = VoltageSchemeChoices)]
struct Choices {
    /// By name, at most 500.
    rows: Vec<Choosable>,
}

/// Voltage schemes that bikes in scope may have, for filters and for binding.
#[utoipa::path(get, path = "/vehicle/voltage-scheme", tag = "fleet", operation_id = "chooseVoltageSchemes",
    responses((status = 200, body = Answer<Choices>)))]
async fn choices(call: Call<Fleet>, seen: Seen) -> Handled<Choices> {
    let scope = &call.caller.full_scope;
    let mut db = call.state.runtime.reads.scoped(scope, seen.0, &["voltage_scheme"]).await?;
    Ok(Answer(Choices { rows: voltage_schemes::choosable(&mut *db, CHOOSABLE_MAX).await? }))
}

/// Makes a voltage scheme; one of the same name of the same agent is that scheme, and gets this content. Answers `{id}`.
#[utoipa::path(post, path = "/open/v1/voltage-schemes", tag = "open", operation_id = "makeOpenVoltageScheme",
    request_body = NewVoltageScheme, responses((status = 200, body = Answer<MadeId>)))]
async fn make_open(call: Call<Fleet>, Body(body): Body<NewVoltageScheme>) -> Handled<Value> {
    let NewVoltageScheme { content: form, agent_id } = body;
    let agent = call.caller.owner_of_new(agent_id)?;
    let newest = Some(Position(i64::MAX));
    let mut db = call.state.runtime.reads.scoped(&call.caller.full_scope, newest, ListQuery::READS).await?;
    let known = voltage_schemes::named(&mut *db, agent, form.name.trim()).await?;
    drop(db);
    let id = known.unwrap_or_else(|| VoltageSchemeId(call.state.runtime.ids.next_id()));
    let command = match known {
        Some(_) => VoltageSchemeCommand::Change(form),
        None => VoltageSchemeCommand::Create { id, agent, form },
    };
    call.make::<VoltageScheme>(&id, command).await
}
