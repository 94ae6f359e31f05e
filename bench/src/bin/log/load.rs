//! Many callers at work, and what each of their calls took.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use hdrhistogram::Histogram;

use crate::systems::{Caller, Opened};

/// What was seen in one measurement.
pub struct Seen {
    /// Appends a second.
    pub rate: f64,
    /// Half of the calls took no longer, in milliseconds.
    pub p50_ms: f64,
    /// 99 of 100 calls took no longer, in milliseconds.
    pub p99_ms: f64,
}

const LEAD_IN: Duration = Duration::from_millis(400);

/// `callers` append to streams of their own, one call after another: first some uncounted, then for `time`.
pub async fn append(system: &dyn Opened, callers: usize, time: Duration) -> Result<Seen> {
    let counting = Arc::new(AtomicBool::new(false));
    let stop = Arc::new(AtomicBool::new(false));
    let mut tasks = tokio::task::JoinSet::new();
    let (ready, mut started) = tokio::sync::mpsc::channel::<()>(callers);
    for _ in 0..callers {
        let mut caller = system.caller().await?;
        let (counting, stop, ready) = (counting.clone(), stop.clone(), ready.clone());
        tasks.spawn(async move {
            caller.append(1).await?;
            // Room for each of them: it cannot wait.
            let _ = ready.send(()).await;
            work(caller.as_mut(), &counting, &stop).await
        });
    }
    drop(ready);
    for _ in 0..callers {
        if started.recv().await.is_none() {
            break;
        }
    }
    tokio::time::sleep(LEAD_IN).await;
    let begun = Instant::now();
    counting.store(true, Ordering::SeqCst);
    tokio::time::sleep(time).await;
    counting.store(false, Ordering::SeqCst);
    let took = begun.elapsed();
    stop.store(true, Ordering::SeqCst);

    let mut all = histogram()?;
    while let Some(done) = tasks.join_next().await {
        all.add(done.context("a caller panicked")??)?;
    }
    let ms = |quantile| all.value_at_quantile(quantile) as f64 / 1000.0;
    Ok(Seen { rate: all.len() as f64 / took.as_secs_f64(), p50_ms: ms(0.5), p99_ms: ms(0.99) })
}

async fn work(caller: &mut dyn Caller, counting: &AtomicBool, stop: &AtomicBool) -> Result<Histogram<u64>> {
    let mut seen = histogram()?;
    while !stop.load(Ordering::Relaxed) {
        let begun = Instant::now();
        caller.append(1).await?;
        // Counted when it was answered within the time, whenever it was asked.
        if counting.load(Ordering::Relaxed) {
            seen.saturating_record(begun.elapsed().as_micros() as u64);
        }
    }
    Ok(seen)
}

fn histogram() -> Result<Histogram<u64>> {
    Ok(Histogram::new_with_bounds(1, 60_000_000, 3)?)
}

/// Fills a system: `streams` streams of `each` events, ten at a time in turn, so that neighbours in the log belong to
/// different streams.
pub async fn fill(system: &dyn Opened, streams: usize, each: usize, callers: usize) -> Result<()> {
    let mut tasks = tokio::task::JoinSet::new();
    for lane in 0..callers {
        let mut mine = Vec::new();
        for _ in (lane..streams).step_by(callers) {
            mine.push(system.caller().await?);
        }
        tasks.spawn(async move {
            for done in (0..each).step_by(10) {
                for caller in &mut mine {
                    caller.append(10.min(each - done)).await?;
                }
            }
            anyhow::Ok(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.context("a filler panicked")??;
    }
    Ok(())
}

/// Reads everything again and again for at least `time`; says how many events a second.
pub async fn replay(system: &dyn Opened, expected: u64, time: Duration) -> Result<f64> {
    let begun = Instant::now();
    let mut events = 0;
    while events == 0 || begun.elapsed() < time {
        let read = system.replay().await?;
        anyhow::ensure!(read == expected, "{read} events were read of {expected}");
        events += read;
    }
    Ok(events as f64 / begun.elapsed().as_secs_f64())
}
