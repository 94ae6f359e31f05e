//! Samples of what is asked and said of views and hand-over notes of the operation map, and of voltage schemes.

use serde_json::json;

use crate::samples::{Sample, Theirs};
use crate::voltage_schemes::form;

/// Views and notes have ids of their own, of which a stranger knows none: those of others stand in their place.
pub fn of_map(at: (&str, &str), theirs: &Theirs) -> Option<Sample> {
    Some(match at {
        ("GET", "/vehicle/map-view" | "/vehicle/shift-note") => Sample::Ask(json!({"pageSize": "200"})),
        ("GET", "/vehicle/shift-note/count") => Sample::Ask(json!({})),
        ("POST", "/vehicle/map-view") => {
            Sample::Tell(json!({"name": "他们的", "audience": 2, "state": "", "agentId": theirs.agent}))
        }
        ("PUT", "/vehicle/map-view") => {
            Sample::Tell(json!({"id": theirs.view, "name": "改名", "audience": 2, "state": "", "version": 1}))
        }
        ("DELETE", "/vehicle/map-view") => Sample::Tell(json!({"id": theirs.view})),
        ("POST", "/vehicle/shift-note") => Sample::Tell(json!({"text": "好", "agentId": theirs.agent})),
        ("DELETE", "/vehicle/shift-note") => Sample::Tell(json!({"id": theirs.note})),
        ("POST", "/vehicle/shift-note/acknowledge") => Sample::Tell(json!({"id": theirs.note})),
        ("GET", "/production/voltageScheme") => Sample::Ask(json!({"keyword": "他们", "pageSize": "200"})),
        ("GET", "/production/voltageScheme/{id}" | "/vehicle/voltage-scheme") => Sample::Ask(json!({})),
        ("POST", "/production/voltageScheme") => Sample::Tell(form("越权", Some(&theirs.agent))),
        ("PUT", "/production/voltageScheme") => {
            let mut changed = form("改名", None);
            (changed["id"], changed["version"]) = (json!(theirs.scheme), json!(1));
            Sample::Tell(changed)
        }
        ("DELETE", "/production/voltageScheme") => Sample::Tell(json!({"id": theirs.scheme})),
        _ => return None,
    })
}
