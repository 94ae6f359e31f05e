//! 不可租: why bikes on the street cannot be rented now, for how long that went on today, and what it costs. Counted in the live fleet
//! every minute by one process; money is that of the daily statistics' entries.

mod http;

use std::time::Duration;

use kernel::{Reckoned, Runtime};
use live::Memory;
use live::fleet::Blocked;
use sqlx::PgConnection;
use vocabulary::{DataOwner, Timestamp};

pub use self::http::routes;

/// How far it is counted.
const COUNTED: Reckoned = Reckoned::new("blocked");
const EVERY: Duration = Duration::from_mins(1);
/// What lies between two looks further apart is not known, and counts for so long only.
const LOOK_MS: i64 = 120_000;
const HOUR_MS: i64 = 3_600_000;
/// Kept for a month beside the month before it.
const KEPT_MS: i64 = 62 * 24 * HOUR_MS;
/// Codes that are no reasons: bikes that can be rented, and those that cannot for whatever reason.
const RENTABLE: &str = "rentable";
const BLOCKED: &str = "blocked";

/// Looks on one node at a time, until the system closes.
pub async fn count(runtime: Runtime, memory: Memory) {
    kernel::every_while_leading(&runtime, "blocked-hours", EVERY, async |token| {
        let now = runtime.clock.now();
        let seen: Vec<(DataOwner, Blocked)> = memory.read().blocked(now).into_iter().collect();
        if let Err(error) = take(&runtime, &seen, token, now).await {
            tracing::warn!(%error, "hours of bikes that cannot be rented are not counted; it is tried again");
        }
    })
    .await;
}

/// Adds what was seen at `now` for the time since the look before it. In the term `token`: once somebody looks in a later one,
/// nothing more is written.
async fn take(
    runtime: &Runtime,
    seen: &[(DataOwner, Blocked)],
    token: i64,
    now: Timestamp,
) -> sqlx::Result<()> {
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
            add(&mut db, hour, ms, seen).await?;
        }
    }
    sqlx::query("delete from report.blocked_hour where hour_at_ms < $1")
        .bind(now.millis() - KEPT_MS)
        .execute(&mut *db)
        .await?;
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

async fn add(db: &mut PgConnection, hour: i64, ms: i64, seen: &[(DataOwner, Blocked)]) -> sqlx::Result<()> {
    let (mut agents, mut areas, mut reasons, mut bikes) = (vec![], vec![], vec![], vec![]);
    for (owner, count) in seen {
        // What is in no area is of no city.
        let (Some(agent), Some(area)) = (owner.agent, owner.area) else { continue };
        let told = [(RENTABLE, count.rentable), (BLOCKED, count.blocked)];
        let told = told.into_iter().chain(count.reasons.iter().map(|(code, bikes)| (code.as_str(), *bikes)));
        for (reason, count) in told.filter(|(_, count)| *count > 0) {
            agents.push(agent.0);
            areas.push(area.0);
            reasons.push(reason.to_owned());
            bikes.push(i64::from(count));
        }
    }
    sqlx::query(
        "insert into report.blocked_hour as known (hour_at_ms, agent_id, area_id, reason, bike_ms)
         select $1, agent_id, area_id, reason, bikes * $2
         from unnest($3::bigint[], $4::bigint[], $5::text[], $6::bigint[]) t (agent_id, area_id, reason, bikes)
         on conflict (hour_at_ms, area_id, agent_id, reason) do update set bike_ms = known.bike_ms + excluded.bike_ms",
    )
    .bind(hour)
    .bind(ms)
    .bind(agents)
    .bind(areas)
    .bind(reasons)
    .bind(bikes)
    .execute(db)
    .await?;
    Ok(())
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
