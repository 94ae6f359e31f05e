//! The file: lines that are added, and now and then all of them anew.
//!
//! What was written outlives the process, however it ends; a power cut may take the last moments.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::entry::Entry;

/// Below this size it is never written anew, bytes.
const SMALL: u64 = 64 * 1024 * 1024;

/// An open file that nobody else writes.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    length: u64,
    /// Bytes after which it is worth to be written anew.
    large: u64,
    _only: File,
}

impl Journal {
    /// Opens the file and reads what it says, in order. A last line that was not written to its end was never answered, and is
    /// cut off.
    pub fn open(path: &Path, mut each: impl FnMut(Entry)) -> Result<Self> {
        let shown = path.display();
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        let lock = path.with_extension("lock");
        let only = private(&lock).with_context(|| format!("cannot write {}", lock.display()))?;
        ensure!(only.try_lock().is_ok(), "another process keeps {shown}");
        let mut file = private(path).with_context(|| format!("cannot write {shown}"))?;
        let mut lines = BufReader::new(&file);
        let mut length = 0;
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            lines.read_until(b'\n', &mut line).with_context(|| format!("cannot read {shown}"))?;
            if line.last() != Some(&b'\n') {
                break;
            }
            each(serde_json::from_slice(&line).with_context(|| format!("{shown}, line {number}"))?);
            length += line.len() as u64;
        }
        file.set_len(length)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Self { path: path.to_owned(), file, length, large: SMALL.max(2 * length), _only: only })
    }

    /// Adds lines, all or none.
    pub fn add(&mut self, entries: &[Entry]) -> Result<()> {
        let text = lines(entries);
        if let Err(error) = self.file.write_all(&text) {
            // Half a line would be joined to the next one.
            self.file.set_len(self.length)?;
            self.file.seek(SeekFrom::End(0))?;
            return Err(error).with_context(|| format!("cannot write {}", self.path.display()));
        }
        self.length += text.len() as u64;
        Ok(())
    }

    /// Whether it holds much more than what is still of use.
    pub fn is_large(&self) -> bool {
        self.length > self.large
    }

    /// Writes it anew.
    pub fn replace(&mut self, entries: &[Entry]) -> Result<()> {
        // Where this fails, it is not tried again at each line.
        self.large = self.large.saturating_mul(2);
        let fresh = self.path.with_extension("new");
        let mut file = private(&fresh).with_context(|| format!("cannot write {}", fresh.display()))?;
        file.set_len(0)?;
        let text = lines(entries);
        file.write_all(&text)?;
        file.sync_all()?;
        fs::rename(&fresh, &self.path)
            .with_context(|| format!("cannot put {} in place", self.path.display()))?;
        (self.file, self.length) = (file, text.len() as u64);
        self.large = SMALL.max(2 * self.length);
        Ok(())
    }
}

fn lines(entries: &[Entry]) -> Vec<u8> {
    let mut text = Vec::new();
    for entry in entries {
        serde_json::to_writer(&mut text, entry).expect("plain data");
        text.push(b'\n');
    }
    text
}

/// Payers' names are nobody else's business.
fn private(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    File::options().read(true).write(true).create(true).truncate(false).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use vocabulary::Timestamp;

    use super::*;

    fn closed(number: usize) -> Entry {
        Entry::Closed { trade_no: format!("T{number}").parse().unwrap(), at: Timestamp::from_millis(7) }
    }

    fn read(path: &Path) -> (Journal, Vec<Entry>) {
        let mut entries = Vec::new();
        let journal = Journal::open(path, |entry| entries.push(entry)).unwrap();
        (journal, entries)
    }

    #[test]
    fn what_was_added_is_read_again_and_a_torn_line_is_cut_off() {
        let place = testkit::local::Place::throw_away().unwrap();
        let path = place.path().join("journal.jsonl");
        let (mut journal, none) = read(&path);
        assert!(none.is_empty());
        journal.add(&[closed(1), closed(2)]).unwrap();
        assert!(
            Journal::open(&path, |_| {}).unwrap_err().to_string().contains("another process"),
            "it is held"
        );
        drop(journal);
        let mut torn = fs::read(&path).unwrap();
        torn.extend_from_slice(b"{\"entry\":\"clo");
        fs::write(&path, torn).unwrap();
        let (mut journal, entries) = read(&path);
        assert_eq!(entries, [closed(1), closed(2)]);
        journal.add(&[closed(3)]).unwrap();
        drop(journal);
        assert_eq!(read(&path).1, [closed(1), closed(2), closed(3)]);
    }

    #[test]
    fn a_line_that_is_not_understood_stops_the_start_by_its_number() {
        let place = testkit::local::Place::throw_away().unwrap();
        let path = place.path().join("journal.jsonl");
        fs::write(&path, "{\"entry\":\"closed\",\"trade_no\":\"T1\",\"at\":7}\nnonsense\n").unwrap();
        let refused = format!("{:#}", Journal::open(&path, |_| {}).unwrap_err());
        assert!(refused.contains("line 2"), "{refused}");
    }

    #[test]
    fn written_anew_it_holds_what_it_was_given_and_grows_on() {
        let place = testkit::local::Place::throw_away().unwrap();
        let path = place.path().join("journal.jsonl");
        let (mut journal, _) = read(&path);
        journal.add(&(0..100).map(closed).collect::<Vec<_>>()).unwrap();
        journal.replace(&[closed(1)]).unwrap();
        journal.add(&[closed(2)]).unwrap();
        drop(journal);
        assert_eq!(read(&path).1, [closed(1), closed(2)]);
    }
}
