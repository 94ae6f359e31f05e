//! Parking places by the hour: reckoned by one process for each hour that is over, from where bikes stood and by the fences of
//! the time; and as they are now, from the live fleet.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use geofence::Atlas;
use geofence::judge::Stop;
use kernel::Runtime;
use tokio::sync::Mutex;
use vocabulary::{AreaId, Day, FenceId, HOURS, Timestamp, Wgs84};

use super::atlas::{Judge, Judges};
use super::fence_preview::USUAL_HDOP;
use crate::Context;
use crate::model::station_day::{Level, Stay, Tally, full_hour};
use crate::ports::{Begun, PortError, Resting, Rides, Stood, Stops};
use crate::read::station_days::{self, StationDay};

/// Days are kept so long: a month beside the month before it, and the same a quarter ago.
pub const KEPT_DAYS: i64 = 130;
/// How often is looked whether there is something to reckon.
const EVERY: Duration = Duration::from_secs(5);
/// An hour is reckoned so long after its end: reports take some time.
const SETTLED_MS: i64 = 120_000;
/// A bike's report may be a day late, so yesterday is reckoned with today.
const LATE_DAYS: i64 = 1;
/// Whoever leaves a bike at most so far from a parking place meant that one, metres.
const NEAR_M: f64 = 50.0;
/// What is now may be so old.
const FRESH_MS: i64 = 5_000;

/// The parking place that a bike belongs to: whether it stands in it, or was left beside it.
fn placed(atlas: &Atlas, place: Wgs84, at: Timestamp, hdop: Option<f64>) -> Option<(FenceId, bool)> {
    let stop = Stop::new(place, at, hdop.unwrap_or(USUAL_HDOP), None);
    let (nearest, stands) = atlas.station(&stop)?;
    (stands || nearest.beyond_m <= NEAR_M).then_some((nearest.fence.id, stands))
}

type Tallies = HashMap<FenceId, Tally>;

/// Adds where bikes stood on a day, of which so many hours are over.
fn add(tallies: &mut Tallies, judge: &Judge, day: Day, hours: usize, stays: &[Stood]) {
    for Stood { stopped, until, left } in stays {
        // Of an older one nobody knows any more which fences there were: by the oldest that are known.
        let at = stopped.at.max(judge.since);
        let Some((fence, stands)) = placed(&judge.atlas, stopped.place, at, stopped.hdop) else { continue };
        let tally = tallies.entry(fence).or_default();
        if stands {
            tally.stood(Stay { from: stopped.at, until: *until, left: *left }, day, hours);
        } else {
            tally.beside(stopped.at, day, hours);
        }
    }
}

/// Adds rides that began where bikes stood.
fn add_rides(tallies: &mut Tallies, judge: &Judge, day: Day, hours: usize, rides: &[Begun]) {
    for ride in rides {
        if let Some((fence, _)) = placed(&judge.atlas, ride.place, ride.at.max(judge.since), None) {
            tallies.entry(fence).or_default().ordered(ride.at, ride.cost_cents, day, hours);
        }
    }
}

/// The day of every parking place that was open at one of its hours, or at which something happened.
fn rows(tallies: &Tallies, judge: &Judge, day: Day, hours: usize) -> Vec<StationDay> {
    let none = Tally::default();
    let mut levels: HashMap<FenceId, (AreaId, [Option<Level>; HOURS])> = HashMap::new();
    for (fence, parking) in judge.atlas.parking_places() {
        let tally = tallies.get(&fence.id).unwrap_or(&none);
        for hour in 0..hours {
            let at = day.hour(hour);
            if fence.span.holds(at) && parking.hours.is_none_or(|open| open.hold(at)) {
                let (_, by_hour) = levels.entry(fence.id).or_insert((fence.area, [None; HOURS]));
                by_hour[hour] = Some(Level::of(tally.standing[hour].into(), parking));
            }
        }
        if tallies.contains_key(&fence.id) {
            levels.entry(fence.id).or_insert((fence.area, [None; HOURS]));
        }
    }
    let row = |(fence_id, (area_id, by_hour)): (FenceId, (AreaId, [Option<Level>; HOURS]))| {
        let tally = tallies.get(&fence_id).unwrap_or(&none);
        let mut level_hours = [0; 5];
        for level in by_hour.iter().flatten() {
            level_hours[usize::from(level.number().unsigned_abs())] += 1;
        }
        let open = level_hours.iter().any(|hours| *hours > 0);
        if !open && *tally == none {
            return None;
        }
        let sum = |counts: &[i16; HOURS]| counts.iter().map(|count| i32::from(*count)).sum();
        let level = |level: &Option<Level>| level.map_or(-1, Level::number);
        Some(StationDay {
            day: day.date(),
            fence_id,
            area_id,
            agent_id: *judge.agents.get(&area_id)?,
            hours: i16::try_from(hours).unwrap_or(i16::MAX),
            returns: sum(&tally.returns),
            departures: sum(&tally.departures),
            outside: sum(&tally.outside),
            standing: sum(&tally.standing),
            level_hours,
            idle_hours: tally.idle,
            hourly_returns: tally.returns[..hours].to_vec(),
            hourly_departures: tally.departures[..hours].to_vec(),
            hourly_outside: tally.outside[..hours].to_vec(),
            hourly_standing: tally.standing[..hours].to_vec(),
            hourly_level: by_hour[..hours].iter().map(level).collect(),
            hourly_misses: tally.misses[..hours].to_vec(),
            hourly_orders: tally.orders[..hours].to_vec(),
            hourly_cost_cents: tally.cost_cents[..hours].to_vec(),
            misses: sum(&tally.misses),
            orders: sum(&tally.orders),
            cost_cents: tally.cost_cents.iter().fold(0, |sum: i64, cents| sum.saturating_add(*cents)),
        })
    };
    levels.into_iter().filter_map(row).collect()
}

/// Reckons on one node at a time, until the system closes.
pub async fn reckon(runtime: Runtime, stops: Arc<dyn Stops>, rides: Arc<dyn Rides>) {
    kernel::every_while_leading(&runtime, "station-days", EVERY, async |token| {
        let now = runtime.clock.now();
        if let Err(error) = reckon_due(&runtime, stops.as_ref(), rides.as_ref(), token, now).await {
            tracing::warn!(%error, "days of parking places cannot be reckoned; it is tried again");
        }
    })
    .await;
}

/// Reckons what is due at `now`: the hours that are over and were not reckoned, and the days of which something was told
/// late. In the term `token`: once somebody reckons in a later one, nothing more is written.
pub async fn reckon_due(
    runtime: &Runtime,
    stops: &dyn Stops,
    rides: &dyn Rides,
    token: i64,
    now: Timestamp,
) -> Result<(), PortError> {
    let pool = &runtime.pools.projector;
    let known = station_days::RECKONED.until(pool).await?.unwrap_or_default();
    let until = full_hour(now.plus_millis(-SETTLED_MS));
    let told = stops.told_late().await?;
    if known >= until && told.is_none() {
        return Ok(());
    }
    if !station_days::RECKONED.take_over(pool, token).await? {
        return Ok(());
    }
    let judge = Judges::default().now(runtime).await?;
    let last = Day::of(until.plus_millis(-1));
    let since = told.map_or(known, |told| told.since.min(known));
    // Of the day before there may be more than was known; of those before the fences' memory nothing can be said.
    let first = Day((Day::of(since).0 - LATE_DAYS).max(Day::of(judge.since).0 + 1));
    for number in first.0..=last.0 {
        let day = Day(number);
        let hours = day.over(until);
        let tallies = tallied(stops, &judge, day, hours).await?;
        let tallies = with_rides(rides, &judge, day, hours, tallies).await?;
        let rows = rows(&tallies, &judge, day, hours);
        let mut transaction = kernel::pools::begin(pool).await?;
        let reached = until.min(day.hour(HOURS)).max(known);
        if !station_days::put(&mut transaction, day.date(), &rows, reached, token).await? {
            return Ok(());
        }
        transaction.commit().await?;
    }
    station_days::forget_before(pool, Day(last.0 - KEPT_DAYS).date()).await?;
    if let Some(told) = told {
        stops.looked_at(told).await?;
    }
    Ok(())
}

async fn tallied(
    stops: &dyn Stops,
    judge: &Arc<Judge>,
    day: Day,
    hours: usize,
) -> Result<Tallies, PortError> {
    let (mut tallies, mut after) = (Tallies::new(), 0);
    loop {
        let (stays, last) = stops.stood(day.hour(0), day.hour(hours), after).await?;
        let Some(last) = last else { return Ok(tallies) };
        after = last;
        let judge = Arc::clone(judge);
        let adding = tokio::task::spawn_blocking(move || {
            add(&mut tallies, &judge, day, hours, &stays);
            tallies
        });
        tallies = adding.await?;
    }
}

/// With what riders wanted there and got.
async fn with_rides(
    rides: &dyn Rides,
    judge: &Arc<Judge>,
    day: Day,
    hours: usize,
    mut tallies: Tallies,
) -> Result<Tallies, PortError> {
    let (from, until) = (day.hour(0), day.hour(hours));
    for (fence, at) in rides.missed(from, until).await? {
        tallies.entry(fence).or_default().missed(at, day, hours);
    }
    let mut after = 0;
    loop {
        let begun = rides.begun(from, until, after).await?;
        let Some(last) = begun.last() else { return Ok(tallies) };
        after = last.id;
        let judge = Arc::clone(judge);
        let adding = tokio::task::spawn_blocking(move || {
            add_rides(&mut tallies, &judge, day, hours, &begun);
            tallies
        });
        tallies = adding.await?;
    }
}

/// A parking place as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Station {
    /// Bikes that stand in it.
    pub vehicles: i64,
    /// Of those the ones that may be handed out.
    pub rentable: i64,
    /// Bikes beside it that stand in no parking place.
    pub outside: i64,
    /// Of those in it the ones with an alarm.
    pub alarmed: i64,
    /// Of those in it the ones that were reported broken.
    pub broken: i64,
    /// How full it is; nothing while it is closed.
    pub level: Option<Level>,
}

/// All parking places that count now, and when that was.
#[derive(Debug)]
pub struct Present {
    /// When.
    pub at: Timestamp,
    /// Each of them.
    pub stations: HashMap<FenceId, Station>,
}

/// Keeps what is now for some seconds, for all who ask.
#[derive(Clone, Default)]
pub struct Presents(Arc<Mutex<Option<Arc<Present>>>>);

impl Context {
    /// The parking places as they are now.
    pub async fn stations_now(&self) -> Result<Arc<Present>, PortError> {
        let now = self.runtime.clock.now();
        let mut kept = self.presents.0.lock().await;
        if let Some(present) = kept.as_ref().filter(|present| now.millis_since(present.at) < FRESH_MS) {
            return Ok(Arc::clone(present));
        }
        let bikes = self.ports.bikes.resting().await?;
        let judge = self.judges.now(&self.runtime).await?;
        let counted = tokio::task::spawn_blocking(move || counted(&judge.atlas, &bikes, now)).await?;
        let present = Arc::new(Present { at: now, stations: counted });
        *kept = Some(Arc::clone(&present));
        Ok(present)
    }
}

fn counted(atlas: &Atlas, bikes: &[Resting], now: Timestamp) -> HashMap<FenceId, Station> {
    let nothing = Station { vehicles: 0, rentable: 0, outside: 0, alarmed: 0, broken: 0, level: None };
    let counting = || atlas.parking_places().filter(|(fence, _)| fence.span.holds(now));
    let mut stations: HashMap<FenceId, Station> = counting().map(|(fence, _)| (fence.id, nothing)).collect();
    for bike in bikes {
        let Some((fence, stands)) = placed(atlas, bike.place, now, bike.hdop) else { continue };
        let Some(station) = stations.get_mut(&fence) else { continue };
        if stands {
            station.vehicles += 1;
            station.rentable += i64::from(bike.rentable);
            station.alarmed += i64::from(bike.alarmed);
            station.broken += i64::from(bike.broken);
        } else {
            station.outside += 1;
        }
    }
    for (fence, parking) in counting() {
        if let Some(station) = stations.get_mut(&fence.id)
            && parking.hours.is_none_or(|open| open.hold(now))
        {
            station.level = Some(Level::of(station.vehicles, parking));
        }
    }
    stations
}

#[cfg(test)]
mod tests {
    use geofence::atlas::{Area, Fence, Span};
    use geofence::rule::Hours;
    use geofence::{Circle, Parking, Ring, Rule, Shape};
    use vocabulary::{AgentId, Datum};

    use super::*;
    use crate::ports::Stopped;

    const DAY: Day = Day(20_833);

    /// Two places of ten metres about these, half a kilometre from each other, the second open until noon; from one in the
    /// morning on the first has place for two instead of ten.
    fn judge() -> Judge {
        let parking =
            |capacity, hours| Rule::Parking(Parking { capacity, hours, buffer_m: 5.0, ..Parking::default() });
        let fence = |id, lat, rule, span| Fence {
            id: FenceId(id),
            data_version: 1,
            area: AreaId(9),
            shape: Shape::Circle(Circle::draw([118.1, lat], 10.0, Datum::Wgs84).unwrap()),
            rule,
            span,
        };
        let one = DAY.hour(1);
        let before = Span { until: Some(one), ..Span::EVER };
        let after = Span { from: one, until: None };
        let noon = Some(Hours { from_min: 0, until_min: 720 });
        let fences = vec![
            fence(1, 24.1, parking(10, None), before),
            fence(1, 24.1, parking(2, None), after),
            fence(2, 24.105, parking(10, noon), Span::EVER),
        ];
        let ring =
            Ring::draw(&[[118.0, 24.0], [118.2, 24.0], [118.2, 24.2], [118.0, 24.2]], Datum::Wgs84).unwrap();
        let areas = vec![Area {
            id: AreaId(9),
            data_version: 1,
            ring,
            span: Span::EVER,
            opened_at: Some(Span::EVER.from),
        }];
        Judge {
            atlas: Atlas::new(areas, fences),
            agents: HashMap::from([(AreaId(9), AgentId(7))]),
            since: DAY.hour(0).plus_millis(-86_400_000),
        }
    }

    fn stay(lat: f64, from_min: i64, until_min: Option<i64>) -> Stood {
        let at = |minutes: i64| DAY.hour(0).plus_millis(minutes * 60_000);
        Stood {
            stopped: Stopped { at: at(from_min), place: Wgs84::new(lat, 118.1).unwrap(), hdop: Some(0.0) },
            until: until_min.map(at),
            left: true,
        }
    }

    #[test]
    fn a_day_is_told_by_the_versions_and_hours_of_each_of_its_hours() {
        let (judge, mut tallies) = (judge(), Tallies::new());
        // Two in the first from before midnight, one of them till half past two; one beside it; one in neither.
        let stays = [
            stay(24.1, -600, None),
            stay(24.1, -30, Some(150)),
            stay(24.1003, 70, None),
            stay(24.1025, 70, None),
        ];
        add(&mut tallies, &judge, DAY, 14, &stays);
        let begun = |id, lat, minutes: i64| Begun {
            id,
            at: DAY.hour(0).plus_millis(minutes * 60_000),
            place: Wgs84::new(lat, 118.1).unwrap(),
            cost_cents: 250,
        };
        let rides =
            [begun(1, 24.1, 150), begun(2, 24.1003, 151), begun(3, 24.1025, 152), begun(4, 24.1, 900)];
        add_rides(&mut tallies, &judge, DAY, 14, &rides);
        let mut rows = rows(&tallies, &judge, DAY, 14);
        rows.sort_by_key(|row| row.fence_id);
        let [first, second] = rows.as_slice() else { panic!("{rows:?}") };
        assert_eq!((first.area_id, first.agent_id, first.hours), (AreaId(9), AgentId(7), 14));
        assert_eq!(first.hourly_standing, [2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
        assert_eq!(
            first.hourly_level,
            [2, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2],
            "the capacity of the time"
        );
        assert_eq!((first.returns, first.departures, first.outside), (0, 1, 1));
        assert_eq!((first.orders, first.cost_cents, first.misses), (2, 500, 0), "in it and beside it");
        assert_eq!((first.hourly_orders[2], first.hourly_cost_cents[2]), (2, 500));
        assert_eq!(first.level_hours, [0, 0, 12, 0, 2]);
        assert_eq!(
            first.idle_hours,
            [2, 0, 2, 12, 0, 0],
            "ten hours at midnight, and the other one at one and two"
        );
        assert_eq!(second.hourly_level[11..], [0, -1, -1], "closed from noon on");
        assert_eq!((second.level_hours, second.standing), ([12, 0, 0, 0, 0], 0));
    }

    #[test]
    fn what_is_now_counts_who_stands_in_it_and_who_stands_beside_it() {
        let bike = |lat| Resting {
            place: Wgs84::new(lat, 118.1).unwrap(),
            hdop: Some(0.0),
            rentable: lat > 24.1,
            alarmed: false,
            broken: lat < 24.1,
        };
        let bikes = [24.1, 24.099_99, 24.1, 24.1003, 24.1049, 24.12].map(bike);
        let now = counted(&judge().atlas, &bikes, DAY.hour(13));
        let first =
            Station { vehicles: 3, rentable: 0, outside: 1, alarmed: 0, broken: 1, level: Some(Level::Full) };
        assert_eq!(now[&FenceId(1)], first);
        let second = Station { vehicles: 1, rentable: 1, outside: 0, alarmed: 0, broken: 0, level: None };
        assert_eq!(now[&FenceId(2)], second, "closed at one");
        let long_ago = counted(&judge().atlas, &bikes, DAY.hour(0));
        assert_eq!(long_ago[&FenceId(1)].level, Some(Level::Normal));
    }
}
