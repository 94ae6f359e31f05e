//! The commonest projector: one stream makes one row.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use async_trait::async_trait;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::PgConnection;
use vocabulary::DataOwner;

use crate::projector::ApplyError;
use crate::{Aggregate, Change, Projector, Recorded, rows};

/// A row as its table has it: an object of columns. A struct whose serde names are the columns is one;
/// [`row!`](crate::row) declares one whose serde names are those of the wire.
pub trait Stored: Sized {
    /// Its columns.
    fn stored(&self) -> serde_json::Result<Value>;

    /// The row that has these columns.
    fn restored(columns: Value) -> serde_json::Result<Self>;
}

impl<R: Serialize + DeserializeOwned> Stored for R {
    fn stored(&self) -> serde_json::Result<Value> {
        serde_json::to_value(self)
    }

    fn restored(columns: Value) -> serde_json::Result<Self> {
        serde_json::from_value(columns)
    }
}

/// The row after an event; nothing when there is none any more.
pub type After<R> = Result<Option<R>, ApplyError>;

/// A row that is folded from the events of one stream; its column [`Fold::KEY`] holds the stream's id.
pub trait Fold: Clone + Stored + Send + Sync + 'static {
    /// Whose events they are.
    type Of: Aggregate;

    /// The table, and the projector's name.
    const TABLE: &'static str;
    /// The column with the stream's id, the primary key.
    const KEY: &'static str;
    /// Its SQL type.
    const KEY_TYPE: &'static str = "bigint";
    /// Raised when table or rules change: it is then built anew.
    const VERSION: i32 = 1;

    /// The row after `event`. `row` is what there was before it, and `recorded` has the stream, the time and the position.
    fn fold(row: Option<Self>, event: <Self::Of as Aggregate>::Event, recorded: &Recorded) -> After<Self>;

    /// Whose row it is.
    fn owner(&self) -> DataOwner;
}

/// Builds the table of `R`.
pub struct Folded<R>(PhantomData<fn() -> R>);

impl<R: Fold> Folded<R> {
    /// The projector.
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<R: Fold> Default for Folded<R> {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl<R: Fold> Projector for Folded<R> {
    fn name(&self) -> &'static str {
        R::TABLE
    }

    fn version(&self) -> i32 {
        R::VERSION
    }

    fn tables(&self) -> &'static [&'static str] {
        &[R::TABLE]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[<R::Of as Aggregate>::CATEGORY]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let keys = rows::streams(events);
        let known = rows::load_keyed::<Value>(db, R::TABLE, R::KEY, R::KEY_TYPE, &keys).await?;
        let known = known.into_iter().map(|(key, columns)| Ok((key, R::restored(columns)?)));
        let before: BTreeMap<String, R> = known.collect::<Result<_, ApplyError>>()?;
        let mut after = before.clone();
        for recorded in events {
            let row = after.remove(&*recorded.stream_id);
            if let Some(row) = R::fold(row, recorded.decode()?, recorded)? {
                after.insert(recorded.stream_id.to_string(), row);
            }
        }
        let gone: Vec<String> = before.keys().filter(|key| !after.contains_key(*key)).cloned().collect();
        let changes = keys.iter().flat_map(|key| told::<R>(key, before.get(key), after.get(key))).collect();
        rows::delete(db, R::TABLE, R::KEY, R::KEY_TYPE, &gone).await?;
        let after: Vec<Value> = after.values().map(R::stored).collect::<Result<_, _>>()?;
        rows::upsert(db, R::TABLE, R::KEY, &after).await?;
        Ok(changes)
    }
}

/// Who hears of a row: whose it is, and whose it was when that is another.
fn told<R: Fold>(key: &str, before: Option<&R>, after: Option<&R>) -> Vec<Change> {
    let mut owners: Vec<DataOwner> = before.into_iter().chain(after).map(Fold::owner).collect();
    owners.dedup();
    owners.into_iter().map(|owner| Change { table: R::TABLE, key: key.to_owned(), owner }).collect()
}
