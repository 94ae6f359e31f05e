//! The stored form of each event, pinned for ever; new forms are added beside these.

use kernel::Event;
use serde_json::{Value, json};

use crate::model::device::DeviceEvent;
use crate::model::machine::MachineEvent;
use crate::model::operator::OperatorEvent;
use crate::model::role::RoleEvent;

/// Reads the stored form and writes it again: both must be as they always were.
#[track_caller]
fn pinned<E: Event>(stored: &Value) {
    let event: E = serde_json::from_value(stored.clone()).unwrap();
    assert_eq!(serde_json::to_value(&event).unwrap(), *stored);
    assert_eq!(event.stored_type(), stored["type"]);
}

#[test]
fn role_events_are_stored_as_they_always_were() {
    for stored in [
        json!({"type": "role.created", "data": {"agent": "2", "name": "客服", "tier": 2, "remark": "",
            "codes": ["0401"], "enabled": true, "system": false}}),
        json!({"type": "role.renamed", "data": {"name": "售后"}}),
        json!({"type": "role.changed", "data": {"tier": 4, "remark": "夜班", "codes": ["0401", "08"]}}),
        json!({"type": "role.created", "data": {"agent": null, "name": "挪车", "tier": 4, "remark": "",
            "codes": ["0904"], "view": {"ranges": [{"from": "A100", "to": "A199"}], "riding_states": []},
            "enabled": true, "system": false}}),
        json!({"type": "role.changed", "data": {"tier": 4, "remark": "", "codes": ["0904"],
            "view": {"ranges": [], "riding_states": [1, 5]}}}),
        json!({"type": "role.changed", "data": {"tier": 4, "remark": "", "codes": ["0904"],
            "view": {"ranges": [], "riding_states": [], "voltage_schemes": ["12"]}}}),
        json!({"type": "role.enabled"}),
        json!({"type": "role.disabled"}),
        json!({"type": "role.deleted"}),
        json!({"type": "role.granted", "data": {"operator": "901"}}),
        json!({"type": "role.withdrawn", "data": {"operator": "901"}}),
    ] {
        pinned::<RoleEvent>(&stored);
    }
}

#[test]
fn operator_events_are_stored_as_they_always_were() {
    for stored in [
        json!({"type": "operator.registered", "data": {"operator": "901", "phone": "13812348888",
            "name": {"$personal": {"subject": "operator:901", "plain": "王芳"}}, "level": 3, "reach": {"agents": {"only": ["2"]}, "areas": "all"},
            "enabled": true}}),
        json!({"type": "operator.renamed",
            "data": {"name": {"$personal": {"subject": "operator:901", "plain": "王小芳"}}}}),
        json!({"type": "operator.changed", "data": {"level": 2,
            "reach": {"agents": "all", "areas": {"only": ["20"]}}}}),
        json!({"type": "operator.registered", "data": {"operator": "901", "phone": "13812348888",
            "name": {"$personal": {"subject": "operator:901", "plain": "王芳"}}, "level": 4, "reach": {"agents": "all", "areas": "all"},
            "enabled": true, "profession": 1}}),
        json!({"type": "operator.profession_changed", "data": {"profession": 5}}),
        json!({"type": "operator.profession_changed", "data": {"profession": null}}),
        json!({"type": "operator.cs_tool_registered"}),
        json!({"type": "operator.enabled"}),
        json!({"type": "operator.disabled"}),
        json!({"type": "operator.deleted"}),
        json!({"type": "operator.signed_in", "data": {"device_code": "d", "at": 1_800_000_000_000_i64}}),
    ] {
        pinned::<OperatorEvent>(&stored);
    }
}

#[test]
fn device_and_machine_events_are_stored_as_they_always_were() {
    let device = json!({"code": "d", "name": "Chrome", "kind": 1, "address": "10.0.0.1"});
    let owner = json!({"agent": "2", "area": null});
    let content = json!({"id": "7", "device": device, "territory": owner});
    pinned::<DeviceEvent>(&json!({"type": "operator-device.requested", "data": content}));
    pinned::<DeviceEvent>(&json!({"type": "operator-device.bound", "data": content}));
    pinned::<DeviceEvent>(&json!({"type": "operator-device.confirmed", "data": {"id": "7"}}));
    pinned::<DeviceEvent>(&json!({"type": "operator-device.removed", "data": {"id": "7", "code": "d"}}));
    pinned::<MachineEvent>(&json!({"type": "machine.added", "data": {"name": "simulator",
        "codes": ["open:ride"], "scope": {"agents": "all", "areas": "all"},
        "token_sha256": "ab".repeat(32)}}));
    pinned::<MachineEvent>(&json!({"type": "machine.revoked"}));
}
