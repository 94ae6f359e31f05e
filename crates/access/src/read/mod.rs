//! Tables built from the log, and their queries. Every query runs in a transaction that holds the caller's scope.

pub mod devices;
pub mod machines;
pub mod operators;
pub mod roles;

/// The operator who acted, when it was one.
fn actor(meta: &kernel::Meta) -> Option<i64> {
    match meta.actor {
        kernel::Actor::Operator { id } => Some(id.0),
        kernel::Actor::Machine { .. } | kernel::Actor::System { .. } => None,
    }
}
