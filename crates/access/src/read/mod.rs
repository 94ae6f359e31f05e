//! Tables built from the log, and their queries. Every query runs in a transaction that holds the caller's scope.

pub mod devices;
pub mod machines;
pub mod operators;
pub mod roles;

/// A keyword has at most so many characters; the rest is not looked at.
const KEYWORD_MAX: usize = 50;

/// Text for `like`: what the user typed, taken literally, anywhere in the column.
fn containing(keyword: &str) -> String {
    kernel::rows::containing(keyword, KEYWORD_MAX)
}

/// The operator who acted, when it was one.
fn actor(meta: &kernel::Meta) -> Option<i64> {
    match meta.actor {
        kernel::Actor::Operator { id } => Some(id.0),
        kernel::Actor::Machine { .. } | kernel::Actor::System { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::containing;

    #[test]
    fn what_is_typed_is_taken_literally() {
        assert_eq!(containing(" 50%_off\\ "), "%50\\%\\_off\\\\%");
    }
}
