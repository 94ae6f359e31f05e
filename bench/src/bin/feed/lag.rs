//! Appends at a steady rate, and what passes from the answer to an append until its read model is there.

use std::collections::VecDeque;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use hdrhistogram::Histogram;
use kernel::log::{Append, BatchWriter, NewEvent, Outcome, Tail, WriterLimits};
use kernel::{Position, Projector, Runtime, StoredForm};
use sqlx::postgres::PgConnectOptions;
use vocabulary::Timestamp;

use crate::counts::Counts;

/// Appends are sent so often.
const TICK: Duration = Duration::from_millis(10);

/// What was appended and is not there yet, for each read model; and what the others took.
#[derive(Clone)]
pub struct Lags(Arc<Shared>);

struct Shared {
    waiting: Vec<Mutex<VecDeque<(i64, Instant)>>>,
    seen: Mutex<Histogram<u64>>,
}

impl Lags {
    /// Of the read models with these names.
    pub fn watched(runtime: &Runtime, names: &[&'static str]) -> Self {
        let seen = Histogram::new_with_bounds(1, 60_000_000, 3).expect("the bounds are in order");
        let waiting = names.iter().map(|_| Mutex::default()).collect();
        let lags = Self(Arc::new(Shared { waiting, seen: Mutex::new(seen) }));
        for (model, name) in names.iter().enumerate() {
            let (lags, mut reached) = (lags.clone(), runtime.progress.of(name));
            tokio::spawn(async move {
                while reached.changed().await.is_ok() {
                    let reached = *reached.borrow_and_update();
                    lags.there(model, reached, Instant::now());
                }
            });
        }
        lags
    }

    fn there(&self, model: usize, reached: i64, now: Instant) {
        let mut waiting = lock(&self.0.waiting[model]);
        while let Some((_, answered)) = waiting.pop_front_if(|(position, _)| *position <= reached) {
            let took = now.saturating_duration_since(answered).as_micros() as u64;
            lock(&self.0.seen).saturating_record(took.max(1));
        }
    }

    /// Forgets what was seen so far.
    pub fn forget(&self) {
        lock(&self.0.seen).reset();
    }

    /// What was seen, when nothing waits any more.
    pub async fn ended(&self, patience: Duration) -> Result<Histogram<u64>> {
        let until = Instant::now() + patience;
        while self.0.waiting.iter().any(|waiting| !lock(waiting).is_empty()) {
            anyhow::ensure!(Instant::now() < until, "events were not projected in time");
            tokio::time::sleep(TICK).await;
        }
        Ok(lock(&self.0.seen).clone())
    }
}

fn lock<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Appends to all categories in turn.
pub struct Load {
    writer: BatchWriter,
    runtime: Runtime,
    categories: Vec<&'static str>,
    lags: Lags,
    next: Mutex<u64>,
}

impl Load {
    pub fn start(url: &str, runtime: &Runtime, categories: &[&'static str], lags: Lags) -> Self {
        let options = PgConnectOptions::from_str(url)
            .expect("it was connected to")
            .options([("role", "wheelhouse_app")]);
        let writer = BatchWriter::start(options, WriterLimits::default(), Tail::new());
        Self { writer, runtime: runtime.clone(), categories: categories.to_vec(), lags, next: Mutex::new(0) }
    }

    /// Appends `rate` events a second for `time`; says how many.
    pub async fn run(&self, rate: u32, time: Duration) -> Result<u64> {
        let begun = Instant::now();
        let mut appended = 0;
        let mut tick = tokio::time::interval(TICK);
        while begun.elapsed() < time {
            tick.tick().await;
            let due = (begun.elapsed().min(time).as_secs_f64() * f64::from(rate)) as u64;
            let appends = (appended..due).map(|_| self.append());
            futures::future::try_join_all(appends).await?;
            appended = due.max(appended);
        }
        Ok(appended)
    }

    async fn append(&self) -> Result<()> {
        let number = {
            let mut next = lock(&self.next);
            *next += 1;
            *next
        };
        let model = (number % self.categories.len() as u64) as usize;
        let append = Append {
            category: self.categories[model],
            stream_id: format!("s{number}"),
            expected: 0,
            events: vec![event()],
            claims: Vec::new(),
            request: None,
        };
        let outcome = self.writer.append(append).await.context("an append")?;
        let Outcome::Appended { position, .. } = outcome else { anyhow::bail!("{outcome:?}") };
        lock(&self.lags.0.waiting[model]).push_back((position.0, Instant::now()));
        // It may have been there before it was waited for.
        self.lags.there(model, *self.runtime.progress.of(&format!("bench_{model}")).borrow(), Instant::now());
        self.runtime.tail.reached(position);
        Ok(())
    }
}

fn event() -> NewEvent {
    let data = br#"{"longitude":113.26,"latitude":23.13,"soc_percent":80}"#.to_vec();
    let form = StoredForm { stored_type: "thing.seen".to_owned(), schema_version: 1, data };
    let meta = r#"{"actor":{"kind":"system","name":"bench"}}"#.to_owned();
    NewEvent { form, meta, recorded_at: Timestamp::from_millis(1_700_000_000_000) }
}

/// A read model that reads the log for itself at each move of its head.
pub async fn each(runtime: &Runtime, model: &Counts) -> Result<()> {
    let mut position = Position(0);
    loop {
        let head = runtime.tail.beyond(position).await;
        let (events, to) = runtime.reader.read_of(model.categories(), position, head, 500).await?;
        if !events.is_empty() {
            let mut tx = kernel::pools::begin(&runtime.pools.projector).await?;
            sqlx::query("set local search_path = read").execute(&mut *tx).await?;
            model.apply(&mut tx, &events).await.map_err(|error| anyhow::anyhow!("{error}"))?;
            tx.commit().await?;
        }
        position = to;
        runtime.progress.reached(model.name(), to);
    }
}
