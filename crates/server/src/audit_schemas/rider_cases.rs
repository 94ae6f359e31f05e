//! Cases of riders: certifications, rebindings, the blacklist.

use std::sync::Arc;

use audit::{AuditSchema, Field, Fields, Text};
use riding::model::blacklist::{BlacklistEvent, BlacklistKind, BlacklistScope, BlacklistState};
use riding::model::certification::{CareerKind, CertificationEvent};
use riding::model::rebinding::{RebindingEvent, RebindingKind};
use riding::model::review::CaseState;
use serde_json::Value;

use super::{Context, Step, flatten, label, personal, put_in, set, take_from, text};

pub fn audit_schemas() -> Vec<Arc<dyn AuditSchema>> {
    vec![
        Arc::new(Context::<CertificationEvent> {
            phone,
            ..Context::new("certification", "职业认证", CERTIFICATION, CERTIFICATION_FIELDS)
        }),
        Arc::new(Context::<RebindingEvent> {
            phone,
            ..Context::new("rebinding", "实名换绑", REBINDING, REBINDING_FIELDS)
        }),
        Arc::new(Context::<BlacklistEvent> {
            phone,
            ..Context::new("blacklist-entry", "黑名单", BLACKLIST, BLACKLIST_FIELDS)
        }),
    ]
}

fn phone(state: &Fields) -> Option<String> {
    Some(text(state, "phone")).filter(|phone| !phone.is_empty())
}

const CERTIFICATION: &[Step] = &[
    Step {
        stored_type: "certification.submitted",
        label: "提交职业认证",
        fold: |state, mut data| {
            flatten(&mut data, "application");
            said(
                &mut data,
                "bearer",
                &[
                    ("name", "name"),
                    ("phone", "phone"),
                    ("organisation", "organisation"),
                    ("cert_no", "cert_no"),
                ],
            );
            handed_in(state, data);
        },
    },
    Step {
        stored_type: "certification.passed",
        label: "通过职业认证",
        fold: |state, data| decided(state, data, CaseState::Passed),
    },
    Step {
        stored_type: "certification.failed",
        label: "驳回职业认证",
        fold: |state, data| decided(state, data, CaseState::Failed),
    },
    Step {
        stored_type: "certification.cancelled",
        label: "取消职业认证",
        fold: |state, data| decided(state, data, CaseState::Cancelled),
    },
    Step {
        stored_type: "certification.photos_dropped",
        label: "删除认证照片",
        fold: |state, _| set(state, "photos", 0),
    },
];

const CERTIFICATION_FIELDS: &[Field] = &[
    Field { key: "name", label: "姓名", text: Text::Plain },
    Field { key: "phone", label: "手机号", text: Text::Plain },
    Field { key: "kind", label: "认证类型", text: Text::Named(label::<CareerKind>) },
    Field { key: "organisation", label: "学校/单位", text: Text::Plain },
    Field { key: "cert_no", label: "证件编号", text: Text::Plain },
    Field { key: "state", label: "状态", text: Text::Named(label::<CaseState>) },
    Field { key: "until", label: "有效期至", text: Text::Moment },
    Field { key: "reason", label: "驳回原因", text: Text::Plain },
    Field { key: "reviewer", label: "审核人", text: Text::Plain },
    Field { key: "photos", label: "照片", text: Text::Plain },
    Field { key: "area_id", label: "服务区", text: Text::Of("area") },
    Field { key: "agent_id", label: "所属代理", text: Text::Of("agent") },
    Field { key: "rider_id", label: "用户编号", text: Text::Plain },
];

const REBINDING: &[Step] = &[
    Step {
        stored_type: "rebinding.submitted",
        label: "提交实名换绑",
        fold: |state, mut data| {
            flatten(&mut data, "request");
            if let Some(claimant) = data
                .get_mut("claimant")
                .and_then(|sealed| sealed.get_mut("$personal"))
                .and_then(Value::as_object_mut)
            {
                flatten(claimant, "identity");
                if let Some(Value::Object(mut wish)) = claimant.remove("wish") {
                    if let Some(phone) = wish.remove("Phone") {
                        set(claimant, "wanted_phone", phone);
                    }
                    if let Some(Value::Object(identity)) = wish.remove("Identity") {
                        set(claimant, "wanted_name", identity.get("name").cloned().unwrap_or_default());
                        set(claimant, "wanted_id_no", identity.get("id_no").cloned().unwrap_or_default());
                    }
                }
            }
            let all = ["name", "phone", "id_no", "wanted_phone", "wanted_name", "wanted_id_no"];
            said(&mut data, "claimant", &all.map(|key| (key, key)));
            handed_in(state, data);
        },
    },
    Step {
        stored_type: "rebinding.passed",
        label: "通过实名换绑",
        fold: |state, data| decided(state, data, CaseState::Passed),
    },
    Step {
        stored_type: "rebinding.failed",
        label: "驳回实名换绑",
        fold: |state, data| decided(state, data, CaseState::Failed),
    },
    Step {
        stored_type: "rebinding.cancelled",
        label: "取消实名换绑",
        fold: |state, data| decided(state, data, CaseState::Cancelled),
    },
    Step {
        stored_type: "rebinding.photos_dropped",
        label: "删除换绑照片",
        fold: |state, _| set(state, "photos", 0),
    },
];

const REBINDING_FIELDS: &[Field] = &[
    Field { key: "name", label: "姓名", text: Text::Plain },
    Field { key: "phone", label: "原手机号", text: Text::Plain },
    Field { key: "id_no", label: "原身份证号", text: Text::Plain },
    Field { key: "kind", label: "换绑类型", text: Text::Named(label::<RebindingKind>) },
    Field { key: "wanted_phone", label: "申请手机号", text: Text::Plain },
    Field { key: "wanted_name", label: "申请姓名", text: Text::Plain },
    Field { key: "wanted_id_no", label: "申请身份证号", text: Text::Plain },
    Field { key: "state", label: "状态", text: Text::Named(label::<CaseState>) },
    Field { key: "reason", label: "驳回原因", text: Text::Plain },
    Field { key: "reviewer", label: "审核人", text: Text::Plain },
    Field { key: "photos", label: "照片", text: Text::Plain },
    Field { key: "area_id", label: "服务区", text: Text::Of("area") },
    Field { key: "agent_id", label: "所属代理", text: Text::Of("agent") },
    Field { key: "rider_id", label: "用户编号", text: Text::Plain },
];

const BLACKLIST: &[Step] = &[
    Step {
        stored_type: "blacklist-entry.added",
        label: "加入黑名单",
        fold: |state, mut data| {
            flatten(&mut data, "listing");
            said(&mut data, "listed", &[("name", "name"), ("phone", "phone")]);
            let accounts = 1 + data["others"].as_array().map_or(0, Vec::len);
            set(&mut data, "accounts", accounts);
            set(&mut data, "state", BlacklistState::Holding.number());
            let by = data.remove("by").unwrap_or_default();
            set(&mut data, "added_by", by);
            for key in ["entry_id", "others", "at"] {
                data.remove(key);
            }
            state.extend(data);
        },
    },
    Step {
        stored_type: "blacklist-entry.lifted",
        label: "解除黑名单",
        fold: |state, mut data| {
            set(state, "state", BlacklistState::Lifted.number());
            set(state, "lifted_by", data.remove("by").unwrap_or_default());
            set(state, "lift_reason", data.remove("reason").unwrap_or_default());
        },
    },
    Step {
        stored_type: "blacklist-entry.expired",
        label: "黑名单到期",
        fold: |state, _| set(state, "state", BlacklistState::Over.number()),
    },
    Step {
        stored_type: "blacklist-entry.evidence_shown",
        label: "添加拉黑证据",
        fold: |state, data| put_in(state, "evidence", data["photo"]["id"].clone()),
    },
    Step {
        stored_type: "blacklist-entry.evidence_hidden",
        label: "移除拉黑证据",
        fold: |state, data| take_from(state, "evidence", &data["photo"]),
    },
];

const BLACKLIST_FIELDS: &[Field] = &[
    Field { key: "name", label: "姓名", text: Text::Plain },
    Field { key: "phone", label: "手机号", text: Text::Plain },
    Field { key: "state", label: "状态", text: Text::Named(label::<BlacklistState>) },
    Field { key: "reason", label: "拉黑原因", text: Text::Plain },
    Field { key: "scope", label: "范围", text: Text::Named(label::<BlacklistScope>) },
    Field { key: "kind", label: "来源", text: Text::Named(label::<BlacklistKind>) },
    Field { key: "until", label: "到期时间", text: Text::Moment },
    Field { key: "added_by", label: "添加人", text: Text::Plain },
    Field { key: "lifted_by", label: "解除人", text: Text::Plain },
    Field { key: "lift_reason", label: "解除原因", text: Text::Plain },
    Field { key: "evidence", label: "证据照片", text: Text::Plain },
    Field { key: "accounts", label: "账户数", text: Text::Plain },
    Field { key: "area_id", label: "服务区", text: Text::Of("area") },
    Field { key: "agent_id", label: "所属代理", text: Text::Of("agent") },
    Field { key: "rider_id", label: "用户编号", text: Text::Plain },
];

/// What somebody said of himself is sealed as one; each of it is personal.
pub(super) fn said(data: &mut Fields, sealed: &str, parts: &[(&str, &str)]) {
    if let Some(Value::Object(mut sealed)) = data.remove(sealed) {
        let whole = sealed.remove("$personal").unwrap_or_default();
        for (key, of) in parts {
            if let Some(value) = whole.get(of) {
                set(data, key, value.clone());
                personal(data, key);
            }
        }
    }
}

fn handed_in(state: &mut Fields, mut data: Fields) {
    let photos = data["photos"].as_array().map_or(0, Vec::len);
    set(&mut data, "photos", photos);
    set(&mut data, "state", CaseState::Pending.number());
    for key in ["certification_id", "rebinding_id", "phone_key", "wanted_key", "at"] {
        data.remove(key);
    }
    state.extend(data);
}

fn decided(state: &mut Fields, mut data: Fields, now: CaseState) {
    set(state, "state", now.number());
    data.remove("at");
    if let Some(by) = data.remove("by") {
        set(state, "reviewer", by);
    }
    state.extend(data);
}
