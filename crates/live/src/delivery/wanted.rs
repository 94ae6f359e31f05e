//! What the bikes of each area are to hold, read from the read models.

use std::collections::HashMap;
use std::sync::Arc;

use geofence::{Ring, Rule, Shape};
use kernel::pools::begin_with;
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use vocabulary::{AreaId, Timestamp};

use super::book::Wanted;
use super::edition::edition;
use super::form::{Content, Zone};
use super::parcel::Parcel;
use crate::report::Place;

/// Kinds of fences that say something to riders: parking, no stopping, no riding.
const KINDS: [i16; 3] = [2, 4, 9];
/// Both questions see one state of the tables.
const OPENING: &str = "begin isolation level repeatable read read only";

/// Every turn of every area: the beginnings and ends of its edges, of the versions of its fences, and of the times in which
/// these were switched off. A version that was taken back turns with its planned beginning, too, and nothing comes of it:
/// whether it was taken back in time is a question of whose clock is asked, and a number must not stand for two contents.
const TURNS: &str = "with turn (area_id, at_ms) as (
         select area_id, from_at_ms from read.area_version
         union all select area_id, until_at_ms from read.area_version where until_at_ms is not null
         union all select area_id, from_at_ms from read.fence_version where kind = any($2)
         union all select area_id, until_at_ms from read.fence_version where kind = any($2) and until_at_ms is not null
         union all select f.area_id, at_ms::bigint from read.fence f, jsonb_array_elements(f.off) o,
             unnest(array[o ->> 'from_at_ms', o ->> 'until_at_ms']) at_ms
             where f.kind = any($2) and at_ms is not null
                 and exists (select from read.fence_version v where v.fence_id = f.fence_id))
     select a.area_id, coalesce(t.past, 0), t.next, a.delivery_asked_at_ms
     from read.area a left join (
         select area_id, count(*) filter (where at_ms <= $1) past, min(at_ms) filter (where at_ms > $1) next
         from turn group by area_id) t using (area_id)";

/// How far the read models are: each event of a fence or an area that may matter moves it.
pub(super) type Reached = (i64, i64, i64);

/// Cheap: asked every few seconds.
pub(super) async fn reached(pool: &PgPool) -> sqlx::Result<Reached> {
    sqlx::query_as(
        "select (select coalesce(sum(version), 0)::bigint from read.fence),
                (select coalesce(sum(version), 0)::bigint from read.area_version),
                (select coalesce(max(delivery_asked_at_ms), 0) from read.area)",
    )
    .fetch_one(pool)
    .await
}

/// What is wanted of an area, with what people are told of it.
#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) area: AreaId,
    pub(super) wanted: Wanted,
    /// Of the compact form.
    pub(super) bytes: usize,
    pub(super) fences: usize,
}

/// What is wanted of all areas.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) areas: HashMap<AreaId, Planned>,
    /// When an area turns next by itself.
    pub(super) turn: Option<Timestamp>,
}

/// What is wanted at `now`; areas whose number is the same as `before` are taken from there.
pub(super) async fn plan(pool: &PgPool, before: &Plan, now: Timestamp) -> sqlx::Result<Plan> {
    let mut db = begin_with(pool, OPENING).await?;
    let found: Vec<(AreaId, i64, Option<i64>, Option<i64>)> =
        sqlx::query_as(TURNS).bind(now.millis()).bind(KINDS.as_slice()).fetch_all(&mut *db).await?;
    let mut plan = Plan {
        areas: HashMap::with_capacity(found.len()),
        turn: found.iter().filter_map(|(_, _, next, _)| *next).min().map(Timestamp::from_millis),
    };
    for (area, turns, _, asked_at_ms) in found {
        let Some(edition) = edition(turns) else { continue };
        let asked_at = asked_at_ms.map(Timestamp::from_millis);
        let planned = match before.areas.get(&area).filter(|known| known.wanted.edition == edition) {
            Some(known) => Planned { wanted: Wanted { asked_at, ..known.wanted.clone() }, ..known.clone() },
            None => packed(&content(&mut db, area, edition, now).await?, asked_at),
        };
        plan.areas.insert(area, planned);
    }
    db.commit().await?;
    Ok(plan)
}

fn packed(content: &Content, asked_at: Option<Timestamp>) -> Planned {
    let (area, edition, fences) = (content.area, content.edition, content.fences.len());
    let (parcel, bytes) = match Parcel::of(content) {
        Ok(parcel) => {
            let bytes = parcel.bytes();
            (Some(Arc::new(parcel)), bytes)
        }
        Err(too_large) => {
            tracing::error!(%area, edition, fences, %too_large, "an area's fences cannot be sent to its bikes");
            (None, too_large.bytes)
        }
    };
    Planned { area, wanted: Wanted { edition, parcel, asked_at }, bytes, fences }
}

/// A version's shape and rule, and when it ends by itself.
type Drawn = (Json<Shape>, Json<Rule>, Option<i64>);

/// What counts in an area at an instant.
async fn content(db: &mut PgConnection, area: AreaId, edition: i64, now: Timestamp) -> sqlx::Result<Content> {
    let edge: Option<Json<Ring>> = sqlx::query_scalar(
        "select ring from read.area_version where area_id = $1 and from_at_ms <= $2
             and (until_at_ms is null or until_at_ms > $2) order by data_version desc limit 1",
    )
    .bind(area)
    .bind(now.millis())
    .fetch_optional(&mut *db)
    .await?;
    let place = |corner: &vocabulary::Wgs84| Place::from_degrees(corner.lat(), corner.lng());
    let edge = edge.map_or_else(Vec::new, |Json(ring)| ring.corners().iter().map(place).collect());
    let found: Vec<Drawn> = sqlx::query_as(
        "select drawing -> 'shape', drawing -> 'rule', until_at_ms from read.fence_version
         where area_id = $1 and kind = any($2) and counts @> $3::bigint order by fence_id",
    )
    .bind(area)
    .bind(KINDS.as_slice())
    .bind(now.millis())
    .fetch_all(&mut *db)
    .await?;
    let fences = found.into_iter().filter_map(|(Json(shape), Json(rule), until_at_ms)| {
        let until_s = until_at_ms.and_then(|at_ms| u64::try_from(at_ms.div_euclid(1000)).ok());
        Zone::of(&shape, &rule, until_s)
    });
    Ok(Content { area, edition, edge, fences: fences.collect() })
}
