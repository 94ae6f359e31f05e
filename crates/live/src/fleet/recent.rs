//! The last fixes of a bike and their median, which a single wild one cannot move.

use crate::report::Place;

const KEPT: usize = 5;
/// Fewer fixes than this prove nothing.
const ENOUGH: u8 = 3;

/// Up to five fixes, newest last.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recent {
    fixes: [Place; KEPT],
    len: u8,
}

impl Recent {
    /// Takes a fix in; the oldest of five leaves.
    pub fn push(&mut self, place: Place) {
        if usize::from(self.len) == KEPT {
            self.fixes.rotate_left(1);
            self.fixes[KEPT - 1] = place;
        } else {
            self.fixes[usize::from(self.len)] = place;
            self.len += 1;
        }
    }

    /// Median of each coordinate, when there are enough fixes.
    pub fn median(&self) -> Option<Place> {
        if self.len < ENOUGH {
            return None;
        }
        let known = &self.fixes[..usize::from(self.len)];
        let middle = |of: fn(&Place) -> i32| {
            let mut values = [0; KEPT];
            for (value, place) in values.iter_mut().zip(known) {
                *value = of(place);
            }
            let values = &mut values[..known.len()];
            values.sort_unstable();
            values[known.len() / 2]
        };
        Some(Place { lat_e7: middle(|place| place.lat_e7), lng_e7: middle(|place| place.lng_e7) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wild_fix_does_not_move_the_median() {
        let mut recent = Recent::default();
        let here = Place { lat_e7: 300_000_000, lng_e7: 1_200_000_000 };
        for place in [here, here, Place { lat_e7: 310_000_000, lng_e7: 1 }, here, here, here] {
            recent.push(place);
        }
        assert_eq!(recent.median(), Some(here));
    }

    #[test]
    fn two_fixes_prove_nothing() {
        let mut recent = Recent::default();
        recent.push(Place::default());
        recent.push(Place::default());
        assert_eq!(recent.median(), None);
    }
}
