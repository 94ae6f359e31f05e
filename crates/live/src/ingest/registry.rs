//! What the read models say, brought into memory.

use std::collections::HashMap;

use sqlx::{PgPool, Row, postgres::PgRow};
use vocabulary::{AgentId, AreaId, Clock, FenceId, Timestamp};

use crate::fleet::{Codes, VehicleRecord};
use crate::memory::Memory;
use crate::rules::{AreaShape, ParkingShape, RulesOfAreas, ZoneShape, Zones};

const COLUMNS: &str = "select v.car_id, v.imei, v.plate_no, v.agent_id, v.area_id, v.lifecycle, v.riding_state, \
                       v.operation_states, v.alarm_states, v.tags, v.voltage_scheme_id, v.idle_since_ms, v.last_ride_end_ms, \
                       v.freed_version, v.version, d.model, d.firmware \
                       from read.vehicle v left join read.device d on d.imei = v.imei";
/// No-stop zones and parking places among the fences.
const NO_STOP: i16 = 4;
const PARKING: i16 = 2;

fn record(row: &PgRow) -> sqlx::Result<VehicleRecord> {
    let small = |column: &str| row.try_get::<i16, _>(column).map(|value| u8::try_from(value).unwrap_or(0));
    Ok(VehicleRecord {
        car_id: row.try_get("car_id")?,
        imei: row.try_get("imei")?,
        model: row.try_get("model")?,
        firmware: row.try_get("firmware")?,
        plate_no: row.try_get("plate_no")?,
        agent: row.try_get::<Option<i64>, _>("agent_id")?.map(AgentId),
        area: row.try_get::<Option<i64>, _>("area_id")?.map(AreaId),
        lifecycle: small("lifecycle")?,
        riding_state: small("riding_state")?,
        operation_states: Codes::of(&row.try_get::<Vec<i16>, _>("operation_states")?),
        alarm_states: Codes::of(&row.try_get::<Vec<i16>, _>("alarm_states")?),
        tags: row.try_get("tags")?,
        voltage_scheme: row.try_get("voltage_scheme_id")?,
        idle_since_ms: row.try_get("idle_since_ms")?,
        last_ride_end_ms: row.try_get("last_ride_end_ms")?,
        freed_version: row.try_get("freed_version")?,
        version: row.try_get("version")?,
    })
}

fn enrol(memory: &Memory, rows: &[PgRow], clock: &dyn Clock) -> sqlx::Result<()> {
    let records = rows.iter().map(record).collect::<sqlx::Result<Vec<_>>>()?;
    let mut fleet = memory.write();
    let full = records.into_iter().filter(|record| !fleet.enrol(record.clone(), clock.now())).count();
    drop(fleet);
    if full > 0 {
        tracing::error!(bikes = full, "more bikes than the live fleet can hold: they are not shown");
    }
    Ok(())
}

/// Every bike. `projector` is the pool that sees all rows.
pub async fn enrol_all(projector: &PgPool, memory: &Memory, clock: &dyn Clock) -> sqlx::Result<()> {
    let rows = sqlx::query(COLUMNS).fetch_all(projector).await?;
    enrol(memory, &rows, clock)
}

/// These bikes, after they changed.
pub async fn enrol_some(
    projector: &PgPool,
    memory: &Memory,
    clock: &dyn Clock,
    car_ids: &[String],
) -> sqlx::Result<()> {
    let sql = sqlx::AssertSqlSafe(format!("{COLUMNS} where v.car_id = any($1)"));
    let rows = sqlx::query(sql).bind(car_ids).fetch_all(projector).await?;
    enrol(memory, &rows, clock)
}

/// The bikes that carry these devices, after those changed.
pub async fn enrol_carriers(
    projector: &PgPool,
    memory: &Memory,
    clock: &dyn Clock,
    imeis: &[String],
) -> sqlx::Result<()> {
    let sql = sqlx::AssertSqlSafe(format!("{COLUMNS} where v.imei = any($1)"));
    let rows = sqlx::query(sql).bind(imeis).fetch_all(projector).await?;
    enrol(memory, &rows, clock)
}

/// Areas, no-stop zones and parking places, at start and after one changed.
pub async fn reload_zones(projector: &PgPool, memory: &Memory, clock: &dyn Clock) -> sqlx::Result<()> {
    let areas = sqlx::query("select area_id, name, state, ring from read.area").fetch_all(projector).await?;
    let areas: HashMap<AreaId, AreaShape> = areas
        .iter()
        .map(|row| {
            let id = AreaId(row.try_get("area_id")?);
            let ring = ring(row)?;
            Ok((id, AreaShape { id, name: row.try_get("name")?, state: row.try_get("state")?, ring }))
        })
        .collect::<sqlx::Result<_>>()?;
    let zones = sqlx::query(
        "select fence_id, area_id, ring from read.fence_version where kind = $1 and counts @> $2::bigint",
    )
    .bind(NO_STOP)
    .bind(clock.now().millis())
    .fetch_all(projector)
    .await?;
    let zones = zones
        .iter()
        .map(|row| {
            let area = row.try_get::<Option<i64>, _>("area_id")?.map(AreaId);
            Ok(ZoneShape { id: FenceId(row.try_get("fence_id")?), area, ring: ring(row)? })
        })
        .collect::<sqlx::Result<Vec<_>>>()?;
    let parking = sqlx::query(
        "select area_id, ring, coalesce((drawing -> 'rule' -> 'parking' ->> 'buffer_m')::float8, 0) as buffer_m
         from read.fence_version where kind = $1 and counts @> $2::bigint",
    )
    .bind(PARKING)
    .bind(clock.now().millis())
    .fetch_all(projector)
    .await?;
    let parking = parking
        .iter()
        .map(|row| {
            let area = AreaId(row.try_get("area_id")?);
            Ok(ParkingShape { area, ring: ring(row)?, buffer_m: row.try_get("buffer_m")? })
        })
        .collect::<sqlx::Result<Vec<_>>>()?;
    let zones = Zones::new(areas.into_values().collect(), zones, parking);
    memory.write().reload_zones(zones, clock.now());
    Ok(())
}

/// What areas say of alarms, at start and after one said something else; when that changes next by itself.
pub async fn reload_rules(
    rules: &dyn RulesOfAreas,
    memory: &Memory,
    clock: &dyn Clock,
) -> sqlx::Result<Option<Timestamp>> {
    let now = clock.now();
    let (of_areas, turn) = rules.at(now).await?;
    memory.write().reload_rules(of_areas, now);
    Ok(turn)
}

/// When, after now, a no-stop zone or a parking place begins or ends by itself: nothing else tells of it.
pub async fn next_turn(projector: &PgPool, clock: &dyn Clock) -> sqlx::Result<Option<Timestamp>> {
    let at_ms: Option<i64> = sqlx::query_scalar(
        "select min(at) from (
             select from_at_ms at from read.fence_version where kind = any($1) and not withdrawn and from_at_ms > $2
             union all select until_at_ms from read.fence_version where kind = any($1) and not withdrawn and until_at_ms > $2) t",
    )
    .bind([NO_STOP, PARKING].as_slice())
    .bind(clock.now().millis())
    .fetch_one(projector)
    .await?;
    Ok(at_ms.map(Timestamp::from_millis))
}

fn ring(row: &PgRow) -> sqlx::Result<Vec<[f64; 2]>> {
    row.try_get::<sqlx::types::Json<Vec<[f64; 2]>>, _>("ring").map(|ring| ring.0)
}
