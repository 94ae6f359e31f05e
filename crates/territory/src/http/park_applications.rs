//! Station applications: the list, what is decided, who voted, photos; and how riders hand them in.

use attachments::show_photos;
use axum::extract::State;
use axum::response::Response;
use kernel::{List, Personal, ReadTx};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{
    AgentId, AreaId, AttachmentId, Choice, Datum, FenceId, ParkApplicationId, Phone, Scope, Timestamp, Wgs84,
};
use wire::{
    Answer, Body, ById, Call, Column, End, Export, Handled, Listed, Listing, Nothing, Params, Permit, Record,
    Refused, Routes, Seen, moment,
};

use crate::Context;
use crate::app::park_applications::Submission;
use crate::model::fence::FenceCommand;
use crate::model::park_application::{
    Applicant, PHOTOS_MAX, ParkApplication, ParkApplicationCommand, ParkApplicationState,
};
use crate::read::park_applications::{self, ParkApplicationRow, Voter};

const APPLICATIONS: Permit = Permit::AnyOf(&["0910"]);
const READS: &[&str] = &["park_application"];

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory")
        .add_list::<ListQuery>(
            APPLICATIONS,
            Listed {
                path: "/fence/parkApplication",
                operations: ["listParkApplications", "exportParkApplications"],
                summary: "Station applications in scope, newest first; phones masked.",
            },
        )
        .add_record::<ListQuery>(
            APPLICATIONS,
            Record {
                path: "/fence/parkApplication/info",
                operation: "parkApplicationInfo",
                summary: "One station application; phones masked.",
            },
        )
        .add(APPLICATIONS, routes!(review))
        .add(APPLICATIONS, routes!(votes))
        .add_unwrapped(APPLICATIONS, routes!(photo))
        .add(Permit::Machine("open:ride"), routes!(apply))
        .with_state(context.clone())
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Part of the address or of the masked phone, or a whole phone.
    keyword: Option<String>,
    /// Those of this agent.
    agent_id: Option<AgentId>,
    /// Those in this area.
    op_area_id: Option<AreaId>,
    /// Those that stand so.
    state: Option<ParkApplicationState>,
    /// Handed in from then on: `YYYY-MM-DD HH:mm:ss`.
    start_time: Option<String>,
    /// Handed in until then, included.
    end_time: Option<String>,
}

impl Listing for ListQuery {
    type State = Context;
    type Row = ParkApplicationRow;
    const READS: &'static [&'static str] = &["park_application", "area", "fence"];
    const KEY: &'static str = "p.application_id";
    const FILE: Export<ParkApplicationRow> = Export {
        what: "park-application",
        title: "站点申请",
        columns: &[
            Column::text("location", "地址", |row| &row.location),
            Column::text("state", "状态", |row| row.state.label()),
            Column::count("votes", "票数", |row| row.votes.into()),
            Column::time("createdAt", "申请时间", |row| Some(row.created_at)),
            Column::text("areaName", "服务区", |row| row.area_name.as_deref().unwrap_or_default()),
            Column::text("applicantPhone", "申请人", |row| &row.applicant_phone),
            Column::count("photos", "照片", |row| row.photos.len() as i64),
            Column::text("reviewer", "处理人", |row| &row.reviewer),
            Column::time("dealAt", "处理时间", |row| row.deal_at),
            Column::text("reviewRemark", "处理意见", |row| &row.review_remark),
            Column::text("parkingName", "站点", |row| row.parking_name.as_deref().unwrap_or_default()),
            Column::text("remark", "申请说明", |row| &row.remark),
            Column::made("id", "申请编号", |row| row.id.to_string()),
            Column::made("lng", "经度", |row| format!("{:.6}", row.lng)),
            Column::made("lat", "纬度", |row| format!("{:.6}", row.lat)),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let from = moment("startTime", self.start_time.as_ref(), End::First)?;
        let until = moment("endTime", self.end_time.as_ref(), End::Last)?;
        let list = park_applications::list(scope)
            .is("p.agent_id", self.agent_id.map(|agent| agent.0))
            .is("p.area_id", self.op_area_id.map(|area| area.0))
            .is("p.state", self.state.map(Choice::number))
            .between("p.created_at_ms", from.map(Timestamp::millis), until.map(Timestamp::millis));
        let keyword = self.keyword.as_deref().map(str::trim);
        Ok(match keyword.and_then(|typed| typed.parse::<Phone>().ok()) {
            Some(phone) => list.is("p.phone", Some(phone.as_str())),
            None => list.contains(&["p.location", "p.applicant_phone"], keyword),
        })
    }

    /// With their photos, as far as the same scope sees these.
    async fn shown(
        _: &Context,
        mut db: ReadTx,
        mut found: Vec<ParkApplicationRow>,
    ) -> Result<Vec<ParkApplicationRow>, Refused> {
        show_photos(&mut db, &mut found).await?;
        Ok(found)
    }
}

/// What is decided of an application.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
enum ReviewResult {
    /// 通过: it is to be built.
    Accept,
    /// 驳回.
    Reject,
}

#[derive(Deserialize, ToSchema)]
#[schema(as = ParkApplicationReview)]
struct Review {
    id: ParkApplicationId,
    /// What is decided.
    result: ReviewResult,
    /// 处理意见: why it is rejected, 1 to 200 characters; of an acceptance at most 200.
    #[serde(default)]
    remark: String,
    /// The version that the reviewer saw; another one is refused.
    version: Option<i64>,
}

/// Accepts or rejects a station application; the parking place is drawn by `POST /fence`.
#[utoipa::path(post, path = "/fence/parkApplication/review", tag = "territory", operation_id = "reviewParkApplication",
    request_body = Review, responses((status = 200, body = Answer<Nothing>)))]
async fn review(call: Call<Context>, Body(body): Body<Review>) -> Handled<Value> {
    let (remark, by) = (body.remark, call.caller.named()?);
    let command = match body.result {
        ReviewResult::Accept => ParkApplicationCommand::Accept { remark, by },
        ReviewResult::Reject => ParkApplicationCommand::Reject { remark, by },
    };
    Ok(Answer::replied(call.acted::<ParkApplication>(&body.id, command, body.version).await?))
}

/// Draws the parking place that an application asks for: both or nothing; answers `{id}`.
pub(super) async fn build_station(
    call: &Call<Context>,
    application: ParkApplicationId,
    area: AreaId,
    parking: FenceId,
    drawn: FenceCommand,
) -> Handled<Value> {
    if !call.caller.codes.has("0910") {
        return Err(Refused::forbidden());
    }
    let ctx = call.request.context_of_account(json!({ "id": parking }));
    let built = ParkApplicationCommand::Build { parking, area, by: call.caller.named()? };
    let receipt = call.state.build_station(application, built, parking, drawn, &ctx).await?;
    Ok(Answer::replied(receipt))
}

/// Who wants a station there.
#[derive(Debug, Serialize, ToSchema)]
struct ParkApplicationVotes {
    /// The applicant first, at most 500; phones masked.
    rows: Vec<Voter>,
}

/// Who voted for a station application.
#[utoipa::path(get, path = "/fence/parkApplication/votes", tag = "territory", operation_id = "parkApplicationVotes",
    params(ById<ParkApplicationId>), responses((status = 200, body = Answer<ParkApplicationVotes>)))]
async fn votes(
    call: Call<Context>,
    Seen(seen): Seen,
    Params(ById { id }): Params<ById<ParkApplicationId>>,
) -> Handled<ParkApplicationVotes> {
    let mut db = call.state.runtime.reads.scoped(&call.caller.full_scope, seen, READS).await?;
    let rows = park_applications::voters(&mut *db, id).await?.ok_or_else(Refused::not_found)?;
    Ok(Answer(ParkApplicationVotes { rows }))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct WhichPhoto {
    /// Of which application.
    id: ParkApplicationId,
    /// Which of its photos.
    photo_id: AttachmentId,
}

/// A photo of a station application, as a JPEG without what the camera wrote into it.
#[utoipa::path(get, path = "/fence/parkApplication/photo", tag = "territory", operation_id = "parkApplicationPhoto",
    params(WhichPhoto), responses((status = 200, content_type = "image/jpeg", body = Vec<u8>)))]
async fn photo(
    call: Call<Context>,
    Seen(seen): Seen,
    Params(which): Params<WhichPhoto>,
) -> Result<Response, Refused> {
    let mut db = call.state.runtime.reads.scoped(&call.caller.full_scope, seen, READS).await?;
    if !park_applications::has_photo(&mut *db, which.id, which.photo_id).await? {
        return Err(Refused::not_found());
    }
    call.state.ports.attachments.show(db, which.photo_id).await
}

/// A rider's wish for a parking place.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewParkApplication {
    /// The rider: 1 to 32 letters, digits, `-` and `_`.
    user_pin: String,
    /// 手机号.
    #[schema(value_type = String)]
    phone: Phone,
    /// 申请位置: 1 to 100 characters.
    location: String,
    /// Degrees north.
    lat: f64,
    /// Degrees east.
    lng: f64,
    /// Of the place: wgs84 (default), gcj02 or bd09.
    #[serde(default)]
    #[schema(value_type = String)]
    datum: Datum,
    /// 申请说明: at most 200 characters.
    #[serde(default)]
    remark: String,
    /// Photos that this rider's program has uploaded within 23 hours, at most 3.
    #[serde(default)]
    photo_ids: Vec<AttachmentId>,
}

/// What became of a wish.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ParkApplicationGiven {
    /// The application, as text: a new one, or the one that it is a vote for.
    #[schema(value_type = String)]
    application_id: ParkApplicationId,
    /// Whether it is a vote for an application within 50 m and 30 days; its photos are not kept then.
    merged: bool,
}

/// Hands a station application in. Who asks for about the same place as an open one of the last 30 days votes for that.
#[utoipa::path(post, path = "/open/v1/rider/park-application", tag = "open", operation_id = "applyForParking",
    request_body = NewParkApplication, responses((status = 200, body = Answer<ParkApplicationGiven>)))]
async fn apply(
    State(context): State<Context>,
    call: Call<Context>,
    Body(new): Body<NewParkApplication>,
) -> Handled<Value> {
    let origin = attachments::http::of_rider(&call.caller, &new.user_pin)?;
    let place = Wgs84::from_datum(new.datum, new.lat, new.lng)
        .map_err(|error| Refused::business("place", error.to_string()))?;
    if new.photo_ids.len() > PHOTOS_MAX {
        return Err(Refused::malformed(format!("照片最多 {PHOTOS_MAX} 张")));
    }
    let applicant = Personal::new(origin.subject.clone(), Applicant { phone: new.phone, remark: new.remark });
    let asked = Submission { place, location: new.location, photo_ids: new.photo_ids, applicant, origin };
    Ok(Answer::replied(context.apply_for_parking(&call.caller, &call.request, asked).await?))
}
