//! What happens to a bike in its life, as its log (车辆日志) tells it.

use kernel::Actor;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::{Phone, VoltageSchemeId, choices};

use super::alarm::{Evidence, TicketState};
use super::command::{CommandEvent, CommandKind, CommandState, Order};
use super::device::{About, DeviceEvent};
use super::region::{AlarmState, Lifecycle, OperationState, RidingState};
use super::vehicle::VehicleEvent;

choices! {
    /// A kind of events.
    pub enum LifeGroup("事件类别") {
        Binding = 1 => "登记与绑定",
        Stock = 2 => "出入库与上下架",
        Riding = 3 => "骑行状态",
        Work = 4 => "运维",
        Alarm = 5 => "告警",
        Order = 6 => "订单",
        Fare = 7 => "费用",
        Command = 8 => "指令",
    }
}

choices! {
    /// An event; its hundreds are its group.
    pub enum LifeEvent("事件") {
        Registered = 101 => "登记车辆",
        Bound = 102 => "绑定中控",
        Unbound = 103 => "解绑中控",
        Relocated = 104 => "调往其他服务区",
        Tagged = 105 => "设置标签",
        VoltageSchemeSet = 106 => "设置电压方案",
        Introduced = 107 => "固件变更",
        Stocked = 201 => "车辆入库",
        Shelved = 202 => "车辆上架",
        Unshelved = 203 => "车辆下架",
        SentToFactory = 204 => "返厂维修",
        ReportedLost = 205 => "车辆报失",
        Found = 206 => "车辆找回",
        Scrapped = 207 => "车辆报废",
        RidingChanged = 301 => "骑行状态变更",
        WorkStarted = 401 => "开始运维",
        WorkFinished = 402 => "结束运维",
        BatteryLow = 403 => "电量过低",
        BatteryEnough = 404 => "电量恢复",
        AlarmRaised = 501 => "告警产生",
        AlarmCleared = 502 => "告警解除",
        AlarmAcknowledged = 503 => "确认报警",
        AlarmSettled = 504 => "处理报警",
        AlarmEscalated = 505 => "报警升级",
        Reserved = 601 => "预约用车",
        UnlockAsked = 602 => "请求开锁",
        RideStarted = 603 => "开始骑行",
        Paused = 604 => "临时停车",
        Resumed = 605 => "继续骑行",
        Returned = 606 => "还车",
        Cancelled = 607 => "取消订单",
        Reconciled = 608 => "按设备记录结束",
        Priced = 701 => "计费",
        Repriced = 702 => "改价",
        Refunded = 703 => "退款",
        WrittenOff = 704 => "核销欠款",
        CommandGiven = 801 => "下发指令",
        CommandDone = 802 => "指令成功",
        CommandFailed = 803 => "指令失败",
        CommandTimedOut = 804 => "指令超时",
        AnsweredLate = 805 => "迟到应答",
        CommandCancelled = 806 => "取消排队",
    }
}

impl LifeEvent {
    /// Those of a group.
    pub fn of_group(group: LifeGroup) -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(move |event| event.number() / 100 == group.number())
    }
}

choices! {
    /// Who acted.
    pub enum ActorKind("操作主体") {
        Rider = 1 => "用户",
        Worker = 2 => "运维",
        Office = 3 => "后台",
        System = 4 => "系统",
        Device = 5 => "设备",
    }
}

/// What was before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LifeChange {
    /// Of what.
    pub field: String,
    /// Before; empty: nothing.
    pub from: String,
    /// After; empty: nothing.
    pub to: String,
}

impl LifeChange {
    /// `field` was `from` and is `to`.
    pub fn new(field: &str, from: impl Into<String>, to: impl Into<String>) -> Self {
        Self { field: field.to_owned(), from: from.into(), to: to.into() }
    }
}

/// Who acted, as a row keeps him.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acted {
    /// What he is.
    pub kind: ActorKind,
    /// His id, where he has one.
    pub number: Option<i64>,
    /// What he is called, where he has none.
    pub name: String,
}

impl Acted {
    /// Who an event's meta names, when nothing else is known of him.
    pub fn of(actor: &Actor) -> Self {
        match actor {
            Actor::Operator { id } => {
                Self { kind: ActorKind::Office, number: Some(id.0), name: String::new() }
            }
            Actor::Machine { id } => {
                Self { kind: ActorKind::System, number: Some(id.0), name: String::new() }
            }
            Actor::System { name } => Self { kind: ActorKind::System, number: None, name: name.clone() },
        }
    }

    /// A rider for whom his program spoke; whoever else acted is himself.
    pub fn rider(actor: &Actor, rider: Option<i64>) -> Self {
        match (actor, rider) {
            (Actor::Machine { .. }, Some(rider)) => {
                Self { kind: ActorKind::Rider, number: Some(rider), name: String::new() }
            }
            _ => Self::of(actor),
        }
    }

    /// A field worker, as his program names him; a phone is masked.
    fn worker(name: &str) -> Self {
        let name = name.parse::<Phone>().map_or_else(|_| name.to_owned(), |phone| phone.masked());
        Self { kind: ActorKind::Worker, number: None, name }
    }

    const fn device() -> Self {
        Self { kind: ActorKind::Device, number: None, name: String::new() }
    }
}

/// An event in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Which.
    pub event: LifeEvent,
    /// Who acted.
    pub acted: Acted,
    /// In words.
    pub content: String,
    /// What was before and after.
    pub changes: Vec<LifeChange>,
}

/// What a bike's own event tells.
pub fn of_vehicle(event: &VehicleEvent, actor: &Actor) -> Told {
    let told = |event, content: String, changes| Told { event, acted: Acted::of(actor), content, changes };
    let lifecycle = |from: &str, to: Lifecycle| vec![LifeChange::new("生命周期", from, to.label())];
    match event {
        VehicleEvent::Registered(of) => {
            let plate = if of.plate_no.is_empty() { "无号牌" } else { &of.plate_no };
            told(LifeEvent::Registered, format!("登记车辆，{plate}"), lifecycle("", Lifecycle::Expected))
        }
        VehicleEvent::Bound { imei } => {
            told(LifeEvent::Bound, format!("绑定中控 {imei}"), vec![LifeChange::new("中控", "", imei)])
        }
        VehicleEvent::Stocked => told(
            LifeEvent::Stocked,
            "车辆入库".to_owned(),
            lifecycle(Lifecycle::Expected.label(), Lifecycle::Stocked),
        ),
        VehicleEvent::Shelved { place } => told(
            LifeEvent::Shelved,
            format!("车辆上架，位置 {:.6}, {:.6}", place.lat(), place.lng()),
            lifecycle(Lifecycle::Stocked.label(), Lifecycle::Shelved),
        ),
        VehicleEvent::RideStateChanged { from, to, by } => {
            let is_work = [*from, *to].contains(&RidingState::FieldWork);
            let acted = match by.parse::<i64>() {
                _ if is_work => Acted::worker(by),
                Ok(rider) => Acted::rider(actor, Some(rider)),
                Err(_) => Acted::of(actor),
            };
            let changes = vec![LifeChange::new("骑行状态", from.label(), to.label())];
            Told {
                acted, ..told(LifeEvent::RidingChanged, format!("由“{from}”变为“{to}”"), changes)
            }
        }
        VehicleEvent::OpsStateAdded { state, note } => of_work(*state, note, true, actor),
        VehicleEvent::OpsStateRemoved { state, note } => of_work(*state, note, false, actor),
        VehicleEvent::AlarmRaised { alarm, evidence } => told(
            LifeEvent::AlarmRaised,
            alarming(*alarm, evidence),
            vec![LifeChange::new("告警", "", alarm.label())],
        ),
        VehicleEvent::AlarmCleared { alarm, evidence } => told(
            LifeEvent::AlarmCleared,
            alarming(*alarm, evidence),
            vec![LifeChange::new("告警", alarm.label(), "")],
        ),
        VehicleEvent::AlarmAcknowledged { alarm, .. } => {
            told(LifeEvent::AlarmAcknowledged, alarm.label().to_owned(), ticket(TicketState::Acknowledged))
        }
        VehicleEvent::AlarmSettled { alarm, cause, note, .. } => {
            let state = TicketState::settled(*cause);
            let why = cause.map_or(note.as_str(), |cause| cause.label());
            told(LifeEvent::AlarmSettled, said(alarm.label(), why), ticket(state))
        }
        VehicleEvent::AlarmEscalated { alarm, .. } => {
            told(LifeEvent::AlarmEscalated, format!("{alarm}：没有人及时确认"), vec![])
        }
        VehicleEvent::Unshelved { reason } => {
            moved(LifeEvent::Unshelved, Lifecycle::Shelved, Lifecycle::Unshelved, reason, actor)
        }
        VehicleEvent::Restocked { from, reason } => {
            moved(LifeEvent::Stocked, *from, Lifecycle::Stocked, reason, actor)
        }
        VehicleEvent::SentToFactory { reason } => {
            moved(LifeEvent::SentToFactory, Lifecycle::Unshelved, Lifecycle::AtFactory, reason, actor)
        }
        VehicleEvent::ReportedLost { from, reason } => {
            moved(LifeEvent::ReportedLost, *from, Lifecycle::Lost, reason, actor)
        }
        VehicleEvent::Found { back, reason } => {
            moved(LifeEvent::Found, Lifecycle::Lost, *back, reason, actor)
        }
        VehicleEvent::Scrapped { from, reason } => {
            moved(LifeEvent::Scrapped, *from, Lifecycle::Scrapped, reason, actor)
        }
        VehicleEvent::Relocated { from, to, reason } => told(
            LifeEvent::Relocated,
            said(LifeEvent::Relocated.label(), reason),
            vec![LifeChange::new("服务区编号", from.to_string(), to.to_string())],
        ),
        VehicleEvent::Tagged { added, removed } => told(
            LifeEvent::Tagged,
            LifeEvent::Tagged.label().to_owned(),
            vec![LifeChange::new("标签", removed.join("、"), added.join("、"))],
        ),
        VehicleEvent::Unbound { imei, reason } => told(
            LifeEvent::Unbound,
            said(&format!("解绑中控 {imei}"), reason),
            vec![LifeChange::new("中控", imei, "")],
        ),
        VehicleEvent::VoltageSchemeSet { from, to, name } => {
            let number = |id: &Option<VoltageSchemeId>| id.map(|id| id.to_string()).unwrap_or_default();
            told(
                LifeEvent::VoltageSchemeSet,
                if to.is_some() { said("设置电压方案", name) } else { "取消电压方案".to_owned() },
                vec![LifeChange::new("电压方案编号", number(from), number(to))],
            )
        }
    }
}

/// A step of its life.
fn moved(event: LifeEvent, from: Lifecycle, to: Lifecycle, reason: &str, actor: &Actor) -> Told {
    Told {
        event,
        acted: Acted::of(actor),
        content: said(event.label(), reason),
        changes: vec![LifeChange::new("生命周期", from.label(), to.label())],
    }
}

fn ticket(to: TicketState) -> Vec<LifeChange> {
    vec![LifeChange::new("报警单", "", to.label())]
}

/// An alarm with what it stands on.
fn alarming(alarm: AlarmState, evidence: &str) -> String {
    match Evidence::read(evidence) {
        Some(found) => said(alarm.label(), &found.words()),
        None => said(alarm.label(), evidence),
    }
}

fn of_work(state: OperationState, note: &str, added: bool, actor: &Actor) -> Told {
    let is_battery = state == OperationState::LowBattery;
    let event = match (is_battery, added) {
        (true, true) => LifeEvent::BatteryLow,
        (true, false) => LifeEvent::BatteryEnough,
        (false, true) => LifeEvent::WorkStarted,
        (false, false) => LifeEvent::WorkFinished,
    };
    let (from, to) = if added { ("", state.label()) } else { (state.label(), "") };
    Told {
        event,
        acted: if is_battery { Acted::of(actor) } else { Acted::worker(note) },
        content: if is_battery { note.to_owned() } else { format!("{}：{state}", event.label()) },
        changes: vec![LifeChange::new("运维状态", from, to)],
    }
}

fn said(what: &str, why: &str) -> String {
    if why.is_empty() { what.to_owned() } else { format!("{what}：{why}") }
}

/// What a device's own event tells of its bike. Being bound is told by the bike.
pub fn of_device(event: &DeviceEvent, imei: &str, actor: &Actor) -> Option<Told> {
    match event {
        DeviceEvent::Unbound { .. } => Some(Told {
            event: LifeEvent::Unbound,
            acted: Acted::of(actor),
            content: format!("解绑中控 {imei}"),
            changes: vec![LifeChange::new("中控", imei, "")],
        }),
        DeviceEvent::Registered { .. }
        | DeviceEvent::Bound { .. }
        | DeviceEvent::Relocated { .. }
        | DeviceEvent::Introduced { .. } => None,
    }
}

/// That a device is of another model, or runs other firmware, than it did `before`; empty: it had not told.
pub fn of_introduction(about: &About, before: String) -> Told {
    Told {
        event: LifeEvent::Introduced,
        acted: Acted::device(),
        content: format!("中控型号 {}，固件 {}", about.model, about.firmware),
        changes: vec![LifeChange::new("固件", before, about.firmware.clone())],
    }
}

/// What a command's event tells; its leaving is told by the device's log. `state` is how far it got before, `asked` who acted unless the
/// device did.
pub fn of_command(event: &CommandEvent, kind: CommandKind, state: &str, asked: Acted) -> Option<Told> {
    let told = |event, acted, content: String, to: CommandState| {
        Some(Told {
            event, acted, content, changes: vec![LifeChange::new("指令状态", state, to.label())]
        })
    };
    match event {
        CommandEvent::Requested { order, .. } => {
            told(LifeEvent::CommandGiven, asked, given(order), CommandState::Pending)
        }
        CommandEvent::Sent { .. } => None,
        CommandEvent::Acknowledged { code: 0, .. } => {
            told(LifeEvent::CommandDone, Acted::device(), format!("{kind}：成功"), CommandState::Done)
        }
        CommandEvent::Acknowledged { code, .. } => told(
            LifeEvent::CommandFailed,
            Acted::device(),
            format!("{kind}：失败，应答代码 {code}"),
            CommandState::Failed,
        ),
        CommandEvent::TimedOut { .. } => told(
            LifeEvent::CommandTimedOut,
            asked,
            // Nothing left: it waited for the bike (排队).
            if state == CommandState::Pending.label() {
                format!("{kind}：车辆在排队时间内没有上报")
            } else {
                format!("{kind}：设备没有按时应答")
            },
            CommandState::TimedOut,
        ),
        CommandEvent::AcknowledgedLate { code, .. } => told(
            LifeEvent::AnsweredLate,
            Acted::device(),
            format!("{kind}：超时之后才应答，应答代码 {code}"),
            CommandState::TimedOut,
        ),
        CommandEvent::Cancelled { by, .. } => told(
            LifeEvent::CommandCancelled,
            asked,
            format!("{kind}：{by}取消了排队"),
            CommandState::Cancelled,
        ),
    }
}

fn given(order: &Order) -> String {
    let firmware = order.package.as_ref().map(|package| format!(" {}", package.firmware));
    said(&format!("{}{}", order.kind, firmware.unwrap_or_default()), &order.reason)
}

#[cfg(test)]
mod tests {
    use vocabulary::{Choice, MachineId, OperatorId, Timestamp};

    use super::*;

    const APP: Actor = Actor::Machine { id: MachineId(7) };

    #[test]
    fn every_event_belongs_to_one_group() {
        let grouped: Vec<LifeEvent> =
            LifeGroup::ALL.iter().flat_map(|group| LifeEvent::of_group(*group)).collect();
        assert_eq!(grouped, <LifeEvent as Choice>::ALL);
    }

    #[test]
    fn a_ride_is_its_riders_and_field_work_its_workers() {
        let changed = |from, to, by: &str| {
            of_vehicle(&VehicleEvent::RideStateChanged { from, to, by: by.to_owned() }, &APP).acted
        };
        let rider = changed(RidingState::Idle, RidingState::Riding, "42");
        assert_eq!((rider.kind, rider.number), (ActorKind::Rider, Some(42)));
        let worker = changed(RidingState::Idle, RidingState::FieldWork, "13812348888");
        assert_eq!((worker.kind, worker.number, &*worker.name), (ActorKind::Worker, None, "138****8888"));
        let office = Actor::Operator { id: OperatorId(3) };
        let ended = VehicleEvent::RideStateChanged {
            from: RidingState::Riding,
            to: RidingState::Idle,
            by: "42".to_owned(),
        };
        assert_eq!(of_vehicle(&ended, &office).acted.kind, ActorKind::Office, "support ended it");
    }

    #[test]
    fn what_was_wrong_is_told_with_its_evidence_and_ends() {
        let (alarm, evidence) = (AlarmState::OutOfArea, "距边界 120 米".to_owned());
        let raised = of_vehicle(&VehicleEvent::AlarmRaised { alarm, evidence: evidence.clone() }, &APP);
        assert_eq!(raised.content, "出服务区：距边界 120 米");
        assert_eq!(raised.changes, [LifeChange::new("告警", "", "出服务区")]);
        let cleared = of_vehicle(&VehicleEvent::AlarmCleared { alarm, evidence: String::new() }, &APP);
        assert_eq!((cleared.content.as_str(), &*cleared.changes[0].from), ("出服务区", "出服务区"));
    }

    #[test]
    fn a_command_is_told_from_its_request_to_its_late_answer_without_its_leaving() {
        let at = Timestamp::from_millis(0);
        let told = |event| of_command(&event, CommandKind::Lock, "已发", Acted::of(&APP));
        assert_eq!(told(CommandEvent::Sent { at }), None);
        let failed = told(CommandEvent::Acknowledged { code: 132, at }).unwrap();
        assert_eq!((failed.event, failed.acted.kind), (LifeEvent::CommandFailed, ActorKind::Device));
        assert_eq!(failed.content, "关锁：失败，应答代码 132");
        assert_eq!(failed.changes, [LifeChange::new("指令状态", "已发", "失败")]);
        let late = told(CommandEvent::AcknowledgedLate { code: 0, at }).unwrap();
        assert_eq!((late.event, &*late.changes[0].to), (LifeEvent::AnsweredLate, "超时"));
    }
}
