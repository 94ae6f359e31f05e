//! What no sequence of commands can bring about, whoever gives them: a right given by one who lacks it, a reach beyond
//! that of whoever gave it, a device accepted over its owner's head, or a house without an administrator. The
//! streams, the claims and the desk's look at territories are modelled as the log keeps them.

use std::collections::{BTreeMap, BTreeSet};

use kernel::{Aggregate, Claim};
use proptest::prelude::*;
use vocabulary::{
    AgentId, AreaId, OperatorDeviceId, OperatorId, PermissionCode, Reach, RoleId, Scope, Territory,
};

use super::{NOW, codes, level};
use crate::model::authority::{Authority, Held};
use crate::model::device::{Device, DeviceCommand, DeviceState, OperatorDevices, Owner};
use crate::model::level::{Level, Tier};
use crate::model::operator::{Operator, OperatorCommand, OperatorForm, territory_of};
use crate::model::role::{Role, RoleCommand, RoleForm, SUPER_ADMINISTRATOR};
use crate::permissions::{closed_upwards, every_code, not_for};

const CODES: [&str; 6] = ["1001", "1002", "0401", "1101", "1701", "0301"];
const PEOPLE: usize = 5;
const DEVICES: usize = 3;
const LEVELS: [i64; 4] = [15, 4, 2, 12];

/// What somebody tries: `by` whom, to what.
#[derive(Clone, Debug)]
struct Step {
    by: usize,
    act: Act,
}

#[derive(Clone, Debug)]
enum Act {
    CreateRole { role: usize, codes: Vec<usize>, of_agent: bool },
    ChangeRole { role: usize, codes: Vec<usize> },
    SwitchRole { role: usize, enabled: bool },
    DeleteRole { role: usize },
    Grant { role: usize, to: usize },
    Withdraw { role: usize, from: usize },
    Register { who: usize, reach: usize, level: usize },
    Change { who: usize, reach: usize, level: usize },
    Switch { who: usize, enabled: bool },
    Delete { who: usize },
    AskForDevice { of: usize, device: usize },
    UseDevice { device: usize },
    ConfirmDevice { of: usize, device: usize },
    RemoveDevice { of: usize, device: usize },
}

fn acts() -> impl Strategy<Value = Act> {
    let one = 0..PEOPLE;
    let role = 0..4_usize;
    let device = 0..DEVICES;
    let many = || proptest::collection::vec(0..CODES.len(), 0..4);
    let form = || (0..PEOPLE, 0..reaches().len(), 0..LEVELS.len());
    prop_oneof![
        2 => (role.clone(), many(), any::<bool>())
            .prop_map(|(role, codes, of_agent)| Act::CreateRole { role, codes, of_agent }),
        2 => (role.clone(), many()).prop_map(|(role, codes)| Act::ChangeRole { role, codes }),
        1 => (role.clone(), any::<bool>()).prop_map(|(role, enabled)| Act::SwitchRole { role, enabled }),
        1 => role.clone().prop_map(|role| Act::DeleteRole { role }),
        6 => (role.clone(), one.clone()).prop_map(|(role, to)| Act::Grant { role, to }),
        2 => (role, one.clone()).prop_map(|(role, from)| Act::Withdraw { role, from }),
        4 => form().prop_map(|(who, reach, level)| Act::Register { who, reach, level }),
        3 => form().prop_map(|(who, reach, level)| Act::Change { who, reach, level }),
        2 => (one.clone(), any::<bool>()).prop_map(|(who, enabled)| Act::Switch { who, enabled }),
        1 => one.clone().prop_map(|who| Act::Delete { who }),
        1 => (one.clone(), device.clone()).prop_map(|(of, device)| Act::AskForDevice { of, device }),
        1 => device.clone().prop_map(|device| Act::UseDevice { device }),
        2 => (one.clone(), device.clone()).prop_map(|(of, device)| Act::ConfirmDevice { of, device }),
        1 => (one, device).prop_map(|(of, device)| Act::RemoveDevice { of, device }),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    // Whoever stands from the start acts most, or most steps would be nobody's.
    let by = prop_oneof![2 => Just(0), 3 => 0..PEOPLE];
    proptest::collection::vec((by, acts()).prop_map(|(by, act)| Step { by, act }), 0..70)
}

/// Everything, one franchisee, one area of his, another franchisee.
fn reaches() -> [Scope; 4] {
    let of = |agent| Reach::only([AgentId(agent)]);
    [
        Scope::ALL,
        Scope { agents: of(2), areas: Reach::All },
        Scope { agents: of(2), areas: Reach::only([AreaId(20)]) },
        Scope { agents: of(3), areas: Reach::All },
    ]
}

/// Roles, operators, devices and claims as the log keeps them. Role 0 is the system role; operator 0 its first holder.
#[derive(Default)]
struct House {
    roles: BTreeMap<RoleId, Role>,
    operators: BTreeMap<OperatorId, Operator>,
    devices: BTreeMap<OperatorId, OperatorDevices>,
    claims: BTreeMap<String, String>,
}

fn role_id(number: usize) -> RoleId {
    RoleId(SUPER_ADMINISTRATOR.0 + i64::try_from(number).unwrap())
}

fn operator_id(number: usize) -> OperatorId {
    OperatorId(100 + i64::try_from(number).unwrap())
}

fn device_id(number: usize) -> OperatorDeviceId {
    OperatorDeviceId(i64::try_from(number).unwrap())
}

fn device(number: usize) -> Device {
    Device { code: format!("d{number}"), name: "Chrome".into(), kind: 1, address: "10.0.0.1".into() }
}

/// Looks at the territory, decides and appends; whether anything was appended.
fn append<A: Aggregate>(
    streams: &mut BTreeMap<A::Id, A>,
    claims: &mut BTreeMap<String, String>,
    id: &A::Id,
    scope: &Scope,
    command: A::Command,
) -> bool
where
    A::Id: Ord,
{
    let stream = format!("{}-{id}", A::CATEGORY);
    let known = streams.get(id).cloned();
    if known.as_ref().is_some_and(|state| !scope.contains(state.territory())) {
        return false;
    }
    let fresh = known.is_none();
    let mut state = known.unwrap_or_default();
    let Ok(events) = state.decide(command, NOW) else { return false };
    let mut held = claims.clone();
    for event in &events {
        for claim in state.claims(event) {
            match claim {
                Claim::Take { key, .. } => match held.get(&key) {
                    Some(owner) if *owner != stream => return false,
                    _ => {
                        held.insert(key, stream.clone());
                    }
                },
                Claim::Release { key } => {
                    if held.get(&key) == Some(&stream) {
                        held.remove(&key);
                    }
                }
            }
        }
        state.evolve(event);
    }
    if fresh && !scope.contains(state.territory()) {
        return false;
    }
    *claims = held;
    streams.insert(id.clone(), state);
    !events.is_empty()
}

impl House {
    fn founded() -> Self {
        let mut house = Self::default();
        let by = Authority::of_house;
        let found = RoleCommand::Found { name: "超级管理员".into() };
        assert!(house.role(0, &Scope::ALL, found));
        let register = Self::registration(0, Self::form(0, 0), by());
        assert!(house.operator(0, &Scope::ALL, register));
        let grant = RoleCommand::Grant { operator: operator_id(0), level: Level::ALL, by: by() };
        assert!(house.role(0, &Scope::ALL, grant));
        house
    }

    fn registration(number: usize, form: OperatorForm, by: Authority) -> OperatorCommand {
        let phone = format!("1380000000{number}").parse().unwrap();
        OperatorCommand::Register { operator: operator_id(number), phone, form, enabled: true, by }
    }

    fn form(reach: usize, mask: usize) -> OperatorForm {
        OperatorForm {
            name: "王芳".into(),
            level: level(LEVELS[mask]),
            profession: None,
            reach: reaches()[reach].clone(),
        }
    }

    fn role(&mut self, number: usize, scope: &Scope, command: RoleCommand) -> bool {
        append(&mut self.roles, &mut self.claims, &role_id(number), scope, command)
    }

    fn operator(&mut self, number: usize, scope: &Scope, command: OperatorCommand) -> bool {
        append(&mut self.operators, &mut self.claims, &operator_id(number), scope, command)
    }

    fn device(&mut self, of: usize, command: DeviceCommand) -> bool {
        // Whose devices they are, the read model was asked before: see the use case.
        append(&mut self.devices, &mut self.claims, &operator_id(of), &Scope::ALL, command)
    }

    fn roles_of(&self, number: usize) -> impl Iterator<Item = (&RoleId, &Role)> {
        let operator = operator_id(number);
        self.roles.iter().filter(move |(_, role)| role.is_enabled() && role.holders().contains(&operator))
    }

    fn level_of(&self, number: usize) -> Level {
        self.operators.get(&operator_id(number)).and_then(Operator::level).unwrap_or(Level::ALL)
    }

    fn reach_of(&self, number: usize) -> Scope {
        let known = self.operators.get(&operator_id(number)).and_then(Operator::reach).cloned();
        known.unwrap_or(Scope::NONE)
    }

    /// What he was given.
    fn granted(&self, number: usize) -> BTreeSet<PermissionCode> {
        closed_upwards(self.roles_of(number).flat_map(|(_, role)| role.codes()))
    }

    /// What works: without what his tiers keep from him.
    fn held(&self, number: usize) -> BTreeSet<PermissionCode> {
        let level = self.level_of(number);
        closed_upwards(self.roles_of(number).flat_map(|(id, role)| {
            let system = *id == SUPER_ADMINISTRATOR;
            role.codes().into_iter().filter(move |code| system || not_for(level, [code]).is_none())
        }))
    }

    fn may_act(&self, number: usize) -> bool {
        self.operators.get(&operator_id(number)).is_some_and(Operator::is_enabled)
    }

    fn by(&self, number: usize) -> Authority {
        Authority {
            operator: Some(operator_id(number)),
            codes: Held::Codes(self.held(number)),
            scope: self.reach_of(number),
        }
    }

    fn owner(&self, number: usize) -> Owner {
        Owner { operator: operator_id(number), codes: self.granted(number) }
    }

    fn device_states(&self) -> Vec<Vec<Option<DeviceState>>> {
        let states = |of: usize| {
            let known = self.devices.get(&operator_id(of));
            (0..DEVICES).map(|one| known.and_then(|known| known.state_of(&device(one).code))).collect()
        };
        (0..PEOPLE).map(states).collect()
    }

    fn administrators(&self) -> usize {
        let system = &self.roles[&SUPER_ADMINISTRATOR];
        let fit = |operator: &&OperatorId| self.operators.get(operator).is_some_and(Operator::may_administer);
        system.holders().iter().filter(fit).count()
    }

    fn take(&mut self, step: &Step) {
        let by = self.by(step.by);
        let scope = by.scope.clone();
        let form = |role: usize, chosen: &[usize]| RoleForm {
            name: format!("角色{role}"),
            tier: Tier::Administration,
            remark: String::new(),
            codes: codes(&chosen.iter().map(|number| CODES[*number]).collect::<Vec<_>>()),
        };
        match &step.act {
            Act::CreateRole { role, codes, of_agent } => {
                let (agent, form) = (of_agent.then_some(AgentId(2)), form(*role, codes));
                self.role(*role, &scope, RoleCommand::Create { agent, form, enabled: true, by });
            }
            Act::ChangeRole { role, codes } => {
                let revision = self.roles.get(&role_id(*role)).map_or(0, Role::revision);
                self.role(*role, &scope, RoleCommand::Change { form: form(*role, codes), revision, by });
            }
            Act::SwitchRole { role, enabled } => {
                let command = if *enabled { RoleCommand::Enable { by } } else { RoleCommand::Disable { by } };
                self.role(*role, &scope, command);
            }
            Act::DeleteRole { role } => {
                self.role(*role, &scope, RoleCommand::Delete { revision: None, by });
            }
            Act::Grant { role, to } => {
                let level = self.level_of(*to);
                self.role(*role, &scope, RoleCommand::Grant { operator: operator_id(*to), level, by });
            }
            Act::Withdraw { role, from } => {
                self.role(*role, &scope, RoleCommand::Withdraw { operator: operator_id(*from), by });
            }
            Act::Register { who, reach, level } => {
                self.operator(*who, &scope, Self::registration(*who, Self::form(*reach, *level), by));
            }
            Act::Change { who, reach, level } => {
                let target = self.granted(*who);
                let revision = self.operators.get(&operator_id(*who)).map_or(0, Operator::revision);
                let form = Self::form(*reach, *level);
                self.operator(*who, &scope, OperatorCommand::Change { form, revision, target, by });
            }
            Act::Switch { who, enabled } => {
                let target = self.granted(*who);
                let command = if *enabled {
                    OperatorCommand::Enable { target, by }
                } else {
                    OperatorCommand::Disable { target, by }
                };
                self.operator(*who, &scope, command);
            }
            Act::Delete { who } => {
                let target = self.granted(*who);
                self.operator(*who, &scope, OperatorCommand::Delete { target, by });
            }
            act => self.take_device(step.by, act, by),
        }
    }

    fn take_device(&mut self, who: usize, act: &Act, by: Authority) {
        match act {
            Act::AskForDevice { of, device: one } => {
                let territory = territory_of(&self.reach_of(*of));
                let (id, device) = (device_id(*one), device(*one));
                self.device(*of, DeviceCommand::Ask { id, device, territory });
            }
            Act::UseDevice { device: one } => {
                let (id, device, territory) = (device_id(*one), device(*one), Territory::PLATFORM);
                self.device(who, DeviceCommand::Use { id, device, automatic: 1, territory });
            }
            Act::ConfirmDevice { of, device } => {
                let owner = self.owner(*of);
                self.device(*of, DeviceCommand::Confirm { id: device_id(*device), owner, by });
            }
            Act::RemoveDevice { of, device } => {
                let owner = self.owner(*of);
                self.device(*of, DeviceCommand::Remove { id: device_id(*device), owner, by });
            }
            _ => unreachable!("the others are taken above"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn perm_018_no_sequence_of_commands_grants_what_the_granter_lacks_or_loses_the_last_administrator(
        steps in steps(),
    ) {
        let mut house = House::founded();
        for step in steps {
            let by = step.by;
            if !house.may_act(by) {
                continue;
            }
            let (own, own_reach, own_level) = (house.held(by), house.reach_of(by), house.level_of(by));
            let before: Vec<_> = (0..PEOPLE).map(|number| house.held(number)).collect();
            let reached: Vec<_> = (0..PEOPLE).map(|number| house.reach_of(number)).collect();
            let devices = house.device_states();
            let roles: Vec<_> = house.roles.keys().copied().collect();
            house.take(&step);
            for number in 0..PEOPLE {
                let now = house.held(number);
                let gained: Vec<_> = now.difference(&before[number]).cloned().collect();
                prop_assert!(gained.iter().all(|code| own.contains(code)), "{step:?} gave {gained:?}");
                let reach = house.reach_of(number);
                let within = own_reach.agents.covers(&reach.agents) && own_reach.areas.covers(&reach.areas);
                prop_assert!(reach == reached[number] || within, "{step:?} gave the reach {reach:?}");
                let administers = house.roles[&SUPER_ADMINISTRATOR].holders().contains(&operator_id(number));
                let kept = not_for(house.level_of(number), &now);
                prop_assert!(administers || kept.is_none(), "{step:?} let a tier hold {kept:?}");
                let (was, is) = (&devices[number], &house.device_states()[number]);
                let judged = matches!(step.act, Act::ConfirmDevice { .. } | Act::RemoveDevice { .. });
                let above = number != by && house.granted(number).difference(&own).next().is_some();
                prop_assert!(was == is || !judged || !above, "{step:?} judged a device over its owner's head");
            }
            prop_assert!(house.held(by) == own, "{step:?} changed the rights of who took it");
            prop_assert!(house.reach_of(by) == own_reach, "{step:?} changed the reach of who took it");
            prop_assert!(house.level_of(by).mask() == own_level.mask(), "{step:?} changed his own tiers");
            prop_assert!(house.administrators() >= 1, "{step:?} left no administrator");
            for id in roles {
                let role = &house.roles[&id];
                prop_assert!(role.is_present() || role.holders().is_empty(), "{step:?} deleted a role in use");
            }
        }
        prop_assert!(house.held(0).is_subset(&every_code()));
    }
}
