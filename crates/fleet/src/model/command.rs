//! What a device is told (指令): asked, sent, answered or timed out.

use kernel::{Aggregate, Claim, Decision, events, refusals};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vocabulary::{AgentId, AreaId, CommandId, DataOwner, Timestamp, choices};

use super::{device::Imei, firmware::Package, vehicle::CarId};

choices! {
    /// What a device can be told.
    pub enum CommandKind("指令") {
        Unlock = 1 => "开锁",
        Lock = 2 => "关锁",
        Arm = 3 => "设防",
        Disarm = 4 => "撤防",
        PowerOn = 5 => "电门开",
        PowerOff = 6 => "电门关",
        BackWheel = 7 => "后轮锁",
        BatteryBay = 8 => "电池仓",
        Helmet = 9 => "头盔锁",
        FindBell = 10 => "寻车铃",
        Voice = 11 => "语音",
        Reboot = 12 => "重启",
        SpeedLimit = 13 => "限速",
        Parameters = 14 => "参数",
        Fences = 15 => "围栏下发",
        Firmware = 16 => "固件",
        VoicePack = 17 => "语音包",
        TemporaryPower = 18 => "临时通电",
    }
}

choices! {
    /// How far a command got.
    pub enum CommandState("指令状态") {
        Pending = 0 => "待发",
        Sent = 1 => "已发",
        Done = 2 => "成功",
        Failed = 3 => "失败",
        TimedOut = 4 => "超时",
        Cancelled = 5 => "已取消",
    }
}

/// Without an answer for so long, a command has timed out.
pub const TIMEOUT_MS: i64 = 15_000;
/// A command waits for a bike that is away for so many minutes at least and at most.
pub const WAIT_MINUTES: std::ops::RangeInclusive<i64> = 1..=1_440;
const MINUTE_MS: i64 = 60_000;

/// Whether a command asked for at `asked_at` has had its time at `now`.
pub fn has_timed_out(asked_at: Timestamp, now: Timestamp) -> bool {
    now.millis_since(asked_at) >= TIMEOUT_MS
}

impl CommandKind {
    /// Whether whoever asks has to say why: what moves a bike or its power is asked for with a reason.
    pub fn needs_reason(self) -> bool {
        matches!(
            self,
            Self::Unlock | Self::PowerOn | Self::PowerOff | Self::SpeedLimit | Self::TemporaryPower
        )
    }

    /// Whether it may wait for a bike that is away: what makes the bike safer, whoever is near when it comes back. An unlock of
    /// hours ago opens a bike to anybody.
    pub fn may_wait(self) -> bool {
        matches!(self, Self::Lock | Self::PowerOff | Self::Reboot)
    }
}

/// A command as asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Its own id; the device acts on it once.
    pub command_id: CommandId,
    /// The bike.
    pub car_id: CarId,
    /// The bike's device.
    pub imei: Imei,
    /// Whose it is.
    pub agent_id: AgentId,
    /// Where it works.
    pub area_id: AreaId,
    /// What.
    pub kind: CommandKind,
    /// Why.
    pub reason: String,
    /// Who, as the drawer shows it.
    pub by: String,
    /// For so many minutes it waits for the bike where that is away (排队); nothing: it is sent at once or never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_minutes: Option<i64>,
    /// What the device is to run, for 固件.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<Box<Package>>,
}

impl Order {
    /// What the device is told beside the kind.
    pub fn params(&self) -> Value {
        self.package.as_ref().map_or_else(
            || json!({}),
            |package| {
                json!({
                    "model": package.model,
                    "version": package.firmware,
                    "url": package.url,
                    "md5": package.md5,
                    "size": package.size_bytes,
                })
            },
        )
    }

    /// Until when it waits for the bike, asked for at `requested_at`; nothing: it does not.
    pub fn waits_until(&self, requested_at: Timestamp) -> Option<Timestamp> {
        self.wait_minutes.map(|minutes| requested_at.plus_millis(minutes * MINUTE_MS))
    }
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum CommandCommand {
    /// Asks for it.
    Request(Order),
    /// It is about to leave for the device.
    Send,
    /// The device answered.
    Acknowledge {
        /// Which device; another than the one that was told is not listened to.
        imei: String,
        /// Its result code; 0 is done.
        code: i32,
    },
    /// No answer came in time, or the bike did not come back while it waited.
    TimeOut,
    /// It waits no more.
    Cancel {
        /// Who says so, as the drawer shows it.
        by: String,
    },
}

events! {
    /// What happened.
    #[derive(Eq)]
    pub enum CommandEvent {
        /// It was asked for.
        Requested {
            /// What was asked.
            #[serde(flatten)]
            order: Order,
            /// When.
            at: Timestamp,
        } = "device-command.requested",
        /// It leaves: recorded first, so that nothing is sent that is not recorded.
        Sent {
            /// When.
            at: Timestamp,
        } = "device-command.sent",
        /// The device answered in time.
        Acknowledged {
            /// Result code.
            code: i32,
            /// When.
            at: Timestamp,
        } = "device-command.acknowledged",
        /// No answer in time.
        TimedOut {
            /// When.
            at: Timestamp,
        } = "device-command.timed-out",
        /// The device answered after that (迟到).
        AcknowledgedLate {
            /// Result code.
            code: i32,
            /// When.
            at: Timestamp,
        } = "device-command.acknowledged-late",
        /// It was taken back while it waited.
        Cancelled {
            /// Who took it back, as the drawer shows it.
            by: String,
            /// When.
            at: Timestamp,
        } = "device-command.cancelled",
    }
}

refusals! {
    /// Why not.
    pub enum CommandRefusal {
        Unknown = "command-unknown": ("指令不存在"),
        Exists = "command-exists": ("指令编号已使用"),
        Reason(CommandKind) = "command-reason": ("下发“{0}”请填写原因"),
        PackageDue = "command-package": ("升级固件请选择固件包"),
        ReasonTooLong = "command-reason-too-long": ("原因最多 100 个字"),
        TooEarly = "command-too-early": ("指令尚未超时"),
        MayNotWait(CommandKind) = "command-may-not-wait": ("“{0}”不能排队等车辆上线，请在车辆在线时下发"),
        Wait = "command-wait": ("排队时间需为 1 分钟到 24 小时"),
        Waits(CommandKind) = "command-waits": ("该车已有排队中的“{0}”，请先取消"),
        NotWaiting = "command-not-waiting": ("指令已发出或已结束，不能取消"),
        AnotherDevice = "command-another-device": ("应答的不是收到指令的中控"),
    }
}

/// The command as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct DeviceCommandState {
    order: Option<Order>,
    state: Option<CommandState>,
    requested_at: Timestamp,
    sent_at: Option<Timestamp>,
    late_answered: bool,
}

impl DeviceCommandState {
    /// As it was asked.
    pub const fn order(&self) -> Option<&Order> {
        self.order.as_ref()
    }

    /// Whether it waits, or has waited, for a bike that was away.
    pub fn waits(&self) -> bool {
        self.waits_until().is_some()
    }

    fn waits_until(&self) -> Option<Timestamp> {
        self.order.as_ref()?.waits_until(self.requested_at)
    }

    /// From when on no device is to act on it, and nobody waits for it.
    pub fn expires_at(&self) -> Timestamp {
        match (self.waits_until(), self.sent_at) {
            (None, _) => self.requested_at.plus_millis(TIMEOUT_MS),
            (Some(_), Some(sent_at)) => sent_at.plus_millis(TIMEOUT_MS),
            (Some(until), None) => until,
        }
    }

    /// Whether a message of it may leave at `now`: its leaving is recorded, nobody has answered, and its time has not
    /// run out.
    pub fn may_leave(&self, now: Timestamp) -> bool {
        self.state == Some(CommandState::Sent) && now < self.expires_at()
    }
}

impl Aggregate for DeviceCommandState {
    const CATEGORY: &'static str = "device-command";
    type Id = CommandId;
    type Command = CommandCommand;
    type Event = CommandEvent;
    type Refusal = CommandRefusal;

    fn decide(&self, command: Self::Command, now: Timestamp) -> Decision<Self> {
        use CommandState::{Cancelled, Pending, Sent, TimedOut};
        match (self.state, command) {
            (None, CommandCommand::Request(order)) => {
                if order.kind.needs_reason() && order.reason.trim().is_empty() {
                    return Err(CommandRefusal::Reason(order.kind));
                }
                if order.reason.chars().count() > 100 {
                    return Err(CommandRefusal::ReasonTooLong);
                }
                if (order.kind == CommandKind::Firmware) != order.package.is_some() {
                    return Err(CommandRefusal::PackageDue);
                }
                match order.wait_minutes {
                    Some(_) if !order.kind.may_wait() => {
                        return Err(CommandRefusal::MayNotWait(order.kind));
                    }
                    Some(minutes) if !WAIT_MINUTES.contains(&minutes) => return Err(CommandRefusal::Wait),
                    _ => {}
                }
                Ok(vec![CommandEvent::Requested { order, at: now }])
            }
            (Some(_), CommandCommand::Request(_)) => Err(CommandRefusal::Exists),
            (None, _) => Err(CommandRefusal::Unknown),
            (Some(Pending), CommandCommand::Send) if now < self.expires_at() => {
                Ok(vec![CommandEvent::Sent { at: now }])
            }
            (Some(_), CommandCommand::Send) => Ok(vec![]),
            (Some(_), CommandCommand::Acknowledge { imei, .. })
                if self.order.as_ref().is_none_or(|order| order.imei.as_str() != imei) =>
            {
                Err(CommandRefusal::AnotherDevice)
            }
            (Some(Pending | Sent), CommandCommand::Acknowledge { code, .. }) => {
                Ok(vec![CommandEvent::Acknowledged { code, at: now }])
            }
            (Some(TimedOut), CommandCommand::Acknowledge { code, .. }) if !self.late_answered => {
                Ok(vec![CommandEvent::AcknowledgedLate { code, at: now }])
            }
            (Some(_), CommandCommand::Acknowledge { .. }) => Ok(vec![]),
            (Some(Pending | Sent), CommandCommand::TimeOut) if now < self.expires_at() => {
                Err(CommandRefusal::TooEarly)
            }
            (Some(Pending | Sent), CommandCommand::TimeOut) => Ok(vec![CommandEvent::TimedOut { at: now }]),
            (Some(_), CommandCommand::TimeOut) => Ok(vec![]),
            (Some(Pending), CommandCommand::Cancel { by }) if self.waits() => {
                Ok(vec![CommandEvent::Cancelled { by, at: now }])
            }
            (Some(Cancelled), CommandCommand::Cancel { .. }) => Ok(vec![]),
            (Some(_), CommandCommand::Cancel { .. }) => Err(CommandRefusal::NotWaiting),
        }
    }

    fn evolve(&mut self, event: &CommandEvent) {
        self.state = Some(match event {
            CommandEvent::Requested { order, at } => {
                self.order = Some(order.clone());
                self.requested_at = *at;
                CommandState::Pending
            }
            CommandEvent::Sent { at } => {
                self.sent_at = Some(*at);
                CommandState::Sent
            }
            CommandEvent::Acknowledged { code: 0, .. } => CommandState::Done,
            CommandEvent::Acknowledged { .. } => CommandState::Failed,
            CommandEvent::TimedOut { .. } => CommandState::TimedOut,
            CommandEvent::AcknowledgedLate { .. } => {
                self.late_answered = true;
                CommandState::TimedOut
            }
            CommandEvent::Cancelled { .. } => CommandState::Cancelled,
        });
    }

    fn claims(&self, event: &CommandEvent) -> Vec<Claim<CommandRefusal>> {
        let waits = |order: &Order| format!("waits:{}:{}", order.imei, order.kind.number());
        match event {
            CommandEvent::Requested { order, .. } if order.wait_minutes.is_some() => {
                vec![Claim::Take { key: waits(order), refusal: CommandRefusal::Waits(order.kind) }]
            }
            // Whatever ends the waiting.
            _ if self.state == Some(CommandState::Pending) && self.waits() => {
                self.order.iter().map(|order| Claim::Release { key: waits(order) }).collect()
            }
            _ => vec![],
        }
    }

    fn owner(&self) -> DataOwner {
        self.order
            .as_ref()
            .map_or(DataOwner::PLATFORM, |order| DataOwner::of_area(order.agent_id, order.area_id))
    }

    fn car_id(&self) -> Option<&str> {
        self.order.as_ref().map(|order| order.car_id.as_str())
    }
}

#[cfg(test)]
mod tests {
    use kernel::Event;

    use super::*;

    fn package() -> Package {
        Package {
            firmware_id: vocabulary::FirmwareId(7),
            model: "WH-EC20".to_owned(),
            firmware: "1.2.0".to_owned(),
            url: "https://firmware.example/a.bin".to_owned(),
            md5: "0123456789abcdef0123456789abcdef".to_owned(),
            size_bytes: 1_024,
        }
    }

    #[test]
    fn new_firmware_names_its_package_and_nothing_else_does() {
        let CommandCommand::Request(order) = request(CommandKind::Firmware, "") else { panic!("request") };
        let params = json!({"model": "WH-EC20", "version": "1.2.0", "url": "https://firmware.example/a.bin",
            "md5": "0123456789abcdef0123456789abcdef", "size": 1_024});
        assert_eq!(order.params(), params);
        let fresh = DeviceCommandState::default();
        let event = fresh.decide(CommandCommand::Request(order.clone()), at(0)).unwrap().remove(0);
        let stored = serde_json::to_value(&event).unwrap();
        assert_eq!(stored["data"]["package"]["firmware"], "1.2.0");
        assert_eq!(serde_json::from_value::<CommandEvent>(stored).unwrap(), event);
        for wrong in [Order { package: None, ..order.clone() }, Order { kind: CommandKind::Reboot, ..order }]
        {
            assert_eq!(fresh.decide(CommandCommand::Request(wrong), at(0)), Err(CommandRefusal::PackageDue));
        }
    }

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    fn request(kind: CommandKind, reason: &str) -> CommandCommand {
        CommandCommand::Request(Order {
            command_id: CommandId(9),
            car_id: CarId::try_from("B1".to_owned()).unwrap(),
            imei: Imei::try_from("860000000000001".to_owned()).unwrap(),
            agent_id: AgentId(2),
            area_id: AreaId(20),
            kind,
            reason: reason.to_owned(),
            by: "值班员".to_owned(),
            wait_minutes: None,
            package: (kind == CommandKind::Firmware).then(|| Box::new(package())),
        })
    }

    fn waiting(kind: CommandKind, minutes: i64) -> CommandCommand {
        match request(kind, "已联系不到") {
            CommandCommand::Request(order) => {
                CommandCommand::Request(Order { wait_minutes: Some(minutes), ..order })
            }
            other => other,
        }
    }

    fn answer(code: i32) -> CommandCommand {
        CommandCommand::Acknowledge { imei: "860000000000001".to_owned(), code }
    }

    #[test]
    fn another_device_cannot_answer() {
        let (asked, _) = run(vec![(0, request(CommandKind::Lock, "")), (1, CommandCommand::Send)]);
        let stranger = CommandCommand::Acknowledge { imei: "860000000000002".to_owned(), code: 0 };
        assert_eq!(asked.decide(stranger, at(2)), Err(CommandRefusal::AnotherDevice));
    }

    fn run(steps: Vec<(i64, CommandCommand)>) -> (DeviceCommandState, Vec<&'static str>) {
        let (mut state, mut types) = (DeviceCommandState::default(), Vec::new());
        for (ms, step) in steps {
            for event in state.decide(step, at(ms)).unwrap() {
                types.push(event.stored_type());
                state.evolve(&event);
            }
        }
        (state, types)
    }

    #[test]
    fn power_and_unlocking_need_a_reason_and_locking_does_not() {
        let fresh = DeviceCommandState::default();
        for kind in [CommandKind::Unlock, CommandKind::PowerOff] {
            assert_eq!(fresh.decide(request(kind, " "), at(0)), Err(CommandRefusal::Reason(kind)));
        }
        assert!(fresh.decide(request(CommandKind::Lock, ""), at(0)).is_ok());
    }

    #[test]
    fn an_answer_after_the_timeout_is_kept_as_late() {
        let (state, types) = run(vec![
            (0, request(CommandKind::Lock, "")),
            (10, CommandCommand::Send),
            (15_000, CommandCommand::TimeOut),
            (16_000, answer(0)),
            (17_000, answer(0)),
        ]);
        assert_eq!(types[2..], ["device-command.timed-out", "device-command.acknowledged-late"]);
        assert_eq!(state.state, Some(CommandState::TimedOut));
    }

    #[test]
    fn a_command_does_not_time_out_early_nor_after_its_answer() {
        let (asked, _) = run(vec![(0, request(CommandKind::Lock, "")), (1, CommandCommand::Send)]);
        assert_eq!(asked.decide(CommandCommand::TimeOut, at(14_999)), Err(CommandRefusal::TooEarly));
        let (done, _) = run(vec![(0, request(CommandKind::Lock, "")), (5, answer(132))]);
        assert_eq!(done.state, Some(CommandState::Failed));
        assert_eq!(done.decide(CommandCommand::TimeOut, at(99_999)), Ok(vec![]));
    }

    #[test]
    fn a_command_leaves_while_its_leaving_is_recorded_and_its_time_runs() {
        let asked = (1_000, request(CommandKind::Lock, ""));
        let (pending, _) = run(vec![asked.clone()]);
        assert!(!pending.may_leave(at(1_001)), "not recorded");
        assert_eq!(pending.decide(CommandCommand::Send, at(16_000)), Ok(vec![]), "too late to leave");
        let (sent, types) = run(vec![asked.clone(), (15_999, CommandCommand::Send)]);
        assert_eq!(types[1..], ["device-command.sent"]);
        assert!(sent.may_leave(at(15_999)) && !sent.may_leave(at(16_000)));
        let (answered, _) = run(vec![asked, (1_001, CommandCommand::Send), (1_002, answer(0))]);
        assert!(!answered.may_leave(at(1_003)));
    }

    #[test]
    fn what_opens_or_moves_a_bike_does_not_wait_and_nothing_waits_for_more_than_a_day() {
        let fresh = DeviceCommandState::default();
        for kind in
            [CommandKind::Unlock, CommandKind::PowerOn, CommandKind::BatteryBay, CommandKind::FindBell]
        {
            assert_eq!(fresh.decide(waiting(kind, 5), at(0)), Err(CommandRefusal::MayNotWait(kind)));
        }
        for minutes in [0, 1_441] {
            assert_eq!(fresh.decide(waiting(CommandKind::Lock, minutes), at(0)), Err(CommandRefusal::Wait));
        }
    }

    #[test]
    fn a_command_that_waits_has_its_fifteen_seconds_from_its_leaving_on() {
        let asked = (0, waiting(CommandKind::Lock, 10));
        let (state, _) = run(vec![asked.clone()]);
        assert_eq!(state.decide(CommandCommand::TimeOut, at(599_999)), Err(CommandRefusal::TooEarly));
        assert_eq!(state.decide(CommandCommand::Send, at(600_000)), Ok(vec![]), "it has waited long enough");
        let (state, types) = run(vec![asked.clone(), (599_000, CommandCommand::Send)]);
        assert_eq!(types[1..], ["device-command.sent"]);
        assert!(state.may_leave(at(613_999)) && !state.may_leave(at(614_000)));
        assert_eq!(state.decide(CommandCommand::TimeOut, at(613_999)), Err(CommandRefusal::TooEarly));
        let (state, types) = run(vec![asked, (600_000, CommandCommand::TimeOut)]);
        assert_eq!(types[1..], ["device-command.timed-out"]);
        assert_eq!(state.decide(CommandCommand::Send, at(600_001)), Ok(vec![]));
    }

    #[test]
    fn only_what_waits_is_taken_back() {
        let cancel = || CommandCommand::Cancel { by: "值班员".to_owned() };
        let (state, types) = run(vec![(0, waiting(CommandKind::Reboot, 10)), (5, cancel()), (6, cancel())]);
        assert_eq!(types[1..], ["device-command.cancelled"]);
        assert_eq!(state.decide(CommandCommand::Send, at(7)), Ok(vec![]), "it leaves no more");
        let (sent, _) = run(vec![(0, waiting(CommandKind::Reboot, 10)), (5, CommandCommand::Send)]);
        assert_eq!(sent.decide(cancel(), at(6)), Err(CommandRefusal::NotWaiting));
        let (at_once, _) = run(vec![(0, request(CommandKind::Lock, ""))]);
        assert_eq!(at_once.decide(cancel(), at(1)), Err(CommandRefusal::NotWaiting));
    }

    #[test]
    fn an_order_is_stored_flat_with_its_time() {
        let state = DeviceCommandState::default();
        let event = &state.decide(request(CommandKind::Lock, "还车"), at(5)).unwrap()[0];
        let stored = serde_json::to_value(event).unwrap();
        assert_eq!(stored["data"]["kind"], 2);
        assert_eq!(stored["data"]["car_id"], "B1");
        assert_eq!(stored["data"]["at"], 5);
        assert!(stored["data"].get("wait_minutes").is_none(), "as it was stored before commands waited");
        assert_eq!(serde_json::from_value::<CommandEvent>(stored).unwrap(), *event);
        let event = &state.decide(waiting(CommandKind::Lock, 60), at(5)).unwrap()[0];
        assert_eq!(serde_json::to_value(event).unwrap()["data"]["wait_minutes"], 60);
    }
}
