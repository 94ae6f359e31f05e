//! A program of another version, for trials: the same read models, by rules that call themselves newer. Only a debug build can be one.

use std::sync::Arc;

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Change, Projector, Recorded};
use sqlx::PgConnection;

/// By how much versions of rules are raised.
const SETTING: &str = "WHEELHOUSE_RULES_AHEAD";

/// How far this program's rules are ahead of those that are written down.
pub fn ahead() -> i32 {
    let said = if cfg!(debug_assertions) { std::env::var(SETTING).ok() } else { None };
    said.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// The same projectors, with rules of this program's versions.
pub fn of_this_program(all: Vec<Arc<dyn Projector>>) -> Vec<Arc<dyn Projector>> {
    match ahead() {
        0 => all,
        by => all.into_iter().map(|inner| Arc::new(Ahead { inner, by }) as Arc<dyn Projector>).collect(),
    }
}

struct Ahead {
    inner: Arc<dyn Projector>,
    by: i32,
}

#[async_trait]
impl Projector for Ahead {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn version(&self) -> i32 {
        self.inner.version() + self.by
    }

    fn tables(&self) -> &'static [&'static str] {
        self.inner.tables()
    }

    fn categories(&self) -> &'static [&'static str] {
        self.inner.categories()
    }

    fn stops_on_failure(&self) -> bool {
        self.inner.stops_on_failure()
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        self.inner.apply(db, events).await
    }
}
