//! The PostgreSQL that a bench measures on.

use std::str::FromStr;

use anyhow::{Context, Result};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, ConnectOptions, PgPool};

/// A server that waits for the disk, with a database for each thing that is measured.
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

    /// Whether the database `name` is there.
    pub async fn has(&self, name: &str) -> Result<bool> {
        let found = sqlx::query_scalar("select exists (select from pg_database where datname = $1)");
        Ok(found.bind(name).fetch_one(&self.admin).await?)
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
