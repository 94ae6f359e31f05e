//! What happens to a payment account.

use kernel::{Personal, events};
use vocabulary::{AgentId, BankCardId, PaymentAccountId, Timestamp};

use super::{AccountLevel, AccountType, Applicant, BankCard, CardFailure, PasswordCall};

events! {
    /// What happened.
    #[derive(Eq)]
    pub enum PaymentAccountEvent {
        /// It was applied for.
        Applied {
            /// Its own id.
            account_id: PaymentAccountId,
            /// Whose it is.
            agent_id: AgentId,
            /// 0 个人, 1 企业, 2 个体户.
            account_type: AccountType,
            /// Who applies.
            applicant: Personal<Applicant>,
        } = "payment-account.applied",
        /// It was applied for again, corrected.
        Reapplied {
            /// 0 个人, 1 企业, 2 个体户.
            account_type: AccountType,
            /// Who applies.
            applicant: Personal<Applicant>,
        } = "payment-account.reapplied",
        /// The provider opened it.
        Opened {
            /// What it may do.
            level: AccountLevel,
        } = "payment-account.opened",
        /// The provider did not open it.
        Rejected {
            /// Why.
            reason: String,
        } = "payment-account.rejected",
        /// It may not be used for now.
        Frozen {
            /// Why.
            reason: String,
        } = "payment-account.frozen",
        /// It may be used again.
        Unfrozen {
            /// Why.
            reason: String,
        } = "payment-account.unfrozen",
        /// It is no more.
        Closed {
            /// Why.
            reason: String,
        } = "payment-account.closed",
        /// A card was named; its code is on the way.
        CardNamed {
            /// Its own id.
            card_id: BankCardId,
            /// 开户银行.
            bank_name: String,
            /// The card.
            card: Personal<BankCard>,
            /// When its code was sent.
            at: Timestamp,
        } = "payment-account.card_named",
        /// Its code was sent again.
        CodeResent {
            /// Which card.
            card_id: BankCardId,
            /// When.
            at: Timestamp,
        } = "payment-account.code_resent",
        /// It was proved.
        CardBound {
            /// Which card.
            card_id: BankCardId,
        } = "payment-account.card_bound",
        /// It was not.
        CardFailed {
            /// Which card.
            card_id: BankCardId,
            /// Why.
            cause: CardFailure,
        } = "payment-account.card_failed",
        /// The platform is asked to let it go.
        UnbindingAsked {
            /// Which card.
            card_id: BankCardId,
            /// Why.
            reason: String,
        } = "payment-account.unbinding_asked",
        /// It is let go.
        CardUnbound {
            /// Which card.
            card_id: BankCardId,
            /// Why.
            reason: String,
        } = "payment-account.card_unbound",
        /// It stays.
        UnbindingDeclined {
            /// Which card.
            card_id: BankCardId,
            /// Why.
            reason: String,
        } = "payment-account.unbinding_declined",
        /// Somebody asked for the page of the payment password.
        PasswordAsked {
            /// What for.
            call: PasswordCall,
            /// Names the link.
            link: String,
        } = "payment-account.password_asked",
        /// The payment password was set.
        PasswordSet = "payment-account.password_set",
    }
}

impl PaymentAccountEvent {
    /// Whether an editor who did not see it has an old picture: codes sent again and links asked for change nothing
    /// that he looks at.
    pub fn revises(&self) -> bool {
        !matches!(self, Self::CodeResent { .. } | Self::PasswordAsked { .. })
    }
}
