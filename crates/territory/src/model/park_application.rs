//! A station application (站点申请): a rider's wish for a parking place. 0 待处理 → 1 已通过 or 2 已驳回, 0 or 1 → 3 已建站. Who
//! asks for the same place soon after votes for it.

use std::collections::BTreeSet;

use attachments::{Photo, claim_of};
use kernel::{Aggregate, Claim, Decision, Personal, events, refusals};
use serde::{Deserialize, Serialize};
use vocabulary::text::{line, lines, some_lines};
use vocabulary::{
    AgentId, AreaId, DataOwner, FenceId, ParkApplicationId, Phone, Timestamp, Wgs84, choices, distance_m,
};

/// An address has at most so many characters.
pub const LOCATION_MAX: usize = 100;
/// A remark has at most so many characters.
pub const REMARK_MAX: usize = 200;
/// Photos of one application.
pub const PHOTOS_MAX: usize = 3;
/// Who asks for a place at most so far away means the same one, metres.
pub const SAME_WITHIN_M: f64 = 50.0;
/// An application gathers votes for so long.
pub const VOTES_FOR_MS: i64 = 30 * 86_400_000;
/// So many people vote for one at most.
pub const VOTES_MAX: usize = 500;

choices! {
    /// Where an application stands.
    #[derive(Default)]
    pub enum ParkApplicationState("申请状态") {
        #[default]
        Pending = 0 => "待处理",
        Accepted = 1 => "已通过",
        Rejected = 2 => "已驳回",
        Built = 3 => "已建站",
    }
}

/// Who asks, and his words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applicant {
    /// 手机号.
    pub phone: Phone,
    /// 申请说明; may be empty.
    pub remark: String,
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wish {
    /// Its own id.
    pub application_id: ParkApplicationId,
    /// The service area the place lies in.
    pub area_id: AreaId,
    /// Who runs that area.
    pub agent_id: AgentId,
    /// 申请位置.
    pub location: String,
    /// The place.
    pub place: Wgs84,
    /// 现场照片.
    pub photos: Vec<Photo>,
}

/// What may be asked. `applicant` and `by` carry whose they are.
#[derive(Clone, Debug)]
pub enum ParkApplicationCommand {
    /// Hands it in.
    Submit { wish: Wish, applicant: Personal<Applicant> },
    /// Counts one more who wants the same; who has voted already has done so.
    Vote { place: Wgs84, applicant: Personal<Applicant> },
    /// Says that it is to be built.
    Accept { remark: String, by: Personal<String> },
    /// Says that it is not, and why.
    Reject { remark: String, by: Personal<String> },
    /// Says that it is built: `parking` is drawn in `area`.
    Build { parking: FenceId, area: AreaId, by: Personal<String> },
    /// Says that `parking`, which never counted, is gone: what was built as it is to be built again.
    Unbuild { parking: FenceId },
}

events! {
    /// What happened.
    pub enum ParkApplicationEvent {
        Submitted {
            wish: Wish,
            applicant: Personal<Applicant>,
            /// Votes are counted from then on.
            at: Timestamp,
        } = "park-application.submitted",
        Voted { applicant: Personal<Applicant> } = "park-application.voted",
        Accepted { remark: String, by: Personal<String> } = "park-application.accepted",
        Rejected { remark: String, by: Personal<String> } = "park-application.rejected",
        Built { parking: FenceId, by: Personal<String> } = "park-application.built",
        Unbuilt { parking: FenceId } = "park-application.unbuilt",
    }
}

refusals! {
    /// Why not.
    pub enum ParkApplicationRefusal {
        Unknown = "park-application-unknown": ("站点申请不存在"),
        Exists = "park-application-exists": ("该申请已提交"),
        Location = "park-application-location": ("申请位置需 1 到 {LOCATION_MAX} 个字"),
        Remark = "park-application-remark": ("申请说明最多 {REMARK_MAX} 个字"),
        Photos = "park-application-photos": ("照片最多 {PHOTOS_MAX} 张，不能重复"),
        PhotoTaken = "park-application-photo-taken": ("照片已用于其他申请，请重新上传"),
        Elsewhere = "park-application-elsewhere": ("该位置与已有申请相距超过 {SAME_WITHIN_M} 米"),
        Over = "park-application-over": ("该申请已结束，不再接受附议"),
        VotesFull = "park-application-votes-full": ("该位置的申请已收到足够多的附议，请等待处理"),
        Opinion = "park-application-opinion": ("处理意见最多 {REMARK_MAX} 个字"),
        Reason = "park-application-reason": ("请填写驳回原因，最多 {REMARK_MAX} 个字"),
        NotNow { now: &'static str, act: &'static str } = "park-application-not-now": ("申请当前为“{now}”，不能{act}"),
        OtherArea = "park-application-other-area": ("围栏与申请不在同一个服务区"),
    }
}

use ParkApplicationRefusal as Refusal;

/// The application as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct ParkApplication {
    wish: Option<Wish>,
    submitted_at: Timestamp,
    state: ParkApplicationState,
    /// Whose it is and who voted, as persons are named in the log.
    voters: BTreeSet<String>,
    parking: Option<FenceId>,
}

impl Applicant {
    fn sound(mut self) -> Result<Self, Refusal> {
        self.remark = lines(&self.remark, REMARK_MAX).ok_or(Refusal::Remark)?;
        Ok(self)
    }
}

impl Wish {
    fn sound(mut self) -> Result<Self, Refusal> {
        self.location = line(&self.location, LOCATION_MAX).ok_or(Refusal::Location)?;
        if self.photos.len() > PHOTOS_MAX || !Photo::are_distinct(&self.photos) {
            return Err(Refusal::Photos);
        }
        Ok(self)
    }
}

impl ParkApplication {
    /// What was asked for.
    pub fn wish(&self) -> Option<&Wish> {
        self.wish.as_ref()
    }

    /// Whether it is still to be built.
    pub fn is_open(&self) -> bool {
        matches!(self.state, ParkApplicationState::Pending | ParkApplicationState::Accepted)
    }

    /// Whether who asks for `place` at `now` means the same; otherwise why not.
    fn means(&self, place: Wgs84, now: Timestamp) -> Result<(), Refusal> {
        let wish = self.wish.as_ref().ok_or(Refusal::Unknown)?;
        if distance_m(wish.place, place) > SAME_WITHIN_M {
            Err(Refusal::Elsewhere)
        } else if !self.is_open() || now.millis_since(self.submitted_at) > VOTES_FOR_MS {
            Err(Refusal::Over)
        } else {
            Ok(())
        }
    }

    fn not_now<T>(&self, act: &'static str) -> Result<T, Refusal> {
        Err(Refusal::NotNow { now: self.state.label(), act })
    }
}

impl Aggregate for ParkApplication {
    const CATEGORY: &'static str = "park-application";
    type Id = ParkApplicationId;
    type Command = ParkApplicationCommand;
    type Event = ParkApplicationEvent;
    type Refusal = ParkApplicationRefusal;

    fn decide(&self, command: Self::Command, now: Timestamp) -> Decision<Self> {
        use ParkApplicationState::{Accepted, Pending, Rejected};
        let known = || self.wish.as_ref().ok_or(Refusal::Unknown);
        match command {
            ParkApplicationCommand::Submit { .. } if self.wish.is_some() => Err(Refusal::Exists),
            ParkApplicationCommand::Submit { wish, applicant } => {
                let (wish, applicant) = (wish.sound()?, applicant.try_map(Applicant::sound)?);
                Ok(vec![ParkApplicationEvent::Submitted { wish, applicant, at: now }])
            }
            ParkApplicationCommand::Vote { place, applicant } => {
                self.means(place, now)?;
                if self.voters.contains(applicant.subject()) {
                    Ok(vec![])
                } else if self.voters.len() >= VOTES_MAX {
                    Err(Refusal::VotesFull)
                } else {
                    Ok(vec![ParkApplicationEvent::Voted { applicant: applicant.try_map(Applicant::sound)? }])
                }
            }
            ParkApplicationCommand::Accept { remark, by } => {
                known()?;
                let remark = lines(&remark, REMARK_MAX).ok_or(Refusal::Opinion)?;
                match self.state {
                    Pending => Ok(vec![ParkApplicationEvent::Accepted { remark, by }]),
                    Accepted => Ok(vec![]),
                    _ => self.not_now("通过"),
                }
            }
            ParkApplicationCommand::Reject { remark, by } => {
                known()?;
                let remark = some_lines(&remark, REMARK_MAX).ok_or(Refusal::Reason)?;
                match self.state {
                    Pending => Ok(vec![ParkApplicationEvent::Rejected { remark, by }]),
                    Rejected => Ok(vec![]),
                    _ => self.not_now("驳回"),
                }
            }
            ParkApplicationCommand::Build { parking, area, by } => {
                let built = ParkApplicationEvent::Built { parking, by: by.clone() };
                match self.state {
                    _ if known()?.area_id != area => Err(Refusal::OtherArea),
                    // Who builds it wants it.
                    Pending => Ok(vec![ParkApplicationEvent::Accepted { remark: String::new(), by }, built]),
                    Accepted => Ok(vec![built]),
                    ParkApplicationState::Built if self.parking == Some(parking) => Ok(vec![]),
                    _ => self.not_now("建站"),
                }
            }
            ParkApplicationCommand::Unbuild { parking } if self.parking == Some(parking) => {
                Ok(vec![ParkApplicationEvent::Unbuilt { parking }])
            }
            ParkApplicationCommand::Unbuild { .. } => Ok(vec![]),
        }
    }

    fn evolve(&mut self, event: &ParkApplicationEvent) {
        match event {
            ParkApplicationEvent::Submitted { wish, applicant, at } => {
                self.wish = Some(wish.clone());
                self.submitted_at = *at;
                self.voters.insert(applicant.subject().to_owned());
            }
            ParkApplicationEvent::Voted { applicant } => {
                self.voters.insert(applicant.subject().to_owned());
            }
            ParkApplicationEvent::Accepted { .. } => self.state = ParkApplicationState::Accepted,
            ParkApplicationEvent::Rejected { .. } => self.state = ParkApplicationState::Rejected,
            ParkApplicationEvent::Built { parking, .. } => {
                self.state = ParkApplicationState::Built;
                self.parking = Some(*parking);
            }
            ParkApplicationEvent::Unbuilt { .. } => {
                self.state = ParkApplicationState::Accepted;
                self.parking = None;
            }
        }
    }

    fn owner(&self) -> DataOwner {
        self.wish.as_ref().map_or(DataOwner::PLATFORM, |wish| DataOwner::of_area(wish.agent_id, wish.area_id))
    }

    fn claims(&self, event: &ParkApplicationEvent) -> Vec<Claim<Refusal>> {
        match event {
            ParkApplicationEvent::Submitted { wish, .. } => {
                let take =
                    |photo: &Photo| Claim::Take { key: claim_of(photo.id), refusal: Refusal::PhotoTaken };
                wish.photos.iter().map(take).collect()
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
#[path = "park_application_tests.rs"]
mod tests;
