//! Read models.

pub mod anomalies;
pub mod blacklist;
pub mod card_holdings;
pub mod card_products;
pub mod certifications;
pub mod configs;
pub mod misses;
pub mod orders;
pub mod payments;
pub mod priced;
pub mod rebindings;
pub mod return_reviews;
pub mod revenue;
pub mod revenue_days;
pub mod riders;
pub mod wallets;
