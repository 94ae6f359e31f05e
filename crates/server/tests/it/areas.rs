//! Service areas change hands together, with the account that runs them, or not at all.

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::PgPool;

use crate::agents::{ACCOUNT, account, change, plan, row, text, with};
use crate::city::City;
use crate::client::{Browser, Machine, Reply};
use crate::stack::{ADMIN, Node, Stack, eventually};

const HAND_OVER: &str = "/platform/agent/serviceArea/agent";
const STATE: &str = "/platform/agent/serviceArea/state";
/// A statement that waits for the log's head, as one with claims does.
const WAITING: &str =
    "wait_event_type = 'Lock' and query like '%from log.append(%' and datname = current_database()";

async fn head(owner: &PgPool) -> i64 {
    sqlx::query_scalar("select position from log.log_head").fetch_one(owner).await.unwrap()
}

/// The areas that an agent runs, as its account shows them.
async fn run(admin: &Browser, agent: &str) -> Vec<String> {
    let mut areas: Vec<String> =
        row(admin, agent).await["serviceAreaIds"].as_array().expect("areas").iter().map(text).collect();
    areas.sort();
    areas
}

fn sorted(areas: &[&String]) -> Vec<String> {
    let mut areas: Vec<String> = areas.iter().map(|area| (*area).clone()).collect();
    areas.sort();
    areas
}

#[tokio::test(flavor = "multi_thread")]
async fn areas_change_hands_with_their_agents_account_all_or_none() {
    let (stack, node) = Stack::serving().await;
    let owner = stack.owner().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let top = text(&admin.ok("POST", ACCOUNT, account("厦门骑行有限公司", "13900000041")).await["agentId"]);
    let lake = plan(&machine, &top, "湖滨", 24.5).await;
    let island = plan(&machine, &top, "鼓浪屿", 24.6).await;
    let bay = plan(&machine, &top, "海湾", 24.7).await;
    let under = json!({"parentId": top, "serviceAreaIds": [lake]});
    let child = text(
        &admin.ok("POST", ACCOUNT, with(account("湖里骑行有限公司", "13900000042"), &under)).await["agentId"],
    );
    // Its name is free again where it came from.
    let second = plan(&machine, &top, "湖滨", 24.8).await;

    let wish = async |areas: &[&String]| {
        change(&admin, &child, json!({"company": "湖里单车有限公司", "serviceAreaIds": areas})).await
    };
    let before = head(&owner).await;
    let refused = async |body: Value, code: &str| {
        let reply = admin.call("PUT", ACCOUNT, body).await;
        assert_eq!(reply.code(), code, "{}", reply.body);
        assert_eq!(head(&owner).await, before, "{code}: nothing was written");
        reply
    };
    // A name that another area of the agent has.
    refused(wish(&[&lake, &island, &second]).await, "area-name-taken").await;
    // More at once than may be.
    let many: Vec<String> = (0..201).map(|n| (9_000_000 + n).to_string()).collect();
    let many: Vec<&String> = many.iter().chain([&lake]).collect();
    let text_of = refused(wish(&many).await, "areas-too-many").await.body;
    assert!(
        text_of["error"]["promt"].as_str().is_some_and(|text| text.contains("一次最多移交 200 个服务区"))
    );
    // One that is not there; one that came from elsewhere; what the editor did not see.
    refused(wish(&[&lake, &island, &"77".to_owned()]).await, "area-unknown").await;
    let stale = with(wish(&[&lake, &island]).await, &json!({"version": 77}));
    refused(stale, "stale-version").await;
    assert_eq!(run(&admin, &child).await, std::slice::from_ref(&lake));
    assert_eq!(row(&admin, &child).await["company"], "湖里骑行有限公司");

    // The account and three areas, one of them back; the two with the same name change places.
    admin.ok("PUT", ACCOUNT, wish(&[&second, &island, &bay]).await).await;
    assert_eq!(run(&admin, &child).await, sorted(&[&second, &island, &bay]));
    assert_eq!(run(&admin, &top).await, std::slice::from_ref(&lake));
    assert_eq!(row(&admin, &child).await["company"], "湖里单车有限公司");
    let (events, writes): (i64, i64) =
        sqlx::query_as("select count(*), count(distinct xmin::text) from log.events where position > $1")
            .bind(before)
            .fetch_one(&owner)
            .await
            .unwrap();
    assert_eq!((events, writes), (5, 1), "the account and four areas in one append");

    // One with something in it keeps all of them where they are.
    let fence = json!({"areaId": island, "kind": 2, "name": "码头", "capacity": 20,
        "ring": [[118.004, 24.601], [118.005, 24.601], [118.005, 24.602]]});
    machine.ok("/open/v1/fences", &fence).await;
    let before = head(&owner).await;
    let home = change(&admin, &child, json!({"company": "湖里", "serviceAreaIds": [second]})).await;
    assert_eq!(admin.call("PUT", ACCOUNT, home).await.code(), "area-not-empty");
    assert_eq!(head(&owner).await, before);

    // Nobody gets an area who may not work.
    let version = json!({"id": second});
    let version = admin.ok("GET", "/platform/agent/serviceArea/info", version).await["version"].clone();
    admin.ok("POST", &format!("{ACCOUNT}/state"), json!({"agentId": top, "state": 0})).await;
    let over = json!({"id": second, "agentId": top, "version": version});
    assert_eq!(admin.call("POST", HAND_OVER, over.clone()).await.code(), "agent-unknown");
    admin.ok("POST", &format!("{ACCOUNT}/state"), json!({"agentId": top, "state": 1})).await;
    // The other 湖滨 stands in its way.
    assert_eq!(admin.call("POST", HAND_OVER, over.clone()).await.code(), "area-name-taken");
    let away = with(over, &json!({"id": bay}));
    let version =
        admin.ok("GET", "/platform/agent/serviceArea/info", json!({"id": bay})).await["version"].clone();
    let away = with(away, &json!({ "version": version }));
    let done = admin.keyed_call(HAND_OVER, &away, "bay").await.unwrap();
    let again = admin.keyed_call(HAND_OVER, &away, "bay").await.unwrap();
    assert_eq!((done.position, &done.body["suc"]), (again.position, &again.body["suc"]), "a repeat: {away}");
    assert_eq!(run(&admin, &top).await, sorted(&[&lake, &bay]));
    assert!(stack.task(&["verify"]).await.status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_is_planned_called_off_and_resumed_and_a_place_is_judged_for_who_may_see_it() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "K", 2, 1).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let info = async || admin.ok("GET", "/platform/agent/serviceArea/info", json!({"id": city.area})).await;
    let before = info().await;
    let now_ms = before["updatedAt"].as_i64().unwrap();
    let (begin, end) = (now_ms + 3_600_000, now_ms + 7_200_000);
    let stop = |begin: Option<i64>, end: i64| json!({"id": city.area, "state": 2, "notice": "台风", "stopBeginAt": begin, "stopEndAt": end});
    let refused = admin.call("POST", STATE, stop(Some(end), begin)).await;
    assert_eq!(refused.code(), "area-stop-times", "{}", refused.body);
    admin.ok("POST", STATE, stop(Some(begin), end)).await;
    let planned = info().await;
    assert_eq!(
        (&planned["state"], &planned["stopBeginAt"], &planned["stopEndAt"], &planned["stopNotice"]),
        (&json!(1), &json!(begin), &json!(end), &json!("台风"))
    );
    admin.ok("POST", STATE, json!({"id": city.area, "state": 1})).await;
    let called_off = info().await;
    assert_eq!((&called_off["state"], &called_off["stopBeginAt"]), (&json!(1), &Value::Null));
    admin.ok("POST", STATE, stop(None, end)).await;
    let stopped = info().await;
    assert_eq!(
        (&stopped["state"], &stopped["notice"], &stopped["stopEndAt"]),
        (&json!(2), &json!("台风"), &json!(end))
    );
    admin.ok("POST", STATE, json!({"id": city.area, "state": 1})).await;
    assert_eq!(info().await["stopEndAt"], Value::Null);

    // In the middle of the city one must not stop; another parking place lies apart.
    let (west, east) = (city.lng - 0.0005, city.lng + 0.0005);
    let (south, north) = (city.lat + 0.0095, city.lat + 0.0105);
    let ring = json!([[west, south], [east, south], [east, north], [west, north]]);
    let station = json!({"areaId": city.area, "kind": 2, "name": "K 北站", "ring": ring, "datum": "wgs84",
        "capacity": 20});
    machine.ok("/open/v1/fences", &station).await;
    let judged = async |who: &Browser, lat: f64| {
        let place = json!({"lat": lat.to_string(), "lng": city.lng.to_string(), "opAreaId": city.area});
        who.call("GET", "/fence/judge", place).await
    };
    let inside = judged(&admin, city.lat + 0.01).await.data();
    assert_eq!((&inside["class"], &inside["fenceName"]), (&json!(0), &json!("K 北站")), "{inside}");
    let banned = judged(&admin, city.lat).await.data();
    assert_eq!((&banned["class"], &banned["fenceName"]), (&json!(3), &json!("K 禁停区")), "{banned}");
    let outside = judged(&admin, city.lat + 0.015).await.data();
    assert_eq!((&outside["class"], &outside["fenceName"]), (&json!(1), &Value::Null), "{outside}");
    assert_eq!(outside["nearestName"], inside["fenceName"]);
    assert!(outside["nearest"]["beyondM"].as_f64().unwrap() > 100.0, "{outside}");
    assert_eq!(judged(&admin, 95.0).await.status, 400);
}

/// What stands of the account with `phone` and its areas: how often it was opened, how often each area was handed over.
/// Of one moment, for what was sent may be applied while we look.
async fn stands(owner: &PgPool, phone: &str, areas: &[String]) -> Vec<i64> {
    sqlx::query_scalar(
        "select count(e.position) from unnest(array[null] || $2) with ordinality as wanted(area, n) \
         left join log.events e on case when area is null \
             then e.type = 'agent.registered' and strpos(e.data, $1) > 0 \
             else e.type = 'area.handed_over' and e.stream_id = area end \
         group by n order by n",
    )
    .bind(phone)
    .bind(areas)
    .fetch_all(owner)
    .await
    .unwrap()
}

async fn waiting(owner: &PgPool) -> bool {
    let sql = format!("select exists (select from pg_stat_activity where {WAITING})");
    sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(owner).await.unwrap()
}

async fn end_waiting(owner: &PgPool) {
    let sql =
        format!("select bool_and(pg_terminate_backend(pid, 5000)) from pg_stat_activity where {WAITING}");
    let ended: Option<bool> = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(owner).await.unwrap();
    assert_eq!(ended, Some(true), "the backend was there");
}

#[tokio::test(flavor = "multi_thread")]
async fn areas_whose_handing_over_is_killed_in_the_middle_moved_all_or_none() {
    let (stack, node) = Stack::serving().await;
    let owner = stack.owner().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let top = text(&admin.ok("POST", ACCOUNT, account("厦门骑行有限公司", "13900000051")).await["agentId"]);
    let mut node = Some(node);
    let mut place = 24.5;
    // The backend is killed; the server is, while what it sent is still to come; both are.
    for (n, kill_server, kill_backend) in [(0, false, true), (1, true, false), (2, true, true)] {
        let mut areas = Vec::new();
        for name in ["东", "南", "西", "北"] {
            place += 0.01;
            areas.push(plan(&machine, &top, &format!("{name}{n}"), place).await);
        }
        let (phone, key) = (format!("1390000006{n}"), format!("open-{n}"));
        let wish = json!({"parentId": top, "serviceAreaIds": areas});
        let body = with(account(&format!("分公司{n}"), &phone), &wish);
        let opened = |reply: &Reply| {
            assert_eq!(reply.body["suc"], true, "{}", reply.body);
            text(&reply.body["data"]["agentId"])
        };

        let mut held = owner.begin().await.unwrap();
        sqlx::query(testkit::HOLD_HEAD).execute(&mut *held).await.unwrap();
        let killing = async {
            eventually("the append waits", Duration::from_mins(1), async || {
                waiting(&owner).await.then_some(())
            })
            .await;
            let port = node.take_if(|_| kill_server).map(Node::kill9);
            if kill_backend {
                end_waiting(&owner).await;
            }
            held.rollback().await.unwrap();
            port
        };
        let (told, port) = tokio::join!(admin.keyed_call(ACCOUNT, &body, &key), killing);
        let none = vec![0; 5];
        let once = vec![1; 5];
        if let Some(port) = port {
            assert!(told.is_err(), "nobody was told: {told:?}");
            eventually("what was sent has come or is gone", Duration::from_mins(1), async || {
                (!waiting(&owner).await).then_some(())
            })
            .await;
            let left = stands(&owner, &phone, &areas).await;
            assert!(left == none || (left == once && !kill_backend), "round {n}: {left:?}");
            node = Some(stack.node(Some(port)));
        } else {
            opened(&told.unwrap());
        }
        // The same once more: done now, or answered as it was done.
        let told = admin.keyed_call(ACCOUNT, &body, &key).await.unwrap();
        let agent = opened(&told);
        assert_eq!(stands(&owner, &phone, &areas).await, once, "round {n}");
        areas.sort();
        // The lease of a killed server has to run out before another builds its tables.
        eventually("the account shows its areas", Duration::from_mins(1), async || {
            let shown = row(&admin, &agent).await["serviceAreaIds"].clone();
            let mut shown: Vec<String> = shown.as_array()?.iter().map(text).collect();
            shown.sort();
            (shown == areas).then_some(())
        })
        .await;
    }
    assert!(stack.task(&["verify"]).await.status.success());
}
