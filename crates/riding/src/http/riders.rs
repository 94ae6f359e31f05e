//! Riders as the back-office sees them: the list, what is shown of one in whole when somebody asks, and who may ride no more.

use kernel::{List, ReadTx};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, Phone, RiderId, Scope, Timestamp};
use wire::{
    Answer, Body, Call, Column, Disclosed, Disclosure, End, Export, Handled, Listed, Listing, Nothing,
    Permit, Refused, Routes, given, moment,
};

use crate::Context;
use crate::model::rider::{AccountState, DepositState, Qualification, Rider, RiderCommand};
use crate::read::riders::{self, RiderRow};

/// Who may see riders and act on them.
pub(super) const RIDERS: Permit = Permit::AnyOf(&["070101"]);

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add_list::<ListQuery>(
            RIDERS,
            Listed {
                path: "/user/list",
                operations: ["listRiders", "exportRiders"],
                summary: "Riders in scope, newest first; phones, names and numbers masked.",
            },
        )
        .add(RIDERS, routes!(unmask))
        .add(RIDERS, routes!(switch))
        .with_state(context.clone())
}

/// What the list is cut down to.
#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// A whole phone, or his id.
    keyword: Option<String>,
    /// Those of this agent.
    agent_id: Option<AgentId>,
    /// Those who registered in this area.
    op_area_id: Option<AreaId>,
    /// Those whose account stands so now.
    account_state: Option<AccountState>,
    /// Whether it was proved who they are.
    is_verified: Option<bool>,
    /// Those who may ride by this of their own now.
    qualification: Option<Qualification>,
    /// Those whose deposit stands so now.
    deposit_state: Option<DepositState>,
    /// Registered from then on: `YYYY-MM-DD HH:mm:ss`.
    start_time: Option<String>,
    /// Registered until then, included.
    end_time: Option<String>,
}

impl Listing for ListQuery {
    type State = Context;
    type Row = RiderRow;
    const READS: &'static [&'static str] = &["rider", "ride_order", "ledger_book", "area"];
    const KEY: &'static str = "r.rider_id";
    const FILE: Export<RiderRow> = Export {
        what: "rider",
        title: "骑行用户",
        columns: &[
            Column::text("phoneMasked", "手机号", |row| &row.phone_masked),
            Column::text("nameMasked", "姓名", |row| &row.name_masked),
            Column::text("userState", "用户状态", |row| row.user_state.map_or("", |state| state.label())),
            Column::text("accountState", "账户状态", |row| {
                row.account_state.map_or("", |state| state.label())
            }),
            Column::made("qualifications", "骑行资格", |row| {
                row.qualifications.iter().map(|by| by.label()).collect::<Vec<_>>().join("、")
            }),
            Column::money("balanceCents", "钱包余额", |row| {
                row.recharge_cents.unwrap_or_default() + row.present_cents.unwrap_or_default()
            }),
            Column::money("owedCents", "欠款", |row| row.owed_cents.unwrap_or_default()),
            Column::text("depositState", "押金", |row| row.deposit_state.label()),
            Column::count("totalOrders", "订单数", |row| row.total_orders.unwrap_or_default()),
            Column::money("totalPaidCents", "累计消费", |row| row.total_paid_cents.unwrap_or_default()),
            Column::time("lastOrderAt", "最近骑行", |row| row.last_order_at),
            Column::text("areaName", "服务区", |row| row.area_name.as_deref().unwrap_or_default()),
            Column::text("channel", "注册渠道", |row| row.channel.label()),
            Column::time("createdAt", "注册时间", |row| Some(row.created_at)),
            Column::time("verifiedAt", "实名时间", |row| row.verified_at),
            Column::made("userId", "用户编号", |row| row.user_id.to_string()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let from = moment("startTime", self.start_time.as_ref(), End::First)?;
        let until = moment("endTime", self.end_time.as_ref(), End::Last)?;
        let list = riders::list(scope)
            .is("r.agent_id", self.agent_id.map(|agent| agent.0))
            .is("r.area_id", self.op_area_id.map(|area| area.0))
            .is("r.is_verified", self.is_verified)
            .between("r.created_at_ms", from.map(Timestamp::millis), until.map(Timestamp::millis));
        let list = riders::standing(list, self.account_state);
        let list = riders::qualified(list, self.qualification);
        let list = riders::with_deposit(list, self.deposit_state);
        let Some(keyword) = given(self.keyword.as_ref()) else { return Ok(list) };
        Ok(match keyword.parse::<Phone>() {
            Ok(phone) => list.is("r.phone", Some(phone.as_str())),
            Err(_) => list.is("r.rider_id", Some(keyword.parse::<i64>().unwrap_or(0))),
        })
    }

    async fn shown(
        context: &Context,
        db: ReadTx,
        mut found: Vec<RiderRow>,
    ) -> Result<Vec<RiderRow>, Refused> {
        drop(db);
        let now = context.runtime.clock.now();
        for row in &mut found {
            row.stand_at(now);
        }
        Ok(found)
    }
}

/// What of a rider is shown masked.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
enum RiderFact {
    /// 手机号.
    Phone,
    /// 姓名.
    Name,
    /// 身份证号.
    IdNo,
}

impl RiderFact {
    /// As the operator log names it.
    const fn disclosed(self) -> &'static str {
        match self {
            Self::Phone => "rider.phone",
            Self::Name => "rider.name",
            Self::IdNo => "rider.id_no",
        }
    }

    /// As it is; nothing where it was not proved, or is forgotten.
    fn of(self, rider: &Rider) -> Option<String> {
        let identity = rider.identity();
        match self {
            Self::Phone => rider.registration().and_then(|of| of.phone.known()).map(ToString::to_string),
            Self::Name => identity.map(|identity| identity.name.clone()),
            Self::IdNo => identity.map(|identity| identity.id_no.clone()),
        }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WholeOfRider)]
struct Whole {
    /// Which rider.
    user_id: RiderId,
    /// What of him.
    what: RiderFact,
}

/// One thing of a rider, whole.
#[derive(Debug, Serialize, ToSchema)]
struct RiderFactWhole {
    /// As it is.
    value: String,
}

/// Phone, name or identity number of a rider, whole; one at a time. Who asked stands in the log.
#[utoipa::path(post, path = "/user/unmask", tag = "riding", operation_id = "unmaskRider",
    request_body = Whole, responses((status = 200, body = Answer<RiderFactWhole>)))]
async fn unmask(
    call: Call<Context>,
    disclosure: Disclosure,
    Body(body): Body<Whole>,
) -> Handled<RiderFactWhole> {
    let rider = call.state.rider_in_reach(&call.caller, body.user_id).await?;
    let value = body.what.of(&rider).ok_or_else(|| {
        Refused::business("rider-nothing-masked", "该用户尚未实名或已注销，没有可查看的内容")
    })?;
    let what = body.what.disclosed().to_owned();
    disclosure.note(Disclosed::Unmask { what, target: body.user_id.to_string() }).await?;
    Ok(Answer(RiderFactWhole { value }))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RiderSwitch)]
struct Switch {
    /// 账户状态: 1 freezes, 0 unfreezes.
    state: AccountState,
    /// 原因: 1 to 200 characters.
    #[serde(default)]
    reason: String,
    /// The version that was seen; another one is refused.
    version: Option<i64>,
}

/// Freezes an account, or unfreezes it: who is frozen unlocks nothing more; a ride that is under way is not cut.
#[utoipa::path(post, path = "/user/{userId}/state", tag = "riding", operation_id = "switchRider",
    params(("userId" = String, Path, description = "The rider's id.")), request_body = Switch,
    responses((status = 200, body = Answer<Nothing>)))]
async fn switch(
    call: Call<Context>,
    axum::extract::Path(user_id): axum::extract::Path<String>,
    Body(body): Body<Switch>,
) -> Handled<Value> {
    let rider = by_path(&user_id)?;
    call.state.rider_in_reach(&call.caller, rider).await?;
    let Switch { state, reason, version } = body;
    let command = match state {
        AccountState::Frozen => RiderCommand::Freeze { reason },
        AccountState::Normal => RiderCommand::Unfreeze { reason },
        _ => return Err(Refused::malformed("请求参数 state 应为 0（解冻）或 1（冻结）")),
    };
    Ok(Answer::replied(call.acted::<Rider>(&rider, command, version).await?))
}

/// A rider's id of a path.
pub(super) fn by_path(text: &str) -> Result<RiderId, Refused> {
    text.parse().map(RiderId).map_err(|_| Refused::malformed("用户编号不正确"))
}
