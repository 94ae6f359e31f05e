//! What somebody needs to ride in a service area, and what happens on the way (用车).

use kernel::refusals;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::{Cents, Timestamp, choices};

use super::config::{Setting, StoredAs, stored_as};

/// Years that somebody must have by law who rides an e-bike.
pub const LAWFUL_AGE: u8 = 16;
/// Years.
pub const AGE_MAX: u8 = 100;
/// A ride or a pause is ended by itself after a day at the latest: seconds.
pub const LASTS_MAX_S: i64 = 86_400;
/// … and not before a minute.
pub const LASTS_MIN_S: i64 = 60;
/// What must be in the wallet is at most so many cents: 1,000 yuan.
pub const RECHARGE_MAX_CENTS: i64 = 100_000;
/// Metres before the edge at which a rider is warned, at most.
pub const EDGE_MAX_M: i64 = 1_000;
/// A face that was recognised is known for so many days at most.
pub const FACE_MAX_DAYS: u16 = 365;

choices! {
    /// What happens to who rides for too long.
    pub enum TooLong("骑行超时处理") {
        Remind = 1 => "提醒",
        Pause = 2 => "临停",
        Return = 3 => "还车",
    }
}

choices! {
    /// Whose balance must be filled before a ride.
    pub enum RechargeFor("预充值对象") {
        Everybody = 1 => "全部用户",
        Newcomers = 2 => "新用户",
    }
}

/// 用车配置.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UseRules {
    /// 用车前充值: a wallet must hold `rechargeCents` before a ride.
    pub recharge_first: bool,
    /// Cents.
    pub recharge_cents: i64,
    /// Of whom that is asked.
    pub recharge_for: RechargeFor,
    /// 人脸校验 before a ride.
    pub face_checked: bool,
    /// 识别度: so alike faces must be, percent, 50 to 100.
    pub face_percent: u8,
    /// A face that was recognised is not asked for again for so many days, 0 to 365.
    pub face_valid_days: u16,
    /// 单次骑行上限: seconds, after which `tooLong` happens.
    pub ride_max_s: i64,
    /// What happens then.
    pub too_long: TooLong,
    /// 临停上限: a pause lasts so many seconds at most; then the ride ends where the bike stands.
    pub pause_max_s: i64,
    /// 出区自动锁车.
    pub locked_outside: bool,
    /// 临界距离: metres before the edge at which the rider is warned; 0: not.
    pub edge_warned_m: i64,
    /// 超载监测.
    pub overload_watched: bool,
    /// 开头盔锁.
    pub helmet_unlocked: bool,
    /// 佩戴检测.
    pub helmet_worn_checked: bool,
    /// 临停还盔.
    pub helmet_back_on_pause: bool,
    /// Years, 16 at least.
    pub min_age: u8,
    /// Years.
    pub max_age: u8,
    /// 可用电量: a bike with less is not handed out, percent. Below 20 none is, whatever is said here.
    pub battery_min_percent: u8,
}

impl Default for UseRules {
    /// What counts where nobody said anything else.
    fn default() -> Self {
        Self {
            recharge_first: false,
            recharge_cents: 0,
            recharge_for: RechargeFor::Everybody,
            face_checked: false,
            face_percent: 80,
            face_valid_days: 30,
            ride_max_s: 43_200,
            too_long: TooLong::Return,
            pause_max_s: 1_800,
            locked_outside: false,
            edge_warned_m: 50,
            overload_watched: false,
            helmet_unlocked: false,
            helmet_worn_checked: false,
            helmet_back_on_pause: false,
            min_age: LAWFUL_AGE,
            max_age: 70,
            battery_min_percent: 20,
        }
    }
}

refusals! {
    /// Why they may not stand so.
    pub enum UseRulesRefusal {
        Recharge = "use-recharge": ("预充值金额需在 0.01 到 1000 元之间；不要求充值时为 0 到 1000 元"),
        Face = "use-face": ("识别度需在 50% 到 100% 之间，有效期 0 到 {FACE_MAX_DAYS} 天"),
        Lasts = "use-lasts": ("骑行上限与临停上限需在 1 分钟到 24 小时之间"),
        Edge = "use-edge": ("临界距离需在 0 到 {EDGE_MAX_M} 米之间"),
        Age = "use-age": ("年龄需在 {LAWFUL_AGE} 到 {AGE_MAX} 岁之间，下限不能高于上限"),
        Battery = "use-battery": ("可用电量需在 0% 到 90% 之间"),
    }
}

/// Somebody who wants a bike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanting {
    /// Years; nothing: his identity number is not known any more.
    pub age: Option<u8>,
    /// Whether he has never ridden.
    pub is_newcomer: bool,
    /// What he paid into his wallet and is free, cents.
    pub recharge_cents: i64,
}

refusals! {
    /// Why a bike is not handed out.
    pub enum UseRefusal {
        TooYoung(u8) = "use-too-young": ("未满 {0} 周岁，不能骑行"),
        TooOld(u8) = "use-too-old": ("超过 {0} 周岁，不能骑行"),
        RechargeFirst(Cents) = "use-recharge-first": ("用车前请先充值，充值余额需不少于 {0} 元"),
        LowBattery { now: u8, least: u8 } = "use-low-battery": ("车辆电量 {now}%，低于可用电量 {least}%，请换一辆"),
    }
}

/// How old is who has this identity number, on the day of Shanghai that `at` lies in; nothing where it names no day.
pub fn age_on(id_no: &str, at: Timestamp) -> Option<u8> {
    const SHANGHAI_MS: i64 = 8 * 3_600_000;
    let born: i32 = id_no.get(6..14)?.parse().ok()?;
    let today: i32 = at.plus_millis(SHANGHAI_MS).datetime().format("%Y%m%d").to_string().parse().ok()?;
    // Both read as yyyymmdd: the year is one less until the birthday has come.
    u8::try_from((today - born) / 10_000).ok()
}

impl UseRules {
    /// Whether somebody may have a bike.
    pub fn admit(&self, who: &Wanting) -> Result<(), UseRefusal> {
        let is_asked = match self.recharge_for {
            RechargeFor::Everybody => true,
            RechargeFor::Newcomers => who.is_newcomer,
        };
        if who.age.is_some_and(|age| age < self.min_age) {
            Err(UseRefusal::TooYoung(self.min_age))
        } else if who.age.is_some_and(|age| age > self.max_age) {
            Err(UseRefusal::TooOld(self.max_age))
        } else if self.recharge_first && is_asked && who.recharge_cents < self.recharge_cents {
            Err(UseRefusal::RechargeFirst(Cents(self.recharge_cents)))
        } else {
            Ok(())
        }
    }

    /// Whether a bike with this charge is handed out.
    pub const fn suffices(&self, soc_percent: u8) -> Result<(), UseRefusal> {
        if soc_percent < self.battery_min_percent {
            Err(UseRefusal::LowBattery { now: soc_percent, least: self.battery_min_percent })
        } else {
            Ok(())
        }
    }
}

impl Setting for UseRules {
    const STORED: StoredAs = stored_as!("use-config");
    type Fault = UseRulesRefusal;

    fn checked(self) -> Result<Self, UseRulesRefusal> {
        let lasts = LASTS_MIN_S..=LASTS_MAX_S;
        if !(i64::from(self.recharge_first)..=RECHARGE_MAX_CENTS).contains(&self.recharge_cents) {
            Err(UseRulesRefusal::Recharge)
        } else if !(50..=100).contains(&self.face_percent) || self.face_valid_days > FACE_MAX_DAYS {
            Err(UseRulesRefusal::Face)
        } else if !lasts.contains(&self.ride_max_s) || !lasts.contains(&self.pause_max_s) {
            Err(UseRulesRefusal::Lasts)
        } else if !(0..=EDGE_MAX_M).contains(&self.edge_warned_m) {
            Err(UseRulesRefusal::Edge)
        } else if self.min_age < LAWFUL_AGE || self.max_age > AGE_MAX || self.min_age > self.max_age {
            Err(UseRulesRefusal::Age)
        } else if self.battery_min_percent > 90 {
            Err(UseRulesRefusal::Battery)
        } else {
            Ok(self)
        }
    }
}
