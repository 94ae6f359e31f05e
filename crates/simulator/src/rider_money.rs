//! What riders pay: some put money into their wallets, the others pay each ride; some owe for a while.

use serde_json::{Value, json};

use crate::identity::stable_hash;
use crate::open_api::OpenApiError;
use crate::riders::{ASKED_EVERY, Ride, Riders};

/// So long a rider looks whether his payment went through.
const PAYMENT_PATIENCE: std::time::Duration = std::time::Duration::from_secs(90);
/// What people put into their wallets, cents.
const TOP_UPS_CENTS: [i64; 4] = [1_000, 2_000, 3_000, 5_000];
/// How they pay: WeChat's and Alipay's small programs, the WeChat app.
const CHANNELS: [i16; 3] = [3, 40, 2];

const fn channel(rider: u64) -> i16 {
    CHANNELS[(rider % 3) as usize]
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

impl Riders {
    /// Two of three who come put money into their wallets first.
    pub(crate) async fn fill_wallet(&self, rider: u64, user: &str) -> Result<(), OpenApiError> {
        let dice = stable_hash(&format!("wallet {rider}"));
        if dice.is_multiple_of(3) {
            return Ok(());
        }
        self.top_up(user, rider, TOP_UPS_CENTS[(dice / 3 % 4) as usize], "first").await
    }

    /// Puts money into his wallet again.
    pub(crate) async fn top_up_again(
        &self,
        user: &str,
        rider: u64,
        dice: u64,
        key: &str,
    ) -> Result<(), OpenApiError> {
        self.top_up(user, rider, TOP_UPS_CENTS[(dice / 3 % 4) as usize], key).await
    }

    /// Leaves a deposit.
    pub(crate) async fn pay_deposit(&self, user: &str, rider: u64) -> Result<(), OpenApiError> {
        let body = json!({ "userId": user, "channel": channel(rider), "agreed": true });
        self.api.post_rider("deposit/pay", "", &body).await.map(drop)
    }

    async fn top_up(&self, user: &str, rider: u64, amount_cents: i64, key: &str) -> Result<(), OpenApiError> {
        let body =
            json!({ "userId": user, "channel": channel(rider), "agreed": true, "amountCents": amount_cents });
        match self.api.post_rider("top-up", key, &body).await {
            // A city without a payment provider rides on credit, as far as it gets.
            Ok(_) | Err(OpenApiError::Refused(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// After a ride its rider pays what his wallet did not; where that fails he tries once more.
    pub(crate) async fn settle(&self, ride: &Ride, rider: u64, key: &str) -> Result<(), OpenApiError> {
        let query = format!("order?userId={}&orderId={}", ride.user, ride.order);
        let order = self.api.get_rider(&query).await?;
        if order["owedCents"].as_i64().unwrap_or(0) <= 0 {
            return Ok(());
        }
        let body =
            json!({ "userId": ride.user, "channel": channel(rider), "agreed": true, "orderId": ride.order });
        for turn in 0..2 {
            match self.api.post_rider("pay-by-channel", &format!("{key}-{turn}"), &body).await {
                Ok(given) if self.is_paid(ride, text(&given["paymentId"])).await? => return Ok(()),
                Ok(_) => {}
                Err(OpenApiError::Refused(_)) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(()) // he owes, and is refused the next bike until he has paid
    }

    async fn is_paid(&self, ride: &Ride, payment: &str) -> Result<bool, OpenApiError> {
        let patience = tokio::time::Instant::now() + PAYMENT_PATIENCE;
        while tokio::time::Instant::now() < patience {
            tokio::time::sleep(ASKED_EVERY * 3).await;
            let query = format!("payment?userId={}&paymentId={payment}", ride.user);
            match self.api.get_rider(&query).await?["state"].as_i64() {
                Some(0) => {}
                state => return Ok(state == Some(1)),
            }
        }
        Ok(false)
    }

    /// Who owes for an earlier ride pays it, when he wants the next bike.
    pub(crate) async fn pay_debts(&self, user: &str, rider: u64, key: &str) -> Result<(), OpenApiError> {
        let account = self.api.get_rider(&format!("account?userId={user}")).await?;
        if account["owedCents"].as_i64().unwrap_or(0) <= 0 {
            return Ok(());
        }
        let Some(order) = account["owingOrderId"].as_str() else { return Ok(()) };
        let body = json!({ "userId": user, "channel": channel(rider), "agreed": true, "orderId": order });
        match self.api.post_rider("pay-by-channel", key, &body).await {
            Ok(_) | Err(OpenApiError::Refused(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
