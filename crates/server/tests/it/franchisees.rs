//! Franchisees and the management of service areas: what a browser gets, who is refused, what stays masked.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use sqlx::PgPool;

use crate::city::City;
use crate::client::{Browser, Machine};
use crate::stack::{ADMIN, Stack, eventually};

const FRANCHISEE: &str = "/platform/agent/allyInfo";
const AREA: &str = "/platform/agent/serviceArea";
const LICENSE: &str = "91350200MA31C0001Y";

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("text: {value}")).to_owned()
}

fn holds(row: &str, value: &Value, fields: &[&str]) {
    let known: BTreeSet<&str> = value.as_object().expect(row).keys().map(String::as_str).collect();
    for field in fields {
        assert!(known.contains(field), "{row}: {field} is missing in {value}");
    }
}

async fn refused(browser: &Browser, method: &str, path: &str, body: Value, code: &str) {
    let reply = browser.call(method, path, body.clone()).await;
    assert_eq!(reply.code(), code, "{method} {path} {body}: {}", reply.body);
}

/// Events of one stream, by name.
async fn events(owner: &PgPool, category: &str, stream: &str) -> Vec<String> {
    sqlx::query_scalar("select type from log.events where category = $1 and stream_id = $2 order by version")
        .bind(category)
        .bind(stream)
        .fetch_all(owner)
        .await
        .unwrap()
}

/// PERM-005: a franchisee comes, changes and goes by ally info alone; there is no fifth level of operators.
#[tokio::test(flavor = "multi_thread")]
async fn perm_005_franchisees_are_managed_by_franchisee_info_and_by_no_fifth_level() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "A", 1, 2).await;
    let other = City::build(&machine, "B", 2, 1).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let owner = stack.owner().await;

    // No fifth level.
    for level in [16, 31] {
        let body = json!({"phone": "13700000031", "name": "王芳", "level": level, "roleIds": [], "agentId": "0",
            "opAreaIds": [], "state": 1});
        refused(&admin, "POST", "/platform/permission/user", body, "level-bad").await;
    }

    // Nobody without 1101.
    let role = admin.new_role("看区", &["1103".to_owned()]).await;
    admin.new_operator("13700000032", &[&role], "0").await;
    let without = Browser::signed_in(&node.url, "13700000032").await;
    let keyed = Browser::keyed(&node.url, "stranger").await;
    for (method, path) in [
        ("GET", FRANCHISEE.to_owned()),
        ("POST", FRANCHISEE.to_owned()),
        ("PUT", FRANCHISEE.to_owned()),
        ("DELETE", FRANCHISEE.to_owned()),
        ("GET", format!("{FRANCHISEE}/info")),
        ("POST", format!("{FRANCHISEE}/state")),
        ("POST", format!("{FRANCHISEE}/unmask")),
    ] {
        assert_eq!(keyed.call(method, &path, json!({})).await.status, 401, "{method} {path}");
        assert_eq!(without.call(method, &path, json!({})).await.status, 403, "{method} {path}");
    }

    // The least that a franchisee comes with.
    let bare = json!({"company": "湖滨出行有限公司", "contact": "陈伟", "phone": "13900001111", "agentId": city.agent});
    for (change, code) in [
        (json!({"company": " "}), "ally-company"),
        (json!({"contact": ""}), "ally-person"),
        (json!({"phone": "12900001111"}), "phone-bad"),
        (json!({"licenseNo": "91350200MA31C0002Y"}), "ally-license"),
        (json!({"contractEnd": "2027-02-30"}), "ally-date"),
        (json!({"depositPaid": -1}), "ally-deposit"),
        (json!({"divideRatioBp": 10_001}), "ally-ratio"),
        (json!({"serviceAreaIds": [other.area]}), "ally-area"),
        (json!({"agentId": "77"}), "agent-unknown"),
        (json!({"agentId": null}), "agent-missing"),
    ] {
        let mut body = bare.clone();
        for (name, value) in change.as_object().unwrap() {
            body[name] = value.clone();
        }
        refused(&admin, "POST", FRANCHISEE, body, code).await;
    }
    let id = text(&admin.ok("POST", FRANCHISEE, bare.clone()).await["id"]);
    let list =
        admin.ok("GET", FRANCHISEE, json!({"keyword": "湖滨", "agentId": city.agent, "state": "0"})).await;
    assert_eq!(list["count"], 1);
    let row = &list["rows"][0];
    holds(
        "the list",
        row,
        &["id", "company", "contact", "phone", "agentId", "state", "serviceAreaIds", "version"],
    );
    assert_eq!((&row["contact"], &row["phone"]), (&json!("陈*"), &json!("139****1111")), "lists mask people");
    assert_eq!((&row["state"], &row["agentCompany"]), (&json!(0), &json!("A 出行有限公司")));

    // A contract needs more.
    let signing = json!({"id": id, "state": 1});
    refused(&admin, "POST", &format!("{FRANCHISEE}/state"), signing.clone(), "ally-incomplete").await;
    let change = json!({"id": id, "licenseNo": LICENSE.to_lowercase(), "legalPerson": "陈建国",
        "serviceAreaIds": [city.area], "joinedAt": "2026-01-01", "contractEnd": "2099-12-31",
        "depositPaid": 5_000_000, "divideRatioBp": 3_000, "version": row["version"]});
    admin.ok("PUT", FRANCHISEE, change.clone()).await;
    refused(&admin, "PUT", FRANCHISEE, change, "stale-version").await;
    refused(
        &admin,
        "POST",
        &format!("{FRANCHISEE}/state"),
        json!({"id": id, "state": 3, "reason": "早了"}),
        "ally-not-now",
    )
    .await;
    admin.ok("POST", &format!("{FRANCHISEE}/state"), signing).await;
    let info = admin.ok("GET", &format!("{FRANCHISEE}/info"), json!({ "id": id })).await;
    assert_eq!((&info["state"], &info["vehicleCount"]), (&json!(1), &json!(2)));
    assert_eq!((&info["licenseNo"], &info["legalPerson"]), (&json!(LICENSE), &json!("陈**")));
    assert_eq!((&info["depositPaid"], &info["contractEnd"]), (&json!(5_000_000), &json!("2099-12-31")));
    assert_eq!(info["serviceAreas"][0]["name"], "A 区");
    // Of a PUT with just what endpoints name, the rest stays.
    admin
        .ok(
            "PUT",
            FRANCHISEE,
            json!({"id": id, "company": "湖滨出行集团", "contact": "林芳", "phone": "13900002222"}),
        )
        .await;
    let info = admin.ok("GET", &format!("{FRANCHISEE}/info"), json!({ "id": id })).await;
    assert_eq!(
        (&info["company"], &info["contact"], &info["licenseNo"]),
        (&json!("湖滨出行集团"), &json!("林*"), &json!(LICENSE))
    );

    // The number is the agent's only one; another agent may work with the same company.
    let mut twin = bare.clone();
    twin["licenseNo"] = json!(LICENSE);
    refused(&admin, "POST", FRANCHISEE, twin.clone(), "ally-license-taken").await;
    twin["agentId"] = json!(other.agent);
    let elsewhere = text(&admin.ok("POST", FRANCHISEE, twin.clone()).await["id"]);

    // Whole only for who leaves his name, and nowhere else: not in the table, not in stored answers, not in the log.
    let whole = admin.ok("POST", &format!("{FRANCHISEE}/unmask"), json!({ "id": id })).await;
    assert_eq!(whole, json!({"contact": "林芳", "phone": "13900002222", "legalPerson": "陈建国"}));
    let looked: String = sqlx::query_scalar(
        "select meta::text from log.events where category = 'ally' and stream_id = $1 and type = 'ally.revealed'",
    )
    .bind(&id)
    .fetch_one(&owner)
    .await
    .unwrap();
    assert!(looked.contains("operator"), "who looked is kept: {looked}");
    for table in ["read.franchisee", "log.requests", "log.events"] {
        let sql = format!("select coalesce(string_agg(t::text, ' '), '') from {table} t");
        let all: String = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(&owner).await.unwrap();
        for secret in ["13900002222", "林芳", "陈建国"] {
            assert!(!all.contains(secret), "{table} holds {secret}");
        }
    }

    // Another agent's people see and do nothing with it.
    let role = admin.new_role("加盟", &["1101".to_owned()]).await;
    admin.new_operator("13700000033", &[&role], &other.agent).await;
    let stranger = Browser::signed_in(&node.url, "13700000033").await;
    let seen = stranger.ok("GET", FRANCHISEE, json!({})).await;
    assert_eq!((&seen["count"], &seen["rows"][0]["id"]), (&json!(1), &json!(elsewhere)));
    refused(&stranger, "GET", &format!("{FRANCHISEE}/info"), json!({ "id": id }), "not-found").await;
    refused(&stranger, "POST", &format!("{FRANCHISEE}/unmask"), json!({ "id": id }), "not-found").await;
    refused(&stranger, "PUT", FRANCHISEE, json!({"id": id, "company": "我的"}), "not-found").await;
    refused(
        &stranger,
        "POST",
        &format!("{FRANCHISEE}/state"),
        json!({"id": id, "state": 3, "reason": "x"}),
        "not-found",
    )
    .await;
    refused(&stranger, "DELETE", FRANCHISEE, json!({ "id": id }), "not-found").await;
    refused(&stranger, "POST", FRANCHISEE, bare.clone(), "agent-unknown").await;

    // What was signed is kept; what was not is removed; who ends says why.
    refused(&admin, "DELETE", FRANCHISEE, json!({ "id": id }), "ally-kept").await;
    admin.ok("DELETE", FRANCHISEE, json!({ "id": elsewhere })).await;
    refused(&admin, "GET", &format!("{FRANCHISEE}/info"), json!({ "id": elsewhere }), "not-found").await;
    refused(&admin, "POST", &format!("{FRANCHISEE}/state"), json!({"id": id, "state": 3}), "ally-reason")
        .await;
    assert_eq!(
        admin.call("POST", &format!("{FRANCHISEE}/state"), json!({"id": id, "state": 2})).await.status,
        400
    );
    admin
        .ok("POST", &format!("{FRANCHISEE}/state"), json!({"id": id, "state": 3, "reason": "经营不善"}))
        .await;
    let ended = admin.ok("GET", &format!("{FRANCHISEE}/info"), json!({ "id": id })).await;
    assert_eq!((&ended["state"], &ended["endedReason"]), (&json!(3), &json!("经营不善")));
    refused(&admin, "PUT", FRANCHISEE, json!({"id": id, "company": "又来"}), "ally-ended").await;
    let told = events(&owner, "ally", &id).await;
    let expected = [
        "ally.registered",
        "ally.terms_changed",
        "ally.people_changed",
        "ally.signed",
        "ally.terms_changed",
        "ally.people_changed",
        "ally.revealed",
        "ally.terminated",
    ];
    assert_eq!(told, expected);
}

/// Franchisees of an area: those who work in it, for whoever reaches it.
#[tokio::test(flavor = "multi_thread")]
async fn franchisees_are_found_by_area_and_an_area_beyond_the_callers_reach_finds_none() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "A", 1, 1).await;
    let other = City::build(&machine, "B", 2, 1).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let ring = json!([[118.0, 24.0], [118.01, 24.0], [118.01, 24.01]]);
    let body = json!({"agentId": city.agent, "name": "岛外", "ring": ring, "tel": "05920000000"});
    let second = text(&machine.ok("/open/v1/areas", &body).await["areaId"]);
    let mut made = Vec::new();
    for (agent, areas) in [
        (&city.agent, vec![&city.area]),
        (&city.agent, vec![&city.area, &second]),
        (&city.agent, vec![]),
        (&other.agent, vec![&other.area]),
    ] {
        let body = json!({"company": "湖滨出行有限公司", "contact": "陈伟", "phone": "13900001111", "agentId": agent,
            "serviceAreaIds": areas});
        made.push(text(&admin.ok("POST", FRANCHISEE, body).await["id"]));
    }
    let found = async |browser: &Browser, query: Value| -> BTreeSet<String> {
        let list = browser.ok("GET", FRANCHISEE, query).await;
        let ids: BTreeSet<String> =
            list["rows"].as_array().unwrap().iter().map(|row| text(&row["id"])).collect();
        assert_eq!(list["count"], json!(ids.len()), "{list}");
        ids
    };
    let these =
        |places: &[usize]| -> BTreeSet<String> { places.iter().map(|place| made[*place].clone()).collect() };
    let of = |area: &str| json!({ "serviceAreaId": area });
    assert_eq!(found(&admin, of(&city.area)).await, these(&[0, 1]));
    assert_eq!(found(&admin, of(&second)).await, these(&[1]));
    assert_eq!(found(&admin, of(&other.area)).await, these(&[3]));
    assert_eq!(found(&admin, json!({"serviceAreaId": city.area, "agentId": other.agent})).await, these(&[]));

    // Of the agent, and of its first area alone.
    let role = admin.new_role("加盟", &["1101".to_owned()]).await;
    let person = json!({"phone": "13700000043", "name": "王芳", "level": 15, "roleIds": [role], "agentId": city.agent,
        "opAreaIds": [city.area], "state": 1});
    admin.ok("POST", "/platform/permission/user", person).await;
    let clerk = Browser::signed_in(&node.url, "13700000043").await;
    assert_eq!(found(&clerk, json!({})).await, these(&[0, 1, 2]));
    assert_eq!(found(&clerk, of(&city.area)).await, these(&[0, 1]));
    assert_eq!(found(&clerk, of(&second)).await, these(&[]));
    assert_eq!(found(&clerk, of(&other.area)).await, these(&[]));
}

/// API-054, API-070, API-071: the areas of the header and of their management, for who may see them.
#[tokio::test(flavor = "multi_thread")]
async fn api_070_service_areas_are_listed_named_opened_closed_and_handed_over() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "A", 1, 3).await;
    let other = City::build(&machine, "B", 2, 1).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let role = admin.new_role("看车", &["0301".to_owned()]).await;
    admin.new_operator("13700000041", &[&role], "0").await;
    let without = Browser::signed_in(&node.url, "13700000041").await;
    let keyed = Browser::keyed(&node.url, "stranger").await;
    for (method, path) in [
        ("GET", AREA.to_owned()),
        ("PUT", AREA.to_owned()),
        ("GET", format!("{AREA}/info")),
        ("POST", format!("{AREA}/state")),
        ("POST", format!("{AREA}/agent")),
        ("GET", format!("{AREA}/agents")),
    ] {
        assert_eq!(keyed.call(method, &path, json!({})).await.status, 401, "{method} {path}");
        assert_eq!(without.call(method, &path, json!({})).await.status, 403, "{method} {path}");
    }

    // API-070: the table.
    let list = admin.ok("GET", AREA, json!({"agentId": city.agent, "keyword": "A", "state": "1"})).await;
    assert_eq!(list["count"], 1, "API-070: {list}");
    let row = &list["rows"][0];
    holds("API-070", row, &["id", "name", "agentId", "company", "vehicleCount", "state"]);
    assert_eq!(
        (&row["id"], &row["vehicleCount"], &row["company"], &row["parkingCount"]),
        (&json!(city.area), &json!(3), &json!("A 出行有限公司"), &json!(1))
    );
    assert_eq!(admin.ok("GET", AREA, json!({"state": "0"})).await["count"], 0);
    // API-071 and API-054: the header's selector, for whoever is signed in; count is all there are.
    for (id, path, query) in [
        ("API-071", format!("{AREA}/opMan"), json!({"opManId": "13700000041", "agentIds": city.agent})),
        ("API-054", format!("{AREA}/belongToAgent"), json!({"agentId": city.agent})),
    ] {
        assert_eq!(keyed.call("GET", &path, query.clone()).await.status, 401, "{id}");
        let told = without.ok("GET", &path, query).await;
        holds(id, &told, &["list", "count"]);
        assert_eq!(told["count"], 1, "{id}");
        assert_eq!(
            (&told["list"][0]["id"], &told["list"][0]["name"]),
            (&json!(city.area), &json!("A 区")),
            "{id}"
        );
        assert_eq!(told["list"][0]["agentId"], json!(city.agent), "{id}");
    }

    // Name and telephone, each version once.
    let info = admin.ok("GET", &format!("{AREA}/info"), json!({"id": city.area})).await;
    assert_eq!(info["ring"].as_array().map(Vec::len), Some(5), "closed: {info}");
    assert_eq!((&info["shelvedCount"], &info["fenceCount"]), (&json!(3), &json!(2)));
    let change = json!({"id": city.area, "name": "湖滨", "tel": "0592-1234567", "version": info["version"]});
    admin.ok("PUT", AREA, change.clone()).await;
    refused(&admin, "PUT", AREA, change, "stale-version").await;
    let version = admin.ok("GET", &format!("{AREA}/info"), json!({"id": city.area})).await["version"].clone();
    refused(
        &admin,
        "PUT",
        AREA,
        json!({"id": city.area, "name": "", "tel": "1", "version": version}),
        "area-name",
    )
    .await;
    refused(
        &admin,
        "PUT",
        AREA,
        json!({"id": city.area, "name": "湖滨", "tel": "", "version": version}),
        "area-telephone",
    )
    .await;

    // Suspended with a notice, open again, not closed while bikes are on its streets.
    let state = format!("{AREA}/state");
    refused(&admin, "POST", &state, json!({"id": city.area, "state": 2}), "area-notice").await;
    admin.ok("POST", &state, json!({"id": city.area, "state": 2, "notice": "台风"})).await;
    let info = admin.ok("GET", &format!("{AREA}/info"), json!({"id": city.area})).await;
    assert_eq!((&info["state"], &info["notice"], &info["name"]), (&json!(2), &json!("台风"), &json!("湖滨")));
    admin.ok("POST", &state, json!({"id": city.area, "state": 1})).await;
    refused(&admin, "POST", &state, json!({"id": city.area, "state": 3}), "area-vehicles-left").await;
    assert_eq!(admin.call("POST", &state, json!({"id": city.area, "state": 0})).await.status, 400);

    // A planned one needs a parking place; an empty one may go to another agent, whose people see it then.
    let ring = json!([[118.0, 24.0], [118.01, 24.0], [118.01, 24.01]]);
    let body = json!({"agentId": city.agent, "name": "岛外", "ring": ring, "tel": "05920000000"});
    let empty = text(&machine.ok("/open/v1/areas", &body).await["areaId"]);
    refused(&admin, "POST", &state, json!({"id": empty, "state": 1}), "area-no-parking").await;
    let role = admin.new_role("管区", &["1103".to_owned()]).await;
    admin.new_operator("13700000042", &[&role], &other.agent).await;
    let theirs = Browser::signed_in(&node.url, "13700000042").await;
    let seen = async |browser: &Browser| -> Vec<String> {
        let list = browser.ok("GET", AREA, json!({})).await;
        list["rows"].as_array().unwrap().iter().map(|row| text(&row["id"])).collect()
    };
    assert_eq!(seen(&theirs).await, std::slice::from_ref(&other.area));
    refused(&theirs, "GET", &format!("{AREA}/info"), json!({ "id": empty }), "not-found").await;
    refused(&theirs, "POST", &state, json!({"id": city.area, "state": 2, "notice": "x"}), "not-found").await;
    let to_other = json!({"id": city.area, "agentId": other.agent, "version": admin
        .ok("GET", &format!("{AREA}/info"), json!({"id": city.area})).await["version"]});
    refused(&admin, "POST", &format!("{AREA}/agent"), to_other, "area-not-empty").await;
    let version = admin.ok("GET", &format!("{AREA}/info"), json!({ "id": empty })).await["version"].clone();
    let nobody = json!({"id": empty, "agentId": "77", "version": version});
    refused(&admin, "POST", &format!("{AREA}/agent"), nobody, "agent-unknown").await;
    let to_other = json!({"id": empty, "agentId": other.agent, "version": version});
    admin.ok("POST", &format!("{AREA}/agent"), to_other).await;
    eventually("the new agent sees it", Duration::from_mins(1), async || {
        (seen(&theirs).await == [empty.clone(), other.area.clone()]).then_some(())
    })
    .await;
    let choices = theirs.ok("GET", &format!("{AREA}/agents"), json!({})).await;
    assert_eq!(choices["rows"].as_array().map(Vec::len), Some(1), "his own: {choices}");
    theirs.ok("POST", &state, json!({"id": empty, "state": 3})).await;
    refused(&theirs, "POST", &state, json!({"id": empty, "state": 1}), "area-closed").await;
}
