//! What the programs of riders tell of them: they come, prove who they are, and see how they stand.

use axum::extract::State;
use kernel::Runtime;
use ledger::Holder;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AreaId, Phone, RideOrderId, RiderId, Scope};
use wire::{Answer, Body, Call, Handled, Params, Permit, Refused, Routes};

use crate::Context;
use crate::app::{NewRider, Proof};
use crate::model::rider::{AccountState, DepositState, RegisterChannel, RiderState};
use crate::read::arrears::{self, Arrear};
use crate::read::riders;

/// What a rider's program may do.
pub(crate) const RIDER: Permit = Permit::Machine("open:rider");

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add(RIDER, routes!(register))
        .add(RIDER, routes!(verify))
        .add(RIDER, routes!(account))
        .add(RIDER, routes!(arrears))
        .with_state(context.clone())
}

/// Somebody who comes.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewRiderForm {
    /// The service area where he is.
    #[schema(value_type = String)]
    op_area_id: AreaId,
    /// 手机号, which the program has seen proved.
    #[schema(value_type = String)]
    phone: Phone,
    /// 注册渠道.
    channel: RegisterChannel,
}

/// Who he is from now on.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RiderGiven {
    /// As text.
    #[schema(value_type = String)]
    user_id: RiderId,
    /// Whether he was there already.
    known: bool,
}

/// Registers a rider with an empty wallet; one phone is one rider of an agent, who is answered again.
#[utoipa::path(post, path = "/open/v1/rider/register", tag = "open", operation_id = "registerRider",
    request_body = NewRiderForm, responses((status = 200, body = Answer<RiderGiven>)))]
async fn register(call: Call<Context>, Body(new): Body<NewRiderForm>) -> Handled<Value> {
    let new = NewRider { area: new.op_area_id, phone: new.phone, channel: new.channel };
    Ok(Answer::replied(call.state.register(&call.caller, &call.request, new).await?))
}

/// Who somebody says he is.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ProofForm {
    /// Which rider.
    #[schema(value_type = String)]
    user_id: RiderId,
    /// 姓名.
    name: String,
    /// 身份证号, 18 characters.
    id_no: String,
}

/// Proves who a rider is: name and number are checked by the identity port. One number is one rider of an agent.
#[utoipa::path(post, path = "/open/v1/rider/verify", tag = "open", operation_id = "verifyRider",
    request_body = ProofForm, responses((status = 200, body = Answer<wire::Nothing>)))]
async fn verify(call: Call<Context>, Body(form): Body<ProofForm>) -> Handled<Value> {
    let proof = Proof { name: form.name, id_no: form.id_no };
    Ok(Answer::replied(call.state.verify(&call.caller, &call.request, form.user_id, proof).await?))
}

/// Which rider.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct OfRider {
    /// His id.
    user_id: RiderId,
}

/// How a rider stands.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RiderAccount {
    /// His id, as text.
    #[schema(value_type = String)]
    user_id: RiderId,
    /// 用户状态.
    user_state: Option<RiderState>,
    /// 账户状态.
    account_state: Option<AccountState>,
    /// 手机号, masked.
    phone: String,
    /// 姓名, masked.
    name: String,
    /// 充值余额, cents.
    recharge_cents: i64,
    /// 赠送余额, cents.
    present_cents: i64,
    /// What he owes, cents.
    owed_cents: i64,
    /// 押金状态.
    deposit_state: DepositState,
    /// 押金, cents.
    deposit_cents: i64,
    /// The oldest order that is not paid, as text.
    #[schema(value_type = Option<String>)]
    owing_order_id: Option<RideOrderId>,
    /// The order that is open, as text.
    #[schema(value_type = Option<String>)]
    open_order_id: Option<RideOrderId>,
}

/// How a rider stands, and what his wallet holds.
#[utoipa::path(get, path = "/open/v1/rider/account", tag = "open", operation_id = "riderAccount", params(OfRider),
    responses((status = 200, body = Answer<RiderAccount>)))]
async fn account(
    State(context): State<Context>,
    call: Call<Context>,
    Params(asked): Params<OfRider>,
) -> Handled<RiderAccount> {
    let runtime: &Runtime = &context.runtime;
    let reads = &["rider", "ride_order", "ledger_book"];
    let mut db = runtime.reads.scoped(&call.caller.scope, crate::app::NEWEST, reads).await?;
    let list = riders::list(&call.caller.scope).is("r.rider_id", Some(asked.user_id.0));
    let found: Vec<riders::RiderRow> = list.rows(&mut db, 1).await?;
    let mut row = found.into_iter().next().ok_or_else(Refused::not_found)?;
    let book = ledger::read::books::find(&mut *db, Holder::rider(asked.user_id)).await?.unwrap_or_default();
    let owing_order_id = crate::read::orders::owing(&mut *db, asked.user_id, 1).await?.pop();
    drop(db);
    row.stand_at(call.request.now());
    Ok(Answer(RiderAccount {
        user_id: row.user_id,
        user_state: row.user_state,
        account_state: row.account_state,
        phone: row.phone_masked,
        name: row.name_masked,
        recharge_cents: book.recharge_cents,
        present_cents: book.present_cents,
        owed_cents: book.receivable_cents,
        deposit_state: row.deposit_state,
        deposit_cents: row.deposit_cents,
        owing_order_id,
        open_order_id: row.open_order_id,
    }))
}

/// What a rider owes.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Arrears {
    /// All of the orders together, cents.
    owed_cents: i64,
    /// The oldest first, at most 50: his program shows the reminders that came by it (`remindWay` 0 and 2).
    rows: Vec<Arrear>,
}

/// What a rider owes for which orders, and when he was reminded of it.
#[utoipa::path(get, path = "/open/v1/rider/arrears", tag = "open", operation_id = "riderArrears", params(OfRider),
    responses((status = 200, body = Answer<Arrears>)))]
async fn arrears(call: Call<Context>, Params(asked): Params<OfRider>) -> Handled<Arrears> {
    call.state.rider(&call.caller, asked.user_id).await?;
    // His orders of other areas are his too.
    let reads = call.state.runtime.reads.scoped(&Scope::ALL, crate::app::NEWEST, &["ride_order"]);
    let rows = arrears::arrears(&mut *reads.await?, asked.user_id).await?;
    let owed_cents = rows.iter().map(|row| row.owed_cents).sum();
    Ok(Answer(Arrears { owed_cents, rows }))
}
