//! What history holds of each bike: a report is stored by what is stored, not by what is shown. Memory is ahead of
//! history where a process followed another one, or stored nothing for a while.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sqlx::PgPool;
use vocabulary::Timestamp;

use crate::memory::Memory;
use crate::report::{Flags, LastHeard, Place, Refusal, Report, Verdict};

/// Reports are a day old at most, and a fix is forgotten after an hour.
const NEWEST: &str = "select v.car_id, t.at, coalesce(t.lat_e7, f.lat_e7) lat_e7, coalesce(t.lng_e7, f.lng_e7) lng_e7,
                          case when t.lat_e7 is null then f.at else t.at end fix_at, t.flags
                      from live.vehicle v
                      cross join lateral (
                          select at, lat_e7, lng_e7, flags from live.telemetry
                          where vehicle = v.vehicle and at > $1 order by at desc limit 1) t
                      left join lateral (
                          select at, lat_e7, lng_e7 from live.telemetry
                          where vehicle = v.vehicle and t.lat_e7 is null and lat_e7 is not null
                              and at > t.at - interval '1 hour' and at < t.at order by at desc limit 1) f on true";
const DAY_MS: i64 = 24 * 3_600_000;

/// An older fix does not tell where a bike stopped.
const FIX_STALE_MS: i64 = 60_000;

/// The newest report of each bike that is stored, or waits to be, by slot.
#[derive(Default)]
pub(super) struct Book(HashMap<u32, Known>);

#[derive(Clone, Copy, Default)]
struct Known {
    last: LastHeard,
    /// Whether it could be ridden; false while nothing is known.
    unlocked: bool,
}

/// What is to be stored of a report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entry {
    /// Why its position is not.
    pub(super) without_fix: Option<Refusal>,
    /// Where the bike stopped: it is locked and was not before.
    pub(super) stopped: Option<Place>,
    /// Whether it left where it stood: it is open and was not before, as far as is known.
    pub(super) left: bool,
}

impl Book {
    /// As history stands at `now`.
    pub(super) async fn open(pool: &PgPool, memory: &Memory, now: Timestamp) -> sqlx::Result<Self> {
        type Row = (String, DateTime<Utc>, Option<i32>, Option<i32>, Option<DateTime<Utc>>, i32);
        let rows: Vec<Row> =
            sqlx::query_as(NEWEST).bind(now.plus_millis(-DAY_MS).datetime()).fetch_all(pool).await?;
        let fleet = memory.read();
        let heard = rows.into_iter().filter_map(|(car_id, at, lat_e7, lng_e7, fix_at, flags)| {
            let place = lat_e7.zip(lng_e7).map(|(lat_e7, lng_e7)| Place { lat_e7, lng_e7 });
            let fix = place.zip(fix_at.map(Timestamp::from));
            let last = LastHeard { at: Some(at.into()), fix, ..LastHeard::default() };
            let unlocked = u16::try_from(flags).is_ok_and(|flags| !Flags(flags).has(Flags::LOCKED));
            Some((fleet.slot(&car_id)?, Known { last, unlocked }))
        });
        Ok(Self(heard.collect()))
    }

    /// Whether a report of the bike in `slot` is to be stored, and what of it; written down if it is.
    pub(super) fn enter(&mut self, slot: u32, report: &Report, now: Timestamp) -> Result<Entry, Refusal> {
        let Known { last, unlocked } = self.0.entry(slot).or_default();
        let without_fix = match last.hear(report, now) {
            Verdict::Refused(reason) => return Err(reason),
            Verdict::Taken | Verdict::TakenAfresh => None,
            Verdict::TakenWithoutFix(reason) => Some(reason),
        };
        let locked = report.flags.has(Flags::LOCKED);
        let fresh = last.fix.filter(|(_, at)| report.at.millis_since(*at) <= FIX_STALE_MS);
        let stopped = fresh.filter(|_| locked && *unlocked).map(|(place, _)| place);
        let left = !locked && !*unlocked;
        *unlocked = !locked;
        Ok(Entry { without_fix, stopped, left })
    }
}
