//! What riders do now and then beside riding: look at cards, top up, take money back, ask that somebody looks at where they left a
//! bike. Who does what follows from his number and his ride, so that a run told again tells the same; most do nothing.

use serde_json::{Value, json};

use crate::cards::{newcomers_card, shop};
use crate::identity::stable_hash;
use crate::open_api::OpenApiError;
use crate::photo::photo;
use crate::riders::{Ride, Riders};
use crate::wall;

/// One in so many who come buys a card at once.
const NEWCOMERS_CARD_ONE_IN: u64 = 10;
/// One in so many of these gives it back.
const GIVEN_BACK_ONE_IN: u64 = 6;
/// One in so many who come leaves a deposit, where his area takes any.
const DEPOSIT_ONE_IN: u64 = 8;
/// After one in so many rides its rider looks whether a card is worth it …
const SHOPS_ONE_IN: u64 = 8;
/// … tops up …
const TOPS_UP_ONE_IN: u64 = 12;
/// … wants back what is left in his wallet …
const BALANCE_BACK_ONE_IN: u64 = 40;
/// … or his deposit.
const DEPOSIT_BACK_ONE_IN: u64 = 30;
/// Of those who pay for where they left a bike, one in so many asks for a review.
const REVIEW_ONE_IN: u64 = 3;

/// What is refused is left there; anything else is told.
fn or_refused<T>(called: Result<T, OpenApiError>) -> Result<Option<T>, OpenApiError> {
    match called {
        Ok(given) => Ok(Some(given)),
        Err(OpenApiError::Refused(_) | OpenApiError::NotAllowed(_)) => Ok(None),
        Err(away) => Err(away),
    }
}

impl Riders {
    /// What somebody does once who has just come.
    pub(crate) async fn settle_in(&self, rider: u64, user: &str) -> Result<(), OpenApiError> {
        let dice = stable_hash(&format!("newcomer {rider}"));
        if dice.is_multiple_of(DEPOSIT_ONE_IN) {
            or_refused(self.pay_deposit(user, rider).await)?;
        }
        if (dice / 100).is_multiple_of(NEWCOMERS_CARD_ONE_IN) {
            let bought = or_refused(newcomers_card(&self.api, user, dice).await)?.flatten();
            let back = (dice / 10_000).is_multiple_of(GIVEN_BACK_ONE_IN);
            if let Some(holding) = bought.filter(|_| back) {
                let body = json!({ "userId": user, "holdingId": holding });
                or_refused(self.api.post_rider("cards/refund", "", &body).await)?;
            }
        }
        Ok(())
    }

    /// What somebody does after a ride that is paid or owed, now and then.
    pub(crate) async fn afterwards(
        &self,
        ride: &Ride,
        rider: u64,
        at: [f64; 2],
        key: &str,
    ) -> Result<(), OpenApiError> {
        let dice = stable_hash(&format!("after {rider} {key}"));
        self.complain(ride, dice, at).await?;
        let user = &ride.user;
        let of_him = json!({ "userId": user });
        if dice.is_multiple_of(SHOPS_ONE_IN) {
            or_refused(shop(&self.api, user, key).await)?;
        }
        if (dice / 100).is_multiple_of(TOPS_UP_ONE_IN) {
            self.top_up_again(user, rider, dice, key).await?;
        }
        if (dice / 10_000).is_multiple_of(BALANCE_BACK_ONE_IN) {
            or_refused(self.api.post_rider("balance/refund", key, &of_him).await)?;
        }
        if (dice / 1_000_000).is_multiple_of(DEPOSIT_BACK_ONE_IN) {
            or_refused(self.api.post_rider("deposit/refund", key, &of_him).await)?;
        }
        Ok(())
    }

    /// Who pays for where he left the bike says, with a photo, that he left it well.
    async fn complain(&self, ride: &Ride, dice: u64, [lng, lat]: [f64; 2]) -> Result<(), OpenApiError> {
        if !(dice / 7).is_multiple_of(REVIEW_ONE_IN) {
            return Ok(());
        }
        let query = format!("order?userId={}&orderId={}", ride.user, ride.order);
        let order = self.api.get_rider(&query).await?;
        let Some(reason) = reason_of(&order, dice) else { return Ok(()) };
        let mut photo_ids = Vec::new();
        for number in 0..=dice / 1_000 % 2 {
            let taken = photo(dice.wrapping_add(number), [lng, lat], wall::now_ms());
            photo_ids.push(self.api.attach(&ride.user, taken).await?);
        }
        let body = json!({ "userId": ride.user, "orderId": ride.order, "reason": reason, "photoIds": photo_ids,
            "lat": lat, "lng": lng });
        or_refused(self.api.post_rider("return-review", "", &body).await).map(drop)
    }
}

/// Why its rider might ask that somebody looks at an order; nothing where no fee was asked, or somebody looks already.
fn reason_of(order: &Value, dice: u64) -> Option<u64> {
    let is_over = matches!(order["state"].as_i64(), Some(3 | 4));
    let fee = |name: &str| is_over && order["receipt"][name].as_i64().unwrap_or(0) > 0;
    if fee("dispatchCents") {
        // 站点内误判, 满桩, 定位漂移, 道钉/RFID 未识别 or 其他.
        Some([1, 2, 3, 3, 1, 4, 6][(dice / 11 % 7) as usize])
    } else {
        fee("helmetCents").then_some(5)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_review_is_asked_for_where_a_fee_was_asked_and_nobody_looks_yet() {
        let order = |state: i64, dispatch_cents: i64, helmet_cents: i64| json!({ "state": state, "receipt": { "dispatchCents": dispatch_cents, "helmetCents": helmet_cents } });
        for dice in 0..200 {
            let reason = reason_of(&order(4, 500, 0), dice).unwrap();
            assert!((1..=6).contains(&reason) && reason != 5, "{reason}");
            assert_eq!(reason_of(&order(3, 0, 3_000), dice), Some(5), "about the helmet");
            assert_eq!(reason_of(&order(4, 0, 0), dice), None);
            assert_eq!(reason_of(&order(2, 500, 0), dice), None, "somebody looks at it already");
            assert_eq!(reason_of(&json!({ "state": 4 }), dice), None);
        }
    }
}
