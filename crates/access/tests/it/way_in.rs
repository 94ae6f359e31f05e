//! The calls of signing in, as the contract writes them down.

use serde_json::{Value, json};
use vocabulary::Clock;

use crate::runtime::{ADMIN, Browser, NOW, TestRuntime};

const LOGIN: &str = "/platform/permission/login";
const CLERK: &str = "13800000002";
const DAY_MS: i64 = 24 * 3_600_000;

/// What a token says, without a look at its signature.
fn claims(token: &str) -> Value {
    use base64::Engine;
    let payload = token.split('.').nth(1).expect("a token has three parts");
    let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(payload).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

async fn whole(browser: &Browser<'_>, method: &str, path: &str, content: Value) -> Value {
    browser.call(method, path, content).await.1
}

#[tokio::test]
async fn api_015_016_a_code_is_asked_for_by_phone_on_either_path() {
    let runtime = TestRuntime::new().await;
    for (sent, path) in [(1, "/auth/sms/code"), (2, "/auth/obs/sms/code")] {
        runtime.clock.advance(60_000);
        let answer = runtime.plain("POST", path, json!({"mobilePhoneNumber": ADMIN})).await.1;
        assert_eq!((answer, runtime.outbox.count()), (json!({}), sent));
        for wrong in ["", "1380000000", "138000000011", "23800000001"] {
            let answer = runtime.plain("POST", path, json!({"mobilePhoneNumber": wrong})).await.1;
            assert!(answer["error"].is_string() && answer.get("suc").is_none(), "{answer}");
        }
    }
}

#[tokio::test]
async fn api_018_020_035_the_account_is_told_and_authorised_only_after_its_phone_was_proved() {
    let runtime = TestRuntime::new().await;
    runtime.announce(ADMIN, "d").await;
    let browser = runtime.browser("d").await;
    let (user, authorise) = ("/auth/sms/user", "/auth/login/phone");
    let asked = json!({"mobilePhoneNumber": ADMIN});
    assert!(whole(&browser, "GET", user, asked.clone()).await["error"].is_string());
    let refused = whole(&browser, "POST", authorise, json!({"phone": ADMIN})).await;
    assert_eq!((&refused["suc"], &refused["error"]["promot"]), (&json!(false), &refused["error"]["promt"]));
    browser.prove(ADMIN).await;
    assert_eq!(whole(&browser, "GET", user, asked).await, json!({"objectId": "1"}));
    let answer = whole(&browser, "POST", authorise, json!({"phone": ADMIN})).await;
    assert_eq!(answer, json!({"suc": true, "data": {"opManId": ADMIN}}));
}

#[tokio::test]
async fn api_021_022_037_const_006_the_key_exchange_opens_a_session_of_two_days() {
    let runtime = TestRuntime::new().await;
    let mut browser = runtime.admin().await;
    let token = browser.token.clone();
    let answer = runtime.plain("POST", "/auth/verifySign", json!({"keyId": "none", "params": "AAAA"})).await;
    assert_eq!((answer.0.as_u16(), &answer.1["suc"]), (400, &json!(false)));
    let began = runtime.clock.now();
    let mut fresh = runtime.browser("device-of-13800000001").await;
    fresh.prove(ADMIN).await;
    let data = fresh.ok("POST", LOGIN, json!({"opManId": ADMIN})).await;
    fresh.token = data["token"].as_str().map(str::to_owned);
    let gone = runtime.clock.now().millis_since(began);
    runtime.clock.advance(2 * DAY_MS - gone - 1);
    assert_eq!(fresh.status("GET", "/platform/permission/allCode", json!({})).await, 200);
    runtime.clock.advance(1);
    assert_eq!(fresh.status("GET", "/platform/permission/allCode", json!({})).await, 401);
    browser.token = token;
    assert_eq!(browser.status("POST", LOGIN, json!({"opManId": ADMIN})).await, 401);
}

#[tokio::test]
async fn api_023_038_ent_004_the_operator_login_tells_who_signed_in() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let role = admin.new_role("客服", &["0401"]).await;
    let id = admin.new_operator(CLERK, &[&role], 2).await;
    let clerk = runtime.signed_in(CLERK).await;
    let data = clerk.ok("POST", LOGIN, json!({"opManId": CLERK})).await;
    assert_eq!((&data["agentId"], &data["roleId"], &data["userId"]), (&json!("2"), &json!(role), &json!(id)));
    assert_eq!(
        (&data["phone"], &data["name"], &data["isRoot"]),
        (&json!(CLERK), &json!("王芳"), &json!(false))
    );
    assert_eq!(data["roles"], json!([{"id": role, "name": "客服", "permissionList": ["0401"]}]));
    for field in ["token", "welcome", "avatar"] {
        assert!(data[field].is_string(), "{field}");
    }
    assert!(data["info"]["lastLoginAt"].is_i64());
    let refused = whole(&clerk, "POST", LOGIN, json!({"opManId": ADMIN})).await;
    assert_eq!(refused["error"]["code"], json!("phone-not-proved"), "{refused}");
    assert!(refused["error"]["promot"].is_string());
}

#[tokio::test]
async fn const_005_ent_005_006_the_token_names_the_session_for_seven_days() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let told = claims(admin.token.as_deref().unwrap());
    for claim in ["agentIds", "opAreaIds", "userId", "phone", "agentId", "build", "devId", "package"] {
        assert!(told.get(claim).is_some(), "{claim}");
    }
    assert_eq!((&told["phone"], &told["userId"]), (&json!(ADMIN), &json!("1")));
    assert_eq!(told["exp"].as_i64().unwrap() - told["iat"].as_i64().unwrap(), 604_800);
    assert!(told["iat"].as_i64().unwrap() >= NOW.millis() / 1000);
}

#[tokio::test]
async fn ent_007_a_token_of_which_one_letter_changed_is_refused() {
    let runtime = TestRuntime::new().await;
    let mut admin = runtime.admin().await;
    let token = admin.token.clone().unwrap();
    let begins: Vec<usize> = token.match_indices('.').map(|(at, _)| at + 1).collect();
    for at in begins {
        let letter = if token.as_bytes()[at] == b'A' { "B" } else { "A" };
        let mut changed = token.clone();
        changed.replace_range(at..=at, letter);
        admin.token = Some(changed);
        assert_eq!(admin.status("GET", "/platform/permission/allCode", json!({})).await, 401);
    }
    admin.token = Some(token);
    assert_eq!(admin.status("GET", "/platform/permission/allCode", json!({})).await, 200);
}

#[tokio::test]
async fn api_034_logging_out_ends_the_session_and_its_token_and_tells_its_sockets() {
    let runtime = TestRuntime::new().await;
    let browser = runtime.admin().await;
    let mut ended = runtime.sessions.subscribe();
    let answer = whole(&browser, "POST", "/auth/logout", json!({})).await;
    assert_eq!(answer, json!({"suc": true, "data": {}}));
    let told = ended.try_recv().expect("open sockets are told");
    assert!(matches!(*told, wire::Ended::Session { reason: wire::EndedReason::SignedOut, .. }));
    for (method, path) in [("GET", "/platform/permission/allCode"), ("POST", LOGIN)] {
        assert_eq!(browser.status(method, path, json!({"opManId": ADMIN})).await, 401);
    }
}

#[tokio::test]
async fn api_025_056_one_makes_oneself_known_to_the_customer_service_tool_once() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let path = "/platform/permission/user/bangwo8";
    let body =
        |phone: &str, id: &str| json!({"name": "王芳", "phone": phone, "company": "惠行", "objectId": id});
    let answer = whole(&admin, "POST", path, body(ADMIN, "1")).await;
    assert_eq!(answer, json!({"suc": true, "data": {"url": ""}}), "the system has no tool of its own");
    admin.ok("POST", path, body(ADMIN, "1")).await;
    let known = "operator.cs_tool_registered".to_owned();
    assert_eq!(runtime.events("operator", "1").await.iter().filter(|one| **one == known).count(), 1);
    assert_eq!(admin.operator_row(ADMIN).await["csToolRegistered"], json!(true));
    admin.new_operator(CLERK, &[], 0).await;
    for (phone, id) in [(CLERK, "1"), (ADMIN, "2"), (CLERK, "2")] {
        assert_eq!(admin.refused("POST", path, body(phone, id)).await, "operator-not-oneself");
    }
    // Everybody who signed in may, whatever he holds; nobody else.
    let mut clerk = runtime.signed_in(CLERK).await;
    assert_eq!(clerk.refused("POST", path, body(ADMIN, "1")).await, "operator-not-oneself");
    clerk.token = None;
    assert_eq!(clerk.status("POST", path, body(CLERK, "2")).await, 401);
}

#[tokio::test]
async fn const_004_quick_002_003_a_link_of_59_seconds_signs_in_and_one_of_60_does_not() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    admin.new_operator(CLERK, &[], 0).await;
    runtime.announce(CLERK, "link").await;
    for (age_ms, taken) in [(59_000, true), (60_000, false)] {
        let link = admin.ok("POST", "/auth/quickLink", json!({"phone": CLERK})).await;
        assert_eq!(link["expiresAt"], json!(runtime.clock.now().millis() + 60_000));
        runtime.clock.advance(age_ms);
        let browser = runtime.browser("link").await;
        let body = json!({"phone": CLERK, "origin": link["origin"]});
        let answer = whole(&browser, "POST", "/auth/login/authorized", body).await;
        assert_eq!(answer["suc"], json!(taken), "{answer}");
    }
}

#[tokio::test]
async fn state_004_a_disabled_account_cannot_sign_in_not_even_on_a_proved_session() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    admin.new_operator(CLERK, &[], 0).await;
    runtime.announce(CLERK, "d").await;
    let browser = runtime.browser("d").await;
    browser.prove(CLERK).await;
    let state = |state| json!({"phone": CLERK, "state": state});
    admin.ok("POST", "/platform/permission/user/state", state(0)).await;
    for (path, body) in [("/auth/login/phone", json!({"phone": CLERK})), (LOGIN, json!({"opManId": CLERK}))] {
        let refused = whole(&browser, "POST", path, body).await;
        assert_eq!(refused["error"]["code"], "operator-disabled");
        assert_eq!(refused["error"]["promot"], "账号已停用，请联系管理员");
    }
    admin.ok("POST", "/platform/permission/user/state", state(1)).await;
    browser.ok("POST", LOGIN, json!({"opManId": CLERK})).await;
}

#[tokio::test]
async fn calls_of_the_way_in_are_counted_for_each_address() {
    let few = access::AccessConfig { calls_per_minute: 3, ..access::AccessConfig::default() };
    let runtime = Box::pin(TestRuntime::with(few)).await;
    let asked =
        async |method: &str, path: &str, body: Value| runtime.plain(method, path, body).await.0.as_u16();
    let device =
        json!({"device_type": 1, "mobilePhoneNumber": ADMIN, "device_code": "d", "device_name": "x"});
    for (path, body) in [
        ("/auth/sms/code", json!({"mobilePhoneNumber": ADMIN})),
        ("/mieba/platform/opman/device/verification", device),
    ] {
        for _ in 0..3 {
            assert_eq!(asked("POST", path, body.clone()).await, 200, "{path}");
        }
        assert_eq!(asked("POST", path, body).await, 429, "{path}");
    }
    for (path, rest) in [("/web/config", 30)] {
        for _ in 0..rest {
            assert_eq!(asked("GET", path, Value::Null).await, 200, "{path}");
        }
        assert_eq!(asked("GET", path, Value::Null).await, 429, "{path}");
    }
    let browser = runtime.browser("d").await;
    for _ in 0..30 {
        assert_eq!(browser.status("POST", LOGIN, json!({"opManId": ADMIN})).await, 200);
    }
    assert_eq!(browser.status("POST", LOGIN, json!({"opManId": ADMIN})).await, 429);
}
