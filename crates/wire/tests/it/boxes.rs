use axum::http::StatusCode;
use serde_json::json;
use wire::client::{ClientSession, HiddenText};
use wire::{Encryption, SecretKey, WireConfig};

use crate::runtime::{NOW, Runtime, at, nonce};

#[tokio::test]
async fn a_boxed_query_and_a_boxed_command_reach_their_handlers_as_they_were_written() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    let (status, answer) =
        runtime.call(&client, "GET", "/echo", json!({ "name": "张 三&x=1", "page": "1" })).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(answer, json!({ "suc": true, "data": { "name": "张 三&x=1", "page": "1" } }));
    let (_, answer) = runtime.call(&client, "POST", "/echo", json!({ "a": [1, null] })).await;
    assert_eq!(answer["data"]["body"], r#"{"a":[1,null]}"#);
}

#[tokio::test]
async fn the_answer_on_the_line_is_a_box_and_a_refusal_is_plain() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    let sealed = client.session.seal_request("GET", &at("/me"), &json!({}), NOW, nonce());
    let reply = runtime.with_box(&client, "GET", &at("/me"), &sealed).await;
    assert_eq!(reply.json().as_object().unwrap().keys().collect::<Vec<_>>(), ["params"]);
    assert_eq!(reply.headers["content-length"], reply.bytes.len().to_string());
    let sealed = client.session.seal_request("GET", &at("/refused"), &json!({}), NOW, nonce());
    let reply = runtime.with_box(&client, "GET", &at("/refused"), &sealed).await;
    assert_eq!(reply.status, StatusCode::OK);
    let error = json!({ "code": "in-use", "promot": "角色使用中", "promt": "角色使用中" });
    assert_eq!(reply.json(), json!({ "suc": false, "error": error }));
}

#[tokio::test]
async fn a_box_is_taken_once() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    for method in ["GET", "POST"] {
        let sealed = client.session.seal_request(method, &at("/echo"), &json!({}), NOW, nonce());
        assert_eq!(runtime.with_box(&client, method, &at("/echo"), &sealed).await.status, StatusCode::OK);
        let again = runtime.with_box(&client, method, &at("/echo"), &sealed).await;
        assert_eq!(
            (again.status, again.code()),
            (StatusCode::BAD_REQUEST, "replayed".to_owned()),
            "{method}"
        );
    }
}

#[tokio::test]
async fn a_command_replayed_to_another_node_is_refused() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    let other = runtime.other_node().await;
    let sealed = client.session.seal_request("POST", &at("/echo"), &json!({}), NOW, nonce());
    assert_eq!(runtime.with_box(&client, "POST", &at("/echo"), &sealed).await.status, StatusCode::OK);
    assert_eq!(other.with_box(&client, "POST", &at("/echo"), &sealed).await.code(), "replayed");
}

#[tokio::test]
async fn nonces_are_forgotten_only_when_their_boxes_are_stale() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    // Written five minutes ahead of the server's clock: in time for ten minutes.
    let ahead = NOW.plus_millis(300_000);
    let sealed = client.session.seal_request("POST", &at("/echo"), &json!({}), ahead, nonce());
    assert_eq!(runtime.with_box(&client, "POST", &at("/echo"), &sealed).await.status, StatusCode::OK);
    runtime.clock.advance(600_000);
    runtime.wire.tend_once().await;
    assert_eq!(runtime.with_box(&client, "POST", &at("/echo"), &sealed).await.code(), "replayed");
    runtime.clock.advance(120_000);
    runtime.wire.tend_once().await;
    assert_eq!(runtime.with_box(&client, "POST", &at("/echo"), &sealed).await.code(), "stale");
    let left: i64 = sqlx::query_scalar("select count(*) from authentication.nonces")
        .fetch_one(&runtime.db)
        .await
        .unwrap();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn a_box_older_or_newer_than_five_minutes_is_stale() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    for off in [-300_001, 300_001] {
        let sealed =
            client.session.seal_request("GET", &at("/me"), &json!({}), NOW.plus_millis(off), nonce());
        let reply = runtime.with_box(&client, "GET", &at("/me"), &sealed).await;
        assert_eq!((reply.status, reply.code()), (StatusCode::BAD_REQUEST, "stale".to_owned()), "{off}");
    }
}

#[tokio::test]
async fn a_box_for_another_path_method_or_key_or_a_changed_one_does_not_open() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    let stranger = ClientSession { t: HiddenText(String::new()), k: SecretKey::new([5; 32]) };
    let mut changed =
        client.session.seal_request("POST", &at("/echo"), &json!({}), NOW, nonce()).into_bytes();
    changed[20] = if changed[20] == b'A' { b'B' } else { b'A' };
    for (what, sealed) in [
        ("path", client.session.seal_request("POST", &at("/me"), &json!({}), NOW, nonce())),
        ("mount", client.session.seal_request("POST", "/echo", &json!({}), NOW, nonce())),
        ("method", client.session.seal_request("GET", &at("/echo"), &json!({}), NOW, nonce())),
        ("key", stranger.seal_request("POST", &at("/echo"), &json!({}), NOW, nonce())),
        ("changed", String::from_utf8(changed).unwrap()),
    ] {
        let reply = runtime.with_box(&client, "POST", &at("/echo"), &sealed).await;
        assert_eq!((reply.status, reply.code()), (StatusCode::BAD_REQUEST, "unsealed".to_owned()), "{what}");
    }
}

#[tokio::test]
async fn an_answer_opens_as_the_answer_to_its_own_call_only() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    let sealed = client.session.seal_request("GET", &at("/me"), &json!({}), NOW, nonce());
    let reply = runtime.with_box(&client, "GET", &at("/me"), &sealed).await;
    assert!(client.session.open_answer("GET", &at("/me"), &reply.bytes).is_ok());
    assert!(client.session.open_answer("GET", &at("/echo"), &reply.bytes).is_err());
}

#[tokio::test]
async fn plain_parameters_are_refused_unless_development_lets_them_through() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    let bearer = format!("Bearer {}", client.token.clone().unwrap());
    let headers = [("_t", client.opened.t.as_str()), ("authorization", bearer.as_str())];
    for (method, uri, body) in [
        ("GET", at("/echo"), ""),
        ("GET", at("/echo?a=1"), ""),
        ("POST", at("/echo"), "{}"),
        ("POST", at("/echo"), r#"{"params":"AAAA","x":1}"#),
    ] {
        let reply = runtime.raw(method, &uri, &headers, body).await;
        assert_eq!(
            (reply.status, reply.code()),
            (StatusCode::BAD_REQUEST, "unsealed".to_owned()),
            "{method} {uri}"
        );
    }
    let runtime =
        Runtime::with(WireConfig { encryption: Encryption::Optional, ..WireConfig::default() }).await;
    let client = runtime.signed_in().await;
    let bearer = format!("Bearer {}", client.token.clone().unwrap());
    let headers = [("_t", client.opened.t.as_str()), ("authorization", bearer.as_str())];
    let reply = runtime.raw("GET", &at("/echo?a=1"), &headers, "").await;
    assert_eq!(reply.json(), json!({ "suc": true, "data": { "a": "1" } }));
    let (_, answer) = runtime.call(&client, "GET", "/echo", json!({ "a": "2" })).await;
    assert_eq!(answer["data"]["a"], "2");
}

#[tokio::test]
async fn the_fingerprint_is_of_the_plain_content_and_request_ids_are_the_callers_own() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    let ask = async |content: serde_json::Value| {
        runtime.call(&client, "POST", "/echo", content).await.1["data"].clone()
    };
    let (one, same, other) =
        (ask(json!({ "a": 1 })).await, ask(json!({ "a": 1 })).await, ask(json!({ "a": 2 })).await);
    assert_eq!(one["fingerprint"], same["fingerprint"]);
    assert_ne!(one["fingerprint"], other["fingerprint"]);
    assert_eq!(one["requestId"], json!(null));
    let sealed = client.session.seal_request("POST", &at("/echo"), &json!({}), NOW, nonce());
    let bearer = format!("Bearer {}", client.token.clone().unwrap());
    let body = json!({ "params": sealed }).to_string();
    let named =
        [("_t", client.opened.t.as_str()), ("authorization", bearer.as_str()), ("idempotency-key", "k-1")];
    let reply = runtime.raw("POST", &at("/echo"), &named, body).await;
    let answer = client.session.open_answer("POST", &at("/echo"), &reply.bytes).unwrap();
    assert_eq!(answer["data"]["requestId"], "o9:k-1");
}

#[tokio::test]
async fn a_body_above_the_limit_is_too_large() {
    let runtime = Runtime::with(WireConfig { body_limit_bytes: 2_000, ..WireConfig::default() }).await;
    let client = runtime.signed_in().await;
    let (status, _) = runtime.call(&client, "POST", "/echo", json!("x".repeat(1_000))).await;
    assert_eq!(status, StatusCode::OK);
    let (status, answer) = runtime.call(&client, "POST", "/echo", json!("x".repeat(2_000))).await;
    assert_eq!(
        (status, answer["error"]["code"].as_str()),
        (StatusCode::PAYLOAD_TOO_LARGE, Some("too-large"))
    );
}
