//! Read side: payment accounts as pages and the wire ask for them.

pub mod payment_accounts;

/// What builds them.
pub const PROJECTOR: &str = "payment_account";
