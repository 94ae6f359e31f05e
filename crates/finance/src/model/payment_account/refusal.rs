//! Why an account says no.

use kernel::Refusal;

use super::super::numbers::{NotACardNo, NotACertNo};
use super::{CODES_A_DAY, REASON_MAX};

/// Why not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PaymentAccountRefusal {
    /// There is none.
    #[error("账户不存在")]
    Unknown,
    /// The agent has one.
    #[error("该代理商已开户")]
    Exists,
    /// It is being looked at.
    #[error("开户申请审核中，请等待结果")]
    Applying,
    /// It had one.
    #[error("该代理商的支付账户已销户，不能重新开户")]
    Over,
    /// A name is empty or too long.
    #[error("{what}需 1 到 {max} 个字，不能含有 *")]
    Name {
        /// Whose.
        what: &'static str,
        /// At most so many characters.
        max: usize,
    },
    /// The certificate's number is wrong.
    #[error(transparent)]
    Cert(NotACertNo),
    /// The number of the holder's certificate is wrong.
    #[error("持卡人证件号码不正确，请核对")]
    HolderCert,
    /// The phone is none.
    #[error("手机号格式不正确")]
    Phone,
    /// The card's number is wrong.
    #[error(transparent)]
    CardNo(NotACardNo),
    /// Somebody else changed it meanwhile.
    #[error("账户已被他人修改（当前版本 {actual}，您的版本 {seen}），请刷新后重试")]
    Stale {
        /// What the editor saw.
        seen: i64,
        /// What it is.
        actual: i64,
    },
    /// No level was named.
    #[error("请选择账户等级：1 或 2")]
    Level,
    /// The reason is empty or too long.
    #[error("请填写原因，最多 {REASON_MAX} 个字")]
    Reason,
    /// It does not go from here to there.
    #[error("账户当前为“{now}”，不能改为“{to}”")]
    NoWay {
        /// Where it stands.
        now: &'static str,
        /// Where it should.
        to: &'static str,
    },
    /// It may not be used now.
    #[error("支付账户当前为“{now}”，不能{act}")]
    NotNow {
        /// Where it stands.
        now: &'static str,
        /// What was asked.
        act: &'static str,
    },
    /// A card is on its way in or out.
    #[error("还有{0}的银行卡，处理完后才能销户")]
    CardOpen(&'static str),
    /// There is a card already.
    #[error("已绑定银行卡，请先解绑")]
    CardBound,
    /// No card waits for its code.
    #[error("没有待验证的银行卡，请先绑卡")]
    NoPendingCard,
    /// The code went to another phone.
    #[error("手机号与待验证银行卡的预留手机号不一致")]
    OtherPhone,
    /// A code was sent a moment ago.
    #[error("验证码发送过于频繁，请 1 分钟后再试")]
    TooSoon,
    /// Too many codes.
    #[error("24 小时内最多发送 {CODES_A_DAY} 次验证码，请稍后再试")]
    CodesADay,
    /// The code is worth nothing any more.
    #[error("验证码已失效，请重新绑卡")]
    CodeOver,
    /// The code is worth something still.
    #[error("验证码尚未失效")]
    TooEarly,
    /// There is no card to let go.
    #[error("没有已绑定的银行卡")]
    NoBoundCard,
    /// It was asked for already.
    #[error("解绑申请处理中，请等待平台处理")]
    UnbindingAlready,
    /// Another card is bound.
    #[error("卡号与已绑定的银行卡不一致")]
    OtherCard,
    /// Nobody asked to let this card go.
    #[error("该银行卡没有待处理的解绑申请")]
    NotUnbinding,
    /// There is no account that may be used.
    #[error("尚未开通支付账户")]
    NotOpen,
    /// The link was used, or another one was asked for.
    #[error("链接已失效，请重新获取")]
    LinkUsed,
}

impl Refusal for PaymentAccountRefusal {
    fn code(&self) -> &'static str {
        match self {
            Self::Unknown => "payment-account-unknown",
            Self::Exists => "payment-account-exists",
            Self::Applying => "payment-account-applying",
            Self::Over => "payment-account-closed",
            Self::Name { .. } => "payment-name",
            Self::Cert(_) | Self::HolderCert => "payment-cert-no",
            Self::Phone => "phone-bad",
            Self::CardNo(_) => "payment-card-no",
            Self::Stale { .. } => "stale-version",
            Self::Level => "payment-level",
            Self::Reason => "payment-reason",
            Self::NoWay { .. } => "payment-status",
            Self::NotNow { .. } => "payment-account-not-now",
            Self::CardOpen(_) => "payment-card-open",
            Self::CardBound => "payment-card-bound",
            Self::NoPendingCard => "payment-card-not-pending",
            Self::OtherPhone => "payment-other-phone",
            Self::TooSoon => "payment-code-too-soon",
            Self::CodesADay => "payment-codes-a-day",
            Self::CodeOver => "payment-code-over",
            Self::TooEarly => "payment-code-lives",
            Self::NoBoundCard => "payment-card-none",
            Self::UnbindingAlready => "payment-unbinding-already",
            Self::OtherCard => "payment-other-card",
            Self::NotUnbinding => "payment-not-unbinding",
            Self::NotOpen => "payment-account-not-open",
            Self::LinkUsed => "payment-link-used",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }
}
