//! What is owed is paid, and what was paid goes back.

use kernel::runtime::Runtime;
use kernel::{CommandContext, Receipt, Transaction};
use ledger::{AccountKind, Book, Holder};
use serde_json::json;
use vocabulary::{RideOrderId, RiderId, Scope, Timestamp};
use wire::Refused;

use super::payments::start_refund;
use super::{cards, post};
use crate::Context;
use crate::model::config::PayConfig;
use crate::model::money;
use crate::model::order::{Order, OrderCommand, PayState, Share};
use crate::model::order_terms::BackTo;
use crate::model::pay_rules::PayRules;
use crate::model::payment::GoesBack;
use crate::read::orders;

/// The channel of a wallet.
const WALLET: i16 = 0;

/// Money to give back.
#[derive(Clone, Debug)]
pub struct Refunding {
    /// Of which order.
    pub order_id: RideOrderId,
    /// How much, by where it came from.
    pub share: Share,
    /// Why.
    pub reason: String,
}

/// A wallet that is filled pays at most so many orders that are owed at once.
const ARREARS_MAX: i64 = 20;

/// Takes what an order costs from its rider's wallet, where that holds all of it.
pub(super) async fn pay_from_wallet(
    tx: &mut Transaction,
    order_id: RideOrderId,
    now: Timestamp,
) -> Result<(), Refused> {
    let loaded = tx.load::<Order>(&order_id).await?;
    let order = loaded.state;
    let opened = order.opened().ok_or_else(Refused::not_found)?;
    let first = pay_rules(tx, &order, now).await?.spend_first;
    let book = tx.load::<Book>(&Holder::rider(opened.rider_id)).await?.state;
    let Some(share) = money::from_wallet(&book, order.owed_cents(), first) else { return Ok(()) };
    let entry = money::paid(order_id, loaded.version, opened.area_id, now, &share, WALLET);
    tx.execute::<Order>(&order_id, OrderCommand::Pay { share, channel: WALLET, payment: None }).await?;
    Ok(post(tx, opened.rider_id, entry).await?)
}

/// The same as a ride ends, where its area lets wallets pay by themselves.
pub(super) async fn pay_at_return(
    tx: &mut Transaction,
    order_id: RideOrderId,
    now: Timestamp,
) -> Result<(), Refused> {
    let order = tx.load::<Order>(&order_id).await?.state;
    let by_balance = pay_rules(tx, &order, now).await?.paid_by_balance;
    if by_balance { pay_from_wallet(tx, order_id, now).await } else { Ok(()) }
}

/// The orders that a rider owes, the oldest first, before his wallet is filled.
pub(super) async fn owed_by(runtime: &Runtime, rider: RiderId) -> Result<Vec<RideOrderId>, Refused> {
    let mut db = runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
    Ok(orders::owing(&mut *db, rider, ARREARS_MAX).await?)
}

/// Pays those of `owed` that what came into the wallet suffices for, where their areas let it, as part of `tx`.
pub(super) async fn pay_arrears(
    tx: &mut Transaction,
    owed: &[RideOrderId],
    now: Timestamp,
) -> Result<(), Refused> {
    for order_id in owed {
        let order = tx.load::<Order>(order_id).await?.state;
        // Paid by something else meanwhile.
        if order.state() != PayState::Unpaid {
            continue;
        }
        if pay_rules(tx, &order, now).await?.arrears_by_balance {
            pay_from_wallet(tx, *order_id, now).await?;
        }
    }
    Ok(())
}

/// How rides of an order's area are paid now.
async fn pay_rules(tx: &mut Transaction, order: &Order, now: Timestamp) -> Result<PayRules, Refused> {
    let area = order.opened().map(|opened| opened.area_id).ok_or_else(Refused::not_found)?;
    Ok(tx.load::<PayConfig>(&area).await?.state.at(now).1.clone())
}

impl Context {
    /// Pays an order from the wallet, all or nothing.
    pub(crate) async fn pay(&self, ctx: &CommandContext, order_id: RideOrderId) -> Result<Receipt, Refused> {
        let ctx = CommandContext { reply: json!({ "orderId": order_id }), ..ctx.clone() };
        let paying = async |mut tx: Transaction| -> Result<_, Refused> {
            let before = tx.load::<Order>(&order_id).await?.state.owed_cents();
            pay_from_wallet(&mut tx, order_id, ctx.now).await?;
            let owed_cents = tx.load::<Order>(&order_id).await?.state.owed_cents();
            if before > 0 && owed_cents > 0 {
                return Err(Refused::business("wallet-short", "钱包余额不足，请充值或选择其他支付方式"));
            }
            Ok(tx)
        };
        self.runtime.desk.transact(&ctx, paying).await
    }
}

/// Gives money of an order back: into the wallet what came from there; what came through a channel goes back by it and is
/// owed until it arrived, or into the wallet too.
pub(crate) async fn refund(
    runtime: &Runtime,
    tx: &mut Transaction,
    refunding: &Refunding,
    to: BackTo,
    now: Timestamp,
) -> Result<(), Refused> {
    let Refunding { order_id, share, reason } = refunding;
    let loaded = tx.load::<Order>(order_id).await?;
    let opened = loaded.state.opened().ok_or_else(Refused::not_found)?;
    let refund = OrderCommand::Refund { share: *share, reason: reason.clone() };
    tx.execute::<Order>(order_id, refund).await?;
    if share.third_cents > 0 && to == BackTo::Original {
        let payment = loaded.state.payment().ok_or_else(Refused::not_found)?;
        start_refund(runtime, tx, payment, share.third_cents, GoesBack::Price).await?;
    }
    // Who gets all of it back has not used his card either.
    if tx.load::<Order>(order_id).await?.state.state() == PayState::Refunded {
        cards::give_back(tx, opened.rider_id, *order_id).await?;
    }
    let entry = money::refunded(*order_id, loaded.version, opened.area_id, now, share);
    post(tx, opened.rider_id, entry).await?;
    if to == BackTo::Wallet {
        let which = format!("{order_id}-{}", loaded.version);
        let entry = money::stayed(AccountKind::Recharge, which, now, share.third_cents);
        post(tx, opened.rider_id, entry).await?;
    }
    Ok(())
}

/// Lowers what an order costs before it is paid.
pub(crate) async fn modify(
    tx: &mut Transaction,
    order_id: RideOrderId,
    pay_cents: i64,
    reason: &str,
    now: Timestamp,
) -> Result<(), Refused> {
    let loaded = tx.load::<Order>(&order_id).await?;
    let order = loaded.state;
    let opened = order.opened().ok_or_else(Refused::not_found)?;
    let modify = OrderCommand::Modify { pay_cents, reason: reason.to_owned() };
    tx.execute::<Order>(&order_id, modify).await?;
    let by_cents = order.pay_cents() - pay_cents;
    let entry = money::lowered(order_id, loaded.version, opened.area_id, now, by_cents);
    Ok(post(tx, opened.rider_id, entry).await?)
}

/// Gives up what is still owed for an order.
pub(super) async fn write_off(
    tx: &mut Transaction,
    order_id: RideOrderId,
    reason: &str,
    now: Timestamp,
) -> Result<(), Refused> {
    let order = tx.load::<Order>(&order_id).await?.state;
    let opened = order.opened().ok_or_else(Refused::not_found)?;
    tx.execute::<Order>(&order_id, OrderCommand::WriteOff { reason: reason.to_owned() }).await?;
    let entry = money::written_off(order_id, opened.area_id, now, order.owed_cents());
    Ok(post(tx, opened.rider_id, entry).await?)
}
