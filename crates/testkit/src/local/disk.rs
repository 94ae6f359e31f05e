//! A small disk of one server alone, to be filled.

use std::fs::{self, File, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::place::Place;

const CHUNK: usize = 1 << 20;

/// A file system of its own in memory. It goes with its place.
#[derive(Debug)]
pub struct SmallDisk {
    path: PathBuf,
}

impl SmallDisk {
    /// Mounts it in `place`, whose watchdog takes it away: root may, where nothing forbids it.
    pub fn mount(place: &Place, size_mb: u32) -> Result<Self> {
        let path = place.path().join("small-disk");
        fs::create_dir(&path).with_context(|| format!("cannot make {}", path.display()))?;
        let size = format!("size={size_mb}m");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(&path);
        let output = mount.output().context("cannot run mount")?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
        fs::set_permissions(&path, Permissions::from_mode(0o755))?;
        Ok(Self { path })
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes all that is left of it.
    pub fn fill(&self) -> Result<()> {
        let mut file = File::create(self.ballast())?;
        let mut chunk = CHUNK;
        // What no chunk fits into any more takes smaller ones.
        while chunk > 0 {
            match file.write_all(&vec![0; chunk]) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::StorageFull => chunk /= 2,
                Err(error) => return Err(error).context("cannot fill the disk"),
            }
        }
        Ok(())
    }

    /// Gives back what [`Self::fill`] took.
    pub fn empty(&self) -> Result<()> {
        fs::remove_file(self.ballast()).context("the disk was not filled")
    }

    fn ballast(&self) -> PathBuf {
        self.path.join("ballast")
    }
}
