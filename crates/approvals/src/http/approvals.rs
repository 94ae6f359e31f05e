//! What waits for a second person: lists, one of them with what it would do, the decision. Everybody may ask who is signed
//! in: each sees what concerns him by his codes and his scope.

use kernel::{List, ReadTx};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AgentId, ApprovalId, Cents, Choice, OperatorId, Scope, Timestamp, choices};
use wire::{
    Answer, Body, Call, Caller, Column, End, Export, Handled, Listed, Listing, Nothing, Permit, Refused,
    Routes, Seen, given, moment,
};

use crate::Approvals;
use crate::app::{Verdict, decider};
use crate::deeds::Outlook;
use crate::model::approval::{Approval, ApprovalCommand, ApprovalState};
use crate::read::approvals::{self, ApprovalRow};

const READS: &[&str] = &["approval"];
/// Who reads the operator log sees all requests in his scope.
const AUDITOR: &str = "1404";

/// The routes.
pub fn routes(context: &Approvals) -> Routes {
    Routes::new("approvals")
        .add_list::<ListQuery>(
            Permit::SignedIn,
            Listed {
                path: "/platform/approval/list",
                operations: ["listApprovals", "exportApprovals"],
                summary: "Requests for a second person in scope that concern the caller, newest first.",
            },
        )
        .add(Permit::SignedIn, routes!(count))
        .add(Permit::SignedIn, routes!(kinds))
        .add(Permit::SignedIn, routes!(info))
        .add(Permit::SignedIn, routes!(decide))
        .add(Permit::SignedIn, routes!(withdraw))
        .with_state(context.clone())
}

choices! {
    /// Which of the requests.
    #[derive(Default)]
    pub enum ApprovalView("复核列表") {
        /// Those that concern the caller; all in scope for readers of the operator log.
        #[default]
        All = 0 => "全部",
        /// Those that he may decide.
        Waiting = 1 => "待我复核",
        /// Those that he asked for.
        Asked = 2 => "我提交的",
    }
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Which of them; all without it.
    #[param(inline)]
    view: Option<ApprovalView>,
    /// Part of the summary or of the requester's name.
    keyword: Option<String>,
    /// Those of this deed, such as `agent.disable`.
    kind: Option<String>,
    /// Those that stand so.
    state: Option<ApprovalState>,
    /// Those of this agent.
    agent_id: Option<AgentId>,
    /// Those that this account asked for.
    requester: Option<OperatorId>,
    /// Asked for from then on: `YYYY-MM-DD HH:mm:ss`.
    start_time: Option<String>,
    /// Asked for until then, included.
    end_time: Option<String>,
    /// From so many yuan on.
    amount_from: Option<String>,
    /// Up to so many yuan, included.
    amount_to: Option<String>,
}

/// Yuan as a query writes them, in cents.
fn cents(text: Option<&String>) -> Result<Option<i64>, Refused> {
    let read = |text| Cents::from_yuan(text).map_err(|error| Refused::malformed(error.to_string()));
    Ok(given(text).map(read).transpose()?.map(|cents| cents.0))
}

impl Listing for ListQuery {
    type State = Approvals;
    type Row = ApprovalRow;
    const READS: &'static [&'static str] = READS;
    const KEY: &'static str = "a.approval_id";
    const FILE: Export<ApprovalRow> = Export {
        what: "approval",
        title: "复核记录",
        columns: &[
            Column::text("summary", "事项", |row| &row.summary),
            Column::text("kind", "操作", |row| &row.kind_label),
            Column::text("state", "状态", |row| row.state.label()),
            Column::money("amount", "金额", |row| row.amount_cents),
            Column::text("requesterName", "申请人", |row| &row.requester_name),
            Column::time("requestedAt", "申请时间", |row| Some(row.requested_at)),
            Column::text("reason", "申请原因", |row| &row.reason),
            Column::time("expiresAt", "有效至", |row| Some(row.expires_at)),
            Column::text("deciderName", "复核人", |row| &row.decider_name),
            Column::time("decidedAt", "处理时间", |row| row.decided_at),
            Column::text("decisionReason", "驳回原因", |row| &row.decision_reason),
            Column::made("id", "申请编号", |row| row.id.to_string()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let from = moment("startTime", self.start_time.as_ref(), End::First)?;
        let until = moment("endTime", self.end_time.as_ref(), End::Last)?;
        Ok(approvals::list(scope)
            .contains(&["a.summary", "a.requester_name"], self.keyword.as_deref())
            .is("a.kind", given(self.kind.as_ref()))
            .is("a.state", self.state.map(Choice::number))
            .is("a.agent_id", self.agent_id.map(|agent| agent.0))
            .is("a.requester", self.requester.map(|requester| requester.0))
            .between("a.requested_at_ms", from.map(Timestamp::millis), until.map(Timestamp::millis))
            .between("a.amount_cents", cents(self.amount_from.as_ref())?, cents(self.amount_to.as_ref())?))
    }

    fn permitted(&self, list: List, caller: &Caller) -> List {
        // Who is no person has nothing asked for and decides nothing.
        let operator = caller.operator.unwrap_or_default();
        match self.view.unwrap_or_default() {
            ApprovalView::Waiting => approvals::waiting_for(list, operator, &caller.codes),
            ApprovalView::Asked => approvals::asked_by(list, operator),
            ApprovalView::All if caller.codes.has(AUDITOR) => list,
            ApprovalView::All => approvals::concerning(list, operator, &caller.codes),
        }
    }

    /// With what people call their deeds.
    async fn shown(
        context: &Approvals,
        db: ReadTx,
        mut found: Vec<ApprovalRow>,
    ) -> Result<Vec<ApprovalRow>, Refused> {
        drop(db);
        for row in &mut found {
            row.kind_label = context.deed(&row.kind).map_or(&*row.kind, |deed| deed.label()).to_owned();
        }
        Ok(found)
    }
}

/// How many wait.
#[derive(Debug, Serialize, ToSchema)]
struct ApprovalCount {
    /// 待我复核: those that the caller may decide, at most 10001.
    waiting: i64,
}

/// How many requests the caller may decide.
#[utoipa::path(get, path = "/platform/approval/count", tag = "approvals", operation_id = "countApprovals",
    responses((status = 200, body = Answer<ApprovalCount>)))]
async fn count(call: Call<Approvals>, Seen(seen): Seen) -> Handled<ApprovalCount> {
    let (operator, scope) = (call.caller.operator()?, &call.caller.full_scope);
    let list = approvals::waiting_for(approvals::list(scope), operator, &call.caller.codes);
    let mut db = call.state.runtime.reads.scoped(scope, seen, READS).await?;
    Ok(Answer(ApprovalCount { waiting: list.count(&mut db).await? }))
}

/// A kind of deed.
#[derive(Debug, Serialize, ToSchema)]
struct ApprovalKind {
    /// Its name, such as `agent.disable`.
    kind: &'static str,
    /// What people call it.
    label: &'static str,
}

/// The deeds that may need a second person.
#[derive(Debug, Serialize, ToSchema)]
struct ApprovalKinds {
    /// By name.
    rows: Vec<ApprovalKind>,
}

/// What there may be a second person for.
#[utoipa::path(get, path = "/platform/approval/kinds", tag = "approvals", operation_id = "listApprovalKinds",
    responses((status = 200, body = Answer<ApprovalKinds>)))]
async fn kinds(call: Call<Approvals>) -> Handled<ApprovalKinds> {
    let rows = call.state.all_deeds().map(|deed| ApprovalKind { kind: deed.kind(), label: deed.label() });
    Ok(Answer(ApprovalKinds { rows: rows.collect() }))
}

/// A request for a second person, with what it would do.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ApprovalInfo {
    /// As the table shows it.
    #[serde(flatten)]
    row: ApprovalRow,
    /// What would be done now, in lines for people; empty where it cannot be done, or is decided.
    outlook: Vec<String>,
    /// Why it cannot be done any more; null where it can, or is decided.
    #[schema(required)]
    impossible: Option<String>,
    /// Why the caller may not say yes; null where he may.
    #[schema(required)]
    not_approved: Option<String>,
    /// Why the caller may not say no; null where he may.
    #[schema(required)]
    not_rejected: Option<String>,
    /// Whether the caller asked for it himself and may take it back.
    may_withdraw: bool,
}

/// One request that concerns the caller, with what a yes would do now.
#[utoipa::path(get, path = "/platform/approval/{id}", tag = "approvals", operation_id = "approvalInfo",
    params(("id" = String, Path, description = "The request's id, as text.")),
    responses((status = 200, body = Answer<ApprovalInfo>)))]
async fn info(
    call: Call<Approvals>,
    Seen(seen): Seen,
    axum::extract::Path(id): axum::extract::Path<String>,
) -> Handled<ApprovalInfo> {
    let Call { state: context, caller, request } = &call;
    let id: ApprovalId = id.parse().map_err(|_| Refused::malformed("编号不正确"))?;
    let scope = &caller.full_scope;
    let list = ListQuery::default().permitted(approvals::list(scope), caller).is(ListQuery::KEY, Some(id.0));
    let mut db = context.runtime.reads.scoped(scope, seen, READS).await?;
    let found = list.rows(&mut db, 1).await?;
    let row = ListQuery::shown(context, db, found).await?.pop().ok_or_else(Refused::not_found)?;
    let (approval, asked) = context.known(caller, id).await?;
    let (by, now) = (decider(caller)?, request.now());
    let requester = context.requester(&asked).await?;
    let told = |refusal: crate::model::approval::ApprovalRefusal| refusal.to_string();
    let (outlook, impossible) = match row.state {
        ApprovalState::Waiting => match context.outlook(&asked).await? {
            Outlook::Would(lines) => (lines, None),
            Outlook::Cannot(why) => (Vec::new(), Some(why)),
        },
        _ => (Vec::new(), None),
    };
    Ok(Answer(ApprovalInfo {
        may_withdraw: row.state == ApprovalState::Waiting && asked.requester == by.operator,
        row,
        outlook,
        impossible,
        not_approved: approval.may_approve(&by, requester.as_ref(), now).err().map(told),
        not_rejected: approval.may_reject(&by, now).err().map(told),
    }))
}

/// What is decided.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
enum ApprovalResult {
    /// 同意: it is done.
    Accept,
    /// 驳回.
    Reject,
}

#[derive(Deserialize, ToSchema)]
#[schema(as = ApprovalDecision)]
struct Decision {
    id: ApprovalId,
    /// What is decided.
    result: ApprovalResult,
    /// Why it is rejected: 1 to 200 characters.
    #[serde(default)]
    reason: String,
    /// The version that the decider saw; another one is refused.
    version: Option<i64>,
}

/// Decides a request of another one. A yes does at once what was asked for; where that cannot be done, nothing is decided.
#[utoipa::path(post, path = "/platform/approval/decide", tag = "approvals", operation_id = "decideApproval",
    request_body = Decision, responses((status = 200, body = Answer<Nothing>)))]
async fn decide(call: Call<Approvals>, Body(body): Body<Decision>) -> Handled<Value> {
    let mut ctx = call.request.context_of_account(json!({}));
    ctx.expected_version = body.version;
    let verdict = match body.result {
        ApprovalResult::Accept => Verdict::Accept,
        ApprovalResult::Reject => Verdict::Reject(body.reason),
    };
    Ok(Answer::replied(call.state.decide(&call.caller, body.id, verdict, &ctx).await?))
}

#[derive(Deserialize, ToSchema)]
#[schema(as = ApprovalWithdrawal)]
struct Withdrawal {
    id: ApprovalId,
    /// The version that the requester saw; another one is refused.
    version: Option<i64>,
}

/// Takes back a request of one's own that nobody has decided.
#[utoipa::path(post, path = "/platform/approval/withdraw", tag = "approvals", operation_id = "withdrawApproval",
    request_body = Withdrawal, responses((status = 200, body = Answer<Nothing>)))]
async fn withdraw(call: Call<Approvals>, Body(body): Body<Withdrawal>) -> Handled<Value> {
    let command = ApprovalCommand::Withdraw { by: call.caller.operator()? };
    Ok(Answer::replied(call.acted::<Approval>(&body.id, command, body.version).await?))
}
