use serde_json::{Value, json};

use crate::runtime::{ADMIN, TestRuntime, system_role};

const USER: &str = "/platform/permission/user";
const STATE: &str = "/platform/permission/user/state";

#[tokio::test]
async fn disabling_an_operator_takes_effect_on_the_next_request() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    admin.new_operator("13800000002", &[], 0).await;
    let clerk = runtime.signed_in("13800000002").await;
    let mut ended = runtime.sessions.subscribe();
    assert_eq!(clerk.status("GET", "/platform/permission/allCode", json!({})).await, 200);
    admin.ok("POST", STATE, json!({"phone": "13800000002", "state": 0})).await;
    assert_eq!(clerk.status("GET", "/platform/permission/allCode", json!({})).await, 401);
    let told = ended.try_recv().expect("open sockets are told");
    assert!(matches!(*told, wire::Ended::Operator { reason: wire::EndedReason::Disabled, .. }));

    let browser = runtime.browser("device-of-13800000002").await;
    runtime.clock.advance(60_000);
    let sent = runtime.outbox.count();
    let asked = json!({"mobilePhoneNumber": "13800000002"});
    assert_eq!(runtime.plain("POST", "/auth/sms/code", asked).await.1, json!({}));
    assert_eq!(runtime.outbox.count(), sent, "a disabled account is sent no code");
    admin.ok("POST", STATE, json!({"phone": "13800000002", "state": 1})).await;
    browser.prove("13800000002").await;
}

#[tokio::test]
async fn a_phone_is_used_once_and_is_free_again_after_deletion() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    admin.new_operator("13800000002", &[], 0).await;
    let body = json!({"phone": "13800000002", "name": "李雷", "level": 2});
    assert_eq!(admin.refused("POST", USER, body).await, "phone-taken");
    admin.ok("DELETE", USER, json!({"phones": "13800000002"})).await;
    admin.new_operator("13800000002", &[], 0).await;
}

#[tokio::test]
async fn roles_of_an_operator_are_set_as_a_whole() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
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
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    assert_eq!(admin.refused("POST", STATE, json!({"phone": ADMIN, "state": 0})).await, "operator-oneself");
    let path = format!("{USER}/{ADMIN}");
    assert_eq!(admin.refused("DELETE", &path, json!({})).await, "operator-oneself");
}

#[tokio::test]
async fn a_second_administrator_may_be_disabled_and_then_is_one_no_more() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
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
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let role = admin.new_role("权限专员", &["1001", "1002"]).await;
    admin.new_operator("13800000002", &[&role], 2).await;
    admin.new_operator("13800000003", &[], 3).await;
    let clerk = runtime.signed_in("13800000002").await;
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

fn phones(list: &Value) -> Vec<&str> {
    list["rows"].as_array().unwrap().iter().map(|row| row["phone"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn people_are_found_by_agent_and_nobody_beyond_the_callers_reach_is() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let role = admin.new_role("权限专员", &["1002"]).await;
    admin.new_operator("13800000002", &[&role], 2).await;
    admin.new_operator("13800000003", &[], 3).await;
    let both = json!({"phone": "13800000004", "name": "李雷", "level": 2, "agentIds": ["2", "3"]});
    admin.ok("POST", USER, both).await;
    let of = |agent: &str| json!({ "agentId": agent });
    // Newest first; the administrator, who sees all of them, is nobody's.
    assert_eq!(phones(&admin.ok("GET", USER, of("2")).await), ["13800000004", "13800000002"]);
    assert_eq!(phones(&admin.ok("GET", USER, of("3")).await), ["13800000004", "13800000003"]);
    assert_eq!(admin.ok("GET", USER, of("9")).await["count"], 0);
    assert_eq!(phones(&admin.ok("GET", USER, of("")).await).len(), 4);
    assert_eq!(admin.status("GET", USER, of("x")).await, 400);
    let clerk = runtime.signed_in("13800000002").await;
    assert_eq!(phones(&clerk.ok("GET", USER, of("2")).await), ["13800000002"]);
    assert_eq!(clerk.ok("GET", USER, of("3")).await["count"], 0);
}

#[tokio::test]
async fn people_are_found_by_area_and_an_area_beyond_the_callers_reach_finds_nobody() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let role = admin.new_role("权限专员", &["1002"]).await;
    let new = |phone: &str, agents: &[&str], areas: &[&str]| json!({"phone": phone, "name": "李雷", "level": 2, "agentIds": agents, "opAreaIds": areas, "roleIds": [role]});
    for body in [
        new("13800000002", &["2"], &["20"]),
        new("13800000003", &["2"], &["20", "21"]),
        new("13800000004", &["3"], &["30"]),
        new("13800000005", &["2"], &[]),
    ] {
        admin.ok("POST", USER, body).await;
    }
    let of = |area: &str| json!({ "opAreaId": area });
    // Newest first; who sees all areas of his agents is nobody's.
    assert_eq!(phones(&admin.ok("GET", USER, of("20")).await), ["13800000003", "13800000002"]);
    assert_eq!(phones(&admin.ok("GET", USER, of("21")).await), ["13800000003"]);
    assert_eq!(admin.ok("GET", USER, of("29")).await["count"], 0);
    assert_eq!(phones(&admin.ok("GET", USER, of("")).await).len(), 5);
    assert_eq!(admin.status("GET", USER, of("x")).await, 400);
    let all_of_both = json!({"agentId": "2", "opAreaId": "30"});
    assert_eq!(admin.ok("GET", USER, all_of_both).await["count"], 0);
    let clerk = runtime.signed_in("13800000002").await;
    assert_eq!(phones(&clerk.ok("GET", USER, json!({})).await).len(), 3);
    assert_eq!(phones(&clerk.ok("GET", USER, of("20")).await), ["13800000003", "13800000002"]);
    for beyond in ["21", "30"] {
        assert_eq!(clerk.ok("GET", USER, of(beyond)).await["count"], 0, "{beyond}");
    }
}

#[tokio::test]
async fn a_profession_is_given_changed_taken_away_and_looked_for() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let new = |phone: &str, profession: i64| json!({"phone": phone, "name": "王芳", "level": 4, "agentId": "2", "profession": profession});
    admin.ok("POST", USER, new("13800000002", 1)).await;
    admin.ok("POST", USER, new("13800000003", 0)).await;
    assert_eq!(admin.refused("POST", USER, new("13800000004", 6)).await, "profession-bad");
    assert_eq!(admin.operator_row("13800000002").await["profession"], 1);
    assert_eq!(admin.operator_row("13800000003").await["profession"], Value::Null);
    let found = async |number: i64| {
        let list = admin.ok("GET", USER, json!({"profession": number.to_string()})).await;
        phones(&list).join(",")
    };
    assert_eq!(found(1).await, "13800000002");
    let path = "/platform/permission/user/13800000002";
    let change = |profession: Value, version: i64| json!({"name": "王芳", "level": 4, "agentId": "2", "profession": profession, "version": version});
    admin.ok("POST", path, change(json!(5), 1)).await;
    assert_eq!((found(1).await.as_str(), found(5).await.as_str()), ("", "13800000002"));
    admin.ok("POST", path, change(Value::Null, 2)).await;
    let row = admin.operator_row("13800000002").await;
    assert_eq!((&row["profession"], &row["version"]), (&Value::Null, &json!(3)));
}

#[tokio::test]
async fn a_manager_of_level_2_makes_nobody_of_a_higher_level() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let role = admin.new_role("人事", &["10", "1001", "1002"]).await;
    admin.new_operator("13800000002", &[&role], 2).await;
    let clerk = runtime.signed_in("13800000002").await;
    let body =
        |phone: &str, level: i64| json!({"phone": phone, "name": "李雷", "level": level, "agentId": "2"});
    for level in [1, 3, 15] {
        assert_eq!(clerk.refused("POST", USER, body("13800000003", level)).await, "level-not-held");
    }
    clerk.ok("POST", USER, body("13800000003", 6)).await;
    let path = format!("{USER}/13800000003");
    let raised = json!({"name": "李雷", "level": 1, "agentId": "2", "version": 1});
    assert_eq!(clerk.refused("POST", &path, raised).await, "level-not-held");
    let mut above = body("13800000004", 1);
    above["state"] = json!(0);
    admin.ok("POST", USER, above).await;
    let above = "operator-above-level";
    assert_eq!(clerk.refused("POST", STATE, json!({"phone": "13800000004", "state": 1})).await, above);
    let lowered = json!({"name": "李雷", "level": 4, "agentId": "2", "version": 1});
    assert_eq!(clerk.refused("POST", &format!("{USER}/13800000004"), lowered).await, above);
    assert_eq!(clerk.refused("POST", "/auth/quickLink", json!({"phone": "13800000004"})).await, above);
    let role = json!({"name": "管理", "tier": 1, "remark": "", "codes": ["1002"], "state": 1});
    assert_eq!(clerk.refused("POST", "/platform/permission/role", role).await, "role-above-level");
    // Whoever administers the system is above all levels, whatever his own tiers are called.
    let system = system_role().to_string();
    admin.new_operator("13800000005", &[&system], 0).await;
    let deputy = runtime.signed_in("13800000005").await;
    deputy.ok("POST", USER, body("13800000006", 15)).await;
}
