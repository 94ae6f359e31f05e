//! The fences in memory, as a stop is judged by them: those of the last 30 days and those that are to come.

use std::collections::HashMap;
use std::sync::Arc;

use geofence::Atlas;
use geofence::atlas::{Area, Fence, Span};
use kernel::Runtime;
use tokio::sync::Mutex;
use vocabulary::{AgentId, AreaId, FenceId, Scope, Timestamp};
use wire::Refused;

use super::NEWEST;
use crate::Context;
use crate::read::{area_versions, fences};

/// A stop is judged by the fences of its time when that is at most so long ago.
pub const KEPT_MS: i64 = 30 * 86_400_000;

/// The read models that a judge is made of.
pub const READS: [&str; 2] = ["fence", "area_version"];

/// What judges.
pub struct Judge {
    /// Areas and fences.
    pub atlas: Atlas,
    /// Who runs each area now.
    pub agents: HashMap<AreaId, AgentId>,
    /// Stops before this cannot be judged.
    pub since: Timestamp,
}

/// How far the read models are: every event of a fence, and every one of an area that is about its edge or its agent, adds
/// to it.
type Reached = (i64, i64);

/// The judge by what was reached.
type Kept = Option<(Reached, Arc<Judge>)>;

/// Keeps one judge for all who ask, and makes a new one when a fence or an area has changed.
#[derive(Clone, Default)]
pub struct Judges(Arc<Mutex<Kept>>);

impl Judges {
    /// By the read models as they stand. Whoever asks while they are read waits for the same.
    pub async fn now(&self, runtime: &Runtime) -> sqlx::Result<Arc<Judge>> {
        let pool = &runtime.pools.projector;
        let mut kept = self.0.lock().await;
        let reached: Reached = sqlx::query_as(
            "select (select coalesce(sum(version), 0)::bigint from read.fence),
                    (select coalesce(sum(version), 0)::bigint from read.area_version)",
        )
        .fetch_one(pool)
        .await?;
        let now = runtime.clock.now();
        // After a day the oldest of what is kept is too old.
        let fresh = |judge: &Judge| now.millis_since(judge.since) < KEPT_MS + 86_400_000;
        if let Some((known, judge)) = kept.as_ref()
            && *known == reached
            && fresh(judge)
        {
            return Ok(Arc::clone(judge));
        }
        let since = now.plus_millis(-KEPT_MS);
        let edges = area_versions::held_since(pool, since.millis()).await?;
        let versions = fences::counted_since(pool, since.millis()).await?;
        let judge = tokio::task::spawn_blocking(move || made(edges, versions, since));
        let judge = Arc::new(judge.await.map_err(|error| sqlx::Error::Decode(error.into()))?);
        *kept = Some((reached, Arc::clone(&judge)));
        Ok(judge)
    }
}

impl Context {
    /// The judge of what counts now, for a drawing that was found in the log: what was published a moment ago is in it too.
    pub(super) async fn judge_now(&self) -> Result<Arc<Judge>, Refused> {
        let read = self.runtime.reads.scoped(&Scope::NONE, NEWEST, &READS).await?;
        if !read.caught_up() {
            return Err(Refused::unavailable("the fences are not read yet"));
        }
        drop(read);
        Ok(self.judges.now(&self.runtime).await?)
    }
}

fn span(from_ms: i64, until_ms: Option<i64>) -> Span {
    Span { from: Timestamp::from_millis(from_ms), until: until_ms.map(Timestamp::from_millis) }
}

pub(super) fn area((area, _, data_version, ring, from_ms, until_ms, opened_ms): area_versions::Edge) -> Area {
    Area {
        id: AreaId(area),
        data_version,
        ring: ring.0,
        span: span(from_ms, until_ms),
        opened_at: opened_ms.map(Timestamp::from_millis),
    }
}

pub(super) fn fence((fence, area, data_version, drawing, from_ms, until_ms): fences::Counted) -> Fence {
    Fence {
        id: FenceId(fence),
        data_version,
        area: AreaId(area),
        shape: drawing.0.shape,
        rule: drawing.0.rule,
        span: span(from_ms, until_ms),
    }
}

fn made(edges: Vec<area_versions::Edge>, versions: Vec<fences::Counted>, since: Timestamp) -> Judge {
    let agents = edges.iter().map(|(area, agent, ..)| (AreaId(*area), AgentId(*agent))).collect();
    let areas = edges.into_iter().map(area);
    let fences = versions.into_iter().map(fence);
    Judge { atlas: Atlas::new(areas.collect(), fences.collect()), agents, since }
}
