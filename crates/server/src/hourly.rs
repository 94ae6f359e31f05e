//! What is seen of the live fleet every minute, by one process, and counted by the hour. What cannot be seen, while nobody looks, is in no
//! hour.

use std::time::Duration;

use kernel::{Reckoned, Runtime};
use live::Memory;
use live::fleet::{Blocked, Contact};
use vocabulary::{DataOwner, Timestamp};

use crate::{blocked, contact};

/// How far it is counted; named as what was counted first.
pub const COUNTED: Reckoned = Reckoned::new("blocked");
pub const HOUR_MS: i64 = 3_600_000;
const EVERY: Duration = Duration::from_mins(1);
/// What lies between two looks further apart is not known, and counts for so long only.
const LOOK_MS: i64 = 120_000;
/// Kept for a month beside the month before it.
const KEPT_MS: i64 = 62 * 24 * HOUR_MS;
const FORGET: [&str; 2] = [
    "delete from report.blocked_hour where hour_at_ms < $1",
    "delete from report.device_hour where hour_at_ms < $1",
];

/// What one look sees, by owner.
struct Seen {
    blocked: Vec<(DataOwner, Blocked)>,
    contact: Vec<(DataOwner, Contact)>,
}

impl Seen {
    fn of(memory: &Memory, now: Timestamp) -> Self {
        let fleet = memory.read();
        Self {
            blocked: fleet.blocked(now).into_iter().collect(),
            contact: fleet.contact().into_iter().collect(),
        }
    }
}

/// Looks on one node at a time, until the system closes.
pub async fn count(runtime: Runtime, memory: Memory) {
    kernel::every_while_leading(&runtime, "blocked-hours", EVERY, async |token| {
        let now = runtime.clock.now();
        let seen = Seen::of(&memory, now);
        if let Err(error) = take(&runtime, &seen, token, now).await {
            tracing::warn!(%error, "hours of the live fleet are not counted; it is tried again");
        }
    })
    .await;
}

/// Adds what was seen at `now` for the time since the look before it. In the term `token`: once somebody looks in a later one,
/// nothing more is written.
async fn take(runtime: &Runtime, seen: &Seen, token: i64, now: Timestamp) -> sqlx::Result<()> {
    let pool = &runtime.pools.projector;
    if !COUNTED.take_over(pool, token).await? {
        return Ok(());
    }
    let before = COUNTED.until(pool).await?;
    let mut db = kernel::pools::begin(pool).await?;
    if !COUNTED.reach(&mut *db, now, token).await? {
        return Ok(());
    }
    if let Some(before) = before {
        for (hour, ms) in hours(before.max(now.plus_millis(-LOOK_MS)), now) {
            blocked::add(&mut db, hour, ms, &seen.blocked).await?;
            contact::add(&mut db, hour, ms, &seen.contact).await?;
        }
    }
    for forget in FORGET {
        sqlx::query(forget).bind(now.millis() - KEPT_MS).execute(&mut *db).await?;
    }
    db.commit().await
}

/// The hours that a stretch of time touches, by when they begin, each with the milliseconds of it.
fn hours(from: Timestamp, until: Timestamp) -> Vec<(i64, i64)> {
    let (mut at, until) = (from.millis(), until.millis());
    let mut hours = Vec::new();
    while at < until {
        let hour = at - at.rem_euclid(HOUR_MS);
        let end = until.min(hour + HOUR_MS);
        hours.push((hour, end - at));
        at = end;
    }
    hours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretch_is_parted_at_full_hours_and_nothing_of_it_is_lost() {
        let at = |ms| Timestamp::from_millis(10 * HOUR_MS + ms);
        assert_eq!(hours(at(0), at(60_000)), [(10 * HOUR_MS, 60_000)]);
        let over = hours(at(HOUR_MS - 20_000), at(HOUR_MS + 40_000));
        assert_eq!(over, [(10 * HOUR_MS, 20_000), (11 * HOUR_MS, 40_000)]);
        assert!(hours(at(5), at(5)).is_empty());
        assert!(hours(at(9), at(5)).is_empty(), "a clock that went back");
    }
}
