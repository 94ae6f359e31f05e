//! The leader's keeping of the fleet as it is, for whoever looks back. Beside everything else: what cannot be kept is a gap.

use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use tokio::time::{MissedTickBehavior, interval};
use vocabulary::{Clock, Timestamp};

use super::chapter::{BEAT_MS, CHAPTER_MS, Chapter, SLACK_MS};
use super::picture::{Kept, Territory};
use super::store;
use crate::ingest::{IngestError, Numbers, leading, take_the_lead};
use crate::memory::Memory;
use crate::push::frame::BikeRecord;

/// Under which name it is kept who keeps.
const NAME: &str = "live-past";
/// Between two looks for what is too old.
const FORGET_EVERY_MS: i64 = 600_000;

/// Keeps frames in the term `token` until it is dropped, or another one leads.
pub(crate) async fn keep_on(memory: Memory, owner: PgPool, clock: Arc<dyn Clock>, token: i64) {
    let beat = Duration::from_millis(u64::try_from(BEAT_MS).unwrap_or(1));
    let mut beats = interval(beat);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut keeper = Keeper {
        memory,
        owner,
        token,
        leads: false,
        numbers: Numbers::default(),
        kept: Kept::default(),
        chapter: None,
    };
    let mut forgotten_ms = 0;
    loop {
        beats.tick().await;
        let now = clock.now();
        match keeper.keep(now).await {
            Ok(()) => {}
            Err(IngestError::Superseded) => return,
            Err(error) => {
                // The next frame is whole: what of this one is kept is not known.
                keeper.chapter = None;
                tracing::warn!(error = %error, "the fleet as it is now cannot be kept; tried again");
            }
        }
        if now.millis() - forgotten_ms >= FORGET_EVERY_MS {
            forgotten_ms = now.millis();
            if let Err(error) = store::forget_old(&keeper.owner, now).await {
                tracing::warn!(error = %error, "the fleet of more than a week ago cannot be forgotten; tried again");
            }
        }
    }
}

struct Keeper {
    memory: Memory,
    owner: PgPool,
    token: i64,
    /// Whether nobody keeps any more who led before.
    leads: bool,
    numbers: Numbers,
    kept: Kept,
    /// What the last frame belongs to; none: the next one begins another.
    chapter: Option<Chapter>,
}

impl Keeper {
    async fn keep(&mut self, now: Timestamp) -> Result<(), IngestError> {
        if !self.leads {
            take_the_lead(&self.owner, NAME, self.token).await?;
            self.leads = true;
        }
        // A fleet that nobody hears of stands still in memory alone.
        if !self.memory.read().is_heard(now) {
            self.chapter = None;
            return Ok(());
        }
        let slots: Vec<u32> = self.memory.read().on_maps().map(|(slot, _)| slot).collect();
        self.numbers.learn(&self.owner, &self.memory, slots.into_iter()).await?;
        let fleet = self.fleet();
        let goes_on = self.chapter.filter(|chapter| {
            let since_ms = now.millis() - chapter.until_ms;
            (1..=SLACK_MS).contains(&since_ms) && now.millis() - chapter.at_ms < CHAPTER_MS
        });
        let chapter = match goes_on {
            Some(chapter) => Chapter { until_ms: now.millis(), ..chapter },
            None => Chapter { at_ms: now.millis(), until_ms: now.millis() },
        };
        // Gone if storing fails: what was not stored is in the next whole frame.
        self.chapter = None;
        let frame = self.kept.frame(&fleet, goes_on.is_none());
        let mut transaction = leading(&self.owner, NAME, self.token).await?;
        store::keep(&mut transaction, chapter, &frame).await?;
        transaction.commit().await?;
        self.chapter = Some(chapter);
        Ok(())
    }

    /// Every bike that a map shows, by its number in stored rows.
    fn fleet(&self) -> Vec<(Territory, BikeRecord)> {
        let fleet = self.memory.read();
        let numbered = |slot: u32| u32::try_from(self.numbers.of(slot)).ok().filter(|number| *number > 0);
        let shown = fleet.on_maps().filter_map(|(slot, owner)| {
            let territory = owner.agent.zip(owner.area)?;
            Some((territory, BikeRecord { slot: numbered(slot)?, ..fleet.bike(slot) }))
        });
        shown.collect()
    }
}
