//! A bike (车辆): five regions that change independently, each with its own rules.

use std::collections::{BTreeMap, BTreeSet};

use kernel::{Aggregate, Claim, Decision, Personal, events, refusals};
use serde::{Deserialize, Serialize};
use vocabulary::{AgentId, AreaId, DataOwner, Timestamp, VoltageSchemeId, Wgs84};

pub use self::car_id::CarId;
pub use self::upkeep::{FRESH_MINUTES, KeepAct, Offered, Place, REASON_MAX, TAG_MAX, TAGS_MAX, Upkeep};
use super::alarm::{FalseAlarmCause, NOTE_MAX, Ringing, TicketState};
use super::region::{AlarmState, Lifecycle, OperationState, RidingState};

mod car_id;
mod in_use;
mod upkeep;

/// What is known of a bike when it comes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// 车辆编号.
    pub car_id: CarId,
    /// 号牌.
    pub plate_no: String,
    /// Whose it is.
    pub agent_id: AgentId,
    /// Where it works.
    pub area_id: AreaId,
}

/// What a rider does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RideAction {
    /// 预约.
    Reserve,
    /// 取消预约.
    Cancel,
    /// 开锁骑行.
    Unlock,
    /// 临停.
    Pause,
    /// 继续骑行.
    Resume,
    /// 还车.
    Return,
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum VehicleCommand {
    /// Registers it, binds its device, takes it into stock and puts it on the street, as far as that is still to do;
    /// the same again changes nothing. Once it was on the street, its keepers say where it is in its life.
    Enrol {
        /// What is known of it.
        registration: Registration,
        /// Its device.
        imei: String,
        /// Where it stands; it must lie in its area.
        place: Wgs84,
        /// Whether `place` lies in its area.
        place_in_area: bool,
    },
    /// A rider acts.
    Ride {
        /// What the rider does.
        action: RideAction,
        /// Who, as the rider app names him.
        rider: String,
    },
    /// A field worker begins.
    StartWork {
        /// What is done.
        kind: OperationState,
        /// Who.
        worker: String,
    },
    /// A field worker ends.
    FinishWork {
        /// What was done.
        kind: OperationState,
        /// Who.
        worker: String,
    },
    /// A rule saw something wrong.
    RaiseAlarm {
        /// What.
        alarm: AlarmState,
        /// In words, for the record.
        evidence: String,
    },
    /// A rule saw it right again.
    ClearAlarm {
        /// What.
        alarm: AlarmState,
        /// In words, for the record.
        evidence: String,
    },
    /// A person takes an alarm on himself.
    AcknowledgeAlarm {
        /// What.
        alarm: AlarmState,
        /// The how-manieth of its kind.
        number: i32,
        /// Who.
        by: Personal<String>,
    },
    /// A person says what came of an alarm.
    SettleAlarm {
        /// What.
        alarm: AlarmState,
        /// The how-manieth of its kind.
        number: i32,
        /// Why it was none; otherwise it was handled.
        cause: Option<FalseAlarmCause>,
        /// What was done, or what is to be said of it; due where it was handled.
        note: String,
        /// Who.
        by: Personal<String>,
    },
    /// Nobody took an alarm on himself in time.
    EscalateAlarm {
        /// What.
        alarm: AlarmState,
        /// The how-manieth of its kind.
        number: i32,
    },
    /// Whoever keeps the fleet acts.
    Keep(Upkeep),
    /// The battery fell below its threshold, or rose above it.
    MarkLowBattery {
        /// Whether it is low now.
        low: bool,
        /// Battery, percent.
        soc_percent: u8,
    },
}

events! {
    /// What happened.
    pub enum VehicleEvent {
        /// It came.
        Registered(Registration) = "vehicle.registered",
        /// It got a device.
        Bound {
            /// The device.
            imei: String,
        } = "vehicle.bound",
        /// It was taken into stock.
        Stocked = "vehicle.stocked",
        /// It was put on the street.
        Shelved {
            /// Where.
            place: Wgs84,
        } = "vehicle.shelved",
        /// Its ride region changed.
        RideStateChanged {
            /// From.
            from: RidingState,
            /// To.
            to: RidingState,
            /// Who, as the rider or field app names them.
            by: String,
        } = "vehicle.ride-state-changed",
        /// Field work was added.
        OpsStateAdded {
            /// What.
            state: OperationState,
            /// Why or by whom.
            note: String,
        } = "vehicle.ops-state-added",
        /// Field work was taken off.
        OpsStateRemoved {
            /// What.
            state: OperationState,
            /// Why or by whom.
            note: String,
        } = "vehicle.ops-state-removed",
        /// Something is wrong.
        AlarmRaised {
            /// What.
            alarm: AlarmState,
            /// In words.
            evidence: String,
        } = "vehicle.alarm-raised",
        /// It is right again.
        AlarmCleared {
            /// What.
            alarm: AlarmState,
            /// In words.
            evidence: String,
        } = "vehicle.alarm-cleared",
        /// A person took it on himself.
        AlarmAcknowledged {
            /// What.
            alarm: AlarmState,
            /// The how-manieth of its kind.
            number: i32,
            /// Who.
            by: Personal<String>,
        } = "vehicle.alarm-acknowledged",
        /// A person said what came of it.
        AlarmSettled {
            /// What.
            alarm: AlarmState,
            /// The how-manieth of its kind.
            number: i32,
            /// Why it was none.
            cause: Option<FalseAlarmCause>,
            /// In words.
            note: String,
            /// Who.
            by: Personal<String>,
        } = "vehicle.alarm-settled",
        /// Nobody took it on himself in time.
        AlarmEscalated {
            /// What.
            alarm: AlarmState,
            /// The how-manieth of its kind.
            number: i32,
        } = "vehicle.alarm-escalated",
        /// It was taken off the street.
        Unshelved {
            /// Why.
            reason: String,
        } = "vehicle.unshelved",
        /// It was taken into stock again.
        Restocked {
            /// Where it was in its life.
            from: Lifecycle,
            /// In words; may be empty.
            reason: String,
        } = "vehicle.restocked",
        /// It left for its maker's repair.
        SentToFactory {
            /// Why.
            reason: String,
        } = "vehicle.sent-to-factory",
        /// It was reported lost.
        ReportedLost {
            /// Where it was in its life.
            from: Lifecycle,
            /// Why.
            reason: String,
        } = "vehicle.reported-lost",
        /// It was found, and is where it was in its life before.
        Found {
            /// Where that is.
            back: Lifecycle,
            /// In words; may be empty.
            reason: String,
        } = "vehicle.found",
        /// It is no more.
        Scrapped {
            /// Where it was in its life.
            from: Lifecycle,
            /// Why.
            reason: String,
        } = "vehicle.scrapped",
        /// It works in another area of its agent.
        Relocated {
            /// Where it worked.
            from: AreaId,
            /// Where it works.
            to: AreaId,
            /// Why.
            reason: String,
        } = "vehicle.relocated",
        /// It is called other things.
        Tagged {
            /// What it is called from now on.
            added: Vec<String>,
            /// What it is no more called.
            removed: Vec<String>,
        } = "vehicle.tagged",
        /// Its device was taken off.
        Unbound {
            /// The device.
            imei: String,
            /// Why.
            reason: String,
        } = "vehicle.unbound",
        /// Another voltage scheme tells of its battery, or none.
        VoltageSchemeSet {
            /// Which did before.
            from: Option<VoltageSchemeId>,
            /// Which does.
            to: Option<VoltageSchemeId>,
            /// What that is called now; empty where there is none.
            name: String,
        } = "vehicle.voltage-scheme-set",
    }
}

refusals! {
    /// Why not.
    pub enum VehicleRefusal {
        Unknown = "vehicle-unknown": ("车辆不存在"),
        Different = "vehicle-different": ("该车辆编号已登记，资料与本次不同"),
        DeviceTaken(String) = "vehicle-device-taken": ("中控 {0} 已绑定其他车辆"),
        PlaceOutsideArea = "vehicle-place-outside-area": ("车辆不在所属服务区内，不能上架"),
        Plate = "vehicle-plate": ("号牌最多 20 位"),
        NotShelved(Lifecycle) = "vehicle-not-shelved": ("车辆{0}，不能使用"),
        Busy(RidingState) = "vehicle-busy": ("车辆当前{0}，不能进行此操作"),
        Blocked(String) = "vehicle-blocked": ("车辆暂不可租：{0}"),
        NotWork(OperationState) = "vehicle-not-work": ("“{0}”不是可以开始的运维工作"),
        WorkNotStarted(OperationState) = "vehicle-work-not-started": ("“{0}”尚未开始"),
        Nobody = "vehicle-nobody": ("请注明操作人"),
        LifeForbids(Lifecycle, KeepAct) = "vehicle-life-forbids": ("车辆{0}，不能{1}"),
        InUse(RidingState, KeepAct) = "vehicle-in-use": ("车辆{0}，不能{1}"),
        NoDevice = "vehicle-no-device": ("车辆未绑定中控"),
        HasDevice(String) = "vehicle-has-device": ("车辆已绑定中控 {0}，请先解绑"),
        NoFix = "vehicle-no-fix": ("车辆没有 {FRESH_MINUTES} 分钟内的定位，不能上架"),
        AreaNotOpen = "vehicle-area-not-open": ("所属服务区未在运营，不能上架"),
        QuotaFull(i32) = "vehicle-quota-full": ("所属服务区已达到投放配额 {0} 辆，不能上架"),
        AnotherArea = "vehicle-another-area": ("车辆刚刚换了服务区，请重试"),
        SameArea = "vehicle-same-area": ("车辆已在该服务区"),
        AreaOfAnother = "vehicle-area-of-another": ("只能调往同一代理的服务区"),
        KeepReason(KeepAct) = "vehicle-reason": ("{0}请填写原因，最多 {REASON_MAX} 个字"),
        KeepNote = "vehicle-note": ("说明最多 {REASON_MAX} 个字"),
        TagText = "vehicle-tag-text": ("标签需 1 到 {TAG_MAX} 个字，不能含逗号"),
        TooManyTags = "vehicle-too-many-tags": ("每辆车最多 {TAGS_MAX} 个标签"),
        VoltageSchemeUnknown = "voltage-scheme-unknown": ("电压方案不存在、已删除，或不在您的数据范围内"),
        VoltageSchemeOfAnother = "voltage-scheme-of-another": ("电压方案属于其他代理，不能用于该车辆"),
        VoltageSchemeOff(String) = "voltage-scheme-off": ("电压方案“{0}”已停用，不能再绑定车辆"),
        AlarmOver = "alarm-over": ("该报警已结束，请刷新"),
        AlarmTaken = "alarm-taken": ("该报警已有人处理"),
        AlarmNote = "alarm-note": ("请填写处理结果，最多 {NOTE_MAX} 个字"),
    }
}

/// The bike as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct Vehicle {
    known: Option<Known>,
}

#[derive(Clone, Debug)]
struct Known {
    registration: Registration,
    imei: Option<String>,
    lifecycle: Lifecycle,
    riding: RidingState,
    operations: BTreeSet<OperationState>,
    alarms: BTreeMap<AlarmState, Ringing>,
    tags: BTreeSet<String>,
    voltage_scheme: Option<VoltageSchemeId>,
    was_shelved: bool,
    /// Where it was in its life when it was reported lost.
    lost_from: Option<Lifecycle>,
    /// How often each kind rang so far.
    rang: BTreeMap<AlarmState, i32>,
}

impl Vehicle {
    /// What is known of it.
    pub fn registration(&self) -> Option<&Registration> {
        self.known.as_ref().map(|known| &known.registration)
    }

    /// Its device.
    pub fn imei(&self) -> Option<&str> {
        self.known.as_ref()?.imei.as_deref()
    }

    /// Who uses it.
    pub fn riding(&self) -> Option<RidingState> {
        self.known.as_ref().map(|known| known.riding)
    }

    /// What it is called.
    pub fn tags(&self) -> impl Iterator<Item = &str> {
        self.known.iter().flat_map(|known| known.tags.iter().map(String::as_str))
    }

    /// What tells of its battery by voltage.
    pub fn voltage_scheme(&self) -> Option<VoltageSchemeId> {
        self.known.as_ref()?.voltage_scheme
    }

    /// Whether it was ever on the street.
    pub fn was_shelved(&self) -> bool {
        self.known.as_ref().is_some_and(|known| known.was_shelved)
    }

    /// Where it is in its life.
    pub fn lifecycle(&self) -> Option<Lifecycle> {
        self.known.as_ref().map(|known| known.lifecycle)
    }
}

fn enrol(
    known: Option<&Known>,
    registration: Registration,
    imei: String,
    place: Wgs84,
    place_in_area: bool,
) -> Result<Vec<VehicleEvent>, VehicleRefusal> {
    let mut events = Vec::new();
    match known {
        Some(known)
            if known.registration != registration || known.imei.as_ref().is_some_and(|old| *old != imei) =>
        {
            return Err(VehicleRefusal::Different);
        }
        Some(known) if known.was_shelved => return Ok(events),
        Some(_) => {}
        None if registration.plate_no.chars().count() > 20 => return Err(VehicleRefusal::Plate),
        None => events.push(VehicleEvent::Registered(registration)),
    }
    if known.is_none_or(|known| known.imei.is_none()) {
        events.push(VehicleEvent::Bound { imei });
    }
    let lifecycle = known.map_or(Lifecycle::Expected, |known| known.lifecycle);
    if lifecycle == Lifecycle::Expected {
        events.push(VehicleEvent::Stocked);
    }
    match lifecycle {
        Lifecycle::Shelved => {}
        Lifecycle::Expected | Lifecycle::Stocked if !place_in_area => {
            return Err(VehicleRefusal::PlaceOutsideArea);
        }
        Lifecycle::Expected | Lifecycle::Stocked => events.push(VehicleEvent::Shelved { place }),
        other => return Err(VehicleRefusal::NotShelved(other)),
    }
    Ok(events)
}

impl Known {
    /// The open ticket of this kind, if it is the one that is meant.
    fn open_ticket(&self, alarm: AlarmState, number: i32) -> Result<&Ringing, VehicleRefusal> {
        let ringing = self.alarms.get(&alarm).filter(|ringing| ringing.number == number);
        ringing.filter(|ringing| ringing.state.is_open()).ok_or(VehicleRefusal::AlarmOver)
    }

    fn ticket(&mut self, alarm: AlarmState, change: impl FnOnce(&mut Ringing)) {
        if let Some(ticket) = self.alarms.get_mut(&alarm) {
            change(ticket);
        }
    }

    fn low_battery(&self, low: bool, soc_percent: u8) -> Vec<VehicleEvent> {
        let state = OperationState::LowBattery;
        let note = format!("电量 {soc_percent}%");
        match (self.operations.contains(&state), low) {
            (false, true) => vec![VehicleEvent::OpsStateAdded { state, note }],
            (true, false) => vec![VehicleEvent::OpsStateRemoved { state, note }],
            (true, true) | (false, false) => vec![],
        }
    }
}

impl Ringing {
    fn acknowledge(self) -> Result<(), VehicleRefusal> {
        if self.state == TicketState::Open { Ok(()) } else { Err(VehicleRefusal::AlarmTaken) }
    }
}

/// What is said of an alarm that is over: something has to be, where it was none the cause says it.
fn settled_note(note: &str, may_be_empty: bool) -> Result<String, VehicleRefusal> {
    let note = note.trim();
    let fits = note.chars().count() <= NOTE_MAX && (may_be_empty || !note.is_empty());
    if fits { Ok(note.to_owned()) } else { Err(VehicleRefusal::AlarmNote) }
}

impl Aggregate for Vehicle {
    const CATEGORY: &'static str = "vehicle";
    type Id = CarId;
    type Command = VehicleCommand;
    type Event = VehicleEvent;
    type Refusal = VehicleRefusal;

    fn decide(&self, command: Self::Command, _now: Timestamp) -> Decision<Self> {
        if let VehicleCommand::Enrol { registration, imei, place, place_in_area } = command {
            return enrol(self.known.as_ref(), registration, imei, place, place_in_area);
        }
        let known = self.known.as_ref().ok_or(VehicleRefusal::Unknown)?;
        match command {
            VehicleCommand::Enrol { .. } => unreachable!("answered above"),
            VehicleCommand::Ride { action, rider } => known.ride(action, rider),
            VehicleCommand::StartWork { kind, worker } => known.start_work(kind, worker),
            VehicleCommand::FinishWork { kind, worker } => known.finish_work(kind, worker),
            VehicleCommand::RaiseAlarm { alarm, .. } if known.alarms.contains_key(&alarm) => Ok(vec![]),
            VehicleCommand::RaiseAlarm { alarm, evidence } => {
                Ok(vec![VehicleEvent::AlarmRaised { alarm, evidence }])
            }
            VehicleCommand::ClearAlarm { alarm, .. } if !known.alarms.contains_key(&alarm) => Ok(vec![]),
            VehicleCommand::ClearAlarm { alarm, evidence } => {
                Ok(vec![VehicleEvent::AlarmCleared { alarm, evidence }])
            }
            VehicleCommand::AcknowledgeAlarm { alarm, number, by } => {
                known.open_ticket(alarm, number)?.acknowledge()?;
                Ok(vec![VehicleEvent::AlarmAcknowledged { alarm, number, by }])
            }
            VehicleCommand::SettleAlarm { alarm, number, cause, note, by } => {
                known.open_ticket(alarm, number)?;
                let note = settled_note(&note, cause.is_some())?;
                Ok(vec![VehicleEvent::AlarmSettled { alarm, number, cause, note, by }])
            }
            VehicleCommand::EscalateAlarm { alarm, number } => {
                let due = known
                    .open_ticket(alarm, number)
                    .is_ok_and(|open| open.state == TicketState::Open && !open.is_escalated);
                Ok(if due { vec![VehicleEvent::AlarmEscalated { alarm, number }] } else { vec![] })
            }
            VehicleCommand::Keep(act) => known.keep(act),
            VehicleCommand::MarkLowBattery { low, soc_percent } => Ok(known.low_battery(low, soc_percent)),
        }
    }

    fn evolve(&mut self, event: &VehicleEvent) {
        if let VehicleEvent::Registered(registration) = event {
            self.known = Some(Known {
                registration: registration.clone(),
                imei: None,
                lifecycle: Lifecycle::Expected,
                riding: RidingState::Idle,
                operations: BTreeSet::new(),
                alarms: BTreeMap::new(),
                tags: BTreeSet::new(),
                voltage_scheme: None,
                was_shelved: false,
                lost_from: None,
                rang: BTreeMap::new(),
            });
        }
        let Some(known) = &mut self.known else { return };
        match event {
            VehicleEvent::Registered(_) => {}
            VehicleEvent::Bound { imei } => known.imei = Some(imei.clone()),
            VehicleEvent::Stocked => known.lifecycle = Lifecycle::Stocked,
            VehicleEvent::Shelved { .. } => {
                (known.lifecycle, known.was_shelved) = (Lifecycle::Shelved, true);
            }
            VehicleEvent::RideStateChanged { to, .. } => known.riding = *to,
            VehicleEvent::OpsStateAdded { state, .. } => {
                known.operations.insert(*state);
            }
            VehicleEvent::OpsStateRemoved { state, .. } => {
                known.operations.remove(state);
            }
            VehicleEvent::AlarmRaised { alarm, .. } => {
                let number = known.rang.entry(*alarm).or_default();
                *number += 1;
                let ringing = Ringing { number: *number, state: TicketState::Open, is_escalated: false };
                known.alarms.insert(*alarm, ringing);
            }
            VehicleEvent::AlarmCleared { alarm, .. } => {
                known.alarms.remove(alarm);
            }
            VehicleEvent::AlarmAcknowledged { alarm, .. } => {
                known.ticket(*alarm, |ticket| ticket.state = TicketState::Acknowledged);
            }
            VehicleEvent::AlarmSettled { alarm, cause, .. } => {
                let state = TicketState::settled(*cause);
                known.ticket(*alarm, |ticket| ticket.state = state);
            }
            VehicleEvent::AlarmEscalated { alarm, .. } => {
                known.ticket(*alarm, |ticket| ticket.is_escalated = true);
            }
            kept => known.kept(kept),
        }
    }

    fn owner(&self) -> DataOwner {
        self.known.as_ref().map_or(DataOwner::PLATFORM, |known| {
            DataOwner::of_area(known.registration.agent_id, known.registration.area_id)
        })
    }

    fn car_id(&self) -> Option<&str> {
        self.known.as_ref().map(|known| known.registration.car_id.as_str())
    }

    fn claims(&self, event: &VehicleEvent) -> Vec<Claim<VehicleRefusal>> {
        match event {
            VehicleEvent::Bound { imei } => vec![Claim::Take {
                key: format!("imei:{imei}"),
                refusal: VehicleRefusal::DeviceTaken(imei.clone()),
            }],
            VehicleEvent::Unbound { imei, .. } => vec![Claim::Release { key: format!("imei:{imei}") }],
            _ => vec![],
        }
    }
}

#[cfg(test)]
#[path = "vehicle_tests.rs"]
mod tests;
