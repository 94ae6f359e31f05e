//! Money, booked twice: every movement is a journal entry (分录) whose postings (记账行) sum to nothing. What a person owns or owes
//! lies in his book (账簿), an aggregate that guards its balances; accounts that need no guard (income, what payment
//! channels hold) are nobody's stream and are summed by projections, so that rides never wait for one another. Contexts append
//! an entry together with the event that causes it (`docs/adr/0045`). Knows no rider and no ride.
#![deny(missing_docs)]

pub mod model;
pub mod read;

use std::sync::Arc;

use kernel::{Folded, Projector};

pub use model::account::{Account, AccountKind, Nature};
pub use model::book::{Balance, Book, BookCommand, BookEvent, BookRefusal, Holder, HolderKind};
pub use model::entry::{Cause, Entry, Hold, HoldId, Posting};

/// Its read models.
pub fn projectors() -> Vec<Arc<dyn Projector>> {
    vec![Arc::new(Folded::<read::books::BookRow>::new()), Arc::new(read::entries::Entries)]
}
