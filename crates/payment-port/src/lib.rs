//! Asking a payment provider for money and giving it back: what is said, how it is signed, and a client that says it. Knows no
//! ride, no wallet and no ledger. `docs/payment-port.md` describes the protocol for whoever builds a provider or an adapter.
#![deny(missing_docs)]

mod client;
mod fault;
mod nonces;
mod notice;
mod number;
mod payment;
mod port;
mod refund;
mod signature;
mod statement;
#[cfg(test)]
mod vectors;
mod verifier;

pub use client::{Client, NotAnAddress};
pub use fault::{Fault, Refusal};
pub use nonces::{NONCES_MOST, NonceFault, Nonces};
pub use notice::{NOTICE_MAX_BYTES, Notice, NoticeFault, Received, Subject};
pub use number::{Cursor, NUMBER_MAX, NotANumber, RefundNo, TradeNo};
pub use payment::{
    AMOUNT_MAX, Channel, LIFE_MAX_MS, Mode, PAYER_MAX, Payment, PaymentOrder, PaymentState, SUBJECT_MAX,
    URL_MAX,
};
pub use port::{PaymentPort, PortError};
pub use refund::{REASON_MAX, REFUNDS_MAX, Refund, RefundOrder, RefundState};
pub use signature::{
    FRESH_MS, Message, NONCE_MAX, NONCE_MIN, SECRET_MIN_BYTES, Secret, SignatureFault, Signer, Stamp,
    WeakSecret, headers, to_sign,
};
pub use statement::{Moved, Movement, STATEMENT_ROWS, StatementPage, day_of};
pub use verifier::Verifier;
