//! A child process with a log, a pid file and a way to end it.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// The signals we send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// End in order.
    Term,
    /// PostgreSQL: end in order without waiting for clients.
    Int,
    /// PostgreSQL: end at once, recover at the next start.
    Quit,
    /// End now, like a power cut.
    Kill,
    /// Hang: the connections stay, and nothing moves.
    Stop,
    /// Go on after [`Self::Stop`].
    Continue,
}

impl Signal {
    /// The name that `kill` takes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Term => "TERM",
            Self::Int => "INT",
            Self::Quit => "QUIT",
            Self::Kill => "KILL",
            Self::Stop => "STOP",
            Self::Continue => "CONT",
        }
    }
}

/// Sends `signal` to `pid`; false when there is no such process (or it is not ours).
pub fn send_signal(pid: u32, signal: Signal) -> bool {
    Command::new("sh")
        .args(["-c", "kill -\"$1\" \"$2\"", "sh", signal.name(), &pid.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// When a process began, in clock ticks since boot: with the pid it names one process for good.
pub(crate) fn start_ticks(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the name in parentheses and may hold spaces.
    stat.rsplit_once(") ")?.1.split(' ').nth(19)?.parse().ok()
}

/// Whether `http://127.0.0.1:<port><path>` answers 200 within a second.
pub fn http_get_ok(port: u16, path: &str) -> bool {
    let ask = || -> std::io::Result<bool> {
        let address = std::net::SocketAddr::from(([127, 0, 0, 1], port));
        let mut stream = TcpStream::connect_timeout(&address, Duration::from_millis(500))?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")?;
        let mut head = [0_u8; 12];
        stream.read_exact(&mut head)?;
        Ok(head.ends_with(b" 200"))
    };
    ask().unwrap_or(false)
}

/// A running child. Ending it is in its owner's hands; dropping it ends it too.
#[derive(Debug)]
pub struct Supervised {
    name: String,
    child: Child,
    log: PathBuf,
    pid_file: PathBuf,
    stop_signal: Signal,
    ended: Option<ExitStatus>,
}

impl Supervised {
    /// Starts `command` in a process group of its own (a Ctrl-C at the terminal reaches only the
    /// parent, which ends its children in order), its output appended to `<folder>/<name>.log`.
    pub fn spawn(name: &str, mut command: Command, folder: &Path, stop_signal: Signal) -> Result<Self> {
        let log = folder.join(format!("{name}.log"));
        let pid_file = folder.join(format!("{name}.pid"));
        // One old log is kept, so that restarts do not grow it without bound.
        if fs::metadata(&log).is_ok_and(|meta| meta.len() > 8 * 1024 * 1024) {
            fs::rename(&log, log.with_extension("log.1"))?;
        }
        let out = File::options()
            .create(true)
            .append(true)
            .open(&log)
            .with_context(|| format!("cannot write {}", log.display()))?;
        let child = command
            .stdin(Stdio::null())
            .stdout(out.try_clone()?)
            .stderr(out)
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot start {name}: {}", command.get_program().display()))?;
        let ticks = start_ticks(child.id()).unwrap_or_default();
        let this = Self { name: name.to_owned(), child, log, pid_file, stop_signal, ended: None };
        fs::write(&this.pid_file, format!("{} {ticks} {}\n", this.pid(), stop_signal.name()))?;
        Ok(this)
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Where its output goes.
    pub fn log(&self) -> &Path {
        &self.log
    }

    /// How it ended, if it did.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        if self.ended.is_none()
            && let Ok(Some(status)) = self.child.try_wait()
        {
            self.ended = Some(status);
            let _ = fs::remove_file(&self.pid_file);
        }
        self.ended
    }

    /// Waits until `ready` says so; an error with the end of the log when the process ends first
    /// or `patience` runs out.
    pub fn wait_until(&mut self, patience: Duration, mut ready: impl FnMut(u32) -> bool) -> Result<()> {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.ended() {
                bail!("{} ended before it was ready ({status}):\n{}", self.name, self.last_words());
            }
            if ready(self.pid()) {
                return Ok(());
            }
            if begun.elapsed() > patience {
                bail!("{} was not ready within {patience:?}:\n{}", self.name, self.last_words());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The last lines of its log.
    pub fn last_words(&self) -> String {
        let text = fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text[text.len().saturating_sub(4000)..]);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(20)..].join("\n")
    }

    /// Asks it to end in its own way, and ends it by force after `patience`.
    pub fn stop(&mut self, patience: Duration) {
        self.end_with(self.stop_signal, patience);
    }

    /// Ends it like a power cut, and waits until it is gone.
    pub fn kill9(&mut self) {
        self.end_with(Signal::Kill, Duration::from_secs(10));
    }

    fn end_with(&mut self, signal: Signal, patience: Duration) {
        if self.ended().is_some() {
            return;
        }
        send_signal(self.pid(), signal);
        let begun = Instant::now();
        while self.ended().is_none() {
            if begun.elapsed() > patience {
                let _ = self.child.kill();
                self.ended = self.child.wait().ok();
                let _ = fs::remove_file(&self.pid_file);
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        self.stop(Duration::from_secs(15));
    }
}
