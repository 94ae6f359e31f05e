//! Samples of what is asked of walls, and what a stranger is told by them.

use serde_json::json;

use crate::samples::{Sample, Theirs};

/// Walls are cut down to areas.
pub fn of_walls(at: (&str, &str), theirs: &Theirs) -> Option<Sample> {
    Some(match at {
        ("GET", "/screen/operation" | "/screen/home" | "/screen/revenue") => {
            Sample::Ask(json!({"opAreaIdsBigScreen": theirs.area}))
        }
        ("GET", "/screen/areas") => Sample::Ask(json!({})),
        _ => return None,
    })
}
