//! The routes of the context.

pub mod anomalies;
pub mod blacklist;
pub mod card_holdings;
pub mod card_products;
pub mod card_simulation;
pub mod certifications;
pub mod configs;
pub mod daily;
mod daily_shapes;
pub mod fare_preview;
pub mod mispricings;
pub mod misses;
pub mod open_cards;
pub mod open_configs;
pub mod open_payments;
pub mod open_riders;
pub mod open_rides;
pub mod order_acts;
pub mod order_info;
pub mod orders;
pub mod rebindings;
pub mod return_reviews;
pub mod revenue_entries;
pub mod rider_info;
pub mod riders;
pub mod wallets;
