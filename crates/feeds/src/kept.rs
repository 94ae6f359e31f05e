//! Something that is made at most every so often, for all who ask.

use std::future::Future;
use std::sync::Arc;

use tokio::sync::Mutex;
use vocabulary::{Clock, Timestamp};
use wire::Refused;

/// After it could not be made, nobody tries again for so long.
const FAILED_MS: i64 = 2_000;

struct Made<T> {
    until: Timestamp,
    /// What was made last, by an earlier try if the last one failed.
    value: Option<Arc<T>>,
    failed: bool,
}

/// See the module.
pub(crate) struct Kept<T>(Arc<Mutex<Option<Made<T>>>>);

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

#[derive(Debug, thiserror::Error)]
#[error("it could not be made a moment ago")]
struct JustFailed;

impl<T> Made<T> {
    /// What it answers now; nothing when it is too old.
    fn answer(&self, now: Timestamp) -> Option<Result<Arc<T>, Refused>> {
        let value = self.value.as_ref().filter(|_| !self.failed);
        (now < self.until).then(|| value.cloned().ok_or_else(|| Refused::unavailable(JustFailed)))
    }
}

impl<T: Send + Sync + 'static> Kept<T> {
    /// The one that there is, when it is younger than `lasts_ms`, or else what `make` makes of the one before. Whoever asks
    /// meanwhile waits for the same, and it is made to its end even if whoever asked first goes away.
    pub async fn get<F>(
        &self,
        clock: &Arc<dyn Clock>,
        lasts_ms: i64,
        make: impl FnOnce(Option<Arc<T>>) -> F + Send + 'static,
    ) -> Result<Arc<T>, Refused>
    where
        F: Future<Output = Result<T, Refused>> + Send + 'static,
    {
        let known = self.0.lock().await.as_ref().and_then(|made| made.answer(clock.now()));
        if let Some(answer) = known {
            return answer;
        }
        let (cell, clock) = (Arc::clone(&self.0), Arc::clone(clock));
        let making = tokio::spawn(async move {
            let mut kept = cell.lock().await;
            if let Some(answer) = kept.as_ref().and_then(|made| made.answer(clock.now())) {
                return answer;
            }
            let before = kept.take().and_then(|made| made.value);
            let made = make(before.clone()).await.map(Arc::new);
            let lasts_ms = if made.is_ok() { lasts_ms } else { FAILED_MS };
            *kept = Some(Made {
                until: clock.now().plus_millis(lasts_ms),
                failed: made.is_err(),
                value: made.as_ref().ok().cloned().or(before),
            });
            made
        });
        making.await.map_err(Refused::internal)?
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use vocabulary::FixedClock;

    use super::*;

    const T0: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    struct Scene {
        kept: Kept<usize>,
        fixed: Arc<FixedClock>,
        clock: Arc<dyn Clock>,
        made: Arc<AtomicUsize>,
    }

    impl Scene {
        fn new() -> Self {
            let fixed = Arc::new(FixedClock::at(T0));
            let clock: Arc<dyn Clock> = Arc::<FixedClock>::clone(&fixed);
            Self { kept: Kept::default(), fixed, clock, made: Arc::default() }
        }

        async fn ask(&self, works: bool) -> Result<usize, Refused> {
            let made = Arc::clone(&self.made);
            let make = move |_| async move {
                let count = made.fetch_add(1, Ordering::SeqCst) + 1;
                tokio::task::yield_now().await;
                if works { Ok(count) } else { Err(Refused::UnknownPath) }
            };
            self.kept.get(&self.clock, 10_000, make).await.map(|value| *value)
        }
    }

    #[tokio::test]
    async fn it_is_made_once_for_all_who_ask_within_its_time() {
        let scene = Scene::new();
        let (one, two, three) = tokio::join!(scene.ask(true), scene.ask(true), scene.ask(true));
        assert_eq!((one.unwrap(), two.unwrap(), three.unwrap()), (1, 1, 1));
        scene.fixed.advance(9_999);
        assert_eq!(scene.ask(true).await.unwrap(), 1);
        scene.fixed.advance(1);
        assert_eq!(scene.ask(true).await.unwrap(), 2);
    }

    #[tokio::test]
    async fn what_cannot_be_made_is_not_tried_for_everybody_who_asks() {
        let scene = Scene::new();
        assert!(matches!(scene.ask(false).await, Err(Refused::UnknownPath)));
        assert!(matches!(scene.ask(true).await, Err(Refused::Unavailable(_))));
        assert_eq!(scene.made.load(Ordering::SeqCst), 1);
        scene.fixed.advance(FAILED_MS);
        assert_eq!(scene.ask(true).await.unwrap(), 2);
    }

    #[tokio::test]
    async fn whoever_goes_away_leaves_what_he_began_to_the_others() {
        let scene = Scene::new();
        {
            let asking = scene.ask(true);
            tokio::pin!(asking);
            assert!(is_at_work(asking.as_mut()).await);
        }
        assert_eq!(scene.ask(true).await.unwrap(), 1);
    }

    /// Polls once; whether it is still at work.
    async fn is_at_work<F: Future>(mut future: std::pin::Pin<&mut F>) -> bool {
        std::future::poll_fn(|context| std::task::Poll::Ready(future.as_mut().poll(context).is_pending()))
            .await
    }
}
