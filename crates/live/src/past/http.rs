//! The fleet as it was, for maps.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::BytesMut;
use kernel::Runtime;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::UtoipaMethodRouterExt;
use utoipa_axum::routes;
use vocabulary::Timestamp;
use wire::{Answer, Caller, Handled, Params, Permit, Refused, Routes};

use super::chapter::{Span, known};
use super::picture::{Picture, changes};
use super::store::{self, KEEP_DAYS};
use crate::push::frame::{self, Kind, Stamp};

/// Who looks at the maps of the fleet.
const MAPS: Permit = Permit::AnyOf(&["0301", "030601"]);
const DAY_MS: i64 = 86_400_000;

/// The routes.
pub fn routes(runtime: &Runtime) -> Routes {
    Routes::new("live")
        .add_unwrapped(MAPS, routes!(fleet).with_state(runtime.clone()))
        .add(MAPS, routes!(times).with_state(runtime.clone()))
        .add(MAPS, routes!(bike).with_state(runtime.clone()))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Moment {
    /// Which moment of the last seven days, epoch milliseconds.
    at: i64,
    /// What is shown already, epoch milliseconds: only what changed since then is answered, where that is known.
    since: Option<i64>,
}

fn unknown() -> Refused {
    Refused::business("past-gap", "这个时刻没有车辆数据：当时没有收到车辆上报，或已超过 7 天")
}

/// The whole scope as it was at a moment of the last seven days, in the buffers of `docs/push.md` one after the other: a snapshot, or,
/// for whoever names what he shows already, its changes. Bikes are numbered for all times instead of by slots. The buffers' time is
/// that of the last change that is in them, at most five seconds before. Refused where nothing of then is known.
#[utoipa::path(get, path = "/vehicle/map", tag = "live", operation_id = "pastFleet", params(Moment),
    responses((status = 200, body = Vec<u8>, content_type = "application/octet-stream")))]
async fn fleet(
    State(runtime): State<Runtime>,
    caller: Caller,
    Params(Moment { at, since }): Params<Moment>,
) -> Result<Response, Refused> {
    let now = runtime.clock.now();
    let at = Timestamp::from_millis(at);
    if at > now || now.millis_since(at) > KEEP_DAYS * DAY_MS {
        return Err(Refused::malformed("只能回看最近 7 天"));
    }
    let mut db = runtime.reads.scoped(&caller.scope, None, &[]).await?;
    let chapter =
        store::chapter_at(&mut *db, at).await?.filter(|chapter| chapter.tells(at)).ok_or_else(unknown)?;
    let shown = since.filter(|since| (chapter.at_ms..=at.millis()).contains(since));
    let from_ms = shown.map_or(chapter.at_ms, |since| since + 1);
    let mut frames = store::frames(&mut *db, from_ms, at.millis()).await?;
    // Frames hold the bikes of an area together.
    if caller.scope.cars.ranges().is_some() {
        let seen = store::numbers(&mut *db).await?;
        for bikes in &mut frames {
            bikes.retain(|bike| seen.contains(&bike.slot));
        }
    }
    drop(db);
    let stamp = Stamp { seq: 0, time_ms: chapter.until_ms.min(at.millis()) };
    let buffers = if shown.is_some() {
        frame::bikes(Kind::Changes, stamp, &changes(&frames))
    } else {
        let mut picture = Picture::default();
        for records in &frames {
            picture.take(records);
        }
        let bikes = frame::bikes(Kind::SnapshotBikes, stamp, &picture.bikes());
        let [start, end] = [Kind::SnapshotStart, Kind::SnapshotEnd].map(|kind| frame::mark(kind, stamp));
        std::iter::once(start).chain(bikes).chain(std::iter::once(end)).collect()
    };
    let mut body = BytesMut::with_capacity(buffers.iter().map(bytes::Bytes::len).sum());
    for buffer in buffers {
        body.extend_from_slice(&buffer);
    }
    Ok(([(header::CONTENT_TYPE, "application/octet-stream")], body.freeze()).into_response())
}

/// What can be looked back at.
#[derive(Debug, Serialize, ToSchema)]
struct PastTimes {
    /// The oldest moment that could be, epoch milliseconds.
    from: i64,
    /// The server's present, epoch milliseconds.
    until: i64,
    /// Times of which the fleet is known, in order; what lies between them is not.
    known: Vec<Span>,
}

/// Of which times of the last seven days the fleet is known.
#[utoipa::path(get, path = "/vehicle/map/times", tag = "live", operation_id = "pastTimes",
    responses((status = 200, body = Answer<PastTimes>)))]
async fn times(State(runtime): State<Runtime>, caller: Caller) -> Handled<PastTimes> {
    let now = runtime.clock.now();
    let from = now.plus_millis(-KEEP_DAYS * DAY_MS);
    let mut db = runtime.reads.scoped(&caller.scope, None, &[]).await?;
    let chapters = store::chapters(&mut *db, from).await?;
    Ok(Answer(PastTimes { from: from.millis(), until: now.millis(), known: known(&chapters) }))
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct Which {
    /// Its number in `/vehicle/map`, …
    number: Option<i32>,
    /// … or its own.
    car_id: Option<String>,
}

/// A bike of `/vehicle/map`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PastBike {
    /// Its number there.
    number: i32,
    /// 车辆编号.
    car_id: String,
}

/// Which bike has a number in `/vehicle/map`, or which number a bike has.
#[utoipa::path(get, path = "/vehicle/map/bike", tag = "live", operation_id = "pastBike", params(Which),
    responses((status = 200, body = Answer<PastBike>)))]
async fn bike(
    State(runtime): State<Runtime>,
    caller: Caller,
    Params(Which { number, car_id }): Params<Which>,
) -> Handled<PastBike> {
    let mut db = runtime.reads.scoped(&caller.scope, None, &[]).await?;
    let found = match (number, car_id) {
        (Some(number), None) => {
            store::car_of(&mut *db, number).await?.map(|car_id| PastBike { number, car_id })
        }
        (None, Some(car_id)) => {
            store::number_of(&mut *db, &car_id).await?.map(|number| PastBike { number, car_id })
        }
        _ => return Err(Refused::malformed("请提供 number 或 carId 其中之一")),
    };
    found
        .map(Answer)
        .ok_or_else(|| Refused::business("vehicle-not-found", "没有这辆车，或不在您的数据范围内"))
}
