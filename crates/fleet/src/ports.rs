//! What the fleet needs of its neighbours, as small traits that the server fulfils.

use async_trait::async_trait;
use kernel::{DecodeError, Recorded};
use vocabulary::{AgentId, AreaId, RideOrderId, RiderId, Timestamp, Wgs84};

use crate::model::device::About;
use crate::model::life::{LifeChange, LifeEvent};
use crate::model::screening::Look;

/// A failure behind a port.
pub type PortError = Box<dyn std::error::Error + Send + Sync>;

/// What the fleet knows of a service area.
#[derive(Clone, Debug)]
pub struct AreaFacts {
    /// Who runs it.
    pub agent: AgentId,
    /// 名称.
    pub name: String,
    /// Whether it serves riders now.
    pub open: bool,
    /// 投放配额: bikes that may be on its streets; nothing: any number.
    pub vehicle_quota: Option<i32>,
}

/// The service areas.
#[async_trait]
pub trait Areas: Send + Sync + 'static {
    /// The area; nothing when there is none of that id.
    async fn area(&self, id: AreaId) -> Result<Option<AreaFacts>, PortError>;

    /// Whether `place` lies in the area.
    async fn holds(&self, id: AreaId, place: Wgs84) -> Result<bool, PortError>;
}

/// The way down to devices. What a device that is away misses is not sent later.
#[async_trait]
pub trait Downlink: Send + Sync + 'static {
    /// Hands `payload` over for the device.
    async fn send(&self, imei: &str, payload: Vec<u8>) -> Result<(), PortError>;
}

/// What a bike last reported.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveState {
    /// Display state 0 to 7, as `docs/push.md` numbers them.
    pub state: u8,
    /// Battery, percent.
    pub soc_percent: u8,
    /// Speed, km/h.
    pub speed_kmh: u8,
    /// Degrees clockwise from north.
    pub heading_deg: u16,
    /// Where it last had a fix.
    pub place: Option<Wgs84>,
    /// When it had it.
    pub fix_at: Option<Timestamp>,
    /// Dilution of precision.
    pub hdop: Option<f32>,
    /// Satellites in use.
    pub satellites: Option<u8>,
    /// Signal, 0 to 31.
    pub gsm: Option<u8>,
    /// Battery, millivolts.
    pub voltage_mv: Option<u32>,
    /// Whether its lock is closed.
    pub locked: bool,
    /// Whether its power is on.
    pub acc: bool,
    /// Whether it is armed.
    pub defend: bool,
    /// Whether its battery is in.
    pub battery_present: bool,
    /// Whether it moves.
    pub moving: bool,
    /// Whether it reported within the last five minutes.
    pub online: bool,
    /// The device's time of its last report.
    pub report_at: Timestamp,
    /// The server's time of it.
    pub heard_at: Timestamp,
}

/// How long a bike stands unused beside those around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IdleBeside {
    /// Unused bikes around it, at least five.
    pub bikes: u32,
    /// How long they stand unused in the mean, milliseconds.
    pub mean_idle_ms: i64,
    /// 疑似丢失: it stands unused for a day at least, and four times as long as they.
    pub likely_lost: bool,
}

/// What bikes last reported, from memory.
pub trait LiveView: Send + Sync + 'static {
    /// The bike's last report; nothing when it never reported.
    fn of(&self, car_id: &str) -> Option<LiveState>;

    /// What the bike's device says it is; nothing where it never did.
    fn about(&self, car_id: &str) -> Option<About>;

    /// How long the bike stands unused beside those around it; nothing where it is used, or too few stand there.
    fn beside(&self, car_id: &str, now: Timestamp) -> Option<IdleBeside>;

    /// Shows every bike that there is, one after the other.
    fn each(&self, see: &mut dyn FnMut(&Look<'_>));
}

/// Which order, whose, and of which bike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderOpened {
    /// The order.
    pub order_id: RideOrderId,
    /// Who rides.
    pub rider_id: RiderId,
    /// The bike.
    pub car_id: String,
    /// Its device.
    pub imei: String,
}

/// What an event of an order tells of its bike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderTold {
    /// Which.
    pub event: LifeEvent,
    /// The order, where the event says it.
    pub opened: Option<OrderOpened>,
    /// In words.
    pub content: String,
    /// How the order stands after it, where that changes.
    pub state: Option<&'static str>,
    /// What else was before and after.
    pub changes: Vec<LifeChange>,
}

/// What orders tell of the lives of their bikes.
pub trait OrderLife: Send + Sync + 'static {
    /// The category of orders.
    fn category(&self) -> &'static str;

    /// What the event tells of a bike; nothing where it tells of people and money alone.
    fn told(&self, event: &Recorded) -> Result<Option<OrderTold>, DecodeError>;
}
