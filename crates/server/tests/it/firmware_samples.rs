//! Samples of what is asked and said of packages of firmware.

use serde_json::json;

use crate::samples::{Sample, Theirs};

/// Packages are the platform's: everybody who may see them sees all, and nobody of an agent keeps any.
pub fn of_firmwares(at: (&str, &str), theirs: &Theirs) -> Option<Sample> {
    let form = json!({"id": "1", "model": "WH-EC20", "firmware": "9.9.9", "url": "https://firmware.example/a.bin",
        "md5": "0123456789abcdef0123456789abcdef", "sizeBytes": 1024, "note": theirs.agent, "version": 1});
    Some(match at {
        ("GET", "/production/upgrade" | "/production/upgrade/{id}" | "/device/firmware") => {
            Sample::Whole("packages of firmware are the platform's")
        }
        ("POST" | "PUT", "/production/upgrade") => Sample::Tell(form),
        ("POST", "/production/upgrade/state") => Sample::Tell(json!({"id": "1", "state": 0})),
        _ => return None,
    })
}
