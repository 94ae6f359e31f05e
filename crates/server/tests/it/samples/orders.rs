//! Requests about orders.

use serde_json::json;

use super::{Sample, Theirs};

pub fn of_orders(at: (&str, &str), theirs: &Theirs) -> Option<Sample> {
    let Theirs { agent, area, .. } = theirs;
    let act = json!({"orderId": "1", "reason": "越权", "payCents": 0, "rideCents": 1, "version": 1});
    Some(match at {
        ("GET", "/order/list" | "/order/list/export") => {
            Sample::Ask(json!({"agentId": agent, "opAreaId": area}))
        }
        ("GET", "/order/anomaly/list" | "/order/anomaly/list/export") => {
            Sample::Ask(json!({"agentId": agent, "opAreaId": area}))
        }
        ("GET", "/order/anomaly/summary") => Sample::Ask(json!({})),
        ("POST", "/order/anomaly/close") => {
            Sample::Ask(json!({"orders": [{"orderId": "1", "endAt": 1}], "reason": "越权"}))
        }
        (
            "GET",
            "/order/miss/list" | "/order/miss/list/export" | "/order/miss/summary" | "/order/miss/{id}",
        ) => Sample::Ask(json!({"agentId": agent, "opAreaId": area})),
        ("GET", path) if path.starts_with("/order/mispricing/") => {
            Sample::Ask(json!({"agentId": agent, "opAreaId": area, "subject": "1", "mispricingId": "1"}))
        }
        ("POST", path) if path.starts_with("/order/mispricing/") => {
            let found =
                json!({"opAreaId": area, "subject": 1, "version": 1, "instead": 0, "from": 1, "until": 2});
            let mut told = json!({"id": "1", "to": "original", "reason": "越权", "version": 1});
            told.as_object_mut().unwrap().extend(found.as_object().unwrap().clone());
            Sample::Tell(told)
        }
        ("GET", path) if path.starts_with("/report/daily") => {
            Sample::Ask(json!({"agentId": agent, "opAreaIds": area}))
        }
        ("GET", "/order/{orderId}" | "/order/{orderId}/track" | "/order/{orderId}/replay") => {
            Sample::Ask(json!({}))
        }
        (
            "POST",
            "/order/forceEnd" | "/order/cancel" | "/order/modify" | "/order/refund" | "/order/writeOff"
            | "/order/remind",
        ) => Sample::Tell(act),
        _ => return None,
    })
}
