//! Where accounts and cards stand, and what is asked of passwords.

use serde::{Deserialize, Serialize};

/// Where an account stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AccountStatus {
    /// 0 未开户.
    #[default]
    None = 0,
    /// 1 审核中.
    Applied = 1,
    /// 2 正常.
    Normal = 2,
    /// 3 开户失败.
    Rejected = 3,
    /// 4 冻结.
    Frozen = 4,
    /// 5 销户.
    Closed = 5,
}

impl AccountStatus {
    /// As people call it.
    pub fn label(self) -> &'static str {
        match self {
            Self::None => "未开户",
            Self::Applied => "审核中",
            Self::Normal => "正常",
            Self::Rejected => "开户失败",
            Self::Frozen => "冻结",
            Self::Closed => "销户",
        }
    }
}

impl TryFrom<i16> for AccountStatus {
    type Error = ();

    fn try_from(value: i16) -> Result<Self, ()> {
        let all = [Self::None, Self::Applied, Self::Normal, Self::Rejected, Self::Frozen, Self::Closed];
        all.into_iter().find(|status| *status as i16 == value).ok_or(())
    }
}

/// What an account may do: 1 平台/一级, without bills of its own; 2 加盟商.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "i16", into = "i16")]
pub enum AccountLevel {
    /// 1.
    First,
    /// 2.
    Second,
}

impl TryFrom<i16> for AccountLevel {
    type Error = String;

    fn try_from(value: i16) -> Result<Self, String> {
        match value {
            1 => Ok(Self::First),
            2 => Ok(Self::Second),
            other => Err(format!("账户等级只有 1 和 2，没有 {other}")),
        }
    }
}

impl From<AccountLevel> for i16 {
    fn from(level: AccountLevel) -> Self {
        match level {
            AccountLevel::First => 1,
            AccountLevel::Second => 2,
        }
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

/// Where a card stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardState {
    /// 0 待验证: its code was sent.
    Pending = 0,
    /// 1 已绑定.
    Bound = 1,
    /// 2 验证失败.
    Failed = 2,
    /// 3 解绑中: the platform was asked.
    Unbinding = 3,
    /// 4 已解绑.
    Unbound = 4,
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
