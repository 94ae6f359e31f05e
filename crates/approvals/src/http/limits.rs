//! From what on an agent's deeds need a second person, in versions.

use kernel::CommandContext;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::versions::Stretch;
use vocabulary::{AgentId, DataOwner, Reach, Timestamp};
use wire::{Answer, Body, Call, Caller, Handled, Nothing, Params, Permit, Refused, Routes};

use crate::Approvals;
use crate::model::limits::{ApprovalLimits, Limit, Limits, LimitsCommand, Need, Version};

const LIMITS: Permit = Permit::AnyOf(&["1002"]);

/// The routes.
pub fn routes(context: &Approvals) -> Routes {
    Routes::new("approvals")
        .add(LIMITS, routes!(limits))
        .add(LIMITS, routes!(publish))
        .add(LIMITS, routes!(roll_back))
        .add(LIMITS, routes!(withdraw))
        .with_state(context.clone())
}

/// The limit of a kind of deed.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ApprovalRule {
    /// Which deed, such as `agent.disable`.
    kind: String,
    /// When it takes a second person.
    need: Need,
    /// Above so many cents, where an amount says it.
    #[serde(default)]
    above_cents: i64,
}

impl ApprovalRule {
    fn new(kind: &str, limit: Limit) -> Self {
        Self { kind: kind.to_owned(), need: limit.need, above_cents: limit.above_cents }
    }
}

fn rules(limits: &Limits) -> Vec<ApprovalRule> {
    limits.iter().map(|(kind, limit)| ApprovalRule::new(kind, *limit)).collect()
}

/// A kind of deed and its limit.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LimitedKind {
    /// What people call it.
    label: &'static str,
    /// Whether it has an amount; only then a limit can be one.
    measured: bool,
    /// What holds as long as nobody has set a limit.
    usual: ApprovalRule,
    /// What holds now.
    now: ApprovalRule,
}

/// A version of an agent's limits.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LimitsVersion {
    /// 1, 2, 3 …
    data_version: i64,
    /// From when it was to count, epoch milliseconds.
    from_at: i64,
    /// When it did, does and will: from, until (null: for ever), epoch milliseconds.
    #[schema(value_type = Vec<Vec<Option<i64>>>)]
    counted: Vec<Stretch>,
    /// What it says, by kind.
    rules: Vec<ApprovalRule>,
}

impl From<Version> for LimitsVersion {
    fn from(version: Version) -> Self {
        Self {
            data_version: version.number,
            from_at: version.from.millis(),
            counted: version.counted,
            rules: rules(&version.limits),
        }
    }
}

/// An agent's limits.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ApprovalLimitsInfo {
    /// All kinds that there are.
    kinds: Vec<LimitedKind>,
    /// What was set and not taken back, newest first; at most 200.
    versions: Vec<LimitsVersion>,
    /// Why the caller may not set them; null where he may.
    #[schema(required)]
    fixed: Option<String>,
    /// To be sent with a change.
    version: i64,
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct OfAgent {
    /// Whose.
    #[param(value_type = String)]
    agent_id: AgentId,
}

/// Limits are read by who sees the agent.
fn sees(caller: &Caller, agent: AgentId) -> Result<(), Refused> {
    let owner = DataOwner::of_agent(agent);
    // Streams of agents that there are not would be begun otherwise by whoever sees all.
    if agent.0 > 0 && caller.full_scope.contains(owner) { Ok(()) } else { Err(Refused::not_found()) }
}

/// Who sets an agent's limits, sets them for all of its people and areas.
async fn may_set(context: &Approvals, caller: &Caller, agent: AgentId) -> Result<(), Refused> {
    sees(caller, agent)?;
    if caller.full_scope.areas != Reach::All {
        let text = "您的数据范围仅限部分服务区，不能设置代理的复核额度";
        return Err(Refused::business("approval-limits-reach", text));
    }
    let administers =
        context.standings.administers(caller.operator()?).await.map_err(Refused::unavailable)?;
    let refused = || Refused::business("approval-limits-level", "复核额度只能由级别为“管理员”的人员设置");
    if administers { Ok(()) } else { Err(refused()) }
}

/// An agent's limits with all versions of them.
#[utoipa::path(get, path = "/platform/approval/limits", tag = "approvals", operation_id = "approvalLimits",
    params(OfAgent), responses((status = 200, body = Answer<ApprovalLimitsInfo>)))]
async fn limits(
    call: Call<Approvals>,
    Params(OfAgent { agent_id }): Params<OfAgent>,
) -> Handled<ApprovalLimitsInfo> {
    let Call { state: context, caller, request } = &call;
    sees(caller, agent_id)?;
    let loaded = context.runtime.desk.load::<ApprovalLimits>(&agent_id).await?;
    let now = loaded.state.at(request.now());
    let kind = |deed: &std::sync::Arc<dyn crate::Deed>| {
        let (kind, usual) = (deed.kind(), deed.usual());
        let limit = now.get(kind).copied().unwrap_or(usual);
        LimitedKind {
            label: deed.label(),
            measured: deed.is_measured(),
            usual: ApprovalRule::new(kind, usual),
            now: ApprovalRule::new(kind, limit),
        }
    };
    let fixed = match may_set(context, caller, agent_id).await {
        Ok(()) => None,
        Err(Refused::Business { text, .. }) => Some(text),
        Err(other) => return Err(other),
    };
    Ok(Answer(ApprovalLimitsInfo {
        kinds: context.all_deeds().map(kind).collect(),
        versions: loaded.state.versions().into_iter().map(LimitsVersion::from).collect(),
        fixed,
        version: loaded.version,
    }))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewApprovalLimits {
    /// Whose.
    #[schema(value_type = String)]
    agent_id: AgentId,
    /// Each kind at most once; of those left out the usual limit holds.
    rules: Vec<ApprovalRule>,
    /// From when, epoch milliseconds; null: from now on.
    from_at: Option<i64>,
    /// The version that the editor saw; another one is refused.
    version: i64,
}

fn limits_of(rules: Vec<ApprovalRule>) -> Result<Limits, Refused> {
    let named = rules.len();
    let limit = |rule: ApprovalRule| (rule.kind, Limit { need: rule.need, above_cents: rule.above_cents });
    let limits: Limits = rules.into_iter().map(limit).collect();
    if limits.len() == named {
        Ok(limits)
    } else {
        Err(Refused::malformed("同一类操作只能有一条复核额度"))
    }
}

/// Sets an agent's limits from now on, or from a time on.
#[utoipa::path(post, path = "/platform/approval/limits", tag = "approvals", operation_id = "setApprovalLimits",
    request_body = NewApprovalLimits, responses((status = 200, body = Answer<Nothing>)))]
async fn publish(call: Call<Approvals>, Body(body): Body<NewApprovalLimits>) -> Handled<Value> {
    let kinds = call.state.all_deeds().map(|deed| (deed.kind().to_owned(), deed.is_measured()));
    let command = LimitsCommand::Publish {
        agent_id: body.agent_id,
        limits: limits_of(body.rules)?,
        from: body.from_at.map(Timestamp::from_millis),
        kinds: kinds.collect(),
    };
    set(&call, body.agent_id, command, body.version).await
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ApprovalLimitsVersion {
    /// Whose.
    #[schema(value_type = String)]
    agent_id: AgentId,
    /// Which version of them.
    data_version: i64,
    /// The version that the editor saw; another one is refused.
    version: i64,
}

/// Sets again, from now on, what an earlier version of the limits said.
#[utoipa::path(post, path = "/platform/approval/limits/rollback", tag = "approvals",
    operation_id = "rollBackApprovalLimits", request_body = ApprovalLimitsVersion,
    responses((status = 200, body = Answer<Nothing>)))]
async fn roll_back(call: Call<Approvals>, Body(body): Body<ApprovalLimitsVersion>) -> Handled<Value> {
    set(&call, body.agent_id, LimitsCommand::RollBack(body.data_version), body.version).await
}

/// Takes back a version of the limits that is to come.
#[utoipa::path(post, path = "/platform/approval/limits/withdraw", tag = "approvals",
    operation_id = "withdrawApprovalLimits", request_body = ApprovalLimitsVersion,
    responses((status = 200, body = Answer<Nothing>)))]
async fn withdraw(call: Call<Approvals>, Body(body): Body<ApprovalLimitsVersion>) -> Handled<Value> {
    set(&call, body.agent_id, LimitsCommand::Withdraw(body.data_version), body.version).await
}

async fn set(call: &Call<Approvals>, agent: AgentId, command: LimitsCommand, version: i64) -> Handled<Value> {
    may_set(&call.state, &call.caller, agent).await?;
    let ctx =
        CommandContext { expected_version: Some(version), ..call.request.context_of_account(json!({})) };
    Ok(Answer::replied(call.state.runtime.desk.execute::<ApprovalLimits>(&agent, command, &ctx).await?))
}
