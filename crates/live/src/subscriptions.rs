//! Listens to the system: what changes in the read models changes memory, and is told to open screens.

use std::sync::Arc;
use std::time::Duration;

use kernel::{ChangeBatch, Runtime};
use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use vocabulary::Timestamp;

use crate::ingest::{enrol_all, enrol_carriers, enrol_some, next_turn, reload_rules, reload_zones};
use crate::memory::Memory;
use crate::push::{Hub, RowsChanged};
use crate::rules::RulesOfAreas;

/// Between two looks at zones that begin or end by themselves.
const SHORTEST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_hours(1);
/// After a look that failed.
const AGAIN: Duration = Duration::from_secs(5);

/// Until `stop`: brings bikes, areas and zones into memory when their rows change, and passes every change on to `hub`
/// (when this node has one). A change that was missed, or could not be read, makes everything be read anew.
pub async fn subscriptions(
    runtime: Runtime,
    memory: Memory,
    rules: Arc<dyn RulesOfAreas>,
    hub: Option<Arc<Hub>>,
    stop: CancellationToken,
) {
    let mut changes = runtime.changes.subscribe();
    // What changed before the subscription is read once it stands.
    let mut stale = true;
    let mut turn = Instant::now() + LONGEST;
    let mut rules_turn = turn;
    loop {
        if stale {
            stale = !read_all(&runtime, &memory).await;
            if stale {
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = tokio::time::sleep(Duration::from_secs(1)) => continue,
                }
            }
            if let Some(hub) = &hub {
                hub.rows_missed(0);
            }
            turn = turn_of(&runtime).await;
            rules_turn = rules_of(&runtime, &memory, &*rules).await;
        }
        let heard = tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep_until(turn) => {
                stale = reload_zones(&runtime.pools.projector, &memory, &*runtime.clock).await.is_err();
                turn = turn_of(&runtime).await;
                continue;
            }
            () = tokio::time::sleep_until(rules_turn) => {
                rules_turn = rules_of(&runtime, &memory, &*rules).await;
                continue;
            }
            heard = changes.recv() => heard,
        };
        match heard {
            Ok(batch) if batch.is_gap() => {
                tracing::info!(
                    "changed rows may have been missed while other nodes were not heard; all are read anew"
                );
                stale = true;
            }
            Ok(batch) => {
                if let Err(error) = take_in(&runtime, &memory, &batch).await {
                    tracing::warn!(error = %error, table = batch.table, "changed rows cannot be read; all are read anew");
                    stale = true;
                }
                if batch.table == "fence" {
                    turn = turn_of(&runtime).await;
                }
                if batch.table == "config" {
                    rules_turn = rules_of(&runtime, &memory, &*rules).await;
                }
                if let Some(hub) = &hub {
                    hub.rows_changed(told(&batch));
                }
            }
            Err(RecvError::Lagged(batches)) => {
                tracing::warn!(batches, "changed rows were missed; all are read anew");
                stale = true;
            }
            Err(RecvError::Closed) => return,
        }
    }
}

/// Takes in what areas say of alarms; when to do so again, though nobody tells of a change.
async fn rules_of(runtime: &Runtime, memory: &Memory, rules: &dyn RulesOfAreas) -> Instant {
    match reload_rules(rules, memory, &*runtime.clock).await {
        Ok(turn) => after(turn, runtime.clock.now()),
        Err(error) => {
            tracing::warn!(error = %error, "what areas say of alarms cannot be read; tried again");
            Instant::now() + AGAIN
        }
    }
}

fn after(turn: Option<Timestamp>, now: Timestamp) -> Instant {
    let Some(at) = turn else { return Instant::now() + LONGEST };
    let until_ms = u64::try_from(at.millis_since(now)).unwrap_or(0);
    Instant::now() + Duration::from_millis(until_ms).clamp(SHORTEST, LONGEST)
}

/// When to look at the zones again, though nobody tells of a change: one begins or ends by itself.
async fn turn_of(runtime: &Runtime) -> Instant {
    let now = runtime.clock.now();
    match next_turn(&runtime.pools.projector, &*runtime.clock).await {
        Ok(turn) => after(turn, now),
        Err(error) => {
            tracing::warn!(error = %error, "when zones turn cannot be read; tried again");
            Instant::now() + AGAIN
        }
    }
}

async fn read_all(runtime: &Runtime, memory: &Memory) -> bool {
    let pool = &runtime.pools.projector;
    let read = async {
        enrol_all(pool, memory, &*runtime.clock).await?;
        reload_zones(pool, memory, &*runtime.clock).await
    };
    match read.await {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(error = %error, "the fleet's read models cannot be read; tried again");
            false
        }
    }
}

async fn take_in(runtime: &Runtime, memory: &Memory, batch: &ChangeBatch) -> sqlx::Result<()> {
    let pool = &runtime.pools.projector;
    match batch.table.as_str() {
        "vehicle" | "device" if batch.is_of_whole_table() => enrol_all(pool, memory, &*runtime.clock).await,
        "vehicle" => {
            let cars: Vec<String> = batch.changes.iter().map(|change| change.key.clone()).collect();
            enrol_some(pool, memory, &*runtime.clock, &cars).await
        }
        "device" => {
            let imeis: Vec<String> = batch.changes.iter().map(|change| change.key.clone()).collect();
            enrol_carriers(pool, memory, &*runtime.clock, &imeis).await
        }
        "area" | "fence" => reload_zones(pool, memory, &*runtime.clock).await,
        _ => Ok(()),
    }
}

fn told(batch: &ChangeBatch) -> RowsChanged {
    RowsChanged {
        table: batch.table.clone(),
        position: batch.position.0,
        rows: batch.changes.iter().map(|change| (change.key.clone(), change.owner)).collect(),
    }
}
