//! Photos of the place of a fence: brought by who draws there, seen by who sees it.

use reqwest::Method;
use serde_json::{Value, json};
use simulator::photo::photo;

use crate::city::City;
use crate::client::{Browser, Machine, holds};
use crate::stack::{ADMIN, Stack};

const CLERK: &str = "13700000071";

/// Sends a file as a page does: as it is, with what says who sends it.
async fn bring(browser: &Browser, fence: &str, content: Vec<u8>) -> (u16, Value) {
    let path = format!("/fence/photo?id={fence}");
    let answer = browser.plainly(Method::POST, &path).body(content).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap_or_default())
}

async fn look(browser: &Browser, fence: &str, photo: &str) -> Vec<u8> {
    let path = format!("/fence/photo?id={fence}&photoId={photo}");
    let answer = browser.plainly(Method::GET, &path).send().await.unwrap();
    answer.bytes().await.unwrap().to_vec()
}

async fn photos(browser: &Browser, fence: &str) -> Vec<String> {
    let row = browser.ok("GET", &format!("/fence/{fence}"), json!({})).await;
    let ids = row["photoIds"].as_array().unwrap_or_else(|| panic!("{row}"));
    ids.iter().map(|id| id.as_str().expect("text").to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fence_shows_photos_of_its_place_to_who_sees_it() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "F", 1, 0).await;
    let other = City::build(&machine, "G", 2, 0).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let role = admin.new_role("围栏", &["0504".to_owned()]).await;
    admin.new_operator(CLERK, &[&role], &other.agent).await;
    let clerk = Browser::signed_in(&node.url, CLERK).await;
    let (parking, ban) = (&city.fences[0], &other.fences[1]);
    let original = |n| photo(n, [city.lng, city.lat], 1_790_000_000_000);
    assert!(holds(&original(1), "Exif"));

    for n in 1..=3 {
        let (status, body) = bring(&admin, parking, original(n)).await;
        assert_eq!((status, &body["suc"]), (200, &json!(true)), "{body}");
    }
    let shown = photos(&admin, parking).await;
    assert_eq!(shown.len(), 3);
    let (_, body) = bring(&admin, parking, original(4)).await;
    assert_eq!(body["error"]["code"], "fence-photos", "{body}");
    let (_, body) = bring(&admin, parking, b"<html></html>".to_vec()).await;
    assert_eq!(body["error"]["code"], "attachment-kind", "{body}");
    let (_, body) = bring(&admin, parking, b"%PDF-1.7\n%%EOF\n".to_vec()).await;
    assert_eq!(body["error"]["code"], "fence-photo-kind", "{body}");
    assert_eq!(bring(&admin, parking, vec![0xff; 10 * 1024 * 1024 + 1]).await.0, 413);

    let bytes = look(&admin, parking, &shown[0]).await;
    assert!(bytes.starts_with(b"\xff\xd8") && !holds(&bytes, "Exif"));

    // Another agent's people neither see nor bring, nor do those who lack the code of its kind.
    assert!(holds(&look(&clerk, parking, &shown[0]).await, "not-found"));
    assert_eq!(bring(&clerk, parking, original(5)).await.1["error"]["code"], "not-found");
    assert_eq!(bring(&clerk, ban, original(5)).await.0, 403);
    // Nor is a photo seen under a fence that does not show it.
    assert!(holds(&look(&clerk, &other.fences[0], &shown[0]).await, "not-found"));

    let hidden = json!({"id": parking, "photoId": shown[1]});
    admin.ok("DELETE", "/fence/photo", hidden.clone()).await;
    assert_eq!(photos(&admin, parking).await, [shown[0].clone(), shown[2].clone()]);
    assert!(holds(&look(&admin, parking, &shown[1]).await, "not-found"));
    let again = admin.call("DELETE", "/fence/photo", hidden).await;
    assert_eq!(again.body["error"]["code"], "fence-photo-unknown", "{}", again.body);
    assert_eq!(bring(&admin, parking, original(4)).await.1["suc"], true);
    assert_eq!(photos(&admin, parking).await.len(), 3);
}
