//! Where bikes stopped about a fence, and what a drawing would change of that before it counts.

use geofence::judge::ReturnClass;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AreaId, FenceId, Wgs84};
use wire::{Answer, Body, Call, Handled, Params, Refused, Routes};

use super::fences::{FENCES, area_of, found, permit, refused};
use crate::Context;
use crate::app::fence_preview::{Preview, Returns, Tally};
use crate::model::fence_form::{FenceForm, FenceType, Geometry};

/// Days that stops are looked at.
const DAYS: std::ops::RangeInclusive<u32> = 1..=30;
/// Places that are told at most.
const TOLD_MOST: usize = 2_000;

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory")
        .add(FENCES, routes!(preview))
        .add(FENCES, routes!(returns))
        .with_state(context.clone())
}

fn bounded(days: u32) -> Result<(), Refused> {
    let (least, most) = (DAYS.start(), DAYS.end());
    if DAYS.contains(&days) {
        Ok(())
    } else {
        Err(Refused::malformed(format!("天数应在 {least} 到 {most} 之间")))
    }
}

const fn week() -> u32 {
    7
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PreviewedFence {
    /// The fence that is drawn anew; absent: a new one, which needs `type` and `opAreaId`.
    #[schema(value_type = Option<String>)]
    id: Option<FenceId>,
    /// What a new one is for.
    #[serde(rename = "type")]
    kind: Option<FenceType>,
    /// The area that a new one lies in.
    #[schema(value_type = Option<String>)]
    op_area_id: Option<AreaId>,
    /// Days back from now, 1 to 30; 7 when left out.
    #[serde(default = "week")]
    days: u32,
    #[serde(flatten)]
    form: FenceForm,
}

/// How many stops are judged so.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StopTally {
    /// 规范停放.
    parked: u32,
    /// 站点外.
    outside_parking: u32,
    /// 服务区外.
    outside_area: u32,
    /// 禁停区.
    no_stop: u32,
    /// 禁行区.
    no_ride: u32,
}

impl From<Tally> for StopTally {
    fn from([parked, outside_parking, outside_area, no_stop, no_ride]: Tally) -> Self {
        Self { parked, outside_parking, outside_area, no_stop, no_ride }
    }
}

/// A stop that would be judged otherwise.
#[derive(Debug, Serialize, ToSchema)]
struct ShiftedStop {
    /// `[lng, lat]`, WGS-84.
    place: [f64; 2],
    /// As it is judged now: 0 规范停放, 1 站点外, 2 服务区外, 3 禁停区, 4 禁行区.
    before: i16,
    /// As it would be.
    after: i16,
}

/// What would change.
#[derive(Debug, Serialize, ToSchema)]
struct FencePreview {
    /// Days that were looked at.
    days: u32,
    /// By what counts now.
    before: StopTally,
    /// With the change.
    after: StopTally,
    /// Those that would be judged otherwise, newest first, at most 2,000.
    shifted: Vec<ShiftedStop>,
    /// Whether there are more than the 20,000 newest, which were judged.
    capped: bool,
}

impl FencePreview {
    fn new(days: u32, Preview { before, after, shifted, capped }: Preview) -> Self {
        let number = |class: ReturnClass| class.number();
        let shifted = shifted.into_iter().take(TOLD_MOST).map(|one| ShiftedStop {
            place: [one.place.lng(), one.place.lat()],
            before: number(one.before),
            after: number(one.after),
        });
        Self { days, before: before.into(), after: after.into(), shifted: shifted.collect(), capped }
    }
}

/// How the stops about a fence in the last days are judged by what counts now, and would be with this drawing.
#[utoipa::path(post, path = "/fence/preview", tag = "territory", operation_id = "previewFence",
    request_body = PreviewedFence, responses((status = 200, body = Answer<FencePreview>)))]
async fn preview(call: Call<Context>, Body(body): Body<PreviewedFence>) -> Handled<FencePreview> {
    bounded(body.days)?;
    let (drawing, known) = match (body.id, body.kind.zip(body.op_area_id)) {
        (Some(id), _) => {
            let fence = found(&call, id).await?;
            let drawing = body.form.drawing(id, fence.area, fence.agent, fence.kind).map_err(refused)?;
            (drawing, Some(fence.drawing.shape))
        }
        (None, Some((kind, area))) => {
            permit(&call.caller, kind)?;
            let (_, agent) = area_of(&call, area).await?;
            (body.form.drawing(FenceId(0), area, agent, kind).map_err(refused)?, None)
        }
        (None, None) => return Err(Refused::malformed("缺少 id，或 type 和 opAreaId")),
    };
    let preview = call.state.preview_fence(drawing, known, body.days).await?;
    Ok(Answer(FencePreview::new(body.days, preview)))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ReturnsAsked {
    #[param(value_type = String)]
    id: FenceId,
    /// Days back from now, 1 to 30; 30 when left out.
    days: Option<u32>,
}

/// A bike that stopped.
#[derive(Debug, Serialize, ToSchema)]
struct ReturnedAt {
    /// `[lng, lat]`, WGS-84.
    place: [f64; 2],
    /// 0 规范停放, 1 站点外, 2 服务区外, 3 禁停区, 4 禁行区.
    class: i16,
}

/// An edge that would fit the returns better.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct BetterEdge {
    /// As it would be drawn, WGS-84.
    geometry: Geometry,
    /// The side that moves, from this corner to the next, counted from 1.
    side: usize,
    /// How far out it moves, metres.
    moved_m: f64,
    /// Returns that lie within it and did not before.
    gained: usize,
}

/// Where bikes stopped about a fence.
#[derive(Debug, Serialize, ToSchema)]
struct FenceReturns {
    /// Days that were looked at.
    days: u32,
    /// Newest first, at most 20,000.
    stops: Vec<ReturnedAt>,
    /// Whether there are more.
    capped: bool,
    /// What would fit them better; null when nothing would.
    #[schema(required)]
    better: Option<BetterEdge>,
}

/// 还车分布: where bikes stopped about a fence in the last days, how each is judged by what counts now, and an edge that
/// would fit better.
#[utoipa::path(get, path = "/fence/returns", tag = "territory", operation_id = "fenceReturns", params(ReturnsAsked),
    responses((status = 200, body = Answer<FenceReturns>)))]
async fn returns(call: Call<Context>, Params(asked): Params<ReturnsAsked>) -> Handled<FenceReturns> {
    let days = asked.days.unwrap_or(*DAYS.end());
    bounded(days)?;
    let drawing = found(&call, asked.id).await?.drawing;
    let Returns { stops, capped, correction } = call.state.returns_about(drawing, days).await?;
    let returned = |(place, class): (Wgs84, ReturnClass)| ReturnedAt {
        place: [place.lng(), place.lat()],
        class: class.number(),
    };
    let better = correction.map(|one| BetterEdge {
        geometry: Geometry::Polygon { coordinates: vec![one.ring.closed()] },
        side: one.side,
        moved_m: one.moved_m,
        gained: one.gained,
    });
    Ok(Answer(FenceReturns { days, stops: stops.into_iter().map(returned).collect(), capped, better }))
}
