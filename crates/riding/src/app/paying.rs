//! What is owed is paid, and what was paid goes back.

use kernel::runtime::Runtime;
use kernel::{CommandContext, Receipt, Transaction};
use ledger::{AccountKind, Book, Holder};
use serde_json::json;
use vocabulary::{RideOrderId, Timestamp};
use wire::Refused;

use super::order_deeds::BackTo;
use super::payments::start_refund;
use super::{cards, post};
use crate::Context;
use crate::model::money;
use crate::model::order::{Order, OrderCommand, PayState, Share};
use crate::model::payment::GoesBack;

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

impl Context {
    /// Takes what an order costs from its rider's wallet, where that holds all of it.
    pub(crate) async fn pay_from_wallet(
        &self,
        tx: &mut Transaction,
        order_id: RideOrderId,
        now: Timestamp,
    ) -> Result<(), Refused> {
        let loaded = tx.load::<Order>(&order_id).await?;
        let order = loaded.state;
        let opened = order.opened().ok_or_else(Refused::not_found)?;
        let book = tx.load::<Book>(&Holder::rider(opened.rider_id)).await?.state;
        let Some(share) = money::from_wallet(&book, order.owed_cents()) else { return Ok(()) };
        let entry = money::paid(order_id, loaded.version, opened.area_id, now, &share, WALLET);
        tx.execute::<Order>(&order_id, OrderCommand::Pay { share, channel: WALLET, payment: None }).await?;
        Ok(post(tx, opened.rider_id, entry).await?)
    }

    /// Pays an order from the wallet, all or nothing.
    pub(crate) async fn pay(&self, ctx: &CommandContext, order_id: RideOrderId) -> Result<Receipt, Refused> {
        let ctx = CommandContext { reply: json!({ "orderId": order_id }), ..ctx.clone() };
        let paying = async |mut tx: Transaction| -> Result<_, Refused> {
            let before = tx.load::<Order>(&order_id).await?.state.owed_cents();
            self.pay_from_wallet(&mut tx, order_id, ctx.now).await?;
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
