//! A return review (还车审核): somebody looks at where a bike was left before its rider pays for the place, or after. Opened by
//! the system, where it is not sure or a proof is missing (the order waits), or by the rider, who was charged. 0 待审核 → 1 已通过
//! or 2 未通过; what nobody decides within half an hour passes by itself. The evidence is what was seen then, and stays.

use attachments::{Photo, claim_of};
use geofence::judge::{Reason, ReturnClass};
use kernel::{Aggregate, Claim, Decision, Personal, events, refusals};
use serde::{Deserialize, Serialize};
use vocabulary::text::{lines, some_lines};
use vocabulary::{
    AgentId, AreaId, DataOwner, ReturnReviewId, RideOrderId, RiderId, Timestamp, Wgs84, choices,
};

use super::certainty::{CameraVerdict, Fix, Part};
use super::fare::Left;
use super::order::{FenceVersion, Share};
use super::review::{CaseState, REASON_MAX, Standing};

/// A rider may ask so long after his ride ended.
pub const ASKED_WITHIN_MS: i64 = 24 * 3_600_000;
/// What nobody decides within this passes by itself.
pub const PASSES_AFTER_MS: i64 = 30 * 60_000;
/// By day it should be decided within this.
pub const DUE_BY_DAY_MS: i64 = 10 * 60_000;
/// Photos of a rider.
pub const PHOTOS_MAX: usize = 3;
/// The day begins and ends at these hours in Shanghai.
const DAY_HOURS: std::ops::Range<i64> = 7..23;
const HOUR_MS: i64 = 3_600_000;

choices! {
    /// Why a rider asks.
    pub enum ReturnReviewReason("申请原因") {
        Misjudged = 1 => "站点内误判",
        Full = 2 => "满桩",
        Drift = 3 => "定位漂移",
        Unread = 4 => "道钉/RFID 未识别",
        HelmetBack = 5 => "头盔已还",
        Other = 6 => "其他",
    }
}

choices! {
    /// Who opened it.
    #[derive(Default)]
    pub enum ReturnReviewSource("来源") {
        #[default]
        Rider = 1 => "用户申请",
        Camera = 2 => "摄像头免罚",
        System = 3 => "系统待确认",
    }
}

/// A return as it was seen when the review was opened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// When the ride ended.
    pub ended_at: Timestamp,
    /// What the fences of that time say.
    pub class: ReturnClass,
    /// Where the bike was taken to stand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Wgs84>,
    /// How far that may be off, metres.
    pub error_m: f64,
    /// What it was made of, the newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixes: Vec<Fix>,
    /// Where its rider's phone was then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rider_place: Option<Wgs84>,
    /// The fence that decided, in its version of that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fence: Option<FenceVersion>,
    /// The nearest parking place, in its version of that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parking: Option<FenceVersion>,
    /// Metres to it; 0 within.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parking_m: Option<f64>,
    /// Proofs that it asks for and that were not given: 1 beacon, 2 RFID, 3 direction, 4 kickstand, 5 camera.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<i16>,
    /// What the bike's picture was taken for.
    pub camera: CameraVerdict,
    /// How sure it is that a penalty is due, percent.
    pub certainty_percent: u8,
    /// Each evidence with its pull.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// Why it is judged so, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

impl Seen {
    /// The reasons of a judgement, as they are kept.
    pub fn worded(reasons: &[Reason]) -> Vec<String> {
        reasons.iter().map(ToString::to_string).collect()
    }
}

/// Where a rider's own words come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wish {
    /// Why he asks.
    pub reason: ReturnReviewReason,
    /// What he took pictures of, 1 to 3.
    pub photos: Vec<Photo>,
    /// Where his phone is as he asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Wgs84>,
}

/// A review as it begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opening {
    /// Its own id.
    pub review_id: ReturnReviewId,
    /// Of which ride.
    pub order_id: RideOrderId,
    /// Whose.
    pub rider_id: RiderId,
    /// 车辆编号.
    pub car_id: String,
    /// Whose bike it was.
    pub agent_id: AgentId,
    /// The service area of the order.
    pub area_id: AreaId,
    /// What was seen.
    pub seen: Seen,
    /// Where it counts as left when the review fails.
    pub left: Left,
    /// What is at stake: cents.
    pub apply_cents: i64,
}

/// What may be asked. `by` carries whose it is.
#[derive(Clone, Debug)]
pub enum ReviewCommand {
    /// Opens it for an order that waits for it.
    Hold(Box<Opening>),
    /// Opens it and lets its rider off at once, because of the picture of his bike, for the `used + 1`th time of `most`.
    LetOff { opening: Box<Opening>, used: u16, most: u16 },
    /// The rider asks for it.
    Ask { opening: Box<Opening>, wish: Wish },
    /// He stood well enough.
    Accept { remark: String, by: Personal<String> },
    /// He did not, and why.
    Reject { remark: String, by: Personal<String> },
    /// Nobody decided in time.
    TimeOut,
    /// Its photos were deleted.
    DropPhotos,
}

events! {
    /// What happened.
    pub enum ReviewEvent {
        Opened {
            opening: Box<Opening>,
            source: ReturnReviewSource,
            wish: Option<Wish>,
            at: Timestamp,
        } = "return-review.opened",
        LetOff { used: u16, left: u16, at: Timestamp } = "return-review.let_off",
        Accepted { remark: String, by: Personal<String>, at: Timestamp } = "return-review.accepted",
        Rejected { remark: String, by: Personal<String>, at: Timestamp } = "return-review.rejected",
        TimedOut { at: Timestamp } = "return-review.timed_out",
        PhotosDropped { at: Timestamp } = "return-review.photos_dropped",
    }
}

refusals! {
    /// Why not.
    pub enum ReviewRefusal {
        Unknown = "return-review-unknown": ("还车审核不存在"),
        Exists = "return-review-exists": ("该审核已提交"),
        Open = "return-review-open": ("该订单正在审核，请等待结果"),
        AskedBefore = "return-review-asked": ("该订单已申请过还车审核，不能重复申请"),
        NothingAtStake = "return-review-nothing": ("该订单没有调度费或头盔费，无需申请"),
        TooLate = "return-review-too-late": ("还车超过 24 小时，不能再申请"),
        Photos = "return-review-photos": ("请提交 1 到 {PHOTOS_MAX} 张照片，不能重复"),
        PhotoTaken = "return-review-photo-taken": ("照片已用于其他申请，请重新上传"),
        Remark = "return-review-remark": ("处理意见最多 {REASON_MAX} 个字"),
        Reason = "return-review-reason": ("请填写未通过的原因，最多 {REASON_MAX} 个字"),
        NotNow { now: &'static str, act: &'static str } = "return-review-not-now": ("审核当前为“{now}”，不能{act}"),
        Own = "return-review-own": ("不能审核自己的还车"),
        TooEarly = "return-review-too-early": ("审核尚未超时"),
        PhotosTooEarly = "return-review-photos-too-early": ("照片在审核结束 30 天后才删除"),
        ImpunityUsed = "return-review-impunity": ("免罚次数已用完"),
    }
}

use ReviewRefusal as Refusal;

/// The review as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct ReturnReview {
    opening: Option<Box<Opening>>,
    source: ReturnReviewSource,
    wish: Option<Wish>,
    opened_at: Timestamp,
    standing: Standing,
}

/// What of what came for an order goes back when `cents` are waived: real money first, and no more than is left of each.
pub fn going_back(paid: &Share, refunded: &Share, cents: i64) -> Share {
    let mut rest = cents.max(0);
    let mut part = |paid: i64, refunded: i64| {
        let part = rest.min((paid - refunded).max(0));
        rest -= part;
        part
    };
    let third_cents = part(paid.third_cents, refunded.third_cents);
    let recharge_cents = part(paid.recharge_cents, refunded.recharge_cents);
    let present_cents = part(paid.present_cents, refunded.present_cents);
    Share { recharge_cents, present_cents, third_cents }
}

/// When a review that begins at `at` should be decided: within ten minutes by day, and before it passes by itself otherwise.
pub fn due_at(at: Timestamp) -> Timestamp {
    let hour = (at.millis() + 8 * HOUR_MS).rem_euclid(24 * HOUR_MS) / HOUR_MS;
    at.plus_millis(if DAY_HOURS.contains(&hour) { DUE_BY_DAY_MS } else { PASSES_AFTER_MS })
}

impl ReturnReview {
    /// What it is about.
    pub fn opening(&self) -> Option<&Opening> {
        self.opening.as_deref()
    }

    /// Where it stands.
    pub const fn state(&self) -> CaseState {
        self.standing.state
    }

    /// What its rider took pictures of and is to be deleted at `now`; nothing: there is nothing to delete yet, or any more.
    pub fn photos_due(&self, now: Timestamp) -> Option<&[Photo]> {
        let wish = self.wish.as_ref().filter(|_| self.standing.photos_are_due(now))?;
        Some(&wish.photos)
    }

    /// Why its rider asks; nothing where it was opened by the system.
    pub fn reason(&self) -> Option<ReturnReviewReason> {
        self.wish.as_ref().map(|wish| wish.reason)
    }

    fn pending(&self, act: &'static str) -> Result<(), Refusal> {
        self.opening.as_ref().ok_or(Refusal::Unknown)?;
        match self.state() {
            CaseState::Pending => Ok(()),
            state => Err(Refusal::NotNow { now: state.label(), act }),
        }
    }

    fn open_claim(&self) -> Option<String> {
        let opening = self.opening.as_ref().filter(|_| self.state() == CaseState::Pending)?;
        Some(format!("return-review:{}", opening.order_id))
    }
}

fn sound(wish: Wish) -> Result<Wish, Refusal> {
    let fits = (1..=PHOTOS_MAX).contains(&wish.photos.len()) && Photo::are_distinct(&wish.photos);
    if fits { Ok(wish) } else { Err(Refusal::Photos) }
}

impl Aggregate for ReturnReview {
    const CATEGORY: &'static str = "return-review";
    type Id = ReturnReviewId;
    type Command = ReviewCommand;
    type Event = ReviewEvent;
    type Refusal = ReviewRefusal;

    fn decide(&self, command: ReviewCommand, now: Timestamp) -> Decision<Self> {
        let opened = |opening, source, wish| ReviewEvent::Opened { opening, source, wish, at: now };
        match command {
            ReviewCommand::Hold(_) | ReviewCommand::LetOff { .. } | ReviewCommand::Ask { .. }
                if self.opening.is_some() =>
            {
                Err(Refusal::Exists)
            }
            ReviewCommand::Hold(opening) => Ok(vec![opened(opening, ReturnReviewSource::System, None)]),
            ReviewCommand::LetOff { used, most, .. } if used >= most => Err(Refusal::ImpunityUsed),
            ReviewCommand::LetOff { opening, used, most } => {
                let left = most - used - 1;
                Ok(vec![
                    opened(opening, ReturnReviewSource::Camera, None),
                    ReviewEvent::LetOff { used, left, at: now },
                ])
            }
            ReviewCommand::Ask { opening, .. } if opening.apply_cents <= 0 => Err(Refusal::NothingAtStake),
            ReviewCommand::Ask { opening, .. }
                if now.millis_since(opening.seen.ended_at) > ASKED_WITHIN_MS =>
            {
                Err(Refusal::TooLate)
            }
            ReviewCommand::Ask { opening, wish } => {
                Ok(vec![opened(opening, ReturnReviewSource::Rider, Some(sound(wish)?))])
            }
            ReviewCommand::Accept { remark, by } => {
                self.pending("通过")?;
                let remark = lines(&remark, REASON_MAX).ok_or(Refusal::Remark)?;
                Ok(vec![ReviewEvent::Accepted { remark, by, at: now }])
            }
            ReviewCommand::Reject { remark, by } => {
                self.pending("驳回")?;
                let remark = some_lines(&remark, REASON_MAX);
                Ok(vec![ReviewEvent::Rejected { remark: remark.ok_or(Refusal::Reason)?, by, at: now }])
            }
            ReviewCommand::TimeOut => {
                self.pending("超时通过")?;
                if now.millis_since(self.opened_at) < PASSES_AFTER_MS {
                    return Err(Refusal::TooEarly);
                }
                Ok(vec![ReviewEvent::TimedOut { at: now }])
            }
            ReviewCommand::DropPhotos if self.standing.photos_gone => Ok(vec![]),
            ReviewCommand::DropPhotos => {
                self.photos_due(now).ok_or(Refusal::PhotosTooEarly)?;
                Ok(vec![ReviewEvent::PhotosDropped { at: now }])
            }
        }
    }

    fn evolve(&mut self, event: &ReviewEvent) {
        match event {
            ReviewEvent::Opened { opening, source, wish, at } => {
                self.opening = Some(opening.clone());
                self.source = *source;
                self.wish.clone_from(wish);
                self.opened_at = *at;
            }
            ReviewEvent::LetOff { at, .. }
            | ReviewEvent::Accepted { at, .. }
            | ReviewEvent::TimedOut { at } => self.standing = self.standing.closed(CaseState::Passed, *at),
            ReviewEvent::Rejected { at, .. } => self.standing = self.standing.closed(CaseState::Failed, *at),
            ReviewEvent::PhotosDropped { .. } => self.standing.photos_gone = true,
        }
    }

    fn owner(&self) -> DataOwner {
        let of = |opening: &Opening| DataOwner::of_area(opening.agent_id, opening.area_id);
        self.opening.as_deref().map_or(DataOwner::PLATFORM, of)
    }

    fn car_id(&self) -> Option<&str> {
        self.opening.as_ref().map(|opening| opening.car_id.as_str())
    }

    /// One is open for an order at a time; a rider asks once for each, and is let off once for each time that he may be.
    fn claims(&self, event: &ReviewEvent) -> Vec<Claim<Refusal>> {
        let mut after = self.clone();
        after.evolve(event);
        let mut all = Claim::exchange(self.open_claim(), after.open_claim(), Refusal::Open);
        match event {
            ReviewEvent::Opened { opening, wish: Some(wish), .. } => {
                let key = format!("return-review-asked:{}", opening.order_id);
                all.push(Claim::Take { key, refusal: Refusal::AskedBefore });
                let take =
                    |photo: &Photo| Claim::Take { key: claim_of(photo.id), refusal: Refusal::PhotoTaken };
                all.extend(wish.photos.iter().map(take));
            }
            ReviewEvent::LetOff { used, .. } => {
                let rider = after.opening().map(|opening| opening.rider_id).unwrap_or_default();
                let key = format!("return-impunity:{rider}:{used}");
                all.push(Claim::Take { key, refusal: Refusal::ImpunityUsed });
            }
            ReviewEvent::PhotosDropped { .. } => {
                let photos = self.wish.iter().flat_map(|wish| &wish.photos);
                all.extend(photos.map(|photo| Claim::Release { key: claim_of(photo.id) }));
            }
            _ => {}
        }
        all
    }
}

#[cfg(test)]
#[path = "return_review_tests.rs"]
mod tests;
