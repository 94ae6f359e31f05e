//! A payment account (支付账户) of an agent: 0 未开户 → 1 审核中 → 2 正常 or 3 开户失败, 3 → 1 with a corrected
//! application, 2 ⇄ 4 冻结, 2 or 4 → 5 销户. What the payment provider answers is recorded by the platform.
//!
//! Money goes to one bank card at a time: 0 待验证 → 1 已绑定 or 2 验证失败, 1 → 3 解绑中 → 4 已解绑 or back to 1.

use std::collections::VecDeque;

use kernel::{Aggregate, Claim, Personal};
use vocabulary::{AgentId, BankCardId, DataOwner, PaymentAccountId, Phone, Timestamp};

mod application;
mod event;
mod refusal;
mod standing;

pub use application::{AccountType, Applicant, Application, BankCard, BankCardForm};
pub use event::PaymentAccountEvent;
pub use refusal::PaymentAccountRefusal;
pub use standing::{AccountLevel, AccountStatus, CardFailure, CardState, PasswordCall};

/// A reason has at most so many characters.
pub const REASON_MAX: usize = 200;
/// A code proves a card for so long.
pub const CODE_LIFE_MS: i64 = 10 * 60_000;
/// An account sends a code at most this often, for whichever card.
pub const RESEND_MS: i64 = 60_000;
/// An account sends at most so many codes in 24 hours.
pub const CODES_A_DAY: usize = 10;
const DAY_MS: i64 = 24 * 3_600_000;

/// What may be asked.
#[derive(Clone, Debug)]
pub enum PaymentAccountCommand {
    /// Applies for an account, or again after a refusal.
    Apply {
        /// Its own id.
        account_id: PaymentAccountId,
        /// Whose it is.
        agent_id: AgentId,
        /// What the provider is told.
        application: Application,
    },
    /// Records what became of it.
    SetStatus {
        /// The revision that the editor saw.
        revision: i64,
        /// Where it stands from now on.
        status: AccountStatus,
        /// Its level, when it is opened.
        level: Option<AccountLevel>,
        /// Why, when it is not opened.
        reason: String,
    },
    /// Names the card that money shall go to; its code is sent.
    BindCard {
        /// Its own id.
        card_id: BankCardId,
        /// The card.
        card: BankCardForm,
    },
    /// The code of the card that waits is sent again.
    ResendCode {
        /// Where the asker believes it goes.
        phone: Phone,
    },
    /// The right code was said.
    ConfirmCard {
        /// Which card.
        card_id: BankCardId,
    },
    /// Too many wrong codes were said.
    FailCard {
        /// Which card.
        card_id: BankCardId,
    },
    /// The system's own: no right code was said in time.
    ExpireCard {
        /// Which card.
        card_id: BankCardId,
    },
    /// Asks the platform to let the card go.
    AskUnbinding {
        /// Its number, or the last four digits of it.
        card_no: String,
        /// Why.
        reason: String,
    },
    /// The platform's answer.
    AnswerUnbinding {
        /// Which card.
        card_id: BankCardId,
        /// Whether it goes.
        agree: bool,
        /// Why.
        reason: String,
    },
    /// Asks for the page on which the payment password is set.
    AskPassword {
        /// What for.
        call: PasswordCall,
        /// Names the link; only the newest one works.
        link: String,
    },
    /// It was set on that page.
    SetPassword {
        /// The link that was followed.
        link: String,
    },
}

/// The card that an account has or is about to have.
#[derive(Clone, Debug)]
struct Card {
    id: BankCardId,
    state: CardState,
    whole: Personal<BankCard>,
    sent_at: Timestamp,
}

/// A card that waits for its code to be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingCard<'a> {
    /// Which card.
    pub card_id: BankCardId,
    /// Where its code goes; nothing when whoever named it was forgotten.
    pub phone: Option<&'a Phone>,
    /// When its code was asked for last.
    pub asked_at: Timestamp,
}

/// The account as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct PaymentAccount {
    /// Its id and agent; nothing before it was applied for.
    known: Option<(PaymentAccountId, AgentId)>,
    status: AccountStatus,
    account_type: Option<AccountType>,
    /// Pending, bound, or about to be let go; nothing else is decided upon.
    card: Option<Card>,
    /// When codes were sent, at most as many as a day allows.
    codes_sent: VecDeque<Timestamp>,
    /// The link asked for last, until it was used.
    link: Option<String>,
    revision: i64,
}

/// `text` without surrounding blanks, when it is 1 to `max` characters without control characters.
fn line(text: &str, max: usize) -> Option<String> {
    let text = text.trim();
    let fits = (1..=max).contains(&text.chars().count()) && !text.chars().any(char::is_control);
    fits.then(|| text.to_owned())
}

/// A reason that must be there.
fn because(reason: &str) -> Result<String, PaymentAccountRefusal> {
    line(reason, REASON_MAX).ok_or(PaymentAccountRefusal::Reason)
}

/// A reason that may be left out.
fn perhaps_because(reason: &str) -> Result<String, PaymentAccountRefusal> {
    if reason.trim().is_empty() { Ok(String::new()) } else { because(reason) }
}

/// Whose names and numbers they are, to be forgotten together.
fn subject(account_id: PaymentAccountId) -> String {
    format!("payment-account:{account_id}")
}

type Decision = Result<Vec<PaymentAccountEvent>, PaymentAccountRefusal>;

impl PaymentAccount {
    /// Whose it is; nothing when there is no such account.
    pub fn agent(&self) -> Option<AgentId> {
        self.known.map(|(_, agent)| agent)
    }

    /// Where it stands.
    pub fn status(&self) -> AccountStatus {
        self.status
    }

    /// Of which kind it is.
    pub fn account_type(&self) -> Option<AccountType> {
        self.account_type
    }

    /// How often it was changed: what an editor names to be told of a change by others.
    pub fn revision(&self) -> i64 {
        self.revision
    }

    /// The card that waits for its code to be said.
    pub fn pending_card(&self) -> Option<PendingCard<'_>> {
        let card = self.card.as_ref().filter(|card| card.state == CardState::Pending)?;
        let phone = card.whole.known().map(|card| &card.mobile);
        Some(PendingCard { card_id: card.id, phone, asked_at: card.sent_at })
    }

    /// Whether its payment password may be set at all.
    pub fn may_set_password(&self) -> bool {
        self.status == AccountStatus::Normal
    }

    /// The link that leads to the payment password: the one asked for last, until it was used.
    pub fn password_link(&self) -> Option<&str> {
        self.link.as_deref()
    }

    fn card_in(&self, card_id: BankCardId, state: CardState) -> Option<&Card> {
        self.card.as_ref().filter(|card| card.id == card_id && card.state == state)
    }

    fn not_now(&self, act: &'static str) -> PaymentAccountRefusal {
        PaymentAccountRefusal::NotNow { now: self.status.label(), act }
    }

    /// Cards and the password belong to accounts that may be used.
    fn usable(&self, act: &'static str) -> Result<(), PaymentAccountRefusal> {
        if self.status == AccountStatus::Normal { Ok(()) } else { Err(self.not_now(act)) }
    }

    fn apply(&self, account_id: PaymentAccountId, agent_id: AgentId, application: Application) -> Decision {
        let Application { account_type, applicant } = application;
        let applicant = |id| Personal::new(subject(id), applicant);
        match (self.known, self.status) {
            (None, _) => Ok(vec![PaymentAccountEvent::Applied {
                account_id,
                agent_id,
                account_type,
                applicant: applicant(account_id),
            }]),
            (Some((known, _)), AccountStatus::Rejected) => {
                Ok(vec![PaymentAccountEvent::Reapplied { account_type, applicant: applicant(known) }])
            }
            (_, AccountStatus::Applied) => Err(PaymentAccountRefusal::Applying),
            (_, AccountStatus::Closed) => Err(PaymentAccountRefusal::Over),
            (_, AccountStatus::None | AccountStatus::Normal | AccountStatus::Frozen) => {
                Err(PaymentAccountRefusal::Exists)
            }
        }
    }

    fn set_status(&self, status: AccountStatus, level: Option<AccountLevel>, reason: &str) -> Decision {
        use AccountStatus::{Applied, Closed, Frozen, Normal, Rejected};
        let event = match (self.status, status) {
            (Applied, Normal) => {
                PaymentAccountEvent::Opened { level: level.ok_or(PaymentAccountRefusal::Level)? }
            }
            (Applied, Rejected) => PaymentAccountEvent::Rejected { reason: because(reason)? },
            (Normal, Frozen) => PaymentAccountEvent::Frozen { reason: because(reason)? },
            (Frozen, Normal) => PaymentAccountEvent::Unfrozen { reason: because(reason)? },
            (Normal | Frozen, Closed) => {
                let reason = because(reason)?;
                match self.card.as_ref().map(|card| card.state) {
                    Some(CardState::Pending) => return Err(PaymentAccountRefusal::CardOpen("待验证")),
                    Some(CardState::Unbinding) => return Err(PaymentAccountRefusal::CardOpen("解绑中")),
                    _ => PaymentAccountEvent::Closed { reason },
                }
            }
            (now, to) => {
                return Err(PaymentAccountRefusal::NoWay { now: now.label(), to: to.label() });
            }
        };
        Ok(vec![event])
    }

    /// Refuses a code so soon after the last one, of whichever card, and more codes than a day allows.
    fn may_send(&self, now: Timestamp) -> Result<(), PaymentAccountRefusal> {
        if self.codes_sent.back().is_some_and(|last| now.millis_since(*last) < RESEND_MS) {
            return Err(PaymentAccountRefusal::TooSoon);
        }
        let today = self.codes_sent.iter().filter(|at| now.millis_since(**at) < DAY_MS).count();
        if today < CODES_A_DAY { Ok(()) } else { Err(PaymentAccountRefusal::CodesADay) }
    }

    fn bind(
        &self,
        account: PaymentAccountId,
        card_id: BankCardId,
        form: &BankCardForm,
        now: Timestamp,
    ) -> Decision {
        self.usable("绑卡")?;
        let (bank_name, card) = form.checked(self.account_type)?;
        let mut events = Vec::new();
        match &self.card {
            Some(old) if old.state == CardState::Pending => {
                let cause = CardFailure::Replaced;
                events.push(PaymentAccountEvent::CardFailed { card_id: old.id, cause });
            }
            Some(_) => return Err(PaymentAccountRefusal::CardBound),
            None => {}
        }
        self.may_send(now)?;
        let card = Personal::new(subject(account), card);
        events.push(PaymentAccountEvent::CardNamed { card_id, bank_name, card, at: now });
        Ok(events)
    }

    fn resend(&self, phone: &Phone, now: Timestamp) -> Decision {
        self.usable("验证银行卡")?;
        let pending = self.card.as_ref().filter(|card| card.state == CardState::Pending);
        let card = pending.ok_or(PaymentAccountRefusal::NoPendingCard)?;
        if now.millis_since(card.sent_at) >= CODE_LIFE_MS {
            return Err(PaymentAccountRefusal::CodeOver);
        }
        if card.whole.known().map(|card| &card.mobile) != Some(phone) {
            return Err(PaymentAccountRefusal::OtherPhone);
        }
        self.may_send(now)?;
        Ok(vec![PaymentAccountEvent::CodeResent { card_id: card.id, at: now }])
    }

    fn confirm(&self, card_id: BankCardId, now: Timestamp) -> Decision {
        let card = self.card_in(card_id, CardState::Pending).ok_or(PaymentAccountRefusal::CodeOver)?;
        self.usable("绑卡")?;
        if now.millis_since(card.sent_at) >= CODE_LIFE_MS {
            return Err(PaymentAccountRefusal::CodeOver);
        }
        Ok(vec![PaymentAccountEvent::CardBound { card_id }])
    }

    fn ask_unbinding(&self, card_no: &str, reason: &str) -> Decision {
        self.usable("解绑银行卡")?;
        let card = match &self.card {
            Some(card) if card.state == CardState::Bound => card,
            Some(card) if card.state == CardState::Unbinding => {
                return Err(PaymentAccountRefusal::UnbindingAlready);
            }
            _ => return Err(PaymentAccountRefusal::NoBoundCard),
        };
        if !card.whole.known().is_some_and(|card| card.card_no.is_named_by(card_no)) {
            return Err(PaymentAccountRefusal::OtherCard);
        }
        let reason = because(reason)?;
        Ok(vec![PaymentAccountEvent::UnbindingAsked { card_id: card.id, reason }])
    }

    fn answer_unbinding(&self, card_id: BankCardId, agree: bool, reason: &str) -> Decision {
        self.card_in(card_id, CardState::Unbinding).ok_or(PaymentAccountRefusal::NotUnbinding)?;
        let reason = perhaps_because(reason)?;
        Ok(vec![if agree {
            PaymentAccountEvent::CardUnbound { card_id, reason }
        } else {
            PaymentAccountEvent::UnbindingDeclined { card_id, reason }
        }])
    }

    fn sent(&mut self, at: Timestamp) {
        self.codes_sent.push_back(at);
        if self.codes_sent.len() > CODES_A_DAY {
            self.codes_sent.pop_front();
        }
    }
}

impl Aggregate for PaymentAccount {
    const CATEGORY: &'static str = "payment-account";
    type Id = PaymentAccountId;
    type Command = PaymentAccountCommand;
    type Event = PaymentAccountEvent;
    type Refusal = PaymentAccountRefusal;

    fn decide(&self, command: PaymentAccountCommand, now: Timestamp) -> Decision {
        use PaymentAccountCommand as Command;
        let account = match (self.known, command) {
            (_, Command::Apply { account_id, agent_id, application }) => {
                return self.apply(account_id, agent_id, application);
            }
            (None, _) => return Err(PaymentAccountRefusal::Unknown),
            (Some((account, _)), command) => (account, command),
        };
        match account {
            (_, Command::Apply { .. }) => Err(PaymentAccountRefusal::Exists),
            (_, Command::SetStatus { revision, .. }) if revision != self.revision => {
                Err(PaymentAccountRefusal::Stale { seen: revision, actual: self.revision })
            }
            (_, Command::SetStatus { status, level, reason, .. }) => self.set_status(status, level, &reason),
            (account, Command::BindCard { card_id, card }) => self.bind(account, card_id, &card, now),
            (_, Command::ResendCode { phone }) => self.resend(&phone, now),
            (_, Command::ConfirmCard { card_id }) => self.confirm(card_id, now),
            (_, Command::FailCard { card_id }) => match self.card_in(card_id, CardState::Pending) {
                Some(_) => {
                    Ok(vec![PaymentAccountEvent::CardFailed { card_id, cause: CardFailure::WrongCodes }])
                }
                None => Ok(vec![]),
            },
            (_, Command::ExpireCard { card_id }) => match self.card_in(card_id, CardState::Pending) {
                Some(card) if now.millis_since(card.sent_at) < CODE_LIFE_MS => {
                    Err(PaymentAccountRefusal::TooEarly)
                }
                Some(_) => Ok(vec![PaymentAccountEvent::CardFailed { card_id, cause: CardFailure::Expired }]),
                None => Ok(vec![]),
            },
            (_, Command::AskUnbinding { card_no, reason }) => self.ask_unbinding(&card_no, &reason),
            (_, Command::AnswerUnbinding { card_id, agree, reason }) => {
                self.answer_unbinding(card_id, agree, &reason)
            }
            (_, Command::AskPassword { call, link }) if self.may_set_password() => {
                Ok(vec![PaymentAccountEvent::PasswordAsked { call, link }])
            }
            (_, Command::AskPassword { .. }) => Err(PaymentAccountRefusal::NotOpen),
            (_, Command::SetPassword { link }) => {
                if self.password_link() != Some(&*link) {
                    return Err(PaymentAccountRefusal::LinkUsed);
                }
                self.usable("修改支付密码")?;
                Ok(vec![PaymentAccountEvent::PasswordSet])
            }
        }
    }

    fn evolve(&mut self, event: &PaymentAccountEvent) {
        use PaymentAccountEvent as Happened;
        if event.revises() {
            self.revision += 1;
        }
        let turn = |card: &mut Option<Card>, state| {
            if let Some(card) = card {
                card.state = state;
            }
        };
        match event {
            Happened::Applied { account_id, agent_id, account_type, .. } => {
                self.known = Some((*account_id, *agent_id));
                self.account_type = Some(*account_type);
                self.status = AccountStatus::Applied;
            }
            Happened::Reapplied { account_type, .. } => {
                self.account_type = Some(*account_type);
                self.status = AccountStatus::Applied;
            }
            Happened::Opened { .. } | Happened::Unfrozen { .. } => self.status = AccountStatus::Normal,
            Happened::Rejected { .. } => self.status = AccountStatus::Rejected,
            Happened::Frozen { .. } => self.status = AccountStatus::Frozen,
            Happened::Closed { .. } => self.status = AccountStatus::Closed,
            Happened::CardNamed { card_id, card, at, .. } => {
                self.sent(*at);
                let whole = card.clone();
                self.card = Some(Card { id: *card_id, state: CardState::Pending, whole, sent_at: *at });
            }
            Happened::CodeResent { at, .. } => {
                self.sent(*at);
                if let Some(card) = &mut self.card {
                    card.sent_at = *at;
                }
            }
            Happened::CardBound { .. } | Happened::UnbindingDeclined { .. } => {
                turn(&mut self.card, CardState::Bound);
            }
            Happened::UnbindingAsked { .. } => turn(&mut self.card, CardState::Unbinding),
            Happened::CardFailed { .. } | Happened::CardUnbound { .. } => self.card = None,
            Happened::PasswordAsked { link, .. } => self.link = Some(link.clone()),
            Happened::PasswordSet => self.link = None,
        }
    }

    fn owner(&self) -> DataOwner {
        self.known.map_or(DataOwner::PLATFORM, |(_, agent)| DataOwner::of_agent(agent))
    }

    fn claims(&self, event: &PaymentAccountEvent) -> Vec<Claim<PaymentAccountRefusal>> {
        match event {
            // An agent has one account, whatever becomes of it.
            PaymentAccountEvent::Applied { agent_id, .. } => vec![Claim::Take {
                key: format!("payment-account-of:{agent_id}"),
                refusal: PaymentAccountRefusal::Exists,
            }],
            _ => vec![],
        }
    }
}

#[cfg(test)]
#[path = "payment_account_tests.rs"]
mod tests;
