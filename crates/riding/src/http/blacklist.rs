//! The blacklist (黑名单): who is on it, who is put there and who is let off, and the photos that prove why.

use attachments::{FILE_MAX_BYTES, Kind, Origin, show_photos};
use axum::body::{Body as Content, to_bytes};
use axum::response::Response;
use kernel::{CommandContext, List, ReadTx};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::routes;
use vocabulary::{AgentId, AreaId, AttachmentId, BlacklistEntryId, Choice, Phone, RiderId, Scope, Timestamp};
use wire::{
    Answer, BATCH_MAX, BatchAnswer, BatchOutcomes, Body, ById, Call, Column, Disclosed, Disclosure, End,
    Export, Handled, Listed, Listing, Nothing, Params, Permit, Record, Refused, Routes, Seen, batch, given,
    moment,
};

use crate::Context;
use crate::app::ListingAsked;
use crate::model::blacklist::{
    BlacklistCommand, BlacklistEntry, BlacklistKind, BlacklistScope, BlacklistState,
};
use crate::model::rider::AccountState;
use crate::read::blacklist::{self, BlacklistRow};

const BLACKLIST: Permit = Permit::AnyOf(&["08"]);
const READS: &[&str] = &["blacklist_entry"];
/// Riders that one question finds.
const CANDIDATES: i64 = 20;

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add_list::<ListQuery>(
            BLACKLIST,
            Listed {
                path: "/user/blacklist",
                operations: ["listBlacklist", "exportBlacklist"],
                summary: "Entries of the blacklist in scope, newest first; names and phones masked.",
            },
        )
        .add_record::<ListQuery>(
            BLACKLIST,
            Record {
                path: "/user/blacklist/info",
                operation: "blacklistInfo",
                summary: "One entry of the blacklist; name and phone masked.",
            },
        )
        .add(BLACKLIST, routes!(add, take_off))
        .add(BLACKLIST, routes!(riders))
        .add(BLACKLIST, routes!(lift))
        .add(BLACKLIST, routes!(unmask))
        .add_upload(BLACKLIST, FILE_MAX_BYTES, routes!(show_photo))
        .add(BLACKLIST, routes!(hide_photo))
        .add_unwrapped(BLACKLIST, routes!(photo))
        .with_state(context.clone())
}

/// What the list is cut down to.
#[derive(Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// A whole phone, a whole name, a rider's id, or part of the reason.
    keyword: Option<String>,
    /// Those of this agent's riders.
    agent_id: Option<AgentId>,
    /// Those of riders who registered in this area.
    op_area_id: Option<AreaId>,
    /// Those that stand so now.
    state: Option<BlacklistState>,
    /// Those of this kind.
    kind: Option<BlacklistKind>,
    /// Those that reach so far.
    scope: Option<BlacklistScope>,
    /// Added from then on: `YYYY-MM-DD HH:mm:ss`.
    start_time: Option<String>,
    /// Added until then, included.
    end_time: Option<String>,
}

impl Listing for ListQuery {
    type State = Context;
    type Row = BlacklistRow;
    const READS: &'static [&'static str] = &["blacklist_entry", "area"];
    const KEY: &'static str = "b.entry_id";
    const FILE: Export<BlacklistRow> = Export {
        what: "blacklist",
        title: "黑名单",
        columns: &[
            Column::text("nameMasked", "姓名", |row| &row.name_masked),
            Column::text("phoneMasked", "手机号", |row| &row.phone_masked),
            Column::text("state", "状态", |row| row.state.label()),
            Column::text("reason", "拉黑原因", |row| &row.reason),
            Column::text("scope", "范围", |row| row.scope.label()),
            Column::text("kind", "来源", |row| row.kind.label()),
            Column::time("createdAt", "添加时间", |row| Some(row.created_at)),
            Column::time("until", "到期时间", |row| row.until),
            Column::text("addedBy", "添加人", |row| &row.added_by),
            Column::text("areaName", "服务区", |row| row.area_name.as_deref().unwrap_or_default()),
            Column::count("photos", "证据", |row| row.photos.len() as i64),
            Column::time("closedAt", "结束时间", |row| row.closed_at),
            Column::text("liftedBy", "解除人", |row| &row.lifted_by),
            Column::text("liftReason", "解除原因", |row| &row.lift_reason),
            Column::made("userId", "用户编号", |row| row.user_id.to_string()),
            Column::made("id", "记录编号", |row| row.id.to_string()),
        ],
    };

    fn list(&self, scope: &Scope) -> Result<List, Refused> {
        let from = moment("startTime", self.start_time.as_ref(), End::First)?;
        let until = moment("endTime", self.end_time.as_ref(), End::Last)?;
        let list = blacklist::list(scope)
            .is("b.rider_agent_id", self.agent_id.map(|agent| agent.0))
            .is("b.rider_area_id", self.op_area_id.map(|area| area.0))
            .is("b.kind", self.kind.map(Choice::number))
            .is("b.scope", self.scope.map(Choice::number))
            .between("b.created_at_ms", from.map(Timestamp::millis), until.map(Timestamp::millis));
        let list = blacklist::standing(list, self.state);
        let Some(keyword) = given(self.keyword.as_ref()) else { return Ok(list) };
        Ok(match (keyword.parse::<Phone>(), keyword.parse::<i64>()) {
            (Ok(phone), _) => list.is("b.phone", Some(phone.as_str())),
            (_, Ok(rider)) => list.is("b.rider_id", Some(rider)),
            _ => list.matching(
                &["(b.name = ", " or b.reason like ", ")"],
                vec![keyword.into(), kernel::list::containing(keyword).into()],
            ),
        })
    }

    /// As they stand now, with their photos as far as the same scope sees these.
    async fn shown(
        context: &Context,
        mut db: ReadTx,
        mut found: Vec<BlacklistRow>,
    ) -> Result<Vec<BlacklistRow>, Refused> {
        show_photos(&mut db, &mut found).await?;
        let now = context.runtime.clock.now();
        for row in &mut found {
            row.stand_at(now);
        }
        Ok(found)
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct WhichRider {
    /// A whole phone, a whole name, or a rider's id.
    keyword: String,
}

/// A rider who may be listed.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    /// His id, as text.
    #[schema(value_type = String)]
    user_id: RiderId,
    /// 姓名, masked; empty where it was not proved.
    name_masked: String,
    /// 手机号, masked.
    phone_masked: String,
    /// The area where he registered.
    area_name: Option<String>,
    /// Whether an entry holds against him.
    is_listed: bool,
}

/// Riders who may be listed.
#[derive(Debug, Serialize, ToSchema)]
struct Candidates {
    /// At most 20, newest first.
    rows: Vec<Candidate>,
}

/// Riders in scope who may be listed, found by what is known of them in whole.
#[utoipa::path(get, path = "/user/blacklist/riders", tag = "riding", operation_id = "blacklistRiders",
    params(WhichRider), responses((status = 200, body = Answer<Candidates>)))]
async fn riders(
    call: Call<Context>,
    Seen(seen): Seen,
    Params(which): Params<WhichRider>,
) -> Handled<Candidates> {
    let Some(keyword) = given(Some(&which.keyword)) else {
        return Ok(Answer(Candidates { rows: Vec::new() }));
    };
    let list = crate::read::riders::list(&call.caller.full_scope).is("r.is_closed", Some(false));
    let list = match (keyword.parse::<Phone>(), keyword.parse::<i64>()) {
        (Ok(phone), _) => list.is("r.phone", Some(phone.as_str())),
        (_, Ok(rider)) => list.is("r.rider_id", Some(rider)),
        _ => list.is("r.name", Some(keyword)),
    };
    let reads = &["rider", "ride_order", "ledger_book", "area"];
    let mut db = call.state.runtime.reads.scoped(&call.caller.full_scope, seen, reads).await?;
    let found: Vec<crate::read::riders::RiderRow> = list.rows(&mut db, CANDIDATES).await?;
    drop(db);
    let now = call.request.now();
    let candidate = |mut rider: crate::read::riders::RiderRow| {
        rider.stand_at(now);
        Candidate {
            user_id: rider.user_id,
            is_listed: rider.account_state == Some(AccountState::Blacklisted),
            name_masked: rider.name_masked,
            phone_masked: rider.phone_masked,
            area_name: rider.area_name,
        }
    };
    Ok(Answer(Candidates { rows: found.into_iter().map(candidate).collect() }))
}

/// Whom to list.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct NewBlacklistEntry {
    /// The rider.
    user_id: RiderId,
    /// 来源: 1 by hand, 3 reported.
    kind: BlacklistKind,
    /// 范围: of the whole platform only by who sees all of it.
    scope: BlacklistScope,
    /// 拉黑原因: 1 to 200 characters.
    reason: String,
    /// 到期时间: `YYYY-MM-DD HH:mm:ss`, or a last day; absent: for good.
    until: Option<String>,
}

/// Lists a rider: he unlocks nothing more; a ride that is under way is not cut.
#[utoipa::path(post, path = "/user/blacklist", tag = "riding", operation_id = "addToBlacklist",
    request_body = NewBlacklistEntry, responses((status = 200, body = Answer<wire::MadeId>)))]
async fn add(call: Call<Context>, Body(new): Body<NewBlacklistEntry>) -> Handled<Value> {
    let id = BlacklistEntryId(call.state.runtime.ids.next_id());
    let asked = ListingAsked {
        rider: new.user_id,
        scope: new.scope,
        kind: new.kind,
        reason: new.reason,
        until: moment("until", new.until.as_ref(), End::Last)?,
    };
    let ctx = call.request.context_of_account(json!({ "id": id }));
    Ok(Answer::replied(call.state.blacklist(&call.caller, ctx, id, asked).await?))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct WhoIsOff {
    /// The rider.
    user_id: RiderId,
    /// 解除原因: 1 to 200 characters.
    reason: String,
}

/// Takes a rider off the blacklist: the entry that holds against him is lifted.
#[utoipa::path(delete, path = "/user/blacklist", tag = "riding", operation_id = "takeOffBlacklist", params(WhoIsOff),
    responses((status = 200, body = Answer<Nothing>)))]
async fn take_off(call: Call<Context>, Params(who): Params<WhoIsOff>) -> Handled<Value> {
    let id = call.state.entry_holding(&call.caller, who.user_id).await?;
    let ctx = call.request.context_of_account(json!({}));
    Ok(Answer::replied(call.state.lift(&call.caller, ctx, id, who.reason).await?))
}

/// Which entries to lift, and why.
#[derive(Debug, Deserialize, ToSchema)]
struct Lifted {
    /// At most 200.
    ids: Vec<BlacklistEntryId>,
    /// 解除原因: 1 to 200 characters.
    reason: String,
    /// Of the one entry, the version that was seen; another one is refused.
    version: Option<i64>,
}

/// Lifts entries; each is judged alone, and the answer tells what became of each.
#[utoipa::path(post, path = "/user/blacklist/lift", tag = "riding", operation_id = "liftBlacklist",
    request_body = Lifted, responses((status = 200, body = Answer<BatchAnswer>)))]
async fn lift(call: Call<Context>, Body(body): Body<Lifted>) -> Handled<BatchAnswer> {
    let ids = batch(body.ids, BATCH_MAX)?;
    let alone = ids.len() == 1;
    let mut outcomes = BatchOutcomes::default();
    for id in ids {
        // One request id stands for all of them: each is "already so" when it is repeated.
        let ctx = CommandContext {
            request_id: None,
            expected_version: body.version.filter(|_| alone),
            ..call.request.context_of_account(json!({}))
        };
        let done = call.state.lift(&call.caller, ctx, id, body.reason.clone()).await;
        outcomes.take(id.to_string(), done)?;
    }
    Ok(outcomes.answer())
}

#[derive(Deserialize, ToSchema)]
#[schema(as = WholeOfBlacklist)]
struct Whole {
    id: BlacklistEntryId,
}

/// Name and phone, whole.
#[derive(Debug, Serialize, ToSchema)]
struct WholeListed {
    /// 姓名.
    name: String,
    /// 手机号.
    phone: String,
}

/// Name and phone of an entry, whole. Who asked stands in the log.
#[utoipa::path(post, path = "/user/blacklist/unmask", tag = "riding", operation_id = "unmaskBlacklist",
    request_body = Whole, responses((status = 200, body = Answer<WholeListed>)))]
async fn unmask(
    call: Call<Context>,
    disclosure: Disclosure,
    Body(body): Body<Whole>,
) -> Handled<WholeListed> {
    call.state.entry_owner(&call.caller, body.id).await?;
    let known = call.state.runtime.desk.load::<BlacklistEntry>(&body.id).await?.state;
    let listed =
        known.listed().ok_or_else(|| Refused::business("blacklist-forgotten", "该用户已注销，资料已删除"))?;
    disclosure.note(Disclosed::Unmask { what: "blacklist".to_owned(), target: body.id.to_string() }).await?;
    Ok(Answer(WholeListed { name: listed.name.clone(), phone: listed.phone.to_string() }))
}

#[derive(Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct WhichPhoto {
    /// Of which entry.
    id: BlacklistEntryId,
    /// Which of its photos.
    photo_id: AttachmentId,
}

/// Shows a photo that proves why a rider is listed: JPEG, PNG or WebP, at most 10 MB, at most six of an entry.
#[utoipa::path(post, path = "/user/blacklist/photo", tag = "riding", operation_id = "showBlacklistPhoto",
    params(ById<BlacklistEntryId>), request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = Answer<Nothing>)))]
async fn show_photo(
    call: Call<Context>,
    Params(ById { id }): Params<ById<BlacklistEntryId>>,
    content: Content,
) -> Handled<Value> {
    let owner = call.state.entry_owner(&call.caller, id).await?;
    let known = call.state.runtime.desk.load::<BlacklistEntry>(&id).await?.state;
    let rider = known.listing().map(|listing| listing.rider_id).ok_or_else(Refused::not_found)?;
    // It goes when he is forgotten.
    let uploader = format!("operator:{}", call.caller.operator()?);
    let origin = Origin { subject: format!("rider:{rider}"), uploader };
    // The wire has bounded and read it; here it is only taken out.
    let content = to_bytes(content, FILE_MAX_BYTES).await.map_err(|_| Refused::TooLarge)?;
    let files = &call.state.ports.attachments;
    let received = files.receive(&origin, content).await?;
    if received.kind == Kind::Pdf {
        return Err(Refused::business("blacklist-photo-kind", "只能附上 JPEG、PNG 或 WebP 图片"));
    }
    files.belong(&[received.id], owner).await?;
    let show = BlacklistCommand::ShowEvidence(received.into());
    call.act::<BlacklistEntry>(&id, show).await
}

/// Shows a photo of an entry no more.
#[utoipa::path(delete, path = "/user/blacklist/photo", tag = "riding", operation_id = "hideBlacklistPhoto",
    params(WhichPhoto), responses((status = 200, body = Answer<Nothing>)))]
async fn hide_photo(call: Call<Context>, Params(which): Params<WhichPhoto>) -> Handled<Value> {
    call.state.entry_owner(&call.caller, which.id).await?;
    call.act::<BlacklistEntry>(&which.id, BlacklistCommand::HideEvidence(which.photo_id)).await
}

/// A photo of an entry, as a JPEG without what the camera wrote into it.
#[utoipa::path(get, path = "/user/blacklist/photo", tag = "riding", operation_id = "blacklistPhoto", params(WhichPhoto),
    responses((status = 200, content_type = "image/jpeg", body = Vec<u8>)))]
async fn photo(
    call: Call<Context>,
    Seen(seen): Seen,
    Params(which): Params<WhichPhoto>,
) -> Result<Response, Refused> {
    let mut db = call.state.runtime.reads.scoped(&call.caller.full_scope, seen, READS).await?;
    if !blacklist::has_photo(&mut *db, which.id, which.photo_id).await? {
        return Err(Refused::not_found());
    }
    call.state.ports.attachments.show(db, which.photo_id).await
}
