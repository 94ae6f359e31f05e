//! The routes of the context.

use vocabulary::{AgentId, Reach};
use wire::{Caller, Refused};

pub mod alarms;
pub mod commands;
pub mod enrolment;
pub mod keeping;
pub mod map_views;
pub mod screening;
pub mod shift_notes;
pub mod vehicle_list;
pub mod vehicle_log;
pub mod vehicles;
pub mod work;

/// Whose something new is: the agent named; unnamed, the caller's only one, or the platform's where he reaches all.
fn agent_of(caller: &Caller, named: Option<AgentId>) -> Result<Option<AgentId>, Refused> {
    match (&caller.full_scope.agents, named.filter(|agent| agent.0 != 0)) {
        (_, Some(agent)) => Ok(Some(agent)),
        (Reach::All, None) => Ok(None),
        (Reach::Only(agents), None) if agents.len() == 1 => Ok(agents.first().copied()),
        (Reach::Only(_), None) => Err(Refused::business("agent-missing", "请选择所属的代理")),
    }
}
