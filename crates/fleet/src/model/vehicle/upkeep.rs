//! What keepers of the fleet do with a bike: onto the street and off it, through its life, its area, its tags, its device.

use vocabulary::{AgentId, AreaId, VoltageSchemeId, Wgs84, choices};

use super::{Known, VehicleEvent, VehicleRefusal};
use crate::model::region::{AlarmState, Lifecycle, RidingState};

/// A reason has at most so many characters.
pub const REASON_MAX: usize = 100;
/// A tag has at most so many characters.
pub const TAG_MAX: usize = 12;
/// A bike has at most so many tags.
pub const TAGS_MAX: usize = 10;
/// A bike that goes onto the street had a fix within so many minutes: a still one tells every ten.
pub const FRESH_MINUTES: i64 = 15;

choices! {
    /// What a keeper of the fleet does.
    pub enum KeepAct("车辆操作") {
        Shelve = 1 => "上架",
        Unshelve = 2 => "下架",
        Restock = 3 => "入库",
        SendToFactory = 4 => "返厂维修",
        ReportLost = 5 => "报失",
        Find = 6 => "找回",
        Scrap = 7 => "报废",
        Relocate = 8 => "调往其他服务区",
        Tag = 9 => "设置标签",
        Bind = 10 => "绑定中控",
        Unbind = 11 => "解绑中控",
        SetVoltageScheme = 12 => "设置电压方案",
    }
}

/// Where a bike is that is to go onto the street, and whether its area takes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The area that was looked at.
    pub area: AreaId,
    /// Its fresh fix.
    pub fix: Option<Wgs84>,
    /// Whether that lies in the area.
    pub is_inside: bool,
    /// Whether the area serves riders now.
    pub is_open: bool,
    /// The area's quota where it is used up.
    pub full: Option<i32>,
}

/// A voltage scheme that a bike is to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// Which.
    pub id: VoltageSchemeId,
    /// Whose; nothing: the platform's, for bikes of all agents.
    pub agent: Option<AgentId>,
    /// What it is called.
    pub name: String,
    /// Whether more bikes may have it.
    pub is_enabled: bool,
}

/// What a keeper of the fleet asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Upkeep {
    /// 上架.
    Shelve(Place),
    /// 下架.
    Unshelve {
        /// Why.
        reason: String,
    },
    /// 入库.
    Restock {
        /// In words; may be empty.
        reason: String,
    },
    /// 返厂维修.
    SendToFactory {
        /// Why.
        reason: String,
    },
    /// 报失.
    ReportLost {
        /// Why.
        reason: String,
    },
    /// 找回.
    Find {
        /// In words; may be empty.
        reason: String,
    },
    /// 报废.
    Scrap {
        /// Why.
        reason: String,
    },
    /// 调往其他服务区.
    Relocate {
        /// Where to.
        to: AreaId,
        /// Who runs that.
        agent: AgentId,
        /// Why.
        reason: String,
    },
    /// 设置标签.
    Tag {
        /// What it is called from now on.
        add: Vec<String>,
        /// What it is no more called.
        remove: Vec<String>,
    },
    /// 绑定中控.
    Bind {
        /// The device.
        imei: String,
    },
    /// 解绑中控.
    Unbind {
        /// Why.
        reason: String,
    },
    /// 设置电压方案; nothing: it has none any more.
    SetVoltageScheme(Option<Offered>),
}

impl Upkeep {
    /// Which act it is.
    pub const fn act(&self) -> KeepAct {
        match self {
            Self::Shelve(_) => KeepAct::Shelve,
            Self::Unshelve { .. } => KeepAct::Unshelve,
            Self::Restock { .. } => KeepAct::Restock,
            Self::SendToFactory { .. } => KeepAct::SendToFactory,
            Self::ReportLost { .. } => KeepAct::ReportLost,
            Self::Find { .. } => KeepAct::Find,
            Self::Scrap { .. } => KeepAct::Scrap,
            Self::Relocate { .. } => KeepAct::Relocate,
            Self::Tag { .. } => KeepAct::Tag,
            Self::Bind { .. } => KeepAct::Bind,
            Self::Unbind { .. } => KeepAct::Unbind,
            Self::SetVoltageScheme(_) => KeepAct::SetVoltageScheme,
        }
    }
}

/// A reason that is due.
fn due(act: KeepAct, reason: &str) -> Result<String, VehicleRefusal> {
    let reason = reason.trim();
    if (1..=REASON_MAX).contains(&reason.chars().count()) {
        Ok(reason.to_owned())
    } else {
        Err(VehicleRefusal::KeepReason(act))
    }
}

/// What may be said.
fn optional(reason: &str) -> Result<String, VehicleRefusal> {
    let reason = reason.trim();
    if reason.chars().count() <= REASON_MAX { Ok(reason.to_owned()) } else { Err(VehicleRefusal::KeepNote) }
}

fn tag(text: &str) -> Result<String, VehicleRefusal> {
    let text = text.trim();
    let fits = (1..=TAG_MAX).contains(&text.chars().count())
        && !text.contains([',', '，'])
        && !text.chars().any(char::is_control);
    if fits { Ok(text.to_owned()) } else { Err(VehicleRefusal::TagText) }
}

impl Known {
    pub(super) fn keep(&self, asked: Upkeep) -> Result<Vec<VehicleEvent>, VehicleRefusal> {
        use Lifecycle::{AtFactory, Expected, Lost, Shelved, Stocked, Unshelved};
        let act = asked.act();
        match asked {
            Upkeep::Shelve(place) => self.shelve(place),
            Upkeep::Unshelve { reason } => {
                self.is_in(&[Shelved], act)?;
                self.is_not_with_a_rider(act)?;
                Ok(vec![VehicleEvent::Unshelved { reason: due(act, &reason)? }])
            }
            Upkeep::Restock { reason } => {
                self.is_in(&[Unshelved, AtFactory], act)?;
                Ok(vec![VehicleEvent::Restocked { from: self.lifecycle, reason: optional(&reason)? }])
            }
            Upkeep::SendToFactory { reason } => {
                self.is_in(&[Unshelved], act)?;
                Ok(vec![VehicleEvent::SentToFactory { reason: due(act, &reason)? }])
            }
            Upkeep::ReportLost { reason } => {
                self.is_in(&[Shelved, Unshelved], act)?;
                Ok(self.report_lost(due(act, &reason)?))
            }
            Upkeep::Find { reason } => {
                self.is_in(&[Lost], act)?;
                Ok(self.find(optional(&reason)?))
            }
            Upkeep::Scrap { reason } => {
                self.is_in(&[Unshelved, Lost], act)?;
                self.is_not_with_a_rider(act)?;
                Ok(self.scrap(due(act, &reason)?))
            }
            Upkeep::Relocate { to, agent, reason } => {
                self.is_in(&[Expected, Stocked, Unshelved, AtFactory], act)?;
                self.is_not_with_a_rider(act)?;
                self.relocate(to, agent, due(act, &reason)?)
            }
            Upkeep::Tag { add, remove } => self.tag(&add, &remove),
            Upkeep::Bind { imei } => self.bind(imei),
            Upkeep::Unbind { reason } => {
                if self.lifecycle == Shelved && self.riding != RidingState::Idle {
                    return Err(VehicleRefusal::InUse(self.riding, act));
                }
                let imei = self.imei.clone().ok_or(VehicleRefusal::NoDevice)?;
                Ok(vec![VehicleEvent::Unbound { imei, reason: due(act, &reason)? }])
            }
            Upkeep::SetVoltageScheme(offered) => self.set_voltage_scheme(offered),
        }
    }

    fn is_in(&self, lives: &[Lifecycle], act: KeepAct) -> Result<(), VehicleRefusal> {
        if lives.contains(&self.lifecycle) {
            Ok(())
        } else {
            Err(VehicleRefusal::LifeForbids(self.lifecycle, act))
        }
    }

    fn is_not_with_a_rider(&self, act: KeepAct) -> Result<(), VehicleRefusal> {
        match self.riding {
            RidingState::Idle | RidingState::FieldWork => Ok(()),
            busy @ (RidingState::Riding | RidingState::Paused | RidingState::Reserved) => {
                Err(VehicleRefusal::InUse(busy, act))
            }
        }
    }

    fn shelve(&self, place: Place) -> Result<Vec<VehicleEvent>, VehicleRefusal> {
        self.is_in(&[Lifecycle::Stocked], KeepAct::Shelve)?;
        if self.imei.is_none() {
            return Err(VehicleRefusal::NoDevice);
        }
        if place.area != self.registration.area_id {
            return Err(VehicleRefusal::AnotherArea);
        }
        if !place.is_open {
            return Err(VehicleRefusal::AreaNotOpen);
        }
        let fix = place.fix.ok_or(VehicleRefusal::NoFix)?;
        if !place.is_inside {
            return Err(VehicleRefusal::PlaceOutsideArea);
        }
        match place.full {
            Some(quota) => Err(VehicleRefusal::QuotaFull(quota)),
            None => Ok(vec![VehicleEvent::Shelved { place: fix }]),
        }
    }

    fn report_lost(&self, reason: String) -> Vec<VehicleEvent> {
        let alarm = AlarmState::ReportedLost;
        let mut events = vec![VehicleEvent::ReportedLost { from: self.lifecycle, reason: reason.clone() }];
        if !self.alarms.contains_key(&alarm) {
            events.push(VehicleEvent::AlarmRaised { alarm, evidence: reason });
        }
        events
    }

    fn find(&self, reason: String) -> Vec<VehicleEvent> {
        let back = self.lost_from.unwrap_or(Lifecycle::Unshelved);
        let mut events = vec![VehicleEvent::Found { back, reason: reason.clone() }];
        events.extend(self.no_more_missed(reason));
        events
    }

    /// It is alarmed about as lost no more.
    fn no_more_missed(&self, evidence: String) -> Option<VehicleEvent> {
        let alarm = AlarmState::ReportedLost;
        self.alarms.contains_key(&alarm).then_some(VehicleEvent::AlarmCleared { alarm, evidence })
    }

    /// Its device, which may serve another bike, is given back.
    fn scrap(&self, reason: String) -> Vec<VehicleEvent> {
        let mut events = vec![VehicleEvent::Scrapped { from: self.lifecycle, reason: reason.clone() }];
        events.extend(self.no_more_missed(reason.clone()));
        events.extend(self.imei.clone().map(|imei| VehicleEvent::Unbound { imei, reason }));
        events
    }

    fn relocate(
        &self,
        to: AreaId,
        agent: AgentId,
        reason: String,
    ) -> Result<Vec<VehicleEvent>, VehicleRefusal> {
        let from = self.registration.area_id;
        if agent != self.registration.agent_id {
            return Err(VehicleRefusal::AreaOfAnother);
        }
        if to == from {
            return Err(VehicleRefusal::SameArea);
        }
        Ok(vec![VehicleEvent::Relocated { from, to, reason }])
    }

    fn tag(&self, add: &[String], remove: &[String]) -> Result<Vec<VehicleEvent>, VehicleRefusal> {
        if self.lifecycle == Lifecycle::Scrapped {
            return Err(VehicleRefusal::LifeForbids(self.lifecycle, KeepAct::Tag));
        }
        let mut tags = self.tags.clone();
        for text in remove {
            tags.remove(text.trim());
        }
        for text in add {
            tags.insert(tag(text)?);
        }
        if tags.len() > TAGS_MAX {
            return Err(VehicleRefusal::TooManyTags);
        }
        let added: Vec<String> = tags.difference(&self.tags).cloned().collect();
        let removed: Vec<String> = self.tags.difference(&tags).cloned().collect();
        let changed = !added.is_empty() || !removed.is_empty();
        Ok(if changed { vec![VehicleEvent::Tagged { added, removed }] } else { vec![] })
    }

    fn bind(&self, imei: String) -> Result<Vec<VehicleEvent>, VehicleRefusal> {
        if self.lifecycle == Lifecycle::Scrapped {
            return Err(VehicleRefusal::LifeForbids(self.lifecycle, KeepAct::Bind));
        }
        match &self.imei {
            Some(bound) if *bound == imei => Ok(vec![]),
            Some(bound) => Err(VehicleRefusal::HasDevice(bound.clone())),
            None => Ok(vec![VehicleEvent::Bound { imei }]),
        }
    }

    /// One that it has already stays, whatever became of it.
    fn set_voltage_scheme(&self, offered: Option<Offered>) -> Result<Vec<VehicleEvent>, VehicleRefusal> {
        let (from, to) = (self.voltage_scheme, offered.as_ref().map(|offered| offered.id));
        if self.lifecycle == Lifecycle::Scrapped {
            return Err(VehicleRefusal::LifeForbids(self.lifecycle, KeepAct::SetVoltageScheme));
        }
        if from == to {
            return Ok(vec![]);
        }
        let of_another = |agent: AgentId| agent != self.registration.agent_id;
        match &offered {
            Some(Offered { agent: Some(agent), .. }) if of_another(*agent) => {
                return Err(VehicleRefusal::VoltageSchemeOfAnother);
            }
            Some(Offered { is_enabled: false, name, .. }) => {
                return Err(VehicleRefusal::VoltageSchemeOff(name.clone()));
            }
            _ => {}
        }
        let name = offered.map(|offered| offered.name).unwrap_or_default();
        Ok(vec![VehicleEvent::VoltageSchemeSet { from, to, name }])
    }

    pub(super) fn kept(&mut self, event: &VehicleEvent) {
        match event {
            VehicleEvent::Unshelved { .. } => self.lifecycle = Lifecycle::Unshelved,
            VehicleEvent::Restocked { .. } => self.lifecycle = Lifecycle::Stocked,
            VehicleEvent::SentToFactory { .. } => self.lifecycle = Lifecycle::AtFactory,
            VehicleEvent::ReportedLost { from, .. } => {
                (self.lifecycle, self.lost_from) = (Lifecycle::Lost, Some(*from));
            }
            VehicleEvent::Found { back, .. } => (self.lifecycle, self.lost_from) = (*back, None),
            VehicleEvent::Scrapped { .. } => self.lifecycle = Lifecycle::Scrapped,
            VehicleEvent::Relocated { to, .. } => self.registration.area_id = *to,
            VehicleEvent::Tagged { added, removed } => {
                self.tags.retain(|tag| !removed.contains(tag));
                self.tags.extend(added.iter().cloned());
            }
            VehicleEvent::Unbound { .. } => self.imei = None,
            VehicleEvent::VoltageSchemeSet { to, .. } => self.voltage_scheme = *to,
            _ => {}
        }
    }
}
