//! A database of its own for every test.

use std::future::Future;
use std::str::FromStr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor};

/// Templates are made one at a time on a server: their migrations may create roles, and roles
/// belong to the whole server.
const TEMPLATE_LOCK: i64 = 0x7768_6565_6c68;

/// A fresh database, dropped with this value.
#[derive(Debug)]
pub struct TestDatabase {
    /// Connects to it with the rights of the server's URL.
    pub url: String,
    /// Its name.
    pub name: String,
    admin: PgConnectOptions,
}

impl TestDatabase {
    /// An empty database.
    pub(crate) async fn empty(admin_url: &str) -> Result<Self> {
        Self::create(connect(admin_url).await?, admin_url, "template0").await
    }

    /// A copy of the template `template`, which `prepare` fills (given its URL) if nobody did yet.
    pub(crate) async fn from_template<F>(
        admin_url: &str,
        template: &str,
        prepare: impl FnOnce(String) -> F,
    ) -> Result<Self>
    where
        F: Future<Output = Result<()>>,
    {
        ensure!(
            !template.is_empty()
                && template.len() <= 50
                && template.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'),
            "a template's name is at most 50 of a-z, 0-9 and _, not {template:?}"
        );
        let template = format!("wh_t_{template}");
        let mut admin = connect(admin_url).await?;
        if !exists(&mut admin, &template).await? {
            sqlx::query("select pg_advisory_lock($1)").bind(TEMPLATE_LOCK).execute(&mut admin).await?;
            if !exists(&mut admin, &template).await? {
                // Under a name of its own until it is whole: whoever dies here leaves no half template.
                let making = format!("{template}_new");
                run(&mut admin, format!("drop database if exists {making} with (force)")).await?;
                run(&mut admin, format!("create database {making} template template0")).await?;
                prepare(url_of(admin_url, &making)?)
                    .await
                    .with_context(|| format!("cannot prepare the template {template}"))?;
                // Who connects first leaves a file of what is in all databases' catalogues, which copies have from then on.
                connect(&url_of(admin_url, &making)?).await?.close().await?;
                let rename = format!("alter database {making} rename to {template}");
                patiently(&mut admin, rename).await?;
            }
            sqlx::query("select pg_advisory_unlock($1)").bind(TEMPLATE_LOCK).execute(&mut admin).await?;
        }
        Self::create(admin, admin_url, &template).await
    }

    async fn create(mut admin: PgConnection, admin_url: &str, template: &str) -> Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("wh_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        // Copying files is twice as fast as logging them, and a template has no writers.
        run(&mut admin, format!("drop database if exists {name} with (force)")).await?;
        patiently(&mut admin, format!("create database {name} template {template} strategy file_copy"))
            .await?;
        admin.close().await?;
        Ok(Self { url: url_of(admin_url, &name)?, name, admin: PgConnectOptions::from_str(admin_url)? })
    }
}

impl Drop for TestDatabase {
    /// Best effort: a server that is gone took the database with it.
    fn drop(&mut self) {
        let (admin, name) = (self.admin.clone(), self.name.clone());
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let work = async {
                    let mut admin = admin.connect().await?;
                    run(&mut admin, format!("drop database if exists {name} with (force)")).await
                };
                tokio::time::timeout(Duration::from_secs(5), work).await?
            })
        });
        let _: Result<Result<()>, _> = dropping.join();
    }
}

pub(crate) async fn connect(url: &str) -> Result<PgConnection> {
    PgConnection::connect(url).await.context(
        "cannot reach PostgreSQL. Is DATABASE_URL right, and does its user have the right to create databases? \
         Unset it to let the tests start a private server",
    )
}

/// The oldest PostgreSQL the product works with.
pub(crate) async fn require_version(connection: &mut PgConnection) -> Result<()> {
    let number: i32 =
        sqlx::query_scalar("select current_setting('server_version_num')::int").fetch_one(connection).await?;
    ensure!(number >= 150_000, "PostgreSQL {} is too old: 15 or newer is needed", number / 10_000);
    Ok(())
}

async fn exists(admin: &mut PgConnection, name: &str) -> Result<bool> {
    Ok(sqlx::query_scalar("select exists (select from pg_database where datname = $1)")
        .bind(name)
        .fetch_one(admin)
        .await?)
}

/// The names in `sql` are our own.
async fn run(admin: &mut PgConnection, sql: String) -> Result<()> {
    admin.execute(sqlx::query(AssertSqlSafe(sql))).await?;
    Ok(())
}

/// A closed pool's last connection lingers for a moment and stands in the way of copying and renaming.
async fn patiently(admin: &mut PgConnection, sql: String) -> Result<()> {
    const OBJECT_IN_USE: &str = "55006";
    let begun = Instant::now();
    loop {
        match admin.execute(sqlx::query(AssertSqlSafe(sql.clone()))).await {
            Ok(_) => return Ok(()),
            Err(sqlx::Error::Database(error))
                if error.code().as_deref() == Some(OBJECT_IN_USE)
                    && begun.elapsed() < Duration::from_secs(20) =>
            {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(error) => return Err(error).with_context(|| sql),
        }
    }
}

fn url_of(admin_url: &str, database: &str) -> Result<String> {
    let (head, query) =
        admin_url.split_once('?').map_or((admin_url, None), |(head, query)| (head, Some(query)));
    let (_, rest) =
        head.split_once("://").context("DATABASE_URL must look like postgres://user:password@host/db")?;
    let start = head.len() - rest.len();
    let end = rest.find('/').map_or(head.len(), |slash| start + slash);
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    Ok(format!("{}/{database}{query}", &head[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_databases_name_changes_in_a_url() {
        for (url, expected) in [
            ("postgres://u:p@h:1/old", "postgres://u:p@h:1/new"),
            ("postgres://u:p@h:1", "postgres://u:p@h:1/new"),
            ("postgres://h/old?sslmode=disable", "postgres://h/new?sslmode=disable"),
        ] {
            assert_eq!(url_of(url, "new").expect("a proper URL"), expected);
        }
        assert!(url_of("no url", "new").is_err());
    }
}
