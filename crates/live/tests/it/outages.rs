//! What the database, the stream, clocks and readers may do to what bikes say.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream;
use live::ingest::{Ingest, enrol_some};
use live::report::Report;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use vocabulary::{Clock, SystemClock, Timestamp};

use crate::delivery::until;
use crate::ingest::{City, lead, report, say, say_as};

/// A device that speaks before its bike is known.
const NEW: &str = "860000000000088";

fn shows(node: &Ingest, soc: u8) -> bool {
    node.memory.latest("K17").is_some_and(|latest| latest.soc_percent == soc)
}

/// A bike whose clock is an hour behind tells its charge.
fn told(minutes_ago: i64, soc: u8) -> Report {
    report(SystemClock.now().plus_millis(-3_600_000 - minutes_ago * 60_000), soc)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_stored_and_not_kept_is_known_to_every_later_leader() {
    let city = City::found().await;
    let (bike, _down) = city.bike().await;
    let (first, stop) = (city.node().await, CancellationToken::new());
    let leading = lead(&first, 1, &stop);
    say(&bike, "up", told(30, 80).compact().to_vec()).await;
    city.rows_reach(1).await;
    stop.cancel();
    leading.await.unwrap().unwrap();

    // It stores the second report and dies before it keeps what that said.
    let mut second = city.node().await;
    second.settings.keep_every = Duration::from_mins(10);
    let dying = lead(&second, 2, &CancellationToken::new());
    say(&bike, "up", told(20, 55).compact().to_vec()).await;
    city.rows_reach(2).await;
    dying.abort();
    let _ = dying.await;

    for token in [3, 4] {
        let (node, stop) = (city.node().await, CancellationToken::new());
        let leading = lead(&node, token, &stop);
        until("the newest state", async || shows(&node, 55)).await;
        // What happened meanwhile to others is kept, so that the newest keeping is of now.
        sqlx::query("update live.ingest set kept_at = now() where name = 'live-kept'")
            .execute(&city.pool)
            .await
            .unwrap();
        stop.cancel();
        leading.await.unwrap().unwrap();
    }
    let kept: i16 =
        sqlx::query_scalar("select soc from live.vehicle_live").fetch_one(&city.pool).await.unwrap();
    assert_eq!(kept, 55, "the next one finds it though its history may be gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_follows_shows_what_was_kept_and_who_went_silent() {
    let city = City::found().await;
    let (bike, _down) = city.bike().await;
    let (first, stop) = (city.node().await, CancellationToken::new());
    let leading = lead(&first, 1, &stop);
    say(&bike, "up", report(SystemClock.now(), 64).compact().to_vec()).await;
    city.rows_reach(1).await;
    stop.cancel();
    leading.await.unwrap().unwrap();

    let mut node = city.node().await;
    node.clock = Arc::new(Ahead(4 * 60_000));
    node.settings.sweep_every = Duration::from_millis(50);
    let follows = CancellationToken::new();
    let following = tokio::spawn({
        let (node, follows) = (node.clone(), follows.clone());
        async move { node.follow(follows).await }
    });
    until("what was kept", async || shows(&node, 64)).await;
    assert!(node.memory.latest("K17").unwrap().online);
    follows.cancel();
    following.await.unwrap().unwrap();

    node.clock = Arc::new(Ahead(6 * 60_000));
    let (later, follows) = (node.clone(), CancellationToken::new());
    let following = tokio::spawn({
        let follows = follows.clone();
        async move { later.follow(follows).await }
    });
    until("that it is offline", async || !node.memory.latest("K17").unwrap().online).await;
    follows.cancel();
    following.await.unwrap().unwrap();
}

/// Carries bytes between whoever comes to a port and NATS, until it is aborted: then all lines are cut.
async fn bridge(listener: &TcpListener, target: &str) {
    let mut lines = JoinSet::new();
    loop {
        let (mut client, _) = listener.accept().await.unwrap();
        let mut server = TcpStream::connect(target).await.unwrap();
        lines.spawn(async move { tokio::io::copy_bidirectional(&mut client, &mut server).await });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_follows_finds_what_was_said_while_his_line_was_away() {
    let city = City::found().await;
    let (bike, _down) = city.bike().await;
    let (leader, stop) = (city.node().await, CancellationToken::new());
    let leading = lead(&leader, 1, &stop);

    let listener = Arc::new(TcpListener::bind("127.0.0.1:0").await.unwrap());
    let target = city.nats.url().trim_start_matches("nats://").to_owned();
    let open = || {
        let (listener, target) = (Arc::clone(&listener), target.clone());
        tokio::spawn(async move { bridge(&listener, &target).await })
    };
    let first = open();
    let mut node = city.node().await;
    node.nats = async_nats::connect(format!("nats://{}", listener.local_addr().unwrap())).await.unwrap();
    let (following, follows) = (node.clone(), CancellationToken::new());
    let following = tokio::spawn({
        let follows = follows.clone();
        async move { following.follow(follows).await }
    });
    say(&bike, "up", told(30, 80).compact().to_vec()).await;
    until("he hears it", async || shows(&node, 80)).await;

    first.abort();
    let _ = first.await;
    say(&bike, "up", told(20, 55).compact().to_vec()).await;
    city.rows_reach(2).await;
    assert!(shows(&node, 80), "nobody told him");
    let _second = open();
    until("he finds it", async || shows(&node, 55)).await;
    follows.cancel();
    following.await.unwrap().unwrap();
    stop.cancel();
    leading.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bike_that_speaks_before_word_of_its_enrolment_came_is_shown_when_that_comes_and_stored() {
    let city = City::found().await;
    let (bike, _down) = city.bike().await;
    let mut nodes = [city.node().await, city.node().await];
    for node in &mut nodes {
        node.settings.sweep_every = Duration::from_millis(50);
    }
    let stop = CancellationToken::new();
    let leading = lead(&nodes[0], 1, &stop);
    let following = tokio::spawn({
        let (node, stop) = (nodes[1].clone(), stop.clone());
        async move { node.follow(stop).await }
    });
    // The follower subscribes: that he hears says that he does.
    let mut ago = 30;
    until("both hear", async || {
        ago -= 1;
        say(&bike, "up", told(ago, 80).compact().to_vec()).await;
        nodes.iter().all(|node| shows(node, 80))
    })
    .await;
    let before = city.rows().await;
    say_as(&bike, NEW, "up", report(SystemClock.now(), 61).compact().to_vec()).await;
    say(&bike, "up", told(0, 79).compact().to_vec()).await;
    until("what was said after it", async || nodes.iter().all(|node| shows(node, 79))).await;

    city.enrol("K88", NEW, 2).await;
    for node in &nodes {
        enrol_some(&city.pool, &node.memory, &SystemClock, &["K88".to_owned()]).await.unwrap();
    }
    for node in &nodes {
        let charge = async || node.memory.latest("K88").is_some_and(|latest| latest.soc_percent == 61);
        until("what it said", charge).await;
    }
    // With whatever comes next.
    say(&bike, "up", report(SystemClock.now(), 78).compact().to_vec()).await;
    until("its row", async || {
        let sql = "select count(*) from live.telemetry where soc = 61";
        sqlx::query_scalar::<_, i64>(sql).fetch_one(&city.pool).await.unwrap() == 1
    })
    .await;
    assert!(city.rows().await > before);
    stop.cancel();
    leading.await.unwrap().unwrap();
    following.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_leader_could_not_store_the_next_one_does() {
    let city = City::found().await;
    let (bike, _down) = city.bike().await;
    let (first, stop) = (city.node().await, CancellationToken::new());
    let leading = lead(&first, 1, &stop);
    say_as(&bike, NEW, "up", report(SystemClock.now(), 61).compact().to_vec()).await;
    say(&bike, "up", told(10, 70).compact().to_vec()).await;
    city.rows_reach(1).await;
    // Word of the new bike comes too late for him.
    stop.cancel();
    leading.await.unwrap().unwrap();
    city.enrol("K88", NEW, 2).await;

    let (second, stop) = (city.node().await, CancellationToken::new());
    let leading = lead(&second, 2, &stop);
    let charge = async || second.memory.latest("K88").is_some_and(|latest| latest.soc_percent == 61);
    until("what it said", charge).await;
    city.rows_reach(2).await;
    say(&bike, "up", told(9, 69).compact().to_vec()).await;
    city.rows_reach(3).await;
    stop.cancel();
    leading.await.unwrap().unwrap();
    assert_eq!(city.rows().await, 3, "each once");
    let resumes: Option<i64> = sqlx::query_scalar("select resume_seq from live.ingest where name = 'live'")
        .fetch_one(&city.pool)
        .await
        .unwrap();
    assert_eq!(resumes, None, "nobody waits any more");
}

/// A clock so many milliseconds ahead.
struct Ahead(i64);

impl Clock for Ahead {
    fn now(&self) -> Timestamp {
        SystemClock.now().plus_millis(self.0)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_locked_table_stops_neither_the_map_nor_judgement_and_loses_nothing() {
    let city = City::found().await;
    let (bike, _down) = city.bike().await;
    let mut node = city.node().await;
    node.settings.batch_rows = 5;
    let stop = CancellationToken::new();
    let leading = lead(&node, 1, &stop);
    let start = SystemClock.now().plus_millis(-3_600_000);
    let speak = async |n: i64, soc: u8| {
        say(&bike, "up", report(start.plus_millis(n * 1000), soc).compact().to_vec()).await;
    };
    speak(0, 90).await;
    city.rows_reach(1).await;

    let mut busy = city.pool.begin().await.unwrap();
    sqlx::query("lock table live.telemetry in access exclusive mode").execute(&mut *busy).await.unwrap();
    // More than a batch and what is being stored hold.
    let mut said = 1;
    until("what bikes say now", async || {
        speak(said, 12).await;
        said += 1;
        said > 20 && node.memory.latest("K17").unwrap().report_at == start.plus_millis((said - 1) * 1000)
    })
    .await;
    until("its low charge told", async || city.alarms().contains(&("K17".to_owned(), true))).await;
    busy.rollback().await.unwrap();
    city.rows_reach(said).await;
    stop.cancel();
    leading.await.unwrap().unwrap();
    let distinct: i64 = sqlx::query_scalar("select count(distinct at) from live.telemetry")
        .fetch_one(&city.pool)
        .await
        .unwrap();
    assert_eq!((city.rows().await, distinct), (said, said), "each once");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attempt_that_stored_and_was_not_answered_is_not_stored_again() {
    let city = City::found().await;
    let (bike, _down) = city.bike().await;
    let mut node = city.node().await;
    node.settings.batch_time = Duration::from_secs(2);
    let stop = CancellationToken::new();
    let leading = lead(&node, 1, &stop);
    say(&bike, "up", told(10, 70).compact().to_vec()).await;
    until("the report", async || shows(&node, 70)).await;
    // As if the answer to the commit had been lost: message 1 is stored, and nobody here knows.
    sqlx::query("update live.ingest set stream_seq = 1, stream_born = $1 where name = 'live'")
        .bind(city.born().await)
        .execute(&city.pool)
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_secs(3)).await;
    say(&bike, "up", told(9, 69).compact().to_vec()).await;
    city.rows_reach(1).await;
    stop.cancel();
    leading.await.unwrap().unwrap();
    assert_eq!(city.rows().await, 1, "the second alone");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_lost_its_end_is_gone_on_with() {
    let city = City::found().await;
    let (bike, _down) = city.bike().await;
    let (first, stop) = (city.node().await, CancellationToken::new());
    let leading = lead(&first, 1, &stop);
    say(&bike, "up", told(10, 80).compact().to_vec()).await;
    city.rows_reach(1).await;
    stop.cancel();
    leading.await.unwrap().unwrap();
    // What was stored had numbers that the stream gives again.
    sqlx::query("update live.ingest set stream_seq = 1000 where name = 'live'")
        .execute(&city.pool)
        .await
        .unwrap();

    let (second, stop) = (city.node().await, CancellationToken::new());
    let leading = lead(&second, 2, &stop);
    say(&bike, "up", told(9, 79).compact().to_vec()).await;
    city.rows_reach(2).await;
    stop.cancel();
    leading.await.unwrap().unwrap();
    let seq: i64 = sqlx::query_scalar("select stream_seq from live.ingest where name = 'live'")
        .fetch_one(&city.pool)
        .await
        .unwrap();
    assert_eq!(seq, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn days_are_made_beside_a_long_reader_and_reports_go_on() {
    let city = City::found().await;
    let (bike, _down) = city.bike().await;
    let mut reader = city.pool.begin().await.unwrap();
    let empty: i64 =
        sqlx::query_scalar("select count(*) from live.telemetry").fetch_one(&mut *reader).await.unwrap();
    assert_eq!(empty, 0);
    let (node, stop) = (city.node().await, CancellationToken::new());
    let leading = lead(&node, 1, &stop);
    say(&bike, "up", report(SystemClock.now(), 80).compact().to_vec()).await;
    city.rows_reach(1).await;
    assert_eq!(city.days().await, 5, "yesterday, today and three more");
    reader.rollback().await.unwrap();
    stop.cancel();
    leading.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn days_that_are_too_old_go_and_a_clock_that_jumped_makes_none_old() {
    let city = City::found().await;
    let (bike, _down) = city.bike().await;
    let (first, stop) = (city.node().await, CancellationToken::new());
    let leading = lead(&first, 1, &stop);
    say(&bike, "up", report(SystemClock.now(), 80).compact().to_vec()).await;
    city.rows_reach(1).await;
    sqlx::raw_sql(
        "create table live.telemetry_20200101 partition of live.telemetry
             for values from ('2020-01-01 00:00+00') to ('2020-01-02 00:00+00')",
    )
    .execute(&city.pool)
    .await
    .unwrap();
    stop.cancel();
    leading.await.unwrap().unwrap();

    let mut jumped = city.node().await;
    jumped.clock = Arc::new(Ahead(400 * 86_400_000));
    let stop = CancellationToken::new();
    let leading = lead(&jumped, 2, &stop);
    until("the old day gone, and the days of then", async || city.days().await == 10).await;
    stop.cancel();
    leading.await.unwrap().unwrap();
    assert_eq!(city.rows().await, 1, "what bikes said today is there");
}

impl City {
    /// How many days of history there are.
    async fn days(&self) -> i64 {
        let of = "select count(*) from pg_inherits where inhparent = 'live.telemetry'::regclass";
        sqlx::query_scalar(of).fetch_one(&self.pool).await.unwrap()
    }

    /// When the stream was made.
    async fn born(&self) -> String {
        let context = jetstream::new(self.client().await);
        let stream = context.get_stream("TELEMETRY").await.unwrap();
        stream.cached_info().created.unix_timestamp_nanos().to_string()
    }
}
