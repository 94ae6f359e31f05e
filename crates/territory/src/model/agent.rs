//! A franchisee (代理账号).

use kernel::{Aggregate, Claim, Event, Refusal};
use serde::{Deserialize, Serialize};
use vocabulary::{AgentId, Phone, Territory, Timestamp};

/// How the franchisee's money is taken (收银模式).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "i16", into = "i16")]
pub enum BillingWay {
    /// 0, by a merchant account of its own.
    OwnMerchant,
    /// 1, by the platform, divided afterwards.
    PlatformCashier,
}

impl TryFrom<i16> for BillingWay {
    type Error = String;
    fn try_from(value: i16) -> Result<Self, String> {
        match value {
            0 => Ok(Self::OwnMerchant),
            1 => Ok(Self::PlatformCashier),
            other => Err(format!("收银模式只有 0 和 1，没有 {other}")),
        }
    }
}

impl From<BillingWay> for i16 {
    fn from(way: BillingWay) -> Self {
        match way {
            BillingWay::OwnMerchant => 0,
            BillingWay::PlatformCashier => 1,
        }
    }
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum AgentCommand {
    /// Registers it; the same again changes nothing.
    Register(Registration),
    /// Lets it work.
    Enable,
    /// Stops it: its people cannot sign in.
    Disable,
}

/// What is known of a franchisee.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// Its own id, part of its events.
    pub agent_id: AgentId,
    /// 公司名称.
    pub company: String,
    /// 联系人.
    pub contact_name: String,
    /// 登录手机号.
    pub phone: Phone,
    /// 收银模式.
    pub billing_way: BillingWay,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data")]
pub enum AgentEvent {
    /// It came.
    #[serde(rename = "agent.registered")]
    Registered(Registration),
    /// It may work.
    #[serde(rename = "agent.enabled")]
    Enabled,
    /// It may not.
    #[serde(rename = "agent.disabled")]
    Disabled,
}

impl Event for AgentEvent {
    fn stored_type(&self) -> &'static str {
        match self {
            Self::Registered(_) => "agent.registered",
            Self::Enabled => "agent.enabled",
            Self::Disabled => "agent.disabled",
        }
    }
}

/// Why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentRefusal {
    /// Nobody of that id.
    Unknown,
    /// Company or contact is empty or too long.
    Name,
    /// The id belongs to another registration.
    Different,
    /// Another franchisee has this phone.
    PhoneTaken,
}

impl Refusal for AgentRefusal {
    fn code(&self) -> &'static str {
        match self {
            Self::Unknown => "agent-unknown",
            Self::Name => "agent-name",
            Self::Different => "agent-different",
            Self::PhoneTaken => "agent-phone-taken",
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Unknown => "代理不存在",
            Self::Name => "公司名称需 1 到 64 个字，联系人需 1 到 20 个字",
            Self::Different => "该代理已登记，资料与本次不同",
            Self::PhoneTaken => "该手机号已被其他代理使用",
        }
        .to_owned()
    }
}

/// The franchisee as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct Agent {
    registration: Option<Registration>,
    enabled: bool,
}

impl Agent {
    /// Whether it is registered and may work.
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }
}

impl Aggregate for Agent {
    const CATEGORY: &'static str = "agent";
    type Id = AgentId;
    type Command = AgentCommand;
    type Event = AgentEvent;
    type Refusal = AgentRefusal;

    fn decide(&self, command: AgentCommand, _now: Timestamp) -> Result<Vec<AgentEvent>, AgentRefusal> {
        let fits = |text: &str, max: usize| (1..=max).contains(&text.trim().chars().count());
        match (&self.registration, command) {
            (None, AgentCommand::Register(new))
                if !fits(&new.company, 64) || !fits(&new.contact_name, 20) =>
            {
                Err(AgentRefusal::Name)
            }
            (None, AgentCommand::Register(new)) => Ok(vec![AgentEvent::Registered(new), AgentEvent::Enabled]),
            (Some(old), AgentCommand::Register(new)) if *old == new => Ok(vec![]),
            (Some(_), AgentCommand::Register(_)) => Err(AgentRefusal::Different),
            (None, AgentCommand::Enable | AgentCommand::Disable) => Err(AgentRefusal::Unknown),
            (Some(_), AgentCommand::Enable) if self.enabled => Ok(vec![]),
            (Some(_), AgentCommand::Enable) => Ok(vec![AgentEvent::Enabled]),
            (Some(_), AgentCommand::Disable) if !self.enabled => Ok(vec![]),
            (Some(_), AgentCommand::Disable) => Ok(vec![AgentEvent::Disabled]),
        }
    }

    fn evolve(&mut self, event: &AgentEvent) {
        match event {
            AgentEvent::Registered(registration) => self.registration = Some(registration.clone()),
            AgentEvent::Enabled => self.enabled = true,
            AgentEvent::Disabled => self.enabled = false,
        }
    }

    fn territory(&self) -> Territory {
        self.registration.as_ref().map_or(Territory::PLATFORM, |known| Territory::of_agent(known.agent_id))
    }

    fn claims(&self, event: &AgentEvent) -> Vec<Claim<AgentRefusal>> {
        match event {
            AgentEvent::Registered(new) => {
                vec![Claim::Take {
                    key: format!("agent-phone:{}", new.phone),
                    refusal: AgentRefusal::PhoneTaken,
                }]
            }
            AgentEvent::Enabled | AgentEvent::Disabled => vec![],
        }
    }
}
