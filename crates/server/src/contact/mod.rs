//! How many devices are on line, by the hour.

mod http;

use live::fleet::Contact;
use sqlx::PgConnection;
use vocabulary::DataOwner;

pub use self::http::routes;

/// Adds what was seen to an hour, for so many milliseconds of it.
pub async fn add(
    db: &mut PgConnection,
    hour: i64,
    ms: i64,
    seen: &[(DataOwner, Contact)],
) -> sqlx::Result<()> {
    let (mut agents, mut areas, mut devices, mut online) = (vec![], vec![], vec![], vec![]);
    for (owner, count) in seen {
        // What is in no area is of no city.
        let (Some(agent), Some(area)) = (owner.agent, owner.area) else { continue };
        agents.push(agent.0);
        areas.push(area.0);
        devices.push(i64::from(count.devices));
        online.push(i64::from(count.online));
    }
    sqlx::query(
        "insert into report.device_hour as known (hour_at_ms, agent_id, area_id, device_ms, online_ms)
         select $1, agent_id, area_id, devices * $2, online * $2
         from unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) t (agent_id, area_id, devices, online)
         on conflict (hour_at_ms, area_id, agent_id) do update
             set device_ms = known.device_ms + excluded.device_ms, online_ms = known.online_ms + excluded.online_ms",
    )
    .bind(hour)
    .bind(ms)
    .bind(agents)
    .bind(areas)
    .bind(devices)
    .bind(online)
    .execute(db)
    .await
    .map(drop)
}
