//! What riders do through their programs: look for a bike, take it, leave it, pay.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use geofence::Proof;
use kernel::Receipt;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{Datum, RideOrderId, RiderId, Wgs84};
use wire::{Answer, Body, Call, Handled, Params, Refused, Routes};

use super::open_riders::RIDER;
use crate::Context;
use crate::app::{ReturnAsked, UnlockAsked};
use crate::misses::Tried;
use crate::model::fare::Receipt as FareReceipt;
use crate::model::miss::{MissAct, MissReason, NEAR_M};
use crate::model::order::{CancelReason, EndKind, PayState};
use crate::ports::NearBike;

/// Bikes that are shown.
const NEAR_MAX: usize = 50;

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add(RIDER, routes!(nearby))
        .add(RIDER, routes!(scan))
        .add(RIDER, routes!(reserve))
        .add(RIDER, routes!(cancel))
        .add(RIDER, routes!(unlock))
        .add(RIDER, routes!(lock))
        .add(RIDER, routes!(resume))
        .add(RIDER, routes!(return_bike))
        .add(RIDER, routes!(pay))
        .add(RIDER, routes!(order))
        .with_state(context.clone())
}

/// Where somebody is.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct AtPlace {
    /// Degrees north.
    lat: f64,
    /// Degrees east.
    lng: f64,
    /// Of the place: wgs84 (default), gcj02 or bd09.
    #[serde(default)]
    #[param(value_type = String)]
    datum: Datum,
    /// Who looks: with it an empty neighbourhood is kept as what he missed.
    #[param(value_type = Option<String>)]
    user_id: Option<RiderId>,
}

/// A bike that may be taken.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NearBikeShown {
    /// 车辆编号.
    car_id: String,
    /// Degrees north, WGS-84.
    lat: f64,
    /// Degrees east, WGS-84.
    lng: f64,
    /// Battery, percent.
    soc_percent: u8,
    /// From the rider, metres.
    distance_m: f64,
}

/// Bikes near by.
#[derive(Debug, Serialize, ToSchema)]
struct NearBikes {
    /// The nearest first, at most 50, within 300 m.
    rows: Vec<NearBikeShown>,
}

impl From<NearBike> for NearBikeShown {
    fn from(bike: NearBike) -> Self {
        Self {
            car_id: bike.car_id,
            lat: bike.place.lat(),
            lng: bike.place.lng(),
            soc_percent: bike.soc_percent,
            distance_m: bike.distance_m,
        }
    }
}

/// Bikes near a place that may be taken.
#[utoipa::path(get, path = "/open/v1/rider/nearby", tag = "open", operation_id = "nearbyBikes", params(AtPlace),
    responses((status = 200, body = Answer<NearBikes>)))]
async fn nearby(call: Call<Context>, Params(at): Params<AtPlace>) -> Handled<NearBikes> {
    let place = Wgs84::from_datum(at.datum, at.lat, at.lng)
        .map_err(|error| Refused::business("place", error.to_string()))?;
    let found = call.state.ports.bikes.near(&call.caller.scope, place, NEAR_M, NEAR_MAX).await;
    let (mut rows, mut rules) = (Vec::new(), BTreeMap::new());
    for bike in found.map_err(Refused::unavailable)? {
        let of_area = match rules.entry(bike.area_id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(call.state.use_rules(bike.area_id).await?),
        };
        if of_area.suffices(bike.soc_percent).is_ok() {
            rows.push(bike.into());
        }
    }
    if rows.is_empty() {
        let looked = tried(&call, MissAct::Look, (at.user_id, None, Some(place)));
        call.state.misses.found(looked, MissReason::NothingNear, "");
    }
    Ok(Answer(NearBikes { rows }))
}

/// Which bike.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct OfBike {
    /// 车辆编号.
    car_id: String,
    /// Who scans it.
    #[param(value_type = Option<String>)]
    user_id: Option<RiderId>,
    /// Where his phone is: degrees north, WGS-84.
    lat: Option<f64>,
    /// Degrees east, WGS-84.
    lng: Option<f64>,
}

/// Somebody who does not get a bike: who, which, and where he is.
fn tried(
    call: &Call<Context>,
    act: MissAct,
    (rider, car_id, place): (Option<RiderId>, Option<String>, Option<Wgs84>),
) -> Tried {
    let (scope, at) = (call.caller.scope.clone(), call.request.now());
    Tried { act, rider, car_id, place, scope, at }
}

/// A bike as its scanner sees it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ScannedBike {
    /// 车辆编号.
    car_id: String,
    /// Whether it may be taken.
    rentable: bool,
    /// Why not, in words.
    reasons: Vec<String>,
}

/// Whether a bike may be taken, and why not.
#[utoipa::path(get, path = "/open/v1/rider/scan", tag = "open", operation_id = "scanBike", params(OfBike),
    responses((status = 200, body = Answer<ScannedBike>)))]
async fn scan(call: Call<Context>, Params(asked): Params<OfBike>) -> Handled<ScannedBike> {
    let at = place(asked.lat, asked.lng)?;
    let scanned = call.state.ports.bikes.scanned(&call.caller.scope, &asked.car_id).await;
    let missed = || tried(&call, MissAct::Scan, (asked.user_id, Some(asked.car_id.clone()), at));
    let Some(scanned) = scanned.map_err(Refused::unavailable)? else {
        call.state.misses.found(missed(), MissReason::UnknownNumber, "");
        return Err(Refused::not_found());
    };
    if let Some((code, text)) = scanned.reasons.first() {
        call.state.misses.found(missed(), MissReason::of_code(code), text);
    }
    let mut reasons: Vec<String> = scanned.reasons.into_iter().map(|(_, text)| text).collect();
    let told = call.state.ports.bikes.last_report(&scanned.bike.car_id).filter(|_| reasons.is_empty());
    if let Some(report) = told
        && let Err(why) = call.state.use_rules(scanned.bike.area_id).await?.suffices(report.soc_percent)
    {
        let why = why.to_string();
        call.state.misses.found(missed(), MissReason::LowBattery, &why);
        reasons.push(why);
    }
    Ok(Answer(ScannedBike { car_id: scanned.bike.car_id, rentable: reasons.is_empty(), reasons }))
}

/// Who wants which bike.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct BikeAsked {
    /// Who.
    #[schema(value_type = String)]
    user_id: RiderId,
    /// 车辆编号.
    car_id: String,
    /// His reservation of it.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    order_id: Option<RideOrderId>,
    /// Where his phone is: degrees north, WGS-84.
    #[serde(default)]
    lat: Option<f64>,
    /// Degrees east, WGS-84.
    #[serde(default)]
    lng: Option<f64>,
}

fn place(lat: Option<f64>, lng: Option<f64>) -> Result<Option<Wgs84>, Refused> {
    let place = lat.zip(lng).map(|(lat, lng)| Wgs84::new(lat, lng)).transpose();
    place.map_err(|error| Refused::business("place", error.to_string()))
}

impl BikeAsked {
    fn asked(self) -> Result<UnlockAsked, Refused> {
        let place = place(self.lat, self.lng)?;
        Ok(UnlockAsked { rider: self.user_id, car_id: self.car_id, reserved: self.order_id, place })
    }
}

/// The order that follows.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OrderGiven {
    /// As text.
    #[schema(value_type = String)]
    order_id: RideOrderId,
}

/// Keeps a bike for a rider for 15 minutes.
#[utoipa::path(post, path = "/open/v1/rider/reserve", tag = "open", operation_id = "reserveBike",
    request_body = BikeAsked, responses((status = 200, body = Answer<OrderGiven>)))]
async fn reserve(call: Call<Context>, Body(asked): Body<BikeAsked>) -> Handled<Value> {
    let asked = UnlockAsked { reserved: None, ..asked.asked()? };
    let wanted = (Some(asked.rider), Some(asked.car_id.clone()), asked.place);
    let done = call.state.reserve(&call.caller, &call.request, asked).await;
    Ok(Answer::replied(kept(&call, MissAct::Reserve, wanted, done)?))
}

/// Asks a bike's lock to open. The ride begins with its answer; without one in 15 seconds the order is cancelled by itself.
#[utoipa::path(post, path = "/open/v1/rider/unlock", tag = "open", operation_id = "unlockBike",
    request_body = BikeAsked, responses((status = 200, body = Answer<OrderGiven>)))]
async fn unlock(call: Call<Context>, Body(asked): Body<BikeAsked>) -> Handled<Value> {
    let asked = asked.asked()?;
    let wanted = (Some(asked.rider), Some(asked.car_id.clone()), asked.place);
    let done = call.state.unlock(&call.caller, &call.request, asked).await;
    Ok(Answer::replied(kept(&call, MissAct::Unlock, wanted, done)?))
}

/// What was done; what was refused is kept as missed.
fn kept(
    call: &Call<Context>,
    act: MissAct,
    wanted: (Option<RiderId>, Option<String>, Option<Wgs84>),
    done: Result<Receipt, Refused>,
) -> Result<Receipt, Refused> {
    if let Err(refused) = &done {
        call.state.misses.refused(tried(call, act, wanted), refused);
    }
    done
}

/// An order of a rider.
#[derive(Debug, Deserialize, ToSchema, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct OfOrder {
    /// Whose.
    #[schema(value_type = String)]
    user_id: RiderId,
    /// Which.
    #[schema(value_type = String)]
    order_id: RideOrderId,
}

/// Gives a reservation back; a ride of less than two minutes and 50 m too.
#[utoipa::path(post, path = "/open/v1/rider/cancel", tag = "open", operation_id = "cancelRide",
    request_body = OfOrder, responses((status = 200, body = Answer<OrderGiven>)))]
async fn cancel(call: Call<Context>, Body(of): Body<OfOrder>) -> Handled<Value> {
    Ok(Answer::replied(call.state.cancel(&call.caller, &call.request, of.user_id, of.order_id).await?))
}

/// Locks the bike for a while; the ride goes on.
#[utoipa::path(post, path = "/open/v1/rider/lock", tag = "open", operation_id = "pauseRide",
    request_body = OfOrder, responses((status = 200, body = Answer<OrderGiven>)))]
async fn lock(call: Call<Context>, Body(of): Body<OfOrder>) -> Handled<Value> {
    Ok(Answer::replied(call.state.pause(&call.caller, &call.request, of.user_id, of.order_id, false).await?))
}

/// Opens it again.
#[utoipa::path(post, path = "/open/v1/rider/resume", tag = "open", operation_id = "resumeRide",
    request_body = OfOrder, responses((status = 200, body = Answer<OrderGiven>)))]
async fn resume(call: Call<Context>, Body(of): Body<OfOrder>) -> Handled<Value> {
    Ok(Answer::replied(call.state.pause(&call.caller, &call.request, of.user_id, of.order_id, true).await?))
}

/// A ride that is to end.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ReturnForm {
    /// Whose.
    #[schema(value_type = String)]
    user_id: RiderId,
    /// Which.
    #[schema(value_type = String)]
    order_id: RideOrderId,
    /// Where his phone is: degrees north, WGS-84.
    #[serde(default)]
    lat: Option<f64>,
    /// Degrees east, WGS-84.
    #[serde(default)]
    lng: Option<f64>,
    /// What the bike proved: 1 beacon, 2 RFID, 3 direction, 4 kickstand, 5 camera.
    #[serde(default)]
    #[schema(value_type = Vec<i16>)]
    proved: Vec<Proof>,
    /// Whether its helmet is back; absent: nobody tells.
    #[serde(default)]
    helmet_back: Option<bool>,
}

/// Ends a ride where the bike stands. Where it may not be left, the refusal says where to go.
#[utoipa::path(post, path = "/open/v1/rider/return", tag = "open", operation_id = "returnBike",
    request_body = ReturnForm, responses((status = 200, body = Answer<OrderGiven>)))]
async fn return_bike(call: Call<Context>, Body(form): Body<ReturnForm>) -> Handled<Value> {
    call.state.order_of(&call.caller, form.user_id, form.order_id).await?;
    let asked = ReturnAsked {
        order_id: form.order_id,
        kind: EndKind::Rider,
        at: None,
        rider_place: place(form.lat, form.lng)?,
        proved: form.proved,
        helmet_back: form.helmet_back,
    };
    let ctx = call.request.context(serde_json::json!({}));
    Ok(Answer::replied(call.state.return_bike(&ctx, asked).await?))
}

/// Pays an order from its rider's wallet, all or nothing.
#[utoipa::path(post, path = "/open/v1/rider/pay", tag = "open", operation_id = "payRide",
    request_body = OfOrder, responses((status = 200, body = Answer<OrderGiven>)))]
async fn pay(call: Call<Context>, Body(of): Body<OfOrder>) -> Handled<Value> {
    call.state.order_of(&call.caller, of.user_id, of.order_id).await?;
    let ctx = call.request.context(serde_json::json!({}));
    Ok(Answer::replied(call.state.pay(&ctx, of.order_id).await?))
}

/// An order as its rider sees it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RideShown {
    /// As text.
    #[schema(value_type = String)]
    order_id: RideOrderId,
    /// 订单状态.
    state: PayState,
    /// Whether its lock was asked to open and has not answered.
    is_unlocking: bool,
    /// Whether the bike is locked for a while.
    is_paused: bool,
    /// Epoch milliseconds.
    start_at: Option<i64>,
    /// Epoch milliseconds.
    end_at: Option<i64>,
    /// 应付, cents.
    pay_cents: i64,
    /// What is still to be paid, cents.
    owed_cents: i64,
    /// What it costs, line by line.
    receipt: Option<FareReceipt>,
    /// Why it came to nothing.
    #[schema(value_type = Option<CancelReason>)]
    cancel_reason: Option<i16>,
}

/// How an order stands, as the log has it now.
#[utoipa::path(get, path = "/open/v1/rider/order", tag = "open", operation_id = "riderOrder", params(OfOrder),
    responses((status = 200, body = Answer<RideShown>)))]
async fn order(call: Call<Context>, Params(of): Params<OfOrder>) -> Handled<RideShown> {
    let order = call.state.order_of(&call.caller, of.user_id, of.order_id).await?;
    Ok(Answer(RideShown {
        order_id: of.order_id,
        state: order.state(),
        is_unlocking: order.is_unlocking() && order.is_open(),
        is_paused: order.is_paused(),
        start_at: order.started_at().map(vocabulary::Timestamp::millis),
        end_at: order.end().map(|end| end.at.millis()),
        pay_cents: order.pay_cents(),
        owed_cents: order.owed_cents(),
        receipt: order.pricing().map(|pricing| pricing.receipt.clone()),
        cancel_reason: order.cancelled().map(CancelReason::number),
    }))
}
