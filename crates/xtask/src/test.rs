//! Every test there is.

use std::process::Command;
use std::sync::Arc;
use std::thread;

use anyhow::{Result, ensure};
use testkit::local::{
    LocalNats, LocalPostgres, NatsOptions, Place, PostgresOptions, find_nats_server, on_path,
};

use crate::suites::{Count, run_suite, run_suite_aside};
use crate::{TestArgs, packages, shell};

/// Runs all suites and prints the sum as the last line.
pub fn test(args: &TestArgs) -> Result<()> {
    let count = suites(args)?;
    count.print();
    ensure!(count.failed == 0, "tests failed");
    Ok(())
}

/// Runs all suites.
pub fn suites(args: &TestArgs) -> Result<Count> {
    let rust_only = args.no_web || !args.filter.is_empty();
    if !args.containers {
        packages::postgres()?;
    }
    packages::faketime()?;
    let folders = Folders::named()?;
    if !rust_only {
        packages::web_build()?;
    }
    let web_units = || {
        if rust_only {
            return Ok(Count::default());
        }
        run_suite_aside("web unit tests", shell::in_web("npm").args(["test"]))
    };
    let mut total = rust(args, &folders, web_units)?;
    if !rust_only && !args.no_browser {
        let mut command = shell::in_web("npx");
        // Once more for what failed, and told: a browser on a busy machine is late now and then.
        command
            .args(["--no-install", "playwright", "test", "--retries=1"])
            .env("CHROMIUM", packages::browser()?)
            .env("WHEELHOUSE_BINARIES", shell::built("debug")?);
        total = total.and(run_suite("browser tests", &mut command)?);
    }
    for (name, tests) in folders.absent() {
        println!("\n!! {name} is not set: the tests `{tests}` DID NOT RUN.");
    }
    if rust_only {
        println!("\n!! Web unit tests and browser tests DID NOT RUN (as asked).");
    } else if args.no_browser {
        println!("\n!! Browser tests DID NOT RUN (as asked).");
    }
    Ok(total)
}

/// Folders outside of the project, by the variable that names each, and the tests that read it. These are marked as
/// ignored, so that nothing counts as passed where the folder is not.
const OUTSIDE: [(&str, &str); 2] =
    [("WHEELHOUSE_DATA", "real_data::"), ("WHEELHOUSE_SPEC", "specification::")];

/// As many rounds of faults as are asked for, played by `cargo xtask faults`; three are tests like others.
const ROUNDS: &str = "rounds::whatever_goes_wrong";

struct Folders(Vec<(&'static str, &'static str, Option<String>)>);

impl Folders {
    fn named() -> Result<Self> {
        let named = OUTSIDE.into_iter().map(|(name, tests)| Ok((name, tests, packages::folder(name)?)));
        Ok(Self(named.collect::<Result<_>>()?))
    }

    fn absent(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.0.iter().filter(|(_, _, folder)| folder.is_none()).map(|(name, tests, _)| (*name, *tests))
    }

    fn environment(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.0.iter().filter_map(|(name, _, folder)| Some((*name, folder.clone()?)))
    }

    /// Options of both runners: all tests but those whose folder is not here.
    fn options(&self) -> Vec<&'static str> {
        let absent = self.absent().flat_map(|(_, tests)| ["--skip", tests]);
        ["--include-ignored", "--skip", ROUNDS].into_iter().chain(absent).collect()
    }
}

/// Tests of Rust, which wait a good deal; beside them its examples, which do not, and then `others`.
fn rust(args: &TestArgs, folders: &Folders, others: impl FnOnce() -> Result<Count> + Send) -> Result<Count> {
    if args.containers {
        images()?;
    }
    // Held until the last test has ended.
    let servers = (!args.containers).then(Servers::start).transpose()?;
    let mut environment = match &servers {
        Some(servers) => servers.environment()?,
        None => vec![("WHEELHOUSE_TEST_CONTAINERS", "1".into())],
    };
    environment.extend(folders.environment());
    let prepared = |mut command: Command| {
        if args.containers {
            command.env_remove("DATABASE_URL").env_remove("NATS_URL");
        }
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        // Errors that tests provoke by the hundred do not look up where they come from; a panic does.
        command.env("RUST_LIB_BACKTRACE", "0");
        command
    };
    // All targets at once: the tests, and the binaries that browser tests start.
    shell::run(&mut shell::build_all())?;
    // In containers the tests of one process share a pair, so they run in few processes.
    let nextest = on_path("cargo-nextest").is_some() && !args.containers;
    let mut command = prepared(shell::cargo());
    if nextest {
        command.args(["nextest", "run", "--workspace", "--no-fail-fast"]).args(&args.filter);
        if !args.filter.is_empty() {
            command.arg("--no-tests=pass");
        }
        command.arg("--").args(folders.options());
    } else {
        command.args(["test", "--workspace", "--all-targets", "--no-fail-fast", "--"]);
        command.args(&args.filter).args(folders.options());
    }
    let aside = || {
        let mut total = Count::default();
        if args.filter.is_empty() {
            let mut examples = prepared(shell::cargo());
            examples.args(["test", "--workspace", "--doc"]);
            total = run_suite_aside("Rust documentation examples", &mut examples)?;
        }
        Ok(total.and(others()?))
    };
    thread::scope(|scope| {
        let aside = scope.spawn(aside);
        let tests = run_suite("Rust tests", &mut command);
        let aside: Result<Count> = aside.join().expect("what fails says so");
        Ok(tests?.and(aside?))
    })
}

/// Tests make and drop databases of hundreds of files by the thousand: on a real disk they wait for it most of all. What is not
/// written takes no memory.
const DISK_MB: u32 = 4_096;

/// Of the PostgreSQL of all tests.
const SETTINGS: &[(&str, &str)] = &[
    // A server may have 43, and as many tests as run at a time may have two servers each.
    ("max_connections", "800"),
    // A database lives for seconds: nothing of it is worth tidying up or naming to a standby.
    ("autovacuum", "off"),
    ("update_process_title", "off"),
    ("wal_level", "minimal"),
    ("max_wal_senders", "0"),
];

/// One PostgreSQL and one NATS for all test processes, where the environment names none.
struct Servers {
    nats: Option<LocalNats>,
    postgres: Option<LocalPostgres>,
}

impl Servers {
    fn start() -> Result<Self> {
        let named = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let place = Arc::new(Place::throw_away()?);
        let options =
            PostgresOptions { disk_mb: Some(DISK_MB), settings: SETTINGS, ..PostgresOptions::default() };
        let postgres = (!named("DATABASE_URL"))
            .then(|| LocalPostgres::start(Arc::clone(&place), options))
            .transpose()?;
        let nats =
            (!named("NATS_URL")).then(|| LocalNats::start(place, NatsOptions::default())).transpose()?;
        Ok(Self { nats, postgres })
    }

    fn environment(&self) -> Result<Vec<(&'static str, String)>> {
        // Tests that start servers of their own use the same program.
        let mut environment = vec![("WHEELHOUSE_NATS_SERVER", find_nats_server()?.display().to_string())];
        if let Some(server) = &self.postgres {
            environment.push(("DATABASE_URL", server.url()));
        }
        if let Some(server) = &self.nats {
            environment.push(("NATS_URL", server.url()));
            environment.push(("WHEELHOUSE_TEST_MQTT", server.mqtt_addr()));
        }
        Ok(environment)
    }
}

/// The images that containers are made of: pulled, or made here when no registry answers.
fn images() -> Result<()> {
    for image in ["postgres:17-alpine", "nats:2.12-alpine"] {
        let ok =
            |words: &[&str]| shell::command("docker").args(words).output().is_ok_and(|o| o.status.success());
        ensure!(ok(&["version"]), "--containers needs a container engine that answers `docker version`");
        if !ok(&["image", "inspect", image]) && !ok(&["pull", image]) {
            eprintln!("{image} is not here and no registry gives it: making both images here.");
            return shell::run(&mut shell::command(shell::root().join(".ci/images.sh")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_whose_folder_is_not_here_are_left_out_and_named() {
        let folders = |data: Option<&str>| {
            Folders(vec![
                ("DATA", "real_data::", data.map(str::to_owned)),
                ("SPEC", "specification::", Some("/s".into())),
            ])
        };
        assert_eq!(folders(None).options(), ["--include-ignored", "--skip", ROUNDS, "--skip", "real_data::"]);
        assert_eq!(folders(None).absent().collect::<Vec<_>>(), [("DATA", "real_data::")]);
        assert_eq!(folders(None).environment().collect::<Vec<_>>(), [("SPEC", "/s".to_owned())]);
        assert_eq!(folders(Some("/d")).options(), ["--include-ignored", "--skip", ROUNDS]);
    }
}
