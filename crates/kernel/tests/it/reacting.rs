//! Reactors answer every event, wait for what is away, and park what can never be done.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use kernel::projecting::parked;
use kernel::reactor::request_id;
use kernel::{Desk, Position, ReactError, Reactor, Reactors, Recorded};

use crate::support::{Stall, StallCommand, StallEvent, ctx, open, open_stall, runtime, runtime_at};

/// For every stall that opens, sells one piece in the stall `total`.
struct Tally {
    desk: Desk,
    away: Arc<AtomicBool>,
    tries: Arc<AtomicUsize>,
    seen: Arc<Mutex<Vec<Position>>>,
}

impl Tally {
    fn of(runtime: &kernel::Runtime) -> Self {
        Self { desk: runtime.desk.clone(), away: Arc::default(), tries: Arc::default(), seen: Arc::default() }
    }
}

#[async_trait]
impl Reactor for Tally {
    fn name(&self) -> &'static str {
        "tally"
    }

    fn categories(&self) -> &'static [&'static str] {
        &["stall"]
    }

    async fn react(&self, event: &Recorded) -> Result<(), ReactError> {
        self.tries.fetch_add(1, Ordering::SeqCst);
        let StallEvent::Opened { name, .. } =
            event.decode().map_err(|error| ReactError::Never(error.into()))?
        else {
            return Ok(());
        };
        match name.as_str() {
            "total" => return Ok(()),
            "panic" => panic!("this one panics"),
            "never" => return Err(ReactError::Never("it is named so".into())),
            _ if self.away.load(Ordering::SeqCst) => {
                return Err(ReactError::Later("the bank is closed".into()));
            }
            _ => {}
        }
        let mut asked = ctx();
        asked.request_id = Some(request_id("tally", event, "sell"));
        asked.causation = Some(event.position);
        let total = "total".to_owned();
        self.desk
            .execute::<Stall>(&total, StallCommand::Sell(1), &asked)
            .await
            .map_err(|error| ReactError::Later(error.to_string().into()))?;
        self.seen.lock().unwrap().push(event.position);
        Ok(())
    }
}

async fn until(what: &str, mut done: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !done().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting).await.unwrap_or_else(|_| panic!("{what}"));
}

async fn total(runtime: &kernel::Runtime) -> i64 {
    runtime.desk.load::<Stall>(&"total".to_owned()).await.unwrap().state.sold
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reactor_killed_and_started_again_does_nothing_twice() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    open_stall(runtime, "total").await;
    for round in 0..3 {
        // Something to begin with, however fast the round before was.
        for n in 0..20 {
            open_stall(runtime, &format!("s{round}-{n}")).await;
        }
        let process = runtime_at(&standing.database.url).await;
        let tally = Tally::of(&process);
        let seen = tally.seen.clone();
        let reactors = Reactors::new(process.clone(), vec![Arc::new(tally)]);
        let running = tokio::spawn(async move { reactors.run().await });
        let begun = async {
            while seen.lock().unwrap().is_empty() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), begun).await.expect("it begins");
        running.abort();
        process.close();
    }
    let reactors = Reactors::new(runtime.clone(), vec![Arc::new(Tally::of(runtime))]);
    let _running = tokio::spawn(async move { reactors.run().await });
    until("all are counted", async || total(runtime).await >= 60).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(total(runtime).await, 60);
    let event = runtime.reader.read_stream("stall", "total", 1, 1).await.unwrap().remove(0);
    assert_eq!(event.meta.causation, Some(Position(2)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reactor_waits_for_what_is_away_and_keeps_the_order() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    open_stall(runtime, "total").await;
    let tally = Tally::of(runtime);
    let (away, tries, seen) = (tally.away.clone(), tally.tries.clone(), tally.seen.clone());
    away.store(true, Ordering::SeqCst);
    let reactors = Reactors::new(runtime.clone(), vec![Arc::new(tally)]);
    let _running = tokio::spawn(async move { reactors.run().await });
    for name in ["a", "b", "c"] {
        open_stall(runtime, name).await;
    }
    until("it tries again", async || tries.load(Ordering::SeqCst) >= 4).await;
    let failure: Option<String> =
        sqlx::query_scalar("select failure from log.reactors").fetch_one(&runtime.pools.owner).await.unwrap();
    assert_eq!(failure.as_deref(), Some("the bank is closed"));
    assert_eq!(total(runtime).await, 0);
    away.store(false, Ordering::SeqCst);
    until("it goes on", async || total(runtime).await == 3).await;
    let seen = seen.lock().unwrap().clone();
    assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "{seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_never_be_done_is_parked_and_the_rest_goes_on() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    let reactors = Reactors::new(runtime.clone(), vec![Arc::new(Tally::of(runtime))]);
    let running = reactors.clone();
    let _running = tokio::spawn(async move { running.run().await });
    for name in ["total", "never", "panic", "good"] {
        open_stall(runtime, name).await;
    }
    until("the good one is counted", async || total(runtime).await == 1).await;
    let waiting = parked(&runtime.pools.app).await.unwrap();
    let streams: Vec<&str> = waiting.iter().map(|parked| parked.stream_id.as_str()).collect();
    assert_eq!(streams, ["never", "panic"]);
    assert!(waiting[1].failure.contains("panicked"));
    assert!(!reactors.retry("tally", waiting[0].position).await.unwrap());
    runtime.desk.execute::<Stall>(&"good".to_owned(), open("good"), &ctx()).await.unwrap();
    assert_eq!(parked(&runtime.pools.app).await.unwrap().len(), 2);
}
