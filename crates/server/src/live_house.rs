//! Live data at work: memory kept current from read models and telemetry, the websocket, a bike's past.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::extract::{Path, State, WebSocketUpgrade};
use axum::response::Response;
use kernel::{ChangeBatch, House};
use live::Memory;
use live::fleet::Fleet;
use live::ingest::{AlarmQueue, Ingest, IngestSettings, Point, enrol_all, enrol_some, history, survey};
use live::push::{Hub, RowsChanged};
use serde::{Deserialize, Serialize};
use tokio::sync::broadcast::error::RecvError;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use wire::{Answer, Caller, Handled, Params, Permit, Refused, Routes};

use crate::seams::{AcksOfFleet, AlarmsOfFleet, reasons};

/// An empty fleet that knows the rule of renting.
pub fn memory() -> Memory {
    Memory::new(Fleet::new(live::rules::Settings::default(), Arc::new(reasons)))
}

/// Fills memory from the read models.
pub async fn fill(house: &House, memory: &Memory) -> Result<()> {
    let (pool, clock) = (&house.pools.projector, house.clock.as_ref());
    survey(pool, memory, clock).await.context("areas and zones cannot be read")?;
    enrol_all(pool, memory, clock).await.context("bikes cannot be read")?;
    Ok(())
}

/// Takes changed rows into memory and tells the websocket's hub of them, until the house closes.
pub async fn follow_changes(house: House, memory: Memory, hub: Option<Arc<Hub>>) {
    let mut changes = house.changes.subscribe();
    // What changed between filling and listening is looked at once more.
    refill(&house, &memory, hub.as_deref()).await;
    let stop = house.stopping();
    loop {
        let batch = tokio::select! {
            () = stop.cancelled() => return,
            batch = changes.recv() => batch,
        };
        match batch {
            Ok(batch) => {
                take_in(&house, &memory, &batch).await;
                if let Some(hub) = &hub {
                    hub.rows_changed(told(&batch));
                }
            }
            Err(RecvError::Lagged(missed)) => {
                tracing::warn!(missed, "changes of read models were missed; everything is read anew");
                refill(&house, &memory, hub.as_deref()).await;
            }
            Err(RecvError::Closed) => return,
        }
    }
}

async fn refill(house: &House, memory: &Memory, hub: Option<&Hub>) {
    if let Err(error) = fill(house, memory).await {
        tracing::error!(error = format!("{error:#}"), "live data cannot be filled from the read models");
    }
    if let Some(hub) = hub {
        hub.rows_missed(house.tail.head().0);
    }
}

async fn take_in(house: &House, memory: &Memory, batch: &ChangeBatch) {
    let (pool, clock) = (&house.pools.projector, house.clock.as_ref());
    let done = match batch.table.as_str() {
        "vehicle" => {
            let cars: Vec<String> = batch.changes.iter().map(|change| change.key.clone()).collect();
            enrol_some(pool, memory, clock, &cars).await
        }
        "area" | "fence" => survey(pool, memory, clock).await,
        _ => Ok(()),
    };
    if let Err(error) = done {
        tracing::error!(%error, table = batch.table, "a change cannot be taken into live data");
    }
}

fn told(batch: &ChangeBatch) -> RowsChanged {
    RowsChanged {
        table: batch.table.clone(),
        position: batch.position.0,
        rows: batch.changes.iter().map(|change| (change.key.clone(), change.territory)).collect(),
    }
}

/// Takes telemetry in: storing and judging where this process leads, only looking where another does. Without NATS
/// there is none.
pub async fn ingest(house: House, memory: Memory, keep_days: u32) {
    let Some(nats) = house.nats.clone() else { return };
    let stop = house.stopping();
    let alarms = AlarmQueue::default();
    tokio::spawn(alarms.clone().run(Arc::new(AlarmsOfFleet::new(house.clone())), stop.clone()));
    let ingest = Ingest {
        memory,
        owner: house.pools.owner.clone(),
        nats,
        clock: Arc::clone(&house.clock),
        alarms,
        acks: Arc::new(AcksOfFleet::new(house.clone())),
        settings: IngestSettings { keep_days, ..IngestSettings::default() },
    };
    let mut lease = house.lease("live").await;
    while !stop.is_cancelled() {
        let following = stop.child_token();
        let ended = tokio::select! {
            () = stop.cancelled() => return,
            () = lease.held() => Ok(()),
            ended = ingest.follow(following) => ended,
        };
        let ended = match ended {
            Ok(()) => {
                let leading = stop.child_token();
                let lost = leading.clone();
                tokio::select! {
                    ended = ingest.lead(leading) => ended,
                    () = lease.lost() => {
                        lost.cancel();
                        continue;
                    }
                }
            }
            Err(error) => Err(error),
        };
        if let Err(error) = ended {
            tracing::warn!(error = &error as &dyn std::error::Error, "telemetry waits and begins again");
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

/// The routes of live data.
pub fn routes(house: &House, hub: Option<Arc<Hub>>) -> Routes {
    let past = Routes::new("live")
        .add(Permit::AnyOf(fleet::http::vehicles::VEHICLE_CODES), routes!(past))
        .with_state(house.clone());
    match hub {
        Some(hub) => past.merge(Routes::new("live").add(Permit::Open, routes!(websocket)).with_state(hub)),
        None => past,
    }
}

/// Live data; the first frame says who looks. See `docs/push.md`.
#[utoipa::path(get, path = "/ws", tag = "live", responses((status = 101)))]
async fn websocket(State(hub): State<Arc<Hub>>, request: WebSocketUpgrade) -> Response {
    live::push::upgrade(hub, request)
}

/// How far back.
#[derive(Debug, Deserialize, IntoParams)]
struct PastParams {
    /// 1 to 4,320; 180 when left out.
    #[serde(default)]
    minutes: Option<i64>,
}

/// A point of a bike's past.
#[derive(Debug, Serialize, ToSchema)]
struct PointShown {
    /// The device's time, epoch milliseconds.
    at: i64,
    /// Degrees north, WGS-84.
    lat: f64,
    /// Degrees east, WGS-84.
    lng: f64,
    /// Battery, percent.
    soc: i16,
    /// km/h.
    speed: i16,
}

impl From<Point> for PointShown {
    fn from(point: Point) -> Self {
        Self { at: point.at, lat: point.lat, lng: point.lng, soc: point.soc, speed: point.speed }
    }
}

/// A bike's past.
#[derive(Debug, Serialize, ToSchema)]
struct Past {
    /// The oldest first; the newest 2,000.
    points: Vec<PointShown>,
}

/// Where a bike was and how its battery stood.
#[utoipa::path(get, path = "/vehicle/{carId}/history", tag = "live", params(("carId" = String, Path), PastParams),
    responses((status = 200, body = Answer<Past>)))]
async fn past(
    State(house): State<House>, caller: Caller, Path(car_id): Path<String>, Params(asked): Params<PastParams>,
) -> Handled<Past> {
    let minutes = asked.minutes.unwrap_or(180);
    if !(1..=4_320).contains(&minutes) {
        return Err(Refused::malformed("minutes 需在 1 到 4320 之间"));
    }
    let mut tx = house.reads.scoped(&caller.scope, None, &[]).await?;
    fleet::read::vehicles::find(&mut *tx, &car_id).await?.ok_or_else(Refused::not_found)?;
    let since = house.clock.now().plus_millis(-minutes * 60_000);
    let points = history(&mut tx, &car_id, since).await?;
    Ok(Answer(Past { points: points.into_iter().map(PointShown::from).collect() }))
}
