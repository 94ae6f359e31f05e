//! Agents and areas for the header's selectors and the login.

use axum::extract::State;
use kernel::runtime::Runtime;
use serde::{Deserialize, Serialize};
use sqlx::Row;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::AgentId;
use wire::{Answer, Caller, Handled, Params, Permit, Refused, Routes, Seen};

use crate::read::{agents, areas};

/// The routes.
pub fn routes(runtime: &Runtime) -> Routes {
    Routes::new("territory")
        .add(Permit::AnyOf(&["01"]), routes!(agent_list).with_state(runtime.clone()))
        .add(Permit::SignedIn, routes!(operator_areas).with_state(runtime.clone()))
        .add(Permit::SignedIn, routes!(areas_of_agents).with_state(runtime.clone()))
        .add(Permit::SignedIn, routes!(by_api_key).with_state(runtime.clone()))
        .add(Permit::SignedIn, routes!(billing_way).with_state(runtime.clone()))
}

/// Agents to choose from.
#[derive(Debug, Serialize, ToSchema)]
struct AgentList {
    /// By name.
    rows: Vec<agents::AgentOption>,
}

/// Agents that the caller may choose from.
#[utoipa::path(get, path = "/platform/agent/account/list", tag = "territory",
    responses((status = 200, body = Answer<AgentList>)))]
async fn agent_list(State(runtime): State<Runtime>, caller: Caller, seen: Seen) -> Handled<AgentList> {
    // The selector offers what may be chosen, not what is chosen.
    let mut tx = runtime.reads.scoped(&caller.full_scope, seen.0, &["agent"]).await?;
    Ok(Answer(AgentList { rows: agents::options(&mut *tx).await? }))
}

/// Which agents' areas.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
struct AreaParams {
    /// Ids, separated by commas; empty: all.
    #[serde(default, alias = "agentId")]
    agent_ids: String,
}

/// Areas to choose from.
#[derive(Debug, Serialize, ToSchema)]
struct AreaList {
    /// By name: those the caller may choose.
    list: Vec<areas::AreaOption>,
    /// How many the agents have in all.
    count: i64,
}

/// Service areas that the caller may choose from.
#[utoipa::path(get, path = "/platform/agent/serviceArea/opMan", tag = "territory", params(AreaParams),
    responses((status = 200, body = Answer<AreaList>)))]
async fn operator_areas(
    State(runtime): State<Runtime>,
    caller: Caller,
    seen: Seen,
    Params(asked): Params<AreaParams>,
) -> Handled<AreaList> {
    list(&runtime, &caller, seen, &asked).await
}

/// Service areas of the chosen agents.
#[utoipa::path(get, path = "/platform/agent/serviceArea/belongToAgent", tag = "territory", params(AreaParams),
    responses((status = 200, body = Answer<AreaList>)))]
async fn areas_of_agents(
    State(runtime): State<Runtime>,
    caller: Caller,
    seen: Seen,
    Params(asked): Params<AreaParams>,
) -> Handled<AreaList> {
    list(&runtime, &caller, seen, &asked).await
}

async fn list(runtime: &Runtime, caller: &Caller, seen: Seen, asked: &AreaParams) -> Handled<AreaList> {
    let agents = agent_ids(&asked.agent_ids)?;
    let mut tx = runtime.reads.scoped(&caller.full_scope, seen.0, &["area"]).await?;
    let list = areas::options(&mut *tx, &agents).await?;
    drop(tx);
    // The total counts areas of the same agents that this operator does not have, as a number only.
    let mut whole = caller.full_scope.clone();
    whole.areas = vocabulary::Reach::All;
    let mut tx = runtime.reads.scoped(&whole, None, &[]).await?;
    let ids: Vec<i64> = agents.iter().map(|agent| agent.0).collect();
    let count = sqlx::query(
        "select count(*) from read.area where state <> 3 and (cardinality($1::bigint[]) = 0 or agent_id = any($1))",
    )
    .bind(ids)
    .fetch_one(&mut *tx)
    .await?
    .try_get(0)?;
    Ok(Answer(AreaList { list, count }))
}

fn agent_ids(text: &str) -> Result<Vec<AgentId>, Refused> {
    let ids: Vec<AgentId> = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().map_err(|_| Refused::malformed(format!("代理编号不正确：{part}"))))
        .collect::<Result<_, _>>()?;
    if ids.len() > 1000 { Err(Refused::malformed("一次最多 1000 个代理")) } else { Ok(ids) }
}

/// Which client.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
struct KeyParams {
    /// The web configuration's key.
    #[serde(default)]
    #[expect(
        dead_code,
        reason = "client configurations carry one key each; the caller's scope decides here"
    )]
    api_key: String,
    /// The host name of the page.
    #[serde(default)]
    #[expect(dead_code, reason = "as above")]
    domain: String,
}

/// The agent that a session works for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AgentFound {
    /// Its id, as text.
    #[schema(value_type = String)]
    agent_id: AgentId,
}

/// The agent that the caller works for: of those in scope, the first that was registered.
#[utoipa::path(get, path = "/platform/agent/byApiKey", tag = "territory", params(KeyParams),
    responses((status = 200, body = Answer<AgentFound>)))]
async fn by_api_key(
    State(runtime): State<Runtime>,
    caller: Caller,
    seen: Seen,
    Params(_asked): Params<KeyParams>,
) -> Handled<AgentFound> {
    let mut tx = runtime.reads.scoped(&caller.full_scope, seen.0, &["agent"]).await?;
    let first: Option<AgentId> =
        sqlx::query_scalar("select agent_id from read.agent where state = 1 order by agent_id limit 1")
            .fetch_optional(&mut *tx)
            .await?;
    first
        .map(|agent_id| Answer(AgentFound { agent_id }))
        .ok_or_else(|| Refused::business("agent-none", "未获取到代理商信息"))
}

/// Which agent.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
struct AgentParams {
    /// Its id.
    agent_id: String,
}

/// How its money is taken.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct BillingWayFound {
    /// 0 own merchant account, 1 platform cashier.
    billing_way: i16,
}

/// How an agent's money is taken.
#[utoipa::path(get, path = "/platform/agent/billingWay", tag = "territory", params(AgentParams),
    responses((status = 200, body = Answer<BillingWayFound>)))]
async fn billing_way(
    State(runtime): State<Runtime>,
    caller: Caller,
    seen: Seen,
    Params(asked): Params<AgentParams>,
) -> Handled<BillingWayFound> {
    let agent = asked.agent_id.parse().map_err(|_| Refused::malformed("代理编号不正确"))?;
    let mut tx = runtime.reads.scoped(&caller.full_scope, seen.0, &["agent"]).await?;
    let way = agents::billing_way(&mut *tx, agent).await?;
    way.map(|billing_way| Answer(BillingWayFound { billing_way })).ok_or_else(Refused::not_found)
}
