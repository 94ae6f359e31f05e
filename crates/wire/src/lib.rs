//! How bytes travel: envelopes, the params cipher, key exchange, sessions, the access token, error answers, and the
//! one table of routes that says who may call what. Knows no business.
//!
//! A context offers `pub fn routes(state) -> Routes`; the server merges them and calls [`Routes::into_router`]. Every
//! route names its [`Permit`]; what is not declared is refused. `docs/wire.md` describes the protocol for clients.
#![deny(missing_docs)]

mod address;
mod admission;
mod answer;
mod request_context;
mod at_rest;
mod body;
mod caller;
mod cipher;
pub mod client;
mod config;
mod directory;
mod documented;
mod ended;
mod layers;
mod exchange;
mod exchange_routes;
mod financial_gate;
mod authorisation;
mod headers;
mod line;
mod listed;
mod mount;
mod refused;
mod replay;
mod routes;
mod serving;
mod sessions;
mod batch;
mod shares;
mod export;
mod token;
#[cfg(test)]
mod vectors;
mod disclosure;
mod zero;

pub(crate) use address::is_trusted;
pub use address::{AddressLimiter, ClientAddress, TrustedProxy};
pub use answer::{Answer, Bare, FinancialAnswer, Handled, HandledFinancial};
pub use request_context::{RequestContext, IDEMPOTENCY_KEY, POSITION, SEEN, Seen, TRACE_ID, TraceId};
pub use at_rest::{SealedAtRest, WrongSeal};
pub use body::{Body, Params};
pub use caller::{Caller, CodeSet};
pub use cipher::{BoxError, SecretKey};
pub use config::{Encryption, NotAnOrigin, Origin, SecureOrigin, Share, WireConfig};
pub use directory::{Directory, DirectoryError, MachineStanding, Standing};
pub use ended::{Ended, EndedReason, Revocations};
pub use layers::{StartError, Wire};
pub use financial_gate::{FinancialAccount, gate_financial};
pub use authorisation::Admitted;
pub use listed::{Nothing, PageOf, PageQuery, given, number};
pub use mount::{BASE, is_api_path};
pub use refused::Refused;
pub use routes::{Permit, RouteInfo, Routes, Surface};
pub use serving::serve;
pub use sessions::{OpenedSession, Session, SessionError, SessionId, Sessions};
pub use batch::{Outcome, BatchOutcomes, Reason, BATCH_MAX, BatchAnswer, batch};
pub use export::{Column, EXPORT_ROWS, Export, ExportColumns, ExportRows};
pub use token::{Claims, IssuedToken, TokenError, TokenKeys, TokenSubject};
pub use disclosure::{Disclosed, Disclosure, RefusedWrite, AuditSink};
