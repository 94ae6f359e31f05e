//! What no sequence of commands can bring about when agents and their templates take part: a right given by one
//! who lacks it, a right beyond the template, an agent's people let in while it may not work, a system without an
//! administrator. The models, the rules on templates and the capping of rights are the product's own; the streams, the
//! claims and the desk's look at territories are modelled as the log keeps them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use access::model::authority::{Authority, Granted, Held, People as Touched, Person};
use access::model::level::{Level, Tier};
use access::model::operator::{Operator, OperatorCommand, OperatorForm, owner_of};
use access::model::role::{Role, RoleCommand, RoleForm, SUPER_ADMINISTRATOR};
use access::permissions::{closed_upwards, every_code};
use access::read::roles::HeldRole;
use access::{AgentStanding, under_agent};
use kernel::{Aggregate, Claim};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use territory::model::agent::{self, Agent, AgentCommand, BillingWay, Profile, Registration, Terms};
use territory::model::agent_role::{self, AgentRole, AgentRoleCommand};
use vocabulary::{AgentId, AgentRoleId, OperatorId, PermissionCode, RoleId, Scope, Timestamp};
use wire::{CodeSet, Standing};

mod acts;

use acts::{Act, Step, named, reaches, steps};

type Codes = BTreeSet<PermissionCode>;

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
/// Over people, roles, agents and templates, and two pages of daily work.
const CODES: [&str; 6] = ["1002", "1101", "1102", "0301", "0401", "1001"];
const PEOPLE: usize = 7;
const ROLES: usize = 6;
/// Instead of one of [`CODES`]: every code that there is.
const ALL_CODES: usize = CODES.len();
const AGENTS: usize = 3;
const TEMPLATES: usize = 3;

static EVERY: LazyLock<Codes> = LazyLock::new(every_code);
static FOUNDED: LazyLock<Runtime> = LazyLock::new(Runtime::founded);

fn numbered(base: i64, number: usize) -> i64 {
    base + i64::try_from(number).unwrap()
}

fn role_id(number: usize) -> RoleId {
    RoleId(numbered(SUPER_ADMINISTRATOR.0, number))
}

fn operator_id(number: usize) -> OperatorId {
    OperatorId(numbered(100, number))
}

fn agent_id(number: usize) -> AgentId {
    AgentId(numbered(2, number))
}

fn template_id(number: usize) -> AgentRoleId {
    AgentRoleId(numbered(50, number))
}

fn chosen(numbers: &[usize]) -> Codes {
    if numbers.contains(&ALL_CODES) {
        return EVERY.clone();
    }
    numbers.iter().map(|number| PermissionCode::try_from(CODES[*number].to_owned()).unwrap()).collect()
}

/// Roles, people, agents, templates and claims as the log keeps them. Role 0 is the system role; person 0 its
/// first holder.
#[derive(Clone, Default)]
struct Runtime {
    roles: BTreeMap<RoleId, Role>,
    operators: BTreeMap<OperatorId, Operator>,
    agents: BTreeMap<AgentId, Agent>,
    templates: BTreeMap<AgentRoleId, AgentRole>,
    claims: BTreeMap<String, String>,
}

/// What everybody may do now, and could do if he and his agent were enabled.
struct People {
    effective: Vec<Codes>,
    promised: Vec<Codes>,
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
                Claim::Take { key, .. } if held.get(&key).is_some_and(|owner| *owner != stream) => {
                    return false;
                }
                Claim::Take { key, .. } => {
                    held.insert(key, stream.clone());
                }
                Claim::Release { key } if held.get(&key) == Some(&stream) => {
                    held.remove(&key);
                }
                Claim::Release { .. } => {}
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
    /// The administrator, an agent without limits and one with a template, people of both and two of the platform
    /// who have all but one of the rights that count here, and all.
    fn founded() -> Self {
        let mut runtime = Self::default();
        let by = Authority::of_runtime;
        assert!(runtime.role(0, &Scope::ALL, RoleCommand::Found { name: "超级管理员".into() }));
        let register = Self::registration(0, Self::form(0), by());
        assert!(runtime.operator(0, &Scope::ALL, register));
        let grant = RoleCommand::Grant { to: runtime.person(0), by: by() };
        assert!(runtime.role(0, &Scope::ALL, grant));
        let first = [
            Act::CreateTemplate { template: 0, codes: vec![0, 3] },
            Act::CreateTemplate { template: 1, codes: vec![0, 1, 2, 3, 5] },
            Act::OpenAgent { agent: 0, template: Some(0), enabled: true },
            Act::OpenAgent { agent: 1, template: None, enabled: true },
            Act::CreateRole { role: 1, codes: vec![0, 1, 2, 3, 4], of: None },
            Act::CreateRole { role: 2, codes: vec![0, 1, 2, 3, 5], of: None },
            Act::Register { who: 1, reach: 1 },
            Act::Register { who: 2, reach: 2 },
            Act::Register { who: 3, reach: 0 },
            Act::Grant { role: 1, to: 1 },
            Act::Grant { role: 1, to: 2 },
            Act::Grant { role: 2, to: 3 },
            Act::CreateRole { role: 3, codes: vec![ALL_CODES], of: None },
            Act::Register { who: 4, reach: 0 },
            Act::Grant { role: 3, to: 4 },
        ];
        for act in first {
            assert!(runtime.take(&Step { by: 0, act }));
        }
        runtime
    }

    fn registration(number: usize, form: OperatorForm, by: Authority) -> OperatorCommand {
        let phone = format!("1380000000{number}").parse().unwrap();
        OperatorCommand::Register { operator: operator_id(number), phone, form, enabled: true, by }
    }

    fn form(reach: usize) -> OperatorForm {
        let reach = reaches()[reach].clone();
        OperatorForm { name: "王芳".into(), level: Level::ALL, profession: None, reach }
    }

    fn profile(agent: usize, template: Option<usize>) -> Profile {
        Profile {
            company: format!("代理{agent}"),
            contact_name: "陈明".into(),
            phone: format!("1390000000{agent}").parse().unwrap(),
            billing_way: BillingWay::PlatformCashier,
            terms: Terms { role: template.map(template_id), ..Terms::default() },
        }
    }

    fn role(&mut self, number: usize, scope: &Scope, command: RoleCommand) -> bool {
        append(&mut self.roles, &mut self.claims, &role_id(number), scope, command)
    }

    fn operator(&mut self, number: usize, scope: &Scope, command: OperatorCommand) -> bool {
        append(&mut self.operators, &mut self.claims, &operator_id(number), scope, command)
    }

    fn agent(&mut self, number: usize, scope: &Scope, command: AgentCommand) -> bool {
        append(&mut self.agents, &mut self.claims, &agent_id(number), scope, command)
    }

    fn template(&mut self, number: usize, scope: &Scope, command: AgentRoleCommand) -> bool {
        append(&mut self.templates, &mut self.claims, &template_id(number), scope, command)
    }

    /// As the read model of roles tells which an operator holds.
    fn roles_of(&self, number: usize) -> impl Iterator<Item = HeldRole> {
        let operator = operator_id(number);
        let held = self.roles.iter().filter(move |(_, role)| role.holders().contains(&operator));
        held.map(|(id, role)| HeldRole {
            id: *id,
            name: String::new(),
            enabled: role.is_enabled(),
            view: vocabulary::CarView::default(),
            codes: role.codes().into_iter().map(String::from).collect(),
            system: *id == SUPER_ADMINISTRATOR,
            position: 1,
        })
    }

    /// What he was given, whatever his agent keeps from him.
    fn granted(&self, number: usize) -> Codes {
        let roles: Vec<HeldRole> = self.roles_of(number).collect();
        closed_upwards(roles.iter().flat_map(|role| role.working_codes(Level::ALL)))
    }

    fn reach_of(&self, number: usize) -> Scope {
        self.operators.get(&operator_id(number)).and_then(Operator::reach).cloned().unwrap_or(Scope::NONE)
    }

    fn person(&self, number: usize) -> Person {
        let operator = operator_id(number);
        let system = &self.roles[&SUPER_ADMINISTRATOR];
        let administers = system.holders().contains(&operator);
        let granted = Granted { codes: self.granted(number), administers, cars: vocabulary::Cars::All };
        Person { operator, granted, reach: self.reach_of(number), level: Level::ALL }
    }

    fn holders(&self, role: usize) -> Touched {
        let known = self.roles.get(&role_id(role)).map(|role| role.holders().clone()).unwrap_or_default();
        let holders = (0..PEOPLE).filter(|number| known.contains(&operator_id(*number)));
        holders.fold(Touched::NOBODY, |people, number| {
            people.and(operator_id(number), &self.reach_of(number), Level::ALL)
        })
    }

    /// The agent whose person he is.
    fn employer(&self, number: usize) -> Option<AgentId> {
        owner_of(&self.reach_of(number)).agent
    }

    fn template_of(&self, agent: AgentId) -> Option<AgentRoleId> {
        self.agents.get(&agent)?.known()?.profile.terms.role
    }

    fn agent_standing(&self, agent: AgentId) -> Option<AgentStanding> {
        let known = self.agents.get(&agent).filter(|agent| agent.known().is_some())?;
        let limit = |id: AgentRoleId| self.templates.get(&id).map(AgentRole::codes).unwrap_or_default();
        let codes = self.template_of(agent).map(|id| limit(id).into_iter().collect());
        Some(AgentStanding { enabled: known.is_enabled(), codes, position: 1 })
    }

    /// As the directory tells it on every request.
    fn standing(&self, number: usize) -> Option<Standing> {
        let account = self.operators.get(&operator_id(number)).filter(|account| account.is_present())?;
        let (level, roles) = (account.level()?, self.roles_of(number).collect::<Vec<_>>());
        let codes = closed_upwards(roles.iter().flat_map(|role| role.working_codes(level)));
        let standing = Standing {
            enabled: account.is_enabled(),
            scope: account.reach()?.clone(),
            codes: Arc::new(codes.into_iter().collect::<CodeSet>()),
            permission_version: 1,
            name: "王芳".into(),
            phone: account.phone()?.clone(),
        };
        Some(match self.employer(number) {
            None => standing,
            Some(agent) => under_agent(standing, self.agent_standing(agent)),
        })
    }

    /// What he may do now: nothing when he is not let in.
    fn effective(&self, number: usize) -> Codes {
        let standing = self.standing(number).filter(|standing| standing.enabled);
        standing.map(|standing| standing.codes.iter().cloned().collect()).unwrap_or_default()
    }

    /// What he could do if he and his agent were enabled.
    fn promised(&self, number: usize) -> Codes {
        let granted = self.granted(number);
        let Some(agent) = self.employer(number) else { return granted };
        let gone = self.agents.get(&agent).is_some_and(|agent| agent.known().is_none());
        match self.template_of(agent) {
            _ if gone => Codes::new(),
            None => granted,
            Some(id) => {
                let limit = closed_upwards(self.templates[&id].codes());
                granted.intersection(&limit).cloned().collect()
            }
        }
    }

    fn enabled(&self, number: usize) -> bool {
        self.operators.get(&operator_id(number)).is_some_and(Operator::is_enabled)
    }

    fn people(&self) -> People {
        People {
            effective: (0..PEOPLE).map(|number| self.effective(number)).collect(),
            promised: (0..PEOPLE).map(|number| self.promised(number)).collect(),
        }
    }

    /// All that is gone for good.
    fn buried(&self) -> BTreeSet<String> {
        let roles = self.roles.iter().filter(|(_, role)| !role.is_present()).map(|(id, _)| format!("r{id}"));
        let people =
            self.operators.iter().filter(|(_, one)| !one.is_present()).map(|(id, _)| format!("o{id}"));
        let agents =
            self.agents.iter().filter(|(_, one)| one.known().is_none()).map(|(id, _)| format!("a{id}"));
        let templates = self.templates.iter().filter(|(_, one)| !one.is_present());
        roles.chain(people).chain(agents).chain(templates.map(|(id, _)| format!("t{id}"))).collect()
    }

    /// Does it as the calls do, for one who is let in; whether anything came of it.
    fn take(&mut self, step: &Step) -> bool {
        let Some(standing) = self.standing(step.by).filter(|standing| standing.enabled) else { return false };
        let (held, scope) = (standing.codes.iter().cloned().collect::<Codes>(), standing.scope);
        let by = Authority {
            operator: Some(operator_id(step.by)),
            codes: Held::Codes(held.clone()),
            scope: scope.clone(),
            level: Level::ALL,
        };
        let form = |role: usize, codes: &[usize]| RoleForm {
            name: format!("角色{role}"),
            tier: Tier::Administration,
            remark: String::new(),
            codes: chosen(codes),
            view: None,
        };
        match &step.act {
            Act::CreateRole { role, codes, of } => {
                let (agent, form) = (of.map(agent_id), form(*role, codes));
                self.role(*role, &scope, RoleCommand::Create { agent, form, enabled: true, by })
            }
            Act::ChangeRole { role, codes } => {
                let revision = self.roles.get(&role_id(*role)).map_or(0, Role::revision);
                let (form, holders) = (form(*role, codes), self.holders(*role));
                self.role(*role, &scope, RoleCommand::Change { form, revision, holders, by })
            }
            Act::SwitchRole { role, enabled } => {
                let holders = self.holders(*role);
                let command = if *enabled {
                    RoleCommand::Enable { holders, by }
                } else {
                    RoleCommand::Disable { holders, by }
                };
                self.role(*role, &scope, command)
            }
            Act::DeleteRole { role } => self.role(*role, &scope, RoleCommand::Delete { revision: None, by }),
            Act::Grant { role, to } => {
                // The call finds the person by phone first.
                let known = self.operators.get(&operator_id(*to)).is_some_and(Operator::is_present);
                known && self.role(*role, &scope, RoleCommand::Grant { to: self.person(*to), by })
            }
            Act::Withdraw { role, from } => {
                self.role(*role, &scope, RoleCommand::Withdraw { from: self.person(*from), by })
            }
            Act::Register { who, reach } => {
                self.operator(*who, &scope, Self::registration(*who, Self::form(*reach), by))
            }
            Act::Change { who, reach } => {
                let (target, form) = (self.person(*who).granted, Self::form(*reach));
                let revision = self.operators.get(&operator_id(*who)).map_or(0, Operator::revision);
                self.operator(*who, &scope, OperatorCommand::Change { form, revision, target, by })
            }
            Act::Switch { who, enabled: true } => {
                let target = self.person(*who).granted;
                self.operator(*who, &scope, OperatorCommand::Enable { target, by })
            }
            Act::Switch { who, enabled: false } => {
                let target = self.person(*who).granted;
                self.operator(*who, &scope, OperatorCommand::Disable { target, by })
            }
            Act::Delete { who } => {
                let target = self.person(*who).granted;
                self.operator(*who, &scope, OperatorCommand::Delete { target, by })
            }
            act => self.take_of_agent(act, &scope, held),
        }
    }

    fn take_of_agent(&mut self, act: &Act, scope: &Scope, held: Codes) -> bool {
        match act {
            Act::OpenAgent { agent: number, template, enabled } => {
                let profile = Self::profile(*number, *template);
                let account = Registration::of_platform(agent_id(*number), profile);
                let open = AgentCommand::Open { account, parent: None, enabled: *enabled };
                agent::may_open(scope).is_ok()
                    && self.may_limit(None, template.map(template_id), &held)
                    && self.agent(*number, scope, open)
            }
            Act::LimitAgent { agent: number, template } => {
                let now = self.template_of(agent_id(*number));
                Self::may_act_on(scope, *number)
                    && self.may_limit(now, template.map(template_id), &held)
                    && self.agent(*number, scope, AgentCommand::Change(Self::profile(*number, *template)))
            }
            Act::SwitchAgent { agent: number, enabled } => {
                let command = if *enabled { AgentCommand::Enable } else { AgentCommand::Disable };
                Self::may_act_on(scope, *number) && self.agent(*number, scope, command)
            }
            Act::DeleteAgent { agent: number } => {
                let command = AgentCommand::Delete { children: 0, areas: 0 };
                Self::may_act_on(scope, *number) && self.agent(*number, scope, command)
            }
            act => agent_role::may_keep(scope).is_ok() && self.take_of_template(act, scope, held),
        }
    }

    /// As the calls ask before they act on an agent.
    fn may_act_on(scope: &Scope, number: usize) -> bool {
        agent::not_own(scope, agent_id(number)).is_ok() && agent::as_a_whole(scope).is_ok()
    }

    fn may_limit(&self, now: Option<AgentRoleId>, new: Option<AgentRoleId>, held: &Codes) -> bool {
        let stored =
            |id: Option<AgentRoleId>| id.map(|id| self.templates.get(&id).cloned().unwrap_or_default());
        let (old, wanted) = (stored(now), stored(new));
        now == new || agent_role::may_replace(old.as_ref(), wanted.as_ref(), held, &EVERY).is_ok()
    }

    fn take_of_template(&mut self, act: &Act, scope: &Scope, held: Codes) -> bool {
        let form = |template: usize, codes: &[usize]| agent_role::Form {
            name: format!("模板{template}"),
            remark: String::new(),
            codes: chosen(codes),
        };
        match act {
            Act::CreateTemplate { template, codes } => {
                let (id, form) = (template_id(*template), form(*template, codes));
                self.template(*template, scope, AgentRoleCommand::Create(id, form, held))
            }
            Act::ChangeTemplate { template, codes } => {
                let form = form(*template, codes);
                self.template(*template, scope, AgentRoleCommand::Change(form, held))
            }
            Act::DeleteTemplate { template } => {
                let using = |id: &&AgentId| self.template_of(**id) == Some(template_id(*template));
                let agents = i64::try_from(self.agents.keys().filter(using).count()).unwrap();
                self.template(*template, scope, AgentRoleCommand::Delete { agents, held })
            }
            _ => unreachable!("the others are taken above"),
        }
    }
}

/// What must hold of every person, whatever was done before.
fn lawful(runtime: &Runtime, people: &People) -> Result<(), TestCaseError> {
    for (number, effective) in people.effective.iter().enumerate() {
        let within = effective.is_subset(&people.promised[number]);
        prop_assert!(within, "{number} has more than his roles give and his template permits");
        let Some(employer) = runtime.employer(number) else { continue };
        let works = runtime.agents.get(&employer).is_some_and(Agent::is_enabled);
        prop_assert!(works || effective.is_empty(), "{number} works for one who may not");
        let template = runtime.template_of(employer).map(|id| &runtime.templates[&id]);
        prop_assert!(template.is_none_or(AgentRole::is_present), "a template in use was deleted");
    }
    let holders = runtime.roles[&SUPER_ADMINISTRATOR].holders();
    let fit = |number: usize| holders.contains(&operator_id(number)) && people.effective[number] == *EVERY;
    prop_assert!((0..PEOPLE).any(fit), "nobody administers the system");
    Ok(())
}

/// What `step`, which succeeded, may have brought about.
fn rightful(
    (before, were): (&Runtime, &People),
    (after, are): (&Runtime, &People),
    step: &Step,
) -> Result<(), TestCaseError> {
    let own = &were.effective[step.by];
    let handed: Codes = match &step.act {
        Act::CreateRole { codes, .. }
        | Act::ChangeRole { codes, .. }
        | Act::CreateTemplate { codes, .. }
        | Act::ChangeTemplate { codes, .. } => chosen(codes),
        Act::Grant { role, .. } => before.roles[&role_id(*role)].codes(),
        Act::OpenAgent { template: Some(template), .. }
        | Act::LimitAgent { template: Some(template), .. } => {
            before.templates[&template_id(*template)].codes()
        }
        Act::LimitAgent { template: None, .. } => EVERY.clone(),
        _ => Codes::new(),
    };
    let same = matches!(&step.act, Act::LimitAgent { agent, .. }
        if before.template_of(agent_id(*agent)) == after.template_of(agent_id(*agent)));
    prop_assert!(same || handed.is_subset(own), "{step:?} handed on what he lacks");
    let lets_work = matches!(&step.act, Act::SwitchAgent { enabled: true, .. } | Act::OpenAgent { .. });
    for number in 0..PEOPLE {
        let mut gained = are.promised[number].difference(&were.promised[number]);
        prop_assert!(gained.all(|code| own.contains(code)), "{step:?} promised what he lacks");
        let mut gained = are.effective[number].difference(&were.effective[number]);
        prop_assert!(lets_work || gained.all(|code| own.contains(code)), "{step:?} gave what he lacks");
    }
    let reach = before.reach_of(step.by);
    let authority = Authority {
        operator: Some(operator_id(step.by)),
        codes: Held::Codes(own.clone()),
        scope: reach.clone(),
        level: Level::ALL,
    };
    // An agent is opened, switched and limited as a whole: for all of its people, by who reaches all of it.
    let of_agent = matches!(
        &step.act,
        Act::OpenAgent { .. }
            | Act::LimitAgent { .. }
            | Act::SwitchAgent { .. }
            | Act::DeleteAgent { .. }
            | Act::ChangeTemplate { .. }
    );
    for number in (0..PEOPLE).filter(|number| *number != step.by) {
        let given = after.reach_of(number);
        let same = before.reach_of(number) == given;
        prop_assert!(same || reach.covers(&given), "{step:?} gave a reach that is not his");
        let were_he = before.person(number);
        let touched = !same
            || were.effective[number] != are.effective[number]
            || were.promised[number] != are.promised[number]
            || before.enabled(number) != after.enabled(number);
        let known = before.operators.contains_key(&operator_id(number));
        let beyond =
            if of_agent { !reach.covers(&were_he.reach) } else { authority.may_act_on(&were_he).is_err() };
        let of_role = matches!(&step.act, Act::ChangeRole { .. } | Act::SwitchRole { .. });
        let beyond = if of_role { !reach.covers(&were_he.reach) } else { beyond };
        prop_assert!(!known || !touched || !beyond, "{step:?} acted on {number}, who has more");
    }
    prop_assert!(are.effective[step.by] == *own, "{step:?} changed his own rights");
    prop_assert!(after.reach_of(step.by) == before.reach_of(step.by), "{step:?} changed his own reach");
    prop_assert!(before.buried().is_subset(&after.buried()), "{step:?} raised the dead");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(120) })]

    #[test]
    fn perm_018_no_sequence_of_commands_on_agents_and_templates_gives_what_the_giver_lacks(
        steps in steps(),
    ) {
        let mut runtime = FOUNDED.clone();
        let mut people = runtime.people();
        lawful(&runtime, &people)?;
        for step in &steps {
            let before = runtime.clone();
            if runtime.take(step) {
                let are = runtime.people();
                rightful((&before, &people), (&runtime, &are), step)?;
                lawful(&runtime, &are)?;
                people = are;
            }
        }
    }
}

/// A property of steps that are all refused would say nothing: each kind of act succeeds, most for others than the
/// first administrator too.
#[test]
fn the_sequences_try_every_command_with_success() {
    let (mut runner, mut by_others) = (TestRunner::deterministic(), BTreeSet::new());
    let mut done = BTreeMap::<String, usize>::new();
    for _ in 0..150 {
        let steps = steps().new_tree(&mut runner).unwrap().current();
        let mut runtime = FOUNDED.clone();
        for step in &steps {
            if runtime.take(step) {
                *done.entry(named(&step.act)).or_default() += 1;
                by_others.extend((step.by != 0).then(|| named(&step.act)));
            }
        }
    }
    assert!(done.len() == 17 && done.values().all(|times| *times >= 3), "{done:?}");
    assert_eq!(by_others.len(), 17, "{by_others:?}");
}
