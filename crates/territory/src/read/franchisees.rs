//! Table `franchisee`.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::NaiveDate;
use kernel::projector::ApplyError;
use kernel::{Aggregate, Change, Personal, Projector, Recorded, rows};
use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, PgExecutor};
use vocabulary::{AgentId, AreaId, COUNT_CAP, DataOwner, FranchiseeId, Page, Rows};

use super::containing;
use crate::model::franchisee::{Franchisee, FranchiseeEvent, FranchiseeState, People, Terms};

/// Contracts that one sweep ends.
const ENDED_AT_ONCE: i64 = 500;

/// Builds table `franchisee`.
pub struct FranchiseeProjector;

/// A row of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Row {
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
    state: i16,
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

    fn take_in(&mut self, event: FranchiseeEvent, at_ms: i64) {
        match event {
            FranchiseeEvent::Registered { terms, people, .. } => {
                self.set_terms(terms);
                self.set_people(&people);
            }
            FranchiseeEvent::TermsChanged { terms } => self.set_terms(terms),
            FranchiseeEvent::PeopleChanged { people } => self.set_people(&people),
            FranchiseeEvent::Signed => self.state = FranchiseeState::Cooperating as i16,
            FranchiseeEvent::Expired => self.state = FranchiseeState::Expired as i16,
            FranchiseeEvent::Terminated { reason } => {
                self.state = FranchiseeState::Terminated as i16;
                self.ended_reason = reason;
            }
            FranchiseeEvent::Deleted | FranchiseeEvent::Revealed => return,
        }
        self.revision += 1;
        self.updated_at_ms = at_ms;
    }

    fn change(&self) -> Change {
        let owner = DataOwner::of_agent(AgentId(self.agent_id));
        Change { table: "franchisee", key: self.franchisee_id.to_string(), owner }
    }
}

#[async_trait]
impl Projector for FranchiseeProjector {
    fn name(&self) -> &'static str {
        "franchisee"
    }

    fn tables(&self) -> &'static [&'static str] {
        &["franchisee"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[Franchisee::CATEGORY]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let keys: Vec<String> = events.iter().map(|event| event.stream_id.clone()).collect();
        let known: Vec<Row> = rows::load(db, "franchisee", "franchisee_id", "bigint", &keys).await?;
        let mut rows: BTreeMap<i64, Row> = known.into_iter().map(|row| (row.franchisee_id, row)).collect();
        let mut changes = Vec::new();
        let mut gone = Vec::new();
        for recorded in events {
            let franchisee_id: i64 = recorded.stream_id.parse()?;
            let at_ms = recorded.recorded_at.millis();
            let event = recorded.decode::<FranchiseeEvent>()?;
            if event == FranchiseeEvent::Deleted {
                changes.extend(rows.remove(&franchisee_id).map(|row| row.change()));
                gone.push(franchisee_id.to_string());
                continue;
            }
            if let FranchiseeEvent::Registered { agent_id, .. } = &event {
                let row = Row { franchisee_id, agent_id: agent_id.0, created_at_ms: at_ms, ..Row::default() };
                rows.insert(franchisee_id, row);
            }
            let row = rows.get_mut(&franchisee_id).ok_or("a franchisee changed before it came")?;
            row.take_in(event, at_ms);
        }
        let rows: Vec<Row> = rows.into_values().collect();
        rows::delete(db, "franchisee", "franchisee_id", "bigint", &gone).await?;
        rows::upsert(db, "franchisee", "franchisee_id", &rows).await?;
        changes.extend(rows.iter().map(Row::change));
        Ok(changes)
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
    /// See [`FranchiseeState`].
    pub state: i16,
    /// Why it was ended.
    pub ended_reason: String,
    /// When it came.
    pub created_at_ms: i64,
    /// When it was changed.
    pub updated_at_ms: i64,
    /// To be sent with a change.
    pub revision: i64,
}

/// What a list is asked for.
#[derive(Clone, Debug, Default)]
pub struct FranchiseeFilter {
    /// Part of the company's name or its number.
    pub keyword: Option<String>,
    /// Of this agent.
    pub agent: Option<AgentId>,
    /// In this state.
    pub state: Option<i16>,
}

/// Franchisees in scope that `filter` leaves, newest first.
pub async fn page(
    db: &mut PgConnection,
    filter: &FranchiseeFilter,
    page: Page,
) -> sqlx::Result<Rows<FranchiseeFound>> {
    let pattern = filter.keyword.as_deref().map(containing);
    let found = sqlx::query_as(
        "select y.*, g.company as agent_company
         from read.franchisee y left join read.agent g on g.agent_id = y.agent_id
         where ($1::text is null or y.company like $1 or y.license_no like $1)
           and ($2::bigint is null or y.agent_id = $2) and ($3::smallint is null or y.state = $3)
         order by y.created_at_ms desc, y.franchisee_id desc limit $4 offset $5",
    )
    .bind(&pattern)
    .bind(filter.agent)
    .bind(filter.state)
    .bind(page.limit())
    .bind(page.offset())
    .fetch_all(&mut *db)
    .await?;
    let counted = sqlx::query_scalar(
        "select count(*) from (
           select from read.franchisee y
           where ($1::text is null or y.company like $1 or y.license_no like $1)
             and ($2::bigint is null or y.agent_id = $2) and ($3::smallint is null or y.state = $3)
           limit $4) matching",
    )
    .bind(&pattern)
    .bind(filter.agent)
    .bind(filter.state)
    .bind(COUNT_CAP + 1)
    .fetch_one(db)
    .await?;
    Ok(Rows::new(found, counted))
}

/// One franchisee; nothing when it is not in scope.
pub async fn one(db: impl PgExecutor<'_>, franchisee: FranchiseeId) -> sqlx::Result<Option<FranchiseeFound>> {
    sqlx::query_as(
        "select y.*, g.company as agent_company
         from read.franchisee y left join read.agent g on g.agent_id = y.agent_id where y.franchisee_id = $1",
    )
    .bind(franchisee)
    .fetch_optional(db)
    .await
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
