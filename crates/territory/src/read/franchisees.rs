//! Table `franchisee`.

use chrono::NaiveDate;
use kernel::{After, Fold, List, Personal, Recorded, row};
use serde::Serialize;
use sqlx::PgExecutor;
use utoipa::ToSchema;
use vocabulary::{AgentId, AreaId, DataOwner, FranchiseeId, Scope};

use super::areas::AreaOption;
use crate::model::franchisee::{Franchisee, FranchiseeEvent, FranchiseeState, People, Terms};

/// Contracts that one sweep ends.
const ENDED_AT_ONCE: i64 = 500;

row! {
    /// A franchisee as lists and its drawer show it; names and phone are masked.
    #[derive(Clone, Debug, Default, Serialize, ToSchema, sqlx::FromRow)]
    #[serde(rename_all = "camelCase")]
    pub struct FranchiseeRow {
        /// Its id, as text.
        pub id: FranchiseeId = "franchisee_id",
        /// With whom it works.
        pub agent_id: AgentId,
        /// The agent's company; null when the caller may not see it.
        pub agent_company: Option<String> as default,
        /// 公司.
        pub company: String,
        /// 统一社会信用代码, empty until it is known.
        pub license_no: String,
        /// 联系人, masked.
        pub contact: String,
        /// 联系电话, masked.
        pub phone: String,
        /// 法人, masked; empty until it is known.
        pub legal_person: String,
        /// 服务区: as text.
        pub service_area_ids: Vec<AreaId> = "area_ids",
        /// Of them, those that the caller may see, by name.
        pub service_areas: Vec<AreaOption> as skip,
        /// 加盟时间, `YYYY-MM-DD`.
        #[schema(value_type = Option<String>)]
        pub joined_at: Option<NaiveDate> = "joined_on",
        /// The contract's last day, `YYYY-MM-DD`.
        #[schema(value_type = Option<String>)]
        pub contract_end: Option<NaiveDate>,
        /// Bikes that belong to its areas.
        pub vehicle_count: i64 as skip,
        /// 保证金, cents.
        pub deposit_paid: i64 = "deposit_cents",
        /// 分成比例, ten-thousandths.
        pub divide_ratio_bp: i32 = "ratio_bp",
        /// Where it stands.
        pub state: FranchiseeState,
        /// 备注.
        pub remark: String,
        /// Why it was ended.
        pub ended_reason: String,
        /// Epoch milliseconds.
        pub created_at: i64 = "created_at_ms",
        /// Epoch milliseconds.
        pub updated_at: i64 = "updated_at_ms",
        /// To be sent with a change.
        pub version: i64 = "revision",
    }
}

/// A name as lists show it: 陈** for 陈建国.
fn masked_name(name: &str) -> String {
    name.chars().enumerate().map(|(place, letter)| if place == 0 { letter } else { '*' }).collect()
}

impl FranchiseeRow {
    fn set_terms(&mut self, terms: Terms) {
        self.company = terms.company;
        self.license_no = terms.license_no.map(String::from).unwrap_or_default();
        self.service_area_ids = terms.area_ids.into_iter().collect();
        self.joined_at = terms.joined_on;
        self.contract_end = terms.contract_end;
        self.deposit_paid = terms.deposit.0;
        self.divide_ratio_bp = terms.ratio_bp;
        self.remark = terms.remark;
    }

    /// Whoever was forgotten leaves no trace.
    fn set_people(&mut self, people: &Personal<People>) {
        let masked = |people: &People| {
            (masked_name(&people.contact), people.phone.masked(), masked_name(&people.legal_person))
        };
        (self.contact, self.phone, self.legal_person) = people.known().map(masked).unwrap_or_default();
    }
}

impl Fold for FranchiseeRow {
    type Of = Franchisee;
    const TABLE: &'static str = "franchisee";
    const KEY: &'static str = "franchisee_id";

    fn fold(row: Option<Self>, event: FranchiseeEvent, recorded: &Recorded) -> After<Self> {
        let at_ms = recorded.recorded_at.millis();
        let mut row = recorded.begin(row)?;
        match event {
            FranchiseeEvent::Registered { franchisee_id, agent_id, terms, people } => {
                row.id = franchisee_id;
                row.agent_id = agent_id;
                row.created_at = at_ms;
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
        row.version += 1;
        row.updated_at = at_ms;
        Ok(Some(row))
    }

    fn owner(&self) -> DataOwner {
        DataOwner::of_agent(self.agent_id)
    }
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
