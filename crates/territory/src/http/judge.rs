//! What the fences say of bikes that stop: asked by machines, a thousand places at once, and by people of one.

use std::collections::HashMap;

use axum::extract::State;
use geofence::Proof;
use geofence::judge::{Judgement, Known, Stop};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AreaId, DataOwner, Datum, FenceId, NotACoordinate, Timestamp, Wgs84};
use wire::{Answer, Body, Caller, Handled, Params, Permit, Refused, Routes, Seen};

use crate::Context;
use crate::app::atlas::{self, Judge, KEPT_MS};
use crate::read::fences;

const MOST_STOPS: usize = 1000;
/// A report may come from a clock that is ahead.
const AHEAD_MS: i64 = 366 * 86_400_000;

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory")
        .add(Permit::Machine("open:territory"), routes!(judge))
        .add(Permit::AnyOf(&["0301", "0504", "0505"]), routes!(judge_place))
        .with_state(context.clone())
}

/// Stops to judge.
#[derive(Debug, Deserialize, ToSchema)]
struct Stops {
    /// 1 to 1,000.
    stops: Vec<StopAsked>,
}

/// A bike that stops.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct StopAsked {
    /// Degrees.
    lng: f64,
    /// Degrees.
    lat: f64,
    /// Of the place: wgs84 (when left out), gcj02 or bd09.
    #[serde(default)]
    #[schema(value_type = String)]
    datum: Datum,
    /// When, epoch milliseconds: within 30 days before and a year after now; absent: now.
    at: Option<i64>,
    /// Horizontal dilution of precision; 1 when left out.
    #[serde(default = "good")]
    hdop: f64,
    /// The area that the bike belongs to; absent: whichever holds the place.
    #[schema(value_type = Option<String>)]
    area_id: Option<AreaId>,
    /// What the bike proved: 1 beacon, 2 RFID, 3 direction, 4 kickstand, 5 camera.
    #[serde(default)]
    #[schema(value_type = Vec<i16>)]
    proved: Vec<Proof>,
    /// Where it points, degrees clockwise from north.
    heading_degrees: Option<f64>,
    /// How many bikes stand in a parking place already, by its id; none where it is not named.
    #[serde(default)]
    #[schema(value_type = HashMap<String, i32>)]
    standing: HashMap<FenceId, i32>,
}

fn good() -> f64 {
    1.0
}

/// What became of them, in the order asked.
#[derive(Debug, Serialize, ToSchema)]
struct Judged {
    /// One for each.
    results: Vec<StopJudged>,
}

/// A fence in one of its versions.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OfFence {
    /// As text.
    #[schema(value_type = String)]
    fence_id: FenceId,
    /// Which of its versions.
    data_version: i64,
}

/// A parking place near by.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NearestParking {
    /// Which.
    #[serde(flatten)]
    fence: OfFence,
    /// Metres to its edge; 0 within.
    beyond_m: f64,
}

/// What the fences say of a stop.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct StopJudged {
    /// Why it was not judged; all else is empty then.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// 0 规范停放, 1 站点外, 2 服务区外, 3 禁停区, 4 禁行区.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<i16>,
    /// The area it is judged in, as text.
    #[schema(value_type = Option<String>)]
    area_id: Option<AreaId>,
    /// Which of that area's edges.
    area_data_version: Option<i64>,
    /// The fence that decided: the ban, or the parking place.
    fence: Option<OfFence>,
    /// The nearest parking place that would have it.
    nearest: Option<NearestParking>,
    /// Proofs that its parking place asks for and that it did not give.
    missing: Vec<i16>,
    /// What the ban costs where it says so itself, cents.
    penalty_cents: Option<i64>,
    /// 难度系数 of the nearest parking place.
    difficulty: Option<f64>,
    /// Every reason, in the order of the rules.
    reasons: Vec<String>,
}

fn told(known: Known) -> OfFence {
    OfFence { fence_id: known.id, data_version: known.data_version }
}

impl From<Judgement> for StopJudged {
    fn from(judged: Judgement) -> Self {
        Self {
            error: None,
            class: Some(judged.class.number()),
            area_id: judged.area.map(|(id, _)| id),
            area_data_version: judged.area.map(|(_, data_version)| data_version),
            fence: judged.fence.map(told),
            nearest: judged
                .nearest
                .map(|nearest| NearestParking { fence: told(nearest.fence), beyond_m: nearest.beyond_m }),
            missing: judged.missing.iter().map(|proof| proof.number()).collect(),
            penalty_cents: judged.penalty_cents.map(|penalty| penalty.0),
            difficulty: Some(judged.difficulty),
            reasons: judged.reasons.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Why a place is not judged.
#[derive(Debug, thiserror::Error)]
enum NotJudged {
    #[error(transparent)]
    Place(#[from] NotACoordinate),
    #[error("时间需在 {} 天之内，且不晚于一年之后", KEPT_MS / 86_400_000)]
    Time,
    #[error("服务区不存在，或不在数据范围内")]
    Elsewhere,
}

impl From<NotJudged> for Refused {
    fn from(why: NotJudged) -> Self {
        match why {
            NotJudged::Elsewhere => Self::not_found(),
            NotJudged::Place(_) | NotJudged::Time => Self::malformed(why.to_string()),
        }
    }
}

fn judge_one(
    judge: &Judge,
    caller: &Caller,
    now: Timestamp,
    asked: StopAsked,
) -> Result<Judgement, NotJudged> {
    let place = Wgs84::from_datum(asked.datum, asked.lat, asked.lng)?;
    let at = asked.at.map_or(now, Timestamp::from_millis);
    if at < judge.since || at.millis_since(now) > AHEAD_MS {
        return Err(NotJudged::Time);
    }
    let stop = Stop {
        proved: asked.proved,
        heading_degrees: asked.heading_degrees,
        ..Stop::new(place, at, asked.hdop, asked.area_id)
    };
    let judged = judge.atlas.judge(&stop, |fence| asked.standing.get(&fence).copied().unwrap_or(0));
    let owner_of = |area: AreaId| judge.agents.get(&area).map(|agent| DataOwner::of_area(*agent, area));
    match asked.area_id.or(judged.area.map(|(area, _)| area)) {
        Some(area) if owner_of(area).is_none_or(|owner| !caller.scope.contains(owner)) => {
            Err(NotJudged::Elsewhere)
        }
        _ => Ok(judged),
    }
}

/// Judges where bikes stop, by the fences that count at the time of each: which area, which fences in which versions, how it
/// is charged and why. One that cannot be judged does not hold up the others.
#[utoipa::path(post, path = "/open/v1/territory/judge", tag = "open", operation_id = "judgeStops",
    request_body = Stops, responses((status = 200, body = Answer<Judged>)))]
async fn judge(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    Body(body): Body<Stops>,
) -> Handled<Judged> {
    if body.stops.is_empty() || body.stops.len() > MOST_STOPS {
        return Err(Refused::malformed(format!("每次需 1 到 {MOST_STOPS} 个位置")));
    }
    // What the caller changed just now counts.
    drop(context.runtime.reads.scoped(&caller.scope, seen, &atlas::READS).await?);
    let judge = context.judges.now(&context.runtime).await?;
    let now = context.runtime.clock.now();
    let results = body.stops.into_iter().map(|asked| match judge_one(&judge, &caller, now, asked) {
        Ok(judged) => judged.into(),
        Err(why) => StopJudged { error: Some(why.to_string()), ..StopJudged::default() },
    });
    Ok(Answer(Judged { results: results.collect() }))
}

/// A place where a bike stands, WGS-84.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct PlaceQuery {
    /// Degrees.
    lng: f64,
    /// Degrees.
    lat: f64,
    /// Horizontal dilution of precision; 1 when left out.
    hdop: Option<f64>,
    /// The area that the bike belongs to; absent: whichever holds the place.
    op_area_id: Option<AreaId>,
}

/// What the fences say now of a bike that is left at a place.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PlaceJudged {
    /// The same as machines are told, of a bike that proved nothing.
    #[serde(flatten)]
    judged: StopJudged,
    /// Name of the fence that decided.
    fence_name: Option<String>,
    /// Name of the nearest parking place.
    nearest_name: Option<String>,
}

/// Judges one place in the caller's scope by the fences that count now.
#[utoipa::path(get, path = "/fence/judge", tag = "territory", operation_id = "judgePlace",
    params(PlaceQuery), responses((status = 200, body = Answer<PlaceJudged>)))]
async fn judge_place(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    Params(asked): Params<PlaceQuery>,
) -> Handled<PlaceJudged> {
    let mut db = context.runtime.reads.scoped(&caller.scope, seen, &atlas::READS).await?;
    let judge = context.judges.now(&context.runtime).await?;
    let stop = StopAsked {
        lng: asked.lng,
        lat: asked.lat,
        datum: Datum::Wgs84,
        at: None,
        hdop: asked.hdop.unwrap_or_else(good),
        area_id: asked.op_area_id,
        proved: Vec::new(),
        heading_degrees: None,
        standing: HashMap::new(),
    };
    let judged = judge_one(&judge, &caller, context.runtime.clock.now(), stop)?;
    let (fence, nearest) = (judged.fence, judged.nearest.as_ref().map(|nearest| nearest.fence));
    let named: Vec<FenceId> = [fence, nearest].into_iter().flatten().map(|known| known.id).collect();
    let names = fences::called(&mut *db, &named).await?;
    let name = |known: Option<Known>| known.and_then(|known| names.get(&known.id).cloned());
    let (fence_name, nearest_name) = (name(fence), name(nearest));
    Ok(Answer(PlaceJudged { judged: judged.into(), fence_name, nearest_name }))
}
