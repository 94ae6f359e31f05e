//! What is kept for a restart: the number of each bike, its latest state, and how far the stream is stored.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use kernel::pools::begin_with;
use sqlx::{PgConnection, PgPool, Postgres, Row, Transaction, postgres::PgRow};
use vocabulary::Timestamp;

use super::leader::IngestError;
use crate::fleet::Stored;
use crate::memory::Memory;
use crate::report::{Flags, Place, Report};

/// Under which name it is kept how fresh the latest states are: whoever keeps them waits for nobody who stores.
pub(super) const KEEPING: &str = "live-kept";
/// So many latest states are kept together; the others wait for their turn.
pub(super) const AT_ONCE: usize = 5_000;
/// A report that is taken is a day old at most, and a state waits for its turn no longer than an hour.
const OLDEST_MS: i64 = 25 * 3_600_000;

/// Numbers of bikes in the live tables, by slot; 0 where there is none yet.
#[derive(Default)]
pub(crate) struct Numbers(Vec<i32>);

impl Numbers {
    pub(crate) fn of(&self, slot: u32) -> i32 {
        self.0.get(slot as usize).copied().unwrap_or(0)
    }

    /// Gives every one of `slots` a number.
    pub(crate) async fn learn(
        &mut self,
        pool: &PgPool,
        memory: &Memory,
        slots: impl Iterator<Item = u32>,
    ) -> sqlx::Result<()> {
        let named: HashMap<String, u32> = {
            let fleet = memory.read();
            let new = slots.filter(|slot| self.of(*slot) == 0);
            new.filter_map(|slot| Some((fleet.record(slot)?.car_id.clone(), slot))).collect()
        };
        if named.is_empty() {
            return Ok(());
        }
        let cars: Vec<&String> = named.keys().collect();
        sqlx::query("insert into live.vehicle (car_id) select unnest($1::text[]) on conflict do nothing")
            .bind(&cars)
            .execute(pool)
            .await?;
        let rows = sqlx::query("select car_id, vehicle from live.vehicle where car_id = any($1)")
            .bind(&cars)
            .fetch_all(pool)
            .await?;
        for row in rows {
            let slot = named[&row.try_get::<String, _>("car_id")?] as usize;
            if self.0.len() <= slot {
                self.0.resize(slot + 1, 0);
            }
            self.0[slot] = row.try_get("vehicle")?;
        }
        Ok(())
    }
}

/// Takes the place of whoever led before, who stores nothing from then on; at most his last transaction is waited for.
/// Tells how far stream `born` is stored under `name`, unless somebody leads in a later term than `token`. What the former
/// leader could not store, because he did not know its bike yet, is taken in anew with all that came since.
pub(super) async fn take_over(
    pool: &PgPool,
    name: &str,
    born: &str,
    token: i64,
) -> sqlx::Result<Option<u64>> {
    let seq: Option<i64> = sqlx::query_scalar(
        "insert into live.ingest as known (name, stream_born, stream_seq, token) values ($1, $2, 0, $3)
         on conflict (name) do update set token = excluded.token, resume_seq = null,
             stream_seq = least(known.stream_seq, known.resume_seq) where known.token <= excluded.token
         returning case when stream_born = $2 then stream_seq else 0 end",
    )
    .bind(name)
    .bind(born)
    .bind(token)
    .fetch_optional(pool)
    .await?;
    Ok(seq.map(|seq| u64::try_from(seq).unwrap_or(0)))
}

/// The same for what is kept beside the stream: another name, whose writers wait for nobody else's.
pub(crate) async fn take_the_lead(pool: &PgPool, name: &str, token: i64) -> Result<(), IngestError> {
    take_over(pool, name, "", token).await?.map(|_| ()).ok_or(IngestError::Superseded)
}

/// What a leader that hangs amid a transaction has locked is free again when his term ends.
const OPENING: &str =
    "begin; set local idle_in_transaction_session_timeout = '7s'; set local statement_timeout = '30s'";

/// Begins a transaction of whoever leads in the term `token`; he leads to its end.
pub(crate) async fn begin(
    pool: &PgPool,
    name: &str,
    token: i64,
) -> Result<Transaction<'static, Postgres>, IngestError> {
    let mut transaction = begin_with(pool, OPENING).await?;
    let leads: Option<i64> =
        sqlx::query_scalar("select token from live.ingest where name = $1 and token = $2 for update")
            .bind(name)
            .bind(token)
            .fetch_optional(&mut *transaction)
            .await?;
    leads.map(|_| transaction).ok_or(IngestError::Superseded)
}

/// Moves from message `from` to `seq`, in the transaction of the rows; false when that was done before. `resume`: behind which
/// earlier message whoever leads next goes on.
pub(super) async fn advance(
    db: &mut PgConnection,
    name: &str,
    born: &str,
    from: u64,
    seq: u64,
    resume: Option<u64>,
) -> sqlx::Result<bool> {
    let number = |seq: u64| i64::try_from(seq).unwrap_or(i64::MAX);
    let moved = sqlx::query(
        "update live.ingest set stream_born = $2, stream_seq = $4, resume_seq = $5
         where name = $1 and (stream_seq = $3 or stream_born <> $2)",
    )
    .bind(name)
    .bind(born)
    .bind(number(from))
    .bind(number(seq))
    .bind(resume.map(number))
    .execute(db)
    .await?;
    Ok(moved.rows_affected() == 1)
}

/// The stream lost its end: what came since has numbers that are stored under others. Begins anew; what is stored is known
/// by its time.
pub(super) async fn begin_anew(pool: &PgPool, name: &str, token: i64) -> sqlx::Result<()> {
    sqlx::query("update live.ingest set stream_seq = 0, resume_seq = null where name = $1 and token = $2")
        .bind(name)
        .bind(token)
        .execute(pool)
        .await?;
    Ok(())
}

/// Keeps the latest state of `slots`, whose numbers are known.
pub(super) async fn keep(
    db: &mut PgConnection,
    memory: &Memory,
    numbers: &Numbers,
    slots: &[u32],
    now: Timestamp,
) -> sqlx::Result<()> {
    let states: Vec<(i32, Stored)> = {
        let fleet = memory.read();
        slots.iter().filter_map(|slot| Some((numbers.of(*slot), fleet.stored(*slot)?))).collect()
    };
    upsert(db, &states).await?;
    sqlx::query("update live.ingest set kept_at = $2 where name = $1")
        .bind(KEEPING)
        .bind(now.datetime())
        .execute(db)
        .await?;
    Ok(())
}

async fn upsert(db: &mut PgConnection, states: &[(i32, Stored)]) -> sqlx::Result<()> {
    fn column<T>(states: &[(i32, Stored)], of: impl Fn(&Stored) -> T) -> Vec<T> {
        states.iter().map(|(_, stored)| of(stored)).collect()
    }
    let small = |value: Option<u8>| value.map(i16::from);
    sqlx::query(
        "insert into live.vehicle_live as kept (vehicle, report_at, heard_at, fix_at, lat_e7, lng_e7, flags, voltage_mv,
             soc, speed, heading, hdop, satellites, gsm, fence_version)
         select * from unnest($1::int[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[], $5::int[], $6::int[],
             $7::int[], $8::int[], $9::smallint[], $10::smallint[], $11::smallint[], $12::smallint[], $13::smallint[],
             $14::smallint[], $15::int[])
         on conflict (vehicle) do update set report_at = excluded.report_at, heard_at = excluded.heard_at,
             fix_at = excluded.fix_at, lat_e7 = excluded.lat_e7, lng_e7 = excluded.lng_e7, flags = excluded.flags,
             voltage_mv = excluded.voltage_mv, soc = excluded.soc, speed = excluded.speed, heading = excluded.heading,
             hdop = excluded.hdop, satellites = excluded.satellites, gsm = excluded.gsm,
             fence_version = excluded.fence_version
         where excluded.report_at >= kept.report_at",
    )
    .bind(states.iter().map(|(number, _)| *number).collect::<Vec<_>>())
    .bind(column(states, |stored| stored.report.at.datetime()))
    .bind(column(states, |stored| stored.heard_at.datetime()))
    .bind(column(states, |stored| stored.fix_at.map(Timestamp::datetime)))
    .bind(column(states, |stored| stored.report.place.lat_e7))
    .bind(column(states, |stored| stored.report.place.lng_e7))
    .bind(column(states, |stored| i32::from(stored.report.flags.0)))
    .bind(column(states, |stored| stored.report.voltage_mv.map(|voltage| i32::try_from(voltage).unwrap_or(i32::MAX))))
    .bind(column(states, |stored| i16::from(stored.report.soc_percent)))
    .bind(column(states, |stored| i16::from(stored.report.speed_kmh)))
    .bind(column(states, |stored| i16::from(stored.report.heading_half)))
    .bind(column(states, |stored| small(stored.report.hdop_tenths)))
    .bind(column(states, |stored| small(stored.report.satellites)))
    .bind(column(states, |stored| small(stored.report.gsm)))
    .bind(column(states, |stored| stored.report.fence_version.map(i32::from)))
    .execute(db)
    .await?;
    Ok(())
}

const KEPT: &str = "select v.car_id, l.report_at, l.heard_at, l.fix_at, l.lat_e7, l.lng_e7, l.flags, l.voltage_mv, l.soc, \
                    l.speed, l.heading, l.hdop, l.satellites, l.gsm, l.fence_version \
                    from live.vehicle_live l join live.vehicle v using (vehicle)";
/// What was stored of each bike and not kept; a process that died had no time for it. By each bike's own clock.
const SINCE: &str = "select v.car_id, t.at report_at, greatest(t.at, l.heard_at) heard_at, coalesce(f.at, l.fix_at) fix_at, \
                     coalesce(f.lat_e7, l.lat_e7, 0) lat_e7, coalesce(f.lng_e7, l.lng_e7, 0) lng_e7, t.flags, \
                     t.voltage_mv, t.soc, t.speed, t.heading, t.hdop, t.satellites, t.gsm, l.fence_version \
                     from live.vehicle v left join live.vehicle_live l using (vehicle) \
                     cross join lateral (select * from live.telemetry where vehicle = v.vehicle and at > $1 \
                         and (l.report_at is null or at > l.report_at) order by at desc limit 1) t \
                     left join lateral (select at, lat_e7, lng_e7 from live.telemetry where vehicle = v.vehicle \
                         and at > $1 and at <= t.at and lat_e7 is not null and (l.fix_at is null or at > l.fix_at) \
                         order by at desc limit 1) f on true";

/// Bikes whose state was found.
pub(super) struct Restored {
    /// How many.
    pub(super) bikes: usize,
    /// Of which more is stored than was kept, by slot.
    pub(super) not_kept: Vec<u32>,
}

/// Puts memory where the database is, unless it knows more: the kept states, and what history holds beyond them.
pub(super) async fn restore(pool: &PgPool, memory: &Memory, now: Timestamp) -> sqlx::Result<Restored> {
    let kept_at: Option<DateTime<Utc>> =
        sqlx::query_scalar("select kept_at from live.ingest where name = $1")
            .bind(KEEPING)
            .fetch_optional(pool)
            .await?
            .flatten();
    let since = kept_at.map_or(now, Timestamp::from).plus_millis(-OLDEST_MS);
    let kept = sqlx::query(KEPT).fetch_all(pool).await?;
    let newer = sqlx::query(SINCE).bind(since.datetime()).fetch_all(pool).await?;
    let states = |rows: &[PgRow]| rows.iter().map(stored).collect::<sqlx::Result<Vec<_>>>();
    let (kept, newer) = (states(&kept)?, states(&newer)?);
    let mut fleet = memory.write();
    let bikes = kept.len() + newer.len();
    let not_kept = newer.iter().filter_map(|state| fleet.slot(&state.car_id)).collect();
    for state in kept.into_iter().chain(newer) {
        fleet.restore(state, now);
    }
    drop(fleet);
    Ok(Restored { bikes, not_kept })
}

fn stored(row: &PgRow) -> sqlx::Result<Stored> {
    let instant =
        |column: &str| row.try_get::<Option<DateTime<Utc>>, _>(column).map(|at| at.map(Timestamp::from));
    let small = |column: &str| {
        row.try_get::<Option<i16>, _>(column).map(|value| value.and_then(|value| u8::try_from(value).ok()))
    };
    let report_at = instant("report_at")?.unwrap_or_default();
    Ok(Stored {
        car_id: row.try_get("car_id")?,
        report: Report {
            at: report_at,
            seq: None,
            place: Place { lat_e7: row.try_get("lat_e7")?, lng_e7: row.try_get("lng_e7")? },
            hdop_tenths: small("hdop")?,
            satellites: small("satellites")?,
            speed_kmh: small("speed")?.unwrap_or(0),
            heading_half: small("heading")?.unwrap_or(0),
            soc_percent: small("soc")?.unwrap_or(0),
            gsm: small("gsm")?,
            voltage_mv: row
                .try_get::<Option<i32>, _>("voltage_mv")?
                .and_then(|voltage| u32::try_from(voltage).ok()),
            flags: Flags(row.try_get::<i32, _>("flags")? as u16),
            fence_version: row
                .try_get::<Option<i32>, _>("fence_version")?
                .and_then(|mark| u16::try_from(mark).ok()),
        },
        fix_at: instant("fix_at")?,
        heard_at: instant("heard_at")?.unwrap_or(report_at),
    })
}
