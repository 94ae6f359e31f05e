//! Requests for a second person, and from what on there must be one.

use std::sync::Arc;

use approvals::model::approval::{ApprovalEvent, ApprovalState};
use approvals::model::limits::{LimitsEvent, Need};
use audit::{AuditSchema, Field, Fields, Text};
use serde_json::Value;
use vocabulary::{Cents, Choice};

use super::{Context, Step, flatten, label, set, text};

pub fn audit_schemas() -> Vec<Arc<dyn AuditSchema>> {
    vec![
        Arc::new(Context::<ApprovalEvent> {
            called_by: &["summary"],
            name: |state| text(state, "summary"),
            ..Context::new("approval", "复核申请", APPROVAL, APPROVAL_FIELDS)
        }),
        Arc::new(Context::<LimitsEvent> {
            called_by: &[],
            name: |_| String::new(),
            named_by: Some("agent"),
            ..Context::new("approval-limits", "复核额度", LIMITS, LIMITS_FIELDS)
        }),
    ]
}

const APPROVAL: &[Step] = &[
    Step {
        stored_type: "approval.requested",
        label: "提交复核",
        fold: |state, mut data| {
            let name = data.remove("name").unwrap_or_default();
            flatten(&mut data, "request");
            // The subject is told by the summary, whose it is by its ids.
            data.remove("subject");
            data.remove("payload");
            flatten(&mut data, "owner");
            set(&mut data, "requester_name", name);
            state.extend(data);
            turn(state, ApprovalState::Waiting);
        },
    },
    Step {
        stored_type: "approval.approved",
        label: "同意复核",
        fold: |state, data| decide(state, data, ApprovalState::Approved),
    },
    Step {
        stored_type: "approval.rejected",
        label: "驳回复核",
        fold: |state, data| decide(state, data, ApprovalState::Rejected),
    },
    Step {
        stored_type: "approval.withdrawn",
        label: "撤回复核",
        fold: |state, _| turn(state, ApprovalState::Withdrawn),
    },
    Step {
        stored_type: "approval.expired",
        label: "复核过期",
        fold: |state, _| turn(state, ApprovalState::Expired),
    },
];

const APPROVAL_FIELDS: &[Field] = &[
    Field { key: "summary", label: "事项", text: Text::Plain },
    Field { key: "state", label: "状态", text: Text::Named(label::<ApprovalState>) },
    Field { key: "amount_cents", label: "金额", text: Text::Named(yuan) },
    Field { key: "reason", label: "申请原因", text: Text::Plain },
    Field { key: "requester_name", label: "申请人", text: Text::Plain },
    Field { key: "decider_name", label: "复核人", text: Text::Plain },
    Field { key: "decision_reason", label: "驳回原因", text: Text::Plain },
    Field { key: "agent", label: "代理", text: Text::Of("agent") },
    Field { key: "area", label: "服务区", text: Text::Of("area") },
    Field { key: "expires_at", label: "有效至", text: Text::Moment },
    Field { key: "kind", label: "操作", text: Text::Plain },
    Field { key: "codes", label: "复核权限", text: Text::Named(super::permission) },
    Field { key: "approval_id", label: "申请编号", text: Text::Plain },
    Field { key: "requester", label: "申请人账号", text: Text::Of("operator") },
    Field { key: "decider", label: "复核人账号", text: Text::Of("operator") },
];

const LIMITS: &[Step] = &[
    Step {
        stored_type: "approval-limits.published",
        label: "发布复核额度",
        fold: |state, mut data| {
            let said = data.remove("limits").unwrap_or_default();
            let said = said.as_object().into_iter().flatten().map(|(kind, limit)| in_words(kind, limit));
            set(&mut data, "limits", said.collect::<Vec<_>>());
            state.extend(data);
        },
    },
    Step {
        stored_type: "approval-limits.withdrawn",
        label: "撤回复核额度",
        fold: |state, mut data| {
            set(state, "withdrawn", data.remove("data_version").unwrap_or_default());
        },
    },
];

const LIMITS_FIELDS: &[Field] = &[
    Field { key: "agent_id", label: "代理", text: Text::Of("agent") },
    Field { key: "data_version", label: "版本", text: Text::Plain },
    Field { key: "limits", label: "额度", text: Text::Plain },
    Field { key: "from", label: "生效时间", text: Text::Moment },
    Field { key: "withdrawn", label: "撤回的版本", text: Text::Plain },
];

fn turn(state: &mut Fields, now: ApprovalState) {
    set(state, "state", now.number());
}

fn decide(state: &mut Fields, mut data: Fields, now: ApprovalState) {
    set(state, "decider", data.remove("by").unwrap_or_default());
    set(state, "decider_name", data.remove("name").unwrap_or_default());
    if let Some(reason) = data.remove("reason") {
        set(state, "decision_reason", reason);
    }
    turn(state, now);
}

fn yuan(cents: &str) -> Option<String> {
    Some(format!("{} 元", Cents(cents.parse().ok()?)))
}

/// `order.refund：超过金额时复核 50.00 元`.
fn in_words(kind: &str, limit: &Value) -> String {
    let need = limit["need"].as_i64().and_then(|number| i16::try_from(number).ok());
    let need = need.and_then(|number| Need::of(number).ok());
    let above = match need {
        Some(Need::Above) => format!(" {} 元", Cents(limit["above_cents"].as_i64().unwrap_or_default())),
        _ => String::new(),
    };
    format!("{kind}：{}{above}", need.map_or("", Need::label))
}
