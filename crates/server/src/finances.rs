//! What finance and its neighbours need of each other, fulfilled here.

use std::collections::BTreeMap;
use std::sync::Arc;

use access::{AccessDirectory, FinancialAccounts, SmsGateway};
use anyhow::{Result, bail};
use async_trait::async_trait;
use finance::model::payment_account::CODE_LIFE_MS;
use finance::password_desk::{HttpDesk, PasswordDesk, StandIn};
use finance::ports::{Agents, CardCodes, PortError, Standings};
use finance::read::payment_accounts;
use kernel::{MasterKey, Position, Runtime};
use rand::Rng;
use rand::rngs::OsRng;
use territory::model::agent::Agent;
use vocabulary::{AgentId, Phone, Scope};
use wire::FinancialAccount;

use crate::config::{PayAdapter, Settings};

/// Agents as territory knows them.
pub struct TerritoryAgents {
    runtime: Runtime,
}

impl TerritoryAgents {
    /// From the system's desk and read models.
    pub fn new(runtime: Runtime) -> Self {
        Self { runtime }
    }
}

#[async_trait]
impl Agents for TerritoryAgents {
    async fn works(&self, agent: AgentId) -> Result<bool, PortError> {
        Ok(self.runtime.desk.load::<Agent>(&agent).await?.state.is_enabled())
    }

    async fn names(&self, agents: &[AgentId]) -> Result<BTreeMap<AgentId, String>, PortError> {
        let agents: Vec<i64> = agents.iter().map(|agent| agent.0).collect();
        let newest = Some(Position(i64::MAX));
        let mut db = self.runtime.reads.scoped(&Scope::ALL, newest, &["agent"]).await?;
        let named: Vec<(AgentId, String)> =
            sqlx::query_as("select agent_id, company from read.agent where agent_id = any($1)")
                .bind(agents)
                .fetch_all(&mut *db)
                .await?;
        Ok(named.into_iter().collect())
    }

    async fn called(&self, scope: &Scope, pattern: &str) -> Result<Vec<AgentId>, PortError> {
        let mut db = self.runtime.reads.scoped(scope, None, &[]).await?;
        let called = sqlx::query_scalar(
            "select agent_id from read.agent where company like $1 order by agent_id desc limit 1000",
        );
        Ok(called.bind(pattern).fetch_all(&mut *db).await?)
    }
}

/// Codes by the gateway that sends those of the sign-in.
pub struct CodesBySms {
    sms: Arc<dyn SmsGateway>,
    fixed: Option<String>,
}

impl CodesBySms {
    /// `fixed`: a code that always is the one sent; development only.
    pub fn new(sms: Arc<dyn SmsGateway>, fixed: Option<String>) -> Self {
        Self { sms, fixed }
    }
}

#[async_trait]
impl CardCodes for CodesBySms {
    fn draw(&self) -> String {
        self.fixed.clone().unwrap_or_else(|| format!("{:06}", OsRng.gen_range(0..1_000_000)))
    }

    async fn send(&self, phone: &Phone, code: &str) -> Result<(), PortError> {
        Ok(self.sms.send_code(phone, code, CODE_LIFE_MS / 60_000).await?)
    }
}

/// The wire's memory of who stands how.
pub struct StandingsOfAccess(pub Arc<AccessDirectory>);

impl Standings for StandingsOfAccess {
    fn forget(&self) {
        self.0.forget();
    }
}

/// Accounts as the finance context's table has them.
pub struct AccountsOfFinance {
    runtime: Runtime,
}

impl AccountsOfFinance {
    /// From the system's read models.
    pub fn new(runtime: Runtime) -> Self {
        Self { runtime }
    }
}

#[async_trait]
impl FinancialAccounts for AccountsOfFinance {
    async fn standing(&self, agent: AgentId) -> Result<FinancialAccount, access::PortError> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        let found = payment_accounts::standing(&mut *db, agent).await?;
        Ok(found.map_or_else(FinancialAccount::default, |(status, level)| FinancialAccount {
            status: Some(status.into()),
            level: level.map(i64::from),
        }))
    }
}

/// Where payment passwords are set, by configuration.
pub fn password_desk(settings: &Settings, master: &MasterKey) -> Result<Option<PasswordDesk>> {
    match (settings.pay_adapter(), &settings.pay_gateway_url) {
        (PayAdapter::Off, _) => Ok(None),
        (PayAdapter::StandIn, _) => Ok(Some(PasswordDesk::StandIn(StandIn::new(master)))),
        (PayAdapter::Http, Some(url)) => {
            let token = settings.pay_gateway_token.clone().unwrap_or_default();
            Ok(Some(PasswordDesk::Http(Arc::new(HttpDesk::new(url.clone(), token)?))))
        }
        (PayAdapter::Http, None) => bail!("PAY_ADAPTER=http needs PAY_GATEWAY_URL"),
    }
}
