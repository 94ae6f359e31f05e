//! Who looks after a maintenance area (运维区), and how soon. The area itself is a fence, whose edge has versions; its people
//! change often and have none.

use std::collections::{BTreeMap, BTreeSet};

use geofence::atlas::Span;
use geofence::{Shape, place_in_both};
use kernel::{Aggregate, Decision, events, refusals};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId, DataOwner, FenceId, OperatorId, Timestamp};

use super::fence::Opposite;

/// People of one kind that an area has at most.
pub const PEOPLE_MAX: usize = 50;
/// Bikes that may be parked in an area at most.
const PARKING_MAX: i32 = 100_000;
/// Hours within which work is to be done.
const SLA_LEAST_H: i16 = 1;
const SLA_MOST_H: i16 = 240;

/// People by their accounts.
pub type People = BTreeSet<OperatorId>;

/// How soon work is to be done, hours, 1 to 240 each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kpi {
    /// 换电时限.
    pub swap_sla_h: i16,
    /// 挪车时限.
    pub move_sla_h: i16,
    /// 维修时限.
    pub repair_sla_h: i16,
}

impl Default for Kpi {
    /// A day for each.
    fn default() -> Self {
        Self { swap_sla_h: 24, move_sla_h: 24, repair_sla_h: 24 }
    }
}

/// How soon work is to be done, as people fill it in and read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "each is a time limit, and units stand last")]
pub struct KpiForm {
    /// 换电时限, hours, 1 to 240.
    swap_sla_h: i16,
    /// 挪车时限, hours, 1 to 240.
    move_sla_h: i16,
    /// 维修时限, hours, 1 to 240.
    repair_sla_h: i16,
}

impl std::fmt::Display for KpiForm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { swap_sla_h, move_sla_h, repair_sla_h } = self;
        write!(f, "换电 {swap_sla_h} · 挪车 {move_sla_h} · 维修 {repair_sla_h} 小时")
    }
}

impl From<KpiForm> for Kpi {
    fn from(form: KpiForm) -> Self {
        let KpiForm { swap_sla_h, move_sla_h, repair_sla_h } = form;
        Self { swap_sla_h, move_sla_h, repair_sla_h }
    }
}

impl From<Kpi> for KpiForm {
    fn from(kpi: Kpi) -> Self {
        let Kpi { swap_sla_h, move_sla_h, repair_sla_h } = kpi;
        Self { swap_sla_h, move_sla_h, repair_sla_h }
    }
}

/// Who looks after an area, and how soon.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// 负责人.
    pub leaders: People,
    /// 巡检员.
    pub checkers: People,
    /// 维修员.
    pub maintainers: People,
    /// 换电员.
    pub change_power_persons: People,
    /// 挪车员.
    pub move_car_persons: People,
    /// 停放上限, bikes; 0: none.
    pub max_parking_number: i32,
    /// How soon work is to be done.
    pub kpi: Kpi,
}

impl Terms {
    /// The people of each kind, by its name.
    pub const fn posts(&self) -> [(&'static str, &People); 5] {
        [
            ("负责人", &self.leaders),
            ("巡检员", &self.checkers),
            ("维修员", &self.maintainers),
            ("换电员", &self.change_power_persons),
            ("挪车员", &self.move_car_persons),
        ]
    }
}

/// What people fill in beside the edge; what is absent stays as it is.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
#[schema(as = CrewForm)]
pub struct Form {
    /// 负责人: ids of accounts, 1 to 50 with the `manager`.
    #[schema(value_type = Option<Vec<String>>)]
    leaders: Option<People>,
    /// 巡检员: ids of accounts, at most 50.
    #[schema(value_type = Option<Vec<String>>)]
    checkers: Option<People>,
    /// 维修员: ids of accounts, at most 50.
    #[schema(value_type = Option<Vec<String>>)]
    maintainers: Option<People>,
    /// 换电员: ids of accounts, at most 50.
    #[schema(value_type = Option<Vec<String>>)]
    change_power_persons: Option<People>,
    /// 挪车员: ids of accounts, at most 50.
    #[schema(value_type = Option<Vec<String>>)]
    move_car_persons: Option<People>,
    /// 停放上限, bikes, at most 100,000; 0: none.
    max_parking_number: Option<i32>,
    /// How soon work is to be done; a day for each at first.
    kpi: Option<KpiForm>,
}

impl Form {
    /// Everybody whom it names.
    pub fn people(&self) -> People {
        let named = [
            &self.leaders,
            &self.checkers,
            &self.maintainers,
            &self.change_power_persons,
            &self.move_car_persons,
        ];
        named.into_iter().flatten().flatten().copied().collect()
    }

    /// What it makes of `known` terms. A manager alone takes the place of all leaders.
    fn terms(self, known: Terms, manager: Option<OperatorId>) -> Terms {
        let mut leaders = match (self.leaders, manager) {
            (Some(leaders), _) => leaders,
            (None, Some(_)) => People::new(),
            (None, None) => known.leaders,
        };
        leaders.extend(manager);
        Terms {
            leaders,
            checkers: self.checkers.unwrap_or(known.checkers),
            maintainers: self.maintainers.unwrap_or(known.maintainers),
            change_power_persons: self.change_power_persons.unwrap_or(known.change_power_persons),
            move_car_persons: self.move_car_persons.unwrap_or(known.move_car_persons),
            max_parking_number: self.max_parking_number.unwrap_or(known.max_parking_number),
            kpi: self.kpi.map_or(known.kpi, Kpi::from),
        }
    }
}

/// A person as an area may want him.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// His name.
    pub name: String,
    /// Whether he may sign in.
    pub enabled: bool,
    /// Whether he sees the service area.
    pub reaches: bool,
}

/// Which maintenance area it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Post {
    /// Its fence.
    pub fence_id: FenceId,
    /// The service area it lies in.
    pub area_id: AreaId,
    /// Who runs that area.
    pub agent_id: AgentId,
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum CrewCommand {
    /// Puts these people in charge. `candidates` are those of them whom the caller may see; who is in charge already stays
    /// whatever became of him.
    Assign {
        post: Post,
        form: Form,
        manager: Option<OperatorId>,
        candidates: BTreeMap<OperatorId, Candidate>,
    },
}

events! {
    /// What happened.
    #[derive(Eq)]
    pub enum CrewEvent {
        /// These people are in charge.
        Assigned {
            #[serde(flatten)]
            post: Post,
            terms: Terms,
        } = "crew.assigned",
    }
}

refusals! {
    /// Why not.
    pub enum CrewRefusal {
        NoLeader = "crew-no-leader": ("请至少选择一名负责人"),
        TooMany(&'static str) = "crew-too-many": ("{0}最多 {PEOPLE_MAX} 名"),
        Parking = "crew-parking": ("停放上限需在 0 到 {PARKING_MAX} 辆之间"),
        Hours(&'static str) = "crew-hours": ("{0}时限需在 {SLA_LEAST_H} 到 {SLA_MOST_H} 小时之间"),
        Unknown(OperatorId) = "crew-person-unknown": ("人员 {0} 不存在，或不在您的数据范围内"),
        Disabled(String) = "crew-person-disabled": ("{0}的账号已停用，不能安排到运维区"),
        Beyond(String) = "crew-person-beyond": ("{0}的数据范围不含该服务区，不能安排到运维区"),
        Overlap { name: String, lng: String, lat: String } = "maintain-overlap": ("与运维区「{name}」在 {lng}, {lat} 附近重叠，同一服务区的运维区不能重叠"),
    }
}

/// The people of a maintenance area as decisions need them.
#[derive(Clone, Debug, Default)]
pub struct Crew {
    assigned: Option<(Post, Terms)>,
}

impl Terms {
    /// Refuses what may not stand, whoever they are.
    fn sound(&self) -> Result<(), CrewRefusal> {
        let Kpi { swap_sla_h, move_sla_h, repair_sla_h } = self.kpi;
        let hours = [("换电", swap_sla_h), ("挪车", move_sla_h), ("维修", repair_sla_h)];
        if self.leaders.is_empty() {
            return Err(CrewRefusal::NoLeader);
        }
        if let Some((post, _)) = self.posts().into_iter().find(|(_, people)| people.len() > PEOPLE_MAX) {
            return Err(CrewRefusal::TooMany(post));
        }
        if !(0..=PARKING_MAX).contains(&self.max_parking_number) {
            return Err(CrewRefusal::Parking);
        }
        match hours.into_iter().find(|(_, hours)| !(SLA_LEAST_H..=SLA_MOST_H).contains(hours)) {
            Some((work, _)) => Err(CrewRefusal::Hours(work)),
            None => Ok(()),
        }
    }

    /// Refuses who does something new in the area and cannot: not known, disabled, or beyond his reach.
    fn manned(&self, known: &Self, candidates: &BTreeMap<OperatorId, Candidate>) -> Result<(), CrewRefusal> {
        let posts = self.posts().into_iter().zip(known.posts());
        for person in posts.flat_map(|((_, wanted), (_, held))| wanted.difference(held)) {
            match candidates.get(person) {
                None => return Err(CrewRefusal::Unknown(*person)),
                Some(one) if !one.enabled => return Err(CrewRefusal::Disabled(one.name.clone())),
                Some(one) if !one.reaches => return Err(CrewRefusal::Beyond(one.name.clone())),
                Some(_) => {}
            }
        }
        Ok(())
    }
}

impl Aggregate for Crew {
    const CATEGORY: &'static str = "crew";
    type Id = FenceId;
    type Command = CrewCommand;
    type Event = CrewEvent;
    type Refusal = CrewRefusal;

    fn decide(&self, command: Self::Command, _: Timestamp) -> Decision<Self> {
        let CrewCommand::Assign { post, form, manager, candidates } = command;
        let known = self.assigned.as_ref().map(|(_, terms)| terms.clone()).unwrap_or_default();
        let terms = form.terms(known.clone(), manager);
        terms.sound()?;
        terms.manned(&known, &candidates)?;
        if self.assigned.as_ref().is_some_and(|(_, known)| *known == terms) {
            return Ok(vec![]);
        }
        Ok(vec![CrewEvent::Assigned { post, terms }])
    }

    fn evolve(&mut self, event: &CrewEvent) {
        let CrewEvent::Assigned { post, terms } = event;
        self.assigned = Some((*post, terms.clone()));
    }

    fn owner(&self) -> DataOwner {
        let post = self.assigned.as_ref().map(|(post, _)| post);
        post.map_or(DataOwner::PLATFORM, |post| DataOwner::of_area(post.agent_id, post.area_id))
    }
}

/// Refuses a maintenance area that lies over another one at the same time, and says where. What is drawn on either side of
/// a street may meet.
pub fn apart(own: &[(Shape, Span)], others: &[Opposite]) -> Result<(), CrewRefusal> {
    for other in others {
        let mut own = own.iter().filter(|(_, span)| span.meets(&other.span));
        if let Some([lng, lat]) = own.find_map(|(shape, _)| place_in_both(shape, &other.shape)) {
            let name = other.name.clone();
            return Err(CrewRefusal::Overlap { name, lng: format!("{lng:.6}"), lat: format!("{lat:.6}") });
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "crew_tests.rs"]
mod tests;
