//! Asking for a second person, and deciding.

use std::collections::BTreeSet;

use kernel::{AnyRefusal, CommandContext, CommandError, Receipt, Transaction};
use serde_json::{Value, json};
use vocabulary::{AgentId, ApprovalId, DataOwner, PermissionCode, Timestamp};
use wire::{Caller, Refused};

use crate::Approvals;
use crate::deeds::{Act, Deed, Outlook};
use crate::model::approval::{Approval, ApprovalCommand, Decider, LIFE_MS, Request, Standing, Subject};
use crate::model::limits::{ApprovalLimits, Limits, needs_second};

/// In the stored reply of a request that asked for a second person: the id of what he decides.
const ASKED: &str = "approvalId";

/// A deed that somebody wants done.
#[derive(Clone, Debug)]
pub struct DeedRequest {
    /// Which, as its [`Deed`] is called.
    pub kind: &'static str,
    /// What it is about.
    pub subject: Subject,
    /// What it is, in a line for people, without personal data: 1 to 100 characters.
    pub summary: String,
    /// How much it moves; 0 where it has no amount.
    pub amount_cents: i64,
    /// Exactly what is to be done, without personal data: at most 16 KiB.
    pub payload: Value,
    /// Why: at most 200 characters.
    pub reason: String,
    /// Whose the subject is.
    pub owner: DataOwner,
}

/// What became of it.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It is done.
    Done(Receipt),
    /// A second person is to decide; nothing has moved.
    Waits {
        /// What he decides.
        approval: ApprovalId,
        /// Of the request; its reply is `{approvalId}`.
        receipt: Receipt,
    },
}

impl Outcome {
    /// What the receipt of either tells, that of a repeated request too.
    fn told_by(receipt: Receipt) -> Self {
        match receipt.reply[ASKED].as_str().and_then(|id| id.parse().ok()) {
            Some(approval) => Self::Waits { approval, receipt },
            None => Self::Done(receipt),
        }
    }

    /// Of either.
    pub const fn receipt(&self) -> &Receipt {
        match self {
            Self::Done(receipt) | Self::Waits { receipt, .. } => receipt,
        }
    }
}

/// What is decided.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Yes: it is done.
    Accept,
    /// No, and why.
    Reject(String),
}

/// How a rehearsal ended: nothing of it was written.
enum Rehearsed {
    /// It can be done.
    Sound,
    Refused(Refused),
}

impl From<Refused> for Rehearsed {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl From<CommandError<AnyRefusal>> for Rehearsed {
    fn from(error: CommandError<AnyRefusal>) -> Self {
        Self::Refused(error.into())
    }
}

/// Why a yes was of no effect: the deed itself is refused.
fn undone(refused: Refused) -> Refused {
    match refused {
        Refused::Business { code, text } => {
            Refused::business(code, format!("现在不能执行：{text}。没有执行任何操作，申请仍待复核"))
        }
        other => other,
    }
}

fn codes_of(caller: &Caller) -> BTreeSet<PermissionCode> {
    caller.codes.iter().cloned().collect()
}

/// The caller as one who decides.
pub(crate) fn decider(caller: &Caller) -> Result<Decider, Refused> {
    Ok(Decider { operator: caller.operator()?, name: caller.named()?, codes: codes_of(caller) })
}

/// Whether a deed takes two people by what the limits say in the transaction; of the platform's own nobody sets one.
async fn limits_need(
    tx: &mut Transaction,
    agent: Option<AgentId>,
    deed: &dyn Deed,
    amount_cents: i64,
    now: Timestamp,
) -> Result<bool, Refused> {
    let limits = match agent {
        Some(agent) => tx.load::<ApprovalLimits>(&agent).await?.state.at(now),
        None => Limits::new(),
    };
    Ok(needs_second(&limits, deed.kind(), deed.usual(), amount_cents))
}

impl Approvals {
    /// Does what the caller asks for where one person is enough, and asks for a second one where not. Either is one append
    /// under the request's own name: repeated, it tells the same again. `ctx` is that of the caller's account, its reply what
    /// is answered when the deed is done; it has no field `approvalId`.
    pub async fn do_or_ask(
        &self,
        caller: &Caller,
        asked: DeedRequest,
        ctx: &CommandContext,
    ) -> Result<Outcome, Refused> {
        let deed = self.deed(asked.kind)?;
        let requester = caller.operator()?;
        if !caller.codes.has_any(deed.codes()) {
            return Err(Refused::forbidden());
        }
        if !caller.full_scope.contains(asked.owner) {
            return Err(Refused::not_found());
        }
        let (agent, amount_cents) = (asked.owner.agent, asked.amount_cents);
        let limits = match agent {
            Some(agent) => self.runtime.desk.load::<ApprovalLimits>(&agent).await?.state.at(ctx.now),
            None => Limits::new(),
        };
        let second = needs_second(&limits, asked.kind, deed.usual(), amount_cents);
        let act = Act { payload: &asked.payload, requester, reason: &asked.reason, ctx };
        let receipt = if second {
            match self.rehearse(deed.as_ref(), &act).await? {
                Some(repeated) => repeated,
                None => self.ask(caller, deed.as_ref(), &asked, ctx).await?,
            }
        } else {
            let done = async |mut tx: Transaction| -> Result<_, Refused> {
                deed.carry_out(&mut tx, &act).await?;
                if limits_need(&mut tx, agent, deed.as_ref(), amount_cents, ctx.now).await? {
                    return Err(changed());
                }
                Ok(tx)
            };
            self.runtime.desk.transact(ctx, done).await?
        };
        let outcome = Outcome::told_by(receipt);
        if let Outcome::Done(receipt) = &outcome {
            deed.settle(receipt.position).await?;
        }
        Ok(outcome)
    }

    /// Refuses what cannot be done now: a second person is not asked for it. A request that was answered before tells what.
    async fn rehearse(&self, deed: &dyn Deed, act: &Act<'_>) -> Result<Option<Receipt>, Refused> {
        let rehearsal = async |mut tx: Transaction| -> Result<Transaction, Rehearsed> {
            deed.carry_out(&mut tx, act).await?;
            Err(Rehearsed::Sound)
        };
        match self.runtime.desk.transact(act.ctx, rehearsal).await {
            Ok(repeated) => Ok(Some(repeated)),
            Err(Rehearsed::Sound) => Ok(None),
            Err(Rehearsed::Refused(refused)) => Err(refused),
        }
    }

    /// Asks for a second person.
    async fn ask(
        &self,
        caller: &Caller,
        deed: &dyn Deed,
        asked: &DeedRequest,
        ctx: &CommandContext,
    ) -> Result<Receipt, Refused> {
        let approval_id = ApprovalId(self.runtime.ids.next_id());
        let codes = deed.codes().iter().map(|code| PermissionCode::try_from((*code).to_owned()));
        let request = Request {
            approval_id,
            kind: asked.kind.to_owned(),
            subject: asked.subject.clone(),
            summary: asked.summary.clone(),
            amount_cents: asked.amount_cents,
            payload: asked.payload.clone(),
            requester: caller.operator()?,
            codes: codes.collect::<Result<_, _>>().map_err(Refused::internal)?,
            reason: asked.reason.clone(),
            owner: asked.owner,
            expires_at: ctx.now.plus_millis(LIFE_MS),
        };
        let name = caller.named()?;
        // The version that the caller saw is that of the subject; it is judged when the deed is done.
        let ctx = CommandContext {
            reply: json!({ ASKED: approval_id.to_string() }),
            expected_version: None,
            ..ctx.clone()
        };
        let asking = async |mut tx: Transaction| -> Result<_, Refused> {
            let command = ApprovalCommand::Request { request: request.clone(), name: name.clone() };
            tx.execute::<Approval>(&approval_id, command).await?;
            if !limits_need(&mut tx, asked.owner.agent, deed, asked.amount_cents, ctx.now).await? {
                return Err(changed());
            }
            Ok(tx)
        };
        self.runtime.desk.transact(&ctx, asking).await
    }

    /// What was asked for, as far as the caller reaches.
    pub(crate) async fn known(
        &self,
        caller: &Caller,
        id: ApprovalId,
    ) -> Result<(Approval, Request), Refused> {
        let approval = self.runtime.desk.load::<Approval>(&id).await?.state;
        let request = approval.request().filter(|request| caller.full_scope.contains(request.owner)).cloned();
        Ok((approval, request.ok_or_else(Refused::not_found)?))
    }

    /// How who asked stands now.
    pub(crate) async fn requester(&self, request: &Request) -> Result<Option<Standing>, Refused> {
        self.standings.of(request.requester).await.map_err(Refused::unavailable)
    }

    /// What a request would do now.
    pub(crate) async fn outlook(&self, request: &Request) -> Result<Outlook, Refused> {
        match self.deed(&request.kind) {
            Ok(deed) => deed.outlook(&request.payload).await,
            Err(unknown) => Ok(Outlook::Cannot(unknown.to_string())),
        }
    }

    /// Decides. A yes and the deed are one append: the deed refused, nothing is decided.
    pub async fn decide(
        &self,
        caller: &Caller,
        id: ApprovalId,
        verdict: Verdict,
        ctx: &CommandContext,
    ) -> Result<Receipt, Refused> {
        let by = decider(caller)?;
        if let Verdict::Reject(reason) = verdict {
            let command = ApprovalCommand::Reject { by, reason };
            return Ok(self.runtime.desk.execute::<Approval>(&id, command, ctx).await?);
        }
        let (_, request) = self.known(caller, id).await?;
        let deed = self.deed(&request.kind)?;
        let requester = self.requester(&request).await?;
        let act =
            Act { payload: &request.payload, requester: request.requester, reason: &request.reason, ctx };
        let deciding = async |mut tx: Transaction| -> Result<_, Refused> {
            let approve = ApprovalCommand::Approve { by: by.clone(), requester: requester.clone() };
            tx.execute::<Approval>(&id, approve).await?;
            deed.carry_out(&mut tx, &act).await.map_err(undone)?;
            Ok(tx)
        };
        let receipt = match self.runtime.desk.transact(ctx, deciding).await {
            Ok(receipt) => receipt,
            Err(refused) => {
                // The deed may have met what another one's yes has just done: then that is what is to be said.
                let (approval, _) = self.known(caller, id).await?;
                approval.may_approve(&by, requester.as_ref(), ctx.now).map_err(CommandError::Refused)?;
                return Err(refused);
            }
        };
        deed.settle(receipt.position).await?;
        Ok(receipt)
    }
}

/// Limits changed between the look at them and the append.
fn changed() -> Refused {
    Refused::business("approval-limits-changed", "复核额度刚刚变更，请重试")
}
