//! Who asks, as far as a decision on rights needs to know, and on whom he may act.
//!
//! **One person acts on another only within what he has himself**: [`Authority::may_act_on`] decides it for every such
//! act, by codes, by reach (agents and service areas) and by level. Whoever gets a link for somebody, edits him or
//! accepts his device could otherwise do through him what he may not do.

use std::collections::BTreeSet;

use vocabulary::{Cars, OperatorId, PermissionCode, Scope};

use super::level::Level;
use crate::permissions;

/// The facts about the one who asks, looked up by the use case at the moment of asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    /// The account, when it is a person.
    pub operator: Option<OperatorId>,
    /// The codes that he holds, closed upwards.
    pub codes: Held,
    /// How far he reaches.
    pub scope: Scope,
    /// His tiers; all of them when he holds the system role.
    pub level: Level,
}

/// Which codes someone holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// All, those of later versions included: the system itself.
    Everything,
    /// Just these.
    Codes(BTreeSet<PermissionCode>),
}

/// What somebody was given, looked up at the moment of asking: roles are streams of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Granted {
    /// The codes of his enabled roles, whether his tiers may hold them or not: raising his tiers must not hand on what
    /// one lacks.
    pub codes: BTreeSet<PermissionCode>,
    /// Whether he holds the system role, which is above every level.
    pub administers: bool,
    /// The bikes that they show him.
    pub cars: Cars,
}

impl Granted {
    /// Nothing.
    pub const NOTHING: Self = Self { codes: BTreeSet::new(), administers: false, cars: Cars::NONE };
}

/// Somebody on whom somebody else acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The account.
    pub operator: OperatorId,
    /// What he was given.
    pub granted: Granted,
    /// How far he reaches.
    pub reach: Scope,
    /// His tiers.
    pub level: Level,
}

/// Those whom an act on something of theirs touches, taken together: the holders of a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct People {
    /// Who they are.
    pub operators: BTreeSet<OperatorId>,
    /// What the widest of them reach, joined.
    pub reach: Scope,
    /// The tiers of all of them.
    pub level: Option<Level>,
}

/// What somebody has that the one who asks has not. It names no agent, area or person that he may not know of.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Above {
    /// A code: its title.
    #[error("该人员持有您没有的权限“{0}”，您不能操作")]
    Codes(String),
    /// Agents or service areas.
    #[error("该人员的代理商或服务区超出您的数据范围，您不能操作")]
    Reach,
    /// Bikes.
    #[error("该人员的可见车辆超出您的可见车辆，您不能操作")]
    Sight,
    /// A tier.
    #[error("该人员的级别高于您的级别，您不能操作")]
    Level,
}

impl Above {
    /// For programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Codes(_) => "operator-outranks",
            Self::Reach => "operator-beyond-reach",
            Self::Sight => "operator-beyond-sight",
            Self::Level => "operator-above-level",
        }
    }
}

impl Authority {
    /// The system itself: start-up and the command line.
    pub fn of_runtime() -> Self {
        Self { operator: None, codes: Held::Everything, scope: Scope::ALL, level: Level::ALL }
    }

    /// The first of `codes` that he does not hold.
    pub fn lacks<'a>(
        &self,
        codes: impl IntoIterator<Item = &'a PermissionCode>,
    ) -> Option<&'a PermissionCode> {
        match &self.codes {
            Held::Everything => None,
            Held::Codes(held) => codes.into_iter().find(|code| !held.contains(*code)),
        }
    }

    /// Whether he is that operator.
    pub fn is(&self, operator: OperatorId) -> bool {
        self.operator == Some(operator)
    }

    /// Whether he may act on `person`: nobody has more codes, a wider reach or a higher level than who acts on him.
    /// What one may do to oneself is for each act to say.
    pub fn may_act_on(&self, person: &Person) -> Result<(), Above> {
        if self.is(person.operator) {
            return Ok(());
        }
        if let Some(code) = self.lacks(&person.granted.codes) {
            let title = permissions::find(code.as_str()).map_or(code.as_str(), |known| known.title);
            return Err(Above::Codes(title.to_owned()));
        }
        if !self.scope.cars.covers(&person.granted.cars) {
            return Err(Above::Sight);
        }
        let level = if person.granted.administers { Level::ALL } else { person.level };
        self.has_within(&person.reach, Some(level))
    }

    /// Whether reach and level of all of them are within his; what it means for their codes is for the act to say.
    pub fn may_touch(&self, people: &People) -> Result<(), Above> {
        self.has_within(&people.reach, people.level)
    }

    /// Whether a reach and the tiers that go with it are within his own.
    pub fn has_within(&self, reach: &Scope, level: Option<Level>) -> Result<(), Above> {
        if !self.scope.covers(reach) {
            return Err(Above::Reach);
        }
        if level.is_some_and(|level| level.is_above(self.level)) {
            return Err(Above::Level);
        }
        Ok(())
    }
}

impl People {
    /// Nobody.
    pub const NOBODY: Self = Self { operators: BTreeSet::new(), reach: Scope::NONE, level: None };

    /// With one more.
    #[must_use]
    pub fn and(mut self, operator: OperatorId, reach: &Scope, level: Level) -> Self {
        self.operators.insert(operator);
        self.reach = self.reach.join(reach);
        self.level = Some(self.level.map_or(level, |known| known.join(level)));
        self
    }
}

#[cfg(test)]
mod tests {
    use vocabulary::{AgentId, AreaId, Reach};

    use super::*;

    const ME: OperatorId = OperatorId(1);
    const WANG: OperatorId = OperatorId(2);

    fn codes(texts: &[&str]) -> BTreeSet<PermissionCode> {
        texts.iter().map(|text| PermissionCode::try_from((*text).to_owned()).unwrap()).collect()
    }

    fn scope(agents: &[i64], areas: &[i64]) -> Scope {
        let agents = Reach::only(agents.iter().copied().map(AgentId));
        let areas =
            if areas.is_empty() { Reach::All } else { Reach::only(areas.iter().copied().map(AreaId)) };
        Scope::of(agents, areas)
    }

    fn level(mask: i64) -> Level {
        Level::try_from(mask).unwrap()
    }

    fn me(reach: Scope, mask: i64) -> Authority {
        let held = Held::Codes(codes(&["10", "1002", "0301"]));
        Authority { operator: Some(ME), codes: held, scope: reach, level: level(mask) }
    }

    fn wang(reach: Scope, mask: i64) -> Person {
        let granted = Granted { codes: codes(&["0301"]), administers: false, cars: Cars::All };
        Person { operator: WANG, granted, reach, level: level(mask) }
    }

    #[test]
    fn one_acts_on_those_who_have_no_more_than_oneself() {
        let by = me(scope(&[2], &[20, 21]), 2);
        assert_eq!(by.may_act_on(&wang(scope(&[2], &[20]), 2)), Ok(()));
        assert_eq!(by.may_act_on(&wang(scope(&[2], &[20, 21]), 12)), Ok(()));
        for beyond in [scope(&[2], &[20, 22]), scope(&[2], &[]), scope(&[2, 3], &[20]), Scope::ALL] {
            assert_eq!(by.may_act_on(&wang(beyond, 2)), Err(Above::Reach));
        }
        let more = Person {
            granted: Granted { codes: codes(&["0301", "1001"]), administers: false, cars: Cars::All },
            ..wang(scope(&[2], &[20]), 2)
        };
        assert_eq!(by.may_act_on(&more), Err(Above::Codes("角色列表".to_owned())));
    }

    #[test]
    fn the_highest_tier_of_each_is_compared_and_the_system_role_is_above_all_of_them() {
        let by = |mask| me(Scope::ALL, mask);
        for (mine, his, may) in [
            (2, 1, false),
            (2, 3, false),
            (2, 2, true),
            (2, 4, true),
            (2, 14, true),
            (1, 15, true),
            (8, 4, false),
        ] {
            assert_eq!(by(mine).may_act_on(&wang(Scope::ALL, his)).is_ok(), may, "{mine} on {his}");
        }
        let granted = Granted { codes: codes(&["0301"]), administers: true, cars: Cars::All };
        let administrator = Person { granted, ..wang(Scope::ALL, 8) };
        assert_eq!(by(2).may_act_on(&administrator), Err(Above::Level));
        assert_eq!(by(1).may_act_on(&administrator), Ok(()));
    }

    #[test]
    fn oneself_is_not_above_oneself() {
        let myself = Person { operator: ME, ..wang(Scope::ALL, 1) };
        assert_eq!(me(scope(&[2], &[20]), 2).may_act_on(&myself), Ok(()));
    }

    #[test]
    fn several_are_as_wide_as_all_of_them_together() {
        let by = me(scope(&[2], &[20, 21]), 2);
        let few = People::NOBODY.and(WANG, &scope(&[2], &[20]), level(4)).and(
            OperatorId(3),
            &scope(&[2], &[21]),
            level(2),
        );
        assert_eq!(by.may_touch(&few), Ok(()));
        assert_eq!(by.may_touch(&People::NOBODY), Ok(()));
        let wider = few.clone().and(OperatorId(4), &scope(&[2], &[]), level(4));
        assert_eq!(by.may_touch(&wider), Err(Above::Reach));
        let higher = few.and(OperatorId(4), &scope(&[2], &[20]), level(1));
        assert_eq!(by.may_touch(&higher), Err(Above::Level));
    }
}
