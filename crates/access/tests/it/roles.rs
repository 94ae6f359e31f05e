use serde_json::{Value, json};

use crate::runtime::{ADMIN, TestRuntime, system_role};

const ROLE: &str = "/platform/permission/role";

#[tokio::test]
async fn a_saved_role_is_in_the_list_at_once() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let id = admin.new_role("客服", &["0401", "1601"]).await;
    let list = admin.ok("GET", ROLE, json!({"page": "1", "pageSize": "10", "keyword": "客"})).await;
    let row = &list["rows"][0];
    assert_eq!((&list["count"], &list["capped"], &row["id"]), (&json!(1), &json!(false), &json!(id)));
    assert_eq!(row["codes"], json!(["0401", "1601"]));
    assert_eq!((&row["userCount"], &row["version"], &row["state"]), (&json!(0), &json!(1), &json!(1)));
    assert_eq!(row["updatedBy"], "超级管理员");
    let info = admin.ok("GET", "/platform/permission/role/info", json!({"id": id})).await;
    assert_eq!(info["name"], "客服");
    let pickers = admin.ok("GET", "/platform/permission/role/enable", json!({})).await;
    assert!(pickers.as_array().unwrap().contains(&json!({"id": id, "name": "客服"})));
}

#[tokio::test]
async fn a_name_is_used_once_and_is_free_again_after_deletion() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let id = admin.new_role("客服", &["0401"]).await;
    let body = json!({"name": " 客服 ", "codes": ["0401"]});
    assert_eq!(admin.refused("POST", ROLE, body).await, "role-name-taken");
    admin.ok("DELETE", ROLE, json!({"id": id, "version": "1"})).await;
    admin.new_role("客服", &["0401"]).await;
}

#[tokio::test]
async fn a_stale_version_is_refused_and_changes_nothing() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let id = admin.new_role("客服", &["0401"]).await;
    let change = |name: &str, version: i64| json!({"id": id, "name": name, "tier": 2, "remark": "", "codes": ["0401"], "version": version});
    admin.ok("PUT", ROLE, change("售后", 1)).await;
    assert_eq!(admin.refused("PUT", ROLE, change("投诉", 1)).await, "stale-version");
    let info = admin.ok("GET", "/platform/permission/role/info", json!({"id": id})).await;
    assert_eq!((&info["name"], &info["version"]), (&json!("售后"), &json!(2)));
}

#[tokio::test]
async fn a_repeated_request_creates_one_role_and_gets_the_same_answer() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let body = json!({"name": "客服", "codes": ["0401"]});
    let first = admin.keyed("POST", ROLE, body.clone(), Some("k1")).await.1;
    let second = admin.keyed("POST", ROLE, body, Some("k1")).await.1;
    assert_eq!(first["data"]["id"], second["data"]["id"]);
    let other = admin.keyed("POST", ROLE, json!({"name": "别的", "codes": ["0401"]}), Some("k1")).await.1;
    assert_eq!(other["error"]["code"], json!("request-reused"), "{other}");
    let list = admin.ok("GET", ROLE, json!({})).await;
    assert_eq!(list["count"], json!(2), "the system role and this one");
}

#[tokio::test]
async fn perm_018_one_grants_only_what_one_holds() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let clerk_role = admin.new_role("权限专员", &["1001", "1002", "0401"]).await;
    let marketing = admin.new_role("营销", &["1701"]).await;
    admin.new_operator("13800000002", &[&clerk_role], 0).await;
    let clerk = runtime.signed_in("13800000002").await;
    let body = json!({"name": "越权", "codes": ["0401", "1701"]});
    assert_eq!(clerk.refused("POST", ROLE, body).await, "permission-not-held");
    let body = json!({"phone": "13800000003", "name": "李雷", "level": 2, "roleIds": [marketing]});
    assert_eq!(clerk.refused("POST", "/platform/permission/user", body).await, "permission-not-held");
    let nobody = clerk.operator_row("13800000003").await;
    assert_eq!(nobody, Value::Null, "nothing was registered");
    let body = json!({"id": clerk_role, "name": "权限专员", "codes": ["1001"], "version": 1});
    assert_eq!(clerk.refused("PUT", ROLE, body).await, "role-own");
    let body = json!({"phone": ADMIN, "state": 0});
    assert_eq!(clerk.refused("POST", "/platform/permission/user/state", body).await, "operator-outranks");
    let tree = clerk.ok("GET", "/platform/permission/tree/opMan", json!({})).await;
    let marketing = tree.as_array().unwrap().iter().find(|branch| branch["code"] == "17").unwrap();
    assert_eq!(marketing["checked"], json!(false));
}

#[tokio::test]
async fn changing_or_disabling_a_role_changes_all_codes_at_once() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let role = admin.new_role("客服", &["0401"]).await;
    admin.new_operator("13800000002", &[&role], 0).await;
    let clerk = runtime.signed_in("13800000002").await;
    assert_eq!(clerk.codes().await, ["0401", "07"]);
    let body = json!({"id": role, "name": "客服", "tier": 1, "codes": ["1601", "08"], "version": 1});
    admin.ok("PUT", ROLE, body).await;
    assert_eq!(clerk.codes().await, ["07", "08", "1601"]);
    admin.ok("POST", "/platform/permission/role/state", json!({"id": role, "state": 0})).await;
    assert!(clerk.codes().await.is_empty());
    admin.ok("POST", "/platform/permission/role/state", json!({"id": role, "state": 1})).await;
    assert_eq!(clerk.codes().await, ["07", "08", "1601"]);
    let own = admin.ok("GET", "/platform/permission/allCode", json!({"opManId": "13800000002"})).await;
    assert_eq!(own, json!(["07", "08", "1601"]));
    assert_eq!(clerk.status("GET", "/platform/permission/allCode", json!({"opManId": ADMIN})).await, 403);
}

#[tokio::test]
async fn perm_019_every_call_needs_its_code() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    admin.new_operator("13800000002", &[], 0).await;
    let clerk = runtime.signed_in("13800000002").await;
    let mut closed = 0;
    for route in &runtime.table {
        let wire::Permit::AnyOf(_) = route.permit else { continue };
        let path = route.path.strip_prefix(wire::BASE).unwrap().replace("{phone}", ADMIN);
        assert_eq!(clerk.status(route.method, &path, json!({})).await, 403, "{} {path}", route.method);
        closed += 1;
    }
    assert!(closed > 15, "{closed}");
    assert!(access::unknown_codes(&runtime.table).is_empty());
}

#[tokio::test]
async fn a_role_in_use_is_not_deleted_and_the_system_role_never() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let role = admin.new_role("客服", &["0401"]).await;
    admin.new_operator("13800000002", &[&role], 0).await;
    assert_eq!(admin.refused("DELETE", ROLE, json!({"id": role})).await, "role-in-use");
    admin.ok("DELETE", "/platform/permission/user/13800000002", json!({})).await;
    admin.ok("DELETE", ROLE, json!({"id": role})).await;
    let system = json!({"id": system_role().to_string()});
    assert_eq!(admin.refused("DELETE", ROLE, system).await, "role-system");
}
