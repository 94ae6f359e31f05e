//! How far each bike is, kept for who leads next and for people.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};
use vocabulary::{AreaId, Timestamp};

use super::book::Progress;
use super::wanted::Planned;

/// Progress of all bikes, by their numbers.
pub(super) async fn load(pool: &PgPool) -> sqlx::Result<HashMap<String, Progress>> {
    type Row = (
        String,
        AreaId,
        i64,
        i32,
        DateTime<Utc>,
        DateTime<Utc>,
        i16,
        Option<i32>,
        Option<DateTime<Utc>>,
        Option<DateTime<Utc>>,
    );
    let rows: Vec<Row> = sqlx::query_as(
        "select car_id, area_id, edition, told_before, first_sent_at, sent_at, tries, refused_code, refused_at,
             acknowledged_at from live.fence_delivery",
    )
    .fetch_all(pool)
    .await?;
    let progress = rows.into_iter().map(
        |(car_id, area, edition, told, first_sent_at, sent_at, tries, code, refused_at, acknowledged_at)| {
            let progress = Progress {
                area,
                edition,
                told_before: u16::try_from(told).unwrap_or(0),
                first_sent_at: first_sent_at.into(),
                sent_at: sent_at.into(),
                tries: u16::try_from(tries).unwrap_or(0),
                answered: 0,
                refused: code.zip(refused_at.map(Timestamp::from)),
                acknowledged_at: acknowledged_at.map(Timestamp::from),
                away: false,
            };
            (car_id, progress)
        },
    );
    Ok(progress.collect())
}

/// Keeps what changed.
pub(super) async fn keep(db: &mut PgConnection, changed: &[(&str, &Progress)]) -> sqlx::Result<()> {
    fn column<T>(changed: &[(&str, &Progress)], of: impl Fn(&Progress) -> T) -> Vec<T> {
        changed.iter().map(|(_, progress)| of(progress)).collect()
    }
    if changed.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "insert into live.fence_delivery (car_id, area_id, edition, told_before, first_sent_at, sent_at, tries,
             refused_code, refused_at, acknowledged_at)
         select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::int[], $5::timestamptz[], $6::timestamptz[],
             $7::smallint[], $8::int[], $9::timestamptz[], $10::timestamptz[])
         on conflict (car_id) do update set area_id = excluded.area_id, edition = excluded.edition,
             told_before = excluded.told_before, first_sent_at = excluded.first_sent_at, sent_at = excluded.sent_at,
             tries = excluded.tries, refused_code = excluded.refused_code, refused_at = excluded.refused_at,
             acknowledged_at = excluded.acknowledged_at",
    )
    .bind(changed.iter().map(|(car_id, _)| *car_id).collect::<Vec<_>>())
    .bind(column(changed, |progress| progress.area.0))
    .bind(column(changed, |progress| progress.edition))
    .bind(column(changed, |progress| i32::from(progress.told_before)))
    .bind(column(changed, |progress| progress.first_sent_at.datetime()))
    .bind(column(changed, |progress| progress.sent_at.datetime()))
    .bind(column(changed, |progress| i16::try_from(progress.tries).unwrap_or(i16::MAX)))
    .bind(column(changed, |progress| progress.refused.map(|(code, _)| code)))
    .bind(column(changed, |progress| progress.refused.map(|(_, at)| at.datetime())))
    .bind(column(changed, |progress| progress.acknowledged_at.map(Timestamp::datetime)))
    .execute(db)
    .await?;
    Ok(())
}

/// Keeps what is wanted of areas, from now on.
pub(super) async fn keep_wanted(
    db: &mut PgConnection,
    planned: &[&Planned],
    now: Timestamp,
) -> sqlx::Result<()> {
    if planned.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "insert into live.fence_edition as known (area_id, edition, since, bytes, parts, fences)
         select a, e, $6, b, p, f from unnest($1::bigint[], $2::bigint[], $3::int[], $4::smallint[], $5::int[])
             w (a, e, b, p, f)
         on conflict (area_id) do update set edition = excluded.edition, bytes = excluded.bytes, parts = excluded.parts,
             fences = excluded.fences,
             since = case when known.edition = excluded.edition then known.since else excluded.since end",
    )
    .bind(planned.iter().map(|one| one.area.0).collect::<Vec<_>>())
    .bind(planned.iter().map(|one| one.wanted.edition).collect::<Vec<_>>())
    .bind(planned.iter().map(|one| i32::try_from(one.bytes).unwrap_or(i32::MAX)).collect::<Vec<_>>())
    .bind(planned.iter().map(|one| one.wanted.parcel.as_ref().map_or(0, |parcel| parcel.parts() as i16)).collect::<Vec<_>>())
    .bind(planned.iter().map(|one| i32::try_from(one.fences).unwrap_or(i32::MAX)).collect::<Vec<_>>())
    .bind(now.datetime())
    .execute(db)
    .await?;
    Ok(())
}

/// Forgets bikes that are on no street any more.
pub(super) async fn tend(db: &mut PgConnection) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar(
        "delete from live.fence_delivery d
         where not exists (select from read.vehicle v where v.car_id = d.car_id and v.lifecycle = 2)
         returning car_id",
    )
    .fetch_all(db)
    .await
}
