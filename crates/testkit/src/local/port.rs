//! Ports nobody else uses.
//!
//! A server is told its port before it listens there, and is stopped and started again on the same one. Meanwhile
//! nobody may take it: neither an outgoing connection, which gets any port of the kernel's range for these, nor another
//! test. So ports come from below that range, and whoever has one holds a lock on a file named after it.

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};

/// Where Linux begins to choose ports for outgoing connections (`net.ipv4.ip_local_port_range`), and we end.
const END: u16 = 32_768;
/// Where we begin: above the ports that services are known by.
const BEGIN: u16 = 12_000;

/// The locks of this process, held until it ends.
static HELD: Mutex<Vec<File>> = Mutex::new(Vec::new());

/// A free TCP port on 127.0.0.1 that no other caller gets, in this process or another one, until this process ends.
pub fn free_port() -> Result<u16> {
    free_port_in(&std::env::temp_dir().join("wheelhouse-ports"), &HELD)
}

fn free_port_in(folder: &Path, held: &Mutex<Vec<File>>) -> Result<u16> {
    if !folder.is_dir() {
        // Others may have made it meanwhile; and whoever they are, all take part, as in any folder for temporary files.
        let _ = fs::create_dir(folder);
        let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o1777));
    }
    ensure!(folder.is_dir(), "cannot make {}", folder.display());
    let count = u32::from(END - BEGIN);
    // Processes that start one after another begin far from each other.
    let begin = std::process::id().wrapping_mul(7_919) % count;
    for step in 0..count {
        let port = BEGIN + u16::try_from((begin + step) % count).context("a port has 16 bits")?;
        // A file that cannot be opened is another user's.
        let Ok(file) = File::options().create(true).append(true).open(folder.join(port.to_string())) else {
            continue;
        };
        if file.try_lock().is_ok() && port_is_free(port) {
            held.lock().unwrap_or_else(PoisonError::into_inner).push(file);
            return Ok(port);
        }
    }
    anyhow::bail!("no free TCP port on 127.0.0.1 between {BEGIN} and {END}")
}

/// Whether `port` can be listened on at 127.0.0.1 right now.
pub fn port_is_free(port: u16) -> bool {
    TcpListener::bind(("127.0.0.1", port)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::super::Place;
    use super::*;

    #[test]
    fn a_port_is_given_to_one_only_until_its_holder_has_ended_and_nobody_listens_there() {
        let folder = Place::throw_away().expect("a folder");
        let (mine, others) = (Mutex::default(), Mutex::default());
        let first = free_port_in(folder.path(), &mine).expect("a port");
        assert_ne!(free_port_in(folder.path(), &others).expect("another port"), first);
        drop(mine);
        let listener = TcpListener::bind(("127.0.0.1", first)).expect("to listen there");
        assert_ne!(free_port_in(folder.path(), &others).expect("a third port"), first);
        drop(listener);
        assert_eq!(free_port_in(folder.path(), &others).expect("the first port again"), first);
    }
}
