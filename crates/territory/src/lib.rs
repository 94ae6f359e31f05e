//! Who operates where: franchisees, service areas, parking places and no-stop zones.

pub mod model;
