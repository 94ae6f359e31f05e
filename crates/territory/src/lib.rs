//! Who operates where: franchisees, service areas, parking places and no-stop zones.

pub mod expiry;
pub mod http;
pub mod model;
pub mod read;
pub mod seams;

use std::sync::Arc;

use kernel::Projector;
use kernel::runtime::Runtime;
use wire::Routes;

use crate::seams::Seams;

/// The context, put together once.
#[derive(Clone)]
pub struct Context {
    /// The kernel.
    pub runtime: Runtime,
    /// The neighbours.
    pub seams: Seams,
}

/// Its routes.
pub fn routes(runtime: &Runtime, seams: &Seams) -> Routes {
    let context = Context { runtime: runtime.clone(), seams: seams.clone() };
    http::agents::routes(runtime)
        .merge(http::map::routes(runtime))
        .merge(http::open::routes(runtime))
        .merge(http::accounts::routes(&context))
        .merge(http::agent_roles::routes(&context))
        .merge(http::files::routes(&context))
        .merge(http::service_areas::routes(&context))
        .merge(http::allies::routes(&context))
}

/// Its read models.
pub fn projectors() -> Vec<Arc<dyn Projector>> {
    vec![
        Arc::new(read::agents::AgentProjector),
        Arc::new(read::agent_roles::AgentRoleProjector),
        Arc::new(read::allies::AllyProjector),
        Arc::new(read::areas::AreaProjector),
        Arc::new(read::fences::FenceProjector),
    ]
}
