//! A process that hangs amid its work is replaced within seconds, and writes nothing when it wakes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use async_trait::async_trait;
use kernel::projector::ApplyError;
use kernel::{Change, Position, Projector, Projectors, ReactError, Reactor, Reactors, Recorded};
use sqlx::PgConnection;

use crate::stalls::{Stalls, caught_up, make_table, run, sold};
use crate::support::{Stall, StallCommand, ctx, open_stall, runtime, runtime_at};

/// From the hang to the work of another: a term, what was locked, and twice that for a busy machine.
const TAKEN_OVER: Duration = Duration::from_secs(20);

/// Blocks the thread of whoever comes first to a certain point, until it is woken.
struct Trap {
    sprung: AtomicBool,
    caught: Mutex<mpsc::Sender<()>>,
    wake: Mutex<mpsc::Receiver<()>>,
}

impl Trap {
    fn set() -> (Arc<Self>, mpsc::Receiver<()>, mpsc::Sender<()>) {
        let ((caught, was_caught), (wakes, wake)) = (mpsc::channel(), mpsc::channel());
        let trap =
            Self { sprung: AtomicBool::new(false), caught: Mutex::new(caught), wake: Mutex::new(wake) };
        (Arc::new(trap), was_caught, wakes)
    }

    fn step_in(&self) {
        if !self.sprung.swap(true, Ordering::SeqCst) {
            self.caught.lock().unwrap().send(()).unwrap();
            let _ = self.wake.lock().unwrap().recv();
        }
    }
}

/// Runs `part` in a process of its own, as far as the database can tell: one thread, which a trap blocks whole. It goes
/// on until the sender is dropped.
fn process<Part, Running>(
    url: String,
    part: Part,
) -> (std::thread::JoinHandle<()>, tokio::sync::oneshot::Sender<()>)
where
    Part: FnOnce(kernel::Runtime) -> Running + Send + 'static,
    Running: Future<Output = ()>,
{
    let (goes_on, ends) = tokio::sync::oneshot::channel::<()>();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let runtime = runtime_at(&url).await;
            let running = part(runtime);
            tokio::select! {
                () = running => {}
                _ = ends => {}
            }
        });
    });
    (thread, goes_on)
}

/// Stalls whose projector hangs amid its first batch, its rows written and its place locked.
struct Hanging {
    stalls: Stalls,
    trap: Arc<Trap>,
}

#[async_trait]
impl Projector for Hanging {
    fn name(&self) -> &'static str {
        self.stalls.name()
    }

    fn version(&self) -> i32 {
        self.stalls.version()
    }

    fn tables(&self) -> &'static [&'static str] {
        self.stalls.tables()
    }

    fn categories(&self) -> &'static [&'static str] {
        self.stalls.categories()
    }

    async fn apply(&self, db: &mut PgConnection, events: &[Recorded]) -> Result<Vec<Change>, ApplyError> {
        let changes = self.stalls.apply(db, events).await?;
        self.trap.step_in();
        Ok(changes)
    }
}

async fn sell(runtime: &kernel::Runtime, count: i64) {
    runtime.desk.execute::<Stall>(&"a".to_owned(), StallCommand::Sell(count), &ctx()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_projector_that_hangs_amid_a_batch_is_replaced_and_writes_nothing_when_it_wakes() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    make_table(&runtime.pools.owner).await;
    let (trap, caught, wake) = Trap::set();
    let (hung, goes_on) = process(standing.database.url.clone(), move |runtime| {
        let projector = Hanging { stalls: Stalls::default(), trap };
        let projectors = Projectors::new(runtime, vec![Arc::new(projector)]);
        async move { projectors.run().await }
    });
    open_stall(runtime, "a").await;
    tokio::task::spawn_blocking(move || caught.recv().unwrap()).await.unwrap();
    let (_projectors, _running) = run(runtime, Stalls::default());
    sell(runtime, 2).await;
    tokio::time::timeout(TAKEN_OVER, caught_up(runtime)).await.expect("another takes over");
    assert_eq!(sold(runtime).await, [("a".to_owned(), 2)]);
    // Awake, it finds that others have taken its place, and the sales go on.
    wake.send(()).unwrap();
    for _ in 0..20 {
        sell(runtime, 1).await;
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    caught_up(runtime).await;
    assert_eq!(sold(runtime).await, [("a".to_owned(), 22)]);
    let leader: Option<String> = sqlx::query_scalar("select leader from log.projectors")
        .fetch_one(&runtime.pools.owner)
        .await
        .unwrap();
    assert_eq!(leader.as_deref(), Some(&*runtime.node));
    drop(goes_on);
    tokio::task::spawn_blocking(move || hung.join().unwrap()).await.unwrap();
}

/// Notes each event that it answers, and hangs before it has answered the first.
struct Bell {
    trap: Option<Arc<Trap>>,
    rung: Arc<Mutex<Vec<Position>>>,
}

#[async_trait]
impl Reactor for Bell {
    fn name(&self) -> &'static str {
        "bell"
    }

    fn categories(&self) -> &'static [&'static str] {
        &["stall"]
    }

    async fn react(&self, event: &Recorded) -> Result<(), ReactError> {
        if let Some(trap) = &self.trap {
            trap.step_in();
        }
        self.rung.lock().unwrap().push(event.position);
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reactor_that_hangs_is_replaced_and_begins_nothing_new_when_it_wakes() {
    let standing = runtime().await;
    let runtime = &standing.runtime;
    for name in ["a", "b", "c"] {
        open_stall(runtime, name).await;
    }
    let (trap, caught, wake) = Trap::set();
    let rung_by_hung = Arc::new(Mutex::new(Vec::new()));
    let (hung, goes_on) = process(standing.database.url.clone(), {
        let rung = Arc::clone(&rung_by_hung);
        move |runtime| {
            let reactors = Reactors::new(runtime, vec![Arc::new(Bell { trap: Some(trap), rung })]);
            async move { reactors.run().await }
        }
    });
    tokio::task::spawn_blocking(move || caught.recv().unwrap()).await.unwrap();
    let rung = Arc::new(Mutex::new(Vec::new()));
    let reactors =
        Reactors::new(runtime.clone(), vec![Arc::new(Bell { trap: None, rung: Arc::clone(&rung) })]);
    let _running = tokio::spawn(async move { reactors.run().await });
    let stored = async || -> i64 {
        let position = sqlx::query_scalar("select position from log.reactors where name = 'bell'");
        position.fetch_optional(&runtime.pools.owner).await.unwrap().unwrap_or(0)
    };
    let all = async {
        while stored().await < 3 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(TAKEN_OVER, all).await.expect("another takes over");
    wake.send(()).unwrap();
    open_stall(runtime, "d").await;
    let next = async {
        while stored().await < 4 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), next).await.expect("the other goes on");
    drop(goes_on);
    tokio::task::spawn_blocking(move || hung.join().unwrap()).await.unwrap();
    assert_eq!(*rung.lock().unwrap(), [1, 2, 3, 4].map(Position));
    assert_eq!(*rung_by_hung.lock().unwrap(), [Position(1)], "the event that it was at, and no other");
}
