//! A service area (服务区): 0 筹备 → 1 运营中 ⇄ 2 暂停服务 → 3 已关停.

use kernel::{Aggregate, Claim, Event, Refusal};
use serde::{Deserialize, Serialize};
use vocabulary::{AgentId, AreaId, Territory, Timestamp};

use super::ring::Ring;

/// What may be asked.
#[derive(Clone, Debug)]
pub enum AreaCommand {
    /// Plans it; the same again changes nothing.
    Plan(Plan),
    /// Opens it to riders.
    Open,
    /// Suspends it, with a notice to riders.
    Suspend {
        /// 停运公告.
        notice: String,
    },
    /// Draws it anew.
    Redraw {
        /// The new edge.
        ring: Ring,
    },
    /// Closes it for good.
    Close {
        /// Bikes still on its streets.
        shelved_vehicles: i64,
    },
}

/// An area as planned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Its own id.
    pub area_id: AreaId,
    /// The franchisee that runs it.
    pub agent_id: AgentId,
    /// 名称.
    pub name: String,
    /// 客服电话.
    pub tel: String,
    /// Its edge.
    pub ring: Ring,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data")]
pub enum AreaEvent {
    /// It was planned.
    #[serde(rename = "area.planned")]
    Planned(Plan),
    /// It serves riders.
    #[serde(rename = "area.opened")]
    Opened,
    /// It does not for a while.
    #[serde(rename = "area.suspended")]
    Suspended {
        /// 停运公告.
        notice: String,
    },
    /// It has a new edge.
    #[serde(rename = "area.redrawn")]
    Redrawn {
        /// 1, 2, 3 …; rides are judged by the edge of their time.
        data_version: i64,
        /// The edge.
        ring: Ring,
    },
    /// It is closed for good.
    #[serde(rename = "area.closed")]
    Closed,
}

impl Event for AreaEvent {
    fn stored_type(&self) -> &'static str {
        match self {
            Self::Planned(_) => "area.planned",
            Self::Opened => "area.opened",
            Self::Suspended { .. } => "area.suspended",
            Self::Redrawn { .. } => "area.redrawn",
            Self::Closed => "area.closed",
        }
    }
}

/// Why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AreaRefusal {
    /// No area of that id.
    Unknown,
    /// Its name is empty or too long.
    Name,
    /// It has no telephone for riders.
    Telephone,
    /// The id belongs to another plan.
    Different,
    /// Another area of the franchisee has this name.
    NameTaken,
    /// It is closed for good.
    Closed,
    /// Only an open area can be suspended.
    NotOpen,
    /// The notice is empty or too long.
    Notice,
    /// Bikes are still on its streets.
    VehiclesLeft(i64),
}

impl Refusal for AreaRefusal {
    fn code(&self) -> &'static str {
        match self {
            Self::Unknown => "area-unknown",
            Self::Name => "area-name",
            Self::Telephone => "area-telephone",
            Self::Different => "area-different",
            Self::NameTaken => "area-name-taken",
            Self::Closed => "area-closed",
            Self::NotOpen => "area-not-open",
            Self::Notice => "area-notice",
            Self::VehiclesLeft(_) => "area-vehicles-left",
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Unknown => "服务区不存在".to_owned(),
            Self::Name => "服务区名称需 1 到 30 个字".to_owned(),
            Self::Telephone => "开通前请填写客服电话".to_owned(),
            Self::Different => "该服务区已登记，资料与本次不同".to_owned(),
            Self::NameTaken => "该代理下已有同名服务区".to_owned(),
            Self::Closed => "服务区已关停，不能再变更".to_owned(),
            Self::NotOpen => "服务区未在运营中".to_owned(),
            Self::Notice => "停运公告需 1 到 200 个字".to_owned(),
            Self::VehiclesLeft(count) => format!("服务区内还有 {count} 辆已上架车辆，请先下架"),
        }
    }
}

/// Where an area stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AreaState {
    /// 0 筹备.
    Planned = 0,
    /// 1 运营中.
    Open = 1,
    /// 2 暂停服务.
    Suspended = 2,
    /// 3 已关停.
    Closed = 3,
}

/// The area as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct Area {
    plan: Option<Plan>,
    state: Option<AreaState>,
    data_version: i64,
}

impl Area {
    /// Its edge now, nothing when it was never planned.
    pub fn ring(&self) -> Option<&Ring> {
        self.plan.as_ref().map(|plan| &plan.ring)
    }

    /// Its name.
    pub fn name(&self) -> Option<&str> {
        self.plan.as_ref().map(|plan| plan.name.as_str())
    }

    /// Who runs it.
    pub fn agent(&self) -> Option<AgentId> {
        self.plan.as_ref().map(|plan| plan.agent_id)
    }

    /// Where it stands.
    pub fn state(&self) -> Option<AreaState> {
        self.state
    }

    fn change(&self, plan: &Plan, command: AreaCommand) -> Result<Vec<AreaEvent>, AreaRefusal> {
        use AreaState::{Closed, Open, Planned, Suspended};
        let state = self.state.unwrap_or(Planned);
        match (state, command) {
            (_, AreaCommand::Plan(new)) if new == *plan => Ok(vec![]),
            (_, AreaCommand::Plan(_)) => Err(AreaRefusal::Different),
            (Closed, AreaCommand::Close { .. })
            | (Open, AreaCommand::Open)
            | (Suspended, AreaCommand::Suspend { .. }) => Ok(vec![]),
            (Closed, _) => Err(AreaRefusal::Closed),
            (Planned | Suspended, AreaCommand::Open) if plan.tel.trim().is_empty() => {
                Err(AreaRefusal::Telephone)
            }
            (Planned | Suspended, AreaCommand::Open) => Ok(vec![AreaEvent::Opened]),
            (Open, AreaCommand::Suspend { notice }) if (1..=200).contains(&notice.trim().chars().count()) => {
                Ok(vec![AreaEvent::Suspended { notice }])
            }
            (Open, AreaCommand::Suspend { .. }) => Err(AreaRefusal::Notice),
            (Planned, AreaCommand::Suspend { .. }) => Err(AreaRefusal::NotOpen),
            (_, AreaCommand::Redraw { ring }) if ring == plan.ring => Ok(vec![]),
            (_, AreaCommand::Redraw { ring }) => {
                Ok(vec![AreaEvent::Redrawn { data_version: self.data_version + 1, ring }])
            }
            (_, AreaCommand::Close { shelved_vehicles: 0 }) => Ok(vec![AreaEvent::Closed]),
            (_, AreaCommand::Close { shelved_vehicles }) => Err(AreaRefusal::VehiclesLeft(shelved_vehicles)),
        }
    }
}

impl Aggregate for Area {
    const CATEGORY: &'static str = "area";
    type Id = AreaId;
    type Command = AreaCommand;
    type Event = AreaEvent;
    type Refusal = AreaRefusal;

    fn decide(&self, command: AreaCommand, _now: Timestamp) -> Result<Vec<AreaEvent>, AreaRefusal> {
        match (&self.plan, command) {
            (None, AreaCommand::Plan(new)) if !(1..=30).contains(&new.name.trim().chars().count()) => {
                Err(AreaRefusal::Name)
            }
            (None, AreaCommand::Plan(new)) => Ok(vec![AreaEvent::Planned(new)]),
            (None, _) => Err(AreaRefusal::Unknown),
            (Some(plan), command) => self.change(plan, command),
        }
    }

    fn evolve(&mut self, event: &AreaEvent) {
        match event {
            AreaEvent::Planned(plan) => {
                self.plan = Some(plan.clone());
                self.state = Some(AreaState::Planned);
                self.data_version = 1;
            }
            AreaEvent::Opened => self.state = Some(AreaState::Open),
            AreaEvent::Suspended { .. } => self.state = Some(AreaState::Suspended),
            AreaEvent::Redrawn { data_version, ring } => {
                self.data_version = *data_version;
                if let Some(plan) = &mut self.plan {
                    plan.ring = ring.clone();
                }
            }
            AreaEvent::Closed => self.state = Some(AreaState::Closed),
        }
    }

    fn territory(&self) -> Territory {
        self.plan.as_ref().map_or(Territory::PLATFORM, |plan| Territory::of_area(plan.agent_id, plan.area_id))
    }

    fn claims(&self, event: &AreaEvent) -> Vec<Claim<AreaRefusal>> {
        let key = |plan: &Plan| format!("area-name:{}:{}", plan.agent_id, plan.name.trim());
        match (event, &self.plan) {
            (AreaEvent::Planned(plan), _) => {
                vec![Claim::Take { key: key(plan), refusal: AreaRefusal::NameTaken }]
            }
            (AreaEvent::Closed, Some(plan)) => vec![Claim::Release { key: key(plan) }],
            _ => vec![],
        }
    }
}

#[cfg(test)]
mod tests {
    use vocabulary::Datum;

    use super::*;

    fn plan(tel: &str) -> AreaCommand {
        let ring = Ring::draw(&[[118.0, 24.0], [118.1, 24.0], [118.1, 24.1]], Datum::Wgs84).unwrap();
        AreaCommand::Plan(Plan {
            area_id: AreaId(20),
            agent_id: AgentId(2),
            name: "湖滨".to_owned(),
            tel: tel.to_owned(),
            ring,
        })
    }

    fn after(commands: Vec<AreaCommand>) -> Area {
        let mut area = Area::default();
        for command in commands {
            for event in area.decide(command, Timestamp::from_millis(0)).unwrap() {
                area.evolve(&event);
            }
        }
        area
    }

    fn refused(area: &Area, command: AreaCommand) -> AreaRefusal {
        area.decide(command, Timestamp::from_millis(0)).unwrap_err()
    }

    #[test]
    fn an_area_without_a_telephone_does_not_open() {
        assert_eq!(refused(&after(vec![plan(" ")]), AreaCommand::Open), AreaRefusal::Telephone);
        assert_eq!(after(vec![plan("0592-1234567"), AreaCommand::Open]).state(), Some(AreaState::Open));
    }

    #[test]
    fn an_area_with_bikes_on_its_streets_does_not_close() {
        let open = after(vec![plan("1"), AreaCommand::Open]);
        assert_eq!(refused(&open, AreaCommand::Close { shelved_vehicles: 3 }), AreaRefusal::VehiclesLeft(3));
    }

    #[test]
    fn a_closed_area_stays_closed() {
        let closed = after(vec![plan("1"), AreaCommand::Close { shelved_vehicles: 0 }]);
        assert_eq!(refused(&closed, AreaCommand::Open), AreaRefusal::Closed);
    }

    #[test]
    fn planning_the_same_again_changes_nothing() {
        assert_eq!(after(vec![plan("1")]).decide(plan("1"), Timestamp::from_millis(0)), Ok(vec![]));
        assert_eq!(refused(&after(vec![plan("1")]), plan("2")), AreaRefusal::Different);
    }

    #[test]
    fn an_areas_territory_is_its_agent_and_itself() {
        assert_eq!(after(vec![plan("1")]).territory(), Territory::of_area(AgentId(2), AreaId(20)));
    }
}
