//! Read models.

pub mod anomalies;
pub mod blacklist;
pub mod card_holdings;
pub mod card_products;
pub mod certifications;
pub mod configs;
pub mod mispricings;
pub mod orders;
pub mod payments;
pub mod priced;
pub mod priced_orders;
pub mod rebindings;
pub mod return_reviews;
pub mod riders;
pub mod wallets;
pub mod wrong_versions;
