//! The event-sourcing kernel: aggregates decide, the log remembers, projectors build read models, reactors answer,
//! the relay tells NATS. Knows no bike.
#![deny(missing_docs)]

pub mod aggregate;
pub mod context;
pub mod projector;
pub mod reactor;
pub mod recorded;

pub use aggregate::{Aggregate, Claim, DecodeError, Event, Refusal, StoredForm};
pub use context::{Actor, CommandContext, Position, Receipt, RequestId};
pub use projector::{Change, Projector};
pub use reactor::{ReactError, Reactor};
pub use recorded::{Meta, Recorded};
