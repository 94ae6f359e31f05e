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

/// The room, put together once.
#[derive(Clone)]
pub struct Room {
    /// The kernel.
    pub runtime: Runtime,
    /// The neighbours.
    pub seams: Seams,
}

/// Its routes.
pub fn routes(runtime: &Runtime, seams: &Seams) -> Routes {
    let room = Room { runtime: runtime.clone(), seams: seams.clone() };
    http::agents::routes(runtime)
        .merge(http::map::routes(runtime))
        .merge(http::open::routes(runtime))
        .merge(http::accounts::routes(&room))
        .merge(http::agent_roles::routes(&room))
        .merge(http::files::routes(&room))
        .merge(http::service_areas::routes(&room))
        .merge(http::allies::routes(&room))
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
