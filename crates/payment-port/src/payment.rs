//! A payment: what is asked, and how it stands.

use serde::{Deserialize, Serialize};
use vocabulary::{Cents, Timestamp, choices, text};

use crate::{Fault, Refusal, TradeNo};

/// The largest amount of one payment: a million yuan.
pub const AMOUNT_MAX: Cents = Cents(100_000_000);
/// Characters that name a payer at most.
pub const PAYER_MAX: usize = 128;
/// Characters of a subject at most.
pub const SUBJECT_MAX: usize = 127;
/// Bytes of an address at most.
pub const URL_MAX: usize = 512;
/// A payment may be waited for this long: a week.
pub const LIFE_MAX_MS: i64 = 7 * 24 * 3_600_000;

choices! {
    /// How somebody pays. The numbers are those of the ledger, where gifts and corrections have numbers too.
    pub enum Channel("支付渠道") {
        AlipayApp = 1 => "支付宝APP",
        WechatApp = 2 => "微信APP",
        WechatMiniProgram = 3 => "微信小程序",
        WechatH5 = 4 => "微信H5",
        UnionPayMiniProgram = 5 => "云闪付小程序",
        UnionPayCode = 6 => "云闪付二维码",
        UnionPayApp = 7 => "云闪付APP",
        WechatPayScore = 30 => "微信支付分",
        AlipayMiniProgram = 40 => "支付宝小程序",
    }
}

/// Who makes the money move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The payer, on a page of the provider's.
    Cashier,
    /// The provider by itself, some time later, as the payer agreed to beforehand (免密代扣).
    Agreed,
}

/// Asks for money. The number makes it one: the same number with the same content is the same payment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PaymentOrder {
    /// The platform's number.
    pub trade_no: TradeNo,
    /// How much, cents.
    pub amount_cents: Cents,
    /// How it is paid.
    pub channel: Channel,
    /// Who pays, as the channel knows him (an openid, the number of an agreement); tells nothing to anybody else.
    pub payer: String,
    /// What the payer reads that he pays for.
    pub subject: String,
    /// From then on it is paid no more.
    #[serde(rename = "expiresAtMs")]
    pub expires_at: Timestamp,
    /// Where the platform is told how it ended.
    pub notify_url: String,
    /// Who makes the money move.
    pub mode: Mode,
}

/// How a payment stands. All but waiting are ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum PaymentState {
    /// For the payer, or for the provider.
    Waiting {
        /// Where the payer confirms; absent where he agreed beforehand.
        #[serde(rename = "cashierUrl", default, skip_serializing_if = "Option::is_none")]
        cashier_url: Option<String>,
    },
    /// The money moved.
    Paid {
        /// When.
        #[serde(rename = "paidAtMs")]
        at: Timestamp,
    },
    /// It does not move: another attempt needs another number.
    Refused {
        /// Why.
        refusal: Refusal,
        /// When.
        #[serde(rename = "refusedAtMs")]
        at: Timestamp,
    },
    /// Its time is over, or the platform did not want it any more.
    Closed {
        /// When.
        #[serde(rename = "closedAtMs")]
        at: Timestamp,
    },
}

impl PaymentState {
    /// Whether it stays so.
    pub const fn is_end(&self) -> bool {
        !matches!(self, Self::Waiting { .. })
    }
}

/// A payment as the provider has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Payment {
    /// The platform's number.
    pub trade_no: TradeNo,
    /// The provider's.
    pub provider_no: String,
    /// How much, cents.
    pub amount_cents: Cents,
    /// How it is paid.
    pub channel: Channel,
    /// Who makes the money move.
    pub mode: Mode,
    /// How it stands.
    #[serde(flatten)]
    pub state: PaymentState,
    /// Given back, or under way back; cents.
    pub refunded_cents: Cents,
    /// When it was asked for.
    #[serde(rename = "createdAtMs")]
    pub created_at: Timestamp,
}

impl PaymentOrder {
    /// Whether each field is within its bounds. Whether it is too late to ask for it, [`Self::check_life`] knows.
    pub fn check(&self) -> Result<(), Fault> {
        check_amount(self.amount_cents)?;
        check_line("payer", &self.payer, PAYER_MAX)?;
        check_line("subject", &self.subject, SUBJECT_MAX)?;
        check_url(&self.notify_url)
    }

    /// Whether a new payment may wait for so long.
    pub fn check_life(&self, now: Timestamp) -> Result<(), Fault> {
        match self.expires_at.millis_since(now) {
            ..=0 => Err(Fault::Expired),
            1..=LIFE_MAX_MS => Ok(()),
            _ => Err(Fault::Malformed("expiresAtMs 最晚为七天后".into())),
        }
    }
}

pub(crate) fn check_amount(amount: Cents) -> Result<(), Fault> {
    if (Cents(1)..=AMOUNT_MAX).contains(&amount) {
        return Ok(());
    }
    Err(Fault::Malformed(format!("amountCents 须为 1 至 {}", AMOUNT_MAX.0)))
}

/// What is stored is what was said: a text with blanks around it is not tidied up but refused.
pub(crate) fn check_line(name: &str, said: &str, max: usize) -> Result<(), Fault> {
    if text::line(said, max).is_some_and(|line| line == said) {
        return Ok(());
    }
    Err(Fault::Malformed(format!("{name} 须为 1 至 {max} 个字符，首尾无空白")))
}

pub(crate) fn check_url(url: &str) -> Result<(), Fault> {
    let parsed = reqwest::Url::parse(url).ok().filter(|_| url.len() <= URL_MAX);
    let web = |url: reqwest::Url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.fragment().is_none()
    };
    if parsed.is_some_and(web) {
        return Ok(());
    }
    Err(Fault::Malformed(format!("notifyUrl 须为 http 或 https 地址，至多 {URL_MAX} 字节")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn order() -> PaymentOrder {
        PaymentOrder {
            trade_no: "T1".parse().unwrap(),
            amount_cents: Cents(150),
            channel: Channel::WechatMiniProgram,
            payer: "openid-1".into(),
            subject: "骑行费用".into(),
            expires_at: NOW.plus_millis(600_000),
            notify_url: "http://127.0.0.1:8080/notices".into(),
            mode: Mode::Cashier,
        }
    }

    #[test]
    fn what_is_asked_reads_as_the_document_says() {
        let said = json!({
            "tradeNo": "T1", "amountCents": 150, "channel": 3, "payer": "openid-1", "subject": "骑行费用",
            "expiresAtMs": 1_800_000_600_000_i64, "notifyUrl": "http://127.0.0.1:8080/notices", "mode": "cashier",
        });
        assert_eq!(serde_json::to_value(order()).unwrap(), said);
        let mut more = said.clone();
        more["currency"] = "USD".into();
        assert!(
            serde_json::from_value::<PaymentOrder>(more).is_err(),
            "what is not known may bear on the money"
        );
        let mut gift = said;
        gift["channel"] = 8.into();
        assert!(serde_json::from_value::<PaymentOrder>(gift).is_err(), "a gift is no way to pay");
    }

    #[test]
    fn a_payment_tells_its_state_beside_its_other_fields() {
        let payment = Payment {
            trade_no: "T1".parse().unwrap(),
            provider_no: "P1".into(),
            amount_cents: Cents(150),
            channel: Channel::WechatPayScore,
            mode: Mode::Agreed,
            state: PaymentState::Refused { refusal: Refusal::new("insufficient", "余额不足"), at: NOW },
            refunded_cents: Cents(0),
            created_at: NOW,
        };
        let said = json!({
            "tradeNo": "T1", "providerNo": "P1", "amountCents": 150, "channel": 30, "mode": "agreed", "state": "refused",
            "refusal": {"code": "insufficient", "text": "余额不足"}, "refusedAtMs": NOW.millis(), "refundedCents": 0,
            "createdAtMs": NOW.millis(),
        });
        assert_eq!(serde_json::to_value(&payment).unwrap(), said);
        assert_eq!(serde_json::from_value::<Payment>(said).unwrap(), payment);
    }

    #[test]
    fn fields_outside_of_their_bounds_are_refused_by_name() {
        type Edit = fn(&mut PaymentOrder);
        let cases: [(&str, Edit); 7] = [
            ("amountCents", |o| o.amount_cents = Cents(0)),
            ("amountCents", |o| o.amount_cents = Cents(AMOUNT_MAX.0 + 1)),
            ("payer", |o| o.payer = String::new()),
            ("payer", |o| o.payer = "x".repeat(PAYER_MAX + 1)),
            ("subject", |o| o.subject = " 骑行".into()),
            ("notifyUrl", |o| o.notify_url = "ftp://here".into()),
            ("notifyUrl", |o| o.notify_url = "http://me:secret@here/".into()),
        ];
        assert_eq!(order().check(), Ok(()));
        for (name, edit) in cases {
            let mut order = order();
            edit(&mut order);
            let refused = order.check().unwrap_err();
            assert!(matches!(&refused, Fault::Malformed(why) if why.starts_with(name)), "{name}: {refused}");
        }
    }

    #[test]
    fn a_payment_is_waited_for_from_now_on_for_a_week_at_most() {
        let until = |ms: i64| PaymentOrder { expires_at: NOW.plus_millis(ms), ..order() }.check_life(NOW);
        assert_eq!(until(0), Err(Fault::Expired));
        assert_eq!((until(1), until(LIFE_MAX_MS)), (Ok(()), Ok(())));
        assert!(matches!(until(LIFE_MAX_MS + 1), Err(Fault::Malformed(_))));
    }
}
