//! A service area (服务区): 0 筹备 → 1 运营中 ⇄ 2 暂停服务 → 3 已关停.

use std::sync::Arc;

use geofence::Ring;
use kernel::{Aggregate, Claim, Decision, events, refusals};
use serde::{Deserialize, Serialize};
use vocabulary::text::line;
use vocabulary::{AgentId, AreaId, DataOwner, Timestamp, choices};

use super::area_edge::{About, Outside, Overlaps};
use super::area_terms::{QUOTA_MAX, SUPERVISION_MAX, Stop, Terms};

/// Edges that one area may have had: more is a program gone wild.
const EDGES_MAX: i64 = 200;
/// A name has at most so many characters.
const NAME_MAX: usize = 30;

/// What may be asked.
#[derive(Clone, Debug)]
pub enum AreaCommand {
    /// Plans it; the same again changes nothing.
    Plan(Plan),
    /// Plans a new one as people draw it.
    Draw {
        /// What is drawn.
        plan: Plan,
        /// What lies about its edge.
        about: About,
    },
    /// Opens it to riders.
    Open,
    /// Opens it to riders, who must find a place to end their rides at.
    Launch {
        /// Parking places in it that count.
        parkings: i64,
    },
    /// Suspends it, with a notice to riders: now or at a time, until somebody resumes it or until a time. Of one that is
    /// suspended it changes until when, and what is told.
    Stop {
        /// From then on; nothing: from now on.
        from: Option<Timestamp>,
        /// Resumes it by itself.
        until: Option<Timestamp>,
        /// 停运公告.
        notice: String,
    },
    /// Does what its times say of now: stops it, or resumes it.
    KeepTimes,
    /// Draws it anew.
    Redraw {
        /// The new edge.
        ring: Ring,
        /// What lies about it.
        about: About,
    },
    /// Draws it, from now on, as it was in an earlier version.
    RollBack {
        /// Which.
        data_version: i64,
        /// What lies about that edge.
        about: About,
    },
    /// Closes it for good.
    Close {
        /// Bikes still on its streets.
        shelved_vehicles: i64,
    },
    /// Sends its fences again to the bikes that lag.
    DeliverAgain,
    /// Gives it another name or telephone, or other terms.
    Describe {
        /// 名称.
        name: String,
        /// 客服电话.
        tel: String,
        /// What it is registered as; nothing: as it was.
        terms: Option<Terms>,
    },
    /// Gives it to another agent.
    HandOver {
        /// Who runs it from now on.
        to: AgentId,
        /// What still lies in it under the name of who runs it now.
        left: Belongings,
    },
}

/// What lies in an area under the name of its agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Belongings {
    /// Bikes, on the street or not.
    pub vehicles: i64,
    /// Parking places and no-stop zones.
    pub fences: i64,
    /// Franchisees who work in it.
    pub franchisees: i64,
}

impl std::fmt::Display for Belongings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { vehicles, fences, franchisees } = self;
        write!(f, "{vehicles} 辆车、{fences} 个围栏、{franchisees} 个加盟商")
    }
}

/// An area as planned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Its own id.
    pub area_id: AreaId,
    /// The agent that runs it.
    pub agent_id: AgentId,
    /// 名称.
    pub name: String,
    /// 客服电话.
    pub tel: String,
    /// Its edge.
    pub ring: Ring,
}

events! {
    /// What happened.
    pub enum AreaEvent {
        /// It was planned.
        Planned(Plan) = "area.planned",
        /// It serves riders.
        Opened = "area.opened",
        /// It does not for a while.
        Suspended {
            /// 停运公告.
            notice: String,
        } = "area.suspended",
        /// It has a new edge.
        Redrawn {
            /// 1, 2, 3 …; rides are judged by the edge of their time.
            data_version: i64,
            /// The edge.
            ring: Ring,
        } = "area.redrawn",
        /// It is closed for good.
        Closed = "area.closed",
        /// It has another name.
        Renamed {
            /// 名称.
            name: String,
        } = "area.renamed",
        /// Riders call another number.
        TelChanged {
            /// 客服电话.
            tel: String,
        } = "area.tel_changed",
        /// Another agent runs it.
        HandedOver {
            /// Who ran it.
            from: AgentId,
            /// Who runs it.
            to: AgentId,
        } = "area.handed_over",
        /// It is registered as this.
        TermsSet(Terms) = "area.terms_set",
        /// It will not serve riders for a while, or does so until a time.
        StopPlanned(Stop) = "area.stop_planned",
        /// No stop is planned any more.
        StopCancelled = "area.stop_cancelled",
        /// A person asked for its fences to be sent again to the bikes that lag.
        DeliveryAsked = "area.delivery_asked",
    }
}

refusals! {
    /// Why not.
    pub enum AreaRefusal {
        Unknown = "area-unknown": ("服务区不存在"),
        Name = "area-name": ("服务区名称需 1 到 30 个字"),
        Telephone = "area-telephone": ("开通前请填写客服电话"),
        Different = "area-different": ("该服务区已登记，资料与本次不同"),
        NameTaken = "area-name-taken": ("该代理下已有同名服务区"),
        Closed = "area-closed": ("服务区已关停，不能再变更"),
        NotOpen = "area-not-open": ("服务区未在运营中"),
        Notice = "area-notice": ("停运公告需 1 到 200 个字"),
        VehiclesLeft(i64) = "area-vehicles-left": ("服务区内还有 {0} 辆已上架车辆，请先下架"),
        TelephoneForm = "area-telephone-form": ("客服电话需 5 到 20 位，只能包含数字、空格、+、- 和括号"),
        NoParking = "area-no-parking": ("开通前请至少划定一个停车区，否则骑行无处还车"),
        Shape(String) = "ring": ("{0}"),
        Circle = "area-circle": ("服务区的边界需为多边形"),
        FencesOutside(Outside) = "area-fences-outside": ("新边界之外还有 {0}，请先移动或删除，或者扩大边界"),
        Overlaps(Overlaps) = "area-overlaps": ("边界与 {0}；重叠处的还车按范围较小的服务区判断"),
        NoEdge(i64) = "area-no-edge": ("没有第 {0} 版边界"),
        TooManyEdges = "area-edges": ("一个服务区最多 {EDGES_MAX} 个边界版本"),
        CityCode = "area-city-code": ("城市代码需为 6 位数字，例如 350200"),
        Quota = "area-quota": ("投放配额需 1 到 {QUOTA_MAX} 辆，不限时留空"),
        Supervision = "area-supervision": ("监管平台编号最多 {SUPERVISION_MAX} 个，每个 1 到 40 个字，不能重复"),
        StopTimes = "area-stop-times": ("恢复时间需晚于停运开始至少一分钟，都在一年之内"),
        NotEmpty(Belongings) = "area-not-empty": ("服务区内还有 {0}归原代理所有，清空后才能移交"),
    }
}

choices! {
    /// Where an area stands.
    pub enum AreaState("服务区状态") {
        Planned = 0 => "筹备",
        Open = 1 => "运营中",
        Suspended = 2 => "暂停服务",
        Closed = 3 => "已关停",
    }
}

/// The area as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct Area {
    plan: Option<Plan>,
    state: Option<AreaState>,
    /// All that it ever had, in the order of their versions.
    edges: Vec<Arc<Ring>>,
    terms: Terms,
    /// The stop that is to come or that ends at a time.
    stop: Option<Stop>,
}

impl Area {
    /// Its edge now, nothing when it was never planned.
    pub fn ring(&self) -> Option<&Ring> {
        self.plan.as_ref().map(|plan| &plan.ring)
    }

    /// Its edge in a version, 1, 2, 3 …
    pub fn edge(&self, data_version: i64) -> Option<&Ring> {
        let index = usize::try_from(data_version).ok()?.checked_sub(1)?;
        self.edges.get(index).map(Arc::as_ref)
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

    /// What it is registered as.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    fn replan(&mut self, change: impl FnOnce(&mut Plan)) {
        if let Some(plan) = &mut self.plan {
            change(plan);
        }
    }

    fn change(
        &self,
        plan: &Plan,
        command: AreaCommand,
        now: Timestamp,
    ) -> Result<Vec<AreaEvent>, AreaRefusal> {
        use AreaState::{Closed, Open, Planned, Suspended};
        let state = self.state.unwrap_or(Planned);
        match (state, command) {
            (_, AreaCommand::Plan(new)) if new == *plan => Ok(vec![]),
            (_, AreaCommand::Plan(_) | AreaCommand::Draw { .. }) => Err(AreaRefusal::Different),
            (Closed, AreaCommand::Close { .. } | AreaCommand::KeepTimes) | (Open, AreaCommand::Open) => {
                Ok(vec![])
            }
            (Closed, _) => Err(AreaRefusal::Closed),
            (Planned | Suspended, AreaCommand::Open) if plan.tel.trim().is_empty() => {
                Err(AreaRefusal::Telephone)
            }
            (Planned | Suspended, AreaCommand::Open) => Ok(vec![AreaEvent::Opened]),
            (Planned, AreaCommand::Stop { .. }) => Err(AreaRefusal::NotOpen),
            (_, AreaCommand::Stop { from, until, notice }) => {
                Ok(self.stopped(state, Stop::asked(from, until, &notice, now)?, now))
            }
            (_, AreaCommand::KeepTimes) => {
                Ok(self.stop.as_ref().map_or_else(Vec::new, |stop| stop.due(state, now)))
            }
            (_, AreaCommand::Redraw { ring, about }) => self.redraw(plan, &ring, about),
            (_, AreaCommand::RollBack { data_version, about }) => {
                let ring = self.edge(data_version).ok_or(AreaRefusal::NoEdge(data_version))?;
                self.redraw(plan, ring, about)
            }
            (Open, AreaCommand::Launch { .. }) => {
                Ok(self.stop.iter().map(|_| AreaEvent::StopCancelled).collect())
            }
            (Planned, AreaCommand::Launch { parkings }) if parkings < 1 => Err(AreaRefusal::NoParking),
            (_, AreaCommand::Launch { .. }) => self.change(plan, AreaCommand::Open, now),
            (_, AreaCommand::DeliverAgain) => Ok(vec![AreaEvent::DeliveryAsked]),
            (_, AreaCommand::Describe { name, tel, terms }) => {
                let mut events = describe(plan, state, &name, &tel)?;
                let terms = terms.map(Terms::sound).transpose()?;
                events.extend(terms.filter(|terms| *terms != self.terms).map(AreaEvent::TermsSet));
                Ok(events)
            }
            (_, AreaCommand::HandOver { to, .. }) if to == plan.agent_id => Ok(vec![]),
            (_, AreaCommand::HandOver { to, left }) if left == Belongings::default() => {
                Ok(vec![AreaEvent::HandedOver { from: plan.agent_id, to }])
            }
            (_, AreaCommand::HandOver { left, .. }) => Err(AreaRefusal::NotEmpty(left)),
            (_, AreaCommand::Close { shelved_vehicles: 0 }) => Ok(vec![AreaEvent::Closed]),
            (_, AreaCommand::Close { shelved_vehicles }) => Err(AreaRefusal::VehiclesLeft(shelved_vehicles)),
        }
    }

    /// What follows from a stop that was asked for. A suspended area stays so: what changes is until when.
    fn stopped(&self, state: AreaState, stop: Stop, now: Timestamp) -> Vec<AreaEvent> {
        let stops = stop.from <= now || state == AreaState::Suspended;
        let told = AreaEvent::Suspended { notice: stop.notice.clone() };
        let mut events = Vec::new();
        if stops && stop.until.is_none() {
            events.extend(self.stop.iter().map(|_| AreaEvent::StopCancelled));
        } else {
            events.push(AreaEvent::StopPlanned(stop));
        }
        if stops {
            events.push(told);
        }
        events
    }

    fn redraw(&self, plan: &Plan, ring: &Ring, about: About) -> Result<Vec<AreaEvent>, AreaRefusal> {
        if ring.corners() == plan.ring.corners() {
            return Ok(vec![]);
        }
        about.allow()?;
        let data_version = self.edges.len() as i64 + 1;
        if data_version > EDGES_MAX {
            return Err(AreaRefusal::TooManyEdges);
        }
        Ok(vec![AreaEvent::Redrawn { data_version, ring: ring.clone() }])
    }
}

impl Plan {
    /// The same with its texts as they are kept, when it may stand.
    fn sound(mut self) -> Result<Self, AreaRefusal> {
        self.name = line(&self.name, NAME_MAX).ok_or(AreaRefusal::Name)?;
        let tel = self.tel.trim();
        if !tel.is_empty() && !is_telephone(tel) {
            return Err(AreaRefusal::TelephoneForm);
        }
        Ok(Self { tel: tel.to_owned(), ..self })
    }
}

/// Whether `tel` may be dialled: 5 to 20 digits, blanks, `+`, `-` and brackets.
fn is_telephone(tel: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_digit() || b" +-()".contains(&byte);
    (5..=20).contains(&tel.len()) && tel.bytes().all(allowed) && tel.bytes().any(|byte| byte.is_ascii_digit())
}

fn describe(plan: &Plan, state: AreaState, name: &str, tel: &str) -> Result<Vec<AreaEvent>, AreaRefusal> {
    let name = line(name, NAME_MAX).ok_or(AreaRefusal::Name)?;
    let tel = tel.trim();
    if tel.is_empty() && state != AreaState::Planned {
        return Err(AreaRefusal::Telephone);
    }
    if !tel.is_empty() && tel != plan.tel && !is_telephone(tel) {
        return Err(AreaRefusal::TelephoneForm);
    }
    let mut events = Vec::new();
    if name != plan.name {
        events.push(AreaEvent::Renamed { name });
    }
    if tel != plan.tel {
        events.push(AreaEvent::TelChanged { tel: tel.to_owned() });
    }
    Ok(events)
}

impl Aggregate for Area {
    const CATEGORY: &'static str = "area";
    type Id = AreaId;
    type Command = AreaCommand;
    type Event = AreaEvent;
    type Refusal = AreaRefusal;

    fn decide(&self, command: Self::Command, now: Timestamp) -> Decision<Self> {
        match (&self.plan, command) {
            (None, AreaCommand::Plan(new)) if !(1..=NAME_MAX).contains(&new.name.trim().chars().count()) => {
                Err(AreaRefusal::Name)
            }
            (None, AreaCommand::Plan(new)) => Ok(vec![AreaEvent::Planned(new)]),
            (None, AreaCommand::Draw { plan, about }) => {
                let plan = plan.sound()?;
                about.allow()?;
                Ok(vec![AreaEvent::Planned(plan)])
            }
            (None, _) => Err(AreaRefusal::Unknown),
            (Some(plan), command) => self.change(plan, command, now),
        }
    }

    fn evolve(&mut self, event: &AreaEvent) {
        match event {
            AreaEvent::Planned(plan) => {
                self.plan = Some(plan.clone());
                self.state = Some(AreaState::Planned);
                self.edges = vec![Arc::new(plan.ring.clone())];
            }
            AreaEvent::Opened => {
                self.state = Some(AreaState::Open);
                self.stop = None;
            }
            AreaEvent::Suspended { .. } => self.state = Some(AreaState::Suspended),
            AreaEvent::Redrawn { ring, .. } => {
                self.edges.push(Arc::new(ring.clone()));
                self.replan(|plan| plan.ring = ring.clone());
            }
            AreaEvent::Closed => {
                self.state = Some(AreaState::Closed);
                self.stop = None;
            }
            AreaEvent::TermsSet(terms) => self.terms = terms.clone(),
            AreaEvent::StopPlanned(stop) => self.stop = Some(stop.clone()),
            AreaEvent::StopCancelled => self.stop = None,
            AreaEvent::Renamed { name } => self.replan(|plan| plan.name.clone_from(name)),
            AreaEvent::TelChanged { tel } => self.replan(|plan| plan.tel.clone_from(tel)),
            AreaEvent::HandedOver { to, .. } => self.replan(|plan| plan.agent_id = *to),
            AreaEvent::DeliveryAsked => {}
        }
    }

    fn owner(&self) -> DataOwner {
        self.plan.as_ref().map_or(DataOwner::PLATFORM, |plan| DataOwner::of_area(plan.agent_id, plan.area_id))
    }

    fn claims(&self, event: &AreaEvent) -> Vec<Claim<AreaRefusal>> {
        let key = |agent: AgentId, name: &str| format!("area-name:{agent}:{}", name.trim());
        let held = self.plan.as_ref().map(|plan| key(plan.agent_id, &plan.name));
        let wanted = match (event, &self.plan) {
            (AreaEvent::Planned(plan), _) => Some(key(plan.agent_id, &plan.name)),
            (AreaEvent::Renamed { name }, Some(plan)) => Some(key(plan.agent_id, name)),
            (AreaEvent::HandedOver { to, .. }, Some(plan)) => Some(key(*to, &plan.name)),
            (AreaEvent::Closed, _) => None,
            _ => held.clone(),
        };
        Claim::exchange(held, wanted, AreaRefusal::NameTaken)
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
    fn fences_are_sent_again_as_often_as_a_person_asks_until_the_area_is_closed() {
        let open = after(vec![plan("1"), AreaCommand::Open, AreaCommand::DeliverAgain]);
        assert_eq!(decided(&open, AreaCommand::DeliverAgain), [AreaEvent::DeliveryAsked]);
        let closed = after(vec![plan("1"), AreaCommand::Close { shelved_vehicles: 0 }]);
        assert_eq!(refused(&closed, AreaCommand::DeliverAgain), AreaRefusal::Closed);
        assert_eq!(refused(&Area::default(), AreaCommand::DeliverAgain), AreaRefusal::Unknown);
        let stored = serde_json::json!({"type": "area.delivery_asked"});
        assert_eq!(serde_json::to_value(AreaEvent::DeliveryAsked).unwrap(), stored);
    }

    #[test]
    fn planning_the_same_again_changes_nothing() {
        assert_eq!(after(vec![plan("1")]).decide(plan("1"), Timestamp::from_millis(0)), Ok(vec![]));
        assert_eq!(refused(&after(vec![plan("1")]), plan("2")), AreaRefusal::Different);
    }

    #[test]
    fn an_areas_territory_is_its_agent_and_itself() {
        assert_eq!(after(vec![plan("1")]).owner(), DataOwner::of_area(AgentId(2), AreaId(20)));
    }

    fn describe(name: &str, tel: &str) -> AreaCommand {
        AreaCommand::Describe { name: name.to_owned(), tel: tel.to_owned(), terms: None }
    }

    fn decided(area: &Area, command: AreaCommand) -> Vec<AreaEvent> {
        area.decide(command, Timestamp::from_millis(0)).unwrap()
    }

    #[test]
    fn an_area_without_a_parking_place_is_not_launched() {
        let planned = after(vec![plan("0592-1234567")]);
        assert_eq!(refused(&planned, AreaCommand::Launch { parkings: 0 }), AreaRefusal::NoParking);
        assert_eq!(decided(&planned, AreaCommand::Launch { parkings: 1 }), [AreaEvent::Opened]);
        let silent = after(vec![plan("")]);
        assert_eq!(refused(&silent, AreaCommand::Launch { parkings: 1 }), AreaRefusal::Telephone);
        // It had one when it was opened first.
        let notice = "台风".to_owned();
        let suspended =
            after(vec![plan("1"), AreaCommand::Open, AreaCommand::Stop { from: None, until: None, notice }]);
        assert_eq!(decided(&suspended, AreaCommand::Launch { parkings: 0 }), [AreaEvent::Opened]);
    }

    #[test]
    fn a_name_and_a_telephone_are_changed_each_by_itself() {
        let area = after(vec![plan("0592-1234567")]);
        assert_eq!(decided(&area, describe(" 湖滨 ", "0592-1234567")), []);
        assert_eq!(
            decided(&area, describe("集美", "0592-1234567")),
            [AreaEvent::Renamed { name: "集美".to_owned() }]
        );
        let tel = "0592-7654321".to_owned();
        assert_eq!(decided(&area, describe("湖滨", &tel)), [AreaEvent::TelChanged { tel: tel.clone() }]);
        assert_eq!(refused(&area, describe("", &tel)), AreaRefusal::Name);
        assert_eq!(refused(&area, describe("湖滨", "打给小王")), AreaRefusal::TelephoneForm);
        let open = after(vec![plan("0592-1234567"), AreaCommand::Open]);
        assert_eq!(refused(&open, describe("湖滨", " ")), AreaRefusal::Telephone);
    }

    #[test]
    fn an_area_is_handed_over_only_when_nothing_in_it_is_the_old_agents() {
        let area = after(vec![plan("1")]);
        let left = Belongings { vehicles: 3, fences: 2, franchisees: 1 };
        let to = AgentId(3);
        assert_eq!(refused(&area, AreaCommand::HandOver { to, left }), AreaRefusal::NotEmpty(left));
        let empty = Belongings::default();
        assert_eq!(decided(&area, AreaCommand::HandOver { to: AgentId(2), left }), [], "it is his already");
        let handed = after(vec![plan("1"), AreaCommand::HandOver { to, left: empty }]);
        assert_eq!(handed.owner(), DataOwner::of_area(to, AreaId(20)));
    }

    #[test]
    fn a_name_is_given_back_when_another_is_taken() {
        let area = after(vec![plan("1")]);
        let keys = |event: &AreaEvent| -> Vec<String> {
            let key = |claim| match claim {
                Claim::Take { key, .. } => format!("take {key}"),
                Claim::Release { key } => format!("release {key}"),
            };
            area.claims(event).into_iter().map(key).collect()
        };
        let renamed = AreaEvent::Renamed { name: "集美".to_owned() };
        assert_eq!(keys(&renamed), ["release area-name:2:湖滨", "take area-name:2:集美"]);
        let handed = AreaEvent::HandedOver { from: AgentId(2), to: AgentId(3) };
        assert_eq!(keys(&handed), ["release area-name:2:湖滨", "take area-name:3:湖滨"]);
    }
}
