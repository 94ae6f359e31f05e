//! What riding needs of others; the server fulfils it.

use std::sync::Arc;

use approvals::Approvals;
use async_trait::async_trait;
use attachments::Attachments;
use geofence::atlas::Span;
use geofence::judge::{Judgement, Stop};
use geofence::rule::Direction;
use geofence::{Atlas, Bounds, FenceKind, Proof, Shape};
use kernel::{AnyRefusal, CommandError, Transaction};
use payment_port::{PaymentPort, Verifier};
use vocabulary::{AgentId, AreaId, CommandId, FenceId, Phone, RiderId, Scope, Timestamp, Wgs84};

use crate::model::certainty::Fix;
use crate::model::mispricing::Wrong;
use crate::model::order::FenceVersion;

/// A neighbour did not answer.
pub type PortError = Box<dyn std::error::Error + Send + Sync>;

/// A bike, as an order needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bike {
    /// 车辆编号.
    pub car_id: String,
    /// Its device.
    pub imei: String,
    /// Whose it is.
    pub agent_id: AgentId,
    /// Where it works.
    pub area_id: AreaId,
}

/// What a rider does with a bike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RideAction {
    /// 预约.
    Reserve,
    /// 取消预约.
    Cancel,
    /// 开锁骑行.
    Unlock,
    /// 临停.
    Pause,
    /// 继续骑行.
    Resume,
    /// 还车.
    Return,
}

/// What a lock is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockAction {
    /// 开锁.
    Open,
    /// 关锁.
    Close,
}

/// What a bike last reported.
#[derive(Clone, Debug, PartialEq)]
pub struct LastReport {
    /// Where it last had a fix.
    pub place: Option<Wgs84>,
    /// When.
    pub fix_at: Option<Timestamp>,
    /// Dilution of precision of that, where the device told.
    pub hdop: Option<f64>,
    /// Degrees clockwise from north.
    pub heading_degrees: f64,
    /// Battery, percent.
    pub soc_percent: u8,
    /// Whether its lock is closed.
    pub locked: bool,
    /// Whether it moves.
    pub moving: bool,
    /// Whether it was heard of within five minutes.
    pub online: bool,
    /// The device's time of it.
    pub report_at: Timestamp,
}

/// A bike near a rider that he may take.
#[derive(Clone, Debug, PartialEq)]
pub struct NearBike {
    /// 车辆编号.
    pub car_id: String,
    /// The service area where it works.
    pub area_id: AreaId,
    /// Where.
    pub place: Wgs84,
    /// Battery, percent.
    pub soc_percent: u8,
    /// From the rider, metres.
    pub distance_m: f64,
}

/// A bike as its scanner sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scanned {
    /// Which.
    pub bike: Bike,
    /// Why it may not be taken, by code and in words; nothing: it may.
    pub reasons: Vec<(String, String)>,
}

/// Where a bike was on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrackPoint {
    /// When, by its device.
    pub at: Timestamp,
    /// Where.
    pub place: Wgs84,
    /// km/h.
    pub speed_kmh: i16,
}

/// What a device told in a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceMoments {
    /// The last report that says that the lock is open.
    pub lock_open_at: Option<Timestamp>,
    /// The first one after that which says that it is closed.
    pub lock_closed_at: Option<Timestamp>,
    /// Its first fix where it is now since it was last farther away than 50 m.
    pub stood_since: Option<Timestamp>,
}

/// The bikes, which the fleet keeps and the live context hears of.
#[async_trait]
pub trait Bikes: Send + Sync + 'static {
    /// A rider acts on a bike, as part of `tx`.
    async fn ride(
        &self,
        tx: &mut Transaction,
        car_id: &str,
        action: RideAction,
        rider: RiderId,
    ) -> Result<Bike, CommandError<AnyRefusal>>;

    /// Tells its lock something, as part of `tx`: a command of this id, which its answer will name.
    async fn tell(
        &self,
        tx: &mut Transaction,
        bike: &Bike,
        action: LockAction,
        command: CommandId,
        reason: &str,
    ) -> Result<(), CommandError<AnyRefusal>>;

    /// A bike in `scope`, and why it may not be taken.
    async fn scanned(&self, scope: &Scope, car_id: &str) -> Result<Option<Scanned>, PortError>;

    /// What it last reported; nothing when it never did.
    fn last_report(&self, car_id: &str) -> Option<LastReport>;

    /// Those of `scope` that may be taken within `within_m` of a place, the nearest first, at most `most`.
    async fn near(
        &self,
        scope: &Scope,
        place: Wgs84,
        within_m: f64,
        most: usize,
    ) -> Result<Vec<NearBike>, PortError>;

    /// How far it went, metres along its fixes.
    async fn distance_m(&self, car_id: &str, from: Timestamp, until: Timestamp) -> Result<i64, PortError>;

    /// The way it went, oldest first: at most 2,000 points, its first and last among them.
    async fn track(
        &self,
        car_id: &str,
        from: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<TrackPoint>, PortError>;

    /// When its lock closed from `from` until `until`, and since when it has been at `place`.
    async fn moments(
        &self,
        car_id: &str,
        from: Timestamp,
        until: Timestamp,
        place: Option<Wgs84>,
    ) -> Result<DeviceMoments, PortError>;

    /// Its newest fixes of a stretch of time, newest first, at most 20.
    async fn fixes(&self, car_id: &str, from: Timestamp, until: Timestamp) -> Result<Vec<Fix>, PortError>;
}

/// A service area, as far as rides need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AreaFacts {
    /// Who runs it.
    pub agent_id: AgentId,
    /// Its name.
    pub name: String,
    /// Whether it serves riders now.
    pub open: bool,
}

/// A parking place to go to.
#[derive(Clone, Debug, PartialEq)]
pub struct Parking {
    /// Which.
    pub fence_id: FenceId,
    /// Its name.
    pub name: String,
    /// About its middle.
    pub place: Wgs84,
}

/// What the fences say of a stop beside how it is judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Around {
    /// [`geofence::Atlas::into_m`] of the bike.
    pub into_m: Option<f64>,
    /// The same of its rider's phone.
    pub phone_into_m: Option<f64>,
    /// What the nearest parking place asks for.
    pub wanted: Vec<Proof>,
    /// How it is parked in.
    pub direction: Option<Direction>,
}

/// A fence as it was drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub kind: FenceKind,
    /// Where.
    pub shape: Shape,
}

/// Fences as they counted, and as they should have.
#[derive(Clone, Debug)]
pub struct Otherwise {
    /// As they counted.
    pub was: Arc<Atlas>,
    /// As they should have.
    pub instead: Arc<Atlas>,
    /// What the fence is for; nothing of an edge.
    pub kind: Option<FenceKind>,
    /// What it is called.
    pub name: String,
    /// The box of what should have been there, `[lng, lat]`; nothing where nothing should.
    pub bounds: Option<Bounds>,
    /// When the wrong version counted, between both instants.
    pub spans: Vec<Span>,
}

/// Where riders may be, which territory keeps.
#[async_trait]
pub trait Places: Send + Sync + 'static {
    /// What the fences of its time say of a stop.
    async fn judge(&self, stop: &Stop) -> Result<Judgement, PortError>;

    /// A service area; nothing when there is none of that id.
    async fn area(&self, id: AreaId) -> Result<Option<AreaFacts>, PortError>;

    /// The same, as part of `tx`.
    async fn area_in(
        &self,
        tx: &mut Transaction,
        id: AreaId,
    ) -> Result<Option<AreaFacts>, CommandError<AnyRefusal>>;

    /// The area that holds a place.
    async fn area_at(&self, place: Wgs84) -> Result<Option<AreaId>, PortError>;

    /// The name and place of a parking place.
    async fn parking(&self, id: FenceId) -> Result<Option<Parking>, PortError>;

    /// How surely a stop is what it was judged to be, as far as the fences of its time can say.
    async fn around(
        &self,
        judged: &Judgement,
        stop: &Stop,
        phone: Option<Wgs84>,
    ) -> Result<Around, PortError>;

    /// The fences of an area as they counted between two instants, and as they would have with a version of one of them, or of
    /// the area's edge, otherwise; nothing where there is no such version, or no other.
    async fn otherwise(
        &self,
        area: AreaId,
        between: (Timestamp, Timestamp),
        wrong: &Wrong,
    ) -> Result<Option<Otherwise>, PortError>;

    /// A fence as it was drawn in a version; nothing once that is too old.
    async fn drawn(&self, fence: FenceVersion) -> Result<Option<Drawn>, PortError>;
}

/// Who a person is, proved by somebody who may.
#[async_trait]
pub trait IdentityProof: Send + Sync + 'static {
    /// Whether a name and an identity number belong together; why not, in words.
    async fn check(&self, name: &str, id_no: &str) -> Result<Result<(), String>, PortError>;
}

/// Short messages to phones.
#[async_trait]
pub trait Messages: Send + Sync + 'static {
    /// Sends a text; done when the provider took it.
    async fn send(&self, phone: &Phone, text: &str) -> Result<(), PortError>;
}

/// Who takes riders' money and gives it back.
pub struct Provider {
    /// He himself.
    pub port: Arc<dyn PaymentPort>,
    /// Where he tells us how things ended.
    pub notify_url: String,
    /// What knows his word.
    pub verifier: Verifier,
}

/// The ports.
#[derive(Clone)]
pub struct Ports {
    /// The bikes.
    pub bikes: Arc<dyn Bikes>,
    /// Where riders may be.
    pub places: Arc<dyn Places>,
    /// Who people are.
    pub identity: Arc<dyn IdentityProof>,
    /// Who takes riders' money; none: nothing can be paid through a channel.
    pub provider: Option<Arc<Provider>>,
    /// Messages to riders' phones.
    pub messages: Arc<dyn Messages>,
    /// Photos of cases.
    pub attachments: Attachments,
    /// Second persons.
    pub approvals: Approvals,
}
