//! Listens to the system: what changes in the read models changes memory, and is told to open screens.

use std::sync::Arc;
use std::time::Duration;

use kernel::{ChangeBatch, Runtime};
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

use crate::ingest::{enrol_all, enrol_some, reload_zones};
use crate::memory::Memory;
use crate::push::{Hub, RowsChanged};

/// Until `stop`: brings bikes, areas and zones into memory when their rows change, and passes every change on to `hub`
/// (when this node has one). A change that was missed, or could not be read, makes everything be read anew.
pub async fn subscriptions(runtime: Runtime, memory: Memory, hub: Option<Arc<Hub>>, stop: CancellationToken) {
    let mut changes = runtime.changes.subscribe();
    // What changed before the subscription is read once it stands.
    let mut stale = true;
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
        }
        let heard = tokio::select! {
            () = stop.cancelled() => return,
            heard = changes.recv() => heard,
        };
        match heard {
            Ok(batch) => {
                if let Err(error) = take_in(&runtime, &memory, &batch).await {
                    tracing::warn!(error = %error, table = batch.table, "changed rows cannot be read; all are read anew");
                    stale = true;
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
        "vehicle" => {
            let cars: Vec<String> = batch.changes.iter().map(|change| change.key.clone()).collect();
            enrol_some(pool, memory, &*runtime.clock, &cars).await
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
