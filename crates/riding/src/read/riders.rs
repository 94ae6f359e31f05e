//! Table `rider`, with what orders and books tell of riders beside it.

use std::collections::BTreeMap;

use kernel::{After, Fold, List, Personal, Recorded, row};
use serde::Serialize;
use sqlx::PgExecutor;
use sqlx::types::Json;
use utoipa::ToSchema;
use vocabulary::{
    AgentId, AreaId, BlacklistEntryId, DataOwner, Phone, RideOrderId, RiderId, Scope, Timestamp,
};

use crate::model::rider::{
    AccountState, DepositState, Identity, Qualification, RegisterChannel, Rider, RiderEvent, RiderState,
};

row! {
    /// A rider as lists show him; phone, name and number are masked.
    #[derive(Clone, Debug, Serialize, ToSchema, sqlx::FromRow)]
    #[serde(rename_all = "camelCase")]
    pub struct RiderRow {
        /// His id, as text.
        pub user_id: RiderId = "rider_id",
        /// Whose rider he is.
        pub agent_id: AgentId,
        /// The service area where he registered.
        pub op_area_id: AreaId = "area_id",
        /// That area's name.
        pub area_name: Option<String> as default,
        /// 注册渠道.
        pub channel: RegisterChannel,
        #[serde(skip)]
        pub phone: String,
        /// 手机号, masked; empty once he was forgotten.
        pub phone_masked: String,
        #[serde(skip)]
        pub name: String,
        /// 姓名, masked; empty before it was proved who he is.
        pub name_masked: String,
        /// 身份证号, masked.
        pub id_no_masked: String,
        /// Whether it was proved who he is.
        pub is_verified: bool,
        /// When, epoch milliseconds.
        pub verified_at: Option<i64> = "verified_at_ms",
        #[serde(skip)]
        pub is_frozen: bool,
        #[serde(skip)]
        pub is_closed: bool,
        #[serde(skip)]
        pub blacklisted: Json<BTreeMap<BlacklistEntryId, Option<Timestamp>>>,
        #[serde(skip)]
        pub qualified: Json<BTreeMap<i16, Option<Timestamp>>>,
        /// 押金状态.
        pub deposit_state: DepositState,
        /// 押金, cents.
        pub deposit_cents: i64,
        #[serde(skip)]
        pub deposit_frozen_until: Option<i64> = "deposit_frozen_until_ms",
        /// 用户状态.
        pub user_state: Option<RiderState> as skip,
        /// 账户状态.
        pub account_state: Option<AccountState> as skip,
        /// 骑行资格 that he has of himself; who may ride without any is told by the area's rules.
        pub qualifications: Vec<Qualification> as skip,
        /// The order that is open, as text.
        pub open_order_id: Option<RideOrderId> as default,
        #[serde(skip)]
        pub open_state: Option<i16> as default,
        #[serde(skip)]
        pub open_paused: Option<bool> as default,
        /// 订单数.
        pub total_orders: Option<i64> as default,
        /// 累计消费, cents.
        pub total_paid_cents: Option<i64> as default,
        /// 最近骑行, epoch milliseconds.
        pub last_order_at: Option<i64> as default,
        /// 充值余额, cents.
        pub recharge_cents: Option<i64> as default,
        /// 赠送余额, cents.
        pub present_cents: Option<i64> as default,
        /// What he owes, cents.
        pub owed_cents: Option<i64> as default,
        /// 注册时间, epoch milliseconds.
        pub created_at: i64 = "created_at_ms",
        /// Epoch milliseconds.
        pub updated_at: i64 = "updated_at_ms",
        /// To be sent with a change.
        pub version: i64,
    }
}

impl Default for RiderRow {
    fn default() -> Self {
        Self {
            user_id: RiderId(0),
            agent_id: AgentId(0),
            op_area_id: AreaId(0),
            area_name: None,
            channel: RegisterChannel::App,
            phone: String::new(),
            phone_masked: String::new(),
            name: String::new(),
            name_masked: String::new(),
            id_no_masked: String::new(),
            is_verified: false,
            verified_at: None,
            is_frozen: false,
            is_closed: false,
            blacklisted: Json::default(),
            qualified: Json::default(),
            deposit_state: DepositState::Unpaid,
            deposit_cents: 0,
            deposit_frozen_until: None,
            user_state: None,
            account_state: None,
            qualifications: Vec::new(),
            open_order_id: None,
            open_state: None,
            open_paused: None,
            total_orders: None,
            total_paid_cents: None,
            last_order_at: None,
            recharge_cents: None,
            present_cents: None,
            owed_cents: None,
            created_at: 0,
            updated_at: 0,
            version: 0,
        }
    }
}

/// A name as lists show it: its first letter.
pub fn masked_name(name: &str) -> String {
    let mut letters = name.chars();
    letters
        .next()
        .map_or_else(String::new, |first| format!("{first}{}", "*".repeat(letters.count().clamp(1, 3))))
}

/// An identity number as lists show it.
pub fn masked_id_no(id_no: &str) -> String {
    if id_no.len() < 8 {
        String::new()
    } else {
        format!("{}**********{}", &id_no[..4], &id_no[id_no.len() - 4..])
    }
}

impl RiderRow {
    fn set_phone(&mut self, phone: &Personal<Phone>) {
        self.phone = phone.known().map_or_else(String::new, ToString::to_string);
        self.phone_masked = phone.known().map_or_else(String::new, Phone::masked);
    }

    fn set_identity(&mut self, identity: &Personal<Identity>) {
        let (name, id_no) = identity.known().map_or(("", ""), |known| (&*known.name, &*known.id_no));
        name.clone_into(&mut self.name);
        self.name_masked = masked_name(name);
        self.id_no_masked = masked_id_no(id_no);
    }

    /// Says how far he is at `now`, of what the tables tell.
    pub fn stand_at(&mut self, now: Timestamp) {
        let holds = |until: &Option<Timestamp>| until.is_none_or(|until| now < until);
        let blacklisted = self.blacklisted.values().any(holds);
        self.account_state = Some(match (self.is_closed, blacklisted, self.is_frozen) {
            (true, ..) => AccountState::Closed,
            (_, true, _) => AccountState::Blacklisted,
            (_, _, true) => AccountState::Frozen,
            _ => AccountState::Normal,
        });
        let frozen_until = self.deposit_frozen_until.map(Timestamp::from_millis);
        if self.deposit_state == DepositState::Frozen && frozen_until.is_some_and(|until| until <= now) {
            self.deposit_state = DepositState::Paid;
        }
        let still = self.qualified.iter().filter(|(_, until)| holds(until)).map(|(by, _)| *by);
        self.qualifications = still.filter_map(|by| Qualification::try_from(by).ok()).collect();
        if self.deposit_state == DepositState::Paid {
            self.qualifications.push(Qualification::Deposit);
        }
        let open = self.open_state.map(|state| (state, self.open_paused.unwrap_or_default()));
        self.user_state = Some(match open {
            Some((0, _)) => RiderState::Reserved,
            Some((_, true)) => RiderState::Paused,
            Some((_, false)) => RiderState::Riding,
            None if self.owed_cents.unwrap_or_default() > 0 => RiderState::Owing,
            None if !self.is_verified => RiderState::Unverified,
            None if self.qualifications.is_empty() => RiderState::Verified,
            None => RiderState::Ready,
        });
    }
}

impl Fold for RiderRow {
    type Of = Rider;
    const TABLE: &'static str = "rider";
    const KEY: &'static str = "rider_id";
    const VERSION: i32 = 2;

    fn fold(row: Option<Self>, event: RiderEvent, recorded: &Recorded) -> After<Self> {
        let mut row = recorded.begin(row)?;
        match event {
            RiderEvent::Registered { registration, at } => {
                row.user_id = registration.rider_id;
                row.agent_id = registration.agent_id;
                row.op_area_id = registration.area_id;
                row.channel = registration.channel;
                row.set_phone(&registration.phone);
                row.created_at = at.millis();
            }
            RiderEvent::Verified { identity, at, .. } => {
                row.is_verified = true;
                row.verified_at = Some(at.millis());
                row.set_identity(&identity);
            }
            RiderEvent::IdentityChanged { identity, .. } => row.set_identity(&identity),
            RiderEvent::PhoneChanged { phone, .. } => row.set_phone(&phone),
            RiderEvent::Qualified { by, until } => {
                row.qualified.insert(by.number(), until);
            }
            RiderEvent::Disqualified { by } => {
                row.qualified.remove(&by.number());
            }
            RiderEvent::Frozen { .. } => row.is_frozen = true,
            RiderEvent::Unfrozen { .. } => row.is_frozen = false,
            RiderEvent::Blacklisted { entry, until } => {
                row.blacklisted.insert(entry, until);
            }
            RiderEvent::Unlisted { entry } => {
                row.blacklisted.remove(&entry);
            }
            RiderEvent::DepositPaid { amount_cents, .. } => {
                (row.deposit_state, row.deposit_cents) = (DepositState::Paid, amount_cents);
            }
            RiderEvent::DepositAskedBack { .. } => row.deposit_state = DepositState::Refunding,
            RiderEvent::DepositWentBack { .. } => {
                (row.deposit_state, row.deposit_cents) = (DepositState::Refunded, 0);
            }
            RiderEvent::DepositStayed | RiderEvent::DepositRecovered { .. } => {
                row.deposit_state = DepositState::Paid;
            }
            RiderEvent::DepositFrozen { until, .. } => {
                row.deposit_state = DepositState::Frozen;
                row.deposit_frozen_until = until.map(Timestamp::millis);
            }
            RiderEvent::WalletAdjusted { .. } => {}
            RiderEvent::Closed { .. } => row.is_closed = true,
        }
        row.updated_at = recorded.recorded_at.millis();
        row.version = recorded.version;
        Ok(Some(row))
    }

    fn owner(&self) -> DataOwner {
        DataOwner::of_area(self.agent_id, self.op_area_id)
    }
}

/// Riders in scope, newest first.
pub fn list(scope: &Scope) -> List {
    List::new(
        "r.rider_id, r.agent_id, r.area_id, a.name as area_name, r.channel, r.phone, r.phone_masked, r.name, r.name_masked,
         r.id_no_masked, r.is_verified, r.verified_at_ms, r.is_frozen, r.is_closed, r.blacklisted, r.qualified,
         r.deposit_state, r.deposit_cents, r.deposit_frozen_until_ms, o.open_order_id, o.open_state, o.open_paused, o.total_orders,
         o.total_paid_cents, o.last_order_at_ms as last_order_at, b.recharge_cents, b.present_cents,
         b.receivable_cents as owed_cents, r.created_at_ms, r.updated_at_ms, r.version",
        "read.rider r left join read.area a on a.area_id = r.area_id
         left join read.rider_riding o on o.rider_id = r.rider_id
         left join read.ledger_book b on b.book = '1-' || r.rider_id",
        "r.created_at_ms desc, r.rider_id desc",
    )
    .found_in("read.rider r", "r.rider_id")
    .of_agents("r.agent_id", scope)
    .of_areas("r.area_id", scope)
}

/// The moment of asking, in SQL.
macro_rules! now_sql {
    () => {
        "(extract(epoch from now()) * 1000)::bigint"
    };
}

/// Whether an entry of the blacklist holds against him, in SQL.
macro_rules! listed_sql {
    () => {
        concat!(
            "r.blacklisted <> '{}' and exists (select from jsonb_each_text(r.blacklisted) b where b.value is null ",
            "or b.value::bigint > ",
            now_sql!(),
            ")"
        )
    };
}

/// Whether a deposit lies there at the moment of asking, free to go, in SQL.
const DEPOSIT_PAID: &str =
    concat!("(r.deposit_state = 1 or r.deposit_state = 3 and r.deposit_frozen_until_ms <= ", now_sql!(), ")");
/// Whether one is kept, in SQL.
const DEPOSIT_FROZEN: &str = concat!(
    "r.deposit_state = 3 and (r.deposit_frozen_until_ms is null or r.deposit_frozen_until_ms > ",
    now_sql!(),
    ")"
);

/// Those whose account stands so at the moment of asking.
pub fn standing(list: List, state: Option<AccountState>) -> List {
    let condition = match state {
        None => return list,
        Some(AccountState::Closed) => "r.is_closed",
        Some(AccountState::Blacklisted) => concat!("not r.is_closed and ", listed_sql!()),
        Some(AccountState::Frozen) => {
            concat!("not r.is_closed and r.is_frozen and not (", listed_sql!(), ")")
        }
        Some(AccountState::Normal) => {
            concat!("not r.is_closed and not r.is_frozen and not (", listed_sql!(), ")")
        }
        // An account is closed in one append: none is found on its way.
        Some(AccountState::Closing) => "false",
    };
    list.matching(&[condition], vec![])
}

/// Those who may ride by this path of their own at the moment of asking.
pub fn qualified(list: List, by: Option<Qualification>) -> List {
    let Some(by) = by else { return list };
    // The masks that have this path's bit: an index of them finds the few (`migrations/0197`).
    let masks: Vec<String> =
        (1..64).filter(|mask| mask >> by.number() & 1 == 1).map(|mask: i16| mask.to_string()).collect();
    let masks = masks.join(", ");
    // Until when it lets him; none: for good.
    let until = format!("r.qualified ->> '{}'", by.number());
    let path = format!("r.paths in ({masks}) and ({until} is null or ({until})::bigint > {})", now_sql!());
    if by == Qualification::Deposit {
        return list.matching(&[&format!("({path} or {DEPOSIT_PAID})")], vec![]);
    }
    list.matching(&[&path], vec![])
}

/// Those whose deposit stands so at the moment of asking.
pub fn with_deposit(list: List, state: Option<DepositState>) -> List {
    match state {
        Some(DepositState::Paid) => list.matching(&[DEPOSIT_PAID], vec![]),
        Some(DepositState::Frozen) => list.matching(&[DEPOSIT_FROZEN], vec![]),
        // Time changes nothing of the others.
        other => list.is("r.deposit_state", other.map(DepositState::number)),
    }
}

/// The rider of an agent with this phone.
pub async fn with_phone(
    db: impl PgExecutor<'_>,
    agent: AgentId,
    phone: &Phone,
) -> sqlx::Result<Option<RiderId>> {
    sqlx::query_scalar(
        "select rider_id from read.rider where agent_id = $1 and phone = $2 and not is_closed limit 1",
    )
    .bind(agent)
    .bind(phone.as_str())
    .fetch_optional(db)
    .await
}
