//! Table `franchisee`.

use chrono::NaiveDate;
use kernel::projector::ApplyError;
use kernel::{Fold, List, Personal, Recorded};
use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, PgExecutor};
use vocabulary::{AgentId, AreaId, DataOwner, FranchiseeId, Scope};

use crate::model::franchisee::{Franchisee, FranchiseeEvent, FranchiseeState, People, Terms};

/// Contracts that one sweep ends.
const ENDED_AT_ONCE: i64 = 500;

/// A row of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Row {
    franchisee_id: i64,
    agent_id: i64,
    company: String,
    license_no: String,
    contact: String,
    phone: String,
    legal_person: String,
    area_ids: Vec<i64>,
    joined_on: Option<NaiveDate>,
    contract_end: Option<NaiveDate>,
    deposit_cents: i64,
    ratio_bp: i32,
    remark: String,
    state: FranchiseeState,
    ended_reason: String,
    created_at_ms: i64,
    updated_at_ms: i64,
    revision: i64,
}

/// A name as lists show it: 陈** for 陈建国.
fn masked_name(name: &str) -> String {
    name.chars().enumerate().map(|(place, letter)| if place == 0 { letter } else { '*' }).collect()
}

impl Row {
    fn set_terms(&mut self, terms: Terms) {
        self.company = terms.company;
        self.license_no = terms.license_no.map(String::from).unwrap_or_default();
        self.area_ids = terms.area_ids.into_iter().map(|area| area.0).collect();
        self.joined_on = terms.joined_on;
        self.contract_end = terms.contract_end;
        self.deposit_cents = terms.deposit.0;
        self.ratio_bp = terms.ratio_bp;
        self.remark = terms.remark;
    }

    /// Whoever was forgotten leaves no trace.
    fn set_people(&mut self, people: &Personal<People>) {
        let known = people.known();
        self.contact = known.map(|people| masked_name(&people.contact)).unwrap_or_default();
        self.phone = known.map(|people| people.phone.masked()).unwrap_or_default();
        self.legal_person = known.map(|people| masked_name(&people.legal_person)).unwrap_or_default();
    }
}

impl Fold for Row {
    type Of = Franchisee;
    const TABLE: &'static str = "franchisee";
    const KEY: &'static str = "franchisee_id";

    fn fold(
        row: Option<Self>,
        event: FranchiseeEvent,
        recorded: &Recorded,
    ) -> Result<Option<Self>, ApplyError> {
        let at_ms = recorded.recorded_at.millis();
        let mut row = match (&event, row) {
            (FranchiseeEvent::Registered { agent_id, .. }, _) => Self {
                franchisee_id: recorded.stream_id.parse()?,
                agent_id: agent_id.0,
                created_at_ms: at_ms,
                ..Self::default()
            },
            (_, row) => row.ok_or("a franchisee changed before it came")?,
        };
        match event {
            FranchiseeEvent::Registered { terms, people, .. } => {
                row.set_terms(terms);
                row.set_people(&people);
            }
            FranchiseeEvent::TermsChanged { terms } => row.set_terms(terms),
            FranchiseeEvent::PeopleChanged { people } => row.set_people(&people),
            FranchiseeEvent::Signed => row.state = FranchiseeState::Cooperating,
            FranchiseeEvent::Expired => row.state = FranchiseeState::Expired,
            FranchiseeEvent::Terminated { reason } => {
                row.state = FranchiseeState::Terminated;
                row.ended_reason = reason;
            }
            FranchiseeEvent::Deleted => return Ok(None),
            FranchiseeEvent::Revealed => return Ok(Some(row)),
        }
        row.revision += 1;
        row.updated_at_ms = at_ms;
        Ok(Some(row))
    }

    fn owner(&self) -> DataOwner {
        DataOwner::of_agent(AgentId(self.agent_id))
    }
}

/// A franchisee as the table has it; names and phone are masked.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct FranchiseeFound {
    /// Its id.
    pub franchisee_id: FranchiseeId,
    /// With whom it works.
    pub agent_id: AgentId,
    /// The agent's company; nothing when the caller may not see it.
    pub agent_company: Option<String>,
    /// 公司.
    pub company: String,
    /// 统一社会信用代码, empty until it is known.
    pub license_no: String,
    /// 联系人.
    pub contact: String,
    /// 联系电话.
    pub phone: String,
    /// 法人.
    pub legal_person: String,
    /// 服务区.
    pub area_ids: Vec<AreaId>,
    /// 加盟时间.
    pub joined_on: Option<NaiveDate>,
    /// The contract's last day.
    pub contract_end: Option<NaiveDate>,
    /// 保证金.
    pub deposit_cents: i64,
    /// 分成比例.
    pub ratio_bp: i32,
    /// 备注.
    pub remark: String,
    /// Where it stands.
    pub state: FranchiseeState,
    /// Why it was ended.
    pub ended_reason: String,
    /// When it came.
    pub created_at_ms: i64,
    /// When it was changed.
    pub updated_at_ms: i64,
    /// To be sent with a change.
    pub revision: i64,
}

/// Franchisees of the scope's agents, newest first.
pub fn list(scope: &Scope) -> List {
    List::new(
        "y.*, g.company as agent_company",
        "read.franchisee y left join read.agent g on g.agent_id = y.agent_id",
        "y.created_at_ms desc, y.franchisee_id desc",
    )
    .of_agents("y.agent_id", scope)
}

/// One franchisee; nothing when it is not in scope.
pub async fn one(
    db: &mut PgConnection,
    scope: &Scope,
    franchisee: FranchiseeId,
) -> sqlx::Result<Option<FranchiseeFound>> {
    Ok(list(scope).is("y.franchisee_id", Some(franchisee.0)).rows(db, 1).await?.pop())
}

/// Franchisees whose contract's last day lies before `today`, at most 500.
pub async fn over(db: impl PgExecutor<'_>, today: NaiveDate) -> sqlx::Result<Vec<FranchiseeId>> {
    sqlx::query_scalar(
        "select franchisee_id from read.franchisee where state = 1 and contract_end < $1 order by contract_end, franchisee_id limit $2",
    )
    .bind(today)
    .bind(ENDED_AT_ONCE)
    .fetch_all(db)
    .await
}

#[cfg(test)]
mod tests {
    use super::masked_name;

    #[test]
    fn of_a_name_the_first_character_stays() {
        assert_eq!(masked_name("陈建国"), "陈**");
        assert_eq!(masked_name("王"), "王");
        assert_eq!(masked_name(""), "");
    }
}
