//! What time has made worthless is deleted: requests that nobody repeats any more, refused commands of years ago, missed orders of
//! months ago, files that
//! no case took.

use std::time::Duration;

use attachments::Attachments;
use kernel::Runtime;
use kernel::log::requests;
use vocabulary::Timestamp;

/// How often it is looked for.
const EVERY: Duration = Duration::from_mins(10);

/// Prunes on one node at a time, until the system closes.
pub async fn run(runtime: Runtime, attachments: Attachments) {
    kernel::every_while_leading(&runtime, "pruning", EVERY, async |_| {
        let now = runtime.clock.now();
        if let Err(error) = round(&runtime, now).await {
            tracing::warn!(%error, "what is old cannot be pruned; it is tried again");
        }
        match attachments.prune(now).await {
            Ok(files) => {
                metrics::counter!("wheelhouse_pruned_total", "of" => "attachments").increment(files as u64);
            }
            Err(error) => {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(error, "attachments cannot be pruned; it is tried again");
            }
        }
    })
    .await;
}

/// One round, as of `now`.
async fn round(runtime: &Runtime, now: Timestamp) -> sqlx::Result<()> {
    let requests = requests::forget_old(&runtime.pools.owner, now).await?;
    let refusals = audit::read::refusals::prune(&runtime.pools.owner, now).await?;
    let misses = riding::read::misses::forget_old(&runtime.pools.owner, now).await?;
    metrics::counter!("wheelhouse_pruned_total", "of" => "requests").increment(requests);
    metrics::counter!("wheelhouse_pruned_total", "of" => "refusals").increment(refusals);
    metrics::counter!("wheelhouse_pruned_total", "of" => "misses").increment(misses);
    if requests + refusals + misses > 0 {
        tracing::info!(requests, refusals, misses, "pruned");
    }
    Ok(())
}
