//! What contexts may ask of a payment provider, whoever he is.

use async_trait::async_trait;
use chrono::NaiveDate;

use crate::{Cursor, Payment, PaymentOrder, Refund, RefundNo, RefundOrder, Refusal, StatementPage, TradeNo};

/// Something that was asked is not known to be done. Which of the three it is decides what to do next.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    /// The provider says no, and did nothing. Asking the same again gives the same, but for `busy`.
    #[error("the payment provider refuses: {} ({})", .0.text, .0.code)]
    Refused(Refusal),
    /// It may have been done or not: a line that broke, an answer that did not come in time or cannot be believed. Ask by
    /// number, or ask for the same again under the same number.
    #[error("not known whether the payment provider did it: {0}")]
    Unknown(String),
    /// Nothing was sent.
    #[error("the payment provider cannot be reached: {0}")]
    Unreachable(String),
}

/// A payment provider.
#[async_trait]
pub trait PaymentPort: Send + Sync + 'static {
    /// Asks for money. Asked again with the same content, it is the same payment, as it stands by then.
    async fn pay(&self, order: &PaymentOrder) -> Result<Payment, PortError>;

    /// How a payment stands; nothing when the provider never took one with this number.
    async fn payment(&self, trade_no: &TradeNo) -> Result<Option<Payment>, PortError>;

    /// Lets a payment be paid no more. One that is paid is refused (`already-paid`); one that ended otherwise stays as it is.
    async fn close(&self, trade_no: &TradeNo) -> Result<Payment, PortError>;

    /// Gives money back. Asked again with the same content, it is the same refund, as it stands by then.
    async fn refund(&self, order: &RefundOrder) -> Result<Refund, PortError>;

    /// How a refund stands; nothing when the provider never took one with this number.
    async fn refund_of(&self, refund_no: &RefundNo) -> Result<Option<Refund>, PortError>;

    /// What moved on a day of Shanghai, from its beginning or `after` what the page before named.
    async fn statement(&self, day: NaiveDate, after: Option<&Cursor>) -> Result<StatementPage, PortError>;
}
