//! The number of what counts in an area (围栏版本号).

/// Reports carry so many numbers; 0 is what a device tells that holds nothing.
const MARKS: i64 = 0xFFFF;

/// The number after so many turns of an area: beginnings and ends of its edges and of the versions of its fences. A turn
/// never un-happens, so the number only grows, and whoever counts the same log gets the same. Its low 16 bits are never
/// 0. Nothing before the first turn.
pub const fn edition(turns: i64) -> Option<i64> {
    if turns < 1 { None } else { Some(turns + (turns - 1) / MARKS) }
}

/// What a device that holds this edition says in its reports: its low 16 bits.
pub const fn mark(edition: i64) -> u16 {
    (edition & 0xFFFF) as u16
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_turn_makes_the_first_edition_and_no_mark_is_that_of_an_empty_device() {
        assert_eq!([0, 1, 2, 65_535].map(edition), [None, Some(1), Some(2), Some(65_535)]);
        assert_eq!(edition(65_536), Some(65_537));
        assert_eq!(mark(65_537), 1);
    }

    proptest! {
        #[test]
        fn each_turn_makes_a_higher_edition_with_another_mark(turns in 1..10_000_000_i64) {
            let (this, next) = (edition(turns).unwrap(), edition(turns + 1).unwrap());
            prop_assert!(next > this);
            prop_assert!(mark(this) != 0 && mark(this) != mark(next));
        }
    }
}
