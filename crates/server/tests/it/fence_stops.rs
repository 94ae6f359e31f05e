//! Where bikes stopped about a fence, what a change of it would make of that, and the edge that would fit better.

use std::time::Duration;

use serde_json::{Value, json};
use vocabulary::{Clock, SystemClock};

use crate::city::City;
use crate::client::{Browser, Machine};
use crate::stack::{ADMIN, Stack};

const DAY_MS: i64 = 86_400_000;
/// A metre of latitude, degrees.
const METRE: f64 = 1.0 / 110_770.0;

/// A rectangle, metres from the middle of the city.
fn rectangle(city: &City, [west, south, east, north]: [f64; 4]) -> Value {
    let at = |x: f64, y: f64| [city.lng + x * METRE / 24.6_f64.to_radians().cos(), city.lat + y * METRE];
    json!({"type": "Polygon", "coordinates":
        [[at(west, south), at(east, south), at(east, north), at(west, north), at(west, south)]]})
}

#[tokio::test(flavor = "multi_thread")]
async fn stops_of_the_past_tell_what_a_fence_would_change_and_where_it_should_lie() {
    let (stack, node) = Stack::serving().await;
    let token = stack.full_machine().await;
    let machine = Machine::new(&node.url, &token);
    let city = City::build(&machine, "S", 1, 2).await;
    let browser = Browser::signed_in(&node.url, ADMIN).await;
    let now = SystemClock.now().millis();

    // Ten metres by twenty, half a kilometre north of the middle, where no other fence is.
    let edge = [0.0, 500.0, 20.0, 510.0];
    let parking = json!({"capacity": 30, "bufferM": 0});
    let new = json!({"name": "北门站", "type": "parking", "opAreaId": city.area,
        "geometry": rectangle(&city, edge), "parking": parking});
    // The read model stands still from before it is drawn until after it is asked for.
    let mut held = stack.owner().await.begin().await.unwrap();
    sqlx::query("select from log.projectors where name = 'fence' for update")
        .execute(&mut *held)
        .await
        .unwrap();
    let id = browser.ok("POST", "/fence", new).await["id"].as_str().expect("an id").to_owned();

    // Thirty stopped a few metres north of it, five within; one long ago, one of a bike that is not known, one next year.
    let stop = |n: u32, x: f64, y: f64| {
        json!({"carId": city.bikes[0].car, "at": now - DAY_MS - i64::from(n) * 60_000, "hdop": 0,
            "lng": city.lng + x * METRE / 24.6_f64.to_radians().cos(), "lat": city.lat + y * METRE})
    };
    let mut stops: Vec<Value> =
        (0..30).map(|n| stop(n, 2.0 + 0.5 * f64::from(n), 513.0 + 0.1 * f64::from(n))).collect();
    stops.extend((30..35).map(|n| stop(n, 10.0, 505.0)));
    let mut wrong = [stop(90, 10.0, 505.0), stop(91, 10.0, 505.0), stop(92, 10.0, 505.0)];
    wrong[0]["at"] = (now - 40 * DAY_MS).into();
    wrong[1]["carId"] = "NIEMALS".into();
    wrong[2]["at"] = (now + 365 * DAY_MS).into();
    stops.extend(wrong);
    let taken = machine.ok("/open/v1/stops", &json!({ "stops": stops })).await;
    let refused: Vec<i64> =
        taken["refused"].as_array().unwrap().iter().map(|row| row["row"].as_i64().unwrap()).collect();
    assert_eq!((&taken["taken"], refused), (&json!(35), vec![35, 36, 37]), "{taken}");
    let again = machine.ok("/open/v1/stops", &json!({ "stops": stops })).await;
    assert_eq!(again["taken"], 0, "each once: {again}");

    let let_go = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        held.rollback().await.unwrap();
    };
    let asked = browser.ok("GET", "/fence/returns", json!({"id": id, "days": "7"}));
    let (returns, ()) = tokio::join!(asked, let_go);
    let class = |number: i64| {
        returns["stops"].as_array().unwrap().iter().filter(|stop| stop["class"] == number).count()
    };
    assert_eq!((class(0), class(1)), (5, 30), "{returns}");
    let better = &returns["better"];
    assert_eq!(better["side"], 3, "the northern one: {better}");
    let (moved_m, gained) = (better["movedM"].as_f64().unwrap(), better["gained"].as_i64().unwrap());
    assert!((4.0..6.0).contains(&moved_m) && gained >= 24, "{better}");

    // Drawn so, most of them would be right; nothing has changed by asking.
    let form = json!({"id": id, "name": "北门站", "geometry": better["geometry"], "parking": parking});
    let preview = browser.ok("POST", "/fence/preview", form).await;
    let (before, after) = (&preview["before"], &preview["after"]);
    assert_eq!((&before["parked"], &before["outsideParking"]), (&json!(5), &json!(30)), "{preview}");
    assert_eq!(after["parked"].as_i64().unwrap(), 5 + gained, "{preview}");
    assert_eq!(preview["shifted"].as_array().unwrap().len() as i64, gained, "{preview}");
    let still = browser.ok("GET", "/fence/returns", json!({"id": id, "days": "7"})).await;
    assert_eq!(still["stops"], returns["stops"]);

    // A new no-stop zone over it: who stopped there would be fined. Nothing was seen half a day ago.
    let zone = json!({"type": "noStop", "opAreaId": city.area, "name": "新禁停",
        "geometry": rectangle(&city, [-5.0, 495.0, 25.0, 511.0])});
    let preview = browser.ok("POST", "/fence/preview", zone.clone()).await;
    assert_eq!(preview["after"]["noStop"], 5, "{preview}");
    let too_long = browser.call("POST", "/fence/preview", {
        let mut long = zone;
        long["days"] = 31.into();
        long
    });
    assert_eq!(too_long.await.status, 400);
}
