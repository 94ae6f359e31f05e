//! What a fence says of those who stop in it.

use serde::{Deserialize, Serialize};
use vocabulary::{Cents, Timestamp, choices};

choices! {
    /// What a fence is for.
    #[derive(Default)]
    pub enum FenceKind("围栏类型") {
        #[default]
        Parking = 2 => "停车区",
        NoStop = 4 => "禁停区",
        Maintenance = 8 => "运维区",
        NoRide = 9 => "禁行区",
        Custom = 10 => "自定义区",
    }
}

impl FenceKind {
    /// Kinds that tell riders the opposite: here one may stop, here one must not. Where two such overlap, somebody errs.
    pub const fn opposite(self) -> &'static [Self] {
        match self {
            Self::Parking => &[Self::NoStop, Self::NoRide],
            Self::NoStop | Self::NoRide => &[Self::Parking],
            Self::Maintenance | Self::Custom => &[],
        }
    }
}

choices! {
    /// What proves that a bike stands in a parking place as it should.
    pub enum Proof("还车凭证") {
        Beacon = 1 => "蓝牙道钉",
        Rfid = 2 => "射频识别",
        Direction = 3 => "定向停车",
        Kickstand = 4 => "脚撑检测",
        Camera = 5 => "摄像头",
    }
}

/// A part of every day, in minutes since midnight in Shanghai: from the first until the second, over midnight where that
/// is smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hours {
    /// 0 to 1439.
    pub from_min: u16,
    /// 1 to 1440; the end is no longer part of it.
    pub until_min: u16,
}

/// The days of a week: bit 0 is Monday.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Weekdays(pub u8);

/// Shanghai's clock: +08:00 all year.
const SHANGHAI_MS: i64 = 8 * 3_600_000;
const DAY_MS: i64 = 86_400_000;

fn minute_of(at: Timestamp) -> u16 {
    ((at.millis() + SHANGHAI_MS).rem_euclid(DAY_MS) / 60_000) as u16
}

impl Hours {
    /// Whether `at` lies in them.
    pub fn hold(self, at: Timestamp) -> bool {
        let minute = minute_of(at);
        if self.from_min < self.until_min {
            (self.from_min..self.until_min).contains(&minute)
        } else {
            minute >= self.from_min || minute < self.until_min
        }
    }

    /// Whether they are two different minutes of a day.
    pub const fn is_sound(self) -> bool {
        self.from_min < 1440
            && self.until_min >= 1
            && self.until_min <= 1440
            && self.from_min != self.until_min
    }
}

impl Weekdays {
    /// Monday to Sunday.
    pub const ALL: Self = Self(0b111_1111);

    /// Whether `at` is on one of them.
    pub fn hold(self, at: Timestamp) -> bool {
        // 1970-01-01 was a Thursday.
        let weekday = ((at.millis() + SHANGHAI_MS).div_euclid(DAY_MS) + 3).rem_euclid(7);
        self.0 & (1 << weekday) != 0
    }
}

/// Of a parking place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parking {
    /// 停放上限: so many bikes at most.
    pub capacity: i32,
    /// 保有下限: fewer are too few.
    pub min_keep: i32,
    /// 缓冲距离: so far outside of the edge still counts, metres.
    pub buffer_m: f64,
    /// 满桩禁停: whoever comes when it is full does not stand in it.
    pub full_is_closed: bool,
    /// 停车方向, degrees clockwise from north, with the most that a bike may differ from it; either end may point there.
    pub direction: Option<Direction>,
    /// What proves that a bike stands in it as it should.
    pub proofs: Vec<Proof>,
    /// 开放时段; none: all day.
    pub hours: Option<Hours>,
    /// 难度系数: the dispatch fee is multiplied by it.
    pub difficulty: f64,
    /// 射频编号 of its tags.
    pub rfid_codes: Vec<String>,
}

/// A direction to park in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Direction {
    /// 0 to 359.
    pub degrees: u16,
    /// 0 to 90.
    pub tolerance_degrees: u16,
}

impl Direction {
    /// Degrees that a bike which points to `heading_degrees` stands off it, whichever end is in front: 0 to 90.
    pub fn off_degrees(self, heading_degrees: f64) -> f64 {
        let off = (heading_degrees - f64::from(self.degrees)).rem_euclid(180.0);
        off.min(180.0 - off)
    }

    /// Whether a bike that points to `heading_degrees` stands along it.
    pub fn agrees(self, heading_degrees: f64) -> bool {
        self.off_degrees(heading_degrees) <= f64::from(self.tolerance_degrees)
    }
}

/// Of a zone where one must not stop or ride.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ban {
    /// What it costs; none: what the billing configuration says.
    pub penalty_cents: Option<Cents>,
    /// On which days.
    pub weekdays: Weekdays,
    /// At which hours; none: all day.
    pub hours: Option<Hours>,
}

impl Ban {
    /// Whether it counts at an instant.
    pub fn counts(&self, at: Timestamp) -> bool {
        self.weekdays.hold(at) && self.hours.is_none_or(|hours| hours.hold(at))
    }
}

/// What a fence says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Here one may stop.
    Parking(Parking),
    /// Here one must not stop.
    NoStop(Ban),
    /// Here one must not ride, and so not stop either.
    NoRide(Ban),
    /// Nothing to riders: who looks after it.
    Maintenance,
    /// Nothing to riders: marked for people.
    Custom,
}

impl Rule {
    /// Of a fence for `kind`, with what it asks for if one may stop in it, or what it costs if one must not.
    pub fn of(kind: FenceKind, parking: Parking, ban: Ban) -> Self {
        match kind {
            FenceKind::Parking => Self::Parking(parking),
            FenceKind::NoStop => Self::NoStop(ban),
            FenceKind::NoRide => Self::NoRide(ban),
            FenceKind::Maintenance => Self::Maintenance,
            FenceKind::Custom => Self::Custom,
        }
    }

    /// What the fence is for.
    pub const fn kind(&self) -> FenceKind {
        match self {
            Self::Parking(_) => FenceKind::Parking,
            Self::NoStop(_) => FenceKind::NoStop,
            Self::NoRide(_) => FenceKind::NoRide,
            Self::Maintenance => FenceKind::Maintenance,
            Self::Custom => FenceKind::Custom,
        }
    }

    pub(crate) const fn is_parking(&self) -> bool {
        matches!(self, Self::Parking(_))
    }
}

impl Default for Parking {
    fn default() -> Self {
        Self {
            capacity: 50,
            min_keep: 0,
            buffer_m: 10.0,
            full_is_closed: false,
            direction: None,
            proofs: Vec::new(),
            hours: None,
            difficulty: 1.0,
            rfid_codes: Vec::new(),
        }
    }
}

impl Default for Ban {
    fn default() -> Self {
        Self { penalty_cents: None, weekdays: Weekdays::ALL, hours: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-23 is a Monday; midnight in Shanghai.
    const MONDAY: Timestamp = Timestamp::from_millis(1_795_363_200_000);

    fn at(hour: i64) -> Timestamp {
        MONDAY.plus_millis(hour * 3_600_000)
    }

    #[test]
    fn hours_and_days_are_those_of_shanghai() {
        assert_eq!(MONDAY.local(), "2026-11-23 00:00:00");
        assert!(Weekdays(0b1).hold(MONDAY) && !Weekdays(0b1).hold(at(24)) && Weekdays(0b10).hold(at(24)));
        assert!(
            !Weekdays(0b1).hold(MONDAY.plus_millis(-1)) && Weekdays(0b100_0000).hold(MONDAY.plus_millis(-1))
        );
        let day = Hours { from_min: 7 * 60, until_min: 9 * 60 };
        assert!(!day.hold(at(6)) && day.hold(at(7)) && day.hold(at(8)) && !day.hold(at(9)));
        let night = Hours { from_min: 22 * 60, until_min: 6 * 60 };
        assert!(night.hold(at(23)) && night.hold(at(5)) && !night.hold(at(6)) && !night.hold(at(21)));
    }

    #[test]
    fn a_bike_stands_along_a_direction_with_either_end_in_front() {
        let north = Direction { degrees: 0, tolerance_degrees: 15 };
        assert!(north.agrees(10.0) && north.agrees(350.0) && north.agrees(190.0) && north.agrees(165.0));
        assert!(!north.agrees(20.0) && !north.agrees(90.0) && !north.agrees(160.0));
    }
}
