//! What the provider tells by itself.

use serde::{Deserialize, Serialize};
use vocabulary::Timestamp;

use crate::{Payment, Refund, SignatureFault};

/// A notice is no longer than this; a longer body need not be read.
pub const NOTICE_MAX_BYTES: usize = 16 * 1024;

/// What a notice is about, as it stood when the notice was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Subject {
    /// A payment came to its end.
    Payment {
        /// The payment.
        payment: Payment,
    },
    /// A refund came to its end.
    Refund {
        /// The refund.
        refund: Refund,
    },
}

/// Told to the platform, perhaps several times, late, in another order, or never.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// The same in each repetition.
    pub notice_id: String,
    /// What it is about.
    #[serde(flatten)]
    pub subject: Subject,
    /// When it was made.
    #[serde(rename = "atMs")]
    pub at: Timestamp,
}

/// What the platform answers a notice that it took, with status 200.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Received {
    /// Anything but `true` is asked again.
    pub received: bool,
}

/// A notice that is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoticeFault {
    /// It is not the provider's, or not now.
    #[error(transparent)]
    Signature(#[from] SignatureFault),
    /// It is the provider's, and says something that is not understood.
    #[error("通知内容不正确：{0}")]
    Malformed(String),
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_notice_names_its_kind_and_holds_the_object() {
        let said = json!({
            "noticeId": "N1", "kind": "refund", "atMs": 9,
            "refund": {
                "refundNo": "R1", "tradeNo": "T1", "providerNo": "P2", "amountCents": 50, "state": "refused",
                "refusal": {"code": "account-closed", "text": "原支付账户已注销"}, "refusedAtMs": 8, "createdAtMs": 5,
            },
        });
        let notice: Notice = serde_json::from_value(said.clone()).unwrap();
        assert!(matches!(&notice.subject, Subject::Refund { refund } if refund.refund_no.as_str() == "R1"));
        assert_eq!(serde_json::to_value(&notice).unwrap(), said);
    }
}
