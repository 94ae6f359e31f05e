//! Lists: what they are cut down to, how they are sorted, their pages, counts and walks, each said once.
//!
//! The caller's scope stands in each statement as a condition of its own, so that indexes serve it; the row-level policy
//! beneath is the net. Text conditions are written so that an index can serve them as the role that reads.

mod cursor;
mod page;
mod statement;

use sqlx::{Postgres, QueryBuilder};
use vocabulary::{AreaId, Reach, Scope};

pub use self::cursor::NotACursor;
use crate::rows;

/// A choice among more values than this is not looked up value by value.
const MERGED_MAX: usize = 32;

/// A keyword has at most so many characters; the rest is not looked at.
const KEYWORD_MAX: usize = 50;

/// The pattern of `like` for rows that have `typed` somewhere in a column, for conditions of the code's own.
pub fn containing(typed: &str) -> String {
    rows::containing(typed, KEYWORD_MAX)
}

/// Cuts a statement of one's own down to what lies within `reach`, behind other conditions. Names come from the code only.
pub fn within<T: Ord + Copy>(
    query: &mut QueryBuilder<Postgres>,
    column: &str,
    reach: &Reach<T>,
    number: impl Fn(T) -> i64,
) {
    let Reach::Only(ids) = reach else { return };
    let ids: Vec<i64> = ids.iter().copied().map(number).collect();
    query.push(format!(" and {column} = any(")).push_bind(ids).push(")");
}

/// What a column is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A truth.
    Bool(bool),
    /// A number.
    Number(i64),
    /// Numbers.
    Numbers(Vec<i64>),
    /// A text.
    Text(String),
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Number(value)
    }
}

impl From<i16> for Value {
    fn from(value: i16) -> Self {
        Self::Number(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

/// SQL with a value between each two pieces.
#[derive(Clone, Debug, PartialEq)]
struct Condition {
    pieces: Vec<String>,
    values: Vec<Value>,
    /// Whether a choice is looked up value by value.
    merged: bool,
}

impl Condition {
    const fn new(pieces: Vec<String>, values: Vec<Value>) -> Self {
        Self { pieces, values, merged: true }
    }

    fn is(column: &str, value: Value) -> Self {
        Self::new(vec![format!("{column} = "), String::new()], vec![value])
    }

    /// The column and the few values that it may have, when that is what is asked.
    fn choice(&self) -> Option<(&str, &[i64])> {
        let column = self.pieces.first()?.strip_suffix(" = any(")?;
        match self.values.as_slice() {
            [Value::Numbers(few)] if self.merged && (2..=MERGED_MAX).contains(&few.len()) => {
                Some((column, few))
            }
            _ => None,
        }
    }
}

/// A list of rows, cut down and sorted. Names of columns and tables come from the code only.
#[derive(Clone, Debug)]
pub struct List {
    columns: &'static str,
    from: &'static str,
    found: Option<Found>,
    conditions: Vec<Condition>,
    /// Whether it is cut down to less than the scope.
    narrowed: bool,
    order: String,
    /// What the row before the page is sorted by.
    after: Option<Vec<i64>>,
}

/// Where a list's rows are found and sorted by themselves.
#[derive(Clone, Copy, Debug)]
struct Found {
    base: &'static str,
    key: &'static str,
    /// What the table is kept in partitions by.
    kept_by: Option<&'static str>,
}

/// A way to sort a list, by the name that queries have for it. `column` needs an index together with the key, and behind
/// each column by which a filter leaves many rows.
#[derive(Clone, Copy, Debug)]
pub struct Sort {
    /// Its name in queries.
    pub name: &'static str,
    /// What stands in `order by`.
    pub column: &'static str,
}

/// The list cannot be sorted by this.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("列表不能按 {0} 排序")]
pub struct NotASort(pub String);

impl List {
    /// `select columns from from`, newest first by `newest`, which ends with the key so that the order is total.
    pub fn new(columns: &'static str, from: &'static str, newest: &'static str) -> Self {
        Self {
            columns,
            from,
            found: None,
            conditions: Vec::new(),
            narrowed: false,
            order: newest.to_owned(),
            after: None,
        }
    }

    /// Rows are found and sorted in `base` alone, the first table of `from`; what else they show is joined to those of a page,
    /// by their `key`. Then indexes that hold what is asked for give a page without a look at other rows. Conditions
    /// and sorts name columns of `base` only.
    #[must_use]
    pub fn found_in(self, base: &'static str, key: &'static str) -> Self {
        debug_assert!(self.from.starts_with(base));
        Self { found: Some(Found { base, key, kept_by: None }), ..self }
    }

    /// The table of [`Self::found_in`] is kept in partitions by `column`: where rows are sorted by it, what else they show is
    /// looked up in the partition of each alone.
    #[must_use]
    pub fn kept_by(self, column: &'static str) -> Self {
        debug_assert!(self.found.is_some());
        Self { found: self.found.map(|found| Found { kept_by: Some(column), ..found }), ..self }
    }

    fn when(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self.narrowed = true;
        self
    }

    /// Rows of the scope's agents alone. The policy says the same; said here, the column's index serves it.
    #[must_use]
    pub fn of_agents(self, column: &str, scope: &Scope) -> Self {
        self.reached(column, &scope.agents, |agent| agent.0)
    }

    /// Rows of the scope's areas alone, for tables whose rows all lie in one.
    #[must_use]
    pub fn of_areas(self, column: &str, scope: &Scope) -> Self {
        self.reached(column, &scope.areas, |area| area.0)
    }

    fn reached<T: Ord + Copy>(self, column: &str, reach: &Reach<T>, number: impl Fn(T) -> i64) -> Self {
        let Reach::Only(ids) = reach else { return self };
        let ids: Vec<i64> = ids.iter().copied().map(number).collect();
        let narrowed = self.narrowed;
        let list = match ids.as_slice() {
            // One alone is compared by itself: then an index gives its rows in the list's order.
            [one] => self.is(column, Some(*one)),
            _ => self.any_of(column, ids),
        };
        Self { narrowed, ..list }
    }

    /// Rows whose `column` is `value`, if there is one.
    #[must_use]
    pub fn is<V: Into<Value>>(self, column: &str, value: Option<V>) -> Self {
        match value {
            Some(value) => self.when(Condition::is(column, value.into())),
            None => self,
        }
    }

    /// Rows of which the truth in `column` holds or does not, if either is asked for; written out, so that an index of the few
    /// serves it.
    #[must_use]
    pub fn holds(self, column: &str, wanted: Option<bool>) -> Self {
        match wanted {
            Some(true) => self.matching(&[column], vec![]),
            Some(false) => self.matching(&[&format!("not {column}")], vec![]),
            None => self,
        }
    }

    /// Rows whose `column` is one of `values`, if any are given.
    #[must_use]
    pub fn is_one_of(self, column: &str, values: Vec<i64>) -> Self {
        if values.is_empty() { self } else { self.any_of(column, values) }
    }

    /// Without values there are no rows.
    fn any_of(self, column: &str, mut values: Vec<i64>) -> Self {
        // Each once: what one value gives is read for each.
        values.sort_unstable();
        values.dedup();
        let pieces = vec![format!("{column} = any("), ")".to_owned()];
        self.when(Condition::new(pieces, vec![Value::Numbers(values)]))
    }

    /// Compares what was said of `column` before, instead of looking it up value by value: something narrower is asked for,
    /// whose rows an index gives in order.
    #[must_use]
    pub fn compared(mut self, column: &str) -> Self {
        let said = format!("{column} = any(");
        for condition in
            self.conditions.iter_mut().filter(|condition| condition.pieces.first() == Some(&said))
        {
            condition.merged = false;
        }
        self
    }

    /// Rows whose `column` lies between both, each if it is given and both included.
    #[must_use]
    pub fn between(self, column: &str, from: Option<i64>, until: Option<i64>) -> Self {
        let at = |sign: &str, value: i64| {
            Condition::new(vec![format!("{column} {sign} "), String::new()], vec![value.into()])
        };
        let list = match from {
            Some(from) => self.when(at(">=", from)),
            None => self,
        };
        match until {
            Some(until) => list.when(at("<=", until)),
            None => list,
        }
    }

    /// Rows that have `typed` somewhere in one of `columns`.
    #[must_use]
    pub fn contains(self, columns: &[&str], typed: Option<&str>) -> Self {
        let typed = typed.map(containing);
        self.any_column(columns, "like", typed)
    }

    /// Rows that have `typed` at the beginning of one of `columns`. By `^@`: `like` may not use an index under a policy.
    #[must_use]
    pub fn starts_with(self, columns: &[&str], typed: Option<&str>) -> Self {
        let typed = typed.map(|typed| typed.trim().chars().take(KEYWORD_MAX).collect());
        self.any_column(columns, "^@", typed)
    }

    /// Rows that have `area` among others in their array `column`, if one is given; none when the scope does not reach it.
    /// Without an index: under the policy no plan may use one on an array, and the scope's rows are few enough to be
    /// looked through (`migrations/0090_professions.sql`).
    #[must_use]
    pub fn with_area(self, column: &str, scope: &Scope, area: Option<AreaId>) -> Self {
        match area {
            Some(area) if scope.areas.contains(&area) => {
                let pieces = vec![String::new(), format!(" = any({column})")];
                self.when(Condition::new(pieces, vec![area.0.into()]))
            }
            Some(_) => self.when(Condition::new(vec!["false".to_owned()], Vec::new())),
            None => self,
        }
    }

    /// Rows for which a condition of the code's own holds: one of `values` stands between each two of its `pieces`.
    #[must_use]
    pub fn matching(self, pieces: &[&str], values: Vec<Value>) -> Self {
        debug_assert_eq!(pieces.len(), values.len() + 1);
        self.when(Condition::new(pieces.iter().map(|piece| (*piece).to_owned()).collect(), values))
    }

    fn any_column(self, columns: &[&str], operator: &str, typed: Option<String>) -> Self {
        let Some(typed) = typed else { return self };
        let mut pieces: Vec<String> =
            columns.iter().map(|column| format!(" or {column} {operator} ")).collect();
        if let Some(first) = pieces.first_mut() {
            *first = first.replacen(" or ", "(", 1);
        }
        pieces.push(")".to_owned());
        self.when(Condition::new(pieces, vec![Value::Text(typed); columns.len()]))
    }

    /// Sorted by one of `sorts`: `asked` is its name, with `-` before it from the highest down. `key` makes the order total.
    pub fn sorted(mut self, sorts: &[Sort], key: &str, asked: Option<&str>) -> Result<Self, NotASort> {
        let Some(asked) = asked else { return Ok(self) };
        let (name, direction) = asked.strip_prefix('-').map_or((asked, "asc"), |name| (name, "desc"));
        let sort = sorts.iter().find(|sort| sort.name == name).ok_or_else(|| NotASort(asked.to_owned()))?;
        self.order = format!("{} {direction}, {key} {direction}", sort.column);
        Ok(self)
    }
}

#[cfg(test)]
mod tests;
