//! What a card gives (骑行卡、会员卡、优惠卡): what somebody holds who bought it, whatever becomes of the product later.

use kernel::refusals;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::text::{line, lines};
use vocabulary::{AreaId, choices};

use super::billing::{Billing, BillingRefusal, DISTANCE_MAX_M, PRICE_MAX_CENTS, TIME_MAX_S};
use super::fare::CardShare;

/// A name has at most so many characters.
pub const NAME_MAX: usize = 30;
/// A description has at most so many characters.
pub const DESC_MAX: usize = 500;
/// A card lasts at most so many days: four years.
pub const DAYS_MAX: i32 = 1_460;
/// A card may be used so often at most, on a day or in all.
pub const TIMES_MAX: i32 = 100;
/// As often as its rider likes.
pub const UNLIMITED: i32 = 9_999;
/// A card names so many areas at most.
pub const AREAS_MAX: usize = 200;

choices! {
    /// What a card is.
    #[derive(Default)]
    pub enum CardKind("卡类型") {
        /// So many seconds of a ride cost nothing.
        #[default]
        Time = 1 => "时长卡",
        /// So many metres of a ride cost nothing.
        Distance = 2 => "里程卡",
        /// So many cents off a ride.
        Money = 3 => "减免卡",
        /// Time and distance of a ride cost nothing.
        Times = 4 => "次卡",
        /// No deposit is needed while it lasts (押金卡).
        Membership = 5 => "会员卡",
        /// Rides are billed in its own way while it lasts (折扣卡).
        Discount = 6 => "优惠卡",
    }
}

impl CardKind {
    /// Whether it takes something off single rides.
    pub const fn is_riding(self) -> bool {
        matches!(self, Self::Time | Self::Distance | Self::Money | Self::Times)
    }

    /// The permission code of the page where it is kept.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Membership => "1705",
            _ => "1703",
        }
    }
}

/// What a card gives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Card {
    /// 卡类型; stays as it was first.
    pub kind: CardKind,
    /// 卡名称: 1 to 30 characters.
    pub name: String,
    /// 说明, as riders read it: at most 500 characters.
    pub desc: String,
    /// 有效天数: 1 to 1460.
    pub days: i32,
    /// 时长卡: seconds of each ride that cost nothing.
    pub free_time_s: i64,
    /// 里程卡: metres of each ride that cost nothing.
    pub free_distance_m: i64,
    /// 减免卡: cents off each ride.
    pub free_money_cents: i64,
    /// 可用次数: 1 to 100, or 9999: as often as one likes. Of riding cards alone.
    pub times: i32,
    /// Whether `times` counts all uses, instead of those of each day.
    pub is_total_times: bool,
    /// Areas where it works; none: all of the agent's.
    #[schema(value_type = Vec<String>)]
    pub area_ids: Vec<AreaId>,
    /// 优惠卡: how rides are billed. What is asked where a bike is left, and the most that one ride costs, stay the area's own.
    pub billing: Option<Billing>,
}

refusals! {
    /// Why it may not stand so.
    pub enum CardRefusal {
        Name = "card-name": ("卡名称需 1 到 {NAME_MAX} 个字"),
        Desc = "card-desc": ("说明最多 {DESC_MAX} 个字"),
        Days = "card-days": ("有效天数需在 1 到 {DAYS_MAX} 天之间"),
        FreeTime = "card-free-time": ("免费时长需在 1 分钟到 24 小时之间"),
        FreeDistance = "card-free-distance": ("免费里程需在 1 米到 100 公里之间"),
        FreeMoney = "card-free-money": ("减免金额需在 0.01 元到 1000 元之间"),
        Times = "card-times": ("可用次数需在 1 到 {TIMES_MAX} 次之间，或不限次数（{UNLIMITED}）"),
        Areas = "card-areas": ("适用服务区最多 {AREAS_MAX} 个，不能重复"),
        NoBilling = "card-no-billing": ("优惠卡需有自己的计费配置"),
    } or
    /// What is wrong with its own billing.
    Billing(BillingRefusal)
}

use CardRefusal as Refusal;

impl Card {
    /// It as it is kept, when it may stand: without what its kind does not know.
    pub fn checked(mut self) -> Result<Self, CardRefusal> {
        self.name = line(&self.name, NAME_MAX).ok_or(Refusal::Name)?;
        self.desc = lines(&self.desc, DESC_MAX).ok_or(Refusal::Desc)?;
        if !(1..=DAYS_MAX).contains(&self.days) {
            return Err(Refusal::Days);
        }
        if self.area_ids.len() > AREAS_MAX {
            return Err(Refusal::Areas);
        }
        let given = self.area_ids.len();
        self.area_ids.sort_unstable();
        self.area_ids.dedup();
        if self.area_ids.len() < given {
            return Err(Refusal::Areas);
        }
        let kind = self.kind;
        let within = |value: i64, max: i64, refusal| {
            if (1..=max).contains(&value) { Ok(value) } else { Err(refusal) }
        };
        let only = |of: CardKind, value: Result<i64, CardRefusal>| if kind == of { value } else { Ok(0) };
        let least_s = if self.free_time_s < 60 { 0 } else { self.free_time_s };
        self.free_time_s = only(CardKind::Time, within(least_s, TIME_MAX_S, Refusal::FreeTime))?;
        self.free_distance_m =
            only(CardKind::Distance, within(self.free_distance_m, DISTANCE_MAX_M, Refusal::FreeDistance))?;
        self.free_money_cents =
            only(CardKind::Money, within(self.free_money_cents, PRICE_MAX_CENTS, Refusal::FreeMoney))?;
        if !kind.is_riding() || self.times == UNLIMITED {
            self.times = UNLIMITED;
            self.is_total_times = false;
        } else if !(1..=TIMES_MAX).contains(&self.times) {
            return Err(Refusal::Times);
        }
        self.billing = match kind {
            CardKind::Discount => Some(self.billing.ok_or(Refusal::NoBilling)?.checked()?),
            _ => None,
        };
        Ok(self)
    }

    /// What it takes off one ride; nothing: it is no riding card.
    pub const fn share(&self) -> Option<CardShare> {
        match self.kind {
            CardKind::Time => Some(CardShare::Time(self.free_time_s)),
            CardKind::Distance => Some(CardShare::Distance(self.free_distance_m)),
            CardKind::Money => Some(CardShare::Money(self.free_money_cents)),
            CardKind::Times => Some(CardShare::Whole),
            CardKind::Membership | CardKind::Discount => None,
        }
    }

    /// How rides are billed in an area with this billing while the card lasts; nothing: as usual.
    pub fn billing_for(&self, usual: &Billing) -> Option<Billing> {
        let own = self.billing.as_ref()?;
        let (returned, max_order_cents) = (usual.returned.clone(), usual.max_order_cents);
        Some(Billing { returned, max_order_cents, ..own.clone() })
    }

    /// Whether it works in this area.
    pub fn works_in(&self, area: AreaId) -> bool {
        self.area_ids.is_empty() || self.area_ids.contains(&area)
    }

    /// How often it may be used in all; nothing: uses are counted by the day, or not at all.
    pub const fn times_in_all(&self) -> Option<i32> {
        if self.is_total_times && self.times != UNLIMITED { Some(self.times) } else { None }
    }

    /// How often it may be used on one day; nothing: as often as is left of it in all.
    pub const fn times_a_day(&self) -> Option<i32> {
        if self.is_total_times || self.times == UNLIMITED { None } else { Some(self.times) }
    }
}
