//! Tables `payment_account` and `payment_card`.

use std::collections::BTreeMap;

use async_trait::async_trait;
use kernel::list::Value;
use kernel::projector::ApplyError;
use kernel::{Aggregate, Change, List, Personal, Projector, Recorded, rows};
use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, PgExecutor};
use vocabulary::{AgentId, BankCardId, DataOwner, PaymentAccountId, Scope, Timestamp};

use crate::model::payment_account::{
    AccountStatus, AccountType, Applicant, BankCard, CODE_LIFE_MS, CardState, PaymentAccount,
    PaymentAccountEvent,
};

/// Cards that one account shows, the newest.
const CARDS_SHOWN: i64 = 50;
/// Accounts that a picker lists.
const CHOICES: i64 = 200;
/// Cards that one sweep gives up.
const EXPIRED_AT_ONCE: i64 = 500;

/// Builds tables `payment_account` and `payment_card`.
pub struct PaymentAccountProjector;

/// A row of the accounts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct AccountRow {
    account_id: i64,
    agent_id: i64,
    parent_account_id: Option<i64>,
    account_level: Option<i16>,
    account_type: i16,
    customer_name: String,
    cert_no: String,
    contact: String,
    phone: String,
    status: i16,
    auth_status: i16,
    reason: String,
    pay_password_set: bool,
    opened_at_ms: Option<i64>,
    created_at_ms: i64,
    updated_at_ms: i64,
    revision: i64,
}

/// A row of the cards.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct CardRow {
    card_id: i64,
    account_id: i64,
    agent_id: i64,
    bank_name: String,
    card_no: String,
    holder: String,
    mobile: String,
    state: i16,
    code_sent_at_ms: i64,
    bound_at_ms: Option<i64>,
    reason: String,
}

/// A name as lists show it: 陈** for 陈建国.
fn masked_name(name: &str) -> String {
    name.chars().enumerate().map(|(place, letter)| if place == 0 { letter } else { '*' }).collect()
}

impl AccountRow {
    /// Whoever was forgotten leaves no trace.
    fn set_applicant(&mut self, account_type: AccountType, applicant: &Personal<Applicant>) {
        let known = applicant.known();
        self.account_type = account_type.into();
        self.customer_name = known.map(|one| one.customer_name.clone()).unwrap_or_default();
        self.cert_no = known.map(|one| one.cert_no.masked()).unwrap_or_default();
        self.contact = known.map(|one| masked_name(&one.contact)).unwrap_or_default();
        self.phone = known.map(|one| one.phone.masked()).unwrap_or_default();
    }

    fn turn(&mut self, status: AccountStatus, reason: String) {
        self.status = status as i16;
        self.reason = reason;
    }

    fn take_in(&mut self, event: &PaymentAccountEvent, at_ms: i64) {
        use PaymentAccountEvent as Happened;
        match event {
            Happened::Applied { account_type, applicant, .. }
            | Happened::Reapplied { account_type, applicant } => {
                self.set_applicant(*account_type, applicant);
                self.turn(AccountStatus::Applied, String::new());
            }
            Happened::Opened { level } => {
                self.turn(AccountStatus::Normal, String::new());
                self.account_level = Some((*level).into());
                self.opened_at_ms = Some(at_ms);
            }
            Happened::Rejected { reason } => self.turn(AccountStatus::Rejected, reason.clone()),
            Happened::Frozen { reason } => self.turn(AccountStatus::Frozen, reason.clone()),
            Happened::Unfrozen { .. } => self.turn(AccountStatus::Normal, String::new()),
            Happened::Closed { reason } => self.turn(AccountStatus::Closed, reason.clone()),
            Happened::PasswordSet => self.pay_password_set = true,
            Happened::CardNamed { .. }
            | Happened::CodeResent { .. }
            | Happened::CardBound { .. }
            | Happened::CardFailed { .. }
            | Happened::UnbindingAsked { .. }
            | Happened::CardUnbound { .. }
            | Happened::UnbindingDeclined { .. }
            | Happened::PasswordAsked { .. } => {}
        }
        if event.revises() {
            self.revision += 1;
            self.updated_at_ms = at_ms;
        }
    }
}

/// The rows that a batch touches.
#[derive(Default)]
struct Touched {
    accounts: BTreeMap<i64, AccountRow>,
    cards: BTreeMap<i64, CardRow>,
}

impl Touched {
    fn card(&mut self, card_id: BankCardId) -> Result<&mut CardRow, ApplyError> {
        self.cards.get_mut(&card_id.0).ok_or_else(|| "a card changed before it was named".into())
    }

    fn name_card(
        &mut self,
        account: (i64, i64),
        card_id: BankCardId,
        bank: String,
        card: &Personal<BankCard>,
    ) {
        let known = card.known();
        let row = CardRow {
            card_id: card_id.0,
            account_id: account.0,
            agent_id: account.1,
            bank_name: bank,
            card_no: known.map(|card| card.card_no.masked()).unwrap_or_default(),
            holder: known.map(|card| masked_name(&card.holder)).unwrap_or_default(),
            mobile: known.map(|card| card.mobile.masked()).unwrap_or_default(),
            state: CardState::Pending as i16,
            ..CardRow::default()
        };
        self.cards.insert(card_id.0, row);
    }

    fn turn(&mut self, card_id: BankCardId, state: CardState, reason: String) -> Result<(), ApplyError> {
        let card = self.card(card_id)?;
        card.state = state as i16;
        card.reason = reason;
        Ok(())
    }

    fn take_in(&mut self, recorded: &Recorded) -> Result<(), ApplyError> {
        use PaymentAccountEvent as Happened;
        let account_id: i64 = recorded.stream_id.parse()?;
        let at_ms = recorded.recorded_at.millis();
        let event = recorded.decode::<PaymentAccountEvent>()?;
        if let Happened::Applied { agent_id, .. } = &event {
            let agent_id = agent_id.0;
            let row = AccountRow { account_id, agent_id, created_at_ms: at_ms, ..AccountRow::default() };
            self.accounts.insert(account_id, row);
        }
        let account = self.accounts.get_mut(&account_id);
        let account = account.ok_or("an account changed before it was applied for")?;
        account.take_in(&event, at_ms);
        let whose = (account_id, account.agent_id);
        match event {
            Happened::CardNamed { card_id, bank_name, card, at } => {
                self.name_card(whose, card_id, bank_name, &card);
                self.card(card_id)?.code_sent_at_ms = at.millis();
            }
            Happened::CodeResent { card_id, at } => self.card(card_id)?.code_sent_at_ms = at.millis(),
            Happened::CardBound { card_id } => {
                self.turn(card_id, CardState::Bound, String::new())?;
                self.card(card_id)?.bound_at_ms = Some(at_ms);
            }
            Happened::CardFailed { card_id, cause } => {
                self.turn(card_id, CardState::Failed, cause.label().to_owned())?;
            }
            Happened::UnbindingAsked { card_id, reason } => {
                self.turn(card_id, CardState::Unbinding, reason)?;
            }
            Happened::CardUnbound { card_id, reason } => self.turn(card_id, CardState::Unbound, reason)?,
            Happened::UnbindingDeclined { card_id, reason } => {
                self.turn(card_id, CardState::Bound, reason)?;
            }
            Happened::Applied { .. }
            | Happened::Reapplied { .. }
            | Happened::Opened { .. }
            | Happened::Rejected { .. }
            | Happened::Frozen { .. }
            | Happened::Unfrozen { .. }
            | Happened::Closed { .. }
            | Happened::PasswordAsked { .. }
            | Happened::PasswordSet => {}
        }
        Ok(())
    }
}

#[async_trait]
impl Projector for PaymentAccountProjector {
    fn name(&self) -> &'static str {
        super::PROJECTOR
    }

    fn tables(&self) -> &'static [&'static str] {
        &["payment_account", "payment_card"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[PaymentAccount::CATEGORY]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let keys: Vec<String> = events.iter().map(|event| event.stream_id.to_string()).collect();
        let accounts: Vec<AccountRow> =
            rows::load(db, "payment_account", "account_id", "bigint", &keys).await?;
        let cards: Vec<CardRow> = rows::load(db, "payment_card", "account_id", "bigint", &keys).await?;
        let mut touched = Touched {
            accounts: accounts.into_iter().map(|row| (row.account_id, row)).collect(),
            cards: cards.into_iter().map(|row| (row.card_id, row)).collect(),
        };
        for recorded in events {
            touched.take_in(recorded)?;
        }
        let accounts: Vec<AccountRow> = touched.accounts.into_values().collect();
        let cards: Vec<CardRow> = touched.cards.into_values().collect();
        rows::upsert(db, "payment_account", "account_id", &accounts).await?;
        rows::upsert(db, "payment_card", "card_id", &cards).await?;
        let change = |row: &AccountRow| Change {
            table: "payment_account",
            key: row.account_id.to_string(),
            owner: DataOwner::of_agent(AgentId(row.agent_id)),
        };
        Ok(accounts.iter().map(change).collect())
    }
}

/// An account as the table has it; names and numbers are masked.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct AccountFound {
    /// Its id.
    pub account_id: PaymentAccountId,
    /// Whose it is.
    pub agent_id: AgentId,
    /// Under which account it stands.
    pub parent_account_id: Option<PaymentAccountId>,
    /// 1 or 2; nothing until it is opened.
    pub account_level: Option<i16>,
    /// 0 个人, 1 企业, 2 个体户.
    pub account_type: i16,
    /// 开户名称.
    pub customer_name: String,
    /// 证件号码.
    pub cert_no: String,
    /// 联系人.
    pub contact: String,
    /// 联系电话.
    pub phone: String,
    /// See [`AccountStatus`].
    pub status: i16,
    /// 转账授权.
    pub auth_status: i16,
    /// Of the last status that has one.
    pub reason: String,
    /// Whether the payment password was set.
    pub pay_password_set: bool,
    /// When it was opened.
    pub opened_at_ms: Option<i64>,
    /// When it was changed.
    pub updated_at_ms: i64,
    /// To be sent with a change.
    pub revision: i64,
}

/// A card as the table has it.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct CardFound {
    /// Its id.
    pub card_id: BankCardId,
    /// 开户银行.
    pub bank_name: String,
    /// Its last four digits.
    pub card_no: String,
    /// 持卡人.
    pub holder: String,
    /// 银行预留手机号.
    pub mobile: String,
    /// See [`CardState`].
    pub state: i16,
    /// When it was bound.
    pub bound_at_ms: Option<i64>,
    /// Why it failed, or shall go or stay.
    pub reason: String,
}

/// Accounts in scope, newest first: with `pattern`, those whose customer's name is like it or whose agent is one of
/// `called`.
pub fn list(scope: &Scope, pattern: Option<&str>, called: &[AgentId]) -> List {
    let list = List::new("*", "read.payment_account", "created_at_ms desc, account_id desc")
        .of_agents("agent_id", scope);
    let Some(pattern) = pattern else { return list };
    let called = Value::Numbers(called.iter().map(|agent| agent.0).collect());
    list.matching(&["(customer_name like ", " or agent_id = any(", "))"], vec![pattern.into(), called])
}

/// One account; nothing when it is not in scope.
pub async fn one(db: impl PgExecutor<'_>, account: PaymentAccountId) -> sqlx::Result<Option<AccountFound>> {
    sqlx::query_as("select * from read.payment_account where account_id = $1")
        .bind(account)
        .fetch_optional(db)
        .await
}

/// The account of an agent; nothing when it has none or is not in scope.
pub async fn of_agent(db: impl PgExecutor<'_>, agent: AgentId) -> sqlx::Result<Option<AccountFound>> {
    sqlx::query_as(
        "select * from read.payment_account where agent_id = $1 and parent_account_id is null
         order by account_id limit 1",
    )
    .bind(agent)
    .fetch_optional(db)
    .await
}

/// How the account of an agent stands: status and level.
pub async fn standing(db: impl PgExecutor<'_>, agent: AgentId) -> sqlx::Result<Option<(i16, Option<i16>)>> {
    sqlx::query_as(
        "select status, account_level from read.payment_account
         where agent_id = $1 and parent_account_id is null order by account_id limit 1",
    )
    .bind(agent)
    .fetch_optional(db)
    .await
}

/// Accounts to choose from, by name: of one agent, or all in scope; at most 200.
pub async fn choices(
    db: impl PgExecutor<'_>,
    agent: Option<AgentId>,
) -> sqlx::Result<Vec<(PaymentAccountId, String)>> {
    sqlx::query_as(
        "select account_id, customer_name from read.payment_account
         where $1::bigint is null or agent_id = $1 order by customer_name, account_id limit $2",
    )
    .bind(agent)
    .bind(CHOICES)
    .fetch_all(db)
    .await
}

/// The newest cards of an account, newest first.
pub async fn cards(db: impl PgExecutor<'_>, account: PaymentAccountId) -> sqlx::Result<Vec<CardFound>> {
    sqlx::query_as(
        "select card_id, bank_name, card_no, holder, mobile, state, bound_at_ms, reason from read.payment_card
         where account_id = $1 order by card_id desc limit $2",
    )
    .bind(account)
    .bind(CARDS_SHOWN)
    .fetch_all(db)
    .await
}

/// Cards whose code is worth nothing any more at `now`, with their accounts; at most 500.
pub async fn over(
    db: impl PgExecutor<'_>,
    now: Timestamp,
) -> sqlx::Result<Vec<(PaymentAccountId, BankCardId)>> {
    sqlx::query_as(
        "select account_id, card_id from read.payment_card where state = 0 and code_sent_at_ms <= $1
         order by code_sent_at_ms, card_id limit $2",
    )
    .bind(now.plus_millis(-CODE_LIFE_MS).millis())
    .bind(EXPIRED_AT_ONCE)
    .fetch_all(db)
    .await
}
