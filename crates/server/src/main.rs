//! The binary: configuration, composition, command line.

mod adapters;
mod agents;
mod alarm_rules;
mod area_configs;
mod audit_schemas;
mod auth_callout;
mod authentication;
mod base_map;
mod blocked;
mod checkpoints;
mod config;
mod contact;
mod contexts;
mod demo_orders;
mod descriptors;
mod doctor;
mod feed_settings;
mod finances;
mod health;
mod hourly;
mod identity;
mod live_runtime;
mod maintenance;
mod messages;
mod order_alarms;
mod order_life;
mod payments;
mod pruning;
mod rides;
mod rules_ahead;
mod screens;
mod secrets;
mod serve;
mod site;
mod staff;
mod stores;
mod streams;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};
use vocabulary::{AgentId, AreaId};

use crate::config::{Settings, Stores};
use crate::payments::PaymentSettings;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The back-office of a shared e-bike platform.
#[derive(Parser)]
#[command(name = "wheelhouse", version, about)]
struct Line {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Serves, until SIGTERM or Ctrl-C.
    Serve {
        #[command(flatten)]
        stores: Stores,
        #[command(flatten)]
        settings: Box<Settings>,
    },
    /// Brings the database to the newest schema.
    Migrate {
        #[command(flatten)]
        stores: Stores,
    },
    /// Makes missing secrets, and prints what the NATS configuration needs of them as JSON.
    Secrets {
        /// Folder of the secrets.
        #[arg(long, env = "WHEELHOUSE_STATE_DIR", default_value = ".wheelhouse/state")]
        state_dir: PathBuf,
    },
    /// Machine clients of the open API.
    Machine {
        #[command(subcommand)]
        task: MachineTask,
    },
    /// Recomputes the chain of the log, holds what was signed against it in every place, and names what was changed,
    /// removed or inserted.
    Verify {
        #[command(flatten)]
        stores: Stores,
    },
    /// The key that signs checkpoints.
    CheckpointKey {
        #[command(subcommand)]
        task: KeyTask,
    },
    /// Goes on with a log that went back (a failover, a restore), knowingly: signs that it did, and deletes messages of
    /// EVENTS that tell of what is no more. No server may run meanwhile.
    AcceptRestore {
        #[command(flatten)]
        stores: Stores,
        /// Where the log ends, as `doctor` shows it.
        #[arg(long)]
        head: i64,
    },
    /// Builds read models anew from the log, while the old ones serve.
    Rebuild {
        #[command(flatten)]
        stores: Stores,
        /// Their names.
        names: Vec<String>,
        /// All of them.
        #[arg(long, conflicts_with = "names")]
        all: bool,
    },
    /// Tries a parked stream again, or lets a stopped read model go on.
    Retry {
        #[command(flatten)]
        stores: Stores,
        /// The read model.
        name: String,
        /// Category and id of the stream, as `doctor` shows them; left out: the read model itself.
        stream: Option<String>,
    },
    /// Sends events to NATS again from a position on.
    Relay {
        #[command(flatten)]
        stores: Stores,
        /// The first position to send.
        #[arg(long)]
        from: i64,
    },
    /// Destroys the key of a person's data: what the log says about him can never be read again.
    Forget {
        #[command(flatten)]
        stores: Stores,
        /// Whom, such as `operator:42`.
        subject: String,
        /// Says that this cannot be undone.
        #[arg(long)]
        yes: bool,
    },
    /// Makes up orders of two years, for looking at lists, statistics and rebuilds at size: in an empty database or a demo
    /// city's, in the development profile alone.
    Demo {
        #[command(flatten)]
        stores: Stores,
        #[command(flatten)]
        options: demo_orders::DemoOptions,
    },
    /// Says what is wrong with this installation and how to mend it.
    Doctor {
        #[command(flatten)]
        stores: Stores,
        #[command(flatten)]
        payment: PaymentSettings,
    },
    /// Prints the OpenAPI document.
    Openapi {
        #[command(flatten)]
        stores: Stores,
    },
}

#[derive(Subcommand)]
enum KeyTask {
    /// Makes a new one; the old one signs that, and its public half is kept.
    Rotate {
        #[command(flatten)]
        stores: Stores,
    },
}

#[derive(Subcommand)]
enum MachineTask {
    /// Adds one and writes its service token to a file that only the owner can read.
    Add {
        #[command(flatten)]
        stores: Stores,
        /// Its name.
        #[arg(long)]
        name: String,
        /// Permission codes, separated by commas.
        #[arg(long, value_delimiter = ',', required_unless_present = "preset")]
        codes: Vec<String>,
        /// A named set of codes: `simulator`.
        #[arg(long)]
        preset: Option<String>,
        /// Agents that it is limited to, separated by commas, for open:feeds alone; left out: all.
        #[arg(long, value_delimiter = ',')]
        agents: Vec<AgentId>,
        /// Service areas that it is limited to, separated by commas, for open:feeds alone; left out: all of its agents.
        #[arg(long, value_delimiter = ',')]
        areas: Vec<AreaId>,
        /// Where to write the token; left there when it already works.
        #[arg(long)]
        out: PathBuf,
    },
    /// Makes its token worthless.
    Revoke {
        #[command(flatten)]
        stores: Stores,
        /// Its name.
        #[arg(long)]
        name: String,
    },
}

fn main() -> Result<()> {
    let line = Line::parse();
    start_logging(matches!(line.task, Task::Serve { .. }));
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(run(line.task))
}

async fn run(task: Task) -> Result<()> {
    match task {
        Task::Serve { stores, settings } => Box::pin(serve::serve(&stores, &settings)).await,
        Task::Migrate { stores } => maintenance::migrate(&stores).await,
        Task::Secrets { state_dir } => maintenance::secrets(&state_dir),
        Task::Machine { task: MachineTask::Add { stores, name, codes, preset, agents, areas, out } } => {
            let scope = maintenance::scope(agents, areas);
            maintenance::add_machine(&stores, &name, codes, preset.as_deref(), scope, &out).await
        }
        Task::Machine { task: MachineTask::Revoke { stores, name } } => {
            maintenance::revoke_machine(&stores, &name).await
        }
        Task::Verify { stores } => maintenance::verify(&stores).await,
        Task::CheckpointKey { task: KeyTask::Rotate { stores } } => {
            maintenance::rotate_checkpoint_key(&stores).await
        }
        Task::AcceptRestore { stores, head } => maintenance::accept_restore(&stores, head).await,
        Task::Rebuild { stores, names, all } => maintenance::rebuild(&stores, &names, all).await,
        Task::Retry { stores, name, stream } => maintenance::retry(&stores, &name, stream.as_deref()).await,
        Task::Relay { stores, from } => maintenance::relay(&stores, from).await,
        Task::Forget { stores, subject, yes } => maintenance::forget(&stores, &subject, yes).await,
        Task::Demo { stores, options } => Box::pin(demo_orders::demo(&stores, &options)).await,
        Task::Doctor { stores, payment } => doctor::doctor(&stores, &payment).await,
        Task::Openapi { stores } => maintenance::openapi(&stores).await,
    }
}

/// Lines for people on a terminal, JSON elsewhere; `RUST_LOG` chooses what is told.
fn start_logging(serving: bool) {
    use std::io::IsTerminal;
    let usual = if serving { "info" } else { "warn" };
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(usual));
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    if std::io::stderr().is_terminal() { lines.init() } else { lines.json().flatten_event(true).init() }
}
