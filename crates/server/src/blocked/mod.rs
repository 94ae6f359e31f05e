//! 不可租: why bikes on the street cannot be rented now, for how long that went on today, and what it costs. Counted in the live fleet
//! by the hour; money is that of the daily statistics' entries.

mod http;

use live::fleet::Blocked;
use sqlx::PgConnection;
use vocabulary::DataOwner;

pub use self::http::routes;

/// Codes that are no reasons: bikes that can be rented, and those that cannot for whatever reason.
const RENTABLE: &str = "rentable";
const BLOCKED: &str = "blocked";

/// Adds what was seen to an hour, for so many milliseconds of it.
pub async fn add(
    db: &mut PgConnection,
    hour: i64,
    ms: i64,
    seen: &[(DataOwner, Blocked)],
) -> sqlx::Result<()> {
    let (mut agents, mut areas, mut reasons, mut bikes) = (vec![], vec![], vec![], vec![]);
    for (owner, count) in seen {
        // What is in no area is of no city.
        let (Some(agent), Some(area)) = (owner.agent, owner.area) else { continue };
        let told = [(RENTABLE, count.rentable), (BLOCKED, count.blocked)];
        let told = told.into_iter().chain(count.reasons.iter().map(|(code, bikes)| (code.as_str(), *bikes)));
        for (reason, count) in told.filter(|(_, count)| *count > 0) {
            agents.push(agent.0);
            areas.push(area.0);
            reasons.push(reason.to_owned());
            bikes.push(i64::from(count));
        }
    }
    sqlx::query(
        "insert into report.blocked_hour as known (hour_at_ms, agent_id, area_id, reason, bike_ms)
         select $1, agent_id, area_id, reason, bikes * $2
         from unnest($3::bigint[], $4::bigint[], $5::text[], $6::bigint[]) t (agent_id, area_id, reason, bikes)
         on conflict (hour_at_ms, area_id, agent_id, reason) do update set bike_ms = known.bike_ms + excluded.bike_ms",
    )
    .bind(hour)
    .bind(ms)
    .bind(agents)
    .bind(areas)
    .bind(reasons)
    .bind(bikes)
    .execute(db)
    .await?;
    Ok(())
}
