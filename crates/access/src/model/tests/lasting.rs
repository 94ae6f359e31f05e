//! What no sequence of commands can bring about, whoever gives them: a right given by one who lacks it, or a house
//! without an administrator. The streams and the claims are modelled as the log keeps them: an append is refused
//! when its claim is held by another stream.

use std::collections::{BTreeMap, BTreeSet};

use kernel::{Aggregate, Claim};
use proptest::prelude::*;
use vocabulary::{AgentId, OperatorId, PermissionCode, Reach, RoleId, Scope};

use super::{NOW, codes};
use crate::model::authority::{Authority, Held};
use crate::model::level::{Level, Tier};
use crate::model::operator::{Operator, OperatorCommand, OperatorForm};
use crate::model::role::{Role, RoleCommand, RoleForm, SUPER_ADMINISTRATOR};
use crate::permissions::{closed_upwards, every_code};

const CODES: [&str; 6] = ["1001", "1002", "0401", "1601", "1701", "0301"];

#[derive(Clone, Debug)]
enum Step {
    CreateRole { by: usize, role: usize, codes: Vec<usize> },
    ChangeRole { by: usize, role: usize, codes: Vec<usize> },
    Enabled { by: usize, role: usize, enabled: bool },
    DeleteRole { by: usize, role: usize },
    Grant { by: usize, role: usize, to: usize },
    Withdraw { by: usize, role: usize, from: usize },
    Register { by: usize, who: usize, limited: bool },
    Limit { by: usize, who: usize, limited: bool },
    State { by: usize, who: usize, enabled: bool },
    DeleteOperator { by: usize, who: usize },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let one = 0..5_usize;
    let many = proptest::collection::vec(0..CODES.len(), 0..4);
    let step = prop_oneof![
        1 => (one.clone(), 0..4_usize, many.clone())
            .prop_map(|(by, role, codes)| Step::CreateRole { by, role, codes }),
        1 => (one.clone(), 0..4_usize, many).prop_map(|(by, role, codes)| Step::ChangeRole { by, role, codes }),
        1 => (one.clone(), 0..4_usize, any::<bool>())
            .prop_map(|(by, role, enabled)| Step::Enabled { by, role, enabled }),
        1 => (one.clone(), 0..4_usize).prop_map(|(by, role)| Step::DeleteRole { by, role }),
        4 => (one.clone(), 0..4_usize, one.clone()).prop_map(|(by, role, to)| Step::Grant { by, role, to }),
        2 => (one.clone(), 0..4_usize, one.clone())
            .prop_map(|(by, role, from)| Step::Withdraw { by, role, from }),
        3 => (one.clone(), one.clone(), any::<bool>())
            .prop_map(|(by, who, limited)| Step::Register { by, who, limited }),
        1 => (one.clone(), one.clone(), any::<bool>())
            .prop_map(|(by, who, limited)| Step::Limit { by, who, limited }),
        2 => (one.clone(), one.clone(), any::<bool>())
            .prop_map(|(by, who, enabled)| Step::State { by, who, enabled }),
        1 => (one.clone(), one).prop_map(|(by, who)| Step::DeleteOperator { by, who }),
    ];
    proptest::collection::vec(step, 0..60)
}

/// Roles, operators and claims as the log keeps them. Role 0 is the system role; operator 0 its first holder.
#[derive(Default)]
struct House {
    roles: BTreeMap<RoleId, Role>,
    operators: BTreeMap<OperatorId, Operator>,
    claims: BTreeMap<String, String>,
}

fn role_id(number: usize) -> RoleId {
    RoleId(SUPER_ADMINISTRATOR.0 + i64::try_from(number).unwrap())
}

fn operator_id(number: usize) -> OperatorId {
    OperatorId(100 + i64::try_from(number).unwrap())
}

/// Decides and appends; whether anything was appended.
fn append<A: Aggregate>(
    streams: &mut BTreeMap<A::Id, A>,
    claims: &mut BTreeMap<String, String>,
    id: &A::Id,
    command: A::Command,
) -> bool
where
    A::Id: Ord,
{
    let stream = format!("{}-{id}", A::CATEGORY);
    let mut state = streams.get(id).cloned().unwrap_or_default();
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
    *claims = held;
    streams.insert(id.clone(), state);
    !events.is_empty()
}

impl House {
    fn founded() -> Self {
        let mut house = Self::default();
        let admin = operator_id(0);
        assert!(house.role(0, RoleCommand::Found { name: "超级管理员".into() }));
        assert!(house.operator(0, House::registration(0, false, Authority::of_house())));
        assert!(house.role(0, RoleCommand::Grant { operator: admin, by: Authority::of_house() }));
        house
    }

    fn registration(number: usize, limited: bool, by: Authority) -> OperatorCommand {
        OperatorCommand::Register {
            operator: operator_id(number),
            phone: format!("1380000000{number}").parse().unwrap(),
            form: Self::form(limited),
            enabled: true,
            by,
        }
    }

    fn form(limited: bool) -> OperatorForm {
        let reach =
            if limited { Scope { agents: Reach::only([AgentId(2)]), areas: Reach::All } } else { Scope::ALL };
        OperatorForm { name: "王芳".into(), level: Level::ALL, reach }
    }

    fn role(&mut self, number: usize, command: RoleCommand) -> bool {
        append(&mut self.roles, &mut self.claims, &role_id(number), command)
    }

    fn operator(&mut self, number: usize, command: OperatorCommand) -> bool {
        append(&mut self.operators, &mut self.claims, &operator_id(number), command)
    }

    fn held(&self, number: usize) -> BTreeSet<PermissionCode> {
        let operator = operator_id(number);
        let roles =
            self.roles.values().filter(|role| role.is_enabled() && role.holders().contains(&operator));
        closed_upwards(roles.flat_map(Role::codes))
    }

    fn may_act(&self, number: usize) -> bool {
        self.operators.get(&operator_id(number)).is_some_and(Operator::is_enabled)
    }

    fn by(&self, number: usize) -> Authority {
        Authority {
            operator: Some(operator_id(number)),
            codes: Held::Codes(self.held(number)),
            scope: Scope::ALL,
        }
    }

    fn administrators(&self) -> usize {
        let system = &self.roles[&SUPER_ADMINISTRATOR];
        let fit = |operator: &&OperatorId| self.operators.get(operator).is_some_and(Operator::may_administer);
        system.holders().iter().filter(fit).count()
    }

    /// Takes the step; who took it, when he could act at all.
    fn take(&mut self, step: Step) {
        let chosen = |numbers: Vec<usize>| {
            let texts: Vec<_> = numbers.into_iter().map(|number| CODES[number]).collect();
            codes(&texts)
        };
        let form = |role: usize, codes| RoleForm {
            name: format!("角色{role}"),
            tier: Tier::Administration,
            remark: String::new(),
            codes,
        };
        match step {
            Step::CreateRole { by, role, codes } => {
                let by = self.by(by);
                let form = form(role, chosen(codes));
                self.role(role, RoleCommand::Create { agent: None, form, enabled: true, by });
            }
            Step::ChangeRole { by, role, codes } => {
                let by = self.by(by);
                let revision = self.roles.get(&role_id(role)).map_or(0, Role::revision);
                self.role(role, RoleCommand::Change { form: form(role, chosen(codes)), revision, by });
            }
            Step::Enabled { by, role, enabled } => {
                let by = self.by(by);
                let command = if enabled { RoleCommand::Enable { by } } else { RoleCommand::Disable { by } };
                self.role(role, command);
            }
            Step::DeleteRole { by, role } => {
                let by = self.by(by);
                self.role(role, RoleCommand::Delete { revision: None, by });
            }
            Step::Grant { by, role, to } => {
                let by = self.by(by);
                self.role(role, RoleCommand::Grant { operator: operator_id(to), by });
            }
            Step::Withdraw { by, role, from } => {
                let by = self.by(by);
                self.role(role, RoleCommand::Withdraw { operator: operator_id(from), by });
            }
            Step::Register { by, who, limited } => {
                let by = self.by(by);
                self.operator(who, Self::registration(who, limited, by));
            }
            Step::Limit { by, who, limited } => {
                let (by, target) = (self.by(by), self.held(who));
                let revision = self.operators.get(&operator_id(who)).map_or(0, Operator::revision);
                let form = Self::form(limited);
                self.operator(who, OperatorCommand::Change { form, revision, target, by });
            }
            Step::State { by, who, enabled } => {
                let (by, target) = (self.by(by), self.held(who));
                let command = if enabled {
                    OperatorCommand::Enable { target, by }
                } else {
                    OperatorCommand::Disable { target, by }
                };
                self.operator(who, command);
            }
            Step::DeleteOperator { by, who } => {
                let (by, target) = (self.by(by), self.held(who));
                self.operator(who, OperatorCommand::Delete { target, by });
            }
        }
    }
}

impl Step {
    fn by(&self) -> usize {
        match self {
            Self::CreateRole { by, .. }
            | Self::ChangeRole { by, .. }
            | Self::Enabled { by, .. }
            | Self::DeleteRole { by, .. }
            | Self::Grant { by, .. }
            | Self::Withdraw { by, .. }
            | Self::Register { by, .. }
            | Self::Limit { by, .. }
            | Self::State { by, .. }
            | Self::DeleteOperator { by, .. } => *by,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn perm_018_no_sequence_of_commands_grants_what_the_granter_lacks_or_loses_the_last_administrator(
        steps in steps(),
    ) {
        let mut house = House::founded();
        for step in steps {
            let by = step.by();
            if !house.may_act(by) {
                continue;
            }
            let own = house.held(by);
            let before: Vec<_> = (0..5).map(|number| house.held(number)).collect();
            let enabled: Vec<_> = house.roles.iter().map(|(id, role)| (*id, role.is_enabled())).collect();
            house.take(step.clone());
            for (number, before) in before.iter().enumerate() {
                let gained: Vec<_> = house.held(number).difference(before).cloned().collect();
                prop_assert!(gained.iter().all(|code| own.contains(code)), "{step:?} gave {gained:?}");
            }
            prop_assert!(house.held(by) == own, "{step:?} changed the rights of who took it");
            prop_assert!(house.administrators() >= 1, "{step:?} left no administrator");
            for (id, _) in enabled {
                let role = &house.roles[&id];
                prop_assert!(role.is_present() || role.holders().is_empty(), "{step:?} deleted a role in use");
            }
        }
        prop_assert_eq!(house.held(0).is_subset(&every_code()), true);
    }
}
