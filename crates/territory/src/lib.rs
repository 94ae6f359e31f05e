//! Who operates where: franchisees, service areas, parking places and no-stop zones.

pub mod http;
pub mod model;
pub mod read;

use std::sync::Arc;

use kernel::Projector;
use kernel::house::House;
use wire::Routes;

/// Its routes.
pub fn routes(house: &House) -> Routes {
    http::agents::routes(house).merge(http::map::routes(house)).merge(http::open::routes(house))
}

/// Its read models.
pub fn projectors() -> Vec<Arc<dyn Projector>> {
    vec![
        Arc::new(read::agents::AgentProjector),
        Arc::new(read::areas::AreaProjector),
        Arc::new(read::fences::FenceProjector),
    ]
}
