//! PostgreSQL and NATS as private processes: synchronous, standard library only.

mod disk;
mod fetch;
mod nats;
mod place;
mod port;
mod postgres;
mod process;
mod search;
mod version;

pub use disk::SmallDisk;
pub use fetch::fetch_nats_server;
pub use nats::{AuthCallout, LocalNats, NatsOptions, NatsPorts};
pub use place::Place;
pub use port::{free_port, port_is_free};
pub use postgres::{LocalPostgres, PostgresOptions};
pub use process::{Signal, Supervised, http_get_ok, send_signal};
pub use search::{find_faketime, find_nats_server, find_postgres, is_root, on_path};
pub use version::{NatsVersion, NotANatsVersion, OLDEST_NATS};
