//! Finance: the payment accounts of agents, and the bank cards that money may go to.

pub mod codes;
pub mod expiry;
pub mod http;
pub mod model;
pub mod password_desk;
pub mod ports;
pub mod read;

use std::sync::Arc;

use kernel::runtime::Runtime;
use kernel::{MasterKey, Projector, Receipt};
use vocabulary::Scope;
use wire::{Refused, Routes, SecretKey};

use crate::ports::Ports;

/// The context, put together once.
#[derive(Clone)]
pub struct Context {
    /// The kernel.
    pub runtime: Runtime,
    /// The ports.
    pub ports: Ports,
    /// Under which codes are kept.
    pepper: SecretKey,
}

impl Context {
    /// Puts the context together.
    pub fn new(runtime: Runtime, ports: Ports, master: &MasterKey) -> Self {
        Self { runtime, ports, pepper: SecretKey::new(master.derive("wheelhouse card codes 1")) }
    }

    /// Returns when the change is what the wire goes by.
    pub(crate) async fn settle(&self, receipt: &Receipt) -> Result<(), Refused> {
        let position = Some(receipt.position);
        self.runtime.reads.scoped(&Scope::ALL, position, &[read::PROJECTOR]).await?;
        self.ports.standings.forget();
        Ok(())
    }
}

/// Its routes.
pub fn routes(context: &Context) -> Routes {
    http::routes(context)
}

/// Its read models.
pub fn projectors() -> Vec<Arc<dyn Projector>> {
    vec![Arc::new(read::payment_accounts::PaymentAccountProjector)]
}
