//! Fences from a file and as a file, over HTTP.

use serde_json::{Value, json};

use crate::city::City;
use crate::client::{Browser, Machine};
use crate::exports::{recorded, taken};
use crate::stack::{ADMIN, Stack};

/// A square of about 10 m whose south-west corner is so many of its sides east of the area's corner.
fn row(city: &City, n: u32, name: &str) -> Value {
    let (west, south) = (city.lng + 0.0002 * f64::from(n + 1), city.lat + 0.002);
    let (east, north) = (west + 0.0001, south + 0.0001);
    let ring = [[west, south], [west, north], [east, north], [east, south], [west, south]];
    json!({"name": name, "geometry": {"type": "Polygon", "coordinates": [ring]}, "capacity": 7})
}

#[tokio::test(flavor = "multi_thread")]
async fn fences_of_a_file_are_looked_at_then_drawn_once_and_come_back_as_a_file() {
    let (stack, node) = Stack::serving().await;
    let token = stack.full_machine().await;
    let machine = Machine::new(&node.url, &token);
    let city = City::build(&machine, "I", 1, 1).await;
    let browser = Browser::signed_in(&node.url, ADMIN).await;
    let mut rows: Vec<Value> = (0..20).map(|n| row(&city, n, &format!("路侧 {n}"))).collect();
    // The fourth crosses itself, the fifth repeats a name, the sixth lies elsewhere.
    let [west, south, east, north] = [city.lng, city.lat, city.lng + 0.001, city.lat + 0.001];
    let tie = [[west, south], [east, north], [east, south], [west, north], [west, south]];
    rows[3]["geometry"]["coordinates"] = json!([tie]);
    rows[4]["name"] = "路侧 0".into();
    rows[5]["geometry"] = json!({"type": "Point", "coordinates": [city.lng + 3.0, city.lat], "radiusM": 9});
    rows[6]["geometry"] =
        json!({"type": "Point", "coordinates": [city.lng + 0.004, city.lat + 0.004], "radiusM": 9});
    let import =
        |check: bool| json!({"type": "parking", "opAreaId": city.area, "check": check, "rows": rows});

    let listed =
        async || browser.ok("GET", "/fence/list", json!({"opAreaId": city.area})).await["count"].clone();
    let before = listed().await.as_i64().expect("a count");
    let looked = browser.ok("POST", "/fence/import", import(true)).await;
    let told = |outcome: &Value| -> Vec<(i64, String)> {
        let refused = outcome["refused"].as_array().expect("rows").iter();
        refused.map(|row| (row["row"].as_i64().unwrap(), row["code"].as_str().unwrap().to_owned())).collect()
    };
    let faults = [(3, "ring"), (4, "fence-name-taken"), (5, "fence-outside-area")];
    let faults: Vec<(i64, String)> = faults.into_iter().map(|(row, code)| (row, code.to_owned())).collect();
    assert_eq!((told(&looked), &looked["made"]), (faults.clone(), &json!(17)), "{looked}");
    let spot = &looked["refused"][0]["spot"];
    assert!((spot[0].as_f64().unwrap() - f64::midpoint(west, east)).abs() < 1e-6, "{spot}");
    assert!(looked["refused"][2]["spot"][0].as_f64().unwrap() > city.lng + 2.9, "{looked}");
    assert_eq!(listed().await, before, "nothing was drawn");

    let drawn = browser.ok("POST", "/fence/import", import(false)).await;
    assert_eq!(drawn, looked);
    assert_eq!(listed().await, before + 17);
    // Sent again, what is there is met as it is; one of them drawn otherwise is not overwritten.
    let again = browser.ok("POST", "/fence/import", import(false)).await;
    assert_eq!((&again["made"], &again["same"]), (&json!(0), &json!(17)), "{again}");
    let mut moved = row(&city, 30, "路侧 1");
    moved["capacity"] = 1.into();
    let body = json!({"type": "parking", "opAreaId": city.area, "rows": [moved]});
    assert_eq!(told(&browser.ok("POST", "/fence/import", body).await), [(0, "fence-name-taken".to_owned())]);
    assert_eq!(listed().await, before + 17);

    // As drafts they count for nobody.
    let body =
        json!({"type": "noStop", "opAreaId": city.area, "draft": true, "rows": [row(&city, 40, "禁停")]});
    assert_eq!(browser.ok("POST", "/fence/import", body).await["made"], 1);
    let drafts = browser.ok("GET", "/fence/list", json!({"keyword": "禁停", "opAreaId": city.area})).await;
    assert_eq!(
        (&drafts["rows"][0]["dataVersion"], &drafts["rows"][0]["hasDraft"]),
        (&json!(0), &json!(true))
    );

    // What tells riders the opposite of a zone that counts is asked about, and drawn when that is meant.
    let zone = row(&city, 60, "真禁停");
    let body = json!({"type": "noStop", "opAreaId": city.area, "rows": [zone]});
    assert_eq!(browser.ok("POST", "/fence/import", body).await["made"], 1);
    let over = |meant: bool| json!({"type": "parking", "opAreaId": city.area, "confirmOverlap": meant, "rows": [row(&city, 60, "重叠"), row(&city, 62, "旁边")]});
    let asked = browser.ok("POST", "/fence/import", over(false)).await;
    assert_eq!((told(&asked), &asked["made"]), (vec![(0, "fence-overlap".to_owned())], &json!(1)), "{asked}");
    let meant = browser.ok("POST", "/fence/import", over(true)).await;
    assert_eq!((&meant["made"], &meant["same"]), (&json!(1), &json!(1)), "{meant}");

    // Too many at once are refused whole.
    let many = vec![row(&city, 1, "多"); 501];
    let body = json!({"type": "parking", "opAreaId": city.area, "rows": many});
    let refused = browser.call("POST", "/fence/import", body).await;
    assert_eq!(refused.status, 400, "{}", refused.body);

    // The file has them all, a circle by what it is and as a ring; that it was taken is on record.
    let file = taken(&browser, &format!("/fence/drawings?opAreaId={}&type=parking", city.area)).await;
    assert_eq!(file.status, 200, "{}", file.body);
    let features = file.body["features"].as_array().expect("features");
    assert_eq!(features.len(), 20, "with the area's own");
    let circle = features.iter().find(|one| one["properties"]["name"] == "路侧 6").expect("the circle");
    assert_eq!(circle["properties"]["circle"]["radiusM"], 9.0, "{circle}");
    assert!(circle["geometry"]["coordinates"][0].as_array().is_some_and(|ring| ring.len() > 60), "{circle}");
    assert_eq!(recorded(&browser, "fence").await.0["access"]["rows"], 20);
}
