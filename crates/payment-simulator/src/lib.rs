//! A payment provider that has no money: it speaks the protocol of `payment-port`, keeps what it was asked, and has the mishaps
//! of a real one. Knows nothing of who asks.

mod book;
mod cashier;
mod dice;
mod entry;
mod http;
mod journal;
mod options;
mod provider;
mod queue;
mod serving;

pub use options::{Mishaps, Options, POOR_PAYER};
pub use serving::{Running, start};
