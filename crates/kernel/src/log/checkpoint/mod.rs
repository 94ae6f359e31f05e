//! The signer: says again and again, signed, what the log is. Each checkpoint is written to the log's database first,
//! where one of two signers is refused, and then to the places outside.
//!
//! Before it signs, the signer looks whether everything it knows still holds: its own last statement and what each place
//! held, the chain at the last checkpoint, each link since. When something is gone or changed it signs nothing more and
//! says so. A place that does not answer is brought up to date, in order, when it does; while none outside answers,
//! nothing is signed, since a checkpoint that only the database holds promises nothing.

mod agreement;
mod halt;
mod look;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

pub use self::agreement::last_state;
pub use self::halt::{Halt, SignError};
use super::chain::{GENESIS, Hash, link};
use super::lineage::Lineage;
use super::places::{Place, PlaceError, Table};
use super::statement::{CheckpointKey, Content, Mark, Statement};
use super::{LogError, merkle, raw};
use crate::{Position, Runtime};

/// Events that one checkpoint covers at most.
pub const MAX_EVENTS: i64 = 1000;
/// A checkpoint is signed at the latest this long after an event.
const EVERY: Duration = Duration::from_mins(1);
const LOOK: Duration = Duration::from_secs(1);
/// A place that is slower than this is away.
const PATIENCE: Duration = Duration::from_secs(10);
/// What a place lost of statements as young as this is given to it again: a broker that died may not have written what it
/// acknowledged. Older ones are on its disk.
const LATELY_MS: i64 = 300_000;
/// Statements that a place is given in one round when it was away.
const CATCH_UP: u64 = 10_000;

/// Signs the log's states. Cheap to clone.
#[derive(Clone)]
pub struct Signer {
    runtime: Runtime,
    key: CheckpointKey,
    table: Arc<Table>,
    outside: Vec<Arc<dyn Place>>,
    known: Arc<Mutex<Known>>,
}

/// What this process has seen with its own eyes.
#[derive(Default)]
struct Known {
    last: Option<Statement>,
    /// The last number that each place held, the table's first.
    held: Vec<u64>,
}

/// Where things stand at the beginning of a round.
struct Standing {
    /// The last statement there is.
    last: Option<Statement>,
    /// What the statements say of the log, as far back as the last checkpoint that counts.
    lineage: Lineage,
    /// The last number of each place outside; none where it is away.
    held: Vec<Option<u64>>,
}

impl Standing {
    /// Where the last checkpoint that counts ends, and the chain there.
    fn base(&self) -> (Position, Hash) {
        self.lineage.last_mark().map_or((Position(0), GENESIS), |mark| (mark.position, mark.chain))
    }
}

impl Signer {
    /// Signs with `key`, and writes to the places `outside` in this order.
    pub fn new(runtime: Runtime, key: CheckpointKey, outside: Vec<Arc<dyn Place>>) -> Self {
        let table = Arc::new(Table::new(runtime.pools.projector.clone()));
        Self { runtime, key, table, outside, known: Arc::default() }
    }

    /// Looks whether everything known still holds, and brings places up to date; signs nothing.
    pub async fn check(&self) -> Result<(), SignError> {
        let mut known = self.known.lock().await;
        self.begin(&mut known).await.map(drop)
    }

    /// Signs what came since the last checkpoint, in checkpoints of at most [`MAX_EVENTS`]; says which were made.
    pub async fn sign_new(&self) -> Result<Vec<Statement>, SignError> {
        let mut known = self.known.lock().await;
        let (mut standing, head) = self.begin(&mut known).await?;
        let mut base = standing.base();
        let mut made = Vec::new();
        while base.0 < head {
            let first = Position(base.0.0 + 1);
            let to = Position(head.0.min(base.0.0 + MAX_EVENTS));
            let (chain, leaves) = self.linked(base.1, first, to).await?;
            let mark = Mark { first, position: to, chain, root: merkle::root(&leaves) };
            let statement = self.sign(standing.last.as_ref(), Content::Checkpoint(mark)).await?;
            match self.table.put(&statement).await {
                Ok(()) => {}
                // Another process signed; whoever looks next goes on behind that.
                Err(PlaceError::Occupied { .. }) => break,
                Err(error) => return Err(error.into()),
            }
            self.tell(&statement, &mut standing, &mut known).await?;
            base = (to, chain);
            made.push(statement);
        }
        Ok(made)
    }

    /// Whether the last statement says that `key` signs from here on.
    pub async fn was_handed_to(&self, key: &CheckpointKey) -> Result<bool, SignError> {
        let number = self.table.last().await?;
        let last = if number > 0 { self.table.get(number).await? } else { None };
        let content = last.map(|last| last.content);
        Ok(matches!(content, Some(Content::Rotation { to, .. }) if to == *key.public().as_bytes()))
    }

    /// Signs that `to` is the key from here on.
    pub async fn hand_over(&self, to: &CheckpointKey) -> Result<Statement, SignError> {
        let content = Content::Rotation { from: *self.key.public().as_bytes(), to: *to.public().as_bytes() };
        let mut known = self.known.lock().await;
        let (mut standing, _) = self.begin(&mut known).await?;
        self.state(content, &mut standing, &mut known).await
    }

    async fn state(
        &self,
        content: Content,
        standing: &mut Standing,
        known: &mut Known,
    ) -> Result<Statement, SignError> {
        let statement = self.sign(standing.last.as_ref(), content).await?;
        self.table.put(&statement).await?;
        self.tell(&statement, standing, known).await?;
        Ok(statement)
    }

    /// The first numbered statement holds the last checkpoint of version 1.
    async fn sign(&self, before: Option<&Statement>, content: Content) -> Result<Statement, SignError> {
        let old = match before {
            Some(_) => None,
            None => old_checkpoints(&self.runtime.pools.projector).await?.pop(),
        };
        let at = self.runtime.clock.now();
        Ok(Statement::sign(&self.key, before.or(old.as_ref()), content, at))
    }

    /// The leaves of the events from `first` to `to` and the chain after them, link by link from `chain` on.
    async fn linked(
        &self,
        mut chain: Hash,
        first: Position,
        to: Position,
    ) -> Result<(Hash, Vec<Hash>), SignError> {
        let mut leaves = Vec::new();
        let mut next = first.0;
        for event in raw::hashed(&self.runtime.pools.projector, first, to).await? {
            chain = link(&chain, &event.leaf);
            if event.position != next || event.chain != chain {
                return Err(Halt::Unlinked { at: Position(next) }.into());
            }
            leaves.push(event.leaf);
            next += 1;
        }
        if next <= to.0 {
            return Err(Halt::Unlinked { at: Position(next) }.into());
        }
        Ok((chain, leaves))
    }

    /// Writes a statement that the table has to the places outside.
    async fn tell(
        &self,
        statement: &Statement,
        standing: &mut Standing,
        known: &mut Known,
    ) -> Result<(), SignError> {
        let number = statement.number();
        known.held[0] = number;
        known.last = Some(statement.clone());
        standing.last = Some(statement.clone());
        for (index, place) in self.outside.iter().enumerate() {
            if standing.held[index].is_none() {
                continue;
            }
            match patiently(&**place, place.put(statement)).await {
                Ok(()) => {
                    standing.held[index] = Some(number);
                    known.held[1 + index] = number;
                }
                Err(error @ PlaceError::Away { .. }) => {
                    tracing::warn!(%error, "a place for checkpoints is away");
                    standing.held[index] = None;
                }
                Err(error) => return Err(error.into()),
            }
        }
        metrics::gauge!("wheelhouse_checkpoints_places_away")
            .set(standing.held.iter().filter(|held| held.is_none()).count() as f64);
        Ok(())
    }

    /// Says how a round ended; whether it went well.
    async fn told(&self, ended: Result<(), SignError>) -> bool {
        match ended {
            Ok(()) => {
                self.say(None).await;
                return true;
            }
            Err(error @ SignError::Halt(_)) => {
                tracing::error!(%error, "the log is not signed");
                self.say(Some(&error.to_string())).await;
            }
            Err(error) => tracing::error!(%error, "the log could not be signed; it is tried again"),
        }
        false
    }

    /// Shows what the signer waits for, or that it waits for nothing, to `doctor`.
    async fn say(&self, failure: Option<&str>) {
        metrics::gauge!("wheelhouse_checkpoints_stopped").set(if failure.is_some() { 1.0 } else { 0.0 });
        let said = sqlx::query(
            "update log.signing set failure = $1, moved_at = now() where failure is distinct from $1",
        )
        .bind(failure)
        .execute(&self.runtime.pools.projector)
        .await;
        if let Err(error) = said {
            tracing::warn!(%error, "what the signer waits for cannot be stored");
        }
    }
}

async fn patiently<T>(
    place: &dyn Place,
    asked: impl Future<Output = Result<T, PlaceError>>,
) -> Result<T, PlaceError> {
    tokio::time::timeout(PATIENCE, asked).await.unwrap_or_else(|_| {
        Err(PlaceError::Away { place: place.name().to_owned(), why: "no answer in time".to_owned() })
    })
}

type OldRow = (i64, i64, Vec<u8>, Vec<u8>, chrono::DateTime<chrono::Utc>, Vec<u8>, Vec<u8>);

/// The checkpoints of version 1, in order.
pub(super) async fn old_checkpoints(pool: &sqlx::PgPool) -> Result<Vec<Statement>, LogError> {
    let rows: Vec<OldRow> = sqlx::query_as(
        "select position, first, chain, root, signed_at, key_id, signature from log.checkpoints order by position",
    )
    .fetch_all(pool)
    .await?;
    let broken = |_| LogError::Invalid("a stored checkpoint has a field of the wrong length");
    rows.into_iter()
        .map(|(position, first, chain, root, signed_at, key_id, signature)| {
            let mark = Mark {
                first: Position(first),
                position: Position(position),
                chain: chain.try_into().map_err(broken)?,
                root: root.try_into().map_err(broken)?,
            };
            Ok(Statement {
                link: None,
                content: Content::Checkpoint(mark),
                signed_at: signed_at.into(),
                key_id: key_id.try_into().map_err(broken)?,
                signature: signature.try_into().map_err(broken)?,
            })
        })
        .collect()
}

/// Signs a checkpoint for each 1000 events, and at least one a minute while there are new ones, whenever this process
/// leads, until the system closes. While another process leads, this one looks on and keeps its own places up to date.
pub async fn run(signer: Signer) {
    let runtime = signer.runtime.clone();
    let stop = runtime.stopping();
    let mut lease = runtime.leases.want("checkpoints").await;
    let mut watch = tokio::time::interval_at(Instant::now() + EVERY, EVERY);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = lease.held() => {}
            _ = watch.tick() => {
                if let Err(error) = signer.check().await {
                    tracing::error!(%error, "what is signed about the log is not what it was, or cannot be looked at");
                }
                continue;
            }
        }
        let lead = async {
            // What stands in the way is told at the start, and not a minute later.
            let mut went_well = signer.told(signer.check().await).await;
            let mut due = Instant::now() + EVERY;
            let mut last = Position(0);
            loop {
                let many = went_well && runtime.tail.head().0 - last.0 >= MAX_EVENTS;
                if many || Instant::now() >= due {
                    let head = runtime.tail.head();
                    went_well = signer.told(signer.sign_new().await.map(drop)).await;
                    last = if went_well { head } else { last };
                    due = Instant::now() + EVERY;
                }
                tokio::select! {
                    () = tokio::time::sleep(LOOK) => {}
                    () = lease.wanted_back() => return,
                }
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = lease.lost() => continue,
            () = lead => {}
        }
        lease = lease.again();
    }
}
