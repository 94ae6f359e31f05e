//! Every version of an edge and of a fence that counted, counts or will.

use geofence::{Outline, Ring, Shape};
use sqlx::PgConnection;
use sqlx::types::Json;
use territory::model::area::AreaState;
use vocabulary::Timestamp;

use super::ground::{Drawn, kinds};
use crate::model::mds::{Subject, Version};
use crate::model::shapes::Piece;

/// So many of each are told of, the newest.
const MOST: i64 = 50_000;

type OfFence = (i64, i64, Option<i64>, String, Json<Drawn>, String, i64, Json<Vec<[Option<i64>; 2]>>);
type OfArea = (i64, i64, Option<i64>, String, Json<Ring>, i64, Option<i64>);

fn piece(shape: &Shape) -> Piece {
    Piece::new(shape.closed(), Outline::from(shape).bounds())
}

fn told(found: usize) {
    if found as i64 == MOST {
        tracing::warn!(most = MOST, "more versions than MDS is told of: the oldest are left out");
    }
}

/// Those of fences in scope whose areas are past planning.
pub(crate) async fn fences(db: &mut PgConnection) -> sqlx::Result<Vec<Version>> {
    let rows: Vec<OfFence> = sqlx::query_as(
        "select v.fence_id, v.data_version, lag(v.data_version) over (partition by v.fence_id order by v.data_version),
             v.name, v.drawing, a.name, v.published_at_ms,
             (select jsonb_agg(jsonb_build_array(lower(r), upper(r)) order by lower(r)) from unnest(v.counts) r)
         from read.fence_version v join read.area a on a.area_id = v.area_id
         where v.kind = any($1) and not isempty(v.counts) and a.state <> $2
         order by v.published_at_ms desc, v.fence_id desc, v.data_version desc limit $3",
    )
    .bind(kinds())
    .bind(AreaState::Planned as i16)
    .bind(MOST)
    .fetch_all(db)
    .await?;
    told(rows.len());
    let version =
        |(id, data_version, before, name, Json(drawn), area, published_at_ms, Json(counted)): OfFence| {
            let stretch = |[from, until]: [Option<i64>; 2]| {
                Some((Timestamp::from_millis(from?), until.map(Timestamp::from_millis)))
            };
            Version {
                piece: piece(&drawn.shape),
                subject: Subject::Fence { rule: drawn.rule, area },
                id,
                data_version,
                before,
                name,
                published_at: Timestamp::from_millis(published_at_ms),
                counted: counted.into_iter().filter_map(stretch).collect(),
            }
        };
    Ok(rows.into_iter().map(version).collect())
}

/// The edges of areas in scope that are past planning.
pub(crate) async fn areas(db: &mut PgConnection) -> sqlx::Result<Vec<Version>> {
    let rows: Vec<OfArea> = sqlx::query_as(
        "select v.area_id, v.data_version, lag(v.data_version) over (partition by v.area_id order by v.data_version),
             a.name, v.ring, v.from_at_ms, v.until_at_ms
         from read.area_version v join read.area a on a.area_id = v.area_id
         where a.state <> $1 and (v.until_at_ms is null or v.until_at_ms > v.from_at_ms)
         order by v.from_at_ms desc, v.area_id desc, v.data_version desc limit $2",
    )
    .bind(AreaState::Planned as i16)
    .bind(MOST)
    .fetch_all(db)
    .await?;
    told(rows.len());
    let version = |(id, data_version, before, name, Json(ring), from_at_ms, until_at_ms): OfArea| {
        let from = Timestamp::from_millis(from_at_ms);
        Version {
            piece: piece(&Shape::Polygon(ring)),
            subject: Subject::Area,
            id,
            data_version,
            before,
            name,
            published_at: from,
            counted: vec![(from, until_at_ms.map(Timestamp::from_millis))],
        }
    };
    Ok(rows.into_iter().map(version).collect())
}
