//! The relay: tells NATS of every event, in order, once.
//!
//! Each message names the stream sequence that must stand before it, so JetStream itself refuses a message that is out
//! of order or there already, even from a second relay that believes to lead. After a failure the relay looks at the
//! stream's last message and goes on behind it. What the log holds sealed stays sealed.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::context::PublishAckFuture;
use async_nats::jetstream::{self, stream};
use tokio::time::Instant;

use crate::log::LogError;
use crate::{House, Position, Recorded};

/// The JetStream stream that takes the events.
pub const STREAM: &str = "EVENTS";
const BATCH: i64 = 500;
/// Messages sent and not yet acknowledged.
const IN_FLIGHT: usize = 256;
const STORE_EVERY: Duration = Duration::from_millis(200);
const BEAT: Duration = Duration::from_secs(1);

/// Why the relay had to begin again.
#[derive(Debug, thiserror::Error)]
pub enum RelayError {
    /// The log could not be read, or the position not stored.
    #[error(transparent)]
    Log(#[from] LogError),
    /// NATS is away, or refused.
    #[error("NATS does not take events: {0}")]
    Nats(String),
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
pub async fn ask_to_resend(house: &House, from: Position) -> sqlx::Result<()> {
    sqlx::query("update log.relay set resend_from = $1")
        .bind(from.0.max(1))
        .execute(&house.pools.app)
        .await?;
    Ok(())
}

/// Runs the relay whenever this process leads it, until the house closes. Without NATS it has nothing to do.
pub async fn run(house: House, contexts: Contexts) {
    let Some(client) = house.nats.clone() else { return };
    let stop = house.stopping();
    let contexts = Arc::new(contexts);
    let mut lease = house.leases.want("relay").await;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = lease.held() => {}
        }
        let relay = Relay { house: &house, js: jetstream::new(client.clone()), contexts: &contexts };
        let ended = tokio::select! {
            () = stop.cancelled() => return,
            () = lease.lost() => continue,
            ended = relay.lead() => ended,
        };
        let Err(error) = ended;
        tracing::warn!(error = %error, "the relay begins again behind the last message");
        metrics::counter!("wheelhouse_relay_restarts_total").increment(1);
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(Duration::from_millis(500)) => {}
        }
    }
}

struct Relay<'a> {
    house: &'a House,
    js: jetstream::Context,
    contexts: &'a Contexts,
}

/// Where the relay stands.
struct Place {
    /// The last event sent.
    sent: Position,
    /// The last event acknowledged.
    acknowledged: Position,
    /// The stream's sequence after everything sent.
    sequence: u64,
    stored: Position,
    stored_at: Instant,
}

struct Flight {
    position: Position,
    sequence: u64,
    ack: PublishAckFuture,
}

impl Relay<'_> {
    async fn lead(&self) -> Result<std::convert::Infallible, RelayError> {
        let stream = self.js.get_stream(STREAM).await.map_err(nats)?;
        let mut place = self.place(&stream).await?;
        let mut flights = VecDeque::with_capacity(IN_FLIGHT);
        let mut beat = tokio::time::interval(BEAT);
        loop {
            let head = tokio::select! {
                biased;
                _ = beat.tick() => {
                    self.store(&mut place).await?;
                    self.resend_if_asked(&stream, &mut place).await?;
                    continue;
                }
                head = self.house.tail.beyond(place.sent) => head,
            };
            let to = Position(head.0.min(place.sent.0 + BATCH));
            for event in self.house.reader.read_sealed_between(place.sent, to).await? {
                place.sequence += 1;
                let ack = self.publish(&event, Some(place.sequence - 1)).await?;
                place.sent = event.position;
                flights.push_back(Flight { position: event.position, sequence: place.sequence, ack });
                if flights.len() >= IN_FLIGHT {
                    land(&mut flights, &mut place).await?;
                }
            }
            while !flights.is_empty() {
                land(&mut flights, &mut place).await?;
            }
            if place.stored_at.elapsed() >= STORE_EVERY {
                self.store(&mut place).await?;
            }
        }
    }

    /// Behind the stream's last message, which says more than the stored position: that one may be older (its
    /// acknowledgement was not stored) or newer (NATS lost what it had not yet written to the disk).
    async fn place(&self, stream: &stream::Stream) -> Result<Place, RelayError> {
        let stored: Position = sqlx::query_scalar("select position from log.relay")
            .fetch_one(&self.house.pools.projector)
            .await?;
        let state = stream.get_info().await.map_err(nats)?.state;
        let position = if state.last_sequence == 0 {
            Position(0)
        } else if state.messages == 0 {
            stored
        } else {
            let last = stream.get_raw_message(state.last_sequence).await.map_err(nats)?;
            last.headers
                .get(async_nats::header::NATS_MESSAGE_ID)
                .and_then(|id| id.as_str().parse().ok())
                .map(Position)
                .ok_or_else(|| nats("the last message of EVENTS is not an event of the log"))?
        };
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
            sequence: state.last_sequence,
            stored,
            stored_at: Instant::now(),
        })
    }

    async fn publish(&self, event: &Recorded, after: Option<u64>) -> Result<PublishAckFuture, RelayError> {
        let mut headers = headers(event);
        if let Some(after) = after {
            headers.insert(async_nats::header::NATS_EXPECTED_LAST_SEQUENCE, after.to_string());
        }
        self.js
            .publish_with_headers(subject(event, self.contexts), headers, event.data.clone())
            .await
            .map_err(nats)
    }

    async fn store(&self, place: &mut Place) -> Result<(), RelayError> {
        let lag = self.house.tail.head().0 - place.acknowledged.0;
        metrics::gauge!("wheelhouse_relay_lag_events").set(lag.max(0) as f64);
        if place.stored != place.acknowledged {
            sqlx::query("update log.relay set position = $1, moved_at = now(), leader = $2")
                .bind(place.acknowledged)
                .bind(&*self.house.node)
                .execute(&self.house.pools.projector)
                .await?;
            place.stored = place.acknowledged;
        }
        place.stored_at = Instant::now();
        Ok(())
    }

    /// Sends again what somebody asked for, up to what was sent before.
    async fn resend_if_asked(&self, stream: &stream::Stream, place: &mut Place) -> Result<(), RelayError> {
        let pool = &self.house.pools.projector;
        let from: Option<i64> =
            sqlx::query_scalar("select resend_from from log.relay").fetch_one(pool).await?;
        let Some(from) = from else { return Ok(()) };
        let mut position = Position(from - 1);
        let mut flights: VecDeque<PublishAckFuture> = VecDeque::new();
        while position < place.sent {
            let to = Position(place.sent.0.min(position.0 + BATCH));
            for event in self.house.reader.read_sealed_between(position, to).await? {
                flights.push_back(self.publish(&event, None).await?);
                if flights.len() >= IN_FLIGHT
                    && let Some(ack) = flights.pop_front()
                {
                    ack.await.map_err(nats)?;
                }
            }
            position = to;
        }
        for ack in flights {
            ack.await.map_err(nats)?;
        }
        sqlx::query("update log.relay set resend_from = null where resend_from = $1")
            .bind(from)
            .execute(pool)
            .await?;
        place.sequence = stream.get_info().await.map_err(nats)?.state.last_sequence;
        tracing::info!(from, to = place.sent.0, "events were sent again");
        Ok(())
    }
}

/// Waits for the oldest acknowledgement.
async fn land(flights: &mut VecDeque<Flight>, place: &mut Place) -> Result<(), RelayError> {
    let Some(flight) = flights.pop_front() else { return Ok(()) };
    let ack = flight.ack.await.map_err(nats)?;
    if ack.sequence != flight.sequence {
        return Err(nats(format!("sequence {} where {} was expected", ack.sequence, flight.sequence)));
    }
    place.acknowledged = flight.position;
    metrics::counter!("wheelhouse_relay_events_total").increment(1);
    Ok(())
}

/// `events.<context>.<category>.<type>`; the type without its category in front.
pub fn subject(event: &Recorded, contexts: &Contexts) -> String {
    let context = contexts.get(event.category.as_str()).copied().unwrap_or("house");
    let name = event
        .stored_type
        .strip_prefix(event.category.as_str())
        .and_then(|rest| rest.strip_prefix('.'))
        .unwrap_or(&event.stored_type);
    let plain = |text: &str| text.replace([' ', '*', '>'], "_");
    format!("events.{context}.{}.{}", plain(&event.category), plain(name))
}

/// CloudEvents 1.0, binary mode, and the message id by which JetStream knows a repeat.
fn headers(event: &Recorded) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(async_nats::header::NATS_MESSAGE_ID, event.position.0.to_string());
    headers.insert("ce-specversion", "1.0");
    headers.insert("ce-id", event.position.0.to_string());
    headers.insert("ce-source", "/wheelhouse/log");
    headers.insert("ce-type", event.stored_type.as_str());
    headers.insert("ce-subject", format!("{}/{}", event.category, one_line(&event.stream_id)));
    let time = event.recorded_at.datetime().to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    headers.insert("ce-time", time);
    headers.insert("ce-streamversion", event.version.to_string());
    headers.insert("ce-schemaversion", event.schema_version.to_string());
    headers.insert("ce-actor", one_line(&crate::log::codec::actor_key(&event.meta.actor)));
    if let Some(agent) = event.meta.territory.agent {
        headers.insert("ce-agentid", agent.to_string());
    }
    if let Some(area) = event.meta.territory.area {
        headers.insert("ce-areaid", area.to_string());
    }
    if !event.meta.trace_id.is_empty() {
        headers.insert("ce-traceid", one_line(&event.meta.trace_id));
    }
    headers.insert("content-type", "application/json");
    headers
}

/// A header has one line.
fn one_line(text: &str) -> String {
    text.replace(['\r', '\n'], " ")
}
