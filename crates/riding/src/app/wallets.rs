//! Money that somebody puts into a rider's wallet by hand; above the agent's limit a second person decides.

use approvals::model::approval::Subject;
use approvals::model::limits::Limit;
use approvals::{Act, Deed, DeedRequest, Outcome, Outlook};
use async_trait::async_trait;
use kernel::runtime::Runtime;
use kernel::{Aggregate, CommandContext, Position, RequestId, Transaction};
use ledger::{AccountKind, Book, Holder};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vocabulary::{Cents, RiderId, Scope};
use wire::{Caller, Refused};

use super::paying::{owed_by, pay_arrears};
use super::{post, reaching};
use crate::Context;
use crate::model::money;
use crate::model::rider::{Adjustment, Rider, RiderCommand};

const ADJUST: &str = "wallet.adjust";
/// Where nobody has set a limit, more than 500 yuan take two.
const USUAL_CENTS: i64 = 50_000;
const READS: [&str; 3] = ["rider", "ledger_book", "ledger_entry"];

/// Whose wallet, and what comes into it.
#[derive(Serialize, Deserialize)]
struct OfRider {
    rider_id: RiderId,
    #[serde(flatten)]
    adjustment: Adjustment,
}

impl Context {
    /// A rider within all that the caller's account may see.
    pub(crate) async fn rider_in_reach(&self, caller: &Caller, rider: RiderId) -> Result<Rider, Refused> {
        let known = self.runtime.desk.load::<Rider>(&rider).await?.state;
        let seen = known.registration().is_some() && caller.full_scope.contains(known.owner());
        if seen { Ok(known) } else { Err(Refused::not_found()) }
    }

    /// Puts money into a wallet, or asks a second person. The adjustment's own name stands for the request: said again,
    /// it is told what became of it.
    pub(crate) async fn adjust_wallet(
        &self,
        caller: &Caller,
        ctx: CommandContext,
        rider: RiderId,
        adjustment: Adjustment,
        reason: String,
    ) -> Result<Outcome, Refused> {
        let known = self.rider_in_reach(caller, rider).await?;
        let request_id = RequestId(format!("wallet:{}:{}", caller.operator()?, adjustment.request));
        let ctx = CommandContext { request_id: Some(request_id), ..ctx };
        let ctx = reaching(&caller.full_scope, known.owner(), ctx)?;
        let (amount, gift) = (Cents(adjustment.amount_cents), Cents(adjustment.gift_cents));
        let asked = DeedRequest {
            kind: ADJUST,
            subject: Subject { category: Rider::CATEGORY.to_owned(), id: rider.to_string() },
            summary: format!("为用户 {rider} 人工充值 {amount} 元、赠送 {gift} 元"),
            amount_cents: adjustment.amount_cents.saturating_add(adjustment.gift_cents),
            payload: json!(OfRider { rider_id: rider, adjustment }),
            reason,
            owner: known.owner(),
        };
        self.ports.approvals.do_or_ask(caller, asked, &ctx).await
    }
}

/// Putting money into a wallet by hand.
pub struct AdjustWallet {
    runtime: Runtime,
}

impl AdjustWallet {
    /// By the system's read models.
    pub const fn new(runtime: Runtime) -> Self {
        Self { runtime }
    }
}

fn told(payload: &Value) -> Result<OfRider, Refused> {
    serde_json::from_value(payload.clone()).map_err(Refused::internal)
}

#[async_trait]
impl Deed for AdjustWallet {
    fn kind(&self) -> &'static str {
        ADJUST
    }

    fn label(&self) -> &'static str {
        "人工充值"
    }

    fn codes(&self) -> &'static [&'static str] {
        &["070101"]
    }

    fn usual(&self) -> Limit {
        Limit::above(USUAL_CENTS)
    }

    async fn carry_out(&self, tx: &mut Transaction, act: &Act<'_>) -> Result<(), Refused> {
        let OfRider { rider_id, adjustment } = told(act.payload)?;
        let Adjustment { request, amount_cents, gift_cents } = adjustment.clone();
        let adjust = RiderCommand::AdjustWallet { adjustment, reason: act.reason.to_owned() };
        tx.execute::<Rider>(&rider_id, adjust).await?;
        let entry = money::adjusted(request, act.ctx.now, amount_cents, gift_cents);
        post(tx, rider_id, entry).await?;
        let owed = owed_by(&self.runtime, rider_id).await?;
        pay_arrears(tx, &owed, act.ctx.now).await
    }

    async fn outlook(&self, payload: &Value) -> Result<Outlook, Refused> {
        let OfRider { rider_id, adjustment } = told(payload)?;
        let rider = self.runtime.desk.load::<Rider>(&rider_id).await?.state;
        if let Err(refusal) = rider.account_is_open() {
            return Ok(Outlook::Cannot(kernel::Refusal::message(&refusal)));
        }
        let book = self.runtime.desk.load::<Book>(&Holder::rider(rider_id)).await?.state;
        let line = |kind: AccountKind, more_cents: i64| {
            let cents = book.balance(kind).total_cents;
            format!("{kind}：{} 元 → {} 元。", Cents(cents), Cents(cents.saturating_add(more_cents)))
        };
        Ok(Outlook::Would(vec![
            line(AccountKind::Recharge, adjustment.amount_cents),
            line(AccountKind::Present, adjustment.gift_cents),
            "充值部分以后可以退还，赠送部分不退。".to_owned(),
        ]))
    }

    async fn settle(&self, position: Position) -> Result<(), Refused> {
        drop(self.runtime.reads.scoped(&Scope::NONE, Some(position), &READS).await?);
        Ok(())
    }
}
