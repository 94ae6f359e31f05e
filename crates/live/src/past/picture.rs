//! What is kept of the fleet, and the picture that it makes again. Pure.

use std::collections::{BTreeMap, HashMap};

use vocabulary::{AgentId, AreaId};

use crate::fleet::Shown;
use crate::push::frame::{BikeRecord, bit};
use crate::report::Place;

/// A bike that stands is said to stand where it was, as long as its fixes wander no farther; metres.
const STANDING_M: f64 = 8.0;

/// Whose a bike is: an agent's, in one of his areas.
pub(super) type Territory = (AgentId, AreaId);
/// Records by territory.
pub(super) type Frame = BTreeMap<Territory, Vec<BikeRecord>>;

/// The fleet as it was kept last: each bike by the number that stored rows have for it.
#[derive(Debug, Default)]
pub(super) struct Kept(HashMap<u32, (Territory, BikeRecord)>);

impl Kept {
    /// What of the fleet of now is to be kept: all of it when a chapter begins, otherwise what differs from what was kept.
    pub(super) fn frame(&mut self, fleet: &[(Territory, BikeRecord)], whole: bool) -> Frame {
        let mut frame = Frame::new();
        let mut now = HashMap::with_capacity(fleet.len());
        for (territory, bike) in fleet {
            let before = self.0.remove(&bike.slot);
            let kept = match before {
                Some((where_it_was, before)) if !whole => {
                    if where_it_was != *territory {
                        frame.entry(where_it_was).or_default().push(before.gone());
                    }
                    if where_it_was == *territory && !differs(&before, bike) { before } else { *bike }
                }
                _ => *bike,
            };
            if whole || before.is_none_or(|(before, record)| before != *territory || record != kept) {
                frame.entry(*territory).or_default().push(kept);
            }
            now.insert(bike.slot, (*territory, kept));
        }
        if !whole {
            for (territory, bike) in self.0.values() {
                frame.entry(*territory).or_default().push(bike.gone());
            }
        }
        self.0 = now;
        frame
    }
}

fn place(bike: &BikeRecord) -> Place {
    Place { lat_e7: bike.lat_e6.saturating_mul(10), lng_e7: bike.lng_e6.saturating_mul(10) }
}

/// Whether a map would show it otherwise.
fn differs(before: &BikeRecord, now: &BikeRecord) -> bool {
    let moves = |bike: &BikeRecord| bike.state & bit::MOVING != 0 || bike.state & 0x0f == Shown::Riding as u8;
    if before.state != now.state || before.soc_percent != now.soc_percent {
        return true;
    }
    let same_place = (before.lat_e6, before.lng_e6) == (now.lat_e6, now.lng_e6);
    if moves(now) { !same_place } else { !same_place && place(before).distance_m(place(now)) > STANDING_M }
}

/// The fleet at a moment, made of frames in order of time.
#[derive(Debug, Default)]
pub(super) struct Picture(BTreeMap<u32, BikeRecord>);

impl Picture {
    /// Takes a frame in.
    pub(super) fn take(&mut self, records: &[BikeRecord]) {
        for bike in records {
            if bike.state & bit::GONE == 0 {
                self.0.insert(bike.slot, *bike);
            } else {
                self.0.remove(&bike.slot);
            }
        }
    }

    /// Every bike, by its number.
    pub(super) fn bikes(self) -> Vec<BikeRecord> {
        self.0.into_values().collect()
    }
}

/// What changed, made of frames in order of time: the last record of each bike, those that went with the mark of it.
pub(super) fn changes(frames: &[Vec<BikeRecord>]) -> Vec<BikeRecord> {
    let last: BTreeMap<u32, BikeRecord> = frames.iter().flatten().map(|bike| (bike.slot, *bike)).collect();
    last.into_values().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HERE: Territory = (AgentId(1), AreaId(10));
    const THERE: Territory = (AgentId(1), AreaId(11));

    fn bike(slot: u32, lat_e6: i32, state: Shown, soc_percent: u8) -> BikeRecord {
        let state = state as u8;
        BikeRecord { slot, lat_e6, lng_e6: 118_000_000, soc_percent, state, speed_kmh: 0, heading_half: 0 }
    }

    #[test]
    fn a_bike_that_stands_is_kept_when_something_changed() {
        let mut kept = Kept::default();
        let stands = bike(1, 24_500_000, Shown::Rentable, 80);
        assert_eq!(kept.frame(&[(HERE, stands)], true)[&HERE], [stands]);
        // Its fixes wander by some metres; the sum of them is no way.
        for step in 1..20 {
            let wandered = bike(1, 24_500_000 + step % 3 * 30, Shown::Rentable, 80);
            assert!(kept.frame(&[(HERE, wandered)], false).is_empty());
        }
        let carried = bike(1, 24_500_200, Shown::Rentable, 80);
        assert_eq!(kept.frame(&[(HERE, carried)], false)[&HERE], [carried]);
        let lower = BikeRecord { soc_percent: 79, ..carried };
        assert_eq!(kept.frame(&[(HERE, lower)], false)[&HERE], [lower]);
    }

    #[test]
    fn a_ridden_bike_is_kept_at_each_step() {
        let mut kept = Kept::default();
        let ridden = bike(1, 24_500_000, Shown::Riding, 80);
        kept.frame(&[(HERE, ridden)], true);
        let next = bike(1, 24_500_010, Shown::Riding, 80);
        assert_eq!(kept.frame(&[(HERE, next)], false)[&HERE], [next]);
        assert!(kept.frame(&[(HERE, next)], false).is_empty());
    }

    #[test]
    fn a_bike_that_goes_elsewhere_is_gone_where_it_was() {
        let mut kept = Kept::default();
        let one = bike(1, 24_500_000, Shown::Rentable, 80);
        kept.frame(&[(HERE, one)], true);
        let frame = kept.frame(&[(THERE, one)], false);
        assert_eq!((&*frame[&HERE], &*frame[&THERE]), (&[one.gone()][..], &[one][..]));
        assert_eq!(kept.frame(&[], false)[&THERE], [one.gone()]);
        assert!(kept.frame(&[], false).is_empty());
    }

    fn any_fleet() -> impl Strategy<Value = Vec<(Territory, BikeRecord)>> {
        let one = (0..12_u32, prop::bool::ANY, 0..60_i32, 0..4_u8, 70..74_u8);
        prop::collection::vec(one, 0..10).prop_map(|all| {
            let states = [Shown::Rentable, Shown::Riding, Shown::LowBattery, Shown::Silent];
            let made = all.into_iter().map(|(slot, here, step, state, soc)| {
                let bike = bike(slot, 24_500_000 + step * 20, states[usize::from(state)], soc);
                (slot, (if here { HERE } else { THERE }, bike))
            });
            made.collect::<BTreeMap<_, _>>().into_values().collect()
        })
    }

    proptest! {
        /// Whoever reads all frames, from a whole one on, sees every bike where it was, within what standing bikes wander.
        #[test]
        fn frames_make_the_fleet_again(fleets in prop::collection::vec(any_fleet(), 1..12), whole_at in 0..6_usize) {
            let mut kept = Kept::default();
            let mut picture = BTreeMap::from([(HERE, Picture::default()), (THERE, Picture::default())]);
            for (number, fleet) in fleets.iter().enumerate() {
                let whole = number == 0 || number == whole_at;
                if whole {
                    picture = BTreeMap::from([(HERE, Picture::default()), (THERE, Picture::default())]);
                }
                for (territory, records) in kept.frame(fleet, whole) {
                    picture.get_mut(&territory).unwrap().take(&records);
                }
                for (territory, seen) in &picture {
                    let there: BTreeMap<u32, BikeRecord> = fleet
                        .iter().filter(|(of, _)| of == territory).map(|(_, bike)| (bike.slot, *bike)).collect();
                    prop_assert_eq!(seen.0.keys().collect::<Vec<_>>(), there.keys().collect::<Vec<_>>());
                    for (slot, bike) in &seen.0 {
                        let truth = &there[slot];
                        prop_assert_eq!((bike.state, bike.soc_percent), (truth.state, truth.soc_percent));
                        prop_assert!(place(bike).distance_m(place(truth)) <= STANDING_M);
                    }
                }
            }
        }
    }
}
