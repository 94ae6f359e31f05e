//! The desk: takes a command, loads the aggregate, checks whose it is, lets it decide, appends.

mod cache;
mod transaction;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sqlx::PgPool;
use vocabulary::DataOwner;

use self::cache::{Cache, Cached, Slot};
pub use self::transaction::Transaction;
use crate::log::codec::{self, actor_key};
use crate::log::{
    Append, BatchWriter, ClaimChange, LogError, NewEvent, Outcome, PersonalKeys, Reader, RequestRecord, Tail,
};
use crate::{Aggregate, AnyRefusal, Claim, CommandContext, Meta, Position, Receipt, Refusal, StoredForm};

/// A race lost more often than this in one command is given up.
const ATTEMPTS: usize = 6;
/// Events of a stream read at a time.
const PAGE: i64 = 1000;
/// How long a command waits for those before it on the same aggregate.
const QUEUE_PATIENCE: Duration = Duration::from_secs(15);

/// Why a command was not done.
#[derive(Debug, thiserror::Error)]
pub enum CommandError<R> {
    /// It does not exist, or not for this actor.
    #[error("not found")]
    NotFound,
    /// The aggregate says no.
    #[error("refused")]
    Refused(R),
    /// The actor saw another version than there is.
    #[error("version {expected} was expected and {actual} found")]
    Stale {
        /// What the actor saw.
        expected: i64,
        /// What there is.
        actual: i64,
    },
    /// The request id was used for something else.
    #[error("the request id was used for something else")]
    RequestReused,
    /// Too many others change the same thing now.
    #[error("too many commands change this now")]
    Contended,
    /// The log failed.
    #[error(transparent)]
    Log(#[from] LogError),
}

impl<R: Refusal> CommandError<R> {
    /// The same of any aggregate.
    pub fn of_any(self) -> CommandError<AnyRefusal> {
        match self {
            Self::NotFound => CommandError::NotFound,
            Self::Refused(refusal) => CommandError::Refused(Box::new(refusal)),
            Self::Stale { expected, actual } => CommandError::Stale { expected, actual },
            Self::RequestReused => CommandError::RequestReused,
            Self::Contended => CommandError::Contended,
            Self::Log(error) => CommandError::Log(error),
        }
    }
}

/// An aggregate as it is.
#[derive(Clone, Debug)]
pub struct Loaded<A> {
    /// Its state.
    pub state: A,
    /// Events so far; 0: it does not exist.
    pub version: i64,
}

/// Executes commands. Cheap to clone.
#[derive(Clone)]
pub struct Desk {
    writer: BatchWriter,
    reader: Reader,
    pool: PgPool,
    keys: PersonalKeys,
    tail: Tail,
    cache: Cache,
    nonces: Nonces,
}

/// Names for appends that no other has: the process's name, which is made anew at each start, and a number.
#[derive(Clone)]
struct Nonces {
    node: Arc<str>,
    next: Arc<AtomicU64>,
}

impl Nonces {
    fn next(&self) -> String {
        format!("{}-{:x}", self.node, self.next.fetch_add(1, Ordering::Relaxed))
    }
}

/// What a decision leads to.
enum Plan<A: Aggregate> {
    Append { next: A, events: Vec<A::Event>, claims: Claims<A::Refusal> },
    Nothing,
}

/// The last word on each key, and what to answer when another stream holds it.
type Claims<R> = HashMap<String, Option<R>>;

impl Desk {
    /// A desk that remembers the state of up to `cached` aggregates; `node` names this run of the process among all.
    pub fn new(
        writer: BatchWriter,
        reader: Reader,
        pool: PgPool,
        keys: PersonalKeys,
        tail: Tail,
        cached: usize,
        node: Arc<str>,
    ) -> Self {
        let nonces = Nonces { node, next: Arc::default() };
        Self { writer, reader, pool, keys, tail, cache: Cache::new(cached), nonces }
    }

    /// Executes `command` on the aggregate `id`.
    pub async fn execute<A: Aggregate>(
        &self,
        id: &A::Id,
        command: A::Command,
        ctx: &CommandContext,
    ) -> Result<Receipt, CommandError<A::Refusal>> {
        let stream_id = id.to_string();
        let slot = self.cache.slot(A::CATEGORY, &stream_id);
        // One after another here, so that commands of this process never lose races among themselves.
        let mut slot =
            tokio::time::timeout(QUEUE_PATIENCE, slot.lock()).await.map_err(|_| CommandError::Contended)?;
        let mut fresh = false;
        for _ in 0..ATTEMPTS {
            if slot.get::<A>().is_none() {
                self.refresh::<A>(&mut slot, &stream_id).await?;
                fresh = true;
            }
            let current = slot.get::<A>().expect("just filled");
            let verdict = judge(current, command.clone(), ctx.expected_version, ctx);
            if let Ok(Plan::Append { next, events, claims }) = verdict {
                let version = current.version;
                match self.append(&stream_id, version, &next, &events, claims, ctx).await {
                    Ok(Some(receipt)) if receipt.repeated => return Ok(receipt),
                    Ok(Some(receipt)) => {
                        slot.put(Cached {
                            state: next,
                            version: receipt.version,
                            position: receipt.position,
                        });
                        return Ok(receipt);
                    }
                    // Lost to another process: from the top.
                    Ok(None) => {
                        metrics::counter!("wheelhouse_desk_lost_races_total", "category" => A::CATEGORY)
                            .increment(1);
                        self.refresh::<A>(&mut slot, &stream_id).await?;
                        fresh = true;
                    }
                    Err(error) => {
                        // Whether it was done may be unknown: what is remembered is no longer sure.
                        slot.clear();
                        return Err(error);
                    }
                }
                continue;
            }
            // A "no" or "already so" counts only when it was said of the newest state.
            if !fresh {
                fresh = true;
                if self.refresh::<A>(&mut slot, &stream_id).await? {
                    continue;
                }
            }
            let current = slot.get::<A>().expect("just filled");
            let Some(verdict) = verdict.err() else {
                return self.remember(A::CATEGORY, stream_id, current.version, current.position, ctx).await;
            };
            return self.answered::<A::Refusal>(ctx).await?.ok_or(verdict);
        }
        Err(CommandError::Contended)
    }

    /// The aggregate `id` as the log has it now.
    pub async fn load<A: Aggregate>(&self, id: &A::Id) -> Result<Loaded<A>, LogError> {
        let stream_id = id.to_string();
        let slot = self.cache.slot(A::CATEGORY, &stream_id);
        let mut slot =
            tokio::time::timeout(QUEUE_PATIENCE, slot.lock()).await.map_err(|_| LogError::Unavailable)?;
        self.refresh::<A>(&mut slot, &stream_id).await?;
        let cached = slot.get::<A>().expect("just filled");
        Ok(Loaded { state: cached.state.clone(), version: cached.version })
    }

    /// Drops the states that nobody asked for since the last time but one.
    pub fn drop_unused(&self) {
        self.cache.turn();
    }

    /// Drops every remembered state, as after a person was forgotten.
    pub fn drop_cache(&self) {
        self.cache.clear();
    }

    /// Takes in what the log has beyond the remembered state; says whether there was something.
    async fn refresh<A: Aggregate>(&self, slot: &mut Slot, stream_id: &str) -> Result<bool, LogError> {
        let mut cached = slot.take::<A>().unwrap_or_else(|| Cached {
            state: A::default(),
            version: 0,
            position: Position(0),
        });
        let before = cached.version;
        loop {
            let page = self.reader.read_stream(A::CATEGORY, stream_id, cached.version, PAGE).await?;
            let last = page.len() < PAGE as usize;
            for event in &page {
                cached.state.evolve(&event.decode::<A::Event>()?);
                cached.version = event.version;
                cached.position = event.position;
            }
            if last {
                break;
            }
        }
        let moved = cached.version > before;
        slot.put(cached);
        Ok(moved)
    }

    /// Appends; nothing when the race was lost.
    async fn append<A: Aggregate>(
        &self,
        stream_id: &str,
        version: i64,
        next: &A,
        events: &[A::Event],
        mut claims: Claims<A::Refusal>,
        ctx: &CommandContext,
    ) -> Result<Option<Receipt>, CommandError<A::Refusal>> {
        let forms = events.iter().map(codec::encode).collect::<Result<Vec<_>, _>>()?;
        let events =
            self.sealed(A::CATEGORY, stream_id, next.owner(), forms, &self.nonces.next(), ctx).await?;
        let append = Append {
            category: A::CATEGORY,
            stream_id: stream_id.to_owned(),
            expected: version,
            events,
            claims: changes(&claims),
            request: request(ctx),
        };
        match self.writer.append(append).await? {
            Outcome::Appended { position, version } => Ok(Some(receipt(position, version, ctx))),
            Outcome::Conflict { actual } => match ctx.expected_version {
                Some(expected) => Err(CommandError::Stale { expected, actual }),
                None => Ok(None),
            },
            Outcome::ClaimTaken { key } => Err(match claims.remove(&key).flatten() {
                Some(refusal) => CommandError::Refused(refusal),
                None => LogError::Invalid("a key that nobody asked for was taken").into(),
            }),
            Outcome::Repeated { reply, position, version } => Ok(Some(repeated(&reply, position, version)?)),
            Outcome::RequestReused => Err(CommandError::RequestReused),
        }
    }

    /// What happened to a stream, ready for the log: personal data sealed, and what is known beside it.
    async fn sealed(
        &self,
        category: &'static str,
        stream_id: &str,
        owner: DataOwner,
        mut forms: Vec<StoredForm>,
        nonce: &str,
        ctx: &CommandContext,
    ) -> Result<Vec<NewEvent>, LogError> {
        self.keys.seal_all(&self.pool, category, stream_id, &mut forms).await?;
        let meta = Meta {
            actor: ctx.actor.clone(),
            owner,
            trace_id: ctx.trace_id.clone(),
            causation: ctx.causation,
            client_address: ctx.client_address.clone(),
            request_id: ctx.request_id.as_ref().map(|id| id.0.clone()),
            nonce: nonce.to_owned(),
        };
        let meta = serde_json::to_string(&meta).map_err(|error| LogError::Encode(error.to_string()))?;
        let event = |form| NewEvent { form, meta: meta.clone(), recorded_at: ctx.now };
        Ok(forms.into_iter().map(event).collect())
    }

    /// The answer that was stored when the request was done before: a repeat gets it whatever is thought of the command
    /// now.
    pub async fn answered<R>(&self, ctx: &CommandContext) -> Result<Option<Receipt>, CommandError<R>> {
        let Some(request) = request(ctx) else { return Ok(None) };
        let stored: Option<(Vec<u8>, String, i64, i64)> = sqlx::query_as(
            "select fingerprint, reply, position, version from log.requests where actor = $1 and request_id = $2",
        )
        .bind(&request.actor)
        .bind(&request.id)
        .fetch_optional(&self.pool)
        .await
        .map_err(LogError::from)?;
        match stored {
            None => Ok(None),
            Some((fingerprint, ..)) if fingerprint != ctx.fingerprint => Err(CommandError::RequestReused),
            Some((_, reply, position, version)) => Ok(Some(repeated(&reply, Position(position), version)?)),
        }
    }

    /// What a request was answered when it was done before, or `refused`: what is thought of it now may come of its having been
    /// done. Asked for a refusal alone, a request that is new costs nothing more.
    pub async fn answered_or<E>(&self, ctx: &CommandContext, refused: E) -> Result<Receipt, E>
    where
        E: From<CommandError<AnyRefusal>>,
    {
        self.answered(ctx).await?.ok_or(refused)
    }

    /// Ends a command that changes nothing: "already so" is remembered with its request.
    async fn remember<R>(
        &self,
        category: &'static str,
        stream_id: String,
        version: i64,
        position: Position,
        ctx: &CommandContext,
    ) -> Result<Receipt, CommandError<R>> {
        let Some(request) = request(ctx) else {
            return Ok(receipt(position.max(self.tail.head()), version, ctx));
        };
        let remember = Append {
            category,
            stream_id,
            expected: version,
            events: Vec::new(),
            claims: Vec::new(),
            request: Some(request),
        };
        match self.writer.append(remember).await? {
            Outcome::Appended { position, .. } => Ok(receipt(position, version, ctx)),
            Outcome::Repeated { reply, position, version } => Ok(repeated(&reply, position, version)?),
            Outcome::RequestReused => Err(CommandError::RequestReused),
            Outcome::Conflict { .. } | Outcome::ClaimTaken { .. } => Err(CommandError::Contended),
        }
    }
}

fn changes<R>(claims: &Claims<R>) -> Vec<ClaimChange> {
    claims.iter().map(|(key, taking)| ClaimChange { key: key.clone(), take: taking.is_some() }).collect()
}

/// What `command` leads to in this state, if the actor, who saw the version `expected`, may ask for it at all.
fn judge<A: Aggregate>(
    current: &Cached<A>,
    command: A::Command,
    expected: Option<i64>,
    ctx: &CommandContext,
) -> Result<Plan<A>, CommandError<A::Refusal>> {
    if current.version > 0 && !current.state.lies_in(&ctx.scope) {
        return Err(CommandError::NotFound);
    }
    if let Some(expected) = expected
        && expected != current.version
    {
        return Err(CommandError::Stale { expected, actual: current.version });
    }
    let events = current.state.decide(command, ctx.now).map_err(CommandError::Refused)?;
    let mut next = current.state.clone();
    let mut claims = Claims::new();
    for event in &events {
        for claim in next.claims(event) {
            match claim {
                Claim::Take { key, refusal } => claims.insert(key, Some(refusal)),
                Claim::Release { key } => claims.insert(key, None),
            };
        }
        next.evolve(event);
    }
    if current.version == 0 && !next.lies_in(&ctx.scope) {
        return Err(CommandError::NotFound);
    }
    Ok(if events.is_empty() { Plan::Nothing } else { Plan::Append { next, events, claims } })
}

fn request(ctx: &CommandContext) -> Option<RequestRecord> {
    ctx.request_id.as_ref().map(|id| RequestRecord {
        actor: actor_key(&ctx.actor),
        id: id.0.clone(),
        fingerprint: ctx.fingerprint,
        reply: ctx.reply.to_string(),
        at: ctx.now,
    })
}

fn receipt(position: Position, version: i64, ctx: &CommandContext) -> Receipt {
    Receipt { position, version, repeated: false, reply: ctx.reply.clone() }
}

fn repeated(reply: &str, position: Position, version: i64) -> Result<Receipt, LogError> {
    let reply =
        serde_json::from_str(reply).map_err(|error| LogError::Encode(format!("a stored answer: {error}")))?;
    Ok(Receipt { position, version, repeated: true, reply })
}
