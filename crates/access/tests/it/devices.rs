use serde_json::json;

use crate::house::{ADMIN, TestHouse};

const LOGIN: &str = "/platform/permission/login";
const INFO: &str = "/mieba/v2/platform/opman/device/authorize_info";

#[tokio::test]
async fn the_fourth_device_waits_for_an_administrator() {
    let house = TestHouse::new().await;
    let admin = house.signed_in_on(ADMIN, "one").await;
    house.signed_in_on(ADMIN, "two").await;
    house.signed_in_on(ADMIN, "three").await;
    let (_, answer) = house.announce(ADMIN, "four").await;
    assert_eq!(answer["error"]["promt"], "当前设备未授权，请联系管理员");
    let browser = house.browser("four").await;
    browser.prove(ADMIN).await;
    assert_eq!(browser.refused("POST", LOGIN, json!({"opManId": ADMIN})).await, "device-not-authorised");

    let list = admin.ok("GET", INFO, json!({"mobilePhoneNumber": ADMIN})).await;
    let waiting = list["list"].as_array().unwrap().iter().find(|row| row["state"] == 0).unwrap();
    assert_eq!(
        (&waiting["device_code"], &waiting["mobilePhoneNumber"]),
        (&json!("four"), &json!("138****0001"))
    );
    let body = json!({"id": waiting["id"]});
    admin.ok("POST", "/mieba/v2/platform/opman/device/authorize_confirm", body).await;
    assert_eq!(house.announce(ADMIN, "four").await.1, json!({"suc": true}));
    browser.ok("POST", LOGIN, json!({"opManId": ADMIN})).await;
}

#[tokio::test]
async fn a_removed_device_is_out_at_once_and_does_not_come_back_by_itself() {
    let house = TestHouse::new().await;
    let admin = house.signed_in_on(ADMIN, "one").await;
    let lost = house.signed_in_on(ADMIN, "lost").await;
    let list = admin.ok("GET", "/mieba/v2/platform/opman/device/login_info", json!({})).await;
    let row = list["list"].as_array().unwrap().iter().find(|row| row["device_code"] == "lost").unwrap();
    let body = json!({"id": row["id"]});
    admin.ok("POST", "/mieba/v2/platform/opman/device/authorize_remove", body).await;
    assert_eq!(lost.status("GET", "/platform/permission/allCode", json!({})).await, 401);
    assert_eq!(admin.status("GET", "/platform/permission/allCode", json!({})).await, 200);
    assert_eq!(house.announce(ADMIN, "lost").await.1["suc"], json!(false));
}

#[tokio::test]
async fn a_device_that_was_not_named_first_cannot_sign_in() {
    let house = TestHouse::new().await;
    house.announce(ADMIN, "named").await;
    let browser = house.browser("another").await;
    browser.prove(ADMIN).await;
    assert_eq!(browser.refused("POST", LOGIN, json!({"opManId": ADMIN})).await, "device-not-authorised");
    assert!(house.events("operator-device", "1").await.is_empty());
}

#[tokio::test]
async fn naming_devices_for_a_stranger_uses_up_none_of_his_places() {
    let house = TestHouse::new().await;
    for number in 0..5 {
        assert_eq!(house.announce(ADMIN, &format!("attacker-{number}")).await.1, json!({"suc": true}));
    }
    house.signed_in_on(ADMIN, "own").await;
}
