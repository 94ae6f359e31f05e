//! Days of history made and dropped, beside everything else and never in its way.

use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use vocabulary::{Clock, Timestamp};

use super::{partitions, stops};

const EVERY: Duration = Duration::from_mins(10);
/// After something was in the way.
const AGAIN: Duration = Duration::from_secs(30);

/// Goes on until it is dropped.
pub(super) async fn upkeep(owner: PgPool, clock: Arc<dyn Clock>, keep_days: u32) {
    loop {
        let pause = match tend(&owner, clock.now(), keep_days).await {
            Ok(()) => EVERY,
            Err(error) => {
                tracing::warn!(error = %error, "days of telemetry cannot be made or dropped; tried again");
                AGAIN
            }
        };
        tokio::time::sleep(pause).await;
    }
}

async fn tend(owner: &PgPool, now: Timestamp, keep_days: u32) -> sqlx::Result<()> {
    partitions::tend(owner, now, keep_days).await?;
    stops::tend(owner, now).await
}
