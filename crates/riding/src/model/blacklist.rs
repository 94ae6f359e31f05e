//! An entry of the blacklist (黑名单): it keeps a rider from riding, for a while or for good. 1 生效中 → 0 已解除 by an operator, → 2
//! 已到期 when its time is over. A ride that is under way is not cut: who is listed unlocks nothing more.

use kernel::{Aggregate, Claim, Decision, Personal, events, refusals};
use serde::{Deserialize, Serialize};
use vocabulary::text::some_lines;
use vocabulary::{
    AgentId, AreaId, AttachmentId, BlacklistEntryId, DataOwner, Phone, RiderId, Timestamp, choices,
};

use attachments::{Photo, claim_of};

use super::review::REASON_MAX;

/// Photos of one.
pub const EVIDENCE_MAX: usize = 6;
/// An entry that ends does so within so long.
pub const LISTED_FOR_MS: i64 = 10 * 366 * 86_400_000;
/// Accounts of one person that an entry of the whole platform holds against.
pub const ACCOUNTS_MAX: usize = 50;

choices! {
    /// Who wants it.
    #[derive(Default)]
    pub enum BlacklistKind("来源") {
        #[default]
        Manual = 1 => "人工",
        Score = 2 => "系统（信用分）",
        Report = 3 => "举报",
    }
}

choices! {
    /// How far it reaches.
    #[derive(Default)]
    pub enum BlacklistScope("范围") {
        Area = 1 => "本服务区",
        #[default]
        Agent = 2 => "本代理",
        Platform = 3 => "全平台",
    }
}

choices! {
    /// Where it stands.
    #[derive(Default)]
    pub enum BlacklistState("状态") {
        Lifted = 0 => "已解除",
        #[default]
        Holding = 1 => "生效中",
        Over = 2 => "已到期",
    }
}

/// What is to hold, against whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// Its own id.
    pub entry_id: BlacklistEntryId,
    /// Against whom.
    pub rider_id: RiderId,
    /// His other accounts, where it holds on the whole platform.
    pub others: Vec<RiderId>,
    /// Whose rider he is.
    pub agent_id: AgentId,
    /// In which area he registered.
    pub area_id: AreaId,
    /// How far it reaches.
    pub scope: BlacklistScope,
    /// Who wants it.
    pub kind: BlacklistKind,
    /// Why.
    pub reason: String,
    /// Until then; none: for good.
    pub until: Option<Timestamp>,
}

/// Against whom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// 姓名; empty where it was not proved.
    pub name: String,
    /// 手机号.
    pub phone: Phone,
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum BlacklistCommand {
    /// Begins it.
    Add { listing: Listing, listed: Personal<Listed>, by: Personal<String> },
    /// Ends it before its time.
    Lift { reason: String, by: Personal<String> },
    /// Its time is over.
    Expire,
    /// Shows a photo that proves why.
    ShowEvidence(Photo),
    /// Shows it no more.
    HideEvidence(AttachmentId),
}

events! {
    /// What happened.
    pub enum BlacklistEvent {
        Added { listing: Listing, listed: Personal<Listed>, by: Personal<String>, at: Timestamp } = "blacklist-entry.added",
        Lifted { reason: String, by: Personal<String>, at: Timestamp } = "blacklist-entry.lifted",
        Expired { at: Timestamp } = "blacklist-entry.expired",
        EvidenceShown { photo: Photo } = "blacklist-entry.evidence_shown",
        EvidenceHidden { photo: AttachmentId } = "blacklist-entry.evidence_hidden",
    }
}

refusals! {
    /// Why not.
    pub enum BlacklistRefusal {
        Unknown = "blacklist-unknown": ("黑名单记录不存在"),
        Exists = "blacklist-exists": ("该记录已存在"),
        Listed = "blacklist-listed": ("该用户已在黑名单中"),
        Reason = "blacklist-reason": ("请填写原因，最多 {REASON_MAX} 个字"),
        Until = "blacklist-until": ("到期时间需在现在之后，最长十年"),
        Kind = "blacklist-kind": ("“系统（信用分）”只由系统添加"),
        Reach = "blacklist-reach": ("只有能看到全部数据的人员才能拉黑到该范围"),
        NotNow { now: &'static str } = "blacklist-not-now": ("该记录{now}"),
        TooEarly = "blacklist-too-early": ("尚未到期"),
        EvidenceMost = "blacklist-evidence-most": ("证据照片最多 {EVIDENCE_MAX} 张"),
        EvidenceTaken = "blacklist-evidence-taken": ("照片已用于其他记录，请重新上传"),
        Accounts = "blacklist-accounts": ("该用户的账户超过 {ACCOUNTS_MAX} 个，请联系平台处理"),
    }
}

use BlacklistRefusal as Refusal;

/// The entry as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct BlacklistEntry {
    of: Option<Listing>,
    listed: Option<Personal<Listed>>,
    state: BlacklistState,
    evidence: Vec<AttachmentId>,
}

fn reason(text: &str) -> Result<String, Refusal> {
    some_lines(text, REASON_MAX).ok_or(Refusal::Reason)
}

impl Listing {
    fn sound(self, now: Timestamp) -> Result<Self, Refusal> {
        if self.until.is_some_and(|until| !(1..=LISTED_FOR_MS).contains(&until.millis_since(now))) {
            return Err(Refusal::Until);
        }
        if self.kind == BlacklistKind::Score {
            return Err(Refusal::Kind);
        }
        if self.others.len() >= ACCOUNTS_MAX {
            return Err(Refusal::Accounts);
        }
        Ok(Self { reason: reason(&self.reason)?, ..self })
    }

    /// All whom it holds against.
    pub fn riders(&self) -> impl Iterator<Item = RiderId> {
        [self.rider_id].into_iter().chain(self.others.iter().copied())
    }

    /// Who may see and change it.
    pub fn owner(&self) -> DataOwner {
        match self.scope {
            BlacklistScope::Area => DataOwner::of_area(self.agent_id, self.area_id),
            BlacklistScope::Agent => DataOwner::of_agent(self.agent_id),
            BlacklistScope::Platform => DataOwner::PLATFORM,
        }
    }
}

impl BlacklistEntry {
    /// What holds, against whom.
    pub const fn listing(&self) -> Option<&Listing> {
        self.of.as_ref()
    }

    /// Against whom, when he is not forgotten.
    pub fn listed(&self) -> Option<&Listed> {
        self.listed.as_ref().and_then(Personal::known)
    }

    fn held(&self) -> Result<&Listing, Refusal> {
        let of = self.of.as_ref().ok_or(Refusal::Unknown)?;
        if self.state == BlacklistState::Holding {
            Ok(of)
        } else {
            Err(Refusal::NotNow { now: self.state.label() })
        }
    }
}

impl Aggregate for BlacklistEntry {
    const CATEGORY: &'static str = "blacklist-entry";
    type Id = BlacklistEntryId;
    type Command = BlacklistCommand;
    type Event = BlacklistEvent;
    type Refusal = BlacklistRefusal;

    fn decide(&self, command: Self::Command, now: Timestamp) -> Decision<Self> {
        let event = match command {
            BlacklistCommand::Add { .. } if self.of.is_some() => return Err(Refusal::Exists),
            BlacklistCommand::Add { listing, listed, by } => {
                BlacklistEvent::Added { listing: listing.sound(now)?, listed, by, at: now }
            }
            BlacklistCommand::Lift { reason: why, by } => {
                self.held()?;
                BlacklistEvent::Lifted { reason: reason(&why)?, by, at: now }
            }
            BlacklistCommand::Expire if self.state == BlacklistState::Over => return Ok(vec![]),
            BlacklistCommand::Expire => {
                if self.held()?.until.is_none_or(|until| now < until) {
                    return Err(Refusal::TooEarly);
                }
                BlacklistEvent::Expired { at: now }
            }
            BlacklistCommand::ShowEvidence(photo) => {
                self.of.as_ref().ok_or(Refusal::Unknown)?;
                if self.evidence.contains(&photo.id) {
                    return Ok(vec![]);
                }
                if self.evidence.len() >= EVIDENCE_MAX {
                    return Err(Refusal::EvidenceMost);
                }
                BlacklistEvent::EvidenceShown { photo }
            }
            BlacklistCommand::HideEvidence(photo) if self.evidence.contains(&photo) => {
                BlacklistEvent::EvidenceHidden { photo }
            }
            BlacklistCommand::HideEvidence(_) => return Ok(vec![]),
        };
        Ok(vec![event])
    }

    fn evolve(&mut self, event: &BlacklistEvent) {
        match event {
            BlacklistEvent::Added { listing, listed, .. } => {
                self.of = Some(listing.clone());
                self.listed = Some(listed.clone());
            }
            BlacklistEvent::Lifted { .. } => self.state = BlacklistState::Lifted,
            BlacklistEvent::Expired { .. } => self.state = BlacklistState::Over,
            BlacklistEvent::EvidenceShown { photo } => self.evidence.push(photo.id),
            BlacklistEvent::EvidenceHidden { photo } => self.evidence.retain(|one| one != photo),
        }
    }

    fn owner(&self) -> DataOwner {
        self.of.as_ref().map_or(DataOwner::PLATFORM, Listing::owner)
    }

    fn claims(&self, event: &BlacklistEvent) -> Vec<Claim<Refusal>> {
        match event {
            BlacklistEvent::Added { listing, .. } => {
                vec![Claim::Take { key: held_of(listing.rider_id), refusal: Refusal::Listed }]
            }
            BlacklistEvent::Lifted { .. } | BlacklistEvent::Expired { .. } => {
                self.of.iter().map(|of| Claim::Release { key: held_of(of.rider_id) }).collect()
            }
            BlacklistEvent::EvidenceShown { photo } => {
                vec![Claim::Take { key: claim_of(photo.id), refusal: Refusal::EvidenceTaken }]
            }
            BlacklistEvent::EvidenceHidden { photo } => vec![Claim::Release { key: claim_of(*photo) }],
        }
    }
}

/// One entry holds against a rider of an agent.
fn held_of(rider: RiderId) -> String {
    format!("blacklist-of:{rider}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_790_000_000_000);

    fn listing(scope: BlacklistScope, until: Option<Timestamp>) -> Listing {
        Listing {
            entry_id: BlacklistEntryId(1),
            rider_id: RiderId(7),
            others: vec![],
            agent_id: AgentId(2),
            area_id: AreaId(3),
            scope,
            kind: BlacklistKind::Manual,
            reason: " 多次乱停 ".to_owned(),
            until,
        }
    }

    fn add(listing: Listing) -> BlacklistCommand {
        let listed = Listed { name: "张三".to_owned(), phone: "13800000007".parse().unwrap() };
        let by = Personal::new("operator:1", "李审".to_owned());
        BlacklistCommand::Add { listing, listed: Personal::new("rider:7", listed), by }
    }

    fn act(it: &mut BlacklistEntry, command: BlacklistCommand, now: Timestamp) -> Result<usize, Refusal> {
        let events = it.decide(command, now)?;
        for event in &events {
            it.evolve(event);
        }
        Ok(events.len())
    }

    fn lift(reason: &str) -> BlacklistCommand {
        BlacklistCommand::Lift {
            reason: reason.to_owned(),
            by: Personal::new("operator:1", "李审".to_owned()),
        }
    }

    #[test]
    fn it_ends_later_or_never_and_says_why() {
        let refused = |listing| BlacklistEntry::default().decide(add(listing), NOW).map(drop);
        assert_eq!(refused(listing(BlacklistScope::Agent, Some(NOW))), Err(Refusal::Until));
        let late = Some(NOW.plus_millis(LISTED_FOR_MS + 1));
        assert_eq!(refused(listing(BlacklistScope::Agent, late)), Err(Refusal::Until));
        let silent = Listing { reason: " ".to_owned(), ..listing(BlacklistScope::Agent, None) };
        assert_eq!(refused(silent), Err(Refusal::Reason));
        let by_score = Listing { kind: BlacklistKind::Score, ..listing(BlacklistScope::Agent, None) };
        assert_eq!(refused(by_score), Err(Refusal::Kind));
        assert_eq!(refused(listing(BlacklistScope::Agent, None)), Ok(()));
    }

    #[test]
    fn it_is_whose_as_far_as_it_reaches() {
        let owner = |scope| listing(scope, None).owner();
        assert_eq!(owner(BlacklistScope::Area), DataOwner::of_area(AgentId(2), AreaId(3)));
        assert_eq!(owner(BlacklistScope::Agent), DataOwner::of_agent(AgentId(2)));
        assert_eq!(owner(BlacklistScope::Platform), DataOwner::PLATFORM);
    }

    #[test]
    fn its_time_ends_it_and_somebody_may_before() {
        let until = NOW.plus_millis(10);
        let mut it = BlacklistEntry::default();
        act(&mut it, add(listing(BlacklistScope::Agent, Some(until))), NOW).unwrap();
        assert_eq!(act(&mut it, BlacklistCommand::Expire, NOW.plus_millis(9)), Err(Refusal::TooEarly));
        let mut lifted = it.clone();
        assert_eq!(act(&mut lifted, lift(" "), NOW), Err(Refusal::Reason));
        assert_eq!(act(&mut lifted, lift("申诉成立"), NOW), Ok(1));
        assert_eq!(act(&mut lifted, BlacklistCommand::Expire, until), Err(Refusal::NotNow { now: "已解除" }));
        assert_eq!(act(&mut it, BlacklistCommand::Expire, until), Ok(1));
        assert_eq!(act(&mut it, BlacklistCommand::Expire, until), Ok(0));
        assert_eq!(act(&mut it, lift("申诉成立"), until), Err(Refusal::NotNow { now: "已到期" }));
        let mut forever = BlacklistEntry::default();
        act(&mut forever, add(listing(BlacklistScope::Agent, None)), NOW).unwrap();
        assert_eq!(act(&mut forever, BlacklistCommand::Expire, until), Err(Refusal::TooEarly));
    }

    #[test]
    fn evidence_is_bounded_and_shown_once() {
        let mut it = BlacklistEntry::default();
        let photo = |id| Photo { id: AttachmentId(id), sha256: "ab".to_owned() };
        assert_eq!(act(&mut it, BlacklistCommand::ShowEvidence(photo(1)), NOW), Err(Refusal::Unknown));
        act(&mut it, add(listing(BlacklistScope::Area, None)), NOW).unwrap();
        for id in 1..=EVIDENCE_MAX as i64 {
            assert_eq!(act(&mut it, BlacklistCommand::ShowEvidence(photo(id)), NOW), Ok(1));
        }
        assert_eq!(act(&mut it, BlacklistCommand::ShowEvidence(photo(1)), NOW), Ok(0));
        assert_eq!(act(&mut it, BlacklistCommand::ShowEvidence(photo(9)), NOW), Err(Refusal::EvidenceMost));
        assert_eq!(act(&mut it, BlacklistCommand::HideEvidence(AttachmentId(1)), NOW), Ok(1));
        assert_eq!(act(&mut it, BlacklistCommand::ShowEvidence(photo(9)), NOW), Ok(1));
    }

    #[test]
    fn stored_forms_stay() {
        let written = serde_json::to_value(listing(BlacklistScope::Agent, Some(NOW))).unwrap();
        assert_eq!(
            written,
            serde_json::json!({"entry_id": "1", "rider_id": "7", "others": [], "agent_id": "2", "area_id": "3", "scope": 2,
                "kind": 1, "reason": " 多次乱停 ", "until": 1_790_000_000_000_i64})
        );
    }
}
