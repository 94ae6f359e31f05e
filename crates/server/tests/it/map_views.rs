//! Views of the operation map and hand-over notes: whose they are, who sees them, who may do what with them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::city::City;
use crate::client::{Browser, Machine};
use crate::exports::{file, lines};
use crate::stack::{ADMIN, Node, Stack};

const VIEW: &str = "/vehicle/map-view";
const NOTE: &str = "/vehicle/shift-note";
const PAGE: &str = "200";

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

async fn rows(browser: &Browser, path: &str, mut asked: Value) -> Vec<Value> {
    if asked["pageSize"].is_null() {
        asked["pageSize"] = json!(PAGE);
    }
    browser.ok("GET", path, asked).await["rows"].as_array().expect("rows").clone()
}

/// What a list shows, by one of its columns.
async fn shown(browser: &Browser, path: &str, column: &str) -> BTreeSet<String> {
    rows(browser, path, json!({})).await.iter().map(|row| text(&row[column])).collect()
}

fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// Why it is refused; empty when it is done.
async fn code(browser: &Browser, method: &str, path: &str, body: Value) -> String {
    browser.call(method, path, body).await.code().to_owned()
}

fn view(name: &str, audience: i64) -> Value {
    json!({"name": name, "audience": audience, "state": "f=low_battery&soc=0-20&view=30.28,120.15,14"})
}

async fn waiting(browser: &Browser) -> i64 {
    browser.ok("GET", &format!("{NOTE}/count"), json!({})).await["waiting"].as_i64().expect("a number")
}

struct Cast {
    _stack: Stack,
    node: Node,
    admin: Browser,
    /// Two people of one agent, and one of another.
    own: Browser,
    colleague: Browser,
    stranger: Browser,
    cities: [City; 2],
}

async fn cast() -> Cast {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let cities = [City::build(&machine, "A", 1, 2).await, City::build(&machine, "B", 2, 1).await];
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let role = admin.new_role("监控", &["03".to_owned(), "0301".to_owned()]).await;
    let phones = ["13700000291", "13700000292", "13700000293"];
    for (phone, city) in [(phones[0], 0), (phones[1], 0), (phones[2], 1)] {
        admin.new_operator(phone, &[&role], &cities[city].agent).await;
    }
    let [own, colleague, stranger] = [
        Browser::signed_in(&node.url, phones[0]).await,
        Browser::signed_in(&node.url, phones[1]).await,
        Browser::signed_in(&node.url, phones[2]).await,
    ];
    Cast { _stack: stack, node, admin, own, colleague, stranger, cities }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_view_is_its_makers_own_and_a_shared_one_is_seen_by_his_agent_alone() {
    let Cast { _stack, node, admin, own, colleague, stranger, cities } = cast().await;
    let shared = text(&own.ok("POST", VIEW, view(" 低电早班 ", 2)).await["id"]);
    let private = text(&own.ok("POST", VIEW, view("自己看", 1)).await["id"]);
    let both = set(&["低电早班", "自己看"]);
    assert_eq!(shown(&own, VIEW, "name").await, both);
    assert_eq!(shown(&colleague, VIEW, "name").await, set(&["低电早班"]));
    assert_eq!(
        shown(&admin, VIEW, "name").await,
        set(&["低电早班"]),
        "a private one is seen by no administrator"
    );
    assert_eq!(shown(&stranger, VIEW, "name").await, set(&[]));
    // A filter or a file shows no more.
    let mine = |mine: bool| json!({"mine": mine.to_string(), "keyword": "看"});
    assert_eq!(rows(&own, VIEW, mine(true)).await.len(), 1);
    assert!(rows(&colleague, VIEW, mine(false)).await.is_empty());
    assert!(rows(&colleague, VIEW, json!({"audience": "1"})).await.is_empty());
    let told = lines(&file(&colleague, VIEW, "").await).join("\n");
    assert!(told.contains("低电早班") && told.contains("共享") && !told.contains("自己看"), "{told}");
    assert!(lines(&file(&own, VIEW, "").await).join("\n").contains("自己看"));
    // Without the map's code there are none.
    let role = admin.new_role("无车辆", &["07".to_owned()]).await;
    admin.new_operator("13700000294", &[&role], &cities[0].agent).await;
    let without = Browser::signed_in(&node.url, "13700000294").await;
    assert_eq!(without.call("GET", VIEW, json!({})).await.status, 403);
    assert_eq!(without.call("POST", VIEW, view("没有权限", 2)).await.status, 403);

    // Only its maker changes it or takes it away; to others a private one is not there.
    let changed = |id: &str, name: &str, version: i64| {
        let mut body = view(name, 2);
        body["id"] = json!(id);
        body["version"] = json!(version);
        body
    };
    assert_eq!(code(&colleague, "PUT", VIEW, changed(&shared, "改名", 1)).await, "map-view-not-yours");
    assert_eq!(code(&admin, "DELETE", VIEW, json!({"id": shared})).await, "map-view-not-yours");
    assert_eq!(code(&colleague, "PUT", VIEW, changed(&private, "改名", 1)).await, "map-view-unknown");
    assert_eq!(code(&colleague, "DELETE", VIEW, json!({"id": private})).await, "map-view-unknown");
    assert_ne!(code(&stranger, "DELETE", VIEW, json!({"id": shared})).await, "");
    assert_eq!(code(&own, "PUT", VIEW, changed(&shared, "低电晚班", 1)).await, "");
    assert_ne!(code(&own, "PUT", VIEW, changed(&shared, "低电午班", 1)).await, "", "a stale version");
    assert_eq!(shown(&colleague, VIEW, "name").await, set(&["低电晚班"]));

    // A name is one view of an agent; what is given up is free again.
    assert_eq!(code(&colleague, "POST", VIEW, view("低电晚班", 1)).await, "map-view-name-taken");
    assert_eq!(code(&colleague, "POST", VIEW, view("低电早班", 1)).await, "");
    assert_eq!(
        code(&stranger, "POST", VIEW, view("低电晚班", 1)).await,
        "",
        "another agent's names are others"
    );
    assert_eq!(code(&own, "PUT", VIEW, changed(&shared, "低电早班", 2)).await, "map-view-name-taken");

    // An administrator gives one to an agent, nobody gives one to another's.
    let mut given = view("平台给的", 2);
    given["agentId"] = json!(cities[0].agent);
    assert_eq!(code(&admin, "POST", VIEW, given.clone()).await, "");
    assert_ne!(code(&stranger, "POST", VIEW, given).await, "");
    assert_eq!(shown(&colleague, VIEW, "name").await, set(&["低电晚班", "低电早班", "平台给的"]));
    assert_eq!(code(&admin, "POST", VIEW, view("平台的", 2)).await, "");
    assert!(!shown(&own, VIEW, "name").await.contains("平台的"), "the platform's own");

    assert_eq!(code(&own, "DELETE", VIEW, json!({"id": private})).await, "");
    assert_eq!(code(&own, "DELETE", VIEW, json!({"id": private})).await, "map-view-unknown");
    assert!(!shown(&own, VIEW, "name").await.contains("自己看"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_view_holds_is_bounded_and_nobody_has_more_than_a_hundred() {
    let Cast { _stack, node: _node, own, colleague, .. } = cast().await;
    let of_state = |state: &str| json!({"name": "边界", "audience": 1, "state": state});
    for (state, refusal) in [
        ("carId=A00001", "map-view-state"),
        ("f=alarm&token=1", "map-view-state"),
        ("f=alarm&f=riding", "map-view-state"),
        (&*format!("tag={}", "a".repeat(1997)), "map-view-state"),
        (&*format!("tag={}", "a".repeat(1996)), ""),
    ] {
        assert_eq!(code(&own, "POST", VIEW, of_state(state)).await, refusal, "{}", &state[..12]);
    }
    assert_eq!(code(&own, "POST", VIEW, view(&"字".repeat(21), 1)).await, "map-view-name");
    assert_eq!(code(&own, "POST", VIEW, view(" ", 1)).await, "map-view-name");

    for number in 1..100 {
        assert_eq!(code(&own, "POST", VIEW, view(&format!("视图 {number}"), 1)).await, "", "{number}");
    }
    assert_eq!(code(&own, "POST", VIEW, view("太多", 1)).await, "map-view-full");
    assert_eq!(code(&colleague, "POST", VIEW, view("别人的", 1)).await, "", "his own are counted");
    let page = own.ok("GET", VIEW, json!({"pageSize": "60"})).await;
    assert_eq!((&page["count"], page["rows"].as_array().unwrap().len()), (&json!(100), 60));
    let rest = own.ok("GET", VIEW, json!({"pageSize": "60", "after": page["place"]})).await;
    assert_eq!(rest["rows"].as_array().unwrap().len(), 40);
    // One that goes makes room for one.
    let gone = json!({"id": page["rows"][3]["id"]});
    assert_eq!(code(&own, "DELETE", VIEW, gone).await, "");
    assert_eq!(code(&own, "POST", VIEW, view("补上", 1)).await, "");
    assert_eq!(code(&own, "POST", VIEW, view("太多", 1)).await, "map-view-full");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_note_is_acknowledged_once_by_somebody_else_of_the_agent() {
    let Cast { _stack, node: _node, admin, own, colleague, stranger, cities } = cast().await;
    let [city, other] = &cities;
    let car = &city.bikes[0].car;
    let written = json!({"text": " 东门缺车\n明早补 10 辆 ", "bikes": [car, car]});
    let id = text(&own.ok("POST", NOTE, written).await["id"]);
    let [row] = &rows(&colleague, NOTE, json!({})).await[..] else { panic!("one note") };
    assert_eq!((&row["text"], &row["bikes"]), (&json!("东门缺车\n明早补 10 辆"), &json!([car])));
    assert_eq!((&row["id"], &row["acknowledgedAt"]), (&json!(id), &Value::Null));
    assert_eq!(
        [waiting(&own).await, waiting(&colleague).await, waiting(&stranger).await, waiting(&admin).await],
        [0, 1, 0, 1],
        "one's own are no news"
    );
    assert!(rows(&stranger, NOTE, json!({})).await.is_empty());

    // What it speaks of is there, and its readers' own.
    for (body, refusal) in [
        (json!({"text": ""}), "shift-note-text"),
        (json!({"text": "字".repeat(1001)}), "shift-note-text"),
        (json!({"text": "好", "bikes": ["A99999"]}), "shift-note-bike"),
        (json!({"text": "好", "bikes": [other.bikes[0].car]}), "shift-note-bike"),
        (
            json!({"text": "好", "bikes": (0..21).map(|n| format!("A{n}")).collect::<Vec<_>>()}),
            "shift-note-bikes",
        ),
    ] {
        assert_eq!(code(&own, "POST", NOTE, body.clone()).await, refusal, "{body}");
    }
    let elsewhere = json!({"text": "好", "bikes": [other.bikes[0].car], "agentId": city.agent});
    assert_eq!(code(&admin, "POST", NOTE, elsewhere).await, "shift-note-bike");
    assert_ne!(code(&stranger, "POST", NOTE, json!({"text": "好", "agentId": city.agent})).await, "");

    // Not by oneself, not by strangers, and who was first stays.
    let acknowledge = format!("{NOTE}/acknowledge");
    let one = json!({ "id": id });
    assert_eq!(code(&own, "POST", &acknowledge, one.clone()).await, "shift-note-own");
    assert_ne!(code(&stranger, "POST", &acknowledge, one.clone()).await, "");
    assert_eq!(code(&colleague, "POST", &acknowledge, one.clone()).await, "");
    let [row] = &rows(&own, NOTE, json!({"acknowledged": "true"})).await[..] else { panic!("acknowledged") };
    assert!(row["acknowledgedBy"] == "王芳" && row["acknowledgedAt"].is_i64(), "{row}");
    assert_eq!(code(&admin, "POST", &acknowledge, one.clone()).await, "", "again is no fault");
    let [again] = &rows(&own, NOTE, json!({})).await[..] else { panic!("one note") };
    assert_eq!(again, row);
    assert_eq!((waiting(&colleague).await, waiting(&admin).await), (0, 0));
    assert_eq!(code(&own, "DELETE", NOTE, one).await, "shift-note-taken");
    assert!(rows(&own, NOTE, json!({"acknowledged": "false"})).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_note_is_taken_back_by_its_author_and_the_list_has_pages_and_a_file() {
    let Cast { _stack, node: _node, own, colleague, stranger, .. } = cast().await;
    let mut ids = Vec::new();
    for number in 1..=5 {
        ids.push(text(&own.ok("POST", NOTE, json!({"text": format!("第 {number} 班")})).await["id"]));
    }
    assert_eq!(waiting(&colleague).await, 5);
    assert_eq!(code(&colleague, "DELETE", NOTE, json!({"id": ids[0]})).await, "shift-note-not-yours");
    assert_eq!(code(&own, "DELETE", NOTE, json!({"id": ids[0]})).await, "");
    assert_eq!(code(&own, "DELETE", NOTE, json!({"id": ids[0]})).await, "shift-note-unknown");
    let acknowledge = format!("{NOTE}/acknowledge");
    assert_eq!(code(&colleague, "POST", &acknowledge, json!({"id": ids[0]})).await, "shift-note-unknown");
    assert_eq!(waiting(&colleague).await, 4);

    let page = colleague.ok("GET", NOTE, json!({"pageSize": "3"})).await;
    let texts = |page: &Value| -> Vec<String> {
        page["rows"].as_array().unwrap().iter().map(|row| text(&row["text"])).collect()
    };
    assert_eq!(
        (texts(&page), &page["count"]),
        (vec!["第 5 班".into(), "第 4 班".into(), "第 3 班".into()], &json!(4))
    );
    // What comes meanwhile neither doubles nor hides others.
    own.ok("POST", NOTE, json!({"text": "第 6 班"})).await;
    let rest = colleague.ok("GET", NOTE, json!({"pageSize": "3", "after": page["place"]})).await;
    assert_eq!(texts(&rest), ["第 2 班"]);
    assert_eq!(rows(&colleague, NOTE, json!({"keyword": "第 4"})).await.len(), 1);
    let told = lines(&file(&colleague, NOTE, "").await);
    assert_eq!(told.len(), 6, "a head and five notes: {told:?}");
    assert!(told[1].contains("第 6 班") && told[1].contains("王芳"), "{told:?}");
    assert_eq!(lines(&file(&stranger, NOTE, "").await).len(), 1);
}
