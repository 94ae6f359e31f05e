//! The signer: says again and again, signed, what the log is. Each checkpoint is written to the log's database first,
//! where one of two signers is refused, and then to the places outside.
//!
//! Before it signs, the signer looks whether everything it knows still holds: its own last statement and what each place
//! held, the chain at the last checkpoint, each link since. When something is gone or changed it signs nothing more and
//! says so. A place that does not answer is brought up to date, in order, when it does; while none outside answers,
//! nothing is signed, since a checkpoint that only the database holds promises nothing.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use super::chain::{GENESIS, Hash, link};
use super::lineage::Lineage;
use super::places::{Place, PlaceError, Table};
use super::statement::{CheckpointKey, Content, Mark, Statement, key_id};
use super::tail::{WAY_OUT, chain_at};
use super::{LogError, merkle, raw};
use crate::{House, Position};

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

/// Why nothing more is signed, until somebody looks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Halt {
    /// A place no longer holds what it held.
    #[error("{place} held {known} signed statements and now holds {held}")]
    Gone {
        /// Which place.
        place: String,
        /// The last number it was known to hold.
        known: u64,
        /// The last number it holds.
        held: u64,
    },
    /// A statement is not the one that was signed.
    #[error("{place} holds another statement under number {number} than was signed")]
    Differs {
        /// Which place.
        place: String,
        /// Which number.
        number: u64,
    },
    /// What a place holds cannot be read.
    #[error("{0}")]
    Broken(PlaceError),
    /// The log ends before what was signed.
    #[error("the log ends at {}, and was signed up to {}; {WAY_OUT}", head.0, signed.0)]
    Truncated {
        /// Where it ends.
        head: Position,
        /// What was signed.
        signed: Position,
    },
    /// The log's chain is another one than was signed.
    #[error("the log's chain at position {} is not the one that was signed; run `wheelhouse verify`", at.0)]
    Rewritten {
        /// Where.
        at: Position,
    },
    /// An event is missing, or does not follow from the one before it.
    #[error("the event at position {} is missing or changed; run `wheelhouse verify`", at.0)]
    Unlinked {
        /// Where.
        at: Position,
    },
    /// The last statement names another key than this process has.
    #[error(
        "the statements are signed by key {expected}, and this process has another one; was it rotated or replaced?"
    )]
    Key {
        /// Its id, hexadecimal.
        expected: String,
    },
}

/// Why a round signed nothing, or not all.
#[derive(Debug, thiserror::Error)]
pub enum SignError {
    /// The log could not be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A place that is needed does not answer.
    #[error(transparent)]
    Away(PlaceError),
    /// Signing stopped.
    #[error("nothing more is signed: {0}")]
    Halt(#[from] Halt),
}

impl From<sqlx::Error> for SignError {
    fn from(error: sqlx::Error) -> Self {
        Self::Log(error.into())
    }
}

impl From<PlaceError> for SignError {
    fn from(error: PlaceError) -> Self {
        match error {
            PlaceError::Away { .. } => Self::Away(error),
            PlaceError::Occupied { place, number } => Halt::Differs { place, number }.into(),
            PlaceError::Broken { .. } => Halt::Broken(error).into(),
        }
    }
}

/// Signs the log's states. Cheap to clone.
#[derive(Clone)]
pub struct Signer {
    house: House,
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
    pub fn new(house: House, key: CheckpointKey, outside: Vec<Arc<dyn Place>>) -> Self {
        let table = Arc::new(Table::new(house.pools.projector.clone()));
        Self { house, key, table, outside, known: Arc::default() }
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

    /// Everything that must hold before anything is signed; and the log's head.
    async fn begin(&self, known: &mut Known) -> Result<(Standing, Position), SignError> {
        let mut standing = self.look(known).await?;
        let head = self.house.reader.head().await?;
        let anchors = standing.lineage.anchors.iter().map(|anchor| (anchor.position, anchor.chain));
        for (at, chain) in anchors.chain([standing.base()]).filter(|(at, _)| at.0 > 0) {
            if at > head {
                return Err(Halt::Truncated { head, signed: at }.into());
            }
            if chain_at(&self.house.pools.projector, at).await? != Some(chain) {
                return Err(Halt::Rewritten { at }.into());
            }
        }
        self.catch_up(&mut standing, known).await?;
        Ok((standing, head))
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

    /// How far the log was ever signed, and the last signed position that it still agrees with, up to `head`. Wants an
    /// answer of every place.
    pub(super) async fn agreement(&self, head: Position) -> Result<(Position, Position), SignError> {
        let mut lineage = Lineage::default();
        for statement in
            old_checkpoints(&self.house.pools.projector).await?.iter().chain(&self.everything().await?)
        {
            lineage.say(&statement.content, statement.signed_at);
        }
        let mut agreed = Position(0);
        for anchor in lineage.anchors.iter().rev().filter(|anchor| anchor.position <= head) {
            if chain_at(&self.house.pools.projector, anchor.position).await? == Some(anchor.chain) {
                agreed = anchor.position;
                break;
            }
        }
        Ok((lineage.signed, agreed))
    }

    /// Puts back into the table what only places outside still have; says whether there was anything.
    pub(super) async fn restore_table(&self) -> Result<bool, SignError> {
        let has = self.table.last().await?;
        let mut lacked = false;
        for statement in self.everything().await?.iter().filter(|statement| statement.number() > has) {
            self.table.put(statement).await?;
            lacked = true;
        }
        Ok(lacked)
    }

    /// Signs that the log was set back from `from` to `to`.
    pub(super) async fn state_restore(&self, from: Position, to: Position) -> Result<Statement, SignError> {
        let chain = chain_at(&self.house.pools.projector, to).await?.unwrap_or(GENESIS);
        let mut known = self.known.lock().await;
        let mut standing = self.look(&mut known).await?;
        self.catch_up(&mut standing, &mut known).await?;
        self.state(Content::Restore { from, to, chain }, &mut standing, &mut known).await
    }

    /// The statements of all places, each of which must answer, without a hole and without a difference.
    async fn everything(&self) -> Result<Vec<Statement>, SignError> {
        let mut together = std::collections::BTreeMap::new();
        let table: &dyn Place = &*self.table;
        for place in std::iter::once(table).chain(self.outside.iter().map(|place| &**place)) {
            for statement in place.all().await? {
                let number = statement.number();
                if *together.entry(number).or_insert_with(|| statement.clone()) != statement {
                    return Err(Halt::Differs { place: place.name().to_owned(), number }.into());
                }
            }
        }
        Ok(together.into_values().collect())
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
            None => old_checkpoints(&self.house.pools.projector).await?.pop(),
        };
        let at = self.house.clock.now();
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
        for event in raw::hashed(&self.house.pools.projector, first, to).await? {
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

    /// Compares the places with each other and with what this process knows of them.
    async fn look(&self, known: &mut Known) -> Result<Standing, SignError> {
        let mut held = Vec::new();
        let mut away = None;
        for place in &self.outside {
            match patiently(&**place, place.last()).await {
                Ok(last) => held.push(Some(last)),
                Err(error @ PlaceError::Away { .. }) => {
                    tracing::warn!(%error, "a place for checkpoints is away");
                    held.push(None);
                    away = Some(error);
                }
                Err(error) => return Err(error.into()),
            }
        }
        if let Some(error) = away.filter(|_| held.iter().all(Option::is_none)) {
            return Err(SignError::Away(error));
        }
        // Read after the others: whatever another signer wrote to them meanwhile, the table had it before.
        let in_table = patiently(&*self.table, self.table.last()).await?;
        known.held.resize(1 + self.outside.len(), 0);
        let most = held.iter().flatten().copied().chain([in_table]).max().unwrap_or(0);
        let most = most.max(known.last.as_ref().map_or(0, Statement::number));
        let names = std::iter::once(self.table.name()).chain(self.outside.iter().map(|place| place.name()));
        let now = std::iter::once(Some(in_table)).chain(held.iter().copied());
        for ((name, now), was) in names.zip(now).zip(&known.held) {
            if let Some(now) = now.filter(|now| now < was) {
                let lost = if now < in_table { self.table.get(now + 1).await? } else { None };
                let lately = self.house.clock.now().plus_millis(-LATELY_MS);
                if lost.is_some_and(|lost| lost.signed_at > lately) {
                    tracing::warn!(
                        place = name,
                        was,
                        now,
                        "a place lost what it was given lately; it is given again"
                    );
                    continue;
                }
                return Err(Halt::Gone { place: name.to_owned(), known: *was, held: now }.into());
            }
        }
        // The table has each statement before any place outside has it.
        if in_table < most {
            let place = self.table.name().to_owned();
            return Err(Halt::Gone { place, known: most, held: in_table }.into());
        }
        if let Some(last) = &known.last {
            self.same(&*self.table, last).await?;
        }
        for (place, held) in self.outside.iter().zip(&held) {
            if let Some(number) = held.filter(|held| *held > 0) {
                let stands = self.from_table(number).await?;
                self.same(&**place, &stands).await?;
            }
        }
        let last = if most > 0 { Some(self.from_table(most).await?) } else { None };
        if let Some(last) = &last {
            let (expected, signed) = match &last.content {
                Content::Rotation { to, .. } => (to[..8].to_vec(), true),
                _ => (last.key_id.to_vec(), last.is_signed_by(&self.key.public())),
            };
            if expected != key_id(&self.key.public()) || !signed {
                return Err(Halt::Key { expected: hex::encode(expected) }.into());
            }
        }
        let lineage = self.lineage(most).await?;
        known.held[0] = in_table;
        for (was, now) in known.held[1..].iter_mut().zip(&held) {
            *was = now.unwrap_or(*was);
        }
        known.last.clone_from(&last);
        Ok(Standing { last, lineage, held })
    }

    async fn from_table(&self, number: u64) -> Result<Statement, SignError> {
        let place = || self.table.name().to_owned();
        self.table.get(number).await?.ok_or_else(|| Halt::Differs { place: place(), number }.into())
    }

    async fn same(&self, place: &dyn Place, statement: &Statement) -> Result<(), SignError> {
        let number = statement.number();
        match patiently(place, place.get(number)).await {
            Ok(Some(there)) if there == *statement => Ok(()),
            // What it answered a moment ago it may not answer now; the next round looks again.
            Err(PlaceError::Away { .. }) => Ok(()),
            Err(error) => Err(error.into()),
            Ok(_) => Err(Halt::Differs { place: place.name().to_owned(), number }.into()),
        }
    }

    /// What the statements up to `last` say of the log, read back to the last checkpoint that no restore took away.
    async fn lineage(&self, last: u64) -> Result<Lineage, SignError> {
        let mut read = Vec::new();
        let mut limit = Position(i64::MAX);
        let mut found = false;
        for number in (1..=last).rev() {
            let statement = self.from_table(number).await?;
            match &statement.content {
                Content::Restore { to, .. } => limit = limit.min(*to),
                Content::Checkpoint(mark) => found = mark.position <= limit,
                Content::Rotation { .. } => {}
            }
            read.push(statement);
            if found {
                break;
            }
        }
        let mut lineage = Lineage::default();
        if !found {
            for old in old_checkpoints(&self.house.pools.projector).await? {
                lineage.say(&old.content, old.signed_at);
            }
            // One of version 1 is enough: each of them covers those before it by its chain.
            let surplus = lineage.anchors.len().saturating_sub(1);
            if limit.0 == i64::MAX {
                lineage.anchors.drain(..surplus);
            }
        }
        for statement in read.iter().rev() {
            lineage.say(&statement.content, statement.signed_at);
        }
        Ok(lineage)
    }

    /// Gives the places what they lack, in order. One that breaks off is away.
    async fn catch_up(&self, standing: &mut Standing, known: &mut Known) -> Result<(), SignError> {
        let last = standing.last.as_ref().map_or(0, Statement::number);
        for (index, place) in self.outside.iter().enumerate() {
            let Some(mut held) = standing.held[index].filter(|held| *held < last) else { continue };
            tracing::warn!(place = place.name(), held, last, "a place for checkpoints is brought up to date");
            let until = last.min(held + CATCH_UP);
            while held < until {
                let statement = self.from_table(held + 1).await?;
                match patiently(&**place, place.put(&statement)).await {
                    Ok(()) => held += 1,
                    Err(PlaceError::Away { .. }) => break,
                    Err(error) => return Err(error.into()),
                }
            }
            // It takes new ones when it has all before them.
            standing.held[index] = (held == last).then_some(held);
            known.held[1 + index] = held;
        }
        Ok(())
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

    /// How far the places outside say that the log reaches, as far as they answer: its last checkpoint, or the restore
    /// after it.
    pub async fn furthest(&self) -> Position {
        let mut furthest = (0, Position(0));
        for place in &self.outside {
            match patiently(&**place, last_state(&**place)).await {
                Ok(found) => furthest = furthest.max(found),
                Err(error) => tracing::warn!(%error, "a place for checkpoints cannot be asked"),
            }
        }
        furthest.1
    }

    /// Shows what the signer waits for, or that it waits for nothing, to `doctor`.
    async fn say(&self, failure: Option<&str>) {
        metrics::gauge!("wheelhouse_checkpoints_stopped").set(if failure.is_some() { 1.0 } else { 0.0 });
        let said = sqlx::query(
            "update log.signing set failure = $1, moved_at = now() where failure is distinct from $1",
        )
        .bind(failure)
        .execute(&self.house.pools.projector)
        .await;
        if let Err(error) = said {
            tracing::warn!(%error, "what the signer waits for cannot be stored");
        }
    }
}

/// The number and position of a place's last statement about the log.
pub async fn last_state(place: &dyn Place) -> Result<(u64, Position), PlaceError> {
    for number in (1..=place.last().await?).rev() {
        match place.get(number).await?.map(|statement| statement.content) {
            Some(Content::Checkpoint(mark)) => return Ok((number, mark.position)),
            Some(Content::Restore { to, .. }) => return Ok((number, to)),
            Some(Content::Rotation { .. }) | None => {}
        }
    }
    Ok((0, Position(0)))
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
/// leads, until the house closes.
pub async fn run(signer: Signer) {
    let house = signer.house.clone();
    let stop = house.stopping();
    let mut lease = house.leases.want("checkpoints").await;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = lease.held() => {}
        }
        let lead = async {
            // What stands in the way is told at the start, and not a minute later.
            let mut went_well = signer.told(signer.check().await).await;
            let mut due = Instant::now() + EVERY;
            let mut last = Position(0);
            loop {
                let many = went_well && house.tail.head().0 - last.0 >= MAX_EVENTS;
                if many || Instant::now() >= due {
                    let head = house.tail.head();
                    went_well = signer.told(signer.sign_new().await.map(drop)).await;
                    last = if went_well { head } else { last };
                    due = Instant::now() + EVERY;
                }
                tokio::time::sleep(LOOK).await;
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = lease.lost() => {}
            () = lead => {}
        }
    }
}
