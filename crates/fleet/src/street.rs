//! The way onto the streets of areas with a quota: one at a time for each area, whichever node it comes through, with tables that
//! hold all that went before. So no area has more bikes on its streets than its quota says, and no stream is written to by all.
//! See `docs/adr/0062-a-quota-is-counted-behind-a-lock.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use kernel::Position;
use sqlx::{Postgres, Transaction};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use vocabulary::{AreaId, Scope};
use wire::Refused;

use crate::Fleet;
use crate::ports::AreaFacts;
use crate::read::vehicles;

/// Who waits for an area holds a connection; so many of a process may.
const AT_ONCE: usize = 3;
/// How long one waits for those before it.
const PATIENCE: &str = "set local lock_timeout = '20s'";
const NEWEST: Option<Position> = Some(Position(i64::MAX));

/// Whose turn it is in this process.
#[derive(Clone, Debug)]
pub struct Street(Arc<Semaphore>);

impl Default for Street {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

/// Areas whose doors are open for whoever holds this, for nobody else where there is a quota.
pub struct Doors {
    areas: BTreeMap<AreaId, Door>,
    _alone: Option<(Transaction<'static, Postgres>, OwnedSemaphorePermit)>,
}

/// One area's.
struct Door {
    facts: AreaFacts,
    left: AtomicI64,
}

fn busy(error: sqlx::Error) -> Refused {
    // 55P03: others had the lock all the time.
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    if code.as_deref() == Some("55P03") {
        return Refused::business("street-busy", "该服务区正有大批车辆上架，请稍后再试");
    }
    error.into()
}

impl Doors {
    /// Opens them; areas that are not known have none.
    pub async fn open(fleet: &Fleet, areas: &BTreeSet<AreaId>) -> Result<Self, Refused> {
        let mut known = BTreeMap::new();
        for area in areas {
            if let Some(facts) = fleet.areas.area(*area).await.map_err(Refused::unavailable)? {
                known.insert(*area, facts);
            }
        }
        let limited: Vec<i64> =
            known.iter().filter(|(_, facts)| facts.vehicle_quota.is_some()).map(|(area, _)| area.0).collect();
        if limited.is_empty() {
            let door = |(area, facts)| (area, Door { facts, left: AtomicI64::new(i64::MAX) });
            return Ok(Self { areas: known.into_iter().map(door).collect(), _alone: None });
        }
        let alone = alone(fleet, &limited).await?;
        let mut db = fleet.runtime.reads.scoped(&Scope::ALL, NEWEST, &["vehicle"]).await?;
        if !db.caught_up() {
            return Err(Refused::business(
                "street-behind",
                "车辆数据正在同步，暂不能核对投放配额，请稍后再试",
            ));
        }
        let counted = vehicles::on_streets(&mut *db, &limited).await?;
        drop(db);
        let door = |(area, facts): (AreaId, AreaFacts)| {
            let there = counted.get(&area).copied().unwrap_or(0);
            let left = facts.vehicle_quota.map_or(i64::MAX, |quota| i64::from(quota) - there);
            (area, Door { facts, left: AtomicI64::new(left) })
        };
        Ok(Self { areas: known.into_iter().map(door).collect(), _alone: Some(alone) })
    }

    /// What is known of the area.
    pub fn facts(&self, area: AreaId) -> Option<&AreaFacts> {
        self.areas.get(&area).map(|door| &door.facts)
    }

    /// Takes a place on the area's streets; the quota where there is none left.
    pub fn take(&self, area: AreaId) -> Result<(), i32> {
        let Some(door) = self.areas.get(&area) else { return Ok(()) };
        let taken =
            door.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| (left > 0).then(|| left - 1));
        taken.map(drop).map_err(|_| door.facts.vehicle_quota.unwrap_or_default())
    }

    /// Gives back a place that was taken and is not needed.
    pub fn give_back(&self, area: AreaId) {
        if let Some(door) = self.areas.get(&area) {
            door.left.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Waits until nobody else, on no node, lets bikes onto the streets of these areas.
async fn alone(
    fleet: &Fleet,
    areas: &[i64],
) -> Result<(Transaction<'static, Postgres>, OwnedSemaphorePermit), Refused> {
    let turn = Arc::clone(&fleet.street.0).acquire_owned().await.map_err(Refused::internal)?;
    let mut lock = kernel::pools::begin(&fleet.runtime.pools.app).await?;
    sqlx::query(PATIENCE).execute(&mut *lock).await?;
    // In one order for all, so that none waits for one that waits for it.
    for area in areas {
        sqlx::query("select pg_advisory_xact_lock(hashtextextended('street:' || $1::text, 0))")
            .bind(area)
            .execute(&mut *lock)
            .await
            .map_err(busy)?;
    }
    Ok((lock, turn))
}
