//! What no sequence of commands can bring about, whoever gives them: a right given by one who lacks it, a reach or a
//! level beyond that of whoever gave it, an act on somebody who has more, a command or a row that somebody gets
//! through another person and not by himself, or a system without an administrator. The streams, the claims and the
//! desk's look at territories are modelled as the log keeps them; the sessions that links open, as the use cases do.

use std::collections::{BTreeMap, BTreeSet};

use kernel::{Aggregate, Claim};
use proptest::prelude::*;
use vocabulary::{
    AgentId, AreaId, DataOwner, OperatorDeviceId, OperatorId, PermissionCode, Reach, RoleId, Scope,
};

use super::{NOW, codes, level};
use crate::model::authority::{Authority, Granted, Held, People, Person};
use crate::model::device::{Device, DeviceCommand, DeviceState, OperatorDevices};
use crate::model::level::{Level, Tier};
use crate::model::operator::{Operator, OperatorCommand, OperatorForm, owner_of};
use crate::model::role::{Role, RoleCommand, RoleForm, SUPER_ADMINISTRATOR};
use crate::permissions::{closed_upwards, every_code, not_for};

const CODES: [&str; 6] = ["1001", "1002", "0401", "1101", "1701", "0301"];
const PEOPLE: usize = 5;
const DEVICES: usize = 3;
const LEVELS: [i64; 5] = [15, 4, 2, 12, 1];

/// What somebody tries: `by` whom, as himself or on a session that a link opened to him, to what.
#[derive(Clone, Debug)]
struct Step {
    by: usize,
    through: Option<usize>,
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
    FollowLink { to: usize },
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
        1 => (one.clone(), device).prop_map(|(of, device)| Act::RemoveDevice { of, device }),
        4 => one.prop_map(|to| Act::FollowLink { to }),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    // Whoever stands from the start acts most, or most steps would be nobody's.
    let by = prop_oneof![2 => Just(0), 3 => 0..PEOPLE];
    let through = proptest::option::weighted(0.4, 0..PEOPLE);
    proptest::collection::vec(
        (by, through, acts()).prop_map(|(by, through, act)| Step { by, through, act }),
        0..70,
    )
}

/// Everything, one agent, one area of his, two of them, another agent, all agents in one area.
fn reaches() -> [Scope; 6] {
    let of = |agent| Reach::only([AgentId(agent)]);
    let areas = |areas: &[i64]| Reach::only(areas.iter().copied().map(AreaId));
    [
        Scope::ALL,
        Scope::of(of(2), Reach::All),
        Scope::of(of(2), areas(&[20])),
        Scope::of(of(2), areas(&[20, 21])),
        Scope::of(of(3), Reach::All),
        Scope::of(Reach::All, areas(&[20])),
    ]
}

/// Roles, operators, devices and claims as the log keeps them. Role 0 is the system role; operator 0 its first holder.
#[derive(Default)]
struct Runtime {
    roles: BTreeMap<RoleId, Role>,
    operators: BTreeMap<OperatorId, Operator>,
    devices: BTreeMap<OperatorId, OperatorDevices>,
    claims: BTreeMap<String, String>,
    /// Sessions that links opened: who has one, and whose it is.
    links: BTreeSet<(usize, usize)>,
}

/// All that somebody can do: with which commands, on which rows, of which level.
#[derive(Clone, Debug, PartialEq)]
struct Powers {
    codes: BTreeSet<PermissionCode>,
    reach: Scope,
    level: Level,
}

impl Powers {
    fn within(&self, other: &Self) -> bool {
        self.codes.is_subset(&other.codes)
            && other.reach.covers(&self.reach)
            && !self.level.is_above(other.level)
    }
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
    if known.as_ref().is_some_and(|state| !scope.contains(state.owner())) {
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
    if fresh && !scope.contains(state.owner()) {
        return false;
    }
    *claims = held;
    streams.insert(id.clone(), state);
    !events.is_empty()
}

impl Runtime {
    fn founded() -> Self {
        let mut runtime = Self::default();
        let by = Authority::of_runtime;
        let found = RoleCommand::Found { name: "超级管理员".into() };
        assert!(runtime.role(0, &Scope::ALL, found));
        let register = Self::registration(0, Self::form(0, 0), by());
        assert!(runtime.operator(0, &Scope::ALL, register));
        let grant = RoleCommand::Grant { to: runtime.person(0), by: by() };
        assert!(runtime.role(0, &Scope::ALL, grant));
        // Two of one agent who hold the same codes, one of them in one area alone; and a manager of 运营.
        let first = [
            Act::CreateRole { role: 1, codes: vec![0, 1, 2, 5], of_agent: true },
            Act::Register { who: 1, reach: 2, level: 2 },
            Act::Register { who: 2, reach: 1, level: 2 },
            Act::Grant { role: 1, to: 1 },
            Act::Grant { role: 1, to: 2 },
            Act::CreateRole { role: 2, codes: vec![0, 1, 2, 5], of_agent: false },
            Act::Register { who: 3, reach: 0, level: 2 },
            Act::Grant { role: 2, to: 3 },
        ];
        for act in first {
            runtime.take(&Step { by: 0, through: None, act });
        }
        runtime
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

    fn administers(&self, number: usize) -> bool {
        self.roles[&SUPER_ADMINISTRATOR].holders().contains(&operator_id(number))
    }

    fn powers(&self, number: usize) -> Powers {
        let level = if self.administers(number) { Level::ALL } else { self.level_of(number) };
        Powers { codes: self.held(number), reach: self.reach_of(number), level }
    }

    fn by(&self, number: usize) -> Authority {
        let Powers { codes, reach, level } = self.powers(number);
        Authority { operator: Some(operator_id(number)), codes: Held::Codes(codes), scope: reach, level }
    }

    fn person(&self, number: usize) -> Person {
        Person {
            operator: operator_id(number),
            granted: Granted {
                codes: self.granted(number),
                administers: self.administers(number),
                cars: vocabulary::Cars::All,
            },
            reach: self.reach_of(number),
            level: self.level_of(number),
        }
    }

    fn holders(&self, role: usize) -> People {
        let known = self.roles.get(&role_id(role)).map(|role| role.holders().clone()).unwrap_or_default();
        (0..PEOPLE)
            .filter(|number| known.contains(&operator_id(*number)))
            .fold(People::NOBODY, |people, number| {
                people.and(operator_id(number), &self.reach_of(number), self.level_of(number))
            })
    }

    /// Who acts in `step`, when he is somebody or has a session of him.
    fn acting(&self, step: &Step) -> Option<usize> {
        let who = step
            .through
            .map_or(Some(step.by), |other| (self.links.contains(&(step.by, other))).then_some(other))?;
        (self.may_act(step.by) && self.may_act(who)).then_some(who)
    }

    /// A session that a link opened ends when something changes for who has it or for whose it is.
    fn end_links(&mut self, before: &[Powers]) {
        let same: Vec<bool> =
            (0..PEOPLE).map(|number| self.may_act(number) && self.powers(number) == before[number]).collect();
        self.links.retain(|(who, whose)| same[*who] && same[*whose]);
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
        let Some(who) = self.acting(step) else { return };
        let by = self.by(who);
        let scope = by.scope.clone();
        let form = |role: usize, chosen: &[usize]| RoleForm {
            name: format!("角色{role}"),
            tier: Tier::Administration,
            remark: String::new(),
            codes: codes(&chosen.iter().map(|number| CODES[*number]).collect::<Vec<_>>()),
            view: None,
        };
        match &step.act {
            Act::CreateRole { role, codes, of_agent } => {
                let (agent, form) = (of_agent.then_some(AgentId(2)), form(*role, codes));
                self.role(*role, &scope, RoleCommand::Create { agent, form, enabled: true, by });
            }
            Act::ChangeRole { role, codes } => {
                let revision = self.roles.get(&role_id(*role)).map_or(0, Role::revision);
                let (form, holders) = (form(*role, codes), self.holders(*role));
                self.role(*role, &scope, RoleCommand::Change { form, revision, holders, by });
            }
            Act::SwitchRole { role, enabled } => {
                let holders = self.holders(*role);
                let command = if *enabled {
                    RoleCommand::Enable { holders, by }
                } else {
                    RoleCommand::Disable { holders, by }
                };
                self.role(*role, &scope, command);
            }
            Act::DeleteRole { role } => {
                self.role(*role, &scope, RoleCommand::Delete { revision: None, by });
            }
            Act::Grant { role, to } => {
                let to = self.person(*to);
                self.role(*role, &scope, RoleCommand::Grant { to, by });
            }
            Act::Withdraw { role, from } => {
                let from = self.person(*from);
                self.role(*role, &scope, RoleCommand::Withdraw { from, by });
            }
            Act::Register { who, reach, level } => {
                self.operator(*who, &scope, Self::registration(*who, Self::form(*reach, *level), by));
            }
            Act::Change { who, reach, level } => {
                let target = self.person(*who).granted;
                let revision = self.operators.get(&operator_id(*who)).map_or(0, Operator::revision);
                let form = Self::form(*reach, *level);
                self.operator(*who, &scope, OperatorCommand::Change { form, revision, target, by });
            }
            Act::Switch { who, enabled } => {
                let target = self.person(*who).granted;
                let command = if *enabled {
                    OperatorCommand::Enable { target, by }
                } else {
                    OperatorCommand::Disable { target, by }
                };
                self.operator(*who, &scope, command);
            }
            Act::Delete { who } => {
                let target = self.person(*who).granted;
                self.operator(*who, &scope, OperatorCommand::Delete { target, by });
            }
            Act::FollowLink { to } => {
                // The call finds the person within the scope first.
                let known = self.operators.get(&operator_id(*to)).filter(|one| one.is_enabled());
                let seen = known.is_some_and(|one| scope.contains(one.owner()));
                if seen && by.may_act_on(&self.person(*to)).is_ok() {
                    self.links.insert((step.by, *to));
                }
            }
            act => self.take_device(who, act, by),
        }
    }

    fn take_device(&mut self, who: usize, act: &Act, by: Authority) {
        match act {
            Act::AskForDevice { of, device: one } => {
                let owner = owner_of(&self.reach_of(*of));
                let (id, device) = (device_id(*one), device(*one));
                self.device(*of, DeviceCommand::Ask { id, device, owner });
            }
            Act::UseDevice { device: one } => {
                let (id, device, owner) = (device_id(*one), device(*one), DataOwner::PLATFORM);
                self.device(who, DeviceCommand::Use { id, device, automatic: 1, owner });
            }
            Act::ConfirmDevice { of, device } => {
                let owner = self.person(*of);
                self.device(*of, DeviceCommand::Confirm { id: device_id(*device), owner, by });
            }
            Act::RemoveDevice { of, device } => {
                let owner = self.person(*of);
                self.device(*of, DeviceCommand::Remove { id: device_id(*device), owner, by });
            }
            _ => unreachable!("the others are taken above"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn perm_018_no_sequence_of_commands_grants_what_the_granter_lacks_or_loses_the_last_administrator(
        steps in steps(),
    ) {
        let mut runtime = Runtime::founded();
        for step in steps {
            let by = step.by;
            if runtime.acting(&step).is_none() {
                continue;
            }
            // What counts is who sits there, not as whom he acts.
            let own = runtime.powers(by);
            let all = |runtime: &Runtime| (0..PEOPLE).map(|number| runtime.powers(number)).collect::<Vec<_>>();
            let before = all(&runtime);
            let stood: Vec<_> = (0..PEOPLE).map(|number| runtime.may_act(number)).collect();
            let devices = runtime.device_states();
            let roles: Vec<_> = runtime.roles.keys().copied().collect();
            let above: Vec<_> = (0..PEOPLE)
                .map(|number| number != by && runtime.by(by).may_act_on(&runtime.person(number)).is_err())
                .collect();
            runtime.take(&step);
            for number in 0..PEOPLE {
                let (was, now) = (&before[number], runtime.powers(number));
                let gained: Vec<_> = now.codes.difference(&was.codes).cloned().collect();
                prop_assert!(gained.iter().all(|code| own.codes.contains(code)), "{step:?} gave {gained:?}");
                let within = own.reach.covers(&now.reach);
                prop_assert!(now.reach == was.reach || within, "{step:?} gave the reach {:?}", now.reach);
                let level = now.level == was.level || !now.level.is_above(own.level);
                prop_assert!(level, "{step:?} made somebody of a higher level");
                let kept = not_for(runtime.level_of(number), &now.codes);
                let administers = runtime.administers(number);
                prop_assert!(administers || kept.is_none(), "{step:?} let a tier hold {kept:?}");
                let same = *was == now
                    && stood[number] == runtime.may_act(number)
                    && (devices[number] == runtime.device_states()[number]
                        || matches!(step.act, Act::AskForDevice { .. } | Act::UseDevice { .. }));
                let fresh = !was.reach.contains(DataOwner::PLATFORM) && was.reach == Scope::NONE;
                prop_assert!(same || fresh || !above[number], "{step:?} acted on {number}, who has more");
            }
            prop_assert!(runtime.powers(by) == own, "{step:?} changed what he himself may do");
            prop_assert!(runtime.administrators() >= 1, "{step:?} left no administrator");
            runtime.end_links(&before);
            for (who, whose) in &runtime.links {
                let through = runtime.powers(*whose).within(&runtime.powers(*who));
                prop_assert!(through, "{step:?} let {who} do through {whose} what he may not");
            }
            for id in roles {
                let role = &runtime.roles[&id];
                prop_assert!(role.is_present() || role.holders().is_empty(), "{step:?} deleted a role in use");
            }
        }
        prop_assert!(runtime.held(0).is_subset(&every_code()));
    }
}
