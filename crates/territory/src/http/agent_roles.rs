//! Role templates of agents, and the tree that they are chosen from.

use std::collections::BTreeSet;

use axum::extract::{Path, State};
use axum::response::Response;
use kernel::{CommandContext, CommandError, List, Position};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::{AgentRoleId, PermissionCode, Scope, Timestamp};
use wire::{
    Answer, Body, Caller, Column, Disclosure, EXPORT_ROWS_READ, Export, ExportColumns, Handled, Nothing,
    PageOf, PageQuery, Params, Permit, Refused, RequestContext, Routes, Seen,
};

use crate::Context;
use crate::app::agents::held;
use crate::model::agent_role::{self, AgentRole, AgentRoleCommand, Form};
use crate::ports::Branch;
use crate::read::agent_roles::{self, AgentRoleRow};
use crate::read::agents;

const TEMPLATES: Permit = Permit::AnyOf(&["1102"]);
const READS: [&str; 2] = ["agent_role", "agent"];

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory")
        .add(TEMPLATES, routes!(list, create, update, delete).with_state(context.clone()))
        .add_unwrapped(TEMPLATES, routes!(export).with_state(context.clone()))
        .add(TEMPLATES, routes!(info).with_state(context.clone()))
        .add(TEMPLATES, routes!(tree).with_state(context.clone()))
        .add(TEMPLATES, routes!(admin_tree).with_state(context.clone()))
}

#[derive(Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Part of name or remark.
    keyword: Option<String>,
}

impl ListQuery {
    fn list(&self) -> List {
        agent_roles::list().contains(&["r.name", "r.remark"], self.keyword.as_deref())
    }
}

/// Role templates, newest first.
#[utoipa::path(get, path = "/platform/agent/role", tag = "territory", operation_id = "listAgentRoles",
    params(PageQuery, ListQuery), responses((status = 200, body = Answer<PageOf<AgentRoleRow>>)))]
async fn list(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    Params(paging): Params<PageQuery>,
    Params(query): Params<ListQuery>,
) -> Handled<PageOf<AgentRoleRow>> {
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, &READS).await?;
    Ok(Answer(query.list().page(&mut db, paging.page()).await?.into()))
}

const FILE: Export<AgentRoleRow> = Export {
    what: "agent-role",
    title: "角色模板",
    columns: &[
        Column { key: "name", title: "模板名称", text: |row| row.name.clone() },
        Column { key: "codes", title: "权限数", text: |row| row.codes.len().to_string() },
        Column { key: "agentCount", title: "使用代理", text: |row| row.agent_count.to_string() },
        Column { key: "remark", title: "备注", text: |row| row.remark.clone() },
        Column {
            key: "updatedAt",
            title: "更新时间",
            text: |row| Timestamp::from_millis(row.updated_at).local(),
        },
        Column { key: "id", title: "模板编号", text: |row| row.id.to_string() },
    ],
};

/// Role templates as CSV, at most 50000. It stands in the log who took it, cut down to what.
#[utoipa::path(get, path = "/platform/agent/role/export", tag = "territory", operation_id = "exportAgentRoles",
    params(ListQuery, ExportColumns), responses((status = 200, body = String, content_type = "text/csv")))]
async fn export(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    disclosure: Disclosure,
    Params(query): Params<ListQuery>,
    Params(columns): Params<ExportColumns>,
) -> Result<Response, Refused> {
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, &READS).await?;
    let rows = query.list().rows(&mut db, EXPORT_ROWS_READ).await?;
    drop(db);
    FILE.hand_out(&disclosure, &columns, &query, &rows).await
}

/// One role template.
#[utoipa::path(get, path = "/platform/agent/role/{id}", tag = "territory", operation_id = "agentRoleInfo",
    params(("id" = String, Path)), responses((status = 200, body = Answer<AgentRoleRow>)))]
async fn info(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    Path(id): Path<String>,
) -> Handled<AgentRoleRow> {
    let id: AgentRoleId = id.parse().map_err(|_| Refused::malformed("角色模板编号不正确"))?;
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, &READS).await?;
    Ok(Answer(agent_roles::one(&mut db, id).await?.ok_or_else(Refused::not_found)?))
}

/// What people fill in.
#[derive(Deserialize, ToSchema)]
struct TemplateBody {
    /// 1 to 20 characters, unique.
    name: String,
    /// At most 200 characters.
    #[serde(default)]
    remark: String,
    /// At least one; none that the caller does not hold.
    #[schema(value_type = Vec<String>)]
    codes: BTreeSet<PermissionCode>,
}

impl TemplateBody {
    fn form(self, context: &Context) -> Result<Form, Refused> {
        let unknown = self.codes.iter().find(|code| context.ports.permissions.title(code.as_str()).is_none());
        match unknown {
            Some(code) => Err(Refused::business("permission-unknown", format!("权限码不存在：{code}"))),
            None => Ok(Form { name: self.name, remark: self.remark, codes: self.codes }),
        }
    }
}

fn platform(caller: &Caller) -> Result<(), Refused> {
    agent_role::may_keep(&caller.full_scope).map_err(|refusal| CommandError::Refused(refusal).into())
}

/// Creates a role template; answers `{id}`.
#[utoipa::path(post, path = "/platform/agent/role", tag = "territory", operation_id = "createAgentRole",
    request_body = TemplateBody, responses((status = 200, body = Answer<Value>)))]
async fn create(
    State(context): State<Context>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<TemplateBody>,
) -> Handled<Value> {
    platform(&caller)?;
    let id = AgentRoleId(context.runtime.ids.next_id());
    let command = AgentRoleCommand::Create { id, form: body.form(&context)?, held: held(&caller) };
    let ctx = request.context_of_account(json!({ "id": id }));
    Ok(Answer::replied(context.runtime.desk.execute::<AgentRole>(&id, command, &ctx).await?))
}

#[derive(Deserialize, ToSchema)]
struct ChangedTemplate {
    id: AgentRoleId,
    #[serde(flatten)]
    content: TemplateBody,
    /// The version that the editor saw.
    version: i64,
}

/// Changes a role template; the rights of its agents' people change at once. A stale version is refused.
#[utoipa::path(put, path = "/platform/agent/role", tag = "territory", operation_id = "updateAgentRole",
    request_body = ChangedTemplate, responses((status = 200, body = Answer<Nothing>)))]
async fn update(
    State(context): State<Context>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<ChangedTemplate>,
) -> Handled<Value> {
    platform(&caller)?;
    let ctx = request.context_of_account(json!({}));
    let ctx = CommandContext { expected_version: Some(body.version), ..ctx };
    let command = AgentRoleCommand::Change { form: body.content.form(&context)?, held: held(&caller) };
    let receipt = context.runtime.desk.execute::<AgentRole>(&body.id, command, &ctx).await?;
    context.settle(receipt.position).await?;
    Ok(Answer::replied(receipt))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct TemplateQuery {
    /// The template.
    id: AgentRoleId,
}

/// Deletes a role template that no agent uses.
#[utoipa::path(delete, path = "/platform/agent/role", tag = "territory", operation_id = "deleteAgentRole",
    params(TemplateQuery), responses((status = 200, body = Answer<Nothing>)))]
async fn delete(
    State(context): State<Context>,
    caller: Caller,
    request: RequestContext,
    Params(query): Params<TemplateQuery>,
) -> Handled<Value> {
    platform(&caller)?;
    let mut db = context.runtime.reads.scoped(&Scope::ALL, Some(Position(i64::MAX)), &READS).await?;
    let agents = i64::try_from(agents::under_template(&mut *db, query.id).await?.len()).unwrap_or(i64::MAX);
    drop(db);
    let command = AgentRoleCommand::Delete { agents, held: held(&caller) };
    let ctx = request.context_of_account(json!({}));
    Ok(Answer::replied(context.runtime.desk.execute::<AgentRole>(&query.id, command, &ctx).await?))
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
