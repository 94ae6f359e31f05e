//! What several places hold, held against each other. Pure.

use std::collections::BTreeMap;

use vocabulary::Timestamp;

use super::places::PlaceError;
use super::statement::Statement;
use super::verify::Finding;

/// A place has a new statement at the latest after this; until then it is on its way.
const ON_ITS_WAY_MS: i64 = 120_000;

/// What the places hold together.
#[derive(Debug, Default)]
pub struct Compared {
    /// One for each number, in order.
    pub statements: Vec<Statement>,
    /// Where the places differ.
    pub findings: Vec<Finding>,
}

/// Compares what was read of each place, by its name; the place that the signer writes first was read last.
pub fn compare(read: Vec<(String, Result<Vec<Statement>, PlaceError>)>, now: Timestamp) -> Compared {
    let mut compared = Compared::default();
    let mut together: BTreeMap<u64, Statement> = BTreeMap::new();
    let mut places = Vec::new();
    for (place, held) in read {
        match held {
            Ok(held) => {
                for statement in &held {
                    let number = statement.number();
                    let first = together.entry(number).or_insert_with(|| statement.clone());
                    if first != statement {
                        compared.findings.push(Finding::Differs { place: place.clone(), number });
                    }
                }
                places.push((place, held));
            }
            Err(error) => compared.findings.push(Finding::Unreadable { place, why: error.to_string() }),
        }
    }
    let last = together.last_key_value().map_or(0, |(number, _)| *number);
    for (first, last) in holes(together.keys().copied(), last) {
        compared.findings.push(Finding::Lost { first, last });
    }
    // The signer writes to the place that is read last first: what an earlier one had, each later one has.
    let mut seen = 0;
    for (place, held) in places {
        let has: Vec<u64> = held.iter().map(Statement::number).collect();
        let end = has.last().copied().unwrap_or(0);
        for (first, last) in holes(has.into_iter(), last) {
            let Some((_, oldest)) = together.range(first..=last).next() else { continue };
            let on_its_way =
                first > end.max(seen) && oldest.signed_at.millis() > now.millis() - ON_ITS_WAY_MS;
            if !on_its_way {
                compared.findings.push(Finding::Missing { place: place.clone(), first, last });
            }
        }
        seen = seen.max(end);
    }
    compared.statements = together.into_values().collect();
    compared
}

/// The stretches of `1..=last` that ascending `numbers` leave out.
fn holes(numbers: impl Iterator<Item = u64>, last: u64) -> Vec<(u64, u64)> {
    let mut holes = Vec::new();
    let mut next = 1;
    for number in numbers.chain([last + 1]) {
        if number > next {
            holes.push((next, number - 1));
        }
        next = number + 1;
    }
    holes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;
    use crate::log::statement::{CheckpointKey, Content};

    const AT: Timestamp = Timestamp::from_millis(1_000_000);

    fn row(count: i64) -> Vec<Statement> {
        let key = CheckpointKey::new(&[1; 32]);
        let mut row: Vec<Statement> = Vec::new();
        for n in 0..count {
            let content = Content::Restore { from: Position(n), to: Position(n), chain: [0; 32] };
            row.push(Statement::sign(&key, row.last(), content, AT));
        }
        row
    }

    fn found(places: &[(&str, &[Statement])], later_ms: i64) -> Vec<Finding> {
        let read = places.iter().map(|(place, held)| ((*place).to_owned(), Ok(held.to_vec()))).collect();
        compare(read, AT.plus_millis(later_ms)).findings
    }

    fn missing(place: &str, first: u64, last: u64) -> Finding {
        Finding::Missing { place: place.to_owned(), first, last }
    }

    #[test]
    fn what_one_place_lacks_is_told_and_what_is_on_its_way_is_not() {
        let row = row(5);
        assert_eq!(found(&[("a", &row), ("b", &row)], 0), []);
        assert_eq!(found(&[("b", &row[..3]), ("a", &row)], 60_000), []);
        assert_eq!(found(&[("b", &row[..3]), ("a", &row)], 600_000), [missing("b", 4, 5)]);
        assert_eq!(found(&[("a", &row), ("b", &row[..3])], 60_000), [missing("b", 4, 5)]);
        assert_eq!(found(&[("a", &row), ("b", &[])], 600_000), [missing("b", 1, 5)]);
        let holed = [row[0].clone(), row[4].clone()];
        assert_eq!(found(&[("a", &row), ("b", &holed)], 0), [missing("b", 2, 4)]);
    }

    #[test]
    fn what_no_place_has_is_lost_and_what_differs_is_named() {
        let row = row(5);
        let holed = [row[0].clone(), row[3].clone(), row[4].clone()];
        assert_eq!(found(&[("a", &holed), ("b", &holed)], 0), [Finding::Lost { first: 2, last: 3 }]);
        let mut other = row.clone();
        other[2].signed_at = Timestamp::from_millis(7);
        let differs = Finding::Differs { place: "b".to_owned(), number: 3 };
        assert_eq!(found(&[("a", &row), ("b", &other)], 0), [differs]);
        let read = vec![("a".to_owned(), Err(PlaceError::Occupied { place: "a".to_owned(), number: 1 }))];
        assert!(matches!(compare(read, AT).findings[..], [Finding::Unreadable { .. }]));
    }
}
