use serde_json::json;

use crate::runtime::{ADMIN, TestRuntime};

const LOGIN: &str = "/platform/permission/login";
const INFO: &str = "/mieba/v2/platform/opman/device/authorize_info";

#[tokio::test]
async fn the_fourth_device_waits_for_an_administrator() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.signed_in_on(ADMIN, "one").await;
    runtime.signed_in_on(ADMIN, "two").await;
    runtime.signed_in_on(ADMIN, "three").await;
    assert_eq!(runtime.announce(ADMIN, "four").await.1, json!({"suc": true}));
    let browser = runtime.browser("four").await;
    let code = runtime.code_for(ADMIN).await;
    assert!(browser.verify(ADMIN, &code).await["objectId"].is_string());
    let (_, answer) = browser.call("POST", LOGIN, json!({"opManId": ADMIN})).await;
    assert_eq!(answer["error"]["code"], "device-not-authorised");
    assert_eq!(answer["error"]["promot"], "当前设备未授权，请联系管理员");

    let list = admin.ok("GET", INFO, json!({"mobilePhoneNumber": ADMIN})).await;
    let waiting = list["list"].as_array().unwrap().iter().find(|row| row["state"] == 0).unwrap();
    assert_eq!(
        (&waiting["device_code"], &waiting["mobilePhoneNumber"]),
        (&json!("four"), &json!("138****0001"))
    );
    let body = json!({"id": waiting["id"]});
    admin.ok("POST", "/mieba/v2/platform/opman/device/authorize_confirm", body).await;
    assert_eq!(runtime.announce(ADMIN, "four").await.1, json!({"suc": true}));
    // The code that proved the phone is still good, once: it has let nobody in.
    let again = runtime.browser("four").await;
    assert!(again.verify(ADMIN, &code).await["objectId"].is_string());
    again.ok("POST", LOGIN, json!({"opManId": ADMIN})).await;
    let (_, answer) = runtime
        .browser("four")
        .await
        .call("POST", "/auth/sms/verify", json!({"mobilePhoneNumber": ADMIN, "smsCode": code}))
        .await;
    assert!(answer["error"].is_string(), "{answer}");
}

#[tokio::test]
async fn a_link_that_meets_a_device_which_must_be_accepted_stays_good() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.admin().await;
    let phone = "13800000002";
    admin.new_operator(phone, &[], 0).await;
    for device in ["one", "two", "three"] {
        runtime.signed_in_on(phone, device).await;
    }
    let link = admin.ok("POST", "/auth/quickLink", json!({"phone": phone})).await;
    let body = json!({"phone": phone, "origin": link["origin"]});
    runtime.announce(phone, "four").await;
    let browser = runtime.browser("four").await;
    assert_eq!(
        browser.refused("POST", "/auth/login/authorized", body.clone()).await,
        "device-not-authorised"
    );
    let list = admin.ok("GET", INFO, json!({"mobilePhoneNumber": phone})).await;
    let waiting = list["list"].as_array().unwrap().iter().find(|row| row["state"] == 0).unwrap();
    admin.ok("POST", "/mieba/v2/platform/opman/device/authorize_confirm", json!({"id": waiting["id"]})).await;
    browser.ok("POST", "/auth/login/authorized", body).await;
    browser.ok("POST", LOGIN, json!({"opManId": phone})).await;
}

#[tokio::test]
async fn a_removed_device_is_out_at_once_and_does_not_come_back_by_itself() {
    let runtime = TestRuntime::new().await;
    let admin = runtime.signed_in_on(ADMIN, "one").await;
    let lost = runtime.signed_in_on(ADMIN, "lost").await;
    let list = admin.ok("GET", "/mieba/v2/platform/opman/device/login_info", json!({})).await;
    let row = list["list"].as_array().unwrap().iter().find(|row| row["device_code"] == "lost").unwrap();
    let body = json!({"id": row["id"]});
    admin.ok("POST", "/mieba/v2/platform/opman/device/authorize_remove", body).await;
    assert_eq!(lost.status("GET", "/platform/permission/allCode", json!({})).await, 401);
    assert_eq!(admin.status("GET", "/platform/permission/allCode", json!({})).await, 200);
    assert_eq!(runtime.kept_out(ADMIN, "lost").await, "device-not-authorised");
}

#[tokio::test]
async fn a_device_that_was_not_named_first_cannot_sign_in() {
    let runtime = TestRuntime::new().await;
    runtime.announce(ADMIN, "named").await;
    let browser = runtime.browser("another").await;
    browser.prove(ADMIN).await;
    assert_eq!(browser.refused("POST", LOGIN, json!({"opManId": ADMIN})).await, "device-not-authorised");
    assert!(runtime.events("operator-device", "1").await.is_empty());
}

#[tokio::test]
async fn naming_devices_for_a_stranger_uses_up_none_of_his_places() {
    let runtime = TestRuntime::new().await;
    for number in 0..5 {
        assert_eq!(runtime.announce(ADMIN, &format!("attacker-{number}")).await.1, json!({"suc": true}));
    }
    runtime.signed_in_on(ADMIN, "own").await;
}
