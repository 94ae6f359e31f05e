//! Where statements stand: a table of the log's database, and places outside of it that whoever owns the database does
//! not own. A place takes a statement once under its number and never another one in its stead.

mod folder;
mod stream;
mod table;

use async_trait::async_trait;
use futures::{StreamExt, TryStreamExt, stream as futures_stream};

pub use self::folder::Folder;
pub use self::stream::{STREAM, SUBJECT, Stream};
pub use self::table::Table;
use super::statement::Statement;

/// Statements that are fetched at the same time.
const AT_ONCE: usize = 16;

/// Why a place did not give or take a statement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// It does not answer.
    #[error("{place} does not answer: {why}")]
    Away {
        /// Which place.
        place: String,
        /// What it was.
        why: String,
    },
    /// What stands under a number is no statement.
    #[error("{place} holds no statement under number {number}: {why}")]
    Broken {
        /// Which place.
        place: String,
        /// Which number.
        number: u64,
        /// What it was.
        why: String,
    },
    /// Another statement stands under a number.
    #[error("{place} holds another statement under number {number}")]
    Occupied {
        /// Which place.
        place: String,
        /// Which number.
        number: u64,
    },
}

impl PlaceError {
    fn away(place: &str, why: impl std::fmt::Display) -> Self {
        Self::Away { place: place.to_owned(), why: why.to_string() }
    }

    fn broken(place: &str, number: u64, why: impl std::fmt::Display) -> Self {
        Self::Broken { place: place.to_owned(), number, why: why.to_string() }
    }

    fn occupied(place: &str, number: u64) -> Self {
        Self::Occupied { place: place.to_owned(), number }
    }
}

/// Something that keeps statements.
#[async_trait]
pub trait Place: Send + Sync {
    /// What people call it.
    fn name(&self) -> &str;

    /// The highest number that it holds; 0 when it is empty.
    async fn last(&self) -> Result<u64, PlaceError>;

    /// The statement under `number`.
    async fn get(&self, number: u64) -> Result<Option<Statement>, PlaceError>;

    /// Keeps a statement under its number. One that stands there already is left, and refused if it is another one.
    async fn put(&self, statement: &Statement) -> Result<(), PlaceError>;

    /// All that it holds, by number; holes are left out.
    async fn all(&self) -> Result<Vec<Statement>, PlaceError> {
        let last = self.last().await?;
        let found: Vec<Option<Statement>> = futures_stream::iter(1..=last)
            .map(|number| self.get(number))
            .buffered(AT_ONCE)
            .try_collect()
            .await?;
        Ok(found.into_iter().flatten().collect())
    }
}

/// A place that is configured and cannot be reached.
pub struct Absent {
    name: String,
    why: String,
}

impl Absent {
    /// Called `name`, away because of `why`.
    pub fn new(name: &str, why: &str) -> Self {
        Self { name: name.to_owned(), why: why.to_owned() }
    }
}

#[async_trait]
impl Place for Absent {
    fn name(&self) -> &str {
        &self.name
    }

    async fn last(&self) -> Result<u64, PlaceError> {
        Err(PlaceError::away(&self.name, &self.why))
    }

    async fn get(&self, _: u64) -> Result<Option<Statement>, PlaceError> {
        Err(PlaceError::away(&self.name, &self.why))
    }

    async fn put(&self, _: &Statement) -> Result<(), PlaceError> {
        Err(PlaceError::away(&self.name, &self.why))
    }
}

fn parse(place: &str, number: u64, bytes: &[u8]) -> Result<Statement, PlaceError> {
    let statement: Statement =
        serde_json::from_slice(bytes).map_err(|error| PlaceError::broken(place, number, error))?;
    if statement.number() != number {
        return Err(PlaceError::broken(place, number, format!("it has number {}", statement.number())));
    }
    Ok(statement)
}

fn json(statement: &Statement) -> String {
    serde_json::to_string(statement).expect("numbers and hexadecimal text")
}
