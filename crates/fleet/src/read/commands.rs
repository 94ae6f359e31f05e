//! Table `device_command`.

use std::collections::BTreeMap;

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Aggregate, Change, Projector, Recorded, rows};
use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, PgExecutor};
use vocabulary::{AgentId, AreaId, CommandId, DataOwner, Timestamp};

use crate::model::command::{CommandEvent, CommandState, DeviceCommandState, TIMEOUT_MS};

/// Builds table `device_command`.
pub struct CommandProjector;

/// A row of table `device_command`.
#[derive(Clone, Debug, Serialize, Deserialize, sqlx::FromRow)]
pub struct CommandRow {
    /// Its id.
    pub command_id: i64,
    /// The bike.
    pub car_id: String,
    /// The device.
    pub imei: String,
    /// Whose it is.
    pub agent_id: i64,
    /// Where it works.
    pub area_id: i64,
    /// See [`crate::model::command::CommandKind`].
    pub kind: i16,
    /// See [`CommandState`].
    pub state: i16,
    /// The device's answer; 0 is done.
    pub result_code: Option<i32>,
    /// Whether it was answered after its timeout.
    pub late: bool,
    /// Why.
    pub reason: String,
    /// Who asked.
    pub by: String,
    /// When.
    pub requested_at_ms: i64,
    /// When it left.
    pub sent_at_ms: Option<i64>,
    /// When it was answered.
    pub ack_at_ms: Option<i64>,
    /// Until when it waits, or waited, for a bike that was away.
    pub wait_until_ms: Option<i64>,
    /// The version that the device is to run, of 固件.
    pub firmware: Option<String>,
    /// When it is given up while nobody answers.
    pub due_at_ms: i64,
    /// Version of the aggregate.
    pub version: i64,
}

impl CommandRow {
    fn take_in(&mut self, event: &CommandEvent) {
        let mut answered = |code: i32, at: Timestamp| {
            self.result_code = Some(code);
            self.ack_at_ms = Some(at.millis());
        };
        match event {
            CommandEvent::Requested { .. } => {}
            CommandEvent::Sent { at } => {
                self.sent_at_ms = Some(at.millis());
                if self.wait_until_ms.is_some() {
                    self.due_at_ms = at.millis() + TIMEOUT_MS;
                }
                self.state = CommandState::Sent.number();
            }
            CommandEvent::Acknowledged { code, at } => {
                answered(*code, *at);
                self.state = if *code == 0 { CommandState::Done } else { CommandState::Failed }.number();
            }
            CommandEvent::TimedOut { .. } => self.state = CommandState::TimedOut.number(),
            CommandEvent::AcknowledgedLate { code, at } => {
                answered(*code, *at);
                self.late = true;
            }
            CommandEvent::Cancelled { .. } => self.state = CommandState::Cancelled.number(),
        }
    }
}

#[async_trait]
impl Projector for CommandProjector {
    fn name(&self) -> &'static str {
        "device-command"
    }

    fn version(&self) -> i32 {
        3
    }

    fn tables(&self) -> &'static [&'static str] {
        &["device_command"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[DeviceCommandState::CATEGORY]
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let keys: Vec<String> = events.iter().map(|event| event.stream_id.to_string()).collect();
        let known: Vec<CommandRow> = rows::load(db, "device_command", "command_id", "bigint", &keys).await?;
        let mut rows: BTreeMap<i64, CommandRow> =
            known.into_iter().map(|row| (row.command_id, row)).collect();
        for recorded in events {
            let command_id: i64 = recorded.stream_id.parse()?;
            let event = recorded.decode::<CommandEvent>()?;
            if let CommandEvent::Requested { order, at } = &event {
                let wait_until_ms = order.waits_until(*at).map(Timestamp::millis);
                let row = CommandRow {
                    command_id,
                    car_id: order.car_id.to_string(),
                    imei: order.imei.to_string(),
                    agent_id: order.agent_id.0,
                    area_id: order.area_id.0,
                    kind: order.kind.number(),
                    state: CommandState::Pending.number(),
                    result_code: None,
                    late: false,
                    reason: order.reason.clone(),
                    by: order.by.clone(),
                    requested_at_ms: at.millis(),
                    sent_at_ms: None,
                    ack_at_ms: None,
                    wait_until_ms,
                    firmware: order.package.as_ref().map(|package| package.firmware.clone()),
                    due_at_ms: wait_until_ms.unwrap_or(at.millis() + TIMEOUT_MS),
                    version: 0,
                };
                rows.insert(command_id, row);
            }
            let row = rows.get_mut(&command_id).ok_or("a command went on before it was requested")?;
            row.version = recorded.version;
            row.take_in(&event);
        }
        let rows: Vec<CommandRow> = rows.into_values().collect();
        rows::upsert(db, "device_command", "command_id", &rows).await?;
        Ok(rows.iter().map(change).collect())
    }
}

/// Watchers follow commands by their bike.
fn change(row: &CommandRow) -> Change {
    let owner = DataOwner::of_area(AgentId(row.agent_id), AreaId(row.area_id));
    Change { table: "device_command", key: row.car_id.clone(), owner }
}

/// The newest command to a bike.
pub async fn newest(db: impl PgExecutor<'_>, car_id: &str) -> sqlx::Result<Option<CommandRow>> {
    sqlx::query_as("select * from read.device_command where car_id = $1 order by command_id desc limit 1")
        .bind(car_id)
        .fetch_optional(db)
        .await
}

/// The newest commands to a bike, at most so many.
pub async fn newest_of(db: impl PgExecutor<'_>, car_id: &str, most: i64) -> sqlx::Result<Vec<CommandRow>> {
    sqlx::query_as(
        "select * from read.device_command where car_id = $1
         order by requested_at_ms desc, command_id desc limit $2",
    )
    .bind(car_id)
    .bind(most)
    .fetch_all(db)
    .await
}

/// Commands whose time has run out at `now` without an answer; at most 500.
pub async fn overdue(db: impl PgExecutor<'_>, now: Timestamp) -> sqlx::Result<Vec<CommandId>> {
    sqlx::query_scalar(
        "select command_id from read.device_command where state in (0, 1) and due_at_ms <= $1
         order by due_at_ms limit 500",
    )
    .bind(now.millis())
    .fetch_all(db)
    .await
}

/// A command that waits for its bike, and what that bike is doing.
#[derive(Debug, sqlx::FromRow)]
pub struct Waiting {
    /// Which.
    pub command_id: CommandId,
    /// The bike.
    pub car_id: String,
    /// When it was asked for.
    pub requested_at_ms: i64,
    /// Whether the bike still has the device that it was asked of.
    pub same_device: bool,
    /// Whether somebody rides the bike, or has only stopped for a while.
    pub ridden: bool,
}

/// Commands that wait after the bike and command of `after`; at most so many.
pub async fn waiting(db: impl PgExecutor<'_>, after: (&str, i64), most: i64) -> sqlx::Result<Vec<Waiting>> {
    sqlx::query_as(
        "select c.command_id, c.car_id, c.requested_at_ms, coalesce(v.imei = c.imei, false) same_device,
             coalesce(v.riding_state in (2, 3), false) ridden
         from read.device_command c left join read.vehicle v on v.car_id = c.car_id
         where c.state = 0 and c.wait_until_ms is not null and (c.car_id, c.command_id) > ($1, $2)
         order by c.car_id, c.command_id limit $3",
    )
    .bind(after.0)
    .bind(after.1)
    .bind(most)
    .fetch_all(db)
    .await
}

/// When the bell of a bike was asked for since `since`, the oldest first; at most 2,000 times.
pub async fn rung(db: impl PgExecutor<'_>, car_id: &str, since: Timestamp) -> sqlx::Result<Vec<Timestamp>> {
    let rung: Vec<i64> = sqlx::query_scalar(
        "select requested_at_ms from read.device_command
         where car_id = $1 and requested_at_ms >= $2 and kind = 10
         order by requested_at_ms limit 2000",
    )
    .bind(car_id)
    .bind(since.millis())
    .fetch_all(db)
    .await?;
    Ok(rung.into_iter().map(Timestamp::from_millis).collect())
}
