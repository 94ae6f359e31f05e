//! What has to be so after a round, whatever went wrong in it. A new promise is a new line of [`PROMISES`] and the few lines that look:
//! they assert, and what they say is what is reported.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use futures::future::LocalBoxFuture;
use serde_json::Value;
use sqlx::PgPool;

use super::load::Told;
use super::plan::{JUMP_S, MODELS};
use super::reader::Readers;
use super::{World, bans, once, writers};
use crate::faults::every_bike_enrolled_once;
use crate::money_kills;
use crate::screen::{Screen, Seen};
use crate::stack::eventually;
use crate::stream;

const PATIENCE: Duration = Duration::from_mins(1);
/// A command ends by the clock of the node that was asked.
const ENDED: Duration = Duration::from_secs(60 + JUMP_S.unsigned_abs() as u64);

/// What holds, and who looks.
type Promise = (&'static str, for<'a> fn(&'a World) -> LocalBoxFuture<'a, ()>);

/// In the order in which they are looked at: what is built on another comes after it.
pub const PROMISES: &[Promise] = &[
    ("a command that nobody answers ends by itself", |world| Box::pin(quiet(&world.owner))),
    ("positions of the log have no gaps", |world| Box::pin(no_gaps(world))),
    ("an acknowledged command stands once", |world| Box::pin(every_command_once(world))),
    ("what is asked for once and without a key is answered as it was done", |world| {
        Box::pin(once::as_answered(world))
    }),
    ("an acknowledged bike stands once", |world| {
        Box::pin(every_bike_enrolled_once(&world.owner, &world.done.enrolled))
    }),
    ("an acknowledged fence stands once", |world| Box::pin(bans::each_once(&world.owner, &world.done.bans))),
    ("NATS carries the log, each event once and in order", |world| Box::pin(relayed(world))),
    ("one leads at a time, and no term comes back", |world| Box::pin(async { one_leads(world) })),
    ("a term is of one process", |world| Box::pin(writers::one_in_a_term(&world.owner))),
    ("a program of older rules leaves tables of newer ones alone", |world| {
        Box::pin(writers::one_of_a_version(&world.owner))
    }),
    ("read models are what the log says", |world| Box::pin(rebuilt(world))),
    ("who reads while a table is swapped sees it whole", |world| Box::pin(seen_whole(world))),
    ("the log is what was written", |world| Box::pin(verified(world))),
    ("money in equals money out", |world| Box::pin(money(world))),
    ("no bike is in two rides, nobody rides two, no order is without its bike", |world| {
        Box::pin(rides(world))
    }),
    ("every node judges by the fences that count", |world| Box::pin(bans::judged(world))),
    ("a report is kept once", |world| Box::pin(telemetry(world))),
    ("a message to a bike says when it ends, fifteen seconds later at most", |world| {
        Box::pin(async { messages(world) })
    }),
    ("a map that came back shows the fleet as it is", |world| Box::pin(maps(world))),
];

async fn rows<T>(owner: &PgPool, sql: &'static str) -> Vec<T>
where
    T: for<'r> sqlx::FromRow<'r, sqlx::postgres::PgRow> + Send + Unpin,
{
    sqlx::query_as(sql).fetch_all(owner).await.expect("the database answers")
}

async fn no_gaps(world: &World) {
    let found: Vec<(i64, i64, i64)> = rows(
        &world.owner,
        "select count(*), coalesce(min(position), 1), coalesce(max(position), 0) from log.events",
    )
    .await;
    let (count, first, last) = found[0];
    assert_eq!((first, count), (1, last), "(first position, events) and (1, last position)");
}

async fn every_command_once(world: &World) {
    let found: Vec<(String, String, String, i64)> = rows(
        &world.owner,
        "select split_part(meta::jsonb ->> 'request_id', ':', 2), category, stream_id, position from log.events
         where meta::jsonb ->> 'request_id' is not null and type = 'vehicle.ride-state-changed' order by position",
    )
    .await;
    let mut by_key: BTreeMap<String, Vec<(String, String, i64)>> = BTreeMap::new();
    for (key, category, id, position) in found {
        by_key.entry(key).or_default().push((category, id, position));
    }
    for Told { key, car, position } in &world.done.told {
        let at = by_key.get(key).map(Vec::as_slice).unwrap_or_default();
        assert_eq!(
            at.len(),
            1,
            "{key}, acknowledged at {position}, stands in the log {} times: {at:?}",
            at.len()
        );
        assert_eq!((at[0].0.as_str(), &at[0].1), ("vehicle", car), "{key}");
        assert!(at[0].2 <= *position, "{key} was acknowledged at {position} and stands at {}", at[0].2);
    }
    for bike in world.keyed() {
        let told = world.done.told.iter().filter(|one| one.car == bike.car).count();
        let stands = changes_of(&world.owner, &bike.car).await;
        assert_eq!(stands, told as i64, "events of {} and commands that were acknowledged", bike.car);
    }
}

/// How often work at a bike began or ended.
pub async fn changes_of(owner: &PgPool, car: &str) -> i64 {
    sqlx::query_scalar(
        "select count(*) from log.events where type = 'vehicle.ride-state-changed' and category = 'vehicle' and stream_id = $1",
    )
    .bind(car)
    .fetch_one(owner)
    .await
    .expect("the database answers")
}

/// Waits until nothing happens by itself any more: what nobody answers has timed out.
async fn quiet(owner: &PgPool) {
    eventually("no command waits for its bike", ENDED, async || {
        stream::settled(owner).await;
        let waiting = "select count(*) from read.device_command where state in (0, 1)";
        let waiting: i64 = sqlx::query_scalar(waiting).fetch_one(owner).await.ok()?;
        (waiting == 0).then_some(())
    })
    .await;
}

async fn relayed(world: &World) {
    let head = stream::settled(&world.owner).await;
    stream::relayed(&world.stack, head).await;
}

fn one_leads(world: &World) {
    let mut newest: BTreeMap<&str, (i64, &str)> = BTreeMap::new();
    for (name, holder, token) in &world.terms {
        if let Some((term, by)) = newest.get(name.as_str()) {
            assert!(token >= term, "{name}: term {token} of {holder} after term {term} of {by}");
            assert!(token > term || holder == by, "{name}: term {token} is of {holder} and of {by}");
        }
        newest.insert(name, (*token, holder));
    }
    assert!(!newest.is_empty(), "somebody led");
}

async fn rebuilt(world: &World) {
    // Time alone makes events, too (a command that nobody answers): what was compared has to be of one position.
    for _ in 0..5 {
        let head = stream::settled(&world.owner).await;
        let before = stream::fingerprints(&world.owner).await;
        world.stack.told(&["rebuild", "--all"]).await;
        let after = stream::fingerprints(&world.owner).await;
        if stream::head(&world.owner).await != head {
            continue;
        }
        let differ: Vec<_> =
            before.iter().filter(|(table, print)| after.get(*table) != Some(print)).collect();
        assert!(
            differ.is_empty(),
            "tables that a rebuild at {head} makes otherwise (rows, hash before): {differ:?}"
        );
        return;
    }
    panic!("the log never stands still for the time of a rebuild");
}

async fn verified(world: &World) {
    let head = stream::settled(&world.owner).await;
    let said = world.stack.told(&["verify"]).await;
    assert!(said.contains(&format!("{head} events")), "expected {head} events: {said}");
}

async fn money(world: &World) {
    money_kills::accounts_agree(&world.owner, world.turns).await;
}

async fn rides(world: &World) {
    let twice: Vec<(String, i64)> = rows(
        &world.owner,
        "select 'bike ' || car_id, count(*) from read.ride_order where state in (0, 1) group by 1 having count(*) > 1
         union all
         select 'rider ' || rider_id, count(*) from read.ride_order where state in (0, 1) group by 1 having count(*) > 1",
    )
    .await;
    assert!(twice.is_empty(), "open orders: {twice:?}");
    let alone: Vec<(i64, String)> = rows(
        &world.owner,
        "select order_id, o.car_id from read.ride_order o left join read.vehicle v on v.car_id = o.car_id
         where v.car_id is null or (o.state = 1 and not o.is_unlocking and not o.is_paused and v.riding_state <> 2)",
    )
    .await;
    assert!(alone.is_empty(), "orders whose bikes are not ridden: {alone:?}");
}

async fn telemetry(world: &World) {
    let twice: Vec<(String, String, i64)> = rows(
        &world.owner,
        "select vehicle::text, at::text, count(*) from live.telemetry group by 1, 2 having count(*) > 1 limit 5",
    )
    .await;
    assert!(twice.is_empty(), "reports that are kept more than once: {twice:?}");
}

fn messages(world: &World) {
    // What a command may take in all, by the protocol.
    const MAX_MS: i64 = 15_000;
    for (topic, message, arrived_ms) in &world.messages {
        let number = |name: &str| message[name].as_i64();
        let (Some(sent), Some(expires)) = (number("at"), number("expires_at")) else {
            panic!("{topic}: a message without its times: {message}");
        };
        assert!(expires - sent <= MAX_MS, "{topic}: it would be good for {} ms: {message}", expires - sent);
        assert!(sent < expires, "{topic}: it left when its time was over: {message}");
        // A bike that hears it after its expiry leaves it, by the protocol.
        let ahead_ms = world.ahead_s * 1_000;
        assert!(sent <= *arrived_ms + ahead_ms + 1_000, "{topic}: sent after it arrived: {message}");
    }
}

async fn maps(world: &World) {
    for (node, browser) in world.browsers.iter().enumerate() {
        for (number, watcher) in world.watchers.iter().enumerate() {
            if watcher.holds().node != Some(node) {
                continue;
            }
            eventually(
                &format!("map {number} shows what a newcomer at node {node} sees"),
                PATIENCE,
                async || {
                    let mut fresh = Screen::open(browser).await;
                    fresh.look_at(world.city.lat, world.city.lng).await;
                    let held = watcher.holds();
                    (held.node == Some(node) && held.bikes == fresh.bikes).then_some(())
                },
            )
            .await;
        }
    }
    for (number, watcher) in world.watchers.iter().enumerate() {
        assert!(watcher.holds().node.is_some(), "map {number} is not whole again");
    }
    // Both nodes know the same of the fleet, whatever their slots are.
    let begun = Instant::now();
    loop {
        let (one, other) = (fleet(world, 0).await, fleet(world, 1).await);
        if one == other {
            return;
        }
        let only = |of: &BTreeSet<Seen>, than: &BTreeSet<Seen>| format!("{:?}", of - than);
        assert!(
            begun.elapsed() < PATIENCE,
            "nodes show different fleets for {PATIENCE:?}\nonly node 0: {}\nonly node 1: {}",
            only(&one, &other),
            only(&other, &one)
        );
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// All bikes that a newcomer at a node sees.
async fn fleet(world: &World, node: usize) -> BTreeSet<Seen> {
    let mut fresh = Screen::open(&world.browsers[node]).await;
    fresh.look_at(world.city.lat, world.city.lng).await;
    fresh.bikes.into_values().collect()
}

async fn seen_whole(world: &World) {
    assert_eq!(world.readers.missing(), [""; 0], "rows that were there before");
    // Between the last row of a new table and its turn there is less than a second: somebody is always in the middle of a longer read.
    let later = Duration::from_millis(900);
    let mut patient = Vec::new();
    for _ in 0..3 {
        patient.push(Readers::begin(&world.stack, later).await);
        tokio::time::sleep(later / 3).await;
    }
    for model in MODELS {
        world.stack.told(&["rebuild", model]).await;
    }
    for readers in &patient {
        assert_eq!(readers.missing(), [""; 0], "rows that were there before");
    }
}

/// The text that an assertion failed with.
pub fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

/// A message that a gateway heard: its topic, what it says, and when it came, epoch milliseconds.
pub type Heard = (String, Value, i64);
