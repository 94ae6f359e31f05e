//! How orders come in: those that run, and those of a day minute by minute. Counted in indexes alone, for walls that ask every few
//! seconds.

use kernel::list::within;
use sqlx::{FromRow, PgConnection, QueryBuilder};
use vocabulary::{Day, HOURS, Scope};

use crate::model::order::PayState;

/// Minutes of a day.
pub const MINUTES: usize = HOURS * 60;
const MINUTE_MS: i64 = 60_000;

/// Orders that run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct Running {
    /// 预约中.
    pub reserved: i64,
    /// 骑行中, those that stand still for a while included.
    pub riding: i64,
}

/// Counts the orders in scope that run.
pub async fn running(db: &mut PgConnection, scope: &Scope) -> sqlx::Result<Running> {
    let mut query = QueryBuilder::new(
        "select count(*) filter (where o.state = 0) as reserved, count(*) filter (where o.state = 1) as riding
         from read.ride_order o where o.state in (0, 1)",
    );
    within(&mut query, "o.agent_id", &scope.agents, |agent| agent.0);
    within(&mut query, "o.area_id", &scope.areas, |area| area.0);
    query.build_query_as().fetch_one(db).await
}

/// Orders of a day by the minute in which they were opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minutes(Vec<u32>);

impl Minutes {
    fn of(counted: Vec<(i64, i64)>) -> Self {
        let mut minutes = vec![0; MINUTES];
        for (minute, count) in counted {
            if let Some(sum) = usize::try_from(minute).ok().and_then(|minute| minutes.get_mut(minute)) {
                *sum += u32::try_from(count).unwrap_or(u32::MAX);
            }
        }
        Self(minutes)
    }

    /// Hour by hour.
    pub fn by_hour(&self) -> Vec<u32> {
        self.0.chunks(60).map(|hour| hour.iter().sum()).collect()
    }

    /// Those of the first so many minutes.
    pub fn until(&self, minute: usize) -> u32 {
        self.0.iter().take(minute).sum()
    }
}

/// Orders in scope that were opened on a day and not cancelled.
pub async fn minutes(db: &mut PgConnection, scope: &Scope, day: Day) -> sqlx::Result<Minutes> {
    let (from, until) = (day.hour(0).millis(), day.hour(HOURS).millis());
    let mut query = QueryBuilder::new("select (o.opened_at_ms - ");
    query.push_bind(from);
    query.push(format!(") / {MINUTE_MS}, count(*) from read.ride_order o where o.opened_at_ms >= "));
    query.push_bind(from);
    query.push(" and o.opened_at_ms < ").push_bind(until);
    // The state alone is not in the index (`crate::model::outcome`).
    query.push(format!(" and o.outcome % 8 <> {}", PayState::Cancelled.number()));
    within(&mut query, "o.agent_id", &scope.agents, |agent| agent.0);
    within(&mut query, "o.area_id", &scope.areas, |area| area.0);
    query.push(" group by 1");
    Ok(Minutes::of(query.build_query_as().fetch_all(db).await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_add_up_to_hours_and_to_any_moment_of_the_day() {
        let minutes = Minutes::of(vec![(0, 1), (59, 2), (60, 3), (1439, 4), (1440, 9), (-1, 9)]);
        let hours = minutes.by_hour();
        assert_eq!((hours.len(), hours[0], hours[1], hours[23]), (24, 3, 3, 4));
        assert_eq!([0, 1, 60, 61, 2000].map(|minute| minutes.until(minute)), [0, 1, 3, 6, 10]);
    }
}
