//! Alarms that nobody takes on himself in time are escalated: they go to the top of every inbox and ring anew.

use std::time::Duration;

use kernel::{CommandContext, CommandError, Runtime};
use vocabulary::{Scope, Timestamp};
use wire::Refused;

use crate::model::alarm::Urgency;
use crate::model::vehicle::{CarId, Vehicle, VehicleCommand};
use crate::read::alarm_tickets;

/// The rule's name in the log.
const RULE: &str = "alarm-escalation";
/// Tickets of one look.
const AT_ONCE: i64 = 500;

/// Every ten seconds, where this process leads.
pub async fn run(runtime: Runtime) {
    kernel::every_while_leading(&runtime, RULE, Duration::from_secs(10), async |_| {
        match escalate(&runtime, runtime.clock.now()).await {
            Ok(0) => {}
            Ok(escalated) => tracing::info!(escalated, "alarms that nobody took on himself were escalated"),
            Err(error) => tracing::warn!(?error, "cannot escalate alarms; it is tried again"),
        }
    })
    .await;
}

/// Escalates what is due at `now`; how many.
pub async fn escalate(runtime: &Runtime, now: Timestamp) -> Result<usize, Refused> {
    let mut escalated = 0;
    for urgency in Urgency::ALL {
        let Some((said_as, usual_ms)) = urgency.escalates_after() else { continue };
        let mut db = runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        let due = alarm_tickets::overdue(&mut *db, *urgency, said_as, usual_ms, now, AT_ONCE).await?;
        drop(db);
        for (car, alarm, number) in due {
            let Ok(car) = CarId::try_from(car) else { continue };
            let command = VehicleCommand::EscalateAlarm { alarm, number };
            let ctx = CommandContext::of_system(RULE, now);
            match runtime.desk.execute::<Vehicle>(&car, command, &ctx).await {
                Ok(_) => escalated += 1,
                Err(CommandError::Refused(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(escalated)
}
