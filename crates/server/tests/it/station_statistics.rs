//! Statistics of parking places over HTTP: the figures of a told past against a slow recount, whose they are, and the file.

use std::collections::BTreeMap;
use std::time::Duration;

use riding::model::miss::{MissAct, MissReason};
use riding::read::misses::NewMiss;
use serde_json::{Value, json};
use sqlx::PgPool;
use vocabulary::{AgentId, AreaId, Clock, SystemClock, Timestamp};

use crate::city::City;
use crate::client::{Browser, Machine};
use crate::exports::{lines, recorded, taken};
use crate::stack::{ADMIN, Stack, eventually, put_orders};

const STATIONS: &str = "/statistics/station";
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
const SHANGHAI_MS: i64 = 8 * HOUR_MS;
/// A metre of latitude, degrees.
const METRE: f64 = 1.0 / 110_770.0;
/// Days of past that are told.
const DAYS: i64 = 5;

/// A square of twenty metres about a place so many metres north of the middle of the city.
fn square(city: &City, north_m: f64) -> Value {
    let (x, y) = (10.0 * METRE / 24.6_f64.to_radians().cos(), 10.0 * METRE);
    let lat = city.lat + north_m * METRE;
    json!([
        [city.lng - x, lat - y],
        [city.lng + x, lat - y],
        [city.lng + x, lat + y],
        [city.lng - x, lat + y]
    ])
}

/// A past stop, as it is told.
#[derive(Clone, Copy)]
struct Past {
    bike: usize,
    at: i64,
    left: Option<i64>,
    /// Metres north of the middle of the city.
    north_m: f64,
}

/// Three bikes that go to and fro between the first place, the second and the side of the second, every some hours.
fn past(first_day: i64, now: i64) -> Vec<Past> {
    let mut all = Vec::new();
    for bike in 0..3 {
        let mut at = first_day + 20 * 60_000 + i64::from(bike as u8) * 37 * 60_000;
        let mut turn = bike;
        while at < now - 3 * HOUR_MS {
            let north_m = [300.0, 600.0, 640.0][turn % 3];
            let stays = HOUR_MS * [5, 2, 7, 1, 3][turn % 5] + 11 * 60_000;
            // Each third time nobody knows when it left.
            let left = (turn % 3 != 1 && at + stays < now).then_some(at + stays);
            all.push(Past { bike, at, left, north_m });
            at += stays + 25 * 60_000;
            turn += 1;
        }
    }
    all
}

/// What a place was at each full hour, counted one by one.
#[derive(Default)]
struct Counted {
    returns: i64,
    departures: i64,
    outside: i64,
    standing: i64,
    full_hours: i64,
    empty_hours: i64,
}

fn recount(past: &[Past], inside: f64, beside: Option<f64>, [from, until]: [i64; 2]) -> Counted {
    let mut counted = Counted::default();
    let over = from..until;
    // A bike is gone when it left, or when it stopped somewhere else.
    let end = |one: &Past| {
        let next = past
            .iter()
            .filter(|other| other.bike == one.bike && other.at > one.at)
            .map(|other| other.at)
            .min();
        one.left.or(next).unwrap_or(i64::MAX)
    };
    let of_side = |one: &&Past| over.contains(&one.at) && Some(one.north_m) == beside;
    counted.outside = past.iter().filter(of_side).count() as i64;
    let stays: Vec<&Past> = past.iter().filter(|one| (one.north_m - inside).abs() < 0.1).collect();
    counted.returns = stays.iter().filter(|one| over.contains(&one.at)).count() as i64;
    counted.departures =
        stays.iter().filter(|one| one.left.is_some_and(|left| over.contains(&left))).count() as i64;
    for hour in (from..until).step_by(HOUR_MS as usize) {
        let there = stays.iter().filter(|one| one.at <= hour && end(one) > hour).count() as i64;
        counted.standing += there;
        counted.full_hours += i64::from(there >= 2);
        counted.empty_hours += i64::from(there == 0);
    }
    counted
}

/// A bike that was not to be had near a place, somebody who owed there, and a ride that began in it.
async fn missed_and_sold(owner: &PgPool, city: &City, fence: &str, at: i64) {
    let (agent, area) = (city.agent.parse().unwrap(), city.area.parse().unwrap());
    let miss = |miss_id: i64, reason| NewMiss {
        miss_id,
        subject: format!("- {miss_id}"),
        rider_id: None,
        agent_id: AgentId(agent),
        area_id: AreaId(area),
        act: MissAct::Scan,
        reason,
        car_id: None,
        parking_id: Some(fence.parse().unwrap()),
        lat: None,
        lng: None,
        detail: String::new(),
        tries: 3,
        at_ms: at,
        last_at_ms: at,
    };
    let misses = [miss(1, MissReason::LowBattery), miss(2, MissReason::Owing)];
    assert_eq!(riding::read::misses::keep(owner, &misses).await.unwrap(), 2);
    let order = json!({"order_id": 1, "rider_id": 1, "car_id": city.bikes[2].car, "imei": "", "agent_id": agent,
        "area_id": area, "state": 4, "is_unlocking": false, "is_paused": false, "is_modified": false,
        "billing_version": 0, "opened_at_ms": at, "start_at_ms": at, "paused_ms": 0, "distance_m": 0, "riding_s": 0,
        "start_lat": city.lat + 300.0 * METRE, "start_lng": city.lng, "origin_cents": 450, "card_cents": 0,
        "discount_cents": 0, "dispatch_cents": 0, "helmet_cents": 0, "pay_cents": 450, "paid_cents": 450,
        "recharge_cents": 0, "present_cents": 0, "third_cents": 0, "refund_cents": 0, "written_off_cents": 0,
        "reminders": 0, "updated_at_ms": at, "version": 1});
    put_orders(owner, &[order]).await;
}

/// Somebody of the city's agent who holds this code.
async fn watcher(admin: &Browser, url: &str, city: &City, phone: &str, code: &str) -> Browser {
    let role = json!({"name": format!("统计员 {code}"), "tier": 4, "remark": "", "codes": ["09", code], "state": 1,
        "agentId": city.agent});
    let role = admin.ok("POST", "/platform/permission/role", role).await["id"].clone();
    let person = json!({"phone": phone, "name": "王芳", "level": 4, "roleIds": [role], "agentId": city.agent,
        "opAreaIds": [city.area], "state": 1});
    admin.ok("POST", "/platform/permission/user", person).await;
    Browser::signed_in(url, phone).await
}

#[tokio::test(flavor = "multi_thread")]
async fn figures_are_those_of_a_slow_recount_and_each_agent_sees_his_own() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "T", 1, 3).await;
    let other = City::build(&machine, "U", 2, 1).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let now = SystemClock.now().millis();
    let today = (now + SHANGHAI_MS).div_euclid(DAY_MS) * DAY_MS - SHANGHAI_MS;
    let since = today - DAYS * DAY_MS;

    // Of the system before: two places for two bikes each, which have counted for five days.
    let mut fences = Vec::new();
    for (name, north_m) in [("东门站", 300.0), ("西门站", 600.0)] {
        let body = json!({"areaId": city.area, "kind": 2, "name": name, "ring": square(&city, north_m), "capacity": 2,
            "since": since});
        fences.push(machine.ok("/open/v1/fences", &body).await["fenceId"].as_str().unwrap().to_owned());
    }
    let too_old = json!({"areaId": city.area, "kind": 2, "name": "古门站", "ring": square(&city, 900.0),
        "since": now - 36 * DAY_MS});
    let refused = machine.post("/open/v1/fences", &too_old, None).await.unwrap();
    assert_eq!(refused.code(), "fence-adopted", "{}", refused.body);

    let past = past(since, now);
    let stops: Vec<Value> = past
        .iter()
        .map(|one| {
            json!({"carId": city.bikes[one.bike].car, "at": one.at, "leftAt": one.left, "hdop": 0,
                "lng": city.lng, "lat": city.lat + one.north_m * METRE})
        })
        .collect();
    let mut wrong = stops[0].clone();
    wrong["leftAt"] = (past[0].at - 1).into();
    let mut told = stops.clone();
    told.push(wrong);
    let kept = machine.ok("/open/v1/stops", &json!({ "stops": told })).await;
    assert_eq!(
        (kept["taken"].as_u64(), kept["refused"][0]["row"].as_u64()),
        (Some(stops.len() as u64), Some(stops.len() as u64)),
        "{kept}"
    );

    // Reckoned soon after it was told: three whole days.
    let date = |at: i64| Timestamp::from_millis(at).local()[..10].to_owned();
    // They end before yesterday does: whatever the hour is, they are over.
    let days = [today - 4 * DAY_MS, today - DAY_MS];
    let asked = json!({"startTime": date(days[0]), "endTime": date(days[1] - 1), "opAreaIds": city.area,
        "sort": "-returns", "pageSize": "50"});
    let wanted: BTreeMap<&str, Counted> =
        [("东门站", recount(&past, 300.0, None, days)), ("西门站", recount(&past, 600.0, Some(640.0), days))]
            .into();
    let counted: i64 = wanted.values().map(|one| one.returns).sum();
    let answer = eventually("the days are reckoned", Duration::from_mins(1), async || {
        let answer = admin.ok("GET", STATIONS, asked.clone()).await;
        (answer["summary"]["returns"]["now"].as_f64() == Some(counted as f64)).then_some(answer)
    })
    .await;
    let rows = answer["rows"].as_array().unwrap();
    for (name, wanted) in &wanted {
        let row = rows.iter().find(|row| row["name"] == *name).unwrap_or_else(|| panic!("{name}: {answer}"));
        let got = ["returns", "departures", "outside", "fullHours", "emptyHours", "openHours"]
            .map(|field| row[field].as_i64().unwrap());
        let Counted { returns, departures, outside, standing, full_hours, empty_hours } = wanted;
        assert_eq!(got, [*returns, *departures, *outside, *full_hours, *empty_hours, 72], "{name}: {row}");
        let mean = (*standing as f64 / 72.0 * 100.0).round() / 100.0;
        assert_eq!(row["standing"].as_f64(), Some(mean), "{row}");
        assert_eq!(row["fullPercent"].as_f64(), Some((*full_hours as f64 / 72.0 * 10_000.0).round() / 100.0));
        assert_eq!((&row["misses"], &row["orders"], &row["costCents"]), (&json!(0), &json!(0), &json!(0)));
    }
    // What the series comes to is the whole; the day before is half known, and the days before that are not.
    let series = answer["series"].as_array().unwrap();
    let sum: i64 = series.iter().map(|point| point["returns"].as_i64().unwrap()).sum();
    assert_eq!((series.len(), sum, &answer["byHour"]), (3, counted, &json!(false)));
    let before = recount(&past, 300.0, None, [since, days[0]]).returns
        + recount(&past, 600.0, None, [since, days[0]]).returns;
    assert_eq!(answer["summary"]["returns"]["before"].as_f64(), Some(before as f64), "{}", answer["summary"]);
    assert_eq!(answer["rank"]["full"][0]["value"], wanted.values().map(|one| one.full_hours).max().unwrap());
    let one_day = json!({"startTime": date(days[0]), "endTime": date(days[0]), "id": fences[0]});
    let one_day = admin.ok("GET", STATIONS, one_day).await;
    assert_eq!((&one_day["byHour"], one_day["series"].as_array().unwrap().len()), (&json!(true), 24));
    let of_day = recount(&past, 300.0, None, [days[0], days[0] + DAY_MS]);
    assert_eq!(one_day["summary"]["returns"]["now"].as_f64(), Some(of_day.returns as f64));
    let hours: i64 =
        one_day["series"].as_array().unwrap().iter().map(|point| point["returns"].as_i64().unwrap()).sum();
    assert_eq!(hours, of_day.returns, "hour by hour it is the same");

    // Put in order, cut down, refused.
    let name = |query: Value| {
        let admin = &admin;
        let asked = &asked;
        async move {
            let mut all = asked.clone();
            all.as_object_mut().unwrap().extend(query.as_object().unwrap().clone());
            let answer = admin.ok("GET", STATIONS, all).await;
            answer["rows"]
                .as_array()
                .unwrap()
                .iter()
                .map(|row| row["name"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        }
    };
    let emptier = if wanted["东门站"].empty_hours > wanted["西门站"].empty_hours {
        "东门站"
    } else {
        "西门站"
    };
    let by_empty = name(json!({"sort": "-emptyHours", "keyword": "门站"})).await;
    assert_eq!((by_empty.len(), by_empty[0].as_str()), (2, emptier));
    assert_eq!(name(json!({"keyword": "东门"})).await, ["东门站"]);
    assert_eq!(name(json!({"tag": "没有"})).await, Vec::<String>::new());
    assert_eq!(name(json!({"level": "0", "keyword": "门站"})).await.len(), 2, "no bike was ever heard of");
    assert_eq!(name(json!({"level": "4"})).await, Vec::<String>::new());
    for wrong in [
        json!({"sort": "name"}),
        json!({"level": "7"}),
        json!({"opAreaIds": "1,x"}),
        json!({"startTime": date(now - 31 * DAY_MS), "endTime": date(now)}),
    ] {
        assert_eq!(admin.call("GET", STATIONS, wrong.clone()).await.status, 400, "{wrong}");
    }

    // More is told of the past: it is reckoned anew. Once more the same changes nothing.
    let late = Past {
        bike: 2,
        at: days[0] + 13 * HOUR_MS + 60_000,
        left: Some(days[0] + 13 * HOUR_MS + 120_000),
        north_m: 300.0,
    };
    let owner = stack.owner().await;
    missed_and_sold(&owner, &city, &fences[0], late.at).await;
    let stop = json!({"carId": city.bikes[2].car, "at": late.at, "leftAt": late.left, "hdop": 0,
        "lng": city.lng, "lat": city.lat + 300.0 * METRE});
    machine.ok("/open/v1/stops", &json!({ "stops": [stop] })).await;
    eventually("the day is reckoned anew", Duration::from_mins(1), async || {
        let answer = admin.ok("GET", STATIONS, asked.clone()).await;
        (answer["summary"]["returns"]["now"].as_f64() == Some((counted + 1) as f64)).then_some(())
    })
    .await;

    // With it what was missed near a place and sold there; a rider's own fault is no place's.
    let anew = admin.ok("GET", STATIONS, asked.clone()).await;
    let row = anew["rows"].as_array().unwrap().iter().find(|row| row["name"] == "东门站").unwrap();
    assert_eq!(
        (&row["misses"], &row["orders"], &row["costCents"]),
        (&json!(1), &json!(1), &json!(450)),
        "{row}"
    );
    let summary = &anew["summary"];
    let now = ["misses", "orders", "costYuan"].map(|figure| summary[figure]["now"].as_f64());
    assert_eq!(now, [Some(1.0), Some(1.0), Some(4.5)], "{summary}");
    assert_eq!(anew["rank"]["misses"][0]["id"], json!(fences[0]));
    let hourly = json!({"startTime": date(days[0]), "endTime": date(days[0]), "id": fences[0]});
    let hourly = admin.ok("GET", STATIONS, hourly).await;
    let at_one = &hourly["series"][13];
    assert_eq!(
        (&at_one["misses"], &at_one["orders"], &at_one["costYuan"]),
        (&json!(1), &json!(1), &json!(4.5)),
        "{at_one}"
    );

    // The other agent's person sees none of it, whatever he asks for; who lacks the code is refused; machines are no people.
    let theirs = watcher(&admin, &node.url, &other, "13700000071", "0907").await;
    let days_of = json!({"startTime": date(since), "pageSize": "200"});
    let seen = theirs.ok("GET", STATIONS, days_of.clone()).await;
    let areas: Vec<&Value> = seen["rows"].as_array().unwrap().iter().map(|row| &row["opAreaId"]).collect();
    assert!(areas.iter().all(|area| **area == json!(other.area)), "{seen}");
    for named in [json!({"opAreaIds": city.area}), json!({"id": fences[0]}), json!({"keyword": "东门"})] {
        let mut query = days_of.clone();
        query.as_object_mut().unwrap().extend(named.as_object().unwrap().clone());
        let seen = theirs.ok("GET", STATIONS, query).await;
        assert_eq!(
            (&seen["rows"], &seen["summary"]["stations"], &seen["summary"]["returns"]["now"]),
            (&json!([]), &json!(0), &Value::Null),
            "{named}"
        );
        assert_eq!(seen["rank"], json!({"returns": [], "full": [], "empty": [], "misses": []}), "{named}");
    }
    let own = watcher(&admin, &node.url, &city, "13700000073", "0907").await;
    let mine =
        own.ok("GET", STATIONS, json!({"startTime": date(days[0]), "endTime": date(days[1] - 1)})).await;
    assert_eq!(mine["summary"]["returns"]["now"].as_f64(), Some((counted + 1) as f64), "his own whole");
    let without = watcher(&admin, &node.url, &other, "13700000072", "0908").await;
    for path in [STATIONS, "/statistics/station/export"] {
        assert_eq!(without.call("GET", path, json!({})).await.status, 403, "{path}");
    }
    let file =
        taken(&theirs, &format!("{STATIONS}/export?startTime={}&columns=name,returns", date(since))).await;
    let rows = theirs.ok("GET", STATIONS, days_of).await["count"].as_i64().unwrap();
    let written = lines(&file);
    assert_eq!((written[0].as_str(), written.len() as i64), ("站点,还车", rows + 1), "his own alone");
    let (record, count) = recorded(&admin, "station-statistics").await;
    assert_eq!((count, &record["access"]["rows"]), (1, &json!(rows)), "{record}");
    assert_eq!(admin.call("GET", "/statistics/repair", json!({})).await.status, 404, "not built yet");
}
