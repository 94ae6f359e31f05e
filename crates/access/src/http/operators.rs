//! Operators: the table of people and what is done to them. They are named by their login phone.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::{Path, State};
use kernel::{List, ReadTx};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use vocabulary::{AgentId, AreaId, Choice, Phone, Reach, RoleId, Scope};
use wire::{
    Answer, BATCH_MAX, BatchAnswer, Body, Caller, Column, Export, Handled, Listing, Nothing, Params, Refused,
    RequestContext, Seen, batch, given, number,
};

use super::{OnOff, on_off, phone};
use crate::Access;
use crate::model::level::Level;
use crate::model::operator::OperatorForm;
use crate::model::profession::Profession;
use crate::read::operators::{self, OperatorFilter, OperatorRow};

const READS: [&str; 2] = ["operator", "role"];
/// Accounts that one call may delete.
const DELETED_AT_ONCE: usize = 50;
/// Roles that one operator may be given at once.
const ROLES_AT_ONCE: usize = 50;

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(crate) struct ListQuery {
    /// Part of name or phone.
    keyword: Option<String>,
    /// 0 disabled, 1 enabled.
    state: Option<String>,
    /// Bit-or of tiers; those who have at least one of them.
    level: Option<String>,
    /// Holders of this role.
    role_id: Option<String>,
    /// Those whose reach names this agent; not those who see all of them.
    agent_id: Option<String>,
    /// Those whose reach names this area; not those who see all areas of their agents.
    op_area_id: Option<String>,
    /// 1 换电员, 2 挪车员, 3 维修员, 4 巡检员, 5 负责人.
    profession: Option<String>,
}

impl Listing for ListQuery {
    type State = Arc<Access>;
    type Row = OperatorRow;
    const READS: &'static [&'static str] = &READS;
    const KEY: &'static str = "o.operator_id";
    /// The columns as the page shows them; a phone leaves without its middle.
    const FILE: Export<OperatorRow> = Export {
        what: "user",
        title: "人员列表",
        columns: &[
            Column::text("name", "姓名", |row| &row.name),
            Column::made("phone", "手机号", masked),
            Column::enabled("state", "状态", |row| row.state == 1),
            Column::made("level", "级别", |row| row.level_names.join("、")),
            Column::made("profession", "工种", profession),
            Column::made("roles", "角色", |row| row.role_names.join("、")),
            Column::made("reach", "数据范围", reach),
            Column::time("lastLoginAt", "最近登录", |row| row.last_login_at),
            Column::time("createdAt", "创建时间", |row| Some(row.created_at)),
            Column::made("objectId", "人员编号", |row| row.object_id.to_string()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let filter = OperatorFilter {
            keyword: given(self.keyword.as_ref()).map(str::to_owned),
            state: on_off("state", self.state.as_ref())?,
            level: number("level", self.level.as_ref())?,
            role: number("roleId", self.role_id.as_ref())?,
            agent: number("agentId", self.agent_id.as_ref())?,
            area: number("opAreaId", self.op_area_id.as_ref())?,
            profession: number("profession", self.profession.as_ref())?,
        };
        Ok(filter.list(scope))
    }

    /// With the roles that they hold.
    async fn shown(
        _: &Arc<Access>,
        mut db: ReadTx,
        found: Vec<OperatorRow>,
    ) -> Result<Vec<OperatorRow>, Refused> {
        Ok(operators::with_roles(&mut db, found).await?)
    }
}

fn masked(row: &OperatorRow) -> String {
    row.phone.parse::<Phone>().map_or_else(|_| "***".to_owned(), |phone| phone.masked())
}

fn profession(row: &OperatorRow) -> String {
    row.profession.map_or("", Profession::label_of).to_owned()
}

/// How far a person sees, in a few words.
fn reach(row: &OperatorRow) -> String {
    if row.is_root {
        return "全部".to_owned();
    }
    let some = |ids: &[String], what: &str| {
        if ids.is_empty() { format!("全部{what}") } else { format!("{} 个{what}", ids.len()) }
    };
    format!("{} · {}", some(&row.agent_ids, "代理商"), some(&row.op_area_ids, "服务区"))
}

/// One operator.
#[utoipa::path(get, path = "/platform/permission/user/{phone}", tag = "access", operation_id = "operatorInfo",
    params(("phone" = String, Path, description = "login phone")),
    responses((status = 200, body = Answer<OperatorRow>)))]
pub(crate) async fn info(
    State(access): State<Arc<Access>>,
    caller: Caller,
    Seen(seen): Seen,
    Path(path): Path<String>,
) -> Handled<OperatorRow> {
    let phone = phone(&path)?;
    let mut db = access.runtime.reads.scoped(&caller.full_scope, seen, &READS).await?;
    Ok(Answer(operators::one(&mut db, &phone).await?.ok_or_else(Refused::not_found)?))
}

/// What an operator may do and see.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Rights {
    /// The codes of his enabled roles with the groups above them, as `allCode` tells them to himself.
    codes: Vec<String>,
    /// Agents that he may see, as text; empty: all.
    #[schema(value_type = Vec<String>)]
    agent_ids: Vec<AgentId>,
    /// Areas that he may see, as text; empty: all.
    #[schema(value_type = Vec<String>)]
    area_ids: Vec<AreaId>,
}

/// What an operator may do and see, to look at the pages as he does; only of one who has no more than the caller.
#[utoipa::path(get, path = "/platform/permission/user/{phone}/codes", tag = "access",
    operation_id = "operatorRights", params(("phone" = String, Path, description = "login phone")),
    responses((status = 200, body = Answer<Rights>)))]
pub(crate) async fn codes(
    State(access): State<Arc<Access>>,
    caller: Caller,
    Path(path): Path<String>,
) -> Handled<Rights> {
    let operator = access.operator_of(&caller, &phone(&path)?).await?;
    access.within(&caller, operator).await?;
    let standing = access.standing_of(operator).await?.ok_or_else(Refused::not_found)?;
    Ok(Answer(Rights {
        codes: standing.codes.iter().cloned().map(String::from).collect(),
        agent_ids: ids(standing.scope.agents),
        area_ids: ids(standing.scope.areas),
    }))
}

fn ids<T: Ord>(reach: Reach<T>) -> Vec<T> {
    match reach {
        Reach::All => Vec::new(),
        Reach::Only(few) => few.into_iter().collect(),
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OperatorBody {
    /// 1 to 20 characters.
    name: String,
    /// Bit-or of tiers 1, 2, 4 and 8.
    level: i64,
    /// 工种: 1 换电员, 2 挪车员, 3 维修员, 4 巡检员, 5 负责人; absent or 0: none.
    profession: Option<i16>,
    /// The one agent that he belongs to; 0 or absent: see `agentIds`.
    #[schema(value_type = Option<String>)]
    agent_id: Option<AgentId>,
    /// Agents that he may see; empty or absent: all that there are.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    agent_ids: BTreeSet<AgentId>,
    /// Service areas that he may see; empty or absent: all of his agents.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    op_area_ids: BTreeSet<AreaId>,
}

impl OperatorBody {
    fn form(self) -> Result<OperatorForm, Refused> {
        let level =
            Level::try_from(self.level).map_err(|error| Refused::business("level-bad", error.to_string()))?;
        let profession = self.profession.filter(|number| *number != 0).map(Profession::try_from);
        let profession =
            profession.transpose().map_err(|error| Refused::business("profession-bad", error.to_string()))?;
        let mut agents = self.agent_ids;
        agents.extend(self.agent_id.filter(|agent| agent.0 != 0));
        let agents = if agents.is_empty() { Reach::All } else { Reach::Only(agents) };
        let areas = if self.op_area_ids.is_empty() { Reach::All } else { Reach::Only(self.op_area_ids) };
        Ok(OperatorForm { name: self.name, level, profession, reach: Scope::of(agents, areas) })
    }
}

fn few(roles: BTreeSet<RoleId>) -> Result<BTreeSet<RoleId>, Refused> {
    if roles.len() <= ROLES_AT_ONCE {
        Ok(roles)
    } else {
        Err(Refused::business("roles-too-many", format!("最多选择 {ROLES_AT_ONCE} 个角色")))
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewOperator {
    /// What he signs in with; unique.
    phone: String,
    #[serde(flatten)]
    content: OperatorBody,
    /// Roles that he gets.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    role_ids: BTreeSet<RoleId>,
    /// 0 disabled, 1 enabled (when absent).
    #[schema(value_type = Option<u8>)]
    state: Option<OnOff>,
}

/// The id of the account that was opened.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Opened {
    /// As text.
    object_id: String,
}

/// Opens an account; answers `{objectId}`.
#[utoipa::path(post, path = "/platform/permission/user", tag = "access", operation_id = "createOperator",
    request_body = NewOperator, responses((status = 200, body = Answer<Opened>)))]
pub(crate) async fn create(
    State(access): State<Arc<Access>>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<NewOperator>,
) -> Handled<Value> {
    let (phone, roles) = (phone(&body.phone)?, few(body.role_ids)?);
    let enabled = body.state.is_none_or(|state| state.0);
    let form = body.content.form()?;
    Ok(Answer::replied(access.register_operator(&request, &caller, phone, form, enabled, roles).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangedOperator {
    #[serde(flatten)]
    content: OperatorBody,
    /// The roles that he shall hold; absent: as they are.
    #[schema(value_type = Option<Vec<String>>)]
    role_ids: Option<BTreeSet<RoleId>>,
    /// The version that the editor saw.
    version: i64,
}

/// Changes an account and its roles; a stale version is refused.
#[utoipa::path(post, path = "/platform/permission/user/{phone}", tag = "access",
    operation_id = "updateOperator", params(("phone" = String, Path, description = "login phone")),
    request_body = ChangedOperator, responses((status = 200, body = Answer<Nothing>)))]
pub(crate) async fn update(
    State(access): State<Arc<Access>>,
    caller: Caller,
    request: RequestContext,
    Path(path): Path<String>,
    Body(body): Body<ChangedOperator>,
) -> Handled<Value> {
    let operator = access.operator_of(&caller, &phone(&path)?).await?;
    let roles = body.role_ids.map(few).transpose()?;
    let form = body.content.form()?;
    Ok(Answer::replied(access.change_operator(&request, &caller, operator, form, body.version, roles).await?))
}

/// Closes an account: not one's own, not the last administrator's.
#[utoipa::path(delete, path = "/platform/permission/user/{phone}", tag = "access",
    operation_id = "deleteOperator", params(("phone" = String, Path, description = "login phone")),
    responses((status = 200, body = Answer<Nothing>)))]
pub(crate) async fn delete_one(
    State(access): State<Arc<Access>>,
    caller: Caller,
    request: RequestContext,
    Path(path): Path<String>,
) -> Handled<Value> {
    let operator = access.operator_of(&caller, &phone(&path)?).await?;
    let receipt = access.delete_operator(&request, &caller, operator).await?;
    Ok(Answer::at(json!({}), &receipt))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Phones {
    /// Login phones, separated by commas; at most 50.
    phones: String,
}

/// Closes several accounts: each is judged alone and the answer tells what became of it. Of just one a refusal is
/// the answer.
#[utoipa::path(delete, path = "/platform/permission/user", tag = "access", operation_id = "deleteOperators",
    params(Phones), responses((status = 200, body = Answer<BatchAnswer>)))]
pub(crate) async fn delete_many(
    State(access): State<Arc<Access>>,
    caller: Caller,
    request: RequestContext,
    Params(query): Params<Phones>,
) -> Handled<BatchAnswer> {
    let phones = query.phones.split(',').map(|text| phone(text.trim())).collect::<Result<Vec<_>, _>>()?;
    let phones = batch(phones, DELETED_AT_ONCE)?;
    if let [one] = phones.as_slice() {
        let operator = access.operator_of(&caller, one).await?;
        let receipt = access.delete_operator(&request, &caller, operator).await?;
        return Ok(Answer::at(BatchAnswer::default(), &receipt));
    }
    Ok(access.delete_operators(&request, &caller, &phones).await?.answer())
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct OperatorState {
    /// Login phone; or `phones`.
    phone: Option<String>,
    /// Login phones, at most 200: each is judged alone and the answer tells what became of it.
    phones: Option<Vec<String>>,
    /// 0 disabled, 1 enabled.
    #[schema(value_type = u8)]
    state: OnOff,
}

/// Enables or disables one account or several; disabling ends their sessions at once.
#[utoipa::path(post, path = "/platform/permission/user/state", tag = "access",
    operation_id = "setOperatorState", request_body = OperatorState,
    responses((status = 200, body = Answer<BatchAnswer>)))]
pub(crate) async fn state(
    State(access): State<Arc<Access>>,
    caller: Caller,
    request: RequestContext,
    Body(body): Body<OperatorState>,
) -> Handled<BatchAnswer> {
    let enabled = body.state.0;
    match (body.phone, body.phones) {
        (Some(one), None) => {
            let operator = access.operator_of(&caller, &phone(&one)?).await?;
            let receipt = access.set_operator_state(&request, &caller, operator, enabled).await?;
            Ok(Answer::at(BatchAnswer::default(), &receipt))
        }
        (None, Some(named)) => {
            let phones = named.iter().map(|text| phone(text)).collect::<Result<Vec<_>, _>>()?;
            let phones = batch(phones, BATCH_MAX)?;
            Ok(access.set_operator_states(&request, &caller, &phones, enabled).await?.answer())
        }
        _ => Err(Refused::malformed("请求参数应为 phone 或 phones 之一")),
    }
}
