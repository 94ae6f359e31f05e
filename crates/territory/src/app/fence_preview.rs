//! Where bikes stopped about a fence: how these stops are judged by what counts now, how they would be with a change, and
//! what would fit them better.

use std::collections::HashMap;

use geofence::atlas::{Fence, Span};
use geofence::correction::{Correction, corrected};
use geofence::judge::{ReturnClass, Stop};
use geofence::{Atlas, Bounds, Outline, Plane, Rule, Shape};
use vocabulary::{FenceId, Timestamp, Wgs84};
use wire::Refused;

use crate::Context;
use crate::model::fence::Drawing;
use crate::ports::{Stood, Stopped};

const DAY_MS: i64 = 86_400_000;
/// Stops that are judged at most, the newest.
pub(super) const STOPS_MOST: usize = 20_000;
/// One more tells whether there are more.
const ASKED_MOST: i64 = STOPS_MOST as i64 + 1;
/// Beyond the edge a fence still matters: by its buffer and by what a fix may be off, metres.
const MARGIN_M: f64 = 70.0;
/// Of a fix whose device told nothing of it.
pub(super) const USUAL_HDOP: f64 = 1.0;

/// A stop that would be judged otherwise.
pub struct Shifted {
    /// Where.
    pub place: Wgs84,
    /// As it is judged by what counts now.
    pub before: ReturnClass,
    /// As it would be.
    pub after: ReturnClass,
}

/// How stops are judged: how many of each class, by its number.
pub type Tally = [u32; 5];

/// What would change.
pub struct Preview {
    /// By what counts now.
    pub before: Tally,
    /// With the change.
    pub after: Tally,
    /// Those that would be judged otherwise, newest first.
    pub shifted: Vec<Shifted>,
    /// Whether there are more stops than were judged.
    pub capped: bool,
}

/// The box of both shapes with a margin.
fn about(shapes: &[&Shape]) -> Option<Bounds> {
    let boxes = shapes.iter().map(|shape| Outline::from(*shape).bounds());
    let [min, max] = boxes.reduce(|[min, max], [other_min, other_max]| {
        [
            [min[0].min(other_min[0]), min[1].min(other_min[1])],
            [max[0].max(other_max[0]), max[1].max(other_max[1])],
        ]
    })?;
    let middle = Wgs84::new(f64::midpoint(min[1], max[1]), f64::midpoint(min[0], max[0])).ok()?;
    let plane = Plane::at(middle);
    let (low, high) = (plane.degrees([-MARGIN_M, -MARGIN_M]), plane.degrees([MARGIN_M, MARGIN_M]));
    let margin = [(high[0] - low[0]) / 2.0, (high[1] - low[1]) / 2.0];
    Some([[min[0] - margin[0], min[1] - margin[1]], [max[0] + margin[0], max[1] + margin[1]]])
}

/// Which stops about what is drawn are looked at: where, and since when, so many days ago.
pub(super) fn looked_at(
    shapes: &[&Shape],
    days: u32,
    now: Timestamp,
) -> Result<(Bounds, Timestamp), Refused> {
    let bounds = about(shapes).ok_or_else(|| Refused::malformed("围栏的位置不正确"))?;
    Ok((bounds, now.plus_millis(-i64::from(days) * DAY_MS)))
}

pub(super) fn stop_of(stopped: &Stopped, drawing: &Drawing) -> Stop {
    Stop::new(stopped.place, stopped.at, stopped.hdop.unwrap_or(USUAL_HDOP), Some(drawing.area_id))
}

/// Who stands in each parking place while stops are looked at one after the other.
#[derive(Default)]
struct Crowd(HashMap<FenceId, Vec<Option<Timestamp>>>);

impl Crowd {
    /// How a stop is judged by who stood there when it came; it stands there itself from then on.
    fn judge(&mut self, atlas: &Atlas, stop: &Stop, until: Option<Timestamp>) -> ReturnClass {
        let stands = |end: &Option<Timestamp>| end.is_none_or(|end| end > stop.at);
        let standing = |fence: FenceId| {
            let ends = self.0.get(&fence).into_iter().flatten();
            i32::try_from(ends.filter(|end| stands(end)).count()).unwrap_or(i32::MAX)
        };
        let class = atlas.judge(stop, standing).class;
        // However it is judged: who is turned away for want of room stands in the way all the same.
        if let Some((nearest, true)) = atlas.station(stop) {
            let ends = self.0.entry(nearest.fence.id).or_default();
            ends.retain(stands);
            ends.push(until);
        }
        class
    }
}

/// Of `stays`, newest first, those that began since `since` are judged; the others stand there.
fn judged(stays: Vec<Stood>, since: Timestamp, drawing: &Drawing, now: &Atlas, then: &Atlas) -> Preview {
    let mut preview =
        Preview { before: [0; 5], after: [0; 5], shifted: Vec::new(), capped: stays.len() > STOPS_MOST };
    let mut crowds = [Crowd::default(), Crowd::default()];
    let looked_at: Vec<Stood> = stays.into_iter().take(STOPS_MOST).collect();
    for Stood { stopped, until, .. } in looked_at.into_iter().rev() {
        let stop = stop_of(&stopped, drawing);
        let [crowd_now, crowd_then] = &mut crowds;
        let before = crowd_now.judge(now, &stop, until);
        let after = crowd_then.judge(then, &stop, until);
        if stopped.at < since {
            continue;
        }
        preview.before[usize::from(before.number().unsigned_abs())] += 1;
        preview.after[usize::from(after.number().unsigned_abs())] += 1;
        if before != after {
            preview.shifted.push(Shifted { place: stopped.place, before, after });
        }
    }
    preview.shifted.reverse();
    preview
}

/// Where bikes stopped about a fence, judged by what counts now.
pub struct Returns {
    /// Each with its class, newest first.
    pub stops: Vec<(Wgs84, ReturnClass)>,
    /// Whether there are more.
    pub capped: bool,
    /// An edge that would fit better, of a parking place drawn as a ring.
    pub correction: Option<Correction>,
}

impl Context {
    /// What `drawing` would change of the stops of so many days, in the place of what the fence is now; `known` is what it
    /// was drawn as last.
    pub(crate) async fn preview_fence(
        &self,
        drawing: Drawing,
        known: Option<Shape>,
        days: u32,
    ) -> Result<Preview, Refused> {
        let now = self.runtime.clock.now();
        let shapes: Vec<&Shape> = known.iter().chain([&drawing.shape]).collect();
        let (bounds, since) = looked_at(&shapes, days, now)?;
        let stays = self.ports.stops.stays_within(bounds, since, ASKED_MOST).await;
        let stays = stays.map_err(Refused::unavailable)?;
        let judge = self.judge_now().await?;
        let previewed = tokio::task::spawn_blocking(move || {
            let (edge, fences) = judge.atlas.about(drawing.area_id, bounds, now);
            let mut changed: Vec<Fence> =
                fences.iter().filter(|fence| fence.id != drawing.fence_id).cloned().collect();
            changed.push(Fence {
                id: drawing.fence_id,
                data_version: 0,
                area: drawing.area_id,
                shape: drawing.shape.clone(),
                rule: drawing.rule.clone(),
                span: Span::EVER,
            });
            judged(stays, since, &drawing, &Atlas::new(edge.clone(), fences), &Atlas::new(edge, changed))
        });
        previewed.await.map_err(Refused::internal)
    }

    /// The stops about what is drawn, and the better edge that follows from them.
    pub(crate) async fn returns_about(&self, drawing: Drawing, days: u32) -> Result<Returns, Refused> {
        let now = self.runtime.clock.now();
        let (bounds, since) = looked_at(&[&drawing.shape], days, now)?;
        let stops = self.ports.stops.within(bounds, since, ASKED_MOST).await.map_err(Refused::unavailable)?;
        let judge = self.judge_now().await?;
        let looked = tokio::task::spawn_blocking(move || {
            let (edge, fences) = judge.atlas.about(drawing.area_id, bounds, now);
            let atlas = Atlas::new(edge, fences);
            let capped = stops.len() > STOPS_MOST;
            let class = |stopped: &Stopped| atlas.judge(&stop_of(stopped, &drawing), |_| 0).class;
            let stops: Vec<(Wgs84, ReturnClass)> =
                stops.iter().take(STOPS_MOST).map(|stopped| (stopped.place, class(stopped))).collect();
            let places: Vec<Wgs84> = stops.iter().map(|(place, _)| *place).collect();
            let correction = match (&drawing.shape, &drawing.rule) {
                (Shape::Polygon(ring), Rule::Parking(_)) => corrected(ring, &places),
                _ => None,
            };
            Returns { stops, capped, correction }
        });
        looked.await.map_err(Refused::internal)
    }
}

#[cfg(test)]
mod tests {
    use geofence::{Circle, Parking};
    use vocabulary::{AgentId, AreaId, Datum};

    use super::*;

    const AREA: AreaId = AreaId(9);
    const START: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn drawing(capacity: i32) -> Drawing {
        let rule = Parking { capacity, full_is_closed: true, buffer_m: 0.0, ..Parking::default() };
        Drawing {
            fence_id: FenceId(1),
            area_id: AREA,
            agent_id: AgentId(7),
            name: "东门".to_owned(),
            shape: Shape::Circle(Circle::draw([118.1, 24.1], 20.0, Datum::Wgs84).unwrap()),
            rule: Rule::Parking(rule),
            tags: Vec::new(),
            remark: String::new(),
        }
    }

    fn atlas(drawing: &Drawing) -> Atlas {
        let corners = [[118.0, 24.0], [118.2, 24.0], [118.2, 24.2], [118.0, 24.2]];
        let ring = geofence::Ring::draw(&corners, Datum::Wgs84).unwrap();
        let area = geofence::atlas::Area {
            id: AREA,
            data_version: 1,
            ring,
            span: Span::EVER,
            opened_at: Some(Span::EVER.from),
        };
        let fence = Fence {
            id: drawing.fence_id,
            data_version: 1,
            area: AREA,
            shape: drawing.shape.clone(),
            rule: drawing.rule.clone(),
            span: Span::EVER,
        };
        Atlas::new(vec![area], vec![fence])
    }

    fn stay(from_min: i64, until_min: Option<i64>) -> Stood {
        let at = |minutes: i64| START.plus_millis(minutes * 60_000);
        let place = Wgs84::new(24.1, 118.1).unwrap();
        Stood {
            stopped: Stopped { at: at(from_min), place, hdop: Some(0.0) },
            until: until_min.map(at),
            left: true,
        }
    }

    #[test]
    fn who_stood_there_at_the_time_fills_a_smaller_place() {
        // One stands there from before; the second leaves before the third comes, and the fourth finds two.
        let stays = vec![stay(40, None), stay(30, Some(90)), stay(10, Some(20)), stay(-60, None)];
        let (now, then) = (drawing(9), drawing(2));
        let preview = judged(stays.clone(), START, &then, &atlas(&now), &atlas(&then));
        assert_eq!((preview.before, preview.after), ([3, 0, 0, 0, 0], [2, 1, 0, 0, 0]));
        assert_eq!(preview.shifted.len(), 1);
        let roomy = judged(stays, START, &now, &atlas(&then), &atlas(&now));
        assert_eq!((roomy.before, roomy.after), ([2, 1, 0, 0, 0], [3, 0, 0, 0, 0]));
    }
}
