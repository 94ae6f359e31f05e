//! A city of shared e-bikes that speaks only the public ports: MQTT as devices do, the open API as riders' and
//! workers' programs do. The city and its behaviour are pure functions of a seed and of simulated time.

pub mod cards;
pub mod city;
pub mod demo;
pub mod device;
pub mod fences;
pub mod firmware;
pub mod geometry;
pub mod identity;
pub mod mqtt;
pub mod open_api;
pub mod photo;
pub mod replay;
pub mod report;
pub mod rider_cases;
mod rider_habits;
mod rider_money;
pub mod riders;
pub mod schemes;
pub mod theft;
pub mod wall;
pub mod world;
