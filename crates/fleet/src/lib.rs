//! Bikes, their devices and what devices are told.

pub mod credential;
pub mod detail;
pub mod escalation;
pub mod http;
pub mod inbox;
pub mod introduction;
pub mod keeping;
pub mod model;
pub mod ports;
pub mod read;
pub mod sender;
pub mod street;
pub mod waiting;

use std::sync::Arc;

use kernel::runtime::Runtime;
use kernel::{Folded, Projector, Reactor};
use wire::{Hosted, Routes};

use crate::credential::DeviceKey;
use crate::ports::{Areas, Downlink, LiveView, OrderLife};
use crate::street::Street;

/// The context, put together once.
#[derive(Clone)]
pub struct Fleet {
    /// The kernel.
    pub runtime: Runtime,
    /// The service areas.
    pub areas: Arc<dyn Areas>,
    /// What bikes last reported.
    pub live: Arc<dyn LiveView>,
    /// Where device credentials come from.
    pub devices: DeviceKey,
    /// The way onto the streets of areas with a quota.
    pub street: Street,
}

impl Hosted for Fleet {
    fn runtime(&self) -> &Runtime {
        &self.runtime
    }
}

/// Its routes.
pub fn routes(fleet: &Fleet) -> Routes {
    http::vehicles::routes(fleet)
        .merge(http::vehicle_list::routes(fleet))
        .merge(http::screening::routes(fleet))
        .merge(http::vehicle_log::routes(fleet))
        .merge(http::commands::routes(fleet))
        .merge(http::enrolment::routes(fleet))
        .merge(http::keeping::routes(fleet))
        .merge(http::work::routes(fleet))
        .merge(http::alarms::routes(fleet))
        .merge(http::firmwares::routes(fleet))
        .merge(http::map_views::routes(fleet))
        .merge(http::shift_notes::routes(fleet))
        .merge(http::voltage_schemes::routes(fleet))
}

/// Its read models; orders tell of bikes by `orders`.
pub fn projectors(orders: Arc<dyn OrderLife>) -> Vec<Arc<dyn Projector>> {
    vec![
        Arc::new(Folded::<read::vehicles::VehicleRow>::new()),
        Arc::new(Folded::<read::devices::Row>::new()),
        Arc::new(read::alarm_tickets::AlarmTickets),
        Arc::new(read::commands::CommandProjector),
        Arc::new(read::shelved_days::ShelvedDays),
        Arc::new(Folded::<read::firmwares::FirmwareRow>::new()),
        Arc::new(Folded::<read::map_views::MapViewRow>::new()),
        Arc::new(Folded::<read::shift_notes::ShiftNoteRow>::new()),
        Arc::new(Folded::<read::voltage_schemes::VoltageSchemeRow>::new()),
        Arc::new(read::vehicle_log::VehicleLog::new(orders)),
    ]
}

/// What it does of itself.
pub fn reactors(fleet: &Fleet, downlink: Arc<dyn Downlink>) -> Vec<Arc<dyn Reactor>> {
    vec![Arc::new(sender::CommandSender::new(
        fleet.runtime.desk.clone(),
        fleet.runtime.clock.clone(),
        downlink,
    ))]
}
