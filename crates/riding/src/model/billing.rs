//! Billing (计费): what a ride costs in a service area. A version of it counts from an instant on; a ride is billed by the version
//! that counted when it began.

use kernel::refusals;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::text::lines;

use super::config::{Setting, StoredAs, stored_as};

/// One price is at most so many cents: 1,000 yuan.
pub const PRICE_MAX_CENTS: i64 = 100_000;
/// A free or basic distance is at most so long.
pub const DISTANCE_MAX_M: i64 = 100_000;
/// A free or basic time is at most a day.
pub const TIME_MAX_S: i64 = DAY_S;
/// A day has so many time bands at most.
pub const BANDS_MAX: usize = 12;
/// An explanation has at most so many characters.
pub const EXPLAIN_MAX: usize = 500;
/// A day's seconds.
pub const DAY_S: i64 = 86_400;
const DAY_MIN: u16 = 1440;

/// A part of the day in Shanghai in which time costs more or less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimeBand {
    /// Minutes since midnight, 0 to 1439.
    pub from_min: u16,
    /// Minutes since midnight, 1 to 1440, after `from_min`.
    pub until_min: u16,
    /// Percent of the usual price of time, 1 to 500.
    pub percent: u16,
}

/// What is asked where a bike is left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReturnPrices {
    /// Left outside of all parking places, at most `largeDistanceM` away from one: 调度费, cents.
    pub small_penalty_cents: i64,
    /// The same, farther away: cents.
    pub large_penalty_cents: i64,
    /// Metres.
    pub large_distance_m: i64,
    /// Left in a no-stop zone: cents, where the zone says nothing else.
    pub no_stop_cents: i64,
    /// Left outside of the service area: cents.
    pub out_of_service_cents: i64,
    /// Left in a no-ride zone: cents, where the zone says nothing else.
    pub no_ride_cents: i64,
    /// Left without its helmet: cents.
    pub helmet_cents: i64,
}

/// 计费配置.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Billing {
    /// 免费时长: a ride of at most so many seconds …
    pub free_time_s: i64,
    /// … and so many metres costs nothing.
    pub free_distance_m: i64,
    /// 起步时长: seconds that the basic price covers.
    pub base_time_s: i64,
    /// 起步价: cents.
    pub base_time_cents: i64,
    /// 计费周期: begun ones are paid in full; seconds.
    pub cycle_s: i64,
    /// What a cycle costs: cents.
    pub cycle_cents: i64,
    /// 起步里程: metres that the basic price covers.
    pub base_distance_m: i64,
    /// What the basic distance costs: cents.
    pub base_distance_cents: i64,
    /// What a kilometre beyond costs: cents.
    pub per_km_cents: i64,
    /// 日封顶: time and distance cost at most so many cents for each 24 hours begun; 0: no cap.
    pub day_cap_cents: i64,
    /// 折扣: percent that everybody pays, 1 to 100.
    pub discount_percent: u16,
    /// 时段系数.
    pub bands: Vec<TimeBand>,
    /// What is asked where a bike is left.
    pub returned: ReturnPrices,
    /// 单笔上限: what is above is asked of nobody before somebody looked at it; cents.
    pub max_order_cents: i64,
    /// 计费说明, as riders read it.
    pub explain: String,
}

impl Default for ReturnPrices {
    fn default() -> Self {
        Self {
            small_penalty_cents: 500,
            large_penalty_cents: 1_000,
            large_distance_m: 200,
            no_stop_cents: 2_000,
            out_of_service_cents: 2_000,
            no_ride_cents: 2_000,
            helmet_cents: 3_000,
        }
    }
}

impl Default for Billing {
    /// What counts where nobody said anything else.
    fn default() -> Self {
        Self {
            free_time_s: 60,
            free_distance_m: 50,
            base_time_s: 900,
            base_time_cents: 200,
            cycle_s: 600,
            cycle_cents: 100,
            base_distance_m: 0,
            base_distance_cents: 0,
            per_km_cents: 0,
            day_cap_cents: 3_000,
            discount_percent: 100,
            bands: Vec::new(),
            returned: ReturnPrices::default(),
            max_order_cents: 30_000,
            explain: String::new(),
        }
    }
}

refusals! {
    /// Why it may not stand so.
    pub enum BillingRefusal {
        Price = "billing-price": ("价格需在 0 到 1000 元之间"),
        Time = "billing-time": ("时长需在 0 到 24 小时之间"),
        Cycle = "billing-cycle": ("计费周期需在 1 分钟到 24 小时之间"),
        Distance = "billing-distance": ("里程需在 0 到 100 公里之间"),
        Discount = "billing-discount": ("折扣需在 1% 到 100% 之间"),
        Bands = "billing-bands": ("时段需在 00:00 到 24:00 之间、互不重叠，系数 1% 到 500%，最多 {BANDS_MAX} 段"),
        Guard = "billing-guard": ("单笔上限需在 1 元到 1000 元之间，且不低于起步价"),
        LargeIsSmall = "billing-penalty-order": ("远距离调度费不能低于近距离调度费"),
        Explain = "billing-explain": ("计费说明最多 {EXPLAIN_MAX} 个字"),
    }
}

impl Setting for Billing {
    const STORED: StoredAs = stored_as!("billing-config");
    type Fault = BillingRefusal;

    fn checked(self) -> Result<Self, BillingRefusal> {
        Self::checked(self)
    }
}

impl Billing {
    /// It, with its bands in order and its text without blanks around it, when it may stand.
    pub fn checked(mut self) -> Result<Self, BillingRefusal> {
        let returned = &self.returned;
        let prices = [
            self.base_time_cents,
            self.cycle_cents,
            self.base_distance_cents,
            self.per_km_cents,
            self.day_cap_cents,
            returned.small_penalty_cents,
            returned.large_penalty_cents,
            returned.no_stop_cents,
            returned.out_of_service_cents,
            returned.no_ride_cents,
            returned.helmet_cents,
        ];
        let within = |values: &[i64], max| values.iter().all(|value| (0..=max).contains(value));
        if !within(&prices, PRICE_MAX_CENTS) {
            return Err(BillingRefusal::Price);
        }
        if returned.large_penalty_cents < returned.small_penalty_cents {
            return Err(BillingRefusal::LargeIsSmall);
        }
        if !within(&[self.free_time_s, self.base_time_s], TIME_MAX_S) {
            return Err(BillingRefusal::Time);
        }
        if !(60..=TIME_MAX_S).contains(&self.cycle_s) {
            return Err(BillingRefusal::Cycle);
        }
        if !within(&[self.free_distance_m, self.base_distance_m, returned.large_distance_m], DISTANCE_MAX_M) {
            return Err(BillingRefusal::Distance);
        }
        if !(1..=100).contains(&self.discount_percent) {
            return Err(BillingRefusal::Discount);
        }
        self.bands.sort_by_key(|band| band.from_min);
        let sound = |band: &TimeBand| {
            band.from_min < band.until_min && band.until_min <= DAY_MIN && (1..=500).contains(&band.percent)
        };
        let apart = self.bands.windows(2).all(|pair| pair[0].until_min <= pair[1].from_min);
        if self.bands.len() > BANDS_MAX || !self.bands.iter().all(sound) || !apart {
            return Err(BillingRefusal::Bands);
        }
        let base_cents = self.base_time_cents + self.base_distance_cents;
        if !(100..=PRICE_MAX_CENTS).contains(&self.max_order_cents) || self.max_order_cents < base_cents {
            return Err(BillingRefusal::Guard);
        }
        self.explain = lines(&self.explain, EXPLAIN_MAX).ok_or(BillingRefusal::Explain)?;
        Ok(self)
    }
}
