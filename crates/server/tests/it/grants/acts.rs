//! What people try.

use proptest::prelude::*;
use vocabulary::{AreaId, Reach, Scope};

use super::{AGENTS, ALL_CODES, CODES, PEOPLE, ROLES, TEMPLATES, agent_id};

/// What somebody tries: `by` whom, to what.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) by: usize,
    pub(super) act: Act,
}

#[derive(Clone, Debug)]
pub(super) enum Act {
    CreateRole { role: usize, codes: Vec<usize>, of: Option<usize> },
    ChangeRole { role: usize, codes: Vec<usize> },
    SwitchRole { role: usize, enabled: bool },
    DeleteRole { role: usize },
    Grant { role: usize, to: usize },
    Withdraw { role: usize, from: usize },
    Register { who: usize, reach: usize },
    Change { who: usize, reach: usize },
    Switch { who: usize, enabled: bool },
    Delete { who: usize },
    OpenAgent { agent: usize, template: Option<usize>, enabled: bool },
    LimitAgent { agent: usize, template: Option<usize> },
    SwitchAgent { agent: usize, enabled: bool },
    DeleteAgent { agent: usize },
    CreateTemplate { template: usize, codes: Vec<usize> },
    ChangeTemplate { template: usize, codes: Vec<usize> },
    DeleteTemplate { template: usize },
}

/// What it is called, to count those that succeed.
pub(super) fn named(act: &Act) -> String {
    format!("{act:?}").split_whitespace().next().unwrap_or_default().to_owned()
}

fn acts() -> impl Strategy<Value = Act> {
    let one = || 0..PEOPLE;
    let role = || 0..ROLES;
    let agent = || 0..AGENTS;
    let template = || 0..TEMPLATES;
    let limit = || proptest::option::weighted(0.7, 0..TEMPLATES);
    let few = || proptest::collection::vec(0..CODES.len(), 1..4);
    let many = || prop_oneof![15 => few(), 1 => Just(vec![ALL_CODES])];
    let form = || (one(), 0..reaches().len());
    let people = prop_oneof![
        2 => (role(), many(), proptest::option::of(agent()))
            .prop_map(|(role, codes, of)| Act::CreateRole { role, codes, of }),
        2 => (role(), many()).prop_map(|(role, codes)| Act::ChangeRole { role, codes }),
        3 => (role(), any::<bool>()).prop_map(|(role, enabled)| Act::SwitchRole { role, enabled }),
        4 => role().prop_map(|role| Act::DeleteRole { role }),
        6 => (role(), one()).prop_map(|(role, to)| Act::Grant { role, to }),
        4 => (role(), one()).prop_map(|(role, from)| Act::Withdraw { role, from }),
        // The last administrator's role is worth more tries.
        2 => Just(Act::Withdraw { role: 0, from: 0 }),
        4 => form().prop_map(|(who, reach)| Act::Register { who, reach }),
        3 => form().prop_map(|(who, reach)| Act::Change { who, reach }),
        2 => (one(), any::<bool>()).prop_map(|(who, enabled)| Act::Switch { who, enabled }),
        1 => one().prop_map(|who| Act::Delete { who }),
    ];
    let agents = prop_oneof![
        3 => (agent(), limit(), any::<bool>())
            .prop_map(|(agent, template, enabled)| Act::OpenAgent { agent, template, enabled }),
        6 => (agent(), limit()).prop_map(|(agent, template)| Act::LimitAgent { agent, template }),
        3 => (agent(), any::<bool>()).prop_map(|(agent, enabled)| Act::SwitchAgent { agent, enabled }),
        1 => agent().prop_map(|agent| Act::DeleteAgent { agent }),
        3 => (template(), many()).prop_map(|(template, codes)| Act::CreateTemplate { template, codes }),
        5 => (template(), many()).prop_map(|(template, codes)| Act::ChangeTemplate { template, codes }),
        1 => template().prop_map(|template| Act::DeleteTemplate { template }),
    ];
    prop_oneof![people, agents]
}

pub(super) fn steps() -> impl Strategy<Value = Vec<Step>> {
    // The platform's own people act most, or most steps would be refused.
    let by = prop_oneof![3 => Just(0), 3 => Just(3), 3 => 0..PEOPLE];
    proptest::collection::vec((by, acts()).prop_map(|(by, act)| Step { by, act }), 0..80)
}

/// Everything, one agent each, two of them, areas of the first, an area of two.
pub(super) fn reaches() -> [Scope; 8] {
    let of =
        |agents: &[usize]| Scope::of(Reach::only(agents.iter().map(|number| agent_id(*number))), Reach::All);
    let narrow = |agents: &[usize], areas: &[i64]| Scope {
        areas: Reach::only(areas.iter().copied().map(AreaId)),
        ..of(agents)
    };
    [
        Scope::ALL,
        of(&[0]),
        of(&[1]),
        of(&[2]),
        of(&[0, 1]),
        narrow(&[0], &[20]),
        narrow(&[0], &[20, 21]),
        narrow(&[0, 1], &[20]),
    ]
}
