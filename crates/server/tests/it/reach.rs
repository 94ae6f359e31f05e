//! Nobody gets beyond his own service areas, agents or tiers by way of a colleague who has the same codes.

use serde_json::{Value, json};
use wire::BASE;

use crate::city::City;
use crate::client::{Browser, Machine, plain};
use crate::stack::{ADMIN, Stack};

const NARROW: &str = "13700000041";
const WIDE: &str = "13700000042";
const USER: &str = "/platform/permission/user";
const DEVICES: &str = "/mieba/v2/platform/opman/device";

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// Another service area of the city's agent, with a bike.
async fn second_area(machine: &Machine, city: &City) -> String {
    let (lat, lng) = (city.lat + 0.05, city.lng);
    let ring = json!([[lng - 0.01, lat - 0.01], [lng + 0.01, lat - 0.01], [lng + 0.01, lat + 0.01]]);
    let body = json!({"agentId": city.agent, "name": "另一区", "ring": ring, "datum": "wgs84",
        "tel": "05920000001"});
    let area = text(&machine.ok("/open/v1/areas", &body).await["areaId"]);
    machine.ok(&format!("/open/v1/areas/{area}/open"), &json!({})).await;
    let bike = json!({"carId": "Z00001", "imei": "869990000000001", "plateNo": "闽Z00001", "areaId": area,
        "agentId": city.agent, "lat": lat - 0.005, "lng": lng + 0.005});
    let data = machine.ok("/open/v1/vehicles/batch", &json!({ "vehicles": [bike] })).await;
    assert!(data["results"][0]["error"].is_null(), "{data}");
    "Z00001".to_owned()
}

/// Signs in by a link on a browser of the asker's own; who he is then, or the code of the refusal.
async fn by_link(narrow: &Browser, phone: &str) -> Result<Browser, String> {
    let link = narrow.call("POST", "/auth/quickLink", json!({ "phone": phone })).await;
    if link.body["suc"] == false {
        return Err(text(&link.body["error"]["code"]));
    }
    let device = "the-askers-own";
    let body =
        json!({"device_type": 1, "mobilePhoneNumber": phone, "device_code": device, "device_name": "Chrome"});
    let path = format!("{BASE}/mieba/platform/opman/device/verification");
    plain(&narrow.url, "POST", &path, &[], Some(&body)).await.unwrap();
    let mut browser = Browser::keyed(&narrow.url, device).await;
    let origin = &link.data()["origin"];
    browser.ok("POST", "/auth/login/authorized", json!({"phone": phone, "origin": origin})).await;
    let signed = browser.ok("POST", "/platform/permission/login", json!({ "opManId": phone })).await;
    browser.token = Some(text(&signed["token"]));
    Ok(browser)
}

fn lock(car: &str) -> Value {
    json!({"carId": car, "action": "lock", "reason": "", "requestId": format!("lock-{car}")})
}

#[tokio::test(flavor = "multi_thread")]
async fn perm_018_020_nobody_gets_beyond_his_areas_through_a_colleague_who_holds_the_same_codes() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "A", 1, 1).await;
    let elsewhere = second_area(&machine, &city).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let codes: Vec<String> =
        ["10", "1001", "1002", "03", "0301", "0305"].into_iter().map(str::to_owned).collect();
    let role =
        json!({"name": "区长", "tier": 2, "remark": "", "codes": codes, "state": 1, "agentId": city.agent});
    let role = text(&admin.ok("POST", "/platform/permission/role", role).await["id"]);
    let theirs =
        json!({"name": "他的", "tier": 2, "remark": "", "codes": codes, "state": 1, "agentId": city.agent});
    let theirs = text(&admin.ok("POST", "/platform/permission/role", theirs).await["id"]);
    for (phone, areas, role) in [(NARROW, json!([city.area]), &role), (WIDE, json!([]), &theirs)] {
        let body = json!({"phone": phone, "name": "王芳", "level": 2, "roleIds": [role],
            "agentId": city.agent, "opAreaIds": areas, "state": 1});
        admin.ok("POST", USER, body).await;
    }
    let wide = Browser::signed_in(&node.url, WIDE).await;
    let narrow = Browser::signed_in(&node.url, NARROW).await;
    let own = narrow.call("POST", "/device/lock", lock(&city.bikes[0].car)).await;
    assert_eq!(own.body["suc"], true, "{}", own.body);
    let beyond = narrow.call("POST", "/device/lock", lock(&elsewhere)).await;
    assert_eq!(beyond.body["error"]["code"], "not-found", "{}", beyond.body);

    match by_link(&narrow, WIDE).await {
        Err(code) => assert_eq!(code, "operator-beyond-reach"),
        Ok(colleague) => {
            let told = colleague.call("POST", "/device/lock", lock(&elsewhere)).await;
            panic!(
                "signed in as the colleague and locked a bike of another area: {} {}",
                told.status, told.body
            );
        }
    }
    let devices = narrow.ok("GET", &format!("{DEVICES}/authorize_info"), json!({})).await;
    let his = |row: &&Value| row["device_code"] == format!("device-of-{WIDE}");
    let device = devices["list"].as_array().unwrap().iter().find(his).map(|row| row["id"].clone());
    let row = admin.ok("GET", &format!("{USER}/{WIDE}"), json!({})).await;
    let changed = json!({"name": "他人", "level": 2, "agentId": city.agent, "opAreaIds": [city.area],
        "version": row["version"]});
    let mut acts = vec![
        ("POST", format!("{USER}/state"), json!({"phone": WIDE, "state": 0})),
        ("POST", format!("{USER}/{WIDE}"), changed),
        ("DELETE", format!("{USER}/{WIDE}"), json!({})),
        ("GET", format!("{USER}/{WIDE}/codes"), json!({})),
        ("GET", "/platform/permission/allCode".to_owned(), json!({ "opManId": WIDE })),
        ("POST", "/platform/permission/role/state".to_owned(), json!({"id": theirs, "state": 0})),
    ];
    acts.extend(device.map(|id| ("POST", format!("{DEVICES}/authorize_remove"), json!({ "id": id }))));
    let mut done = Vec::new();
    for (method, path, content) in acts {
        let reply = narrow.call(method, &path, content).await;
        let code = reply.body["error"]["code"].as_str().unwrap_or_default();
        if !matches!(code, "operator-beyond-reach" | "role-beyond-reach" | "not-found") {
            done.push(format!("{method} {path}: {} {}", reply.status, reply.body));
        }
    }
    assert!(done.is_empty(), "{done:#?}");
    // One of several is judged as if alone.
    let both = json!({"phones": [WIDE, "13700000099"], "state": 0});
    let answer = narrow.ok("POST", &format!("{USER}/state"), both).await;
    let results = answer["results"].as_array().expect("an outcome of each");
    let codes: Vec<&Value> = results.iter().map(|one| &one["error"]["code"]).collect();
    assert_eq!(codes, [&json!("operator-beyond-reach"), &json!("not-found")], "{answer}");
    // The colleague is as he was, and works.
    let same = admin.ok("GET", &format!("{USER}/{WIDE}"), json!({})).await;
    assert_eq!(
        (&same["version"], &same["state"], &same["roleIds"]),
        (&row["version"], &json!(1), &json!([theirs]))
    );
    wide.ok("POST", "/device/lock", lock(&elsewhere)).await;
}
