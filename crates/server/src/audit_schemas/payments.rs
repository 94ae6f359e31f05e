//! What riders were asked for through channels.

use std::sync::Arc;

use audit::{AuditSchema, Field, Fields, Text};
use payment_port::Channel;
use riding::model::payment::{PaymentEvent, PaymentState};
use serde_json::{Value, json};

use super::territory::yuan;
use super::{Context, Step, flatten, label, set, text};

pub fn audit_schemas() -> Vec<Arc<dyn AuditSchema>> {
    vec![Arc::new(Context::<PaymentEvent> {
        called_by: &["payment"],
        name: |state| text(state, "payment"),
        ..Context::new("payment", "支付单", STEPS, FIELDS)
    })]
}

/// It stands so; `data` says why, when it does.
fn stands(state: &mut Fields, data: &Fields, now: PaymentState) {
    set(state, "state", now.number());
    if let Some(note) = data.get("note").or_else(|| data.get("text")) {
        set(state, "note", note.clone());
    }
}

fn refunded(state: &mut Fields, cents: i64) {
    let before = state.get("refund_cents").and_then(Value::as_i64).unwrap_or(0);
    set(state, "refund_cents", before + cents);
}

const STEPS: &[Step] = &[
    Step {
        stored_type: "payment.asked",
        label: "发起支付",
        fold: |state, mut data| {
            flatten(&mut data, "asked");
            let number = data.get("payment_id").and_then(Value::as_str).unwrap_or_default();
            set(state, "payment", format!("支付单 {number}"));
            for key in ["channel", "amount_cents", "agreed"] {
                set(state, key, data.remove(key).unwrap_or_default());
            }
            set(state, "state", PaymentState::Waiting.number());
        },
    },
    Step {
        stored_type: "payment.presented",
        label: "取得收银台地址",
        fold: |state, data| set(state, "cashier_url", data["cashier_url"].clone()),
    },
    Step {
        stored_type: "payment.paid",
        label: "支付成功",
        fold: |state, data| {
            stands(state, &data, PaymentState::Paid);
            set(state, "provider_no", data["provider_no"].clone());
        },
    },
    Step {
        stored_type: "payment.refused",
        label: "支付被拒绝",
        fold: |state, data| stands(state, &data, PaymentState::Refused),
    },
    Step {
        stored_type: "payment.closed",
        label: "关闭支付单",
        fold: |state, data| stands(state, &data, PaymentState::Closed),
    },
    Step {
        stored_type: "payment.refund_asked",
        label: "发起原路退款",
        fold: |state, data| refunded(state, data["refund"]["amount_cents"].as_i64().unwrap_or(0)),
    },
    Step {
        stored_type: "payment.refund_done",
        label: "原路退款到账",
        fold: |state, _| set(state, "refund", json!("已到账")),
    },
    Step {
        stored_type: "payment.refund_refused",
        label: "原路退款失败",
        fold: |state, data| set(state, "refund", data["text"].clone()),
    },
];

const FIELDS: &[Field] = &[
    Field { key: "payment", label: "支付单", text: Text::Plain },
    Field { key: "amount_cents", label: "金额", text: Text::Named(yuan) },
    Field { key: "channel", label: "支付渠道", text: Text::Named(label::<Channel>) },
    Field { key: "agreed", label: "免密代扣", text: Text::Switch("是", "否") },
    Field { key: "state", label: "支付状态", text: Text::Named(label::<PaymentState>) },
    Field { key: "cashier_url", label: "收银台", text: Text::Plain },
    Field { key: "provider_no", label: "渠道单号", text: Text::Plain },
    Field { key: "note", label: "说明", text: Text::Plain },
    Field { key: "refund_cents", label: "已发起退款", text: Text::Named(yuan) },
    Field { key: "refund", label: "退款结果", text: Text::Plain },
];
