//! Audit: who did what, to what, from where, and what changed by it.
//!
//! One projector reads every category of the system and writes a row for each event of a person. What machine clients and
//! the rules of the system did is seen in the history of each thing, which is folded from the log.
//! What a context's events mean is told by [`AuditSchema`], which the server fulfils for every context: this crate knows none.
//! Files disclosed and masked data shown are events of this context's own [`model::access_record`]; commands that were
//! refused leave no event and lie beside the log ([`read::refusals`]).
#![deny(missing_docs)]

mod diff;
mod http;
pub mod mask;
pub mod model;
pub mod read;
mod records;
pub mod schema;
mod words;

use std::sync::Arc;

use kernel::{Projector, Runtime};
use wire::Routes;

pub use diff::{Change, StateField};
pub use records::Records;
pub use schema::{Action, AuditSchema, AuditSchemas, Field, Fields, Text};

/// The context at work. Shared by its handlers.
pub struct Audit {
    pub(crate) runtime: Runtime,
    pub(crate) schemas: Arc<AuditSchemas>,
    pub(crate) records: Records,
}

impl Audit {
    /// Puts the context together.
    pub fn new(runtime: Runtime, schemas: Arc<AuditSchemas>) -> Arc<Self> {
        let records = Records::new(runtime.clone());
        Arc::new(Self { runtime, schemas, records })
    }

    /// Hears of refused commands and of data disclosed: for the wire.
    pub fn audit_sink(&self) -> Arc<Records> {
        Arc::new(self.records.clone())
    }
}

impl std::fmt::Debug for Audit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Audit").finish_non_exhaustive()
    }
}

/// Its routes.
pub fn routes(audit: Arc<Audit>) -> Routes {
    http::routes(audit)
}

/// Its read models, over all categories that `schemas` knows. They look back into the log of `runtime`.
pub fn projectors(runtime: &Runtime, schemas: Arc<AuditSchemas>) -> Vec<Arc<dyn Projector>> {
    vec![Arc::new(read::AuditProjector::new(runtime, schemas))]
}
