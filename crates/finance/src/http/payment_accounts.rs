//! Payment accounts: applied for by agents, recorded by the platform, listed with names and numbers masked.

use axum::extract::State;
use axum::http::HeaderMap;
use kernel::List;
use kernel::list::containing;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::{AgentId, BankCardId, DataOwner, Page, PaymentAccountId};
use wire::{
    Body, Caller, FinancialAnswer, HandledFinancial, Nothing, Params, Permit, Refused, RequestContext,
    Routes, Seen, given, number,
};

use super::{ACCOUNT, MANAGEMENT, NEWEST, agent_meant, platform_only, refused, unknown_account};
use crate::Context;
use crate::model::payment_account::{
    AccountLevel, AccountStatus, AccountType, Application, CardState, PaymentAccountCommand,
};
use crate::read::PROJECTOR;
use crate::read::payment_accounts::{self, AccountFound, CardFound};

/// Whoever divides money chooses accounts, too.
const CHOICES: Permit = Permit::AnyOf(&["financial_05", "financial_06"]);
/// A name is looked up among so many.
const LOOKED_UP: i64 = 20;

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("finance")
        .add(Permit::SignedIn, routes!(account_info).with_state(context.clone()))
        .add(ACCOUNT, routes!(open_account).with_state(context.clone()))
        .add(ACCOUNT, routes!(state).with_state(context.clone()))
        .add(MANAGEMENT, routes!(list).with_state(context.clone()))
        .add(ACCOUNT, routes!(detail).with_state(context.clone()))
        .add(CHOICES, routes!(account_list).with_state(context.clone()))
        .add(MANAGEMENT, routes!(by_tenant_name).with_state(context.clone()))
}

/// A bank card; names and numbers masked.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PaymentCard {
    /// Its id, as text.
    #[schema(value_type = String)]
    id: BankCardId,
    /// 开户银行.
    bank_name: String,
    /// 银行卡号: its last four digits.
    card_no_masked: String,
    /// 持卡人, masked.
    holder: String,
    /// 银行预留手机号, masked.
    mobile_masked: String,
    /// How far its binding got.
    #[schema(value_type = CardState)]
    state: i16,
    /// Epoch milliseconds.
    bound_at: Option<i64>,
    /// Why it failed, or shall go or stay.
    reason: Option<String>,
}

impl From<CardFound> for PaymentCard {
    fn from(found: CardFound) -> Self {
        Self {
            id: found.card_id,
            bank_name: found.bank_name,
            card_no_masked: found.card_no,
            holder: found.holder,
            mobile_masked: found.mobile,
            state: found.state,
            bound_at: found.bound_at_ms,
            reason: Some(found.reason).filter(|reason| !reason.is_empty()),
        }
    }
}

/// A payment account; names and numbers masked.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PaymentAccountRow {
    /// Its id, as text.
    #[schema(value_type = String)]
    pub(super) id: PaymentAccountId,
    /// Whose it is, as text.
    #[schema(value_type = String)]
    pub(super) agent_id: AgentId,
    /// 代理.
    pub(super) agent_name: String,
    /// Under which account it stands, as text; null: under none.
    #[schema(value_type = Option<String>)]
    pub(super) parent_account_id: Option<PaymentAccountId>,
    /// 账户等级; null until it is opened.
    #[schema(value_type = Option<AccountLevel>)]
    pub(super) account_level: Option<i16>,
    /// 账户类型.
    #[schema(value_type = AccountType)]
    pub(super) account_type: i16,
    /// 开户名称.
    pub(super) customer_name: String,
    /// 证件号码: its last four characters.
    pub(super) cert_no_masked: String,
    /// 联系人, masked.
    pub(super) contact: String,
    /// 联系电话, masked.
    pub(super) phone_masked: String,
    /// 账户状态.
    #[schema(value_type = AccountStatus)]
    pub(super) status: i16,
    /// 转账授权: 0 未授权, 1 授权中, 2 已授权, 3 失效.
    pub(super) auth_status: i16,
    /// Why it was not opened, is frozen or was closed.
    pub(super) fail_reason: Option<String>,
    /// Whether the payment password was set.
    pub(super) pay_password_set: bool,
    /// Epoch milliseconds; null until it is opened.
    pub(super) opened_at: Option<i64>,
    /// Epoch milliseconds.
    pub(super) changed_at: i64,
    /// To be sent with a change.
    pub(super) version: i64,
    /// Its newest cards; absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    cards: Option<Vec<PaymentCard>>,
}

impl PaymentAccountRow {
    fn new(found: AccountFound, agent_name: String, cards: Option<Vec<PaymentCard>>) -> Self {
        Self {
            id: found.account_id,
            agent_id: found.agent_id,
            agent_name,
            parent_account_id: found.parent_account_id,
            account_level: found.account_level,
            account_type: found.account_type,
            customer_name: found.customer_name,
            cert_no_masked: found.cert_no,
            contact: found.contact,
            phone_masked: found.phone,
            status: found.status,
            auth_status: found.auth_status,
            fail_reason: Some(found.reason).filter(|reason| !reason.is_empty()),
            pay_password_set: found.pay_password_set,
            opened_at: found.opened_at_ms,
            changed_at: found.updated_at_ms,
            version: found.revision,
            cards,
        }
    }
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct OfAgent {
    /// The agent; absent: the one in the header, else the caller's own.
    agent_id: Option<String>,
}

/// What the login asks of an account.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AccountInfo {
    /// Its id, as text.
    #[schema(value_type = String)]
    id: PaymentAccountId,
    /// 账户等级; null until it is opened.
    #[schema(value_type = Option<AccountLevel>)]
    account_level: Option<i16>,
    /// 转账授权.
    auth_status: i16,
    /// 账户状态.
    #[schema(value_type = AccountStatus)]
    status: i16,
    /// 账户类型.
    #[schema(value_type = AccountType)]
    account_type: i16,
    /// 开户名称.
    customer_name: String,
    /// 代理.
    name: String,
}

/// The payment account of an agent; null when none was applied for.
#[utoipa::path(get, path = "/Pay/customer/getAccountInfo", tag = "finance", operation_id = "paymentAccountInfo",
    params(OfAgent), responses((status = 200, body = FinancialAnswer<Option<AccountInfo>>)))]
async fn account_info(
    State(context): State<Context>,
    caller: Caller,
    headers: HeaderMap,
    Seen(seen): Seen,
    Params(query): Params<OfAgent>,
) -> HandledFinancial<Option<AccountInfo>> {
    let agent = match number("agentId", query.agent_id.as_ref())? {
        Some(agent) if !caller.full_scope.agents.contains(&agent) => return Err(Refused::forbidden()),
        Some(agent) => agent,
        None => agent_meant(&caller, &headers),
    };
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, &[PROJECTOR]).await?;
    let found = payment_accounts::of_agent(&mut *db, agent).await?;
    drop(db);
    let Some(found) = found else { return Ok(FinancialAnswer(None)) };
    let name = context.agent_name(agent).await?;
    Ok(FinancialAnswer(Some(AccountInfo {
        id: found.account_id,
        account_level: found.account_level,
        auth_status: found.auth_status,
        status: found.status,
        account_type: found.account_type,
        customer_name: found.customer_name,
        name,
    })))
}

impl Context {
    async fn agent_name(&self, agent: AgentId) -> Result<String, Refused> {
        let mut names = self.ports.agents.names(&[agent]).await.map_err(Refused::unavailable)?;
        Ok(names.remove(&agent).unwrap_or_default())
    }

    /// Accounts in the caller's scope with `keyword` in their customer's or their agent's name.
    async fn list(&self, caller: &Caller, keyword: Option<&str>) -> Result<List, Refused> {
        let pattern = keyword.map(containing);
        let called = match &pattern {
            Some(pattern) => {
                let called = self.ports.agents.called(&caller.full_scope, pattern).await;
                called.map_err(Refused::unavailable)?
            }
            None => Vec::new(),
        };
        Ok(payment_accounts::list(&caller.full_scope, pattern.as_deref(), &called))
    }

    /// Accounts with the names of their agents.
    async fn with_names(&self, found: Vec<AccountFound>) -> Result<Vec<PaymentAccountRow>, Refused> {
        let agents: Vec<AgentId> = found.iter().map(|account| account.agent_id).collect();
        let names = self.ports.agents.names(&agents).await.map_err(Refused::unavailable)?;
        let row = |account: AccountFound| {
            let name = names.get(&account.agent_id).cloned().unwrap_or_default();
            PaymentAccountRow::new(account, name, None)
        };
        Ok(found.into_iter().map(row).collect())
    }

    /// All that [`Self::list`] has, at most `most`.
    pub(super) async fn rows(
        &self,
        caller: &Caller,
        Seen(seen): Seen,
        keyword: Option<&str>,
        most: i64,
    ) -> Result<Vec<PaymentAccountRow>, Refused> {
        let list = self.list(caller, keyword).await?;
        let mut db = self.runtime.reads.scoped(&caller.full_scope, seen, &[PROJECTOR]).await?;
        let found = list.rows(&mut db, most).await?;
        drop(db);
        self.with_names(found).await
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OpenAccount {
    /// The agent.
    #[schema(value_type = String)]
    agent_id: AgentId,
    /// 0 个人, 1 企业, 2 个体户.
    #[schema(value_type = i16)]
    account_type: i16,
    /// 开户名称: 1 to 64 characters.
    customer_name: String,
    /// 个人: identity number; 企业 and 个体户: unified social credit code.
    cert_no: String,
    /// 联系人: 1 to 20 characters.
    contact: String,
    /// A mobile number.
    phone: String,
}

/// Applies for an agent's account, or again after it was not opened; answers `{accountId, status: 1}`.
#[utoipa::path(post, path = "/Pay/customer/openAccount", tag = "finance", operation_id = "openPaymentAccount",
    request_body = OpenAccount, responses((status = 200, body = FinancialAnswer<Value>)))]
async fn open_account(
    State(context): State<Context>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<OpenAccount>,
) -> HandledFinancial<Value> {
    let agent_id = body.agent_id;
    let works = caller.full_scope.contains(DataOwner::of_agent(agent_id))
        && context.ports.agents.works(agent_id).await.map_err(Refused::unavailable)?;
    if !works {
        return Err(Refused::business("agent-unknown", "代理不存在或已停用"));
    }
    let account_type =
        AccountType::try_from(body.account_type).map_err(|error| Refused::malformed(error.to_string()))?;
    let application =
        Application::new(account_type, &body.customer_name, &body.cert_no, &body.contact, &body.phone)
            .map_err(|refusal| refused(&refusal))?;
    let mut db = context.runtime.reads.scoped(&caller.full_scope, NEWEST, &[PROJECTOR]).await?;
    let known = payment_accounts::of_agent(&mut *db, agent_id).await?;
    drop(db);
    let account_id =
        known.map_or_else(|| PaymentAccountId(context.runtime.ids.next_id()), |known| known.account_id);
    let command = PaymentAccountCommand::Apply { account_id, agent_id, application };
    let reply = json!({ "accountId": account_id, "status": AccountStatus::Applied as i16 });
    let receipt = context.execute(account_id, command, &request.context_of_account(reply)).await?;
    Ok(FinancialAnswer::replied(receipt))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PaymentAccountState)]
struct AccountState {
    #[schema(value_type = String)]
    account_id: PaymentAccountId,
    /// The version that the editor saw.
    version: i64,
    /// 2 正常, 3 开户失败, 4 冻结, 5 销户.
    status: i16,
    /// 1 or 2; needed when the account is opened.
    account_level: Option<i16>,
    /// 1 to 200 characters; needed for everything but opening.
    reason: Option<String>,
}

/// Records what became of an account: opened, not opened, frozen, usable again, closed. The platform's own people
/// record what the payment provider answered.
#[utoipa::path(put, path = "/Pay/customer/state", tag = "finance", operation_id = "setPaymentAccountState",
    request_body = AccountState, responses((status = 200, body = FinancialAnswer<Nothing>)))]
async fn state(
    State(context): State<Context>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<AccountState>,
) -> HandledFinancial<Value> {
    platform_only(&caller, "仅平台可登记开户结果")?;
    let status = AccountStatus::try_from(body.status)
        .map_err(|_| Refused::malformed("状态应为 2（正常）、3（开户失败）、4（冻结）或 5（销户）"))?;
    let level = body
        .account_level
        .map(AccountLevel::try_from)
        .transpose()
        .map_err(|error| Refused::malformed(error.to_string()))?;
    let command = PaymentAccountCommand::SetStatus {
        revision: body.version,
        status,
        level,
        reason: body.reason.unwrap_or_default(),
    };
    let receipt = context.execute(body.account_id, command, &request.context_of_account(json!({}))).await?;
    context.settle(&receipt).await?;
    Ok(FinancialAnswer::replied(receipt))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// 1-based, default 1.
    current: Option<String>,
    /// Default 10, at most 200.
    size: Option<String>,
    /// Part of the customer's or the agent's name.
    keyword: Option<String>,
}

/// A page of accounts.
#[derive(Debug, Serialize, ToSchema)]
struct AccountPage {
    /// The accounts of this page.
    records: Vec<PaymentAccountRow>,
    /// How many match, at most 10000.
    total: i64,
    /// Which page this is.
    current: i64,
    /// How many a page has.
    size: i64,
}

/// Accounts in scope, newest first; names and numbers masked.
#[utoipa::path(get, path = "/Pay/customer/list", tag = "finance", operation_id = "listPaymentAccounts",
    params(ListQuery), responses((status = 200, body = FinancialAnswer<AccountPage>)))]
async fn list(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    Params(query): Params<ListQuery>,
) -> HandledFinancial<AccountPage> {
    let page = Page::new(number("current", query.current.as_ref())?, number("size", query.size.as_ref())?);
    let list = context.list(&caller, given(query.keyword.as_ref())).await?;
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, &[PROJECTOR]).await?;
    let found = list.page(&mut db, page).await?;
    drop(db);
    Ok(FinancialAnswer(AccountPage {
        records: context.with_names(found.rows).await?,
        total: found.count,
        current: page.offset() / page.limit() + 1,
        size: page.limit(),
    }))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct AccountQuery {
    /// The account.
    #[param(value_type = String)]
    account_id: String,
}

/// One account with its cards; names and numbers masked.
#[utoipa::path(get, path = "/Pay/customer/detail", tag = "finance", operation_id = "paymentAccountDetail",
    params(AccountQuery), responses((status = 200, body = FinancialAnswer<PaymentAccountRow>)))]
async fn detail(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    Params(query): Params<AccountQuery>,
) -> HandledFinancial<PaymentAccountRow> {
    let id = number("accountId", Some(&query.account_id))?;
    let id = id.ok_or_else(|| Refused::malformed("请求参数 accountId 不能为空"))?;
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, &[PROJECTOR]).await?;
    let found = payment_accounts::one(&mut *db, id).await?.ok_or_else(unknown_account)?;
    let cards = payment_accounts::cards(&mut *db, id).await?;
    drop(db);
    let name = context.agent_name(found.agent_id).await?;
    let cards = cards.into_iter().map(PaymentCard::from).collect();
    Ok(FinancialAnswer(PaymentAccountRow::new(found, name, Some(cards))))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ChoiceQuery {
    /// Those of this agent; absent: all in scope.
    agent_id: Option<String>,
}

/// An account to choose.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AccountChoice {
    /// Its id, as text.
    #[schema(value_type = String)]
    id: PaymentAccountId,
    /// 开户名称.
    customer_name: String,
}

/// Accounts to choose from, by name; at most 200.
#[utoipa::path(get, path = "/Pay/customer/accountList", tag = "finance", operation_id = "choosePaymentAccounts",
    params(ChoiceQuery), responses((status = 200, body = FinancialAnswer<Vec<AccountChoice>>)))]
async fn account_list(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    Params(query): Params<ChoiceQuery>,
) -> HandledFinancial<Vec<AccountChoice>> {
    let agent = number("agentId", query.agent_id.as_ref())?;
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, &[PROJECTOR]).await?;
    let found = payment_accounts::choices(&mut *db, agent).await?;
    let choice = |(id, customer_name)| AccountChoice { id, customer_name };
    Ok(FinancialAnswer(found.into_iter().map(choice).collect()))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct TenantName {
    /// Part of the customer's or the agent's name.
    #[serde(default)]
    tenant_name: String,
}

/// An account that was looked up.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AccountOfTenant {
    /// Its id, as text.
    #[schema(value_type = String)]
    id: PaymentAccountId,
    /// 开户名称.
    customer_name: String,
    /// 账户等级; null until it is opened.
    #[schema(value_type = Option<AccountLevel>)]
    account_level: Option<i16>,
    /// 账户状态.
    #[schema(value_type = AccountStatus)]
    status: i16,
}

/// Accounts in scope by part of a name, newest first; at most 20, none for an empty name.
#[utoipa::path(post, path = "/Pay/customer/getAccountByTenantName", tag = "finance",
    operation_id = "paymentAccountsByTenantName", request_body = TenantName,
    responses((status = 200, body = FinancialAnswer<Vec<AccountOfTenant>>)))]
async fn by_tenant_name(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    Body(body): Body<TenantName>,
) -> HandledFinancial<Vec<AccountOfTenant>> {
    let Some(name) = given(Some(&body.tenant_name)) else { return Ok(FinancialAnswer(Vec::new())) };
    let list = context.list(&caller, Some(name)).await?;
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, &[PROJECTOR]).await?;
    let found = list.rows(&mut db, LOOKED_UP).await?;
    let row = |account: AccountFound| AccountOfTenant {
        id: account.account_id,
        customer_name: account.customer_name,
        account_level: account.account_level,
        status: account.status,
    };
    Ok(FinancialAnswer(found.into_iter().map(row).collect()))
}
