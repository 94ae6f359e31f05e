//! Roles.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::State;
use kernel::List;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use vocabulary::{AgentId, PermissionCode, RoleId, Scope};
use wire::{
    Answer, BATCH_MAX, BatchAnswer, Body, Caller, Column, Export, Handled, Listing, MadeId, Nothing, Params,
    Refused, RequestContext, Seen, batch, given, number,
};

use super::{OnOff, on_off};
use crate::Access;
use crate::model::level::Tier;
use crate::model::role::{RoleForm, riding_state};
use crate::read::roles::{self, RoleOption, RoleRow, ViewConfig};

const READS: [&str; 2] = ["role", "operator"];

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListQuery {
    /// Part of name or remark.
    keyword: Option<String>,
    /// 0 disabled, 1 enabled.
    state: Option<String>,
}

impl Listing for ListQuery {
    type State = Arc<Access>;
    type Row = RoleRow;
    const READS: &'static [&'static str] = &READS;
    const KEY: &'static str = "r.role_id";
    const FILE: Export<RoleRow> = Export {
        what: "role",
        title: "角色列表",
        columns: &[
            Column::text("name", "角色名称", |row| &row.name),
            Column::text("tier", "级别", |row| tier_label(row.tier)),
            Column::enabled("state", "状态", |row| row.state == 1),
            Column::made("codes", "权限数", |row| row.codes.len().to_string()),
            Column::made("viewConfig", "可见车辆", |row| view_label(&row.view_config)),
            Column::count("userCount", "关联用户", |row| row.user_count.into()),
            Column::text("remark", "备注", |row| &row.remark),
            Column::text("updatedBy", "更新人", |row| row.updated_by.as_deref().unwrap_or_default()),
            Column::time("updatedAt", "更新时间", |row| Some(row.updated_at)),
            Column::made("id", "角色编号", |row| row.id.to_string()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        Ok(roles::list(scope)
            .contains(&["r.name", "r.remark"], given(self.keyword.as_ref()))
            .is("r.enabled", on_off("state", self.state.as_ref())?))
    }
}

fn view_label(view: &ViewConfig) -> String {
    let ranges = view.car_ranges.iter().map(|range| format!("{}–{}", range.from, range.to));
    let states = view.riding_states.iter().filter_map(|state| riding_state(*state)).map(str::to_owned);
    let schemes = Some(view.voltage_scheme_ids.len()).filter(|count| *count > 0);
    let schemes = schemes.map(|count| format!("{count} 个电压方案"));
    let parts: Vec<String> = ranges.chain(states).chain(schemes).collect();
    if parts.is_empty() { "全部".to_owned() } else { parts.join("、") }
}

fn tier_label(tier: i16) -> &'static str {
    let known = u8::try_from(tier).ok().and_then(|tier| Tier::try_from(tier).ok());
    known.map_or("", Tier::name)
}

/// What people fill in.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RoleBody {
    /// 1 to 20 characters, unique within its agent.
    name: String,
    /// 1 管理员, 2 运营, 4 运维, 8 生产; 2 when absent.
    tier: Option<u8>,
    /// At most 200 characters.
    #[serde(default)]
    remark: String,
    /// At least one; none that the caller does not hold.
    #[schema(value_type = Vec<String>)]
    codes: BTreeSet<PermissionCode>,
    /// Which bikes its holders see, none that the caller does not see; absent: as it was, of a new role every one.
    view_config: Option<ViewConfig>,
}

impl RoleBody {
    fn form(self) -> Result<RoleForm, Refused> {
        let tier = self.tier.map_or(Ok(Tier::Operations), Tier::try_from);
        let tier = tier.map_err(|error| Refused::business("level-bad", error.to_string()))?;
        let Self { name, remark, codes, view_config, .. } = self;
        Ok(RoleForm { name, tier, remark, codes, view: view_config.map(Into::into) })
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewRole {
    #[serde(flatten)]
    content: RoleBody,
    /// 0 disabled, 1 enabled (when absent).
    #[schema(value_type = Option<u8>)]
    state: Option<OnOff>,
    /// The agent that it belongs to; absent: the platform's, or the caller's own.
    #[schema(value_type = Option<String>)]
    agent_id: Option<AgentId>,
}

/// Creates a role; answers `{id}`.
#[utoipa::path(post, path = "/platform/permission/role", tag = "access", operation_id = "createRole",
    request_body = NewRole, responses((status = 200, body = Answer<MadeId>)))]
pub(crate) async fn create(
    State(access): State<Arc<Access>>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<NewRole>,
) -> Handled<Value> {
    let enabled = body.state.is_none_or(|state| state.0);
    let agent = body.agent_id.filter(|agent| agent.0 != 0);
    Ok(Answer::replied(access.create_role(&request, &caller, agent, body.content.form()?, enabled).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangedRole {
    #[schema(value_type = String)]
    id: RoleId,
    #[serde(flatten)]
    content: RoleBody,
    /// The version that the editor saw.
    version: i64,
}

/// Changes a role; a stale version is refused.
#[utoipa::path(put, path = "/platform/permission/role", tag = "access", operation_id = "updateRole",
    request_body = ChangedRole, responses((status = 200, body = Answer<Nothing>)))]
pub(crate) async fn update(
    State(access): State<Arc<Access>>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<ChangedRole>,
) -> Handled<Value> {
    let receipt = access.change_role(&request, &caller, body.id, body.content.form()?, body.version).await?;
    Ok(Answer::replied(receipt))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct RoleQuery {
    /// The role.
    #[param(value_type = String)]
    id: String,
    /// The version that the caller saw, when he says so.
    version: Option<String>,
}

impl RoleQuery {
    fn role(&self) -> Result<RoleId, Refused> {
        number("id", Some(&self.id))?.ok_or_else(|| Refused::malformed("请求参数 id 不能为空"))
    }
}

/// Deletes a role that nobody holds.
#[utoipa::path(delete, path = "/platform/permission/role", tag = "access", operation_id = "deleteRole",
    params(RoleQuery), responses((status = 200, body = Answer<Nothing>)))]
pub(crate) async fn delete(
    State(access): State<Arc<Access>>,
    caller: Caller,
    request: RequestContext,
    Params(query): Params<RoleQuery>,
) -> Handled<Value> {
    let version = number("version", query.version.as_ref())?;
    Ok(Answer::replied(access.delete_role(&request, &caller, query.role()?, version).await?))
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct RoleState {
    /// The role; or `ids`.
    #[schema(value_type = Option<String>)]
    id: Option<RoleId>,
    /// Roles, at most 200: each is judged alone and the answer tells what became of it.
    #[schema(value_type = Option<Vec<String>>)]
    ids: Option<Vec<RoleId>>,
    /// 0 disabled, 1 enabled.
    #[schema(value_type = u8)]
    state: OnOff,
}

/// Enables or disables one role or several: their codes come or go at once.
#[utoipa::path(post, path = "/platform/permission/role/state", tag = "access", operation_id = "setRoleState",
    request_body = RoleState, responses((status = 200, body = Answer<BatchAnswer>)))]
pub(crate) async fn state(
    State(access): State<Arc<Access>>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<RoleState>,
) -> Handled<BatchAnswer> {
    let enabled = body.state.0;
    match (body.id, body.ids) {
        (Some(role), None) => {
            let receipt = access.set_role_state(&request, &caller, role, enabled).await?;
            Ok(Answer::at(BatchAnswer::default(), &receipt))
        }
        (None, Some(roles)) => {
            let roles = batch(roles, BATCH_MAX)?;
            Ok(access.set_role_states(&request, &caller, &roles, enabled).await?.answer())
        }
        _ => Err(Refused::malformed("请求参数应为 id 或 ids 之一")),
    }
}

/// Enabled roles, for pickers; at most 1000.
#[utoipa::path(get, path = "/platform/permission/role/enable", tag = "access", operation_id = "enabledRoles",
    responses((status = 200, body = Answer<Vec<RoleOption>>)))]
pub(crate) async fn enabled(
    State(access): State<Arc<Access>>,
    caller: Caller,
    Seen(seen): Seen,
) -> Handled<Vec<RoleOption>> {
    let mut db = access.runtime.reads.scoped(&caller.full_scope, seen, &READS).await?;
    Ok(Answer(roles::options(&mut db).await?))
}
