//! Versions that priced orders wrong: who looked, who decided to give all back, and what became of each order.

use std::sync::Arc;

use ::riding::model::mispricing::MispricingSubject;
use ::riding::model::mispricing_case::{MispricingEvent, MispricingState};
use audit::{AuditSchema, Field, Fields, Text};
use serde_json::Value;

use super::territory::yuan;
use super::{Context, Step, label, set, text};

pub fn audit_schemas() -> Vec<Arc<dyn AuditSchema>> {
    vec![Arc::new(Context::<MispricingEvent> {
        called_by: &["name", "subject"],
        name: |state| match text(state, "name") {
            name if name.is_empty() => {
                let number = state.get("subject").map(Value::to_string).unwrap_or_default();
                label::<MispricingSubject>(&number).unwrap_or_default()
            }
            name => name,
        },
        ..Context::new("mispricing", "受影响订单", STEPS, FIELDS)
    })]
}

const STEPS: &[Step] = &[
    Step { stored_type: "mispricing.found", label: "核对受影响订单", fold: found },
    Step {
        stored_type: "mispricing.refund_begun",
        label: "开始批量退还",
        fold: |state, data| {
            set(state, "reason", data["reason"].clone());
            set(state, "state", MispricingState::Refunding.number());
        },
    },
    Step { stored_type: "mispricing.settled", label: "处理订单", fold: settled },
    Step {
        stored_type: "mispricing.discarded",
        label: "作废核对记录",
        fold: |state, _| set(state, "state", MispricingState::Discarded.number()),
    },
];

const FIELDS: &[Field] = &[
    Field { key: "subject", label: "核对对象", text: Text::Named(label::<MispricingSubject>) },
    Field { key: "name", label: "围栏", text: Text::Plain },
    Field { key: "version", label: "有误版本", text: Text::Plain },
    Field { key: "instead", label: "应当生效的版本", text: Text::Plain },
    Field { key: "from", label: "开始时间", text: Text::Moment },
    Field { key: "until", label: "结束时间", text: Text::Moment },
    Field { key: "orders", label: "应退订单数", text: Text::Plain },
    Field { key: "due_cents", label: "应退还", text: Text::Named(yuan) },
    Field { key: "higher_orders", label: "少收订单数", text: Text::Plain },
    Field { key: "state", label: "处理状态", text: Text::Named(label::<MispricingState>) },
    Field { key: "settled", label: "已处理订单数", text: Text::Plain },
    Field { key: "given_cents", label: "已退还", text: Text::Named(yuan) },
    Field { key: "reason", label: "原因", text: Text::Plain },
    Field { key: "area_id", label: "服务区", text: Text::Of("area") },
    Field { key: "agent_id", label: "所属代理", text: Text::Of("agent") },
];

fn found(state: &mut Fields, mut data: Fields) {
    let finding = data.remove("finding").unwrap_or_default();
    for key in ["name", "from", "until", "higher_orders", "area_id", "agent_id"] {
        set(state, key, finding[key].clone());
    }
    for key in ["subject", "version", "instead"] {
        set(state, key, finding["wrong"][key].clone());
    }
    let none = Vec::new();
    let orders = finding["orders"].as_array().unwrap_or(&none);
    // Of each the last two numbers are what is lowered and what goes back.
    let due = orders.iter().filter_map(|one| one.as_array()).flat_map(|one| one.iter().skip(4));
    set(state, "orders", orders.len());
    set(state, "due_cents", due.filter_map(Value::as_i64).sum::<i64>());
    set(state, "state", MispricingState::Found.number());
}

fn settled(state: &mut Fields, mut data: Fields) {
    let given = data.remove("outcome").unwrap_or_default()["given"].take();
    let grown = |key: &str, by: i64| state.get(key).and_then(Value::as_i64).unwrap_or(0) + by;
    let cents = |key: &str| given[key].as_i64().unwrap_or(0);
    let (settled, given_cents) =
        (grown("settled", 1), grown("given_cents", cents("lower_cents") + cents("back_cents")));
    set(state, "settled", settled);
    set(state, "given_cents", given_cents);
    if state.get("orders").and_then(Value::as_i64) == Some(settled) {
        set(state, "state", MispricingState::Done.number());
    }
}
