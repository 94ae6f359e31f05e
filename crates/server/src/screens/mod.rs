//! Walls: 运营大屏, 营收大屏 and 运营看板. What contexts know of the present is put together here, within one scope. A tile whose source
//! does not exist is absent, never zero; each says of which time it tells and as of when.

mod http;
mod kept;
mod operation;
mod operation_shapes;
mod revenue;
mod revenue_shapes;
mod surges;

use std::sync::Arc;

use async_trait::async_trait;
use kernel::{Position, ReadTx, Runtime};
use live::Memory;
use live::push::PortError;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use vocabulary::{AreaId, Scope, Timestamp};

pub use self::http::routes;
use self::kept::Kept;

/// Reads what was written a moment ago.
const NEWEST: Option<Position> = Some(Position(i64::MAX));

/// Walls by the names of their topics, each with the code that shows it.
const WALLS: &[(&str, &[&str])] =
    &[("ops", http::OPERATION_CODES), ("revenue", http::REVENUE_CODES), ("home", http::HOME_CODES)];

/// Of which time a tile tells, and as of when. Epoch milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "units stand last in names")]
pub(crate) struct TileSpan {
    /// The first instant.
    since_ms: i64,
    /// The end.
    until_ms: i64,
    /// Everything until then is in it; null: nothing is known yet.
    #[schema(required)]
    as_of_ms: Option<i64>,
}

impl TileSpan {
    const fn of(since: Timestamp, until: Timestamp, as_of: Option<Timestamp>) -> Self {
        let as_of_ms = match as_of {
            Some(at) => Some(at.millis()),
            None => None,
        };
        Self { since_ms: since.millis(), until_ms: until.millis(), as_of_ms }
    }

    const fn moment(now: Timestamp, as_of: Option<Timestamp>) -> Self {
        Self::of(now, now, as_of)
    }
}

/// Puts walls together.
#[derive(Clone)]
pub struct Screens {
    runtime: Runtime,
    memory: Memory,
    territory: territory::Context,
    kept: Arc<Kept>,
}

/// One look at everything within a scope.
struct Look {
    db: ReadTx,
    scope: Scope,
    now: Timestamp,
    /// As of when the read models are.
    as_of: Option<Timestamp>,
}

impl Screens {
    /// From the system's read models, the live fleet and the parking places.
    pub fn new(runtime: Runtime, memory: Memory, territory: territory::Context) -> Self {
        Self { runtime, memory, territory, kept: Arc::default() }
    }

    async fn look(
        &self,
        scope: &Scope,
        areas: &[AreaId],
        reads: &'static [&'static str],
    ) -> Result<Look, PortError> {
        let scope = scope.in_areas(areas);
        // Before the transaction: what was recorded until then is waited for.
        let now = self.runtime.clock.now();
        let db = self.runtime.reads.scoped(&scope, NEWEST, reads).await?;
        let as_of = self.kept.caught_up(reads, db.caught_up().then_some(now));
        Ok(Look { db, scope, now, as_of })
    }
}

#[async_trait]
impl live::push::Screens for Screens {
    fn codes(&self, name: &str) -> Option<&'static [&'static str]> {
        WALLS.iter().find(|(known, _)| *known == name).map(|(_, codes)| *codes)
    }

    async fn picture(&self, name: &str, scope: &Scope, areas: &[AreaId]) -> Result<Value, PortError> {
        match name {
            "revenue" => Ok(serde_json::to_value(self.revenue(scope, areas).await?)?),
            _ => Ok(serde_json::to_value(self.operation(scope, areas).await?)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wall_is_in_the_document_with_its_codes() {
        let document = include_str!("../../../../docs/push.md");
        for (name, codes) in WALLS {
            let line = document.lines().find(|line| line.starts_with(&format!("| `screen/{name}` |")));
            let line = line.unwrap_or_else(|| panic!("docs/push.md does not tell of screen/{name}"));
            assert!(line.ends_with(&format!("| {} |", codes.join(", "))), "{line}");
        }
    }
}
