//! Commands that wait for bikes that are away (排队): each leaves with the first report of its bike that came after it was asked
//! for, once nobody rides the bike.

use std::time::Duration;

use kernel::CommandContext;
use kernel::desk::CommandError;
use tokio_util::sync::CancellationToken;
use vocabulary::Scope;

use crate::Fleet;
use crate::model::command::{CommandCommand, DeviceCommandState};
use crate::ports::LiveState;
use crate::read::commands::{self, Waiting};

/// The rule's name in the log.
const WAITING: &str = "device-command-waiting";
/// Read at a time.
const PAGE: i64 = 500;

/// What becomes of a command that waits.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    Waits,
    Leaves,
    /// Its bike has another device now, which nobody asked anything of.
    Ends,
}

fn next(waiting: &Waiting, live: Option<&LiveState>) -> Next {
    if !waiting.same_device {
        return Next::Ends;
    }
    let is_back = live.is_some_and(|live| live.online && live.heard_at.millis() > waiting.requested_at_ms);
    if is_back && !waiting.ridden { Next::Leaves } else { Next::Waits }
}

/// Looks every second which bikes are back, until `stop`. May run on several nodes at once.
pub async fn tend(fleet: Fleet, stop: CancellationToken) {
    let look = || look(&fleet);
    kernel::every(Duration::from_secs(1), stop, "commands that wait for their bikes", look).await;
}

/// One look at all that wait.
pub async fn look(fleet: &Fleet) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let (mut car, mut command) = (String::new(), 0);
    loop {
        let mut db = fleet.runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        let page = commands::waiting(&mut *db, (&car, command), PAGE).await?;
        drop(db);
        for waiting in &page {
            let asked = match next(waiting, fleet.live.of(&waiting.car_id).as_ref()) {
                Next::Waits => continue,
                Next::Leaves => CommandCommand::Send,
                Next::Ends => CommandCommand::Cancel { by: "系统（车辆已更换中控）".to_owned() },
            };
            let ctx = CommandContext::of_system(WAITING, fleet.runtime.clock.now());
            match fleet.runtime.desk.execute::<DeviceCommandState>(&waiting.command_id, asked, &ctx).await {
                // Another node was first, or somebody took it back.
                Ok(_) | Err(CommandError::Refused(_)) => {}
                Err(error) => return Err(format!("{error:?}").into()),
            }
        }
        match page.last() {
            Some(last) if page.len() == PAGE as usize => {
                (car, command) = (last.car_id.clone(), last.command_id.0);
            }
            _ => return Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use vocabulary::{CommandId, Timestamp};

    use super::*;

    fn waiting() -> Waiting {
        Waiting {
            command_id: CommandId(1),
            car_id: "B1".to_owned(),
            requested_at_ms: 1_000,
            same_device: true,
            ridden: false,
        }
    }

    fn heard(ms: i64) -> LiveState {
        LiveState { online: true, heard_at: Timestamp::from_millis(ms), ..LiveState::default() }
    }

    #[test]
    fn it_leaves_with_the_first_report_that_came_after_it_was_asked_for() {
        assert_eq!(next(&waiting(), None), Next::Waits, "never heard of");
        assert_eq!(next(&waiting(), Some(&heard(1_000))), Next::Waits, "heard of before");
        assert_eq!(next(&waiting(), Some(&LiveState { online: false, ..heard(1_001) })), Next::Waits);
        assert_eq!(next(&waiting(), Some(&heard(1_001))), Next::Leaves);
    }

    #[test]
    fn nobody_loses_power_while_he_rides_and_another_device_is_told_nothing() {
        assert_eq!(next(&Waiting { ridden: true, ..waiting() }, Some(&heard(2_000))), Next::Waits);
        assert_eq!(next(&Waiting { same_device: false, ..waiting() }, Some(&heard(2_000))), Next::Ends);
    }
}
