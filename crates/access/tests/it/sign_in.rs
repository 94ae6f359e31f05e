use serde_json::{Value, json};

use crate::runtime::{ADMIN, NOW, TestRuntime};
use vocabulary::Clock;

const LOGIN: &str = "/platform/permission/login";
const STRANGER: &str = "13999999999";

#[tokio::test]
async fn flow_002_to_005_the_way_in_leads_from_device_to_operator() {
    let runtime = TestRuntime::new().await;
    assert_eq!(runtime.announce(ADMIN, "d").await.1, json!({"suc": true}));
    let mut browser = runtime.browser("d").await;
    let code = runtime.code_for(ADMIN).await;
    let body = json!({"mobilePhoneNumber": ADMIN, "smsCode": code});
    let (_, answer) = browser.call("POST", "/auth/sms/verify", body).await;
    assert_eq!(answer, json!({"objectId": "1"}));
    let data = browser.ok("POST", "/auth/login/phone", json!({"phone": ADMIN})).await;
    assert_eq!(data, json!({"opManId": ADMIN}));
    let data = browser.ok("POST", LOGIN, json!({"opManId": ADMIN})).await;
    assert_eq!(
        (&data["userId"], &data["phone"], &data["isRoot"]),
        (&json!("1"), &json!(ADMIN), &json!(true))
    );
    assert_eq!(data["roles"][0]["name"], "超级管理员");
    browser.token = Some(data["token"].as_str().unwrap().to_owned());

    let mut codes = browser.codes().await;
    codes.sort();
    let mut every: Vec<_> =
        access::permissions::permissions().iter().map(|one| one.code.to_owned()).collect();
    every.sort();
    assert_eq!(codes, every);
}

#[tokio::test]
async fn flow_010_login_is_refused_for_a_phone_that_the_session_did_not_prove() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    admin.new_operator("13800000002", &[], 0).await;
    runtime.announce(ADMIN, "other").await;
    let browser = runtime.browser("other").await;
    for path in ["/auth/login/phone", LOGIN] {
        let body = json!({"phone": ADMIN, "opManId": ADMIN});
        assert_eq!(browser.refused("POST", path, body).await, "phone-not-proved");
    }
    browser.prove("13800000002").await;
    for path in ["/auth/login/phone", LOGIN] {
        let body = json!({"phone": ADMIN, "opManId": ADMIN});
        assert_eq!(browser.refused("POST", path, body).await, "phone-not-proved");
    }
    let (_, answer) = browser.call("GET", "/auth/sms/user", json!({"mobilePhoneNumber": ADMIN})).await;
    assert!(answer["error"].is_string());
}

#[tokio::test]
async fn signing_in_again_on_the_same_session_appends_no_second_event() {
    let runtime = TestRuntime::new().await;
    let browser = runtime.admin().await;
    for _ in 0..3 {
        browser.ok("POST", LOGIN, json!({"opManId": ADMIN})).await;
    }
    assert_eq!(runtime.events("operator", "1").await, ["operator.registered", "operator.signed_in"]);
}

#[tokio::test]
async fn api_019_a_code_works_once_and_five_wrong_tries_lock_the_phone_for_a_quarter_of_an_hour() {
    let runtime = TestRuntime::new().await;
    let browser = runtime.browser("d").await;
    let verify = async |code: &str| {
        let body = json!({"mobilePhoneNumber": ADMIN, "smsCode": code});
        browser.call("POST", "/auth/sms/verify", body).await.1
    };
    let code = runtime.code_for(ADMIN).await;
    assert!(verify(&code).await["objectId"].is_string());
    assert_eq!(verify(&code).await, json!({"error": "验证码错误或已失效"}));

    let code = runtime.code_for(ADMIN).await;
    let wrong = if code == "000000" { "000001" } else { "000000" };
    for _ in 0..5 {
        assert_eq!(verify(wrong).await, json!({"error": "验证码错误或已失效"}));
    }
    let locked = json!({"error": "验证码错误次数过多，请 15 分钟后再试"});
    assert_eq!(verify(&code).await, locked);
    runtime.clock.advance(15 * 60_000 - 1);
    let asked = json!({"mobilePhoneNumber": ADMIN});
    assert_eq!(runtime.plain("POST", "/auth/sms/code", asked).await.1, locked);
    assert_eq!(verify(&code).await, locked);

    let code = runtime.code_for(ADMIN).await;
    runtime.clock.advance(5 * 60_000);
    assert_eq!(verify(&code).await, json!({"error": "验证码错误或已失效"}));
    assert_eq!(verify("12345").await, json!({"error": "无效的验证码"}));
}

#[tokio::test]
async fn a_phone_is_sent_one_code_a_minute_and_ten_a_day() {
    let runtime = TestRuntime::new().await;
    let ask = async || runtime.plain("POST", "/auth/sms/code", json!({"mobilePhoneNumber": ADMIN})).await.1;
    let over = json!({"error": "短信发送次数超限"});
    assert_eq!(ask().await, json!({}));
    assert_eq!(ask().await, over);
    runtime.clock.advance(59_999);
    assert_eq!(ask().await, over);
    runtime.clock.advance(1);
    assert_eq!(ask().await, json!({}));
    for _ in 2..10 {
        runtime.clock.advance(60_000);
        assert_eq!(ask().await, json!({}));
    }
    runtime.clock.advance(60_000);
    assert_eq!(ask().await, over);
    runtime.clock.advance(24 * 3_600_000);
    assert_eq!(ask().await, json!({}));
    assert_eq!(runtime.outbox.count(), 11);
}

#[tokio::test]
async fn an_unknown_phone_gets_the_same_answers_and_no_sms() {
    let runtime = TestRuntime::new().await;
    let ask =
        async || runtime.plain("POST", "/auth/sms/code", json!({"mobilePhoneNumber": STRANGER})).await.1;
    assert_eq!(ask().await, json!({}));
    assert_eq!(ask().await, json!({"error": "短信发送次数超限"}));
    assert_eq!(runtime.outbox.count(), 0);
    assert_eq!(runtime.announce(STRANGER, "d").await.1, json!({"suc": true}));
    let browser = runtime.browser("d").await;
    let body = json!({"mobilePhoneNumber": STRANGER, "smsCode": "123456"});
    for _ in 0..5 {
        let answer = browser.call("POST", "/auth/sms/verify", body.clone()).await.1;
        assert_eq!(answer, json!({"error": "验证码错误或已失效"}));
    }
    // Even the lock is the same for phones without an account.
    let answer = browser.call("POST", "/auth/sms/verify", body).await.1;
    assert_eq!(answer, json!({"error": "验证码错误次数过多，请 15 分钟后再试"}));
}

#[tokio::test]
async fn a_code_that_could_not_be_sent_may_be_asked_for_again_at_once() {
    let runtime = TestRuntime::new().await;
    let ask = async || runtime.plain("POST", "/auth/sms/code", json!({"mobilePhoneNumber": ADMIN})).await.1;
    runtime.outbox.break_down(true);
    assert_eq!(ask().await, json!({"error": "短信发送失败，请稍后重试"}));
    runtime.outbox.break_down(false);
    assert_eq!(ask().await, json!({}));
}

#[tokio::test]
async fn signing_out_ends_the_session() {
    let runtime = TestRuntime::new().await;
    let browser = runtime.admin().await;
    browser.ok("POST", "/auth/logout", json!({})).await;
    assert_eq!(browser.status("GET", "/platform/permission/allCode", json!({})).await, 401);
}

#[tokio::test]
async fn api_036_quick_007_a_link_signs_in_once_and_only_those_who_hold_no_more() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let role = admin.new_role("权限专员", &["1002"]).await;
    admin.new_operator("13800000002", &[&role], 0).await;
    let clerk = runtime.signed_in("13800000002").await;
    let link = clerk.refused("POST", "/auth/quickLink", json!({"phone": ADMIN})).await;
    assert_eq!(link, "operator-outranks");

    let link = admin.ok("POST", "/auth/quickLink", json!({"phone": "13800000002"})).await;
    let body = json!({"phone": "13800000002", "origin": link["origin"]});
    let browser = runtime.browser("device-of-13800000002").await;
    let data = browser.ok("POST", "/auth/login/authorized", body.clone()).await;
    assert_eq!(data, json!({"opManId": "13800000002"}));
    let looked_up =
        browser.call("GET", "/auth/sms/user", json!({"mobilePhoneNumber": "13800000002"})).await.1;
    assert!(looked_up["objectId"].is_string());
    browser.ok("POST", LOGIN, json!({"opManId": "13800000002"})).await;

    let again = runtime.browser("device-of-13800000002").await;
    assert_eq!(again.refused("POST", "/auth/login/authorized", body).await, "link-expired");
    let link = admin.ok("POST", "/auth/quickLink", json!({"phone": "13800000002"})).await;
    runtime.clock.advance(60_000);
    let body = json!({"phone": "13800000002", "origin": link["origin"]});
    assert_eq!(again.refused("POST", "/auth/login/authorized", body).await, "link-expired");
}

#[tokio::test]
async fn a_token_is_renewed_within_what_the_account_may_see() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let role = admin.new_role("权限专员", &["1001"]).await;
    admin.new_operator("13800000002", &[&role], 2).await;
    let mut clerk = runtime.signed_in("13800000002").await;
    let data = clerk.ok("POST", "/auth/token", json!({"agentIds": ["2", "3"], "opAreaIds": []})).await;
    assert!(data.get("_t").is_none(), "the session has time left");
    assert_eq!(clerk.refused("POST", "/auth/token", json!({"agentIds": ["3"]})).await, "selection-not-held");

    runtime.clock.advance(37 * 3_600_000);
    let data = clerk.ok("POST", "/auth/token", json!({"agentIds": []})).await;
    let expires = data["expiresAt"].as_i64().unwrap();
    assert!(expires - runtime.clock.now().millis() > 6 * 24 * 3_600_000);
    clerk.session = wire::client::ClientSession {
        t: wire::client::HiddenText(data["_t"].as_str().unwrap().to_owned()),
        k: wire::SecretKey::from_text(data["_k"].as_str().unwrap()).unwrap(),
    };
    clerk.token = Some(data["token"].as_str().unwrap().to_owned());
    runtime.clock.advance(24 * 3_600_000);
    assert_eq!(clerk.codes().await, ["10", "1001"]);
    assert!(runtime.clock.now() > NOW);
}

#[tokio::test]
async fn brand_the_web_configuration_is_open_and_each_client_has_its_own() {
    let runtime = TestRuntime::new().await;
    let (_, answer) = runtime.plain("GET", "/web/config?domain=localhost", Value::Null).await;
    assert_eq!(answer["data"]["title"], "惠行出行运营平台");
    sqlx::query("insert into authentication.web_config (domain, config) values ('ops.example.com', $1)")
        .bind(json!({"title": "骑行宝"}))
        .execute(&runtime.runtime.pools.owner)
        .await
        .unwrap();
    let (_, answer) = runtime.plain("GET", "/web/config?domain=ops.example.com", Value::Null).await;
    assert_eq!(
        (&answer["data"]["title"], &answer["data"]["company"]),
        (&json!("骑行宝"), &json!("惠行出行"))
    );
}

#[tokio::test]
async fn a_session_that_a_link_opened_ends_when_its_person_or_who_made_it_changes() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let (one, two) = ("13800000002", "13800000003");
    let role = admin.new_role("主管", &["10", "1002"]).await;
    let more = admin.new_role("更多", &["0401"]).await;
    for phone in [one, two] {
        admin.new_operator(phone, &[&role], 2).await;
    }
    let maker = runtime.signed_in(one).await;
    let linked = async |maker: &crate::runtime::Browser<'_>| {
        let link = maker.ok("POST", "/auth/quickLink", json!({"phone": two})).await;
        runtime.announce(two, "linked").await;
        let mut browser = runtime.browser("linked").await;
        let body = json!({"phone": two, "origin": link["origin"]});
        browser.ok("POST", "/auth/login/authorized", body).await;
        let signed = browser.ok("POST", LOGIN, json!({"opManId": two})).await;
        browser.token = Some(signed["token"].as_str().unwrap().to_owned());
        browser
    };
    let status = "/platform/permission/allCode";
    let own = runtime.signed_in(two).await;
    let linked_first = linked(&maker).await;
    assert_eq!(linked_first.status("GET", status, json!({})).await, 200);
    // He is given more than who made the link has: nobody has that through the link.
    let row = admin.operator_row(two).await;
    let wider =
        json!({"name": "王芳", "level": 2, "agentId": 2, "roleIds": [role, more], "version": row["version"]});
    admin.ok("POST", &format!("/platform/permission/user/{two}"), wider).await;
    assert_eq!(linked_first.status("GET", status, json!({})).await, 401);
    assert_eq!(own.status("GET", status, json!({})).await, 200, "his own session goes on");
    assert_eq!(maker.refused("POST", "/auth/quickLink", json!({"phone": two})).await, "operator-outranks");

    // A link is judged when it is followed, too; and what it opened ends with who made it.
    let same = json!({"name": "王芳", "level": 2, "agentId": 2, "roleIds": [role, more], "version": 1});
    admin.ok("POST", &format!("/platform/permission/user/{one}"), same).await;
    let linked_second = linked(&maker).await;
    let kept = maker.ok("POST", "/auth/quickLink", json!({"phone": two})).await;
    admin.ok("POST", "/platform/permission/user/state", json!({"phone": one, "state": 0})).await;
    assert_eq!(linked_second.status("GET", status, json!({})).await, 401);
    let late = runtime.browser("linked").await;
    let body = json!({"phone": two, "origin": kept["origin"]});
    assert_eq!(late.refused("POST", "/auth/login/authorized", body).await, "link-expired");
}
