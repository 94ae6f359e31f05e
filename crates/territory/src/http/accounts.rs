//! Agents' accounts: opening, changing, switching, removing, and which service areas they run.

use std::collections::BTreeSet;

use approvals::Outcome;
use axum::extract::State;
use chrono::NaiveDate;
use kernel::CommandContext;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AgentId, AgentRoleId, ApprovalId, AreaId, Phone, Scope};
use wire::{
    Answer, BATCH_MAX, BatchAnswer, BatchOutcomes, Body, Caller, Handled, Listed, Nothing, Params, Permit,
    Refused, RequestContext, Routes, batch, given, number,
};

use super::account_list::AccountsQuery;
use crate::Context;
use crate::app::agents::{Opening, may_act_on};
use crate::app::{NEWEST, READS};
use crate::model::agent::{Agent, AgentCommand, BillingWay, Profile, Terms};
use crate::read::agents;

const ACCOUNTS: Permit = Permit::AnyOf(&["1101"]);

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory")
        .add_list::<AccountsQuery>(
            ACCOUNTS,
            Listed {
                path: "/platform/agent/account",
                operations: ["listAgentAccounts", "exportAgentAccounts"],
                summary: "Agents' accounts in scope, newest first; phones masked.",
            },
        )
        .add(ACCOUNTS, routes!(create, update, delete))
        .add(ACCOUNTS, routes!(state))
        .with_state(context.clone())
}

/// A day of the calendar, or nothing; an empty text is nothing too.
fn day<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<NaiveDate>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?.unwrap_or_default();
    match text.trim() {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| serde::de::Error::custom("日期格式应为 YYYY-MM-DD")),
    }
}

/// What people fill in.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AccountBody {
    /// 1 to 64 characters.
    company: String,
    /// 1 to 20 characters.
    contact: String,
    /// Template of what its people may hold at most; absent or 0: no limit.
    #[schema(value_type = Option<String>)]
    role_id: Option<AgentRoleId>,
    /// 0 own merchant account, 1 platform cashier.
    #[schema(value_type = i16)]
    billing_way: BillingWay,
    /// Service areas that it shall run; absent: as they are.
    #[schema(value_type = Option<Vec<String>>)]
    service_area_ids: Option<BTreeSet<AreaId>>,
    /// First day of the contract, `YYYY-MM-DD`.
    #[serde(default, deserialize_with = "day")]
    #[schema(value_type = Option<String>)]
    contract_begin: Option<NaiveDate>,
    /// Its last day.
    #[serde(default, deserialize_with = "day")]
    #[schema(value_type = Option<String>)]
    contract_end: Option<NaiveDate>,
    /// 车辆上限; absent: no limit.
    vehicle_quota: Option<i32>,
    /// At most 200 characters.
    #[serde(default)]
    remark: String,
}

impl AccountBody {
    fn profile(self, phone: Phone) -> Profile {
        Profile {
            company: self.company,
            contact_name: self.contact,
            phone,
            billing_way: self.billing_way,
            terms: Terms {
                role: self.role_id.filter(|role| role.0 != 0),
                contract_begin: self.contract_begin,
                contract_end: self.contract_end,
                vehicle_quota: self.vehicle_quota,
                remark: self.remark,
            },
        }
    }
}

fn phone(text: &str) -> Result<Phone, Refused> {
    text.trim()
        .parse()
        .map_err(|error: vocabulary::NotAPhone| Refused::business("phone-bad", error.to_string()))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewAccount {
    #[serde(flatten)]
    content: AccountBody,
    /// What its first person signs in with; unique among agents.
    phone: String,
    /// Under whom it stands; absent or 0: under the platform.
    #[schema(value_type = Option<String>)]
    parent_id: Option<AgentId>,
    /// 0 disabled, 1 enabled (when absent).
    state: Option<i16>,
}

/// Opens an agent's account; answers `{agentId}`.
#[utoipa::path(post, path = "/platform/agent/account", tag = "territory", operation_id = "createAgentAccount",
    request_body = NewAccount, responses((status = 200, body = Answer<Value>)))]
async fn create(
    State(context): State<Context>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<NewAccount>,
) -> Handled<Value> {
    let fresh = AgentId(context.runtime.ids.next_id());
    let opening = Opening {
        areas: body.content.service_area_ids.clone().unwrap_or_default(),
        profile: body.content.profile(phone(&body.phone)?),
        parent: body.parent_id.filter(|parent| parent.0 != 0),
        enabled: on(body.state.unwrap_or(1))?,
    };
    let ctx = request.context_of_account(json!({ "agentId": fresh }));
    Ok(Answer::replied(context.open_agent(fresh, &opening, &caller, &ctx).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ChangedAccount {
    #[schema(value_type = String)]
    agent_id: AgentId,
    #[serde(flatten)]
    content: AccountBody,
    /// Another login phone; absent or empty: as it is.
    phone: Option<String>,
    /// The version that the editor saw.
    version: i64,
}

/// Changes an agent's account; a stale version is refused.
#[utoipa::path(put, path = "/platform/agent/account", tag = "territory", operation_id = "updateAgentAccount",
    request_body = ChangedAccount, responses((status = 200, body = Answer<Nothing>)))]
async fn update(
    State(context): State<Context>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<ChangedAccount>,
) -> Handled<Value> {
    let agent = body.agent_id;
    may_act_on(&caller, agent)?;
    let state = context.runtime.desk.load::<Agent>(&agent).await?.state;
    let known = state.known().filter(|_| caller.full_scope.agents.contains(&agent));
    let known = known.ok_or_else(Refused::not_found)?;
    context.may_limit_by(&caller, body.content.role_id, known.profile.terms.role).await?;
    let phone = match given(body.phone.as_ref()) {
        Some(text) => phone(text)?,
        None => known.profile.phone.clone(),
    };
    let ctx = request.context_of_account(json!({}));
    let ctx = CommandContext { expected_version: Some(body.version), ..ctx };
    let areas = body.content.service_area_ids.clone();
    let profile = body.content.profile(phone);
    Ok(Answer::replied(context.change_agent(agent, &profile, areas.as_ref(), &caller, &ctx).await?))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct AccountQuery {
    /// The agent.
    #[param(value_type = String)]
    agent_id: String,
}

/// Deletes an agent's account that has no others under it and runs no service areas.
#[utoipa::path(delete, path = "/platform/agent/account", tag = "territory", operation_id = "deleteAgentAccount",
    params(AccountQuery), responses((status = 200, body = Answer<Nothing>)))]
async fn delete(
    State(context): State<Context>,
    caller: Caller,
    request: RequestContext,
    Params(query): Params<AccountQuery>,
) -> Handled<Value> {
    let agent = number("agentId", Some(&query.agent_id))?;
    let agent = agent.ok_or_else(|| Refused::malformed("请求参数 agentId 不能为空"))?;
    may_act_on(&caller, agent)?;
    // What the caller may not see hangs on it too.
    let mut db = context.runtime.reads.scoped(&Scope::ALL, NEWEST, &READS).await?;
    let (children, areas) = agents::hanging_on(&mut *db, agent).await?;
    drop(db);
    let ctx = request.context_of_account(json!({}));
    let receipt =
        context.runtime.desk.execute::<Agent>(&agent, AgentCommand::Delete { children, areas }, &ctx).await?;
    context.settle(receipt.position).await?;
    Ok(Answer::replied(receipt))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AgentState)]
struct AccountState {
    /// The agent; or `agentIds`.
    #[schema(value_type = Option<String>)]
    agent_id: Option<AgentId>,
    /// Agents, at most 200: each is judged alone and the answer tells what became of it.
    #[schema(value_type = Option<Vec<String>>)]
    agent_ids: Option<Vec<AgentId>>,
    /// 0 disables it and ends its people's sessions, 1 enables it.
    state: i16,
}

fn on(state: i16) -> Result<bool, Refused> {
    match state {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(Refused::malformed("状态应为 0（停用）或 1（启用）")),
    }
}

/// What became of a switch.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AgentSwitched)]
struct Switched {
    #[serde(flatten)]
    batch: BatchAnswer,
    /// What a second person is to decide first, when just one was named; absent when it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, required = false)]
    approval_id: Option<ApprovalId>,
}

/// Enables or disables one agent or several: their people are let in, or shut out at once. Disabling may need a second
/// person, by the agent's limits.
#[utoipa::path(post, path = "/platform/agent/account/state", tag = "territory",
    operation_id = "setAgentAccountState", request_body = AccountState,
    responses((status = 200, body = Answer<Switched>)))]
async fn state(
    State(context): State<Context>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<AccountState>,
) -> Handled<Switched> {
    let enabled = on(body.state)?;
    let ctx = request.context_of_account(json!({}));
    match (body.agent_id, body.agent_ids) {
        (Some(agent), None) => {
            let outcome = context.switch_agent(&caller, agent, enabled, &ctx).await?;
            let receipt = outcome.receipt();
            context.settle(receipt.position).await?;
            let approval_id = match &outcome {
                Outcome::Done(_) => None,
                Outcome::Waits { approval, .. } => Some(*approval),
            };
            Ok(Answer::at(Switched { batch: BatchAnswer::default(), approval_id }, receipt))
        }
        (None, Some(agents)) => {
            let mut outcomes = BatchOutcomes::default();
            for agent in batch(agents, BATCH_MAX)? {
                let ctx = ctx.step(&format!("state:{agent}"));
                let done = match context.switch_agent(&caller, agent, enabled, &ctx).await {
                    Ok(Outcome::Done(receipt)) => Ok(receipt),
                    Ok(Outcome::Waits { .. }) => {
                        Err(Refused::business("approval-asked", "已提交复核，由另一位同事同意后停用"))
                    }
                    Err(refused) => Err(refused),
                };
                outcomes.take(agent.to_string(), done)?;
            }
            if let Some(position) = outcomes.position() {
                context.settle(position).await?;
            }
            let position = outcomes.position();
            let switched = Switched { batch: outcomes.answer().data, approval_id: None };
            Ok(Answer(switched).including(position))
        }
        _ => Err(Refused::malformed("请求参数应为 agentId 或 agentIds 之一")),
    }
}
