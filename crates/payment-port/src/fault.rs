//! Why something was not done.

use serde::{Deserialize, Serialize};

/// A reason as it travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// For programs; those of the protocol are in [`Fault`], a provider may have more.
    pub code: String,
    /// For people, in Chinese.
    pub text: String,
}

impl Refusal {
    /// From its parts.
    pub fn new(code: &str, text: &str) -> Self {
        Self { code: code.to_owned(), text: text.to_owned() }
    }
}

/// A request that is refused, with the code and the HTTP status of the answer. Nothing was done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A field is missing, unknown, or not within its bounds.
    #[error("请求内容不正确：{0}")]
    Malformed(String),
    /// Nothing has this number.
    #[error("没有此单号")]
    UnknownNumber,
    /// The number stands for something else already.
    #[error("单号已用于内容不同的另一笔")]
    NumberTaken,
    /// The time to pay is over before it began.
    #[error("付款截止时刻已过")]
    Expired,
    /// What is paid cannot be closed.
    #[error("已支付，不能关闭")]
    AlreadyPaid,
    /// What is not paid cannot be given back.
    #[error("未支付，不能退款")]
    NotPaid,
    /// More would be given back than was paid.
    #[error("退款总额超过已付金额")]
    TooMuch,
    /// A payment has as many refunds as it may have.
    #[error("退款次数已达上限")]
    TooMany,
    /// Not now; to be tried again later under the same number.
    #[error("暂时无法受理，请稍后再试")]
    Busy,
}

impl Fault {
    /// For programs.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Malformed(_) => "malformed",
            Self::UnknownNumber => "unknown-number",
            Self::NumberTaken => "number-taken",
            Self::Expired => "expired",
            Self::AlreadyPaid => "already-paid",
            Self::NotPaid => "not-paid",
            Self::TooMuch => "too-much",
            Self::TooMany => "too-many",
            Self::Busy => "busy",
        }
    }

    /// Of the answer.
    pub const fn status(&self) -> u16 {
        match self {
            Self::Malformed(_) => 400,
            Self::UnknownNumber => 404,
            Self::Busy => 503,
            _ => 409,
        }
    }

    /// As it travels.
    pub fn refusal(&self) -> Refusal {
        Refusal::new(self.code(), &self.to_string())
    }
}
