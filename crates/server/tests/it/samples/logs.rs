//! Requests about the logs of bikes and devices.

use serde_json::{Value, json};
use vocabulary::{Clock, SystemClock};

use super::{Sample, Theirs};

const HOUR_MS: i64 = 3_600_000;

/// `asked` of the last day.
pub fn spanning(mut asked: Value) -> Value {
    let now_ms = SystemClock.now().millis();
    asked["startTime"] = json!((now_ms - 24 * HOUR_MS).to_string());
    asked["endTime"] = json!((now_ms + HOUR_MS).to_string());
    asked
}

pub fn of_logs(at: (&str, &str), theirs: &Theirs) -> Option<Sample> {
    Some(match at {
        ("GET", "/log/vehicle") => {
            Sample::Ask(spanning(json!({"carId": theirs.car, "agentId": theirs.agent, "pageSize": "200"})))
        }
        ("GET", "/log/device") => {
            Sample::Ask(spanning(json!({"carId": theirs.car, "imei": theirs.imei, "pageSize": "200"})))
        }
        ("GET", "/log/vehicle/{id}" | "/log/device/{id}") => Sample::Ask(json!({})),
        _ => return None,
    })
}
