//! What this context needs of others; the server fulfils it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use approvals::Approvals;
use async_trait::async_trait;
use attachments::Attachments;
use geofence::Bounds;
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::{AreaId, DataOwner, FenceId, OperatorId, Phone, Scope, Timestamp, Wgs84};

/// A neighbour did not answer.
pub type PortError = Box<dyn std::error::Error + Send + Sync>;

/// A branch of the permission tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplateBranch)]
pub struct Branch {
    /// The code.
    pub code: &'static str,
    /// Chinese title.
    pub title: &'static str,
    /// 1 group, 2 page, 3 action.
    pub kind: u8,
    /// Tiers whose roles may hold it: bit-or of 1, 2, 4 and 8.
    pub level_mask: u8,
    /// Whether the caller holds it, and so may put it into a template.
    pub checked: bool,
    /// What hangs under it.
    #[schema(no_recursion)]
    pub children: Vec<Branch>,
}

/// The permission tree, which the access context keeps.
pub trait Permissions: Send + Sync + 'static {
    /// The whole tree; `held` says of each code whether it is marked.
    fn tree(&self, held: &dyn Fn(&str) -> bool) -> Vec<Branch>;

    /// The Chinese title of a code; nothing when there is no such code.
    fn title(&self, code: &str) -> Option<&'static str>;
}

/// The bikes, which the fleet keeps.
#[async_trait]
pub trait Bikes: Send + Sync + 'static {
    /// How many bikes each of `areas` has, of whatever lifecycle; areas without any may be left out.
    async fn count_by_area(&self, areas: &[AreaId]) -> Result<BTreeMap<AreaId, i64>, PortError>;

    /// How many bikes are on the streets of `area`, as of now.
    async fn shelved_in(&self, area: AreaId) -> Result<i64, PortError>;

    /// Where the bikes on the streets of `areas` had their last fix, each with its area; of those without one nothing.
    async fn places_in(&self, areas: &BTreeSet<AreaId>) -> Result<Vec<(AreaId, Wgs84)>, PortError>;

    /// The bikes on all streets that nobody rides, where they had their last fix.
    async fn resting(&self) -> Result<Vec<Resting>, PortError>;
}

/// A bike on the street that nobody rides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resting {
    /// Where.
    pub place: Wgs84,
    /// Dilution of precision of the fix, where the device told.
    pub hdop: Option<f64>,
    /// Whether it may be handed out.
    pub rentable: bool,
    /// Whether there is an alarm about it.
    pub alarmed: bool,
    /// Whether it was reported broken.
    pub broken: bool,
}

/// A bike that stopped: it was locked, which it had not been before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stopped {
    /// When.
    pub at: Timestamp,
    /// Where.
    pub place: Wgs84,
    /// Dilution of precision of the fix, where the device told.
    pub hdop: Option<f64>,
}

/// Where bikes stopped, which the live context keeps for 35 days.
#[async_trait]
pub trait Stops: Send + Sync + 'static {
    /// Those in a box since an instant, newest first, at most `most`.
    async fn within(&self, bounds: Bounds, since: Timestamp, most: i64) -> Result<Vec<Stopped>, PortError>;

    /// Bikes that stood in a box at an instant or stopped there since, newest first, at most `most`.
    async fn stays_within(
        &self,
        bounds: Bounds,
        since: Timestamp,
        most: i64,
    ) -> Result<Vec<Stood>, PortError>;

    /// Those of some thousand bikes that stood somewhere in a stretch of time, and what to ask for the next ones with;
    /// nothing to ask with when these were the last.
    async fn stood(
        &self,
        from: Timestamp,
        until: Timestamp,
        after: i32,
    ) -> Result<(Vec<Stood>, Option<i32>), PortError>;

    /// What was told long after it happened, and not looked at since.
    async fn told_late(&self) -> Result<Option<Told>, PortError>;

    /// It was looked at.
    async fn looked_at(&self, told: Told) -> Result<(), PortError>;
}

/// A ride that began.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Begun {
    /// Tells it from others, and in which order they are asked for.
    pub id: i64,
    /// When.
    pub at: Timestamp,
    /// Where its bike stood.
    pub place: Wgs84,
    /// What it costs as far as that is known, cents.
    pub cost_cents: i64,
}

/// What riders wanted and got, which the riding context keeps.
#[async_trait]
pub trait Rides: Send + Sync + 'static {
    /// Missed orders of parking places from `from` until before `until`: the place nearest to each, and when.
    async fn missed(&self, from: Timestamp, until: Timestamp)
    -> Result<Vec<(FenceId, Timestamp)>, PortError>;

    /// Rides that began then, some thousand with ids above `after`; none: there are no more.
    async fn begun(&self, from: Timestamp, until: Timestamp, after: i64) -> Result<Vec<Begun>, PortError>;
}

/// A bike where it stopped, for as long as it stood there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stood {
    /// When, where and how exactly it stopped.
    pub stopped: Stopped,
    /// The first instant at which it stood there no more.
    pub until: Option<Timestamp>,
    /// Whether that is when it left.
    pub left: bool,
}

/// Stops that were told late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// The oldest of them.
    pub since: Timestamp,
    /// How often any were.
    pub times: i64,
}

/// A person of the back-office.
#[derive(Clone, Debug)]
pub struct Person {
    /// His account.
    pub id: OperatorId,
    /// His name.
    pub name: String,
    /// What he signs in with.
    pub phone: Option<Phone>,
    /// 工种, by its number.
    pub profession: Option<i16>,
    /// Whether he may sign in.
    pub enabled: bool,
    /// What he may see.
    pub reach: Scope,
}

/// The people of the back-office, whom access keeps; each call tells of those in `scope` alone.
#[async_trait]
pub trait Staff: Send + Sync + 'static {
    /// Those of `ids` that have an account.
    async fn of(&self, scope: &Scope, ids: &BTreeSet<OperatorId>) -> Result<Vec<Person>, PortError>;

    /// The one who signs in with `phone`.
    async fn with_phone(&self, scope: &Scope, phone: &Phone) -> Result<Option<Person>, PortError>;

    /// By name, at most `most`: those whom `keyword` is part of the name, the whole phone or the id of; with a `place` only
    /// the enabled ones who see it.
    async fn found(
        &self,
        scope: &Scope,
        keyword: &str,
        place: Option<DataOwner>,
        most: i64,
    ) -> Result<Vec<Person>, PortError>;
}

/// The ports.
#[derive(Clone)]
pub struct Ports {
    /// The permission tree.
    pub permissions: Arc<dyn Permissions>,
    /// The bikes.
    pub bikes: Arc<dyn Bikes>,
    /// Where they stopped.
    pub stops: Arc<dyn Stops>,
    /// The people.
    pub people: Arc<dyn Staff>,
    /// Photos of cases.
    pub attachments: Attachments,
    /// Second persons.
    pub approvals: Approvals,
}
