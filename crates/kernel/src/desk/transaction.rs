//! Commands on several aggregates that are done together or not at all.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tokio::sync::OwnedMutexGuard;
use vocabulary::{DataOwner, Timestamp};

use super::cache::{Cached, Key, Slot};
use super::{
    ATTEMPTS, Claims, CommandError, Desk, Loaded, Plan, QUEUE_PATIENCE, changes, judge, receipt, repeated,
    request,
};
use crate::log::limits::STREAMS_MAX;
use crate::log::{Append, LogError, Outcome, codec};
use crate::{Aggregate, AnyRefusal, CommandContext, Position, Receipt, StoredForm};

/// Slots that this transaction works on alone.
type Held = BTreeMap<Key, OwnedMutexGuard<Slot>>;

/// What was decided so far; nothing of it is written, or known to others, before all of it stands.
pub struct Transaction {
    desk: Desk,
    ctx: CommandContext,
    /// The version that the actor saw of the first aggregate that is executed on.
    expected: Option<i64>,
    held: Held,
    members: Vec<Member>,
}

/// An aggregate that the transaction touched.
struct Member {
    key: Key,
    /// As it is with what was decided here.
    slot: Slot,
    /// The stream's version before that.
    seen: i64,
    owner: DataOwner,
    forms: Vec<StoredForm>,
    claims: Claims<AnyRefusal>,
}

/// What became of an attempt.
enum Attempt {
    Done(Receipt),
    /// An aggregate had changed meanwhile; decided anew, others of this process wait.
    Lost(Held),
}

impl Desk {
    /// Does what `decide` asks for on several aggregates in one append: all or nothing. What it loaded and did not
    /// change is held to the version that it saw as well. It gives the transaction back when all is asked for.
    ///
    /// `decide` runs again after a lost race, so it changes nothing but by the transaction; and it asks the desk for
    /// nothing, because it may hold what it would wait for.
    pub async fn transact<E, F>(
        &self,
        ctx: &CommandContext,
        decide: impl Fn(Transaction) -> F,
    ) -> Result<Receipt, E>
    where
        E: From<CommandError<AnyRefusal>>,
        F: Future<Output = Result<Transaction, E>>,
    {
        let mut held = Held::new();
        for _ in 0..ATTEMPTS {
            let transaction = Transaction {
                desk: self.clone(),
                ctx: ctx.clone(),
                expected: ctx.expected_version,
                held,
                members: Vec::new(),
            };
            let decided = match decide(transaction).await {
                Ok(decided) => decided,
                Err(refused) => return self.answered_or(ctx, refused).await,
            };
            match decided.attempt().await {
                Ok(Attempt::Done(receipt)) => return Ok(receipt),
                Ok(Attempt::Lost(kept)) => held = kept,
                Err(refused @ CommandError::Refused(_)) => {
                    return self.answered_or(ctx, refused.into()).await;
                }
                Err(error) => return Err(error.into()),
            }
            metrics::counter!("wheelhouse_desk_lost_races_total", "category" => "transaction").increment(1);
        }
        Err(CommandError::Contended.into())
    }

    /// Takes slots in the order of their streams, as every transaction does: none waits for one that waits for it.
    async fn hold(&self, keys: BTreeSet<Key>) -> Result<Held, CommandError<AnyRefusal>> {
        let taking = async {
            let mut held = Held::new();
            for key in keys {
                let slot = self.cache.slot(key.0, &key.1).lock_owned().await;
                held.insert(key, slot);
            }
            held
        };
        tokio::time::timeout(QUEUE_PATIENCE, taking).await.map_err(|_| CommandError::Contended)
    }
}

impl Transaction {
    /// Executes `command` on the aggregate `id` as the log has it now, with what was decided here before.
    pub async fn execute<A: Aggregate>(
        &mut self,
        id: &A::Id,
        command: A::Command,
    ) -> Result<(), CommandError<AnyRefusal>> {
        let expected = self.expected.take();
        let at = self.member::<A>(id).await?;
        let member = &mut self.members[at];
        let current = member.slot.get::<A>().expect("a stream is of one kind of aggregate");
        let plan = judge(current, command, expected, &self.ctx).map_err(CommandError::of_any)?;
        if let Plan::Append { next, events, claims } = plan {
            let (version, position) = (current.version + events.len() as i64, current.position);
            for event in &events {
                member.forms.push(codec::encode(event)?);
            }
            let claims = claims.into_iter().map(|(key, taking)| {
                let refusal = taking.map(|refusal| -> AnyRefusal { Box::new(refusal) });
                (key, refusal)
            });
            member.claims.extend(claims);
            member.owner = next.owner();
            member.slot.put(Cached { state: next, version, position });
        }
        Ok(())
    }

    /// What follows is decided at this moment: for what is written down with times of its own. All of it is recorded at the
    /// last one.
    pub fn at(&mut self, now: Timestamp) {
        self.ctx.now = now;
    }

    /// The aggregate `id` as the log has it now, with what was decided here before. It stays so until the append
    /// stands, or all is decided anew.
    pub async fn load<A: Aggregate>(&mut self, id: &A::Id) -> Result<Loaded<A>, CommandError<AnyRefusal>> {
        let at = self.member::<A>(id).await?;
        let cached = self.members[at].slot.get::<A>().expect("a stream is of one kind of aggregate");
        Ok(Loaded { state: cached.state.clone(), version: cached.version })
    }

    async fn member<A: Aggregate>(&mut self, id: &A::Id) -> Result<usize, LogError> {
        let key = (A::CATEGORY, id.to_string());
        if let Some(at) = self.members.iter().position(|member| member.key == key) {
            return Ok(at);
        }
        if self.members.len() == STREAMS_MAX {
            return Err(LogError::Invalid("a transaction touches at most 1000 aggregates"));
        }
        let cached = self.newest::<A>(&key).await?;
        let (seen, owner) = (cached.version, cached.state.owner());
        let mut slot = Slot::default();
        slot.put(cached);
        self.members.push(Member { key, slot, seen, owner, forms: Vec::new(), claims: HashMap::new() });
        Ok(self.members.len() - 1)
    }

    /// An aggregate as the log has it. For one that is not held nobody is waited for, who may wait for what is held.
    async fn newest<A: Aggregate>(&mut self, key: &Key) -> Result<Cached<A>, LogError> {
        let shared = self.desk.cache.slot(key.0, &key.1);
        let (mut guard, mut own);
        let slot = if let Some(held) = self.held.get_mut(key) {
            &mut **held
        } else if let Ok(free) = shared.try_lock() {
            guard = free;
            &mut *guard
        } else {
            own = Slot::default();
            &mut own
        };
        self.desk.refresh::<A>(slot, &key.1).await?;
        Ok(slot.get::<A>().expect("just filled").clone())
    }

    /// Appends what was decided.
    async fn attempt(mut self) -> Result<Attempt, CommandError<AnyRefusal>> {
        if !self.members.iter().all(|member| self.held.contains_key(&member.key)) {
            let mut keys: BTreeSet<Key> = std::mem::take(&mut self.held).into_keys().collect();
            keys.extend(self.members.iter().map(|member| member.key.clone()));
            self.held = self.desk.hold(keys).await?;
            let moved = |member: &Member| {
                self.held[&member.key].version().is_some_and(|version| version != member.seen)
            };
            if self.members.iter().any(moved) {
                return Ok(Attempt::Lost(self.held));
            }
        }
        let changed = self.members.iter().any(|member| !member.forms.is_empty());
        if !changed {
            return self.settle().await.map(Attempt::Done);
        }
        let outcome = self.append().await;
        if outcome.is_err() {
            // Whether it was done may be unknown: what is remembered is no longer sure.
            for slot in self.held.values_mut() {
                slot.clear();
            }
        }
        match outcome? {
            Outcome::Appended { position, version } => {
                self.remember(position);
                Ok(Attempt::Done(receipt(position, version, &self.ctx)))
            }
            Outcome::Repeated { reply, position, version } => {
                Ok(Attempt::Done(repeated(&reply, position, version)?))
            }
            Outcome::Conflict { .. } => Ok(Attempt::Lost(self.held)),
            Outcome::ClaimTaken { key } => {
                let mut taking = self.members.iter_mut().filter_map(|member| member.claims.remove(&key)?);
                Err(taking.next().map_or_else(
                    || LogError::Invalid("a key that nobody asked for was taken").into(),
                    CommandError::Refused,
                ))
            }
            Outcome::RequestReused => Err(CommandError::RequestReused),
        }
    }

    async fn append(&mut self) -> Result<Outcome, CommandError<AnyRefusal>> {
        let mut taken = BTreeSet::new();
        for member in &mut self.members {
            let twice =
                member.claims.iter().find(|(key, taking)| taking.is_some() && !taken.insert((*key).clone()));
            if let Some(key) = twice.map(|(key, _)| key.clone())
                && let Some(Some(refusal)) = member.claims.remove(&key)
            {
                return Err(CommandError::Refused(refusal));
            }
        }
        let nonce = self.desk.nonces.next();
        let mut appends = Vec::with_capacity(self.members.len());
        for Member { key: (category, stream_id), seen, owner, forms, claims, .. } in &mut self.members {
            let forms = std::mem::take(forms);
            appends.push(Append {
                category,
                stream_id: stream_id.clone(),
                expected: *seen,
                events: self.desk.sealed(category, stream_id, *owner, forms, &nonce, &self.ctx).await?,
                claims: changes(claims),
                request: None,
            });
        }
        Ok(self.desk.writer.append_group(appends, request(&self.ctx)).await?)
    }

    /// Lets others see what stands now.
    fn remember(&mut self, mut position: Position) {
        for mut member in self.members.drain(..).rev() {
            let events = member.slot.version().unwrap_or(member.seen) - member.seen;
            if events > 0
                && let Some(slot) = self.held.get_mut(&member.key)
            {
                member.slot.stand_at(position);
                position.0 -= events;
                **slot = member.slot;
            }
        }
    }

    /// Ends a transaction that changes nothing.
    async fn settle(self) -> Result<Receipt, CommandError<AnyRefusal>> {
        let head = self.desk.tail.head();
        match self.members.into_iter().next() {
            Some(member) => {
                let (category, stream_id) = member.key;
                self.desk.remember(category, stream_id, member.seen, head, &self.ctx).await
            }
            None => Ok(receipt(head, 0, &self.ctx)),
        }
    }
}
