//! Certifications (职业认证): the queue, what is decided, photos; and how riders hand them in.

use attachments::show_photos;
use axum::response::Response;
use kernel::{CommandContext, List, ReadTx};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, AttachmentId, CertificationId, Choice, Phone, RiderId, Scope, Timestamp};
use wire::{
    Answer, Body, Call, Column, Disclosed, Disclosure, End, Export, Handled, Listed, Listing, Nothing,
    Params, Permit, Record, Refused, Routes, Seen, given, moment,
};

use super::open_riders::RIDER;
use crate::Context;
use crate::app::{CertificationAsked, Verdict};
use crate::model::certification::{CareerKind, Certification, PHOTOS_MAX};
use crate::model::review::CaseState;
use crate::read::certifications::{self, CertificationRow, SORTS};

const CERTIFICATIONS: Permit = Permit::AnyOf(&["0703"]);
const READS: &[&str] = &["certification"];

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add_list::<ListQuery>(
            CERTIFICATIONS,
            Listed {
                path: "/user/occupation/list",
                operations: ["listCertifications", "exportCertifications"],
                summary: "Certifications in scope, newest first; names, phones and numbers masked.",
            },
        )
        .add_record::<ListQuery>(
            CERTIFICATIONS,
            Record {
                path: "/user/occupation/info",
                operation: "certificationInfo",
                summary: "One certification; name, phone and number masked.",
            },
        )
        .add(CERTIFICATIONS, routes!(review))
        .add(CERTIFICATIONS, routes!(unmask))
        .add_unwrapped(CERTIFICATIONS, routes!(photo))
        .add(RIDER, routes!(certify))
        .add(RIDER, routes!(cancel))
        .with_state(context.clone())
}

/// What the list is cut down to.
#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// Part of the school or company, a whole phone, a whole name, or a rider's id.
    keyword: Option<String>,
    /// Those of this agent.
    agent_id: Option<AgentId>,
    /// Those of riders who registered in this area.
    op_area_id: Option<AreaId>,
    /// Those of this kind.
    kind: Option<CareerKind>,
    /// Those that stand so.
    state: Option<CaseState>,
    /// Handed in from then on: `YYYY-MM-DD HH:mm:ss`.
    start_time: Option<String>,
    /// Handed in until then, included.
    end_time: Option<String>,
    /// `createdAt`: the oldest first; absent: the newest.
    sort: Option<String>,
}

impl Listing for ListQuery {
    type State = Context;
    type Row = CertificationRow;
    const READS: &'static [&'static str] = &["certification", "area"];
    const KEY: &'static str = "c.certification_id";
    const FILE: Export<CertificationRow> = Export {
        what: "certification",
        title: "职业认证",
        columns: &[
            Column::text("nameMasked", "姓名", |row| &row.name_masked),
            Column::text("phoneMasked", "手机号", |row| &row.phone_masked),
            Column::text("kind", "认证类型", |row| row.kind.label()),
            Column::text("organisation", "学校/单位", |row| &row.organisation),
            Column::text("certNoMasked", "证件编号", |row| &row.cert_no_masked),
            Column::text("state", "状态", |row| row.state.label()),
            Column::time("createdAt", "提交时间", |row| Some(row.created_at)),
            Column::text("areaName", "服务区", |row| row.area_name.as_deref().unwrap_or_default()),
            Column::text("reviewer", "审核人", |row| &row.reviewer),
            Column::time("dealAt", "审核时间", |row| row.deal_at),
            Column::time("validUntil", "有效期至", |row| row.valid_until),
            Column::text("reason", "驳回原因", |row| &row.reason),
            Column::made("userId", "用户编号", |row| row.user_id.to_string()),
            Column::made("id", "申请编号", |row| row.id.to_string()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let from = moment("startTime", self.start_time.as_ref(), End::First)?;
        let until = moment("endTime", self.end_time.as_ref(), End::Last)?;
        let list = certifications::list(scope)
            .is("c.agent_id", self.agent_id.map(|agent| agent.0))
            .is("c.area_id", self.op_area_id.map(|area| area.0))
            .is("c.kind", self.kind.map(Choice::number))
            .is("c.state", self.state.map(Choice::number))
            .between("c.created_at_ms", from.map(Timestamp::millis), until.map(Timestamp::millis))
            .sorted(&SORTS, "c.certification_id", given(self.sort.as_ref()))
            .map_err(|error| Refused::malformed(error.to_string()))?;
        let Some(keyword) = given(self.keyword.as_ref()) else { return Ok(list) };
        Ok(match (keyword.parse::<Phone>(), keyword.parse::<i64>()) {
            (Ok(phone), _) => list.is("c.phone", Some(phone.as_str())),
            (_, Ok(rider)) => list.is("c.rider_id", Some(rider)),
            _ => list.matching(
                &["(c.name = ", " or c.organisation like ", ")"],
                vec![keyword.into(), kernel::list::containing(keyword).into()],
            ),
        })
    }

    /// With their photos, as far as the same scope sees these.
    async fn shown(
        _: &Context,
        mut db: ReadTx,
        mut found: Vec<CertificationRow>,
    ) -> Result<Vec<CertificationRow>, Refused> {
        show_photos(&mut db, &mut found).await?;
        Ok(found)
    }
}

/// What is decided of a case of a rider.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) enum CaseResult {
    /// 通过.
    Accept,
    /// 驳回.
    Reject,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CertificationReview)]
struct Review {
    id: CertificationId,
    /// What is decided.
    result: CaseResult,
    /// Why it is rejected, 1 to 200 characters.
    #[serde(default)]
    remark: String,
    /// 有效期至: its last day, `YYYY-MM-DD`; due where it passes.
    valid_until: Option<String>,
    /// The version that the reviewer saw; another one is refused.
    version: Option<i64>,
}

/// Decides a certification. Who passes may ride by 职业认证 until the end of its last day.
#[utoipa::path(post, path = "/user/occupation/review", tag = "riding", operation_id = "reviewCertification",
    request_body = Review, responses((status = 200, body = Answer<Nothing>)))]
async fn review(call: Call<Context>, Body(body): Body<Review>) -> Handled<Value> {
    let verdict = match body.result {
        CaseResult::Accept => {
            let until = moment("validUntil", body.valid_until.as_ref(), End::Last)?;
            Verdict::Pass(until.ok_or_else(|| Refused::malformed("请填写有效期"))?)
        }
        CaseResult::Reject => Verdict::Fail(body.remark),
    };
    let ctx = CommandContext { expected_version: body.version, ..call.request.context_of_account(json!({})) };
    Ok(Answer::replied(call.state.review_certification(&call.caller, ctx, body.id, verdict).await?))
}

#[derive(Deserialize, ToSchema)]
#[schema(as = WholeOfCertification)]
struct Whole {
    id: CertificationId,
}

/// Name, phone and number, whole.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WholeBearer {
    /// 姓名.
    name: String,
    /// 手机号.
    phone: String,
    /// 证件编号.
    cert_no: String,
}

/// Name, phone and number of a certification, whole. Who asked stands in the log.
#[utoipa::path(post, path = "/user/occupation/unmask", tag = "riding", operation_id = "unmaskCertification",
    request_body = Whole, responses((status = 200, body = Answer<WholeBearer>)))]
async fn unmask(
    call: Call<Context>,
    disclosure: Disclosure,
    Body(body): Body<Whole>,
) -> Handled<WholeBearer> {
    let known = call.state.runtime.desk.load::<Certification>(&body.id).await?.state;
    if known.application().is_none() || !call.caller.full_scope.contains(kernel::Aggregate::owner(&known)) {
        return Err(Refused::not_found());
    }
    let bearer = known
        .bearer()
        .ok_or_else(|| Refused::business("certification-forgotten", "申请人已注销，资料已删除"))?;
    disclosure
        .note(Disclosed::Unmask { what: "certification".to_owned(), target: body.id.to_string() })
        .await?;
    Ok(Answer(WholeBearer {
        name: bearer.name.clone(),
        phone: bearer.phone.to_string(),
        cert_no: bearer.cert_no.clone(),
    }))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct WhichPhoto {
    /// Of which certification.
    id: CertificationId,
    /// Which of its photos.
    photo_id: AttachmentId,
}

/// A photo of a certification, as a JPEG without what the camera wrote into it.
#[utoipa::path(get, path = "/user/occupation/photo", tag = "riding", operation_id = "certificationPhoto",
    params(WhichPhoto), responses((status = 200, content_type = "image/jpeg", body = Vec<u8>)))]
async fn photo(
    call: Call<Context>,
    Seen(seen): Seen,
    Params(which): Params<WhichPhoto>,
) -> Result<Response, Refused> {
    let mut db = call.state.runtime.reads.scoped(&call.caller.full_scope, seen, READS).await?;
    if !certifications::has_photo(&mut *db, which.id, which.photo_id).await? {
        return Err(Refused::not_found());
    }
    call.state.ports.attachments.show(db, which.photo_id).await
}

/// What a rider says he is.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewCertification {
    /// Which rider; he must have proved who he is.
    #[schema(value_type = String)]
    user_id: RiderId,
    /// 认证类型.
    kind: CareerKind,
    /// 学校/单位: 1 to 50 characters.
    organisation: String,
    /// 证件编号: 1 to 30 characters.
    cert_no: String,
    /// Photos of the card, its front first, that this rider's program has uploaded within 23 hours: 1 or 2.
    photo_ids: Vec<AttachmentId>,
}

/// What he handed in.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CertificationGiven {
    /// As text.
    #[schema(value_type = String)]
    certification_id: CertificationId,
}

/// Hands a certification in; one of a rider waits at a time.
#[utoipa::path(post, path = "/open/v1/rider/certification", tag = "open", operation_id = "certifyRider",
    request_body = NewCertification, responses((status = 200, body = Answer<CertificationGiven>)))]
async fn certify(call: Call<Context>, Body(new): Body<NewCertification>) -> Handled<Value> {
    let origin = attachments::http::of_rider(&call.caller, &new.user_id.to_string())?;
    if new.photo_ids.len() > PHOTOS_MAX {
        return Err(Refused::malformed(format!("照片最多 {PHOTOS_MAX} 张")));
    }
    let asked = CertificationAsked {
        rider: new.user_id,
        kind: new.kind,
        organisation: new.organisation,
        cert_no: new.cert_no,
        photo_ids: new.photo_ids,
        origin,
    };
    Ok(Answer::replied(call.state.certify(&call.caller, &call.request, asked).await?))
}

/// Which certification, and whose.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CancelledCertification {
    /// The rider.
    #[schema(value_type = String)]
    user_id: RiderId,
    /// Which.
    #[schema(value_type = String)]
    certification_id: CertificationId,
}

/// Takes a certification back that waits.
#[utoipa::path(post, path = "/open/v1/rider/certification/cancel", tag = "open", operation_id = "cancelCertification",
    request_body = CancelledCertification, responses((status = 200, body = Answer<Nothing>)))]
async fn cancel(call: Call<Context>, Body(body): Body<CancelledCertification>) -> Handled<Value> {
    let (rider, id) = (body.user_id, body.certification_id);
    Ok(Answer::replied(call.state.cancel_certification(&call.caller, &call.request, rider, id).await?))
}
