//! What is configured of a service area (配置), in versions: what is being written is a draft and counts for nobody; a version
//! counts from an instant until the next one does. Nothing that counted is ever changed: who needs to know what a ride of the
//! past was billed by asks for the version of that time, by its number.

use std::fmt::Debug;

use kernel::{Aggregate, AnyRefusal, Decision, Event, Refusal, refusals};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use vocabulary::text::lines;
use vocabulary::versions::{History, Term, VersionFault};
use vocabulary::{AgentId, AreaId, DataOwner, Timestamp};

use super::alarm_rules::AlarmRules;
use super::billing::Billing;
use super::pay_rules::PayRules;
use super::return_rules::ReturnRules;
use super::riding_permission::RidingPermission;
use super::use_rules::UseRules;

/// Versions that one subject may have: more is a program gone wild.
pub const VERSIONS_MAX: i64 = 500;
/// What is said of a version has at most so many characters.
pub const NOTE_MAX: usize = 200;

/// What may be configured of a service area.
pub trait Setting:
    Default + Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// How it is stored; never changes.
    const STORED: StoredAs;
    /// Why it may not stand as it is written.
    type Fault: Refusal;

    /// It as it is kept, when it may stand.
    fn checked(self) -> Result<Self, Self::Fault>;
}

/// Under which names a setting's streams and events are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredAs {
    /// Of its streams.
    pub category: &'static str,
    pub(super) draft_saved: &'static str,
    pub(super) draft_discarded: &'static str,
    pub(super) published: &'static str,
    pub(super) withdrawn: &'static str,
    pub(super) handed_over: &'static str,
}

/// The names of what is stored under a category.
macro_rules! stored_as {
    ($category:literal) => {
        $crate::model::config::StoredAs {
            category: $category,
            draft_saved: concat!($category, ".draft_saved"),
            draft_discarded: concat!($category, ".draft_discarded"),
            published: concat!($category, ".published"),
            withdrawn: concat!($category, ".withdrawn"),
            handed_over: concat!($category, ".handed_over"),
        }
    };
}
pub(super) use stored_as;

/// 计费.
pub type BillingConfig = Config<Billing>;
/// 还车.
pub type ReturnConfig = Config<ReturnRules>;
/// 用车.
pub type UseConfig = Config<UseRules>;
/// 支付.
pub type PayConfig = Config<PayRules>;
/// 骑行资格.
pub type RidingPermissionConfig = Config<RidingPermission>;
/// 告警.
pub type AlarmConfig = Config<AlarmRules>;

/// Which area, and who runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The service area.
    pub area_id: AreaId,
    /// Who runs it.
    pub agent_id: AgentId,
}

impl Place {
    /// Whose data it is.
    pub const fn owner(self) -> DataOwner {
        DataOwner::of_area(self.agent_id, self.area_id)
    }
}

/// What may be asked of the configuration of a place.
#[derive(Clone, Debug)]
pub struct ConfigCommand<T> {
    /// The area as it is run now.
    pub of: Place,
    /// What is asked.
    pub act: ConfigAct<T>,
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum ConfigAct<T> {
    /// Keeps what is being written.
    Save(T),
    /// Keeps it unless something else is being written there.
    SaveAside(T),
    /// Throws away what was being written.
    Discard,
    /// Lets the draft count from `from` on; none: from now on.
    Publish { from: Option<Timestamp>, note: String },
    /// Lets this count without a draft; what says the same as the newest version changes nothing.
    Set { said: T, from: Option<Timestamp>, note: String },
    /// Takes back a version that does not count yet.
    Withdraw { number: i64 },
    /// Lets what an earlier version said count again, as a new one.
    RollBack { number: i64, from: Option<Timestamp>, note: String },
    /// The area is run by `of.agent_id` from now on.
    HandOver,
}

/// What happened to a configuration.
#[derive(Clone, Debug, PartialEq)]
pub enum ConfigEvent<T> {
    /// `….draft_saved`.
    DraftSaved(DraftSaved<T>),
    /// `….draft_discarded`.
    DraftDiscarded(Somewhere),
    /// `….published`.
    Published(Published<T>),
    /// `….withdrawn`: a version that did not count yet never will.
    Withdrawn(Withdrawn),
    /// `….handed_over`: another agent runs the area from now on.
    HandedOver(Somewhere),
}

/// Where something happened, and nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Somewhere {
    /// Where.
    pub of: Place,
}

/// A draft as it was kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DraftSaved<T> {
    /// Where.
    pub of: Place,
    /// What is being written.
    pub said: T,
}

/// A version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Published<T> {
    /// Where.
    pub of: Place,
    /// 1, 2, 3 …
    pub number: i64,
    /// What it says.
    pub said: T,
    /// From when it counts.
    pub from: Timestamp,
    /// Why, as whoever published it wrote.
    pub note: String,
}

/// A version that was taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Withdrawn {
    /// Where.
    pub of: Place,
    /// Which.
    pub number: i64,
}

impl<T> ConfigEvent<T> {
    /// Where it happened.
    pub const fn of(&self) -> Place {
        match self {
            Self::DraftSaved(DraftSaved { of, .. })
            | Self::DraftDiscarded(Somewhere { of })
            | Self::Published(Published { of, .. })
            | Self::Withdrawn(Withdrawn { of, .. })
            | Self::HandedOver(Somewhere { of }) => *of,
        }
    }
}

/// An event as it is stored: under the name that its setting gives it.
#[derive(Serialize, Deserialize)]
struct StoredEvent<Name, Data> {
    #[serde(rename = "type")]
    name: Name,
    data: Data,
}

impl<T: Setting> Serialize for ConfigEvent<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let name = self.stored_type();
        match self {
            Self::DraftSaved(data) => StoredEvent { name, data }.serialize(serializer),
            Self::DraftDiscarded(data) | Self::HandedOver(data) => {
                StoredEvent { name, data }.serialize(serializer)
            }
            Self::Published(data) => StoredEvent { name, data }.serialize(serializer),
            Self::Withdrawn(data) => StoredEvent { name, data }.serialize(serializer),
        }
    }
}

impl<'de, T: Setting> Deserialize<'de> for ConfigEvent<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let StoredEvent { name, data } = StoredEvent::<String, Value>::deserialize(deserializer)?;
        let names = T::STORED;
        let event = match name.as_str() {
            name if name == names.draft_saved => serde_json::from_value(data).map(Self::DraftSaved),
            name if name == names.draft_discarded => serde_json::from_value(data).map(Self::DraftDiscarded),
            name if name == names.published => serde_json::from_value(data).map(Self::Published),
            name if name == names.withdrawn => serde_json::from_value(data).map(Self::Withdrawn),
            name if name == names.handed_over => serde_json::from_value(data).map(Self::HandedOver),
            other => return Err(D::Error::custom(format!("no event of {}: {other}", names.category))),
        };
        event.map_err(D::Error::custom)
    }
}

impl<T: Setting> Event for ConfigEvent<T> {
    fn stored_type(&self) -> &'static str {
        match self {
            Self::DraftSaved(_) => T::STORED.draft_saved,
            Self::DraftDiscarded(_) => T::STORED.draft_discarded,
            Self::Published(_) => T::STORED.published,
            Self::Withdrawn(_) => T::STORED.withdrawn,
            Self::HandedOver(_) => T::STORED.handed_over,
        }
    }
}

/// Why a setting may not stand, as its own rule says it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SettingFault {
    code: &'static str,
    message: String,
}

impl SettingFault {
    fn of(refusal: &impl Refusal) -> Self {
        Self { code: refusal.code(), message: refusal.message() }
    }
}

impl Refusal for SettingFault {
    fn code(&self) -> &'static str {
        self.code
    }

    fn message(&self) -> String {
        self.message.clone()
    }
}

refusals! {
    /// Why not.
    pub enum ConfigRefusal {
        NoDraft = "config-no-draft": ("没有草稿可以发布"),
        OpenDraft = "config-open-draft": ("有未发布的草稿，请先发布或丢弃"),
        TooEarly = "config-too-early": ("生效时间不能早于现在"),
        TooLate = "config-too-late": ("生效时间不能晚于一年之后"),
        NoVersion(i64) = "config-no-version": ("没有第 {0} 版"),
        Counted(i64) = "config-counted": ("第 {0} 版已经生效，不能撤回；可以回滚到更早的版本"),
        TooManyVersions = "config-versions": ("一个服务区的一种配置最多 {VERSIONS_MAX} 个版本"),
        Note = "config-note": ("发布说明最多 {NOTE_MAX} 个字"),
    } or
    /// What its kind says.
    Setting(SettingFault)
}

use ConfigRefusal as Why;

impl From<VersionFault> for ConfigRefusal {
    fn from(fault: VersionFault) -> Self {
        match fault {
            VersionFault::NoDraft => Self::NoDraft,
            // A version has no end of its own, so none ends early.
            VersionFault::TooEarly | VersionFault::EndsEarly => Self::TooEarly,
            VersionFault::TooLate => Self::TooLate,
            VersionFault::NoVersion(number) => Self::NoVersion(number),
            VersionFault::Counted(number) => Self::Counted(number),
            VersionFault::TooMany => Self::TooManyVersions,
        }
    }
}

impl From<ConfigRefusal> for AnyRefusal {
    fn from(refusal: ConfigRefusal) -> Self {
        Box::new(refusal)
    }
}

/// The configuration of one kind and one area, as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct Config<T> {
    of: Option<Place>,
    history: History<T>,
    /// What counts where nobody published anything.
    usual: T,
}

fn sound<T: Setting>(said: T) -> Result<T, ConfigRefusal> {
    said.checked().map_err(|fault| SettingFault::of(&fault).into())
}

impl<T: Setting> Config<T> {
    /// What counts at `now`, with the number of its version; 0 with the default where none does.
    pub fn at(&self, now: Timestamp) -> (i64, &T) {
        self.history.at(now).map_or((0, &self.usual), |version| (version.number, &version.said))
    }

    /// What the version of this number says, when it was not taken back; 0 is the default.
    pub fn version(&self, number: i64) -> Option<&T> {
        match number {
            0 => Some(&self.usual),
            _ => self.history.version(number).map(|version| &version.said),
        }
    }

    /// What is being written.
    pub const fn draft(&self) -> Option<&T>
    where
        T: PartialEq,
    {
        self.history.draft()
    }

    fn publish(
        &self,
        of: Place,
        said: T,
        from: Option<Timestamp>,
        note: &str,
        now: Timestamp,
    ) -> Decision<Self> {
        let note = lines(note, NOTE_MAX).ok_or(Why::Note)?;
        let from = Term { from, until: None }.sound(now)?.from.unwrap_or(now);
        let number = self.history.next(VERSIONS_MAX)?;
        Ok(vec![ConfigEvent::Published(Published { of, number, said, from, note })])
    }
}

impl<T: Setting> Aggregate for Config<T> {
    const CATEGORY: &'static str = T::STORED.category;
    type Id = AreaId;
    type Command = ConfigCommand<T>;
    type Event = ConfigEvent<T>;
    type Refusal = ConfigRefusal;

    fn decide(&self, ConfigCommand { of, act }: ConfigCommand<T>, now: Timestamp) -> Decision<Self> {
        match act {
            ConfigAct::SaveAside(said) => {
                let said = sound(said)?;
                if self.draft().is_some_and(|draft| *draft != said) {
                    return Err(Why::OpenDraft);
                }
                self.decide(ConfigCommand { of, act: ConfigAct::Save(said) }, now)
            }
            ConfigAct::Save(said) => {
                let said = sound(said)?;
                let known = self.history.latest() == Some(&said);
                Ok(if known { vec![] } else { vec![ConfigEvent::DraftSaved(DraftSaved { of, said })] })
            }
            ConfigAct::Discard => {
                let written = self.draft().is_some();
                Ok(if written { vec![ConfigEvent::DraftDiscarded(Somewhere { of })] } else { vec![] })
            }
            ConfigAct::Publish { from, note } => {
                let said = self.history.publishable()?.clone();
                self.publish(of, said, from, &note, now)
            }
            ConfigAct::Set { said, from, note } => {
                let said = sound(said)?;
                let newest = self.history.newest();
                if newest.is_some_and(|newest| newest.said == said) {
                    return Ok(vec![]);
                }
                if self.draft().is_some_and(|draft| *draft != said) {
                    return Err(Why::OpenDraft);
                }
                self.publish(of, said, from, &note, now)
            }
            ConfigAct::Withdraw { number } => {
                self.history.may_withdraw(number, now)?;
                Ok(vec![ConfigEvent::Withdrawn(Withdrawn { of, number })])
            }
            ConfigAct::RollBack { number, from, note } => match self.history.back_to(number)?.cloned() {
                None => Ok(vec![]),
                Some(_) if self.draft().is_some() => Err(Why::OpenDraft),
                Some(said) => self.publish(of, said, from, &note, now),
            },
            ConfigAct::HandOver => {
                let other = self.of.is_some_and(|known| known != of);
                Ok(if other { vec![ConfigEvent::HandedOver(Somewhere { of })] } else { vec![] })
            }
        }
    }

    fn evolve(&mut self, event: &ConfigEvent<T>) {
        self.of = Some(event.of());
        match event {
            ConfigEvent::DraftSaved(saved) => self.history.save(saved.said.clone()),
            ConfigEvent::DraftDiscarded(_) => self.history.discard(),
            ConfigEvent::Published(Published { number, said, from, .. }) => {
                self.history.publish(*number, said.clone(), Term::from(*from));
            }
            ConfigEvent::Withdrawn(withdrawn) => self.history.withdraw(withdrawn.number),
            ConfigEvent::HandedOver(_) => {}
        }
    }

    fn owner(&self) -> DataOwner {
        self.of.map_or(DataOwner::PLATFORM, Place::owner)
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
