//! What walls look up once for all who ask within some seconds: days that are over hardly change, and where bikes stand is asked of
//! each of them.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use riding::read::pulse::Minutes;
use riding::read::revenue_days::DaySums;
use riding::read::revenue_hours::HourSums;
use tokio::time::Instant;
use vocabulary::{Day, Timestamp};

/// A day that is over is looked up anew after so long: cancellations and late facts still come in.
const OVER_LASTS: Duration = Duration::from_mins(1);
/// Where bikes stand is known for so long at least.
const STANDING_LASTS: Duration = Duration::from_secs(5);
/// And looking it up fills this part of the time at most.
const STANDING_SHARE: u32 = 20;
/// Scopes whose past is kept at once.
const MOST: usize = 256;

/// What is looked up by scope, and the day it was for.
type ByScope<T> = Mutex<HashMap<(String, Day), (Instant, Arc<T>)>>;

/// Where bikes stand, and as of when.
pub(super) struct Standing {
    pub(super) at: Timestamp,
    pub(super) since: HashMap<String, Timestamp>,
}

/// See the module.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) minutes: ByScope<Minutes>,
    pub(super) hours: ByScope<Vec<HourSums>>,
    pub(super) days: ByScope<Vec<DaySums>>,
    pub(super) standing: tokio::sync::Mutex<Option<(Instant, Arc<Standing>)>>,
    caught_up: Mutex<HashMap<&'static str, Timestamp>>,
}

impl Kept {
    /// Until when `reads` are known to be read: `now` where they are, otherwise when all of them were last.
    pub(super) fn caught_up(&self, reads: &[&'static str], now: Option<Timestamp>) -> Option<Timestamp> {
        let mut known = self.caught_up.lock().expect("nothing panics while it holds the times");
        if let Some(now) = now {
            for read in reads {
                let at = known.entry(read).or_insert(now);
                *at = (*at).max(now);
            }
            return Some(now);
        }
        reads.iter().map(|read| known.get(read).copied()).min().flatten()
    }

    /// Where bikes stand.
    pub(super) async fn standing<E>(
        &self,
        look: impl Future<Output = Result<Standing, E>>,
    ) -> Result<Arc<Standing>, E> {
        let mut kept = self.standing.lock().await;
        if let Some((until, standing)) = kept.as_ref()
            && Instant::now() < *until
        {
            return Ok(Arc::clone(standing));
        }
        let began = Instant::now();
        let standing = Arc::new(look.await?);
        let lasts = STANDING_LASTS.max(began.elapsed() * STANDING_SHARE);
        *kept = Some((Instant::now() + lasts, Arc::clone(&standing)));
        Ok(standing)
    }
}

/// What is kept of a scope and a day, looked up when it is not, or when it is too old.
pub(super) async fn kept<T, E>(
    kept: &ByScope<T>,
    scope: &str,
    day: Day,
    look: impl Future<Output = Result<T, E>>,
) -> Result<Arc<T>, E> {
    let key = (scope.to_owned(), day);
    {
        let known = kept.lock().expect("nothing panics while it holds what is kept");
        if let Some((at, value)) = known.get(&key)
            && at.elapsed() < OVER_LASTS
        {
            return Ok(Arc::clone(value));
        }
    }
    let value = Arc::new(look.await?);
    let mut known = kept.lock().expect("nothing panics while it holds what is kept");
    known.retain(|_, (at, _)| at.elapsed() < OVER_LASTS);
    if known.len() < MOST {
        known.insert(key, (Instant::now(), Arc::clone(&value)));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_behind_is_as_of_the_last_time_that_all_of_it_was_not() {
        let kept = Kept::default();
        let at = Timestamp::from_millis;
        assert_eq!(kept.caught_up(&["a", "b"], None), None, "never known");
        assert_eq!(kept.caught_up(&["a", "b"], Some(at(5))), Some(at(5)));
        kept.caught_up(&["a"], Some(at(9)));
        assert_eq!(kept.caught_up(&["a", "b"], None), Some(at(5)), "b was not read since");
        assert_eq!(kept.caught_up(&["a"], None), Some(at(9)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_day_that_is_over_is_looked_up_once_a_minute_for_each_scope() {
        let days: ByScope<u32> = Mutex::default();
        let look = |scope: &'static str, value: u32| {
            let days = &days;
            async move { *kept(days, scope, Day(1), async { Ok::<_, ()>(value) }).await.unwrap() }
        };
        assert_eq!((look("a", 1).await, look("a", 2).await, look("b", 3).await), (1, 1, 3));
        tokio::time::advance(OVER_LASTS).await;
        assert_eq!(look("a", 4).await, 4);
    }
}
