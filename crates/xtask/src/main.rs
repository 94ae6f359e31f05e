//! Every developer's command. `cargo xtask` alone lists them.

mod bench;
mod ci;
mod coverage;
mod dev;
mod failures;
mod faults;
mod openapi;
mod packages;
mod run;
mod rust_source;
mod schema;
mod shell;
mod signals;
mod stack;
mod suites;
mod test;
mod tidy;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

/// Wheelhouse's developer commands.
#[derive(Parser)]
#[command(name = "cargo xtask", arg_required_else_help = true)]
struct Xtask {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build and start everything with the demo city, and say where it is.
    Run(RunArgs),
    /// Every test there is: Rust, web, browser.
    Test(TestArgs),
    /// What .ci/run calls: formatting, lints, tidy, freshness, web, tests.
    Ci,
    /// The system's rules that a program can check.
    Tidy {
        /// Take new migrations into migrations/checksums.txt (never changes old ones).
        #[arg(long)]
        bless: bool,
    },
    /// A bench against peers, on a durable private PostgreSQL and NATS; `map` and `soak` in headless Chromium.
    Bench {
        /// A binary of bench/, `map` or `soak`.
        name: String,
        /// Passed on to it.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Rounds of faults: what goes wrong follows from a seed, and an oracle looks whether every promise held.
    Faults {
        /// How many.
        #[arg(long, default_value_t = 20)]
        rounds: u64,
        /// The first one's seed; the others count up from it.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// The server, rebuilt on change, and Vite's development server.
    Dev,
    /// Write openapi.json and the web's types from the handlers.
    Openapi {
        /// Change nothing; fail when they are stale.
        #[arg(long)]
        check: bool,
    },
    /// Ask the running product everything that openapi.json allows, and what it does not (schemathesis).
    Schema,
    /// For each row's id of a table: does a test name it?
    Coverage {
        /// Tab-separated, with a heading line; the ids stand in the column `id` (else the first).
        file: PathBuf,
    },
    /// The complete stack with a fresh state for browser tests; one JSON line when it is ready.
    #[command(hide = true)]
    Stack(StackArgs),
}

/// `run`'s options.
#[derive(Args)]
pub struct RunArgs {
    /// How many bikes the demo city has.
    #[arg(long, default_value_t = 2000)]
    pub bikes: u32,
    /// The HTTP port; by default the one used last, 8080 or any free one.
    #[arg(long)]
    pub port: Option<u16>,
    /// Start without the demo city.
    #[arg(long)]
    pub no_simulator: bool,
    /// Build with optimizations.
    #[arg(long)]
    pub release: bool,
}

/// `test`'s options.
#[derive(Args, Default)]
pub struct TestArgs {
    /// PostgreSQL and NATS of the Rust tests from containers.
    #[arg(long)]
    pub containers: bool,
    /// Neither web unit tests nor browser tests.
    #[arg(long)]
    pub no_web: bool,
    /// No browser tests.
    #[arg(long)]
    pub no_browser: bool,
    /// Only Rust tests whose names hold one of these (no web tests then).
    pub filter: Vec<String>,
}

/// `stack`'s options.
#[derive(Args)]
pub struct StackArgs {
    /// The folder for all state; an earlier stack's state in it is removed first. By default a
    /// folder that vanishes at the end.
    #[arg(long)]
    pub state: Option<PathBuf>,
    /// Print one line of JSON when ready.
    #[arg(long)]
    pub json: bool,
    /// How many bikes the demo city has; 0 for none.
    #[arg(long, default_value_t = 300)]
    pub bikes: u32,
}

fn main() -> ExitCode {
    let done = match Xtask::parse().command {
        Command::Run(args) => run::run(&args),
        Command::Test(args) => test::test(&args),
        Command::Ci => ci::ci(),
        Command::Tidy { bless } => tidy::tidy(bless),
        Command::Bench { name, arguments } => bench::bench(&name, &arguments),
        Command::Faults { rounds, seed } => faults::faults(rounds, seed),
        Command::Dev => dev::dev(),
        Command::Openapi { check } => openapi::openapi(check),
        Command::Schema => schema::schema(),
        Command::Coverage { file } => coverage::coverage(&file),
        Command::Stack(args) => run::stack(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
