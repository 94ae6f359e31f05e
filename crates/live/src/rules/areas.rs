//! Rules that an area has of its own.

use std::collections::HashMap;

use async_trait::async_trait;
use vocabulary::{AreaId, Timestamp};

use super::Settings;

/// What counts in areas that said something.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AreaRules(pub HashMap<AreaId, Settings>);

impl AreaRules {
    /// What counts in `area`.
    pub fn of<'a>(&'a self, area: Option<AreaId>, usual: &'a Settings) -> &'a Settings {
        area.and_then(|area| self.0.get(&area)).unwrap_or(usual)
    }
}

/// Who keeps what people say of areas.
#[async_trait]
pub trait RulesOfAreas: Send + Sync + 'static {
    /// What counts at `now`, and when that changes next by itself.
    async fn at(&self, now: Timestamp) -> sqlx::Result<(AreaRules, Option<Timestamp>)>;
}
