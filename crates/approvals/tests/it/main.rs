//! The context behind the real wire, over the real database, with a deed of the test's own: refunds of a till.

mod deciding;
mod limits;
mod lists;
mod runtime;
mod till;
