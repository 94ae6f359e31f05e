//! The areas that serve riders and the fences that count.

use geofence::atlas::Span;
use geofence::{Ring, Rule, Shape};
use serde::Deserialize;
use sqlx::PgConnection;
use sqlx::types::Json;
use territory::model::area::AreaState;
use vocabulary::{AreaId, FenceId, Timestamp};

use crate::model::ground::{Area, Fence};
use crate::model::mds::TOLD;

/// So many fences at most are told of.
const MOST_FENCES: i64 = 20_000;
/// So many areas.
const MOST_AREAS: i64 = 2_000;

/// What the feeds need of a drawing.
#[derive(Deserialize)]
pub(super) struct Drawn {
    pub(super) shape: Shape,
    pub(super) rule: Rule,
}

/// The numbers of the kinds that say something to riders.
pub(super) fn kinds() -> Vec<i16> {
    TOLD.iter().map(|kind| kind.number()).collect()
}

/// The areas in scope that are open or suspended, with the edges that hold.
pub(crate) async fn areas(db: &mut PgConnection) -> sqlx::Result<Vec<Area>> {
    let rows: Vec<(AreaId, String, i16, i64, Json<Ring>)> = sqlx::query_as(
        "select a.area_id, a.name, a.state, v.data_version, v.ring
         from read.area a join read.area_version v on v.area_id = a.area_id and v.until_at_ms is null
         where a.state = any($1) order by a.area_id limit $2",
    )
    .bind([AreaState::Open, AreaState::Suspended].map(|state| state as i16).to_vec())
    .bind(MOST_AREAS)
    .fetch_all(db)
    .await?;
    let area = |(id, name, state, data_version, Json(ring))| {
        let state = if state == AreaState::Open as i16 { AreaState::Open } else { AreaState::Suspended };
        Area { id, name, state, data_version, ring }
    };
    Ok(rows.into_iter().map(area).collect())
}

type Counting = (FenceId, AreaId, i64, String, Json<Drawn>, i64, Option<i64>);

/// The fences in scope that count at an instant and say something to riders.
pub(crate) async fn fences(db: &mut PgConnection, at: Timestamp) -> sqlx::Result<Vec<Fence>> {
    let rows: Vec<Counting> = sqlx::query_as(
        "select fence_id, area_id, data_version, name, drawing, lower(r), upper(r)
         from read.fence_version, unnest(counts) r
         where counts @> $1::bigint and r @> $1::bigint and kind = any($2) order by fence_id limit $3",
    )
    .bind(at.millis())
    .bind(kinds())
    .bind(MOST_FENCES)
    .fetch_all(db)
    .await?;
    if rows.len() as i64 == MOST_FENCES {
        tracing::warn!(most = MOST_FENCES, "more fences than the open feeds tell of");
    }
    let fence = |(id, area, data_version, name, Json(drawn), from, until): Counting| Fence {
        id,
        area,
        data_version,
        name,
        shape: drawn.shape,
        rule: drawn.rule,
        span: Span { from: Timestamp::from_millis(from), until: until.map(Timestamp::from_millis) },
    };
    Ok(rows.into_iter().map(fence).collect())
}
