//! 营收大屏. Every amount is asked where 每日统计 asks: they agree to the cent.

use std::collections::BTreeMap;
use std::ops::Range;

use live::push::PortError;
use riding::model::revenue::Figures;
use riding::read::revenue_days::{self, AreaSums, DaySums, Meant};
use riding::read::revenue_hours::{self, HourSums};
use vocabulary::{AgentId, AreaId, Day, HOURS, Scope};

use super::kept::kept;
use super::revenue_shapes::{
    AgentLine, AgentsTile, AreaLine, AreasTile, HoursTile, RevenueScreen, RevenueSums, SurgesTile, TodayTile,
    TrendDay, TrendTile,
};
use super::surges::{self, USUAL_DAYS};
use super::{Look, Screens, TileSpan};

const READS: &[&str] = &["revenue_day", "area", "agent"];
const WEEK: i64 = 7;
const TREND_DAYS: i64 = 30;
const AGENTS: usize = 10;
/// Areas that a wall colours.
const AREAS: usize = 300;

fn days(span: Range<i64>) -> Meant {
    // The areas that are meant stand in the scope.
    Meant { from: Day(span.start), until: Day(span.end - 1), agent: None, areas: Vec::new() }
}

fn by_hour(hours: &[HourSums], of: fn(&HourSums) -> i64) -> Vec<i64> {
    let mut all = vec![0; HOURS];
    for one in hours {
        if let Some(sum) = usize::try_from(one.hour).ok().and_then(|hour| all.get_mut(hour)) {
            *sum = of(one);
        }
    }
    all
}

impl Screens {
    /// All tiles as of now.
    pub(super) async fn revenue(&self, scope: &Scope, areas: &[AreaId]) -> Result<RevenueScreen, PortError> {
        let mut look = self.look(scope, areas, READS).await?;
        let today = Day::of(look.now);
        let midnight = today.hour(0);
        let so_far_ms = look.now.millis_since(midnight);
        let key = format!("{:?}", look.scope);
        let Look { db, scope, now, as_of } = &mut look;

        let now_meant = days(today.0..today.0 + 1);
        let figures = revenue_days::by_day(db, &now_meant, scope).await?;
        let figures = figures.into_iter().next().map(|one| one.figures).unwrap_or_default();
        let by_area = revenue_days::by_area(db, &now_meant, scope).await?;
        let past = days(today.0 + 1 - TREND_DAYS..today.0);
        let looked = revenue_days::by_day(db, &past, scope);
        let past = kept(&self.kept.days, &key, today, looked).await?;

        let now_hours = revenue_hours::of(db, &now_meant, scope, so_far_ms).await?;
        let day = Day(today.0 - 1);
        let meant = days(day.0..today.0);
        let looked = revenue_hours::of(db, &meant, scope, so_far_ms);
        let yesterday = kept(&self.kept.hours, &key, day, looked).await?;
        let day = Day(today.0 - WEEK);
        let meant = days(day.0..day.0 + 1);
        let looked = revenue_hours::of(db, &meant, scope, so_far_ms);
        let last_week = kept(&self.kept.hours, &key, day, looked).await?;

        let span = TileSpan::of(midnight, *now, *as_of);
        let sum = |hours: &[HourSums], of: fn(&HourSums) -> i64| hours.iter().map(of).sum::<i64>();
        let (revenue, so_far) =
            (|one: &HourSums| one.revenue_cents, |one: &HourSums| one.revenue_so_far_cents);
        let hours = HoursTile {
            span,
            today: by_hour(&now_hours, revenue),
            yesterday: by_hour(&yesterday, revenue),
            last_week: by_hour(&last_week, revenue),
        };
        let received = |one: &HourSums| one.received_cents;
        let [came_in, came_yesterday, came_last_week] =
            [&now_hours[..], &yesterday[..], &last_week[..]].map(|hours| by_hour(hours, received));
        let usual: Vec<i64> = past
            .iter()
            .filter(|one| one.day.0 >= today.0 - USUAL_DAYS)
            .map(|one| one.figures.refunds_cents())
            .collect();
        let rows = [
            surges::refunds(figures.refunds_cents(), &usual),
            surges::silence(today.over(*now), &came_in, &came_yesterday, &came_last_week),
        ];
        Ok(RevenueScreen {
            as_of_ms: now.millis(),
            today: TodayTile {
                span,
                sums: RevenueSums::from(&figures),
                revenue_yesterday_cents: sum(&yesterday, so_far),
                revenue_last_week_cents: sum(&last_week, so_far),
                due_yesterday_cents: sum(&yesterday, |one| one.due_so_far_cents),
            },
            hours,
            agents: AgentsTile { span, rows: agents(&by_area) },
            areas: AreasTile { span, rows: area_lines(by_area) },
            trend: TrendTile {
                span: TileSpan::of(Day(today.0 + 1 - TREND_DAYS).hour(0), *now, *as_of),
                days: trend(&past, today, &figures),
            },
            surges: SurgesTile { span, rows: rows.into_iter().flatten().collect() },
        })
    }
}

fn trend_day(day: Day, figures: &Figures) -> TrendDay {
    TrendDay {
        day: day.date().to_string(),
        revenue_cents: figures.revenue_cents,
        due_cents: figures.due_cents(),
        refunds_cents: figures.refunds_cents(),
        orders: figures.orders,
    }
}

/// Every day, also those on which nothing happened.
fn trend(past: &[DaySums], today: Day, figures: &Figures) -> Vec<TrendDay> {
    let mut days: Vec<TrendDay> = (today.0 + 1 - TREND_DAYS..today.0)
        .map(|day| {
            let known = past.iter().find(|one| one.day.0 == day);
            trend_day(Day(day), &known.map(|one| one.figures).unwrap_or_default())
        })
        .collect();
    days.push(trend_day(today, figures));
    days
}

fn area_lines(areas: Vec<AreaSums>) -> Vec<AreaLine> {
    let line = |one: AreaSums| {
        Some(AreaLine {
            id: one.area_id?,
            name: one.area_name,
            due_cents: one.figures.due_cents(),
            revenue_cents: one.figures.revenue_cents,
            orders: one.figures.orders,
            each_cents: one.figures.each_cents(),
        })
    };
    areas.into_iter().filter_map(line).take(AREAS).collect()
}

/// Agents with all that is theirs, also what is of no area.
fn agents(areas: &[AreaSums]) -> Vec<AgentLine> {
    let mut lines: BTreeMap<AgentId, AgentLine> = BTreeMap::new();
    for one in areas {
        let line = lines.entry(one.agent_id).or_insert_with(|| AgentLine {
            id: one.agent_id,
            company: one.company.clone(),
            due_cents: 0,
            revenue_cents: 0,
            orders: 0,
        });
        line.due_cents += one.figures.due_cents();
        line.revenue_cents += one.figures.revenue_cents;
        line.orders += one.figures.orders;
    }
    let mut lines: Vec<AgentLine> = lines.into_values().collect();
    lines.sort_by_key(|line| std::cmp::Reverse((line.revenue_cents, line.due_cents)));
    lines.truncate(AGENTS);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(agent: i64, area: i64, revenue_cents: i64) -> AreaSums {
        AreaSums {
            agent_id: AgentId(agent),
            area_id: (area > 0).then_some(AreaId(area)),
            area_name: None,
            company: None,
            figures: Figures { revenue_cents, orders: 1, ..Figures::default() },
        }
    }

    #[test]
    fn an_agent_comes_to_its_areas_and_what_is_of_none() {
        let found = agents(&[of(1, 10, 300), of(2, 20, 900), of(1, 0, 700)]);
        let told: Vec<(i64, i64)> = found.iter().map(|line| (line.id.0, line.revenue_cents)).collect();
        assert_eq!(told, [(1, 1000), (2, 900)]);
        assert_eq!(area_lines(vec![of(1, 10, 300), of(1, 0, 700)]).len(), 1, "no area is no line");
    }

    #[test]
    fn a_trend_has_thirty_days_whatever_happened_on_them() {
        let today = Day(20_833);
        let figures = Figures { revenue_cents: 5, ..Figures::default() };
        let known = DaySums { day: Day(20_832), figures, updated_at_ms: 0 };
        let days = trend(&[known], today, &Figures { revenue_cents: 7, ..figures });
        assert_eq!(days.len(), 30);
        assert_eq!((days[28].revenue_cents, days[29].revenue_cents, days[0].revenue_cents), (5, 7, 0));
        assert_eq!(days[29].day, "2027-01-15");
    }
}
