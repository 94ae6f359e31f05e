//! Bikes, their devices, what devices were told.

use std::sync::Arc;

use audit::{AuditSchema, Field, Fields, Text};
use fleet::model::alarm::FalseAlarmCause;
use fleet::model::command::{CommandEvent, CommandKind, CommandState};
use fleet::model::device::DeviceEvent;
use fleet::model::firmware::{FirmwareEvent, FirmwareState};
use fleet::model::map_view::{Audience, MapViewEvent};
use fleet::model::region::{AlarmState, Lifecycle, OperationState, RidingState};
use fleet::model::shift_note::ShiftNoteEvent;
use fleet::model::vehicle::VehicleEvent;
use fleet::model::voltage_scheme::{Chemistry, NominalVolts, SchemeState, VoltageSchemeEvent};
use serde_json::{Value, json};

use super::{Context, Step, delete, label, merge, put_in, set, take_from, text};

pub fn audit_schemas() -> Vec<Arc<dyn AuditSchema>> {
    vec![
        Arc::new(Context::<VehicleEvent> {
            called_by: &["car_id"],
            name: |state| text(state, "car_id"),
            ..Context::new("vehicle", "车辆", VEHICLE_STEPS, VEHICLE_FIELDS)
        }),
        Arc::new(Context::<DeviceEvent> {
            called_by: &["imei"],
            name: |state| text(state, "imei"),
            ..Context::new("device", "中控", DEVICE_STEPS, DEVICE_FIELDS)
        }),
        Arc::new(Context::<CommandEvent> {
            called_by: &["kind", "car_id"],
            name: |state| {
                let kind =
                    state.get("kind").map(ToString::to_string).and_then(|kind| label::<CommandKind>(&kind));
                format!("{} {}", kind.unwrap_or_default(), text(state, "car_id"))
            },
            ..Context::new("device-command", "设备指令", COMMAND_STEPS, COMMAND_FIELDS)
        }),
        Arc::new(Context::<FirmwareEvent> {
            called_by: &["model", "firmware"],
            name: |state| format!("{} {}", text(state, "model"), text(state, "firmware")),
            ..Context::new("firmware", "固件包", FIRMWARE_STEPS, FIRMWARE_FIELDS)
        }),
        Arc::new(Context::<MapViewEvent>::new("map-view", "地图视图", VIEW_STEPS, VIEW_FIELDS)),
        Arc::new(Context::<ShiftNoteEvent> {
            called_by: &["text"],
            name: |state| text(state, "text").chars().take(NOTE_CALLED).collect(),
            ..Context::new("shift-note", "交接班记录", NOTE_STEPS, NOTE_FIELDS)
        }),
        Arc::new(Context::<VoltageSchemeEvent>::new(
            "voltage-scheme",
            "电压方案",
            SCHEME_STEPS,
            SCHEME_FIELDS,
        )),
    ]
}

fn number(value: i16) -> Value {
    json!(value)
}

const VEHICLE_STEPS: &[Step] = &[
    Step {
        stored_type: "vehicle.registered",
        label: "登记车辆",
        fold: |state, data| {
            set(state, "lifecycle", number(Lifecycle::Expected.number()));
            set(state, "riding", number(RidingState::Idle.number()));
            merge(state, data);
        },
    },
    Step { stored_type: "vehicle.bound", label: "绑定中控", fold: merge },
    Step {
        stored_type: "vehicle.stocked",
        label: "车辆入库",
        fold: |state, _| set(state, "lifecycle", number(Lifecycle::Stocked.number())),
    },
    Step {
        stored_type: "vehicle.shelved",
        label: "车辆上架",
        fold: |state, data| {
            set(state, "lifecycle", number(Lifecycle::Shelved.number()));
            merge(state, data);
        },
    },
    Step {
        stored_type: "vehicle.ride-state-changed",
        label: "骑行状态变更",
        fold: |state, mut data| set(state, "riding", data.remove("to").unwrap_or_default()),
    },
    Step {
        stored_type: "vehicle.ops-state-added",
        label: "开始运维",
        fold: |state, mut data| put_in(state, "operations", data.remove("state").unwrap_or_default()),
    },
    Step {
        stored_type: "vehicle.ops-state-removed",
        label: "结束运维",
        fold: |state, mut data| take_from(state, "operations", &data.remove("state").unwrap_or_default()),
    },
    Step {
        stored_type: "vehicle.alarm-raised",
        label: "告警产生",
        fold: |state, mut data| put_in(state, "alarms", data.remove("alarm").unwrap_or_default()),
    },
    Step {
        stored_type: "vehicle.alarm-cleared",
        label: "告警解除",
        fold: |state, mut data| take_from(state, "alarms", &data.remove("alarm").unwrap_or_default()),
    },
    Step { stored_type: "vehicle.alarm-acknowledged", label: "确认报警", fold: ticket },
    Step { stored_type: "vehicle.alarm-settled", label: "处理报警", fold: ticket },
    Step { stored_type: "vehicle.alarm-escalated", label: "报警升级", fold: ticket },
    Step {
        stored_type: "vehicle.unshelved",
        label: "车辆下架",
        fold: |state, data| lived(state, data, Lifecycle::Unshelved),
    },
    Step {
        stored_type: "vehicle.restocked",
        label: "车辆入库",
        fold: |state, data| lived(state, data, Lifecycle::Stocked),
    },
    Step {
        stored_type: "vehicle.sent-to-factory",
        label: "返厂维修",
        fold: |state, data| lived(state, data, Lifecycle::AtFactory),
    },
    Step {
        stored_type: "vehicle.reported-lost",
        label: "车辆报失",
        fold: |state, data| lived(state, data, Lifecycle::Lost),
    },
    Step {
        stored_type: "vehicle.found",
        label: "车辆找回",
        fold: |state, mut data| {
            set(state, "lifecycle", data.remove("back").unwrap_or_default());
            set(state, "reason", data.remove("reason").unwrap_or_default());
        },
    },
    Step {
        stored_type: "vehicle.scrapped",
        label: "车辆报废",
        fold: |state, data| lived(state, data, Lifecycle::Scrapped),
    },
    Step {
        stored_type: "vehicle.relocated",
        label: "调往其他服务区",
        fold: |state, mut data| {
            set(state, "area_id", data.remove("to").unwrap_or_default());
            set(state, "reason", data.remove("reason").unwrap_or_default());
        },
    },
    Step {
        stored_type: "vehicle.tagged",
        label: "设置标签",
        fold: |state, mut data| {
            for tag in texts(data.remove("removed")) {
                take_from(state, "tags", &tag);
            }
            for tag in texts(data.remove("added")) {
                put_in(state, "tags", tag);
            }
        },
    },
    Step {
        stored_type: "vehicle.unbound",
        label: "解绑中控",
        fold: |state, mut data| {
            state.remove("imei");
            set(state, "reason", data.remove("reason").unwrap_or_default());
        },
    },
    Step {
        stored_type: "vehicle.voltage-scheme-set",
        label: "设置电压方案",
        fold: |state, mut data| match data.remove("to") {
            Some(Value::Null) | None => drop(state.remove("voltage_scheme")),
            Some(to) => set(state, "voltage_scheme", to),
        },
    },
];

/// A step of its life.
fn lived(state: &mut Fields, mut data: Fields, to: Lifecycle) {
    set(state, "lifecycle", number(to.number()));
    set(state, "reason", data.remove("reason").unwrap_or_default());
}

fn texts(list: Option<Value>) -> Vec<Value> {
    match list {
        Some(Value::Array(texts)) => texts,
        _ => Vec::new(),
    }
}

/// What was said of an alarm last.
fn ticket(state: &mut Fields, mut data: Fields) {
    for (key, named) in [("alarm", "ticket_alarm"), ("cause", "ticket_cause"), ("note", "ticket_note")] {
        set(state, named, data.remove(key).unwrap_or_default());
    }
}

const VEHICLE_FIELDS: &[Field] = &[
    Field { key: "car_id", label: "车辆编号", text: Text::Plain },
    Field { key: "plate_no", label: "号牌", text: Text::Plain },
    Field { key: "agent_id", label: "所属代理", text: Text::Of("agent") },
    Field { key: "area_id", label: "服务区", text: Text::Of("area") },
    Field { key: "imei", label: "中控", text: Text::Plain },
    Field { key: "lifecycle", label: "生命周期", text: Text::Named(label::<Lifecycle>) },
    Field { key: "riding", label: "骑行状态", text: Text::Named(label::<RidingState>) },
    Field { key: "operations", label: "运维状态", text: Text::Named(label::<OperationState>) },
    Field { key: "alarms", label: "告警", text: Text::Named(label::<AlarmState>) },
    Field { key: "place", label: "上架位置", text: Text::Plain },
    Field { key: "tags", label: "标签", text: Text::Plain },
    Field { key: "voltage_scheme", label: "电压方案", text: Text::Of("voltage-scheme") },
    Field { key: "reason", label: "原因", text: Text::Plain },
    Field { key: "ticket_alarm", label: "报警类型", text: Text::Named(label::<AlarmState>) },
    Field { key: "ticket_cause", label: "误报原因", text: Text::Named(label::<FalseAlarmCause>) },
    Field { key: "ticket_note", label: "处理结果", text: Text::Plain },
];

const DEVICE_STEPS: &[Step] = &[
    Step { stored_type: "device.registered", label: "登记中控", fold: merge },
    Step { stored_type: "device.bound", label: "中控上车", fold: merge },
    Step {
        stored_type: "device.unbound",
        label: "中控下车",
        fold: |state: &mut Fields, _| drop(state.remove("car_id")),
    },
    Step { stored_type: "device.relocated", label: "中控换服务区", fold: merge },
    Step {
        stored_type: "device.introduced",
        label: "中控上报型号与固件",
        fold: |state, mut data| {
            data.remove("car_id");
            merge(state, data);
        },
    },
];

const DEVICE_FIELDS: &[Field] = &[
    Field { key: "imei", label: "IMEI", text: Text::Plain },
    Field { key: "agent_id", label: "所属代理", text: Text::Of("agent") },
    Field { key: "area_id", label: "服务区", text: Text::Of("area") },
    Field { key: "car_id", label: "车辆编号", text: Text::Plain },
    Field { key: "model", label: "型号", text: Text::Plain },
    Field { key: "firmware", label: "固件", text: Text::Plain },
];

/// What became of a command, with the time under a name of its own.
fn became(state: &mut Fields, mut data: Fields, now: CommandState, at: &str) {
    if let Some(time) = data.remove("at") {
        set(&mut data, at, time);
    }
    set(&mut data, "state", number(now.number()));
    merge(state, data);
}

const COMMAND_STEPS: &[Step] = &[
    Step {
        stored_type: "device-command.requested",
        label: "下发指令",
        fold: |state, mut data| {
            data.remove("command_id");
            if let Some(Value::Object(package)) = data.remove("package") {
                let told = format!("{} {}", text(&package, "model"), text(&package, "firmware"));
                set(&mut data, "package", Value::from(told));
            }
            became(state, data, CommandState::Pending, "requested_at");
        },
    },
    Step {
        stored_type: "device-command.sent",
        label: "指令已发出",
        fold: |state, data| became(state, data, CommandState::Sent, "sent_at"),
    },
    Step {
        stored_type: "device-command.acknowledged",
        label: "设备已应答",
        fold: |state, data| {
            let done = data.get("code").and_then(Value::as_i64) == Some(0);
            became(state, data, if done { CommandState::Done } else { CommandState::Failed }, "answered_at");
        },
    },
    Step {
        stored_type: "device-command.timed-out",
        label: "指令超时",
        fold: |state, data| became(state, data, CommandState::TimedOut, "timed_out_at"),
    },
    Step {
        stored_type: "device-command.acknowledged-late",
        label: "设备迟到应答",
        fold: |state, data| became(state, data, CommandState::TimedOut, "answered_at"),
    },
    Step {
        stored_type: "device-command.cancelled",
        label: "取消排队",
        fold: |state, data| became(state, data, CommandState::Cancelled, "cancelled_at"),
    },
];

const COMMAND_FIELDS: &[Field] = &[
    Field { key: "kind", label: "指令", text: Text::Named(label::<CommandKind>) },
    Field { key: "car_id", label: "车辆编号", text: Text::Plain },
    Field { key: "imei", label: "中控", text: Text::Plain },
    Field { key: "reason", label: "原因", text: Text::Plain },
    Field { key: "by", label: "操作人", text: Text::Plain },
    Field { key: "agent_id", label: "所属代理", text: Text::Of("agent") },
    Field { key: "area_id", label: "服务区", text: Text::Of("area") },
    Field { key: "state", label: "状态", text: Text::Named(label::<CommandState>) },
    Field { key: "code", label: "应答代码", text: Text::Plain },
    Field { key: "requested_at", label: "下发时间", text: Text::Moment },
    Field { key: "sent_at", label: "发出时间", text: Text::Moment },
    Field { key: "answered_at", label: "应答时间", text: Text::Moment },
    Field { key: "timed_out_at", label: "超时时间", text: Text::Moment },
    Field { key: "wait_minutes", label: "排队分钟", text: Text::Plain },
    Field { key: "cancelled_at", label: "取消时间", text: Text::Moment },
    Field { key: "package", label: "固件包", text: Text::Plain },
];

const FIRMWARE_STEPS: &[Step] = &[
    Step {
        stored_type: "firmware.published",
        label: "新增固件包",
        fold: |state, data| {
            set(state, "state", number(FirmwareState::Enabled.number()));
            merge(state, data);
        },
    },
    Step { stored_type: "firmware.changed", label: "修改固件包", fold: merge },
    Step {
        stored_type: "firmware.enabled",
        label: "启用固件包",
        fold: |state, _| set(state, "state", number(FirmwareState::Enabled.number())),
    },
    Step {
        stored_type: "firmware.disabled",
        label: "停用固件包",
        fold: |state, _| set(state, "state", number(FirmwareState::Disabled.number())),
    },
];

const FIRMWARE_FIELDS: &[Field] = &[
    Field { key: "model", label: "型号", text: Text::Plain },
    Field { key: "firmware", label: "固件版本", text: Text::Plain },
    Field { key: "url", label: "下载地址", text: Text::Plain },
    Field { key: "md5", label: "MD5", text: Text::Plain },
    Field { key: "sizeBytes", label: "大小（字节）", text: Text::Plain },
    Field { key: "note", label: "说明", text: Text::Plain },
    Field { key: "state", label: "状态", text: Text::Named(label::<FirmwareState>) },
];

const VIEW_STEPS: &[Step] = &[
    Step { stored_type: "map-view.created", label: "保存地图视图", fold: merge },
    Step { stored_type: "map-view.changed", label: "修改地图视图", fold: merge },
    Step { stored_type: "map-view.deleted", label: "删除地图视图", fold: delete },
];

const VIEW_FIELDS: &[Field] = &[
    Field { key: "name", label: "视图名称", text: Text::Plain },
    Field { key: "audience", label: "可见范围", text: Text::Named(label::<Audience>) },
    Field { key: "state", label: "筛选与位置", text: Text::Plain },
    Field { key: "by", label: "创建人", text: Text::Plain },
    Field { key: "agent", label: "所属代理", text: Text::Of("agent") },
    Field { key: "operator", label: "创建账号", text: Text::Of("operator") },
    Field { key: "place", label: "序号", text: Text::Hidden },
];

/// A note is called by its first characters.
const NOTE_CALLED: usize = 20;

const NOTE_STEPS: &[Step] = &[
    Step { stored_type: "shift-note.written", label: "写交接班记录", fold: merge },
    Step {
        stored_type: "shift-note.acknowledged",
        label: "知悉交接班记录",
        fold: |state, mut data| {
            set(state, "acknowledged_by", data.remove("by").unwrap_or_default());
        },
    },
    Step { stored_type: "shift-note.withdrawn", label: "撤回交接班记录", fold: delete },
];

const NOTE_FIELDS: &[Field] = &[
    Field { key: "text", label: "交接内容", text: Text::Plain },
    Field { key: "bikes", label: "关联车辆", text: Text::Plain },
    Field { key: "by", label: "记录人", text: Text::Plain },
    Field { key: "at", label: "记录时间", text: Text::Moment },
    Field { key: "acknowledged_by", label: "知悉人", text: Text::Plain },
    Field { key: "agent", label: "所属代理", text: Text::Of("agent") },
    Field { key: "operator", label: "记录账号", text: Text::Of("operator") },
];

const SCHEME_STEPS: &[Step] = &[
    Step { stored_type: "voltage-scheme.created", label: "新增电压方案", fold: with_curve },
    Step { stored_type: "voltage-scheme.changed", label: "修改电压方案", fold: with_curve },
    Step { stored_type: "voltage-scheme.deleted", label: "删除电压方案", fold: delete },
];

/// A curve is told point by point.
fn with_curve(state: &mut Fields, mut data: Fields) {
    if let Some(Value::Array(points)) = data.remove("points") {
        let point = |point: &Value| json!(format!("{} mV {}%", point["voltageMv"], point["percent"]));
        set(&mut data, "points", points.iter().map(point).collect::<Vec<_>>());
    }
    merge(state, data);
}

const SCHEME_FIELDS: &[Field] = &[
    Field { key: "name", label: "方案名称", text: Text::Plain },
    Field { key: "nominalV", label: "标称电压", text: Text::Named(label::<NominalVolts>) },
    Field { key: "chemistry", label: "电芯", text: Text::Named(label::<Chemistry>) },
    Field { key: "points", label: "电压电量表", text: Text::Plain },
    Field { key: "maxMileageKm", label: "满电里程（公里）", text: Text::Plain },
    Field { key: "lowPercent", label: "低电阈值（%）", text: Text::Plain },
    Field { key: "enoughPercent", label: "充足阈值（%）", text: Text::Plain },
    Field { key: "state", label: "状态", text: Text::Named(label::<SchemeState>) },
    Field { key: "agent", label: "所属代理", text: Text::Of("agent") },
];
