//! Ends contracts whose last day is over.

use std::time::Duration;

use kernel::CommandContext;
use kernel::desk::CommandError;
use kernel::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use vocabulary::{Scope, Timestamp};

use crate::model::franchisee::{Franchisee, FranchiseeCommand, FranchiseeRefusal, day};
use crate::ports::PortError;
use crate::read::franchisees;

/// The rule's name in the log.
const RULE: &str = "ally-contract-expiry";

/// Every minute ends the contracts that are over, until `stop`. May run on several nodes at once.
pub async fn sweep(runtime: Runtime, stop: CancellationToken) {
    let look = || end_contracts(&runtime, runtime.clock.now());
    kernel::every(Duration::from_mins(1), stop, "contracts that are over", look).await;
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
