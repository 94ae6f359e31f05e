//! What has to be looked for again and again.

use std::fmt::Display;
use std::future::Future;
use std::time::Duration;

use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::Runtime;

/// Calls `round` now and then once a `period`, until `stop`. A round that fails is told, with `what` it looked for, and
/// the next one tries again; one that takes long delays the next.
pub async fn every<Round, Error>(
    period: Duration,
    stop: CancellationToken,
    what: &'static str,
    mut round: impl FnMut() -> Round,
) where
    Round: Future<Output = Result<(), Error>>,
    Error: Display,
{
    let mut tick = tokio::time::interval(period);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            // Once stopped there is no round more, due or not.
            biased;
            () = stop.cancelled() => return,
            _ = tick.tick() => {}
        }
        if let Err(error) = round().await {
            tracing::warn!(%error, "cannot look for {what}");
        }
    }
}

/// Calls `round` now and then once a `period` with the token of this process's term, whenever it leads `name`, until the
/// system closes. One that takes long delays the next; what goes wrong in it is its own to tell.
pub async fn every_while_leading<Round>(
    runtime: &Runtime,
    name: &str,
    period: Duration,
    mut round: impl FnMut(i64) -> Round,
) where
    Round: Future<Output = ()>,
{
    let stop = runtime.stopping();
    let mut lease = runtime.lease(name).await;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = lease.held() => {}
        }
        let mut tick = tokio::time::interval(period);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = lease.lost() => break,
                () = lease.wanted_back() => break,
                _ = tick.tick() => {}
            }
            round(lease.token()).await;
        }
        if lease.is_wanted_back() {
            lease = lease.again();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test]
    async fn a_round_that_fails_does_not_end_the_rounds_and_the_stop_does() {
        let (stop, rounds) = (CancellationToken::new(), Cell::new(0));
        every(Duration::from_millis(1), stop.clone(), "nothing", || {
            rounds.set(rounds.get() + 1);
            if rounds.get() == 3 {
                stop.cancel();
            }
            async { Err::<(), _>("not now") }
        })
        .await;
        assert_eq!(rounds.get(), 3);
    }
}
