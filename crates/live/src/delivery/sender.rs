//! Sends: a round every second, by who leads ingest, as a task of its own.
//!
//! What is sent is kept first, in a transaction that only the leader of the term can commit, and leaves within seconds of
//! it or not at all: a leader that was frozen sends nothing when he wakes.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_nats::connection::State;
use tokio::time::{Instant, MissedTickBehavior};
use tokio_util::sync::CancellationToken;
use vocabulary::Timestamp;

use super::book::{Heard, Pauses, Progress, Sending, Step, Wanted, step};
use super::parcel::{Parcel, id_of};
use super::store;
use super::wanted::{self, Plan, Planned, Reached};
use crate::ingest::{Downlink, Ingest, IngestError, leading, take_the_lead};

/// Of the row in `live.ingest` that says who sends.
const NAME: &str = "fences";
/// Bikes looked at while memory is held.
const AT_ONCE: u32 = 4_000;
/// What was kept leaves within this time or not at all: less than a term lasts.
const FRESH_MS: i64 = 4_000;
/// After a failure of the database.
const AGAIN: Duration = Duration::from_secs(2);

/// How fences are sent.
#[derive(Clone, Copy, Debug)]
pub struct DeliverySettings {
    /// Between two rounds.
    pub round: Duration,
    /// Between two looks at what is wanted. What changes goes on changing for a while: it is taken when it was the same at
    /// two looks.
    pub look: Duration,
    /// What goes on changing is taken after this time all the same.
    pub settle: Duration,
    /// Between two looks for bikes that are on no street any more.
    pub tend: Duration,
    /// For a bike that does not take it.
    pub pauses: Pauses,
    /// Messages in a round, to the whole fleet,
    pub messages: usize,
    /// and bytes of the compact form.
    pub bytes: usize,
}

impl Default for DeliverySettings {
    fn default() -> Self {
        Self {
            round: Duration::from_secs(1),
            look: Duration::from_secs(2),
            settle: Duration::from_mins(1),
            tend: Duration::from_mins(10),
            pauses: Pauses { first: Duration::from_mins(1), most: Duration::from_mins(30) },
            messages: 100,
            bytes: 1_500_000,
        }
    }
}

/// A bike that is due.
struct Due {
    slot: u32,
    heard: Heard,
    sending: Sending,
    parcel: Arc<Parcel>,
    edition: i64,
    /// When it was last sent anything; who never was comes first.
    sent_at: Timestamp,
}

struct Sender<'a> {
    ingest: &'a Ingest,
    settings: DeliverySettings,
    token: i64,
    downlink: Downlink,
    plan: Plan,
    /// What the plan was made from, and what was seen at the last look.
    planned: Option<Reached>,
    seen: Option<Reached>,
    /// Since when what is wanted may be newer than the plan.
    behind: Option<Instant>,
    book: HashMap<u32, Progress>,
}

impl Ingest {
    /// Sends fences to devices until `stop`, for the leader of the term `token`. Ends with an error only when somebody
    /// leads in a later one.
    pub async fn deliver(
        &self,
        token: i64,
        settings: DeliverySettings,
        stop: CancellationToken,
    ) -> Result<(), IngestError> {
        loop {
            let ended = tokio::select! {
                () = stop.cancelled() => return Ok(()),
                ended = self.deliver_once(token, settings) => ended,
            };
            match ended {
                Ok(()) => return Ok(()),
                Err(IngestError::Superseded) => return Err(IngestError::Superseded),
                Err(error) => {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "fences cannot be sent; it is tried again"
                    );
                    tokio::select! {
                        () = stop.cancelled() => return Ok(()),
                        () = tokio::time::sleep(AGAIN) => {}
                    }
                }
            }
        }
    }

    async fn deliver_once(&self, token: i64, settings: DeliverySettings) -> Result<(), IngestError> {
        take_the_lead(&self.owner, NAME, token).await?;
        let known = store::load(&self.owner).await?;
        let book = {
            let fleet = self.memory.read();
            known
                .into_iter()
                .filter_map(|(car_id, progress)| Some((fleet.slot(&car_id)?, progress)))
                .collect()
        };
        let mut sender = Sender {
            ingest: self,
            settings,
            token,
            downlink: Downlink::new(self.nats.clone()),
            plan: Plan::default(),
            planned: None,
            seen: None,
            behind: None,
            book,
        };
        let mut rounds = tokio::time::interval(settings.round);
        rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut looked, mut tended) = (None::<Instant>, None::<Instant>);
        let is_due = |last: Option<Instant>, every: Duration| last.is_none_or(|at| at.elapsed() >= every);
        loop {
            rounds.tick().await;
            let turned = sender.plan.turn.is_some_and(|turn| turn <= self.clock.now());
            if turned || is_due(looked, settings.look) {
                sender.look(turned).await?;
                looked = Some(Instant::now());
            }
            if is_due(tended, settings.tend) {
                sender.tend().await?;
                tended = Some(Instant::now());
            }
            sender.round().await?;
        }
    }
}

impl Sender<'_> {
    /// Reads what is wanted when it has changed and stands still, or has turned by itself.
    async fn look(&mut self, turned: bool) -> Result<(), IngestError> {
        let reached = wanted::reached(&self.ingest.owner).await?;
        let still = self.seen.replace(reached) == Some(reached);
        if self.planned == Some(reached) && !turned {
            return Ok(());
        }
        let behind = *self.behind.get_or_insert_with(Instant::now);
        // The first plan of a term need not wait: what is known is sent on.
        if self.planned.is_some() && !turned && !still && behind.elapsed() < self.settings.settle {
            return Ok(());
        }
        let now = self.ingest.clock.now();
        let plan = wanted::plan(&self.ingest.owner, &self.plan, now).await?;
        let changed: Vec<&Planned> = plan
            .areas
            .values()
            .filter(|planned| {
                let known = self.plan.areas.get(&planned.area);
                known.is_none_or(|known| known.wanted.edition != planned.wanted.edition)
            })
            .collect();
        let mut db = leading(&self.ingest.owner, NAME, self.token).await?;
        store::keep_wanted(&mut db, &changed, now).await?;
        db.commit().await?;
        self.plan = plan;
        self.planned = Some(reached);
        self.behind = None;
        Ok(())
    }

    async fn tend(&mut self) -> Result<(), IngestError> {
        let mut db = leading(&self.ingest.owner, NAME, self.token).await?;
        let gone = store::tend(&mut db).await?;
        db.commit().await?;
        let fleet = self.ingest.memory.read();
        for slot in gone.iter().filter_map(|car_id| fleet.slot(car_id)) {
            self.book.remove(&slot);
        }
        Ok(())
    }

    /// Takes answers in, looks at each bike, keeps what changed and sends.
    async fn round(&mut self) -> Result<(), IngestError> {
        let now = self.ingest.clock.now();
        let mut changed = self.take_answers(now);
        let connected = self.ingest.nats.connection_state() == State::Connected;
        let mut due = self.look_at_bikes(now, &mut changed);
        // A sending that cannot leave is not begun.
        if !connected {
            due.clear();
        }
        let chosen = self.choose(due);
        for one in &chosen {
            let begun = Progress::begun(one.heard, one.edition, now);
            let kept = self.book.entry(one.slot).or_insert(begun);
            if !kept.is_of(one.heard.area, one.edition) || kept.acknowledged_at.is_some() {
                *kept = begun;
            }
            kept.sent(one.sending, now);
            changed.push(one.slot);
        }
        self.keep(&changed).await?;
        self.send(&chosen, now).await;
        Ok(())
    }

    /// The slots whose refusals are to be kept.
    fn take_answers(&mut self, now: Timestamp) -> Vec<u32> {
        let answers = self.ingest.answers.drain();
        if answers.is_empty() {
            return Vec::new();
        }
        let fleet = self.ingest.memory.read();
        let refused = answers.into_iter().filter_map(|answer| {
            let slot = fleet.slot_of(&answer.imei)?;
            let kept = self.book.get_mut(&slot)?;
            kept.answer(answer.sent_at, answer.part, answer.code, now).then_some(slot)
        });
        refused.collect()
    }

    /// Bikes that are due; those whose reports acknowledge go into `changed`.
    fn look_at_bikes(&mut self, now: Timestamp, changed: &mut Vec<u32>) -> Vec<Due> {
        let mut due = Vec::new();
        let all = self.ingest.memory.read().len() as u32;
        for begin in (0..all).step_by(AT_ONCE as usize) {
            // Memory is given back in between: reports do not wait for this.
            let carriers = self.ingest.memory.read().carriers(begin..all.min(begin + AT_ONCE));
            for (slot, heard) in carriers {
                let Some(Planned { wanted, .. }) = self.plan.areas.get(&heard.area) else { continue };
                let kept = self.book.get_mut(&slot);
                let sent_at = kept.as_ref().map_or(Timestamp::from_millis(0), |kept| kept.sent_at);
                match (step(kept, wanted, heard, self.settings.pauses, now), wanted) {
                    (Step::Send(sending), Wanted { edition, parcel: Some(parcel), .. }) => {
                        let (parcel, edition) = (Arc::clone(parcel), *edition);
                        due.push(Due { slot, heard, sending, parcel, edition, sent_at });
                    }
                    (Step::Acknowledged, _) => changed.push(slot),
                    _ => {}
                }
            }
        }
        due
    }

    /// As many as a round may send, those first that wait longest; one always.
    fn choose(&self, mut due: Vec<Due>) -> Vec<Due> {
        due.sort_unstable_by_key(|one| (one.sent_at, one.slot));
        let (mut messages, mut bytes) = (0, 0);
        let mut chosen = Vec::new();
        for one in due {
            let parts = one.sending.parts.count_ones() as usize;
            messages += parts;
            bytes += one.parcel.bytes() * parts / one.parcel.parts().max(1);
            if !chosen.is_empty() && (messages > self.settings.messages || bytes > self.settings.bytes) {
                break;
            }
            chosen.push(one);
        }
        chosen
    }

    async fn keep(&self, changed: &[u32]) -> Result<(), IngestError> {
        if changed.is_empty() {
            return Ok(());
        }
        let mut slots = changed.to_vec();
        slots.sort_unstable();
        slots.dedup();
        let rows: Vec<(String, &Progress)> = {
            let fleet = self.ingest.memory.read();
            let row = |slot: &u32| Some((fleet.record(*slot)?.car_id.clone(), self.book.get(slot)?));
            slots.iter().filter_map(row).collect()
        };
        let rows: Vec<(&str, &Progress)> =
            rows.iter().map(|(car_id, kept)| (car_id.as_str(), *kept)).collect();
        let mut db = leading(&self.ingest.owner, NAME, self.token).await?;
        store::keep(&mut db, &rows).await?;
        db.commit().await?;
        Ok(())
    }

    /// What was kept at `now` leaves; what cannot waits for its pause.
    async fn send(&self, chosen: &[Due], now: Timestamp) {
        let mut left = 0;
        for one in chosen {
            let device = {
                let fleet = self.ingest.memory.read();
                fleet.record(one.slot).and_then(|record| record.device().map(ToOwned::to_owned))
            };
            let Some(device) = device else { continue };
            for part in (0..one.parcel.parts()).filter(|part| one.sending.parts >> part & 1 == 1) {
                let at = self.ingest.clock.now();
                if at.millis_since(now) > FRESH_MS {
                    tracing::warn!(left, "fences that were not sent in time wait for the next try");
                    return;
                }
                let message = one.parcel.message(part, id_of(now, part), at);
                if let Err(error) = self.downlink.send_bytes(&device, message).await {
                    tracing::warn!(%error, "fences cannot leave; they wait for the next try");
                    return;
                }
                left += 1;
            }
        }
        metrics::counter!("wheelhouse_fence_messages_total").increment(left);
    }
}
