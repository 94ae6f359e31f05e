//! The calls on roles, operators and devices, as the contract writes them down: the fields of their answers, and that
//! they are closed to nobody's and to strangers' requests.

use serde_json::{Value, json};

use crate::runtime::{ADMIN, Browser, TestRuntime};

const ROLE: &str = "/platform/permission/role";
const USER: &str = "/platform/permission/user";
const DEVICES: &str = "/mieba/v2/platform/opman/device";
const CLERK: &str = "13800000002";
const OTHER: &str = "13800000003";

/// A call is refused to somebody who has not signed in, and to somebody who did and holds nothing.
struct Outsiders<'a> {
    stranger: Browser<'a>,
    nobody: Browser<'a>,
}

impl<'a> Outsiders<'a> {
    async fn of(runtime: &'a TestRuntime, admin: &Browser<'_>) -> Self {
        admin.new_operator("13800000099", &[], 0).await;
        let stranger = runtime.browser("stranger").await;
        Self { stranger, nobody: runtime.signed_in("13800000099").await }
    }

    async fn stay_out(&self, method: &str, path: &str) {
        assert_eq!(self.stranger.status(method, path, json!({})).await, 401, "{method} {path}");
        let (status, answer) = self.nobody.call(method, path, json!({})).await;
        assert_eq!((status.as_u16(), &answer["suc"]), (403, &json!(false)), "{method} {path}");
    }
}

#[track_caller]
fn has(row: &Value, fields: &[&str]) {
    for field in fields {
        assert!(row.get(field).is_some(), "{field} is missing: {row}");
    }
}

#[tokio::test]
async fn api_039_perm_006_all_codes_are_asked_for_by_the_login_phone() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let role = admin.new_role("客服", &["1601"]).await;
    let off = admin.new_role("停用", &["1701"]).await;
    admin.new_operator(CLERK, &[&role, &off], 0).await;
    admin.ok("POST", "/platform/permission/role/state", json!({"id": off, "state": 0})).await;
    let clerk = runtime.signed_in(CLERK).await;
    let own = clerk.ok("GET", "/platform/permission/allCode", json!({"opManId": CLERK})).await;
    assert_eq!(own, json!(["07", "1601"]), "of enabled roles, closed upwards");
    assert_eq!(clerk.status("GET", "/platform/permission/allCode", json!({"opManId": ADMIN})).await, 403);
    let stranger = runtime.browser("s").await;
    assert_eq!(stranger.status("GET", "/platform/permission/allCode", json!({})).await, 401);
}

#[tokio::test]
async fn api_040_041_042_043_operators_are_opened_changed_and_closed() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let out = Outsiders::of(&runtime, &admin).await;
    for (method, path) in [
        ("GET", USER.to_owned()),
        ("POST", USER.to_owned()),
        ("DELETE", USER.to_owned()),
        ("GET", format!("{USER}/{ADMIN}")),
        ("POST", format!("{USER}/{ADMIN}")),
        ("DELETE", format!("{USER}/{ADMIN}")),
        ("GET", format!("{USER}/{ADMIN}/codes")),
    ] {
        out.stay_out(method, &path).await;
    }
    let role = admin.new_role("客服", &["0401"]).await;
    let body = json!({"phone": CLERK, "name": "王芳", "level": 6, "roleIds": [role], "agentId": "2",
        "opAreaIds": ["20"], "state": 1});
    let made = admin.ok("POST", USER, body).await;
    let row = admin.ok("GET", &format!("{USER}/{CLERK}"), json!({})).await;
    assert_eq!(
        (&row["objectId"], &row["name"], &row["level"]),
        (&made["objectId"], &json!("王芳"), &json!(6))
    );
    assert_eq!((&row["agentIds"], &row["opAreaIds"]), (&json!(["2"]), &json!(["20"])));
    let fields = [
        "phone",
        "name",
        "level",
        "levelNames",
        "roleIds",
        "agentIds",
        "opAreaIds",
        "state",
        "createdAt",
        "lastLoginAt",
    ];
    has(&row, &fields);
    let list = admin
        .ok(
            "GET",
            USER,
            json!({"page": "1", "pageSize": "10", "keyword": "王", "state": "1",
        "level": "4", "roleId": role}),
        )
        .await;
    assert_eq!((&list["count"], &list["rows"]), (&json!(1), &json!([row])));

    let change = json!({"name": "王小芳", "level": 2, "roleIds": [], "agentId": "3", "opAreaIds": [],
        "version": row["version"]});
    assert_eq!(admin.ok("POST", &format!("{USER}/{CLERK}"), change).await, json!({}));
    let row = admin.ok("GET", &format!("{USER}/{CLERK}"), json!({})).await;
    assert_eq!(
        (&row["name"], &row["roleIds"], &row["agentIds"]),
        (&json!("王小芳"), &json!([]), &json!(["3"]))
    );

    assert_eq!(admin.ok("DELETE", &format!("{USER}/{CLERK}"), json!({})).await, json!({}));
    assert_eq!(admin.refused("GET", &format!("{USER}/{CLERK}"), json!({})).await, "not-found");
    for phone in [CLERK, OTHER] {
        admin.new_operator(phone, &[], 0).await;
    }
    let both = format!("{CLERK}, {OTHER}");
    let results = admin.ok("DELETE", USER, json!({"phones": both})).await["results"].clone();
    assert_eq!((&results[0]["suc"], &results[1]["suc"]), (&json!(true), &json!(true)));
    assert_eq!(admin.ok("GET", USER, json!({})).await["count"], json!(2), "the administrator and nobody");
}

#[tokio::test]
async fn api_044_state_001_operators_are_enabled_and_disabled() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let path = "/platform/permission/user/state";
    Outsiders::of(&runtime, &admin).await.stay_out("POST", path).await;
    admin.new_operator(CLERK, &[], 0).await;
    for (state, events) in [(0, 2), (0, 2), (1, 3), (1, 3)] {
        assert_eq!(admin.ok("POST", path, json!({"phone": CLERK, "state": state})).await, json!({}));
        let row = admin.operator_row(CLERK).await;
        assert_eq!(row["state"], json!(state));
        let id = row["objectId"].as_str().unwrap();
        assert_eq!(runtime.events("operator", id).await.len(), events, "the same state again is no event");
    }
    for wrong in [json!({"phone": CLERK, "state": 2}), json!({"state": 1}), json!({"phone": CLERK})] {
        assert_eq!(admin.status("POST", path, wrong).await, 400);
    }
}

#[tokio::test]
async fn several_operators_are_switched_at_once_and_each_is_judged_alone() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    for phone in [CLERK, OTHER] {
        admin.new_operator(phone, &[], 0).await;
    }
    let clerk = runtime.signed_in(CLERK).await;
    let path = "/platform/permission/user/state";
    let phones = json!([CLERK, ADMIN, "13899999999", OTHER, CLERK]);
    let data = admin.ok("POST", path, json!({"phones": phones, "state": 0})).await;
    let told: Vec<(&str, bool, Option<&str>)> = data["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["key"].as_str().unwrap(), one["suc"] == true, one["error"]["code"].as_str()))
        .collect();
    let expected = [
        (CLERK, true, None),
        (ADMIN, false, Some("operator-oneself")),
        ("13899999999", false, Some("not-found")),
        (OTHER, true, None),
    ];
    assert_eq!(told, expected, "each once, in the order named");
    assert_eq!(clerk.status("GET", "/platform/permission/allCode", json!({})).await, 401);
    assert_eq!(admin.operator_row(OTHER).await["state"], json!(0));
    let many: Vec<String> = (0..201).map(|number| format!("137{number:08}")).collect();
    assert_eq!(admin.refused("POST", path, json!({"phones": many, "state": 0})).await, "too-many");
    assert_eq!(admin.refused("POST", path, json!({"phones": [], "state": 0})).await, "none-named");
    assert_eq!(admin.status("POST", path, json!({"phone": CLERK, "phones": [CLERK], "state": 0})).await, 400);
}

#[tokio::test]
async fn api_041_several_operators_are_deleted_at_once_and_each_is_judged_alone() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    for phone in [CLERK, OTHER] {
        admin.new_operator(phone, &[], 0).await;
    }
    let named = [CLERK, ADMIN, "13899999999", OTHER].join(",");
    let data = admin.ok("DELETE", USER, json!({ "phones": named })).await;
    let told: Vec<Option<&str>> =
        data["results"].as_array().unwrap().iter().map(|one| one["error"]["code"].as_str()).collect();
    assert_eq!(told, [None, Some("operator-oneself"), Some("not-found"), None]);
    assert_eq!(admin.ok("GET", USER, json!({})).await["count"], json!(1), "the administrator stays");
    assert_eq!(admin.refused("DELETE", USER, json!({"phones": ADMIN})).await, "operator-oneself");
    let many: Vec<String> = (0..51).map(|number| format!("137{number:08}")).collect();
    assert_eq!(admin.refused("DELETE", USER, json!({"phones": many.join(",")})).await, "too-many");
}

#[tokio::test]
async fn api_045_046_047_048_051_roles_are_made_listed_changed_and_deleted() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let out = Outsiders::of(&runtime, &admin).await;
    for method in ["GET", "POST", "PUT", "DELETE"] {
        out.stay_out(method, ROLE).await;
    }
    out.stay_out("GET", "/platform/permission/role/info").await;
    let body = json!({"name": "客服", "remark": "白班", "codes": ["0401"], "state": 0});
    let id = admin.ok("POST", ROLE, body).await["id"].clone();
    let list =
        admin.ok("GET", ROLE, json!({"page": "1", "pageSize": "10", "keyword": "白", "state": "0"})).await;
    has(&list["rows"][0], &["id", "name", "remark", "state", "codes", "userCount", "updatedAt", "version"]);
    assert_eq!((&list["count"], &list["rows"][0]["id"]), (&json!(1), &id));
    let info = admin.ok("GET", "/platform/permission/role/info", json!({"id": id})).await;
    has(&info, &["id", "name", "remark", "state", "codes", "version"]);
    let change = json!({"id": id, "name": "售后", "remark": "", "codes": ["08"], "version": info["version"]});
    assert_eq!(admin.ok("PUT", ROLE, change.clone()).await, json!({}));
    assert_eq!(admin.refused("PUT", ROLE, change).await, "stale-version");
    let info = admin.ok("GET", "/platform/permission/role/info", json!({"id": id})).await;
    assert_eq!((&info["name"], &info["codes"]), (&json!("售后"), &json!(["08"])));
    assert_eq!(admin.ok("DELETE", ROLE, json!({"id": id})).await, json!({}));
    assert_eq!(admin.refused("GET", "/platform/permission/role/info", json!({"id": id})).await, "not-found");
    for (body, code) in [
        (json!({"name": "空", "codes": []}), "role-no-codes"),
        (json!({"name": "", "codes": ["08"]}), "role-bad-name"),
        (json!({"name": "错", "codes": ["nope"]}), "permission-unknown"),
        (json!({"name": "级", "codes": ["1002"], "tier": 4}), "permission-not-for-tier"),
    ] {
        assert_eq!(admin.refused("POST", ROLE, body).await, code);
    }
}

#[tokio::test]
async fn api_049_050_state_002_roles_are_enabled_and_disabled_one_or_several() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let path = "/platform/permission/role/state";
    let out = Outsiders::of(&runtime, &admin).await;
    out.stay_out("POST", path).await;
    out.stay_out("GET", "/platform/permission/role/enable").await;
    let (one, two) = (admin.new_role("客服", &["0401"]).await, admin.new_role("订单", &["1601"]).await);
    assert_eq!(admin.ok("POST", path, json!({"id": one, "state": 0})).await, json!({}));
    let pickers = admin.ok("GET", "/platform/permission/role/enable", json!({})).await;
    let names: Vec<&Value> = pickers.as_array().unwrap().iter().map(|option| &option["name"]).collect();
    assert!(names.contains(&&json!("订单")) && !names.contains(&&json!("客服")), "{pickers}");
    admin.new_operator(CLERK, &[&two], 0).await;
    let clerk = runtime.signed_in(CLERK).await;
    let mut ended = runtime.sessions.subscribe();
    let data = admin.ok("POST", path, json!({"ids": [two, "1", one], "state": 0})).await;
    let codes: Vec<Option<&str>> =
        data["results"].as_array().unwrap().iter().map(|one| one["error"]["code"].as_str()).collect();
    assert_eq!(codes, [None, Some("role-system"), None]);
    assert!(clerk.codes().await.is_empty(), "its codes are gone at once");
    let told = ended.try_recv().expect("open sockets of its holders are told");
    assert!(matches!(*told, wire::Ended::Operator { reason: wire::EndedReason::Changed, .. }));
}

#[tokio::test]
async fn api_052_053_the_tree_is_told_whole_and_as_somebody_holds_it() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let out = Outsiders::of(&runtime, &admin).await;
    let (whole, own) = ("/platform/permission/tree", "/platform/permission/tree/opMan");
    out.stay_out("GET", whole).await;
    out.stay_out("GET", own).await;
    let tree = admin.ok("GET", whole, json!({})).await;
    has(&tree[0], &["code", "title", "children"]);
    assert!(tree[0].get("checked").is_none());
    let role = admin.new_role("客服", &["0401"]).await;
    admin.new_operator(CLERK, &[&role], 0).await;
    let held = admin.ok("GET", own, json!({"opManId": CLERK})).await;
    let users = held.as_array().unwrap().iter().find(|branch| branch["code"] == "07").unwrap();
    assert_eq!(users["checked"], json!(true));
    let checked = |code: &str| {
        users["children"].as_array().unwrap().iter().find(|page| page["code"] == code).unwrap()["checked"]
            .clone()
    };
    assert_eq!((checked("0401"), checked("08")), (json!(true), json!(false)));
}

#[tokio::test]
async fn perm_020_rights_of_somebody_are_shown_within_the_callers_reach_alone() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let role = admin.new_role("人事", &["1002"]).await;
    admin.new_operator(CLERK, &[&role], 2).await;
    let body = json!({"phone": OTHER, "name": "李雷", "level": 2, "agentId": "3", "opAreaIds": ["30"]});
    admin.ok("POST", USER, body).await;
    let rights = admin.ok("GET", &format!("{USER}/{CLERK}/codes"), json!({})).await;
    assert_eq!(rights, json!({"codes": ["10", "1002"], "agentIds": ["2"], "areaIds": []}));
    let rights = admin.ok("GET", &format!("{USER}/{OTHER}/codes"), json!({})).await;
    assert_eq!(rights, json!({"codes": [], "agentIds": ["3"], "areaIds": ["30"]}));
    let clerk = runtime.signed_in(CLERK).await;
    for path in [format!("{USER}/{OTHER}/codes"), format!("{USER}/{OTHER}"), format!("{USER}/{ADMIN}/codes")]
    {
        assert_eq!(clerk.refused("GET", &path, json!({})).await, "not-found", "{path}");
    }
    clerk.ok("GET", &format!("{USER}/{CLERK}/codes"), json!({})).await;
}

#[tokio::test]
async fn an_operators_areas_are_areas_of_his_agents() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let body = |agent: &str, areas: &[&str]| {
        json!({"phone": CLERK, "name": "王芳", "level": 2, "agentId": agent,
        "opAreaIds": areas, "version": 1})
    };
    assert_eq!(admin.refused("POST", USER, body("2", &["20", "30"])).await, "area-not-of-agents");
    assert_eq!(admin.refused("POST", USER, body("0", &["99"])).await, "area-not-of-agents");
    admin.ok("POST", USER, body("2", &["20", "21"])).await;
    let path = format!("{USER}/{CLERK}");
    assert_eq!(admin.refused("POST", &path, body("3", &["20"])).await, "area-not-of-agents");
    admin.ok("POST", &path, body("3", &["30"])).await;
}

#[tokio::test]
async fn codes_that_a_tier_may_not_hold_are_neither_given_nor_left_to_it() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let role = admin.new_role("人事", &["1002", "0401"]).await;
    let body = |level: i64, version: i64| {
        json!({"phone": CLERK, "name": "王芳", "level": level, "roleIds": [role],
        "agentId": "0", "version": version})
    };
    assert_eq!(admin.refused("POST", USER, body(4, 0)).await, "permission-not-for-level");
    assert_eq!(admin.operator_row(CLERK).await, Value::Null, "nothing was registered");
    admin.ok("POST", USER, body(2, 0)).await;
    let path = format!("{USER}/{CLERK}");
    assert_eq!(admin.refused("POST", &path, body(4, 1)).await, "permission-not-for-level");
    assert_eq!(admin.operator_row(CLERK).await["level"], json!(2));

    // A role that field staff hold may grow; what they may not hold does not work for them.
    let field = admin.new_role("维修", &["0401"]).await;
    let staff = json!({"phone": OTHER, "name": "李雷", "level": 4, "roleIds": [field], "agentId": "0"});
    admin.ok("POST", USER, staff).await;
    let grown = json!({"id": field, "name": "维修", "tier": 1, "codes": ["0401", "1002"], "version": 1});
    admin.ok("PUT", ROLE, grown).await;
    let other = runtime.signed_in(OTHER).await;
    assert_eq!(other.codes().await, ["0401", "07"]);
    assert_eq!(other.status("GET", USER, json!({})).await, 403);
    let data = other.ok("POST", "/platform/permission/login", json!({"opManId": OTHER})).await;
    assert_eq!(data["roles"][0]["permissionList"], json!(["0401"]));
}

#[tokio::test]
async fn api_024_dev_001_a_device_says_whose_it_is_to_be() {
    let runtime = TestRuntime::new().await;
    let path = "/mieba/platform/opman/device/verification";
    let body = |kind: i64, phone: &str, code: &str| {
        json!({"device_type": kind, "mobilePhoneNumber": phone,
        "device_code": code, "device_name": "Chrome"})
    };
    assert_eq!(runtime.plain("POST", path, body(1, ADMIN, "d")).await.1, json!({"suc": true}));
    let refused = runtime.plain("POST", path, body(1, "138", "d")).await.1;
    assert_eq!(refused["error"]["code"], json!("phone-bad"), "{refused}");
    assert_eq!((&refused["suc"], &refused["error"]["promot"]), (&json!(false), &refused["error"]["promt"]));
    for wrong in
        [body(4, ADMIN, "d"), body(1, ADMIN, ""), body(1, ADMIN, "a b"), body(1, ADMIN, &"x".repeat(129))]
    {
        let (status, answer) = runtime.plain("POST", path, wrong).await;
        assert_eq!((status.as_u16(), &answer["error"]["code"]), (400, &json!("malformed")), "{answer}");
        assert!(answer["error"]["promt"].is_string());
    }
}

#[tokio::test]
async fn dev_002_a_session_that_proved_a_phone_asks_whether_a_device_may_be_used() {
    let runtime = TestRuntime::new().await;
    runtime.announce(ADMIN, "d").await;
    let browser = runtime.browser("d").await;
    let path = format!("{DEVICES}/permission");
    let asked = json!({"mobilePhoneNumber": ADMIN, "device_code": "d"});
    assert_eq!(browser.refused("POST", &path, asked.clone()).await, "phone-not-proved");
    browser.prove(ADMIN).await;
    assert_eq!(browser.ok("POST", &path, asked.clone()).await, json!({"allowed": true, "reason": ""}));
    for taken in ["one", "two", "three"] {
        runtime.signed_in_on(ADMIN, taken).await;
    }
    let data = browser.ok("POST", &path, asked).await;
    assert_eq!(data, json!({"allowed": false, "reason": "当前设备未授权，请联系管理员"}));
}

#[tokio::test]
async fn dev_003_one_sees_ones_own_devices_and_when_they_were_used() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    admin.new_operator(CLERK, &[], 0).await;
    let clerk = runtime.signed_in_on(CLERK, "d").await;
    runtime.signed_in_on(CLERK, "e").await;
    let path = format!("{DEVICES}/login_info");
    let data = clerk.ok("GET", &path, json!({"mobilePhoneNumber": CLERK})).await;
    let rows = data["list"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for row in rows {
        has(row, &["device_code", "device_name", "lastLoginAt", "state"]);
        assert_eq!((row["lastLoginAt"].is_i64(), &row["state"]), (true, &json!(1)));
    }
    let used = |code: &str, rows: &[Value]| {
        rows.iter().find(|row| row["device_code"] == code).unwrap()["lastLoginAt"].as_i64().unwrap()
    };
    assert!(used("d", rows) < used("e", rows), "each its own time");
    runtime.signed_in_on(CLERK, "d").await;
    let rows = clerk.ok("GET", &path, json!({})).await["list"].as_array().unwrap().clone();
    assert!(used("d", &rows) > used("e", &rows));
    assert_eq!(clerk.status("GET", &path, json!({"mobilePhoneNumber": ADMIN})).await, 403);
    let stranger = runtime.browser("s").await;
    assert_eq!(stranger.status("GET", &path, json!({})).await, 401);
}

#[tokio::test]
async fn dev_004_005_006_an_administrator_accepts_devices_and_takes_them_away() {
    let few = access::AccessConfig {
        automatic_devices: 1,
        calls_per_minute: 10_000,
        ..access::AccessConfig::default()
    };
    let runtime = Box::pin(TestRuntime::with(few)).await;
    let admin = runtime.admin().await;
    let out = Outsiders::of(&runtime, &admin).await;
    let call = |name: &str| format!("{DEVICES}/{name}");
    let (info, confirm, remove) =
        (call("authorize_info"), call("authorize_confirm"), call("authorize_remove"));
    for (method, path) in [("GET", &info), ("POST", &confirm), ("POST", &remove)] {
        out.stay_out(method, path).await;
    }
    admin.new_operator(CLERK, &[], 0).await;
    let clerk = runtime.signed_in_on(CLERK, "one").await;
    assert_eq!(runtime.kept_out(CLERK, "two").await, "device-not-authorised", "no place is left");
    let listed = async |code: &str| {
        let data = admin.ok("GET", &info, json!({"mobilePhoneNumber": CLERK})).await;
        data["list"].as_array().unwrap().iter().find(|row| row["device_code"] == code).unwrap().clone()
    };
    let two = listed("two").await;
    has(&two, &["id", "mobilePhoneNumber", "device_code", "device_name", "requestedAt", "state"]);
    assert_eq!((&two["state"], &two["lastLoginAt"]), (&json!(0), &Value::Null));
    admin.ok("POST", &confirm, json!({"id": two["id"]})).await;
    assert_eq!(listed("two").await["state"], json!(1));
    runtime.signed_in_on(CLERK, "two").await;
    let mut ended = runtime.sessions.subscribe();
    admin.ok("POST", &remove, json!({"id": listed("one").await["id"]})).await;
    assert_eq!(clerk.status("GET", "/platform/permission/allCode", json!({})).await, 401, "its sessions end");
    assert!(matches!(*ended.try_recv().expect("its sockets are told"), wire::Ended::Session { .. }));
    assert_eq!(admin.refused("POST", &confirm, json!({"id": "12345"})).await, "not-found");
    assert_eq!(admin.status("POST", &confirm, json!({})).await, 400);
}

#[tokio::test]
async fn devices_of_somebody_above_oneself_are_left_alone_and_go_where_their_operator_goes() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let role = admin.new_role("人事", &["1002"]).await;
    admin.new_operator(CLERK, &[&role], 2).await;
    admin.new_operator(OTHER, &[], 3).await;
    let clerk = runtime.signed_in(CLERK).await;
    runtime.signed_in_on(OTHER, "moving").await;
    let (info, remove) = (format!("{DEVICES}/authorize_info"), format!("{DEVICES}/authorize_remove"));
    let all = admin.ok("GET", &info, json!({})).await["list"].as_array().unwrap().clone();
    let of = |code: &str| all.iter().find(|row| row["device_code"] == code).unwrap()["id"].clone();
    for code in ["moving", "device-of-13800000001"] {
        assert_eq!(clerk.refused("POST", &remove, json!({"id": of(code)})).await, "not-found");
    }
    let row = admin.operator_row(OTHER).await;
    let moved = json!({"name": "李雷", "level": 2, "agentId": "2", "version": row["version"]});
    admin.ok("POST", &format!("{USER}/{OTHER}"), moved).await;
    let seen = clerk.ok("GET", &info, json!({"mobilePhoneNumber": OTHER})).await;
    assert_eq!(seen["list"][0]["device_code"], "moving");
    clerk.ok("POST", &remove, json!({"id": of("moving")})).await;

    let deputy = admin.new_role("副手", &["1001", "1002"]).await;
    admin.new_operator("13800000004", &[&deputy], 2).await;
    runtime.signed_in_on("13800000004", "deputys").await;
    let seen = clerk.ok("GET", &info, json!({"mobilePhoneNumber": "13800000004"})).await;
    let id = &seen["list"][0]["id"];
    assert_eq!(clerk.refused("POST", &remove, json!({"id": id})).await, "operator-outranks");
}
