//! Statements of a list. Each is three parts: rows are found and sorted, a page is cut out, and what else it shows is joined.

use sqlx::{Postgres, QueryBuilder};
use vocabulary::Page;

use super::{Condition, List, Value};

/// So many ordered streams of rows are merged at most.
const BRANCHES_MAX: usize = 64;

/// Conditions in the place of others, by their number.
type Chosen = Vec<(usize, Condition)>;

impl List {
    pub(super) fn put_conditions(&self, query: &mut QueryBuilder<Postgres>) {
        self.put_conditions_but(query, &[]);
    }

    fn put_conditions_but(&self, query: &mut QueryBuilder<Postgres>, chosen: &[(usize, Condition)]) {
        for (number, condition) in self.conditions.iter().enumerate() {
            query.push(if number == 0 { " where " } else { " and " });
            let other = chosen.iter().find_map(|(place, other)| (*place == number).then_some(other));
            let condition = other.unwrap_or(condition);
            for (place, piece) in condition.pieces.iter().enumerate() {
                query.push(piece);
                match condition.values.get(place).cloned() {
                    Some(Value::Bool(value)) => drop(query.push_bind(value)),
                    Some(Value::Number(value)) => drop(query.push_bind(value)),
                    Some(Value::Numbers(values)) => drop(query.push_bind(values)),
                    Some(Value::Text(value)) => drop(query.push_bind(value)),
                    None => {}
                }
            }
        }
    }

    /// The conditions, and that the row comes after the page before.
    fn put_place(&self, query: &mut QueryBuilder<Postgres>, chosen: &[(usize, Condition)]) {
        self.put_conditions_but(query, chosen);
        let (Some(after), Some(sign)) = (&self.after, self.sign()) else { return };
        query.push(if self.conditions.is_empty() { " where (" } else { " and (" });
        let keys: Vec<&str> = self.order_keys().map(|(key, _)| key).collect();
        query.push(keys.join(", ")).push(") ").push(sign).push(" (");
        for (number, value) in after.iter().enumerate() {
            query.push(if number == 0 { "" } else { ", " }).push_bind(*value);
        }
        query.push(")");
    }

    /// What a row is sorted by, each with its direction.
    pub(super) fn order_keys(&self) -> impl Iterator<Item = (&str, &str)> {
        self.order.split(", ").map(|key| key.split_once(' ').unwrap_or((key, "asc")))
    }

    pub(super) fn source(&self) -> &'static str {
        self.found.map_or(self.from, |found| found.base)
    }

    /// What is taken of a row that is found: all of it, or its key alone, and what it is sorted by.
    fn picked(&self) -> String {
        let first = match self.found {
            Some(found) => format!("{} as list_row", found.key),
            None => self.columns.to_owned(),
        };
        let keys = self.order_keys().enumerate();
        keys.fold(first, |all, (number, (key, _))| format!("{all}, {key} as list_key_{number}"))
    }

    /// The order of rows that were found, by the names of what they are sorted by.
    fn order_found(&self, of: &str) -> String {
        let keys = self.order_keys().enumerate();
        let keys: Vec<String> =
            keys.map(|(number, (_, direction))| format!("{of}list_key_{number} {direction}")).collect();
        keys.join(", ")
    }

    /// A statement around what `find` pushes: rows that were found, sorted and cut.
    fn showing(&self, find: impl FnOnce(&mut QueryBuilder<Postgres>)) -> QueryBuilder<Postgres> {
        let Some(found) = self.found else {
            let mut query = QueryBuilder::new("");
            find(&mut query);
            return query;
        };
        let keys: Vec<String> =
            self.order_keys().enumerate().map(|(number, _)| format!("list_page.list_key_{number}")).collect();
        let mut query = QueryBuilder::new(format!("select {}, {} from (", self.columns, keys.join(", ")));
        find(&mut query);
        let others = &self.from[found.base.len()..];
        let place = self.order_keys().position(|(key, _)| Some(key) == found.kept_by);
        let partition =
            place.zip(found.kept_by).map(|(n, column)| format!(" and {column} = list_page.list_key_{n}"));
        query.push(format!(
            ") list_page join {} on {} = list_page.list_row{}{others} order by {}",
            found.base,
            found.key,
            partition.unwrap_or_default(),
            self.order_found("list_page.")
        ));
        query
    }

    /// Rows as they come in the list's order.
    pub(super) fn select(&self, cut: Cut) -> QueryBuilder<Postgres> {
        self.showing(|query| {
            query.push(format!("select {} from {}", self.picked(), self.source()));
            self.put_place(query, &[]);
            query.push(format!(" order by {}", self.order));
            cut.push(query);
        })
    }

    /// The values of choices, one of each in the place of the choice; nothing where there is no choice among few values. What was
    /// asked for leaves fewer rows than what the scope says, which is said first: where not all can be looked up, it is.
    fn branches(&self) -> Option<Vec<Chosen>> {
        let mut branches: Vec<Chosen> = vec![Vec::new()];
        for (place, condition) in self.conditions.iter().enumerate().rev() {
            let Some((column, few)) = condition.choice() else { continue };
            if branches.len() * few.len() > BRANCHES_MAX {
                continue;
            }
            let with = |chosen: &Chosen, value: i64| {
                let mut chosen = chosen.clone();
                chosen.push((place, Condition::is(column, value.into())));
                chosen
            };
            branches = branches
                .iter()
                .flat_map(|chosen| few.iter().map(move |value| with(chosen, *value)))
                .collect();
        }
        (branches.len() > 1).then_some(branches)
    }

    /// The same rows, taken of each value of a choice in the list's order and merged: an index of the column and the order
    /// then serves each, where for the choice as a whole none gives rows in order. Nothing where there is no choice
    /// among few values.
    pub(super) fn select_merged(&self, cut: Cut) -> Option<QueryBuilder<Postgres>> {
        let branches = self.branches()?;
        Some(self.showing(|query| {
            query.push("select * from (");
            for (number, chosen) in branches.iter().enumerate() {
                query.push(if number == 0 { "(" } else { " union all (" });
                query.push(format!("select {} from {}", self.picked(), self.source()));
                self.put_place(query, chosen);
                query.push(format!(" order by {} limit ", self.order));
                query.push_bind(cut.offset + cut.limit).push(")");
            }
            query.push(format!(") merged order by {}", self.order_found("")));
            cut.push(query);
        }))
    }

    /// All that match, found before they are sorted and a page is cut out. Without this the planner walks the whole order in
    /// the hope to meet a page of them soon.
    pub(super) fn select_of_few(&self, cut: Cut) -> QueryBuilder<Postgres> {
        self.showing(|query| {
            query.push(format!(
                "with matching as materialized (select {} from {}",
                self.picked(),
                self.source()
            ));
            self.put_place(query, &[]);
            query.push(format!(") select * from matching order by {}", self.order_found("")));
            cut.push(query);
        })
    }

    /// How many rows match, not beyond `most`.
    pub(super) fn select_count(&self, most: i64) -> QueryBuilder<Postgres> {
        let mut query = QueryBuilder::new(format!("select count(*) from (select from {}", self.source()));
        self.put_conditions(&mut query);
        query.push(" limit ").push_bind(most).push(") matching");
        query
    }
}

/// Which rows of those that match.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    pub limit: i64,
    pub offset: i64,
}

impl Cut {
    /// Those of a page, and one more where there is one.
    pub(super) fn of(page: Page) -> Self {
        Self { limit: page.limit() + 1, offset: page.offset() }
    }

    fn push(self, query: &mut QueryBuilder<Postgres>) {
        query.push(" limit ").push_bind(self.limit);
        if self.offset > 0 {
            query.push(" offset ").push_bind(self.offset);
        }
    }
}
