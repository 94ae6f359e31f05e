//! How rides of a service area are paid (支付).

use kernel::refusals;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::choices;

use super::config::{Setting, StoredAs, stored_as};

/// Somebody who owes is reminded at most so often.
pub const REMINDERS_MAX: u16 = 30;
/// Hours between two reminders, at most.
pub const INTERVAL_MAX_H: u16 = 720;

choices! {
    /// What of a wallet is spent first.
    pub enum SpendFirst("扣款顺序") {
        Present = 1 => "先扣赠送",
        Recharge = 2 => "先扣充值",
    }
}

choices! {
    /// By which way somebody is reminded.
    pub enum RemindWay("提醒方式") {
        System = 0 => "系统",
        Sms = 1 => "短信",
        App = 2 => "APP",
    }
}

/// 支付配置.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayRules {
    /// 余额自动支付: a wallet that holds enough pays a ride as it ends.
    pub paid_by_balance: bool,
    /// 补缴余额支付: what a wallet gets later pays what is owed.
    pub arrears_by_balance: bool,
    /// 扣款顺序.
    pub spend_first: SpendFirst,
    /// 未支付提醒.
    pub unpaid_reminded: bool,
    /// Hours between two reminders, 1 to 720.
    pub remind_interval_h: u16,
    /// Reminders of one order at most, 1 to 30.
    pub reminders_max: u16,
    /// How.
    pub remind_way: RemindWay,
}

impl Default for PayRules {
    /// What counts where nobody said anything else.
    fn default() -> Self {
        Self {
            paid_by_balance: true,
            arrears_by_balance: true,
            spend_first: SpendFirst::Present,
            unpaid_reminded: true,
            remind_interval_h: 24,
            reminders_max: 3,
            remind_way: RemindWay::System,
        }
    }
}

refusals! {
    /// Why they may not stand so.
    pub enum PayRulesRefusal {
        Interval = "pay-interval": ("提醒间隔需在 1 到 {INTERVAL_MAX_H} 小时之间"),
        Reminders = "pay-reminders": ("提醒次数需在 1 到 {REMINDERS_MAX} 次之间"),
    }
}

impl Setting for PayRules {
    const STORED: StoredAs = stored_as!("pay-config");
    type Fault = PayRulesRefusal;

    fn checked(self) -> Result<Self, PayRulesRefusal> {
        if !(1..=INTERVAL_MAX_H).contains(&self.remind_interval_h) {
            Err(PayRulesRefusal::Interval)
        } else if !(1..=REMINDERS_MAX).contains(&self.reminders_max) {
            Err(PayRulesRefusal::Reminders)
        } else {
            Ok(self)
        }
    }
}
