//! Cards: bought, used by rides, given back.

use kernel::{AnyRefusal, CommandContext, CommandError, Receipt, Transaction};
use serde_json::json;
use vocabulary::{CardHoldingId, CardProductId, PaymentId, RideOrderId, RiderId, Scope, Timestamp};
use wire::{Caller, Refused, RequestContext};

use super::payments::start_refund;
use super::{post, reaching};
use crate::Context;
use crate::model::card::CardKind;
use crate::model::card_money;
use crate::model::card_product::{CardForm, CardProduct, CardProductCommand};
use crate::model::holdings::{
    HolderOf, PaidBy, Purchase, RefundTo, RideOfCards, RiderCards, RiderCardsCommand, Spent,
};
use crate::model::payment::GoesBack;
use crate::model::rider::{AccountState, Qualification, Registration, Rider, RiderCommand, RiderRefusal};

/// What of a product is bought.
#[derive(Clone, Copy, Debug)]
pub struct CardWanted {
    /// Who buys.
    pub rider: RiderId,
    /// Which product …
    pub product: CardProductId,
    /// … in the version that he saw.
    pub number: i64,
}

/// A card that was paid straight by a channel.
#[derive(Clone, Copy, Debug)]
pub struct CardPaid {
    /// What he was asked the money for.
    pub wanted: CardWanted,
    /// The payment that came.
    pub payment: PaymentId,
    /// Through which channel.
    pub channel: i16,
    /// What came: cents.
    pub amount_cents: i64,
    /// When it came.
    pub at: Timestamp,
}

/// What became of a card that was paid by a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardGiven {
    /// He holds it.
    Bought(CardHoldingId),
    /// It can be sold no more; the money lies in his wallet. Why, in words.
    Kept(String),
}

/// A card that goes back.
#[derive(Clone, Debug)]
pub struct CardRefund {
    /// Whose.
    pub rider: RiderId,
    /// Which.
    pub holding: CardHoldingId,
    /// What is asked: [`RiderCardsCommand::Refund`] or [`RiderCardsCommand::TakeBack`].
    pub command: RiderCardsCommand,
}

/// A rider who may buy.
async fn buyer(tx: &mut Transaction, rider: RiderId, now: Timestamp) -> Result<HolderOf, Refused> {
    let known = tx.load::<Rider>(&rider).await?.state;
    let of = holder_of(&known)?;
    match known.account_state(now) {
        AccountState::Normal => Ok(of),
        AccountState::Frozen => Err(CommandError::Refused(RiderRefusal::Frozen).into()),
        AccountState::Blacklisted => Err(CommandError::Refused(RiderRefusal::Blacklisted).into()),
        AccountState::Closing | AccountState::Closed => {
            Err(CommandError::Refused(RiderRefusal::Closed).into())
        }
    }
}

fn holder_of(rider: &Rider) -> Result<HolderOf, Refused> {
    let Registration { rider_id, agent_id, area_id, .. } =
        *rider.registration().ok_or_else(Refused::not_found)?;
    Ok(HolderOf { rider_id, agent_id, area_id })
}

/// The product as it is sold to a rider of this agent.
async fn product_for(
    tx: &mut Transaction,
    of: HolderOf,
    product: CardProductId,
) -> Result<CardProduct, Refused> {
    let known = tx.load::<CardProduct>(&product).await?.state;
    let of_his_agent = known.of().is_some_and(|product| product.agent_id == of.agent_id);
    if of_his_agent { Ok(known) } else { Err(Refused::not_found()) }
}

/// Lets the rider's membership count as what lets him ride, for as long as it lasts.
async fn qualify(
    tx: &mut Transaction,
    rider: RiderId,
    now: Timestamp,
) -> Result<(), CommandError<AnyRefusal>> {
    let by = Qualification::Membership;
    let command = match tx.load::<RiderCards>(&rider).await?.state.member_until(now) {
        Some(until) => RiderCommand::Qualify { by, until: Some(until) },
        None => RiderCommand::Disqualify { by },
    };
    tx.execute::<Rider>(&rider, command).await
}

/// Lets a rider hold what was sold to him, and books what he paid.
async fn hold(
    tx: &mut Transaction,
    of: HolderOf,
    purchase: Purchase,
    limit: Option<i32>,
    at: Timestamp,
) -> Result<(), CommandError<AnyRefusal>> {
    let Purchase { holding_id, price_cents, paid_by, .. } = purchase;
    let kind = purchase.card.kind;
    let buy = RiderCardsCommand::Buy { of, purchase: Box::new(purchase), limit };
    tx.execute::<RiderCards>(&of.rider_id, buy).await?;
    let entry = card_money::sold(holding_id, of.area_id, at, price_cents, paid_by);
    post(tx, of.rider_id, entry).await?;
    if kind == CardKind::Membership {
        qualify(tx, of.rider_id, at).await?;
    }
    Ok(())
}

fn purchase(holding_id: CardHoldingId, wanted: CardWanted, form: &CardForm, paid_by: PaidBy) -> Purchase {
    Purchase {
        holding_id,
        product_id: wanted.product,
        number: wanted.number,
        card: form.card.clone(),
        price_cents: form.price_cents,
        paid_by,
    }
}

impl Context {
    /// Sells a card from what its rider paid into his wallet: sold, held and booked in one append. Presents buy no cards.
    pub(crate) async fn buy_card(
        &self,
        caller: &Caller,
        request: &RequestContext,
        wanted: CardWanted,
    ) -> Result<Receipt, Refused> {
        let known = self.rider(caller, wanted.rider).await?;
        let holding_id = CardHoldingId(self.runtime.ids.next_id());
        let ctx = request.context(json!({ "holdingId": holding_id }));
        let ctx = reaching(&caller.scope, kernel::Aggregate::owner(&known), ctx)?;
        let buying = async |mut tx: Transaction| -> Result<_, Refused> {
            let of = buyer(&mut tx, wanted.rider, ctx.now).await?;
            let product = product_for(&mut tx, of, wanted.product).await?;
            let form = &product.on_sale(ctx.now).map_err(CommandError::Refused)?.said;
            let sell = CardProductCommand::Sell { holding_id, number: wanted.number };
            tx.execute::<CardProduct>(&wanted.product, sell).await?;
            let purchase = purchase(holding_id, wanted, form, PaidBy::WALLET);
            hold(&mut tx, of, purchase, form.limit_per_rider, ctx.now).await?;
            Ok(tx)
        };
        self.runtime.desk.transact(&ctx, buying).await
    }

    /// What a card on sale costs its rider, for the payment that is asked for: cents. Refused where he could not have it now.
    pub(crate) async fn card_price(&self, wanted: CardWanted, now: Timestamp) -> Result<i64, Refused> {
        let desk = &self.runtime.desk;
        let of = holder_of(&desk.load::<Rider>(&wanted.rider).await?.state)?;
        let product = desk.load::<CardProduct>(&wanted.product).await?.state;
        if product.of().is_none_or(|product| product.agent_id != of.agent_id) {
            return Err(Refused::not_found());
        }
        // The same rules as of the purchase, on what is known now; nothing of it is written.
        let holding_id = CardHoldingId(0);
        let form = product.on_sale(now).map_err(CommandError::Refused)?.said.clone();
        let sell = CardProductCommand::Sell { holding_id, number: wanted.number };
        kernel::Aggregate::decide(&product, sell, now).map_err(CommandError::Refused)?;
        let cards = desk.load::<RiderCards>(&wanted.rider).await?.state;
        let purchase = Box::new(purchase(holding_id, wanted, &form, PaidBy::WALLET));
        let buy = RiderCardsCommand::Buy { of, purchase, limit: form.limit_per_rider };
        kernel::Aggregate::decide(&cards, buy, now).map_err(CommandError::Refused)?;
        Ok(form.price_cents)
    }

    /// Gives a card back for what is left of it: into the wallet, or owed until it arrived by the way it came.
    pub(crate) async fn refund_card(
        &self,
        scope: &Scope,
        ctx: CommandContext,
        refund: CardRefund,
    ) -> Result<Receipt, Refused> {
        let known = self.runtime.desk.load::<Rider>(&refund.rider).await?.state;
        let ctx = reaching(scope, kernel::Aggregate::owner(&known), ctx)?;
        let going = async |mut tx: Transaction| -> Result<_, Refused> {
            self.refund_card_in(&mut tx, &refund, ctx.now).await?;
            Ok(tx)
        };
        self.runtime.desk.transact(&ctx, going).await
    }

    /// Gives a card back, as part of `tx`. What goes back by the way it came leaves when the append stands, and is owed until
    /// it arrived.
    pub(crate) async fn refund_card_in(
        &self,
        tx: &mut Transaction,
        refund: &CardRefund,
        now: Timestamp,
    ) -> Result<(), Refused> {
        let CardRefund { rider, holding, command } = refund;
        let to = match command {
            RiderCardsCommand::Refund { to, .. } | RiderCardsCommand::TakeBack { to, .. } => *to,
            _ => return Err(Refused::internal("a card goes back by a command for that")),
        };
        let before = tx.load::<RiderCards>(rider).await?.state;
        tx.execute::<RiderCards>(rider, command.clone()).await?;
        let held = before.holding(*holding).zip(before.of());
        let (held, of) = held.ok_or_else(|| Refused::internal("a card went back that nobody held"))?;
        let amount_cents = held.unused_cents(now);
        let entry = card_money::refunded(*holding, of.area_id, now, amount_cents, to);
        post(tx, *rider, entry).await?;
        if let (RefundTo::Origin, Some(payment)) = (to, held.purchase().paid_by.payment) {
            start_refund(&self.runtime, tx, payment, amount_cents, GoesBack::Price).await?;
        }
        let Purchase { product_id, number, ref card, .. } = *held.purchase();
        // One that served nobody is sold again, as it does not count for its rider's limit either.
        if !held.was_used() {
            let restock = CardProductCommand::Restock { holding_id: *holding, number };
            tx.execute::<CardProduct>(&product_id, restock).await?;
        }
        if card.kind == CardKind::Membership {
            qualify(tx, *rider, now).await?;
        }
        Ok(())
    }
}

/// Gives a rider the card that a channel's payment came for, as part of `tx`, under an id that is made before. What can be sold
/// no more (sold out, limited, taken back) is not lost: the money lies in his wallet then.
pub(crate) async fn bought_by_payment(
    tx: &mut Transaction,
    holding_id: CardHoldingId,
    paid: &CardPaid,
) -> Result<CardGiven, Refused> {
    let CardPaid { wanted, payment, channel, amount_cents, at } = *paid;
    let of = holder_of(&tx.load::<Rider>(&wanted.rider).await?.state)?;
    match sold_for(tx, of, holding_id, paid).await {
        Ok(()) => Ok(CardGiven::Bought(holding_id)),
        Err(CommandError::Refused(refusal)) => {
            let entry = card_money::kept(payment, of.area_id, at, amount_cents, channel);
            post(tx, wanted.rider, entry).await?;
            Ok(CardGiven::Kept(refusal.message()))
        }
        Err(error) => Err(error.into()),
    }
}

async fn sold_for(
    tx: &mut Transaction,
    of: HolderOf,
    holding_id: CardHoldingId,
    paid: &CardPaid,
) -> Result<(), CommandError<AnyRefusal>> {
    let CardPaid { wanted, payment, channel, amount_cents, at } = *paid;
    let unknown = || CommandError::Refused(crate::model::card_product::CardProductRefusal::Unknown).of_any();
    let product = tx.load::<CardProduct>(&wanted.product).await?.state;
    let version = product.version(wanted.number).ok_or_else(unknown)?;
    let form = &version.said;
    let of_his_agent = product.of().is_some_and(|product| product.agent_id == of.agent_id);
    if !of_his_agent || form.price_cents != amount_cents {
        return Err(unknown());
    }
    let paid_by = PaidBy { payment: Some(payment), channel };
    let purchase = purchase(holding_id, wanted, form, paid_by);
    // What may be refused comes first: nothing of it stands when the other is.
    let limit = form.limit_per_rider;
    let cards = tx.load::<RiderCards>(&of.rider_id).await?.state;
    let buy = RiderCardsCommand::Buy { of, purchase: Box::new(purchase.clone()), limit };
    kernel::Aggregate::decide(&cards, buy, at).map_err(|refusal| CommandError::Refused(refusal).of_any())?;
    let sell = CardProductCommand::SellPaid { holding_id, number: wanted.number };
    tx.execute::<CardProduct>(&wanted.product, sell).await?;
    hold(tx, of, purchase, limit, at).await
}

/// Uses what serves a rider best on a ride that is over, as part of `tx`; told is what the fare needs of it, and why.
pub(crate) async fn spend(
    tx: &mut Transaction,
    rider: RiderId,
    ride: &RideOfCards,
) -> Result<Spent, CommandError<AnyRefusal>> {
    let spent = tx.load::<RiderCards>(&rider).await?.state.best(ride);
    if !spent.uses.is_empty() {
        tx.execute::<RiderCards>(&rider, RiderCardsCommand::Spend(Box::new(ride.clone()))).await?;
    }
    Ok(spent)
}

/// Gives back what an order used of its rider's cards, as part of `tx`.
pub(crate) async fn give_back(
    tx: &mut Transaction,
    rider: RiderId,
    order: RideOrderId,
) -> Result<(), CommandError<AnyRefusal>> {
    if tx.load::<RiderCards>(&rider).await?.state.has_spent(order) {
        tx.execute::<RiderCards>(&rider, RiderCardsCommand::GiveBack { order }).await?;
    }
    Ok(())
}
