//! Agents' accounts and their role templates: what a browser gets, who is refused, and what follows at once.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use wire::BASE;

use crate::client::{Browser, Machine};
use crate::screen::Screen;
use crate::stack::{ADMIN, SMS_CODE, Stack, eventually};

pub const ACCOUNT: &str = "/platform/agent/account";
const TEMPLATE: &str = "/platform/agent/role";

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("text: {value}")).to_owned()
}

/// The refusals of one call: nobody signed in gets 401, an operator without its code 403.
async fn closed(row: &str, keyed: &Browser, without: &Browser, method: &str, path: &str) {
    assert_eq!(keyed.call(method, path, json!({})).await.status, 401, "{row}: no session");
    assert_eq!(without.call(method, path, json!({})).await.status, 403, "{row}: without its code");
}

fn holds(row: &str, value: &Value, fields: &[&str]) {
    let known: BTreeSet<&str> = value.as_object().expect(row).keys().map(String::as_str).collect();
    for field in fields {
        assert!(known.contains(field), "{row}: {field} is missing in {value}");
    }
}

pub fn account(company: &str, phone: &str) -> Value {
    json!({"company": company, "contact": "陈明", "phone": phone, "billingWay": 1})
}

pub fn with(mut value: Value, more: &Value) -> Value {
    for (name, one) in more.as_object().expect("an object") {
        value[name] = one.clone();
    }
    value
}

pub async fn row(admin: &Browser, agent: &str) -> Value {
    admin.ok("GET", ACCOUNT, json!({ "agentId": agent })).await["rows"][0].clone()
}

/// What a change sends: the row as it is, with `more`.
pub async fn change(admin: &Browser, agent: &str, more: Value) -> Value {
    let now = row(admin, agent).await;
    let body = json!({"agentId": agent, "company": now["company"], "contact": now["contact"],
        "roleId": now["roleId"], "billingWay": now["billingWay"], "contractBegin": now["contractBegin"],
        "contractEnd": now["contractEnd"], "vehicleQuota": now["vehicleQuota"], "remark": now["remark"],
        "version": now["version"]});
    with(body, &more)
}

pub async fn plan(machine: &Machine, agent: &str, name: &str, place: f64) -> String {
    let ring = json!([[118.0, place], [118.01, place], [118.01, place + 0.01]]);
    let body = json!({"agentId": agent, "name": name, "ring": ring, "tel": "05920000000"});
    text(&machine.ok("/open/v1/areas", &body).await["areaId"])
}

#[tokio::test(flavor = "multi_thread")]
async fn api_057_accounts_are_opened_found_changed_and_deleted() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let role = admin.new_role("看车", &["0301".to_owned(), "1102".to_owned()]).await;
    admin.new_operator("13700000011", &[&role], "0").await;
    let without = Browser::signed_in(&node.url, "13700000011").await;
    let keyed = Browser::keyed(&node.url, "stranger").await;
    for (id, method) in [("API-057", "GET"), ("API-058", "POST"), ("API-059", "PUT"), ("API-060", "DELETE")] {
        closed(id, &keyed, &without, method, ACCOUNT).await;
    }

    closed("API-062", &keyed, &without, "GET", "/platform/agent/account/list").await;

    // API-058: opened, and in the next read. ENT-001: an entity of its own, with create, edit, delete and state.
    let template = admin.ok("POST", TEMPLATE, json!({"name": "城市代理", "codes": ["03", "0301"]})).await;
    let more = json!({"roleId": template["id"], "contractBegin": "2026-01-01", "contractEnd": "2026-12-31",
        "vehicleQuota": 800, "remark": "一级代理"});
    let opened = admin.ok("POST", ACCOUNT, with(account("厦门骑行科技有限公司", "13900000021"), &more)).await;
    let top = text(&opened["agentId"]);
    let list = admin.ok("GET", ACCOUNT, json!({"keyword": "厦门骑行", "state": "1"})).await;
    assert_eq!((&list["count"], &list["rows"][0]["agentId"]), (&json!(1), &json!(top)), "API-057");
    let shown = &list["rows"][0];
    holds(
        "API-057",
        shown,
        &[
            "agentId",
            "company",
            "contact",
            "phone",
            "parentId",
            "roleId",
            "billingWay",
            "state",
            "areaCount",
            "createdAt",
            "version",
        ],
    );
    assert_eq!(shown["phone"], "139****0021", "lists mask phones");
    assert_eq!((&shown["roleName"], &shown["vehicleQuota"]), (&json!("城市代理"), &json!(800)));
    assert_eq!((&shown["contractEnd"], &shown["areaCount"]), (&json!("2026-12-31"), &json!(0)));

    let choices = admin.ok("GET", "/platform/agent/account/list", json!({})).await;
    assert_eq!(choices["rows"], json!([{"agentId": top, "company": "厦门骑行科技有限公司"}]), "API-062");

    // What may not stand.
    for (body, code) in [
        (account("厦门另一家", "13900000021"), "agent-phone-taken"),
        (account(&"骑".repeat(65), "13900000022"), "agent-name"),
        (account("厦门另一家", "12900000022"), "phone-bad"),
        (with(account("厦门另一家", "13900000022"), &json!({"parentId": "77"})), "agent-parent"),
        (with(account("厦门另一家", "13900000022"), &json!({"roleId": "77"})), "agent-role-unknown"),
        (with(account("厦门另一家", "13900000022"), &json!({"serviceAreaIds": ["77"]})), "area-unknown"),
    ] {
        assert_eq!(admin.call("POST", ACCOUNT, body.clone()).await.code(), code, "{body}");
    }
    let bad = with(account("厦门另一家", "13900000022"), &json!({"billingWay": 7}));
    assert_eq!(admin.call("POST", ACCOUNT, bad).await.status, 400);
    let all = admin.ok("GET", ACCOUNT, json!({})).await;
    assert_eq!(all["count"], 1, "nothing of it was opened");

    // A child's areas lie within its parent's; an area has one agent.
    let lake = plan(&machine, &top, "湖滨", 24.5).await;
    let island = plan(&machine, &top, "鼓浪屿", 24.6).await;
    let other = text(&admin.ok("POST", ACCOUNT, account("泉州骑行有限公司", "13900000023")).await["agentId"]);
    let foreign = plan(&machine, &other, "泉州", 24.7).await;
    let under = |areas: &[&String]| {
        with(account("湖里骑行有限公司", "13900000024"), &json!({"parentId": top, "serviceAreaIds": areas}))
    };
    assert_eq!(admin.call("POST", ACCOUNT, under(&[&foreign])).await.code(), "area-beyond-parent");
    let child = text(&admin.ok("POST", ACCOUNT, under(&[&lake])).await["agentId"]);
    // Nor the other way.
    let over = json!({ "id": foreign, "agentId": child, "version": 1 });
    let refused = admin.call("POST", "/platform/agent/serviceArea/agent", over).await;
    assert_eq!(refused.code(), "area-beyond-parent");
    let shown = row(&admin, &child).await;
    assert_eq!(
        (&shown["serviceAreaIds"], &shown["parentCompany"]),
        (&json!([lake]), &json!("厦门骑行科技有限公司"))
    );
    assert_eq!(row(&admin, &top).await["serviceAreaIds"], json!([island]));
    let children = admin.ok("GET", ACCOUNT, json!({ "parentId": top })).await;
    assert_eq!((&children["count"], &children["rows"][0]["level"]), (&json!(1), &json!(2)));

    // API-059: changed, and in the next read; what the editor did not see is not overwritten.
    let stale = change(&admin, &child, json!({"company": "湖里单车有限公司"})).await;
    admin.ok("PUT", ACCOUNT, stale.clone()).await;
    assert_eq!(row(&admin, &child).await["company"], "湖里单车有限公司", "API-059");
    assert_eq!(admin.call("PUT", ACCOUNT, stale).await.code(), "stale-version", "API-059");
    let taken = change(&admin, &child, json!({"phone": "13900000021"})).await;
    assert_eq!(admin.call("PUT", ACCOUNT, taken).await.code(), "agent-phone-taken");
    let moved = change(&admin, &child, json!({"phone": "13900000025"})).await;
    admin.ok("PUT", ACCOUNT, moved).await;
    let found = admin.ok("GET", ACCOUNT, json!({"keyword": "13900000025"})).await;
    assert_eq!(found["rows"][0]["agentId"], json!(child), "found by the whole phone");

    // API-060: deleted when nothing hangs on it, and not before.
    let gone = |agent: &str| json!({ "agentId": agent });
    assert_eq!(admin.call("DELETE", ACCOUNT, gone(&top)).await.code(), "agent-has-children");
    assert_eq!(admin.call("DELETE", ACCOUNT, gone(&child)).await.code(), "agent-has-areas");
    let home = change(&admin, &child, json!({"serviceAreaIds": []})).await;
    admin.ok("PUT", ACCOUNT, home).await;
    assert_eq!(row(&admin, &top).await["areaCount"], 2, "the area went back to the parent");
    admin.ok("DELETE", ACCOUNT, gone(&child)).await;
    assert_eq!(row(&admin, &child).await, Value::Null, "API-060");
    assert_eq!(admin.call("DELETE", ACCOUNT, gone(&child)).await.code(), "agent-unknown");
    admin.ok("POST", ACCOUNT, account("接手的公司", "13900000025")).await;

    // An area with something in it stays with whose name that bears.
    let fence = json!({"areaId": island, "kind": 2, "name": "码头", "capacity": 20,
        "ring": [[118.004, 24.601], [118.005, 24.601], [118.005, 24.602]]});
    machine.ok("/open/v1/fences", &fence).await;
    let body = with(
        account("鼓浪骑行有限公司", "13900000026"),
        &json!({"parentId": top, "serviceAreaIds": [island]}),
    );
    assert_eq!(admin.call("POST", ACCOUNT, body).await.code(), "area-not-empty");
    let none = admin.ok("GET", ACCOUNT, json!({"keyword": "鼓浪骑行"})).await;
    assert_eq!(none["count"], 0, "a refused area leaves no account behind");
}

#[tokio::test(flavor = "multi_thread")]
async fn api_063_templates_are_made_changed_deleted_and_limit_their_agents_people() {
    let (_stack, node) = Stack::serving().await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let role = admin.new_role("模板专员", &["0301".to_owned(), "1102".to_owned()]).await;
    let blind = admin.new_role("账号专员", &["1101".to_owned()]).await;
    admin.new_operator("13700000031", &[&role], "0").await;
    admin.new_operator("13700000032", &[&blind], "0").await;
    let clerk = Browser::signed_in(&node.url, "13700000031").await;
    let without = Browser::signed_in(&node.url, "13700000032").await;
    let keyed = Browser::keyed(&node.url, "stranger").await;
    let one = format!("{TEMPLATE}/1");
    for (id, method, path) in [
        ("API-063", "GET", TEMPLATE),
        ("API-064", "POST", TEMPLATE),
        ("API-065", "PUT", TEMPLATE),
        ("API-066", "DELETE", TEMPLATE),
        ("API-067", "GET", one.as_str()),
        ("API-068", "GET", "/platform/agent/tree"),
        ("API-069", "GET", "/platform/agent/tree/admin"),
    ] {
        closed(id, &keyed, &without, method, path).await;
    }

    // API-068, API-069: the tree, whole for the platform's administrators, marked by what the caller holds.
    let tree = clerk.ok("GET", "/platform/agent/tree", json!({})).await;
    let mut marked = Vec::new();
    collect(&tree, &mut |branch| {
        holds("API-068", branch, &["code", "title", "children"]);
        if branch["checked"] == true {
            marked.push(text(&branch["code"]));
        }
    });
    assert_eq!(marked, ["03", "0301", "11", "1102"], "API-068");
    let whole = admin.ok("GET", "/platform/agent/tree/admin", json!({})).await;
    let mut count = 0;
    collect(&whole, &mut |branch| {
        assert_eq!(branch["checked"], true, "API-069");
        count += 1;
    });
    assert!(count > 60, "API-069: the whole tree: {count}");

    // API-064: nobody puts into a template what he lacks. API-063, API-067: it is found.
    let over = json!({"name": "越权", "codes": ["0301", "1001"]});
    assert_eq!(clerk.call("POST", TEMPLATE, over).await.code(), "permission-not-held", "API-064");
    let strange = json!({"name": "乱码", "codes": ["nothing"]});
    assert_eq!(admin.call("POST", TEMPLATE, strange).await.code(), "permission-unknown");
    let body = json!({"name": "城市代理", "remark": "只看车", "codes": ["03", "0301"]});
    let id = text(&clerk.ok("POST", TEMPLATE, body.clone()).await["id"]);
    assert_eq!(clerk.call("POST", TEMPLATE, body).await.code(), "agent-role-name-taken");
    let list = admin.ok("GET", TEMPLATE, json!({"keyword": "城市"})).await;
    let shown = &list["rows"][0];
    holds("API-063", shown, &["id", "name", "remark", "codes", "updatedAt", "version"]);
    assert_eq!((&list["count"], &shown["id"]), (&json!(1), &json!(id)), "API-063");
    let info = admin.ok("GET", &format!("{TEMPLATE}/{id}"), json!({})).await;
    holds("API-067", &info, &["id", "name", "remark", "codes", "version"]);
    assert_eq!((&info["name"], &info["codes"]), (&json!("城市代理"), &json!(["03", "0301"])), "API-067");
    assert_eq!(admin.call("GET", &format!("{TEMPLATE}/77"), json!({})).await.code(), "not-found");

    // ENT-002: templates and permission roles are two entities.
    let roles = admin.ok("GET", "/platform/permission/role", json!({"keyword": "城市代理"})).await;
    assert_eq!(roles["count"], 0, "ENT-002");
    let templates = admin.ok("GET", TEMPLATE, json!({"keyword": "模板专员"})).await;
    assert_eq!(templates["count"], 0, "ENT-002");

    // A template caps what an agent's people hold, whatever their roles say.
    let body = with(account("厦门骑行有限公司", "13900000031"), &json!({ "roleId": id }));
    let agent = text(&admin.ok("POST", ACCOUNT, body).await["agentId"]);
    let wide: Vec<String> = ["0301", "0302", "1001", "1102"].map(str::to_owned).to_vec();
    let wide = admin.new_role("宽", &wide).await;
    admin.new_operator("13700000033", &[&wide], &agent).await;
    let theirs = Browser::signed_in(&node.url, "13700000033").await;
    let codes = async || theirs.ok("GET", "/platform/permission/allCode", json!({})).await;
    assert_eq!(codes().await, json!(["03", "0301"]));
    assert_eq!(theirs.call("GET", "/platform/permission/role", json!({})).await.status, 403);
    let mut screen = Screen::open(&theirs).await;

    // API-065: changed; its agents' people feel it at once, their open pages are told.
    let wider =
        json!({"id": id, "name": "城市代理", "remark": "", "codes": ["03", "0301", "0302"], "version": 1});
    assert_eq!(clerk.call("PUT", TEMPLATE, wider.clone()).await.code(), "permission-not-held", "API-065");
    admin.ok("PUT", TEMPLATE, wider.clone()).await;
    assert_eq!(screen.until_closed().await, 4401, "an open page is told to look again");
    eventually("the wider template", Duration::from_mins(1), async || {
        (codes().await == json!(["03", "0301", "0302"])).then_some(())
    })
    .await;
    assert_eq!(admin.call("PUT", TEMPLATE, wider).await.code(), "stale-version", "API-065");
    let info = admin.ok("GET", &format!("{TEMPLATE}/{id}"), json!({})).await;
    assert_eq!((&info["version"], &info["agentCount"]), (&json!(2), &json!(1)), "API-065");

    // API-066: one in use stays; unused it goes, and its name is free.
    assert_eq!(
        admin.call("DELETE", TEMPLATE, json!({ "id": id })).await.code(),
        "agent-role-in-use",
        "API-066"
    );
    let free = change(&admin, &agent, json!({"roleId": "0"})).await;
    assert_eq!(without.call("PUT", ACCOUNT, free.clone()).await.code(), "agent-role-not-permitted");
    admin.ok("PUT", ACCOUNT, free).await;
    admin.ok("DELETE", TEMPLATE, json!({ "id": id })).await;
    assert_eq!(admin.ok("GET", TEMPLATE, json!({})).await["count"], 0, "API-066");
    admin.ok("POST", TEMPLATE, json!({"name": "城市代理", "codes": ["0301"]})).await;

    // Templates are the platform's: one agent's people neither see nor make them.
    let template = json!({"name": "自己的", "codes": ["0301"]});
    eventually("no limit any more", Duration::from_mins(1), async || {
        let own = theirs.call("GET", TEMPLATE, json!({})).await;
        (own.status == 200).then(|| assert_eq!(own.body["data"]["count"], 0))
    })
    .await;
    assert_eq!(theirs.call("POST", TEMPLATE, template).await.code(), "platform-only");
    assert_eq!(theirs.call("GET", "/platform/agent/tree/admin", json!({})).await.status, 403, "API-069");
}

fn collect(tree: &Value, see: &mut impl FnMut(&Value)) {
    for branch in tree.as_array().into_iter().flatten() {
        see(branch);
        collect(&branch["children"], see);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn api_061_disabling_a_agent_shuts_out_its_people_and_nobody_else() {
    let (_stack, node) = Stack::serving().await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let open = async |company: &str, phone: &str| -> String {
        text(&admin.ok("POST", ACCOUNT, account(company, phone)).await["agentId"])
    };
    let (ours, theirs) =
        (open("厦门骑行有限公司", "13900000041").await, open("泉州骑行有限公司", "13900000042").await);
    let role = admin.new_role("城市主管", &["0301".to_owned(), "1101".to_owned()]).await;
    admin.new_operator("13700000041", &[&role], &ours).await;
    admin.new_operator("13700000042", &[&role], &theirs).await;
    admin.new_operator("13700000043", &[&role], &ours).await;
    let inside = Browser::signed_in(&node.url, "13700000041").await;
    let outside = Browser::signed_in(&node.url, "13700000042").await;
    let keyed = Browser::keyed(&node.url, "stranger").await;
    let path = format!("{ACCOUNT}/state");
    let none = admin.new_role("看车", &["0301".to_owned()]).await;
    admin.new_operator("13700000044", &[&none], "0").await;
    let without = Browser::signed_in(&node.url, "13700000044").await;
    closed("API-061", &keyed, &without, "POST", &path).await;

    // Nobody switches, changes or deletes the agent that he works for, or sees another.
    let list = inside.ok("GET", ACCOUNT, json!({})).await;
    assert_eq!((&list["count"], &list["rows"][0]["agentId"]), (&json!(1), &json!(ours)));
    let switch = |agent: &str, state: u8| json!({"agentId": agent, "state": state});
    assert_eq!(inside.call("POST", &path, switch(&ours, 0)).await.code(), "agent-own");
    assert_eq!(inside.call("POST", &path, switch(&theirs, 0)).await.code(), "not-found");
    let several = |state: u8| json!({"agentIds": [ours, theirs], "state": state});
    let told = inside.ok("POST", &path, several(0)).await["results"].clone();
    let codes = (&told[0]["error"]["code"], &told[1]["error"]["code"]);
    assert_eq!(codes, (&json!("agent-own"), &json!("not-found")), "each is judged alone");
    let told = admin.ok("POST", &path, several(1)).await["results"].clone();
    assert_eq!((&told[0]["key"], &told[1]["suc"]), (&json!(ours), &json!(true)));
    assert_eq!(admin.call("POST", &path, json!({"agentIds": [], "state": 1})).await.code(), "none-named");
    assert_eq!(inside.call("DELETE", ACCOUNT, json!({ "agentId": ours })).await.code(), "agent-own");
    let raised = change(&admin, &ours, json!({"vehicleQuota": 9999})).await;
    assert_eq!(inside.call("PUT", ACCOUNT, raised).await.code(), "agent-own");
    assert_eq!(
        inside.call("POST", ACCOUNT, account("自己开的", "13900000043")).await.code(),
        "platform-only"
    );

    // STATE-003, API-061: disabled by this call, its people are out at once, sockets included.
    let mut screen = Screen::open(&inside).await;
    let mut others = Screen::open(&outside).await;
    admin.ok("POST", &path, switch(&ours, 0)).await;
    assert_eq!(row(&admin, &ours).await["state"], 0, "STATE-003");
    assert!(screen.until_closed().await >= 4400);
    eventually("the next request is refused", Duration::from_mins(1), async || {
        (inside.call("GET", ACCOUNT, json!({})).await.status == 401).then_some(())
    })
    .await;
    assert_eq!(outside.ok("GET", ACCOUNT, json!({})).await["count"], 1, "others go on");
    others.watch("read/agent").await;
    others.until("others' sockets go on", |s| s.texts.iter().any(|text| text["topic"] == "read/agent")).await;

    // Whoever comes anew is told why he is not let in.
    let device = "device-of-13700000043";
    let body = json!({"device_type": 1, "mobilePhoneNumber": "13700000043", "device_code": device,
        "device_name": "Chrome"});
    let announce = format!("{BASE}/mieba/platform/opman/device/verification");
    crate::client::plain(&node.url, "POST", &announce, &[], Some(&body)).await.unwrap();
    let late = Browser::keyed(&node.url, device).await;
    let body = json!({"mobilePhoneNumber": "13700000043"});
    crate::client::plain(&node.url, "POST", &format!("{BASE}/auth/sms/code"), &[], Some(&body))
        .await
        .unwrap();
    late.call("POST", "/auth/sms/verify", json!({"mobilePhoneNumber": "13700000043", "smsCode": SMS_CODE}))
        .await;
    let login = || late.call("POST", "/auth/login/phone", json!({"phone": "13700000043"}));
    let refused = login().await;
    assert_eq!(refused.code(), "agent-disabled", "{}", refused.body);

    // Enabled again they are let in; the ended session stays ended.
    admin.ok("POST", &path, switch(&ours, 1)).await;
    eventually("let in again", Duration::from_mins(1), async || {
        (login().await.body["suc"] == true).then_some(())
    })
    .await;
    assert_eq!(
        inside.call("GET", ACCOUNT, json!({})).await.status,
        401,
        "an ended session does not come back"
    );
    assert_eq!(admin.call("POST", &path, switch(&ours, 7)).await.status, 400);
}
