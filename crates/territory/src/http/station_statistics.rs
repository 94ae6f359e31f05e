//! Statistics of parking places: how full they were, what came and went, against the time before. The path of another kind
//! stands with whoever knows its figures.

use std::collections::HashMap;

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;
use utoipa_axum::routes;
use vocabulary::{Cents, Day, FenceId, HOURS, Timestamp};
use wire::{
    Answer, Caller, Column, DayRange, Disclosure, EXPORT_ROWS_READ, Export, ExportColumns, Figure, Handled,
    PageQuery, Params, Permit, Refused, Routes, Seen, TimeRange, area_ids, given,
};

use super::station_shapes::{
    RankedStation, StationFreshness, StationPoint, StationRanks, StationShare, StationStatistics,
    StationStatisticsAnswer, StationSummary,
};
use crate::Context;
use crate::app::stations::Present;
use crate::model::station_day::Level;
use crate::read::station_days::{self, Called, Meant, PlacesError, Stretch, Sums, Wanted};

const STATISTICS: Permit = Permit::AnyOf(&["0907"]);
const READS: &[&str] = &["fence", "area"];
/// Days that are asked for at most.
const DAYS_MOST: i64 = 31;
/// Without any: today and the days before.
const DAYS_USUAL: i64 = 7;
/// Up to so many days are told hour by hour.
const DAYS_BY_HOUR: i64 = 2;

/// The routes.
pub fn routes(context: &Context) -> Routes {
    Routes::new("territory")
        .add(STATISTICS, routes!(statistics))
        .add_unwrapped(STATISTICS, routes!(file))
        .with_state(context.clone())
}

#[derive(Clone, Default, Deserialize, Serialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct StationsQuery {
    /// From the day on that holds it: `YYYY-MM-DD HH:mm:ss` or `YYYY-MM-DD`; absent: six days before the last one.
    start_time: Option<String>,
    /// Until the day that holds it, included, at most 31 days in all; absent: today.
    end_time: Option<String>,
    /// Of these service areas, with commas between.
    op_area_ids: Option<String>,
    /// Those at this level now: 0 空, 1 偏少, 2 正常, 3 偏多, 4 淤积.
    level: Option<i16>,
    /// Those that are tagged so.
    tag: Option<String>,
    /// Part of the name.
    keyword: Option<String>,
    /// This one alone.
    id: Option<FenceId>,
    /// By what rows are put in order: returns, departures, outside, standing, idle, fullHours, emptyHours, misses, orders or costCents; with
    /// a minus
    /// before it the largest first. Absent: `-returns`.
    sort: Option<String>,
}

/// Days that are asked for, and those that they are compared with.
struct Range {
    days: DayRange,
    /// Hours of the last day that are over.
    hours: usize,
}

impl Range {
    fn new(asked: &StationsQuery, reckoned: Timestamp, now: Timestamp) -> Result<Self, Refused> {
        let (start, end) = (asked.start_time.as_ref(), asked.end_time.as_ref());
        let days = DayRange::asked(start, end, (DAYS_USUAL, DAYS_MOST), now)?;
        Ok(Self { days, hours: days.until.over(reckoned) })
    }

    /// As many days right before it, the last one until the same hour.
    const fn before(&self) -> Self {
        Self { days: self.days.before(), hours: self.hours }
    }

    fn told(&self) -> TimeRange {
        TimeRange { from: self.days.from.hour(0).millis(), until: self.days.until.hour(self.hours).millis() }
    }
}

fn percent(part: i64, whole: i64) -> Option<f64> {
    (whole > 0).then(|| rounded(part as f64 * 100.0 / whole as f64))
}

fn mean(sum: i64, count: i64) -> Option<f64> {
    (count > 0).then(|| rounded(sum as f64 / count as f64))
}

/// To hundredths.
fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// All that happened in some hours or days.
#[derive(Default)]
struct Total {
    hours: i64,
    returns: i64,
    departures: i64,
    outside: i64,
    standing: i64,
    levels: [i64; 5],
    idle: [i64; 6],
    misses: Option<i64>,
    orders: Option<i64>,
    cost_cents: Option<i64>,
}

/// What is known of both.
fn grown(sum: Option<i64>, by: Option<i64>) -> Option<i64> {
    match (sum, by) {
        (Some(sum), Some(by)) => Some(sum.saturating_add(by)),
        (known, None) | (None, known) => known,
    }
}

fn yuan(cents: Option<i64>) -> Option<f64> {
    cents.map(|cents| cents as f64 / 100.0)
}

impl Total {
    fn of<'a>(stretches: impl IntoIterator<Item = &'a Stretch>) -> Self {
        let mut total = Self::default();
        for one in stretches {
            total.hours += one.hours;
            total.returns += one.returns;
            total.departures += one.departures;
            total.outside += one.outside;
            total.standing += one.standing;
            for (sum, hours) in total.levels.iter_mut().zip(&one.level_hours) {
                *sum += hours;
            }
            for (sum, hours) in total.idle.iter_mut().zip(&one.idle_hours) {
                *sum += hours;
            }
            total.misses = grown(total.misses, one.misses);
            total.orders = grown(total.orders, one.orders);
            total.cost_cents = grown(total.cost_cents, one.cost_cents);
        }
        total
    }

    fn open_hours(&self) -> i64 {
        self.levels.iter().sum()
    }
}

/// A figure of both times; of a time of which nothing is known it is null.
fn figure(now: &Total, before: &Total, of: impl Fn(&Total) -> Option<f64>) -> Figure {
    let known = |total: &Total| of(total).filter(|_| total.hours > 0);
    Figure { now: known(now), before: known(before) }
}

fn point(one: &Stretch) -> StationPoint {
    let day = Day::from(one.day);
    let open = one.level_hours.iter().sum();
    StationPoint {
        at: day.hour(one.hour.and_then(|hour| usize::try_from(hour).ok()).unwrap_or(0)).millis(),
        returns: one.returns,
        departures: one.departures,
        outside: one.outside,
        standing: mean(one.standing, one.hours),
        full_percent: percent(one.level_hours[4], open),
        empty_percent: percent(one.level_hours[0], open),
        misses: one.misses,
        orders: one.orders,
        cost_yuan: yuan(one.cost_cents),
    }
}

impl StationsQuery {
    fn meant(&self, range: &Range, present: &Present) -> Result<Meant, Refused> {
        let text = |text: &Option<String>| given(text.as_ref()).map(str::to_owned);
        Ok(Meant {
            from: range.days.from.date(),
            until: range.days.until.date(),
            areas: area_ids(self.op_area_ids.as_ref())?,
            fence: self.id,
            keyword: text(&self.keyword),
            tag: text(&self.tag),
            fences: self.level.map(|level| at_level(level, present)).transpose()?,
        })
    }
}

/// The places at a level now.
fn at_level(level: i16, present: &Present) -> Result<Vec<FenceId>, Refused> {
    let known = Level::ALL.iter().find(|one| one.number() == level);
    let level = *known.ok_or_else(|| Refused::malformed("请求参数 level 需在 0 到 4 之间"))?;
    let at_it = present.stations.iter().filter(|(_, station)| station.level == Some(level));
    Ok(at_it.map(|(id, _)| *id).collect())
}

/// Days up to the last one, of which so many hours are over; what is asked for ends with all that is known of it.
async fn told_before(
    db: &mut sqlx::PgConnection,
    meant: &Meant,
    range: &Range,
    caller: &Caller,
) -> Result<Vec<Stretch>, Refused> {
    let scope = &caller.full_scope;
    let whole = Meant { from: range.days.from.date(), until: range.days.until.date(), ..meant.clone() };
    if range.hours == HOURS {
        return Ok(station_days::by_day(db, &whole, scope).await?);
    }
    let days = Meant { until: Day(range.days.until.0 - 1).date(), ..whole.clone() };
    let mut told = station_days::by_day(db, &days, scope).await?;
    let last = Meant { from: whole.until, ..whole };
    let hours = station_days::by_hour(db, &last, scope).await?;
    let over =
        |one: &Stretch| one.hour.and_then(|n| usize::try_from(n).ok()).is_some_and(|n| n < range.hours);
    told.extend(hours.into_iter().filter(over));
    Ok(told)
}

/// How full parking places were day by day or hour by hour, what came and went, who leads, and each of them with what stands
/// there now; days are Shanghai's.
#[utoipa::path(get, path = "/statistics/station", tag = "territory", operation_id = "stationStatistics",
    params(PageQuery, StationsQuery), responses((status = 200, body = Answer<StationStatisticsAnswer>)))]
async fn statistics(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    Params(paging): Params<PageQuery>,
    Params(asked): Params<StationsQuery>,
) -> Handled<StationStatisticsAnswer> {
    let present = context.stations_now().await.map_err(Refused::unavailable)?;
    let now = context.runtime.clock.now();
    let scope = &caller.full_scope;
    let mut db = context.runtime.reads.scoped(scope, seen, READS).await?;
    let reckoned = station_days::RECKONED.until(&mut *db).await?;
    let range = Range::new(&asked, reckoned.unwrap_or(now), now)?;
    let meant = asked.meant(&range, &present)?;
    let before = range.before();

    let days = station_days::by_day(&mut db, &meant, scope).await?;
    let by_hour = range.days.days() <= DAYS_BY_HOUR;
    let series = if by_hour { station_days::by_hour(&mut db, &meant, scope).await? } else { Vec::new() };
    let past = told_before(&mut db, &meant, &before, &caller).await?;
    let wanted = Wanted::page(paging.page(), given(asked.sort.as_ref()));
    let places = station_days::by_place(&mut db, &meant, scope, wanted).await.map_err(refused)?;
    let there = station_days::there(&mut db, &meant, scope).await?;
    let named = places.rows.rows.iter().chain(&places.busiest).chain(&places.fullest).chain(&places.emptiest);
    let named = named.chain(&places.missed);
    let names = names(&mut db, named).await?;
    drop(db);

    let (total, past) = (Total::of(&days), Total::of(&past));
    let rank = |sums: &[Sums], of: fn(&Sums) -> i64| {
        let ranked = |one: &Sums| {
            let name = names.get(&one.fence_id).map_or_else(String::new, |called| called.name.clone());
            RankedStation { id: one.fence_id, name, value: of(one) }
        };
        sums.iter().map(ranked).collect()
    };
    let share = |values: &[f64]| {
        let part = |(part, value): (usize, &f64)| StationShare { part: part as i16, value: *value };
        values.iter().enumerate().map(part).collect()
    };
    let idle = total.idle.map(|sum| mean(sum, total.hours).unwrap_or(0.0));
    Ok(Answer(StationStatisticsAnswer {
        range: range.told(),
        before: before.told(),
        by_hour,
        freshness: StationFreshness {
            reckoned_at: reckoned.map(Timestamp::millis),
            live_at: present.at.millis(),
        },
        summary: summary(&total, &past, &there, &present),
        series: if by_hour { &series } else { &days }.iter().map(point).collect(),
        rank: StationRanks {
            returns: rank(&places.busiest, |sums| sums.returns),
            full: rank(&places.fullest, |sums| sums.level_hours[4]),
            empty: rank(&places.emptiest, |sums| sums.level_hours[0]),
            misses: rank(&places.missed, |sums| sums.misses.unwrap_or(0)),
        },
        levels: share(&total.levels.map(|hours| hours as f64)),
        idle: share(&idle),
        rows: shown(places.rows.rows, &names, &present),
        count: places.rows.count,
        capped: places.rows.capped,
    }))
}

fn refused(error: PlacesError) -> Refused {
    match error {
        PlacesError::Sort(sort) => Refused::malformed(sort.to_string()),
        PlacesError::Database(error) => error.into(),
    }
}

fn summary(total: &Total, past: &Total, there: &[FenceId], present: &Present) -> StationSummary {
    let known = || there.iter().filter_map(|fence| present.stations.get(fence));
    StationSummary {
        stations: i64::try_from(known().count()).unwrap_or(i64::MAX),
        vehicles: known().map(|station| station.vehicles).sum(),
        rentable: known().map(|station| station.rentable).sum(),
        site_out: known().map(|station| station.outside).sum(),
        alarm: known().map(|station| station.alarmed).sum(),
        fault: known().map(|station| station.broken).sum(),
        returns: figure(total, past, |of| Some(of.returns as f64)),
        departures: figure(total, past, |of| Some(of.departures as f64)),
        outside: figure(total, past, |of| Some(of.outside as f64)),
        standing: figure(total, past, |of| mean(of.standing, of.hours)),
        full_percent: figure(total, past, |of| percent(of.levels[4], of.open_hours())),
        empty_percent: figure(total, past, |of| percent(of.levels[0], of.open_hours())),
        misses: figure(total, past, |of| of.misses.map(|sum| sum as f64)),
        orders: figure(total, past, |of| of.orders.map(|sum| sum as f64)),
        cost_yuan: figure(total, past, |of| yuan(of.cost_cents)),
    }
}

type Names = HashMap<FenceId, Called>;

async fn names<'a>(
    db: &mut sqlx::PgConnection,
    sums: impl Iterator<Item = &'a Sums>,
) -> Result<Names, Refused> {
    let fences: Vec<FenceId> = sums.map(|one| one.fence_id).collect();
    let called = station_days::called(db, &fences).await?;
    Ok(called.into_iter().map(|one| (one.fence_id, one)).collect())
}

fn shown(rows: Vec<Sums>, names: &Names, present: &Present) -> Vec<StationStatistics> {
    let row = |sums: Sums| {
        // One that the caller sees no more since the days were read.
        let called = names.get(&sums.fence_id)?;
        let now = present.stations.get(&sums.fence_id);
        let open_hours = sums.level_hours.iter().sum();
        let [empty_hours, .., full_hours] = sums.level_hours;
        Some(StationStatistics {
            id: sums.fence_id,
            name: called.name.clone(),
            op_area_id: called.area_id,
            area_name: called.area_name.clone().unwrap_or_default(),
            tags: called.tags.as_ref().map_or_else(Vec::new, |tags| tags.0.clone()),
            deleted: called.deleted,
            capacity: called.capacity.unwrap_or(0),
            level: now.and_then(|station| station.level),
            vehicles: now.map(|station| station.vehicles),
            rentable: now.map(|station| station.rentable),
            site_out: now.map(|station| station.outside),
            alarm: now.map(|station| station.alarmed),
            fault: now.map(|station| station.broken),
            returns: sums.returns,
            departures: sums.departures,
            outside: sums.outside,
            standing: mean(sums.standing, sums.hours),
            idle: sums.idle_hours.map(|idle| mean(idle, sums.hours).unwrap_or(0.0)),
            open_hours,
            full_hours,
            empty_hours,
            full_percent: percent(full_hours, open_hours),
            empty_percent: percent(empty_hours, open_hours),
            misses: sums.misses,
            orders: sums.orders,
            cost_cents: sums.cost_cents,
        })
    };
    rows.into_iter().filter_map(row).collect()
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn share(percent: Option<f64>) -> String {
    percent.map_or_else(String::new, |percent| format!("{percent}%"))
}

fn count(value: Option<i64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

const FILE: Export<StationStatistics> = Export {
    what: "station-statistics",
    title: "站点统计",
    columns: &[
        Column::text("name", "站点", |row| &row.name),
        Column::text("areaName", "服务区", |row| &row.area_name),
        Column::text("level", "当前等级", |row| row.level.map_or("", Level::label)),
        Column::made("vehicles", "在站车辆", |row| count(row.vehicles)),
        Column::made("rentable", "可租", |row| count(row.rentable)),
        Column::made("siteOut", "站外车", |row| count(row.site_out)),
        Column::made("alarm", "告警", |row| count(row.alarm)),
        Column::made("fault", "故障", |row| count(row.fault)),
        Column::count("returns", "还车", |row| row.returns),
        Column::count("departures", "离站", |row| row.departures),
        Column::count("outside", "站外还车", |row| row.outside),
        Column::made("standing", "平均在站", |row| number(row.standing)),
        Column::made("idle", "平均闲置", |row| number(Some(rounded(row.idle.iter().sum())))),
        Column::count("fullHours", "淤积时长（小时）", |row| row.full_hours),
        Column::made("fullPercent", "满溢率", |row| share(row.full_percent)),
        Column::count("emptyHours", "空站时长（小时）", |row| row.empty_hours),
        Column::made("emptyPercent", "空站率", |row| share(row.empty_percent)),
        Column::made("misses", "丢单", |row| count(row.misses)),
        Column::made("orders", "订单", |row| count(row.orders)),
        Column::made("costCents", "流水（元）", |row| {
            row.cost_cents.map_or_else(String::new, |cents| Cents(cents).to_string())
        }),
        Column::count("openHours", "开放时长（小时）", |row| row.open_hours),
        Column::count("capacity", "停放上限", |row| row.capacity.into()),
        Column::made("tags", "标签", |row| row.tags.join("、")),
        Column::made("id", "站点编号", |row| row.id.to_string()),
    ],
};

/// The same places as CSV, at most 50000. It stands in the log who took it, cut down to what.
#[utoipa::path(get, path = "/statistics/station/export", tag = "territory", operation_id = "exportStationStatistics",
    params(StationsQuery, ExportColumns), responses((status = 200, body = String, content_type = "text/csv")))]
async fn file(
    State(context): State<Context>,
    caller: Caller,
    Seen(seen): Seen,
    disclosure: Disclosure,
    Params(asked): Params<StationsQuery>,
    Params(columns): Params<ExportColumns>,
) -> Result<Response, Refused> {
    let present = context.stations_now().await.map_err(Refused::unavailable)?;
    let now = context.runtime.clock.now();
    let mut db = context.runtime.reads.scoped(&caller.full_scope, seen, READS).await?;
    let reckoned = station_days::RECKONED.until(&mut *db).await?;
    let meant = asked.meant(&Range::new(&asked, reckoned.unwrap_or(now), now)?, &present)?;
    let wanted = Wanted { sort: given(asked.sort.as_ref()), offset: 0, limit: EXPORT_ROWS_READ };
    let places =
        station_days::by_place(&mut db, &meant, &caller.full_scope, wanted).await.map_err(refused)?;
    let names = names(&mut db, places.rows.rows.iter()).await?;
    drop(db);
    let rows = shown(places.rows.rows, &names, &present);
    FILE.hand_out(&disclosure, &columns, &asked, &rows).await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-23 15:30 in Shanghai.
    const NOW: Timestamp = Timestamp::from_millis(1_795_419_000_000);

    fn range(from: Option<&str>, until: Option<&str>) -> Result<Range, Refused> {
        let text = |text: Option<&str>| text.map(str::to_owned);
        let asked =
            StationsQuery { start_time: text(from), end_time: text(until), ..StationsQuery::default() };
        Range::new(&asked, NOW.plus_millis(-30 * 60_000), NOW)
    }

    #[test]
    fn a_week_is_compared_with_the_week_before_it_until_the_same_hour() {
        let week = range(None, None).unwrap();
        let local = |at: i64| Timestamp::from_millis(at).local();
        let (told, before) = (week.told(), week.before().told());
        assert_eq!(local(told.from), "2026-11-17 00:00:00");
        assert_eq!(local(told.until), "2026-11-23 15:00:00", "as far as it is reckoned");
        assert_eq!(
            (local(before.from), local(before.until)),
            ("2026-11-10 00:00:00".into(), "2026-11-16 15:00:00".into())
        );
        let past = range(Some("2026-11-01"), Some("2026-11-02 08:00:00")).unwrap();
        assert_eq!((past.days.days(), past.hours), (2, 24), "whole days");
    }

    #[test]
    fn days_that_are_too_many_or_the_wrong_way_round_are_refused() {
        assert_eq!(range(Some("2026-10-24"), None).unwrap().days.days(), 31);
        assert!(range(Some("2026-10-23"), None).is_err());
        assert!(range(Some("2026-11-22"), Some("2026-11-21")).is_err());
        assert!(range(Some("2026-12-01"), None).is_err(), "tomorrow");
        assert!(range(Some("gestern"), None).is_err());
        assert_eq!(range(None, Some("2030-01-01")).unwrap().days.until, Day::of(NOW));
    }

    #[test]
    fn of_a_time_of_which_nothing_is_known_no_figure_is_told() {
        let some = Total { hours: 24, returns: 0, levels: [12, 0, 12, 0, 0], ..Total::default() };
        let returns = figure(&some, &Total::default(), |of| Some(of.returns as f64));
        assert_eq!((returns.now, returns.before), (Some(0.0), None), "none came, and nobody knows");
        let empty = figure(&some, &some, |of| percent(of.levels[0], of.open_hours()));
        assert_eq!((empty.now, empty.before), (Some(50.0), Some(50.0)));
    }
}
