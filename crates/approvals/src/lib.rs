//! What one person asks for and a second one decides: the deed waits as it was asked for, and is done in the append in which
//! the second one says yes (`docs/adr/0047`). What deeds there are, the contexts say.

pub mod app;
pub mod deeds;
pub mod expiry;
pub mod http;
pub mod model;
pub mod ports;
pub mod read;

use std::collections::BTreeMap;
use std::sync::Arc;

use kernel::runtime::Runtime;
use kernel::{Folded, Projector};
use wire::{Hosted, Refused, Routes};

pub use crate::app::{DeedRequest, Outcome, Verdict};
pub use crate::deeds::{Act, Deed, Outlook};
pub use crate::ports::Standings;

/// The context, put together once. Cheap to clone.
#[derive(Clone)]
pub struct Approvals {
    /// The kernel.
    pub runtime: Runtime,
    standings: Arc<dyn Standings>,
    deeds: Arc<BTreeMap<&'static str, Arc<dyn Deed>>>,
}

impl Hosted for Approvals {
    fn runtime(&self) -> &Runtime {
        &self.runtime
    }
}

impl Approvals {
    /// With the deeds of all contexts.
    ///
    /// # Panics
    /// When two deeds are of one kind: one would be done in the place of the other.
    pub fn new(runtime: Runtime, standings: Arc<dyn Standings>, deeds: Vec<Arc<dyn Deed>>) -> Self {
        let mut by_kind = BTreeMap::new();
        for deed in deeds {
            let kind = deed.kind();
            assert!(by_kind.insert(kind, deed).is_none(), "two deeds are of the kind {kind}");
        }
        Self { runtime, standings, deeds: Arc::new(by_kind) }
    }

    /// The deed of a kind. A stored kind may be one that this program knows no more.
    pub(crate) fn deed(&self, kind: &str) -> Result<&Arc<dyn Deed>, Refused> {
        let unknown = || Refused::business("approval-kind", format!("系统不支持此类操作的复核：{kind}"));
        self.deeds.get(kind).ok_or_else(unknown)
    }

    /// All of them, by kind.
    pub(crate) fn all_deeds(&self) -> impl Iterator<Item = &Arc<dyn Deed>> {
        self.deeds.values()
    }
}

/// Its routes.
pub fn routes(approvals: &Approvals) -> Routes {
    http::routes(approvals)
}

/// Its read models.
pub fn projectors() -> Vec<Arc<dyn Projector>> {
    vec![Arc::new(Folded::<read::approvals::ApprovalRow>::new())]
}
