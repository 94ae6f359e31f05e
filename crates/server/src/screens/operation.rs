//! 运营大屏 and 运营看板.

use std::collections::BTreeMap;

use fleet::read::alarm_tickets;
use live::fleet::Idle;
use live::push::PortError;
use riding::read::misses;
use riding::read::pulse::{self, MINUTES};
use territory::app::stations::Present;
use territory::model::station_day::Level;
use territory::read::station_days::{self, Called};
use vocabulary::{AreaId, Day, FenceId, Scope, Timestamp};

use super::kept::{Standing, kept};
use super::operation_shapes::{
    AlarmsTile, FleetTile, IdleTile, MissesTile, OperationScreen, OrdersTile, ReasonCount, StationLine,
    StationsTile,
};
use super::{Look, Screens, TileSpan};

const READS: &[&str] = &["ride_order", "alarm_ticket", "fence", "area"];
const MINUTE_MS: i64 = 60_000;
const WEEK: i64 = 7;
/// Tickets that a wall shows.
const ALARMS: i64 = 20;
/// Parking places that it shows.
const STATIONS: usize = 12;
const EMPTY: i16 = 0;
const FULL: i16 = 4;

impl Screens {
    /// All tiles as of now.
    pub(super) async fn operation(
        &self,
        scope: &Scope,
        areas: &[AreaId],
    ) -> Result<OperationScreen, PortError> {
        let mut look = self.look(scope, areas, READS).await?;
        let orders = self.orders(&mut look).await?;
        let misses = misses_tile(&mut look).await?;
        let alarms = alarms_tile(&mut look).await?;
        let stations = self.stations(&mut look).await?;
        let Look { scope, now, .. } = look;
        let fleet = self.fleet(&scope, now);
        let idle = if fleet.is_some() { self.idle(&scope, now).await? } else { None };
        Ok(OperationScreen { as_of_ms: now.millis(), fleet, idle, orders, misses, alarms, stations })
    }

    fn fleet(&self, scope: &Scope, now: Timestamp) -> Option<FleetTile> {
        let (sums, heard) = {
            let fleet = self.memory.read();
            (fleet.sums(|owner| scope.contains(owner)), fleet.heard_last())
        };
        let totals = sums.totals;
        if totals.states.iter().sum::<u32>() == 0 {
            return None;
        }
        Some(FleetTile {
            // A clock ahead of ours is not fresher than now.
            span: TileSpan::moment(now, heard.map(|heard| heard.min(now))),
            states: totals.states.to_vec(),
            shelved: totals.shelved,
            rentable: totals.rentable,
            online: totals.online,
            low: totals.low,
            alarm: totals.alarm,
            charge: sums.charge.to_vec(),
            charge_unknown: sums.charge_unknown,
        })
    }

    async fn idle(&self, scope: &Scope, now: Timestamp) -> Result<Option<IdleTile>, PortError> {
        let look = async {
            let found = live::ingest::standing_since(&self.runtime.pools.app).await?;
            Ok::<_, sqlx::Error>(Standing { at: now, since: found.into_iter().collect() })
        };
        let standing = self.kept.standing(look).await?;
        let idle = self.memory.read().idle(|owner| scope.contains(owner), &standing.since, now);
        let Idle { bands, unknown } = idle;
        let is_known = bands.iter().any(|count| *count > 0);
        Ok(is_known.then(|| IdleTile {
            span: TileSpan::moment(now, Some(standing.at)),
            bands: bands.to_vec(),
            unknown,
        }))
    }

    async fn orders(&self, look: &mut Look) -> Result<OrdersTile, PortError> {
        let today = Day::of(look.now);
        let midnight = today.hour(0);
        let minute = usize::try_from(look.now.millis_since(midnight) / MINUTE_MS).unwrap_or(0).min(MINUTES);
        let running = pulse::running(&mut look.db, &look.scope).await?;
        let now = pulse::minutes(&mut look.db, &look.scope, today).await?;
        let scope = format!("{:?}", look.scope);
        let day = Day(today.0 - 1);
        let looked = pulse::minutes(&mut look.db, &look.scope, day);
        let yesterday = kept(&self.kept.minutes, &scope, day, looked).await?;
        let day = Day(today.0 - WEEK);
        let looked = pulse::minutes(&mut look.db, &look.scope, day);
        let last_week = kept(&self.kept.minutes, &scope, day, looked).await?;
        Ok(OrdersTile {
            span: TileSpan::of(midnight, look.now, look.as_of),
            riding: running.riding,
            reserved: running.reserved,
            count: now.until(MINUTES),
            count_yesterday: yesterday.until(minute),
            count_last_week: last_week.until(minute),
            today: now.by_hour(),
            yesterday: yesterday.by_hour(),
            last_week: last_week.by_hour(),
        })
    }

    async fn stations(&self, look: &mut Look) -> Result<Option<StationsTile>, PortError> {
        let present = self.territory.stations_now().await?;
        let open: Vec<FenceId> = present
            .stations
            .iter()
            .filter(|(_, station)| station.level.is_some())
            .map(|(id, _)| *id)
            .collect();
        let called = station_days::called(&mut *look.db, &open).await?;
        if called.is_empty() {
            return Ok(None);
        }
        Ok(Some(stations_tile(&present, called, look.now)))
    }
}

/// Of the parking places that the viewer sees, the ones that are full or empty: of both the worst, in turn.
fn stations_tile(present: &Present, called: Vec<Called>, now: Timestamp) -> StationsTile {
    let open = called.len();
    let mut lines: BTreeMap<i16, Vec<StationLine>> = BTreeMap::new();
    for one in called {
        let Some(station) = present.stations.get(&one.fence_id) else { continue };
        let Some(level) = station.level.map(Level::number) else { continue };
        lines.entry(level).or_default().push(StationLine {
            id: one.fence_id,
            name: one.name,
            area_id: one.area_id,
            area_name: one.area_name,
            level,
            vehicles: station.vehicles,
            capacity: one.capacity,
        });
    }
    let mut full = lines.remove(&FULL).unwrap_or_default();
    let mut empty = lines.remove(&EMPTY).unwrap_or_default();
    let beyond = |line: &StationLine| line.vehicles - i64::from(line.capacity.unwrap_or(0));
    full.sort_by_key(|line| (std::cmp::Reverse(beyond(line)), line.id));
    // A large place that is empty is missed most.
    empty.sort_by_key(|line| (std::cmp::Reverse(line.capacity.unwrap_or(0)), line.id));
    let (fulls, empties) = (full.len(), empty.len());
    let half = STATIONS / 2;
    let of_full = half.max(STATIONS.saturating_sub(empties)).min(fulls);
    full.truncate(of_full);
    empty.truncate(STATIONS - of_full);
    let mut rows = Vec::with_capacity(STATIONS);
    let (mut full, mut empty) = (full.into_iter(), empty.into_iter());
    while rows.len() < STATIONS {
        let before = rows.len();
        rows.extend(full.next());
        rows.extend(empty.next());
        if rows.len() == before {
            break;
        }
    }
    StationsTile { span: TileSpan::moment(now, Some(present.at)), open, full: fulls, empty: empties, rows }
}

async fn misses_tile(look: &mut Look) -> Result<MissesTile, PortError> {
    let midnight = Day::of(look.now).hour(0);
    let reasons = misses::by_reason(&mut look.db, &look.scope, midnight, look.now).await?;
    Ok(MissesTile {
        span: TileSpan::of(midnight, look.now, Some(look.now)),
        count: reasons.iter().map(|(_, count)| count).sum(),
        reasons: reasons.into_iter().map(|(reason, count)| ReasonCount { reason, count }).collect(),
    })
}

async fn alarms_tile(look: &mut Look) -> Result<AlarmsTile, PortError> {
    let waiting = alarm_tickets::counts(&mut *look.db).await?;
    let rows = alarm_tickets::waiting(&look.scope).rows(&mut look.db, ALARMS).await?;
    Ok(AlarmsTile { span: TileSpan::moment(look.now, look.as_of), waiting, rows })
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use territory::app::stations::Station;

    use super::*;

    #[test]
    fn full_and_empty_places_are_shown_in_turn_the_worst_first() {
        let place = |id: i64, level, vehicles, capacity| {
            let station =
                Station { vehicles, rentable: 0, outside: 0, alarmed: 0, broken: 0, level: Some(level) };
            let called = Called {
                fence_id: FenceId(id),
                name: format!("站{id}"),
                area_id: AreaId(1),
                area_name: None,
                capacity: Some(capacity),
                tags: None,
                deleted: false,
            };
            (station, called)
        };
        let mut all = vec![
            place(1, Level::Full, 12, 10),
            place(2, Level::Full, 30, 10),
            place(3, Level::Empty, 0, 5),
            place(4, Level::Empty, 0, 20),
            place(5, Level::Normal, 4, 10),
        ];
        all.extend((10..40).map(|id| place(id, Level::Empty, 0, 1)));
        let stations: HashMap<FenceId, Station> = all.iter().map(|(one, two)| (two.fence_id, *one)).collect();
        let present = Present { at: Timestamp::from_millis(7), stations };
        let called = all.into_iter().map(|(_, called)| called).collect();
        let tile = stations_tile(&present, called, Timestamp::from_millis(9));
        assert_eq!((tile.open, tile.full, tile.empty), (35, 2, 32));
        let ids: Vec<i64> = tile.rows.iter().map(|row| row.id.0).collect();
        assert_eq!(ids.len(), STATIONS);
        assert_eq!(ids[..5], [2, 4, 1, 3, 10], "the fullest, the largest empty one, and so on: {ids:?}");
        assert_eq!(tile.span.as_of_ms, Some(7));
    }
}
