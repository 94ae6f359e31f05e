//! What orders are told in: how rides begin and end, what was shown of a return, what a fare follows from, and money by where
//! it comes from.

use geofence::judge::{Judgement, Known, ReturnClass};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId, RideOrderId, RiderId, Timestamp, Wgs84, choices};

use super::fare::{Benefits, Left, Receipt, Ridden};

choices! {
    /// How a ride ended.
    pub enum EndKind("结束方式") {
        Rider = 1 => "用户还车",
        TimeOut = 2 => "超时自动还车",
        PowerOff = 3 => "出区断电还车",
        Support = 4 => "客服结束",
        Lock = 5 => "设备锁车",
        OneKey = 6 => "一键还车",
    }
}

choices! {
    /// Why an order came to nothing.
    pub enum CancelReason("取消原因") {
        ByRider = 1 => "用户取消",
        Expired = 2 => "预约超时",
        NoAnswer = 3 => "开锁无应答",
        Refused = 4 => "开锁失败",
        Mistake = 5 => "误开锁",
        ByStaff = 6 => "客服取消",
    }
}

/// An order as it begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// Its own id.
    pub order_id: RideOrderId,
    /// Who rides.
    pub rider_id: RiderId,
    /// 车辆编号.
    pub car_id: String,
    /// The bike's device.
    pub imei: String,
    /// Whose bike it is.
    pub agent_id: AgentId,
    /// The service area where it begins.
    pub area_id: AreaId,
    /// Where the bike stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Wgs84>,
    /// Where its rider's phone is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rider_place: Option<Wgs84>,
}

/// What was shown of a return.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Dilution of precision of the fix that was judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hdop: Option<f64>,
    /// Where its rider's phone was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rider_place: Option<Wgs84>,
    /// What the bike proved: 1 beacon, 2 RFID, 3 direction, 4 kickstand, 5 camera.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proved: Vec<i16>,
    /// Where it pointed, degrees clockwise from north.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading_degrees: Option<f64>,
    /// Whether its helmet is back; nothing: the bike has none or does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub helmet_back: Option<bool>,
    /// Every reason of the judgement, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

/// A ride's end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// When it truly was.
    pub at: Timestamp,
    /// How.
    pub kind: EndKind,
    /// Where the bike stood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Wgs84>,
    /// Metres along its track.
    pub distance_m: i64,
    /// What the fences of that time say.
    pub class: ReturnClass,
    /// The fence that decided, in its version of that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fence: Option<FenceVersion>,
    /// How sure it is that the judgement is right, percent.
    pub certainty_percent: u8,
    /// What was shown.
    pub evidence: Evidence,
}

/// A fence by its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FenceVersion {
    /// Which.
    pub fence_id: vocabulary::FenceId,
    /// Which of its versions.
    pub data_version: i64,
}

impl From<Known> for FenceVersion {
    fn from(known: Known) -> Self {
        Self { fence_id: known.id, data_version: known.data_version }
    }
}

/// A fare with everything that it follows from: the same again gives the same cents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pricing {
    /// Which version of the area's billing; 0: what counts where none was published.
    pub billing_version: i64,
    /// Time and distance.
    pub ridden: Ridden,
    /// Where the bike was left.
    pub left: Left,
    /// Whether its helmet is missing.
    pub helmet_missing: bool,
    /// What its rider held.
    pub benefits: Benefits,
    /// What follows.
    pub receipt: Receipt,
}

/// What a judgement costs.
pub fn left(judged: &Judgement) -> Left {
    let own_cents = judged.penalty_cents.map(|penalty| penalty.0);
    match judged.class {
        ReturnClass::Parked => Left::Well,
        ReturnClass::OutsideParking => Left::Outside {
            parking_m: judged.nearest.map(|nearest| nearest.beyond_m),
            difficulty_percent: (judged.difficulty * 100.0).round() as u16,
        },
        ReturnClass::OutsideArea => Left::OutOfService,
        ReturnClass::NoStop => Left::NoStop(own_cents),
        ReturnClass::NoRide => Left::NoRide(own_cents),
    }
}

/// Where money goes back to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum BackTo {
    /// The way it came.
    #[default]
    Original,
    /// His wallet, whatever way it came.
    Wallet,
}

/// Money that came for an order or went back, by where it comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// From what he paid into his wallet.
    pub recharge_cents: i64,
    /// From what he was given into it.
    pub present_cents: i64,
    /// Straight from a payment channel.
    pub third_cents: i64,
}

impl Share {
    /// All of it.
    pub const fn sum_cents(&self) -> i64 {
        self.recharge_cents + self.present_cents + self.third_cents
    }

    /// What is left of it without `other`.
    #[must_use]
    pub const fn less(&self, other: &Self) -> Self {
        Self {
            recharge_cents: self.recharge_cents - other.recharge_cents,
            present_cents: self.present_cents - other.present_cents,
            third_cents: self.third_cents - other.third_cents,
        }
    }

    /// Its three parts.
    pub(super) const fn parts(&self) -> [i64; 3] {
        [self.recharge_cents, self.present_cents, self.third_cents]
    }

    /// Both together.
    #[must_use]
    pub const fn plus(&self, other: &Self) -> Self {
        Self {
            recharge_cents: self.recharge_cents + other.recharge_cents,
            present_cents: self.present_cents + other.present_cents,
            third_cents: self.third_cents + other.third_cents,
        }
    }
}
