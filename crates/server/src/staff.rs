//! People of the back-office as territory and approvals ask for them, fulfilled by access.

use std::collections::BTreeSet;
use std::sync::Arc;

use access::AccessDirectory;
use approvals::Standings;
use approvals::model::approval::Standing;
use async_trait::async_trait;
use kernel::{Position, Runtime};
use sqlx::{Postgres, QueryBuilder};
use territory::ports::{Person, PortError, Staff};
use vocabulary::{AgentId, AreaId, DataOwner, OperatorId, Phone, Reach, Scope};
use wire::Directory;

const COLUMNS: &str = "select operator_id, name, phone, profession, enabled, all_agents, agents, all_areas, areas from read.operator where ";

/// Accounts as access's table has them.
pub struct StaffOfAccess {
    runtime: Runtime,
}

#[derive(sqlx::FromRow)]
struct Account {
    operator_id: OperatorId,
    name: String,
    phone: String,
    profession: Option<i16>,
    enabled: bool,
    all_agents: bool,
    agents: Vec<AgentId>,
    all_areas: bool,
    areas: Vec<AreaId>,
}

fn reach<T: Ord + Copy>(all: bool, some: Vec<T>) -> Reach<T> {
    if all { Reach::All } else { Reach::only(some) }
}

impl From<Account> for Person {
    fn from(account: Account) -> Self {
        Self {
            id: account.operator_id,
            name: account.name,
            phone: account.phone.parse().ok(),
            profession: account.profession,
            enabled: account.enabled,
            reach: Scope::of(
                reach(account.all_agents, account.agents),
                reach(account.all_areas, account.areas),
            ),
        }
    }
}

impl StaffOfAccess {
    /// From the system's read models.
    pub fn new(runtime: Runtime) -> Self {
        Self { runtime }
    }

    async fn people(
        &self,
        scope: &Scope,
        mut query: QueryBuilder<Postgres>,
    ) -> Result<Vec<Person>, PortError> {
        let newest = Some(Position(i64::MAX));
        let mut db = self.runtime.reads.scoped(scope, newest, &["operator"]).await?;
        let found: Vec<Account> = query.build_query_as().fetch_all(&mut *db).await?;
        Ok(found.into_iter().map(Person::from).collect())
    }
}

#[async_trait]
impl Staff for StaffOfAccess {
    async fn of(&self, scope: &Scope, ids: &BTreeSet<OperatorId>) -> Result<Vec<Person>, PortError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut query = QueryBuilder::new(COLUMNS);
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        query.push("operator_id = any(").push_bind(ids).push(")");
        self.people(scope, query).await
    }

    async fn with_phone(&self, scope: &Scope, phone: &Phone) -> Result<Option<Person>, PortError> {
        let mut query = QueryBuilder::new(COLUMNS);
        query.push("phone = ").push_bind(phone.to_string());
        Ok(self.people(scope, query).await?.pop())
    }

    async fn found(
        &self,
        scope: &Scope,
        keyword: &str,
        place: Option<DataOwner>,
        most: i64,
    ) -> Result<Vec<Person>, PortError> {
        let mut query = QueryBuilder::new(COLUMNS);
        query.push("(name like ").push_bind(kernel::list::containing(keyword));
        query.push(" or phone = ").push_bind(keyword.to_owned());
        query.push(" or operator_id::text = ").push_bind(keyword.to_owned()).push(")");
        if let Some(place) = place {
            let [agent, area] = [place.agent.map(|agent| agent.0), place.area.map(|area| area.0)];
            query.push(" and enabled and (all_agents or ").push_bind(agent);
            query.push(" = any(agents)) and (all_areas or ").push_bind(area).push(" = any(areas))");
        }
        query.push(" order by name, operator_id limit ").push_bind(most);
        self.people(scope, query).await
    }
}

/// How people stand who ask for a second person and decide.
pub struct PeopleOfAccess {
    runtime: Runtime,
    directory: Arc<AccessDirectory>,
}

impl PeopleOfAccess {
    /// From the directory that the wire goes by, and the system's read models.
    pub fn new(runtime: Runtime, directory: Arc<AccessDirectory>) -> Self {
        Self { runtime, directory }
    }
}

#[async_trait]
impl Standings for PeopleOfAccess {
    async fn of(&self, operator: OperatorId) -> Result<Option<Standing>, PortError> {
        let found = self.directory.standing(operator).await?;
        Ok(found.map(|found| Standing {
            enabled: found.enabled,
            codes: found.codes.iter().cloned().collect(),
            scope: found.scope,
        }))
    }

    async fn administers(&self, operator: OperatorId) -> Result<bool, PortError> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        let administers = sqlx::query_scalar(
            "select exists (select from read.operator where operator_id = $1 and enabled and level & 1 <> 0)",
        );
        Ok(administers.bind(operator).fetch_one(&mut *db).await?)
    }
}
