//! Riders who found no parking place where they wanted to go, and ask for one there now and then.

use std::collections::VecDeque;

use super::{Action, World};
use crate::geometry::Xy;
use crate::identity::stable_hash;

/// Of so many who leave a bike beside a street one asks.
const ONE_OF: u64 = 4;
/// Who is so near to what others asked for asks for the same, metres.
const SAME_WITHIN_M: f64 = 300.0;
/// Places asked for, and people who are still to ask, that are remembered.
const REMEMBERED: usize = 200;
/// Neighbours who want the same ask one after the other, so much later.
const LATER_MS: u64 = 120_000;
/// Added to a rider's number for each of his neighbours: people of their own.
const NEIGHBOUR: u64 = 300_000;
/// What they say.
const WORDS: [&str; 6] = [
    "上下班经常路过，附近没有停车点",
    "离最近的站点太远，走路要十多分钟",
    "地铁口人流大，希望增加停车点",
    "小区门口没有地方还车",
    "学校门口需要一个站点",
    "",
];

/// What a rider asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    /// Who.
    pub rider: u64,
    /// `[lng, lat]`, WGS-84.
    pub at: [f64; 2],
    /// The street.
    pub location: String,
    /// What he says.
    pub remark: &'static str,
    /// Photos that he takes there.
    pub photos: u32,
    /// Simulated time, epoch milliseconds.
    pub at_ms: i64,
}

/// What was asked for lately.
#[derive(Default)]
pub(super) struct Wished {
    places: VecDeque<Xy>,
    /// Neighbours who are still to ask.
    waiting: Vec<Wish>,
}

impl Wished {
    /// The place that who is `at` asks for: what others ask for near by, or his own.
    fn place(&mut self, at: Xy) -> Xy {
        let near = self.places.iter().copied().map(|place| (place.distance_m(at), place));
        let nearest = near.min_by(|(a, _), (b, _)| a.total_cmp(b)).filter(|(away, _)| *away <= SAME_WITHIN_M);
        if let Some((_, place)) = nearest {
            return place;
        }
        self.places.push_back(at);
        if self.places.len() > REMEMBERED {
            self.places.pop_front();
        }
        at
    }
}

impl World {
    /// Of those who leave a bike beside a street some ask for a parking place. Who does follows from his number alone, so
    /// that asking changes nothing else of what happens.
    pub(super) fn wishes_for_parking(&mut self, bike: u32, rider: u64, out: &mut Vec<Action>) {
        let dice = stable_hash(&format!("wish {} {rider}", self.city.seed));
        if !dice.is_multiple_of(ONE_OF) {
            return;
        }
        let dice = dice / ONE_OF;
        let spot = self.bikes[bike as usize].spot;
        let place = self.wished.place(spot.at);
        let by_steps = |part: u64| {
            let steps = |part: u64| (part % 17) as f64 - 8.0;
            self.city.degrees(place.moved(steps(part), steps(part / 17)))
        };
        let street = self.city.graph.edges[spot.edge as usize].street as usize;
        let name = self.city.graph.streets.get(street).map_or("", |(name, _)| name);
        let wish = Wish {
            rider,
            at: by_steps(dice),
            location: format!("{}{name}", self.city.name),
            remark: WORDS[(dice / 289) as usize % WORDS.len()],
            photos: (dice / 2_000 % 3) as u32 + 1,
            at_ms: self.now_ms,
        };
        for number in 1..=dice / 6_000 % 3 {
            let neighbour = Wish {
                rider: rider + number * NEIGHBOUR,
                at: by_steps(dice / (number + 1)),
                remark: "",
                photos: 0,
                at_ms: self.now_ms + (number * LATER_MS) as i64,
                ..wish.clone()
            };
            if self.wished.waiting.len() < REMEMBERED {
                self.wished.waiting.push(neighbour);
            }
        }
        self.tally.wishes += 1;
        out.push(Action::Wish(wish));
    }

    /// Neighbours whose time has come ask too.
    pub(super) fn neighbours_wish(&mut self, out: &mut Vec<Action>) {
        let now_ms = self.now_ms;
        let due = self.wished.waiting.extract_if(.., |wish| wish.at_ms <= now_ms);
        for wish in due {
            self.tally.wishes += 1;
            out.push(Action::Wish(wish));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_ask_for_the_same_place_and_others_for_their_own() {
        let mut wished = Wished::default();
        let at = |x: f64| Xy { x, y: 0.0 };
        assert_eq!(wished.place(at(0.0)), at(0.0));
        assert_eq!(wished.place(at(299.0)), at(0.0));
        assert_eq!(wished.place(at(301.0)), at(301.0));
        for far in 1..=REMEMBERED {
            wished.place(at(far as f64 * 1_000.0));
        }
        assert_eq!(wished.places.len(), REMEMBERED);
    }
}
