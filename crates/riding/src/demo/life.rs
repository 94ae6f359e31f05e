//! What becomes of made-up orders: the same seed and number, the same life. Pure.

use geofence::judge::ReturnClass;
use vocabulary::{RideOrderId, Timestamp};

use crate::model::fare::Left;
use crate::model::order::{CancelReason, EndKind};

/// When the orders of a run begin: more and more of them, up to the end.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// How many there are in all.
    pub orders: i64,
    /// When the oldest begins.
    pub since: Timestamp,
    /// For so long, milliseconds.
    pub span_ms: i64,
    /// Other numbers, other lives.
    pub seed: i64,
}

impl Times {
    /// Ids count from here, as all ids do.
    pub const IDS_SINCE: Timestamp = Timestamp::from_millis(1_704_067_200_000);

    /// When order `number` begins; 0 is the oldest.
    pub fn opened_at(&self, number: i64) -> Timestamp {
        let part = (number as f64 / self.orders as f64).powf(0.6);
        self.since.plus_millis((self.span_ms as f64 * part).round() as i64)
    }

    /// Its id: of its moment, as of a process that no other one is.
    pub fn order_id(&self, number: i64) -> RideOrderId {
        let at_ms = self.opened_at(number).millis_since(Self::IDS_SINCE);
        RideOrderId((at_ms << 22) | (1023 << 12) | (number & 4095))
    }
}

/// Numbers that follow from a seed: splitmix64.
#[derive(Clone, Debug)]
pub struct Draw(u64);

impl Draw {
    /// Those of `number` under `seed`.
    pub fn of(seed: i64, number: i64) -> Self {
        let mut draw = Self((seed as u64).rotate_left(32) ^ (number as u64));
        draw.below(2);
        draw
    }

    /// The next one, below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }

    /// One between 0 and 1.
    pub fn part(&mut self) -> f64 {
        self.below(1 << 24) as f64 / f64::from(1 << 24)
    }

    /// Whether so many of a thousand say yes.
    pub fn permille(&mut self, yes: u64) -> bool {
        self.below(1000) < yes
    }
}

/// How an order goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Course {
    /// Nothing comes of it.
    Cancelled(CancelReason),
    /// It is ridden.
    Ridden(Ride),
}

/// A ride and what is done about its fare.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ride {
    /// From the unlocked bike to its return, milliseconds.
    pub riding_ms: i64,
    /// Along its track, metres.
    pub distance_m: i64,
    /// How it ended.
    pub end_kind: EndKind,
    /// Where the bike was left.
    pub class: ReturnClass,
    /// The same, as far as it costs.
    pub left: Left,
    /// Percent to which somebody lowers an unpaid fare.
    pub lowered_percent: Option<i64>,
    /// Who pays.
    pub pays: Pays,
    /// Percent of what was paid that goes back.
    pub refund_percent: Option<i64>,
}

/// How a fare is paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pays {
    /// From the wallet, which is filled when it is short.
    Wallet,
    /// Through a channel.
    Channel(i16),
    /// Not at all.
    Never,
}

impl Course {
    /// What becomes of an order.
    pub fn draw(draw: &mut Draw) -> Self {
        if draw.permille(75) {
            let reasons = [CancelReason::NoAnswer, CancelReason::Refused, CancelReason::ByStaff];
            return Self::Cancelled(reasons[draw.below(3) as usize]);
        }
        let riding_ms = 60_000 + (600_000.0 * (-(1.0 - draw.part()).ln()).min(30.0)) as i64;
        let class = match draw.below(1000) {
            0..850 => ReturnClass::Parked,
            850..960 => ReturnClass::OutsideParking,
            960..970 => ReturnClass::OutsideArea,
            970..995 => ReturnClass::NoStop,
            _ => ReturnClass::NoRide,
        };
        let end_kind = match draw.below(1000) {
            0..960 => EndKind::Rider,
            960..975 => EndKind::TimeOut,
            975..977 => EndKind::PowerOff,
            977..985 => EndKind::Support,
            985..995 => EndKind::Lock,
            _ => EndKind::OneKey,
        };
        let left = match class {
            ReturnClass::Parked => Left::Well,
            ReturnClass::OutsideParking => {
                Left::Outside { parking_m: Some(draw.below(4000) as f64 / 10.0), difficulty_percent: 100 }
            }
            ReturnClass::OutsideArea => Left::OutOfService,
            ReturnClass::NoStop => Left::NoStop(None),
            ReturnClass::NoRide => Left::NoRide(None),
        };
        let pays = match draw.below(1000) {
            0..15 => Pays::Never,
            15..300 => Pays::Channel(1 + draw.below(2) as i16),
            _ => Pays::Wallet,
        };
        Self::Ridden(Ride {
            riding_ms,
            distance_m: riding_ms / 280,
            end_kind,
            class,
            left,
            lowered_percent: draw.permille(6).then_some(50),
            pays,
            refund_percent: match draw.below(1000) {
                0..7 => Some(100),
                7..10 => Some(50),
                _ => None,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: Times = Times {
        orders: 100_000,
        since: Timestamp::from_millis(1_735_689_600_000),
        span_ms: 700 * 86_400_000,
        seed: 7,
    };

    #[test]
    fn orders_come_one_after_the_other_each_with_an_id_of_its_own() {
        let ids: Vec<i64> = (0..TIMES.orders).map(|number| TIMES.order_id(number).0).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "an id is of its moment");
        assert_eq!(TIMES.opened_at(0), TIMES.since);
        assert!(TIMES.opened_at(TIMES.orders - 1) < TIMES.since.plus_millis(TIMES.span_ms));
    }

    #[test]
    fn the_same_number_has_the_same_life_and_lives_are_as_in_a_city() {
        let lives = || (0..20_000).map(|number| Course::draw(&mut Draw::of(7, number)));
        assert!(lives().eq(lives()));
        let share = |of: fn(&Course) -> bool| lives().filter(of).count();
        let cancelled = share(|course| matches!(course, Course::Cancelled(_)));
        assert!((1_300..1_700).contains(&cancelled), "{cancelled}");
        let unpaid = share(|course| matches!(course, Course::Ridden(Ride { pays: Pays::Never, .. })));
        assert!((200..400).contains(&unpaid), "{unpaid}");
        let back = share(|course| matches!(course, Course::Ridden(Ride { refund_percent: Some(_), .. })));
        assert!((120..280).contains(&back), "{back}");
    }
}
