//! Live data at work: memory filled from the read models and kept current by telemetry.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use kernel::Runtime;
use live::Memory;
use live::delivery::{Answers, DeliverySettings};
use live::fleet::Fleet;
use live::ingest::{AlarmQueue, Ingest, IngestError, IngestSettings, enrol_all, reload_zones};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::adapters::{AcksOfFleet, AlarmsOfFleet, IntroductionsOfFleet, reasons};

/// An empty fleet that knows the rule of renting.
pub fn memory() -> Memory {
    Memory::new(Fleet::new(live::rules::Settings::default(), Arc::new(reasons)))
}

/// Fills memory from the read models.
pub async fn fill(runtime: &Runtime, memory: &Memory) -> Result<()> {
    let (pool, clock) = (&runtime.pools.projector, runtime.clock.as_ref());
    reload_zones(pool, memory, clock).await.context("areas and zones cannot be read")?;
    enrol_all(pool, memory, clock).await.context("bikes cannot be read")?;
    Ok(())
}

/// Takes telemetry in: storing and judging where this process leads, only looking where another does. Without NATS
/// there is none.
pub async fn ingest(runtime: Runtime, memory: Memory, keep_days: u32) {
    let Some(ingest) = ingest_of(&runtime, memory, keep_days) else { return };
    let stop = runtime.stopping();
    let alarms = Arc::new(AlarmsOfFleet::new(runtime.clone()));
    tokio::spawn(ingest.alarms.clone().run(alarms, stop.clone()));
    while !stop.is_cancelled() {
        begin_again_after(term(&runtime, &ingest, &stop).await).await;
    }
}

/// Keeps memory current on a node that takes no telemetry in and shows it all the same.
pub async fn follow(runtime: Runtime, memory: Memory, keep_days: u32) {
    let Some(ingest) = ingest_of(&runtime, memory, keep_days) else { return };
    let stop = runtime.stopping();
    while !stop.is_cancelled() {
        begin_again_after(ingest.follow(stop.child_token()).await).await;
    }
}

fn ingest_of(runtime: &Runtime, memory: Memory, keep_days: u32) -> Option<Ingest> {
    Some(Ingest {
        memory,
        owner: runtime.pools.owner.clone(),
        nats: runtime.nats.clone()?,
        clock: Arc::clone(&runtime.clock),
        alarms: AlarmQueue::default(),
        acks: Arc::new(AcksOfFleet::new(runtime.clone())),
        introductions: Arc::new(IntroductionsOfFleet::new(runtime.clone())),
        answers: Answers::default(),
        settings: IngestSettings { keep_days, ..IngestSettings::default() },
    })
}

async fn begin_again_after(ended: Result<(), IngestError>) {
    match ended {
        Ok(()) | Err(IngestError::Superseded) => {}
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "telemetry waits and begins again");
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

/// Follows until this process leads, and leads to the end of the term, or until another process is to lead. The lease is
/// given back at its end, so that another may try.
async fn term(runtime: &Runtime, ingest: &Ingest, stop: &CancellationToken) -> Result<(), IngestError> {
    let mut lease = runtime.lease("live").await;
    tokio::select! {
        () = stop.cancelled() => return Ok(()),
        () = lease.held() => {}
        ended = ingest.follow(stop.child_token()) => return ended,
    }
    let drain = stop.child_token();
    // Beside the taking in of reports, and gone with this term.
    let mut beside = JoinSet::new();
    let (delivering, token, ending) = (ingest.clone(), lease.token(), drain.clone());
    beside.spawn(async move { delivering.deliver(token, DeliverySettings::default(), ending).await });
    let handed_over = async {
        lease.wanted_back().await;
        drain.cancel();
        std::future::pending::<()>().await;
    };
    tokio::select! {
        biased;
        () = lease.lost() => Ok(()),
        () = handed_over => Ok(()),
        ended = ingest.lead(lease.token(), drain.clone()) => ended,
    }
}
