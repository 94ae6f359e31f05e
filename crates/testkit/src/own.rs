//! Servers of one test alone, to be stopped, killed and started again.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};

use crate::local::{
    AuthCallout, LocalNats, LocalPostgres, NatsOptions, NatsPorts, Place, PostgresOptions, SmallDisk,
};

/// Runs blocking work away from the test's runtime; a failure ends the test with its reason.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await.context("the work was cut off").flatten() {
        Ok(value) => value,
        Err(error) => panic!("testkit: {error:#}"),
    }
}

/// A PostgreSQL of one test alone.
#[derive(Clone, Debug)]
pub struct OwnPostgres(Arc<Mutex<LocalPostgres>>);

impl OwnPostgres {
    /// A server that never waits for the disk.
    ///
    /// # Panics
    /// When PostgreSQL is not installed or does not start; the message says what to do.
    pub async fn start() -> Self {
        Self::with(PostgresOptions::default()).await
    }

    /// A server whose commits are on the disk: for tests that kill it and for measurements.
    ///
    /// # Panics
    /// As [`Self::start`].
    pub async fn durable() -> Self {
        Self::with(PostgresOptions { durable: true, ..PostgresOptions::default() }).await
    }

    /// As [`Self::durable`], on a disk of its own of this size, which can be filled, where one may be mounted.
    ///
    /// # Panics
    /// As [`Self::start`].
    pub async fn on_small_disk(size_mb: u32) -> Self {
        Self::with(PostgresOptions {
            durable: true,
            // What it keeps of its log follows the disk's size.
            settings: &[("max_wal_size", "128MB"), ("min_wal_size", "32MB")],
            disk_mb: Some(size_mb),
            ..PostgresOptions::default()
        })
        .await
    }

    async fn with(options: PostgresOptions) -> Self {
        let server = aside(move || LocalPostgres::start(Arc::new(Place::throw_away()?), options)).await;
        Self(Arc::new(Mutex::new(server)))
    }

    /// The superuser's URL of `database`.
    pub fn url_of(&self, database: &str) -> String {
        self.locked(|server| server.url_of(database))
    }

    /// The superuser's URL of the database `postgres`.
    pub fn url(&self) -> String {
        self.url_of("postgres")
    }

    /// Ends it in order.
    pub async fn stop(&self) {
        self.aside(|server| {
            server.stop();
            Ok(())
        })
        .await;
    }

    /// Ends it by SIGKILL; what was committed durably is there after [`Self::restart`].
    pub async fn kill9(&self) {
        self.aside(|server| {
            server.kill9();
            Ok(())
        })
        .await;
    }

    /// Starts it on its old data and port, stopping it first if it runs.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn restart(&self) {
        self.aside(LocalPostgres::start_again).await;
    }

    /// Fills the disk of its own; false when it has none.
    ///
    /// # Panics
    /// When the disk cannot be written.
    pub async fn fill_disk(&self) -> bool {
        let has_one = self.locked(|server| server.disk().is_some());
        self.aside(|server| server.disk().map_or(Ok(()), SmallDisk::fill)).await;
        has_one
    }

    /// Empties the disk, and starts the server again if it ended for want of room.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn empty_disk(&self) {
        self.aside(|server| {
            server.disk().map_or(Ok(()), SmallDisk::empty)?;
            server.revive()
        })
        .await;
    }

    fn locked<T>(&self, read: impl FnOnce(&LocalPostgres) -> T) -> T {
        read(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn aside(&self, work: impl FnOnce(&mut LocalPostgres) -> Result<()> + Send + 'static) {
        let server = Arc::clone(&self.0);
        aside(move || work(&mut server.lock().unwrap_or_else(PoisonError::into_inner))).await;
    }
}

/// A nats-server of one test alone: the one to use for tests that make the declared streams.
#[derive(Clone, Debug)]
pub struct OwnNats(Arc<Mutex<LocalNats>>);

impl OwnNats {
    /// A server that lets everybody in.
    ///
    /// # Panics
    /// When no nats-server of 2.10 or newer can be had; the message says what to do.
    pub async fn start() -> Self {
        Self::with(NatsOptions::default()).await
    }

    /// A server that asks the holder of `auth.issuer`'s seed about every login but `auth.user`'s.
    ///
    /// # Panics
    /// As [`Self::start`].
    pub async fn with_auth_callout(auth: AuthCallout) -> Self {
        Self::with(NatsOptions { auth: Some(auth), ports: None }).await
    }

    async fn with(options: NatsOptions) -> Self {
        let server = aside(move || LocalNats::start(Arc::new(Place::throw_away()?), options)).await;
        Self(Arc::new(Mutex::new(server)))
    }

    /// The URL for NATS clients, without credentials.
    pub fn url(&self) -> String {
        self.locked(LocalNats::url)
    }

    /// `host:port` for MQTT devices.
    pub fn mqtt_addr(&self) -> String {
        self.locked(LocalNats::mqtt_addr)
    }

    /// Its ports.
    pub fn ports(&self) -> NatsPorts {
        self.locked(LocalNats::ports)
    }

    /// Ends it in order.
    pub async fn stop(&self) {
        self.aside(|server| {
            server.stop();
            Ok(())
        })
        .await;
    }

    /// Ends it by SIGKILL.
    pub async fn kill9(&self) {
        self.aside(|server| {
            server.kill9();
            Ok(())
        })
        .await;
    }

    /// Starts it on its old streams and ports, stopping it first if it runs.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn restart(&self) {
        self.aside(LocalNats::start_again).await;
    }

    fn locked<T>(&self, read: impl FnOnce(&LocalNats) -> T) -> T {
        read(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn aside(&self, work: impl FnOnce(&mut LocalNats) -> Result<()> + Send + 'static) {
        let server = Arc::clone(&self.0);
        aside(move || work(&mut server.lock().unwrap_or_else(PoisonError::into_inner))).await;
    }
}
