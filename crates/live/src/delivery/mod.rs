//! Fences on their way to the devices: each bike on the street is sent what counts in its area until its own report says
//! that it holds it (`docs/adr/0041`).
//!
//! What counts in an area has a number that only grows ([`edition`]) and a compact form ([`form`]) that is cut into
//! messages ([`parcel`]). What is to be done about one bike is decided by [`book`]. These are pure. Who leads ingest reads
//! what is wanted ([`wanted`]), keeps how far each bike is ([`store`]) and sends ([`sender`]), beside the taking in of
//! reports and never in its way.

mod answers;
pub mod book;
pub mod edition;
pub mod form;
mod http;
pub mod parcel;
mod read;
mod sender;
mod store;
mod wanted;

pub use answers::{Answer, Answers};
pub use http::routes;
pub use sender::DeliverySettings;
