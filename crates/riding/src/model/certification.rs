//! A certification (职业认证) of a student or of somebody of a profession: 0 待审核 → 1 已通过 or 2 未通过 by a reviewer, 0 → 3 已取消
//! by the rider. Its photos go 30 days after that.

use attachments::{Photo, claim_of};
use kernel::{Aggregate, Claim, Decision, Personal, events, refusals};
use serde::{Deserialize, Serialize};
use vocabulary::text::{line, some_lines};
use vocabulary::{AgentId, AreaId, CertificationId, DataOwner, Phone, RiderId, Timestamp, choices};

use super::review::{CaseState, REASON_MAX, Reviewer, Standing};

/// The name of a school or company has at most so many characters.
pub const ORGANISATION_MAX: usize = 50;
/// The number of a card has at most so many characters.
pub const CERT_NO_MAX: usize = 30;
/// Photos of one: its front, and its back.
pub const PHOTOS_MAX: usize = 2;
/// It holds for so long at most.
pub const VALID_FOR_MS: i64 = 6 * 366 * 86_400_000;

choices! {
    /// What somebody is.
    #[derive(Default)]
    pub enum CareerKind("认证类型") {
        #[default]
        Student = 1 => "学生",
        Courier = 2 => "外卖",
        Teacher = 3 => "教师",
        Medic = 4 => "医护",
        Soldier = 5 => "军人/退役",
        Other = 6 => "其他",
    }
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Application {
    /// Its own id.
    pub certification_id: CertificationId,
    /// Who asks.
    pub rider_id: RiderId,
    /// Whose rider he is.
    pub agent_id: AgentId,
    /// In which area he registered.
    pub area_id: AreaId,
    /// What he says he is.
    pub kind: CareerKind,
    /// 证件照: its front first.
    pub photos: Vec<Photo>,
    /// A keyed hash of his phone.
    pub phone_key: String,
}

/// Who asks, and what his card says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bearer {
    /// 姓名, as it was proved.
    pub name: String,
    /// 手机号.
    pub phone: Phone,
    /// 学校/单位.
    pub organisation: String,
    /// 证件编号.
    pub cert_no: String,
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum CertificationCommand {
    /// Hands it in.
    Submit { application: Application, bearer: Personal<Bearer> },
    /// Says that it is so, until then.
    Pass { until: Timestamp, reviewer: Reviewer },
    /// Says that it is not, and why.
    Fail { reason: String, reviewer: Reviewer },
    /// Takes it back.
    Cancel { rider: RiderId },
    /// Its photos were deleted.
    DropPhotos,
}

events! {
    /// What happened.
    pub enum CertificationEvent {
        Submitted { application: Application, bearer: Personal<Bearer>, at: Timestamp } = "certification.submitted",
        Passed { until: Timestamp, by: Personal<String>, at: Timestamp } = "certification.passed",
        Failed { reason: String, by: Personal<String>, at: Timestamp } = "certification.failed",
        Cancelled { at: Timestamp } = "certification.cancelled",
        PhotosDropped { at: Timestamp } = "certification.photos_dropped",
    }
}

refusals! {
    /// Why not.
    pub enum CertificationRefusal {
        Unknown = "certification-unknown": ("职业认证申请不存在"),
        Exists = "certification-exists": ("该申请已提交"),
        Waiting = "certification-waiting": ("已有待审核的职业认证，请等待处理"),
        Organisation = "certification-organisation": ("学校或单位需 1 到 {ORGANISATION_MAX} 个字"),
        CertNo = "certification-cert-no": ("证件编号需 1 到 {CERT_NO_MAX} 个字"),
        Photos = "certification-photos": ("证件照需 1 到 {PHOTOS_MAX} 张，不能重复"),
        PhotoTaken = "certification-photo-taken": ("照片已用于其他申请，请重新上传"),
        Until = "certification-until": ("有效期需在今天之后，最长六年"),
        Reason = "certification-reason": ("请填写驳回原因，最多 {REASON_MAX} 个字"),
        Own = "certification-own": ("不能审核自己的申请"),
        NotHis = "certification-not-his": ("只能取消自己的申请"),
        NotNow { now: &'static str, act: &'static str } = "certification-not-now": ("申请当前为“{now}”，不能{act}"),
        TooEarly = "certification-photos-too-early": ("照片在审核结束 30 天后才删除"),
    }
}

use CertificationRefusal as Refusal;

/// The certification as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct Certification {
    of: Option<Application>,
    standing: Standing,
    bearer: Option<Personal<Bearer>>,
}

impl Application {
    fn sound(self) -> Result<Self, Refusal> {
        let fits = (1..=PHOTOS_MAX).contains(&self.photos.len()) && Photo::are_distinct(&self.photos);
        if fits { Ok(self) } else { Err(Refusal::Photos) }
    }
}

impl Bearer {
    fn sound(self) -> Result<Self, Refusal> {
        Ok(Self {
            organisation: line(&self.organisation, ORGANISATION_MAX).ok_or(Refusal::Organisation)?,
            cert_no: line(&self.cert_no, CERT_NO_MAX).ok_or(Refusal::CertNo)?,
            ..self
        })
    }
}

impl Certification {
    /// What was asked.
    pub const fn application(&self) -> Option<&Application> {
        self.of.as_ref()
    }

    /// Who asked, when he is not forgotten.
    pub fn bearer(&self) -> Option<&Bearer> {
        self.bearer.as_ref().and_then(Personal::known)
    }

    /// Where it stands.
    pub const fn standing(&self) -> Standing {
        self.standing
    }

    /// Whether `reviewer` may decide it now; otherwise why not.
    fn decided_by(&self, reviewer: &Reviewer, act: &'static str) -> Result<(), Refusal> {
        let of = self.of.as_ref().ok_or(Refusal::Unknown)?;
        self.pending(act)?;
        if reviewer.phone_key.as_ref() == Some(&of.phone_key) { Err(Refusal::Own) } else { Ok(()) }
    }

    fn pending(&self, act: &'static str) -> Result<(), Refusal> {
        match self.standing.state {
            CaseState::Pending => Ok(()),
            state => Err(Refusal::NotNow { now: state.label(), act }),
        }
    }
}

impl Aggregate for Certification {
    const CATEGORY: &'static str = "certification";
    type Id = CertificationId;
    type Command = CertificationCommand;
    type Event = CertificationEvent;
    type Refusal = CertificationRefusal;

    fn decide(&self, command: Self::Command, now: Timestamp) -> Decision<Self> {
        let event = match command {
            CertificationCommand::Submit { .. } if self.of.is_some() => return Err(Refusal::Exists),
            CertificationCommand::Submit { application, bearer } => CertificationEvent::Submitted {
                application: application.sound()?,
                bearer: bearer.try_map(Bearer::sound)?,
                at: now,
            },
            CertificationCommand::Pass { until, reviewer } => {
                self.decided_by(&reviewer, "通过")?;
                if !(1..=VALID_FOR_MS).contains(&until.millis_since(now)) {
                    return Err(Refusal::Until);
                }
                CertificationEvent::Passed { until, by: reviewer.name, at: now }
            }
            CertificationCommand::Fail { reason, reviewer } => {
                self.decided_by(&reviewer, "驳回")?;
                let reason = some_lines(&reason, REASON_MAX).ok_or(Refusal::Reason)?;
                CertificationEvent::Failed { reason, by: reviewer.name, at: now }
            }
            CertificationCommand::Cancel { rider } => {
                let of = self.of.as_ref().ok_or(Refusal::Unknown)?;
                if of.rider_id != rider {
                    return Err(Refusal::NotHis);
                }
                if self.standing.state == CaseState::Cancelled {
                    return Ok(vec![]);
                }
                self.pending("取消")?;
                CertificationEvent::Cancelled { at: now }
            }
            CertificationCommand::DropPhotos if self.standing.photos_gone => return Ok(vec![]),
            CertificationCommand::DropPhotos if self.standing.photos_are_due(now) => {
                CertificationEvent::PhotosDropped { at: now }
            }
            CertificationCommand::DropPhotos => return Err(Refusal::TooEarly),
        };
        Ok(vec![event])
    }

    fn evolve(&mut self, event: &CertificationEvent) {
        match event {
            CertificationEvent::Submitted { application, bearer, .. } => {
                self.of = Some(application.clone());
                self.bearer = Some(bearer.clone());
            }
            CertificationEvent::Passed { at, .. } => {
                self.standing = self.standing.closed(CaseState::Passed, *at);
            }
            CertificationEvent::Failed { at, .. } => {
                self.standing = self.standing.closed(CaseState::Failed, *at);
            }
            CertificationEvent::Cancelled { at } => {
                self.standing = self.standing.closed(CaseState::Cancelled, *at);
            }
            CertificationEvent::PhotosDropped { .. } => self.standing.photos_gone = true,
        }
    }

    fn owner(&self) -> DataOwner {
        self.of.as_ref().map_or(DataOwner::PLATFORM, |of| DataOwner::of_area(of.agent_id, of.area_id))
    }

    fn claims(&self, event: &CertificationEvent) -> Vec<Claim<Refusal>> {
        let of = match event {
            CertificationEvent::Submitted { application, .. } => Some(application),
            _ => self.of.as_ref(),
        };
        let Some(of) = of else { return Vec::new() };
        let waiting = format!("certification-waiting:{}", of.rider_id);
        let photos = of.photos.iter().map(|photo| claim_of(photo.id));
        match event {
            CertificationEvent::Submitted { .. } => photos
                .map(|key| Claim::Take { key, refusal: Refusal::PhotoTaken })
                .chain([Claim::Take { key: waiting, refusal: Refusal::Waiting }])
                .collect(),
            CertificationEvent::PhotosDropped { .. } => photos.map(|key| Claim::Release { key }).collect(),
            _ => vec![Claim::Release { key: waiting }],
        }
    }
}

#[cfg(test)]
#[path = "certification_tests.rs"]
mod tests;
