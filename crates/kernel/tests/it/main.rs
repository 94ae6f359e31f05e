//! The kernel's behaviour on a real PostgreSQL and a real NATS.

mod support;

mod append_only;
mod begin;
mod checkpoints;
mod cutter;
mod database_roles;
mod desk;
mod doubt;
mod feed;
mod frozen;
mod groups;
mod leases;
mod lists;
mod migrations;
mod months;
mod outage;
mod personal;
mod projecting;
mod reacting;
mod rebuild;
mod relay;
mod relay_faults;
mod requests;
mod restore;
mod scope;
mod sharing;
mod stalls;
mod tailing;
mod transact;
mod verify;
mod versions;
mod went_back;
mod writer;
