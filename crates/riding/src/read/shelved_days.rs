//! What is asked of table `shelved_day`: bikes on the streets (上架车辆) by day and area.

use std::collections::BTreeMap;

use sqlx::{PgConnection, QueryBuilder};
use vocabulary::{AgentId, AreaId, Day, Scope, Timestamp};

use super::revenue_days::Meant;
use crate::model::per_bike::{Shelved, means};

/// Bikes on the streets in the days that were asked for.
#[derive(Clone, Debug, Default)]
pub struct Bikes {
    /// On each day on average, in order of time.
    pub days: Vec<f64>,
    /// Over all days, each area's own: days times bikes.
    pub areas: BTreeMap<(AgentId, AreaId), f64>,
}

impl Bikes {
    /// Days times bikes in all.
    pub fn bike_days(&self) -> f64 {
        self.days.iter().sum()
    }
}

/// Those of an area or agent in scope; of today until `now`.
pub async fn of(db: &mut PgConnection, meant: &Meant, scope: &Scope, now: Timestamp) -> sqlx::Result<Bikes> {
    let Meant { from, until, .. } = *meant;
    // What came before the first day counts alike, whenever it came.
    let mut query = QueryBuilder::new("select d.agent_id, d.area_id, greatest(d.day, ");
    query.push_bind(from.0 - 1);
    query.push(") as day, sum(d.added)::bigint, sum(d.bike_ms)::bigint from read.shelved_day d");
    meant.narrow(&mut query, Day(i64::MIN), scope);
    query.push(" group by 1, 2, 3 order by 1, 2, 3");
    let found: Vec<(AgentId, AreaId, i64, i64, i64)> = query.build_query_as().fetch_all(db).await?;
    let mut by_area: BTreeMap<(AgentId, AreaId), Vec<Shelved>> = BTreeMap::new();
    for (agent, area, day, added, bike_ms) in found {
        by_area.entry((agent, area)).or_default().push(Shelved { day: Day(day), added, bike_ms });
    }
    let mut bikes = Bikes { days: means(&[], from, until, now), areas: BTreeMap::new() };
    for (area, shelved) in by_area {
        let means = means(&shelved, from, until, now);
        bikes.areas.insert(area, means.iter().sum());
        for (all, own) in bikes.days.iter_mut().zip(means) {
            *all += own;
        }
    }
    Ok(bikes)
}
