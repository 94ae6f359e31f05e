//! Rebindings (实名换绑): the queue, what is decided, photos; and how riders hand them in.

use attachments::show_photos;
use axum::response::Response;
use kernel::{CommandContext, List, ReadTx};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, AttachmentId, Choice, Phone, RebindingId, RiderId, Scope, Timestamp};
use wire::{
    Answer, Body, Call, Column, Disclosed, Disclosure, End, Export, Handled, Listed, Listing, Nothing,
    Params, Permit, Record, Refused, Routes, Seen, given, moment,
};

use super::certifications::CaseResult;
use super::open_riders::RIDER;
use crate::Context;
use crate::app::{RebindingAsked, Verdict};
use crate::model::rebinding::{PHOTOS_MAX, Rebinding, RebindingKind, Wish};
use crate::model::review::CaseState;
use crate::model::rider::Identity;
use crate::read::rebindings::{self, RebindingRow, SORTS};

const REBINDINGS: Permit = Permit::AnyOf(&["0704"]);
const READS: &[&str] = &["rebinding"];

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add_list::<ListQuery>(
            REBINDINGS,
            Listed {
                path: "/user/rebind/list",
                operations: ["listRebindings", "exportRebindings"],
                summary: "Rebindings in scope, newest first; names, phones and numbers masked.",
            },
        )
        .add_record::<ListQuery>(
            REBINDINGS,
            Record {
                path: "/user/rebind/info",
                operation: "rebindingInfo",
                summary: "One rebinding; names, phones and numbers masked.",
            },
        )
        .add(REBINDINGS, routes!(review))
        .add(REBINDINGS, routes!(unmask))
        .add_unwrapped(REBINDINGS, routes!(photo))
        .add(RIDER, routes!(rebind))
        .add(RIDER, routes!(cancel))
        .with_state(context.clone())
}

#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// A whole phone, the old or the new one, a whole name, or a rider's id.
    keyword: Option<String>,
    /// Those of this agent.
    agent_id: Option<AgentId>,
    /// Those of riders who registered in this area.
    op_area_id: Option<AreaId>,
    /// Those of this kind.
    kind: Option<RebindingKind>,
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
    type Row = RebindingRow;
    const READS: &'static [&'static str] = &["rebinding", "area"];
    const KEY: &'static str = "b.rebinding_id";
    const FILE: Export<RebindingRow> = Export {
        what: "rebinding",
        title: "实名换绑",
        columns: &[
            Column::text("nameMasked", "姓名", |row| &row.name_masked),
            Column::text("kind", "换绑类型", |row| row.kind.label()),
            Column::text("phoneMasked", "原手机号", |row| &row.phone_masked),
            Column::text("wantedPhoneMasked", "申请手机号", |row| &row.wanted_phone_masked),
            Column::text("idNoMasked", "原身份证号", |row| &row.id_no_masked),
            Column::text("wantedIdNoMasked", "申请身份证号", |row| &row.wanted_id_no_masked),
            Column::text("state", "状态", |row| row.state.label()),
            Column::time("createdAt", "提交时间", |row| Some(row.created_at)),
            Column::text("areaName", "服务区", |row| row.area_name.as_deref().unwrap_or_default()),
            Column::text("reviewer", "审核人", |row| &row.reviewer),
            Column::time("dealAt", "审核时间", |row| row.deal_at),
            Column::text("reason", "驳回原因", |row| &row.reason),
            Column::made("userId", "用户编号", |row| row.user_id.to_string()),
            Column::made("id", "申请编号", |row| row.id.to_string()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let from = moment("startTime", self.start_time.as_ref(), End::First)?;
        let until = moment("endTime", self.end_time.as_ref(), End::Last)?;
        let list = rebindings::list(scope)
            .is("b.agent_id", self.agent_id.map(|agent| agent.0))
            .is("b.area_id", self.op_area_id.map(|area| area.0))
            .is("b.kind", self.kind.map(Choice::number))
            .is("b.state", self.state.map(Choice::number))
            .between("b.created_at_ms", from.map(Timestamp::millis), until.map(Timestamp::millis))
            .sorted(&SORTS, "b.rebinding_id", given(self.sort.as_ref()))
            .map_err(|error| Refused::malformed(error.to_string()))?;
        let Some(keyword) = given(self.keyword.as_ref()) else { return Ok(list) };
        Ok(match (keyword.parse::<Phone>(), keyword.parse::<i64>()) {
            (Ok(phone), _) => list.matching(
                &["(b.phone = ", " or b.wanted_phone = ", ")"],
                vec![phone.as_str().into(), phone.as_str().into()],
            ),
            (_, Ok(rider)) => list.is("b.rider_id", Some(rider)),
            _ => list.is("b.name", Some(keyword)),
        })
    }

    /// With their photos, as far as the same scope sees these.
    async fn shown(
        _: &Context,
        mut db: ReadTx,
        mut found: Vec<RebindingRow>,
    ) -> Result<Vec<RebindingRow>, Refused> {
        show_photos(&mut db, &mut found).await?;
        Ok(found)
    }
}

#[derive(Deserialize, ToSchema)]
#[schema(as = RebindingReview)]
struct Review {
    id: RebindingId,
    /// What is decided.
    result: CaseResult,
    /// Why it is rejected, 1 to 200 characters.
    #[serde(default)]
    remark: String,
    /// The version that the reviewer saw; another one is refused.
    version: Option<i64>,
}

/// Decides a rebinding. Who passes has the other phone or name from then on; wallet, cards and deposit stay his. Refused while an
/// order of his is open, and where the phone or number is another rider's.
#[utoipa::path(post, path = "/user/rebind/review", tag = "riding", operation_id = "reviewRebinding",
    request_body = Review, responses((status = 200, body = Answer<Nothing>)))]
async fn review(call: Call<Context>, Body(body): Body<Review>) -> Handled<Value> {
    let verdict = match body.result {
        CaseResult::Accept => Verdict::Pass(()),
        CaseResult::Reject => Verdict::Fail(body.remark),
    };
    let ctx = CommandContext { expected_version: body.version, ..call.request.context_of_account(json!({})) };
    Ok(Answer::replied(call.state.review_rebinding(&call.caller, ctx, body.id, verdict).await?))
}

#[derive(Deserialize, ToSchema)]
#[schema(as = WholeOfRebinding)]
struct Whole {
    id: RebindingId,
}

/// Names, phones and numbers, whole; empty where it is not about them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct WholeClaimant {
    /// 姓名.
    name: String,
    /// 身份证号.
    id_no: String,
    /// 原手机号.
    phone: String,
    /// 申请手机号.
    wanted_phone: String,
    /// 申请姓名.
    wanted_name: String,
    /// 申请身份证号.
    wanted_id_no: String,
}

/// Names, phones and numbers of a rebinding, whole. Who asked stands in the log.
#[utoipa::path(post, path = "/user/rebind/unmask", tag = "riding", operation_id = "unmaskRebinding",
    request_body = Whole, responses((status = 200, body = Answer<WholeClaimant>)))]
async fn unmask(
    call: Call<Context>,
    disclosure: Disclosure,
    Body(body): Body<Whole>,
) -> Handled<WholeClaimant> {
    let known = call.state.runtime.desk.load::<Rebinding>(&body.id).await?.state;
    if known.request().is_none() || !call.caller.full_scope.contains(kernel::Aggregate::owner(&known)) {
        return Err(Refused::not_found());
    }
    let claimant = known
        .claimant()
        .ok_or_else(|| Refused::business("rebinding-forgotten", "申请人已注销，资料已删除"))?;
    disclosure.note(Disclosed::Unmask { what: "rebinding".to_owned(), target: body.id.to_string() }).await?;
    let (wanted_phone, wanted) = match &claimant.wish {
        Wish::Phone(phone) => (phone.to_string(), Identity { name: String::new(), id_no: String::new() }),
        Wish::Identity(identity) => (String::new(), identity.clone()),
    };
    Ok(Answer(WholeClaimant {
        name: claimant.identity.name.clone(),
        id_no: claimant.identity.id_no.clone(),
        phone: claimant.phone.to_string(),
        wanted_phone,
        wanted_name: wanted.name,
        wanted_id_no: wanted.id_no,
    }))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct WhichPhoto {
    /// Of which rebinding.
    id: RebindingId,
    /// Which of its photos.
    photo_id: AttachmentId,
}

/// A photo of a rebinding, as a JPEG without what the camera wrote into it.
#[utoipa::path(get, path = "/user/rebind/photo", tag = "riding", operation_id = "rebindingPhoto",
    params(WhichPhoto), responses((status = 200, content_type = "image/jpeg", body = Vec<u8>)))]
async fn photo(
    call: Call<Context>,
    Seen(seen): Seen,
    Params(which): Params<WhichPhoto>,
) -> Result<Response, Refused> {
    let mut db = call.state.runtime.reads.scoped(&call.caller.full_scope, seen, READS).await?;
    if !rebindings::has_photo(&mut *db, which.id, which.photo_id).await? {
        return Err(Refused::not_found());
    }
    call.state.ports.attachments.show(db, which.photo_id).await
}

/// What of a rider is to be another: his phone, or his name and number.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewRebinding {
    /// Which rider; he must have proved who he is.
    #[schema(value_type = String)]
    user_id: RiderId,
    /// 换绑类型.
    kind: RebindingKind,
    /// 申请手机号; due where it is about the phone, and proved by the program.
    #[schema(value_type = Option<String>)]
    phone: Option<Phone>,
    /// 申请姓名; due where it is about who he is.
    name: Option<String>,
    /// 申请身份证号; the same.
    id_no: Option<String>,
    /// Photos of the identity card that this rider's program has uploaded within 23 hours: 1 to 3.
    photo_ids: Vec<AttachmentId>,
}

/// What he handed in.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RebindingGiven {
    /// As text.
    #[schema(value_type = String)]
    rebinding_id: RebindingId,
}

/// Hands a rebinding in; one of a rider waits at a time.
#[utoipa::path(post, path = "/open/v1/rider/rebinding", tag = "open", operation_id = "askRebinding",
    request_body = NewRebinding, responses((status = 200, body = Answer<RebindingGiven>)))]
async fn rebind(call: Call<Context>, Body(new): Body<NewRebinding>) -> Handled<Value> {
    let origin = attachments::http::of_rider(&call.caller, &new.user_id.to_string())?;
    if new.photo_ids.len() > PHOTOS_MAX {
        return Err(Refused::malformed(format!("照片最多 {PHOTOS_MAX} 张")));
    }
    let wish = match (new.kind, new.phone, new.name, new.id_no) {
        (RebindingKind::Phone, Some(phone), None, None) => Wish::Phone(phone),
        (RebindingKind::Identity, None, Some(name), Some(id_no)) => Wish::Identity(Identity { name, id_no }),
        (RebindingKind::Phone, ..) => return Err(Refused::malformed("手机号换绑只填写 phone")),
        (RebindingKind::Identity, ..) => return Err(Refused::malformed("身份证换绑只填写 name 和 idNo")),
    };
    let asked = RebindingAsked { rider: new.user_id, wish, photo_ids: new.photo_ids, origin };
    Ok(Answer::replied(call.state.ask_rebinding(&call.caller, &call.request, asked).await?))
}

/// Which rebinding, and whose.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CancelledRebinding {
    /// The rider.
    #[schema(value_type = String)]
    user_id: RiderId,
    /// Which.
    #[schema(value_type = String)]
    rebinding_id: RebindingId,
}

/// Takes a rebinding back that waits.
#[utoipa::path(post, path = "/open/v1/rider/rebinding/cancel", tag = "open", operation_id = "cancelRebinding",
    request_body = CancelledRebinding, responses((status = 200, body = Answer<Nothing>)))]
async fn cancel(call: Call<Context>, Body(body): Body<CancelledRebinding>) -> Handled<Value> {
    let (rider, id) = (body.user_id, body.rebinding_id);
    Ok(Answer::replied(call.state.cancel_rebinding(&call.caller, &call.request, rider, id).await?))
}
