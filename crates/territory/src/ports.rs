//! What this context needs of others; the server fulfils it.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use serde::Serialize;
use utoipa::ToSchema;
use vocabulary::AreaId;

/// A neighbour did not answer.
pub type PortError = Box<dyn std::error::Error + Send + Sync>;

/// A branch of the permission tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplateBranch)]
pub struct Branch {
    /// The code.
    pub code: &'static str,
    /// Chinese title.
    pub title: &'static str,
    /// 1 group, 2 page, 3 action.
    pub kind: u8,
    /// Tiers whose roles may hold it: bit-or of 1, 2, 4 and 8.
    pub level_mask: u8,
    /// Whether the caller holds it, and so may put it into a template.
    pub checked: bool,
    /// What hangs under it.
    #[schema(no_recursion)]
    pub children: Vec<Branch>,
}

/// The permission tree, which the access context keeps.
pub trait Permissions: Send + Sync + 'static {
    /// The whole tree; `held` says of each code whether it is marked.
    fn tree(&self, held: &dyn Fn(&str) -> bool) -> Vec<Branch>;

    /// The Chinese title of a code; nothing when there is no such code.
    fn title(&self, code: &str) -> Option<&'static str>;
}

/// The bikes, which the fleet keeps.
#[async_trait]
pub trait Bikes: Send + Sync + 'static {
    /// How many bikes each of `areas` has, of whatever lifecycle; areas without any may be left out.
    async fn count_by_area(&self, areas: &[AreaId]) -> Result<BTreeMap<AreaId, i64>, PortError>;

    /// How many bikes are on the streets of `area`, as of now.
    async fn shelved_in(&self, area: AreaId) -> Result<i64, PortError>;
}

/// The ports.
#[derive(Clone)]
pub struct Ports {
    /// The permission tree.
    pub permissions: Arc<dyn Permissions>,
    /// The bikes.
    pub bikes: Arc<dyn Bikes>,
}
