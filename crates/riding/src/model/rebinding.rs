//! A rebinding (实名换绑): a rider's wish for another phone, or to be known as somebody else. 0 待审核 → 1 已通过 or 2 未通过 by a
//! reviewer, 0 → 3 已取消 by the rider. What he owns stays his: the account is the same. Its photos go 30 days after that.

use attachments::{Photo, claim_of};
use kernel::{Aggregate, Claim, Decision, Personal, events, refusals};
use serde::{Deserialize, Serialize};
use vocabulary::text::some_lines;
use vocabulary::{AgentId, AreaId, DataOwner, Phone, RebindingId, RiderId, Timestamp, choices};

use super::review::{CaseState, REASON_MAX, Reviewer, Standing};
use super::rider::{Identity, RiderRefusal};

/// Photos of one: the card's front, its back, and the person with it.
pub const PHOTOS_MAX: usize = 3;

choices! {
    /// What is to be another.
    #[derive(Default)]
    pub enum RebindingKind("换绑类型") {
        #[default]
        Phone = 1 => "手机号换绑",
        Identity = 2 => "身份证换绑",
    }
}

/// What is to be another, and what it shall be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wish {
    /// Another phone.
    Phone(Phone),
    /// Another name and number.
    Identity(Identity),
}

impl Wish {
    /// What is to be another.
    pub const fn kind(&self) -> RebindingKind {
        match self {
            Self::Phone(_) => RebindingKind::Phone,
            Self::Identity(_) => RebindingKind::Identity,
        }
    }
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Its own id.
    pub rebinding_id: RebindingId,
    /// Who asks.
    pub rider_id: RiderId,
    /// Whose rider he is.
    pub agent_id: AgentId,
    /// In which area he registered.
    pub area_id: AreaId,
    /// What is to be another.
    pub kind: RebindingKind,
    /// 证件照.
    pub photos: Vec<Photo>,
    /// A keyed hash of his phone of then.
    pub phone_key: String,
    /// A keyed hash of the phone or number that he wants.
    pub wanted_key: String,
}

/// Who he is known as, and what he wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claimant {
    /// 原手机号.
    pub phone: Phone,
    /// Who he was proved to be.
    pub identity: Identity,
    /// What it shall be.
    pub wish: Wish,
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum RebindingCommand {
    /// Hands it in.
    Submit { request: Request, claimant: Personal<Claimant> },
    /// Says that it shall be so.
    Pass { reviewer: Reviewer },
    /// Says that it shall not, and why.
    Fail { reason: String, reviewer: Reviewer },
    /// Takes it back.
    Cancel { rider: RiderId },
    /// Its photos were deleted.
    DropPhotos,
}

events! {
    /// What happened.
    pub enum RebindingEvent {
        Submitted { request: Request, claimant: Personal<Claimant>, at: Timestamp } = "rebinding.submitted",
        Passed { by: Personal<String>, at: Timestamp } = "rebinding.passed",
        Failed { reason: String, by: Personal<String>, at: Timestamp } = "rebinding.failed",
        Cancelled { at: Timestamp } = "rebinding.cancelled",
        PhotosDropped { at: Timestamp } = "rebinding.photos_dropped",
    }
}

refusals! {
    /// Why not.
    pub enum RebindingRefusal {
        Unknown = "rebinding-unknown": ("换绑申请不存在"),
        Exists = "rebinding-exists": ("该申请已提交"),
        Waiting = "rebinding-waiting": ("已有待审核的换绑申请，请等待处理"),
        Same = "rebinding-same": ("新的信息与当前相同，无需换绑"),
        Photos = "rebinding-photos": ("证件照需 1 到 {PHOTOS_MAX} 张，不能重复"),
        PhotoTaken = "rebinding-photo-taken": ("照片已用于其他申请，请重新上传"),
        Reason = "rebinding-reason": ("请填写驳回原因，最多 {REASON_MAX} 个字"),
        Own = "rebinding-own": ("不能审核自己的申请"),
        NotHis = "rebinding-not-his": ("只能取消自己的申请"),
        NotNow { now: &'static str, act: &'static str } = "rebinding-not-now": ("申请当前为“{now}”，不能{act}"),
        Forgotten = "rebinding-forgotten": ("申请人已注销，资料已删除"),
        Riding = "rebinding-riding": ("该用户有进行中的订单，请在还车并支付后再审核"),
        TooEarly = "rebinding-photos-too-early": ("照片在审核结束 30 天后才删除"),
    } or Rider(RiderRefusal)
}

use RebindingRefusal as Refusal;

/// The rebinding as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct Rebinding {
    of: Option<Request>,
    claimant: Option<Personal<Claimant>>,
    standing: Standing,
}

impl Claimant {
    fn sound(self) -> Result<Self, Refusal> {
        let wish = match self.wish {
            Wish::Phone(phone) if phone == self.phone => return Err(Refusal::Same),
            Wish::Phone(phone) => Wish::Phone(phone),
            Wish::Identity(identity) => Wish::Identity(identity.sound()?),
        };
        if wish == Wish::Identity(self.identity.clone()) {
            return Err(Refusal::Same);
        }
        Ok(Self { wish, ..self })
    }
}

impl Request {
    fn sound(self) -> Result<Self, Refusal> {
        let fits = (1..=PHOTOS_MAX).contains(&self.photos.len()) && Photo::are_distinct(&self.photos);
        if fits { Ok(self) } else { Err(Refusal::Photos) }
    }
}

impl Rebinding {
    /// What was asked.
    pub const fn request(&self) -> Option<&Request> {
        self.of.as_ref()
    }

    /// Who asked and what for, when he is not forgotten.
    pub fn claimant(&self) -> Option<&Claimant> {
        self.claimant.as_ref().and_then(Personal::known)
    }

    /// Where it stands.
    pub const fn standing(&self) -> Standing {
        self.standing
    }

    /// Whether `reviewer` may decide it now; otherwise why not.
    fn decided_by(&self, reviewer: &Reviewer, act: &'static str) -> Result<(), Refusal> {
        let of = self.of.as_ref().ok_or(Refusal::Unknown)?;
        self.pending(act)?;
        let own =
            reviewer.phone_key.as_ref().is_some_and(|key| *key == of.phone_key || *key == of.wanted_key);
        if own { Err(Refusal::Own) } else { Ok(()) }
    }

    fn pending(&self, act: &'static str) -> Result<(), Refusal> {
        match self.standing.state {
            CaseState::Pending => Ok(()),
            state => Err(Refusal::NotNow { now: state.label(), act }),
        }
    }
}

impl Aggregate for Rebinding {
    const CATEGORY: &'static str = "rebinding";
    type Id = RebindingId;
    type Command = RebindingCommand;
    type Event = RebindingEvent;
    type Refusal = RebindingRefusal;

    fn decide(&self, command: Self::Command, now: Timestamp) -> Decision<Self> {
        let event = match command {
            RebindingCommand::Submit { .. } if self.of.is_some() => return Err(Refusal::Exists),
            RebindingCommand::Submit { request, claimant } => RebindingEvent::Submitted {
                request: request.sound()?,
                claimant: claimant.try_map(Claimant::sound)?,
                at: now,
            },
            RebindingCommand::Pass { reviewer } => {
                self.decided_by(&reviewer, "通过")?;
                // What is forgotten cannot be made anybody's.
                self.claimant().ok_or(Refusal::Forgotten)?;
                RebindingEvent::Passed { by: reviewer.name, at: now }
            }
            RebindingCommand::Fail { reason, reviewer } => {
                self.decided_by(&reviewer, "驳回")?;
                let reason = some_lines(&reason, REASON_MAX).ok_or(Refusal::Reason)?;
                RebindingEvent::Failed { reason, by: reviewer.name, at: now }
            }
            RebindingCommand::Cancel { rider } => {
                let of = self.of.as_ref().ok_or(Refusal::Unknown)?;
                if of.rider_id != rider {
                    return Err(Refusal::NotHis);
                }
                if self.standing.state == CaseState::Cancelled {
                    return Ok(vec![]);
                }
                self.pending("取消")?;
                RebindingEvent::Cancelled { at: now }
            }
            RebindingCommand::DropPhotos if self.standing.photos_gone => return Ok(vec![]),
            RebindingCommand::DropPhotos if self.standing.photos_are_due(now) => {
                RebindingEvent::PhotosDropped { at: now }
            }
            RebindingCommand::DropPhotos => return Err(Refusal::TooEarly),
        };
        Ok(vec![event])
    }

    fn evolve(&mut self, event: &RebindingEvent) {
        match event {
            RebindingEvent::Submitted { request, claimant, .. } => {
                self.of = Some(request.clone());
                self.claimant = Some(claimant.clone());
            }
            RebindingEvent::Passed { at, .. } => self.standing = self.standing.closed(CaseState::Passed, *at),
            RebindingEvent::Failed { at, .. } => self.standing = self.standing.closed(CaseState::Failed, *at),
            RebindingEvent::Cancelled { at } => {
                self.standing = self.standing.closed(CaseState::Cancelled, *at);
            }
            RebindingEvent::PhotosDropped { .. } => self.standing.photos_gone = true,
        }
    }

    fn owner(&self) -> DataOwner {
        self.of.as_ref().map_or(DataOwner::PLATFORM, |of| DataOwner::of_area(of.agent_id, of.area_id))
    }

    fn claims(&self, event: &RebindingEvent) -> Vec<Claim<Refusal>> {
        let of = match event {
            RebindingEvent::Submitted { request, .. } => Some(request),
            _ => self.of.as_ref(),
        };
        let Some(of) = of else { return Vec::new() };
        let waiting = format!("rebinding-waiting:{}", of.rider_id);
        let photos = of.photos.iter().map(|photo| claim_of(photo.id));
        match event {
            RebindingEvent::Submitted { .. } => photos
                .map(|key| Claim::Take { key, refusal: Refusal::PhotoTaken })
                .chain([Claim::Take { key: waiting, refusal: Refusal::Waiting }])
                .collect(),
            RebindingEvent::PhotosDropped { .. } => photos.map(|key| Claim::Release { key }).collect(),
            _ => vec![Claim::Release { key: waiting }],
        }
    }
}

#[cfg(test)]
#[path = "rebinding_tests.rs"]
mod tests;
