//! Where accounts and cards stand, and what is asked of passwords.

use serde::{Deserialize, Serialize};
use vocabulary::choices;

choices! {
    /// Where an account stands.
    #[derive(Default)]
    pub enum AccountStatus("账户状态") {
        #[default]
        None = 0 => "未开户",
        Applied = 1 => "审核中",
        Normal = 2 => "正常",
        Rejected = 3 => "开户失败",
        Frozen = 4 => "冻结",
        Closed = 5 => "销户",
    }
}

choices! {
    /// What an account may do: one of the first level has no bills of its own.
    pub enum AccountLevel("账户等级") {
        First = 1 => "一级（平台）",
        Second = 2 => "二级（加盟商）",
    }
}

/// What shall become of the payment password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PasswordCall {
    /// Changed by who knows it.
    Modify,
    /// Set anew by who forgot it.
    Forget,
    /// The same for a business account.
    BModify,
    /// The same for a business account.
    BForget,
}

choices! {
    /// Where a card stands. While it is pending its code was sent; while it is unbinding the platform was asked.
    pub enum CardState("银行卡状态") {
        Pending = 0 => "待验证",
        Bound = 1 => "已绑定",
        Failed = 2 => "验证失败",
        Unbinding = 3 => "解绑中",
        Unbound = 4 => "已解绑",
    }
}

/// Why a card was not bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CardFailure {
    /// Too many wrong codes.
    WrongCodes,
    /// No right code in time.
    Expired,
    /// Another card was named meanwhile.
    Replaced,
}

impl CardFailure {
    /// As people call it.
    pub fn label(self) -> &'static str {
        match self {
            Self::WrongCodes => "验证码错误次数过多",
            Self::Expired => "验证码超时未验证",
            Self::Replaced => "已改绑其他银行卡",
        }
    }
}
