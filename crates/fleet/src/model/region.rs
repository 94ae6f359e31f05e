//! The five regions of a bike's state, independent of each other: lifecycle, ride, field work, alarms, contact.
//! Wire values are the numbers.

use vocabulary::choices;

choices! {
    /// Where a bike is in its life.
    pub enum Lifecycle("生命周期") {
        Expected = 0 => "待入库",
        Stocked = 1 => "在库",
        Shelved = 2 => "已上架",
        Unshelved = 3 => "已下架",
        AtFactory = 4 => "返厂维修",
        Lost = 5 => "丢失",
        Scrapped = 6 => "报废",
    }
}

choices! {
    /// Who uses it now.
    pub enum RidingState("骑行状态") {
        Idle = 1 => "待使用",
        Riding = 2 => "骑行中",
        Paused = 3 => "临停",
        Reserved = 4 => "预约中",
        FieldWork = 5 => "运维中",
    }
}

choices! {
    /// What field work it needs or is in.
    pub enum OperationState("运维状态") {
        OffStreet = 1 => "下架",
        Moving = 2 => "挪车中",
        Swapping = 3 => "换电中",
        LowBattery = 4 => "低电",
        Repair = 5 => "报修",
        TowedBack = 6 => "拖回",
    }
}

choices! {
    /// What is wrong with it.
    #[derive(Default)]
    pub enum AlarmState("告警") {
        #[default]
        AbnormalMove = 2 => "异常移动",
        OutOfArea = 3 => "出服务区",
        NoStopZone = 4 => "禁停区",
        OutsideParking = 5 => "站点外",
        BatteryRemoved = 6 => "电瓶移除",
        Silent = 7 => "异常离线",
        RideWithoutTrip = 8 => "有单无程",
        ReportedLost = 9 => "报失",
        RideTooLong = 10 => "订单超长",
        RideTooShort = 11 => "短时订单",
        AbnormalUnlock = 12 => "异常开锁",
        HelmetLost = 13 => "头盔丢失",
        HelmetBroken = 14 => "头盔故障",
    }
}
