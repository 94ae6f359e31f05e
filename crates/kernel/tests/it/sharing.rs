//! Processes share what there is to lead, and nothing is led twice or wanders.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use async_trait::async_trait;
use kernel::{Position, Projectors, ReactError, Reactor, Reactors, Recorded, Runtime};
use sqlx::PgPool;
use tokio::time::{Instant, sleep, timeout};

use crate::stalls::{Stalls, caught_up, make_table, sold};
use crate::support::{Stall, StallCommand, ctx, open_stall, runtime, runtime_at};

/// For a newcomer to be known for a term, and for the hand-overs.
const SHARED: Duration = Duration::from_secs(40);
/// A hand-over that is orderly takes far less than a term.
const LONGEST_GAP: Duration = Duration::from_secs(5);

/// What is led at the moment, as those who lead tell it.
#[derive(Default)]
struct Floor {
    led: BTreeMap<String, Runtime>,
    left: BTreeMap<String, Instant>,
    /// Somebody began to lead what another still led.
    twice: Vec<String>,
    longest_gap: Duration,
}

type Led = Arc<Mutex<Floor>>;

/// Has `runtime` lead `names`, each whenever it is its share. A leader takes longer to come to an end than
/// others wait between two looks.
fn lead(runtime: &Runtime, names: impl IntoIterator<Item = String>, floor: &Led) {
    for name in names {
        let (runtime, floor) = (runtime.clone(), Arc::clone(floor));
        tokio::spawn(async move {
            loop {
                let mut lease = runtime.lease(&name).await;
                lease.held().await;
                {
                    let mut floor = floor.lock().unwrap();
                    if floor.led.insert(name.clone(), runtime.clone()).is_some() {
                        floor.twice.push(name.clone());
                    }
                    let gap = floor.left.remove(&name).map_or(Duration::ZERO, |left| left.elapsed());
                    floor.longest_gap = floor.longest_gap.max(gap);
                }
                tokio::select! {
                    () = lease.lost() => {}
                    () = lease.wanted_back() => sleep(Duration::from_millis(700)).await,
                }
                let mut floor = floor.lock().unwrap();
                floor.led.remove(&name);
                floor.left.insert(name.clone(), Instant::now());
            }
        });
    }
}

fn names(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|number| format!("thing {number}"))
}

/// Who leads each thing now, and in which term.
async fn terms(owner: &PgPool) -> Vec<(String, String, i64)> {
    sqlx::query_as("select name, holder, token from log.leases where until > clock_timestamp() order by name")
        .fetch_all(owner)
        .await
        .unwrap()
}

/// How many things each of `nodes` leads, and how many others do.
async fn shares(owner: &PgPool, nodes: &[&Runtime]) -> (Vec<usize>, usize) {
    let terms = terms(owner).await;
    let of = |node: &&Runtime| terms.iter().filter(|(_, holder, _)| **holder == *node.node).count();
    let own: Vec<usize> = nodes.iter().map(of).collect();
    let others = terms.len() - own.iter().sum::<usize>();
    (own, others)
}

#[track_caller]
fn until<'a>(
    what: &'static str,
    within: Duration,
    owner: &'a PgPool,
    nodes: &'a [&'a Runtime],
    reached: impl Fn(&[usize], usize) -> bool + 'a,
) -> impl Future<Output = ()> + 'a {
    let caller = std::panic::Location::caller();
    async move {
        let begun = Instant::now();
        loop {
            let (own, others) = shares(owner, nodes).await;
            if reached(&own, others) {
                return;
            }
            assert!(begun.elapsed() < within, "{caller}: {what}: {own:?}, others {others}");
            sleep(Duration::from_millis(50)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_share_what_one_of_them_led_and_nothing_is_led_twice_or_wanders() {
    let standing = runtime().await;
    let (first, owner) = (&standing.runtime, &standing.runtime.pools.owner);
    let floor = Led::default();
    lead(first, names(7), &floor);
    until("one leads all", SHARED, owner, &[first], |own, _| own == [7]).await;
    let second = runtime_at(&standing.database.url).await;
    lead(&second, names(7), &floor);
    let nodes = [first, &second];
    until("two share", SHARED, owner, &nodes, |own, _| own == [4, 3]).await;
    let before = terms(owner).await;
    let settled = Instant::now();
    while settled.elapsed() < Duration::from_secs(8) {
        assert_eq!(terms(owner).await, before, "three of seven are half enough");
        sleep(Duration::from_millis(50)).await;
    }
    let third = runtime_at(&standing.database.url).await;
    lead(&third, names(7), &floor);
    let nodes = [first, &second, &third];
    until("three share", SHARED, owner, &nodes, |own, _| own.iter().sum::<usize>() == 7 && own[2] == 2).await;
    let floor = floor.lock().unwrap();
    assert_eq!(floor.twice, Vec::<String>::new(), "led by two at once");
    assert!(floor.longest_gap < LONGEST_GAP, "led by nobody for {:?}", floor.longest_gap);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_share_of_a_process_that_hangs_is_taken_over_when_its_term_ends() {
    let standing = runtime().await;
    let (first, owner) = (&standing.runtime, &standing.runtime.pools.owner);
    let url = standing.database.url.clone();
    let floor = Led::default();
    lead(first, names(4), &floor);
    let (hang, hangs) = mpsc::channel::<()>();
    let (wake, woken) = mpsc::channel::<()>();
    let (goes_on, ends) = tokio::sync::oneshot::channel::<()>();
    let hung = std::thread::spawn({
        let floor = Arc::clone(&floor);
        move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                let process = runtime_at(&url).await;
                lead(&process, names(4), &floor);
                while hangs.try_recv().is_err() {
                    sleep(Duration::from_millis(20)).await;
                }
                // Its only thread is blocked: its connections live, and nothing in it moves.
                woken.recv().unwrap();
                let _ = ends.await;
            });
        }
    });
    until("two share", SHARED, owner, &[first], |own, others| own == [2] && others == 2).await;
    hang.send(()).unwrap();
    // A term; not another one for what the hung process lets lie.
    until("the other leads all", Duration::from_secs(12), owner, &[first], |own, _| own == [4]).await;
    let before = terms(owner).await;
    sleep(Duration::from_secs(3)).await;
    assert_eq!(terms(owner).await, before, "who hangs is given nothing");
    wake.send(()).unwrap();
    until("awake, it has its share", SHARED, owner, &[first], |own, others| own == [2] && others == 2).await;
    let after = terms(owner).await;
    assert!(after.iter().zip(&before).all(|(now, then)| now.1 == then.1 || now.2 > then.2), "{after:?}");
    drop(goes_on);
    tokio::task::spawn_blocking(move || hung.join().unwrap()).await.unwrap();
}

/// A program from before leases were shared: it takes all that is free, says nowhere that it is there, and gives nothing
/// back.
async fn older_program(owner: PgPool, names: Vec<String>) {
    loop {
        sqlx::query(
            "insert into log.leases as l (name, holder, token, until)
             select name, 'older', 1, clock_timestamp() + interval '7 seconds' from unnest($1::text[]) n (name)
             on conflict (name) do update set holder = excluded.holder, until = excluded.until,
                 token = case when l.holder = 'older' then l.token else l.token + 1 end
             where l.holder = 'older' or l.until <= clock_timestamp()",
        )
        .bind(&names)
        .execute(&owner)
        .await
        .unwrap();
        sleep(Duration::from_secs(2)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_program_keeps_what_it_leads_and_the_newer_ones_share_the_rest_and_what_it_leaves() {
    let standing = runtime().await;
    let (first, owner) = (&standing.runtime, &standing.runtime.pools.owner);
    let older = tokio::spawn(older_program(owner.clone(), names(4).collect()));
    until("the older leads", SHARED, owner, &[first], |_, others| others == 4).await;
    let floor = Led::default();
    lead(first, names(9), &floor);
    until("the rest is led", SHARED, owner, &[first], |own, others| own == [5] && others == 4).await;
    let second = runtime_at(&standing.database.url).await;
    lead(&second, names(9), &floor);
    let nodes = [first, &second];
    until("the rest is shared", SHARED, owner, &nodes, |own, others| own == [3, 2] && others == 4).await;
    older.abort();
    until("all is shared", SHARED, owner, &nodes, |own, others| {
        own.iter().sum::<usize>() == 9 && own[0].abs_diff(own[1]) == 1 && others == 0
    })
    .await;
    assert_eq!(floor.lock().unwrap().twice, Vec::<String>::new(), "led by two at once");
}

/// Notes each event that it answers.
struct Bell(Arc<Mutex<Vec<Position>>>);

#[async_trait]
impl Reactor for Bell {
    fn name(&self) -> &'static str {
        "bell"
    }

    fn categories(&self) -> &'static [&'static str] {
        &["stall"]
    }

    async fn react(&self, event: &Recorded) -> Result<(), ReactError> {
        self.0.lock().unwrap().push(event.position);
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_projector_and_a_reactor_that_change_hands_amid_their_work_do_each_event_once() {
    let standing = runtime().await;
    let (first, owner) = (&standing.runtime, &standing.runtime.pools.owner);
    let second = runtime_at(&standing.database.url).await;
    make_table(owner).await;
    open_stall(first, "a").await;
    let rung = Arc::new(Mutex::new(Vec::new()));
    for node in [first, &second] {
        let projectors = Projectors::new(node.clone(), vec![Arc::new(Stalls::default())]);
        let reactors = Reactors::new(node.clone(), vec![Arc::new(Bell(Arc::clone(&rung)))]);
        tokio::spawn(async move { projectors.run().await });
        tokio::spawn(async move { reactors.run().await });
    }
    let (sells, ends) = tokio::sync::oneshot::channel::<()>();
    let selling = tokio::spawn({
        let runtime = first.clone();
        async move {
            let mut sold = 0;
            let mut ends = ends;
            while ends.try_recv() == Err(tokio::sync::oneshot::error::TryRecvError::Empty) {
                let sell = StallCommand::Sell(1);
                runtime.desk.execute::<Stall>(&"a".to_owned(), sell, &ctx()).await.unwrap();
                sold += 1;
                sleep(Duration::from_millis(5)).await;
            }
            sold
        }
    });
    // Both go to whoever leads less, because the other has what it alone wants.
    for (heavy, light) in [(first, &second), (&second, first)] {
        let mut ballast = Vec::new();
        for number in 0..5 {
            let mut lease = heavy.lease(&format!("of {} {number}", heavy.node)).await;
            timeout(SHARED, lease.held()).await.expect("nobody else wants it");
            ballast.push(lease);
        }
        let led = async {
            loop {
                let led = terms(owner).await.into_iter().filter(|(name, ..)| name.contains(':'));
                if led.filter(|(_, holder, _)| **holder == *light.node).count() == 2 {
                    return;
                }
                sleep(Duration::from_millis(50)).await;
            }
        };
        timeout(SHARED, led).await.expect("who leads less leads both");
        sleep(Duration::from_millis(500)).await;
    }
    drop(sells);
    let sales = timeout(SHARED, selling).await.unwrap().unwrap();
    caught_up(first).await;
    assert_eq!(sold(first).await, [("a".to_owned(), sales)]);
    let head = first.reader.head().await.unwrap();
    let all_rung = async {
        while rung.lock().unwrap().last() != Some(&head) {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(SHARED, all_rung).await.expect("the last event is answered");
    let expected: Vec<Position> = (1..=head.0).map(Position).collect();
    assert_eq!(*rung.lock().unwrap(), expected, "each event once, in order");
}
