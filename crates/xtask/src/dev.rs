//! The server rebuilt on change, and Vite in front of it.

use std::process::{Child, Command};
use std::time::{Duration, SystemTime};

use anyhow::Result;
use testkit::local::{Signal, send_signal};

use crate::packages::newest_in;
use crate::stack::{Plan, Stack, standing_folder};
use crate::{packages, shell, signals};

/// Runs until Ctrl-C.
pub fn dev() -> Result<()> {
    packages::postgres()?;
    packages::node()?;
    std::fs::create_dir_all(standing_folder())?;
    signals::catch()?;
    let mut vite: Option<Vite> = None;
    while !signals::ending() {
        let seen = newest_source();
        match built_stack() {
            Ok(stack) => {
                if vite.is_none() {
                    vite = Some(Vite::start(&stack.url)?);
                }
                watch(stack, seen);
            }
            Err(error) if !signals::ending() => {
                eprintln!("{error:#}\nWaiting for a change.");
                while !signals::ending() && newest_source() == seen {
                    signals::nap(Duration::from_millis(500));
                }
            }
            Err(_) => {}
        }
    }
    Ok(())
}

fn built_stack() -> Result<Stack> {
    shell::run(&mut shell::build_programs())?;
    Stack::start(&Plan {
        folder: standing_folder(),
        binaries: shell::built("debug")?,
        port: None,
        bikes: Some(300),
        fixed_code: None,
        other_names: false,
        lucky: false,
        take_environment: true,
    })
}

/// Until a source changes, a part ends or somebody asks us to end.
fn watch(mut stack: Stack, seen: Option<SystemTime>) {
    println!("Server: {} (log: {}). Watching for changes.", stack.url, stack.server_log().display());
    loop {
        signals::nap(Duration::from_millis(500));
        if signals::ending() || newest_source() != seen {
            return stack.stop();
        }
        if let Err(error) = stack.check() {
            eprintln!("{error:#}\nWaiting for a change.");
            while !signals::ending() && newest_source() == seen {
                signals::nap(Duration::from_millis(500));
            }
            return stack.stop();
        }
    }
}

fn newest_source() -> Option<SystemTime> {
    ["crates", "migrations", "nats", "Cargo.toml"]
        .iter()
        .filter_map(|name| newest_in(&shell::root().join(name)))
        .max()
}

/// Vite's development server; ended with this value.
struct Vite(Child);

impl Vite {
    fn start(server: &str) -> Result<Self> {
        let mut command: Command = shell::in_web("npx");
        Ok(Self(command.args(["--no-install", "vite"]).env("WHEELHOUSE_URL", server).spawn()?))
    }
}

impl Drop for Vite {
    fn drop(&mut self) {
        send_signal(self.0.id(), Signal::Term);
        let _ = self.0.wait();
    }
}
