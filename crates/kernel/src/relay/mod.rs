//! The relay: tells NATS of every event, in order, once.
//!
//! Each message names the stream sequence that must stand before it, so JetStream itself refuses a message that is out
//! of order or there already, even from a second relay that believes to lead. After a failure the relay looks at the
//! stream's last message and goes on behind it. What the log holds sealed stays sealed.
//!
//! What the relay cannot set right by itself stops it, and says so: a gap in the log, a stream that knows more than the
//! log. It looks again every few seconds.

mod message;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::context::PublishAckFuture;
use async_nats::jetstream::{self, stream};
use tokio::time::Instant;

use self::message::Sending;
pub(crate) use self::message::Told;
pub use self::message::subject;
use crate::log::LogError;
use crate::log::tail::{self, WAY_OUT, WentBack};
use crate::{Lease, Position, Recorded, Runtime};

/// The JetStream stream that takes the events.
pub const STREAM: &str = "EVENTS";
const BATCH: i64 = 500;
/// Messages sent and not yet acknowledged.
const IN_FLIGHT: usize = 256;
const STORE_EVERY: Duration = Duration::from_millis(200);
const BEAT: Duration = Duration::from_secs(1);
/// Events sent again before the place reached is stored.
const RESEND_BATCH: i64 = 100;
/// After what needs a person it is looked again this often, and told again this often.
const LOOK_AGAIN: Duration = Duration::from_secs(3);
const TELL_AGAIN: Duration = Duration::from_mins(1);

/// Why the relay had to begin again.
#[derive(Debug, thiserror::Error)]
pub enum RelayError {
    /// The log could not be read, or the position not stored.
    #[error(transparent)]
    Log(#[from] LogError),
    /// NATS is away, or refused.
    #[error("NATS does not take events: {0}")]
    Nats(String),
    /// JetStream took events up to here for repeats of messages that it no longer holds.
    #[error("JetStream remembers the id of an event up to {}, whose message is gone", .0.0)]
    Remembered(Position),
    /// Another term of the lease stored its place since this one began.
    #[error("this term of the relay is over")]
    Over,
    /// The first event that is missing in the log.
    #[error("the log has no event at position {}: nothing behind it is sent; run `wheelhouse verify`", .0.0)]
    Gap(Position),
    /// The stream tells of what is not in the log.
    #[error("EVENTS tells of events that the log does not have: {0}; {WAY_OUT}")]
    WentBack(WentBack),
}

impl RelayError {
    /// Whether it stays until somebody mends it.
    fn needs_somebody(&self) -> bool {
        matches!(self, Self::Gap(_) | Self::WentBack(_))
    }
}

impl From<sqlx::Error> for RelayError {
    fn from(error: sqlx::Error) -> Self {
        Self::Log(error.into())
    }
}

fn nats(error: impl std::fmt::Display) -> RelayError {
    RelayError::Nats(error.to_string())
}

/// Which context a category belongs to: the second word of a subject.
pub type Contexts = HashMap<&'static str, &'static str>;

/// Asks whoever leads the relay to send everything from `from` on again. Messages that NATS still remembers by their id
/// (two minutes) are not stored twice.
pub async fn ask_to_resend(runtime: &Runtime, from: Position) -> sqlx::Result<()> {
    sqlx::query("update log.relay set resend_from = $1")
        .bind(from.0.max(1))
        .execute(&runtime.pools.app)
        .await?;
    Ok(())
}

/// How far EVENTS tells of the log, by its last message; 0 when it is empty.
pub async fn furthest(js: &jetstream::Context) -> Result<Position, RelayError> {
    let stream = js.get_stream(STREAM).await.map_err(nats)?;
    match stream.get_last_raw_message_by_subject("events.>").await {
        Ok(last) => Ok(Told::of(&last).map_or(Position(0), |told| told.reached())),
        Err(error) if error.kind() == stream::LastRawMessageErrorKind::NoMessageFound => Ok(Position(0)),
        Err(error) => Err(nats(error)),
    }
}

/// Runs the relay whenever this process leads it, until the system closes. Without NATS it has nothing to do.
pub async fn run(runtime: Runtime, contexts: Contexts) {
    let Some(client) = runtime.nats.clone() else { return };
    let stop = runtime.stopping();
    let contexts = Arc::new(contexts);
    let mut lease = runtime.leases.want("relay").await;
    let mut remembered = Position(0);
    let mut told: Option<Instant> = None;
    loop {
        if lease.is_wanted_back() {
            lease = lease.again();
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = lease.held() => {}
        }
        let js = jetstream::new(client.clone());
        let (contexts, client) = (&contexts, &client);
        let relay = Relay { runtime: &runtime, js, client, contexts, remembered, lease: &lease };
        let ended = tokio::select! {
            () = stop.cancelled() => return,
            () = lease.lost() => continue,
            ended = relay.lead() => ended,
        };
        let Err(error) = ended else { continue };
        metrics::counter!("wheelhouse_relay_restarts_total").increment(1);
        let stands = error.needs_somebody();
        metrics::gauge!("wheelhouse_relay_stopped").set(if stands { 1.0 } else { 0.0 });
        if stands {
            if told.is_none_or(|told| told.elapsed() >= TELL_AGAIN) {
                tracing::error!(error = %error, "the relay stands still");
                told = Some(Instant::now());
            }
            relay.say(Some(&error.to_string())).await;
        } else {
            tracing::warn!(error = %error, "the relay begins again behind the last message");
            told = None;
        }
        if let RelayError::Remembered(position) = error {
            remembered = remembered.max(position);
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(if stands { LOOK_AGAIN } else { Duration::from_millis(500) }) => {}
        }
    }
}

struct Relay<'a> {
    runtime: &'a Runtime,
    js: jetstream::Context,
    client: &'a async_nats::Client,
    contexts: &'a Contexts,
    /// Up to here JetStream may hold an event for a repeat of a message that is gone.
    remembered: Position,
    /// The token of its term is stored with the place, where an older one is refused.
    lease: &'a Lease,
}

/// Where the relay stands.
struct Place {
    /// The last event sent.
    sent: Position,
    /// The last event acknowledged.
    acknowledged: Position,
    /// The stream's sequence after everything sent.
    sequence: u64,
    /// Up to here events were sent before, and are no longer in the stream.
    anew: Position,
    stored: Position,
    stored_at: Instant,
}

struct Flight {
    position: Position,
    sequence: u64,
    ack: PublishAckFuture,
}

impl Relay<'_> {
    /// Leads until another process is to.
    async fn lead(&self) -> Result<(), RelayError> {
        let stream = self.js.get_stream(STREAM).await.map_err(nats)?;
        let mut place = self.place(&stream).await?;
        let mut flights = VecDeque::with_capacity(IN_FLIGHT);
        let mut beat = tokio::time::interval(BEAT);
        loop {
            let head = tokio::select! {
                biased;
                () = self.lease.wanted_back() => return self.store(&mut place).await,
                _ = beat.tick() => {
                    self.store(&mut place).await?;
                    if place.sent >= self.runtime.tail.head() {
                        metrics::gauge!("wheelhouse_relay_stopped").set(0.0);
                        self.say(None).await;
                    }
                    self.resend_if_asked(&mut place).await?;
                    continue;
                }
                head = self.runtime.tail.beyond(place.sent) => head,
            };
            let to = Position(head.0.min(place.sent.0 + BATCH));
            for (event, chain) in self.runtime.reader.read_linked_between(place.sent, to).await? {
                if event.position.0 != place.sent.0 + 1 {
                    break;
                }
                let sending =
                    Sending { after: place.sequence, anew: event.position <= place.anew, resent: None };
                let ack = self.publish(&event, &chain, sending).await?;
                place.sequence += 1;
                place.sent = event.position;
                flights.push_back(Flight { position: event.position, sequence: place.sequence, ack });
                if flights.len() >= IN_FLIGHT {
                    land(&mut flights, &mut place).await?;
                }
            }
            while !flights.is_empty() {
                land(&mut flights, &mut place).await?;
            }
            if place.sent < to {
                self.store(&mut place).await?;
                return Err(RelayError::Gap(Position(place.sent.0 + 1)));
            }
            if place.stored_at.elapsed() >= STORE_EVERY {
                self.store(&mut place).await?;
            }
        }
    }

    /// Behind the stream's last message, which says more than the stored position: that one may be older (its
    /// acknowledgement was not stored) or newer (NATS lost what it had not yet written to the disk, or somebody deleted
    /// the last messages).
    async fn place(&self, stream: &stream::Stream) -> Result<Place, RelayError> {
        let stored: Option<Position> =
            sqlx::query_scalar("update log.relay set token = $1 where token <= $1 returning position")
                .bind(self.lease.token())
                .fetch_optional(&self.runtime.pools.projector)
                .await?;
        let stored = stored.ok_or(RelayError::Over)?;
        let state = stream.get_info().await.map_err(nats)?.state;
        let mut anew = self.remembered;
        let mut sequence = state.last_sequence;
        let position = if state.last_sequence == 0 {
            Position(0)
        } else if state.messages == 0 {
            stored
        } else {
            let last = stream.get_last_raw_message_by_subject("events.>").await.map_err(nats)?;
            if last.sequence < state.last_sequence {
                anew = anew.max(stored);
            }
            sequence = end_of(state.last_sequence, last.sequence);
            self.told_of(&last).await?
        };
        let head = self.runtime.reader.head().await?;
        if position > head {
            return Err(RelayError::WentBack(WentBack::Shorter { known: position, head }));
        }
        if position != stored {
            tracing::info!(
                stored = stored.0,
                found = position.0,
                "the relay goes on behind the stream's last message"
            );
        }
        Ok(Place {
            sent: position,
            acknowledged: position,
            sequence,
            anew,
            stored,
            stored_at: Instant::now(),
        })
    }

    /// How far the stream tells of the log, by its last message, whose event must be the one that the log has there.
    async fn told_of(&self, last: &jetstream::message::StreamMessage) -> Result<Position, RelayError> {
        let told =
            Told::of(last).ok_or_else(|| nats("the last message of EVENTS is not an event of the log"))?;
        if let Some(chain) = &told.chain
            && let Some(stands) = tail::chain_at(&self.runtime.pools.projector, told.event).await?
            && *chain != hex::encode(stands)
        {
            return Err(RelayError::WentBack(WentBack::Another { at: told.event }));
        }
        Ok(told.reached())
    }

    async fn publish(
        &self,
        event: &Recorded,
        chain: &[u8],
        sending: Sending,
    ) -> Result<PublishAckFuture, RelayError> {
        let context = self.client.server_info().max_payload;
        let (headers, data) = message::message(event, chain, sending, context);
        if data.is_empty() {
            tracing::warn!(
                position = event.position.0,
                bytes = event.data.len(),
                "NATS is told of an event by reference"
            );
            metrics::counter!("wheelhouse_relay_references_total").increment(1);
        }
        self.js.publish_with_headers(subject(event, self.contexts), headers, data).await.map_err(nats)
    }

    /// Shows what the relay waits for, or that it waits for nothing, to `doctor`.
    async fn say(&self, failure: Option<&str>) {
        let said = sqlx::query(
            "update log.relay set failure = $1 where failure is distinct from $1 and token <= $2",
        )
        .bind(failure)
        .bind(self.lease.token())
        .execute(&self.runtime.pools.projector)
        .await;
        if let Err(error) = said {
            tracing::warn!(%error, "what the relay waits for cannot be stored");
        }
    }

    async fn store(&self, place: &mut Place) -> Result<(), RelayError> {
        let lag = self.runtime.tail.head().0 - place.acknowledged.0;
        metrics::gauge!("wheelhouse_relay_lag_events").set(lag.max(0) as f64);
        if place.stored != place.acknowledged {
            let update = "update log.relay set position = $1, moved_at = now(), leader = $2 where token = $3";
            let stored = sqlx::query(update)
                .bind(place.acknowledged)
                .bind(&*self.runtime.node)
                .bind(self.lease.token())
                .execute(&self.runtime.pools.projector)
                .await?;
            if stored.rows_affected() == 0 {
                return Err(RelayError::Over);
            }
            place.stored = place.acknowledged;
        }
        place.stored_at = Instant::now();
        Ok(())
    }

    /// Sends again what somebody asked for, up to what was sent before. How far that came is stored, so that whoever leads
    /// next goes on there; each message says how far the stream had reached, so that he does not take it for the frontier.
    async fn resend_if_asked(&self, place: &mut Place) -> Result<(), RelayError> {
        let pool = &self.runtime.pools.projector;
        let asked: Option<i64> =
            sqlx::query_scalar("select resend_from from log.relay").fetch_one(pool).await?;
        let Some(asked) = asked else { return Ok(()) };
        let mut next = asked;
        while next <= place.sent.0 {
            let (from, to) = (Position(next - 1), Position(place.sent.0.min(next - 1 + RESEND_BATCH)));
            let mut reached = from;
            for (event, chain) in self.runtime.reader.read_linked_between(from, to).await? {
                if event.position.0 != reached.0 + 1 {
                    break;
                }
                let sending = Sending { after: place.sequence, anew: false, resent: Some(place.sent) };
                let ack = self.publish(&event, &chain, sending).await?.await.map_err(nats)?;
                // A repeat that JetStream still remembers is not stored again.
                if !ack.duplicate {
                    place.sequence = ack.sequence;
                }
                reached = event.position;
            }
            if reached < to {
                return Err(RelayError::Gap(Position(reached.0 + 1)));
            }
            if !self.resent(next, Some(to.0 + 1).filter(|next| *next <= place.sent.0)).await? {
                // Somebody asked for something else meanwhile.
                return Ok(());
            }
            next = to.0 + 1;
        }
        if asked > place.sent.0 {
            self.resent(asked, None).await?;
        }
        tracing::info!(from = asked, to = place.sent.0, "events were sent again");
        Ok(())
    }

    /// Stores where sending again goes on; says whether that is still what is asked for.
    async fn resent(&self, from: i64, next: Option<i64>) -> Result<bool, RelayError> {
        let stored =
            sqlx::query("update log.relay set resend_from = $2 where resend_from = $1 and token = $3")
                .bind(from)
                .bind(next)
                .bind(self.lease.token())
                .execute(&self.runtime.pools.projector)
                .await?;
        Ok(stored.rows_affected() == 1)
    }
}

/// Behind which sequence the stream goes on, which said how far it reaches before it gave its last message. Its last messages may have been
/// deleted; or some that were on their way came in between. What is sent is refused where the stream reaches another sequence than it names: counted
/// from a place that is not the last message's, one of those behind would be taken in the place of those before it.
fn end_of(last_sequence: u64, last_message: u64) -> u64 {
    last_sequence.max(last_message)
}

/// Waits for the oldest acknowledgement.
async fn land(flights: &mut VecDeque<Flight>, place: &mut Place) -> Result<(), RelayError> {
    let Some(flight) = flights.pop_front() else { return Ok(()) };
    let ack = flight.ack.await.map_err(nats)?;
    if ack.duplicate {
        return Err(RelayError::Remembered(place.sent));
    }
    if ack.sequence != flight.sequence {
        return Err(nats(format!("sequence {} where {} was expected", ack.sequence, flight.sequence)));
    }
    place.acknowledged = flight.position;
    metrics::counter!("wheelhouse_relay_events_total").increment(1);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_goes_on_behind_its_last_message_and_behind_deleted_ones() {
        assert_eq!(end_of(7_259, 7_259), 7_259);
        assert_eq!(end_of(7_259, 7_200), 7_259, "the last messages were deleted");
        assert_eq!(end_of(7_028, 7_259), 7_259, "messages that were on their way came in between");
    }
}
