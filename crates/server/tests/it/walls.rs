//! Walls: one answer for all tiles, cut to whom it is for, to the cent what the daily statistics say, and pushed when something
//! changes.

use std::time::Duration;

use riding::model::money;
use serde_json::{Value, json};
use vocabulary::{Clock, PaymentId, SystemClock};

use crate::city::City;
use crate::client::Browser;
use crate::daily_statistics::{Scene, ago};
use crate::rider::Rider;
use crate::screen::Screen;
use crate::stack::eventually;
use crate::stream;

const OPERATION: &str = "/screen/operation";
const REVENUE: &str = "/screen/revenue";
/// 车辆使用中.
const IN_USE: i16 = 5;
const PATIENCE: Duration = Duration::from_mins(1);

fn sum(values: &Value) -> i64 {
    values.as_array().expect("hours").iter().map(|value| value.as_i64().expect("a number")).sum()
}

/// Somebody of an agent with these codes; of all its areas, or of one.
async fn person(scene: &Scene, phone: &str, codes: &[&str], agent: &str, area: Option<&str>) -> Browser {
    let codes: Vec<String> = codes.iter().map(|code| (*code).to_owned()).collect();
    let level = if area.is_some() { 4 } else { 2 };
    let role = json!({"name": format!("大屏 {phone}"), "tier": level, "remark": "", "codes": codes, "state": 1, "agentId": agent});
    let role = scene.admin.ok("POST", "/platform/permission/role", role).await["id"].clone();
    let areas: Vec<&str> = area.into_iter().collect();
    let person = json!({"phone": phone, "name": "王芳", "level": level, "roleIds": [role], "agentId": agent,
        "opAreaIds": areas, "state": 1});
    scene.admin.ok("POST", "/platform/permission/user", person).await;
    Browser::signed_in(&scene.node.url, phone).await
}

#[tokio::test(flavor = "multi_thread")]
async fn route_007_the_revenue_wall_says_to_the_cent_what_the_daily_statistics_say() {
    let scene = Scene::build().await;
    let owner = scene.stack.owner().await;
    let rider = Rider::come(&scene.machine, &scene.city.area, "wall").await;
    let now = SystemClock.now();
    // Of yesterday: a fare half paid. Of today: what was left of it, a fare, a top-up and some of it back.
    scene.ridden(&rider, 2001, 1_301, ago(1, 0.0), ago(1, 0.0)).await;
    scene.paid(&rider, 2001, 1, 700, ago(1, 0.1)).await;
    scene.paid(&rider, 2001, 2, 601, now).await;
    scene.ridden(&rider, 2002, 457, now, now).await;
    scene.book(&rider, money::topped_up(PaymentId(81), 3, now, 3_000), now).await;
    scene.book(&rider, money::going_back(ledger::AccountKind::Recharge, 82, now, 999), now).await;
    stream::settled(&owner).await;

    let codes = ["LargeRevenueScreen", "15", "150101"];
    let own = person(&scene, "13700000291", &codes, &scene.city.agent, None).await;
    let local = person(&scene, "13700000292", &codes, &scene.city.agent, Some(&scene.city.area)).await;
    let other = City::build(&scene.machine, "E", 2, 0).await;
    let stranger = person(&scene, "13700000293", &codes, &other.agent, None).await;
    let areas = json!({"opAreaIdsBigScreen": scene.city.area});
    for (who, name, asked, filter) in [
        (&scene.admin, "the administrator", json!({}), json!({})),
        (&own, "the agent", json!({}), json!({})),
        (&own, "the agent of one area", areas.clone(), json!({"opAreaIds": scene.city.area})),
        (&local, "who sees one area", json!({}), json!({})),
        (&stranger, "another agent", json!({}), json!({})),
        (&stranger, "another agent of this area", areas.clone(), json!({"opAreaIds": scene.city.area})),
    ] {
        let wall = who.ok("GET", REVENUE, asked).await;
        let mut month = filter.clone();
        month["startTime"] = json!(ago(29, 0.0).local()[..10]);
        month["pageSize"] = json!("50");
        let daily = who.ok("GET", "/report/daily", month).await;
        let days = daily["rows"].as_array().unwrap();
        let trend = wall["trend"]["days"].as_array().unwrap();
        assert_eq!(trend.len(), 30, "{name}");
        for day in trend {
            let row = days.iter().find(|row| row["day"] == day["day"]).expect("every day");
            for figure in ["revenueCents", "dueCents", "refundsCents", "orders"] {
                assert_eq!(day[figure], row[figure], "{name}: {figure} of {}", day["day"]);
            }
        }
        let (today, row) = (&wall["today"], &days[0]);
        for figure in [
            "orders",
            "revenueCents",
            "dueCents",
            "paidCents",
            "owingCents",
            "arrearsCents",
            "receivedCents",
            "refundsCents",
            "giftCents",
            "topUpCents",
            "eachCents",
            "owingRate",
            "refundRate",
        ] {
            assert_eq!(today[figure], row[figure], "{name}: {figure}");
        }
        // Hours are a day's entries, areas and agents its parts.
        assert_eq!(sum(&wall["hours"]["today"]), row["revenueCents"].as_i64().unwrap(), "{name}: hours");
        assert_eq!(sum(&wall["hours"]["yesterday"]), days[1]["revenueCents"].as_i64().unwrap(), "{name}");
        let of = |tile: &str, figure: &str| -> i64 {
            let rows = wall[tile]["rows"].as_array().unwrap().iter();
            rows.map(|row| row[figure].as_i64().unwrap()).sum()
        };
        assert_eq!(of("agents", "revenueCents"), row["revenueCents"].as_i64().unwrap(), "{name}: agents");
        assert_eq!(of("areas", "dueCents"), row["dueCents"].as_i64().unwrap(), "{name}: areas");
        assert!(today["asOfMs"].as_i64().unwrap() >= now.millis(), "{name}: all of it is read");
    }
    let all = own.ok("GET", REVENUE, json!({})).await;
    assert_eq!(all["today"]["revenueCents"], 601 + 3_000 - 999);
    assert_eq!(all["today"]["dueCents"], 457);
    assert_eq!(local.ok("GET", REVENUE, json!({})).await["today"]["topUpCents"], 0, "wallets lie in no area");
    let none = stranger.ok("GET", REVENUE, areas).await;
    assert_eq!((&none["today"]["dueCents"], &none["agents"]["rows"]), (&json!(0), &json!([])));

    // Whoever lacks the code is told nothing, whichever way he asks.
    let without = person(&scene, "13700000294", &["0221"], &scene.city.agent, None).await;
    assert_eq!(without.call("GET", REVENUE, json!({})).await.status, 403);
    let wrong = own.call("GET", REVENUE, json!({"opAreaIdsBigScreen": "1,x"})).await;
    assert_eq!(wrong.status, 400);
    let mut socket = Screen::open(&without).await;
    socket.watch("screen/revenue").await;
    let refused =
        |screen: &Screen| screen.said("error").is_some_and(|text| text["topic"] == "screen/revenue");
    socket.until("a refusal", refused).await;
    socket.watch("screen/none").await;
    socket
        .until("another", |screen| screen.said("error").is_some_and(|text| text["topic"] == "screen/none"))
        .await;

    // What is booked comes by itself, to all who watch, cut to each.
    let mut watching = Screen::open(&own).await;
    watching.watch("screen/revenue").await;
    let due = |cents: i64| {
        move |screen: &Screen| {
            screen.data("screen/revenue").is_some_and(|data| data["today"]["dueCents"] == cents)
        }
    };
    watching.until("the wall as it is", due(457)).await;
    let empty = format!("screen/revenue/{}", other.area);
    watching.watch(&empty).await;
    watching.until("the wall of another's area", |screen| screen.data(&empty).is_some()).await;
    let now = SystemClock.now();
    scene.ridden(&rider, 2003, 43, now, now).await;
    watching.until("the fare that came", due(500)).await;
    assert_eq!(watching.data(&empty).unwrap()["today"]["dueCents"], 0, "it is not his area");
}

#[tokio::test(flavor = "multi_thread")]
async fn route_006_the_operation_wall_shows_whom_it_may_and_follows_what_happens() {
    let mut scene = Scene::build().await;
    let codes = ["0221", "02"];
    let own = person(&scene, "13700000391", &codes, &scene.city.agent, None).await;
    let other = City::build(&scene.machine, "E", 2, 0).await;
    let stranger = person(&scene, "13700000392", &codes, &other.agent, None).await;

    let wall = eventually("the bike is told of", PATIENCE, async || {
        let wall = own.ok("GET", OPERATION, json!({})).await;
        (wall["fleet"]["rentable"] == 1).then_some(wall)
    })
    .await;
    let fleet = &wall["fleet"];
    assert_eq!((&fleet["shelved"], &fleet["online"], &fleet["states"][0]), (&json!(1), &json!(1), &json!(1)));
    assert_eq!(fleet["charge"], json!([0, 0, 0, 0, 1]), "88 percent");
    assert_eq!((&wall["orders"]["count"], &wall["orders"]["riding"]), (&json!(0), &json!(0)));
    assert_eq!(wall["stations"]["open"], 1);
    assert_eq!(wall["fieldTasks"], Value::Null, "what has no source is absent");

    // Another agent sees none of it, whatever areas he names, and neither does who chose other areas.
    let named = json!({"opAreaIdsBigScreen": scene.city.area});
    for asked in [json!({}), named.clone()] {
        let wall = stranger.ok("GET", OPERATION, asked).await;
        assert!(wall.get("fleet").is_none(), "no bike, no tile: {wall}");
        assert_eq!((&wall["orders"]["count"], &wall["alarms"]["rows"]), (&json!(0), &json!([])));
    }
    let elsewhere = scene.admin.ok("GET", OPERATION, json!({"opAreaIdsBigScreen": other.area})).await;
    assert!(elsewhere.get("fleet").is_none());
    assert_eq!(scene.admin.ok("GET", OPERATION, named.clone()).await["fleet"]["shelved"], 1);
    let shapes = own.ok("GET", "/screen/areas", json!({})).await;
    let ids: Vec<&Value> = shapes["areas"].as_array().unwrap().iter().map(|area| &area["id"]).collect();
    assert_eq!(ids, [&json!(scene.city.area)]);

    // A ride that begins is on the wall without being asked for; a try that fails is a miss.
    let mut watching = Screen::open(&own).await;
    watching.watch("screen/ops").await;
    let mut apart = Screen::open(&stranger).await;
    apart.watch("screen/ops").await;
    let rider = Rider::come(&scene.machine, &scene.city.area, "walker").await;
    let bike = scene.city.bikes[0].clone();
    let ride = rider.ride_off(&scene.machine, &bike, &mut scene.lines[0]).await;
    let rides = |screen: &Screen| {
        let wall = screen.data("screen/ops");
        wall.is_some_and(|wall| wall["orders"]["riding"] == 1 && wall["fleet"]["states"][1] == 1)
    };
    watching.until("the ride on the wall", rides).await;
    let second = Rider::come(&scene.machine, &scene.city.area, "late").await;
    assert_ne!(second.unlock(&scene.machine, &bike.car).await.code(), "", "it is taken");
    let in_use = |wall: &Value| {
        let reasons = wall["misses"]["reasons"].as_array().cloned().unwrap_or_default();
        reasons.iter().any(|one| one["reason"] == IN_USE && one["count"] == 1)
    };
    watching.until("the miss on the wall", |screen| screen.data("screen/ops").is_some_and(in_use)).await;
    let wall = watching.data("screen/ops").unwrap();
    assert_eq!((&wall["orders"]["count"], sum(&wall["orders"]["today"])), (&json!(1), 1));
    let home = own.ok("GET", "/screen/home", json!({})).await;
    assert!(home["orders"]["count"] == 1 && in_use(&home), "{home}");
    apart.until("the empty wall", |screen| screen.data("screen/ops").is_some()).await;
    assert_eq!(apart.data("screen/ops").unwrap()["orders"]["riding"], 0);
    drop(ride);

    // Rights that end, end what is watched.
    let role = json!({"phone": "13700000391", "state": 0});
    scene.admin.ok("POST", "/platform/permission/user/state", role).await;
    assert!([4401, 4403].contains(&watching.until_closed().await));
}
