//! The real binary with servers of its own, seen from outside: what a browser, a machine, a bike and an administrator
//! of the installation see.

mod access;
mod agents;
mod areas;
mod audit;
mod authorisation;
mod bike;
mod city;
mod client;
mod devices;
mod endpoints;
mod exports;
mod faults;
mod fences;
mod fleet_lists;
mod franchisees;
mod grants;
mod integrity;
mod kinds;
mod nodes;
mod path;
mod payment_accounts;
mod reach;
mod samples;
mod schema;
mod screen;
mod stack;
mod strangers;
mod stream;
mod telemetry;
mod territory;
mod upkeep;
mod walk;
