//! Who operates where: agents, service areas, parking places and no-stop zones.

pub mod app;
pub mod expiry;
pub mod http;
pub mod model;
pub mod ports;
pub mod read;

use std::sync::Arc;

use approvals::Deed;
use kernel::runtime::Runtime;
use kernel::{Folded, Projector};
use wire::{Hosted, Routes};

use crate::app::atlas::Judges;
use crate::app::stations::Presents;
use crate::ports::Ports;

/// The context, put together once.
#[derive(Clone)]
pub struct Context {
    /// The kernel.
    pub runtime: Runtime,
    /// The ports.
    pub ports: Ports,
    /// The fences in memory.
    pub judges: Judges,
    /// The parking places as they were a moment ago.
    pub presents: Presents,
}

impl Hosted for Context {
    fn runtime(&self) -> &Runtime {
        &self.runtime
    }
}

impl Context {
    /// Puts the context together; `judges` are the fences in memory, which others ask too.
    pub fn new(runtime: Runtime, ports: Ports, judges: Judges) -> Self {
        Self { runtime, ports, judges, presents: Presents::default() }
    }
}

/// Its routes.
pub fn routes(context: &Context) -> Routes {
    let runtime = &context.runtime;
    http::agents::routes(runtime)
        .merge(http::map::routes(context))
        .merge(http::open::routes(runtime))
        .merge(http::accounts::routes(context))
        .merge(http::agent_roles::routes(context))
        .merge(http::areas::routes(context))
        .merge(http::area_edges::routes(context))
        .merge(http::franchisees::routes(context))
        .merge(http::fences::routes(context))
        .merge(http::crews::routes(context))
        .merge(http::fence_batches::routes(context))
        .merge(http::fence_delivery::routes(context))
        .merge(http::fence_files::routes(context))
        .merge(http::fence_imports::routes(context))
        .merge(http::fence_photos::routes(context))
        .merge(http::fence_preview::routes(context))
        .merge(http::judge::routes(context))
        .merge(http::park_applications::routes(context))
        .merge(http::station_statistics::routes(context))
}

/// What of it may need a second person.
pub fn deeds(runtime: &Runtime) -> Vec<Arc<dyn Deed>> {
    vec![Arc::new(app::agent_deeds::DisableAgent::new(runtime.clone()))]
}

/// Its read models.
pub fn projectors() -> Vec<Arc<dyn Projector>> {
    vec![
        Arc::new(Folded::<read::agents::AccountRow>::new()),
        Arc::new(Folded::<read::agent_roles::AgentRoleRow>::new()),
        Arc::new(Folded::<read::franchisees::FranchiseeRow>::new()),
        Arc::new(Folded::<read::areas::Row>::new()),
        Arc::new(read::area_versions::AreaVersions),
        Arc::new(read::fences::Fences),
        Arc::new(Folded::<read::fence_batches::FenceBatchRow>::new()),
        Arc::new(Folded::<read::park_applications::ParkApplicationRow>::new()),
        Arc::new(Folded::<read::crews::Row>::new()),
    ]
}
