//! Cards as riders' programs see them: what is on sale, buying, what they hold; and how a program puts cards on sale.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, CardHoldingId, CardProductId, RideOrderId, RiderId, Scope, Timestamp};
use wire::{Answer, Body, Call, Handled, MadeId, Nothing, Params, Permit, Refused, Routes};

use super::open_riders::RIDER;
use crate::Context;
use crate::app::NEWEST;
use crate::app::cards::{CardRefund, CardWanted};
use crate::model::billing::Billing;
use crate::model::card_product::{CardForm, CardProduct, CardProductCommand, ProductOf};
use crate::model::config::BillingConfig;
use crate::model::fare::Ridden;
use crate::model::holdings::{
    DAY_MS, RefundTo, RideOfCards, RiderCards, RiderCardsCommand, would_have_saved,
};
use crate::read::card_holdings::{self, CardHoldingRow};
use crate::read::card_products;

/// Rides of so many days are looked at to say what a card would have saved.
const LOOKED_AT_DAYS: i64 = 30;
/// A rider is shown so many of his cards.
const HOLDINGS_SHOWN: i64 = 200;

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add(RIDER, routes!(on_sale))
        .add(RIDER, routes!(buy))
        .add(RIDER, routes!(holdings))
        .add(RIDER, routes!(take_back))
        .add(Permit::Machine("open:territory"), routes!(put_on_sale))
        .with_state(context.clone())
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct OfRider {
    /// Which rider.
    user_id: RiderId,
}

/// A card that a rider may buy.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CardOnSale {
    /// Which product.
    product_id: CardProductId,
    /// In which version: to be sent with the purchase.
    number: i64,
    /// What it costs and gives.
    #[serde(flatten)]
    form: CardForm,
    /// How many are left; none: as many as are wanted.
    left: Option<i64>,
    /// How many of them he has bought.
    bought: i32,
    /// What it would have taken off his rides of the last 30 days, or of as many days as it lasts: cents.
    would_have_saved_cents: i64,
}

/// Cards that a rider may buy.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CardsOnSale {
    /// At most 200.
    rows: Vec<CardOnSale>,
    /// So many of his rides were looked at, at most 100.
    rides_looked_at: usize,
}

impl Context {
    /// His rides of the last days, the first ones first, each with how its area bills now.
    async fn rides_of(
        &self,
        scope: &Scope,
        rider: RiderId,
        now: Timestamp,
    ) -> Result<Vec<RideOfCards>, Refused> {
        let since = now.plus_millis(-LOOKED_AT_DAYS * DAY_MS);
        let mut db = self.runtime.reads.scoped(scope, NEWEST, &["ride_order"]).await?;
        let mut found = card_holdings::rides_since(&mut db, rider, since).await?;
        drop(db);
        found.reverse();
        let mut billings: BTreeMap<AreaId, Billing> = BTreeMap::new();
        let mut rides = Vec::with_capacity(found.len());
        for (order, (area_id, start_ms, end_ms, distance_m)) in (1..).zip(found) {
            let billing = match billings.get(&area_id) {
                Some(billing) => billing.clone(),
                None => self.runtime.desk.load::<BillingConfig>(&area_id).await?.state.at(now).1.clone(),
            };
            billings.insert(area_id, billing.clone());
            let (start_at, end_at) = (Timestamp::from_millis(start_ms), Timestamp::from_millis(end_ms));
            let ridden = Ridden { start_at, end_at, distance_m };
            rides.push(RideOfCards { order: RideOrderId(order), area_id, billing, ridden });
        }
        Ok(rides)
    }
}

/// What a rider may buy now, with what each card would have saved him of late.
#[utoipa::path(get, path = "/open/v1/rider/cards", tag = "open", operation_id = "cardsOnSale", params(OfRider),
    responses((status = 200, body = Answer<CardsOnSale>)))]
async fn on_sale(call: Call<Context>, Params(OfRider { user_id }): Params<OfRider>) -> Handled<CardsOnSale> {
    let (context, now) = (&call.state, call.request.now());
    let rider = context.rider(&call.caller, user_id).await?;
    let of = rider.registration().ok_or_else(Refused::not_found)?;
    let mut db = context.runtime.reads.scoped(&call.caller.scope, NEWEST, &["card_product"]).await?;
    let found = card_products::on_sale(&mut *db, of.agent_id, now).await?;
    drop(db);
    let rides = context.rides_of(&call.caller.scope, user_id, now).await?;
    let cards = context.runtime.desk.load::<RiderCards>(&user_id).await?.state;
    let row = |sale: card_products::OnSale| {
        let days = i64::from(sale.form.card.days).min(LOOKED_AT_DAYS);
        let from = now.plus_millis(-days * DAY_MS);
        let would_have_saved_cents = would_have_saved(&sale.form.card, &rides, from);
        let bought = cards.bought(sale.product_id);
        CardOnSale {
            product_id: sale.product_id,
            number: sale.number,
            form: sale.form,
            left: sale.left,
            bought,
            would_have_saved_cents,
        }
    };
    let rows = found.into_iter().map(row).collect();
    Ok(Answer(CardsOnSale { rows, rides_looked_at: rides.len() }))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CardBuying {
    /// Who buys.
    user_id: RiderId,
    /// Which product …
    product_id: CardProductId,
    /// … in the version that he saw; another one is refused.
    number: i64,
}

/// What was bought.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CardBought {
    /// The card, as text.
    #[schema(value_type = String)]
    holding_id: CardHoldingId,
}

/// Buys a card from what the rider paid into his wallet; presents buy none.
#[utoipa::path(post, path = "/open/v1/rider/cards/buy", tag = "open", operation_id = "buyCard", request_body = CardBuying,
    responses((status = 200, body = Answer<CardBought>)))]
async fn buy(call: Call<Context>, Body(body): Body<CardBuying>) -> Handled<Value> {
    let wanted = CardWanted { rider: body.user_id, product: body.product_id, number: body.number };
    Ok(Answer::replied(call.state.buy_card(&call.caller, &call.request, wanted).await?))
}

/// Cards of a rider.
#[derive(Debug, Serialize, ToSchema)]
struct CardsHeld {
    /// Newest first, at most 200.
    rows: Vec<CardHoldingRow>,
}

/// What a rider holds and held.
#[utoipa::path(get, path = "/open/v1/rider/cards/holdings", tag = "open", operation_id = "cardsHeld", params(OfRider),
    responses((status = 200, body = Answer<CardsHeld>)))]
async fn holdings(call: Call<Context>, Params(OfRider { user_id }): Params<OfRider>) -> Handled<CardsHeld> {
    call.state.rider(&call.caller, user_id).await?;
    let scope = &call.caller.scope;
    let mut db = call.state.runtime.reads.scoped(scope, NEWEST, &["card_holding", "rider"]).await?;
    let list = card_holdings::list(scope).is("h.rider_id", Some(user_id.0));
    let mut rows: Vec<CardHoldingRow> = list.rows(&mut db, HOLDINGS_SHOWN).await?;
    drop(db);
    for row in &mut rows {
        row.stand_at(call.request.now());
    }
    Ok(Answer(CardsHeld { rows }))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CardTakenBack {
    /// Who holds it.
    user_id: RiderId,
    /// Which card.
    holding_id: CardHoldingId,
}

/// Takes an untouched card back within 24 hours, by the way it was paid.
#[utoipa::path(post, path = "/open/v1/rider/cards/refund", tag = "open", operation_id = "takeCardBack",
    request_body = CardTakenBack, responses((status = 200, body = Answer<Nothing>)))]
async fn take_back(call: Call<Context>, Body(body): Body<CardTakenBack>) -> Handled<Value> {
    let CardTakenBack { user_id: rider, holding_id: holding } = body;
    let cards = call.state.runtime.desk.load::<RiderCards>(&rider).await?.state;
    let by_channel = cards.holding(holding).is_some_and(|held| held.purchase().paid_by.payment.is_some());
    let to = if by_channel { RefundTo::Origin } else { RefundTo::Wallet };
    let refund = CardRefund { rider, holding, command: RiderCardsCommand::TakeBack { holding, to } };
    let ctx = call.request.context(json!({}));
    Ok(Answer::replied(call.state.refund_card(&call.caller.scope, ctx, refund).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CardPutOnSale {
    /// Who sells it.
    agent_id: AgentId,
    #[serde(flatten)]
    form: CardForm,
}

/// Puts a card on sale from now on; one of the same name of the same agent is that card. Answers `{id}`.
#[utoipa::path(post, path = "/open/v1/cards", tag = "open", operation_id = "putCardOnSale", request_body = CardPutOnSale,
    responses((status = 200, body = Answer<MadeId>)))]
async fn put_on_sale(call: Call<Context>, Body(body): Body<CardPutOnSale>) -> Handled<Value> {
    let CardPutOnSale { agent_id, form } = body;
    if !call.caller.scope.agents.contains(&agent_id) {
        return Err(Refused::not_found());
    }
    call.state.only_areas_of(agent_id, &form.card.area_ids).await?;
    let mut db = call.state.runtime.reads.scoped(&call.caller.scope, NEWEST, &["card_product"]).await?;
    let known = card_products::named(&mut *db, agent_id, form.card.name.trim()).await?;
    drop(db);
    let product_id = known.unwrap_or_else(|| CardProductId(call.state.runtime.ids.next_id()));
    let of = ProductOf { product_id, agent_id };
    call.make::<CardProduct>(&product_id, CardProductCommand::Set { of, form }).await
}
