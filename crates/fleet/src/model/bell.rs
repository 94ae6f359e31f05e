//! How often a bike's bell may ring (寻车铃): ten times a minute; a bike that rang more than thirty times in five minutes keeps
//! silent for a day.

use kernel::refusals;
use vocabulary::Timestamp;

const MINUTE_MS: i64 = 60_000;
const A_MINUTE: usize = 10;
/// Above so many within [`SPELL_MS`] it is blocked.
const A_SPELL: usize = 30;
const SPELL_MS: i64 = 5 * MINUTE_MS;
const BLOCKED_MS: i64 = 24 * 60 * MINUTE_MS;
/// What was longer ago counts no more.
pub const LOOKS_BACK_MS: i64 = BLOCKED_MS + SPELL_MS;

refusals! {
    /// Why it keeps silent.
    pub enum BellRefusal {
        TooOften = "bell-too-often": ("寻车铃每分钟最多 {A_MINUTE} 次，请稍后再试"),
        Blocked(String) = "bell-blocked": ("寻车铃 5 分钟内超过 {A_SPELL} 次，{0} 前不能再用"),
    }
}

/// Whether it may ring at `now`; `rung` are the times when it rang since [`LOOKS_BACK_MS`] ago, the oldest first.
pub fn may_ring(rung: &[Timestamp], now: Timestamp) -> Result<(), BellRefusal> {
    let over = rung.windows(A_SPELL + 1).filter_map(|spell| {
        let (first, last) = (spell.first()?, spell.last()?);
        (last.millis_since(*first) < SPELL_MS).then_some(last.plus_millis(BLOCKED_MS))
    });
    if let Some(until) = over.max().filter(|until| now.millis() < until.millis()) {
        return Err(BellRefusal::Blocked(until.local()));
    }
    let lately = rung.iter().filter(|at| now.millis_since(**at) < MINUTE_MS).count();
    if lately >= A_MINUTE { Err(BellRefusal::TooOften) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms)
    }

    fn every(ms: i64, times: i64) -> Vec<Timestamp> {
        (0..times).map(|n| at(n * ms)).collect()
    }

    #[test]
    fn it_rings_ten_times_a_minute() {
        assert_eq!(may_ring(&every(1_000, 9), at(10_000)), Ok(()));
        assert_eq!(may_ring(&every(1_000, 10), at(10_000)), Err(BellRefusal::TooOften));
        assert_eq!(may_ring(&every(1_000, 10), at(60_000)), Ok(()), "the first is a minute ago");
    }

    #[test]
    fn more_than_thirty_in_five_minutes_silence_it_for_a_day() {
        let day = 24 * 60 * MINUTE_MS;
        assert_eq!(may_ring(&every(9_000, 30), at(300_000)), Ok(()), "thirty are not more than thirty");
        let rung = every(9_000, 31);
        let last = 30 * 9_000;
        assert!(matches!(may_ring(&rung, at(last + 120_000)), Err(BellRefusal::Blocked(_))));
        assert!(matches!(may_ring(&rung, at(last + day - 1)), Err(BellRefusal::Blocked(_))));
        assert_eq!(may_ring(&rung, at(last + day)), Ok(()));
        assert_eq!(may_ring(&every(10_001, 31), at(400_000)), Ok(()), "slower than that");
    }
}
