//! Which bikes somebody may see, by number, by what becomes of them and by what tells of their batteries.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::VoltageSchemeId;

/// Bikes that may be seen. Several views together show what any of them shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cars {
    /// Every one.
    #[default]
    All,
    /// What one of these shows; of none: nothing.
    Seen(Vec<CarView>),
}

/// What one role lets its holders see.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CarView {
    /// Numbers; none: every number.
    #[serde(default)]
    pub ranges: Vec<CarRange>,
    /// Riding states (0 to 15) in which a bike is shown live; none: every state.
    #[serde(default)]
    pub riding_states: BTreeSet<u8>,
    /// Voltage schemes of which a bike has one where it is shown live; none: every bike, and those without a scheme.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub voltage_schemes: BTreeSet<VoltageSchemeId>,
}

/// Bike numbers between two of the same length, compared character by character, both included.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CarRange {
    /// The first.
    pub from: String,
    /// The last.
    pub to: String,
}

impl CarRange {
    /// Whether a number is within.
    pub fn contains(&self, car_id: &str) -> bool {
        [&self.from, &self.to].iter().all(|end| end.len() == car_id.len())
            && self.from.as_str() <= car_id
            && car_id <= self.to.as_str()
    }

    /// Whether everything in `other` is within.
    fn covers(&self, other: &Self) -> bool {
        self.contains(&other.from) && self.contains(&other.to)
    }
}

impl CarView {
    /// Whether it lets every bike be seen at any time.
    pub fn is_everything(&self) -> bool {
        self.ranges.is_empty() && self.riding_states.is_empty() && self.voltage_schemes.is_empty()
    }

    fn has(&self, car_id: &str) -> bool {
        self.ranges.is_empty() || self.ranges.iter().any(|range| range.contains(car_id))
    }

    fn shows(&self, car_id: &str, riding_state: u8, scheme: Option<VoltageSchemeId>) -> bool {
        (self.riding_states.is_empty() || self.riding_states.contains(&riding_state))
            && (self.voltage_schemes.is_empty()
                || scheme.is_some_and(|it| self.voltage_schemes.contains(&it)))
            && self.has(car_id)
    }

    fn covers(&self, other: &Self) -> bool {
        let within = |range: &CarRange| self.ranges.iter().any(|own| own.covers(range));
        let numbers = self.ranges.is_empty() || !other.ranges.is_empty() && other.ranges.iter().all(within);
        numbers
            && is_within(&other.riding_states, &self.riding_states)
            && is_within(&other.voltage_schemes, &self.voltage_schemes)
    }

    /// What both show, unless that is nothing.
    fn intersect(&self, other: &Self) -> Option<Self> {
        let ranges = match (self.ranges.as_slice(), other.ranges.as_slice()) {
            ([], ranges) | (ranges, []) => ranges.to_vec(),
            (own, others) => {
                let met = own.iter().flat_map(|left| others.iter().filter_map(|right| meet(left, right)));
                Some(met.collect::<Vec<_>>()).filter(|met| !met.is_empty())?
            }
        };
        let riding_states = in_both(&self.riding_states, &other.riding_states)?;
        let voltage_schemes = in_both(&self.voltage_schemes, &other.voltage_schemes)?;
        Some(Self { ranges, riding_states, voltage_schemes })
    }
}

/// Whether everything that `inner` lets through `outer` does; none lets everything through.
fn is_within<T: Ord>(inner: &BTreeSet<T>, outer: &BTreeSet<T>) -> bool {
    outer.is_empty() || !inner.is_empty() && inner.is_subset(outer)
}

/// What both let through, unless that is nothing.
fn in_both<T: Ord + Clone>(left: &BTreeSet<T>, right: &BTreeSet<T>) -> Option<BTreeSet<T>> {
    match (left.is_empty(), right.is_empty()) {
        (true, _) => Some(right.clone()),
        (_, true) => Some(left.clone()),
        _ => Some(left & right).filter(|both| !both.is_empty()),
    }
}

fn meet(left: &CarRange, right: &CarRange) -> Option<CarRange> {
    let from = left.from.clone().max(right.from.clone());
    let to = left.to.clone().min(right.to.clone());
    (left.from.len() == right.from.len() && from <= to).then_some(CarRange { from, to })
}

impl Cars {
    /// None at all.
    pub const NONE: Self = Self::Seen(Vec::new());

    /// Whether nothing is kept from sight.
    pub fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }

    /// Whether a bike of this number may be seen at all.
    pub fn has(&self, car_id: &str) -> bool {
        match self {
            Self::All => true,
            Self::Seen(views) => views.iter().any(|view| view.has(car_id)),
        }
    }

    /// Whether it is shown while it is in this riding state and has this voltage scheme.
    pub fn shows(&self, car_id: &str, riding_state: u8, scheme: Option<VoltageSchemeId>) -> bool {
        match self {
            Self::All => true,
            Self::Seen(views) => views.iter().any(|view| view.shows(car_id, riding_state, scheme)),
        }
    }

    /// The numbers that may be seen; `None`: every number.
    pub fn ranges(&self) -> Option<Vec<&CarRange>> {
        match self {
            Self::All => None,
            Self::Seen(views) if views.iter().any(|view| view.ranges.is_empty()) => None,
            Self::Seen(views) => Some(views.iter().flat_map(|view| &view.ranges).collect()),
        }
    }

    /// With what `view` shows.
    #[must_use]
    pub fn and(self, view: &CarView) -> Self {
        match self {
            Self::Seen(mut views) if !view.is_everything() => {
                if !views.contains(view) {
                    views.push(view.clone());
                }
                Self::Seen(views)
            }
            _ => Self::All,
        }
    }

    /// Whether whoever sees `other` sees nothing beyond this. Each view of it is held against each of these alone.
    pub fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::All, _) => true,
            (Self::Seen(own), Self::All) => own.iter().any(CarView::is_everything),
            (Self::Seen(own), Self::Seen(asked)) => {
                asked.iter().all(|view| own.iter().any(|one| one.covers(view)))
            }
        }
    }

    /// What either shows.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, _) | (_, Self::All) => Self::All,
            (Self::Seen(_), Self::Seen(others)) => others.iter().fold(self.clone(), Self::and),
        }
    }

    /// What both show.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, rest) | (rest, Self::All) => rest.clone(),
            (Self::Seen(own), Self::Seen(others)) => Self::Seen(
                own.iter().flat_map(|left| others.iter().filter_map(|right| left.intersect(right))).collect(),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(ranges: &[(&str, &str)], states: &[u8]) -> CarView {
        let range = |(from, to): &(&str, &str)| CarRange { from: (*from).to_owned(), to: (*to).to_owned() };
        CarView {
            ranges: ranges.iter().map(range).collect(),
            riding_states: states.iter().copied().collect(),
            ..CarView::default()
        }
    }

    fn of_schemes(schemes: &[i64]) -> CarView {
        let voltage_schemes = schemes.iter().copied().map(VoltageSchemeId).collect();
        CarView { voltage_schemes, ..CarView::default() }
    }

    #[test]
    fn numbers_of_another_length_are_outside() {
        let cars = Cars::NONE.and(&view(&[("A100", "A199"), ("7", "9")], &[]));
        for (car_id, has) in [
            ("A100", true),
            ("A199", true),
            ("A200", false),
            ("A1500", false),
            ("A15", false),
            ("8", true),
            ("80", false),
        ] {
            assert_eq!(cars.has(car_id), has, "{car_id}");
        }
        assert_eq!(cars.ranges().map(|ranges| ranges.len()), Some(2));
    }

    #[test]
    fn a_state_hides_what_is_live_and_no_number() {
        let cars = Cars::NONE.and(&view(&[], &[1, 5]));
        assert!(cars.has("A1") && cars.shows("A1", 5, None) && !cars.shows("A1", 2, None));
        assert_eq!(cars.ranges(), None);
        assert!(!Cars::NONE.has("A1") && Cars::All.shows("A1", 2, None));
    }

    #[test]
    fn a_voltage_scheme_hides_bikes_of_others_and_those_without_one() {
        let cars = Cars::NONE.and(&of_schemes(&[7, 8]));
        let shown = |scheme: Option<i64>| cars.shows("A1", 1, scheme.map(VoltageSchemeId));
        assert_eq!([Some(7), Some(8), Some(9), None].map(shown), [true, true, false, false]);
        assert!(cars.has("A1") && !cars.is_all());
        assert!(cars.covers(&Cars::NONE.and(&of_schemes(&[8]))));
        assert!(
            !cars.covers(&Cars::NONE.and(&of_schemes(&[8, 9])))
                && !cars.covers(&Cars::NONE.and(&view(&[], &[1])))
        );
        assert_eq!(cars.intersect(&Cars::NONE.and(&of_schemes(&[8, 9]))), Cars::NONE.and(&of_schemes(&[8])));
        assert_eq!(cars.intersect(&Cars::NONE.and(&of_schemes(&[9]))), Cars::NONE);
    }

    #[test]
    fn several_roles_show_what_any_of_them_shows() {
        let cars = Cars::NONE.and(&view(&[("A1", "A3")], &[1])).and(&view(&[("A5", "A9")], &[2]));
        assert!(cars.shows("A2", 1, None) && cars.shows("A7", 2, None));
        assert!(!cars.shows("A2", 2, None) && !cars.shows("A4", 1, None));
        assert_eq!(cars.and(&view(&[], &[])), Cars::All);
    }

    #[test]
    fn nobody_hands_on_more_than_he_sees() {
        let own = Cars::NONE.and(&view(&[("A10", "A49")], &[1, 2]));
        for (asked, covered) in [
            (view(&[("A10", "A20"), ("A30", "A49")], &[1]), true),
            (view(&[("A10", "A50")], &[1]), false),
            (view(&[("A10", "A20")], &[]), false),
            (view(&[], &[1]), false),
            (view(&[("A10", "A20")], &[3]), false),
        ] {
            assert_eq!(own.covers(&Cars::NONE.and(&asked)), covered, "{asked:?}");
        }
        assert!(
            Cars::All.covers(&own) && own.covers(&own) && own.covers(&Cars::NONE) && !own.covers(&Cars::All)
        );
    }

    #[test]
    fn what_two_scopes_share_is_what_both_show() {
        let left = Cars::NONE.and(&view(&[("A10", "A49")], &[1, 2]));
        let right = Cars::NONE.and(&view(&[("A40", "A60")], &[2, 3])).and(&view(&[("B10", "B20")], &[]));
        assert_eq!(left.intersect(&right), Cars::NONE.and(&view(&[("A40", "A49")], &[2])));
        assert_eq!(left.intersect(&Cars::All), left);
        assert_eq!(left.join(&Cars::All), Cars::All);
    }
}
