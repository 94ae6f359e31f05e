//! What a second person decides (复核申请).

use std::collections::BTreeSet;

use kernel::{Aggregate, Claim, Decision, Personal, events, refusals};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use vocabulary::text::{line, lines};
use vocabulary::{ApprovalId, DataOwner, OperatorId, PermissionCode, Scope, Timestamp, choices};

/// So long something may be decided.
pub const LIFE_MS: i64 = LIFE_H * 3_600_000;
const LIFE_H: i64 = 24;
/// A summary has at most so many characters.
pub const SUMMARY_MAX: usize = 100;
/// A reason has at most so many characters.
pub const REASON_MAX: usize = 200;
/// What is to be done has at most so many bytes as JSON.
pub const PAYLOAD_MAX_BYTES: usize = 16 * 1024;

choices! {
    /// Where it stands.
    #[derive(Default)]
    pub enum ApprovalState("复核状态") {
        #[default]
        Waiting = 0 => "待复核",
        Approved = 1 => "已同意",
        Rejected = 2 => "已驳回",
        Withdrawn = 3 => "已撤回",
        Expired = 4 => "已过期",
    }
}

/// What a deed is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// The category of its stream, such as `agent`.
    pub category: String,
    /// Its id.
    pub id: String,
}

/// What is asked for. Of people nothing but their ids stands in it: the log keeps it in plain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Its own id.
    pub approval_id: ApprovalId,
    /// Which deed, such as `order.refund`.
    pub kind: String,
    /// What it is about.
    pub subject: Subject,
    /// What it is, in a line for people: 1 to 100 characters.
    pub summary: String,
    /// How much it moves; 0 where it has no amount.
    pub amount_cents: i64,
    /// Exactly what will be done.
    pub payload: Value,
    /// Who asks for it.
    pub requester: OperatorId,
    /// The codes of which both people need one.
    pub codes: BTreeSet<PermissionCode>,
    /// Why: at most 200 characters.
    pub reason: String,
    /// Whose the subject is.
    pub owner: DataOwner,
    /// Until then it may be decided.
    pub expires_at: Timestamp,
}

/// How somebody stands when something is decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Whether the account may be used at all.
    pub enabled: bool,
    /// What he may do.
    pub codes: BTreeSet<PermissionCode>,
    /// How far he sees.
    pub scope: Scope,
}

/// The one who decides. How far he reaches, the desk looks at.
#[derive(Clone, Debug)]
pub struct Decider {
    /// The account.
    pub operator: OperatorId,
    /// His name.
    pub name: Personal<String>,
    /// What he may do.
    pub codes: BTreeSet<PermissionCode>,
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum ApprovalCommand {
    /// Asks for a second person; `name` is the requester's.
    Request { request: Request, name: Personal<String> },
    /// Says yes. `requester` is how the one who asked stands now; nothing: he has no account any more.
    Approve { by: Decider, requester: Option<Standing> },
    /// Says no, and why.
    Reject { by: Decider, reason: String },
    /// Takes it back.
    Withdraw { by: OperatorId },
    /// Ends it when its time is over.
    Expire,
}

events! {
    /// What happened.
    pub enum ApprovalEvent {
        Requested { request: Request, name: Personal<String> } = "approval.requested",
        Approved { by: OperatorId, name: Personal<String> } = "approval.approved",
        Rejected { by: OperatorId, name: Personal<String>, reason: String } = "approval.rejected",
        Withdrawn = "approval.withdrawn",
        Expired = "approval.expired",
    }
}

refusals! {
    /// Why not.
    pub enum ApprovalRefusal {
        Unknown = "not-found": ("记录不存在，或不在您的数据范围内"),
        Exists = "approval-exists": ("该复核申请已提交"),
        Summary = "approval-summary": ("复核事项的说明需 1 到 {SUMMARY_MAX} 个字"),
        Amount = "approval-amount": ("复核事项的金额不能为负"),
        Payload = "approval-payload": ("复核事项的内容过大，请分几次提交"),
        Reason = "approval-reason": ("申请原因最多 {REASON_MAX} 个字"),
        Codes = "approval-codes": ("复核事项没有可以复核的权限"),
        Waits = "approval-waits": ("该事项已有一个待复核的申请，请等待处理或先撤回"),
        Over { now: &'static str } = "approval-over": ("该申请{now}，不能再处理"),
        Late = "approval-expired": ("该申请已超过 {LIFE_H} 小时，不能再处理；没有执行任何操作"),
        Own = "approval-own": ("不能复核自己提交的申请，请由另一位同事处理"),
        NotPermitted = "approval-not-permitted": ("您没有复核该事项所需的权限"),
        RejectReason = "approval-reject-reason": ("请填写驳回原因，最多 {REASON_MAX} 个字"),
        NotRequester = "approval-not-requester": ("只有申请人可以撤回"),
        RequesterDisabled = "approval-requester-disabled": ("申请人的账号已停用或不存在，不能同意该申请"),
        RequesterCodes = "approval-requester-codes": ("申请人已没有进行该操作的权限，不能同意该申请"),
        RequesterReach = "approval-requester-reach": ("申请人的数据范围已不含该事项，不能同意该申请"),
        TooEarly = "approval-too-early": ("该申请尚未过期"),
    }
}

use ApprovalRefusal as Refusal;

impl Request {
    fn sound(mut self) -> Result<Self, Refusal> {
        self.summary = line(&self.summary, SUMMARY_MAX).ok_or(Refusal::Summary)?;
        self.reason = lines(&self.reason, REASON_MAX).ok_or(Refusal::Reason)?;
        if self.amount_cents < 0 {
            return Err(Refusal::Amount);
        }
        if self.payload.to_string().len() > PAYLOAD_MAX_BYTES {
            return Err(Refusal::Payload);
        }
        if self.codes.is_empty() { Err(Refusal::Codes) } else { Ok(self) }
    }

    /// Of one subject and kind one request waits at a time.
    fn claim(&self) -> String {
        format!("approval:{}:{}:{}", self.kind, self.subject.category, self.subject.id)
    }

    /// Whether who asked may still do it.
    fn stands_by(&self, requester: Option<&Standing>) -> Result<(), Refusal> {
        let standing = requester.filter(|standing| standing.enabled).ok_or(Refusal::RequesterDisabled)?;
        if self.codes.is_disjoint(&standing.codes) {
            Err(Refusal::RequesterCodes)
        } else if standing.scope.contains(self.owner) {
            Ok(())
        } else {
            Err(Refusal::RequesterReach)
        }
    }
}

/// What was asked for and what became of it, as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct Approval {
    request: Option<Request>,
    state: ApprovalState,
}

impl Approval {
    /// What was asked for; nothing where nobody did.
    pub fn request(&self) -> Option<&Request> {
        self.request.as_ref()
    }

    /// What was asked for, if it may still be decided at `now`.
    fn open(&self, now: Timestamp) -> Result<&Request, Refusal> {
        let request = self.request.as_ref().ok_or(Refusal::Unknown)?;
        match self.state {
            ApprovalState::Waiting if now >= request.expires_at => Err(Refusal::Late),
            ApprovalState::Waiting => Ok(request),
            ApprovalState::Expired => Err(Refusal::Late),
            over => Err(Refusal::Over { now: over.label() }),
        }
    }

    /// What was asked for, if `by` may decide it at `now`.
    fn decided_by(&self, by: &Decider, now: Timestamp) -> Result<&Request, Refusal> {
        let request = self.open(now)?;
        if request.requester == by.operator {
            Err(Refusal::Own)
        } else if request.codes.is_disjoint(&by.codes) {
            Err(Refusal::NotPermitted)
        } else {
            Ok(request)
        }
    }

    /// Whether `by` may say yes at `now`.
    pub fn may_approve(
        &self,
        by: &Decider,
        requester: Option<&Standing>,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        self.decided_by(by, now)?.stands_by(requester)
    }

    /// Whether `by` may say no at `now`.
    pub fn may_reject(&self, by: &Decider, now: Timestamp) -> Result<(), Refusal> {
        self.decided_by(by, now).map(drop)
    }
}

impl Aggregate for Approval {
    const CATEGORY: &'static str = "approval";
    type Id = ApprovalId;
    type Command = ApprovalCommand;
    type Event = ApprovalEvent;
    type Refusal = ApprovalRefusal;

    /// Nothing is ever "already so": a deed follows from a yes, and only from the first.
    fn decide(&self, command: Self::Command, now: Timestamp) -> Decision<Self> {
        let event = match command {
            ApprovalCommand::Request { .. } if self.request.is_some() => return Err(Refusal::Exists),
            ApprovalCommand::Request { request, name } => {
                ApprovalEvent::Requested { request: request.sound()?, name }
            }
            ApprovalCommand::Approve { by, requester } => {
                self.may_approve(&by, requester.as_ref(), now)?;
                ApprovalEvent::Approved { by: by.operator, name: by.name }
            }
            ApprovalCommand::Reject { by, reason } => {
                self.may_reject(&by, now)?;
                let reason = lines(&reason, REASON_MAX).filter(|reason| !reason.is_empty());
                let reason = reason.ok_or(Refusal::RejectReason)?;
                ApprovalEvent::Rejected { by: by.operator, name: by.name, reason }
            }
            ApprovalCommand::Withdraw { by } => {
                if self.open(now)?.requester != by {
                    return Err(Refusal::NotRequester);
                }
                ApprovalEvent::Withdrawn
            }
            ApprovalCommand::Expire => match self.open(now) {
                Ok(_) => return Err(Refusal::TooEarly),
                Err(Refusal::Late) if self.state == ApprovalState::Waiting => ApprovalEvent::Expired,
                Err(Refusal::Late) => return Ok(vec![]),
                Err(refusal) => return Err(refusal),
            },
        };
        Ok(vec![event])
    }

    fn evolve(&mut self, event: &ApprovalEvent) {
        self.state = match event {
            ApprovalEvent::Requested { request, .. } => {
                self.request = Some(request.clone());
                ApprovalState::Waiting
            }
            ApprovalEvent::Approved { .. } => ApprovalState::Approved,
            ApprovalEvent::Rejected { .. } => ApprovalState::Rejected,
            ApprovalEvent::Withdrawn => ApprovalState::Withdrawn,
            ApprovalEvent::Expired => ApprovalState::Expired,
        };
    }

    fn owner(&self) -> DataOwner {
        self.request.as_ref().map_or(DataOwner::PLATFORM, |request| request.owner)
    }

    fn claims(&self, event: &ApprovalEvent) -> Vec<Claim<Refusal>> {
        match event {
            ApprovalEvent::Requested { request, .. } => {
                vec![Claim::Take { key: request.claim(), refusal: Refusal::Waits }]
            }
            _ => self.request.iter().map(|request| Claim::Release { key: request.claim() }).collect(),
        }
    }
}

#[cfg(test)]
#[path = "approval_tests.rs"]
mod tests;
