//! Access: who may do what. Roles, operators, their devices, machine clients, and the way in.
//!
//! The server makes an [`Access`] from the system, the sessions and the token keys, gives its [`Access::directory`] to
//! the wire, runs [`projectors`], serves [`routes`], and refuses to start when [`permissions::unknown_codes`]
//! finds a route that nobody could ever call.
#![deny(missing_docs)]

mod agents;
mod app;
mod directory;
mod http;
pub mod model;
pub mod permissions;
mod ports;
mod quick_link;
pub mod read;
mod sign_in_store;
mod sms;

use std::sync::Arc;

use kernel::{Folded, MasterKey, Projector, Reactor, Runtime};
use wire::{AddressLimiter, RouteInfo, Routes, SecretKey, Sessions, TokenKeys};

pub use agents::{AgentStanding, Agents, under_agent};
pub use app::bootstrap::{BootstrapError, bootstrap};
pub use app::machines::{MachineError, NewToken, SIMULATOR_CODES, add_machine, revoke_machine};
pub use directory::{AccessDirectory, FinancialAccounts};
pub use http::tiles::{BaseLayer, LayerFault, TileDatum, Tiles, UnfitTiles};
pub use http::web_config::WebConfig;
pub use ports::{AreaOwners, PortError, Ports};
pub use sms::{HttpGateway, LogGateway, SmsError, SmsGateway};

/// Each reload of a page signs in again on its session and reads the web configuration, from an office behind one
/// address: these may be called so many times as often as the calls that a person makes by hand.
const RELOADS: u32 = 10;

/// What the operator of the system may set.
#[derive(Clone, Debug)]
pub struct AccessConfig {
    /// Devices that a phone may bind without an administrator; 0: every device waits for one.
    pub automatic_devices: usize,
    /// A code that always is the one sent. Development only: the server refuses to start with it in production.
    pub fixed_sms_code: Option<String>,
    /// Calls of the sign-in that one address may make in a minute, of each kind.
    pub calls_per_minute: u32,
    /// Web configuration of clients that have no row of their own.
    pub web: WebConfig,
    /// Where pages may load images from, beside their own origin.
    pub image_sources: Vec<String>,
}

impl Default for AccessConfig {
    fn default() -> Self {
        Self {
            automatic_devices: model::device::AUTOMATIC_DEFAULT,
            fixed_sms_code: None,
            calls_per_minute: 30,
            web: WebConfig::default(),
            image_sources: Vec::new(),
        }
    }
}

/// The access context at work. Shared by its handlers.
pub struct Access {
    runtime: Runtime,
    sessions: Sessions,
    tokens: TokenKeys,
    directory: Arc<AccessDirectory>,
    ports: Ports,
    config: AccessConfig,
    sms_pepper: SecretKey,
    link_key: SecretKey,
    sms_limit: AddressLimiter,
    verify_limit: AddressLimiter,
    device_limit: AddressLimiter,
    sign_in_limit: AddressLimiter,
    open_limit: AddressLimiter,
}

impl Access {
    /// Puts the context together. Nothing runs in the background but [`Access::tend`].
    pub fn new(
        runtime: Runtime,
        sessions: Sessions,
        tokens: TokenKeys,
        directory: Arc<AccessDirectory>,
        ports: Ports,
        master: &MasterKey,
        config: AccessConfig,
    ) -> Arc<Self> {
        Arc::new(Self {
            runtime,
            sessions,
            tokens,
            directory,
            ports,
            sms_pepper: SecretKey::new(master.derive("wheelhouse access sms 1")),
            link_key: SecretKey::new(master.derive("wheelhouse access quick-link 1")),
            sms_limit: AddressLimiter::per_minute(config.calls_per_minute),
            verify_limit: AddressLimiter::per_minute(config.calls_per_minute),
            device_limit: AddressLimiter::per_minute(config.calls_per_minute),
            sign_in_limit: AddressLimiter::per_minute(config.calls_per_minute.saturating_mul(RELOADS)),
            open_limit: AddressLimiter::per_minute(config.calls_per_minute.saturating_mul(RELOADS)),
            config,
        })
    }

    /// Who stands how: for the wire.
    pub fn directory(&self) -> Arc<AccessDirectory> {
        Arc::clone(&self.directory)
    }

    /// Keeps system until dropped: once a minute forgets codes, devices and links whose time is over.
    pub async fn tend(&self) {
        let mut tick = tokio::time::interval(std::time::Duration::from_mins(1));
        loop {
            tick.tick().await;
            if let Err(error) = sign_in_store::sweep(&self.runtime.pools.app, self.runtime.clock.now()).await
            {
                tracing::error!(error = &error as &dyn std::error::Error, "sign-ins are not swept");
            }
            for limit in [
                &self.sms_limit,
                &self.verify_limit,
                &self.device_limit,
                &self.sign_in_limit,
                &self.open_limit,
            ] {
                limit.forget_quiet();
            }
        }
    }
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access").field("config", &self.config).finish_non_exhaustive()
    }
}

/// The calls of this context.
pub fn routes(access: Arc<Access>) -> Routes {
    http::routes(access)
}

/// What builds this context's read models.
pub fn projectors() -> Vec<Arc<dyn Projector>> {
    vec![
        Arc::new(Folded::<read::roles::Row>::new()),
        Arc::new(Folded::<read::operators::Row>::new()),
        Arc::new(read::devices::DeviceProjector),
        Arc::new(Folded::<read::machines::Row>::new()),
    ]
}

/// What answers events of this context's neighbours.
pub fn reactors(access: &Arc<Access>) -> Vec<Arc<dyn Reactor>> {
    let Some(agents) = access.directory.agents().cloned() else { return Vec::new() };
    vec![Arc::new(agents::AgentReactor { access: Arc::clone(access), agents })]
}

/// Codes of a route table that nobody can hold; the server refuses to start when there are any.
pub fn unknown_codes(table: &[RouteInfo]) -> Vec<String> {
    let mut of_operators = Vec::new();
    let mut of_machines = Vec::new();
    for route in table {
        match route.permit {
            wire::Permit::AnyOf(codes) => of_operators.extend_from_slice(codes),
            wire::Permit::Machine(code) => of_machines.push(code),
            wire::Permit::Open | wire::Permit::Keyed | wire::Permit::SignedIn => {}
        }
    }
    permissions::unknown_codes(of_operators, of_machines)
}
