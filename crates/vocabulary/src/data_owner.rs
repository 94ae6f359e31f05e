//! Whose data something is, and how far a caller may see.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{AgentId, AreaId, Cars};

/// Whose data something is. Without an agent it belongs to the platform, which only a caller with all agents sees;
/// without an area it belongs to the agent as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct DataOwner {
    /// The agent it belongs to.
    pub agent: Option<AgentId>,
    /// The service area it lies in.
    pub area: Option<AreaId>,
}

impl DataOwner {
    /// The platform's own.
    pub const PLATFORM: Self = Self { agent: None, area: None };

    /// An agent's own, in no area.
    pub const fn of_agent(agent: AgentId) -> Self {
        Self { agent: Some(agent), area: None }
    }

    /// In an area of an agent.
    pub const fn of_area(agent: AgentId, area: AreaId) -> Self {
        Self { agent: Some(agent), area: Some(area) }
    }
}

/// All of something, or just these. An empty set is nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach<T: Ord> {
    /// Every one, those to come included.
    All,
    /// Just these.
    Only(BTreeSet<T>),
}

impl<T: Ord + Copy> Reach<T> {
    /// None at all.
    pub const NONE: Self = Self::Only(BTreeSet::new());

    /// Whether `item` is within.
    pub fn contains(&self, item: &T) -> bool {
        match self {
            Self::All => true,
            Self::Only(items) => items.contains(item),
        }
    }

    /// Just `items`.
    pub fn only(items: impl IntoIterator<Item = T>) -> Self {
        Self::Only(items.into_iter().collect())
    }

    /// What both hold.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, rest) | (rest, Self::All) => rest.clone(),
            (Self::Only(left), Self::Only(right)) => Self::Only(left.intersection(right).copied().collect()),
        }
    }

    /// What either holds.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, _) | (_, Self::All) => Self::All,
            (Self::Only(left), Self::Only(right)) => Self::Only(left.union(right).copied().collect()),
        }
    }

    /// Whether everything in `other` is within.
    pub fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::All, _) => true,
            (Self::Only(_), Self::All) => false,
            (Self::Only(own), Self::Only(asked)) => asked.is_subset(own),
        }
    }
}

/// How far a caller may see: which agents, which areas of theirs, and which bikes there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// Agents.
    pub agents: Reach<AgentId>,
    /// Service areas.
    pub areas: Reach<AreaId>,
    /// Bikes, and what belongs to one bike. Figures of whole areas are not cut by them.
    #[serde(default, skip_serializing_if = "Cars::is_all")]
    pub cars: Cars,
}

impl Scope {
    /// Everything: platform administrators and the system itself.
    pub const ALL: Self = Self { agents: Reach::All, areas: Reach::All, cars: Cars::All };

    /// Nothing: where nobody is known, nothing is seen.
    pub const NONE: Self = Self { agents: Reach::NONE, areas: Reach::NONE, cars: Cars::All };

    /// Every bike of these.
    pub const fn of(agents: Reach<AgentId>, areas: Reach<AreaId>) -> Self {
        Self { agents, areas, cars: Cars::All }
    }

    /// Whether a caller of this scope may see and change what lies in `territory`.
    /// The same rule stands in the database as `wheelhouse.in_scope`; a test compares the two.
    pub fn contains(&self, owner: DataOwner) -> bool {
        let agent = match owner.agent {
            None => self.agents == Reach::All,
            Some(agent) => self.agents.contains(&agent),
        };
        agent && owner.area.is_none_or(|area| self.areas.contains(&area))
    }

    /// The same of what belongs to one bike.
    pub fn reaches(&self, owner: DataOwner, car_id: &str) -> bool {
        self.contains(owner) && self.cars.has(car_id)
    }

    /// Whether whoever sees `other` sees no agent and no area beyond this.
    pub fn covers(&self, other: &Self) -> bool {
        self.agents.covers(&other.agents) && self.areas.covers(&other.areas)
    }

    /// The smallest scope that covers both.
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        Self {
            agents: self.agents.join(&other.agents),
            areas: self.areas.join(&other.areas),
            cars: self.cars.join(&other.cars),
        }
    }

    /// What both see.
    #[must_use]
    pub fn intersect(&self, other: &Self) -> Self {
        Self {
            agents: self.agents.intersect(&other.agents),
            areas: self.areas.intersect(&other.areas),
            cars: self.cars.intersect(&other.cars),
        }
    }

    /// What of it lies in `areas`; without any, all of it.
    #[must_use]
    pub fn in_areas(&self, areas: &[AreaId]) -> Self {
        if areas.is_empty() {
            return self.clone();
        }
        self.intersect(&Self::of(Reach::All, Reach::only(areas.iter().copied())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: DataOwner = DataOwner::of_area(AgentId(2), AreaId(20));

    #[test]
    fn an_empty_scope_sees_nothing() {
        for owner in [DataOwner::PLATFORM, DataOwner::of_agent(AgentId(2)), HERE] {
            assert!(!Scope::NONE.contains(owner));
            assert!(Scope::ALL.contains(owner));
        }
    }

    #[test]
    fn an_area_of_another_agent_stays_closed() {
        let scope = Scope::of(Reach::only([AgentId(3)]), Reach::only([AreaId(20)]));
        assert!(!scope.contains(HERE));
    }

    #[test]
    fn the_platforms_own_needs_all_agents() {
        let scope = Scope::of(Reach::only([AgentId(2)]), Reach::All);
        assert!(scope.contains(HERE));
        assert!(!scope.contains(DataOwner::PLATFORM));
    }

    #[test]
    fn areas_cut_a_scope_down_and_never_widen_it() {
        let own = Scope::of(Reach::only([AgentId(2)]), Reach::All);
        assert_eq!(own.in_areas(&[]), own);
        let some = own.in_areas(&[AreaId(20), AreaId(30)]);
        assert!(some.contains(DataOwner::of_area(AgentId(2), AreaId(20))));
        assert!(!some.contains(DataOwner::of_area(AgentId(2), AreaId(21))));
        assert!(!some.contains(DataOwner::of_area(AgentId(3), AreaId(30))), "another agent's stays closed");
        let few = Scope::of(Reach::All, Reach::only([AreaId(20)]));
        assert_eq!(few.in_areas(&[AreaId(30)]).areas, Reach::NONE);
    }

    #[test]
    fn an_intersection_never_widens() {
        let few = Scope::of(Reach::only([AgentId(2)]), Reach::only([AreaId(20)]));
        assert_eq!(Scope::ALL.intersect(&few), few);
        assert_eq!(few.intersect(&Scope::NONE), Scope::NONE);
        assert!(!few.areas.covers(&Reach::All));
    }

    #[test]
    fn a_join_covers_both_and_nothing_less_is_covered() {
        let of = |agents: &[i64], areas: &[i64]| {
            Scope::of(
                Reach::only(agents.iter().copied().map(AgentId)),
                Reach::only(areas.iter().copied().map(AreaId)),
            )
        };
        let (left, right) = (of(&[2], &[20]), of(&[3], &[30]));
        let both = left.join(&right);
        assert_eq!(both, of(&[2, 3], &[20, 30]));
        assert!(both.covers(&left) && both.covers(&right) && !left.covers(&both));
        assert_eq!(left.join(&Scope::ALL), Scope::ALL);
        assert_eq!(left.join(&Scope::NONE), left);
    }
}
