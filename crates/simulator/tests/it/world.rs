use std::collections::{HashMap, HashSet};

use simulator::device::Command;
use simulator::geometry::{distance_to_line_m, inside};
use simulator::report::Flags;
use simulator::world::{Action, Call, Habits, Outcome, Wish, World};

/// 2026-05-01 07:30 in Shanghai: the morning rush begins.
const START_MS: i64 = 1_777_591_800_000;
const MINUTE_MS: i64 = 60_000;

/// Lives through `minutes`, with a server that does everything unless `refuse` says no.
fn live(
    world: &mut World,
    minutes: i64,
    refuse: impl Fn(&Call) -> bool,
    mut see: impl FnMut(&World, &Action),
) {
    let from = world.now_ms();
    for second in 1..=minutes * 60 {
        let mut actions = world.step(from + second * 1_000);
        while !actions.is_empty() {
            let mut more = Vec::new();
            for action in &actions {
                see(world, action);
                if let Action::Call { id, call, .. } = action {
                    let outcome =
                        if refuse(call) { Outcome::Refused("不行".into()) } else { Outcome::Done };
                    more.extend(world.answered(*id, &outcome));
                }
            }
            actions = more;
        }
    }
}

fn busy() -> Habits {
    Habits { rides_per_bike_day: 30.0, trouble: 20.0, ..Habits::default() }
}

#[test]
fn the_same_seed_and_answers_give_the_same_actions_and_another_seed_others() {
    let log = |seed| {
        let mut world = World::new(seed, 150, START_MS, busy());
        let mut log = Vec::new();
        live(&mut world, 20, |_| false, |_, action| log.push(format!("{action:?}")));
        log
    };
    let first = log(7);
    assert!(first.len() > 1_000);
    assert_eq!(first, log(7));
    assert_ne!(first, log(8));
}

#[test]
fn how_often_the_world_is_asked_makes_no_difference() {
    let run = |step_ms: i64| {
        let mut world = World::new(7, 100, START_MS, busy());
        let mut reports = Vec::new();
        let mut now = START_MS;
        while now < START_MS + 10 * MINUTE_MS {
            now += step_ms;
            reports.extend(world.step(now).into_iter().filter(|a| matches!(a, Action::Report { .. })));
        }
        reports
    };
    let coarse = run(30_000);
    assert!(!coarse.is_empty());
    assert_eq!(coarse, run(250));
}

#[test]
fn a_battery_only_gains_by_a_swap_and_no_two_riders_hold_one_bike() {
    let mut world = World::new(7, 200, START_MS, busy());
    let mut soc: HashMap<u32, f64> =
        world.bikes.iter().enumerate().map(|(i, b)| (i as u32, b.soc_percent)).collect();
    let mut in_swap: HashSet<u32> = HashSet::new();
    let mut holder: HashMap<u32, u64> = HashMap::new();
    let (mut unlocks, mut swaps, mut again) = (0, 0, 0);
    live(
        &mut world,
        60,
        |_| false,
        |world, action| match action {
            Action::Call { bike, call: Call::Ride { action: "unlock", rider }, .. } => {
                assert!(world.bikes[*bike as usize].device.flags.has(Flags::LOCKED));
                // Who forgot to return it holds it no more.
                again += u64::from(holder.insert(*bike, *rider).is_some());
                unlocks += 1;
            }
            Action::Call { bike, call: Call::Ride { action: "return", rider }, .. } => {
                assert_eq!(holder.remove(bike), Some(*rider), "returned by another rider");
            }
            Action::Call { bike, call: Call::Ride { action: "pause" | "resume", rider }, .. } => {
                assert_eq!(holder.get(bike), Some(rider));
            }
            Action::Call { bike, call: Call::Work { action: "start", kind: "swap", .. }, .. } => {
                in_swap.insert(*bike);
            }
            Action::Call { bike, call: Call::Work { action: "finish", kind: "swap", .. }, .. } => {
                assert!(in_swap.remove(bike), "finished without a start");
                swaps += 1;
            }
            Action::Report { bike, .. } => {
                let now = world.bikes[*bike as usize].soc_percent;
                let before = soc.insert(*bike, now).unwrap_or(now);
                // The report with the fresh battery comes just before the worker says that the swap is finished.
                assert!(now <= before || in_swap.contains(bike), "bike {bike} rose from {before} to {now}");
            }
            _ => {}
        },
    );
    assert!(unlocks > 100 && swaps > 3, "{unlocks} unlocks, {swaps} swaps");
    assert_eq!(world.tally.swaps, swaps);
    assert!(again <= world.tally.forgotten, "{again} bikes had a rider already");
}

#[test]
fn bikes_stay_on_the_streets_within_the_noise_unless_a_fix_jumps() {
    let mut world = World::new(
        7,
        120,
        START_MS,
        Habits { trouble: 0.0, rides_per_bike_day: 30.0, report_every_ms: None, ..Habits::default() },
    );
    // A lane's edge is at most 17 m from its middle, a no-stop zone's or place's spot at most 40 m.
    let allowed_m = 41.0 + 2.0_f64.sqrt() * 9.0 + 0.5;
    let mut checked = 0;
    live(
        &mut world,
        25,
        |_| false,
        |world, action| {
            let Action::Report { report, .. } = action else { return };
            let p = world.city.plane.xy(report.lng, report.lat);
            let near = world.city.graph.edges.iter().any(|e| {
                e.points[0].distance_m(p) < e.length_m + allowed_m
                    && distance_to_line_m(&e.points, p) < allowed_m
            });
            assert!(near, "{p:?} is on no street");
            assert!(report.speed_kmh <= 25);
            checked += 1;
        },
    );
    assert!(checked > 1_000, "{checked}");
}

#[test]
fn a_refused_unlock_makes_the_rider_walk_on_and_the_bike_stays_locked() {
    let mut world = World::new(7, 200, START_MS, busy());
    live(&mut world, 20, |call| matches!(call, Call::Ride { action: "unlock", .. }), |_, _| {});
    assert!(world.tally.unlock_refused > 20, "{:?}", world.tally);
    assert_eq!(world.tally.unlocked, 0);
    assert!(world.bikes.iter().all(|b| b.device.flags.has(Flags::LOCKED)));
}

#[test]
fn a_return_refused_for_ever_is_given_up_after_three_tries() {
    let mut world = World::new(7, 150, START_MS, busy());
    live(&mut world, 60, |call| matches!(call, Call::Ride { action: "return", .. }), |_, _| {});
    assert!(world.tally.returns_given_up > 0, "{:?}", world.tally);
    assert!(world.tally.returns_refused >= 3 * world.tally.returns_given_up);
}

#[test]
fn things_go_wrong_in_every_known_way() {
    let mut world = World::new(
        7,
        400,
        START_MS,
        Habits { trouble: 60.0, rides_per_bike_day: 40.0, report_every_ms: None, ..Habits::default() },
    );
    live(&mut world, 75, |_| false, |_, _| {});
    let t = world.tally;
    for (what, count) in [
        ("outside", t.left_outside_area),
        ("no stop", t.left_in_no_stop),
        ("roadside", t.left_roadside),
        ("theft", t.thefts),
        ("battery", t.batteries_taken),
        ("silent", t.silences),
        ("jump", t.gps_jumps),
        ("forgotten", t.forgotten),
        ("helmet lost", t.helmets_lost),
        ("helmet broken", t.helmets_broken),
        ("lock forced", t.locks_forced),
        ("not ridden", t.not_ridden),
        ("given back", t.given_back),
        ("moved", t.moves),
        ("swapped", t.swaps),
    ] {
        assert!(count > 0, "{what} never happened: {t:?}");
    }
    let outside =
        world.bikes.iter().filter(|b| !world.city.areas.iter().any(|a| inside(&a.ring, b.at))).count();
    assert!(outside < 200, "{outside} of 400 bikes are outside");
}

#[test]
fn each_bike_reports_at_the_interval_asked_for_and_its_clock_only_goes_forward() {
    let mut world = World::new(
        7,
        300,
        START_MS,
        Habits { report_every_ms: Some(5_000), trouble: 0.0, ..Habits::default() },
    );
    let mut last: HashMap<u32, i64> = HashMap::new();
    let mut count = 0;
    live(
        &mut world,
        5,
        |_| false,
        |_, action| {
            if let Action::Report { bike, report } = action {
                assert!(last.insert(*bike, report.at_ms).is_none_or(|before| before < report.at_ms));
                count += 1;
            }
        },
    );
    // 300 bikes, 300 s, one each 5 s; rides add some.
    assert!((17_500..20_000).contains(&count), "{count}");
}

#[test]
fn a_ridden_bike_answers_132_and_a_standing_one_locks_and_reports() {
    let mut world = World::new(
        7,
        200,
        START_MS,
        Habits { rides_per_bike_day: 60.0, trouble: 0.0, report_every_ms: None, ..Habits::default() },
    );
    live(&mut world, 10, |_| false, |_, _| {});
    let ridden = world.bikes.iter().position(simulator::world::Bike::in_use).expect("someone rides") as u32;
    let standing = world
        .bikes
        .iter()
        .position(|b| b.rider().is_none() && b.device.flags.has(Flags::LOCKED))
        .expect("one stands") as u32;
    for (bike, id, kind) in
        [(ridden, "lock-it", 2), (standing, "open-it", 1), (standing, "ring-it", 10), (standing, "odd", 77)]
    {
        world.command(
            bike,
            Command { id: id.into(), kind, params: serde_json::Value::Null, expires_at: None },
        );
    }
    let mut codes: HashMap<String, i32> = HashMap::new();
    let mut open_reported = false;
    for action in world.step(world.now_ms() + 3_000) {
        match action {
            Action::Ack { id, code, .. } => {
                codes.insert(id, code);
            }
            Action::Report { bike, report } if bike == standing => {
                open_reported |= !report.flags.has(Flags::LOCKED);
            }
            _ => {}
        }
    }
    let expected = [("lock-it", 132), ("open-it", 0), ("ring-it", 0), ("odd", 111)];
    assert_eq!(codes, expected.map(|(id, code)| (id.to_owned(), code)).into());
    assert!(open_reported, "the new flags follow at once");
}

#[test]
fn who_finds_no_parking_place_asks_for_one_now_and_then_and_others_for_the_same() {
    let wishes = || {
        let mut world = World::new(7, 400, START_MS, Habits { trouble: 0.0, ..busy() });
        let mut wishes = Vec::new();
        live(
            &mut world,
            90,
            |_| false,
            |_, action| {
                if let Action::Wish(wish) = action {
                    wishes.push(wish.clone());
                }
            },
        );
        assert_eq!(world.tally.wishes, wishes.len() as u64);
        assert!(world.tally.wishes < world.tally.left_roadside, "now and then: {:?}", world.tally);
        wishes
    };
    let first = wishes();
    assert_eq!(first, wishes(), "the same seed, the same wishes");
    assert!(first.len() > 5, "{} wishes", first.len());
    let near = |a: &Wish, b: &Wish| {
        let [east, north] = [(a.at[0] - b.at[0]) * 101_000.0, (a.at[1] - b.at[1]) * 111_320.0];
        east.hypot(north) < 50.0
    };
    let same = first.iter().enumerate().filter(|(n, wish)| first[..*n].iter().any(|other| near(wish, other)));
    assert!(same.count() > 0, "nobody asks for what another has asked for");
    for wish in &first {
        assert!(wish.photos <= 3 && !wish.location.is_empty(), "{wish:?}");
    }
}

#[test]
fn bikes_that_are_sent_fences_report_them_at_once_and_a_few_only_when_they_are_sent_again() {
    let told: serde_json::Value =
        serde_json::from_str(include_str!("../../../../docs/fence-vector.json")).expect("JSON");
    let mut world = World::new(7, 2_000, START_MS, Habits::default());
    // Who holds them after each sending.
    let mut sendings: Vec<usize> = Vec::new();
    let mut holding: HashSet<u32> = HashSet::new();
    for sending in 0..2 {
        let params = &told["message"]["params"];
        for bike in (0..2_000).filter(|bike| !holding.contains(bike)).collect::<Vec<_>>() {
            world.command(
                bike,
                Command {
                    id: format!("-{sending}{bike}"),
                    kind: 15,
                    params: params.clone(),
                    expires_at: None,
                },
            );
        }
        for action in world.step(world.now_ms() + 3_000) {
            if let Action::Report { bike, report } = action
                && report.fence_version == 300
            {
                holding.insert(bike);
            }
        }
        sendings.push(holding.len());
    }
    let lag = 2_000 - sendings[0];
    assert!((20..120).contains(&lag), "a small share lags: {lag}");
    assert_eq!(sendings[1], 2_000);
}

#[test]
fn some_look_where_nothing_stands_and_scan_what_nobody_can_take() {
    let looks = || {
        let mut world = World::new(7, 150, START_MS, busy());
        let mut looks = Vec::new();
        live(
            &mut world,
            60,
            |_| false,
            |world, action| {
                if let Action::Look(look) = action {
                    assert!(look.bike.is_none_or(|bike| (bike as usize) < world.bikes.len()), "{look:?}");
                    looks.push(look.clone());
                }
            },
        );
        let scans = looks.iter().filter(|look| look.bike.is_some()).count() as u64;
        assert_eq!((scans, looks.len() as u64), (world.tally.scans_in_vain, world.tally.looks + scans));
        assert_eq!(world.tally.looks, world.tally.found_no_bike, "who finds none has looked");
        assert!(scans > 5 && world.tally.looks > 5, "{:?}", world.tally);
        looks
    };
    assert_eq!(looks(), looks(), "the same seed, the same looks");
}
