//! Operators of an agent: let in while it may work, and never more than its template permits.
//!
//! The territory context keeps agents and templates. The directory asks for them with every standing that it reads;
//! a reactor ends sessions and wakes sockets when one of them changes, so that a crash in between loses nothing.

use std::sync::Arc;

use async_trait::async_trait;
use kernel::{ReactError, Reactor, Recorded};
use vocabulary::{AgentId, OperatorId, PermissionCode, Scope};
use wire::{CodeSet, DirectoryError, EndedReason, Standing};

use crate::model::operator::owner_of;
use crate::permissions::closed_upwards;
use crate::{Access, AccessDirectory, PortError};

/// Projectors that must have seen an event before anybody looks again.
const TABLES: [&str; 3] = ["operator", "agent", "agent_role"];

/// How the operators of an agent stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentStanding {
    /// Whether they may be let in.
    pub enabled: bool,
    /// What they may hold at most; none: no limit.
    pub codes: Option<Vec<PermissionCode>>,
    /// The log's position of the last event of the agent or its template.
    pub position: i64,
}

/// The agents.
#[async_trait]
pub trait Agents: Send + Sync + 'static {
    /// How the operators of an agent stand; nothing when there is no such agent.
    async fn standing(&self, agent: AgentId) -> Result<Option<AgentStanding>, PortError>;

    /// The agents that a template applies to; `template` is its id as its stream names it.
    async fn under_template(&self, template: &str) -> Result<Vec<AgentId>, PortError>;
}

/// What `standing` comes to under its agent. Without one nobody is let in.
pub fn under_agent(standing: Standing, agent: Option<AgentStanding>) -> Standing {
    let Some(agent) = agent else { return Standing { enabled: false, ..standing } };
    let codes = match agent.codes {
        None => standing.codes,
        Some(limit) => {
            let limit = closed_upwards(limit);
            Arc::new(standing.codes.iter().filter(|code| limit.contains(*code)).cloned().collect::<CodeSet>())
        }
    };
    Standing {
        enabled: standing.enabled && agent.enabled,
        codes,
        permission_version: standing.permission_version.max(agent.position),
        ..standing
    }
}

impl AccessDirectory {
    /// The standing of an operator as his agent limits it; of the platform's own, as it is.
    pub(crate) async fn within_agent(
        &self,
        standing: Option<Standing>,
    ) -> Result<Option<Standing>, DirectoryError> {
        let (Some(standing), Some(agents)) = (standing.as_ref(), self.agents()) else {
            return Ok(standing);
        };
        let Some(agent) = owner_of(&standing.scope).agent else { return Ok(Some(standing.clone())) };
        let agent = agents.standing(agent).await.map_err(DirectoryError)?;
        Ok(Some(under_agent(standing.clone(), agent)))
    }
}

/// Answers changes of agents and templates.
pub(crate) struct AgentReactor {
    pub(crate) access: Arc<Access>,
    pub(crate) agents: Arc<dyn Agents>,
}

fn later(error: impl Into<PortError>) -> ReactError {
    ReactError::Later(error.into())
}

impl AgentReactor {
    async fn operators(&self, event: &Recorded, agents: &[AgentId]) -> Result<Vec<OperatorId>, ReactError> {
        let reads = &self.access.runtime.reads;
        let mut db = reads.scoped(&Scope::ALL, Some(event.position), &TABLES).await.map_err(later)?;
        if !db.caught_up() {
            return Err(later("the read models are behind"));
        }
        let agents: Vec<i64> = agents.iter().map(|agent| agent.0).collect();
        let found = sqlx::query_scalar("select operator_id from read.operator where agent_id = any($1)")
            .bind(agents)
            .fetch_all(&mut *db)
            .await;
        found.map_err(later)
    }
}

#[async_trait]
impl Reactor for AgentReactor {
    fn name(&self) -> &'static str {
        "access-franchises"
    }

    fn categories(&self) -> &'static [&'static str] {
        &["agent", "agent-role"]
    }

    async fn react(&self, event: &Recorded) -> Result<(), ReactError> {
        let agent = || event.stream_id.parse().map_err(|error| ReactError::Never(Box::new(error)));
        let (agents, shut_out) = match &*event.stored_type {
            "agent.disabled" | "agent.deleted" => (vec![agent()?], true),
            "agent.changed" | "agent.enabled" => (vec![agent()?], false),
            "agent-role.changed" => {
                // Waits for the tables first: an agent may have got the template a moment ago.
                self.operators(event, &[]).await?;
                (self.agents.under_template(&event.stream_id).await.map_err(later)?, false)
            }
            _ => return Ok(()),
        };
        let operators = self.operators(event, &agents).await?;
        self.access.directory.forget();
        let now = self.access.runtime.clock.now();
        if !shut_out {
            return self.access.rights_changed(&operators, now).await.map_err(later);
        }
        self.access.end_links(&operators, now).await.map_err(later)?;
        for operator in operators {
            let ended = self.access.sessions.end_of_operator(operator, EndedReason::Disabled, now).await;
            ended.map_err(later)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(texts: &[&str]) -> Vec<PermissionCode> {
        texts.iter().map(|text| PermissionCode::try_from((*text).to_owned()).unwrap()).collect()
    }

    fn standing(held: &[&str]) -> Standing {
        Standing {
            enabled: true,
            scope: Scope::ALL,
            codes: Arc::new(codes(held).into_iter().collect()),
            permission_version: 7,
            name: "王芳".to_owned(),
            phone: "13800000002".parse().unwrap(),
        }
    }

    fn agent(limit: Option<&[&str]>) -> AgentStanding {
        AgentStanding { enabled: true, codes: limit.map(codes), position: 9 }
    }

    #[test]
    fn a_template_takes_away_and_never_gives() {
        let held = under_agent(standing(&["03", "0301", "10", "1001"]), Some(agent(Some(&["0301", "0302"]))));
        let held: Vec<&str> = held.codes.iter().map(PermissionCode::as_str).collect();
        assert_eq!(held, ["03", "0301"], "the group above a permitted page stays");
        assert!(under_agent(standing(&["0301"]), Some(agent(Some(&[])))).codes.is_empty());
        assert_eq!(under_agent(standing(&["0301"]), Some(agent(None))).codes, standing(&["0301"]).codes);
    }

    #[test]
    fn operators_of_a_disabled_or_missing_agent_are_not_let_in() {
        let disabled = AgentStanding { enabled: false, codes: None, position: 9 };
        assert!(!under_agent(standing(&["0301"]), Some(disabled)).enabled);
        assert!(!under_agent(standing(&["0301"]), None).enabled);
        let own = under_agent(Standing { enabled: false, ..standing(&[]) }, Some(agent(None)));
        assert!(!own.enabled, "an enabled agent does not enable a disabled operator");
        assert_eq!(own.permission_version, 9);
    }
}
