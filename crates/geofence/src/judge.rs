//! What the fences say of a bike that stops at a place: the one rule that riders are charged by.

use std::cmp::Reverse;

use vocabulary::{AreaId, Cents, FenceId, Timestamp, Wgs84, choices};

use crate::Outline;
use crate::atlas::Atlas;
use crate::plane::Plane;
use crate::rule::{FenceKind, Parking, Proof, Rule};

choices! {
    /// Where a ride ended, as it is charged.
    pub enum ReturnClass("还车位置") {
        Parked = 0 => "规范停放",
        OutsideParking = 1 => "站点外",
        OutsideArea = 2 => "服务区外",
        NoStop = 3 => "禁停区",
        NoRide = 4 => "禁行区",
    }
}

/// A bike that stops.
#[derive(Clone, Debug)]
pub struct Stop {
    /// Where GPS says it is.
    pub place: Wgs84,
    /// When.
    pub at: Timestamp,
    /// How much worse than best the satellites stand (horizontal dilution of precision); 1 is good, 5 is poor.
    pub hdop: f64,
    /// The area that the bike belongs to; none: whichever holds the place.
    pub area: Option<AreaId>,
    /// What the bike proved.
    pub proved: Vec<Proof>,
    /// Where it points, degrees clockwise from north; proves [`Proof::Direction`] where it agrees.
    pub heading_degrees: Option<f64>,
}

impl Stop {
    /// Without proofs.
    pub const fn new(place: Wgs84, at: Timestamp, hdop: f64, area: Option<AreaId>) -> Self {
        Self { place, at, hdop, area, proved: Vec::new(), heading_degrees: None }
    }
}

/// Metres that a fix may be off: two and a half times hdop, at most 15; an hdop that is no number counts as poor.
pub fn error_m(hdop: f64) -> f64 {
    if hdop.is_nan() { 15.0 } else { (hdop * 2.5).clamp(0.0, 15.0) }
}

/// A fence by its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Known {
    /// Which.
    pub id: FenceId,
    /// Which of its versions.
    pub data_version: i64,
}

/// The nearest parking place that would have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Which.
    pub fence: Known,
    /// Metres to its edge; 0 within.
    pub beyond_m: f64,
}

/// Why a stop is judged as it is.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Reason {
    /// No area holds it.
    #[error("不在任何服务区内")]
    NoArea,
    /// Outside of its own area, so many metres.
    #[error("在服务区外 {0:.0} 米")]
    BeyondArea(f64),
    /// Within a ban.
    #[error("在{0}内")]
    Banned(FenceKind),
    /// Within a ban by less than the fix may be off, which is not held against the rider.
    #[error("距{0}边界仅 {1:.1} 米，小于定位误差，不计")]
    BannedWithinError(FenceKind, f64),
    /// In a parking place.
    #[error("在停车区内")]
    Within,
    /// Outside of a parking place by less than its buffer and the error of the fix, metres.
    #[error("距停车区 {0:.1} 米，在缓冲与定位误差之内")]
    WithinBuffer(f64),
    /// Full, so many bikes.
    #[error("停车区已满（{0} 辆）")]
    Full(i32),
    /// Closed at this hour.
    #[error("停车区此时不开放")]
    ClosedNow,
    /// The nearest parking place is so many metres away.
    #[error("距最近的停车区 {0:.1} 米")]
    TooFar(f64),
    /// There is no parking place at all.
    #[error("附近没有停车区")]
    NoParking,
    /// It was not proved that it stands as it should.
    #[error("缺少{0}凭证")]
    Unproved(Proof),
}

/// What the fences say.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// How it is charged.
    pub class: ReturnClass,
    /// The area, and which of its edges.
    pub area: Option<(AreaId, i64)>,
    /// The fence that decided: the ban, or the parking place.
    pub fence: Option<Known>,
    /// The nearest parking place that would have it, and how far; the one it stands in where it does.
    pub nearest: Option<Nearest>,
    /// Proofs that its parking place asks for and that it did not give.
    pub missing: Vec<Proof>,
    /// What the ban costs, where it says so itself.
    pub penalty_cents: Option<Cents>,
    /// 难度系数 of the nearest parking place.
    pub difficulty: f64,
    /// Every reason, in the order of the rules.
    pub reasons: Vec<Reason>,
}

impl Atlas {
    /// Judges a stop. `count` is how many bikes stand in a parking place already.
    ///
    /// Of zones that hold it, 禁行 comes before 禁停, before the area, before parking. What the fix may be off is always
    /// taken in the rider's favour: a parking place reaches so much further, an area too, a ban so much less.
    pub fn judge(&self, stop: &Stop, count: impl Fn(FenceId) -> i32) -> Judgement {
        let plane = Plane::at(stop.place);
        let error_m = error_m(stop.hdop);
        let mut reasons = Vec::new();
        let (area, beyond_area_m) = self.area_about(stop, &plane);
        let scope = stop.area.or(area.map(|(id, _)| id));
        let ban = self.ban(stop, &plane, error_m, &mut reasons);
        let is_outside = match beyond_area_m {
            None => {
                reasons.push(Reason::NoArea);
                true
            }
            Some(beyond_m) if beyond_m > error_m => {
                reasons.push(Reason::BeyondArea(beyond_m));
                true
            }
            Some(_) => false,
        };
        let parking = self.parking(stop, &plane, scope, error_m, |fence, rule, stands| {
            let refused = turned_away(rule, stop.at, count(fence));
            reasons.extend(refused.filter(|_| stands));
            refused.is_none()
        });
        reasons.push(match &parking {
            None => Reason::NoParking,
            Some(found) if found.nearest.beyond_m == 0.0 => Reason::Within,
            Some(found) if found.stands => Reason::WithinBuffer(found.nearest.beyond_m),
            Some(found) => Reason::TooFar(found.nearest.beyond_m),
        });
        let (class, fence, penalty_cents) = match (ban, &parking) {
            (Some(held), _) => (held.class(), Some(held.fence), held.penalty_cents),
            (None, _) if is_outside => (ReturnClass::OutsideArea, None, None),
            (None, Some(found)) if found.stands => (ReturnClass::Parked, Some(found.nearest.fence), None),
            (None, _) => (ReturnClass::OutsideParking, None, None),
        };
        let missing = match &parking {
            Some(found) if class == ReturnClass::Parked => missing(found.rule, stop),
            _ => Vec::new(),
        };
        reasons.extend(missing.iter().map(|proof| Reason::Unproved(*proof)));
        Judgement {
            class,
            area,
            fence,
            nearest: parking.as_ref().map(|found| found.nearest),
            missing,
            penalty_cents,
            difficulty: parking.map_or(1.0, |found| found.rule.difficulty),
            reasons,
        }
    }

    /// The parking place that a bike is in, and whether it stands in it: otherwise it is the nearest one. Whatever the hour and
    /// however full it is, and whichever area holds the bike: it says where bikes are, not what their riders owe. Who stands
    /// in a ban stands in no parking place.
    pub fn station(&self, stop: &Stop) -> Option<(Nearest, bool)> {
        let plane = Plane::at(stop.place);
        let error_m = error_m(stop.hdop);
        let found = self.parking(stop, &plane, stop.area, error_m, |_, _, _| true)?;
        let stands = found.stands && self.ban(stop, &plane, error_m, &mut Vec::new()).is_none();
        Some((found.nearest, stands))
    }

    /// How far a place lies within where a bike is charged as `judged` says, metres: to the edge that decides, below nothing
    /// on the side where it may stand. Of what is parked: how far outside of parking places with their buffers; infinite
    /// where there is none. The error of the fix is not taken off. Nothing where no edge is known.
    pub fn into_m(&self, judged: &Judgement, at: &Stop, count: impl Fn(FenceId) -> i32) -> Option<f64> {
        let plane = Plane::at(at.place);
        let beyond_m = |outline: &Outline| {
            let beyond_m = outline.beyond_m(at.place, &plane);
            if beyond_m > 0.0 { beyond_m } else { -outline.edge_m(&plane) }
        };
        match judged.class {
            ReturnClass::NoStop | ReturnClass::NoRide => {
                self.fence(judged.fence?).map(|(_, outline)| -beyond_m(outline))
            }
            ReturnClass::OutsideArea => {
                let (id, data_version) = judged.area?;
                self.edge(id, data_version).map(beyond_m)
            }
            ReturnClass::Parked | ReturnClass::OutsideParking => {
                let scope = at.area.or(judged.area.map(|(id, _)| id));
                let admits = |fence, rule: &Parking, _| turned_away(rule, at.at, count(fence)).is_none();
                let Some(found) = self.parking(at, &plane, scope, 0.0, admits) else {
                    return Some(f64::INFINITY);
                };
                let (_, outline) = self.fence(found.nearest.fence)?;
                Some(beyond_m(outline) - found.rule.buffer_m)
            }
        }
    }

    /// The area that it is judged in, and how many metres it lies outside of it; nothing where there is none.
    fn area_about(&self, stop: &Stop, plane: &Plane) -> (Option<(AreaId, i64)>, Option<f64>) {
        let Some(own) = stop.area else {
            let found = self.area_of(stop.place, plane, stop.at);
            return (found.map(|area| (area.id, area.data_version)), found.map(|_| 0.0));
        };
        let found = self.area(own, stop.at);
        let beyond_m = found.map(|(_, outline)| outline.beyond_m(stop.place, plane));
        (found.map(|(area, _)| (area.id, area.data_version)), beyond_m)
    }

    /// The ban that counts.
    fn ban(&self, stop: &Stop, plane: &Plane, error_m: f64, reasons: &mut Vec<Reason>) -> Option<Held> {
        let mut found: Option<Held> = None;
        for (fence, depth_m) in self.others_at(stop.place, plane, stop.at) {
            let (Rule::NoStop(ban) | Rule::NoRide(ban)) = &fence.rule else { continue };
            if !ban.counts(stop.at) {
                continue;
            }
            let kind = fence.rule.kind();
            if depth_m < error_m {
                reasons.push(Reason::BannedWithinError(kind, depth_m));
                continue;
            }
            reasons.push(Reason::Banned(kind));
            let fence = Known { id: fence.id, data_version: fence.data_version };
            let held = Held { kind, fence, penalty_cents: ban.penalty_cents };
            if found.is_none_or(|other| held.weight() > other.weight()) {
                found = Some(held);
            }
        }
        found
    }

    /// The nearest parking place that would have it, and whether it stands in it. `admits` says of one, and of whether the bike
    /// stands in it, whether that would have it at all.
    fn parking<'a>(
        &'a self,
        stop: &Stop,
        plane: &Plane,
        scope: Option<AreaId>,
        error_m: f64,
        mut admits: impl FnMut(FenceId, &Parking, bool) -> bool,
    ) -> Option<Found<'a>> {
        let mut best: Option<Found<'a>> = None;
        // Beyond the nearest one, another with a wider buffer may still have it.
        let buffers_reach_m = self.widest_buffer_m() + error_m;
        self.parkings(stop.place, plane, stop.at, |near| {
            let reach_m = |best: &Option<Found<'_>>| match best {
                None => f64::INFINITY,
                Some(found) if found.stands => found.nearest.beyond_m,
                Some(found) => found.nearest.beyond_m.max(buffers_reach_m),
            };
            let Rule::Parking(rule) = &near.fence.rule else { return reach_m(&best) };
            let fence = Known { id: near.fence.id, data_version: near.fence.data_version };
            let nearest = Nearest { fence, beyond_m: near.beyond_m };
            let found = Found { nearest, stands: near.beyond_m <= rule.buffer_m + error_m, rule };
            if scope.is_some_and(|scope| scope != near.fence.area)
                || best.as_ref().is_some_and(|held| !found.beats(held))
            {
                return reach_m(&best);
            }
            if admits(near.fence.id, rule, found.stands) {
                best = Some(found);
            }
            reach_m(&best)
        });
        best
    }
}

/// A ban that holds a stop.
#[derive(Clone, Copy)]
struct Held {
    kind: FenceKind,
    fence: Known,
    penalty_cents: Option<Cents>,
}

impl Held {
    /// The harder kind, then the dearer, then the older: the same for whoever asks again.
    fn weight(&self) -> (bool, Option<Cents>, Reverse<i64>) {
        (self.kind == FenceKind::NoRide, self.penalty_cents, Reverse(self.fence.id.0))
    }

    fn class(&self) -> ReturnClass {
        if self.kind == FenceKind::NoRide { ReturnClass::NoRide } else { ReturnClass::NoStop }
    }
}

struct Found<'a> {
    nearest: Nearest,
    stands: bool,
    rule: &'a Parking,
}

impl Found<'_> {
    /// Whether it would rather be this one: one that it stands in, then the nearer, then the older.
    fn beats(&self, held: &Self) -> bool {
        let order = self.nearest.beyond_m.total_cmp(&held.nearest.beyond_m);
        let order = held.stands.cmp(&self.stands).then(order);
        order.then(self.nearest.fence.id.0.cmp(&held.nearest.fence.id.0)).is_lt()
    }
}

/// Why a parking place with so many bikes would not have one more at that time, if so.
fn turned_away(rule: &Parking, at: Timestamp, standing: i32) -> Option<Reason> {
    if rule.hours.is_some_and(|hours| !hours.hold(at)) {
        Some(Reason::ClosedNow)
    } else {
        (rule.full_is_closed && standing >= rule.capacity).then_some(Reason::Full(standing))
    }
}

fn missing(rule: &Parking, stop: &Stop) -> Vec<Proof> {
    let is_given = |proof: &Proof| {
        stop.proved.contains(proof)
            || (*proof == Proof::Direction
                && rule
                    .direction
                    .zip(stop.heading_degrees)
                    .is_some_and(|(wanted, heading)| wanted.agrees(heading)))
    };
    rule.proofs.iter().copied().filter(|proof| !is_given(proof)).collect()
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
