//! What of agents may need a second person.

use approvals::model::approval::Subject;
use approvals::model::limits::Limit;
use approvals::{Act, Deed, DeedRequest, Outlook};
use async_trait::async_trait;
use kernel::runtime::Runtime;
use kernel::{CommandError, Position, Transaction};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vocabulary::{AgentId, DataOwner, Scope};
use wire::Refused;

use super::READS;
use crate::model::agent::{self, Agent, AgentCommand};
use crate::read::agents;

const DISABLE: &str = "agent.disable";
/// Of a company's name so much stands in the line.
const COMPANY_SHOWN: usize = 64;

/// Which agent.
#[derive(Serialize, Deserialize)]
struct Which {
    agent_id: AgentId,
}

/// That an agent be disabled.
pub(crate) fn disabling(agent: AgentId, company: &str) -> DeedRequest {
    let company: String = company.chars().take(COMPANY_SHOWN).collect();
    DeedRequest {
        kind: DISABLE,
        subject: Subject { category: "agent".to_owned(), id: agent.to_string() },
        summary: format!("停用代理「{company}」"),
        amount_cents: 0,
        payload: json!(Which { agent_id: agent }),
        reason: String::new(),
        owner: DataOwner::of_agent(agent),
    }
}

/// Disabling an agent: its people are shut out at once.
pub struct DisableAgent {
    runtime: Runtime,
}

impl DisableAgent {
    /// By the system's read models.
    pub const fn new(runtime: Runtime) -> Self {
        Self { runtime }
    }
}

fn which(payload: &Value) -> Result<AgentId, Refused> {
    let which: Which = serde_json::from_value(payload.clone()).map_err(Refused::internal)?;
    Ok(which.agent_id)
}

#[async_trait]
impl Deed for DisableAgent {
    fn kind(&self) -> &'static str {
        DISABLE
    }

    fn label(&self) -> &'static str {
        "停用代理"
    }

    fn codes(&self) -> &'static [&'static str] {
        &["1101"]
    }

    fn usual(&self) -> Limit {
        Limit::NEVER
    }

    fn is_measured(&self) -> bool {
        false
    }

    async fn carry_out(&self, tx: &mut Transaction, act: &Act<'_>) -> Result<(), Refused> {
        let agent = which(act.payload)?;
        // Whoever's word it is done on: neither of the two switches off whom he works for.
        agent::not_own(&act.ctx.scope, agent)
            .and_then(|()| agent::as_a_whole(&act.ctx.scope))
            .map_err(CommandError::Refused)?;
        tx.execute::<Agent>(&agent, AgentCommand::Disable).await?;
        Ok(())
    }

    async fn outlook(&self, payload: &Value) -> Result<Outlook, Refused> {
        let agent = which(payload)?;
        let state = self.runtime.desk.load::<Agent>(&agent).await?.state;
        let Some(known) = state.known() else {
            return Ok(Outlook::Cannot("代理不存在或已删除".to_owned()));
        };
        let mut db = self.runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        let (children, areas) = agents::hanging_on(&mut *db, agent).await?;
        let now = if state.is_enabled() { "启用中" } else { "已经停用，同意后不再有变化" };
        Ok(Outlook::Would(vec![
            format!("代理「{}」当前{now}。", known.profile.company),
            "它的人员会立即退出登录，启用前不能再登录。".to_owned(),
            format!("名下 {areas} 个服务区与其中的车辆继续运营，{children} 个下级代理不受影响。"),
        ]))
    }

    async fn settle(&self, position: Position) -> Result<(), Refused> {
        drop(self.runtime.reads.scoped(&Scope::NONE, Some(position), &READS).await?);
        Ok(())
    }
}
