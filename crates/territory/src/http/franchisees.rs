//! Franchisees: ally info, edited from the management of accounts. Names and phones are masked wherever they are
//! listed; whoever asks for them whole leaves his name in the log.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use kernel::{CommandError, List, ReadTx};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, Choice, DataOwner, FranchiseeId, Scope};
use wire::{
    Answer, Body, ById, Call, Caller, Column, Export, Handled, Listed, Listing, MadeId, Nothing, Params,
    Permit, Record, Refused, Routes,
};

use crate::Context;
use crate::model::agent::Agent;
use crate::model::area::{Area, AreaState};
use crate::model::franchisee::{
    AREAS_MAX, Form, Franchisee, FranchiseeCommand, FranchiseeRefusal, FranchiseeState,
};
use crate::read::areas::{self, AreaOption};
use crate::read::franchisees::{self, FranchiseeRow};

const FRANCHISEES: Permit = Permit::AnyOf(&["1101"]);
/// Shown for people who were forgotten.
const FORGOTTEN: &str = "已注销";

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory")
        .add_list::<ListQuery>(
            FRANCHISEES,
            Listed {
                path: "/platform/agent/allyInfo",
                operations: ["listAllies", "exportAllies"],
                summary: "Franchisees in scope, newest first; names and phones masked.",
            },
        )
        .add_record::<ListQuery>(
            FRANCHISEES,
            Record {
                path: "/platform/agent/allyInfo/info",
                operation: "allyInfo",
                summary: "One franchisee; names and phones masked.",
            },
        )
        .add(FRANCHISEES, routes!(create, update, delete))
        .add(FRANCHISEES, routes!(state))
        .add(FRANCHISEES, routes!(unmask))
        .with_state(context.clone())
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Part of the company's name or its number.
    keyword: Option<String>,
    /// Those who work with this agent.
    agent_id: Option<AgentId>,
    /// Those who work in this area.
    service_area_id: Option<AreaId>,
    /// Those that stand so.
    state: Option<FranchiseeState>,
}

impl Listing for ListQuery {
    type State = Context;
    type Row = FranchiseeRow;
    const READS: &'static [&'static str] = &["franchisee", "agent", "area"];
    const KEY: &'static str = "y.franchisee_id";
    const FILE: Export<FranchiseeRow> = Export {
        what: "ally",
        title: "加盟商",
        columns: &[
            Column::text("company", "公司", |row| &row.company),
            Column::text("state", "状态", |row| row.state.label()),
            Column::text("agent", "所属代理", |row| row.agent_company.as_deref().unwrap_or_default()),
            Column::made("areas", "服务区", |row| names(&row.service_areas)),
            Column::made("contractEnd", "合同到期日", |row| day(row.contract_end)),
            Column::percent("ratio", "分成比例", |row| row.divide_ratio_bp.into()),
            Column::count("vehicleCount", "车辆", |row| row.vehicle_count),
            Column::text("contact", "联系人", |row| &row.contact),
            Column::text("phone", "联系电话", |row| &row.phone),
            Column::money("deposit", "保证金（元）", |row| row.deposit_paid),
            Column::time("updatedAt", "更新时间", |row| Some(row.updated_at)),
            Column::text("licenseNo", "信用代码", |row| &row.license_no),
            Column::text("legalPerson", "法人", |row| &row.legal_person),
            Column::made("joinedAt", "加盟日期", |row| day(row.joined_at)),
            Column::text("remark", "备注", |row| &row.remark),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        Ok(franchisees::list(scope)
            .contains(&["y.company", "y.license_no"], self.keyword.as_deref())
            .is("y.agent_id", self.agent_id.map(|agent| agent.0))
            .with_area("y.area_ids", scope, self.service_area_id)
            .is("y.state", self.state.map(Choice::number)))
    }

    /// With the names of their areas, of the transaction they were found in, and the bikes of these.
    async fn shown(
        context: &Context,
        mut db: ReadTx,
        mut found: Vec<FranchiseeRow>,
    ) -> Result<Vec<FranchiseeRow>, Refused> {
        let ids: BTreeSet<AreaId> =
            found.iter().flat_map(|row| row.service_area_ids.iter().copied()).collect();
        let names = areas::names(&mut *db, &ids.into_iter().collect::<Vec<_>>()).await?;
        drop(db);
        // Of areas that the caller may not see he is not told how many bikes they have.
        let visible: Vec<AreaId> = names.iter().map(|area| area.id).collect();
        let vehicles = context.ports.bikes.count_by_area(&visible).await.map_err(Refused::unavailable)?;
        for row in &mut found {
            let of_it = |area: &&AreaOption| row.service_area_ids.contains(&area.id);
            row.service_areas = names.iter().filter(of_it).cloned().collect();
            row.vehicle_count = row.service_area_ids.iter().filter_map(|area| vehicles.get(area)).sum();
        }
        Ok(found)
    }
}

fn names(areas: &[AreaOption]) -> String {
    areas.iter().map(|area| area.name.as_str()).collect::<Vec<_>>().join("、")
}

fn day(day: Option<NaiveDate>) -> String {
    day.map_or_else(String::new, |day| day.to_string())
}

/// Refuses areas that are new to the franchisee and not the agent's, closed, or outside of the caller's scope.
async fn check_areas(
    context: &Context,
    caller: &Caller,
    agent: AgentId,
    known: &BTreeSet<AreaId>,
    wanted: &Form,
) -> Result<(), Refused> {
    let wanted = wanted.service_area_ids.as_ref().unwrap_or(known);
    if wanted.len() > AREAS_MAX {
        return Err(CommandError::Refused(FranchiseeRefusal::Areas).into());
    }
    for &id in wanted.difference(known) {
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
    let missing = || Refused::business("agent-missing", "请选择加盟商所属的代理");
    caller.owner_of_new(named)?.ok_or_else(missing)
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewFranchisee {
    #[serde(flatten)]
    content: Form,
    /// With whom it works; absent: the caller's only agent.
    agent_id: Option<AgentId>,
}

/// Takes a franchisee in, 洽谈; answers `{id}`.
#[utoipa::path(post, path = "/platform/agent/allyInfo", tag = "territory", operation_id = "createAlly",
    request_body = NewFranchisee, responses((status = 200, body = Answer<MadeId>)))]
async fn create(call: Call<Context>, Body(body): Body<NewFranchisee>) -> Handled<Value> {
    let Call { state: context, caller, .. } = &call;
    let agent_id = agent_of(caller, body.agent_id)?;
    let agent = context.runtime.desk.load::<Agent>(&agent_id).await?;
    if !agent.state.is_enabled() || !caller.full_scope.agents.contains(&agent_id) {
        return Err(Refused::business("agent-unknown", "代理不存在或已停用"));
    }
    check_areas(context, caller, agent_id, &BTreeSet::new(), &body.content).await?;
    let franchisee_id = FranchiseeId(context.runtime.ids.next_id());
    let command = FranchiseeCommand::Register { franchisee_id, agent_id, form: body.content };
    call.make::<Franchisee>(&franchisee_id, command).await
}

#[derive(Deserialize, ToSchema)]
struct ChangedFranchisee {
    id: FranchiseeId,
    #[serde(flatten)]
    content: Form,
    /// The version that the editor saw, when he says so.
    version: Option<i64>,
}

/// Changes a franchisee; a stale version is refused.
#[utoipa::path(put, path = "/platform/agent/allyInfo", tag = "territory", operation_id = "updateAlly",
    request_body = ChangedFranchisee, responses((status = 200, body = Answer<Nothing>)))]
async fn update(call: Call<Context>, Body(body): Body<ChangedFranchisee>) -> Handled<Value> {
    let Call { state: context, caller, .. } = &call;
    let known = context.runtime.desk.load::<Franchisee>(&body.id).await?.state;
    let agent = known.agent().filter(|agent| caller.full_scope.contains(DataOwner::of_agent(*agent)));
    let agent = agent.ok_or_else(Refused::not_found)?;
    let revision = body.version.unwrap_or(known.revision());
    check_areas(context, caller, agent, &known.terms().area_ids, &body.content).await?;
    call.act::<Franchisee>(&body.id, FranchiseeCommand::Change { form: body.content, revision }).await
}

/// Removes a franchisee with whom nothing was signed.
#[utoipa::path(delete, path = "/platform/agent/allyInfo", tag = "territory", operation_id = "deleteAlly",
    params(ById<FranchiseeId>), responses((status = 200, body = Answer<Nothing>)))]
async fn delete(call: Call<Context>, Params(ById { id }): Params<ById<FranchiseeId>>) -> Handled<Value> {
    call.act::<Franchisee>(&id, FranchiseeCommand::Delete).await
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
async fn state(call: Call<Context>, Body(body): Body<NextState>) -> Handled<Value> {
    let command = match body.state {
        1 => FranchiseeCommand::Sign,
        // Bills are the financial context's; until it stands nobody has an account, and so there are none.
        3 => FranchiseeCommand::Terminate { reason: body.reason, unsettled_bills: 0 },
        _ => return Err(Refused::malformed("状态应为 1（签约）或 3（解约）；到期由系统按合同到期日处理")),
    };
    call.act::<Franchisee>(&body.id, command).await
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
async fn unmask(call: Call<Context>, Body(body): Body<Unmask>) -> Handled<WholePeople> {
    // The answer is not stored with the request: what is whole lies sealed in the log alone.
    let receipt = call.acted::<Franchisee>(&body.id, FranchiseeCommand::Reveal, None).await?;
    let franchisee = call.state.runtime.desk.load::<Franchisee>(&body.id).await?.state;
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
