//! Riding: riders, what they ride and what it costs. Their money is booked in `ledger`, together with the event that moves it.

pub mod app;
pub mod case_upkeep;
pub mod demo;
pub mod http;
mod keys;
pub mod misses;
pub mod model;
pub mod payment_watch;
pub mod ports;
pub mod read;
pub mod sweeping;

use std::sync::Arc;

use approvals::Deed;
use kernel::runtime::Runtime;
use kernel::{Folded, MasterKey, Projector};
use wire::{Hosted, Routes};

pub use crate::keys::RiderKeys;
use crate::misses::Misses;
use crate::ports::Ports;

/// The context, put together once.
#[derive(Clone)]
pub struct Context {
    /// The kernel.
    pub runtime: Runtime,
    /// The ports.
    pub ports: Ports,
    /// Under which phones and identities are told apart.
    pub keys: RiderKeys,
    /// Missed orders that are still to be kept.
    pub misses: Misses,
}

impl Context {
    /// Puts the context together.
    pub fn new(runtime: Runtime, ports: Ports, master: &MasterKey) -> Self {
        Self { runtime, ports, keys: RiderKeys::new(master), misses: Misses::default() }
    }
}

impl Hosted for Context {
    fn runtime(&self) -> &Runtime {
        &self.runtime
    }
}

/// Its routes.
pub fn routes(context: &Context) -> Routes {
    http::open_riders::routes(context)
        .merge(http::blacklist::routes(context))
        .merge(http::certifications::routes(context))
        .merge(http::rebindings::routes(context))
        .merge(http::open_rides::routes(context))
        .merge(http::open_payments::routes(context))
        .merge(http::card_products::routes(context))
        .merge(http::card_simulation::routes(context))
        .merge(http::card_holdings::routes(context))
        .merge(http::open_cards::routes(context))
        .merge(http::configs::routes(context))
        .merge(http::fare_preview::routes(context))
        .merge(http::open_configs::routes(context))
        .merge(http::orders::routes(context))
        .merge(http::order_info::routes(context))
        .merge(http::order_acts::routes(context))
        .merge(http::anomalies::routes(context))
        .merge(http::misses::routes(context))
        .merge(http::mispricings::routes(context))
        .merge(http::return_reviews::routes(context))
        .merge(http::riders::routes(context))
        .merge(http::rider_info::routes(context))
        .merge(http::wallets::routes(context))
        .merge(http::daily::routes(context))
        .merge(http::revenue_entries::routes(context))
}

/// What of it may need a second person.
pub fn deeds(runtime: &Runtime) -> Vec<Arc<dyn Deed>> {
    let mut all = app::order_deeds(runtime);
    all.push(Arc::new(app::AdjustWallet::new(runtime.clone())));
    all.push(Arc::new(app::RefundMispricing::new(runtime.clone())));
    all
}

/// Its read models.
pub fn projectors() -> Vec<Arc<dyn Projector>> {
    vec![
        Arc::new(Folded::<read::riders::RiderRow>::new()),
        Arc::new(read::orders::Orders),
        Arc::new(Folded::<read::anomalies::ReconciliationRow>::new()),
        Arc::new(Folded::<read::payments::PaymentRow>::new()),
        Arc::new(read::mispricings::Mispricings),
        Arc::new(read::configs::Configs),
        Arc::new(read::card_products::CardProducts),
        Arc::new(read::card_holdings::CardHoldings),
        Arc::new(Folded::<read::blacklist::BlacklistRow>::new()),
        Arc::new(Folded::<read::certifications::CertificationRow>::new()),
        Arc::new(Folded::<read::rebindings::RebindingRow>::new()),
        Arc::new(Folded::<read::return_reviews::ReturnReviewRow>::new()),
        Arc::new(read::revenue::RevenueDays),
    ]
}
