//! What pages of statistics share: a figure against the time before, and the times that are compared.

use serde::Serialize;
use utoipa::ToSchema;

/// A stretch of time.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct TimeRange {
    /// The first instant, epoch milliseconds.
    pub from: i64,
    /// The end, which is no longer part of it, epoch milliseconds.
    pub until: i64,
}

/// A figure, and what it was in the time before; null where it is not known.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub struct Figure {
    /// In the time that was asked for.
    #[schema(required)]
    pub now: Option<f64>,
    /// In the time before.
    #[schema(required)]
    pub before: Option<f64>,
}
