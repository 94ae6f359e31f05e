//! Which bikes the holders of a role see.

use vocabulary::{CarView, Cars};

use super::RoleRefusal;
use crate::model::authority::Authority;

/// A role names at most so many ranges of bike numbers.
pub const RANGES_MAX: usize = 20;
/// And so many voltage schemes.
pub const SCHEMES_MAX: usize = 20;
/// A bike's number has at most so many characters.
const NUMBER_MAX: usize = 40;
/// How the riding states are called that a role may name, from 1 on.
pub const RIDING_STATES: [&str; 5] = ["待使用", "骑行中", "临停", "预约中", "运维中"];

/// How a riding state is called.
pub fn riding_state(state: u8) -> Option<&'static str> {
    RIDING_STATES.get(usize::from(state).checked_sub(1)?).copied()
}

/// The view in its order, when all of it may stand.
pub(super) fn checked(mut view: CarView) -> Result<CarView, RoleRefusal> {
    if view.ranges.len() > RANGES_MAX {
        return Err(RoleRefusal::TooManyRanges);
    }
    for range in &mut view.ranges {
        range.from = range.from.trim().to_owned();
        range.to = range.to.trim().to_owned();
        if !(is_number(&range.from) && is_number(&range.to) && range.contains(&range.from)) {
            return Err(RoleRefusal::BadRange(format!("{}–{}", range.from, range.to)));
        }
    }
    if !view.riding_states.iter().all(|state| riding_state(*state).is_some()) {
        return Err(RoleRefusal::BadRidingState);
    }
    if view.voltage_schemes.len() > SCHEMES_MAX {
        return Err(RoleRefusal::TooManySchemes);
    }
    view.ranges.sort_unstable();
    view.ranges.dedup();
    Ok(view)
}

fn is_number(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=NUMBER_MAX).contains(&text.len()) && text.bytes().all(allowed)
}

/// Whether who asks sees all that the view shows.
pub(super) fn is_within(view: &CarView, by: &Authority) -> bool {
    by.scope.cars.covers(&Cars::NONE.and(view))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vocabulary::{CarRange, VoltageSchemeId};

    fn of(from: &str, to: &str) -> CarView {
        CarView { ranges: vec![CarRange { from: from.to_owned(), to: to.to_owned() }], ..CarView::default() }
    }

    #[test]
    fn a_range_is_two_numbers_of_one_length_in_order() {
        assert_eq!(checked(of(" A100", "A199 ")), Ok(of("A100", "A199")));
        assert_eq!(checked(of("A1", "A1")), Ok(of("A1", "A1")));
        for (from, to) in
            [("A100", "A1999"), ("A200", "A100"), ("", ""), ("A1", ""), ("京1", "京2"), ("A'", "B'")]
        {
            assert!(matches!(checked(of(from, to)), Err(RoleRefusal::BadRange(_))), "{from} {to}");
        }
        let (long, longer) = ("9".repeat(40), "9".repeat(41));
        assert!(checked(of(&long, &long)).is_ok() && checked(of(&longer, &longer)).is_err());
    }

    #[test]
    fn ranges_states_and_schemes_are_bounded() {
        let ranges = |count: usize| CarView {
            ranges: (0..count).map(|n| CarRange { from: format!("{n:03}"), to: format!("{n:03}") }).collect(),
            ..CarView::default()
        };
        assert!(checked(ranges(20)).is_ok());
        assert_eq!(checked(ranges(21)), Err(RoleRefusal::TooManyRanges));
        for (state, stands) in [(0, false), (1, true), (5, true), (6, false)] {
            let view = CarView { riding_states: [state].into(), ..CarView::default() };
            assert_eq!(checked(view).is_ok(), stands, "{state}");
        }
        let schemes = |count: i64| CarView {
            voltage_schemes: (1..=count).map(VoltageSchemeId).collect(),
            ..CarView::default()
        };
        assert!(checked(schemes(20)).is_ok());
        assert_eq!(checked(schemes(21)), Err(RoleRefusal::TooManySchemes));
    }
}
