//! Read side: payment accounts as pages and the entrance ask for them.

pub mod payment_accounts;

/// What builds them.
pub const PROJECTOR: &str = "payment_account";

/// Text for `like`: what the user typed, taken literally, anywhere in the column.
pub(crate) fn containing(keyword: &str) -> String {
    let mut pattern = String::with_capacity(keyword.len() + 2);
    pattern.push('%');
    for letter in keyword.trim().chars().take(50) {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}
