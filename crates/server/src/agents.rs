//! What territory and its neighbours need of each other, fulfilled here.

use std::collections::{BTreeMap, BTreeSet};

use access::{AgentStanding, Agents};
use async_trait::async_trait;
use fleet::model::region::Lifecycle;
use geofence::Bounds;
use kernel::{Position, Runtime};
use live::Memory;
use live::fleet::Shown;
use territory::ports::{
    Begun, Bikes, Branch, Permissions, PortError, Resting, Rides, Stood, Stopped, Stops, Told,
};
use territory::read::agents;
use vocabulary::{AgentId, AreaId, FenceId, PermissionCode, RideOrderId, Scope, Timestamp, Wgs84};

/// The permission tree that access keeps.
pub struct PermissionsOfAccess;

fn marked(branches: Vec<access::permissions::Branch>, held: &dyn Fn(&str) -> bool) -> Vec<Branch> {
    let branch = |one: access::permissions::Branch| Branch {
        code: one.code,
        title: one.title,
        kind: one.kind,
        level_mask: one.level_mask,
        checked: held(one.code),
        children: marked(one.children, held),
    };
    branches.into_iter().map(branch).collect()
}

impl Permissions for PermissionsOfAccess {
    fn tree(&self, held: &dyn Fn(&str) -> bool) -> Vec<Branch> {
        marked(access::permissions::tree(None), held)
    }

    fn title(&self, code: &str) -> Option<&'static str> {
        access::permissions::find(code).map(|known| known.title)
    }
}

/// Bikes as the fleet's table counts them and as the live fleet knows where they are.
pub struct BikesOfFleet {
    runtime: Runtime,
    memory: Memory,
}

impl BikesOfFleet {
    /// From the system's read models and the live fleet.
    pub fn new(runtime: Runtime, memory: Memory) -> Self {
        Self { runtime, memory }
    }
}

#[async_trait]
impl Bikes for BikesOfFleet {
    async fn count_by_area(&self, areas: &[AreaId]) -> Result<BTreeMap<AreaId, i64>, PortError> {
        let areas: Vec<i64> = areas.iter().map(|area| area.0).collect();
        let mut db = self.runtime.reads.scoped(&Scope::ALL, Some(Position(i64::MAX)), &["vehicle"]).await?;
        let counted: Vec<(AreaId, i64)> = sqlx::query_as(
            "select area_id, count(*) from read.vehicle where area_id = any($1) group by area_id",
        )
        .bind(areas)
        .fetch_all(&mut *db)
        .await?;
        Ok(counted.into_iter().collect())
    }

    async fn shelved_in(&self, area: AreaId) -> Result<i64, PortError> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, Some(Position(i64::MAX)), &["vehicle"]).await?;
        let count =
            sqlx::query_scalar("select count(*) from read.vehicle where area_id = $1 and lifecycle = $2")
                .bind(area)
                .bind(Lifecycle::Shelved as i16)
                .fetch_one(&mut *db)
                .await?;
        Ok(count)
    }

    async fn places_in(&self, areas: &BTreeSet<AreaId>) -> Result<Vec<(AreaId, Wgs84)>, PortError> {
        let fleet = self.memory.read();
        let places = fleet.street_places().filter_map(|(owner, place)| {
            let area = owner.area.filter(|area| areas.contains(area))?;
            Some((area, Wgs84::new(place.lat(), place.lng()).ok()?))
        });
        Ok(places.collect())
    }

    async fn resting(&self) -> Result<Vec<Resting>, PortError> {
        let fleet = self.memory.read();
        let bikes = fleet.street_bikes().filter(|bike| bike.state != Shown::Riding as u8);
        let resting = bikes.filter_map(|bike| {
            Some(Resting {
                place: Wgs84::new(bike.place.lat(), bike.place.lng()).ok()?,
                hdop: bike.hdop_tenths.map(|tenths| f64::from(tenths) / 10.0),
                rentable: bike.state == Shown::Rentable as u8,
                alarmed: bike.alarmed,
                broken: bike.broken,
            })
        });
        Ok(resting.collect())
    }
}

/// What riders wanted and got, as riding's tables have it.
pub struct RidesOfRiding {
    runtime: Runtime,
}

impl RidesOfRiding {
    /// Rides that are read together.
    const AT_ONCE: i64 = 5_000;

    /// From the system's read models.
    pub fn new(runtime: Runtime) -> Self {
        Self { runtime }
    }
}

#[async_trait]
impl Rides for RidesOfRiding {
    async fn missed(
        &self,
        from: Timestamp,
        until: Timestamp,
    ) -> Result<Vec<(FenceId, Timestamp)>, PortError> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        let missed = riding::read::misses::of_parkings(&mut *db, from, until).await?;
        Ok(missed.into_iter().map(|one| (one.parking_id, Timestamp::from_millis(one.at_ms))).collect())
    }

    async fn begun(&self, from: Timestamp, until: Timestamp, after: i64) -> Result<Vec<Begun>, PortError> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        let span = (from, until);
        let rows = riding::read::orders::begun(&mut *db, span, RideOrderId(after), Self::AT_ONCE).await?;
        let begun = |row: riding::read::orders::BegunRow| {
            Ok(Begun {
                id: row.order_id.0,
                at: Timestamp::from_millis(row.start_at_ms),
                place: Wgs84::new(row.start_lat, row.start_lng)?,
                cost_cents: row.pay_cents,
            })
        };
        rows.into_iter().map(begun).collect()
    }
}

/// Stops as the live context keeps them.
pub struct StopsOfLive {
    runtime: Runtime,
}

impl StopsOfLive {
    /// From the system's telemetry.
    pub fn new(runtime: Runtime) -> Self {
        Self { runtime }
    }
}

#[async_trait]
impl Stops for StopsOfLive {
    async fn within(&self, bounds: Bounds, since: Timestamp, most: i64) -> Result<Vec<Stopped>, PortError> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        let stops = live::ingest::stops_in(&mut *db, bounds, since, most).await?;
        Ok(stops.into_iter().map(stopped).collect())
    }

    async fn stays_within(
        &self,
        bounds: Bounds,
        since: Timestamp,
        most: i64,
    ) -> Result<Vec<Stood>, PortError> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        let stays = live::ingest::stays_in(&mut *db, bounds, since, most).await?;
        Ok(stays.into_iter().map(stood).collect())
    }

    async fn stood(
        &self,
        from: Timestamp,
        until: Timestamp,
        after: i32,
    ) -> Result<(Vec<Stood>, Option<i32>), PortError> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        let (found, last) = live::ingest::stood(&mut db, from, until, after).await?;
        Ok((found.into_iter().map(stood).collect(), last))
    }

    async fn told_late(&self) -> Result<Option<Told>, PortError> {
        let found = live::ingest::told_late(&self.runtime.pools.app).await?;
        Ok(found.map(|told| Told { since: told.since, times: told.times }))
    }

    async fn looked_at(&self, told: Told) -> Result<(), PortError> {
        let told = live::ingest::Told { since: told.since, times: told.times };
        Ok(live::ingest::looked_at(&self.runtime.pools.app, told).await?)
    }
}

const fn stood(stay: live::ingest::Stood) -> Stood {
    Stood { stopped: stopped(stay.stop), until: stay.until, left: stay.left }
}

const fn stopped(stop: live::ingest::Stop) -> Stopped {
    Stopped { at: stop.at, place: stop.place, hdop: stop.hdop }
}

/// Agents as territory's tables show them.
pub struct TerritoryAgentStanding {
    runtime: Runtime,
}

impl TerritoryAgentStanding {
    /// From the system's read models.
    pub fn new(runtime: Runtime) -> Self {
        Self { runtime }
    }
}

#[async_trait]
impl Agents for TerritoryAgentStanding {
    async fn standing(&self, agent: AgentId) -> Result<Option<AgentStanding>, access::PortError> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        let found = agents::standing(&mut *db, agent).await?;
        Ok(found.map(|found| AgentStanding {
            enabled: found.enabled,
            codes: found.codes.map(|codes| {
                codes.into_iter().filter_map(|code| PermissionCode::try_from(code).ok()).collect()
            }),
            position: found.position,
        }))
    }

    async fn under_template(&self, template: &str) -> Result<Vec<AgentId>, access::PortError> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, None, &[]).await?;
        Ok(agents::under_template(&mut *db, template.parse()?).await?)
    }
}
