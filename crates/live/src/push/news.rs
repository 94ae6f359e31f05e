//! When rows that may be watched changed last: whoever begins to watch knows by it whether he missed anything.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

use super::ports::RowsChanged;

/// Batches of changed rows that are remembered of one table.
const KEPT: usize = 16;

/// See the module. What was told before it began is not known: it counts as told when it began.
pub(super) struct News {
    began: Instant,
    tables: Mutex<HashMap<String, Told>>,
}

struct Told {
    /// When the newest batch that is not remembered any more was told, or all this began.
    before: Instant,
    /// The newest last.
    batches: VecDeque<(Instant, Arc<RowsChanged>)>,
}

impl News {
    pub(super) fn new(began: Instant) -> Self {
        Self { began, tables: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Told>> {
        self.tables.lock().expect("nothing panics while it holds the news")
    }

    /// Rows changed.
    pub(super) fn told(&self, changed: &Arc<RowsChanged>, now: Instant) {
        let mut tables = self.lock();
        let told = tables
            .entry(changed.table.clone())
            .or_insert_with(|| Told { before: self.began, batches: VecDeque::new() });
        if told.batches.len() == KEPT
            && let Some((forgotten, _)) = told.batches.pop_front()
        {
            told.before = forgotten;
        }
        told.batches.push_back((now, Arc::clone(changed)));
    }

    /// For how long, until `now`, nothing was told of `table` that `is_seen` by who asks; never longer than is known.
    pub(super) fn quiet(
        &self,
        table: &str,
        now: Instant,
        is_seen: impl Fn(&RowsChanged) -> bool,
    ) -> Duration {
        let tables = self.lock();
        let last = tables.get(table).map_or(self.began, |told| {
            let seen = told.batches.iter().rev().find(|(_, changed)| is_seen(changed));
            seen.map_or(told.before, |(at, _)| *at)
        });
        now.saturating_duration_since(last)
    }
}

#[cfg(test)]
mod tests {
    use vocabulary::{AgentId, AreaId, DataOwner};

    use super::*;

    fn of(area: i64) -> Arc<RowsChanged> {
        let owner = DataOwner::of_area(AgentId(9), AreaId(area));
        Arc::new(RowsChanged { table: "role".into(), position: 1, rows: vec![("a".into(), owner)] })
    }

    fn is_of(area: i64) -> impl Fn(&RowsChanged) -> bool {
        move |changed| changed.rows[0].1 == DataOwner::of_area(AgentId(9), AreaId(area))
    }

    #[test]
    fn who_asks_hears_of_what_he_sees_and_never_of_more_than_is_known() {
        let began = Instant::now();
        let at = |seconds| began + Duration::from_secs(seconds);
        let news = News::new(began);
        let quiet = |now, area| news.quiet("role", at(now), is_of(area)).as_secs();
        assert_eq!(quiet(5, 1), 5, "since it began");
        news.told(&of(1), at(10));
        news.told(&of(2), at(12));
        assert_eq!([quiet(20, 1), quiet(20, 2), quiet(20, 3)], [10, 8, 20]);
        for second in 20..20 + KEPT as u64 {
            news.told(&of(2), at(second));
        }
        assert_eq!(quiet(40, 1), 28, "his own is forgotten: as new as the newest that is");
        assert_eq!(quiet(40, 2), 40 - 19 - KEPT as u64);
        assert_eq!(quiet(0, 2), 0);
    }
}
