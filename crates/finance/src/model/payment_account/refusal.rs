//! Why an account says no.

use kernel::refusals;

use super::super::numbers::{NotACardNo, NotACertNo};
use super::{CODES_A_DAY, REASON_MAX};

refusals! {
    /// Why not.
    pub enum PaymentAccountRefusal {
        Unknown = "payment-account-unknown": ("账户不存在"),
        Exists = "payment-account-exists": ("该代理商已开户"),
        Applying = "payment-account-applying": ("开户申请审核中，请等待结果"),
        Over = "payment-account-closed": ("该代理商的支付账户已销户，不能重新开户"),
        Name { what: &'static str, max: usize } = "payment-name": ("{what}需 1 到 {max} 个字，不能含有 *"),
        Cert(NotACertNo) = "payment-cert-no": ("{0}"),
        HolderCert = "payment-cert-no": ("持卡人证件号码不正确，请核对"),
        Phone = "phone-bad": ("手机号格式不正确"),
        CardNo(NotACardNo) = "payment-card-no": ("{0}"),
        Stale { seen: i64, actual: i64 } = "stale-version": ("账户已被他人修改（当前版本 {actual}，您的版本 {seen}），请刷新后重试"),
        Level = "payment-level": ("请选择账户等级：1 或 2"),
        Reason = "payment-reason": ("请填写原因，最多 {REASON_MAX} 个字"),
        NoWay { now: &'static str, to: &'static str } = "payment-status": ("账户当前为“{now}”，不能改为“{to}”"),
        NotNow { now: &'static str, act: &'static str } = "payment-account-not-now": ("支付账户当前为“{now}”，不能{act}"),
        CardOpen(&'static str) = "payment-card-open": ("还有{0}的银行卡，处理完后才能销户"),
        CardBound = "payment-card-bound": ("已绑定银行卡，请先解绑"),
        NoPendingCard = "payment-card-not-pending": ("没有待验证的银行卡，请先绑卡"),
        OtherPhone = "payment-other-phone": ("手机号与待验证银行卡的预留手机号不一致"),
        TooSoon = "payment-code-too-soon": ("验证码发送过于频繁，请 1 分钟后再试"),
        CodesADay = "payment-codes-a-day": ("24 小时内最多发送 {CODES_A_DAY} 次验证码，请稍后再试"),
        CodeOver = "payment-code-over": ("验证码已失效，请重新绑卡"),
        TooEarly = "payment-code-lives": ("验证码尚未失效"),
        NoBoundCard = "payment-card-none": ("没有已绑定的银行卡"),
        UnbindingAlready = "payment-unbinding-already": ("解绑申请处理中，请等待平台处理"),
        OtherCard = "payment-other-card": ("卡号与已绑定的银行卡不一致"),
        NotUnbinding = "payment-not-unbinding": ("该银行卡没有待处理的解绑申请"),
        NotOpen = "payment-account-not-open": ("尚未开通支付账户"),
        LinkUsed = "payment-link-used": ("链接已失效，请重新获取"),
    }
}
