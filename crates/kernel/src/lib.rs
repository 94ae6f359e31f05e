//! The event-sourcing kernel: aggregates decide, the log remembers, projectors build read models, reactors answer,
//! the relay tells NATS. Knows no bike.
#![deny(missing_docs)]

pub mod aggregate;
pub mod changes;
pub mod context;
mod declare;
pub mod desk;
mod folded;
mod lease;
pub mod list;
pub mod log;
mod passing;
mod peers;
pub mod pools;
pub mod progress;
pub mod projecting;
pub mod projector;
pub mod reacting;
pub mod reactor;
pub mod reads;
mod reckoned;
pub mod recorded;
pub mod relay;
pub mod rows;
pub mod runtime;
mod sweeping;

pub use aggregate::{Aggregate, AnyRefusal, Claim, Decision, DecodeError, Event, Refusal, StoredForm};
pub use changes::{ChangeBatch, Changes, RowChanged};
pub use context::{Actor, CommandContext, Position, Receipt, RequestId};
pub use desk::{CommandError, Desk, Loaded, Transaction};
pub use folded::{After, Fold, Folded, Stored};
pub use lease::Lease;
pub use list::{List, NotASort, Sort};
pub use log::{LogError, MasterKey, Personal, Reader};
pub use pools::{MIGRATIONS, PoolSizes, Pools, migrate};
pub use projecting::{ProjectError, Projectors};
pub use projector::{Change, Projector};
pub use reacting::Reactors;
pub use reactor::{ReactError, Reactor};
pub use reads::{ReadError, ReadTx, Reads};
pub use reckoned::Reckoned;
pub use recorded::{Meta, Recorded};
pub use runtime::{Foundation, Runtime};
pub use sweeping::{every, every_while_leading};
