//! Table `return_review`.

use attachments::{Attached, HoldsPhotos};
use kernel::list::Sort;
use kernel::{After, Fold, List, Personal, Recorded, row};
use serde::{Deserialize, Serialize};
use sqlx::PgExecutor;
use sqlx::types::Json;
use utoipa::ToSchema;
use vocabulary::{
    AgentId, AreaId, AttachmentId, DataOwner, FenceId, ReturnReviewId, RideOrderId, RiderId, Scope,
    Timestamp, Wgs84,
};

use crate::model::certainty::{CameraVerdict, Fix, Part};
use crate::model::order::FenceVersion;
use crate::model::return_review::{
    Opening, PASSES_AFTER_MS, ReturnReview, ReturnReviewReason, ReturnReviewSource, ReviewEvent, Seen, Wish,
    due_at,
};
use crate::model::review::{CaseState, PHOTOS_KEPT_MS};
use geofence::judge::ReturnClass;

/// Reviews that one round lets pass.
const ROUND_MAX: i64 = 500;

/// A fence in one of its versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FenceSeen {
    /// Which, as text.
    #[schema(value_type = String)]
    pub fence_id: FenceId,
    /// Which of its versions.
    pub data_version: i64,
}

impl From<FenceVersion> for FenceSeen {
    fn from(FenceVersion { fence_id, data_version }: FenceVersion) -> Self {
        Self { fence_id, data_version }
    }
}

/// Where something was, WGS-84.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PlaceSeen {
    /// Degrees north.
    pub lat: f64,
    /// Degrees east.
    pub lng: f64,
}

impl From<Wgs84> for PlaceSeen {
    fn from(place: Wgs84) -> Self {
        Self { lat: place.lat(), lng: place.lng() }
    }
}

/// A fix of the bike.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FixSeen {
    /// Degrees north.
    pub lat: f64,
    /// Degrees east.
    pub lng: f64,
    /// Dilution of precision.
    pub hdop: f64,
    /// Epoch milliseconds.
    pub at: i64,
}

impl From<Fix> for FixSeen {
    fn from(fix: Fix) -> Self {
        Self { lat: fix.place.lat(), lng: fix.place.lng(), hdop: fix.hdop, at: fix.at.millis() }
    }
}

/// A return as it was seen when the review was opened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReturnSeen {
    /// Where the bike was taken to stand.
    #[schema(required)]
    pub place: Option<PlaceSeen>,
    /// How far that may be off, metres.
    pub error_m: f64,
    /// What it was made of, the newest first.
    pub fixes: Vec<FixSeen>,
    /// Where the rider's phone was as he returned it.
    #[schema(required)]
    pub rider_place: Option<PlaceSeen>,
    /// The fence that decided.
    #[schema(required)]
    pub fence: Option<FenceSeen>,
    /// The nearest parking place.
    #[schema(required)]
    pub parking: Option<FenceSeen>,
    /// Proofs that were asked for and not given: 1 beacon, 2 RFID, 3 direction, 4 kickstand, 5 camera.
    pub missing: Vec<i16>,
    /// Each evidence with its pull.
    pub parts: Vec<Part>,
    /// Why it was judged so.
    pub reasons: Vec<String>,
}

impl From<Seen> for ReturnSeen {
    fn from(seen: Seen) -> Self {
        Self {
            place: seen.place.map(Into::into),
            error_m: seen.error_m,
            fixes: seen.fixes.into_iter().map(Into::into).collect(),
            rider_place: seen.rider_place.map(Into::into),
            fence: seen.fence.map(Into::into),
            parking: seen.parking.map(Into::into),
            missing: seen.missing,
            parts: seen.parts,
            reasons: seen.reasons,
        }
    }
}

row! {
    /// A return review as lists show it; its rider's phone and name are masked.
    #[derive(Clone, Debug, Default, Serialize, ToSchema, sqlx::FromRow)]
    #[serde(rename_all = "camelCase")]
    pub struct ReturnReviewRow {
        /// Its id, as text.
        pub id: ReturnReviewId = "review_id",
        /// Of which ride, as text.
        pub order_id: RideOrderId,
        /// Whose, as text.
        pub user_id: RiderId = "rider_id",
        /// 手机号, masked.
        pub phone: Option<String> as default,
        /// 姓名, masked.
        pub name: Option<String> as default,
        /// 车辆编号.
        pub car_id: String,
        /// Whose bike it was.
        pub agent_id: AgentId,
        /// The service area of the order.
        pub op_area_id: AreaId = "area_id",
        /// That area's name.
        pub area_name: Option<String> as default,
        /// 审核状态.
        pub state: CaseState,
        /// 来源.
        pub source: ReturnReviewSource,
        /// 申请原因; null where the rider did not ask.
        pub reason: Option<ReturnReviewReason>,
        /// 还车位置.
        #[schema(required)]
        pub class: Option<ReturnClass>,
        /// AI 判定.
        pub ai_result: CameraVerdict,
        /// How sure it was that a penalty is due, percent.
        pub certainty_percent: i16,
        /// 距站点, metres.
        pub parking_m: Option<f64>,
        /// 申请减免金额: what is at stake, cents.
        pub apply_cents: i64,
        /// Where the rider's phone was as he asked: degrees north, WGS-84.
        pub lat: Option<f64>,
        /// Degrees east.
        pub lng: Option<f64>,
        #[serde(skip)]
        pub photo_ids: Vec<AttachmentId>,
        /// 照片, 1 to 3 where the rider asked; none once they were deleted, 30 days after the decision, or he was forgotten.
        pub photos: Vec<Attached> as skip,
        /// Whether they were deleted.
        pub photos_gone: bool,
        #[serde(skip)]
        pub seen: Json<ReturnSeen>,
        /// 剩余免罚次数, where a picture let him off.
        pub impunity_left: Option<i16>,
        /// 处理意见.
        pub remark: String,
        /// 审核人.
        pub reviewer: String,
        /// Whether it passed because nobody decided.
        pub timed_out: bool,
        /// 还车时间, epoch milliseconds.
        pub ended_at: i64 = "ended_at_ms",
        /// 申请时间, epoch milliseconds.
        pub opened_at: i64 = "opened_at_ms",
        /// Until when it should be decided, epoch milliseconds.
        pub due_at: i64 = "due_at_ms",
        /// 审核时间, epoch milliseconds.
        pub decided_at: Option<i64> = "decided_at_ms",
        /// Epoch milliseconds.
        pub updated_at: i64 = "updated_at_ms",
        /// To be sent with a decision.
        pub version: i64,
    }
}

impl ReturnReviewRow {
    fn open(&mut self, opening: Opening, source: ReturnReviewSource, wish: Option<Wish>, at: Timestamp) {
        self.id = opening.review_id;
        self.order_id = opening.order_id;
        self.user_id = opening.rider_id;
        self.car_id = opening.car_id;
        self.agent_id = opening.agent_id;
        self.op_area_id = opening.area_id;
        self.apply_cents = opening.apply_cents;
        self.source = source;
        self.class = Some(opening.seen.class);
        self.ai_result = opening.seen.camera;
        self.certainty_percent = opening.seen.certainty_percent.into();
        self.parking_m = opening.seen.parking_m;
        self.ended_at = opening.seen.ended_at.millis();
        self.seen = Json(opening.seen.into());
        self.opened_at = at.millis();
        self.due_at = due_at(at).millis();
        if let Some(Wish { reason, photos, place }) = wish {
            self.reason = Some(reason);
            self.photo_ids = photos.into_iter().map(|photo| photo.id).collect();
            (self.lat, self.lng) = (place.map(Wgs84::lat), place.map(Wgs84::lng));
        }
    }

    fn decide(&mut self, state: CaseState, at: Timestamp) {
        self.state = state;
        self.decided_at = Some(at.millis());
    }

    fn say(&mut self, remark: String, by: &Personal<String>) {
        self.remark = remark;
        self.reviewer = by.known().cloned().unwrap_or_default();
    }
}

impl HoldsPhotos for ReturnReviewRow {
    fn photo_ids(&self) -> &[AttachmentId] {
        &self.photo_ids
    }

    fn show_photos(&mut self, found: &[Attached]) {
        let of_it = |attached: &&Attached| self.photo_ids.contains(&attached.id);
        self.photos = found.iter().filter(of_it).cloned().collect();
    }
}

impl Fold for ReturnReviewRow {
    type Of = ReturnReview;
    const TABLE: &'static str = "return_review";
    const KEY: &'static str = "review_id";

    fn fold(row: Option<Self>, event: ReviewEvent, recorded: &Recorded) -> After<Self> {
        let mut row = recorded.begin(row)?;
        match event {
            ReviewEvent::Opened { opening, source, wish, at } => row.open(*opening, source, wish, at),
            ReviewEvent::LetOff { left, at, .. } => {
                row.decide(CaseState::Passed, at);
                row.impunity_left = Some(left.try_into().unwrap_or(i16::MAX));
            }
            ReviewEvent::Accepted { remark, by, at } => {
                row.decide(CaseState::Passed, at);
                row.say(remark, &by);
            }
            ReviewEvent::Rejected { remark, by, at } => {
                row.decide(CaseState::Failed, at);
                row.say(remark, &by);
            }
            ReviewEvent::TimedOut { at } => {
                row.decide(CaseState::Passed, at);
                row.timed_out = true;
            }
            ReviewEvent::PhotosDropped { .. } => {
                row.photos_gone = true;
                row.photo_ids.clear();
            }
        }
        row.updated_at = recorded.recorded_at.millis();
        row.version = recorded.version;
        Ok(Some(row))
    }

    fn owner(&self) -> DataOwner {
        DataOwner::of_area(self.agent_id, self.op_area_id)
    }
}

/// Reviews in scope, newest first. What was seen is asked for alone.
pub fn list(scope: &Scope) -> List {
    List::new(
        "v.review_id, v.order_id, v.rider_id, r.phone_masked as phone, r.name_masked as name, v.car_id, v.agent_id, v.area_id,
         a.name as area_name, v.state, v.source, v.reason, v.class, v.ai_result, v.certainty_percent, v.parking_m,
         v.apply_cents, v.lat, v.lng, v.photo_ids, v.photos_gone,
         '{\"errorM\": 0, \"fixes\": [], \"missing\": [], \"parts\": [], \"reasons\": []}'::jsonb as seen,
         v.impunity_left, v.remark, v.reviewer, v.timed_out, v.ended_at_ms, v.opened_at_ms, v.due_at_ms, v.decided_at_ms,
         v.updated_at_ms, v.version",
        "read.return_review v left join read.area a on a.area_id = v.area_id
         left join read.rider r on r.rider_id = v.rider_id",
        "v.opened_at_ms desc, v.review_id desc",
    )
    .found_in("read.return_review v", "v.review_id")
    .of_agents("v.agent_id", scope)
    .of_areas("v.area_id", scope)
}

/// What they may be sorted by.
pub const SORTS: [Sort; 1] = [Sort { name: "openedAt", column: "v.opened_at_ms" }];

/// Those of a list that have waited at least so many minutes, or did until they were decided.
pub fn waited(list: List, minutes: u16) -> List {
    let pieces =
        ["coalesce(v.decided_at_ms, (extract(epoch from now()) * 1000)::bigint) - v.opened_at_ms >= ", ""];
    list.matching(&pieces, vec![(i64::from(minutes) * 60_000).into()])
}

/// What was seen of the return of a review in scope.
pub async fn seen(db: impl PgExecutor<'_>, review: ReturnReviewId) -> sqlx::Result<Option<ReturnSeen>> {
    let seen = sqlx::query_scalar("select seen from read.return_review where review_id = $1")
        .bind(review)
        .fetch_optional(db)
        .await?;
    Ok(seen.map(|Json(seen)| seen))
}

/// What became of a rider's other reviews.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema, sqlx::FromRow)]
pub struct FormerReviews {
    /// So many there were.
    pub count: i64,
    /// So many of these passed.
    pub passed: i64,
    /// So many of these because nobody decided.
    #[serde(rename = "timedOut")]
    pub timed_out: i64,
}

/// What became of the other reviews of a review's rider, in scope.
pub async fn former(
    db: impl PgExecutor<'_>,
    rider: RiderId,
    but: ReturnReviewId,
) -> sqlx::Result<FormerReviews> {
    sqlx::query_as(
        "select count(*) as count, count(*) filter (where state = 1) as passed,
             count(*) filter (where timed_out) as timed_out
         from read.return_review where rider_id = $1 and review_id <> $2",
    )
    .bind(rider)
    .bind(but)
    .fetch_one(db)
    .await
}

/// How often a rider was let off by the picture of his bike.
pub async fn let_off(db: impl PgExecutor<'_>, rider: RiderId) -> sqlx::Result<i64> {
    sqlx::query_scalar("select count(*) from read.return_review where rider_id = $1 and source = 2")
        .bind(rider)
        .fetch_one(db)
        .await
}

/// Whether a review in scope has the photo.
pub async fn has_photo(
    db: impl PgExecutor<'_>,
    review: ReturnReviewId,
    photo: AttachmentId,
) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "select exists (select from read.return_review where review_id = $1 and $2 = any(photo_ids))",
    )
    .bind(review)
    .bind(photo)
    .fetch_one(db)
    .await
}

/// Those whose photos are to be deleted at `now`, at most `most`.
pub async fn photos_due(
    db: impl PgExecutor<'_>,
    now: Timestamp,
    most: i64,
) -> sqlx::Result<Vec<ReturnReviewId>> {
    sqlx::query_scalar(
        "select review_id from read.return_review where photo_ids <> '{}' and decided_at_ms <= $1
         order by decided_at_ms limit $2",
    )
    .bind(now.millis() - PHOTOS_KEPT_MS)
    .bind(most)
    .fetch_all(db)
    .await
}

/// What nobody decided in time at `now`, the oldest first; at most 500.
pub async fn overdue(db: impl PgExecutor<'_>, now: Timestamp) -> sqlx::Result<Vec<ReturnReviewId>> {
    sqlx::query_scalar(
        "select review_id from read.return_review where state = 0 and opened_at_ms <= $1
         order by opened_at_ms, review_id limit $2",
    )
    .bind(now.plus_millis(-PASSES_AFTER_MS).millis())
    .bind(ROUND_MAX)
    .fetch_all(db)
    .await
}
