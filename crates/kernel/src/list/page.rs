//! Pages, counts and walks of a list.

use sqlx::postgres::PgRow;
use sqlx::{FromRow, PgConnection, Postgres, QueryBuilder};
use vocabulary::{COUNT_CAP, Page, Rows};

use super::List;
use super::statement::Cut;

impl List {
    /// The rows of `page`, and how many there are in all, counted up to [`COUNT_CAP`].
    pub async fn page<R>(&self, db: &mut PgConnection, page: Page) -> sqlx::Result<Rows<R>>
    where
        R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    {
        let cut = Cut::of(page);
        if self.narrowed {
            let count = self.count(db).await?;
            if count == 0 || (count <= COUNT_CAP && page.offset() >= count) {
                return Ok(Rows::new(Vec::new(), count));
            }
            let query = if count > COUNT_CAP { self.select_ordered(cut) } else { self.select_of_few(cut) };
            return self
                .fetched(query, page, db)
                .await
                .map(|(rows, next)| Rows::new(rows, count).going_on(next));
        }
        let (rows, next): (Vec<R>, _) = self.fetched(self.select_ordered(cut), page, db).await?;
        // A page that is not full tells the count; the first one usually is the only one.
        let here = i64::try_from(rows.len()).unwrap_or(i64::MAX);
        if next.is_none() && self.after.is_none() && here < page.limit() && (here > 0 || page.offset() == 0) {
            return Ok(Rows::new(rows, page.offset() + here));
        }
        Ok(Rows::new(rows, self.count(db).await?).going_on(next))
    }

    /// How many rows there are, not beyond `COUNT_CAP + 1`.
    pub async fn count(&self, db: &mut PgConnection) -> sqlx::Result<i64> {
        self.select_count(COUNT_CAP + 1).build_query_scalar().fetch_one(db).await
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
        let mut query = QueryBuilder::new(format!("select {column}, count(*) from {}", self.source()));
        self.put_conditions(&mut query);
        query.push(" group by 1 order by 2 desc, 1");
        query.build_query_as().fetch_all(db).await
    }

    /// All rows in order, at most `most`, by one statement: for files.
    pub async fn rows<R>(&self, db: &mut PgConnection, most: i64) -> sqlx::Result<Vec<R>>
    where
        R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    {
        self.select_ordered(Cut { limit: most, offset: 0 }).build_query_as().fetch_all(db).await
    }

    fn select_ordered(&self, cut: Cut) -> QueryBuilder<Postgres> {
        self.select_merged(cut).unwrap_or_else(|| self.select(cut))
    }

    /// The rows of a page and, where there are more, the place behind the last one.
    async fn fetched<R>(
        &self,
        mut query: QueryBuilder<Postgres>,
        page: Page,
        db: &mut PgConnection,
    ) -> sqlx::Result<(Vec<R>, Option<String>)>
    where
        R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
    {
        let mut found = query.build().fetch_all(db).await?;
        let full = usize::try_from(page.limit()).unwrap_or(usize::MAX);
        let more = found.len() > full;
        found.truncate(full);
        let next = found.last().filter(|_| more).and_then(|last| self.place_of(last));
        Ok((found.iter().map(R::from_row).collect::<sqlx::Result<_>>()?, next))
    }
}
