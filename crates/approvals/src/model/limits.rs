//! From what on an agent's deeds need a second person (复核额度), in versions.

use std::collections::BTreeMap;

use kernel::{Aggregate, Decision, events, refusals};
use serde::{Deserialize, Serialize};
use vocabulary::versions::{AHEAD_MAX_MS, History, Stretch, Term, VersionFault};
use vocabulary::{AgentId, DataOwner, Timestamp, choices};

/// No limit is higher, cents; more is a slip of the pen.
pub const ABOVE_MAX_CENTS: i64 = 100_000_000;
/// An agent's limits have at most so many versions.
pub const VERSIONS_MAX: i64 = 200;
const AHEAD_MAX_DAYS: i64 = AHEAD_MAX_MS / 86_400_000;

choices! {
    /// When a kind of deed needs a second person.
    pub enum Need("复核要求") {
        Never = 0 => "无需复核",
        Above = 1 => "超过金额时复核",
        Always = 2 => "每次复核",
    }
}

/// When a kind of deed needs a second person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    /// When.
    pub need: Need,
    /// Above so many cents, where an amount says it; otherwise 0.
    pub above_cents: i64,
}

impl Limit {
    /// One person is enough.
    pub const NEVER: Self = Self { need: Need::Never, above_cents: 0 };
    /// It always takes two.
    pub const ALWAYS: Self = Self { need: Need::Always, above_cents: 0 };

    /// It takes two for more than `above_cents`.
    pub const fn above(above_cents: i64) -> Self {
        Self { need: Need::Above, above_cents }
    }

    /// Whether a deed of this amount takes two people.
    pub fn holds(self, amount_cents: i64) -> bool {
        match self.need {
            Need::Never => false,
            Need::Above => amount_cents > self.above_cents,
            Need::Always => true,
        }
    }
}

/// What an agent has set, by kind of deed; of the other kinds the usual limit holds.
pub type Limits = BTreeMap<String, Limit>;

/// Whether a deed takes two people; `usual` is the limit of its kind where nobody has set one.
pub fn needs_second(limits: &Limits, kind: &str, usual: Limit, amount_cents: i64) -> bool {
    limits.get(kind).copied().unwrap_or(usual).holds(amount_cents)
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum LimitsCommand {
    /// Sets them from `from` on; none: from now on.
    Publish {
        /// Whose.
        agent_id: AgentId,
        /// What is set.
        limits: Limits,
        /// From when.
        from: Option<Timestamp>,
        /// The kinds that there are, and whether each has an amount.
        kinds: BTreeMap<String, bool>,
    },
    /// Sets again, from now on, what an earlier version said.
    RollBack(i64),
    /// Takes back a version that is to come.
    Withdraw(i64),
}

events! {
    /// What happened.
    #[derive(Eq)]
    pub enum LimitsEvent {
        Published { agent_id: AgentId, data_version: i64, limits: Limits, from: Timestamp } = "approval-limits.published",
        Withdrawn { data_version: i64 } = "approval-limits.withdrawn",
    }
}

refusals! {
    /// Why not.
    pub enum LimitsRefusal {
        Unknown = "approval-limits-unknown": ("尚未设置过复核额度"),
        Kind(String) = "approval-limits-kind": ("系统不支持此类操作的复核：{0}"),
        Unmeasured(String) = "approval-limits-unmeasured": ("「{0}」没有金额，只能设为无需复核或每次复核"),
        Amount = "approval-limits-amount": ("复核金额需在 0 到 {} 元之间", ABOVE_MAX_CENTS / 100),
        TooEarly = "approval-limits-too-early": ("生效时间不能早于现在"),
        TooLate = "approval-limits-too-late": ("生效时间最多在 {AHEAD_MAX_DAYS} 天之内"),
        NoVersion(i64) = "approval-limits-no-version": ("没有第 {0} 版，或已撤回"),
        Counted(i64) = "approval-limits-counted": ("第 {0} 版已经生效，不能撤回；可以发布新的版本"),
        TooMany = "approval-limits-too-many": ("复核额度最多 {VERSIONS_MAX} 个版本"),
    }
}

use LimitsRefusal as Refusal;

impl From<VersionFault> for Refusal {
    fn from(fault: VersionFault) -> Self {
        match fault {
            VersionFault::NoDraft => Self::Unknown,
            VersionFault::TooEarly | VersionFault::EndsEarly => Self::TooEarly,
            VersionFault::TooLate => Self::TooLate,
            VersionFault::NoVersion(number) => Self::NoVersion(number),
            VersionFault::Counted(number) => Self::Counted(number),
            VersionFault::TooMany => Self::TooMany,
        }
    }
}

/// What an agent has set, is setting and had set.
#[derive(Clone, Debug, Default)]
pub struct ApprovalLimits {
    agent: Option<AgentId>,
    history: History<Limits>,
}

/// A version of the limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// 1, 2, 3 …
    pub number: i64,
    /// What it says.
    pub limits: Limits,
    /// From when it was to count.
    pub from: Timestamp,
    /// When it did, does and will; epoch milliseconds.
    pub counted: Vec<Stretch>,
}

impl ApprovalLimits {
    /// What counts at `now`.
    pub fn at(&self, now: Timestamp) -> Limits {
        self.history.at(now).map(|version| version.said.clone()).unwrap_or_default()
    }

    /// All that were not taken back, newest first.
    pub fn versions(&self) -> Vec<Version> {
        let counting = self.history.counting(Timestamp::from_millis(i64::MIN));
        let version = |number| {
            let version = self.history.version(number)?;
            let of_it = counting.iter().filter(|(one, _)| one.number == number);
            Some(Version {
                number,
                limits: version.said.clone(),
                from: version.term.from.unwrap_or_default(),
                counted: of_it.map(|(_, stretch)| *stretch).collect(),
            })
        };
        (1..=self.history.last()).rev().filter_map(version).collect()
    }

    fn published(
        &self,
        agent_id: AgentId,
        limits: Limits,
        from: Option<Timestamp>,
        now: Timestamp,
    ) -> Decision<Self> {
        let term = Term { from, until: None }.sound(now)?;
        let data_version = self.history.next(VERSIONS_MAX)?;
        let from = term.from.unwrap_or(now);
        Ok(vec![LimitsEvent::Published { agent_id, data_version, limits, from }])
    }
}

/// Refuses limits that cannot be.
fn sound(limits: &Limits, kinds: &BTreeMap<String, bool>) -> Result<(), Refusal> {
    for (kind, limit) in limits {
        let measured = kinds.get(kind).ok_or_else(|| Refusal::Kind(kind.clone()))?;
        if limit.need == Need::Above && !measured {
            return Err(Refusal::Unmeasured(kind.clone()));
        }
        let most_cents = if limit.need == Need::Above { ABOVE_MAX_CENTS } else { 0 };
        if !(0..=most_cents).contains(&limit.above_cents) {
            return Err(Refusal::Amount);
        }
    }
    Ok(())
}

impl Aggregate for ApprovalLimits {
    const CATEGORY: &'static str = "approval-limits";
    type Id = AgentId;
    type Command = LimitsCommand;
    type Event = LimitsEvent;
    type Refusal = LimitsRefusal;

    fn decide(&self, command: Self::Command, now: Timestamp) -> Decision<Self> {
        match command {
            LimitsCommand::Publish { agent_id, limits, from, kinds } => {
                sound(&limits, &kinds)?;
                self.published(agent_id, limits, from, now)
            }
            LimitsCommand::RollBack(number) => {
                let agent_id = self.agent.ok_or(Refusal::Unknown)?;
                match self.history.back_to(number)?.cloned() {
                    Some(limits) => self.published(agent_id, limits, None, now),
                    None => Ok(vec![]),
                }
            }
            LimitsCommand::Withdraw(number) => {
                self.history.may_withdraw(number, now)?;
                Ok(vec![LimitsEvent::Withdrawn { data_version: number }])
            }
        }
    }

    fn evolve(&mut self, event: &LimitsEvent) {
        match event {
            LimitsEvent::Published { agent_id, data_version, limits, from } => {
                self.agent = Some(*agent_id);
                self.history.publish(*data_version, limits.clone(), Term::from(*from));
            }
            LimitsEvent::Withdrawn { data_version } => {
                self.history.withdraw(*data_version);
                self.history.discard();
            }
        }
    }

    fn owner(&self) -> DataOwner {
        self.agent.map_or(DataOwner::PLATFORM, DataOwner::of_agent)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
    const HOUR_MS: i64 = 3_600_000;

    fn of(kind: &str, limit: Limit) -> Limits {
        [(kind.to_owned(), limit)].into()
    }

    fn publish(limits: Limits, from: Option<Timestamp>) -> LimitsCommand {
        let kinds = [("order.refund".to_owned(), true), ("agent.disable".to_owned(), false)].into();
        LimitsCommand::Publish { agent_id: AgentId(2), limits, from, kinds }
    }

    fn after(commands: Vec<LimitsCommand>) -> ApprovalLimits {
        let mut limits = ApprovalLimits::default();
        for command in commands {
            for event in limits.decide(command, NOW).unwrap() {
                limits.evolve(&event);
            }
        }
        limits
    }

    fn refused(limits: &ApprovalLimits, command: LimitsCommand) -> Refusal {
        limits.decide(command, NOW).unwrap_err()
    }

    #[test]
    fn a_second_person_is_needed_above_the_limit_and_not_at_it() {
        let limits = of("order.refund", Limit::above(5_000));
        let needs = |cents| needs_second(&limits, "order.refund", Limit::ALWAYS, cents);
        assert_eq!([0, 5_000, 5_001, i64::MAX].map(needs), [false, false, true, true]);
    }

    #[test]
    fn without_a_limit_the_kind_says_what_is_usual() {
        let limits = of("order.refund", Limit::NEVER);
        for (usual, needed) in [(Limit::NEVER, false), (Limit::ALWAYS, true), (Limit::above(10), true)] {
            assert_eq!(needs_second(&limits, "bill.write-off", usual, 11), needed);
        }
        assert!(!needs_second(&limits, "order.refund", Limit::ALWAYS, i64::MAX));
    }

    #[test]
    fn a_version_counts_from_its_time_on_until_the_next_one() {
        let later = NOW.plus_millis(HOUR_MS);
        let (first, second) =
            (of("order.refund", Limit::above(5_000)), of("order.refund", Limit::above(9_000)));
        let limits = after(vec![publish(first.clone(), None), publish(second.clone(), Some(later))]);
        assert_eq!((limits.at(NOW), limits.at(later)), (first, second));
        let told: Vec<_> = limits.versions().into_iter().map(|one| (one.number, one.counted)).collect();
        let (now, change) = (NOW.millis(), later.millis());
        assert_eq!(told, [(2, vec![(change, None)]), (1, vec![(now, Some(change))])]);
        assert_eq!(ApprovalLimits::default().at(NOW), Limits::new());
    }

    #[test]
    fn what_is_to_come_is_taken_back_and_what_was_comes_again() {
        let later = Some(NOW.plus_millis(HOUR_MS));
        let limits = after(vec![
            publish(of("order.refund", Limit::above(5_000)), None),
            publish(of("order.refund", Limit::NEVER), later),
            LimitsCommand::Withdraw(2),
            publish(of("order.refund", Limit::ALWAYS), None),
            LimitsCommand::RollBack(1),
        ]);
        assert_eq!(limits.at(NOW), of("order.refund", Limit::above(5_000)));
        assert_eq!(limits.versions().iter().map(|one| one.number).collect::<Vec<_>>(), [4, 3, 1]);
        assert_eq!(refused(&limits, LimitsCommand::Withdraw(4)), Refusal::Counted(4));
        assert_eq!(refused(&limits, LimitsCommand::RollBack(2)), Refusal::NoVersion(2));
        assert_eq!(refused(&ApprovalLimits::default(), LimitsCommand::RollBack(1)), Refusal::Unknown);
    }

    #[test]
    fn a_limit_is_of_a_kind_that_there_is_and_of_an_amount_that_may_be() {
        let none = ApprovalLimits::default();
        let bad = |kind, limit| refused(&none, publish(of(kind, limit), None));
        assert_eq!(bad("bill.write-off", Limit::ALWAYS), Refusal::Kind("bill.write-off".to_owned()));
        assert_eq!(bad("agent.disable", Limit::above(0)), Refusal::Unmeasured("agent.disable".to_owned()));
        for cents in [-1, ABOVE_MAX_CENTS + 1] {
            assert_eq!(bad("order.refund", Limit::above(cents)), Refusal::Amount);
        }
        assert_eq!(bad("order.refund", Limit { above_cents: 1, ..Limit::NEVER }), Refusal::Amount);
        let early = publish(Limits::new(), Some(NOW.plus_millis(-1)));
        assert_eq!(refused(&none, early), Refusal::TooEarly);
        let late = publish(Limits::new(), Some(NOW.plus_millis(AHEAD_MAX_MS + 1)));
        assert_eq!(refused(&none, late), Refusal::TooLate);
    }

    #[test]
    fn events_are_stored_so() {
        let published = LimitsEvent::Published {
            agent_id: AgentId(2),
            data_version: 1,
            limits: of("order.refund", Limit::above(5_000)),
            from: NOW,
        };
        assert_eq!(
            serde_json::to_value(published).unwrap(),
            json!({"type": "approval-limits.published", "data": {"agent_id": "2", "data_version": 1,
                "limits": {"order.refund": {"need": 1, "above_cents": 5_000}}, "from": 1_800_000_000_000_i64}})
        );
        let withdrawn = LimitsEvent::Withdrawn { data_version: 3 };
        assert_eq!(
            serde_json::to_value(withdrawn).unwrap(),
            json!({"type": "approval-limits.withdrawn", "data": {"data_version": 3}})
        );
    }
}
