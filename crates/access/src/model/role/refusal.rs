//! Why a role says no.

use kernel::Refusal;
use vocabulary::PermissionCode;

use super::{HOLDERS_MAX, NAME_MAX, REMARK_MAX};
use crate::model::authority::Above;

/// Why a role says no.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RoleRefusal {
    /// There is none, or no more.
    #[error("角色不存在或已删除")]
    Unknown,
    /// The id is in use.
    #[error("角色已存在")]
    Exists,
    /// The name is empty, too long or holds control characters.
    #[error("角色名称应为 1 到 {NAME_MAX} 个字符")]
    BadName,
    /// The remark is too long.
    #[error("备注最多 {REMARK_MAX} 个字符")]
    BadRemark,
    /// Another role of the agent has the name.
    #[error("角色名称“{0}”已被使用")]
    NameTaken(String),
    /// Nothing would be permitted.
    #[error("请至少选择一项权限")]
    NoCodes,
    /// The tree does not know the code.
    #[error("权限码不存在：{0}")]
    UnknownCode(PermissionCode),
    /// The code is not for this tier.
    #[error("权限“{title}”不能授予{tier}级角色")]
    NotForTier {
        /// The code's title.
        title: &'static str,
        /// The tier's name.
        tier: &'static str,
    },
    /// The code is not for any tier of this operator.
    #[error("权限“{title}”不能授予{tiers}级人员")]
    NotForLevel {
        /// The code's title.
        title: &'static str,
        /// The names of his tiers.
        tiers: String,
    },
    /// Who asks does not hold the code.
    #[error("您没有权限“{0}”，不能授予或操作含有该权限的角色")]
    NotHeld(String),
    /// It is meant for a tier above those of who asks.
    #[error("该角色的级别高于您的级别，您不能创建、授予或操作")]
    AboveLevel,
    /// Somebody who holds it reaches further than who asks.
    #[error("持有该角色的人员中有超出您数据范围的，您不能操作")]
    HeldBeyondReach,
    /// Somebody who holds it is of a higher level than who asks.
    #[error("持有该角色的人员中有级别高于您的，您不能操作")]
    HeldAboveLevel,
    /// Somebody got it at the same moment.
    #[error("持有该角色的人员刚刚变化，请重试")]
    HoldersChanged,
    /// Who gets or loses it has something that who asks has not.
    #[error(transparent)]
    Above(#[from] Above),
    /// Who asks holds the role.
    #[error("不能修改自己所持有的角色")]
    OwnRole,
    /// Who asks would change his own roles.
    #[error("不能变更自己的角色")]
    OwnRoles,
    /// The system role stays as it is.
    #[error("系统角色不能修改、停用或删除")]
    System,
    /// Others changed it meanwhile.
    #[error("角色已被他人修改（当前版本 {actual}，您的版本 {seen}），请刷新后重试")]
    Stale {
        /// What the editor saw.
        seen: i64,
        /// What it is.
        actual: i64,
    },
    /// Operators hold it.
    #[error("角色正被 {0} 名人员使用，不能删除")]
    InUse(usize),
    /// A disabled role is not given out.
    #[error("角色已停用，不能授予")]
    IsDisabled,
    /// Too many hold it.
    #[error("一个角色最多授予 {HOLDERS_MAX} 名人员")]
    TooManyHolders,
    /// Nobody could administer any more.
    #[error("必须保留至少一名启用的超级管理员")]
    LastAdministrator,
    /// The operator is disabled, deleted or limited in reach.
    #[error("停用的、已删除的或数据范围受限的人员不能担任超级管理员")]
    CannotAdminister,
}

impl Refusal for RoleRefusal {
    fn code(&self) -> &'static str {
        match self {
            Self::Unknown => "role-unknown",
            Self::Exists => "role-exists",
            Self::BadName => "role-bad-name",
            Self::BadRemark => "role-bad-remark",
            Self::NameTaken(_) => "role-name-taken",
            Self::NoCodes => "role-no-codes",
            Self::UnknownCode(_) => "permission-unknown",
            Self::NotForTier { .. } => "permission-not-for-tier",
            Self::NotForLevel { .. } => "permission-not-for-level",
            Self::NotHeld(_) => "permission-not-held",
            Self::AboveLevel => "role-above-level",
            Self::HeldBeyondReach => "role-beyond-reach",
            Self::HeldAboveLevel => "role-held-above-level",
            Self::HoldersChanged => "role-holders-changed",
            Self::Above(above) => above.code(),
            Self::OwnRole => "role-own",
            Self::OwnRoles => "roles-own",
            Self::System => "role-system",
            Self::Stale { .. } => "stale-version",
            Self::InUse(_) => "role-in-use",
            Self::IsDisabled => "role-disabled",
            Self::TooManyHolders => "role-too-many-holders",
            Self::LastAdministrator => "last-administrator",
            Self::CannotAdminister => "operator-cannot-administer",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }
}
