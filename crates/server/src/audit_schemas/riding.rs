//! What is configured of service areas.

use std::sync::Arc;

use ::riding::model::alarm_rules::AlarmRules;
use ::riding::model::anomaly::AnomalyKind;
use ::riding::model::billing::Billing;
use ::riding::model::config::ConfigEvent;
use ::riding::model::order::{CancelReason, EndKind, OrderEvent, PayState};
use ::riding::model::pay_rules::{PayRules, RemindWay, SpendFirst};
use ::riding::model::return_rules::{Effect, ReturnRules};
use ::riding::model::riding_permission::RidingPermission;
use ::riding::model::use_rules::{RechargeFor, TooLong, UseRules};
use audit::{AuditSchema, Field, Fields, Text};
use geofence::judge::ReturnClass;
use serde_json::Value;

use super::territory::yuan;
use super::{Context, Step, flatten, label, set, text};

pub fn audit_schemas() -> Vec<Arc<dyn AuditSchema>> {
    let mut all = configs();
    all.push(orders());
    all
}

// Ride orders: what riders, locks and support did to them.

fn orders() -> Arc<dyn AuditSchema> {
    Arc::new(Context::<OrderEvent> {
        called_by: &["car_id"],
        name: |state| text(state, "car_id"),
        ..Context::new("ride-order", "骑行订单", ORDER, ORDER_FIELDS)
    })
}

const ORDER: &[Step] = &[
    Step {
        stored_type: "ride-order.reserved",
        label: "预约车辆",
        fold: |state, data| opened(state, data, PayState::Reserved),
    },
    Step {
        stored_type: "ride-order.unlock_asked",
        label: "请求开锁",
        fold: |state, data| opened(state, data, PayState::Riding),
    },
    Step {
        stored_type: "ride-order.started",
        label: "开始骑行",
        fold: |state, data| set(state, "start_at", data["at"].clone()),
    },
    Step {
        stored_type: "ride-order.cancelled",
        label: "取消订单",
        fold: |state, data| {
            set(state, "why", data["why"].clone());
            stands(state, PayState::Cancelled);
        },
    },
    Step {
        stored_type: "ride-order.paused", label: "临时停车", fold: |state, _| set(state, "paused", true)
    },
    Step {
        stored_type: "ride-order.resumed",
        label: "继续骑行",
        fold: |state, _| set(state, "paused", false),
    },
    Step { stored_type: "ride-order.returned", label: "还车", fold: returned },
    Step { stored_type: "ride-order.priced", label: "计费", fold: priced },
    Step {
        stored_type: "ride-order.paid",
        label: "支付订单",
        fold: |state, mut data| {
            grow(state, "paid_cents", shared(&mut data));
            settle(state);
        },
    },
    Step {
        stored_type: "ride-order.modified",
        label: "修改订单金额",
        fold: |state, data| {
            set(state, "pay_cents", data["to_cents"].clone());
            set(state, "reason", data["reason"].clone());
            settle(state);
        },
    },
    Step {
        stored_type: "ride-order.refunded",
        label: "订单退款",
        fold: |state, mut data| {
            grow(state, "refund_cents", shared(&mut data));
            set(state, "reason", data["reason"].clone());
            if cents(state, "refund_cents") == cents(state, "paid_cents") {
                stands(state, PayState::Refunded);
            }
        },
    },
    Step {
        stored_type: "ride-order.written_off",
        label: "核销订单欠款",
        fold: |state, data| {
            grow(state, "written_off_cents", data["amount_cents"].as_i64().unwrap_or(0));
            set(state, "reason", data["reason"].clone());
            settle(state);
        },
    },
    Step {
        stored_type: "ride-order.noted",
        label: "说明原因",
        fold: |state, data| set(state, "reason", data["reason"].clone()),
    },
    Step {
        stored_type: "ride-order.reminded",
        label: "催缴欠款",
        fold: |state, data| {
            set(state, "reminders", data["nth"].clone());
            set(state, "remind_way", data["way"].clone());
        },
    },
    Step {
        stored_type: "ride-order.reconciled", label: "按真实时间结束异常订单", fold: reconciled
    },
];

const ORDER_FIELDS: &[Field] = &[
    Field { key: "car_id", label: "车辆编号", text: Text::Plain },
    Field { key: "rider_id", label: "用户编号", text: Text::Plain },
    Field { key: "state", label: "订单状态", text: Text::Named(label::<PayState>) },
    Field { key: "why", label: "取消原因", text: Text::Named(label::<CancelReason>) },
    Field { key: "paused", label: "临停", text: YES },
    Field { key: "start_at", label: "开始时间", text: Text::Moment },
    Field { key: "end_at", label: "结束时间", text: Text::Moment },
    Field { key: "end_kind", label: "结束方式", text: Text::Named(label::<EndKind>) },
    Field { key: "class", label: "还车位置", text: Text::Named(label::<ReturnClass>) },
    Field { key: "distance_m", label: "骑行里程（米）", text: Text::Plain },
    Field { key: "billing_version", label: "计费版本", text: Text::Plain },
    Field { key: "pay_cents", label: "应付", text: YUAN },
    Field { key: "paid_cents", label: "实付", text: YUAN },
    Field { key: "refund_cents", label: "已退", text: YUAN },
    Field { key: "written_off_cents", label: "核销", text: YUAN },
    Field { key: "reminders", label: "催缴次数", text: Text::Plain },
    Field { key: "remind_way", label: "催缴方式", text: Text::Named(label::<RemindWay>) },
    Field { key: "anomaly", label: "异常类型", text: Text::Named(label::<AnomalyKind>) },
    Field { key: "saved_cents", label: "为用户减免", text: YUAN },
    Field { key: "reason", label: "原因", text: Text::Plain },
    Field { key: "area_id", label: "服务区", text: Text::Of("area") },
    Field { key: "agent_id", label: "所属代理", text: Text::Of("agent") },
];

fn stands(state: &mut Fields, now: PayState) {
    set(state, "state", now.number());
}

fn cents(state: &Fields, key: &str) -> i64 {
    state.get(key).and_then(Value::as_i64).unwrap_or(0)
}

fn grow(state: &mut Fields, key: &str, by_cents: i64) {
    let sum = cents(state, key) + by_cents;
    set(state, key, sum);
}

/// Whether something is still owed.
fn settle(state: &mut Fields) {
    let owed = cents(state, "pay_cents") - cents(state, "paid_cents") - cents(state, "written_off_cents");
    stands(state, if owed > 0 { PayState::Unpaid } else { PayState::Paid });
}

/// All parts of a share together.
fn shared(data: &mut Fields) -> i64 {
    let share = data.remove("share").unwrap_or_default();
    ["recharge_cents", "present_cents", "third_cents"].iter().filter_map(|part| share[*part].as_i64()).sum()
}

fn opened(state: &mut Fields, mut data: Fields, now: PayState) {
    let from = data.remove("opened").unwrap_or_default();
    for key in ["car_id", "rider_id", "area_id", "agent_id"] {
        set(state, key, from[key].clone());
    }
    if let Some(version) = data.remove("billing_version") {
        set(state, "billing_version", version);
    }
    stands(state, now);
}

fn returned(state: &mut Fields, mut data: Fields) {
    let end = data.remove("end").unwrap_or_default();
    set(state, "end_at", end["at"].clone());
    set(state, "end_kind", end["kind"].clone());
    set(state, "class", end["class"].clone());
    set(state, "distance_m", end["distance_m"].clone());
    set(state, "paused", false);
    stands(state, PayState::Held);
}

fn reconciled(state: &mut Fields, mut data: Fields) {
    let found = data.remove("found").unwrap_or_default();
    set(state, "anomaly", found["kind"].clone());
    let cents = |key: &str| found[key].as_i64().unwrap_or(0);
    set(state, "saved_cents", cents("would_cents") - cents("end_cents"));
    set(state, "reason", data["reason"].clone());
}

fn priced(state: &mut Fields, mut data: Fields) {
    let pricing = data.remove("pricing").unwrap_or_default();
    set(state, "pay_cents", pricing["receipt"]["payCents"].clone());
    settle(state);
}

// What is configured of a service area: one category for each kind, called by its area.

const YES: Text = Text::Switch("是", "否");
const YUAN: Text = Text::Named(yuan);
const EFFECT: Text = Text::Named(label::<Effect>);

/// What may happen to a configuration of a category.
macro_rules! steps {
    ($category:literal, $called:literal) => {
        &[
            Step {
                stored_type: concat!($category, ".draft_saved"),
                label: concat!("保存", $called, "草稿"),
                fold: draft_saved,
            },
            Step {
                stored_type: concat!($category, ".draft_discarded"),
                label: concat!("丢弃", $called, "草稿"),
                fold: draft_discarded,
            },
            Step {
                stored_type: concat!($category, ".published"),
                label: concat!("发布", $called),
                fold: published,
            },
            Step {
                stored_type: concat!($category, ".withdrawn"),
                label: concat!("撤回", $called, "版本"),
                fold: withdrawn,
            },
            Step {
                stored_type: concat!($category, ".handed_over"),
                label: concat!("移交", $called),
                fold: located,
            },
        ]
    };
}

/// Fields of a kind behind those of all.
macro_rules! fields {
    ($($key:literal => $label:literal: $text:expr),+ $(,)?) => {
        &[
            Field { key: "area_id", label: "服务区", text: Text::Of("area") },
            Field { key: "agent_id", label: "所属代理", text: Text::Of("agent") },
            Field { key: "stage", label: "阶段", text: Text::Plain },
            Field { key: "from", label: "生效时间", text: Text::Moment },
            Field { key: "note", label: "发布说明", text: Text::Plain },
            $(Field { key: $key, label: $label, text: $text }),+
        ]
    };
}

fn configs() -> Vec<Arc<dyn AuditSchema>> {
    fn of<T: ::riding::model::config::Setting>(
        category: &'static str,
        label: &'static str,
        steps: &'static [Step],
        fields: &'static [Field],
    ) -> Arc<dyn AuditSchema> {
        Arc::new(Context::<ConfigEvent<T>> {
            called_by: &[],
            name: |_| String::new(),
            named_by: Some("area"),
            ..Context::new(category, label, steps, fields)
        })
    }
    vec![
        of::<Billing>("billing-config", "计费配置", steps!("billing-config", "计费配置"), BILLING),
        of::<ReturnRules>("return-config", "还车配置", steps!("return-config", "还车配置"), RETURNING),
        of::<UseRules>("use-config", "用车配置", steps!("use-config", "用车配置"), USING),
        of::<PayRules>("pay-config", "支付配置", steps!("pay-config", "支付配置"), PAYING),
        of::<RidingPermission>(
            "riding-permission",
            "骑行资格配置",
            steps!("riding-permission", "骑行资格配置"),
            PERMITTING,
        ),
        of::<AlarmRules>("alarm-config", "告警配置", steps!("alarm-config", "告警配置"), ALARMING),
    ]
}

const ALARMING: &[Field] = fields! {
    "isOnAbnormalMovement" => "异常移动报警": YES,
    "moveAlarmDistanceM" => "移动距离（米）": Text::Plain,
    "moveAlarmCount" => "移动次数": Text::Plain,
    "moveAlarmTimeS" => "移动时长（秒）": Text::Plain,
    "isOnBatteryRemoval" => "电瓶移除报警": YES,
    "isOfflineTicket" => "异常离线报警": YES,
    "offlineTicketJudgeMin" => "离线判定时长（分钟）": Text::Plain,
    "lowBatteryPercent" => "低电阈值（%）": Text::Plain,
    "enoughBatteryPercent" => "低电恢复（%）": Text::Plain,
    "areaBufferM" => "出区缓冲（米）": Text::Plain,
    "outsideParkingMin" => "站点外停放（分钟）": Text::Plain,
    "unlockedS" => "异常开锁（秒）": Text::Plain,
    "helmetMin" => "头盔报警（分钟）": Text::Plain,
    "noTripMin" => "有单无程时长（分钟）": Text::Plain,
    "noTripDistanceM" => "有单无程距离（米）": Text::Plain,
    "orderTooLongH" => "订单超长（小时）": Text::Plain,
    "shortOrderDurationS" => "短时订单时长（秒）": Text::Plain,
    "shortOrderCount" => "短时订单次数": Text::Plain,
    "escalateUrgentMin" => "紧急报警升级（分钟）": Text::Plain,
    "escalateImportantMin" => "重要报警升级（分钟）": Text::Plain,
};

const BILLING: &[Field] = fields! {
    "freeTimeS" => "免费时长（秒）": Text::Plain,
    "freeDistanceM" => "免费里程（米）": Text::Plain,
    "baseTimeS" => "起步时长（秒）": Text::Plain,
    "baseTimeCents" => "起步价": YUAN,
    "cycleS" => "计费周期（秒）": Text::Plain,
    "cycleCents" => "每周期价格": YUAN,
    "baseDistanceM" => "起步里程（米）": Text::Plain,
    "baseDistanceCents" => "起步里程费": YUAN,
    "perKmCents" => "每公里价格": YUAN,
    "dayCapCents" => "日封顶": YUAN,
    "discountPercent" => "折扣（%）": Text::Plain,
    "bands" => "时段系数": Text::Plain,
    "smallPenaltyCents" => "调度费（近）": YUAN,
    "largePenaltyCents" => "调度费（远）": YUAN,
    "largeDistanceM" => "远近分界（米）": Text::Plain,
    "noStopCents" => "禁停区费用": YUAN,
    "outOfServiceCents" => "服务区外费用": YUAN,
    "noRideCents" => "禁行区费用": YUAN,
    "helmetCents" => "头盔费": YUAN,
    "maxOrderCents" => "单笔上限": YUAN,
    "explain" => "计费说明": Text::Plain,
};

const RETURNING: &[Field] = fields! {
    "outsideAllowed" => "允许站点外还车": YES,
    "noStopAllowed" => "允许禁停区还车": YES,
    "outOfServiceAllowed" => "允许服务区外还车": YES,
    "beacon" => "蓝牙道钉": EFFECT,
    "rfid" => "射频识别": EFFECT,
    "direction" => "定向停车": EFFECT,
    "kickstand" => "脚撑检测": EFFECT,
    "camera" => "摄像头": EFFECT,
    "cameraAngleDegrees" => "摄像头角度（度）": Text::Plain,
    "cameraImpunityCount" => "免罚次数": Text::Plain,
    "helmetLock" => "头盔锁": YES,
    "helmetPhoto" => "头盔拍照": YES,
    "fullClosed" => "满桩禁停": YES,
    "otherAreasUsed" => "借用其他站点": YES,
    "powerOff" => "出区断电": YES,
    "mannersReminded" => "文明停车提醒": YES,
};

const USING: &[Field] = fields! {
    "rechargeFirst" => "用车前充值": YES,
    "rechargeCents" => "预充值金额": YUAN,
    "rechargeFor" => "预充值对象": Text::Named(label::<RechargeFor>),
    "faceChecked" => "人脸校验": YES,
    "facePercent" => "识别度（%）": Text::Plain,
    "faceValidDays" => "人脸有效期（天）": Text::Plain,
    "rideMaxS" => "骑行上限（秒）": Text::Plain,
    "tooLong" => "骑行超时处理": Text::Named(label::<TooLong>),
    "pauseMaxS" => "临停上限（秒）": Text::Plain,
    "lockedOutside" => "出区自动锁车": YES,
    "edgeWarnedM" => "临界距离（米）": Text::Plain,
    "overloadWatched" => "超载监测": YES,
    "helmetUnlocked" => "开头盔锁": YES,
    "helmetWornChecked" => "佩戴检测": YES,
    "helmetBackOnPause" => "临停还盔": YES,
    "minAge" => "最小年龄": Text::Plain,
    "maxAge" => "最大年龄": Text::Plain,
    "batteryMinPercent" => "可用电量（%）": Text::Plain,
};

const PAYING: &[Field] = fields! {
    "paidByBalance" => "余额自动支付": YES,
    "arrearsByBalance" => "补缴余额支付": YES,
    "spendFirst" => "扣款顺序": Text::Named(label::<SpendFirst>),
    "unpaidReminded" => "未支付提醒": YES,
    "remindIntervalH" => "提醒间隔（小时）": Text::Plain,
    "remindersMax" => "提醒次数": Text::Plain,
    "remindWay" => "提醒方式": Text::Named(label::<RemindWay>),
};

const PERMITTING: &[Field] = fields! {
    "free" => "一键免押": YES,
    "deposit" => "诚信金": YES,
    "depositCents" => "诚信金金额": YUAN,
    "membership" => "会员卡": YES,
    "career" => "职业认证": YES,
    "wechatScore" => "微信支付分": YES,
    "zhimaScore" => "芝麻先享": YES,
};

/// Where it is.
fn located(state: &mut Fields, mut data: Fields) {
    flatten(&mut data, "of");
    state.extend(data);
}

/// What it says, field by field.
fn said(state: &mut Fields, mut data: Fields) {
    flatten(&mut data, "said");
    flatten(&mut data, "returned");
    if let Some(Value::Array(bands)) = data.get_mut("bands") {
        for band in bands {
            *band = Value::from(told(band));
        }
    }
    located(state, data);
}

/// `07:00-09:00 150%`.
fn told(band: &Value) -> String {
    let clock = |key: &str| {
        let minute = band[key].as_i64().unwrap_or(0);
        format!("{:02}:{:02}", minute / 60, minute % 60)
    };
    format!("{}-{} {}%", clock("fromMin"), clock("untilMin"), band["percent"])
}

fn draft_saved(state: &mut Fields, data: Fields) {
    set(state, "stage", "草稿");
    said(state, data);
}

fn draft_discarded(state: &mut Fields, data: Fields) {
    set(state, "stage", "草稿已丢弃");
    located(state, data);
}

fn published(state: &mut Fields, mut data: Fields) {
    let number = data.remove("number").unwrap_or_default();
    set(state, "stage", format!("第 {number} 版"));
    said(state, data);
}

fn withdrawn(state: &mut Fields, mut data: Fields) {
    let number = data.remove("number").unwrap_or_default();
    set(state, "stage", format!("第 {number} 版已撤回"));
    located(state, data);
}
