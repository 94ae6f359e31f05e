//! Table `shelved_day`: how many bikes more there are on the streets of an area after a day than before, and how long those that came
//! had of it, less what those that left had left. What is added to is added once, in the transaction that says how far the log is
//! read.

use std::collections::BTreeMap;

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Aggregate, Change, Projector, Recorded};
use serde::Serialize;
use sqlx::PgConnection;
use sqlx::types::Json;
use vocabulary::{AgentId, AreaId, Day, HOURS};

use crate::model::region::Lifecycle;
use crate::model::vehicle::{Vehicle, VehicleEvent};

/// Builds the table.
pub struct ShelvedDays;

/// What is added to a day.
#[derive(Debug, Default, Serialize)]
struct Row {
    day: i64,
    agent_id: i64,
    area_id: i64,
    added: i64,
    bike_ms: i64,
}

#[async_trait]
impl Projector for ShelvedDays {
    fn name(&self) -> &'static str {
        "shelved_day"
    }

    fn tables(&self) -> &'static [&'static str] {
        &["shelved_day"]
    }

    fn categories(&self) -> &'static [&'static str] {
        &[Vehicle::CATEGORY]
    }

    fn stops_on_failure(&self) -> bool {
        true
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let mut days: BTreeMap<(Day, AgentId, AreaId), Row> = BTreeMap::new();
        for recorded in events {
            let more = match recorded.decode()? {
                VehicleEvent::Shelved { .. } | VehicleEvent::Found { back: Lifecycle::Shelved, .. } => 1,
                VehicleEvent::Unshelved { .. }
                | VehicleEvent::ReportedLost { from: Lifecycle::Shelved, .. } => -1,
                _ => continue,
            };
            let owner = &recorded.meta.owner;
            let (agent, area) = owner.agent.zip(owner.area).ok_or("a bike on the street has its area")?;
            let day = Day::of(recorded.recorded_at);
            let row = days.entry((day, agent, area)).or_default();
            (row.day, row.agent_id, row.area_id) = (day.0, agent.0, area.0);
            row.added += more;
            row.bike_ms += more * day.hour(HOURS).millis_since(recorded.recorded_at);
        }
        if !days.is_empty() {
            sqlx::query(
                "insert into shelved_day as d select r.* from jsonb_populate_recordset(null::shelved_day, $1) r
                 on conflict (area_id, agent_id, day) do update set
                     added = d.added + excluded.added, bike_ms = d.bike_ms + excluded.bike_ms",
            )
            .bind(Json(days.into_values().collect::<Vec<Row>>()))
            .execute(db)
            .await?;
        }
        Ok(Vec::new())
    }
}
