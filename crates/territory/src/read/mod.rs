//! Read side: agents, areas and fences as pages ask for them.

pub mod agent_roles;
pub mod agents;
pub mod areas;
pub mod fences;
pub mod franchisees;

/// A keyword has at most so many characters; the rest is not looked at.
const KEYWORD_MAX: usize = 50;

/// Text for `like`: what the user typed, taken literally, anywhere in the column.
pub(crate) fn containing(keyword: &str) -> String {
    kernel::rows::containing(keyword, KEYWORD_MAX)
}
