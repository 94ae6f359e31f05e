//! Push over real sockets.

use std::sync::atomic::Ordering;
use std::time::Duration;

use live::fleet::VehicleRecord;
use live::push::{EndReason, Ended, Limits, RowsChanged, Whose};
use serde_json::{Value, json};
use vocabulary::{AgentId, AreaId, Clock, DataOwner, OperatorId, SystemClock};

use crate::runtime::{EAST, Runtime, WEST, record};
use crate::screen::Screen;

#[tokio::test]
async fn nobody_is_let_in_without_a_valid_session() {
    let runtime = Runtime::open(2).await;
    for (token, code, bye) in [("stolen", 4401, "auth_refused"), ("disabled", 4403, "disabled")] {
        let mut screen = Screen::open(&runtime.url).await;
        screen.say(&json!({"op": "auth", "token": token, "t": "t"})).await;
        assert_eq!(screen.until_closed().await, code);
        assert_eq!(screen.said("bye").unwrap()["code"], bye);
    }
    let mut hasty = Screen::open(&runtime.url).await;
    hasty.say(&json!({"op": "watch", "topic": "fleet", "bbox": WEST, "zoom": 14})).await;
    assert_eq!(hasty.until_closed().await, 4401);
    assert_eq!(hasty.bikes.len(), 0);
}

#[tokio::test]
async fn who_does_not_say_who_he_is_is_closed() {
    let limits = Limits { auth: Duration::from_millis(200), ..Limits::default() };
    let runtime = Runtime::open_with(0, limits).await;
    let mut screen = Screen::open(&runtime.url).await;
    assert_eq!(screen.until_closed().await, 4408);
    assert_eq!(screen.said("bye").unwrap()["code"], "auth_timeout");
}

#[tokio::test]
async fn without_the_permission_there_is_no_fleet_and_the_socket_stays() {
    let runtime = Runtime::open(2).await;
    let mut screen = Screen::signed_in(&runtime.url, "blind").await;
    screen.say(&json!({"op": "watch", "topic": "fleet", "bbox": WEST, "zoom": 14})).await;
    screen.say(&json!({"op": "watch", "topic": "vehicle/K0"})).await;
    screen.say(&json!({"op": "who", "slot": 0, "n": 1})).await;
    screen.until(|screen| screen.said("who").is_some()).await;
    assert_eq!(screen.texts.iter().filter(|text| text["op"] == "error").count(), 2);
    assert!(screen.said("who").unwrap()["carId"].is_null());
    assert_eq!(screen.bikes.len(), 0);
}

#[tokio::test]
async fn two_viewers_of_two_areas_see_disjoint_bikes() {
    let runtime = Runtime::open(200).await;
    let world = [117.9, 23.9, 118.4, 24.2];
    let (mut first, mut second) =
        tokio::join!(runtime.looking("area1", world), runtime.looking("area2", world));
    let all = runtime.looking("all", world).await;
    for n in 0..200 {
        runtime.report(n, 24.05, 118.05, 70);
    }
    first.until(|screen| screen.holds(100, 70)).await;
    second.until(|screen| screen.holds(100, 70)).await;
    assert_eq!((first.bikes.len(), second.bikes.len(), all.bikes.len()), (100, 100, 200));
    assert!(first.bikes.keys().all(|slot| !second.bikes.contains_key(slot)));
    first.until(|screen| screen.data("fleet").is_some_and(|totals| totals["data"]["shelved"] == 100)).await;

    second.say(&json!({"op": "who", "slot": 0, "n": 7})).await;
    first.say(&json!({"op": "who", "slot": 0, "n": 8})).await;
    second.until(|screen| screen.said("who").is_some()).await;
    first.until(|screen| screen.said("who").is_some()).await;
    assert_eq!(second.said("who").unwrap(), &json!({"op": "who", "slot": 0, "n": 7, "carId": null}));
    assert_eq!(first.said("who").unwrap(), &json!({"op": "who", "slot": 0, "n": 8, "carId": "K0"}));
}

#[tokio::test]
async fn a_bike_that_leaves_the_viewport_or_the_scope_is_gone() {
    let runtime = Runtime::open(4).await;
    let mut screen = runtime.looking("area1", WEST).await;
    assert_eq!(screen.bikes.len(), 2);
    runtime.report(0, 24.05, 118.25, 80);
    screen.until(|screen| !screen.bikes.contains_key(&0)).await;
    runtime.report(0, 24.05, 118.05, 80);
    screen.until(|screen| screen.bikes.contains_key(&0)).await;
    runtime.memory.write().enrol(VehicleRecord { version: 2, ..record(0, 2) }, SystemClock.now());
    screen.until(|screen| !screen.bikes.contains_key(&0)).await;
    assert_eq!(screen.bikes.len(), 1);
}

#[tokio::test]
async fn a_bike_that_crosses_a_cell_stays_on_the_screen() {
    let runtime = Runtime::open(2).await;
    let mut screen = runtime.looking("all", WEST).await;
    for step in 0..6 {
        runtime.report(0, 24.05, 118.02 + f64::from(step) * 0.01, 50 + step as u8);
        screen.until(|screen| screen.bikes.get(&0).is_some_and(|bike| bike[8] == 50 + step as u8)).await;
    }
}

#[tokio::test]
async fn a_viewport_that_moves_gets_the_difference() {
    let runtime = Runtime::open(400).await;
    let mut screen = runtime.looking("all", WEST).await;
    assert_eq!(screen.bikes.len(), 200);
    let kinds = screen.kinds.len();
    let both = [118.0, 24.0, 118.3, 24.1];
    screen.say(&json!({"op": "watch", "topic": "fleet", "bbox": both, "zoom": 14})).await;
    screen.until(|screen| screen.bikes.len() == 400).await;
    screen.say(&json!({"op": "watch", "topic": "fleet", "bbox": EAST, "zoom": 14})).await;
    screen.until(|screen| screen.bikes.len() == 200).await;
    assert!(screen.kinds[kinds..].iter().all(|kind| *kind == 1), "no snapshot was needed");
    let fresh = runtime.looking("all", EAST).await;
    assert_eq!(screen.bikes, fresh.bikes);
}

#[tokio::test]
async fn a_resume_ends_where_a_fresh_snapshot_does() {
    let runtime = Runtime::open(300).await;
    let mut away = runtime.looking("all", WEST).await;
    let (since, instance) = (away.seq, away.instance().to_owned());
    away.socket.close(None).await.unwrap();
    for n in 0..100 {
        runtime.report(n, 24.03, if n % 4 == 0 { 118.25 } else { 118.03 }, 33);
    }
    runtime.hub.beat();
    let mut back = Screen::signed_in(&runtime.url, "all").await;
    back.bikes = away.bikes;
    back.resume(WEST, since, &instance).await;
    back.until(|screen| screen.said("watching").is_some() && !screen.kinds.is_empty()).await;
    back.drain(Duration::from_millis(600)).await;
    let fresh = runtime.looking("all", WEST).await;
    assert!(back.kinds.iter().all(|kind| *kind == 1), "resumed by differences alone: {:?}", back.kinds);
    assert_eq!(back.bikes, fresh.bikes);
}

#[tokio::test]
async fn a_tick_of_another_process_gets_a_snapshot() {
    let (first, second) = (Runtime::open(40).await, Runtime::open(4).await);
    let mut away = first.looking("all", WEST).await;
    let (since, instance) = (away.seq, away.instance().to_owned());
    away.socket.close(None).await.unwrap();
    // The other process has counted further, so that the tick could be one of its own.
    for _ in 0..=since {
        second.hub.beat();
    }
    let fresh = second.looking("all", WEST).await;
    assert_eq!((away.bikes.len(), fresh.bikes.len()), (20, 2));

    let mut back = Screen::signed_in(&second.url, "all").await;
    assert_ne!(back.instance(), instance);
    let own = back.instance().to_owned();
    for (since, instance) in [(since, Some(instance.as_str())), (since, None), (4_000_000, Some(&own))] {
        back.bikes.clone_from(&away.bikes);
        back.kinds.clear();
        let watch = json!({"op": "watch", "topic": "fleet", "bbox": WEST, "zoom": 14, "since": since,
            "instance": instance});
        back.say(&watch).await;
        back.until(|screen| screen.kinds.contains(&4)).await;
        assert_eq!(back.kinds[0], 2, "{watch}");
        assert_eq!(back.bikes, fresh.bikes, "{watch}");
        back.say(&json!({"op": "unwatch", "topic": "fleet"})).await;
    }
}

#[tokio::test]
async fn far_out_there_are_counts_that_add_up() {
    let runtime = Runtime::open(400).await;
    let mut screen = Screen::signed_in(&runtime.url, "all").await;
    let world = [100.0, 10.0, 130.0, 40.0];
    screen.say(&json!({"op": "watch", "topic": "fleet", "bbox": world, "zoom": 9.7})).await;
    screen.until(|screen| screen.kinds.contains(&4)).await;
    assert_eq!((screen.clustered(), screen.clusters.len(), screen.bikes.len()), (400, 2, 0));
    runtime
        .memory
        .write()
        .enrol(VehicleRecord { lifecycle: 1, version: 2, ..record(0, 1) }, SystemClock.now());
    screen.until(|screen| screen.clustered() == 399).await;
    let mut one = Screen::signed_in(&runtime.url, "area2").await;
    one.say(&json!({"op": "watch", "topic": "fleet", "bbox": world, "zoom": 9})).await;
    one.until(|screen| screen.kinds.contains(&4)).await;
    assert_eq!(one.clusters.keys().copied().collect::<Vec<_>>(), [2]);
}

#[tokio::test]
async fn a_pick_shows_what_it_lets_through_at_any_zoom_and_follows_it() {
    let runtime = Runtime::open(40).await;
    for n in 0..10 {
        runtime.report(n, 24.05, if n % 2 == 0 { 118.05 } else { 118.25 }, 15);
    }
    runtime.hub.beat();
    let low = json!({"soc_percent": [0, 20]});
    let mut screen = Screen::signed_in(&runtime.url, "area1").await;
    let watch = |zoom: u8| json!({"op": "watch", "topic": "fleet", "bbox": [117.0, 23.0, 119.0, 25.0], "zoom": zoom, "pick": low});
    screen.say(&watch(9)).await;
    screen.until(|screen| screen.bikes.len() == 5).await;
    assert!(screen.clusters.is_empty(), "single bikes, however far out");
    screen.until(|screen| screen.data("fleet").is_some_and(|totals| totals["data"]["picked"] == 5)).await;
    // One was charged, another one ran low.
    runtime.report(0, 24.05, 118.05, 90);
    runtime.report(20, 24.05, 118.05, 12);
    screen.until(|screen| !screen.bikes.contains_key(&0) && screen.bikes.contains_key(&20)).await;
    assert_eq!(screen.bikes.len(), 5);
    // Without the pick everything is there again.
    screen.say(&json!({"op": "watch", "topic": "fleet", "bbox": WEST, "zoom": 14})).await;
    screen.until(|screen| screen.bikes.len() == 20).await;
    screen
        .until(|screen| screen.data("fleet").is_some_and(|totals| totals["data"].get("picked").is_none()))
        .await;
    // What makes no sense is refused, and the view stays.
    screen.say(&json!({"op": "watch", "topic": "fleet", "bbox": WEST, "zoom": 14, "pick": {"soc_percent": [30, 20]}})).await;
    screen.until(|screen| screen.said("error").is_some()).await;
    assert_eq!(screen.bikes.len(), 20);
}

#[tokio::test]
async fn who_may_see_some_bikes_alone_sees_them_alone_at_any_zoom_and_while_their_state_is_for_him() {
    let runtime = Runtime::open(40).await;
    let mine = [10, 12, 14, 16, 18];
    for zoom in [6, 14] {
        let mut screen = Screen::signed_in(&runtime.url, "few").await;
        screen.say(&json!({"op": "watch", "topic": "fleet", "bbox": WEST, "zoom": zoom})).await;
        screen.until(|screen| screen.kinds.contains(&4)).await;
        let mut seen: Vec<u32> = screen.bikes.keys().copied().collect();
        seen.sort_unstable();
        assert_eq!(seen, mine, "at zoom {zoom}");
        assert!(screen.clusters.is_empty());
        let counted = |screen: &Screen| {
            let states = screen.data("fleet")?["data"]["states"].as_array()?.clone();
            Some(states.iter().filter_map(Value::as_i64).sum::<i64>())
        };
        screen.until(|screen| counted(screen) == Some(5)).await;
        assert!(screen.data("fleet").unwrap()["data"].get("picked").is_none(), "he picked nothing");
    }
    let mut screen = runtime.looking("few", WEST).await;
    // One of his moves, one of others, and somebody rides off with one of his.
    runtime.report(12, 24.05, 118.05, 33);
    runtime.report(20, 24.05, 118.05, 33);
    runtime.hub.beat();
    screen.until(|screen| screen.bikes.get(&12).is_some_and(|bike| bike[8] == 33)).await;
    let ridden = VehicleRecord { riding_state: 2, version: 2, ..record(12, 1) };
    runtime.memory.write().enrol(ridden, SystemClock.now());
    screen.until(|screen| !screen.bikes.contains_key(&12)).await;
    assert!(!screen.bikes.contains_key(&20));
    // His own pick is within that.
    let low =
        json!({"op": "watch", "topic": "fleet", "bbox": WEST, "zoom": 14, "pick": {"soc_percent": [0, 40]}});
    screen.say(&low).await;
    screen.until(|screen| screen.data("fleet").is_some_and(|totals| totals["data"]["picked"] == 0)).await;
    // Names and drawers are cut as well.
    screen.say(&json!({"op": "who", "slots": [10, 12, 20], "n": 1})).await;
    screen.until(|screen| screen.said("who").is_some()).await;
    assert_eq!(screen.said("who").unwrap()["carIds"], json!(["K10", null, null]));
    for (car_id, shown) in [("K10", true), ("K12", false), ("K20", false), ("K2", false)] {
        screen.texts.clear();
        screen.say(&json!({"op": "watch", "topic": format!("vehicle/{car_id}")})).await;
        let answer = if shown { "watching" } else { "error" };
        screen.until(|screen| screen.said(answer).is_some()).await;
    }
    // The open drawer of a bike that somebody rides off with falls silent.
    runtime.report(10, 24.05, 118.05, 40);
    screen.until(|screen| screen.data("vehicle/K10").is_some_and(|frame| frame["data"]["soc"] == 40)).await;
    let ridden = VehicleRecord { riding_state: 2, version: 2, ..record(10, 1) };
    runtime.memory.write().enrol(ridden, SystemClock.now());
    screen.texts.clear();
    runtime.report(10, 24.05, 118.05, 21);
    runtime.report(14, 24.05, 118.05, 21);
    screen.say(&json!({"op": "watch", "topic": "vehicle/K14"})).await;
    screen.until(|screen| screen.data("vehicle/K14").is_some_and(|frame| frame["data"]["soc"] == 21)).await;
    assert!(screen.data("vehicle/K10").is_none());
}

#[tokio::test]
async fn many_bikes_are_named_at_once_within_the_scope_alone() {
    let runtime = Runtime::open(4).await;
    let mut screen = runtime.looking("area1", WEST).await;
    screen.say(&json!({"op": "who", "slots": [0, 1, 2, 77], "n": 5})).await;
    screen.until(|screen| screen.said("who").is_some()).await;
    assert_eq!(
        screen.said("who").unwrap(),
        &json!({"op": "who", "n": 5, "carIds": ["K0", null, "K2", null]})
    );
    screen.say(&json!({"op": "who", "slots": vec![0; 5001], "n": 6})).await;
    assert_eq!(screen.until_closed().await, 1008);
}

#[tokio::test]
async fn a_screen_that_stops_reading_delays_nobody_and_finds_the_latest() {
    let runtime = Runtime::open(20_000).await;
    let world = [117.9, 23.9, 118.4, 24.2];
    let mut slow = runtime.looking("all", world).await;
    let mut quick = runtime.looking("all", world).await;
    for round in 0..25u8 {
        for n in 0..runtime.count {
            runtime.report(n, 24.03, if n % 2 == 0 { 118.03 } else { 118.23 }, 40 + round);
        }
        let began = std::time::Instant::now();
        quick.until(|screen| screen.holds(20_000, 40 + round)).await;
        assert!(began.elapsed() < Duration::from_secs(20), "round {round} took {:?}", began.elapsed());
    }
    let frames = slow.kinds.len();
    slow.until(|screen| screen.holds(20_000, 64)).await;
    assert_eq!(slow.bikes, quick.bikes);
    let (slow_frames, quick_frames) = (slow.kinds.len() - frames, quick.kinds.len());
    assert!(slow_frames < quick_frames, "{slow_frames} of {quick_frames}: what it missed was not queued");
}

#[tokio::test]
async fn an_open_drawer_follows_its_bike() {
    let runtime = Runtime::open(4).await;
    let mut screen = Screen::signed_in(&runtime.url, "area1").await;
    screen.say(&json!({"op": "watch", "topic": "vehicle/K0"})).await;
    screen.until(|screen| screen.data("vehicle/K0").is_some_and(|frame| frame["data"]["soc"] == 80)).await;
    runtime.report(0, 24.05, 118.05, 41);
    screen.until(|screen| screen.data("vehicle/K0").is_some_and(|frame| frame["data"]["soc"] == 41)).await;
    for stranger in ["vehicle/K1", "vehicle/nobody"] {
        screen.texts.clear();
        screen.say(&json!({"op": "watch", "topic": stranger})).await;
        screen.until(|screen| screen.said("error").is_some()).await;
        assert_eq!(screen.said("error").unwrap()["promot"], "没有这辆车，或不在您的数据范围内");
    }
}

#[tokio::test]
async fn open_lists_hear_of_their_own_rows_alone() {
    let runtime = Runtime::open(0).await;
    let mut screen = Screen::signed_in(&runtime.url, "area1").await;
    screen.say(&json!({"op": "watch", "topic": "read/secret"})).await;
    screen.say(&json!({"op": "watch", "topic": "read/role"})).await;
    screen.until(|screen| screen.said("watching").is_some()).await;
    assert_eq!(screen.said("error").unwrap()["topic"], "read/secret");
    let rows = vec![
        ("mine".to_owned(), DataOwner::of_area(AgentId(9), AreaId(1))),
        ("theirs".to_owned(), DataOwner::of_area(AgentId(9), AreaId(2))),
    ];
    runtime.hub.rows_changed(RowsChanged { table: "secret".into(), position: 40, rows: rows.clone() });
    runtime.hub.rows_changed(RowsChanged { table: "role".into(), position: 41, rows });
    screen.until(|screen| screen.data("read/role").is_some()).await;
    let frame = screen.data("read/role").unwrap();
    assert_eq!((&frame["seq"], &frame["data"]), (&json!(41), &json!({"keys": ["mine"]})));
    assert!(screen.data("read/secret").is_none());
    // Who begins to watch hears for how long nothing of his own changed, and of nobody else's.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let of_others = vec![("theirs".to_owned(), DataOwner::of_area(AgentId(9), AreaId(2)))];
    runtime.hub.rows_changed(RowsChanged { table: "role".into(), position: 42, rows: of_others });
    let quiet = async |viewer: &str| {
        let mut screen = Screen::signed_in(&runtime.url, viewer).await;
        screen.say(&json!({"op": "watch", "topic": "read/role"})).await;
        screen.until(|screen| screen.said("watching").is_some()).await;
        screen.said("watching").unwrap()["quietMs"].as_u64().expect("a number")
    };
    let (all, own) = (quiet("all").await, quiet("area1").await);
    assert!(own >= all + 300 && own < 60_000, "{own} ms and {all} ms");
    runtime.hub.rows_missed(50);
    assert!(quiet("area1").await < own, "what was missed may be anything");
    screen
        .until(|screen| screen.data("read/role").is_some_and(|frame| frame["data"] == json!({"keys": []})))
        .await;
}

#[tokio::test]
async fn an_ended_account_is_closed_at_once_and_others_stay() {
    let runtime = Runtime::open(4).await;
    let mut first = runtime.looking("area1", WEST).await;
    let mut second = runtime.looking("area2", EAST).await;
    let began = std::time::Instant::now();
    runtime.ends.send(Ended { whose: Whose::Operator(OperatorId(2)), reason: EndReason::Disabled }).unwrap();
    assert_eq!(first.until_closed().await, 4403);
    assert!(began.elapsed() < Duration::from_secs(10));
    second.say(&json!({"op": "ping"})).await;
    second.until(|screen| screen.said("pong").is_some()).await;
}

#[tokio::test]
async fn a_socket_ends_with_its_token() {
    let runtime = Runtime::open(4).await;
    let mut lasting = runtime.looking("all", WEST).await;
    let mut brief = runtime.looking("brief", WEST).await;
    assert_eq!(brief.until_closed().await, 4401);
    assert_eq!(brief.said("bye").unwrap()["code"], "expired");
    lasting.say(&json!({"op": "ping"})).await;
    lasting.until(|screen| screen.said("pong").is_some()).await;
}

#[tokio::test]
async fn who_breaks_a_limit_is_closed() {
    let runtime = Runtime::open(0).await;
    let mut loud = Screen::signed_in(&runtime.url, "all").await;
    for _ in 0..60 {
        loud.say(&json!({"op": "ping"})).await;
    }
    assert_eq!(loud.until_closed().await, 1008);

    let mut greedy = Screen::signed_in(&runtime.url, "all").await;
    let long = "x".repeat(70_000);
    greedy.say(&json!({"op": "watch", "topic": long})).await;
    assert_eq!(greedy.until_closed().await, 1008);

    let mut nonsense = Screen::signed_in(&runtime.url, "all").await;
    nonsense
        .say(&json!({"op": "watch", "topic": "fleet", "bbox": [170.0, 0.0, -170.0, 1.0], "zoom": 14}))
        .await;
    nonsense
        .say(&json!({"op": "watch", "topic": "fleet", "bbox": [-180.0, -80.0, 180.0, 80.0], "zoom": 20}))
        .await;
    nonsense.say(&json!("hello")).await;
    nonsense.until(|screen| screen.texts.iter().filter(|text| text["op"] == "error").count() == 3).await;
}

#[tokio::test]
async fn a_server_that_stops_says_so() {
    let runtime = Runtime::open(0).await;
    let mut screen = Screen::signed_in(&runtime.url, "all").await;
    runtime.stop.cancel();
    assert_eq!(screen.until_closed().await, 1012);
    assert_eq!(screen.said("bye").unwrap()["code"], "draining");
}

#[tokio::test]
async fn a_wall_is_put_together_once_for_all_who_see_the_same_and_ends_with_the_last() {
    let runtime = Runtime::open(0).await;
    let mut same = Vec::new();
    for _ in 0..5 {
        let mut screen = Screen::signed_in(&runtime.url, "all").await;
        screen.say(&json!({"op": "watch", "topic": "screen/ops"})).await;
        screen.until(|screen| screen.data("screen/ops").is_some()).await;
        same.push(screen);
    }
    assert!(runtime.walls.0.load(Ordering::Relaxed) <= 2, "five viewers, one picture every two seconds");
    let first = |screen: &Screen| screen.data("screen/ops").unwrap()["data"]["made"].as_u64().unwrap();
    let before = first(&same[0]);
    same[0].until(|screen| first(screen) > before).await;

    // Who sees less, or chose some areas, is shown a picture of his own.
    let mut less = Screen::signed_in(&runtime.url, "area1").await;
    less.say(&json!({"op": "watch", "topic": "screen/ops"})).await;
    less.until(|screen| screen.data("screen/ops").is_some()).await;
    let shown = &less.data("screen/ops").unwrap()["data"];
    assert_eq!((&shown["first"], &shown["second"]), (&json!(true), &json!(false)));
    less.say(&json!({"op": "watch", "topic": "screen/ops/1,2"})).await;
    less.until(|screen| screen.data("screen/ops/1,2").is_some()).await;
    assert_eq!(less.data("screen/ops/1,2").unwrap()["data"]["areas"], 2);

    for screen in [&mut less, &mut same[0]] {
        screen.say(&json!({"op": "unwatch", "topic": "screen/ops"})).await;
        screen.say(&json!({"op": "unwatch", "topic": "screen/ops/1,2"})).await;
        screen.say(&json!({"op": "ping"})).await;
        screen.until(|screen| screen.said("pong").is_some()).await;
    }
    drop(same);
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    let ended = runtime.walls.0.load(Ordering::Relaxed);
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    assert_eq!(runtime.walls.0.load(Ordering::Relaxed), ended, "nobody looks, nothing is put together");
}

#[tokio::test]
async fn a_wall_that_is_not_there_or_not_for_him_is_refused_and_a_few_are_enough() {
    let runtime = Runtime::open(0).await;
    let mut screen = Screen::signed_in(&runtime.url, "all").await;
    for topic in ["screen/revenue", "screen/none", "screen/ops/1,x"] {
        screen.say(&json!({"op": "watch", "topic": topic})).await;
        screen.until(|screen| screen.said("error").is_some_and(|text| text["topic"] == topic)).await;
    }
    for area in 1..=5 {
        screen.say(&json!({"op": "watch", "topic": format!("screen/ops/{area}")})).await;
    }
    screen.until(|screen| screen.said("error").is_some_and(|text| text["topic"] == "screen/ops/5")).await;
    let mut blind = Screen::signed_in(&runtime.url, "blind").await;
    blind.say(&json!({"op": "watch", "topic": "screen/ops"})).await;
    blind.until(|screen| screen.said("error").is_some()).await;
    assert!(blind.data("screen/ops").is_none());
}
