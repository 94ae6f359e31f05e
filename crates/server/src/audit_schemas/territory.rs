//! Agents, their role templates, franchisees, service areas, fences.

use std::sync::Arc;

use audit::{AuditSchema, Field, Fields, Text};
use geofence::{FenceKind, Proof, Ring, Rule};
use serde_json::Value;
use territory::model::agent::{AgentEvent, BillingWay};
use territory::model::agent_role::AgentRoleEvent;
use territory::model::area::{AreaEvent, AreaState};
use territory::model::crew::CrewEvent;
use territory::model::fence::FenceEvent;
use territory::model::fence_batch::FenceBatchEvent;
use territory::model::franchisee::{FranchiseeEvent, FranchiseeState};
use territory::model::park_application::{ParkApplicationEvent, ParkApplicationState};
use vocabulary::Cents;

use super::{
    Context, Step, delete, disable, enable, flatten, label, merge, nothing, permission, personal, set, text,
};

const ENABLED: Text = Text::Switch("启用", "停用");
const YES: Text = Text::Switch("是", "否");

pub fn audit_schemas() -> Vec<Arc<dyn AuditSchema>> {
    vec![
        Arc::new(Context::<AgentEvent> {
            called_by: &["company"],
            name: |state| text(state, "company"),
            ..Context::new("agent", "代理", AGENT_STEPS, AGENT_FIELDS)
        }),
        Arc::new(Context::<AgentRoleEvent>::new(
            "agent-role",
            "代理角色模板",
            TEMPLATE_STEPS,
            TEMPLATE_FIELDS,
        )),
        Arc::new(Context::<FranchiseeEvent> {
            called_by: &["company"],
            name: |state| text(state, "company"),
            ..Context::new("ally", "加盟商", FRANCHISEE_STEPS, FRANCHISEE_FIELDS)
        }),
        Arc::new(Context::<AreaEvent>::new("area", "服务区", AREA_STEPS, AREA_FIELDS)),
        Arc::new(Context::<FenceEvent>::new("fence", "围栏", FENCE_STEPS, FENCE_FIELDS)),
        Arc::new(Context::<FenceBatchEvent> {
            called_by: &["reason"],
            name: |state| text(state, "reason"),
            ..Context::new("fence-batch", "批量修改", BATCH_STEPS, BATCH_FIELDS)
        }),
        Arc::new(Context::<CrewEvent> {
            called_by: &[],
            name: |_| String::new(),
            named_by: Some("fence"),
            ..Context::new("crew", "运维区人员", CREW_STEPS, CREW_FIELDS)
        }),
        Arc::new(Context::<ParkApplicationEvent> {
            called_by: &["location"],
            name: |state| text(state, "location"),
            ..Context::new("park-application", "站点申请", APPLICATION_STEPS, APPLICATION_FIELDS)
        }),
    ]
}

const AGENT_STEPS: &[Step] = &[
    Step { stored_type: "agent.registered", label: "新增代理", fold: profile },
    Step { stored_type: "agent.changed", label: "修改代理", fold: profile },
    Step { stored_type: "agent.enabled", label: "启用代理", fold: enable },
    Step { stored_type: "agent.disabled", label: "停用代理", fold: disable },
    Step { stored_type: "agent.deleted", label: "删除代理", fold: delete },
];

const AGENT_FIELDS: &[Field] = &[
    Field { key: "company", label: "公司名称", text: Text::Plain },
    Field { key: "contact_name", label: "联系人", text: Text::Plain },
    Field { key: "phone", label: "登录手机号", text: Text::Plain },
    Field { key: "billing_way", label: "收银模式", text: Text::Named(label::<BillingWay>) },
    Field { key: "parent", label: "上级代理", text: Text::Of("agent") },
    Field { key: "level", label: "层级", text: Text::Plain },
    Field { key: "role", label: "角色模板", text: Text::Of("agent-role") },
    Field { key: "contract_begin", label: "合同开始", text: Text::Plain },
    Field { key: "contract_end", label: "合同结束", text: Text::Plain },
    Field { key: "vehicle_quota", label: "车辆上限", text: Text::Plain },
    Field { key: "remark", label: "备注", text: Text::Plain },
    Field { key: "enabled", label: "状态", text: ENABLED },
    Field { key: "deleted", label: "已删除", text: YES },
];

fn profile(state: &mut Fields, mut data: Fields) {
    data.remove("agent_id");
    flatten(&mut data, "terms");
    personal(&mut data, "contact_name");
    merge(state, data);
}

const TEMPLATE_STEPS: &[Step] = &[
    Step {
        stored_type: "agent-role.created",
        label: "新增角色模板",
        fold: |state, mut data| {
            data.remove("id");
            merge(state, data);
        },
    },
    Step { stored_type: "agent-role.changed", label: "修改角色模板", fold: merge },
    Step { stored_type: "agent-role.deleted", label: "删除角色模板", fold: delete },
];

const TEMPLATE_FIELDS: &[Field] = &[
    Field { key: "name", label: "模板名称", text: Text::Plain },
    Field { key: "remark", label: "备注", text: Text::Plain },
    Field { key: "codes", label: "权限", text: Text::Named(permission) },
    Field { key: "deleted", label: "已删除", text: YES },
];

const FRANCHISEE_STEPS: &[Step] = &[
    Step {
        stored_type: "ally.registered",
        label: "新增加盟商",
        fold: |state, data| {
            set(state, "state", 0);
            franchisee(state, data);
        },
    },
    Step { stored_type: "ally.terms_changed", label: "修改加盟商", fold: franchisee },
    Step { stored_type: "ally.people_changed", label: "修改加盟商联系人", fold: franchisee },
    Step { stored_type: "ally.signed", label: "加盟商签约", fold: |state, _| set(state, "state", 1) },
    Step {
        stored_type: "ally.expired", label: "加盟商合同到期", fold: |state, _| set(state, "state", 2)
    },
    Step {
        stored_type: "ally.terminated",
        label: "加盟商解约",
        fold: |state, data| {
            set(state, "state", 3);
            merge(state, data);
        },
    },
    Step { stored_type: "ally.deleted", label: "删除加盟商", fold: delete },
    Step { stored_type: "ally.revealed", label: "查看加盟商敏感信息", fold: nothing },
];

const FRANCHISEE_FIELDS: &[Field] = &[
    Field { key: "company", label: "公司", text: Text::Plain },
    Field { key: "license_no", label: "统一社会信用代码", text: Text::Plain },
    Field { key: "contact", label: "联系人", text: Text::Plain },
    Field { key: "phone", label: "联系电话", text: Text::Plain },
    Field { key: "legal_person", label: "法人", text: Text::Plain },
    Field { key: "agent_id", label: "所属代理", text: Text::Of("agent") },
    Field { key: "area_ids", label: "服务区", text: Text::Of("area") },
    Field { key: "joined_on", label: "加盟日期", text: Text::Plain },
    Field { key: "contract_end", label: "合同到期日", text: Text::Plain },
    Field { key: "deposit", label: "保证金", text: Text::Named(yuan) },
    Field { key: "ratio_bp", label: "分成比例", text: Text::Named(percent) },
    Field { key: "remark", label: "备注", text: Text::Plain },
    Field { key: "state", label: "状态", text: Text::Named(label::<FranchiseeState>) },
    Field { key: "reason", label: "解约原因", text: Text::Plain },
    Field { key: "deleted", label: "已删除", text: YES },
];

fn franchisee(state: &mut Fields, mut data: Fields) {
    data.remove("franchisee_id");
    flatten(&mut data, "terms");
    // The people are sealed together; each of their fields is personal.
    if let Some(Value::Object(mut sealed)) = data.remove("people") {
        let people = sealed.remove("$personal").unwrap_or_default();
        for key in ["contact", "phone", "legal_person"] {
            set(&mut data, key, people.get(key).cloned().unwrap_or_default());
            personal(&mut data, key);
        }
    }
    merge(state, data);
}

pub(super) fn yuan(cents: &str) -> Option<String> {
    Some(format!("{} 元", Cents(cents.parse().ok()?)))
}

pub(super) fn percent(basis_points: &str) -> Option<String> {
    let points: i64 = basis_points.parse().ok()?;
    Some(format!("{}.{:02}%", points / 100, points % 100))
}

const AREA_STEPS: &[Step] = &[
    Step {
        stored_type: "area.planned",
        label: "新增服务区",
        fold: |state, mut data| {
            data.remove("area_id");
            set(&mut data, "state", 0);
            set(&mut data, "data_version", 1);
            area_edge(state, data);
        },
    },
    Step { stored_type: "area.opened", label: "开通服务区", fold: |state, _| set(state, "state", 1) },
    Step {
        stored_type: "area.suspended",
        label: "暂停服务区",
        fold: |state, data| {
            set(state, "state", 2);
            merge(state, data);
        },
    },
    Step { stored_type: "area.redrawn", label: "重画服务区边界", fold: area_edge },
    Step { stored_type: "area.closed", label: "关停服务区", fold: |state, _| set(state, "state", 3) },
    Step { stored_type: "area.renamed", label: "修改服务区名称", fold: merge },
    Step { stored_type: "area.tel_changed", label: "修改客服电话", fold: merge },
    Step { stored_type: "area.terms_set", label: "修改服务区资料", fold: merge },
    Step {
        stored_type: "area.stop_planned",
        label: "安排服务区停运",
        fold: |state, mut data| {
            for (key, of) in [("stop_from", "from"), ("stop_until", "until"), ("stop_notice", "notice")] {
                set(state, key, data.remove(of).unwrap_or_default());
            }
        },
    },
    Step {
        stored_type: "area.stop_cancelled",
        label: "取消停运安排",
        fold: |state, _| {
            for key in ["stop_from", "stop_until", "stop_notice"] {
                set(state, key, Value::Null);
            }
        },
    },
    Step {
        stored_type: "area.handed_over",
        label: "移交服务区",
        fold: |state, mut data| set(state, "agent_id", data.remove("to").unwrap_or_default()),
    },
    Step { stored_type: "area.delivery_asked", label: "重新下发围栏", fold: nothing },
];

const AREA_FIELDS: &[Field] = &[
    Field { key: "name", label: "服务区名称", text: Text::Plain },
    Field { key: "agent_id", label: "所属代理", text: Text::Of("agent") },
    Field { key: "tel", label: "客服电话", text: Text::Plain },
    Field { key: "state", label: "状态", text: Text::Named(label::<AreaState>) },
    Field { key: "notice", label: "停运公告", text: Text::Plain },
    Field { key: "stop_from", label: "停运开始", text: Text::Moment },
    Field { key: "stop_until", label: "自动恢复", text: Text::Moment },
    Field { key: "stop_notice", label: "停运安排的公告", text: Text::Plain },
    Field { key: "city_code", label: "城市代码", text: Text::Plain },
    Field { key: "vehicle_quota", label: "投放配额（辆）", text: Text::Plain },
    Field { key: "supervision_ids", label: "监管平台编号", text: Text::Plain },
    Field { key: "takes_applications", label: "接受站点申请", text: YES },
    Field { key: "ring", label: "边界", text: Text::Ring },
    Field { key: "size", label: "边界面积", text: Text::Plain },
    Field { key: "data_version", label: "边界版本", text: Text::Plain },
];

/// With the size of the edge: two edges may have as many corners.
fn area_edge(state: &mut Fields, mut data: Fields) {
    if let Some(Ok(ring)) = data.get("ring").cloned().map(serde_json::from_value::<Ring>) {
        set(&mut data, "size", format!("{:.4} km²", ring.area_m2() / 1_000_000.0));
    }
    merge(state, data);
}

const CREW_STEPS: &[Step] = &[Step {
    stored_type: "crew.assigned",
    label: "安排运维区人员",
    fold: |state, mut data| {
        data.remove("fence_id");
        flatten(&mut data, "terms");
        flatten(&mut data, "kpi");
        merge(state, data);
    },
}];

const CREW_FIELDS: &[Field] = &[
    Field { key: "leaders", label: "负责人", text: Text::Of("operator") },
    Field { key: "checkers", label: "巡检员", text: Text::Of("operator") },
    Field { key: "maintainers", label: "维修员", text: Text::Of("operator") },
    Field { key: "change_power_persons", label: "换电员", text: Text::Of("operator") },
    Field { key: "move_car_persons", label: "挪车员", text: Text::Of("operator") },
    Field { key: "max_parking_number", label: "停放上限", text: Text::Plain },
    Field { key: "swap_sla_h", label: "换电时限（小时）", text: Text::Plain },
    Field { key: "move_sla_h", label: "挪车时限（小时）", text: Text::Plain },
    Field { key: "repair_sla_h", label: "维修时限（小时）", text: Text::Plain },
    Field { key: "area_id", label: "服务区", text: Text::Of("area") },
    Field { key: "agent_id", label: "所属代理", text: Text::Of("agent") },
];

const FENCE_STEPS: &[Step] = &[
    Step { stored_type: "fence.draft_saved", label: "保存围栏草稿", fold: fence_draft },
    Step { stored_type: "fence.draft_discarded", label: "丢弃围栏草稿", fold: fence_published },
    Step { stored_type: "fence.published", label: "发布围栏", fold: fence },
    Step { stored_type: "fence.withdrawn", label: "撤回围栏版本", fold: fence_withdrawn },
    Step { stored_type: "fence.enabled", label: "启用围栏", fold: enable },
    Step { stored_type: "fence.disabled", label: "停用围栏", fold: disable },
    Step { stored_type: "fence.deleted", label: "删除围栏", fold: fence_deleted },
    Step { stored_type: "fence.photo_shown", label: "添加围栏照片", fold: photo_shown },
    Step { stored_type: "fence.photo_hidden", label: "移除围栏照片", fold: photo_hidden },
];

const FENCE_FIELDS: &[Field] = &[
    Field { key: "name", label: "围栏名称", text: Text::Plain },
    Field { key: "kind", label: "类型", text: Text::Named(label::<FenceKind>) },
    Field { key: "area_id", label: "服务区", text: Text::Of("area") },
    Field { key: "agent_id", label: "所属代理", text: Text::Of("agent") },
    Field { key: "stage", label: "阶段", text: Text::Plain },
    Field { key: "ring", label: "边界", text: Text::Ring },
    Field { key: "circle", label: "圆心与半径", text: Text::Plain },
    Field { key: "capacity", label: "停放上限", text: Text::Plain },
    Field { key: "min_keep", label: "保有下限", text: Text::Plain },
    Field { key: "buffer_m", label: "缓冲距离（米）", text: Text::Plain },
    Field { key: "full_is_closed", label: "满桩禁停", text: Text::Switch("是", "否") },
    Field { key: "direction", label: "停车方向", text: Text::Plain },
    Field { key: "proofs", label: "还车凭证", text: Text::Named(label::<Proof>) },
    Field { key: "hours", label: "时段", text: Text::Plain },
    Field { key: "photos", label: "照片", text: Text::Plain },
    Field { key: "difficulty", label: "难度系数", text: Text::Plain },
    Field { key: "rfid_codes", label: "射频编号", text: Text::Plain },
    Field { key: "penalty_cents", label: "违停费用（分）", text: Text::Plain },
    Field { key: "weekdays", label: "生效星期", text: Text::Plain },
    Field { key: "tags", label: "标签", text: Text::Plain },
    Field { key: "remark", label: "备注", text: Text::Plain },
    Field { key: "data_version", label: "版本", text: Text::Plain },
    Field { key: "from", label: "生效时间", text: Text::Moment },
    Field { key: "until", label: "失效时间", text: Text::Moment },
    Field { key: "batch", label: "批量修改", text: Text::Of("fence-batch") },
    Field { key: "enabled", label: "状态", text: ENABLED },
];

const BATCH_STEPS: &[Step] = &[
    Step { stored_type: "fence-batch.applied", label: "批量修改停车区", fold: batch_applied },
    Step {
        stored_type: "fence-batch.undone",
        label: "撤销批量修改",
        fold: |state, data| set(state, "back", data.get("back").cloned().unwrap_or_default()),
    },
];

const BATCH_FIELDS: &[Field] = &[
    Field { key: "reason", label: "原因", text: Text::Plain },
    Field { key: "agent_id", label: "所属代理", text: Text::Of("agent") },
    Field { key: "fences", label: "停车区", text: Text::Plain },
    Field { key: "count", label: "数量", text: Text::Plain },
    Field { key: "capacity", label: "停放上限", text: Text::Plain },
    Field { key: "minKeep", label: "保有下限", text: Text::Plain },
    Field { key: "bufferM", label: "缓冲距离（米）", text: Text::Plain },
    Field { key: "fullIsClosed", label: "满桩禁停", text: YES },
    Field { key: "proofs_on", label: "启用凭证", text: Text::Named(label::<Proof>) },
    Field { key: "proofs_off", label: "停用凭证", text: Text::Named(label::<Proof>) },
    Field { key: "toleranceDegrees", label: "方向允许偏差（度）", text: Text::Plain },
    Field { key: "open", label: "开放时段", text: Text::Plain },
    Field { key: "tags", label: "标签", text: Text::Plain },
    Field { key: "from", label: "生效时间", text: Text::Moment },
    Field { key: "until", label: "恢复时间", text: Text::Moment },
    Field { key: "back", label: "已撤销的停车区", text: Text::Of("fence") },
];

/// What was to be otherwise, each field by itself, and of which fences.
fn batch_applied(state: &mut Fields, mut data: Fields) {
    data.remove("batch_id");
    data.remove("at");
    if let Some(Value::Array(members)) = data.remove("members") {
        set(&mut data, "count", members.len());
        let names: Vec<Value> = members.iter().map(|member| member["name"].clone()).collect();
        set(&mut data, "fences", names);
    }
    flatten(&mut data, "adjustment");
    if let Some(Value::Object(change)) = data.remove("capacity") {
        let said = change.into_iter().map(|(way, number)| match way.as_str() {
            "by" => format!("{:+}", number.as_i64().unwrap_or_default()),
            "percent" => format!("{:+}%", number.as_i64().unwrap_or_default()),
            _ => number.to_string(),
        });
        set(&mut data, "capacity", said.collect::<String>());
    }
    if let Some(Value::Array(switches)) = data.remove("proofs") {
        for (key, on) in [("proofs_on", true), ("proofs_off", false)] {
            let proofs = switches.iter().filter(|one| one["on"] == on).map(|one| one["proof"].clone());
            let proofs: Vec<Value> = proofs.collect();
            if !proofs.is_empty() {
                set(&mut data, key, proofs);
            }
        }
    }
    if let Some(Value::Object(open)) = data.remove("open") {
        let clock = |key: &str| {
            let minute = open["hours"][key].as_u64().unwrap_or_default();
            format!("{:02}:{:02}", minute / 60, minute % 60)
        };
        let all_day = open.get("hours").is_none_or(Value::is_null);
        let said = if all_day {
            "全天".to_owned()
        } else {
            format!("{}–{}", clock("fromMin"), clock("untilMin"))
        };
        set(&mut data, "open", said);
    }
    merge(state, data);
}

/// Words of a drawing in place of those that were there.
fn fence_drawn(state: &mut Fields, drawing: Value, stage: &str) {
    const OF_A_RULE: [&str; 12] = [
        "capacity",
        "min_keep",
        "buffer_m",
        "full_is_closed",
        "direction",
        "proofs",
        "hours",
        "difficulty",
        "rfid_codes",
        "penalty_cents",
        "weekdays",
        "circle",
    ];
    for key in OF_A_RULE.into_iter().chain(["ring"]) {
        state.remove(key);
    }
    let Value::Object(mut drawing) = drawing else { return };
    drawing.remove("fence_id");
    if let Some(stored) = drawing.remove("rule") {
        if let Ok(rule) = serde_json::from_value::<Rule>(stored.clone()) {
            drawing.insert("kind".to_owned(), rule.kind().number().into());
        }
        if let Value::Object(of_kind) = stored {
            drawing.extend(of_kind.into_iter().filter_map(|(_, said)| said.as_object().cloned()).flatten());
        }
    }
    if let Some(Value::Object(shape)) = drawing.remove("shape") {
        for (form, edge) in shape {
            match form.as_str() {
                "polygon" => drawing.insert("ring".to_owned(), edge),
                _ => drawing.insert("circle".to_owned(), circle(&edge).into()),
            };
        }
    }
    merge(state, drawing);
    set(state, "stage", stage);
}

fn circle(edge: &Value) -> String {
    let degrees = |key: &str| edge["center"][key].as_f64().unwrap_or_default();
    let radius_m = edge["radius_m"].as_f64().unwrap_or_default();
    format!("{:.6}, {:.6}，{radius_m:.1} 米", degrees("lng"), degrees("lat"))
}

fn fence(state: &mut Fields, mut data: Fields) {
    fence_drawn(state, data.remove("drawing").unwrap_or_default(), "已发布");
    flatten(&mut data, "term");
    state.remove("batch");
    // A first version counts at once; a later one leaves that as it is.
    if !state.contains_key("enabled") {
        set(state, "enabled", true);
    }
    merge(state, data);
}

fn fence_draft(state: &mut Fields, mut data: Fields) {
    fence_drawn(state, data.remove("drawing").unwrap_or_default(), "草稿");
}

fn fence_published(state: &mut Fields, _data: Fields) {
    set(state, "stage", "已发布");
}

fn fence_withdrawn(state: &mut Fields, _data: Fields) {
    set(state, "stage", "草稿");
}

fn fence_deleted(state: &mut Fields, _data: Fields) {
    set(state, "stage", "已删除");
    set(state, "enabled", false);
}

/// The ids of a fence's photos, after `change`.
fn photos(state: &mut Fields, change: impl FnOnce(&mut Vec<Value>)) {
    let mut shown = state.get("photos").and_then(Value::as_array).cloned().unwrap_or_default();
    change(&mut shown);
    set(state, "photos", shown);
}

fn photo_shown(state: &mut Fields, mut data: Fields) {
    photos(state, |shown| shown.extend(data.remove("id")));
}

fn photo_hidden(state: &mut Fields, mut data: Fields) {
    let hidden = data.remove("id");
    photos(state, |shown| shown.retain(|id| Some(id) != hidden.as_ref()));
}

const APPLICATION_STEPS: &[Step] = &[
    Step { stored_type: "park-application.submitted", label: "提交站点申请", fold: submitted },
    Step { stored_type: "park-application.voted", label: "附议站点申请", fold: voted },
    Step {
        stored_type: "park-application.accepted",
        label: "通过站点申请",
        fold: |state, data| decided(state, data, 1),
    },
    Step {
        stored_type: "park-application.rejected",
        label: "驳回站点申请",
        fold: |state, data| decided(state, data, 2),
    },
    Step {
        stored_type: "park-application.built",
        label: "站点申请建站",
        fold: |state, data| decided(state, data, 3),
    },
    Step { stored_type: "park-application.unbuilt", label: "站点申请撤销建站", fold: unbuilt },
];

const APPLICATION_FIELDS: &[Field] = &[
    Field { key: "location", label: "申请位置", text: Text::Plain },
    Field { key: "place", label: "坐标", text: Text::Plain },
    Field { key: "area_id", label: "服务区", text: Text::Of("area") },
    Field { key: "agent_id", label: "所属代理", text: Text::Of("agent") },
    Field { key: "phone", label: "申请人手机号", text: Text::Plain },
    Field { key: "applicant_remark", label: "申请说明", text: Text::Plain },
    Field { key: "photos", label: "现场照片（张）", text: Text::Plain },
    Field { key: "votes", label: "票数", text: Text::Plain },
    Field { key: "state", label: "状态", text: Text::Named(label::<ParkApplicationState>) },
    Field { key: "remark", label: "处理意见", text: Text::Plain },
    Field { key: "parking", label: "停车区", text: Text::Of("fence") },
];

fn submitted(state: &mut Fields, mut data: Fields) {
    flatten(&mut data, "wish");
    data.remove("application_id");
    data.remove("at");
    let degrees = |key: &str| data["place"][key].as_f64().unwrap_or_default();
    let place = format!("{:.6}, {:.6}", degrees("lng"), degrees("lat"));
    set(&mut data, "place", place);
    let photos = data["photos"].as_array().map_or(0, Vec::len);
    set(&mut data, "photos", photos);
    // The applicant is sealed as one; his phone and his words are personal each.
    if let Some(Value::Object(mut sealed)) = data.remove("applicant") {
        let applicant = sealed.remove("$personal").unwrap_or_default();
        for (key, of) in [("phone", "phone"), ("applicant_remark", "remark")] {
            set(&mut data, key, applicant.get(of).cloned().unwrap_or_default());
            personal(&mut data, key);
        }
    }
    set(&mut data, "votes", 1);
    set(&mut data, "state", 0);
    merge(state, data);
}

fn voted(state: &mut Fields, _data: Fields) {
    let votes = state.get("votes").and_then(Value::as_i64).unwrap_or_default();
    set(state, "votes", votes + 1);
}

/// Who decided stands beside the event already.
fn unbuilt(state: &mut Fields, _data: Fields) {
    state.remove("parking");
    set(state, "state", 1);
}

fn decided(state: &mut Fields, mut data: Fields, next: i16) {
    data.remove("by");
    set(&mut data, "state", next);
    merge(state, data);
}
