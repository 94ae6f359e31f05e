//! Why an account says no.

use kernel::refusals;

use super::super::numbers::{NotACardNo, NotACertNo};
use super::{CODES_A_DAY, REASON_MAX};

refusals! {
    /// Why not.
    pub enum PaymentAccountRefusal {
        /// There is none.
        Unknown = "payment-account-unknown": ("账户不存在"),
        /// The agent has one.
        Exists = "payment-account-exists": ("该代理商已开户"),
        /// It is being looked at.
        Applying = "payment-account-applying": ("开户申请审核中，请等待结果"),
        /// It had one.
        Over = "payment-account-closed": ("该代理商的支付账户已销户，不能重新开户"),
        /// A name is empty or too long.
        Name { what: &'static str, max: usize } = "payment-name": ("{what}需 1 到 {max} 个字，不能含有 *"),
        /// The certificate's number is wrong.
        Cert(NotACertNo) = "payment-cert-no": ("{0}"),
        /// The number of the holder's certificate is wrong.
        HolderCert = "payment-cert-no": ("持卡人证件号码不正确，请核对"),
        /// The phone is none.
        Phone = "phone-bad": ("手机号格式不正确"),
        /// The card's number is wrong.
        CardNo(NotACardNo) = "payment-card-no": ("{0}"),
        /// Somebody else changed it meanwhile.
        Stale { seen: i64, actual: i64 } = "stale-version": ("账户已被他人修改（当前版本 {actual}，您的版本 {seen}），请刷新后重试"),
        /// No level was named.
        Level = "payment-level": ("请选择账户等级：1 或 2"),
        /// The reason is empty or too long.
        Reason = "payment-reason": ("请填写原因，最多 {REASON_MAX} 个字"),
        /// It does not go from here to there.
        NoWay { now: &'static str, to: &'static str } = "payment-status": ("账户当前为“{now}”，不能改为“{to}”"),
        /// It may not be used now.
        NotNow { now: &'static str, act: &'static str } = "payment-account-not-now": ("支付账户当前为“{now}”，不能{act}"),
        /// A card is on its way in or out.
        CardOpen(&'static str) = "payment-card-open": ("还有{0}的银行卡，处理完后才能销户"),
        /// There is a card already.
        CardBound = "payment-card-bound": ("已绑定银行卡，请先解绑"),
        /// No card waits for its code.
        NoPendingCard = "payment-card-not-pending": ("没有待验证的银行卡，请先绑卡"),
        /// The code went to another phone.
        OtherPhone = "payment-other-phone": ("手机号与待验证银行卡的预留手机号不一致"),
        /// A code was sent a moment ago.
        TooSoon = "payment-code-too-soon": ("验证码发送过于频繁，请 1 分钟后再试"),
        /// Too many codes.
        CodesADay = "payment-codes-a-day": ("24 小时内最多发送 {CODES_A_DAY} 次验证码，请稍后再试"),
        /// The code is worth nothing any more.
        CodeOver = "payment-code-over": ("验证码已失效，请重新绑卡"),
        /// The code is worth something still.
        TooEarly = "payment-code-lives": ("验证码尚未失效"),
        /// There is no card to let go.
        NoBoundCard = "payment-card-none": ("没有已绑定的银行卡"),
        /// It was asked for already.
        UnbindingAlready = "payment-unbinding-already": ("解绑申请处理中，请等待平台处理"),
        /// Another card is bound.
        OtherCard = "payment-other-card": ("卡号与已绑定的银行卡不一致"),
        /// Nobody asked to let this card go.
        NotUnbinding = "payment-not-unbinding": ("该银行卡没有待处理的解绑申请"),
        /// There is no account that may be used.
        NotOpen = "payment-account-not-open": ("尚未开通支付账户"),
        /// The link was used, or another one was asked for.
        LinkUsed = "payment-link-used": ("链接已失效，请重新获取"),
    }
}
