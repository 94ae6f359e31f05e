//! Ids: 64-bit, ordered by time of birth, strings in JSON because a browser's numbers are too short for them.

use std::sync::Mutex;

use crate::{Clock, Timestamp};

/// Declares a kind of id: an `AreaId` cannot be passed as a `RoleId`.
macro_rules! typed_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type)]
        #[sqlx(transparent)]
        pub struct $name(pub i64);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl std::str::FromStr for $name {
            type Err = std::num::ParseIntError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(IdVisitor).map(Self)
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                String::schema()
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}

/// Accepts a number or its text: older clients send numbers.
struct IdVisitor;

impl serde::de::Visitor<'_> for IdVisitor {
    type Value = i64;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an id: a whole number or its text")
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<i64, E> {
        Ok(value)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<i64, E> {
        i64::try_from(value).map_err(E::custom)
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<i64, E> {
        value.parse().map_err(E::custom)
    }
}

typed_id!(
    /// An agent (代理).
    AgentId
);
typed_id!(
    /// A franchisee (加盟商), who works with an agent.
    FranchiseeId
);
typed_id!(
    /// A template of what an agent's people may hold (代理角色模板).
    AgentRoleId
);
typed_id!(
    /// A service area (服务区).
    AreaId
);
typed_id!(
    /// A parking place, no-stop zone or other fence (围栏).
    FenceId
);
typed_id!(
    /// One change of many fences at once (批量修改).
    FenceBatchId
);
typed_id!(
    /// A rider's wish for a parking place (站点申请).
    ParkApplicationId
);
typed_id!(
    /// A photo or document that a case holds (附件).
    AttachmentId
);
typed_id!(
    /// A rider (骑行用户).
    RiderId
);
typed_id!(
    /// A ride order (骑行订单).
    RideOrderId
);
typed_id!(
    /// An alarm ticket (报警单).
    AlarmTicketId
);
typed_id!(
    /// A missed order (丢单).
    MissId
);
typed_id!(
    /// A payment asked of a provider (支付单).
    PaymentId
);
typed_id!(
    /// A rider's wish that the place of a return be looked at (还车审核).
    ReturnReviewId
);
typed_id!(
    /// A version that priced rides wrong, and the orders that it did so to (受影响订单).
    MispricingId
);
typed_id!(
    /// A student's or worker's certification (职业认证).
    CertificationId
);
typed_id!(
    /// A wish to change a phone or an identity (实名换绑).
    RebindingId
);
typed_id!(
    /// An entry of the blacklist (黑名单).
    BlacklistEntryId
);
typed_id!(
    /// A card or membership on sale (卡类商品).
    CardProductId
);
typed_id!(
    /// A card or membership that a rider holds (持卡).
    CardHoldingId
);
typed_id!(
    /// What a second person is to decide (复核申请).
    ApprovalId
);
typed_id!(
    /// A command to a device (指令).
    CommandId
);
typed_id!(
    /// A package of firmware (固件包).
    FirmwareId
);
typed_id!(
    /// What an operator stored of the operation map under a name (视图).
    MapViewId
);
typed_id!(
    /// What one shift tells the next (交接班记录).
    ShiftNoteId
);
typed_id!(
    /// What a bike's voltage tells of its charge and range (电压方案).
    VoltageSchemeId
);
typed_id!(
    /// A payment account (支付账户).
    PaymentAccountId
);
typed_id!(
    /// One binding of a bank card to a payment account (绑卡).
    BankCardId
);
typed_id!(
    /// A machine client with a service token.
    MachineId
);
typed_id!(
    /// A device that an operator signs in from (授权设备).
    OperatorDeviceId
);
typed_id!(
    /// An operator of the back-office (平台用户).
    OperatorId
);
typed_id!(
    /// A role (角色).
    RoleId
);

/// Where new ids come from.
pub trait IdSource: Send + Sync + 'static {
    /// An id that was never given before.
    fn next_id(&self) -> i64;
}

/// Time-ordered ids: 41 bits of milliseconds since 2024, 10 of node, 12 of sequence.
/// When more than 4,096 are asked for in a millisecond, or the clock steps back, it runs ahead of the clock.
pub struct Snowflake<C> {
    clock: C,
    node: i64,
    last: Mutex<(i64, i64)>,
}

const EPOCH_2024: Timestamp = Timestamp::from_millis(1_704_067_200_000);

impl<C: Clock> Snowflake<C> {
    /// `node` tells processes apart; its low 10 bits count.
    pub fn new(clock: C, node: u16) -> Self {
        Self { clock, node: i64::from(node & 0x3ff), last: Mutex::new((0, 0)) }
    }
}

impl<C: Clock> IdSource for Snowflake<C> {
    fn next_id(&self) -> i64 {
        let now = self.clock.now().millis_since(EPOCH_2024).max(1);
        let mut last = self.last.lock().expect("nothing panics while holding the sequence");
        *last = match *last {
            (at, _) if at < now => (now, 0),
            (at, 4095) => (at + 1, 0),
            (at, sequence) => (at, sequence + 1),
        };
        (last.0 << 22) | (self.node << 12) | last.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FixedClock;

    #[test]
    fn ids_never_repeat_even_when_the_clock_stands() {
        let source = Snowflake::new(FixedClock::at(EPOCH_2024.plus_millis(5)), 3);
        let ids: Vec<i64> = (0..10_000).map(|_| source.next_id()).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn an_id_is_text_in_json_and_is_read_from_either() {
        assert_eq!(serde_json::to_string(&RoleId(9_007_199_254_740_993)).unwrap(), "\"9007199254740993\"");
        assert_eq!(serde_json::from_str::<RoleId>("7").unwrap(), RoleId(7));
        assert_eq!(serde_json::from_str::<RoleId>("\"7\"").unwrap(), RoleId(7));
        assert!(serde_json::from_str::<RoleId>("\"7a\"").is_err());
    }
}
