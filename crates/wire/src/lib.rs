//! How bytes travel: envelopes, the params cipher, key exchange, sessions, the access token, error answers, and the
//! one table of routes that says who may call what. Knows no business.
//!
//! A context offers `pub fn routes(state) -> Routes`; the server merges them and calls [`Routes::into_router`]. Every
//! route names its [`Permit`]; what is not declared is refused. `docs/wire.md` describes the protocol for clients.
#![deny(missing_docs)]

mod address;
mod admission;
mod answer;
mod at_rest;
mod authorisation;
mod batch;
mod body;
mod call;
mod caller;
mod cipher;
pub mod client;
mod config;
mod directory;
mod disclosure;
mod documented;
mod ended;
mod exchange;
mod exchange_routes;
mod export;
mod financial_gate;
mod headers;
mod layers;
mod line;
mod listed;
mod listing;
mod moment;
mod mount;
mod refused;
mod replay;
mod request_context;
mod routes;
mod serving;
mod sessions;
mod shares;
mod statistics;
mod token;
#[cfg(test)]
mod vectors;
mod zero;

pub(crate) use address::is_trusted;

pub use address::{AddressLimiter, ClientAddress, TrustedProxy};
pub use answer::{Answer, Bare, FinancialAnswer, Handled, HandledFinancial};
pub use at_rest::{SealedAtRest, WrongSeal};
pub use authorisation::Admitted;
pub use batch::{BATCH_MAX, BatchAnswer, BatchOutcomes, Outcome, Reason, batch};
pub use body::{Body, Params};
pub use call::Call;
pub use caller::{Caller, CodeSet};
pub use cipher::{BoxError, SecretKey};
pub use config::{Encryption, NotAnOrigin, Origin, SecureOrigin, Share, WireConfig};
pub use directory::{Directory, DirectoryError, MachineStanding, Standing};
pub use disclosure::{AuditSink, Disclosed, Disclosure, RefusedWrite};
pub use ended::{Ended, EndedReason, Revocations};
pub use export::{Column, EXPORT_ROWS, EXPORT_ROWS_READ, Export, ExportColumns, FileKind};
pub use financial_gate::{FinancialAccount, gate_financial};
pub use layers::{StartError, Wire};
pub use listed::{ById, Changed, MadeId, Nothing, PageOf, PageQuery, given, number};
pub use listing::{Hosted, Listed, Listing, PATIENCE, Record, too_wide};
pub use moment::{End, LOG_DAYS, log_span, moment};
pub use mount::{BASE, is_api_path};
pub use refused::Refused;
pub use request_context::{IDEMPOTENCY_KEY, POSITION, RequestContext, SEEN, Seen, TRACE_ID, TraceId};
pub use routes::{Permit, RouteInfo, Routes, Surface};
pub use serving::serve;
pub use sessions::{OpenedSession, Session, SessionError, SessionId, Sessions};
pub use statistics::{DayRange, Figure, TimeRange, area_ids};
pub use token::{Claims, IssuedToken, TokenError, TokenKeys, TokenSubject};
