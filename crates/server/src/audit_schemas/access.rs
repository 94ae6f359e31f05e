//! Roles, operators, their devices, machine clients.

use std::sync::Arc;

use access::model::device::{DeviceEvent, DeviceKind};
use access::model::level::Level;
use access::model::machine::MachineEvent;
use access::model::operator::OperatorEvent;
use access::model::profession::Profession;
use access::model::role::RoleEvent;
use audit::{AuditSchema, Field, Fields, Text};
use fleet::model::region::RidingState;
use serde_json::{Value, json};

use super::{
    Context, Step, delete, disable, enable, flatten, label, merge, permission, put_in, reach, set, take_from,
    text,
};

const ENABLED: Text = Text::Switch("启用", "停用");
const YES: Text = Text::Switch("是", "否");

pub fn audit_schemas() -> Vec<Arc<dyn AuditSchema>> {
    vec![
        Arc::new(Context::<RoleEvent>::new("role", "角色", ROLE_STEPS, ROLE_FIELDS)),
        Arc::new(Context::<OperatorEvent> {
            called_by: &["name", "phone"],
            phone: |state| Some(text(state, "phone")),
            ..Context::new("operator", "平台用户", OPERATOR_STEPS, OPERATOR_FIELDS)
        }),
        Arc::new(Context::<DeviceEvent> {
            called_by: &[],
            name: |_| String::new(),
            named_by: Some("operator"),
            ..Context::new("operator-device", "授权设备", DEVICE_STEPS, DEVICE_FIELDS)
        }),
        Arc::new(Context::<MachineEvent>::new("machine", "机器客户端", MACHINE_STEPS, MACHINE_FIELDS)),
    ]
}

const ROLE_STEPS: &[Step] = &[
    Step { stored_type: "role.created", label: "新增角色", fold: content },
    Step { stored_type: "role.renamed", label: "修改角色名称", fold: merge },
    Step { stored_type: "role.changed", label: "修改角色", fold: content },
    Step { stored_type: "role.enabled", label: "启用角色", fold: enable },
    Step { stored_type: "role.disabled", label: "停用角色", fold: disable },
    Step { stored_type: "role.deleted", label: "删除角色", fold: delete },
    Step {
        stored_type: "role.granted", label: "授予角色", fold: |state, data| holder(state, &data, true)
    },
    Step {
        stored_type: "role.withdrawn",
        label: "收回角色",
        fold: |state, data| holder(state, &data, false),
    },
];

const ROLE_FIELDS: &[Field] = &[
    Field { key: "name", label: "角色名称", text: Text::Plain },
    Field { key: "tier", label: "级别", text: Text::Named(levels) },
    Field { key: "remark", label: "备注", text: Text::Plain },
    Field { key: "codes", label: "权限", text: Text::Named(permission) },
    Field { key: "car_ranges", label: "可见车辆编号", text: Text::Plain },
    Field { key: "riding_states", label: "可见骑行状态", text: Text::Named(label::<RidingState>) },
    Field { key: "voltage_schemes", label: "可见电压方案", text: Text::Of("voltage-scheme") },
    Field { key: "enabled", label: "状态", text: ENABLED },
    Field { key: "holders", label: "持有人", text: Text::Of("operator") },
    Field { key: "agent", label: "所属代理", text: Text::Of("agent") },
    Field { key: "system", label: "系统角色", text: YES },
    Field { key: "deleted", label: "已删除", text: YES },
];

/// Which bikes its holders see is three fields; an event that says nothing of it means every bike.
fn content(state: &mut Fields, mut data: Fields) {
    let view = data.remove("view").unwrap_or_default();
    let range = |range: &Value| Some(json!(format!("{}–{}", range["from"].as_str()?, range["to"].as_str()?)));
    let ranges: Vec<Value> = view["ranges"].as_array().into_iter().flatten().filter_map(range).collect();
    let states = view["riding_states"].as_array().cloned().unwrap_or_default();
    let schemes = view["voltage_schemes"].as_array().cloned().unwrap_or_default();
    for (key, values) in [("car_ranges", ranges), ("riding_states", states), ("voltage_schemes", schemes)] {
        if values.is_empty() {
            state.remove(key);
        } else {
            data.insert(key.to_owned(), values.into());
        }
    }
    merge(state, data);
}

fn holder(state: &mut Fields, data: &Fields, holds: bool) {
    let Some(operator) = data.get("operator").cloned() else { return };
    if holds { put_in(state, "holders", operator) } else { take_from(state, "holders", &operator) }
}

/// A tier, or the tiers of a mask.
fn levels(digits: &str) -> Option<String> {
    let level = Level::try_from(digits.parse::<i64>().ok()?).ok()?;
    Some(level.names().join("、"))
}

const OPERATOR_STEPS: &[Step] = &[
    Step { stored_type: "operator.registered", label: "新增平台用户", fold: account },
    Step { stored_type: "operator.renamed", label: "修改姓名", fold: merge },
    Step { stored_type: "operator.changed", label: "修改级别和数据范围", fold: account },
    Step {
        stored_type: "operator.profession_changed",
        label: "修改工种",
        fold: |state, mut data| set(state, "profession", data.remove("profession").unwrap_or_default()),
    },
    Step { stored_type: "operator.enabled", label: "启用平台用户", fold: enable },
    Step { stored_type: "operator.disabled", label: "停用平台用户", fold: disable },
    Step { stored_type: "operator.deleted", label: "删除平台用户", fold: delete },
    Step {
        stored_type: "operator.signed_in",
        label: "登录后台",
        fold: |state, mut data| set(state, "signed_in_at", data.remove("at").unwrap_or_default()),
    },
    Step {
        stored_type: "operator.cs_tool_registered",
        label: "登记客服工具",
        fold: |state, _| set(state, "cs_tool", true),
    },
];

const OPERATOR_FIELDS: &[Field] = &[
    Field { key: "name", label: "姓名", text: Text::Plain },
    Field { key: "phone", label: "手机号", text: Text::Plain },
    Field { key: "level", label: "级别", text: Text::Named(levels) },
    Field { key: "profession", label: "工种", text: Text::Named(label::<Profession>) },
    Field { key: "agents", label: "可见代理", text: Text::Of("agent") },
    Field { key: "areas", label: "可见服务区", text: Text::Of("area") },
    Field { key: "enabled", label: "状态", text: ENABLED },
    Field { key: "signed_in_at", label: "最近登录", text: Text::Moment },
    Field { key: "cs_tool", label: "客服工具", text: Text::Switch("已登记", "未登记") },
    Field { key: "deleted", label: "已删除", text: YES },
];

fn account(state: &mut Fields, mut data: Fields) {
    data.remove("operator");
    reach(&mut data, "reach");
    merge(state, data);
}

const DEVICE_STEPS: &[Step] = &[
    Step {
        stored_type: "operator-device.requested",
        label: "申请授权设备",
        fold: |state, data| device(state, data, "待授权"),
    },
    Step {
        stored_type: "operator-device.bound",
        label: "绑定授权设备",
        fold: |state, data| device(state, data, "已授权"),
    },
    Step {
        stored_type: "operator-device.confirmed",
        label: "通过授权设备",
        fold: |state, data| device(state, data, "已授权"),
    },
    Step {
        stored_type: "operator-device.removed",
        label: "移除授权设备",
        fold: |state, data| device(state, data, "已移除"),
    },
];

const DEVICE_FIELDS: &[Field] = &[Field { key: "devices", label: "设备", text: Text::Plain }];

/// One of the operator's devices; its own code is a way in and is left out.
fn device(state: &mut Fields, mut data: Fields, now: &str) {
    let id = text(&data, "id");
    let mut devices = match state.remove("devices") {
        Some(Value::Object(devices)) => devices,
        _ => Fields::new(),
    };
    let mut known = match devices.remove(&id) {
        Some(Value::Object(known)) => known,
        _ => Fields::new(),
    };
    flatten(&mut data, "device");
    if let Some(kind) = data.get("kind").map(ToString::to_string) {
        let kind = label::<DeviceKind>(&kind).unwrap_or(kind);
        set(&mut known, "kind", kind);
        set(&mut known, "name", text(&data, "name"));
        set(&mut known, "address", text(&data, "address"));
    }
    set(&mut known, "state", now);
    devices.insert(id, Value::Object(known));
    set(state, "devices", json!(devices));
}

const MACHINE_STEPS: &[Step] = &[
    Step {
        stored_type: "machine.added",
        label: "新增机器客户端",
        fold: |state, mut data| {
            reach(&mut data, "scope");
            set(&mut data, "enabled", true);
            merge(state, data);
        },
    },
    Step { stored_type: "machine.revoked", label: "吊销机器客户端", fold: disable },
];

const MACHINE_FIELDS: &[Field] = &[
    Field { key: "name", label: "名称", text: Text::Plain },
    Field { key: "codes", label: "权限", text: Text::Named(permission) },
    Field { key: "agents", label: "可见代理", text: Text::Of("agent") },
    Field { key: "areas", label: "可见服务区", text: Text::Of("area") },
    Field { key: "token_sha256", label: "令牌", text: Text::Hidden },
    Field { key: "enabled", label: "状态", text: Text::Switch("有效", "已吊销") },
];
