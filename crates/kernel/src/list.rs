//! Lists: what they are cut down to, how they are sorted, their pages, counts and walks, each said once.
//!
//! The caller's scope stands in each statement as a condition of its own, so that indexes serve it; the row-level policy
//! beneath is the net. Text conditions are written so that an index can serve them as the role that reads.

use sqlx::postgres::PgRow;
use sqlx::{FromRow, PgConnection, Postgres, QueryBuilder};
use vocabulary::{AreaId, COUNT_CAP, Page, Reach, Rows, Scope};

use crate::rows;

/// A choice among more values than this is not looked up value by value.
const MERGED_MAX: usize = 8;

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
}

impl Condition {
    fn is(column: &str, value: Value) -> Self {
        Self { pieces: vec![format!("{column} = "), String::new()], values: vec![value] }
    }

    /// The column and the few values that it may have, when that is what is asked.
    fn choice(&self) -> Option<(&str, &[i64])> {
        let column = self.pieces.first()?.strip_suffix(" = any(")?;
        match self.values.as_slice() {
            [Value::Numbers(few)] if (2..=MERGED_MAX).contains(&few.len()) => Some((column, few)),
            _ => None,
        }
    }
}

/// A list of rows, cut down and sorted. Names of columns and tables come from the code only.
#[derive(Clone, Debug)]
pub struct List {
    columns: &'static str,
    from: &'static str,
    conditions: Vec<Condition>,
    /// Whether it is cut down to less than the scope.
    narrowed: bool,
    order: String,
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
        Self { columns, from, conditions: Vec::new(), narrowed: false, order: newest.to_owned() }
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
        self.when(Condition { pieces, values: vec![Value::Numbers(values)] })
    }

    /// Rows whose `column` lies between both, each if it is given and both included.
    #[must_use]
    pub fn between(self, column: &str, from: Option<i64>, until: Option<i64>) -> Self {
        let at = |sign: &str, value: i64| Condition {
            pieces: vec![format!("{column} {sign} "), String::new()],
            values: vec![value.into()],
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
                self.when(Condition { pieces, values: vec![area.0.into()] })
            }
            Some(_) => self.when(Condition { pieces: vec!["false".to_owned()], values: Vec::new() }),
            None => self,
        }
    }

    /// Rows for which a condition of the code's own holds: one of `values` stands between each two of its `pieces`.
    #[must_use]
    pub fn matching(self, pieces: &[&str], values: Vec<Value>) -> Self {
        debug_assert_eq!(pieces.len(), values.len() + 1);
        self.when(Condition { pieces: pieces.iter().map(|piece| (*piece).to_owned()).collect(), values })
    }

    fn any_column(self, columns: &[&str], operator: &str, typed: Option<String>) -> Self {
        let Some(typed) = typed else { return self };
        let mut pieces: Vec<String> =
            columns.iter().map(|column| format!(" or {column} {operator} ")).collect();
        if let Some(first) = pieces.first_mut() {
            *first = first.replacen(" or ", "(", 1);
        }
        pieces.push(")".to_owned());
        self.when(Condition { pieces, values: vec![Value::Text(typed); columns.len()] })
    }

    /// Sorted by one of `sorts`: `asked` is its name, with `-` before it from the highest down. `key` makes the order total.
    pub fn sorted(mut self, sorts: &[Sort], key: &str, asked: Option<&str>) -> Result<Self, NotASort> {
        let Some(asked) = asked else { return Ok(self) };
        let (name, direction) = asked.strip_prefix('-').map_or((asked, "asc"), |name| (name, "desc"));
        let sort = sorts.iter().find(|sort| sort.name == name).ok_or_else(|| NotASort(asked.to_owned()))?;
        self.order = format!("{} {direction}, {key} {direction}", sort.column);
        Ok(self)
    }

    fn put_conditions(&self, query: &mut QueryBuilder<Postgres>) {
        self.put_conditions_but(query, None);
    }

    /// The conditions, with another one in the place of one of them.
    fn put_conditions_but(&self, query: &mut QueryBuilder<Postgres>, other: Option<(usize, &Condition)>) {
        for (number, condition) in self.conditions.iter().enumerate() {
            query.push(if number == 0 { " where " } else { " and " });
            let condition = match other {
                Some((place, other)) if place == number => other,
                _ => condition,
            };
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

    fn select(&self) -> QueryBuilder<Postgres> {
        let mut query = QueryBuilder::new(format!("select {} from {}", self.columns, self.from));
        self.put_conditions(&mut query);
        query.push(format!(" order by {}", self.order));
        query
    }

    /// What a row is sorted by, each with its direction.
    fn order_keys(&self) -> impl Iterator<Item = (&str, &str)> {
        self.order.split(", ").map(|key| key.rsplit_once(' ').unwrap_or((key, "asc")))
    }

    /// The same rows up to the end of `page`, taken of each value of a choice in the list's order and merged: an index of
    /// the column and the order then serves each, where for the choice as a whole none gives rows in order. Nothing where
    /// there is no choice among few values.
    fn select_merged(&self, page: Page) -> Option<QueryBuilder<Postgres>> {
        let (place, (column, few)) = self
            .conditions
            .iter()
            .enumerate()
            .find_map(|(place, condition)| Some((place, condition.choice()?)))?;
        let keys = || self.order_keys().enumerate();
        let named: Vec<String> =
            keys().map(|(number, (expression, _))| format!("{expression} as list_key_{number}")).collect();
        let order: Vec<String> =
            keys().map(|(number, (_, direction))| format!("list_key_{number} {direction}")).collect();
        let mut query = QueryBuilder::new("select * from (");
        for (number, value) in few.iter().enumerate() {
            query.push(if number == 0 { "(" } else { " union all (" });
            query.push(format!("select {}, {} from {}", self.columns, named.join(", "), self.from));
            self.put_conditions_but(&mut query, Some((place, &Condition::is(column, (*value).into()))));
            query.push(format!(" order by {} limit ", self.order));
            query.push_bind(page.offset() + page.limit()).push(")");
        }
        query.push(format!(") merged order by {}", order.join(", ")));
        Some(query)
    }

    /// All that match, found and sorted before a page is cut out. Without this the planner walks the whole order in the
    /// hope to meet a page of them soon.
    fn select_of_few(&self) -> QueryBuilder<Postgres> {
        let mut query = QueryBuilder::new(format!(
            "with matching as materialized (select {}, row_number() over (order by {}) as list_place from {}",
            self.columns, self.order, self.from
        ));
        self.put_conditions(&mut query);
        query.push(") select * from matching order by list_place");
        query
    }

    /// The rows of `page`, and how many there are in all, counted up to [`COUNT_CAP`].
    pub async fn page<R>(&self, db: &mut PgConnection, page: Page) -> sqlx::Result<Rows<R>>
    where
        R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    {
        if self.narrowed {
            let count = self.count(db).await?;
            let query = if count > COUNT_CAP {
                self.select_merged(page).unwrap_or_else(|| self.select())
            } else {
                self.select_of_few()
            };
            return Ok(Rows::new(cut(query, page).build_query_as().fetch_all(db).await?, count));
        }
        let rows: Vec<R> = cut(self.select(), page).build_query_as().fetch_all(&mut *db).await?;
        // A page that is not full tells the count; the first one usually is the only one.
        let here = i64::try_from(rows.len()).unwrap_or(i64::MAX);
        if here < page.limit() && (here > 0 || page.offset() == 0) {
            return Ok(Rows::new(rows, page.offset() + here));
        }
        Ok(Rows::new(rows, self.count(db).await?))
    }

    /// How many rows there are, not beyond `COUNT_CAP + 1`.
    pub async fn count(&self, db: &mut PgConnection) -> sqlx::Result<i64> {
        let mut query = QueryBuilder::new(format!("select count(*) from (select from {}", self.from));
        self.put_conditions(&mut query);
        query.push(" limit ").push_bind(COUNT_CAP + 1).push(") matching");
        query.build_query_scalar().fetch_one(db).await
    }

    /// How many rows have each value of a column of few values, the most frequent first.
    pub async fn count_by<V>(
        &self,
        db: &mut PgConnection,
        column: &'static str,
    ) -> sqlx::Result<Vec<(V, i64)>>
    where
        (V, i64): for<'r> FromRow<'r, PgRow>,
        V: Send + Unpin,
    {
        let mut query = QueryBuilder::new(format!("select {column}, count(*) from {}", self.from));
        self.put_conditions(&mut query);
        query.push(" group by 1 order by 2 desc, 1");
        query.build_query_as().fetch_all(db).await
    }

    /// All rows in order, at most `most`, by one statement: for files.
    pub async fn rows<R>(&self, db: &mut PgConnection, most: i64) -> sqlx::Result<Vec<R>>
    where
        R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    {
        let mut query = self.select();
        query.push(" limit ").push_bind(most);
        query.build_query_as().fetch_all(db).await
    }
}

fn cut(mut query: QueryBuilder<Postgres>, page: Page) -> QueryBuilder<Postgres> {
    query.push(" limit ").push_bind(page.limit()).push(" offset ").push_bind(page.offset());
    query
}

#[cfg(test)]
mod tests {
    use vocabulary::AgentId;

    use super::*;

    const SORTS: [Sort; 1] = [Sort { name: "sold", column: "s.sold" }];

    fn stalls() -> List {
        List::new("s.*", "read.stall s", "s.created_at_ms desc, s.stall_id desc")
    }

    fn sql(list: &List) -> String {
        list.select().sql().as_str().to_owned()
    }

    #[test]
    fn what_is_not_asked_for_is_no_condition() {
        let list = stalls()
            .of_agents("s.agent_id", &Scope::ALL)
            .is("s.state", None::<i16>)
            .is_one_of("s.kind", vec![])
            .between("s.sold", None, None)
            .contains(&["s.name"], None);
        assert_eq!(sql(&list), "select s.* from read.stall s order by s.created_at_ms desc, s.stall_id desc");
    }

    #[test]
    fn every_condition_binds_its_values() {
        let one = Scope { agents: Reach::only([AgentId(2)]), areas: Reach::All };
        let two = Scope { agents: Reach::only([AgentId(2), AgentId(3)]), areas: Reach::All };
        let list = stalls()
            .of_agents("s.agent_id", &one)
            .of_agents("s.agent_id", &two)
            .is("s.state", Some(1_i16))
            .between("s.sold", Some(3), Some(9))
            .contains(&["s.name", "s.tel"], Some("东"))
            .matching(&["(s.days & ", ") <> 0 and ", " = any(s.kinds)"], vec![4_i64.into(), 7_i64.into()])
            .starts_with(&["s.tel"], Some("138"));
        assert_eq!(
            sql(&list),
            "select s.* from read.stall s where s.agent_id = $1 and s.agent_id = any($2) and s.state = $3 \
             and s.sold >= $4 and s.sold <= $5 and (s.name like $6 or s.tel like $7) \
             and (s.days & $8) <> 0 and $9 = any(s.kinds) and (s.tel ^@ $10) \
             order by s.created_at_ms desc, s.stall_id desc"
        );
    }

    #[test]
    fn an_area_beyond_the_scope_has_no_rows() {
        let one = Scope { agents: Reach::All, areas: Reach::only([AreaId(20)]) };
        let of = |area: Option<i64>| stalls().with_area("s.area_ids", &one, area.map(AreaId));
        assert_eq!(of(None).conditions, []);
        let held = "select s.* from read.stall s where $1 = any(s.area_ids) order by s.created_at_ms desc, s.stall_id desc";
        assert_eq!(sql(&of(Some(20))), held);
        let beyond =
            "select s.* from read.stall s where false order by s.created_at_ms desc, s.stall_id desc";
        assert_eq!(sql(&of(Some(21))), beyond);
    }

    #[test]
    fn only_what_narrows_the_scope_is_looked_for_before_a_page_is_cut() {
        let one = Scope { agents: Reach::only([AgentId(2)]), areas: Reach::All };
        let list = stalls().of_agents("s.agent_id", &one);
        assert!(!list.narrowed);
        let list = list.is("s.state", Some(3_i16)).of_agents("s.agent_id", &one);
        assert!(list.narrowed);
        assert_eq!(
            list.select_of_few().sql().as_str(),
            "with matching as materialized (select s.*, row_number() over (order by s.created_at_ms desc, s.stall_id desc) \
             as list_place from read.stall s where s.agent_id = $1 and s.state = $2 and s.agent_id = $3) \
             select * from matching order by list_place"
        );
    }

    #[test]
    fn a_choice_among_few_values_is_merged_of_what_each_gives_in_order() {
        let list = stalls().is("s.open", Some(true)).is_one_of("s.state", vec![5, 4, 5]);
        let list = list.sorted(&SORTS, "s.stall_id", Some("-sold")).unwrap();
        let page = Page::new(Some(3), Some(20));
        let branch = |state, most| {
            format!(
                "(select s.*, s.sold as list_key_0, s.stall_id as list_key_1 from read.stall s where s.open = ${} \
                 and s.state = ${state} order by s.sold desc, s.stall_id desc limit ${most})",
                state - 1
            )
        };
        assert_eq!(
            list.select_merged(page).unwrap().sql().as_str(),
            format!(
                "select * from ({} union all {}) merged order by list_key_0 desc, list_key_1 desc",
                branch(2, 3),
                branch(5, 6)
            )
        );
        let many: Vec<i64> = (0..=MERGED_MAX as i64).collect();
        assert!(stalls().is_one_of("s.state", many).select_merged(page).is_none());
        assert!(stalls().is_one_of("s.state", vec![4]).select_merged(page).is_none());
    }

    #[test]
    fn a_list_is_sorted_by_what_it_offers_alone() {
        let sorted = |asked| stalls().sorted(&SORTS, "s.stall_id", asked).map(|list| list.order);
        assert_eq!(sorted(Some("-sold")).unwrap(), "s.sold desc, s.stall_id desc");
        assert_eq!(sorted(Some("sold")).unwrap(), "s.sold asc, s.stall_id asc");
        assert_eq!(sorted(None).unwrap(), "s.created_at_ms desc, s.stall_id desc");
        assert_eq!(sorted(Some("name")), Err(NotASort("name".to_owned())));
    }
}
