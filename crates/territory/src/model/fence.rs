//! A fence inside a service area. Each time it is published it is a new version, which counts from an instant until the
//! next one does; what is being drawn is a draft and counts for nobody.

use std::collections::BTreeSet;

use attachments::{Photo, claim_of};
use geofence::atlas::Span;
use geofence::{FenceKind, Parking, Ring, Rule, Shape};
use kernel::{Aggregate, Claim, Decision, events, refusals};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vocabulary::text::{line, lines};
use vocabulary::versions::{History, Stretch, Version, VersionFault};
use vocabulary::{AgentId, AreaId, AttachmentId, Cents, DataOwner, FenceBatchId, FenceId, Timestamp};

pub use vocabulary::versions::Term;

use super::fence_adjust::{Adjusted, Adjustment};

/// A name has at most so many characters.
pub const NAME_MAX: usize = 30;
/// A remark has at most so many characters.
pub const REMARK_MAX: usize = 200;
/// So many tags of so many characters at most.
pub const TAGS_MAX: usize = 10;
const TAG_MAX: usize = 10;
/// Versions that one fence may have: more is a program gone wild.
pub const VERSIONS_MAX: usize = 500;
/// One of the system before counts at most so far back: as long as it is known where bikes stopped.
const ADOPTED_MAX_MS: i64 = 35 * 86_400_000;
/// Photos that a fence shows.
pub const PHOTOS_MAX: usize = 3;
/// A refusal names so many other fences at most.
const NAMED_MAX: usize = 3;

/// A fence as drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drawing {
    /// Its own id.
    pub fence_id: FenceId,
    /// The service area it lies in.
    pub area_id: AreaId,
    /// Who runs that area.
    pub agent_id: AgentId,
    /// 名称.
    pub name: String,
    /// Its edge.
    pub shape: Shape,
    /// What it says of those who stop in it.
    pub rule: Rule,
    /// 标签.
    pub tags: Vec<String>,
    /// 备注.
    pub remark: String,
}

/// A fence of the same area that tells riders the opposite, in a stretch of time in which one of its versions counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Opposite {
    /// Which.
    pub id: FenceId,
    /// What it is for.
    pub kind: FenceKind,
    /// 名称.
    pub name: String,
    /// Its edge.
    pub shape: Shape,
    /// When it counts so.
    pub span: Span,
}

/// What may be asked. `area` is the edge of its area, which it must not leave.
#[derive(Clone, Debug)]
pub enum FenceCommand {
    /// Draws it so, from now on; the same again changes nothing.
    Draw { drawing: Drawing, area: Ring },
    /// Draws one of the system before, which has counted since then; of one that is known nothing is changed backwards.
    Adopt { drawing: Drawing, area: Ring, since: Timestamp },
    /// Keeps what is being drawn.
    Save { drawing: Drawing, area: Ring },
    /// Throws away what was being drawn.
    Discard,
    /// Lets the draft count.
    Publish { term: Term, area: Ring },
    /// Takes back a version that does not count yet.
    Withdraw { data_version: i64 },
    /// Draws it, from now on, as it was in an earlier version.
    RollBack { data_version: i64, area: Ring },
    /// Makes it count.
    Enable,
    /// Makes it not count.
    Disable,
    /// Takes it away; what it was stays known.
    Delete,
    /// Changes some of what a parking place says, as part of a change of many: from `term.from` on, and until `term.until`
    /// when that comes, from when on it says again what it says now.
    Adjust { batch: FenceBatchId, adjustment: Adjustment, term: Term },
    /// Takes back what an adjustment did, when nothing came after it.
    Revert { batch: FenceBatchId, adjusted: Adjusted },
    /// Shows a photo of the place.
    ShowPhoto(Photo),
    /// Shows one no more; it stays known.
    HidePhoto(AttachmentId),
    /// The command, unless what begins to count by it overlaps one of `opposite` that counts at the same time.
    Apart { opposite: Vec<Opposite>, command: Box<Self> },
}

events! {
    /// What happened.
    pub enum FenceEvent {
        /// A first or a new version of it.
        Published {
            /// 1, 2, 3 …
            data_version: i64,
            /// What was drawn.
            drawing: Drawing,
            /// When it counts.
            term: Term,
            /// The change of many fences at once that it is part of.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            batch: Option<FenceBatchId>,
        } = "fence.published" in form 2 by lift,
        DraftSaved { drawing: Drawing } = "fence.draft_saved",
        DraftDiscarded = "fence.draft_discarded",
        /// A version that did not count yet never will.
        Withdrawn { data_version: i64 } = "fence.withdrawn",
        /// It counts again.
        Enabled = "fence.enabled",
        /// It does not count.
        Disabled = "fence.disabled",
        Deleted = "fence.deleted",
        PhotoShown(Photo) = "fence.photo_shown",
        PhotoHidden { id: AttachmentId } = "fence.photo_hidden",
    }
}

/// A drawing of the first form: a ring of one of two kinds, with a capacity.
fn lift(_from: i16, mut data: Value) -> Value {
    let mut drawing = data["drawing"].take();
    let rule = if drawing["kind"] == 4 {
        json!({ "no_stop": geofence::Ban::default() })
    } else {
        let capacity = drawing["capacity"].as_i64().and_then(|given| i32::try_from(given).ok());
        json!({ "parking": Parking { capacity: capacity.unwrap_or(0), ..Parking::default() } })
    };
    let shape = json!({ "polygon": drawing["ring"].take() });
    for (name, value) in [("rule", rule), ("shape", shape), ("tags", json!([])), ("remark", json!(""))] {
        drawing[name] = value;
    }
    json!({ "data_version": data["data_version"], "drawing": drawing, "term": Term::default() })
}

refusals! {
    /// Why not.
    pub enum FenceRefusal {
        Shape(String) = "ring": ("{0}"),
        Unknown = "fence-unknown": ("围栏不存在或已删除"),
        Name = "fence-name": ("围栏名称需 1 到 {NAME_MAX} 个字"),
        Remark = "fence-remark": ("备注最多 {REMARK_MAX} 个字"),
        Tags = "fence-tags": ("标签最多 {TAGS_MAX} 个，每个 1 到 {TAG_MAX} 个字，不能重复"),
        Capacity(i32) = "fence-capacity": ("停放上限需在 0 到 10000 之间，不能是 {0}"),
        MinKeep = "fence-min-keep": ("保有下限需在 0 到停放上限之间"),
        Buffer = "fence-buffer": ("缓冲距离需在 0 到 50 米之间"),
        Direction = "fence-direction": ("停车方向需在 0 到 359 度之间，允许偏差在 1 到 90 度之间"),
        Difficulty = "fence-difficulty": ("难度系数需在 0.1 到 10 之间"),
        RfidCodes = "fence-rfid": ("射频编号最多 100 个，每个 1 到 32 个字符，不能重复"),
        Hours = "fence-hours": ("时段的起止时间不正确"),
        Weekdays = "fence-weekdays": ("请至少选择一天"),
        Penalty = "fence-penalty": ("违停费用需在 0 到 1000 元之间"),
        OutsideArea { lng: String, lat: String } = "fence-outside-area": ("围栏在 {lng}, {lat} 附近超出了所属服务区的边界"),
        Overlap(String) = "fence-overlap": ("与{0}重叠，确认后可继续"),
        NameTaken = "fence-name-taken": ("该服务区内已有同名围栏"),
        Different = "fence-different": ("围栏不能换到另一个服务区或改变类型"),
        NoDraft = "fence-no-draft": ("没有草稿可以发布"),
        TooEarly = "fence-too-early": ("生效时间不能早于现在"),
        Adopted = "fence-adopted": ("在原系统启用的时间需在最近 35 天之内，且不晚于现在"),
        TooLate = "fence-too-late": ("生效时间不能晚于一年之后"),
        EndsEarly = "fence-ends-early": ("失效时间至少要比生效时间晚 1 分钟"),
        NoVersion(i64) = "fence-no-version": ("没有第 {0} 版"),
        Counted(i64) = "fence-counted": ("第 {0} 版已经生效，不能撤回；可以回滚到更早的版本"),
        TooManyVersions = "fence-versions": ("一个围栏最多 {VERSIONS_MAX} 个版本"),
        NotParking = "fence-not-parking": ("只有停车区可以批量修改"),
        OpenDraft = "fence-open-draft": ("有未发布的草稿，请先发布或丢弃"),
        Pending(i64) = "fence-pending": ("第 {0} 版还没有生效，请等它生效或先撤回"),
        Over = "fence-over": ("到那时围栏已经失效"),
        NoDirection = "fence-no-direction": ("没有设置停车方向，不能要求定向停车或改允许偏差"),
        NoRfidCodes = "fence-no-rfid-codes": ("没有射频编号，不能要求射频识别"),
        ChangedSince = "fence-changed-since": ("之后又被修改过，没有撤销"),
        Photos = "fence-photos": ("一个围栏最多 {PHOTOS_MAX} 张照片，请先移除一张"),
        PhotoTaken = "fence-photo-taken": ("照片已用于其他业务，请重新上传"),
        NoPhoto = "fence-photo-unknown": ("围栏没有这张照片"),
        BackAlready = "fence-back-already": ("已经按时恢复，不用撤销"),
    }
}

impl From<VersionFault> for FenceRefusal {
    fn from(fault: VersionFault) -> Self {
        match fault {
            VersionFault::NoDraft => Self::NoDraft,
            VersionFault::TooEarly => Self::TooEarly,
            VersionFault::TooLate => Self::TooLate,
            VersionFault::EndsEarly => Self::EndsEarly,
            VersionFault::NoVersion(number) => Self::NoVersion(number),
            VersionFault::Counted(number) => Self::Counted(number),
            VersionFault::TooMany => Self::TooManyVersions,
        }
    }
}

/// The fence as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct Fence {
    pub(super) history: History<Drawing>,
    photos: BTreeSet<AttachmentId>,
    enabled: bool,
    deleted: bool,
}

impl Drawing {
    /// The same with its texts as they are kept, when all of it may stand.
    pub(super) fn sound(mut self) -> Result<Self, FenceRefusal> {
        self.name = line(&self.name, NAME_MAX).ok_or(FenceRefusal::Name)?;
        self.remark = lines(&self.remark, REMARK_MAX).ok_or(FenceRefusal::Remark)?;
        let tags = self.tags.iter().map(|tag| line(tag, TAG_MAX)).collect::<Option<Vec<_>>>();
        self.tags =
            tags.filter(|tags| tags.len() <= TAGS_MAX && all_differ(tags)).ok_or(FenceRefusal::Tags)?;
        match &self.rule {
            Rule::Parking(parking) => sound_parking(parking)?,
            Rule::NoStop(ban) | Rule::NoRide(ban) => {
                if !(1..=127).contains(&ban.weekdays.0) {
                    return Err(FenceRefusal::Weekdays);
                }
                if ban.hours.is_some_and(|hours| !hours.is_sound()) {
                    return Err(FenceRefusal::Hours);
                }
                if ban.penalty_cents.is_some_and(|penalty| !(Cents(0)..=Cents(100_000)).contains(&penalty)) {
                    return Err(FenceRefusal::Penalty);
                }
            }
            Rule::Maintenance | Rule::Custom => {}
        }
        Ok(self)
    }

    /// Refuses what reaches out of its area, and says where.
    fn within(&self, area: &Ring) -> Result<(), FenceRefusal> {
        area.protrusion(&self.shape).map_or(Ok(()), |[lng, lat]| {
            Err(FenceRefusal::OutsideArea { lng: format!("{lng:.6}"), lat: format!("{lat:.6}") })
        })
    }

    fn key(&self) -> String {
        format!("fence-name:{}:{}", self.area_id, self.name.trim())
    }
}

fn all_differ(texts: &[String]) -> bool {
    texts.iter().collect::<BTreeSet<_>>().len() == texts.len()
}

fn sound_parking(parking: &Parking) -> Result<(), FenceRefusal> {
    let rfid = &parking.rfid_codes;
    let is_code =
        |code: &String| (1..=32).contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_graphic());
    if !(0..=10_000).contains(&parking.capacity) {
        Err(FenceRefusal::Capacity(parking.capacity))
    } else if !(0..=parking.capacity).contains(&parking.min_keep) {
        Err(FenceRefusal::MinKeep)
    } else if !(0.0..=50.0).contains(&parking.buffer_m) {
        Err(FenceRefusal::Buffer)
    } else if parking.direction.is_some_and(|d| d.degrees > 359 || !(1..=90).contains(&d.tolerance_degrees)) {
        Err(FenceRefusal::Direction)
    } else if !(0.1..=10.0).contains(&parking.difficulty) {
        Err(FenceRefusal::Difficulty)
    } else if parking.hours.is_some_and(|hours| !hours.is_sound()) {
        Err(FenceRefusal::Hours)
    } else if rfid.len() > 100 || !all_differ(rfid) || !rfid.iter().all(is_code) {
        Err(FenceRefusal::RfidCodes)
    } else {
        Ok(())
    }
}

impl FenceCommand {
    /// Keeps what is drawn as a draft, or lets it count from now on.
    pub const fn drawn(draft: bool, drawing: Drawing, area: Ring) -> Self {
        if draft { Self::Save { drawing, area } } else { Self::Draw { drawing, area } }
    }
}

impl Fence {
    /// What was published last.
    pub(super) fn newest(&self) -> Option<&Drawing> {
        self.history.newest().map(|version| &version.said)
    }

    /// What it was last drawn as, published or not.
    pub fn drawing(&self) -> Option<&Drawing> {
        self.history.latest().filter(|_| !self.deleted)
    }

    /// The drawing of a version that was not withdrawn.
    pub fn version(&self, data_version: i64) -> Option<&Drawing> {
        self.history.version(data_version).map(|version| &version.said)
    }

    /// The number of what was published last and not taken back, 0 before the first.
    pub fn newest_number(&self) -> i64 {
        self.history.newest().map_or(0, |version| version.number)
    }

    /// Whether it may count at all.
    pub const fn is_enabled(&self) -> bool {
        self.enabled && !self.deleted
    }

    fn names(&self) -> BTreeSet<String> {
        let drawings = self.history.draft().into_iter().chain(self.newest()).filter(|_| !self.deleted);
        drawings.map(Drawing::key).collect()
    }

    fn publish(&self, drawing: Drawing, term: Term) -> Decision<Self> {
        let data_version = self.history.next(VERSIONS_MAX as i64)?;
        Ok(vec![FenceEvent::Published { data_version, drawing, term, batch: None }])
    }

    /// The drawing with the very edge that it had before, where that is the same: degrees that went through another datum come
    /// back a hair beside themselves, which is no change.
    fn as_before(&self, drawing: Drawing) -> Drawing {
        match self.drawing() {
            Some(known) if known.shape.is_as(&drawing.shape) => {
                Drawing { shape: known.shape.clone(), ..drawing }
            }
            _ => drawing,
        }
    }

    /// What counts from `now` on, and when.
    fn counting(&self, now: Timestamp) -> Vec<(&Version<Drawing>, Span)> {
        let span = |(from, until): Stretch| Span {
            from: Timestamp::from_millis(from),
            until: until.map(Timestamp::from_millis),
        };
        let counting = self.history.counting(now).into_iter().filter(|_| self.is_enabled());
        counting.map(|(version, stretch)| (version, span(stretch))).collect()
    }

    /// What counts from `now` on, each shape with its time; the draft as if it counted in the end.
    pub fn ahead(&self, now: Timestamp) -> Vec<(Shape, Span)> {
        let counting =
            self.counting(now).into_iter().map(|(version, span)| (version.said.shape.clone(), span));
        let in_the_end = Span { from: Timestamp::from_millis(i64::MAX), until: None };
        let draft = self.history.draft().map(|drawing| (drawing.shape.clone(), in_the_end));
        counting.chain(draft).collect()
    }

    /// The fences among `opposite` that overlap what begins to count by `events`, as people call them.
    fn overlapped(&self, events: &[FenceEvent], opposite: &[Opposite], now: Timestamp) -> Option<String> {
        let mut after = self.clone();
        for event in events {
            after.evolve(event);
        }
        let mut counting = after.counting(now);
        if self.enabled {
            // What counted before is not asked about again.
            counting.retain(|(version, _)| self.version(version.number).is_none());
        }
        let mut met: Vec<&Opposite> = Vec::new();
        for other in opposite {
            let overlaps = |(version, span): &(&Version<Drawing>, Span)| {
                span.meets(&other.span) && version.said.shape.overlaps(&other.shape)
            };
            if met.last().is_none_or(|last| last.id != other.id) && counting.iter().any(overlaps) {
                met.push(other);
            }
        }
        let named = met.iter().take(NAMED_MAX).map(|one| format!("{}「{}」", one.kind, one.name));
        let named = named.collect::<Vec<_>>().join("、");
        match met.len() {
            0 => None,
            1..=NAMED_MAX => Some(named),
            more => Some(format!("{named}等 {more} 个围栏")),
        }
    }

    /// Whether `drawing` may take the place of what there is.
    fn may_become(&self, drawing: &Drawing) -> Result<(), FenceRefusal> {
        match self.drawing() {
            _ if self.deleted => Err(FenceRefusal::Unknown),
            Some(old) if old.area_id != drawing.area_id || old.rule.kind() != drawing.rule.kind() => {
                Err(FenceRefusal::Different)
            }
            _ => Ok(()),
        }
    }
}

impl Aggregate for Fence {
    const CATEGORY: &'static str = "fence";
    type Id = FenceId;
    type Command = FenceCommand;
    type Event = FenceEvent;
    type Refusal = FenceRefusal;

    fn decide(&self, command: Self::Command, now: Timestamp) -> Decision<Self> {
        let known = || self.drawing().ok_or(FenceRefusal::Unknown);
        match command {
            FenceCommand::Draw { drawing, area } => {
                let drawing = self.as_before(drawing.sound()?);
                self.may_become(&drawing)?;
                if self.newest() == Some(&drawing) {
                    return Ok(vec![]);
                }
                drawing.within(&area)?;
                self.publish(drawing, Term::from(now))
            }
            FenceCommand::Adopt { since, .. } if !(0..=ADOPTED_MAX_MS).contains(&now.millis_since(since)) => {
                Err(FenceRefusal::Adopted)
            }
            FenceCommand::Adopt { drawing, area, since } => {
                let from = if self.newest().is_some() { now } else { since };
                let mut events = self.decide(FenceCommand::Draw { drawing, area }, now)?;
                for event in &mut events {
                    if let FenceEvent::Published { term, .. } = event {
                        *term = Term::from(from);
                    }
                }
                Ok(events)
            }
            FenceCommand::Save { drawing, area } => {
                let drawing = self.as_before(drawing.sound()?);
                self.may_become(&drawing)?;
                drawing.within(&area)?;
                if self.drawing() == Some(&drawing) {
                    return Ok(vec![]);
                }
                Ok(vec![FenceEvent::DraftSaved { drawing }])
            }
            FenceCommand::Discard => {
                known()?;
                // One that was never published would be nothing.
                match (self.history.draft(), self.history.newest().is_none()) {
                    (None, _) => Ok(vec![]),
                    (Some(_), true) => Ok(vec![FenceEvent::Deleted]),
                    (Some(_), false) => Ok(vec![FenceEvent::DraftDiscarded]),
                }
            }
            FenceCommand::Publish { term, area } => {
                known()?;
                let draft = self.history.publishable()?;
                draft.within(&area)?;
                self.publish(draft.clone(), term.sound(now)?)
            }
            FenceCommand::Withdraw { data_version } => {
                known()?;
                self.history.may_withdraw(data_version, now)?;
                Ok(vec![FenceEvent::Withdrawn { data_version }])
            }
            FenceCommand::RollBack { data_version, area } => {
                known()?;
                let Some(old) = self.history.back_to(data_version)? else { return Ok(vec![]) };
                old.within(&area)?;
                self.publish(old.clone(), Term::from(now))
            }
            FenceCommand::Enable => {
                known().map(|_| if self.enabled { vec![] } else { vec![FenceEvent::Enabled] })
            }
            FenceCommand::Disable => {
                known().map(|_| if self.enabled { vec![FenceEvent::Disabled] } else { vec![] })
            }
            FenceCommand::Delete if self.deleted => Ok(vec![]),
            FenceCommand::Delete => known().map(|_| vec![FenceEvent::Deleted]),
            FenceCommand::Adjust { batch, adjustment, term } => {
                known().and_then(|_| self.adjust(batch, &adjustment, term, now))
            }
            FenceCommand::Revert { batch, adjusted } => {
                known().and_then(|_| self.revert(batch, adjusted, now))
            }
            FenceCommand::ShowPhoto(photo) => {
                known()?;
                match self.photos.len() {
                    _ if self.photos.contains(&photo.id) => Ok(vec![]),
                    PHOTOS_MAX.. => Err(FenceRefusal::Photos),
                    _ => Ok(vec![FenceEvent::PhotoShown(photo)]),
                }
            }
            FenceCommand::HidePhoto(id) => {
                known()?;
                let shown = self.photos.contains(&id);
                if shown { Ok(vec![FenceEvent::PhotoHidden { id }]) } else { Err(FenceRefusal::NoPhoto) }
            }
            FenceCommand::Apart { opposite, command } => {
                let events = self.decide(*command, now)?;
                match self.overlapped(&events, &opposite, now) {
                    Some(named) => Err(FenceRefusal::Overlap(named)),
                    None => Ok(events),
                }
            }
        }
    }

    fn evolve(&mut self, event: &FenceEvent) {
        match event {
            FenceEvent::Published { data_version, drawing, term, .. } => {
                self.enabled |= self.history.last() == 0;
                self.history.publish(*data_version, drawing.clone(), *term);
            }
            FenceEvent::DraftSaved { drawing } => self.history.save(drawing.clone()),
            FenceEvent::DraftDiscarded => self.history.discard(),
            // What was drawn is not lost.
            FenceEvent::Withdrawn { data_version } => self.history.withdraw(*data_version),
            FenceEvent::Enabled => self.enabled = true,
            FenceEvent::Disabled => self.enabled = false,
            FenceEvent::Deleted => {
                self.deleted = true;
                self.history.discard();
            }
            FenceEvent::PhotoShown(photo) => {
                self.photos.insert(photo.id);
            }
            FenceEvent::PhotoHidden { id } => {
                self.photos.remove(id);
            }
        }
    }

    fn owner(&self) -> DataOwner {
        let drawing = self.history.latest();
        drawing.map_or(DataOwner::PLATFORM, |known| DataOwner::of_area(known.agent_id, known.area_id))
    }

    /// Names belong to it as long as it is there: that of the draft, and that of what was published last.
    fn claims(&self, event: &FenceEvent) -> Vec<Claim<FenceRefusal>> {
        // A photo is of one case for ever, shown or not.
        if let FenceEvent::PhotoShown(photo) = event {
            return vec![Claim::Take { key: claim_of(photo.id), refusal: FenceRefusal::PhotoTaken }];
        }
        let mut after = self.clone();
        after.evolve(event);
        let (held, wanted) = (self.names(), after.names());
        let given_back = held.difference(&wanted).map(|key| Claim::Release { key: key.clone() });
        let taken = wanted.difference(&held);
        let taken = taken.map(|key| Claim::Take { key: key.clone(), refusal: FenceRefusal::NameTaken });
        given_back.chain(taken).collect()
    }
}

#[cfg(test)]
#[path = "fence_tests.rs"]
mod tests;
