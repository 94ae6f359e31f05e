//! Write side: who may be paid, and to which card. Pure.

pub mod numbers;
pub mod payment_account;
