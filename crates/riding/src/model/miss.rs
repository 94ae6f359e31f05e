//! Missed orders (丢单): somebody wanted a bike and did not get one, and why.

use vocabulary::{RiderId, Timestamp, choices};

/// Who walks farther is not near, metres.
pub const NEAR_M: f64 = 300.0;
/// Who tries the same again within so long misses it once.
pub const AGAIN_MS: i64 = 120_000;
/// What a refusal said is kept up to so many characters.
pub const DETAIL_MAX: usize = 100;
/// A number that nobody knows is kept up to so many characters.
pub const CAR_ID_MAX: usize = 32;

choices! {
    /// At what he did not get it.
    pub enum MissAct("环节") {
        Look = 1 => "找车",
        Scan = 2 => "扫码",
        Reserve = 3 => "预约",
        Unlock = 4 => "开锁",
    }
}

choices! {
    /// Why he did not get it.
    pub enum MissReason("丢单原因") {
        LowBattery = 1 => "电量不足",
        Fault = 2 => "车辆报修",
        Offline = 3 => "车辆离线",
        Reserved = 4 => "车辆被预约",
        InUse = 5 => "车辆使用中",
        OutOfArea = 6 => "车辆出服务区",
        FieldWork = 7 => "车辆运维中",
        Alarm = 8 => "车辆告警",
        NotShelved = 9 => "车辆未上架",
        AreaClosed = 10 => "服务区暂停服务",
        Unverified = 20 => "用户未实名",
        Owing = 21 => "用户欠费",
        Blacklisted = 22 => "用户被拉黑",
        Riding = 23 => "用户有未结束行程",
        Frozen = 24 => "账户冻结或注销",
        Unqualified = 25 => "用户无骑行资格",
        OtherAgent = 26 => "非本品牌用户",
        NoAnswer = 30 => "车锁无应答",
        LockFailed = 31 => "车锁开锁失败",
        NothingNear = 40 => "300 米内无车可租",
        UnknownNumber = 41 => "车辆编号不存在",
        Unavailable = 42 => "系统暂不可用",
        Other = 43 => "其他",
    }
}

impl MissReason {
    /// Of a refusal, or of a reason against renting, by its code.
    pub fn of_code(code: &str) -> Self {
        match code {
            "low-battery" | "use-low-battery" => Self::LowBattery,
            "fault" => Self::Fault,
            "offline" | "soc-unknown" | "vehicle-offline" => Self::Offline,
            "reserved" => Self::Reserved,
            "in-use" | "vehicle-busy" | "order-car-busy" => Self::InUse,
            "out-of-area" => Self::OutOfArea,
            "operation" => Self::FieldWork,
            "battery-removed" | "reported-lost" => Self::Alarm,
            "lifecycle" | "vehicle-not-shelved" => Self::NotShelved,
            "area-closed" => Self::AreaClosed,
            "rider-unverified" => Self::Unverified,
            "rider-owing" => Self::Owing,
            "rider-blacklisted" => Self::Blacklisted,
            "order-rider-busy" => Self::Riding,
            "rider-frozen" | "rider-closed" => Self::Frozen,
            "rider-unqualified" | "use-too-young" | "use-too-old" | "use-recharge-first" => Self::Unqualified,
            "rider-other-agent" => Self::OtherAgent,
            "vehicle-unknown" => Self::UnknownNumber,
            _ => Self::Other,
        }
    }

    /// Whether it is for the operation to mend, and not for the rider: what counts for a parking place.
    pub const fn is_ours(self) -> bool {
        !matches!(
            self,
            Self::Unverified
                | Self::Owing
                | Self::Blacklisted
                | Self::Riding
                | Self::Frozen
                | Self::Unqualified
                | Self::OtherAgent
                | Self::UnknownNumber
        )
    }
}

/// What makes two tries one: the rider with the bike that he wants. Who finds nothing near is in one place at a time; of
/// somebody whom nobody names the place itself is told, to about 100 m.
pub fn subject(rider: Option<RiderId>, car_id: Option<&str>, place: Option<(f64, f64)>) -> String {
    let who = rider.map_or_else(|| "-".to_owned(), |rider| rider.to_string());
    let what = match (car_id, rider, place) {
        (Some(car_id), ..) => car_id.to_owned(),
        (None, None, Some((lat, lng))) => format!("{lat:.3},{lng:.3}"),
        (None, ..) => "near".to_owned(),
    };
    format!("{who} {what}")
}

/// Whether a try follows the last one of the same so soon that it is one miss with it.
pub const fn is_again(last: Timestamp, at: Timestamp) -> bool {
    at.millis() - last.millis() <= AGAIN_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_against_renting_and_every_refusal_at_the_unlock_has_its_own() {
        let of = ["low-battery", "reserved", "vehicle-busy", "rider-owing", "rider-closed", "area-closed"];
        let labels = of.map(|code| MissReason::of_code(code).label());
        assert_eq!(
            labels,
            ["电量不足", "车辆被预约", "车辆使用中", "用户欠费", "账户冻结或注销", "服务区暂停服务"]
        );
        assert_eq!(MissReason::of_code("order-not-now"), MissReason::Other);
    }

    #[test]
    fn what_only_the_rider_can_mend_counts_for_no_parking_place() {
        let his: Vec<i16> =
            MissReason::ALL.iter().filter(|one| !one.is_ours()).map(|one| one.number()).collect();
        assert_eq!(his, [20, 21, 22, 23, 24, 25, 26, 41]);
    }

    #[test]
    fn a_rider_misses_one_bike_or_the_place_where_he_is() {
        let rider = Some(RiderId(7));
        assert_eq!(subject(rider, Some("W1"), Some((24.5, 118.1))), "7 W1");
        assert_eq!(subject(rider, None, Some((24.5, 118.1))), subject(rider, None, Some((24.6, 118.1))));
        assert_eq!(subject(None, None, Some((24.500_4, 118.1))), "- 24.500,118.100");
        assert_ne!(subject(None, None, Some((24.5, 118.1))), subject(None, None, Some((24.502, 118.1))));
        let at = Timestamp::from_millis;
        assert!(is_again(at(0), at(AGAIN_MS)) && !is_again(at(0), at(AGAIN_MS + 1)));
    }
}
