//! How far the log reaches, known at once for appends of this process and within a poll for those of others; and
//! whether it is still the log that was known: one that went back is not gone on with.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::PgPool;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::chain::Hash;
use crate::Position;

const POLL_BUSY: Duration = Duration::from_millis(10);
const POLL_IDLE: Duration = Duration::from_millis(50);

/// The head, and the chain of the event that was last seen as the head, as of one moment.
const LOOK: &str =
    "select h.position, h.chain, e.chain from log.log_head h left join log.events e on e.position = $1";

/// The log's newest known position.
#[derive(Clone)]
pub struct Tail {
    head: Arc<watch::Sender<i64>>,
    seen: Arc<Mutex<Seen>>,
    fatal: Arc<watch::Sender<Option<Arc<str>>>>,
}

/// The head as a look found it.
#[derive(Clone, Default)]
struct Seen {
    position: i64,
    chain: Vec<u8>,
}

/// Why the log is not the one that was known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WentBack {
    /// It ends before an event that was in it.
    #[error("the log went back: it had reached position {}, and now ends at {}", known.0, head.0)]
    Shorter {
        /// How far it was known to reach.
        known: Position,
        /// Where it ends.
        head: Position,
    },
    /// Another event stands where one was.
    #[error("the log went back: at position {} stands another event than the one that was known", at.0)]
    Another {
        /// Where.
        at: Position,
    },
}

/// What to do about a log that went back.
pub const WAY_OUT: &str = "acknowledged events are missing, as after a failover without synchronous replication or a \
    restore to an earlier time. Bring back the database that holds them; or accept their loss knowingly: \
    `wheelhouse doctor` shows where things stand, `wheelhouse accept-restore --head N` goes on from there";

/// Judges a look: `known` is how far the log was known to reach before it, `seen` the head of an earlier look, `there`
/// the chain that the event at its position has now. Pure.
fn judge(known: i64, seen: &Seen, head: i64, there: Option<&[u8]>) -> Result<(), WentBack> {
    if head < known.max(seen.position) {
        return Err(WentBack::Shorter { known: Position(known.max(seen.position)), head: Position(head) });
    }
    if seen.position > 0 && there != Some(&seen.chain[..]) {
        return Err(WentBack::Another { at: Position(seen.position) });
    }
    Ok(())
}

impl Tail {
    /// Knows nothing yet.
    pub fn new() -> Self {
        Self {
            head: Arc::new(watch::Sender::new(0)),
            seen: Arc::default(),
            fatal: Arc::new(watch::Sender::new(None)),
        }
    }

    /// The newest known position.
    pub fn head(&self) -> Position {
        Position(*self.head.borrow())
    }

    /// Tells that the log reaches at least `position`.
    pub fn reached(&self, position: Position) {
        self.head.send_if_modified(|head| {
            let further = position.0 > *head;
            *head = position.0.max(*head);
            further
        });
    }

    /// Waits until the log reaches beyond `position`.
    pub async fn beyond(&self, position: Position) -> Position {
        let mut head = self.head.subscribe();
        let reached = head.wait_for(|head| *head > position.0).await.map(|head| *head);
        Position(reached.expect("this tail holds the sender"))
    }

    /// Asks the database how far the log reaches. A log that went back is told by [`Self::fatal`].
    pub async fn refresh(&self, pool: &PgPool) -> sqlx::Result<Position> {
        self.look(pool).await.map(|(head, _)| head)
    }

    /// How far the log reaches, and whether this process did not know of it by its own appends.
    async fn look(&self, pool: &PgPool) -> sqlx::Result<(Position, bool)> {
        // Both were committed before the statement below begins, whoever appends meanwhile.
        let known = self.head().0;
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (head, chain, there): (i64, Vec<u8>, Option<Vec<u8>>) =
            sqlx::query_as(LOOK).bind(seen.position).fetch_one(pool).await?;
        let news = head > self.head().0;
        match judge(known, &seen, head, there.as_deref()) {
            Ok(()) => {
                let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
                if head > seen.position {
                    *seen = Seen { position: head, chain };
                }
                drop(seen);
                self.reached(Position(head));
            }
            Err(why) => {
                self.fatal.send_if_modified(|fatal| {
                    let first = fatal.is_none();
                    if first {
                        *fatal = Some(format!("{why}; {WAY_OUT}").into());
                    }
                    first
                });
            }
        }
        Ok((Position(head), news))
    }

    /// Why nothing more may be built on this log, once something is found.
    pub fn fatal(&self) -> Option<Arc<str>> {
        self.fatal.borrow().clone()
    }

    /// Waits until there is a reason to stop, and gives it.
    pub async fn failed(&self) -> Arc<str> {
        let mut fatal = self.fatal.subscribe();
        let why = fatal.wait_for(Option::is_some).await.map(|why| why.clone());
        why.ok().flatten().expect("this tail holds the sender")
    }

    /// Looks for appends of other processes until `stop`: often while there are some, every 50 ms while there are none.
    /// Those that lie before an append of this process are known by its position.
    pub async fn poll(self, pool: PgPool, stop: CancellationToken) {
        let mut pause = POLL_BUSY;
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(pause) => {}
            }
            pause = match self.look(&pool).await {
                Ok((_, true)) => POLL_BUSY,
                Ok((_, false)) => (pause * 2).min(POLL_IDLE),
                Err(error) => {
                    tracing::warn!(error = %error, "the log's head cannot be read");
                    Duration::from_secs(1)
                }
            };
        }
    }
}

impl Default for Tail {
    fn default() -> Self {
        Self::new()
    }
}

/// The chain of the event at `position`, when there is one.
pub(crate) async fn chain_at(pool: &PgPool, position: Position) -> sqlx::Result<Option<Hash>> {
    let chain: Option<Vec<u8>> = sqlx::query_scalar("select chain from log.events where position = $1")
        .bind(position)
        .fetch_optional(pool)
        .await?;
    Ok(chain.and_then(|chain| chain.try_into().ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_judged_by_what_was_known_before_it() {
        let seen = Seen { position: 5, chain: vec![5; 32] };
        let same: Option<&[u8]> = Some(&[5; 32]);
        let shorter = |known, head| WentBack::Shorter { known: Position(known), head: Position(head) };
        assert_eq!(judge(0, &Seen::default(), 0, None), Ok(()));
        assert_eq!(judge(7, &seen, 7, same), Ok(()));
        assert_eq!(judge(7, &seen, 9, same), Ok(()));
        assert_eq!(judge(7, &seen, 6, same), Err(shorter(7, 6)));
        assert_eq!(judge(0, &seen, 4, None), Err(shorter(5, 4)));
        assert_eq!(judge(7, &seen, 9, Some(&[6; 32])), Err(WentBack::Another { at: Position(5) }));
        assert_eq!(judge(7, &seen, 9, None), Err(WentBack::Another { at: Position(5) }));
    }
}
