//! What the simulator writes down, line by line. Its state is what these lines make.

use chrono::NaiveDate;
use payment_port::{
    Movement, Notice, PaymentOrder, PaymentState, RefundNo, RefundOrder, RefundState, Refusal, TradeNo,
};
use serde::{Deserialize, Serialize};
use vocabulary::Timestamp;

use crate::book::{KeptNotice, KeptPayment, KeptRefund};

/// A line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "kebab-case")]
pub enum Entry {
    /// A payment was asked for.
    Asked {
        order: PaymentOrder,
        provider_no: String,
        /// Names the cashier's page, where there is one.
        cashier: Option<String>,
        /// When the provider takes the money by itself.
        decides_at: Option<Timestamp>,
        at: Timestamp,
    },
    /// It was paid.
    Paid { trade_no: TradeNo, at: Timestamp },
    /// It was not.
    Refused { trade_no: TradeNo, refusal: Refusal, at: Timestamp },
    /// It is over.
    Closed { trade_no: TradeNo, at: Timestamp },
    /// A refund was asked for.
    RefundAsked { order: RefundOrder, provider_no: String, ends_at: Timestamp, at: Timestamp },
    /// The payer has it.
    Refunded { refund_no: RefundNo, at: Timestamp },
    /// It could not be given back.
    RefundRefused { refund_no: RefundNo, refusal: Refusal, at: Timestamp },
    /// The platform is to be told.
    Telling { notice: Notice, url: String, times: Vec<Timestamp> },
    /// It was told, or did not take it; perhaps it is told again.
    Told { notice_id: String, due: Timestamp, received: bool, again: Option<Timestamp> },
    /// State as it stood when the file was written anew.
    KeptPayment(KeptPayment),
    /// The same of a refund.
    KeptRefund(KeptRefund),
    /// The same of a notice.
    KeptNotice(KeptNotice),
    /// The same of money that moved.
    Moved(Movement),
    /// What moved until the end of this day is no more kept.
    Forgotten { until: NaiveDate },
}

impl Entry {
    /// The payment that it ends, and how.
    pub fn ends_payment(&self) -> Option<(&TradeNo, PaymentState)> {
        match self {
            Self::Paid { trade_no, at } => Some((trade_no, PaymentState::Paid { at: *at })),
            Self::Refused { trade_no, refusal, at } => {
                Some((trade_no, PaymentState::Refused { refusal: refusal.clone(), at: *at }))
            }
            Self::Closed { trade_no, at } => Some((trade_no, PaymentState::Closed { at: *at })),
            _ => None,
        }
    }

    /// The refund that it ends, and how.
    pub fn ends_refund(&self) -> Option<(&RefundNo, RefundState)> {
        match self {
            Self::Refunded { refund_no, at } => Some((refund_no, RefundState::Done { at: *at })),
            Self::RefundRefused { refund_no, refusal, at } => {
                Some((refund_no, RefundState::Refused { refusal: refusal.clone(), at: *at }))
            }
            _ => None,
        }
    }
}
