//! Fences as a file of drawings, for whoever draws with other tools.

use axum::response::Response;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa_axum::routes;
use vocabulary::Datum;
use wire::{Call, Disclosure, EXPORT_ROWS_READ, FileKind, Listing, Params, Refused, Routes, Seen};

use super::fences::{FENCES, FenceQuery};
use crate::Context;
use crate::model::fence_form::{Geometry, shape};
use crate::read::fences::FenceRow;

/// GeoJSON, RFC 7946.
const GEOJSON: FileKind = FileKind { ending: "geojson", media_type: "application/geo+json" };

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory").add_unwrapped(FENCES, routes!(drawings)).with_state(context.clone())
}

/// A circle, which GeoJSON has no form for: its geometry is a ring of the same area.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Circle {
    center: [f64; 2],
    radius_m: f64,
}

fn feature(row: &FenceRow) -> Result<Value, Refused> {
    let geometry = &row.drawn.geometry;
    let ring = shape(geometry, Datum::Wgs84).map_err(Refused::internal)?.closed();
    let circle = match geometry {
        Geometry::Polygon { .. } => None,
        Geometry::Point { coordinates, radius_m } => {
            Some(Circle { center: *coordinates, radius_m: *radius_m })
        }
    };
    Ok(json!({
        "type": "Feature",
        "id": row.id.to_string(),
        "geometry": { "type": "Polygon", "coordinates": [ring] },
        "properties": {
            "name": row.drawn.name,
            "type": row.kind,
            "area": row.area_name,
            "state": row.state,
            "dataVersion": row.data_version,
            "draft": row.has_draft,
            "capacity": row.drawn.capacity,
            "remark": row.drawn.remark,
            "circle": circle,
        },
    }))
}

/// The list's fences as GeoJSON, WGS-84, as they were drawn last; at most 50,000.
#[utoipa::path(get, path = "/fence/drawings", tag = "territory", operation_id = "fenceDrawings", params(FenceQuery),
    responses((status = 200, content_type = "application/geo+json", body = Value)))]
async fn drawings(
    call: Call<Context>,
    Seen(seen): Seen,
    disclosure: Disclosure,
    Params(query): Params<FenceQuery>,
) -> Result<Response, Refused> {
    let Call { state: context, caller, .. } = &call;
    let list = query.permitted(query.list(&caller.full_scope)?, caller);
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, FenceQuery::READS).await?;
    let rows: Vec<FenceRow> = list.rows(&mut db, EXPORT_ROWS_READ).await?;
    drop(db);
    FenceQuery::FILE
        .hand_out_as(&disclosure, &query, &rows, GEOJSON, |rows| {
            let features = rows.iter().map(feature).collect::<Result<Vec<_>, _>>()?;
            serde_json::to_vec(&json!({ "type": "FeatureCollection", "features": features }))
                .map_err(Refused::internal)
        })
        .await
}
