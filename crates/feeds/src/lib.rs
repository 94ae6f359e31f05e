//! The open feeds: what readers outside may know of the system, as GBFS 3.0 (stations, bikes, zones) and MDS 2.0
//! (geographies, policies). Each is made at most every few seconds and shared by all who ask; nothing in it is about a
//! person. `docs/feeds.md` is for those who read them.
#![deny(missing_docs)]

mod answer;
mod http;
mod ids;
mod kept;
mod model;
mod read;
mod views;

use std::sync::Arc;

use kernel::{MasterKey, Runtime};
use live::Memory;
use wire::{Permit, Routes};

use crate::answer::Document;
use crate::ids::VehicleIds;
use crate::model::gbfs::{self, SYSTEM_TTL_S};
use crate::views::Views;

/// The code of machines that may read them.
const CODE: &str = "open:feeds";

/// What the operator of the system says of it.
#[derive(Clone, Debug)]
pub struct About {
    /// Names the system among all in the world, and never changes.
    pub system_id: String,
    /// What riders call it.
    pub name: String,
    /// Readers of the feeds write there.
    pub email: String,
    /// Where readers find the feeds, an origin without a slash at its end; none: at the host that they ask for, over http.
    pub url: Option<String>,
    /// How far a bike goes on a full battery, metres.
    pub range_m: u32,
    /// Whether anybody may read GBFS; else only machines that may.
    pub gbfs_public: bool,
    /// Whether anybody may read MDS; else only machines that may.
    pub mds_public: bool,
}

/// The feeds, put together once.
#[derive(Clone)]
pub struct Feeds {
    runtime: Runtime,
    memory: Memory,
    about: Arc<About>,
    ids: VehicleIds,
    views: Views,
    system: Arc<Document>,
    vehicle_types: Arc<Document>,
}

impl Feeds {
    /// Puts them together.
    ///
    /// # Panics
    /// When what is said of the system cannot be JSON, which no text prevents.
    pub fn new(runtime: Runtime, memory: Memory, about: About, master: &MasterKey) -> Self {
        let now = runtime.clock.now();
        let system = Document::gbfs(&gbfs::system_information(&about), SYSTEM_TTL_S, now, None);
        let vehicle_types = Document::gbfs(&gbfs::vehicle_types(&about), SYSTEM_TTL_S, now, None);
        Self {
            ids: VehicleIds::new(master.derive("wheelhouse open feeds vehicle ids 1")),
            system: Arc::new(system.expect("texts and numbers are JSON")),
            vehicle_types: Arc::new(vehicle_types.expect("texts and numbers are JSON")),
            about: Arc::new(about),
            views: Views::default(),
            runtime,
            memory,
        }
    }
}

/// Who may read what is, or is not, for everybody.
const fn permit(public: bool) -> Permit {
    if public { Permit::Open } else { Permit::Machine(CODE) }
}

/// Their routes.
pub fn routes(feeds: &Feeds) -> Routes {
    http::gbfs::routes(feeds).merge(http::mds::routes(feeds))
}
