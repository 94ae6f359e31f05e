//! What is measured, each in a database of its own on the same server.

mod bare;
mod cqrs;
mod dis;
mod esrs;
mod wheelhouse;

use std::str::FromStr;

use anyhow::{Context, Result};
use async_trait::async_trait;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, ConnectOptions, PgPool};

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

/// The server that all of them share.
pub struct Server {
    options: PgConnectOptions,
    url: String,
    admin: PgPool,
    /// Its version as a number, such as 150018.
    pub version: i32,
    /// Its version as text.
    pub title: String,
    /// Connections that one system may hold.
    pub context: u32,
}

impl Server {
    /// Connects, and refuses a server that does not wait for the disk.
    pub async fn at(url: &str) -> Result<Self> {
        let options = PgConnectOptions::from_str(url).context("DATABASE_URL")?;
        let admin = PgPoolOptions::new().max_connections(2).connect_with(options.clone()).await?;
        let setting = async |name: &'static str| -> Result<String> {
            Ok(sqlx::query_scalar("select current_setting($1)").bind(name).fetch_one(&admin).await?)
        };
        for name in ["fsync", "synchronous_commit", "full_page_writes"] {
            let value = setting(name).await?;
            anyhow::ensure!(
                value == "on",
                "{name} is {value}: figures of a server that forgets are worth nothing"
            );
        }
        let version = setting("server_version_num").await?.parse()?;
        let title = format!("PostgreSQL {}", setting("server_version").await?);
        let most: u32 = setting("max_connections").await?.parse()?;
        Ok(Self {
            options,
            url: url.to_owned(),
            admin,
            version,
            title,
            context: most.saturating_sub(25).max(1),
        })
    }

    /// Makes the empty database `name`, in the place of one that is there.
    pub async fn fresh(&self, name: &str) -> Result<()> {
        self.drop(name).await?;
        sqlx::query(AssertSqlSafe(format!("create database {name}"))).execute(&self.admin).await?;
        Ok(())
    }

    /// Drops the database `name`.
    pub async fn drop(&self, name: &str) -> Result<()> {
        let sql = format!("drop database if exists {name} with (force)");
        sqlx::query(AssertSqlSafe(sql)).execute(&self.admin).await?;
        Ok(())
    }

    /// Leaves nothing for later that a measurement would pay for.
    pub async fn settle(&self) -> Result<()> {
        sqlx::query("checkpoint").execute(&self.admin).await?;
        Ok(())
    }

    /// Runs a maintenance statement in the database `name`.
    pub async fn maintain(&self, name: &str, sql: &'static str) -> Result<()> {
        let mut connection = self.options.clone().database(name).connect().await?;
        sqlx::raw_sql(sql).execute(&mut connection).await?;
        Ok(())
    }

    /// Makes the tables of `system` in the database `name`.
    pub async fn prepare(&self, system: System, name: &str) -> Result<()> {
        match system {
            System::Wheelhouse => wheelhouse::prepare(&self.url_of(name)).await,
            System::CqrsEs => self.maintain(name, cqrs::SCHEMA).await,
            System::Esrs => esrs::prepare(&self.url_of(name)).await,
            System::Disintegrate => dis::prepare(&self.url_of(name)).await,
            System::Bare => self.maintain(name, bare::SCHEMA).await,
        }
    }

    /// Opens `system` on the database `name` with `connections` of its own.
    pub async fn open(&self, system: System, name: &str, connections: u32) -> Result<Box<dyn Opened>> {
        let url = self.url_of(name);
        Ok(match system {
            System::Wheelhouse => Box::new(wheelhouse::open(&url).await?),
            System::CqrsEs => Box::new(cqrs::open(&url, connections).await?),
            System::Esrs => Box::new(esrs::open(&url, connections).await?),
            System::Disintegrate => Box::new(dis::open(&url, connections).await?),
            System::Bare => Box::new(bare::open(&url, connections).await?),
        })
    }

    /// Where the database `name` is.
    pub fn url_of(&self, name: &str) -> String {
        let (head, query) = match self.url.split_once('?') {
            Some((head, query)) => (head, format!("?{query}")),
            None => (self.url.as_str(), String::new()),
        };
        let start = head.find("://").map_or(0, |at| at + 3);
        let server = head[start..].find('/').map_or(head, |slash| &head[..start + slash]);
        format!("{server}/{name}{query}")
    }
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
