//! Tables `live.past_chapter` and `live.past_frame`.

use std::collections::HashSet;

use bytes::BytesMut;
use sqlx::{PgConnection, PgExecutor, PgPool};
use vocabulary::Timestamp;

use super::chapter::Chapter;
use super::picture::Frame;
use crate::push::frame::{BIKE_BYTES, BikeRecord};

/// Days that can be looked back.
pub(super) const KEEP_DAYS: i64 = 7;
const DAY_MS: i64 = 86_400_000;
/// Old ones go so many at a time.
const FORGOTTEN_AT_ONCE: i64 = 5_000;

fn bytes_of(records: &[BikeRecord]) -> Vec<u8> {
    let mut bytes = BytesMut::with_capacity(records.len() * BIKE_BYTES);
    for record in records {
        record.put(&mut bytes);
    }
    bytes.to_vec()
}

fn records_of(bytes: &[u8]) -> Vec<BikeRecord> {
    let (records, _) = bytes.as_chunks::<BIKE_BYTES>();
    records.iter().map(BikeRecord::of).collect()
}

/// Keeps a frame of `chapter`, which reaches to it.
pub(super) async fn keep(db: &mut PgConnection, chapter: Chapter, frame: &Frame) -> sqlx::Result<()> {
    sqlx::query(
        "insert into live.past_chapter (at_ms, until_ms) values ($1, $2)
         on conflict (at_ms) do update set until_ms = excluded.until_ms",
    )
    .bind(chapter.at_ms)
    .bind(chapter.until_ms)
    .execute(&mut *db)
    .await?;
    if frame.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "insert into live.past_frame (at_ms, agent_id, area_id, bikes)
         select $1, * from unnest($2::bigint[], $3::bigint[], $4::bytea[])",
    )
    .bind(chapter.until_ms)
    .bind(frame.keys().map(|(agent, _)| agent.0).collect::<Vec<_>>())
    .bind(frame.keys().map(|(_, area)| area.0).collect::<Vec<_>>())
    .bind(frame.values().map(|records| bytes_of(records)).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// The chapter that begins last before `at`.
pub(super) async fn chapter_at(db: impl PgExecutor<'_>, at: Timestamp) -> sqlx::Result<Option<Chapter>> {
    sqlx::query_as(
        "select at_ms, until_ms from live.past_chapter where at_ms <= $1 order by at_ms desc limit 1",
    )
    .bind(at.millis())
    .fetch_optional(db)
    .await
}

/// Every chapter since then, in order of time.
pub(super) async fn chapters(db: impl PgExecutor<'_>, since: Timestamp) -> sqlx::Result<Vec<Chapter>> {
    sqlx::query_as("select at_ms, until_ms from live.past_chapter where until_ms >= $1 order by at_ms")
        .bind(since.millis())
        .fetch_all(db)
        .await
}

/// Frames in scope from `from_ms` until `until_ms`, both included, in order of time.
pub(super) async fn frames(
    db: impl PgExecutor<'_>,
    from_ms: i64,
    until_ms: i64,
) -> sqlx::Result<Vec<Vec<BikeRecord>>> {
    let found: Vec<(Vec<u8>,)> = sqlx::query_as(
        "select bikes from live.past_frame where at_ms between $1 and $2 order by at_ms, agent_id, area_id",
    )
    .bind(from_ms)
    .bind(until_ms)
    .fetch_all(db)
    .await?;
    Ok(found.iter().map(|(bytes,)| records_of(bytes)).collect())
}

/// The number plate in scope of the bike that rows have by this number.
pub(super) async fn car_of(db: impl PgExecutor<'_>, number: i32) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar(
        "select v.car_id from live.vehicle n join read.vehicle v on v.car_id = n.car_id where n.vehicle = $1",
    )
    .bind(number)
    .fetch_optional(db)
    .await
}

/// The numbers that rows have for all bikes in scope.
pub(super) async fn numbers(db: impl PgExecutor<'_>) -> sqlx::Result<HashSet<u32>> {
    let numbers: Vec<i32> =
        sqlx::query_scalar("select n.vehicle from live.vehicle n join read.vehicle v on v.car_id = n.car_id")
            .fetch_all(db)
            .await?;
    Ok(numbers.into_iter().filter_map(|number| u32::try_from(number).ok()).collect())
}

/// The number that rows have for a bike in scope.
pub(super) async fn number_of(db: impl PgExecutor<'_>, car_id: &str) -> sqlx::Result<Option<i32>> {
    sqlx::query_scalar(
        "select n.vehicle from live.vehicle n join read.vehicle v on v.car_id = n.car_id where v.car_id = $1",
    )
    .bind(car_id)
    .fetch_optional(db)
    .await
}

/// Forgets what is too old.
pub(super) async fn forget_old(owner: &PgPool, now: Timestamp) -> sqlx::Result<()> {
    let oldest = now.plus_millis(-KEEP_DAYS * DAY_MS).millis();
    loop {
        let gone = sqlx::query(
            "delete from live.past_frame where ctid = any(array(
                 select ctid from live.past_frame where at_ms < $1 order by at_ms limit $2))",
        )
        .bind(oldest)
        .bind(FORGOTTEN_AT_ONCE)
        .execute(owner)
        .await?
        .rows_affected();
        if gone < FORGOTTEN_AT_ONCE.unsigned_abs() {
            break;
        }
    }
    sqlx::query("delete from live.past_chapter where until_ms < $1").bind(oldest).execute(owner).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_from_their_bytes() {
        let records: Vec<BikeRecord> = (0..3)
            .map(|number| BikeRecord {
                slot: 7 + number,
                lat_e6: -24_500_000 + number as i32,
                lng_e6: 118_123_456,
                soc_percent: 81,
                state: 0x95,
                speed_kmh: 17,
                heading_half: 179,
            })
            .collect();
        assert_eq!(records_of(&bytes_of(&records)), records);
        assert_eq!(records_of(&[]), []);
    }
}
