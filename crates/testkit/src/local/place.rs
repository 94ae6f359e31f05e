//! A folder for private servers, and the watchdog that ends them when their owner is gone.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::process::{Signal, send_signal, start_ticks};

/// Waits for its standard input to close, which happens when the owner ends, however it ends;
/// then ends every server named in a pid file whose start time still fits, here and one folder down.
const WATCHDOG: &str = r#"
cat >/dev/null
alive() { [ -r "/proc/$1/stat" ] && [ "$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20)" = "$2" ]; }
for file in "$1"/*.pid "$1"/*/*.pid; do
  [ -f "$file" ] || continue
  read -r pid ticks signal <"$file" || continue
  alive "$pid" "$ticks" && kill -"$signal" "$pid"
done
for file in "$1"/*.pid "$1"/*/*.pid; do
  [ -f "$file" ] || continue
  read -r pid ticks signal <"$file" || continue
  tries=0
  while alive "$pid" "$ticks"; do
    tries=$((tries + 1))
    [ "$tries" -gt 150 ] && kill -KILL "$pid"
    [ "$tries" -gt 200 ] && break
    sleep 0.1
  done
  rm -f "$file"
done
[ -d "$1/small-disk" ] && umount "$1/small-disk"
[ "$2" = throw-away ] && rm -rf "$1"
exit 0
"#;

/// A folder that holds the data, logs and pid files of private servers.
#[derive(Debug)]
pub struct Place {
    path: PathBuf,
    throw_away: bool,
    watchdog: Child,
}

impl Place {
    /// A new folder under the system's folder for temporary files; it vanishes with its owner,
    /// even when the owner is killed.
    pub fn throw_away() -> Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let base = [std::env::temp_dir(), PathBuf::from("/var/tmp")]
            .into_iter()
            .find(|base| passable_by_others(base))
            .context("neither TMPDIR, /tmp nor /var/tmp can be entered by other users")?;
        loop {
            let name = format!("wheelhouse-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
            let path = base.join(name);
            match fs::create_dir(&path) {
                Ok(()) => return Self::at(path, true),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error).with_context(|| format!("cannot make {}", path.display())),
            }
        }
    }

    /// A folder that stays. Servers left over from an owner that died are ended first.
    pub fn kept(path: &Path) -> Result<Self> {
        fs::create_dir_all(path).with_context(|| format!("cannot make {}", path.display()))?;
        let path = path.canonicalize()?;
        end_leftovers(&path);
        Self::at(path, false)
    }

    fn at(path: PathBuf, throw_away: bool) -> Result<Self> {
        // The database server of root's place runs as another user, who must get in.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        let watchdog = Command::new("sh")
            .args(["-c", WATCHDOG, "wheelhouse-watchdog"])
            .arg(&path)
            .arg(if throw_away { "throw-away" } else { "kept" })
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .current_dir("/")
            .process_group(0)
            .spawn()
            .context("cannot start the watchdog (sh)")?;
        Ok(Self { path, throw_away, watchdog })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the folder vanishes with its owner.
    pub fn is_throw_away(&self) -> bool {
        self.throw_away
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        drop(self.watchdog.stdin.take());
        let _ = self.watchdog.wait();
    }
}

/// Whether every folder on the way to `path` (and itself) may be entered by any user.
pub(crate) fn passable_by_others(path: &Path) -> bool {
    path.canonicalize().is_ok_and(|path| {
        path.ancestors()
            .all(|folder| fs::metadata(folder).is_ok_and(|meta| meta.permissions().mode() & 0o001 != 0))
    })
}

fn end_leftovers(path: &Path) {
    let Ok(entries) = fs::read_dir(path) else { return };
    for entry in entries.flatten() {
        let file = entry.path();
        if file.extension().is_none_or(|extension| extension != "pid") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap_or_default();
        let mut words = text.split_whitespace();
        let pid = words.next().and_then(|word| word.parse::<u32>().ok());
        let ticks = words.next().and_then(|word| word.parse::<u64>().ok());
        if let (Some(pid), Some(ticks)) = (pid, ticks) {
            let alive = || start_ticks(pid) == Some(ticks);
            if alive() {
                let signal = if words.next() == Some("INT") { Signal::Int } else { Signal::Term };
                send_signal(pid, signal);
            }
            let begun = Instant::now();
            while alive() {
                if begun.elapsed() > Duration::from_secs(20) {
                    send_signal(pid, Signal::Kill);
                }
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        let _ = fs::remove_file(&file);
    }
}
