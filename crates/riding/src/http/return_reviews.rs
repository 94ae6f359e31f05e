//! Return reviews (还车审核): the queue, a case with all that was seen, what is decided, photos; and how riders ask for one.

use attachments::show_photos;
use axum::extract::Path;
use axum::response::Response;
use geofence::FenceKind;
use kernel::{CommandContext, List, ReadTx};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{
    AgentId, AreaId, AttachmentId, Choice, Datum, Phone, ReturnReviewId, RideOrderId, RiderId, Scope,
    Timestamp, Wgs84,
};
use wire::{
    Answer, Body, Call, Column, End, Export, Handled, Listed, Listing, Nothing, Params, Permit, Refused,
    Routes, Seen, given, moment,
};

use super::certifications::CaseResult;
use super::open_riders::RIDER;
use crate::Context;
use crate::app::ReviewAsked;
use crate::model::order::FenceVersion;
use crate::model::return_review::{PHOTOS_MAX, ReturnReviewReason, ReturnReviewSource, ReviewCommand};
use crate::model::review::CaseState;
use crate::read::return_reviews::{self, FenceSeen, FormerReviews, ReturnReviewRow, ReturnSeen, SORTS};
use geofence::judge::ReturnClass;

const REVIEWS: Permit = Permit::AnyOf(&["returnCarApp"]);
const READS: &[&str] = &["return_review"];

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add_list::<ListQuery>(
            REVIEWS,
            Listed {
                path: "/order/returnReview/list",
                operations: ["listReturnReviews", "exportReturnReviews"],
                summary: "Return reviews in scope, newest first; phones and names masked.",
            },
        )
        .add(REVIEWS, routes!(info))
        .add(REVIEWS, routes!(decide))
        .add_unwrapped(REVIEWS, routes!(photo))
        .add(RIDER, routes!(ask))
        .with_state(context.clone())
}

/// What the list is cut down to.
#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// An order's id, a bike's number or a whole phone.
    keyword: Option<String>,
    /// Those of this agent.
    agent_id: Option<AgentId>,
    /// Those of orders that began in this area.
    op_area_id: Option<AreaId>,
    /// Those that stand so.
    state: Option<CaseState>,
    /// Those that came so.
    source: Option<ReturnReviewSource>,
    /// Those that riders ask for because of this.
    reason: Option<ReturnReviewReason>,
    /// Those of bikes that were left there.
    class: Option<ReturnClass>,
    /// Those of this rider.
    user_id: Option<RiderId>,
    /// Those that have waited at least so many minutes, or did until they were decided: 0 to 1440.
    #[param(minimum = 0, maximum = 1440)]
    waited_min: Option<u16>,
    /// Opened from then on: `YYYY-MM-DD HH:mm:ss`.
    start_time: Option<String>,
    /// Opened until then, included.
    end_time: Option<String>,
    /// `openedAt`: the oldest first; absent: the newest.
    sort: Option<String>,
}

impl Listing for ListQuery {
    type State = Context;
    type Row = ReturnReviewRow;
    const READS: &'static [&'static str] = &["return_review", "area", "rider"];
    const KEY: &'static str = "v.review_id";
    const FILE: Export<ReturnReviewRow> = Export {
        what: "return-review",
        title: "还车审核",
        columns: &[
            Column::made("orderId", "订单号", |row| row.order_id.to_string()),
            Column::text("carId", "车辆编号", |row| &row.car_id),
            Column::text("phone", "手机号", |row| row.phone.as_deref().unwrap_or_default()),
            Column::text("areaName", "服务区", |row| row.area_name.as_deref().unwrap_or_default()),
            Column::text("source", "来源", |row| row.source.label()),
            Column::text("reason", "申请原因", |row| row.reason.map_or("", ReturnReviewReason::label)),
            Column::text("class", "还车位置", |row| row.class.map_or("", ReturnClass::label)),
            Column::count("certaintyPercent", "扣费确定度（%）", |row| row.certainty_percent.into()),
            Column::made("parkingM", "距站点（米）", |row| {
                row.parking_m.map_or_else(String::new, |metres| format!("{metres:.1}"))
            }),
            Column::money("applyCents", "涉及金额（元）", |row| row.apply_cents),
            Column::text("state", "审核状态", |row| row.state.label()),
            Column::time("openedAt", "申请时间", |row| Some(row.opened_at)),
            Column::text("reviewer", "审核人", |row| &row.reviewer),
            Column::text("timedOut", "超时通过", |row| if row.timed_out { "是" } else { "否" }),
            Column::time("decidedAt", "审核时间", |row| row.decided_at),
            Column::text("remark", "处理意见", |row| &row.remark),
            Column::made("id", "审核编号", |row| row.id.to_string()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let from = moment("startTime", self.start_time.as_ref(), End::First)?;
        let until = moment("endTime", self.end_time.as_ref(), End::Last)?;
        let mut list = return_reviews::list(scope)
            .is("v.agent_id", self.agent_id.map(|agent| agent.0))
            .is("v.area_id", self.op_area_id.map(|area| area.0))
            .is("v.state", self.state.map(Choice::number))
            .is("v.source", self.source.map(Choice::number))
            .is("v.reason", self.reason.map(Choice::number))
            .is("v.class", self.class.map(Choice::number))
            .is("v.rider_id", self.user_id.map(|rider| rider.0))
            .between("v.opened_at_ms", from.map(Timestamp::millis), until.map(Timestamp::millis))
            .sorted(&SORTS, "v.review_id", given(self.sort.as_ref()))
            .map_err(|error| Refused::malformed(error.to_string()))?;
        match self.waited_min {
            Some(minutes) if minutes > 1440 => {
                return Err(Refused::malformed("等待时长需在 0 到 1440 分钟之间"));
            }
            Some(minutes) => list = return_reviews::waited(list, minutes),
            None => {}
        }
        let Some(typed) = given(self.keyword.as_ref()) else { return Ok(list) };
        if let Ok(phone) = typed.parse::<Phone>() {
            return Ok(crate::read::of_phone(list, "v.rider_id", &phone));
        }
        Ok(match typed.parse::<i64>() {
            Ok(id) if typed.len() > 12 => list.is("v.order_id", Some(id)),
            _ => list.is("v.car_id", Some(typed)),
        })
    }

    /// With their photos, as far as the same scope sees these.
    async fn shown(
        _: &Context,
        mut db: ReadTx,
        mut found: Vec<ReturnReviewRow>,
    ) -> Result<Vec<ReturnReviewRow>, Refused> {
        show_photos(&mut db, &mut found).await?;
        Ok(found)
    }
}

/// A fence as it was drawn then, WGS-84.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct FenceDrawn {
    /// Which, in which version.
    #[serde(flatten)]
    of: FenceSeen,
    /// Its name.
    name: String,
    /// What it is for.
    kind: FenceKind,
    /// Its corners as `[lng, lat]`, the first one again at the end; a circle becomes a ring.
    ring: Vec<[f64; 2]>,
}

/// A return review with all that was seen.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ReturnReviewInfo {
    /// As the list shows it.
    #[serde(flatten)]
    row: ReturnReviewRow,
    /// What was seen of the return.
    seen: ReturnSeen,
    /// The fence that decided and the nearest parking place, as they were then; those of the last 30 days.
    fences: Vec<FenceDrawn>,
    /// What became of the other reviews of this rider.
    former: FormerReviews,
}

/// One return review, with the evidence as it was seen then.
#[utoipa::path(get, path = "/order/returnReview/{id}", tag = "riding", operation_id = "returnReviewInfo",
    params(("id" = String, Path, description = "The review's id, as text.")),
    responses((status = 200, body = Answer<ReturnReviewInfo>)))]
async fn info(call: Call<Context>, Seen(seen): Seen, Path(id): Path<String>) -> Handled<ReturnReviewInfo> {
    let Call { state: context, caller, .. } = &call;
    let id: ReturnReviewId = id.parse().map_err(|_| Refused::malformed("编号不正确"))?;
    let scope = &caller.full_scope;
    let mut db = context.runtime.reads.scoped(scope, seen, ListQuery::READS).await?;
    let found = return_reviews::list(scope).is(ListQuery::KEY, Some(id.0)).rows(&mut db, 1).await?;
    let evidence = return_reviews::seen(&mut *db, id).await?;
    let rider = found.first().map(|row: &ReturnReviewRow| row.user_id).ok_or_else(Refused::not_found)?;
    let former = return_reviews::former(&mut *db, rider, id).await?;
    let row = ListQuery::shown(context, db, found).await?.pop();
    let (row, seen) = row.zip(evidence).ok_or_else(Refused::not_found)?;
    let mut named: Vec<FenceSeen> = [seen.fence, seen.parking].into_iter().flatten().collect();
    named.dedup();
    let mut fences = Vec::with_capacity(named.len());
    for of in named {
        let version = FenceVersion { fence_id: of.fence_id, data_version: of.data_version };
        let drawn = context.ports.places.drawn(version).await.map_err(Refused::unavailable)?;
        fences.extend(drawn.map(|drawn| FenceDrawn {
            of,
            name: drawn.name,
            kind: drawn.kind,
            ring: drawn.shape.closed(),
        }));
    }
    Ok(Answer(ReturnReviewInfo { row, seen, fences, former }))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReturnReviewDecision)]
struct Decision {
    id: ReturnReviewId,
    /// What is decided.
    result: CaseResult,
    /// 处理意见: why it fails, 1 to 200 characters; where it passes at most 200.
    #[serde(default)]
    remark: String,
    /// The version that the reviewer saw; another one is refused.
    version: Option<i64>,
}

/// Decides a return review, together with what follows for the money: where it passes, an order that waits is priced without
/// the penalty, one that is not paid costs so much less, of one that is paid the penalty goes back to where it came from;
/// where it fails, an order that waits is priced with it.
#[utoipa::path(post, path = "/order/returnReview", tag = "riding", operation_id = "decideReturnReview",
    request_body = Decision, responses((status = 200, body = Answer<Nothing>)))]
async fn decide(call: Call<Context>, Body(body): Body<Decision>) -> Handled<Value> {
    let by = call.caller.named()?;
    let command = match body.result {
        CaseResult::Accept => ReviewCommand::Accept { remark: body.remark, by },
        CaseResult::Reject => ReviewCommand::Reject { remark: body.remark, by },
    };
    let ctx = CommandContext { expected_version: body.version, ..call.request.context_of_account(json!({})) };
    Ok(Answer::replied(call.state.review_return(&call.caller, ctx, body.id, command).await?))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct WhichPhoto {
    /// Of which review.
    id: ReturnReviewId,
    /// Which of its photos.
    photo_id: AttachmentId,
}

/// A photo of a return review, as a JPEG without what the camera wrote into it.
#[utoipa::path(get, path = "/order/returnReview/photo", tag = "riding", operation_id = "returnReviewPhoto",
    params(WhichPhoto), responses((status = 200, content_type = "image/jpeg", body = Vec<u8>)))]
async fn photo(
    call: Call<Context>,
    Seen(seen): Seen,
    Params(which): Params<WhichPhoto>,
) -> Result<Response, Refused> {
    let mut db = call.state.runtime.reads.scoped(&call.caller.full_scope, seen, READS).await?;
    if !return_reviews::has_photo(&mut *db, which.id, which.photo_id).await? {
        return Err(Refused::not_found());
    }
    call.state.ports.attachments.show(db, which.photo_id).await
}

/// A rider's wish that somebody looks at where he left his bike.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewReturnReview {
    /// Who asks.
    #[schema(value_type = String)]
    user_id: RiderId,
    /// For which of his rides: one with a penalty that ended within 24 hours.
    #[schema(value_type = String)]
    order_id: RideOrderId,
    /// 申请原因; 5 is about the helmet's fee, all others about the place's.
    reason: ReturnReviewReason,
    /// Photos that this rider's program has uploaded within 23 hours, 1 to 3.
    photo_ids: Vec<AttachmentId>,
    /// Where his phone is: degrees north.
    #[serde(default)]
    lat: Option<f64>,
    /// Degrees east.
    #[serde(default)]
    lng: Option<f64>,
    /// Of the place: wgs84 (default), gcj02 or bd09.
    #[serde(default)]
    #[schema(value_type = String)]
    datum: Datum,
}

/// The review that was opened.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ReturnReviewGiven {
    /// As text.
    #[schema(value_type = String)]
    review_id: ReturnReviewId,
}

/// Asks for a return review, once for each ride. Nobody decides within 30 minutes: it passes.
#[utoipa::path(post, path = "/open/v1/rider/return-review", tag = "open", operation_id = "askReturnReview",
    request_body = NewReturnReview, responses((status = 200, body = Answer<ReturnReviewGiven>)))]
async fn ask(call: Call<Context>, Body(new): Body<NewReturnReview>) -> Handled<Value> {
    let origin = attachments::http::of_rider(&call.caller, &new.user_id.to_string())?;
    if new.photo_ids.len() > PHOTOS_MAX {
        return Err(Refused::malformed(format!("照片最多 {PHOTOS_MAX} 张")));
    }
    let place = new.lat.zip(new.lng).map(|(lat, lng)| Wgs84::from_datum(new.datum, lat, lng)).transpose();
    let asked = ReviewAsked {
        rider: new.user_id,
        order_id: new.order_id,
        reason: new.reason,
        photo_ids: new.photo_ids,
        place: place.map_err(|error| Refused::business("place", error.to_string()))?,
        origin,
    };
    Ok(Answer::replied(call.state.ask_return_review(&call.caller, &call.request, asked).await?))
}
