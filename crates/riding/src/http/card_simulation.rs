//! What a card, as it is written and as it counts, would have been worth to the riders of late. Nothing is written.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{CardProductId, RideOrderId, RiderId, Timestamp};
use wire::{Answer, Call, Handled, Params, Refused, Routes, Seen};

use super::card_products::{CARDS, product};
use crate::Context;
use crate::model::card_product::CardForm;
use crate::model::card_simulation::{CardOutcome, card_outcome};
use crate::model::config::BillingConfig;
use crate::model::fare::Ridden;
use crate::model::holdings::{DAY_MS, RideOfCards};
use crate::read::card_holdings::{PastRide, past_rides};

/// Days of rides that are looked at.
const DAYS: i32 = 30;
/// So many rides at most, the latest ones.
const RIDES_MAX: usize = 20_000;

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding").add(CARDS, routes!(simulate)).with_state(context.clone())
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Which {
    id: CardProductId,
}

/// What would have been, had every rider held the card for whom it pays.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CardWorth {
    /// 售价, cents.
    price_cents: i64,
    /// Riders whom it would have saved something.
    riders: i64,
    /// Those of them whom it would have saved more than its price.
    buyers: i64,
    /// What their rides would have cost less, cents.
    saved_cents: i64,
    /// What they would have paid for it, cents; of a card that lasts longer than the days, their share.
    sold_cents: i64,
}

impl CardWorth {
    const fn new(form: &CardForm, outcome: CardOutcome) -> Self {
        let CardOutcome { riders, buyers, saved_cents, sold_cents } = outcome;
        Self { price_cents: form.price_cents, riders, buyers, saved_cents, sold_cents }
    }
}

/// What a card would have been worth.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CardSimulation {
    /// Days that were looked at; fewer than 30 where they have more than 20,000 rides.
    days: i32,
    /// Rides that began in them and are over, where the draft works.
    rides: usize,
    /// Riders of them.
    riders: usize,
    /// As it is written: the draft, or what was published last.
    written: CardWorth,
    /// As it counts now; null: none counts, or nothing else is written.
    #[schema(required)]
    counts: Option<CardWorth>,
}

impl Context {
    /// Rides with the billing that priced them, by rider, each rider's first one first.
    async fn by_rider(&self, rides: Vec<PastRide>) -> Result<Vec<Vec<RideOfCards>>, Refused> {
        let mut configs = BTreeMap::new();
        let mut riders: BTreeMap<RiderId, Vec<RideOfCards>> = BTreeMap::new();
        for (number, ride) in (1..).zip(rides.into_iter().rev()) {
            let PastRide { rider_id, area_id, billing_version, start_at_ms, end_at_ms, distance_m } = ride;
            let config = match configs.entry(area_id) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => {
                    free.insert(self.runtime.desk.load::<BillingConfig>(&area_id).await?.state)
                }
            };
            let start_at = Timestamp::from_millis(start_at_ms);
            let end_at = Timestamp::from_millis(end_at_ms);
            let priced_by = config.version(billing_version);
            let billing = priced_by.unwrap_or_else(|| config.at(start_at).1).clone();
            let ridden = Ridden { start_at, end_at, distance_m };
            let ride = RideOfCards { order: RideOrderId(number), area_id, billing, ridden };
            riders.entry(rider_id).or_default().push(ride);
        }
        Ok(riders.into_values().collect())
    }
}

/// What a card would have made of the rides of the last 30 days, as it is written and as it counts, had every rider held it for
/// whom it pays. Rides are taken as they cost without any card; changed prices and refunds are not looked at.
#[utoipa::path(get, path = "/marketing/card/simulation", tag = "riding", operation_id = "cardSimulation", params(Which),
    responses((status = 200, body = Answer<CardSimulation>)))]
async fn simulate(
    call: Call<Context>,
    Seen(seen): Seen,
    Params(Which { id }): Params<Which>,
) -> Handled<CardSimulation> {
    let now = call.request.now();
    let product = product(&call, id).await?;
    let (of, form) = product.of().zip(product.latest()).ok_or_else(Refused::not_found)?;
    let since = now.plus_millis(-i64::from(DAYS) * DAY_MS);
    let mut db = call.state.runtime.reads.scoped(&call.caller.full_scope, seen, &["ride_order"]).await?;
    let most = i64::try_from(RIDES_MAX).unwrap_or(i64::MAX);
    let found = past_rides(&mut db, of.agent_id, &form.card.area_ids, since, most).await?;
    drop(db);
    let rides = found.len();
    let days = match found.last().filter(|_| rides == RIDES_MAX) {
        Some(first) => {
            let whole = (now.millis() - first.start_at_ms).div_euclid(DAY_MS) + 1;
            i32::try_from(whole).unwrap_or(DAYS).clamp(1, DAYS)
        }
        None => DAYS,
    };
    let riders = call.state.by_rider(found).await?;
    let worth = |form: &CardForm| CardWorth::new(form, card_outcome(form, &riders, days));
    let counts = product.counts(now).filter(|counts| *counts != form);
    Ok(Answer(CardSimulation {
        days,
        rides,
        riders: riders.len(),
        written: worth(form),
        counts: counts.map(worth),
    }))
}
