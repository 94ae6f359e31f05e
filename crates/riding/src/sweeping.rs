//! What ends by itself.

use std::time::Duration;

use kernel::CommandContext;
use kernel::runtime::Runtime;
use tokio_util::sync::CancellationToken;
use vocabulary::Scope;
use wire::Refused;

use crate::Context;
use crate::app::reminding::remind_due;
use crate::model::order::CancelReason;
use crate::read::orders;

/// The rule's name in the log.
const RESERVATIONS: &str = "riding-reservations";

/// Every five seconds gives back reservations that ran out, until `stop`. May run on several nodes at once.
pub async fn reservations(context: Context, stop: CancellationToken) {
    let look = || expire(&context, &context.runtime);
    kernel::every(Duration::from_secs(5), stop, "reservations that ran out", look).await;
}

async fn expire(context: &Context, runtime: &Runtime) -> Result<(), Refused> {
    let now = runtime.clock.now();
    let mut db = runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
    let expired = orders::expired(&mut *db, now.millis()).await?;
    drop(db);
    for order in expired {
        let ctx = CommandContext::of_system(RESERVATIONS, now);
        match context.give_up(&ctx, order, CancelReason::Expired).await {
            // Unlocked or given back meanwhile.
            Ok(_) | Err(Refused::Business { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Every twenty seconds lets reviews pass that nobody decided in time, where this process leads.
pub async fn return_reviews(context: Context) {
    kernel::every_while_leading(&context.runtime, "return-reviews", Duration::from_secs(20), async |_| {
        if let Err(error) = context.pass_overdue_reviews(context.runtime.clock.now()).await {
            tracing::warn!(?error, "cannot let overdue return reviews pass");
        }
    })
    .await;
}

/// Every minute compares the orders that run with their devices, where this process leads.
pub async fn reconciler(context: Context) {
    kernel::every_while_leading(
        &context.runtime,
        "order-reconciler",
        Duration::from_mins(1),
        async |token| {
            if let Err(error) = context.reconcile(token, context.runtime.clock.now()).await {
                tracing::warn!(?error, "cannot compare orders with their devices; it is tried again");
            }
        },
    )
    .await;
}

/// Every five minutes reminds who owes and is due for it, where this process leads.
pub async fn reminders(context: Context) {
    kernel::every_while_leading(&context.runtime, "arrears-reminders", Duration::from_mins(5), async |_| {
        let (runtime, messages) = (&context.runtime, context.ports.messages.as_ref());
        match remind_due(runtime, messages, runtime.clock.now()).await {
            Ok(0) => {}
            Ok(reminded) => tracing::info!(reminded, "riders were reminded of what they owe"),
            Err(error) => tracing::warn!(?error, "cannot remind of arrears; it is tried again"),
        }
    })
    .await;
}

/// Every second gives back what wrong versions made orders cost, where it was decided and this process leads.
pub async fn mispricings(context: Context) {
    kernel::every_while_leading(&context.runtime, "mispricing-refunds", Duration::from_secs(1), async |_| {
        if let Err(error) = context.settle_mispricings(context.runtime.clock.now()).await {
            tracing::warn!(?error, "cannot settle orders that were priced wrong; it is tried again");
        }
    })
    .await;
}
