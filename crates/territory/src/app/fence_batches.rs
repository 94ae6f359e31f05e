//! Many parking places changed at once and taken back at once: each judged alone, those that may be changed in one append with
//! the record of who asked for it and why.

use std::collections::{HashMap, HashSet};

use geofence::Atlas;
use geofence::atlas::Fence as Counting;
use kernel::{Aggregate, AnyRefusal, CommandContext, CommandError, ReadTx, Receipt, Refusal, Transaction};
use serde::Serialize;
use serde_json::Value;
use vocabulary::{AgentId, AreaId, DataOwner, FenceBatchId, FenceId, Timestamp};
use wire::{Caller, Refused};

use super::NEWEST;
use super::fence_preview::{STOPS_MOST, Tally, looked_at, stop_of};
use crate::Context;
use crate::model::fence::{Drawing, Fence, FenceCommand, FenceRefusal, Term};
use crate::model::fence_adjust::{Adjusted, Adjustment};
use crate::model::fence_batch::{
    Applied, FenceBatch, FenceBatchCommand, FenceBatchRefusal, Member, UNDONE_WITHIN_MS,
};
use crate::read::fence_batches::{self, FenceBatchRow};

/// A race lost more often than this is given up.
const ATTEMPTS: usize = 4;
/// Changes that are told at most.
const TOLD_MOST: i64 = 100;

/// What is asked of many fences.
pub struct BatchRequest {
    /// Which, each with the version of it that was seen.
    pub fences: Vec<(FenceId, i64)>,
    /// What is to be otherwise.
    pub adjustment: Adjustment,
    /// When.
    pub term: Term,
}

/// What becomes of a fence.
pub enum Fate {
    /// It is changed.
    Changed {
        /// From which of its versions to which.
        adjusted: Adjusted,
        /// As it is.
        before: Box<Drawing>,
        /// As it is to be.
        after: Box<Drawing>,
    },
    /// It is so already.
    Same,
    /// It is left as it is; why.
    Refused {
        /// For programs.
        code: String,
        /// For people.
        text: String,
    },
}

/// A fence that was named, as the caller may know it.
pub struct Judged {
    /// Which.
    pub id: FenceId,
    /// Its version that was seen.
    pub version: i64,
    /// 名称; empty of one that the caller may not see.
    pub name: String,
    /// Whose it is, of one that the caller may see.
    owner: Option<(AgentId, AreaId)>,
    /// What becomes of it.
    pub fate: Fate,
}

/// How stops about a fence are judged, and would be.
#[derive(Clone, Copy, Default)]
pub struct Shift {
    /// By what counts now.
    pub before: Tally,
    /// With the change.
    pub after: Tally,
}

/// What a change of many would make of the stops of some days.
#[derive(Default)]
pub struct BatchPreview {
    /// Of all of them, each stop once.
    pub all: Shift,
    /// About each fence that was looked at.
    pub each: HashMap<FenceId, Shift>,
    /// Whether there are more stops than were judged.
    pub capped: bool,
}

/// What was done.
pub enum Done {
    /// Those that may be changed are.
    Changed(Receipt),
    /// None may be; why.
    Nothing(Vec<Judged>),
}

/// Why a transaction ends.
enum Halt {
    /// A fence was changed since it was judged.
    Moved,
    /// Somebody says no.
    Refused(Refused),
}

impl From<CommandError<AnyRefusal>> for Halt {
    fn from(error: CommandError<AnyRefusal>) -> Self {
        Self::Refused(error.into())
    }
}

fn fate(refused: Refused) -> Result<Fate, Refused> {
    match refused {
        Refused::Business { code, text } => Ok(Fate::Refused { code: code.into_owned(), text }),
        other => Err(other),
    }
}

fn refused<R: Refusal>(refusal: R) -> Refused {
    CommandError::Refused(refusal).into()
}

impl Judged {
    /// Whether it is changed.
    pub const fn is_changed(&self) -> bool {
        matches!(self.fate, Fate::Changed { .. })
    }

    /// Whether the caller may see it.
    pub const fn is_known(&self) -> bool {
        self.owner.is_some()
    }

    fn member(&self) -> Option<Member> {
        let (Fate::Changed { adjusted, .. }, Some((_, area_id))) = (&self.fate, self.owner) else {
            return None;
        };
        Some(Member { fence_id: self.id, area_id, name: self.name.clone(), adjusted: *adjusted })
    }
}

/// What an adjustment makes of a fence.
fn adjusted(
    fence: &Fence,
    batch: FenceBatchId,
    request: &BatchRequest,
    now: Timestamp,
) -> Result<Fate, FenceRefusal> {
    let events = fence.decide(request.command(batch), now)?;
    let before = fence.drawing().ok_or(FenceRefusal::Unknown)?.clone();
    Ok(match Adjusted::of(fence, &events) {
        Some((adjusted, after)) => {
            Fate::Changed { adjusted, before: Box::new(before), after: Box::new(after) }
        }
        None => Fate::Same,
    })
}

impl BatchRequest {
    fn command(&self, batch: FenceBatchId) -> FenceCommand {
        FenceCommand::Adjust { batch, adjustment: self.adjustment.clone(), term: self.term }
    }
}

impl Context {
    /// What would become of each of the fences. All that are changed are of one agent: that of the first.
    pub(crate) async fn judge_batch(
        &self,
        caller: &Caller,
        batch: FenceBatchId,
        request: &BatchRequest,
        now: Timestamp,
    ) -> Result<Vec<Judged>, Refused> {
        let mut agent = None;
        let mut all = Vec::with_capacity(request.fences.len());
        for (id, version) in request.fences.iter().copied() {
            let loaded = self.runtime.desk.load::<Fence>(&id).await?;
            let within = |drawing: &&Drawing| {
                caller.full_scope.contains(DataOwner::of_area(drawing.agent_id, drawing.area_id))
            };
            let Some(drawing) = loaded.state.drawing().filter(within) else {
                let (name, fate) = (String::new(), fate(Refused::not_found())?);
                all.push(Judged { id, version, name, owner: None, fate });
                continue;
            };
            let fate = if loaded.version != version {
                let (expected, actual) = (version, loaded.version);
                fate(CommandError::<FenceRefusal>::Stale { expected, actual }.into())?
            } else if agent.is_some_and(|agent| agent != drawing.agent_id) {
                fate(refused(FenceBatchRefusal::Agents))?
            } else {
                match adjusted(&loaded.state, batch, request, now) {
                    Ok(found) => found,
                    Err(refusal) => fate(refused(refusal))?,
                }
            };
            if matches!(fate, Fate::Changed { .. }) {
                agent = Some(drawing.agent_id);
            }
            let (name, owner) = (drawing.name.clone(), Some((drawing.agent_id, drawing.area_id)));
            all.push(Judged { id, version, name, owner, fate });
        }
        Ok(all)
    }

    /// Changes those that may be changed, all or none of them; `told` makes the answer of what becomes of each. Asked again
    /// under the same name it answers what it did.
    pub(crate) async fn apply_batch(
        &self,
        caller: &Caller,
        request: &BatchRequest,
        reason: &str,
        ctx: &CommandContext,
        told: impl Fn(FenceBatchId, &[Judged]) -> Result<Value, Refused>,
    ) -> Result<Done, Refused> {
        let batch_id = FenceBatchId(self.runtime.ids.next_id());
        for _ in 0..ATTEMPTS {
            if let Some(receipt) = self.runtime.desk.answered::<AnyRefusal>(ctx).await? {
                return Ok(Done::Changed(receipt));
            }
            let judged = self.judge_batch(caller, batch_id, request, ctx.now).await?;
            let sound: Vec<&Judged> = judged.iter().filter(|one| one.is_changed()).collect();
            let Some((agent_id, _)) = sound.first().and_then(|one| one.owner) else {
                return Ok(Done::Nothing(judged));
            };
            let applied = Applied {
                batch_id,
                agent_id,
                reason: reason.to_owned(),
                adjustment: request.adjustment.clone(),
                at: ctx.now,
                from: request.term.from,
                until: request.term.until,
                members: sound.iter().filter_map(|one| one.member()).collect(),
            };
            let ctx = CommandContext { reply: told(batch_id, &judged)?, ..ctx.clone() };
            let applying = async |mut tx: Transaction| -> Result<_, Halt> {
                for one in &sound {
                    if tx.load::<Fence>(&one.id).await?.version != one.version {
                        return Err(Halt::Moved);
                    }
                    tx.execute::<Fence>(&one.id, request.command(batch_id)).await?;
                }
                tx.execute::<FenceBatch>(&batch_id, FenceBatchCommand::Apply(applied.clone())).await?;
                Ok(tx)
            };
            match self.runtime.desk.transact(&ctx, applying).await {
                Ok(receipt) => return Ok(Done::Changed(receipt)),
                Err(Halt::Refused(refused)) => return Err(refused),
                Err(Halt::Moved) => {}
            }
        }
        Err(CommandError::<FenceRefusal>::Contended.into())
    }

    /// What it would make of the stops of the last days that the changed fences say so from now on.
    pub(crate) async fn preview_batch(&self, judged: &[Judged], days: u32) -> Result<BatchPreview, Refused> {
        let now = self.runtime.clock.now();
        let changed = judged.iter().filter_map(|one| match &one.fate {
            Fate::Changed { after, .. } => Some((one.id, Drawing::clone(after))),
            _ => None,
        });
        let changed: HashMap<FenceId, Drawing> = changed.collect();
        let mut preview = BatchPreview::default();
        let mut near = Vec::with_capacity(changed.len());
        let mut left = STOPS_MOST;
        for one in judged.iter().filter(|one| one.is_changed()) {
            let Some(drawing) = changed.get(&one.id) else { continue };
            if left == 0 {
                preview.capped = true;
                break;
            }
            let (bounds, since) = looked_at(&[&drawing.shape], days, now)?;
            let most = i64::try_from(left).map_err(Refused::internal)? + 1;
            let mut stops =
                self.ports.stops.within(bounds, since, most).await.map_err(Refused::unavailable)?;
            preview.capped |= stops.len() > left;
            stops.truncate(left);
            left -= stops.len();
            near.push((one.id, bounds, stops));
        }
        let judge = self.judge_now().await?;
        let previewed = tokio::task::spawn_blocking(move || {
            let mut known = HashSet::new();
            for (id, bounds, stops) in near {
                let drawing = &changed[&id];
                let (edge, fences) = judge.atlas.about(drawing.area_id, bounds, now);
                let then = |fence: &Counting| match changed.get(&fence.id) {
                    Some(drawing) => Counting { rule: drawing.rule.clone(), ..fence.clone() },
                    None => fence.clone(),
                };
                let after = Atlas::new(edge.clone(), fences.iter().map(then).collect());
                let before = Atlas::new(edge, fences);
                let own = preview.each.entry(id).or_default();
                for stopped in stops {
                    let stop = stop_of(&stopped, drawing);
                    let [was, is] = [&before, &after]
                        .map(|atlas| usize::from(atlas.judge(&stop, |_| 0).class.number().unsigned_abs()));
                    own.before[was] += 1;
                    own.after[is] += 1;
                    // About two fences that stand close to each other it is one stop.
                    let place = [stopped.place.lng(), stopped.place.lat()].map(f64::to_bits);
                    if known.insert((stopped.at, place)) {
                        preview.all.before[was] += 1;
                        preview.all.after[is] += 1;
                    }
                }
            }
            preview
        });
        previewed.await.map_err(Refused::internal)
    }

    /// Changes of many fences in the last 30 days, newest first, with fewer fences where the caller sees not all of them;
    /// whether there are more than are told.
    pub(crate) async fn recent_batches(
        &self,
        caller: &Caller,
        now: Timestamp,
    ) -> Result<(Vec<FenceBatchRow>, bool), Refused> {
        let mut db: ReadTx = self.runtime.reads.scoped(&caller.full_scope, NEWEST, &["fence_batch"]).await?;
        let since_ms = now.millis() - UNDONE_WITHIN_MS;
        let mut rows = fence_batches::since(&mut *db, since_ms, TOLD_MOST + 1).await?;
        let more = rows.len() as i64 > TOLD_MOST;
        rows.truncate(TOLD_MOST as usize);
        for row in &mut rows {
            let agent = row.agent_id;
            row.members.retain(|one| caller.full_scope.contains(DataOwner::of_area(agent, one.area_id)));
        }
        rows.retain(|row| !row.members.is_empty());
        Ok((rows, more))
    }

    /// What would become of each fence of a change that is taken back: why not, where it is left as it is.
    pub(crate) async fn judge_undo(
        &self,
        caller: &Caller,
        batch: FenceBatchId,
        now: Timestamp,
    ) -> Result<Undo, Refused> {
        let known = self.runtime.desk.load::<FenceBatch>(&batch).await?.state;
        let applied = match known.undoable(now) {
            Ok(applied) if caller.full_scope.contains(applied.owner()) => applied,
            Ok(_) | Err(FenceBatchRefusal::Unknown) => return Err(Refused::not_found()),
            // Whose it was is not told with why.
            Err(refusal) if caller.full_scope.contains(known.owner()) => return Err(refused(refusal)),
            Err(_) => return Err(Refused::not_found()),
        };
        let within =
            |one: &Member| caller.full_scope.contains(DataOwner::of_area(applied.agent_id, one.area_id));
        if !applied.members.iter().all(within) {
            return Err(refused(FenceBatchRefusal::NotWhole));
        }
        let mut undo = Undo::default();
        for member in &applied.members {
            let loaded = self.runtime.desk.load::<Fence>(&member.fence_id).await?;
            let command = FenceCommand::Revert { batch, adjusted: member.adjusted };
            match loaded.state.decide(command, now) {
                Ok(_) => undo.back.push((member.clone(), loaded.version)),
                Err(refusal) => undo.left.push((member.clone(), refusal.message())),
            }
        }
        Ok(undo)
    }

    /// Takes a change back where nothing came after it, all or none of these; `told` makes the answer.
    pub(crate) async fn undo_batch(
        &self,
        caller: &Caller,
        batch: FenceBatchId,
        ctx: &CommandContext,
        told: impl Fn(&Undo) -> Result<Value, Refused>,
    ) -> Result<Receipt, Refused> {
        for _ in 0..ATTEMPTS {
            if let Some(receipt) = self.runtime.desk.answered::<AnyRefusal>(ctx).await? {
                return Ok(receipt);
            }
            let undo = self.judge_undo(caller, batch, ctx.now).await?;
            let ctx = CommandContext { reply: told(&undo)?, ..ctx.clone() };
            let undoing = async |mut tx: Transaction| -> Result<_, Halt> {
                for (member, version) in &undo.back {
                    if tx.load::<Fence>(&member.fence_id).await?.version != *version {
                        return Err(Halt::Moved);
                    }
                    let command = FenceCommand::Revert { batch, adjusted: member.adjusted };
                    tx.execute::<Fence>(&member.fence_id, command).await?;
                }
                let back = undo.back.iter().map(|(member, _)| member.fence_id).collect();
                tx.execute::<FenceBatch>(&batch, FenceBatchCommand::Undo { back }).await?;
                Ok(tx)
            };
            match self.runtime.desk.transact(&ctx, undoing).await {
                Ok(receipt) => return Ok(receipt),
                Err(Halt::Refused(refused)) => return Err(refused),
                Err(Halt::Moved) => {}
            }
        }
        Err(CommandError::<FenceRefusal>::Contended.into())
    }
}

/// What taking a change back does.
#[derive(Default)]
pub struct Undo {
    /// These are as before again; each with its version that was seen.
    pub back: Vec<(Member, i64)>,
    /// These are left as they are, and why.
    pub left: Vec<(Member, String)>,
}

/// A stored value as it is told.
pub(crate) fn told(answer: &impl Serialize) -> Result<Value, Refused> {
    serde_json::to_value(answer).map_err(Refused::internal)
}
