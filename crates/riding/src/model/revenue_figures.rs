//! Figures of a day of revenue: sums that are added up, and what follows from them.

use serde::Serialize;
use utoipa::ToSchema;

/// Declares figures that are added up, each with its column.
macro_rules! figures {
    ($(#[$of:meta])* pub struct $Figures:ident { $($(#[$doc:meta])* $name:ident,)+ }) => {
        $(#[$of])*
        pub struct $Figures { $($(#[$doc])* pub $name: i64,)+ }

        impl $Figures {
            /// Columns that keep them, in the order of [`Self::values`].
            pub const COLUMNS: &'static [&'static str] = &[$(stringify!($name)),+];

            /// One by one.
            pub fn values(&self) -> Vec<i64> {
                vec![$(self.$name),+]
            }

            /// Each as `of` knows it by its column.
            pub fn known<E>(mut of: impl FnMut(&'static str) -> Result<i64, E>) -> Result<Self, E> {
                Ok(Self { $($name: of(stringify!($name))?,)+ })
            }

            /// Both together; nothing when a sum does not fit.
            pub fn plus(&self, other: &Self) -> Option<Self> {
                Some(Self { $($name: self.$name.checked_add(other.$name)?,)+ })
            }
        }
    };
}

figures! {
    /// What happened on a day or on several, of one area or of several. Amounts are cents.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
    #[serde(rename_all = "camelCase")]
    pub struct Figures {
        /// 订单: rides that were priced, by their end.
        orders,
        /// 短时订单: of less than two minutes.
        short_orders,
        /// 免单 orders.
        free_orders,
        /// 骑行卡 orders that are not 免单.
        card_orders,
        /// 折扣 orders that are neither.
        discount_orders,
        /// What orders cost that are not short.
        usual_cents,
        /// How long they took, seconds.
        riding_s,
        /// How far they went, metres.
        distance_m,
        /// 计费: fares of rides that ended.
        fare_cents,
        /// 费用下调 of rides of the same day.
        lowered_cents,
        /// 跨日下调: of rides of earlier days.
        lowered_past_cents,
        /// 新增实收 through channels: payments on the day of the ride.
        paid_third_cents,
        /// 新增实收 of what was paid into wallets.
        paid_recharge_cents,
        /// 新增实收 of what was given into wallets.
        paid_present_cents,
        /// 历史欠款补缴 through channels: payments for rides of earlier days.
        arrears_third_cents,
        /// 历史欠款补缴 of what was paid into wallets.
        arrears_recharge_cents,
        /// 历史欠款补缴 of what was given into wallets.
        arrears_present_cents,
        /// 欠款核销.
        written_off_cents,
        /// 充值 through channels.
        top_up_cents,
        /// 卡类销售 through channels.
        card_third_cents,
        /// 卡类销售 of what was paid into wallets.
        card_recharge_cents,
        /// 骑行退款 by the way it came.
        ride_refund_third_cents,
        /// 骑行退款 into wallets.
        ride_refund_wallet_cents,
        /// 退卡 by the way it came.
        card_refund_third_cents,
        /// 退卡 into wallets.
        card_refund_wallet_cents,
        /// 余额退款.
        balance_back_cents,
        /// 退款失败退回: lies in wallets again.
        refund_failed_cents,
        /// What else channels brought, less what goes back.
        other_cents,
        /// 总收益.
        revenue_cents,
        /// 收取押金: no revenue.
        deposit_paid_cents,
        /// 退还押金, less what could not go back: no revenue.
        deposit_back_cents,
        /// 赠送成本.
        gift_cents,
        /// 人工调整: what somebody says was paid; no revenue.
        adjustment_cents,
        /// 补记 entries: their own day was closed.
        late_entries,
        /// 应收 of these.
        late_due_cents,
        /// 总收益 of these.
        late_revenue_cents,
    }
}

/// A part of a whole in ten-thousandths; nothing of nothing.
const fn basis_points(part: i64, whole: i64) -> Option<i64> {
    if whole > 0 { Some((part as i128 * 10_000 / whole as i128) as i64) } else { None }
}

/// A sum for each; nothing where there are none.
const fn each(sum: i64, count: i64) -> Option<i64> {
    if count > 0 { Some(sum / count) } else { None }
}

impl Figures {
    /// The same, known as 补记 or not.
    #[must_use]
    pub const fn told_late(mut self, is_late: bool) -> Self {
        if is_late {
            self.late_entries = 1;
            self.late_due_cents = self.due_cents();
            self.late_revenue_cents = self.revenue_cents;
        }
        self
    }

    /// 应收 A: fares of rides that ended on the day, less what was lowered on it.
    pub const fn due_cents(&self) -> i64 {
        self.fare_cents - self.lowered_cents
    }

    /// 新增实收 E.
    pub const fn paid_cents(&self) -> i64 {
        self.paid_third_cents + self.paid_recharge_cents + self.paid_present_cents
    }

    /// 新增欠款 C: what of A was not paid when the day closed.
    pub const fn owing_cents(&self) -> i64 {
        self.due_cents() - self.paid_cents()
    }

    /// 历史欠款补缴 D.
    pub const fn arrears_cents(&self) -> i64 {
        self.arrears_third_cents + self.arrears_recharge_cents + self.arrears_present_cents
    }

    /// 实收总额 E + D.
    pub const fn received_cents(&self) -> i64 {
        self.paid_cents() + self.arrears_cents()
    }

    /// What channels brought for good, before anything went back.
    pub const fn receipts_cents(&self) -> i64 {
        self.paid_third_cents + self.arrears_third_cents + self.top_up_cents + self.card_third_cents
    }

    /// 退款 by the way it came, less what came back.
    pub const fn refunds_cents(&self) -> i64 {
        self.ride_refund_third_cents + self.card_refund_third_cents + self.balance_back_cents
            - self.refund_failed_cents
    }

    /// 欠款率 C / A, ten-thousandths.
    pub const fn owing_rate(&self) -> Option<i64> {
        basis_points(self.owing_cents(), self.due_cents())
    }

    /// 退款率: refunds / receipts, ten-thousandths.
    pub const fn refund_rate(&self) -> Option<i64> {
        basis_points(self.refunds_cents(), self.receipts_cents())
    }

    /// 优惠占比: orders with any relief, ten-thousandths.
    pub const fn relief_rate(&self) -> Option<i64> {
        basis_points(self.orders - self.plain_orders(), self.orders)
    }

    /// 无优惠: orders without any relief.
    pub const fn plain_orders(&self) -> i64 {
        self.orders - self.free_orders - self.card_orders - self.discount_orders
    }

    /// Orders that are not short.
    pub const fn usual_orders(&self) -> i64 {
        self.orders - self.short_orders
    }

    /// 单均金额, cents, cut off.
    pub const fn each_cents(&self) -> Option<i64> {
        each(self.usual_cents, self.usual_orders())
    }

    /// 单均时长, seconds, cut off.
    pub const fn each_s(&self) -> Option<i64> {
        each(self.riding_s, self.usual_orders())
    }

    /// 单均里程, metres, cut off.
    pub const fn each_m(&self) -> Option<i64> {
        each(self.distance_m, self.usual_orders())
    }
}
