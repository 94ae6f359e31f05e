//! Leases: of all processes on a database, one leads a thing at a time.
//!
//! One connection of the process holds a PostgreSQL advisory lock for each lease. When the process dies, its connection
//! closes and another process has the lock within a second or two.

use std::collections::HashMap;
use std::time::Duration;

use sha2::{Digest, Sha256};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, PgConnection};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

const BEAT: Duration = Duration::from_millis(500);
const PATIENCE: Duration = Duration::from_secs(3);

/// Asks for leases. Cheap to clone.
#[derive(Clone)]
pub struct Leases {
    wanted: mpsc::Sender<(String, watch::Sender<bool>)>,
}

/// Whether a lease is held; given back when dropped.
pub struct Lease {
    held: watch::Receiver<bool>,
}

impl Leases {
    /// Starts the task that holds the leases, until `stop`.
    pub fn start(options: PgConnectOptions, stop: CancellationToken) -> Self {
        let (wanted, asked) = mpsc::channel(64);
        // A host that vanishes without a word is noticed by the server after some ten seconds.
        let options = options.application_name("wheelhouse leases").options([
            ("tcp_keepalives_idle", "4"),
            ("tcp_keepalives_interval", "2"),
            ("tcp_keepalives_count", "3"),
        ]);
        tokio::spawn(Holder { options, connection: None, leases: HashMap::new() }.run(asked, stop));
        Self { wanted }
    }

    /// Stands in line for `name`.
    pub async fn want(&self, name: &str) -> Lease {
        let (told, held) = watch::channel(false);
        // Without the task (the house closes) the lease is simply never held.
        let _ = self.wanted.send((name.to_owned(), told)).await;
        Lease { held }
    }
}

impl Lease {
    /// Waits until it is held.
    pub async fn held(&mut self) {
        if self.held.wait_for(|held| *held).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Waits until it is lost.
    pub async fn lost(&self) {
        let mut held = self.held.clone();
        // Lost too when the task is gone.
        let _ = held.wait_for(|held| !*held).await;
    }
}

struct Holder {
    options: PgConnectOptions,
    connection: Option<PgConnection>,
    leases: HashMap<String, watch::Sender<bool>>,
}

impl Holder {
    async fn run(
        mut self,
        mut asked: mpsc::Receiver<(String, watch::Sender<bool>)>,
        stop: CancellationToken,
    ) {
        let mut beat = tokio::time::interval(BEAT);
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                request = asked.recv() => match request {
                    Some((name, told)) => drop(self.leases.insert(name, told)),
                    None => break,
                },
                _ = beat.tick() => {}
            }
            match tokio::time::timeout(PATIENCE, self.tend()).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => self.lose(&error.to_string()),
                Err(_) => self.lose("no answer"),
            }
        }
        self.lose("closing");
    }

    async fn tend(&mut self) -> sqlx::Result<()> {
        let abandoned: Vec<String> =
            self.leases.iter().filter(|(_, told)| told.is_closed()).map(|(name, _)| name.clone()).collect();
        if self.leases.is_empty() {
            return Ok(());
        }
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.options.connect().await?,
        };
        let connection = self.connection.insert(connection);
        sqlx::query("select 1").execute(&mut *connection).await?;
        for name in abandoned {
            let held = self.leases.remove(&name).is_some_and(|told| *told.borrow());
            if held {
                sqlx::query("select pg_advisory_unlock($1)")
                    .bind(key(&name))
                    .execute(&mut *connection)
                    .await?;
            }
        }
        for (name, told) in &self.leases {
            if !*told.borrow() {
                let got: bool = sqlx::query_scalar("select pg_try_advisory_lock($1)")
                    .bind(key(name))
                    .fetch_one(&mut *connection)
                    .await?;
                if got {
                    tracing::info!(lease = %name, "this process leads");
                    told.send_replace(true);
                }
            }
        }
        Ok(())
    }

    /// Without its connection the process leads nothing.
    fn lose(&mut self, why: &str) {
        self.connection = None;
        for (name, told) in &self.leases {
            if told.send_replace(false) {
                tracing::warn!(lease = %name, why, "this process no longer leads");
            }
        }
    }
}

fn key(name: &str) -> i64 {
    let hash = Sha256::digest(format!("wheelhouse lease {name}"));
    i64::from_be_bytes(hash[..8].try_into().expect("a hash is longer than eight bytes"))
}
