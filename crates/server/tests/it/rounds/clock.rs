//! A node's clock that can be made to jump: libfaketime tells the process another time of day, while its timers go on as before.

use std::fs;
use std::path::{Path, PathBuf};

use testkit::local::find_faketime;

/// The clock of one node.
pub struct FakeClock {
    library: String,
    /// What it is off by; looked at once a second.
    file: PathBuf,
}

impl FakeClock {
    /// One that goes right, told by `file`.
    ///
    /// # Panics
    /// Without libfaketime.
    pub fn new(file: &Path) -> Self {
        let library = find_faketime()
            .expect("libfaketime (Debian's package faketime) lets clocks jump")
            .display()
            .to_string();
        let this = Self { library, file: file.to_owned() };
        this.jump(0);
        this
    }

    /// From now on it is off by so many seconds.
    pub fn jump(&self, seconds: i32) {
        let fresh = self.file.with_extension("new");
        fs::write(&fresh, format!("{seconds:+}\n")).expect("the clock's file is written");
        fs::rename(&fresh, &self.file).expect("the clock's file is in its place");
    }

    /// What a process with this clock has in its environment.
    pub fn settings(&self) -> [(&'static str, &str); 6] {
        [
            ("LD_PRELOAD", &self.library),
            ("FAKETIME_TIMESTAMP_FILE", self.file.to_str().expect("a path of text")),
            ("FAKETIME_CACHE_DURATION", "1"),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
            ("NO_FAKE_STAT", "1"),
            ("FAKETIME_DISABLE_SHM", "1"),
        ]
    }
}
