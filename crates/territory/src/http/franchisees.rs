//! Franchisees: ally info, edited from the management of accounts. Names and phones are masked wherever they are
//! listed; whoever asks for them whole leaves his name in the log.

use std::collections::{BTreeMap, BTreeSet};

use axum::extract::State;
use axum::response::Response;
use chrono::NaiveDate;
use kernel::List;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, Cents, Choice, DataOwner, FranchiseeId, Phone, Reach, Scope, Timestamp};
use wire::{
    Answer, Body, Caller, Column, Disclosure, EXPORT_ROWS_READ, Export, ExportColumns, Handled, Nothing,
    PageOf, PageQuery, Params, Permit, Refused, RequestContext, Routes, Seen,
};

use crate::Context;
use crate::model::agent::Agent;
use crate::model::area::{Area, AreaState};
use crate::model::franchisee::{
    AREAS_MAX, Franchisee, FranchiseeCommand, FranchiseeForm, FranchiseeState, PeopleForm, Terms,
};
use crate::read::areas::{self, AreaOption};
use crate::read::franchisees::{self, FranchiseeFound};

const FRANCHISEES: Permit = Permit::AnyOf(&["1101"]);
const READS: [&str; 3] = ["franchisee", "agent", "area"];
/// Shown for people who were forgotten.
const FORGOTTEN: &str = "已注销";

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory")
        .add(FRANCHISEES, routes!(list, create, update, delete).with_state(context.clone()))
        .add_unwrapped(FRANCHISEES, routes!(export).with_state(context.clone()))
        .add(FRANCHISEES, routes!(info).with_state(context.clone()))
        .add(FRANCHISEES, routes!(state).with_state(context.clone()))
        .add(FRANCHISEES, routes!(unmask).with_state(context.clone()))
}

/// A franchisee as lists and its drawer show it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct FranchiseeRow {
    /// Its id, as text.
    id: FranchiseeId,
    /// With whom it works.
    agent_id: AgentId,
    /// The agent's company; null when the caller may not see it.
    agent_company: Option<String>,
    /// 公司.
    company: String,
    /// 统一社会信用代码, empty until it is known.
    license_no: String,
    /// 联系人, masked.
    contact: String,
    /// 联系电话, masked.
    phone: String,
    /// 法人, masked; empty until it is known.
    legal_person: String,
    /// 服务区: as text.
    service_area_ids: Vec<AreaId>,
    /// Of them, those that the caller may see, by name.
    service_areas: Vec<AreaOption>,
    /// 加盟时间, `YYYY-MM-DD`.
    #[schema(value_type = Option<String>)]
    joined_at: Option<NaiveDate>,
    /// The contract's last day, `YYYY-MM-DD`.
    #[schema(value_type = Option<String>)]
    contract_end: Option<NaiveDate>,
    /// Bikes that belong to its areas.
    vehicle_count: i64,
    /// 保证金, cents.
    deposit_paid: i64,
    /// 分成比例, ten-thousandths.
    divide_ratio_bp: i32,
    state: FranchiseeState,
    /// 备注.
    remark: String,
    /// Why it was ended.
    ended_reason: String,
    /// Epoch milliseconds.
    created_at: i64,
    /// Epoch milliseconds.
    updated_at: i64,
    /// To be sent with a change.
    version: i64,
}

impl FranchiseeRow {
    fn new(found: FranchiseeFound, names: &[AreaOption], vehicles: &BTreeMap<AreaId, i64>) -> Self {
        let of_it = |area: &&AreaOption| found.area_ids.contains(&area.id);
        let names = names.iter().filter(of_it).cloned().collect();
        let vehicle_count = found.area_ids.iter().filter_map(|area| vehicles.get(area)).sum();
        Self {
            id: found.franchisee_id,
            agent_id: found.agent_id,
            agent_company: found.agent_company,
            company: found.company,
            license_no: found.license_no,
            contact: found.contact,
            phone: found.phone,
            legal_person: found.legal_person,
            service_area_ids: found.area_ids,
            service_areas: names,
            joined_at: found.joined_on,
            contract_end: found.contract_end,
            vehicle_count,
            deposit_paid: found.deposit_cents,
            divide_ratio_bp: found.ratio_bp,
            state: found.state,
            remark: found.remark,
            ended_reason: found.ended_reason,
            created_at: found.created_at_ms,
            updated_at: found.updated_at_ms,
            version: found.revision,
        }
    }
}

/// The rows with the names of their areas, within the transaction they were found in, and their bikes.
async fn with_areas(
    context: &Context,
    db: &mut kernel::ReadTx,
    found: Vec<FranchiseeFound>,
) -> Result<Vec<FranchiseeRow>, Refused> {
    let ids: BTreeSet<AreaId> =
        found.iter().flat_map(|franchisee| franchisee.area_ids.iter().copied()).collect();
    let names = areas::names(&mut **db, &ids.into_iter().collect::<Vec<_>>()).await?;
    // Of areas that the caller may not see he is not told how many bikes they have.
    let visible: Vec<AreaId> = names.iter().map(|area| area.id).collect();
    let vehicles = context.ports.bikes.count_by_area(&visible).await.map_err(Refused::unavailable)?;
    Ok(found.into_iter().map(|franchisee| FranchiseeRow::new(franchisee, &names, &vehicles)).collect())
}

#[derive(Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Part of the company's name or its number.
    keyword: Option<String>,
    /// Those who work with this agent.
    agent_id: Option<AgentId>,
    /// Those that stand so.
    state: Option<FranchiseeState>,
}

impl ListQuery {
    fn list(&self, scope: &Scope) -> List {
        franchisees::list(scope)
            .contains(&["y.company", "y.license_no"], self.keyword.as_deref())
            .is("y.agent_id", self.agent_id.map(|agent| agent.0))
            .is("y.state", self.state.map(Choice::number))
    }
}

/// Franchisees in scope, newest first; names and phones masked.
#[utoipa::path(get, path = "/platform/agent/allyInfo", tag = "territory", operation_id = "listAllies",
    params(PageQuery, ListQuery), responses((status = 200, body = Answer<PageOf<FranchiseeRow>>)))]
async fn list(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    Params(paging): Params<PageQuery>,
    Params(query): Params<ListQuery>,
) -> Handled<PageOf<FranchiseeRow>> {
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, &READS).await?;
    let found = query.list(&caller.full_scope).page(&mut db, paging.page()).await?;
    let rows = with_areas(&context, &mut db, found.rows).await?;
    Ok(Answer(PageOf { rows, count: found.count, capped: found.capped }))
}

/// The list as a file; names and phones are masked there as well.
const FILE: Export<FranchiseeRow> = Export {
    what: "ally",
    title: "加盟商",
    columns: &[
        Column { key: "company", title: "公司", text: |row| row.company.clone() },
        Column { key: "state", title: "状态", text: |row| row.state.label().to_owned() },
        Column {
            key: "agent", title: "所属代理", text: |row| row.agent_company.clone().unwrap_or_default()
        },
        Column { key: "areas", title: "服务区", text: |row| names(&row.service_areas) },
        Column { key: "contractEnd", title: "合同到期日", text: |row| day(row.contract_end) },
        Column {
            key: "ratio", title: "分成比例", text: |row| hundredths(row.divide_ratio_bp.into(), "%")
        },
        Column { key: "vehicleCount", title: "车辆", text: |row| row.vehicle_count.to_string() },
        Column { key: "contact", title: "联系人", text: |row| row.contact.clone() },
        Column { key: "phone", title: "联系电话", text: |row| row.phone.clone() },
        Column { key: "deposit", title: "保证金（元）", text: |row| hundredths(row.deposit_paid, "") },
        Column {
            key: "updatedAt",
            title: "更新时间",
            text: |row| Timestamp::from_millis(row.updated_at).local(),
        },
        Column { key: "licenseNo", title: "信用代码", text: |row| row.license_no.clone() },
        Column { key: "legalPerson", title: "法人", text: |row| row.legal_person.clone() },
        Column { key: "joinedAt", title: "加盟日期", text: |row| day(row.joined_at) },
        Column { key: "remark", title: "备注", text: |row| row.remark.clone() },
    ],
};

fn names(areas: &[AreaOption]) -> String {
    areas.iter().map(|area| area.name.as_str()).collect::<Vec<_>>().join("、")
}

fn day(day: Option<NaiveDate>) -> String {
    day.map_or_else(String::new, |day| day.to_string())
}

/// Cents as yuan, or ten-thousandths as a percentage.
fn hundredths(value: i64, unit: &str) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}{unit}", value.unsigned_abs() / 100, value.unsigned_abs() % 100)
}

/// Franchisees in scope as CSV, at most 50000; names and phones masked. It stands in the log who took it, cut down to
/// what.
#[utoipa::path(get, path = "/platform/agent/allyInfo/export", tag = "territory", operation_id = "exportAllies",
    params(ListQuery, ExportColumns), responses((status = 200, body = String, content_type = "text/csv")))]
async fn export(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    disclosure: Disclosure,
    Params(query): Params<ListQuery>,
    Params(columns): Params<ExportColumns>,
) -> Result<Response, Refused> {
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, &READS).await?;
    let found = query.list(&caller.full_scope).rows(&mut db, EXPORT_ROWS_READ).await?;
    let rows = with_areas(&context, &mut db, found).await?;
    drop(db);
    FILE.hand_out(&disclosure, &columns, &query, &rows).await
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct FranchiseeQuery {
    /// The franchisee.
    id: FranchiseeId,
}

/// One franchisee; names and phones masked.
#[utoipa::path(get, path = "/platform/agent/allyInfo/info", tag = "territory", operation_id = "allyInfo",
    params(FranchiseeQuery), responses((status = 200, body = Answer<FranchiseeRow>)))]
async fn info(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    Params(query): Params<FranchiseeQuery>,
) -> Handled<FranchiseeRow> {
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, &READS).await?;
    let found =
        franchisees::one(&mut db, &caller.full_scope, query.id).await?.ok_or_else(Refused::not_found)?;
    let row = with_areas(&context, &mut db, vec![found]).await?.pop();
    row.map(Answer).ok_or_else(Refused::not_found)
}

/// What people fill in. What is absent stays as it is; an empty text takes away what was there.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct FranchiseeBody {
    /// 1 to 64 characters.
    company: Option<String>,
    /// 1 to 20 characters.
    contact: Option<String>,
    /// A mobile number.
    phone: Option<String>,
    /// 统一社会信用代码.
    license_no: Option<String>,
    /// 法人.
    legal_person: Option<String>,
    /// Areas of the agent, at most 100.
    service_area_ids: Option<BTreeSet<AreaId>>,
    /// `YYYY-MM-DD`.
    joined_at: Option<String>,
    /// `YYYY-MM-DD`, the last day.
    contract_end: Option<String>,
    /// Cents.
    deposit_paid: Option<i64>,
    /// Ten-thousandths, 0 to 10000.
    divide_ratio_bp: Option<i32>,
    /// At most 200 characters.
    remark: Option<String>,
}

/// A day as people write it; an empty text is none.
fn date(name: &str, text: &str) -> Result<Option<NaiveDate>, Refused> {
    match text.trim() {
        "" => Ok(None),
        text => NaiveDate::parse_from_str(text, "%Y-%m-%d")
            .map(Some)
            .map_err(|_| Refused::business("ally-date", format!("{name}应为 YYYY-MM-DD 格式的日期"))),
    }
}

impl FranchiseeBody {
    /// The form that this makes of `known`.
    fn over(self, known: &Terms) -> Result<FranchiseeForm, Refused> {
        let license_no = match self.license_no.as_deref().map(str::trim) {
            None => known.license_no.clone(),
            Some("") => None,
            Some(text) => {
                let parsed = text.to_uppercase().parse();
                Some(parsed.map_err(|error: crate::model::license::NotALicenseNo| {
                    Refused::business("ally-license", error.to_string())
                })?)
            }
        };
        let phone: Option<Phone> =
            match &self.phone {
                None => None,
                Some(text) => Some(text.trim().parse().map_err(|error: vocabulary::NotAPhone| {
                    Refused::business("phone-bad", error.to_string())
                })?),
            };
        let terms = Terms {
            company: self.company.unwrap_or_else(|| known.company.clone()),
            license_no,
            area_ids: self.service_area_ids.unwrap_or_else(|| known.area_ids.clone()),
            joined_on: match &self.joined_at {
                None => known.joined_on,
                Some(text) => date("加盟日期", text)?,
            },
            contract_end: match &self.contract_end {
                None => known.contract_end,
                Some(text) => date("合同到期日", text)?,
            },
            deposit: self.deposit_paid.map_or(known.deposit, Cents),
            ratio_bp: self.divide_ratio_bp.unwrap_or(known.ratio_bp),
            remark: self.remark.unwrap_or_else(|| known.remark.clone()),
        };
        let people = PeopleForm { contact: self.contact, phone, legal_person: self.legal_person };
        Ok(FranchiseeForm { terms, people })
    }
}

/// Refuses areas that are new to the franchisee and not the agent's, closed, or outside of the caller's scope.
async fn check_areas(
    context: &Context,
    caller: &Caller,
    agent: AgentId,
    known: &Terms,
    wanted: &Terms,
) -> Result<(), Refused> {
    let added: Vec<AreaId> = wanted.area_ids.difference(&known.area_ids).copied().collect();
    if added.len() > AREAS_MAX {
        return Err(Refused::business("ally-areas", format!("一个加盟商最多 {AREAS_MAX} 个服务区")));
    }
    for id in added {
        let area = context.runtime.desk.load::<Area>(&id).await?.state;
        let usable = area.agent() == Some(agent)
            && area.state() != Some(AreaState::Closed)
            && caller.full_scope.contains(DataOwner::of_area(agent, id));
        if !usable {
            return Err(Refused::business("ally-area", "所选服务区不存在、已关停，或不属于该代理"));
        }
    }
    Ok(())
}

/// With whom a new franchisee works: the agent named; unnamed, the caller's only one.
fn agent_of(caller: &Caller, named: Option<AgentId>) -> Result<AgentId, Refused> {
    match (named, &caller.full_scope.agents) {
        (Some(agent), _) => Ok(agent),
        (None, Reach::Only(agents)) if agents.len() == 1 => {
            Ok(agents.iter().copied().next().unwrap_or(AgentId(0)))
        }
        (None, _) => Err(Refused::business("agent-missing", "请选择加盟商所属的代理")),
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewFranchisee {
    #[serde(flatten)]
    content: FranchiseeBody,
    /// With whom it works; absent: the caller's only agent.
    agent_id: Option<AgentId>,
}

/// Takes a franchisee in, 洽谈; answers `{id}`.
#[utoipa::path(post, path = "/platform/agent/allyInfo", tag = "territory", operation_id = "createAlly",
    request_body = NewFranchisee, responses((status = 200, body = Answer<Value>)))]
async fn create(
    State(context): State<Context>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<NewFranchisee>,
) -> Handled<Value> {
    let agent_id = agent_of(&caller, body.agent_id.filter(|agent| agent.0 != 0))?;
    let agent = context.runtime.desk.load::<Agent>(&agent_id).await?;
    if !agent.state.is_enabled() || !caller.full_scope.agents.contains(&agent_id) {
        return Err(Refused::business("agent-unknown", "代理不存在或已停用"));
    }
    let form = body.content.over(&Terms::default())?;
    check_areas(&context, &caller, agent_id, &Terms::default(), &form.terms).await?;
    let franchisee_id = FranchiseeId(context.runtime.ids.next_id());
    let command = FranchiseeCommand::Register { franchisee_id, agent_id, form };
    let ctx = request.context_of_account(json!({ "id": franchisee_id }));
    Ok(Answer::replied(context.runtime.desk.execute::<Franchisee>(&franchisee_id, command, &ctx).await?))
}

#[derive(Deserialize, ToSchema)]
struct ChangedFranchisee {
    id: FranchiseeId,
    #[serde(flatten)]
    content: FranchiseeBody,
    /// The version that the editor saw, when he says so.
    version: Option<i64>,
}

/// Changes a franchisee; a stale version is refused.
#[utoipa::path(put, path = "/platform/agent/allyInfo", tag = "territory", operation_id = "updateAlly",
    request_body = ChangedFranchisee, responses((status = 200, body = Answer<Nothing>)))]
async fn update(
    State(context): State<Context>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<ChangedFranchisee>,
) -> Handled<Value> {
    let known = context.runtime.desk.load::<Franchisee>(&body.id).await?.state;
    let agent = known.agent().filter(|agent| caller.full_scope.contains(DataOwner::of_agent(*agent)));
    let agent = agent.ok_or_else(Refused::not_found)?;
    let revision = body.version.unwrap_or(known.revision());
    let form = body.content.over(known.terms())?;
    check_areas(&context, &caller, agent, known.terms(), &form.terms).await?;
    let command = FranchiseeCommand::Change { form, revision };
    let ctx = request.context_of_account(json!({}));
    Ok(Answer::replied(context.runtime.desk.execute::<Franchisee>(&body.id, command, &ctx).await?))
}

/// Removes a franchisee with whom nothing was signed.
#[utoipa::path(delete, path = "/platform/agent/allyInfo", tag = "territory", operation_id = "deleteAlly",
    params(FranchiseeQuery), responses((status = 200, body = Answer<Nothing>)))]
async fn delete(
    State(context): State<Context>,
    request: RequestContext,
    Params(query): Params<FranchiseeQuery>,
) -> Handled<Value> {
    let ctx = request.context_of_account(json!({}));
    Ok(Answer::replied(
        context.runtime.desk.execute::<Franchisee>(&query.id, FranchiseeCommand::Delete, &ctx).await?,
    ))
}

#[derive(Deserialize, ToSchema)]
struct NextState {
    id: FranchiseeId,
    /// 1 signs the contract, 3 ends it. 2 comes by itself when the contract's last day is over.
    state: i16,
    /// Why it is ended: 1 to 200 characters.
    #[serde(default)]
    reason: String,
}

/// Signs a franchisee's contract or ends it.
#[utoipa::path(post, path = "/platform/agent/allyInfo/state", tag = "territory", operation_id = "setAllyState",
    request_body = NextState, responses((status = 200, body = Answer<Nothing>)))]
async fn state(
    State(context): State<Context>,
    request: RequestContext,
    Body(body): Body<NextState>,
) -> Handled<Value> {
    let command = match body.state {
        1 => FranchiseeCommand::Sign,
        // Bills are the financial context's; until it stands nobody has an account, and so there are none.
        3 => FranchiseeCommand::Terminate { reason: body.reason, unsettled_bills: 0 },
        _ => return Err(Refused::malformed("状态应为 1（签约）或 3（解约）；到期由系统按合同到期日处理")),
    };
    let ctx = request.context_of_account(json!({}));
    Ok(Answer::replied(context.runtime.desk.execute::<Franchisee>(&body.id, command, &ctx).await?))
}

#[derive(Deserialize, ToSchema)]
struct Unmask {
    id: FranchiseeId,
}

/// Names and phone, whole.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WholePeople {
    /// 联系人.
    contact: String,
    /// 联系电话.
    phone: String,
    /// 法人.
    legal_person: String,
}

/// Names and phone of one franchisee, whole. Who asked stands in the log.
#[utoipa::path(post, path = "/platform/agent/allyInfo/unmask", tag = "territory", operation_id = "unmaskAlly",
    request_body = Unmask, responses((status = 200, body = Answer<WholePeople>)))]
async fn unmask(
    State(context): State<Context>,
    request: RequestContext,
    Body(body): Body<Unmask>,
) -> Handled<WholePeople> {
    // The answer is not stored with the request: what is whole lies sealed in the log alone.
    let ctx = request.context_of_account(json!({}));
    let receipt =
        context.runtime.desk.execute::<Franchisee>(&body.id, FranchiseeCommand::Reveal, &ctx).await?;
    let franchisee = context.runtime.desk.load::<Franchisee>(&body.id).await?.state;
    let whole = match franchisee.people() {
        Some(people) => WholePeople {
            contact: people.contact.clone(),
            phone: people.phone.to_string(),
            legal_person: people.legal_person.clone(),
        },
        None => {
            WholePeople { contact: FORGOTTEN.to_owned(), phone: String::new(), legal_person: String::new() }
        }
    };
    Ok(Answer::at(whole, &receipt))
}
