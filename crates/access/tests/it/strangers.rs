//! What somebody who knows no more than a phone number can do to whose it is.

use serde_json::{Value, json};

use crate::runtime::{ADMIN, TestRuntime};

const LOGIN: &str = "/platform/permission/login";
const NOBODYS: &str = "13999999999";
const CLERK: &str = "13800000002";
const OWN: &str = "the-owners-device";
const MINUTE_MS: i64 = 60_000;

/// Any code but this.
fn other_than(code: &str) -> &'static str {
    if code == "000000" { "000001" } else { "000000" }
}

fn words(answer: &Value) -> &str {
    answer["error"].as_str().unwrap_or_default()
}

/// The owner asks for a code on his device and signs in with it, whatever strangers did.
async fn owner_signs_in(runtime: &TestRuntime) {
    runtime.at("192.0.2.1");
    assert_eq!(runtime.ask_code(ADMIN, OWN).await, json!({}), "the owner is sent a code");
    let code = runtime.outbox.last_to(ADMIN).unwrap();
    runtime.announce(ADMIN, OWN).await;
    let browser = runtime.browser(OWN).await;
    let answer = browser.verify(ADMIN, &code).await;
    assert!(answer["objectId"].is_string(), "the owner's code is right: {answer}");
    browser.ok("POST", LOGIN, json!({"opManId": ADMIN})).await;
}

#[tokio::test]
async fn wrong_guesses_of_a_stranger_do_not_lock_the_owner_out_of_his_device() {
    let runtime = TestRuntime::new().await;
    runtime.signed_in_on(ADMIN, OWN).await;
    runtime.clock.advance(MINUTE_MS);
    runtime.at("198.51.100.7");
    assert_eq!(runtime.ask_code(ADMIN, "strange").await, json!({}));
    let stranger = runtime.browser("strange").await;
    let wrong = other_than(&runtime.outbox.last_to(ADMIN).unwrap());
    for _ in 0..5 {
        assert_eq!(words(&stranger.verify(ADMIN, wrong).await), "验证码错误或已失效");
    }
    assert_eq!(words(&stranger.verify(ADMIN, wrong).await), "验证码错误次数过多，请 15 分钟后再试");
    runtime.clock.advance(MINUTE_MS);
    owner_signs_in(&runtime).await;
}

#[tokio::test]
async fn codes_asked_for_by_strangers_use_up_none_of_the_owners() {
    let runtime = TestRuntime::new().await;
    runtime.signed_in_on(ADMIN, OWN).await;
    let mut sent = 0;
    for number in 0..15 {
        runtime.clock.advance(MINUTE_MS);
        runtime.at(&format!("198.51.100.{number}"));
        sent += usize::from(runtime.ask_code(ADMIN, &format!("strange-{number}")).await == json!({}));
    }
    assert!(sent <= 10, "{sent} messages in a day to whoever asks");
    // In the same minute as the last of them, and on the owner's device all ten of the day.
    for _ in 0..10 {
        owner_signs_in(&runtime).await;
        runtime.clock.advance(MINUTE_MS);
    }
    assert_eq!(words(&runtime.ask_code(ADMIN, OWN).await), "短信发送次数超限");
    runtime.clock.advance(24 * 60 * MINUTE_MS);
    owner_signs_in(&runtime).await;
}

#[tokio::test]
async fn a_code_is_good_for_who_asked_for_it_and_stays_so_when_others_ask() {
    let runtime = TestRuntime::new().await;
    runtime.signed_in_on(ADMIN, OWN).await;
    runtime.clock.advance(MINUTE_MS);
    assert_eq!(runtime.ask_code(ADMIN, OWN).await, json!({}));
    let owners = runtime.outbox.last_to(ADMIN).unwrap();
    runtime.at("198.51.100.7");
    assert_eq!(runtime.ask_code(ADMIN, "strange").await, json!({}));
    let strangers = runtime.outbox.last_to(ADMIN).unwrap();
    let stranger = runtime.browser("strange").await;
    if owners != strangers {
        assert_eq!(words(&stranger.verify(ADMIN, &owners).await), "验证码错误或已失效");
    }
    runtime.at("192.0.2.1");
    let browser = runtime.browser(OWN).await;
    let answer = browser.verify(ADMIN, &owners).await;
    assert!(answer["objectId"].is_string(), "the stranger's request took the owner's code away: {answer}");
    assert_eq!(words(&browser.verify(ADMIN, &strangers).await), "验证码错误或已失效");
}

#[tokio::test]
async fn many_strangers_guess_no_more_than_one_and_a_phone_without_account_is_no_different() {
    let runtime = TestRuntime::new().await;
    runtime.signed_in_on(ADMIN, OWN).await;
    for phone in [ADMIN, NOBODYS] {
        let (mut looked_at, mut said) = (0, String::new());
        for number in 0..6 {
            runtime.clock.advance(MINUTE_MS);
            runtime.at(&format!("203.0.113.{number}"));
            let device = format!("bot-{number}");
            if runtime.ask_code(phone, &device).await != json!({}) {
                continue;
            }
            let wrong = runtime.outbox.last_to(phone).map_or("000000", |code| other_than(&code));
            let bot = runtime.browser(&device).await;
            for _ in 0..5 {
                said = words(&bot.verify(phone, wrong).await).to_owned();
                looked_at += usize::from(said == "验证码错误或已失效");
            }
        }
        assert_eq!(looked_at, 20, "{phone}: guesses of one day");
        assert_eq!(said, "该手机号今日验证码错误次数过多，请在已授权的设备上登录，或明天再试", "{phone}");
    }
    // Not even a right code helps a stranger then; the owner's device is not concerned.
    runtime.clock.advance(MINUTE_MS);
    assert_eq!(runtime.ask_code(ADMIN, "late").await, json!({}));
    let late = runtime.browser("late").await;
    let right = runtime.outbox.last_to(ADMIN).unwrap();
    assert!(words(&late.verify(ADMIN, &right).await).starts_with("该手机号今日"));
    owner_signs_in(&runtime).await;
    runtime.clock.advance(24 * 60 * MINUTE_MS);
    assert_eq!(runtime.ask_code(ADMIN, "late").await, json!({}));
    let right = runtime.outbox.last_to(ADMIN).unwrap();
    assert!(late.verify(ADMIN, &right).await["objectId"].is_string(), "the next day");
}

#[tokio::test]
async fn naming_a_device_is_answered_alike_for_everybody_and_takes_no_place() {
    let runtime = TestRuntime::new().await;
    for device in [OWN, "second", "third"] {
        runtime.signed_in_on(ADMIN, device).await;
    }
    let before = runtime.events("operator-device", "1").await;
    let mut answers = Vec::new();
    for number in 0..15 {
        runtime.at(&format!("198.51.100.{number}"));
        for phone in [ADMIN, NOBODYS] {
            answers.push(runtime.announce(phone, &format!("strange-{number}")).await);
        }
    }
    answers.dedup();
    assert_eq!(
        answers,
        [(axum::http::StatusCode::OK, json!({"suc": true}))],
        "no phone is told from another"
    );
    assert_eq!(runtime.events("operator-device", "1").await, before, "no waiting place is taken");
    // The owner's new device takes one, once its phone was proved.
    assert_eq!(runtime.kept_out(ADMIN, "new").await, "device-not-authorised");
    let after = runtime.events("operator-device", "1").await;
    assert_eq!(after.len(), before.len() + 1);
    assert_eq!(after.last().unwrap(), "operator-device.requested");
    assert_eq!(runtime.kept_out(ADMIN, "new").await, "device-not-authorised");
    assert_eq!(runtime.events("operator-device", "1").await, after, "asking again changes nothing");
}

#[tokio::test]
async fn devices_named_from_elsewhere_do_not_push_out_the_one_that_signs_in() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    admin.new_operator(CLERK, &[], 0).await;
    runtime.announce(CLERK, "new").await;
    for number in 0..40 {
        runtime.clock.advance(1_000);
        runtime.at(&format!("198.51.100.{}", number % 2));
        runtime.announce(CLERK, &format!("strange-{number}")).await;
    }
    runtime.at("192.0.2.1");
    let browser = runtime.browser("new").await;
    browser.prove(CLERK).await;
    browser.ok("POST", LOGIN, json!({"opManId": CLERK})).await;
}
