//! Ends what nobody decided in time.

use std::time::Duration;

use kernel::CommandContext;
use kernel::desk::CommandError;
use kernel::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use vocabulary::{Scope, Timestamp};

use crate::model::approval::{Approval, ApprovalCommand, ApprovalRefusal};
use crate::ports::PortError;
use crate::read::approvals;

/// The rule's name in the log.
const RULE: &str = "approval-expiry";
/// Late by so much a request is ended at most. Decided it cannot be any more: that the model says by the time itself.
const LATE: Duration = Duration::from_secs(15);

/// Again and again ends the requests whose time is over, until `stop`. May run on several nodes at once.
pub async fn sweep(runtime: Runtime, stop: CancellationToken) {
    let look = || end(&runtime, runtime.clock.now());
    kernel::every(LATE, stop, "requests that nobody decided", look).await;
}

/// Ends the requests whose time is over at `now`.
pub async fn end(runtime: &Runtime, now: Timestamp) -> Result<(), PortError> {
    let mut tx = runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
    let over = approvals::over(&mut *tx, now).await?;
    drop(tx);
    for approval in over {
        let ctx = CommandContext::of_system(RULE, now);
        match runtime.desk.execute::<Approval>(&approval, ApprovalCommand::Expire, &ctx).await {
            Ok(_) => tracing::info!(%approval, "nobody decided a request in time"),
            // The table lags behind the log: it was decided meanwhile.
            Err(CommandError::Refused(ApprovalRefusal::Over { .. })) => {}
            Err(error) => return Err(format!("{error:?}").into()),
        }
    }
    Ok(())
}
