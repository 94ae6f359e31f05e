//! The fences of an area in a stretch of time, and as they would have been with one version otherwise: what rides cost that
//! were judged by a wrong one follows from both.

use geofence::atlas::{Area, Fence, Span};
use geofence::{Atlas, Bounds, FenceKind, Outline};
use kernel::Runtime;
use vocabulary::{AreaId, FenceId, Timestamp};

use super::atlas;
use crate::read::{area_versions, fences};

/// A version that should not have counted.
#[derive(Clone, Copy, Debug)]
pub struct Swap {
    /// Of which fence; none: of the area's edge.
    pub fence: Option<FenceId>,
    /// Which.
    pub version: i64,
    /// Which should have; none: the fence should not have been there.
    pub instead: Option<i64>,
}

/// Fences as they counted, and as they should have.
pub struct Otherwise {
    /// As they counted.
    pub was: Atlas,
    /// As they should have.
    pub instead: Atlas,
    /// What the fence is for; nothing of an edge.
    pub kind: Option<FenceKind>,
    /// What it is called.
    pub name: String,
    /// The box of what should have been there; nothing where nothing should.
    pub bounds: Option<Bounds>,
    /// When the version counted that should not have.
    pub spans: Vec<Span>,
}

/// What may decide about a bike of `area` between two instants, and the same with the swap; nothing where there is no such
/// version, or none to put in its place.
pub async fn otherwise(
    runtime: &Runtime,
    area: AreaId,
    between: (Timestamp, Timestamp),
    swap: Swap,
) -> sqlx::Result<Option<Otherwise>> {
    let pool = &runtime.pools.projector;
    let edges = area_versions::of_area(pool, area.0).await?;
    let counted = fences::counted_between(pool, area, between).await?;
    let drawings = match swap.fence {
        None => None,
        Some(fence) => {
            let Some(wrong) = fences::drawn_as(pool, fence, swap.version).await? else { return Ok(None) };
            let instead = match swap.instead {
                None => None,
                Some(version) => match fences::drawn_as(pool, fence, version).await? {
                    None => return Ok(None),
                    found => found,
                },
            };
            Some((wrong, instead))
        }
    };
    let made = tokio::task::spawn_blocking(move || {
        let areas: Vec<Area> = edges.into_iter().map(atlas::area).collect();
        let known: Vec<Fence> = counted.into_iter().map(atlas::fence).collect();
        let Some((wrong, instead)) = drawings else { return of_edge(areas, known, swap) };
        let is_wrong = |one: &Fence| one.id == wrong.fence_id && one.data_version == swap.version;
        let (wrong_ones, mut others): (Vec<Fence>, Vec<Fence>) = known.iter().cloned().partition(is_wrong);
        let bounds = instead.as_ref().map(|drawing| Outline::from(&drawing.shape).bounds());
        if let Some((drawing, data_version)) = instead.zip(swap.instead) {
            others.extend(wrong_ones.iter().map(|one| Fence {
                data_version,
                shape: drawing.shape.clone(),
                rule: drawing.rule.clone(),
                ..one.clone()
            }));
        }
        Some(Otherwise {
            spans: wrong_ones.iter().map(|one| one.span).collect(),
            kind: Some(wrong.rule.kind()),
            name: wrong.name,
            bounds,
            was: Atlas::new(areas.clone(), known),
            instead: Atlas::new(areas, others),
        })
    });
    made.await.map_err(|error| sqlx::Error::Decode(error.into()))
}

fn of_edge(areas: Vec<Area>, known: Vec<Fence>, swap: Swap) -> Option<Otherwise> {
    let right = areas.iter().find(|area| Some(area.data_version) == swap.instead)?.ring.clone();
    let spans: Vec<Span> =
        areas.iter().filter(|area| area.data_version == swap.version).map(|area| area.span).collect();
    if spans.is_empty() {
        return None;
    }
    let mut otherwise = areas.clone();
    for area in otherwise.iter_mut().filter(|area| area.data_version == swap.version) {
        area.ring = right.clone();
    }
    Some(Otherwise {
        kind: None,
        name: String::new(),
        bounds: Some(Outline::from(&right).bounds()),
        spans,
        was: Atlas::new(areas, known.clone()),
        instead: Atlas::new(otherwise, known),
    })
}
