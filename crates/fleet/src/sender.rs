//! Hands commands over to devices, takes their answers in, and gives up on those that do not answer.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use kernel::desk::{CommandError, Desk};
use kernel::runtime::Runtime;
use kernel::{Aggregate, CommandContext, ReactError, Reactor, Recorded};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use vocabulary::{Clock, CommandId, Scope, Timestamp};

use crate::model::command::{
    CommandCommand, CommandEvent, CommandRefusal, DeviceCommandState, TIMEOUT_MS, has_timed_out,
};
use crate::ports::Downlink;
use crate::read::commands;

/// The rule's name in the log.
const SENDER: &str = "device-command-sender";
const SWEEPER: &str = "device-command-sweeper";
const ANSWERS: &str = "device-acknowledgement";

/// Sends each requested command while it is fresh: first `sent` is recorded, then it leaves. So nothing leaves that the
/// log says has ended, and what was recorded before a crash leaves again, which a device acts on once.
/// See `docs/adr/0030-commands-are-recorded-before-they-are-sent.md`.
pub struct CommandSender {
    desk: Desk,
    clock: Arc<dyn Clock>,
    downlink: Arc<dyn Downlink>,
}

impl CommandSender {
    /// A sender on `downlink`.
    pub fn new(desk: Desk, clock: Arc<dyn Clock>, downlink: Arc<dyn Downlink>) -> Self {
        Self { desk, clock, downlink }
    }

    /// Records that the command leaves. It may be recorded already, or have ended; only its state tells.
    async fn record(&self, command: &CommandId, event: &Recorded) -> Result<DeviceCommandState, ReactError> {
        let mut ctx = CommandContext::of_system(SENDER, self.clock.now());
        ctx.request_id = Some(kernel::reactor::request_id(SENDER, event, "send"));
        ctx.causation = Some(event.position);
        let sent = self.desk.execute::<DeviceCommandState>(command, CommandCommand::Send, &ctx).await;
        sent.map_err(|error| ReactError::Later(format!("{error:?}").into()))?;
        self.load(command).await
    }

    async fn load(&self, command: &CommandId) -> Result<DeviceCommandState, ReactError> {
        let loaded = self.desk.load::<DeviceCommandState>(command).await;
        Ok(loaded.map_err(|error| ReactError::Later(error.into()))?.state)
    }
}

fn never(error: impl std::error::Error + Send + Sync + 'static) -> ReactError {
    ReactError::Never(Box::new(error))
}

#[async_trait]
impl Reactor for CommandSender {
    fn name(&self) -> &'static str {
        SENDER
    }

    fn categories(&self) -> &'static [&'static str] {
        &[DeviceCommandState::CATEGORY]
    }

    async fn react(&self, event: &Recorded) -> Result<(), ReactError> {
        let decoded = event.decode::<CommandEvent>().map_err(never)?;
        let state = match decoded {
            // It waits for its bike: what sees that come back records that it leaves.
            CommandEvent::Requested { order, .. } if order.wait_minutes.is_some() => return Ok(()),
            CommandEvent::Requested { order, at } => {
                if has_timed_out(at, self.clock.now()) {
                    return Ok(()); // nothing is written for what an outage has outlived: the sweeper ends it
                }
                self.record(&order.command_id, event).await?
            }
            CommandEvent::Sent { .. } => {
                let state = self.load(&event.stream_id.parse().map_err(never)?).await?;
                if !state.waits() {
                    return Ok(()); // it left with its request
                }
                state
            }
            _ => return Ok(()),
        };
        let Some(order) = state.order() else { return Ok(()) };
        // Time has passed since: a bike must not obey once its asker was told that it timed out.
        let now = self.clock.now();
        if !state.may_leave(now) {
            return Ok(());
        }
        let message = json!({
            "id": order.command_id,
            "kind": order.kind,
            "params": order.params(),
            "at": now.millis(),
            // Where the clock of the node that was asked is ahead, ours bounds it.
            "expires_at": state.expires_at().min(now.plus_millis(TIMEOUT_MS)).millis(),
        });
        self.downlink
            .send(order.imei.as_str(), message.to_string().into_bytes())
            .await
            .map_err(ReactError::Later)
    }
}

/// Takes a device's answer in. Answers to commands that nobody gave are counted and dropped.
pub async fn acknowledged(
    runtime: &Runtime,
    imei: &str,
    command: CommandId,
    code: i32,
) -> Result<(), kernel::log::LogError> {
    let ctx = CommandContext::of_system(ANSWERS, runtime.clock.now());
    let asked = CommandCommand::Acknowledge { imei: imei.to_owned(), code };
    match runtime.desk.execute::<DeviceCommandState>(&command, asked, &ctx).await {
        Ok(_) => Ok(()),
        Err(CommandError::Log(error)) => Err(error),
        Err(refused) => {
            metrics::counter!("wheelhouse_device_answers_dropped_total").increment(1);
            tracing::debug!(%command, ?refused, "an answer to no command of ours");
            Ok(())
        }
    }
}

/// Every second gives up on commands without an answer, until `stop`. May run on several nodes at once.
pub async fn sweep(runtime: Runtime, stop: CancellationToken) {
    let look = || give_up(&runtime, runtime.clock.now());
    kernel::every(Duration::from_secs(1), stop, "commands without an answer", look).await;
}

async fn give_up(runtime: &Runtime, now: Timestamp) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let mut tx = runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
    let overdue = commands::overdue(&mut *tx, now).await?;
    drop(tx);
    for command in overdue {
        let ctx = CommandContext::of_system(SWEEPER, now);
        match runtime.desk.execute::<DeviceCommandState>(&command, CommandCommand::TimeOut, &ctx).await {
            Ok(_) | Err(CommandError::Refused(CommandRefusal::TooEarly)) => {}
            Err(error) => return Err(format!("{error:?}").into()),
        }
    }
    Ok(())
}
