use serde_json::{Value, json};

use crate::house::{ADMIN, TestHouse, system_role};

const USER: &str = "/platform/permission/user";
const STATE: &str = "/platform/permission/user/state";

#[tokio::test]
async fn disabling_an_operator_takes_effect_on_the_next_request() {
    let house = TestHouse::new().await;
    let admin = house.admin().await;
    admin.new_operator("13800000002", &[], 0).await;
    let clerk = house.signed_in("13800000002").await;
    let mut ended = house.sessions.subscribe();
    assert_eq!(clerk.status("GET", "/platform/permission/allCode", json!({})).await, 200);
    admin.ok("POST", STATE, json!({"phone": "13800000002", "state": 0})).await;
    assert_eq!(clerk.status("GET", "/platform/permission/allCode", json!({})).await, 401);
    let told = ended.try_recv().expect("open sockets are told");
    assert!(matches!(*told, wire::Ended::Operator { reason: wire::EndedReason::Disabled, .. }));

    let browser = house.browser("device-of-13800000002").await;
    house.clock.advance(60_000);
    let sent = house.outbox.count();
    let asked = json!({"mobilePhoneNumber": "13800000002"});
    assert_eq!(house.plain("POST", "/auth/sms/code", asked).await.1, json!({}));
    assert_eq!(house.outbox.count(), sent, "a disabled account is sent no code");
    admin.ok("POST", STATE, json!({"phone": "13800000002", "state": 1})).await;
    browser.prove("13800000002").await;
}

#[tokio::test]
async fn a_phone_is_used_once_and_is_free_again_after_deletion() {
    let house = TestHouse::new().await;
    let admin = house.admin().await;
    admin.new_operator("13800000002", &[], 0).await;
    let body = json!({"phone": "13800000002", "name": "李雷", "level": 2});
    assert_eq!(admin.refused("POST", USER, body).await, "phone-taken");
    admin.ok("DELETE", USER, json!({"phones": "13800000002"})).await;
    admin.new_operator("13800000002", &[], 0).await;
}

#[tokio::test]
async fn roles_of_an_operator_are_set_as_a_whole() {
    let house = TestHouse::new().await;
    let admin = house.admin().await;
    let (one, two) = (admin.new_role("客服", &["0401"]).await, admin.new_role("订单", &["1601"]).await);
    admin.new_operator("13800000002", &[&one], 0).await;
    let path = "/platform/permission/user/13800000002";
    let change = |roles: &[&str], version: i64| json!({"name": "王芳", "level": 6, "agentId": 2, "roleIds": roles, "version": version});
    admin.ok("POST", path, change(&[&two], 1)).await;
    let row = admin.operator_row("13800000002").await;
    assert_eq!((&row["roleIds"], &row["agentIds"]), (&json!([two]), &json!(["2"])));
    assert_eq!((&row["levelNames"], &row["version"]), (&json!(["运营", "运维"]), &json!(2)));
    assert_eq!(admin.refused("POST", path, change(&[&one], 1)).await, "stale-version");
    assert_eq!(admin.operator_row("13800000002").await["roleIds"], json!([two]), "nothing was half done");
    assert_eq!(admin.refused("POST", path, change(&["12345"], 2)).await, "role-unknown");
}

#[tokio::test]
async fn one_cannot_disable_or_delete_oneself() {
    let house = TestHouse::new().await;
    let admin = house.admin().await;
    assert_eq!(admin.refused("POST", STATE, json!({"phone": ADMIN, "state": 0})).await, "operator-oneself");
    let path = format!("{USER}/{ADMIN}");
    assert_eq!(admin.refused("DELETE", &path, json!({})).await, "operator-oneself");
}

#[tokio::test]
async fn a_second_administrator_may_be_disabled_and_then_is_one_no_more() {
    let house = TestHouse::new().await;
    let admin = house.admin().await;
    let system = system_role().to_string();
    admin.new_operator("13800000002", &[&system], 0).await;
    let limited =
        json!({"phone": "13800000003", "name": "李雷", "level": 1, "agentId": 2, "roleIds": [system]});
    assert_eq!(admin.refused("POST", USER, limited).await, "operator-cannot-administer");
    admin.ok("POST", STATE, json!({"phone": "13800000002", "state": 0})).await;
    assert_eq!(admin.operator_row("13800000002").await["roleIds"], json!([]));
}

#[tokio::test]
async fn perm_020_lists_and_commands_end_at_the_callers_reach() {
    let house = TestHouse::new().await;
    let admin = house.admin().await;
    let role = admin.new_role("权限专员", &["1001", "1002"]).await;
    admin.new_operator("13800000002", &[&role], 2).await;
    admin.new_operator("13800000003", &[], 3).await;
    let clerk = house.signed_in("13800000002").await;
    let list = clerk.ok("GET", USER, json!({})).await;
    let phones: Vec<&Value> = list["rows"].as_array().unwrap().iter().map(|row| &row["phone"]).collect();
    assert_eq!(phones, [&json!("13800000002")]);
    let foreign = json!({"phone": "13800000003", "state": 0});
    assert_eq!(clerk.refused("POST", STATE, foreign).await, "not-found");
    assert_eq!(clerk.refused("DELETE", "/platform/permission/role", json!({"id": role})).await, "not-found");
    let beyond = json!({"phone": "13800000004", "name": "李雷", "level": 2, "agentId": 3});
    assert_eq!(clerk.refused("POST", USER, beyond).await, "reach-not-held");
    let own = clerk.new_role("本地客服", &["1002"]).await;
    let list = clerk.ok("GET", "/platform/permission/role", json!({})).await;
    assert_eq!((&list["count"], &list["rows"][0]["id"]), (&json!(1), &json!(own)));
    assert_eq!(list["rows"][0]["agentId"], "2");
}
