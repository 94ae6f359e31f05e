//! Read side: franchisees, areas and fences as pages ask for them.

pub mod agent_roles;
pub mod agents;
pub mod allies;
pub mod areas;
pub mod fences;

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
