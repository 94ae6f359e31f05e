//! 每日统计: revenue by day of Shanghai, against the days before. The path of another kind of report stands with whoever
//! knows its figures.

use axum::extract::State;
use axum::response::Response;
use kernel::ReadTx;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use utoipa_axum::routes;
use vocabulary::{AgentId, Day, HOURS, Timestamp};
use wire::{
    Answer, Caller, Column, DayRange, Disclosure, Export, ExportColumns, Figure, Handled, PageQuery, Params,
    Permit, Refused, Routes, TimeRange, area_ids, given,
};

use super::daily_shapes::{
    DailyAnswer, DailyAreaRow, DailyAreasAnswer, DailyFreshness, DailyRanks, DailyRow, DailySummary,
    DailySums, RankedArea,
};
use crate::Context;
use crate::app::NEWEST;
use crate::model::revenue::{Figures, closes_at};
use crate::read::revenue_days::{self, AreaSums, DaySums, Meant, READS};
use crate::read::shelved_days::{self, Bikes};

/// Who looks at daily statistics.
pub(super) const DAILY: Permit = Permit::AnyOf(&["150101"]);
/// Days without a start, and at most.
const DAYS: (i64, i64) = (7, 366);
/// Servers' clocks differ by less than this, and nothing is recorded so long after it was decided: a day is told as closed
/// when it is certain to be.
const CERTAIN_MS: i64 = 10 * 60_000;
/// Areas that a ranking names.
const RANKED: usize = 10;

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("riding")
        .add(DAILY, routes!(daily))
        .add_unwrapped(DAILY, routes!(file))
        .add(DAILY, routes!(areas))
        .with_state(context.clone())
}

#[derive(Clone, Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct DailyQuery {
    /// From the day on that holds it: `YYYY-MM-DD HH:mm:ss` or `YYYY-MM-DD`; absent: six days before the last one.
    start_time: Option<String>,
    /// Until the day that holds it, included, at most 366 days in all; absent: today.
    end_time: Option<String>,
    /// Of this agent alone.
    agent_id: Option<AgentId>,
    /// Of these service areas, with commas between; absent: all, and what is of no area.
    op_area_ids: Option<String>,
    /// By what days are put in order: day, orders, dueCents, receivedCents, owingCents, revenueCents or refundsCents; with a
    /// minus before it the largest first. Absent: `-day`.
    sort: Option<String>,
}

/// What days are compared by.
type By = fn(&DailyRow) -> i64;

const SORTS: &[(&str, By)] = &[
    ("day", |row| row.at),
    ("orders", |row| row.sums.figures.orders),
    ("dueCents", |row| row.sums.due_cents),
    ("receivedCents", |row| row.sums.received_cents),
    ("owingCents", |row| row.sums.owing_cents),
    ("revenueCents", |row| row.sums.figures.revenue_cents),
    ("refundsCents", |row| row.sums.refunds_cents),
];

fn sort(rows: &mut [DailyRow], asked: Option<&str>) -> Result<(), Refused> {
    let asked = asked.unwrap_or("-day");
    let name = asked.strip_prefix('-').unwrap_or(asked);
    let known = SORTS.iter().find(|(known, _)| *known == name);
    let (_, by) = known.ok_or_else(|| Refused::malformed(format!("列表不能按 {asked} 排序")))?;
    rows.sort_by_key(|row| (by(row), row.at));
    if asked.starts_with('-') {
        rows.reverse();
    }
    Ok(())
}

impl DailyQuery {
    fn range(&self, now: Timestamp) -> Result<DayRange, Refused> {
        DayRange::asked(self.start_time.as_ref(), self.end_time.as_ref(), DAYS, now)
    }

    fn meant(&self, range: DayRange) -> Result<Meant, Refused> {
        let areas = area_ids(self.op_area_ids.as_ref())?;
        Ok(Meant { from: range.from, until: range.until, agent: self.agent_id, areas })
    }
}

/// A transaction that has read all there is, or knows that it has not; and the instant of that.
struct Reading {
    db: ReadTx,
    now: Timestamp,
}

impl Reading {
    async fn begin(context: &Context, caller: &Caller) -> Result<Self, Refused> {
        // Before the transaction: what was recorded until then is waited for.
        let now = context.runtime.clock.now();
        let db = context.runtime.reads.scoped(&caller.full_scope, NEWEST, READS).await?;
        Ok(Self { db, now })
    }

    fn is_closed(&self, day: Day) -> bool {
        self.db.caught_up() && self.now >= closes_at(day).plus_millis(CERTAIN_MS)
    }

    /// Until when everything is known; behind that, as far as the days themselves tell.
    fn read_at(&self, days: &[DaySums]) -> Option<i64> {
        if self.db.caught_up() {
            return Some(self.now.millis());
        }
        days.iter().map(|one| one.updated_at_ms).max()
    }

    /// Every day of the range, also those on which nothing happened.
    fn rows(&self, range: DayRange, known: &[DaySums], bikes: &Bikes) -> Vec<DailyRow> {
        let row = |(number, bikes): (i64, &f64)| {
            let day = Day(number);
            let found = known.iter().find(|one| one.day == day);
            DailyRow {
                day: day.date().to_string(),
                at: day.hour(0).millis(),
                is_closed: self.is_closed(day),
                sums: DailySums::new(&found.map_or_else(Figures::default, |one| one.figures), 1, *bikes),
            }
        };
        (range.from.0..=range.until.0).zip(&bikes.days).map(row).collect()
    }
}

fn told(range: DayRange) -> TimeRange {
    TimeRange { from: range.from.hour(0).millis(), until: range.until.hour(HOURS).millis() }
}

fn sum<'a>(all: impl IntoIterator<Item = &'a Figures>) -> Result<Figures, Refused> {
    let too_much = || Refused::malformed("合计超出可表示的范围，请缩小时间范围");
    all.into_iter().try_fold(Figures::default(), |sum, one| sum.plus(one)).ok_or_else(too_much)
}

fn yuan(cents: i64) -> f64 {
    cents as f64 / 100.0
}

fn summary((now, bikes): (&Figures, &DailySums), (before, past): (&Figures, &DailySums)) -> DailySummary {
    let count =
        |of: fn(&Figures) -> i64| Figure { now: Some(of(now) as f64), before: Some(of(before) as f64) };
    let money = |of: fn(&Figures) -> i64| Figure { now: Some(yuan(of(now))), before: Some(yuan(of(before))) };
    // Ten-thousandths as percent, cents as yuan: hundredths of something.
    let hundredths =
        |of: fn(&Figures) -> Option<i64>| Figure { now: of(now).map(yuan), before: of(before).map(yuan) };
    let part = |of: fn(&Figures) -> Option<i64>, whole: f64| {
        let told = |figures| of(figures).map(|value| (value as f64 / whole * 100.0).round() / 100.0);
        Figure { now: told(now), before: told(before) }
    };
    DailySummary {
        orders: count(|of| of.orders),
        due: money(Figures::due_cents),
        received: money(Figures::received_cents),
        owing: money(Figures::owing_cents),
        owing_percent: hundredths(Figures::owing_rate),
        revenue: money(|of| of.revenue_cents),
        refunds: money(Figures::refunds_cents),
        refund_percent: hundredths(Figures::refund_rate),
        each: hundredths(Figures::each_cents),
        each_minutes: part(Figures::each_s, 60.0),
        each_km: part(Figures::each_m, 1000.0),
        relief_percent: hundredths(Figures::relief_rate),
        gift: money(|of| of.gift_cents),
        bikes: Figure { now: Some(bikes.bikes), before: Some(past.bikes) },
        orders_per_bike: Figure { now: bikes.orders_per_bike, before: past.orders_per_bike },
        due_per_bike: Figure { now: bikes.due_per_bike, before: past.due_per_bike },
    }
}

/// The areas that lead by something, those of which there is any.
fn leaders(areas: &[AreaSums], of: fn(&Figures) -> i64, told: fn(i64) -> f64) -> Vec<RankedArea> {
    let mut ranked: Vec<(i64, &AreaSums)> = areas.iter().map(|one| (of(&one.figures), one)).collect();
    ranked.retain(|(value, one)| *value > 0 && one.area_id.is_some());
    ranked.sort_by_key(|(value, _)| std::cmp::Reverse(*value));
    let shown = |(value, one): (i64, &AreaSums)| {
        Some(RankedArea {
            id: one.area_id?,
            name: one.area_name.clone().unwrap_or_else(|| "已删除的服务区".to_owned()),
            value: told(value),
        })
    };
    ranked.into_iter().take(RANKED).filter_map(shown).collect()
}

/// Revenue day by day, the newest first, against as many days before, with the areas that lead. Days are Shanghai's; one that
/// is closed never changes.
#[utoipa::path(get, path = "/report/daily", tag = "riding", operation_id = "dailyStatistics",
    params(PageQuery, DailyQuery), responses((status = 200, body = Answer<DailyAnswer>)))]
async fn daily(
    State(context): State<Context>,
    caller: Caller,
    Params(paging): Params<PageQuery>,
    Params(asked): Params<DailyQuery>,
) -> Handled<DailyAnswer> {
    let mut reading = Reading::begin(&context, &caller).await?;
    let range = asked.range(reading.now)?;
    let before = range.before();
    let scope = &caller.full_scope;
    let (meant, meant_before) = (asked.meant(range)?, asked.meant(before)?);
    let days = revenue_days::by_day(&mut reading.db, &meant, scope).await?;
    let past = revenue_days::by_day(&mut reading.db, &meant_before, scope).await?;
    let areas = revenue_days::by_area(&mut reading.db, &meant, scope).await?;
    let bikes = shelved_days::of(&mut reading.db, &meant, scope, reading.now).await?;
    let stood = shelved_days::of(&mut reading.db, &meant_before, scope, reading.now).await?;
    let (all, earlier) =
        (sum(days.iter().map(|one| &one.figures))?, sum(past.iter().map(|one| &one.figures))?);
    let totals = DailySums::new(&all, range.days(), bikes.bike_days());
    let totals_before = DailySums::new(&earlier, before.days(), stood.bike_days());
    let series = reading.rows(range, &days, &bikes);
    let mut rows = series.clone();
    sort(&mut rows, given(asked.sort.as_ref()))?;
    let count = range.days();
    let page = paging.page();
    let skipped = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    let shown = usize::try_from(page.limit()).unwrap_or(0);
    Ok(Answer(DailyAnswer {
        range: told(range),
        before: told(before),
        freshness: DailyFreshness { read_at: reading.read_at(&days) },
        summary: summary((&all, &totals), (&earlier, &totals_before)),
        series,
        rank: DailyRanks {
            due: leaders(&areas, Figures::due_cents, yuan),
            orders: leaders(&areas, |of| of.orders, |value| value as f64),
            owing: leaders(&areas, Figures::owing_cents, yuan),
        },
        totals,
        rows: rows.into_iter().skip(skipped).take(shown).collect(),
        count,
        capped: false,
    }))
}

/// The same days area by area; what is of no area (money paid into wallets) stands for itself, and is seen by those who see all
/// areas of its agent.
#[utoipa::path(get, path = "/report/daily/areas", tag = "riding", operation_id = "dailyStatisticsByArea",
    params(DailyQuery), responses((status = 200, body = Answer<DailyAreasAnswer>)))]
async fn areas(
    State(context): State<Context>,
    caller: Caller,
    Params(asked): Params<DailyQuery>,
) -> Handled<DailyAreasAnswer> {
    let mut reading = Reading::begin(&context, &caller).await?;
    let range = asked.range(reading.now)?;
    let meant = asked.meant(range)?;
    let scope = &caller.full_scope;
    let days = revenue_days::by_day(&mut reading.db, &meant, scope).await?;
    let found = revenue_days::by_area(&mut reading.db, &meant, scope).await?;
    let bikes = shelved_days::of(&mut reading.db, &meant, scope, reading.now).await?;
    drop(reading);
    let all = sum(days.iter().map(|one| &one.figures))?;
    let totals = DailySums::new(&all, range.days(), bikes.bike_days());
    let stood = |one: &AreaSums| {
        let area = one.area_id.and_then(|area| bikes.areas.get(&(one.agent_id, area)));
        area.copied().unwrap_or(0.0)
    };
    let row = |one: AreaSums| DailyAreaRow {
        sums: DailySums::new(&one.figures, range.days(), stood(&one)),
        id: one.area_id.map_or_else(|| format!("a{}", one.agent_id), |area| area.to_string()),
        op_area_id: one.area_id,
        area_name: one.area_name,
        agent_id: one.agent_id,
        company: one.company,
    };
    Ok(Answer(DailyAreasAnswer { rows: found.into_iter().map(row).collect(), totals }))
}

fn rate(value: Option<i64>) -> String {
    value.map_or_else(String::new, |value| format!("{}.{:02}%", value / 100, value.abs() % 100))
}

fn per_bike(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.2}"))
}

const FILE: Export<DailyRow> = Export {
    what: "daily-statistics",
    title: "每日统计",
    columns: &[
        Column::text("day", "日期", |row| &row.day),
        Column::text("isClosed", "结账", |row| if row.is_closed { "已结" } else { "未结" }),
        Column::count("orders", "订单", |row| row.sums.figures.orders),
        Column::count("shortOrders", "短时订单", |row| row.sums.figures.short_orders),
        Column::money("dueCents", "应收 A（元）", |row| row.sums.due_cents),
        Column::money("paidCents", "新增实收 E（元）", |row| row.sums.paid_cents),
        Column::money("owingCents", "新增欠款 C（元）", |row| row.sums.owing_cents),
        Column::made("owingRate", "欠款率", |row| rate(row.sums.owing_rate)),
        Column::money("arrearsCents", "补缴 D（元）", |row| row.sums.arrears_cents),
        Column::money("receivedCents", "实收总额（元）", |row| row.sums.received_cents),
        Column::money("topUpCents", "充值（元）", |row| row.sums.figures.top_up_cents),
        Column::money("cardThirdCents", "卡类销售（元）", |row| row.sums.figures.card_third_cents),
        Column::money("refundsCents", "退款（元）", |row| row.sums.refunds_cents),
        Column::made("refundRate", "退款率", |row| rate(row.sums.refund_rate)),
        Column::money("revenueCents", "总收益（元）", |row| row.sums.figures.revenue_cents),
        Column::money("giftCents", "赠送成本（元）", |row| row.sums.figures.gift_cents),
        Column::made("reliefRate", "优惠占比", |row| rate(row.sums.relief_rate)),
        Column::count("lateEntries", "补记笔数", |row| row.sums.figures.late_entries),
        Column::money("lateDueCents", "补记应收（元）", |row| row.sums.figures.late_due_cents),
        Column::money("lateRevenueCents", "补记收益（元）", |row| row.sums.figures.late_revenue_cents),
        Column::made("ordersPerBike", "车均单量", |row| per_bike(row.sums.orders_per_bike)),
        Column::made("duePerBike", "车均流水（元）", |row| per_bike(row.sums.due_per_bike)),
        Column::made("bikes", "日均上架车辆", |row| format!("{:.2}", row.sums.bikes)),
        Column::money("paidThirdCents", "实收·渠道（元）", |row| row.sums.figures.paid_third_cents),
        Column::money("paidRechargeCents", "实收·充值余额（元）", |row| {
            row.sums.figures.paid_recharge_cents
        }),
        Column::money("paidPresentCents", "实收·赠送余额（元）", |row| {
            row.sums.figures.paid_present_cents
        }),
        Column::money("loweredPastCents", "跨日下调（元）", |row| row.sums.figures.lowered_past_cents),
        Column::money("writtenOffCents", "核销（元）", |row| row.sums.figures.written_off_cents),
        Column::money("rideRefundWalletCents", "骑行退款入钱包（元）", |row| {
            row.sums.figures.ride_refund_wallet_cents
        }),
        Column::money("cardRefundWalletCents", "退卡入钱包（元）", |row| {
            row.sums.figures.card_refund_wallet_cents
        }),
        Column::money("adjustmentCents", "人工调整（元）", |row| row.sums.figures.adjustment_cents),
        Column::money("depositPaidCents", "收取押金（元）", |row| row.sums.figures.deposit_paid_cents),
        Column::money("depositBackCents", "退还押金（元）", |row| row.sums.figures.deposit_back_cents),
        Column::count("freeOrders", "免单订单", |row| row.sums.figures.free_orders),
        Column::count("cardOrders", "骑行卡订单", |row| row.sums.figures.card_orders),
        Column::count("discountOrders", "折扣订单", |row| row.sums.figures.discount_orders),
        Column::count("plainOrders", "无优惠订单", |row| row.sums.plain_orders),
    ],
};

/// The same days as CSV. It stands in the log who took it, cut down to what.
#[utoipa::path(get, path = "/report/daily/export", tag = "riding", operation_id = "exportDailyStatistics",
    params(DailyQuery, ExportColumns), responses((status = 200, body = String, content_type = "text/csv")))]
async fn file(
    State(context): State<Context>,
    caller: Caller,
    disclosure: Disclosure,
    Params(asked): Params<DailyQuery>,
    Params(columns): Params<ExportColumns>,
) -> Result<Response, Refused> {
    let mut reading = Reading::begin(&context, &caller).await?;
    let range = asked.range(reading.now)?;
    let meant = asked.meant(range)?;
    let days = revenue_days::by_day(&mut reading.db, &meant, &caller.full_scope).await?;
    let bikes = shelved_days::of(&mut reading.db, &meant, &caller.full_scope, reading.now).await?;
    let mut rows = reading.rows(range, &days, &bikes);
    drop(reading);
    sort(&mut rows, given(asked.sort.as_ref()))?;
    FILE.hand_out(&disclosure, &columns, &asked, &rows).await
}
