//! Table `approval`.

use kernel::{After, Fold, List, Personal, Recorded, row};
use serde::Serialize;
use sqlx::PgExecutor;
use utoipa::ToSchema;
use vocabulary::{AgentId, ApprovalId, AreaId, DataOwner, OperatorId, Reach, Scope, Timestamp};
use wire::CodeSet;

use crate::model::approval::{Approval, ApprovalEvent, ApprovalState};

/// So many that are over are ended in a round.
const OVER_MAX: i64 = 500;

row! {
    /// A request for a second person as lists and its drawer show it.
    #[derive(Clone, Debug, Default, Serialize, ToSchema, sqlx::FromRow)]
    #[serde(rename_all = "camelCase")]
    pub struct ApprovalRow {
        /// Its id, as text.
        pub id: ApprovalId = "approval_id",
        /// Which deed, such as `agent.disable`.
        pub kind: String,
        /// What people call the deed.
        pub kind_label: String as skip,
        /// What it is about: the category of its stream.
        pub subject_category: String,
        /// And its id.
        pub subject_id: String,
        /// 事项.
        pub summary: String,
        /// 金额, cents; 0 where it has none.
        pub amount_cents: i64,
        #[serde(skip)]
        pub codes: Vec<String>,
        /// 申请原因; may be empty.
        pub reason: String,
        /// Whose it is; null: the platform's own.
        #[schema(value_type = Option<String>)]
        pub agent_id: Option<AgentId>,
        /// In which service area; null: in none.
        #[schema(value_type = Option<String>)]
        pub op_area_id: Option<AreaId> = "area_id",
        /// Where it stands.
        pub state: ApprovalState,
        /// Who asked: the account.
        pub requester: OperatorId,
        /// 申请人; empty once he was forgotten.
        pub requester_name: String,
        /// Who decided: the account.
        #[schema(value_type = Option<String>)]
        pub decider: Option<OperatorId>,
        /// 复核人; empty while nobody decided.
        pub decider_name: String,
        /// 驳回原因.
        pub decision_reason: String,
        /// 申请时间, epoch milliseconds.
        pub requested_at: i64 = "requested_at_ms",
        /// Until then it may be decided, epoch milliseconds.
        pub expires_at: i64 = "expires_at_ms",
        /// 处理时间, epoch milliseconds.
        pub decided_at: Option<i64> = "decided_at_ms",
        /// To be sent with a decision.
        pub version: i64,
    }
}

fn named(name: &Personal<String>) -> String {
    name.known().cloned().unwrap_or_default()
}

impl Fold for ApprovalRow {
    type Of = Approval;
    const TABLE: &'static str = "approval";
    const KEY: &'static str = "approval_id";

    fn fold(row: Option<Self>, event: ApprovalEvent, recorded: &Recorded) -> After<Self> {
        let at_ms = recorded.recorded_at.millis();
        let mut row = recorded.begin(row)?;
        row.decided_at = Some(at_ms);
        match event {
            ApprovalEvent::Requested { request, name } => {
                row.id = request.approval_id;
                row.kind = request.kind;
                row.subject_category = request.subject.category;
                row.subject_id = request.subject.id;
                row.summary = request.summary;
                row.amount_cents = request.amount_cents;
                row.codes = request.codes.into_iter().map(String::from).collect();
                row.reason = request.reason;
                (row.agent_id, row.op_area_id) = (request.owner.agent, request.owner.area);
                row.requester = request.requester;
                row.requester_name = named(&name);
                row.requested_at = at_ms;
                row.expires_at = request.expires_at.millis();
                row.decided_at = None;
            }
            ApprovalEvent::Approved { by, name } => {
                row.state = ApprovalState::Approved;
                (row.decider, row.decider_name) = (Some(by), named(&name));
            }
            ApprovalEvent::Rejected { by, name, reason } => {
                row.state = ApprovalState::Rejected;
                (row.decider, row.decider_name) = (Some(by), named(&name));
                row.decision_reason = reason;
            }
            ApprovalEvent::Withdrawn => row.state = ApprovalState::Withdrawn,
            ApprovalEvent::Expired => row.state = ApprovalState::Expired,
        }
        row.version = recorded.version;
        Ok(Some(row))
    }

    fn owner(&self) -> DataOwner {
        DataOwner { agent: self.agent_id, area: self.op_area_id }
    }
}

/// Requests in scope, newest first.
pub fn list(scope: &Scope) -> List {
    let list = List::new(
        "a.approval_id, a.kind, a.subject_category, a.subject_id, a.summary, a.amount_cents, a.codes, a.reason, a.agent_id,
         a.area_id, a.state, a.requester, a.requester_name, a.decider, a.decider_name, a.decision_reason,
         a.requested_at_ms, a.expires_at_ms, a.decided_at_ms, a.version",
        "read.approval a",
        "a.requested_at_ms desc, a.approval_id desc",
    )
    .of_agents("a.agent_id", scope);
    match &scope.areas {
        Reach::All => list,
        Reach::Only(areas) => {
            let areas = areas.iter().map(|area| area.0).collect();
            list.matching(
                &["(a.area_id is null or a.area_id = any(", "))"],
                vec![kernel::list::Value::Numbers(areas)],
            )
        }
    }
}

/// What `held` lets somebody decide.
fn held_as_text(held: &CodeSet) -> String {
    held.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// Of `list` those that wait, and that `operator`, who holds these codes, may decide.
pub fn waiting_for(list: List, operator: OperatorId, held: &CodeSet) -> List {
    list.is("a.state", Some(ApprovalState::Waiting.number())).matching(
        &["a.requester <> ", " and a.codes && string_to_array(", ", ',')"],
        vec![operator.0.into(), held_as_text(held).into()],
    )
}

/// Of `list` those that `operator` asked for himself.
pub fn asked_by(list: List, operator: OperatorId) -> List {
    list.is("a.requester", Some(operator.0))
}

/// Of `list` those that he asked for, decided, or may decide by his codes.
pub fn concerning(list: List, operator: OperatorId, held: &CodeSet) -> List {
    list.matching(
        &["(a.requester = ", " or a.decider = ", " or a.codes && string_to_array(", ", ','))"],
        vec![operator.0.into(), operator.0.into(), held_as_text(held).into()],
    )
}

/// Those that still wait although their time is over at `now`; at most 500, the oldest first.
pub async fn over(db: impl PgExecutor<'_>, now: Timestamp) -> sqlx::Result<Vec<ApprovalId>> {
    sqlx::query_scalar(
        "select approval_id from read.approval where state = 0 and expires_at_ms <= $1 order by expires_at_ms limit $2",
    )
    .bind(now.millis())
    .bind(OVER_MAX)
    .fetch_all(db)
    .await
}
