//! What decides. Pure: no database, no HTTP, no clock.

pub mod alarm_rules;
pub mod anomaly;
pub mod billing;
pub mod blacklist;
pub mod card;
pub mod card_money;
pub mod card_product;
pub mod card_simulation;
pub mod certainty;
pub mod certification;
pub mod config;
pub mod fare;
#[cfg(test)]
mod fare_tests;
mod holding_parts;
pub mod holdings;
pub mod mispricing;
pub mod mispricing_case;
pub mod miss;
pub mod money;
pub mod movement;
pub mod order;
pub mod order_terms;
#[cfg(test)]
mod order_tests;
pub mod outcome;
pub mod pay_rules;
pub mod payment;
pub mod per_bike;
pub mod rebinding;
pub mod reminder;
pub mod return_review;
pub mod return_rules;
pub mod revenue;
pub mod revenue_figures;
#[cfg(test)]
mod revenue_tests;
pub mod review;
pub mod rider;
#[cfg(test)]
mod rider_tests;
pub mod riding_permission;
#[cfg(test)]
mod setting_tests;
pub mod simulation;
pub mod use_rules;
