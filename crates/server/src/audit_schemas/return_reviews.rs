//! Return reviews: who decided about a penalty, and why.

use std::sync::Arc;

use ::riding::model::certainty::CameraVerdict;
use ::riding::model::return_review::{ReturnReviewReason, ReturnReviewSource, ReviewEvent};
use ::riding::model::review::CaseState;
use audit::{AuditSchema, Field, Fields, Text};
use geofence::judge::ReturnClass;
use serde_json::Value;

use super::territory::yuan;
use super::{Context, Step, flatten, label, set, text};

pub fn audit_schemas() -> Vec<Arc<dyn AuditSchema>> {
    vec![Arc::new(Context::<ReviewEvent> {
        called_by: &["car_id"],
        name: |state| text(state, "car_id"),
        ..Context::new("return-review", "还车审核", STEPS, FIELDS)
    })]
}

const STEPS: &[Step] = &[
    Step {
        stored_type: "return-review.opened",
        label: "提交还车审核",
        fold: |state, mut data| {
            flatten(&mut data, "opening");
            flatten(&mut data, "wish");
            let seen = data.remove("seen").unwrap_or_default();
            for key in ["class", "camera", "certainty_percent"] {
                set(&mut data, key, seen[key].clone());
            }
            let photos = data.get("photos").and_then(Value::as_array).map_or(0, Vec::len);
            set(&mut data, "photos", photos);
            set(&mut data, "state", CaseState::Pending.number());
            for key in ["review_id", "left", "place", "wish", "at"] {
                data.remove(key);
            }
            state.extend(data);
        },
    },
    Step {
        stored_type: "return-review.let_off",
        label: "摄像头免罚",
        fold: |state, data| {
            set(state, "impunity_left", data["left"].clone());
            decided(state, Fields::new(), CaseState::Passed);
        },
    },
    Step {
        stored_type: "return-review.accepted",
        label: "通过还车审核",
        fold: |state, data| decided(state, data, CaseState::Passed),
    },
    Step {
        stored_type: "return-review.rejected",
        label: "驳回还车审核",
        fold: |state, data| decided(state, data, CaseState::Failed),
    },
    Step {
        stored_type: "return-review.timed_out",
        label: "还车审核超时通过",
        fold: |state, _| decided(state, Fields::new(), CaseState::Passed),
    },
    Step {
        stored_type: "return-review.photos_dropped",
        label: "删除还车照片",
        fold: |state, _| set(state, "photos", 0),
    },
];

const FIELDS: &[Field] = &[
    Field { key: "car_id", label: "车辆编号", text: Text::Plain },
    Field { key: "order_id", label: "订单号", text: Text::Plain },
    Field { key: "rider_id", label: "用户编号", text: Text::Plain },
    Field { key: "source", label: "来源", text: Text::Named(label::<ReturnReviewSource>) },
    Field { key: "reason", label: "申请原因", text: Text::Named(label::<ReturnReviewReason>) },
    Field { key: "class", label: "还车位置", text: Text::Named(label::<ReturnClass>) },
    Field { key: "certainty_percent", label: "扣费确定度（%）", text: Text::Plain },
    Field { key: "camera", label: "AI 判定", text: Text::Named(label::<CameraVerdict>) },
    Field { key: "apply_cents", label: "涉及金额", text: Text::Named(yuan) },
    Field { key: "photos", label: "照片", text: Text::Plain },
    Field { key: "state", label: "状态", text: Text::Named(label::<CaseState>) },
    Field { key: "remark", label: "处理意见", text: Text::Plain },
    Field { key: "reviewer", label: "审核人", text: Text::Plain },
    Field { key: "impunity_left", label: "剩余免罚次数", text: Text::Plain },
    Field { key: "area_id", label: "服务区", text: Text::Of("area") },
    Field { key: "agent_id", label: "所属代理", text: Text::Of("agent") },
];

fn decided(state: &mut Fields, mut data: Fields, now: CaseState) {
    set(state, "state", now.number());
    data.remove("at");
    if let Some(by) = data.remove("by") {
        set(state, "reviewer", by);
    }
    state.extend(data);
}
