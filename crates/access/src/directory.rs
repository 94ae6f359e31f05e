//! Who stands how, now: asked on every request, so answered from memory.
//!
//! What is remembered is forgotten at once when a role, operator, machine or financial account changes (told by the
//! projectors, in this process and through NATS in the others), and after a second in any case: a lost connection to
//! NATS delays a change by no more than that. Use cases that change rights also wait for the read models and forget
//! before they answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use kernel::{ChangeBatch, ReadError, Runtime};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::TryRecvError;
use vocabulary::{AgentId, OperatorId, Scope};
use wire::{CodeSet, Directory, DirectoryError, FinancialAccount, MachineStanding, Standing};

use crate::PortError;
use crate::agents::Agents;
use crate::permissions::closed_upwards;
use crate::read::{machines, operators, roles};

const REMEMBERED: Duration = Duration::from_secs(1);
const MAX_REMEMBERED: usize = 20_000;
const TABLES: [&str; 6] = ["role", "operator", "machine", "agent", "agent_role", "payment_account"];

/// The financial accounts of agents, which the finance context keeps.
#[async_trait]
pub trait FinancialAccounts: Send + Sync + 'static {
    /// How the account of an agent stands; without one nothing is known of it.
    async fn standing(&self, agent: AgentId) -> Result<FinancialAccount, PortError>;
}

struct Memory {
    changes: broadcast::Receiver<Arc<ChangeBatch>>,
    /// Raised whenever something is forgotten: what was read before that is not remembered.
    age: u64,
    operators: HashMap<OperatorId, (Option<Standing>, Instant)>,
    machines: HashMap<[u8; 32], (Option<MachineStanding>, Instant)>,
    accounts: HashMap<AgentId, (FinancialAccount, Instant)>,
}

impl Memory {
    fn take_in_changes(&mut self) {
        loop {
            match self.changes.try_recv() {
                Ok(batch) if batch.is_gap() || TABLES.contains(&batch.table.as_str()) => self.forget(),
                Ok(_) => {}
                Err(TryRecvError::Lagged(_)) => self.forget(),
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            }
        }
    }

    fn forget(&mut self) {
        self.age += 1;
        self.operators.clear();
        self.machines.clear();
        self.accounts.clear();
    }
}

/// Puts `value` where it is found for a second, unless `age` says that it may be out of date already.
fn remember<K: std::hash::Hash + Eq, V>(
    known: &mut HashMap<K, (V, Instant)>,
    key: K,
    value: V,
    now: Instant,
) {
    if known.len() >= MAX_REMEMBERED {
        known.retain(|_, (_, until)| now < *until);
    }
    if known.len() < MAX_REMEMBERED {
        known.insert(key, (value, now + REMEMBERED));
    }
}

/// Answers from the read models.
pub struct AccessDirectory {
    runtime: Runtime,
    agents: Option<Arc<dyn Agents>>,
    finances: Option<Arc<dyn FinancialAccounts>>,
    memory: Mutex<Memory>,
}

impl AccessDirectory {
    /// Over the read models of `runtime`.
    pub fn new(runtime: Runtime) -> Self {
        let memory = Memory {
            changes: runtime.changes.subscribe(),
            age: 0,
            operators: HashMap::new(),
            machines: HashMap::new(),
            accounts: HashMap::new(),
        };
        Self { runtime, agents: None, finances: None, memory: Mutex::new(memory) }
    }

    /// Limits operators of agents to what these permit.
    #[must_use]
    pub fn with_agents(self, agents: Arc<dyn Agents>) -> Self {
        Self { agents: Some(agents), ..self }
    }

    /// Opens what the accounts of agents open. Without them nobody has one.
    #[must_use]
    pub fn with_finances(self, finances: Arc<dyn FinancialAccounts>) -> Self {
        Self { finances: Some(finances), ..self }
    }

    pub(crate) fn agents(&self) -> Option<&Arc<dyn Agents>> {
        self.agents.as_ref()
    }

    /// Forgets everything: the next request sees the read models as they are.
    pub fn forget(&self) {
        self.memory().forget();
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, Memory> {
        self.memory.lock().expect("nothing panics while holding the directory")
    }

    async fn read_standing(&self, operator: OperatorId) -> Result<Option<Standing>, ReadError> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        let Some(account) = operators::by_id(&mut db, operator).await? else { return Ok(None) };
        let held = roles::of_operator(&mut db, operator).await?;
        let version = held.iter().map(|role| role.position).fold(account.position, i64::max);
        let granted = held.iter().flat_map(|role| role.working_codes(account.level));
        Ok(Some(Standing {
            enabled: account.enabled,
            scope: Scope { cars: roles::cars(&held), ..account.reach },
            codes: Arc::new(closed_upwards(granted).into_iter().collect::<CodeSet>()),
            permission_version: version,
            name: account.name,
            phone: account.phone,
        }))
    }

    async fn read_machine(&self, token_sha256: [u8; 32]) -> Result<Option<MachineStanding>, ReadError> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        let found = machines::by_token(&mut db, &token_sha256).await?;
        Ok(found.map(|machine| MachineStanding {
            id: machine.id,
            name: machine.name,
            enabled: machine.enabled,
            scope: machine.scope,
            codes: Arc::new(machine.codes.into_iter().collect::<CodeSet>()),
        }))
    }
}

fn away(error: ReadError) -> DirectoryError {
    DirectoryError(Box::new(error))
}

#[async_trait]
impl Directory for AccessDirectory {
    async fn standing(&self, operator: OperatorId) -> Result<Option<Standing>, DirectoryError> {
        let now = Instant::now();
        let age = {
            let mut memory = self.memory();
            memory.take_in_changes();
            match memory.operators.get(&operator) {
                Some((standing, until)) if now < *until => return Ok(standing.clone()),
                _ => memory.age,
            }
        };
        let standing = self.read_standing(operator).await.map_err(away)?;
        let standing = self.within_agent(standing).await?;
        let mut memory = self.memory();
        memory.take_in_changes();
        if memory.age == age {
            remember(&mut memory.operators, operator, standing.clone(), now);
        }
        Ok(standing)
    }

    async fn machine(&self, token_sha256: [u8; 32]) -> Result<Option<MachineStanding>, DirectoryError> {
        let now = Instant::now();
        let age = {
            let mut memory = self.memory();
            memory.take_in_changes();
            match memory.machines.get(&token_sha256) {
                Some((standing, until)) if now < *until => return Ok(standing.clone()),
                _ => memory.age,
            }
        };
        let standing = self.read_machine(token_sha256).await.map_err(away)?;
        let mut memory = self.memory();
        memory.take_in_changes();
        if memory.age == age {
            remember(&mut memory.machines, token_sha256, standing.clone(), now);
        }
        Ok(standing)
    }

    async fn financial_account(&self, agent: AgentId) -> Result<FinancialAccount, DirectoryError> {
        let Some(finances) = &self.finances else { return Ok(FinancialAccount::default()) };
        let now = Instant::now();
        let age = {
            let mut memory = self.memory();
            memory.take_in_changes();
            match memory.accounts.get(&agent) {
                Some((account, until)) if now < *until => return Ok(*account),
                _ => memory.age,
            }
        };
        let account = finances.standing(agent).await.map_err(DirectoryError)?;
        let mut memory = self.memory();
        memory.take_in_changes();
        if memory.age == age {
            remember(&mut memory.accounts, agent, account, now);
        }
        Ok(account)
    }
}
