//! A refund: what is asked, and how it stands.

use serde::{Deserialize, Serialize};
use vocabulary::{Cents, Timestamp};

use crate::payment::{check_amount, check_line, check_url};
use crate::{Fault, RefundNo, Refusal, TradeNo};

/// Characters of a reason at most.
pub const REASON_MAX: usize = 80;
/// Refunds of one payment at most, whatever became of them.
pub const REFUNDS_MAX: usize = 50;

/// Gives money of a payment back, the way that it came. The number makes it one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RefundOrder {
    /// The platform's number.
    pub refund_no: RefundNo,
    /// Of which payment.
    pub trade_no: TradeNo,
    /// How much, cents.
    pub amount_cents: Cents,
    /// What the payer reads why.
    pub reason: String,
    /// Where the platform is told how it ended.
    pub notify_url: String,
}

/// How a refund stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum RefundState {
    /// On its way.
    Processing,
    /// The payer has it.
    Done {
        /// When.
        #[serde(rename = "doneAtMs")]
        at: Timestamp,
    },
    /// It could not be given back this way; the money is with the platform still.
    Refused {
        /// Why.
        refusal: Refusal,
        /// When.
        #[serde(rename = "refusedAtMs")]
        at: Timestamp,
    },
}

/// A refund as the provider has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Refund {
    /// The platform's number.
    pub refund_no: RefundNo,
    /// Of which payment.
    pub trade_no: TradeNo,
    /// The provider's number.
    pub provider_no: String,
    /// How much, cents.
    pub amount_cents: Cents,
    /// How it stands.
    #[serde(flatten)]
    pub state: RefundState,
    /// When it was asked for.
    #[serde(rename = "createdAtMs")]
    pub created_at: Timestamp,
}

impl RefundOrder {
    /// Whether each field is within its bounds.
    pub fn check(&self) -> Result<(), Fault> {
        check_amount(self.amount_cents)?;
        check_line("reason", &self.reason, REASON_MAX)?;
        check_url(&self.notify_url)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_refund_tells_its_state_beside_its_other_fields() {
        let refund = Refund {
            refund_no: "R1".parse().unwrap(),
            trade_no: "T1".parse().unwrap(),
            provider_no: "P2".into(),
            amount_cents: Cents(50),
            state: RefundState::Done { at: Timestamp::from_millis(7) },
            created_at: Timestamp::from_millis(5),
        };
        let said = json!({
            "refundNo": "R1", "tradeNo": "T1", "providerNo": "P2", "amountCents": 50, "state": "done", "doneAtMs": 7,
            "createdAtMs": 5,
        });
        assert_eq!(serde_json::to_value(&refund).unwrap(), said);
        assert_eq!(serde_json::from_value::<Refund>(said).unwrap(), refund);
        let under_way = Refund { state: RefundState::Processing, ..refund };
        assert_eq!(serde_json::to_value(&under_way).unwrap()["state"], "processing");
    }
}
