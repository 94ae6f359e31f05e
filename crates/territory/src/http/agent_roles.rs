//! Role templates of agents, and the tree that they are chosen from.

use axum::extract::State;
use kernel::{CommandError, List, Position};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::IntoParams;
use utoipa_axum::routes;
use vocabulary::{AgentRoleId, PermissionCode, Scope};
use wire::{
    Answer, Body, ById, Call, Caller, Changed, Column, Export, Handled, Listed, Listing, MadeId, Nothing,
    Params, Permit, Record, Refused, Routes,
};

use crate::Context;
use crate::app::agents::held;
use crate::model::agent_role::{self, AgentRole, AgentRoleCommand, Form};
use crate::ports::Branch;
use crate::read::agent_roles::{self, AgentRoleRow};
use crate::read::agents;

const TEMPLATES: Permit = Permit::AnyOf(&["1102"]);

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory")
        .add_list::<ListQuery>(
            TEMPLATES,
            Listed {
                path: "/platform/agent/role",
                operations: ["listAgentRoles", "exportAgentRoles"],
                summary: "Role templates, newest first.",
            },
        )
        .add_record::<ListQuery>(
            TEMPLATES,
            Record {
                path: "/platform/agent/role/{id}",
                operation: "agentRoleInfo",
                summary: "One role template.",
            },
        )
        .add(TEMPLATES, routes!(create, update, delete))
        .add(TEMPLATES, routes!(tree))
        .add(TEMPLATES, routes!(admin_tree))
        .with_state(context.clone())
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Part of name or remark.
    keyword: Option<String>,
}

impl Listing for ListQuery {
    type State = Context;
    type Row = AgentRoleRow;
    const READS: &'static [&'static str] = &["agent_role", "agent"];
    const KEY: &'static str = "r.role_id";
    const FILE: Export<AgentRoleRow> = Export {
        what: "agent-role",
        title: "角色模板",
        columns: &[
            Column::text("name", "模板名称", |row| &row.name),
            Column::made("codes", "权限数", |row| row.codes.len().to_string()),
            Column::count("agentCount", "使用代理", |row| row.agent_count),
            Column::text("remark", "备注", |row| &row.remark),
            Column::time("updatedAt", "更新时间", |row| Some(row.updated_at)),
            Column::made("id", "模板编号", |row| row.id.to_string()),
        ],
    };

    fn list(&self, _: &Scope) -> Result<List, Refused> {
        Ok(agent_roles::list().contains(&["r.name", "r.remark"], self.keyword.as_deref()))
    }
}

/// Templates are the platform's, and made of codes that there are.
fn may_keep(call: &Call<Context>, form: Option<&Form>) -> Result<(), Refused> {
    agent_role::may_keep(&call.caller.full_scope).map_err(CommandError::Refused)?;
    let is_unknown = |code: &&_| call.state.ports.permissions.title(PermissionCode::as_str(code)).is_none();
    match form.and_then(|form| form.codes.iter().find(is_unknown)) {
        Some(code) => Err(Refused::business("permission-unknown", format!("权限码不存在：{code}"))),
        None => Ok(()),
    }
}

/// Creates a role template; answers `{id}`.
#[utoipa::path(post, path = "/platform/agent/role", tag = "territory", operation_id = "createAgentRole",
    request_body = Form, responses((status = 200, body = Answer<MadeId>)))]
async fn create(call: Call<Context>, Body(form): Body<Form>) -> Handled<Value> {
    may_keep(&call, Some(&form))?;
    let id = AgentRoleId(call.state.runtime.ids.next_id());
    call.make::<AgentRole>(&id, AgentRoleCommand::Create(id, form, held(&call.caller))).await
}

/// Changes a role template; the rights of its agents' people change at once. A stale version is refused.
#[utoipa::path(put, path = "/platform/agent/role", tag = "territory", operation_id = "updateAgentRole",
    request_body = Changed<AgentRoleId, Form>, responses((status = 200, body = Answer<Nothing>)))]
async fn update(call: Call<Context>, Body(changed): Body<Changed<AgentRoleId, Form>>) -> Handled<Value> {
    may_keep(&call, Some(&changed.form))?;
    let command = AgentRoleCommand::Change(changed.form, held(&call.caller));
    let receipt = call.acted::<AgentRole>(&changed.id, command, Some(changed.version)).await?;
    call.state.settle(receipt.position).await?;
    Ok(Answer::replied(receipt))
}

/// Deletes a role template that no agent uses.
#[utoipa::path(delete, path = "/platform/agent/role", tag = "territory", operation_id = "deleteAgentRole",
    params(ById<AgentRoleId>), responses((status = 200, body = Answer<Nothing>)))]
async fn delete(call: Call<Context>, Params(ById { id }): Params<ById<AgentRoleId>>) -> Handled<Value> {
    may_keep(&call, None)?;
    let newest = Some(Position(i64::MAX));
    let mut db = call.state.runtime.reads.scoped(&Scope::ALL, newest, ListQuery::READS).await?;
    let agents = i64::try_from(agents::under_template(&mut *db, id).await?.len()).unwrap_or(i64::MAX);
    drop(db);
    call.act::<AgentRole>(&id, AgentRoleCommand::Delete { agents, held: held(&call.caller) }).await
}

/// The permission tree; what the caller holds, and so may put into a template, is marked.
#[utoipa::path(get, path = "/platform/agent/tree", tag = "territory", operation_id = "agentTree",
    responses((status = 200, body = Answer<Vec<Branch>>)))]
async fn tree(State(context): State<Context>, caller: Caller) -> Handled<Vec<Branch>> {
    Ok(Answer(context.ports.permissions.tree(&|code| caller.codes.has(code))))
}

/// The permission tree for platform administrators, every branch marked.
#[utoipa::path(get, path = "/platform/agent/tree/admin", tag = "territory", operation_id = "agentTreeAdmin",
    responses((status = 200, body = Answer<Vec<Branch>>)))]
async fn admin_tree(State(context): State<Context>, caller: Caller) -> Handled<Vec<Branch>> {
    if caller.full_scope != Scope::ALL {
        return Err(Refused::forbidden());
    }
    Ok(Answer(context.ports.permissions.tree(&|_| true)))
}
