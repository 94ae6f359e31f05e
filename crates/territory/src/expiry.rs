//! What the clock decides: contracts whose last day is over end, service areas stop and resume at their times.

use std::time::Duration;

use kernel::CommandContext;
use kernel::desk::CommandError;
use kernel::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use vocabulary::{Scope, Timestamp};

use crate::model::area::{Area, AreaCommand};
use crate::model::franchisee::{Franchisee, FranchiseeCommand, FranchiseeRefusal, day};
use crate::ports::PortError;
use crate::read::{areas, franchisees};

/// The rules' names in the log.
const RULE: &str = "ally-contract-expiry";
const STOPS: &str = "area-stop-times";

/// Every minute ends the contracts that are over and keeps the times of areas, until `stop`. May run on several nodes at once.
pub async fn sweep(runtime: Runtime, stop: CancellationToken) {
    let contracts = || end_contracts(&runtime, runtime.clock.now());
    let areas = || keep_stops(&runtime, runtime.clock.now());
    tokio::join!(
        kernel::every(Duration::from_mins(1), stop.clone(), "contracts that are over", contracts),
        kernel::every(Duration::from_mins(1), stop, "areas that stop or resume", areas),
    );
}

/// Stops the areas whose stop begins by `now`, and resumes those whose stop is over.
pub async fn keep_stops(runtime: &Runtime, now: Timestamp) -> Result<(), PortError> {
    let mut tx = runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
    let due = areas::due(&mut *tx, now.millis()).await?;
    drop(tx);
    for area in due {
        let ctx = CommandContext::of_system(STOPS, now);
        // The table may lag behind the log: of what was changed meanwhile nothing is decided.
        match runtime.desk.execute::<Area>(&area, AreaCommand::KeepTimes, &ctx).await {
            Ok(_) => tracing::info!(%area, "a service area keeps its times"),
            Err(error) => return Err(format!("{error:?}").into()),
        }
    }
    Ok(())
}

/// Ends the contracts that are over at `now`.
pub async fn end_contracts(runtime: &Runtime, now: Timestamp) -> Result<(), PortError> {
    let mut tx = runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
    let over = franchisees::over(&mut *tx, day(now)).await?;
    drop(tx);
    for franchisee in over {
        let ctx = CommandContext::of_system(RULE, now);
        match runtime.desk.execute::<Franchisee>(&franchisee, FranchiseeCommand::Expire, &ctx).await {
            Ok(_) => tracing::info!(%franchisee, "a franchisee's contract is over"),
            // The table lags behind the log: it was prolonged, ended or removed meanwhile.
            Err(CommandError::Refused(
                FranchiseeRefusal::TooEarly | FranchiseeRefusal::NotNow { .. } | FranchiseeRefusal::Unknown,
            )) => {}
            Err(error) => return Err(format!("{error:?}").into()),
        }
    }
    Ok(())
}
