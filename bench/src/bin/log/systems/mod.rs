//! What is measured, each in a database of its own on the same server.

mod bare;
mod cqrs;
mod dis;
mod esrs;
mod wheelhouse;

use anyhow::Result;
use async_trait::async_trait;
use bench::{Server, product};

pub use wheelhouse::{Rebuilder, make_table};

/// A way to store events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Ours: commands through the desk, down to the batching writer.
    Wheelhouse,
    /// cqrs-es with postgres-es.
    CqrsEs,
    /// esrs.
    Esrs,
    /// disintegrate; needs PostgreSQL 16.
    Disintegrate,
    /// One INSERT for each commit, no library.
    Bare,
}

impl System {
    /// As figures name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wheelhouse => "wheelhouse",
            Self::CqrsEs => "cqrs-es",
            Self::Esrs => "esrs",
            Self::Disintegrate => "disintegrate",
            Self::Bare => "bare",
        }
    }

    /// Whether it is a library that others could have taken instead.
    pub fn is_peer(self) -> bool {
        matches!(self, Self::CqrsEs | Self::Esrs | Self::Disintegrate)
    }

    /// Makes its tables in the database `name`.
    pub async fn prepare(self, server: &Server, name: &str) -> Result<()> {
        match self {
            Self::Wheelhouse => product::prepare(&server.url_of(name)).await,
            Self::CqrsEs => server.maintain(name, cqrs::SCHEMA).await,
            Self::Esrs => esrs::prepare(&server.url_of(name)).await,
            Self::Disintegrate => dis::prepare(&server.url_of(name)).await,
            Self::Bare => server.maintain(name, bare::SCHEMA).await,
        }
    }

    /// Opens it on the database `name` with `connections` of its own.
    pub async fn open(self, server: &Server, name: &str, connections: u32) -> Result<Box<dyn Opened>> {
        let url = server.url_of(name);
        Ok(match self {
            Self::Wheelhouse => Box::new(wheelhouse::open(&url).await?),
            Self::CqrsEs => Box::new(cqrs::open(&url, connections).await?),
            Self::Esrs => Box::new(esrs::open(&url, connections).await?),
            Self::Disintegrate => Box::new(dis::open(&url, connections).await?),
            Self::Bare => Box::new(bare::open(&url, connections).await?),
        })
    }
}

/// A system ready for callers.
#[async_trait]
pub trait Opened: Send + Sync {
    /// A caller with a stream of its own.
    async fn caller(&self) -> Result<Box<dyn Caller>>;

    /// Reads and decodes all events in the order the system gives; says how many there were.
    async fn replay(&self) -> Result<u64>;

    /// Lets the connections go.
    async fn close(&self);
}

/// Appends to one stream.
#[async_trait]
pub trait Caller: Send {
    /// Appends `events` in one commit, behind the version it saw last.
    async fn append(&mut self, events: usize) -> Result<()>;
}

/// A pool as the peers' older sqlx knows it, all of its connections made.
async fn pool08(url: &str, connections: u32) -> Result<sqlx08::PgPool> {
    Ok(sqlx08::postgres::PgPoolOptions::new()
        .max_connections(connections)
        .min_connections(connections)
        .acquire_timeout(std::time::Duration::from_secs(60))
        .connect(url)
        .await?)
}
