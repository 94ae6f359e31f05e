//! What lets people ride in a service area (骑行资格).

use kernel::refusals;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::config::{Setting, StoredAs, stored_as};
use super::rider::Qualification;

/// A deposit is at most so many cents: 1,000 yuan.
pub const DEPOSIT_MAX_CENTS: i64 = 100_000;

/// 骑行资格配置: one of the ways that are open is enough.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RidingPermission {
    /// 一键免押: who is known by name may ride.
    pub free: bool,
    /// 诚信金: who left a deposit.
    pub deposit: bool,
    /// How much that is: cents.
    pub deposit_cents: i64,
    /// 会员卡: who holds one.
    pub membership: bool,
    /// 职业认证: whose profession was checked.
    pub career: bool,
    /// 微信支付分.
    pub wechat_score: bool,
    /// 芝麻先享.
    pub zhima_score: bool,
}

impl Default for RidingPermission {
    /// What counts where nobody said anything else.
    fn default() -> Self {
        Self {
            free: true,
            deposit: false,
            deposit_cents: 19_900,
            membership: false,
            career: false,
            wechat_score: false,
            zhima_score: false,
        }
    }
}

refusals! {
    /// Why it may not stand so.
    pub enum RidingPermissionRefusal {
        NoWay = "permission-no-way": ("至少要开启一种骑行资格"),
        Deposit = "permission-deposit": ("诚信金需在 0.01 到 1000 元之间"),
    }
}

impl RidingPermission {
    /// Whether who has this may ride.
    pub const fn opens(&self, by: Qualification) -> bool {
        match by {
            Qualification::Free => self.free,
            Qualification::Deposit => self.deposit,
            Qualification::Membership => self.membership,
            Qualification::Career => self.career,
            Qualification::WeChatScore => self.wechat_score,
            Qualification::ZhimaScore => self.zhima_score,
        }
    }
}

impl Setting for RidingPermission {
    const STORED: StoredAs = stored_as!("riding-permission");
    type Fault = RidingPermissionRefusal;

    fn checked(self) -> Result<Self, RidingPermissionRefusal> {
        if !Qualification::ALL.iter().any(|way| self.opens(*way)) {
            Err(RidingPermissionRefusal::NoWay)
        } else if !(1..=DEPOSIT_MAX_CENTS).contains(&self.deposit_cents) {
            Err(RidingPermissionRefusal::Deposit)
        } else {
            Ok(self)
        }
    }
}
