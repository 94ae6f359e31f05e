//! Places in a list: after which row a page begins, told by what that row is sorted by. Rows that come or go meanwhile
//! neither double nor hide others.

use sqlx::Row;
use sqlx::postgres::PgRow;

use super::List;

/// Numbers of a place are told apart by this.
const BETWEEN: char = '.';

/// The text names no place in this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("翻页位置不正确，请从第一页开始")]
pub struct NotACursor;

impl List {
    /// What comes after a place that a page of this list named. Its numbers of pages count from there.
    pub fn after(mut self, place: &str) -> Result<Self, NotACursor> {
        let numbers: Vec<i64> =
            place.split(BETWEEN).map(str::parse).collect::<Result<_, _>>().map_err(|_| NotACursor)?;
        if numbers.len() != self.order_keys().count() || self.sign().is_none() {
            return Err(NotACursor);
        }
        self.after = Some(numbers);
        Ok(self)
    }

    /// How what comes later compares; nothing where not all is sorted in one direction.
    pub(super) fn sign(&self) -> Option<&'static str> {
        let mut directions = self.order_keys().map(|(_, direction)| direction);
        let first = directions.next()?;
        let sign = match first {
            "desc" => "<",
            "asc" => ">",
            // An order of its own: its rows have no places.
            _ => return None,
        };
        directions.all(|direction| direction == first).then_some(sign)
    }

    /// The place behind `row`; nothing where it is not sorted by numbers alone.
    pub(super) fn place_of(&self, row: &PgRow) -> Option<String> {
        self.sign()?;
        let numbers = (0..self.order_keys().count()).map(|number| {
            let value: i64 = row.try_get(format!("list_key_{number}").as_str()).ok()?;
            Some(value.to_string())
        });
        Some(numbers.collect::<Option<Vec<_>>>()?.join(&BETWEEN.to_string()))
    }
}
