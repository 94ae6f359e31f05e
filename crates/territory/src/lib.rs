//! Who operates where: franchisees, service areas, parking places and no-stop zones.

pub mod expiry;
pub mod http;
pub mod model;
pub mod read;
pub mod seams;

use std::sync::Arc;

use kernel::Projector;
use kernel::house::House;
use wire::Routes;

use crate::seams::Seams;

/// The room, put together once.
#[derive(Clone)]
pub struct Room {
    /// The kernel.
    pub house: House,
    /// The neighbours.
    pub seams: Seams,
}

/// Its routes.
pub fn routes(house: &House, seams: &Seams) -> Routes {
    let room = Room { house: house.clone(), seams: seams.clone() };
    http::agents::routes(house)
        .merge(http::map::routes(house))
        .merge(http::open::routes(house))
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
