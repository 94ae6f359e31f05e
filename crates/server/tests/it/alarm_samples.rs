//! Samples of what is asked and said of alarms, and what a stranger is told of them.

use serde_json::json;

use crate::samples::{Sample, Theirs};

/// Tickets have the numbers of the events that began them.
pub fn of_alarms(at: (&str, &str), theirs: &Theirs) -> Option<Sample> {
    let ticket = &theirs.position;
    Some(match at {
        ("GET", "/vehicle/alarm/list") => Sample::Ask(json!({"pageSize": "200"})),
        ("GET", "/vehicle/alarm/info") => Sample::Ask(json!({ "id": ticket })),
        ("GET", "/vehicle/alarm/inbox" | "/vehicle/alarm/count") => Sample::Ask(json!({})),
        ("POST", "/vehicle/alarm/acknowledge") => Sample::Tell(json!({"ids": [ticket]})),
        ("POST", "/vehicle/alarm/settle") => Sample::Tell(json!({"ids": [ticket], "cause": 1})),
        _ => return None,
    })
}
