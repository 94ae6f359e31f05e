//! No box is taken twice.
//!
//! Commands: every node asks the same table, so a box replayed to another node is refused too. Queries: each node
//! remembers its own; a replay to another node only repeats an answer that is sealed under the session's key.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

use sqlx::PgPool;
use vocabulary::Timestamp;

use crate::SessionId;
use crate::cipher::{NONCE_BYTES, WINDOW_MS};

/// From the earliest to the latest moment at which one box is in time, and a little more.
const REMEMBERED_MS: i64 = 2 * WINDOW_MS + 60_000;
/// Queries of one session within that time; more are refused.
const MAX_OF_SESSION: usize = 30_000;
/// Queries of all sessions within that time; more are refused.
const MAX_OF_NODE: usize = 4_000_000;

type Nonce = [u8; NONCE_BYTES];

/// What became of a nonce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Never seen.
    Fresh,
    /// Seen before.
    Replayed,
    /// No room to remember it.
    Full,
}

#[derive(Default)]
struct Generations {
    current: HashMap<SessionId, HashSet<Nonce>>,
    previous: HashMap<SessionId, HashSet<Nonce>>,
    turned_at: Timestamp,
    held: usize,
}

impl Generations {
    /// A nonce is kept for at least one and at most two generations.
    fn take(&mut self, session: SessionId, nonce: Nonce, now: Timestamp) -> Verdict {
        let age = now.millis_since(self.turned_at);
        if age >= REMEMBERED_MS {
            let current = std::mem::take(&mut self.current);
            self.previous = if age >= 2 * REMEMBERED_MS { HashMap::new() } else { current };
            self.held = self.previous.values().map(HashSet::len).sum();
            self.turned_at = now;
        }
        if self.previous.get(&session).is_some_and(|seen| seen.contains(&nonce)) {
            return Verdict::Replayed;
        }
        let seen = self.current.entry(session).or_default();
        if seen.contains(&nonce) {
            return Verdict::Replayed;
        }
        if seen.len() >= MAX_OF_SESSION || self.held >= MAX_OF_NODE {
            return Verdict::Full;
        }
        self.held += 1;
        seen.insert(nonce);
        Verdict::Fresh
    }
}

/// The memory of boxes taken.
pub(crate) struct Replay {
    db: PgPool,
    queries: Mutex<Generations>,
}

impl Replay {
    pub fn new(db: PgPool) -> Self {
        Self { db, queries: Mutex::new(Generations::default()) }
    }

    /// Takes the nonce of a query.
    pub fn take_query(&self, session: SessionId, nonce: Nonce, now: Timestamp) -> Verdict {
        self.queries.lock().expect("nothing panics while holding the nonces").take(session, nonce, now)
    }

    /// Takes the nonce of a command.
    pub async fn take_command(
        &self,
        session: SessionId,
        nonce: Nonce,
        now: Timestamp,
    ) -> sqlx::Result<Verdict> {
        let done = sqlx::query(
            "insert into authentication.nonces (session_id, nonce, seen_at) values ($1, $2, $3) on conflict do nothing",
        )
        .bind(session)
        .bind(nonce.as_slice())
        .bind(now.datetime())
        .execute(&self.db)
        .await?;
        Ok(if done.rows_affected() == 1 { Verdict::Fresh } else { Verdict::Replayed })
    }

    /// Forgets commands whose boxes are stale by now.
    pub async fn sweep(&self, now: Timestamp) -> sqlx::Result<u64> {
        let done = sqlx::query("delete from authentication.nonces where seen_at < $1")
            .bind(now.plus_millis(-REMEMBERED_MS).datetime())
            .execute(&self.db)
            .await?;
        Ok(done.rows_affected())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
    const ONE: SessionId = SessionId(1);

    #[test]
    fn a_nonce_is_fresh_once_for_as_long_as_its_box_may_be_in_time() {
        let mut seen = Generations::default();
        assert_eq!(seen.take(ONE, [1; 12], NOW), Verdict::Fresh);
        for later in [0, 1, WINDOW_MS, 2 * WINDOW_MS, REMEMBERED_MS, REMEMBERED_MS + 1] {
            assert_eq!(seen.take(ONE, [1; 12], NOW.plus_millis(later)), Verdict::Replayed, "{later}");
        }
        assert_eq!(seen.take(SessionId(2), [1; 12], NOW), Verdict::Fresh);
    }

    #[test]
    fn a_session_that_asks_too_much_is_refused_rather_than_forgotten() {
        let mut seen = Generations::default();
        let nonce = |n: usize| {
            let mut nonce = [0; 12];
            nonce[..8].copy_from_slice(&(n as u64).to_be_bytes());
            nonce
        };
        assert!((0..MAX_OF_SESSION).all(|n| seen.take(ONE, nonce(n), NOW) == Verdict::Fresh));
        assert_eq!(seen.take(ONE, nonce(MAX_OF_SESSION), NOW), Verdict::Full);
        assert_eq!(seen.take(ONE, nonce(0), NOW), Verdict::Replayed);
        assert_eq!(seen.take(ONE, nonce(MAX_OF_SESSION), NOW.plus_millis(2 * REMEMBERED_MS)), Verdict::Fresh);
    }
}
