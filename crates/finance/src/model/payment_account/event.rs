//! What happens to a payment account.

use kernel::{Event, Personal};
use serde::{Deserialize, Serialize};
use vocabulary::{AgentId, BankCardId, PaymentAccountId, Timestamp};

use super::{AccountLevel, AccountType, Applicant, BankCard, CardFailure, PasswordCall};

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data")]
pub enum PaymentAccountEvent {
    /// It was applied for.
    #[serde(rename = "payment-account.applied")]
    Applied {
        /// Its own id.
        account_id: PaymentAccountId,
        /// Whose it is.
        agent_id: AgentId,
        /// 0 个人, 1 企业, 2 个体户.
        account_type: AccountType,
        /// Who applies.
        applicant: Personal<Applicant>,
    },
    /// It was applied for again, corrected.
    #[serde(rename = "payment-account.reapplied")]
    Reapplied {
        /// 0 个人, 1 企业, 2 个体户.
        account_type: AccountType,
        /// Who applies.
        applicant: Personal<Applicant>,
    },
    /// The provider opened it.
    #[serde(rename = "payment-account.opened")]
    Opened {
        /// What it may do.
        level: AccountLevel,
    },
    /// The provider did not open it.
    #[serde(rename = "payment-account.rejected")]
    Rejected {
        /// Why.
        reason: String,
    },
    /// It may not be used for now.
    #[serde(rename = "payment-account.frozen")]
    Frozen {
        /// Why.
        reason: String,
    },
    /// It may be used again.
    #[serde(rename = "payment-account.unfrozen")]
    Unfrozen {
        /// Why.
        reason: String,
    },
    /// It is no more.
    #[serde(rename = "payment-account.closed")]
    Closed {
        /// Why.
        reason: String,
    },
    /// A card was named; its code is on the way.
    #[serde(rename = "payment-account.card_named")]
    CardNamed {
        /// Its own id.
        card_id: BankCardId,
        /// 开户银行.
        bank_name: String,
        /// The card.
        card: Personal<BankCard>,
        /// When its code was sent.
        at: Timestamp,
    },
    /// Its code was sent again.
    #[serde(rename = "payment-account.code_resent")]
    CodeResent {
        /// Which card.
        card_id: BankCardId,
        /// When.
        at: Timestamp,
    },
    /// It was proved.
    #[serde(rename = "payment-account.card_bound")]
    CardBound {
        /// Which card.
        card_id: BankCardId,
    },
    /// It was not.
    #[serde(rename = "payment-account.card_failed")]
    CardFailed {
        /// Which card.
        card_id: BankCardId,
        /// Why.
        cause: CardFailure,
    },
    /// The platform is asked to let it go.
    #[serde(rename = "payment-account.unbinding_asked")]
    UnbindingAsked {
        /// Which card.
        card_id: BankCardId,
        /// Why.
        reason: String,
    },
    /// It is let go.
    #[serde(rename = "payment-account.card_unbound")]
    CardUnbound {
        /// Which card.
        card_id: BankCardId,
        /// Why.
        reason: String,
    },
    /// It stays.
    #[serde(rename = "payment-account.unbinding_declined")]
    UnbindingDeclined {
        /// Which card.
        card_id: BankCardId,
        /// Why.
        reason: String,
    },
    /// Somebody asked for the page of the payment password.
    #[serde(rename = "payment-account.password_asked")]
    PasswordAsked {
        /// What for.
        call: PasswordCall,
        /// Names the link.
        link: String,
    },
    /// The payment password was set.
    #[serde(rename = "payment-account.password_set")]
    PasswordSet,
}

impl Event for PaymentAccountEvent {
    fn stored_type(&self) -> &'static str {
        match self {
            Self::Applied { .. } => "payment-account.applied",
            Self::Reapplied { .. } => "payment-account.reapplied",
            Self::Opened { .. } => "payment-account.opened",
            Self::Rejected { .. } => "payment-account.rejected",
            Self::Frozen { .. } => "payment-account.frozen",
            Self::Unfrozen { .. } => "payment-account.unfrozen",
            Self::Closed { .. } => "payment-account.closed",
            Self::CardNamed { .. } => "payment-account.card_named",
            Self::CodeResent { .. } => "payment-account.code_resent",
            Self::CardBound { .. } => "payment-account.card_bound",
            Self::CardFailed { .. } => "payment-account.card_failed",
            Self::UnbindingAsked { .. } => "payment-account.unbinding_asked",
            Self::CardUnbound { .. } => "payment-account.card_unbound",
            Self::UnbindingDeclined { .. } => "payment-account.unbinding_declined",
            Self::PasswordAsked { .. } => "payment-account.password_asked",
            Self::PasswordSet => "payment-account.password_set",
        }
    }
}

impl PaymentAccountEvent {
    /// Whether an editor who did not see it has an old picture: codes sent again and links asked for change nothing
    /// that he looks at.
    pub fn revises(&self) -> bool {
        !matches!(self, Self::CodeResent { .. } | Self::PasswordAsked { .. })
    }
}
