//! `run` for people and `stack` for browser tests.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::process::parent_id;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use testkit::local::{Place, free_port};

use crate::stack::{ADMIN_PHONE, Plan, Stack, standing_folder};
use crate::{RunArgs, StackArgs, packages, shell, signals};

/// Builds and starts everything and waits for Ctrl-C.
pub fn run(args: &RunArgs) -> Result<()> {
    packages::postgres()?;
    packages::web_build()?;
    let mut build = shell::build_programs();
    if args.release {
        build.arg("--release");
    }
    shell::run(&mut build)?;
    let plan = Plan {
        folder: standing_folder(),
        binaries: shell::built(if args.release { "release" } else { "debug" })?,
        port: args.port,
        bikes: (!args.no_simulator).then_some(args.bikes),
        fixed_code: None,
        other_names: false,
        lucky: false,
        take_environment: true,
    };
    fs::create_dir_all(&plan.folder)?;
    let _only = only_one(&plan.folder)?;
    signals::catch()?;
    let mut stack = Stack::start(&plan)?;
    let mut log = Follow::from_the_end(stack.server_log())?;
    println!(
        "\nWheelhouse: {}\nLog in with the phone {ADMIN_PHONE}; the SMS code is shown here.\n\
         Logs: {}\nCtrl-C ends it.\n",
        stack.url,
        stack.logs().join(", "),
    );
    while !signals::ending() {
        log.print_new(worth_showing)?;
        stack.check()?;
        signals::nap(Duration::from_millis(200));
    }
    eprintln!("Stopping.");
    stack.stop();
    Ok(())
}

/// The complete stack on a fresh state, until SIGTERM, the end of standard input (when that is a
/// pipe) or the end of whoever started it.
pub fn stack(args: &StackArgs) -> Result<()> {
    const CODE: &str = "135790";
    signals::catch()?;
    let starter = parent_id();
    // Declared before the stack, so that it vanishes after it.
    let vanishing;
    let folder = if let Some(named) = &args.state {
        std::path::absolute(named)?
    } else {
        vanishing = Place::throw_away()?;
        vanishing.path().to_owned()
    };
    empty(&folder)?;
    let binaries = if let Some(named) = std::env::var_os("WHEELHOUSE_BINARIES") {
        PathBuf::from(named)
    } else {
        packages::postgres()?;
        packages::web_build()?;
        shell::run(&mut shell::build_programs())?;
        shell::built("debug")?
    };
    let plan = Plan {
        folder,
        binaries,
        port: Some(free_port()?),
        bikes: Some(args.bikes).filter(|bikes| *bikes > 0),
        fixed_code: Some(CODE),
        other_names: true,
        lucky: true,
        take_environment: false,
    };
    let mut stack = Stack::start(&plan)?;
    let ready = json!({
        "url": stack.url,
        "admin_phone": ADMIN_PHONE,
        "sms_code": CODE,
        "mqtt": stack.mqtt,
        "simulator": plan.binaries.join("simulator"),
        "machine_token_file": plan.bikes.is_some().then(|| plan.folder.join("state").join("simulator.token")),
        "server_log": stack.server_log(),
        "server_pid": stack.server_pid(),
        "simulator_log": stack.simulator_log(),
    });
    if args.json {
        println!("{ready}");
    } else {
        println!("{ready:#}");
    }
    io::stdout().flush()?;
    if fs::metadata("/dev/stdin").is_ok_and(|meta| meta.file_type().is_fifo() || meta.file_type().is_socket())
    {
        std::thread::spawn(|| {
            let mut ignored = [0_u8; 256];
            while io::stdin().read(&mut ignored).is_ok_and(|length| length > 0) {}
            signals::end();
        });
    }
    while !signals::ending() && parent_id() == starter {
        stack.check()?;
        signals::nap(Duration::from_millis(200));
    }
    stack.stop();
    Ok(())
}

/// Removes an earlier stack's state; anything else in the way is left alone and refused.
fn empty(folder: &Path) -> Result<()> {
    let mark = folder.join(".wheelhouse-stack");
    if folder.exists() && fs::read_dir(folder)?.next().is_some() {
        ensure!(mark.is_file(), "{} holds something that is not ours", folder.display());
        // Ends servers that a killed stack left behind.
        drop(Place::kept(&folder.join("servers"))?);
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    fs::write(mark, "").with_context(|| format!("cannot write in {}", folder.display()))
}

/// Held while a stack runs in `folder`; the lock goes with the process, however it ends.
fn only_one(folder: &Path) -> Result<File> {
    let file = File::options().create(true).truncate(false).write(true).open(folder.join("run.lock"))?;
    ensure!(file.try_lock().is_ok(), "it runs already in this checkout (.wheelhouse/run.lock is held)");
    Ok(file)
}

/// Of the server's log, what somebody at the console wants: login codes and trouble.
fn worth_showing(line: &str) -> bool {
    let low = line.to_ascii_lowercase();
    ["sms", "验证码", "warn", "error"].iter().any(|word| low.contains(word))
}

/// The lines that come to a growing file.
struct Follow {
    reader: BufReader<File>,
    part: String,
}

impl Follow {
    fn from_the_end(path: &Path) -> Result<Self> {
        let mut file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        io::Seek::seek(&mut file, io::SeekFrom::End(0))?;
        Ok(Self { reader: BufReader::new(file), part: String::new() })
    }

    fn print_new(&mut self, wanted: impl Fn(&str) -> bool) -> Result<()> {
        loop {
            let length = self.reader.read_line(&mut self.part)?;
            if length == 0 {
                return Ok(());
            }
            if self.part.ends_with('\n') {
                if wanted(&self.part) {
                    print!("{}", self.part);
                }
                self.part.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn login_codes_and_trouble_are_shown_and_the_rest_is_not() {
        assert!(worth_showing("{\"level\":\"INFO\",\"message\":\"SMS code 123456\"}"));
        assert!(worth_showing("验证码 123456"));
        assert!(worth_showing("{\"level\":\"ERROR\",\"message\":\"x\"}"));
        assert!(!worth_showing("{\"level\":\"INFO\",\"message\":\"projector caught up\"}"));
    }
}
