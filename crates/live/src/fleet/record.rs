//! What the read models say of a vehicle, as far as live data needs it.

use fleet::model::device::About;
use vocabulary::{AgentId, AreaId, DataOwner, Scope, VoltageSchemeId};

/// A set of small codes (operation or alarm states), one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Codes(pub u16);

impl Codes {
    /// From stored codes; what does not fit is not one of ours.
    pub fn of(codes: &[i16]) -> Self {
        Self(codes.iter().filter(|code| (0..16).contains(*code)).fold(0, |bits, code| bits | (1 << code)))
    }

    /// Whether `code` is in the set.
    pub const fn has(self, code: u8) -> bool {
        self.0 & (1 << code) != 0
    }

    /// Whether one of `codes` is in the set.
    pub fn has_any(self, codes: &[u8]) -> bool {
        codes.iter().any(|code| self.has(*code))
    }

    /// In ascending order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..16).filter(move |code| self.has(*code))
    }
}

/// A row of `read.vehicle`, with what its device says it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VehicleRecord {
    /// Vehicle number.
    pub car_id: String,
    /// The device it carries.
    pub imei: Option<String>,
    /// 型号: of that device; nothing: it never said.
    pub model: Option<String>,
    /// 固件: what runs on it.
    pub firmware: Option<String>,
    /// Number plate.
    pub plate_no: Option<String>,
    /// Agent.
    pub agent: Option<AgentId>,
    /// Service area.
    pub area: Option<AreaId>,
    /// 0 to come, 1 in stock, 2 on the street, 3 taken off, 4 at the factory, 5 lost, 6 scrapped.
    pub lifecycle: u8,
    /// 1 free, 2 riding, 3 paused, 4 reserved, 5 field work.
    pub riding_state: u8,
    /// 1 taken off, 2 being moved, 3 being swapped, 4 low battery, 5 reported broken, 6 towed.
    pub operation_states: Codes,
    /// See [`crate::rules::AlarmKind`]; other codes belong to other contexts.
    pub alarm_states: Codes,
    /// What it is called.
    pub tags: Vec<String>,
    /// What tells of its battery by voltage.
    pub voltage_scheme: Option<VoltageSchemeId>,
    /// Since when nobody used it.
    pub idle_since_ms: Option<i64>,
    /// When its last ride ended.
    pub last_ride_end_ms: Option<i64>,
    /// Version of the vehicle's stream when it last became free; 0 when it always was.
    pub freed_version: i64,
    /// Version of the vehicle's stream.
    pub version: i64,
}

const SCRAPPED: u8 = 6;

impl VehicleRecord {
    /// Whose it is.
    pub const fn owner(&self) -> DataOwner {
        DataOwner { agent: self.agent, area: self.area }
    }

    /// What its device says it is.
    pub fn about(&self) -> Option<About> {
        About::new(self.model.clone()?, self.firmware.clone()?)
    }

    /// Whether somebody with this scope is shown it.
    pub fn is_shown_to(&self, scope: &Scope) -> bool {
        scope.contains(self.owner()) && scope.cars.shows(&self.car_id, self.riding_state, self.voltage_scheme)
    }

    /// Whether a map shows it: it is, or should be, somewhere outside.
    pub const fn outside(&self) -> bool {
        matches!(self.lifecycle, 2 | 3 | 5)
    }

    /// The device whose reports are its own; a scrapped bike has none any more, wherever its device went.
    pub fn device(&self) -> Option<&str> {
        self.imei.as_deref().filter(|_| self.lifecycle != SCRAPPED)
    }

    /// Whether riders may be on it or find it.
    pub const fn on_the_street(&self) -> bool {
        self.lifecycle == 2
    }
}
