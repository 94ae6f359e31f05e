//! Read side: payment accounts as pages and the wire ask for them.

pub mod payment_accounts;

/// What builds them.
pub const PROJECTOR: &str = "payment_account";

/// A keyword has at most so many characters; the rest is not looked at.
const KEYWORD_MAX: usize = 50;

/// Text for `like`: what the user typed, taken literally, anywhere in the column.
pub(crate) fn containing(keyword: &str) -> String {
    kernel::rows::containing(keyword, KEYWORD_MAX)
}
