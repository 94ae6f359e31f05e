//! Stops that somebody else kept, taken in by machines: whoever comes from another system has his weeks behind him.

use std::collections::HashSet;

use axum::extract::State;
use kernel::Runtime;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::{Datum, Timestamp, Wgs84};
use wire::{Answer, Body, Caller, Handled, Permit, Refused, Routes};

use crate::ingest::{KEEP_DAYS, PastStop, Stop, keep_past};

const MOST_STOPS: usize = 1000;
/// A clock may be ahead by so much.
const AHEAD_MS: i64 = 120_000;
/// What tells nothing any more.
const HDOP_MOST: f64 = 25.5;

/// The routes.
pub fn routes(runtime: &Runtime) -> Routes {
    Routes::new("live").add(Permit::Machine("open:ride"), routes!(take).with_state(runtime.clone()))
}

/// Stops of the past.
#[derive(Debug, Deserialize, ToSchema)]
struct PastStops {
    /// 1 to 1,000.
    stops: Vec<PastStopForm>,
}

/// Where a bike was locked.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PastStopForm {
    /// 车辆编号.
    car_id: String,
    /// When, epoch milliseconds: within the last 35 days.
    at: i64,
    /// Degrees.
    lng: f64,
    /// Degrees.
    lat: f64,
    /// Of the place: wgs84 (when left out), gcj02 or bd09.
    #[serde(default)]
    #[schema(value_type = String)]
    datum: Datum,
    /// Horizontal dilution of precision, where it is known.
    hdop: Option<f64>,
    /// When the bike left again, epoch milliseconds: later than `at`; absent where nobody knows, or it stands there still.
    left_at: Option<i64>,
}

/// What became of them.
#[derive(Debug, Serialize, ToSchema)]
struct PastStopsTaken {
    /// So many were new.
    taken: u64,
    /// Why others were not taken: which of the request's stops, from 0, and the reason.
    refused: Vec<RefusedStop>,
}

/// A stop that was not taken.
#[derive(Debug, Serialize, ToSchema)]
struct RefusedStop {
    /// Which, from 0.
    row: usize,
    /// Why.
    text: String,
}

fn sound(form: &PastStopForm, now: Timestamp) -> Result<PastStop<'_>, String> {
    let place = Wgs84::from_datum(form.datum, form.lat, form.lng).map_err(|error| error.to_string())?;
    let at = Timestamp::from_millis(form.at);
    let age_ms = now.millis_since(at);
    if !(-AHEAD_MS..KEEP_DAYS * 86_400_000).contains(&age_ms) {
        return Err(format!("时间需在最近 {KEEP_DAYS} 天之内"));
    }
    if form.hdop.is_some_and(|hdop| !(0.0..=HDOP_MOST).contains(&hdop)) {
        return Err(format!("hdop 需在 0 到 {HDOP_MOST} 之间"));
    }
    let left_at = form.left_at.map(Timestamp::from_millis);
    if left_at.is_some_and(|left_at| left_at <= at || left_at.millis_since(now) > AHEAD_MS) {
        return Err("离开时间需晚于停车时间，且不晚于现在".to_owned());
    }
    Ok(PastStop { car_id: &form.car_id, stop: Stop { at, place, hdop: form.hdop }, left_at })
}

/// Takes in where bikes were locked in the past weeks; what is known already is not taken twice, and one that cannot be taken
/// does not hold up the others.
#[utoipa::path(post, path = "/open/v1/stops", tag = "open", operation_id = "takePastStops",
    request_body = PastStops, responses((status = 200, body = Answer<PastStopsTaken>)))]
async fn take(
    State(runtime): State<Runtime>,
    caller: Caller,
    Body(body): Body<PastStops>,
) -> Handled<PastStopsTaken> {
    if !(1..=MOST_STOPS).contains(&body.stops.len()) {
        return Err(Refused::malformed(format!("每次需 1 到 {MOST_STOPS} 次停车")));
    }
    let cars: Vec<&str> = body.stops.iter().map(|form| form.car_id.as_str()).collect();
    let mut db = runtime.reads.scoped(&caller.scope, None, &[]).await?;
    let known: Vec<String> = sqlx::query_scalar("select car_id from read.vehicle where car_id = any($1)")
        .bind(&cars)
        .fetch_all(&mut *db)
        .await?;
    drop(db);
    let known: HashSet<String> = known.into_iter().collect();
    let now = runtime.clock.now();
    let (mut stops, mut refused) = (Vec::new(), Vec::new());
    for (row, form) in body.stops.iter().enumerate() {
        let judged = if known.contains(&form.car_id) {
            sound(form, now)
        } else {
            Err("没有这辆车，或不在数据范围内".to_owned())
        };
        match judged {
            Ok(stop) => stops.push(stop),
            Err(text) => refused.push(RefusedStop { row, text }),
        }
    }
    let mut transaction = kernel::pools::begin(&runtime.pools.app).await?;
    let taken = if stops.is_empty() { 0 } else { keep_past(&mut transaction, &stops).await? };
    transaction.commit().await?;
    Ok(Answer(PastStopsTaken { taken, refused }))
}
