//! The five regions of a bike's state, independent of each other: lifecycle, ride, field work, alarms, contact.
//! Wire values are the numbers.

use serde::{Deserialize, Serialize};

/// A closed list of small numbers with Chinese labels.
macro_rules! wire_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$item_doc:meta])* $item:ident = $value:literal $label:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "i16", into = "i16")]
        pub enum $name { $($(#[$item_doc])* $item = $value),+ }

        impl $name {
            /// All of them, in order.
            pub const ALL: &[Self] = &[$(Self::$item),+];

            /// The wire value.
            pub const fn value(self) -> i16 {
                self as i16
            }

            /// As people read it.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$item => $label),+ }
            }
        }

        impl TryFrom<i16> for $name {
            type Error = String;
            fn try_from(value: i16) -> Result<Self, String> {
                match value {
                    $($value => Ok(Self::$item),)+
                    other => Err(format!(concat!(stringify!($name), " 没有值 {}"), other)),
                }
            }
        }

        impl From<$name> for i16 {
            fn from(item: $name) -> Self {
                item as Self
            }
        }
    };
}
pub(crate) use wire_enum;

wire_enum!(
    /// Where a bike is in its life.
    Lifecycle {
        Expected = 0 "待入库",
        Stocked = 1 "在库",
        Shelved = 2 "已上架",
        Unshelved = 3 "已下架",
        AtFactory = 4 "返厂维修",
        Lost = 5 "丢失",
        Scrapped = 6 "报废",
    }
);

wire_enum!(
    /// Who uses it now.
    RidingState {
        Idle = 1 "待使用",
        Riding = 2 "骑行中",
        Paused = 3 "临停",
        Reserved = 4 "预约中",
        FieldWork = 5 "运维中",
    }
);

wire_enum!(
    /// What field work it needs or is in.
    OperationState {
        OffStreet = 1 "下架",
        Moving = 2 "挪车中",
        Swapping = 3 "换电中",
        LowBattery = 4 "低电",
        Repair = 5 "报修",
        TowedBack = 6 "拖回",
    }
);

wire_enum!(
    /// What is wrong with it.
    AlarmState {
        AbnormalMove = 2 "异常移动",
        OutOfArea = 3 "出服务区",
        NoStopZone = 4 "禁停区",
        OutsideParking = 5 "站点外",
        BatteryRemoved = 6 "电瓶移除",
        Silent = 7 "异常离线",
        RideWithoutTrip = 8 "有单无程",
        ReportedLost = 9 "报失",
        RideTooLong = 10 "订单超长",
        RideTooShort = 11 "短时订单",
        AbnormalUnlock = 12 "异常开锁",
        HelmetLost = 13 "头盔丢失",
        HelmetBroken = 14 "头盔故障",
    }
);
