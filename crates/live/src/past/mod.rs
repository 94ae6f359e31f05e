//! The fleet as it was: every few minutes whole, in between what changed, in the push's own records. A map shows any moment of
//! the last week from them (`docs/adr/0058`).

mod chapter;
mod http;
mod keeping;
mod picture;
mod store;

pub use http::routes;
pub(crate) use keeping::keep_on;
