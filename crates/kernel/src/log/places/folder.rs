//! Statements as files, one for each, ten thousand in a folder. A file is made or lengthened, never written over, so that
//! the folder may forbid everything else (`chattr +a`, a medium that is written once, a share of another machine).

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;

use super::{Place, PlaceError, json, parse};
use crate::log::statement::Statement;

const IN_A_FOLDER: u64 = 10_000;

/// How often a writer looks whether another one has finished the same file, and how long it waits in between.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(10);

/// A folder of statements.
pub struct Folder {
    root: PathBuf,
    name: String,
}

impl Folder {
    /// Under `root`, which is made when it is needed.
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), name: root.display().to_string() }
    }

    async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> std::io::Result<T> + Send + 'static,
    ) -> Result<T, PlaceError> {
        let root = self.root.clone();
        let done = tokio::task::spawn_blocking(move || work(&root)).await;
        done.map_err(|error| PlaceError::away(&self.name, error))?
            .map_err(|error| PlaceError::away(&self.name, error))
    }
}

fn file(root: &Path, number: u64) -> PathBuf {
    root.join(format!("{:08}", number / IN_A_FOLDER)).join(format!("{number:012}.json"))
}

/// The highest number among the names in a folder; nothing when it is empty or not there.
fn highest(folder: &Path, suffix: &str) -> std::io::Result<Option<u64>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut highest = None;
    for entry in entries {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.strip_suffix(suffix)?.parse::<u64>().ok());
        highest = highest.max(number);
    }
    Ok(highest)
}

/// The file's text if it is whole: its last byte is the end of a line. A file that a crash cut short is as good as none.
fn whole(file: &Path) -> std::io::Result<Option<Vec<u8>>> {
    match std::fs::read(file) {
        Ok(bytes) => Ok(Some(bytes).filter(|bytes| bytes.ends_with(b"\n"))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn last(root: &Path) -> std::io::Result<u64> {
    let Some(folder) = highest(root, "")? else { return Ok(0) };
    let Some(number) = highest(&root.join(format!("{folder:08}")), ".json")? else {
        return Ok((folder * IN_A_FOLDER).saturating_sub(1));
    };
    Ok(if whole(&file(root, number))?.is_some() { number } else { number.saturating_sub(1) })
}

/// Writes the line, or what is missing of it; says whether the file then holds it. Two that write at once, a leader and
/// the one before it, take turns: both would find the file empty, and lengthen it twice.
fn write(root: &Path, number: u64, line: &[u8]) -> std::io::Result<bool> {
    let path = file(root, number);
    let folder = path.parent().expect("a file of the root");
    std::fs::create_dir_all(folder)?;
    let mut out = std::fs::OpenOptions::new().read(true).append(true).create(true).open(&path)?;
    take_turn(&out)?;
    let mut there = Vec::new();
    out.read_to_end(&mut there)?;
    let Some(missing) = line.strip_prefix(&there[..]) else { return Ok(false) };
    out.write_all(missing)?;
    out.sync_all()?;
    std::fs::File::open(folder)?.sync_all()?;
    Ok(true)
}

/// Locks a file until it is closed; a process that hangs with its turn is not waited for.
fn take_turn(file: &std::fs::File) -> std::io::Result<()> {
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(std::fs::TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(std::fs::TryLockError::Error(error)) => return Err(error),
        }
    }
    Err(std::io::Error::new(ErrorKind::TimedOut, "another process keeps the file"))
}

#[async_trait]
impl Place for Folder {
    fn name(&self) -> &str {
        &self.name
    }

    async fn last(&self) -> Result<u64, PlaceError> {
        self.aside(last).await
    }

    async fn get(&self, number: u64) -> Result<Option<Statement>, PlaceError> {
        let bytes = self.aside(move |root| whole(&file(root, number))).await?;
        bytes.map(|bytes| parse(&self.name, number, &bytes)).transpose()
    }

    async fn put(&self, statement: &Statement) -> Result<(), PlaceError> {
        let (number, line) = (statement.number(), json(statement) + "\n");
        let kept = self.aside(move |root| write(root, number, line.as_bytes())).await?;
        if kept { Ok(()) } else { Err(PlaceError::occupied(&self.name, number)) }
    }
}
