//! What moved on a day, to be held against what the platform knows.

use chrono::{FixedOffset, NaiveDate};
use serde::{Deserialize, Serialize};
use vocabulary::{Cents, Timestamp};

use crate::{Channel, Cursor, RefundNo, TradeNo};

/// Rows of a page at most.
pub const STATEMENT_ROWS: usize = 500;

/// What moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Moved {
    /// Money came, when the payment was paid.
    Payment,
    /// Money went back, when the refund was done.
    Refund {
        /// The platform's number of it.
        #[serde(rename = "refundNo")]
        refund_no: RefundNo,
    },
}

/// Money that moved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Movement {
    /// What moved.
    #[serde(flatten)]
    pub moved: Moved,
    /// The payment, also where its money went back.
    pub trade_no: TradeNo,
    /// The provider's number of the payment or the refund.
    pub provider_no: String,
    /// How much, cents; positive both ways.
    pub amount_cents: Cents,
    /// How it was paid.
    pub channel: Channel,
    /// When.
    #[serde(rename = "atMs")]
    pub at: Timestamp,
}

/// A part of a day's movements, in the order in which they happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatementPage {
    /// The day of Shanghai.
    pub day: NaiveDate,
    /// Whether the day is over, so that nothing is added any more.
    pub complete: bool,
    /// At most [`STATEMENT_ROWS`].
    pub rows: Vec<Movement>,
    /// What the next page is asked for `after`; absent on the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Cursor>,
}

/// The day of Shanghai (UTC+8, no daylight saving) in which an instant lies.
pub fn day_of(at: Timestamp) -> NaiveDate {
    let offset = FixedOffset::east_opt(8 * 3600).expect("eight hours is an offset");
    at.datetime().with_timezone(&offset).date_naive()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_day_begins_at_midnight_of_shanghai() {
        let midnight = Timestamp::from_millis(1_700_064_000_000);
        assert_eq!(midnight.local(), "2023-11-16 00:00:00");
        assert_eq!(day_of(midnight).to_string(), "2023-11-16");
        assert_eq!(day_of(midnight.plus_millis(-1)).to_string(), "2023-11-15");
    }

    #[test]
    fn a_row_says_what_moved_beside_its_other_fields() {
        let row = Movement {
            moved: Moved::Refund { refund_no: "R1".parse().unwrap() },
            trade_no: "T1".parse().unwrap(),
            provider_no: "P2".into(),
            amount_cents: Cents(50),
            channel: Channel::AlipayApp,
            at: Timestamp::from_millis(7),
        };
        let said = json!({
            "kind": "refund", "refundNo": "R1", "tradeNo": "T1", "providerNo": "P2", "amountCents": 50, "channel": 1, "atMs": 7,
        });
        assert_eq!(serde_json::to_value(&row).unwrap(), said);
        assert_eq!(serde_json::from_value::<Movement>(said).unwrap(), row);
    }
}
