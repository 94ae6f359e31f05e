//! How far one bike is, and what is to be done about it. Pure.

use std::sync::Arc;
use std::time::Duration;

use vocabulary::{AreaId, Timestamp};

use super::edition::mark;
use super::parcel::Parcel;

/// Codes of a device that will not take this edition, however often it is asked: unsupported, bad parameters.
const REFUSALS: [i32; 3] = [111, 114, 115];

/// A report that says something else so soon after one that said so is an older one, read again after a take-over.
const LOST_AFTER_MS: i64 = 30_000;

/// What the bikes of an area are to hold.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Its number.
    pub edition: i64,
    /// What is sent; nothing: the area has more fences than can be.
    pub parcel: Option<Arc<Parcel>>,
    /// When a person last asked for it to be sent again.
    pub asked_at: Option<Timestamp>,
}

/// How sending goes on when a device does not take what it is sent: after 1, 2, 4 … times the first pause, at most the
/// last.
#[derive(Clone, Copy, Debug)]
pub struct Pauses {
    /// After the first sending.
    pub first: Duration,
    /// At most.
    pub most: Duration,
}

impl Pauses {
    /// After so many sendings, 1 or more.
    pub fn after(self, tries: u16) -> Duration {
        let factor = 1_u32 << tries.saturating_sub(1).min(16);
        self.first.saturating_mul(factor).min(self.most)
    }
}

/// A bike now.
#[derive(Clone, Copy, Debug)]
pub struct Heard {
    /// Its area.
    pub area: AreaId,
    /// The low 16 bits of what it says that it holds.
    pub told: u16,
    /// Whether it was heard of lately.
    pub online: bool,
}

/// How far a bike is with an edition that it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Of which area.
    pub area: AreaId,
    /// Which edition.
    pub edition: i64,
    /// What the bike said before it was sent this one.
    pub told_before: u16,
    /// When it was first sent.
    pub first_sent_at: Timestamp,
    /// When it was last sent.
    pub sent_at: Timestamp,
    /// How often since it was last away, lost it or was asked for again.
    pub tries: u16,
    /// A bit for each part that it answered well.
    pub answered: u64,
    /// Its refusal, and when that came.
    pub refused: Option<(i32, Timestamp)>,
    /// When its report said that it holds it.
    pub acknowledged_at: Option<Timestamp>,
    /// Not heard of since it was last sent.
    pub away: bool,
}

/// What a bike is to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sending {
    /// A bit for each part.
    pub parts: u64,
    /// Whether its pauses begin anew.
    pub afresh: bool,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing.
    Rest,
    /// It is to be sent.
    Send(Sending),
    /// Its report says that it holds the edition: this is to be kept.
    Acknowledged,
}

impl Progress {
    /// Of a bike that is about to be sent an edition for the first time.
    pub const fn begun(heard: Heard, edition: i64, now: Timestamp) -> Self {
        Self {
            area: heard.area,
            edition,
            told_before: heard.told,
            first_sent_at: now,
            sent_at: now,
            tries: 0,
            answered: 0,
            refused: None,
            acknowledged_at: None,
            away: false,
        }
    }

    /// Whether it is about this.
    pub fn is_of(&self, area: AreaId, edition: i64) -> bool {
        self.area == area && self.edition == edition
    }

    /// What a device answered; whether that is a refusal to keep.
    pub fn answer(&mut self, sent_at: Timestamp, part: usize, code: i32, now: Timestamp) -> bool {
        // Answers to another edition say nothing of this one.
        if !(self.first_sent_at..=self.sent_at).contains(&sent_at) || self.acknowledged_at.is_some() {
            return false;
        }
        if code == 0 && part < 64 {
            self.answered |= 1 << part;
        }
        if REFUSALS.contains(&code) && self.refused.is_none() {
            self.refused = Some((code, now));
            return true;
        }
        false
    }

    /// It is sent now.
    pub const fn sent(&mut self, sending: Sending, now: Timestamp) {
        self.sent_at = now;
        self.tries = if sending.afresh { 1 } else { self.tries.saturating_add(1) };
        self.answered &= !sending.parts;
        self.refused = None;
        self.acknowledged_at = None;
        self.away = false;
    }
}

/// What is to be done about a bike that is to hold `wanted` and was sent `kept` last. Until it is sent, the answer stays
/// the same: a round has its bounds.
pub fn step(
    kept: Option<&mut Progress>,
    wanted: &Wanted,
    heard: Heard,
    pauses: Pauses,
    now: Timestamp,
) -> Step {
    let Some(parcel) = &wanted.parcel else { return Step::Rest };
    let all = parcel.all();
    let anew = Step::Send(Sending { parts: all, afresh: true });
    let Some(kept) = kept.filter(|kept| kept.is_of(heard.area, wanted.edition)) else {
        return if heard.online { anew } else { Step::Rest };
    };
    let holds = heard.told == mark(wanted.edition);
    if let Some(acknowledged_at) = kept.acknowledged_at {
        // Who holds it no more has lost it.
        let lost = !holds && now.millis_since(acknowledged_at) > LOST_AFTER_MS;
        return if lost && heard.online { anew } else { Step::Rest };
    }
    // Who said the same number before he was sent it may hold another area's: his answers decide.
    if holds && (kept.told_before != heard.told || kept.answered & all == all) {
        kept.acknowledged_at = Some(now);
        kept.refused = None;
        return Step::Acknowledged;
    }
    let asked_since = |then: Timestamp| wanted.asked_at.is_some_and(|asked| asked > then);
    if kept.refused.is_some_and(|(_, refused_at)| !asked_since(refused_at)) {
        return Step::Rest;
    }
    if !heard.online {
        kept.away = true;
        return Step::Rest;
    }
    if kept.away || kept.refused.is_some() || asked_since(kept.sent_at) {
        return anew;
    }
    let waited_ms = u128::try_from(now.millis_since(kept.sent_at)).unwrap_or(0);
    if waited_ms < pauses.after(kept.tries).as_millis() {
        return Step::Rest;
    }
    // All were answered and still it says another number: it did not keep them.
    let missing = all & !kept.answered;
    Step::Send(Sending { parts: if missing == 0 { all } else { missing }, afresh: false })
}

#[cfg(test)]
#[path = "book_tests.rs"]
mod tests;
