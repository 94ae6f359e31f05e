//! Going on with a log that went back, when its operator accepts that: what tells of events that no longer are is taken
//! out of EVENTS, and a signed statement says so for ever. Nothing that was signed before is taken back.

use std::time::Duration;

use async_nats::jetstream::{self, stream};

use super::LogError;
use super::checkpoint::{SignError, Signer};
use super::tail::{WAY_OUT, WentBack, chain_at};
use crate::relay::{self, Told};
use crate::{Position, Runtime, pools};

/// A serving process gives its leases back within this.
const LEASES: Duration = Duration::from_secs(15);

/// Why a restore was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// Another process signs or relays.
    #[error("another process still leads {0}; stop every server first")]
    Busy(&'static str),
    /// The log ends elsewhere than the operator said.
    #[error("the log ends at {}, not at {}", .actual.0, .said.0)]
    Head {
        /// Where it ends.
        actual: Position,
        /// What was said.
        said: Position,
    },
    /// Nothing outside tells of more than the log holds.
    #[error("nothing tells of events that the log does not hold: there is nothing to accept")]
    Nothing,
    /// What stands outside of the database tells of more than the log holds.
    #[error("{0}; {WAY_OUT}")]
    WentBack(WentBack),
    /// The statements could not be read or written.
    #[error(transparent)]
    Sign(#[from] SignError),
    /// NATS did not answer.
    #[error("EVENTS cannot be looked at: {0}")]
    Nats(String),
}

impl From<sqlx::Error> for RestoreError {
    fn from(error: sqlx::Error) -> Self {
        Self::Sign(SignError::Log(LogError::Database(error)))
    }
}

fn nats(error: impl std::fmt::Display) -> RestoreError {
    RestoreError::Nats(error.to_string())
}

/// Whether the places outside, or EVENTS, tell of a log that reached further than this one: then nothing is to be built
/// on it before somebody accepted that. What does not answer is not asked.
pub async fn check(runtime: &Runtime, signer: &Signer) -> Result<(), RestoreError> {
    let mut known = signer.furthest().await;
    if let Some(client) = &runtime.nats {
        match relay::furthest(&jetstream::new(client.clone())).await {
            Ok(told) => known = known.max(told),
            Err(error) => tracing::warn!(%error, "EVENTS cannot be asked how far the log reached"),
        }
    }
    // Read after the others: whatever they tell of that another node appends meanwhile, the log had it before.
    let head = runtime.reader.head().await.map_err(SignError::from)?;
    if known > head {
        return Err(RestoreError::WentBack(WentBack::Shorter { known, head }));
    }
    Ok(())
}

/// What was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// How far the log was known to reach.
    pub from: Position,
    /// Up to here it is known to be the same as before.
    pub to: Position,
    /// Messages of EVENTS that told of what no longer is.
    pub deleted: usize,
}

/// Accepts that the log ends at `head`. No server may run meanwhile, and every place must answer.
pub async fn accept(runtime: &Runtime, signer: &Signer, head: Position) -> Result<Accepted, RestoreError> {
    let leases = &runtime.leases;
    let (mut relays, mut signs) =
        (leases.want_unshared("relay").await, leases.want_unshared("checkpoints").await);
    for (name, lease) in [("the relay", &mut relays), ("the checkpoints", &mut signs)] {
        tokio::time::timeout(LEASES, lease.held()).await.map_err(|_| RestoreError::Busy(name))?;
    }
    // What one node gives back to another is free for a moment.
    let gone = tokio::time::timeout(LEASES, others_are_gone(runtime));
    gone.await.map_err(|_| RestoreError::Busy("something"))??;
    let actual = runtime.reader.head().await.map_err(SignError::from)?;
    if actual != head {
        return Err(RestoreError::Head { actual, said: head });
    }
    let (signed, agreed) = signer.agreement(head).await?;
    let stream = match &runtime.nats {
        Some(client) => Some(jetstream::new(client.clone()).get_stream(relay::STREAM).await.map_err(nats)?),
        None => None,
    };
    let astray = match &stream {
        Some(stream) => astray(runtime, stream, head).await?,
        None => Astray::default(),
    };
    let from = signed.max(astray.from);
    let to = agreed.max(astray.agreed).min(head);
    let lacking = signer.restore_table().await?;
    if from <= to && astray.sequences.is_empty() && !lacking {
        return Err(RestoreError::Nothing);
    }
    if from > to {
        signer.state_restore(from, to).await?;
    }
    if let Some(stream) = &stream {
        for sequence in &astray.sequences {
            stream.delete_message(*sequence).await.map_err(nats)?;
        }
    }
    sqlx::query("update log.relay set position = least(position, $1), resend_from = null, failure = null")
        .bind(if stream.is_some() { astray.agreed } else { to })
        .execute(&runtime.pools.projector)
        .await?;
    sqlx::query("update log.signing set failure = null").execute(&runtime.pools.projector).await?;
    set_readers_back(runtime, to).await?;
    Ok(Accepted { from, to, deleted: astray.sequences.len() })
}

/// Waits until no other process is there to lead anything.
async fn others_are_gone(runtime: &Runtime) -> sqlx::Result<()> {
    let sql = "select exists(select from log.nodes where node <> $1 and until > clock_timestamp())";
    while sqlx::query_scalar(sql).bind(&*runtime.node).fetch_one(&runtime.pools.projector).await? {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    Ok(())
}

/// Where a reader's place did not go back with the log, it does now: reactors go on behind `to`, read models that show
/// more are of no version and rebuild themselves, what is parked beyond is forgotten.
async fn set_readers_back(runtime: &Runtime, to: Position) -> sqlx::Result<()> {
    let mut tx = pools::begin(&runtime.pools.projector).await?;
    for sql in [
        "update log.reactors set position = $1 where position > $1",
        "update log.projectors set version = -1 where position > $1",
        "delete from log.parked where position > $1",
    ] {
        sqlx::query(sql).bind(to).execute(&mut *tx).await?;
    }
    tx.commit().await
}

/// Messages at the end of EVENTS that tell of events which the log does not hold.
#[derive(Default)]
struct Astray {
    sequences: Vec<u64>,
    /// The furthest event that one of them tells of.
    from: Position,
    /// The last event before them, which the log holds.
    agreed: Position,
}

async fn astray(runtime: &Runtime, stream: &stream::Stream, head: Position) -> Result<Astray, RestoreError> {
    let state = stream.get_info().await.map_err(nats)?.state;
    let mut found = Astray::default();
    let mut astray = false;
    for sequence in (state.first_sequence.max(1)..=state.last_sequence).rev() {
        let message = match stream.get_raw_message(sequence).await {
            Ok(message) => message,
            Err(error) if error.kind() == stream::RawMessageErrorKind::NoMessageFound => continue,
            Err(error) => return Err(nats(error)),
        };
        let Some(told) = Told::of(&message) else { continue };
        let stands = match (&told.chain, chain_at(&runtime.pools.projector, told.event).await?) {
            _ if told.event > head => false,
            (Some(told), Some(stands)) => *told == hex::encode(stands),
            (None, stands) => stands.is_some(),
            (Some(_), None) => false,
        };
        if stands && told.resent.is_none() {
            found.agreed = told.event;
            break;
        }
        // Messages that were sent again say how far the stream had reached: they go with what they speak of.
        astray |= !stands || told.reached() > head;
        found.from = found.from.max(told.reached());
        found.sequences.push(sequence);
    }
    if !astray {
        return Ok(Astray { agreed: found.agreed, ..Astray::default() });
    }
    Ok(found)
}
