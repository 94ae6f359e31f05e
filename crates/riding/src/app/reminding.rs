//! Reminding who owes for a ride. That he is reminded is written down before anything leaves, so that a crash reminds him once
//! less and never twice.

use std::collections::HashMap;

use kernel::{CommandContext, Receipt, Runtime};
use vocabulary::{AreaId, Cents, RideOrderId, Scope, Timestamp};
use wire::{Caller, Refused};

use crate::Context;
use crate::model::config::PayConfig;
use crate::model::order::{Order, OrderCommand};
use crate::model::pay_rules::{PayRules, RemindWay};
use crate::model::reminder::is_night;
use crate::model::rider::Rider;
use crate::ports::Messages;
use crate::read::arrears;

/// The rule's name in the log.
const RULE: &str = "arrears-reminders";
/// Orders that are looked at together.
const AT_ONCE: i64 = 500;
/// Reminders of a round; the others wait for the next one.
const SENT_MAX: usize = 500;

/// What became of a reminder.
#[derive(Clone, Debug)]
pub(crate) struct Reminded {
    /// How.
    pub way: RemindWay,
    /// Whether the provider took the message; nothing where none was to leave.
    pub sent: Option<bool>,
    /// What was written down.
    pub receipt: Receipt,
}

/// Reminds of what is due at `now` by the rules of each area; how many orders were reminded of. Once a message does not leave,
/// the others wait for the next round.
pub async fn remind_due(
    runtime: &Runtime,
    messages: &dyn Messages,
    now: Timestamp,
) -> Result<usize, Refused> {
    let (mut reminded, mut after) = (0, RideOrderId(0));
    let mut known: HashMap<AreaId, PayRules> = HashMap::new();
    while !is_night(now) && reminded < SENT_MAX {
        let mut db = runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        let some = arrears::to_remind(&mut *db, after, now, AT_ONCE).await?;
        drop(db);
        let Some(last) = some.last() else { break };
        after = last.order_id;
        for unpaid in some {
            let rules = match known.get(&unpaid.area_id) {
                Some(rules) => rules.clone(),
                None => known
                    .entry(unpaid.area_id)
                    .or_insert(pay_rules(runtime, unpaid.area_id, now).await?)
                    .clone(),
            };
            let order = runtime.desk.load::<Order>(&unpaid.order_id).await?.state;
            if !order.reminders().is_due(&rules, now) {
                continue;
            }
            let ctx = CommandContext::of_system(RULE, now);
            match remind(runtime, messages, &ctx, unpaid.order_id, rules, false).await {
                Ok(done) => {
                    reminded += 1;
                    if done.sent == Some(false) || reminded >= SENT_MAX {
                        return Ok(reminded);
                    }
                }
                // Paid, or reminded of, meanwhile.
                Err(Refused::Business { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(reminded)
}

async fn pay_rules(runtime: &Runtime, area: AreaId, now: Timestamp) -> Result<PayRules, Refused> {
    let config = runtime.desk.load::<PayConfig>(&area).await?.state;
    Ok(config.at(now).1.clone())
}

async fn remind(
    runtime: &Runtime,
    messages: &dyn Messages,
    ctx: &CommandContext,
    order_id: RideOrderId,
    rules: PayRules,
    by_hand: bool,
) -> Result<Reminded, Refused> {
    let way = rules.remind_way;
    let remind = OrderCommand::Remind { rules, by_hand };
    let receipt = runtime.desk.execute::<Order>(&order_id, remind, ctx).await?;
    // The rider's program shows all others by itself; what was asked before has left before.
    let sent = match way {
        RemindWay::Sms if !receipt.repeated => told_by_sms(runtime, messages, order_id).await?,
        RemindWay::Sms | RemindWay::System | RemindWay::App => None,
    };
    Ok(Reminded { way, sent, receipt })
}

/// Whether the provider took it; nothing when there is nobody to tell.
async fn told_by_sms(
    runtime: &Runtime,
    messages: &dyn Messages,
    order_id: RideOrderId,
) -> Result<Option<bool>, Refused> {
    let order = runtime.desk.load::<Order>(&order_id).await?.state;
    let Some(opened) = order.opened() else { return Ok(None) };
    let rider = runtime.desk.load::<Rider>(&opened.rider_id).await?.state;
    let Some(phone) = rider.registration().and_then(|of| of.phone.known()) else { return Ok(None) };
    let ridden = order.started_at().map(|at| at.local()[..10].to_owned()).unwrap_or_default();
    let owed = Cents(order.owed_cents());
    let text = format!(
        "您 {ridden} 的骑行订单还有 {owed} 元未支付，请打开骑行小程序或 APP 完成支付，支付后即可继续用车。"
    );
    match messages.send(phone, &text).await {
        Ok(()) => Ok(Some(true)),
        Err(error) => {
            tracing::warn!(%error, order = %order_id, "a reminder did not leave; it counts as one");
            Ok(Some(false))
        }
    }
}

impl Context {
    /// A person reminds of an order in his reach.
    pub(crate) async fn remind_by_hand(
        &self,
        caller: &Caller,
        ctx: CommandContext,
        order_id: RideOrderId,
    ) -> Result<Reminded, Refused> {
        let (order, ctx) = self.within_reach(caller, order_id, ctx).await?;
        let area = order.opened().ok_or_else(Refused::not_found)?.area_id;
        let rules = pay_rules(&self.runtime, area, ctx.now).await?;
        remind(&self.runtime, self.ports.messages.as_ref(), &ctx, order_id, rules, true).await
    }
}
