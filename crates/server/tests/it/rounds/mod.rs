//! Rounds of faults: two nodes, their servers and those who use them, and by seed something that goes wrong. Afterwards an oracle looks
//! whether every promise held. `cargo xtask faults` plays them.

mod bans;
mod clock;
mod line;
mod load;
mod once;
mod oracle;
mod plan;
mod reader;
mod report;
mod watcher;
mod writers;

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures::FutureExt;
use serde_json::json;
use sqlx::PgPool;
use tokio::task::JoinHandle;
use vocabulary::{Clock, SystemClock};

use self::clock::FakeClock;
use self::line::{Line, Passes};
use self::load::{Done, KEYED, Load, Speaker};
use self::oracle::{Heard, PROMISES};
use self::plan::{Fault, NODES, Step, To, jumping, plan};
use self::reader::Readers;
use self::report::Timeline;
use self::watcher::Watcher;
use crate::bike::Bike;
use crate::city::{City, Enrolled};
use crate::client::{Browser, Machine};
use crate::money_kills::Crowd;
use crate::stack::{ADMIN, Node, Stack, eventually, more};

const BIKES: usize = 2 * KEYED;
const CUSTOMERS: usize = 3;
const PATIENCE: Duration = Duration::from_mins(2);
/// A round that is not over by then never will be.
const LONGEST: Duration = Duration::from_mins(8);

/// What is there when the load is over, for the oracle.
pub struct World {
    stack: Stack,
    owner: PgPool,
    /// The administrator's, at each node.
    browsers: Vec<Browser>,
    machines: Vec<Machine>,
    city: Arc<City>,
    watchers: Vec<Watcher>,
    readers: Readers,
    done: Done,
    turns: usize,
    /// Who led what, in the order in which it was seen: name, holder, term.
    terms: Vec<(String, String, i64)>,
    messages: Vec<Heard>,
    /// By how many seconds a node's clock was ahead at most.
    ahead_s: i64,
}

impl World {
    /// The bikes at which work was asked for under a key.
    fn keyed(&self) -> &[Enrolled] {
        &self.city.bikes[..KEYED]
    }
}

/// A node, and the lines that lead from it.
struct Station {
    number: usize,
    /// How many there were before it.
    processes: usize,
    node: Option<Node>,
    port: u16,
    postgres: Line,
    nats: Line,
    /// Where its clock can be made to jump.
    clock: Option<FakeClock>,
}

impl Station {
    async fn start(stack: &Stack, number: usize, jumps: bool) -> Self {
        let url = stack.database_url();
        let (_, behind) = url.rsplit_once('@').expect("user@host");
        let postgres = Line::before(behind.split_once('/').expect("host/database").0).await;
        let nats = Line::before(stack.nats.url().trim_start_matches("nats://")).await;
        let clock = jumps.then(|| FakeClock::new(&stack.state_dir().join(format!("clock-{number}"))));
        let mut station = Self { number, processes: 0, node: None, port: 0, postgres, nats, clock };
        station.begin(stack, None);
        station
    }

    fn begin(&mut self, stack: &Stack, port: Option<u16>) {
        let url = stack.database_url();
        let (user, behind) = url.rsplit_once('@').expect("user@host");
        let database = behind.split_once('/').expect("host/database").1;
        let database_url = format!("{user}@127.0.0.1:{}/{database}", self.postgres.port);
        let database_url = writers::named(&database_url, self.number, self.processes, stack.is_ahead());
        self.processes += 1;
        let nats_url = format!("nats://127.0.0.1:{}", self.nats.port);
        let mut settings = vec![("DATABASE_URL", database_url.as_str()), ("NATS_URL", &nats_url)];
        settings.extend(self.clock.iter().flat_map(FakeClock::settings));
        let node = stack.node_with(port, &settings);
        self.port = node.port;
        self.node = Some(node);
    }

    /// Ends it and begins anew, with the program that is the stack's now.
    fn restart(&mut self, stack: &Stack) {
        self.node.take().expect("it runs").kill9();
        self.begin(stack, Some(self.port));
    }

    fn line(&self, to: To) -> &Line {
        match to {
            To::Postgres => &self.postgres,
            To::Nats => &self.nats,
        }
    }

    fn clock(&self) -> &FakeClock {
        self.clock.as_ref().expect("the plan lets it jump")
    }

    fn node(&self) -> &Node {
        self.node.as_ref().expect("it runs")
    }
}

async fn begin(
    fault: Fault,
    stack: &Stack,
    owner: &PgPool,
    stations: &mut [Station],
    timeline: &Arc<Timeline>,
) -> Option<JoinHandle<()>> {
    timeline.note(format!("{fault:?}"));
    match fault {
        Fault::KillNode(node) => {
            stations[node].node.take().expect("it runs").kill9();
        }
        Fault::FreezeNode(node) => stations[node].node().freeze(),
        Fault::KillPostgres => stack.postgres().kill9().await,
        Fault::KillNats => stack.nats.kill9().await,
        Fault::ShutLine(node, to) => stations[node].line(to).let_pass(Passes::Nobody),
        Fault::StillLine(node, to) => stations[node].line(to).let_pass(Passes::Nothing),
        Fault::Upgrade(node) => {
            let older = (!stack.is_ahead()).then_some(writers::versions(owner).await);
            stack.go_ahead();
            stations[node].restart(stack);
            if let Some(older) = older {
                // From here on the older program stands beside tables of the newer one.
                writers::renewed(owner, &older).await;
                timeline.note("tables are of newer rules");
            }
        }
        Fault::JumpClock(node, seconds) => stations[node].clock().jump(seconds),
        Fault::FillDisk => {
            if !stack.postgres().fill_disk().await {
                timeline.note("left out: no disk may be mounted here");
            }
        }
        Fault::CutAppend(node, when) => stations[node].postgres.cut_append(when),
        Fault::Swap(model) => {
            let mut rebuild = stack.command(&["rebuild", model]);
            let timeline = Arc::clone(timeline);
            return Some(tokio::spawn(async move {
                let output = tokio::task::spawn_blocking(move || rebuild.output()).await.expect("it ran");
                let how = output.expect("the binary runs").status;
                timeline.note(format!("the rebuild of {model} ended: {how}"));
            }));
        }
    }
    None
}

async fn end(faults: &[Fault], stack: &Stack, stations: &mut [Station], timeline: &Timeline) {
    for fault in faults {
        match *fault {
            Fault::KillPostgres => stack.postgres().restart().await,
            Fault::KillNats => stack.nats.restart().await,
            Fault::ShutLine(node, to) | Fault::StillLine(node, to) => {
                stations[node].line(to).let_pass(Passes::All);
            }
            Fault::CutAppend(node, _) => {
                let cuts = stations[node].postgres.cut_no_more();
                timeline.note(format!("cut {cuts} times at node {node} so far"));
            }
            Fault::FreezeNode(node) => stations[node].node().thaw(),
            Fault::JumpClock(node, _) => stations[node].clock().jump(0),
            Fault::FillDisk => stack.postgres().empty_disk().await,
            Fault::Upgrade(upgraded) => {
                for node in (0..NODES).filter(|node| *node != upgraded) {
                    stations[node].restart(stack);
                }
            }
            Fault::KillNode(_) | Fault::Swap(_) => {}
        }
    }
    // A node begins when what it needs is there again.
    for fault in faults {
        if let Fault::KillNode(node) = *fault {
            let port = stations[node].port;
            stations[node].begin(stack, Some(port));
        }
    }
    timeline.note("all is well again");
}

async fn play(
    steps: &[Step],
    stack: &Stack,
    owner: &PgPool,
    stations: &mut [Station],
    timeline: &Arc<Timeline>,
) {
    for step in steps {
        tokio::time::sleep(step.pause).await;
        let mut rebuilds = Vec::new();
        for fault in &step.faults {
            rebuilds.extend(begin(*fault, stack, owner, stations, timeline).await);
        }
        tokio::time::sleep(step.lasts).await;
        end(&step.faults, stack, stations, timeline).await;
        for rebuild in rebuilds {
            rebuild.await.expect("the rebuild was told of");
        }
    }
}

type Shared<T> = Arc<Mutex<Vec<T>>>;

fn taken<T>(shared: &Shared<T>) -> Vec<T> {
    std::mem::take(&mut *shared.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Writes down who leads what, ten times a second, while the database answers.
fn watch_terms(owner: PgPool, terms: &Shared<(String, String, i64)>) -> JoinHandle<()> {
    let terms = Arc::clone(terms);
    tokio::spawn(async move {
        loop {
            let sql =
                "select name, holder, token from log.leases where until > clock_timestamp() and holder <> ''";
            let look = sqlx::query_as::<_, (String, String, i64)>(sql).fetch_all(&owner);
            if let Ok(Ok(found)) = tokio::time::timeout(Duration::from_secs(2), look).await {
                let mut terms = terms.lock().unwrap_or_else(PoisonError::into_inner);
                for term in found {
                    if terms.iter().rev().find(|(name, ..)| *name == term.0) != Some(&term) {
                        terms.push(term);
                    }
                }
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    })
}

/// One round; its report, and whether every promise held.
async fn round(seed: u64, timeline: Arc<Timeline>) -> (String, bool) {
    let stack = Stack::on_small_disk().await;
    let steps = plan(seed);
    let mut stations = Vec::new();
    for number in 0..NODES {
        let jumps = jumping(&steps).any(|(node, _)| node == number);
        stations.push(Station::start(&stack, number, jumps).await);
    }
    stack.know_the_administrator().await;
    let owner = stack.owner().await;
    writers::watch(&owner).await;
    let readers = Readers::begin(&stack, Duration::from_millis(150)).await;
    let urls: Vec<String> = stations.iter().map(|station| station.node().url.clone()).collect();
    let token = stack.full_machine().await;
    let machines: Vec<Machine> = urls.iter().map(|url| Machine::new(url, &token)).collect();
    for url in &urls {
        eventually("the machine may speak at every node", PATIENCE, async || {
            let city = Machine::new(url, &token).get("/open/v1/rider/nearby?lat=24.5&lng=118.1").await;
            (city.status != 401 && city.status != 403).then_some(())
        })
        .await;
    }
    let city = Arc::new(City::build(&machines[0], "F", 2, BIKES).await);
    let credential = machines[0].ok("/open/v1/gateways", &json!({"name": "faults"})).await;
    let login = (credential["user"].as_str().unwrap(), credential["secret"].as_str().unwrap());
    let (mut gateway, _) =
        Bike::try_connect(&stack.nats.mqtt_addr(), Some(login), "ebike/+/down").await.expect("a gateway");
    let (_, silent) = tokio::sync::mpsc::channel(1);
    let mut down = std::mem::replace(&mut gateway.down, silent);
    let messages: Shared<Heard> = Arc::default();
    let heard = Arc::clone(&messages);
    let listening = tokio::spawn(async move {
        while let Some((topic, message)) = down.recv().await {
            let at = SystemClock.now().millis();
            heard.lock().unwrap_or_else(PoisonError::into_inner).push((topic, message, at));
        }
    });
    let gateway = Arc::new(gateway);
    let crowd = Crowd::gather(&stack, &machines, "K", CUSTOMERS).await;
    let browser = Browser::signed_in(&urls[0], ADMIN).await;
    let place = (city.lat, city.lng);
    let browsers: Vec<Browser> = urls.iter().map(|url| browser.at(url)).collect();
    let watchers = (0..NODES)
        .map(|first| Watcher::begin(browsers.clone(), place, first, Arc::clone(&timeline)))
        .collect();
    let terms = Shared::default();
    let watching = watch_terms(owner.clone(), &terms);
    let speaker = Speaker {
        machines: machines.clone(),
        timeline: Arc::clone(&timeline),
        stop: Arc::new(AtomicBool::new(false)),
        done: Arc::new(AtomicUsize::new(0)),
    };
    let load = Load::begin(speaker.clone(), &browsers, &gateway, &city);
    more(&speaker.done, 40, PATIENCE).await;

    timeline.note("all is set up");
    play(&steps, &stack, &owner, &mut stations, &timeline).await;

    more(&speaker.done, 40, PATIENCE).await;
    timeline.note("work goes on");
    crowd.go_on_by(CUSTOMERS).await;
    timeline.note("rides go on");
    let done = load.end().await;
    timeline.note(format!(
        "{} commands were acknowledged, {} bikes came, {} bans were drawn, {} bikes told to reboot; without a key: {:?}",
        done.told.len(),
        done.enrolled.len(),
        done.bans.len(),
        done.reboots,
        done.once
    ));
    let turns = crowd.dismissed().await;
    timeline.note("the last riders are home");
    watching.abort();
    let world = World {
        owner: stack.owner().await,
        stack,
        browsers,
        machines,
        city,
        watchers,
        readers,
        done,
        turns,
        terms: taken(&terms),
        messages: taken(&messages),
        ahead_s: jumping(&steps).map(|(_, seconds)| i64::from(seconds)).fold(0, i64::max),
    };
    let mut failed = None;
    for (promise, look) in PROMISES {
        if let Err(panic) = AssertUnwindSafe(look(&world)).catch_unwind().await {
            failed = Some((*promise, oracle::said(&*panic)));
            break;
        }
        timeline.note(format!("held: {promise}"));
    }
    listening.abort();
    let last_words: Vec<String> = stations.iter().map(|station| station.node().last_words()).collect();
    let told = timeline.told(failed.as_ref().map(|(promise, seen)| (*promise, seen.as_str())));
    let whole = failed.is_none();
    (if whole { told } else { format!("{told}\n{}", last_words.join("\n\n")) }, whole)
}

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().map_or(otherwise, |text| text.parse().expect(name))
}

/// Plays a seed's round; panics with its report when a promise was broken.
async fn play_seed(seed: u64) {
    let begun = Instant::now();
    let timeline = Arc::new(Timeline::new(seed));
    let (report, held) = tokio::time::timeout(LONGEST, round(seed, Arc::clone(&timeline)))
        .await
        .unwrap_or_else(|_| (timeline.told(Some(("a round ends", "it stands still"))), false));
    assert!(held, "{report}");
    println!("seed {seed}: every promise held, {:.0} s", begun.elapsed().as_secs_f64());
}

// Everything that may go wrong comes up in one of these three.
#[tokio::test(flavor = "multi_thread")]
async fn a_first_round_holds() {
    play_seed(3).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_round_holds() {
    play_seed(4).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_third_round_holds() {
    play_seed(34).await;
}

/// `WHEELHOUSE_FAULT_ROUNDS` rounds from seed `WHEELHOUSE_FAULT_SEED` on.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes as long as is asked for: cargo xtask faults plays it"]
async fn whatever_goes_wrong_every_promise_holds() {
    let (rounds, first) = (setting("WHEELHOUSE_FAULT_ROUNDS", 3), setting("WHEELHOUSE_FAULT_SEED", 1));
    for seed in first..first + rounds {
        play_seed(seed).await;
    }
}
