use std::time::Instant;

use axum::http::StatusCode;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::rngs::OsRng;
use rsa::pkcs8::DecodePublicKey;
use rsa::{Oaep, RsaPublicKey};
use serde_json::{Value, json};
use sha2::Sha256;
use vocabulary::Timestamp;
use wire::client::{accept, offer};
use wire::{SecretKey, WireConfig};

use crate::runtime::{NOW, Reply, Runtime, at};

const ONE_TIME: SecretKey = SecretKey::new([6; 32]);
const HOUR_MS: i64 = 3600 * 1000;

async fn public_key(runtime: &Runtime) -> (String, String) {
    let data = runtime.raw("GET", &at("/auth/publicKey"), &[], "").await.json()["data"].clone();
    (data["keyId"].as_str().unwrap().to_owned(), data["publicKey"].as_str().unwrap().to_owned())
}

async fn verify(runtime: &Runtime, body: &Value) -> Reply {
    runtime.raw("POST", &at("/auth/verifySign"), &[], body.to_string()).await
}

fn offered(key: &(String, String), now: Timestamp) -> Value {
    offer(&key.0, &key.1, &ONE_TIME, "my-device", now, &mut OsRng).unwrap()
}

#[tokio::test]
async fn a_key_exchange_opens_a_session_of_the_device() {
    let runtime = Runtime::new().await;
    let reply = verify(&runtime, &offered(&public_key(&runtime).await, NOW)).await;
    let answer = reply.json();
    let session = accept(&ONE_TIME, answer["data"]["aesKey"].as_str().unwrap()).unwrap();
    let found = runtime.wire.sessions.find(&session.t.0, NOW).await.unwrap().unwrap();
    assert_eq!((found.device_code.as_str(), found.operator, found.phone), ("my-device", None, None));
    assert!(accept(&SecretKey::new([7; 32]), answer["data"]["aesKey"].as_str().unwrap()).is_err());
    assert_eq!(WireConfig::default().exchange_key_bits, 3072);
}

#[tokio::test]
async fn what_is_not_an_offer_is_refused_without_saying_why() {
    let runtime = Runtime::new().await;
    let key = public_key(&runtime).await;
    let good = offered(&key, NOW);
    let cut = json!({ "keyId": key.0, "params": good["params"].as_str().unwrap()[8..] });
    for bad in [cut, json!({ "keyId": key.0, "params": "AAAA" }), json!({ "keyId": key.0, "params": "!" })] {
        let reply = verify(&runtime, &bad).await;
        assert_eq!((reply.status, reply.code()), (StatusCode::BAD_REQUEST, "malformed".to_owned()), "{bad}");
    }
    for off in [-300_001, 300_001] {
        assert_eq!(verify(&runtime, &offered(&key, NOW.plus_millis(off))).await.code(), "stale");
    }
    let unknown = json!({ "keyId": "none", "params": good["params"] });
    assert_eq!(verify(&runtime, &unknown).await.code(), "key-expired");
}

/// What everybody can see of an answer, apart from the call's own trace id.
fn seen(reply: &Reply) -> (StatusCode, Value, Vec<(String, String)>) {
    let headers = reply.headers.iter().filter(|(name, _)| !name.as_str().contains("trace"));
    let headers = headers.map(|(name, value)| (name.to_string(), format!("{value:?}"))).collect();
    (reply.status, reply.json(), headers)
}

#[tokio::test]
async fn bad_padding_and_good_padding_around_nonsense_look_alike() {
    let runtime = Runtime::new().await;
    let key = public_key(&runtime).await;
    let public = RsaPublicKey::from_public_key_pem(&key.1).unwrap();
    let sealed = |plain: &[u8]| public.encrypt(&mut OsRng, Oaep::new::<Sha256>(), plain).unwrap();
    let asked = async |sealed: Vec<u8>| {
        let params = URL_SAFE_NO_PAD.encode(sealed);
        seen(&verify(&runtime, &json!({ "keyId": key.0, "params": params })).await)
    };
    // As many bytes as a box under this key has, and below its modulus, but padded by nobody.
    let mut unpadded = sealed(b"{}");
    unpadded[100] ^= 1;
    let bad_padding = asked(unpadded).await;
    assert_eq!(
        (bad_padding.0, bad_padding.1["error"]["code"].as_str()),
        (StatusCode::BAD_REQUEST, Some("malformed"))
    );
    let said =
        |key: &str, device: &str| json!({ "key": key, "ts": NOW.millis(), "devId": device }).to_string();
    let good_key = ONE_TIME.to_text();
    for plain in [
        String::new(),
        "nonsense".to_owned(),
        "{}".to_owned(),
        said("short", "my-device"),
        said(&good_key, ""),
        said(&good_key, "\u{0}"),
    ] {
        assert_eq!(asked(sealed(plain.as_bytes())).await, bad_padding, "{plain:?}");
    }
    // The boxes are such that a proper offer in one is taken.
    let good = seen(&verify(&runtime, &offered(&key, NOW)).await);
    assert_eq!(good.0, StatusCode::OK, "{}", good.1);
}

#[tokio::test]
async fn an_address_may_make_thirty_calls_a_minute_unless_told_otherwise() {
    let runtime = Runtime::new().await;
    let begun = Instant::now();
    let calls = (0..90).map(async |_| runtime.raw("GET", &at("/auth/publicKey"), &[], "").await.status);
    let answers = futures::future::join_all(calls).await;
    let let_in = answers.iter().filter(|status| **status == StatusCode::OK).count() as u64;
    // One place is free again every two seconds; however long this took, no more than that.
    assert!((30..=31 + begun.elapsed().as_secs() / 2).contains(&let_in), "{let_in}");
    assert!(answers.iter().all(|status| [StatusCode::OK, StatusCode::TOO_MANY_REQUESTS].contains(status)));
    assert_eq!(WireConfig::default().key_exchanges_per_minute, 30);
}

#[tokio::test]
async fn keys_are_replaced_every_day_and_the_old_one_serves_ten_minutes_more() {
    let runtime = Runtime::new().await;
    let old = public_key(&runtime).await;
    runtime.clock.advance(24 * HOUR_MS - 1);
    runtime.wire.tend_once().await;
    assert_eq!(public_key(&runtime).await, old);
    runtime.clock.advance(1);
    runtime.wire.tend_once().await;
    let rotated = NOW.plus_millis(24 * HOUR_MS);
    let new = public_key(&runtime).await;
    assert_ne!(new, old);
    runtime.clock.advance(600_000 - 1);
    let now = rotated.plus_millis(600_000 - 1);
    assert_eq!(verify(&runtime, &offered(&old, now)).await.status, StatusCode::OK);
    runtime.clock.advance(1);
    assert_eq!(verify(&runtime, &offered(&old, now)).await.code(), "key-expired");
    assert_eq!(verify(&runtime, &offered(&new, now)).await.status, StatusCode::OK);
    runtime.clock.advance(1);
    runtime.wire.tend_once().await;
    let kept: i64 = sqlx::query_scalar("select count(*) from authentication.exchange_keys")
        .fetch_one(&runtime.db)
        .await
        .unwrap();
    assert_eq!(kept, 1, "a key that is no longer accepted is destroyed");
}

#[tokio::test]
async fn nodes_share_their_keys() {
    let runtime = Runtime::new().await;
    let other = runtime.other_node().await;
    let key = public_key(&runtime).await;
    assert_eq!(public_key(&other).await, key);
    assert_eq!(verify(&other, &offered(&key, NOW)).await.status, StatusCode::OK);
    // A key that one node made is found by the other although it did not tend since.
    runtime.clock.advance(24 * HOUR_MS);
    runtime.wire.tend_once().await;
    let new = public_key(&runtime).await;
    assert_ne!(new, key);
    let now = NOW.plus_millis(24 * HOUR_MS);
    assert_eq!(verify(&other, &offered(&new, now)).await.status, StatusCode::OK);
}

#[tokio::test]
async fn an_address_that_exchanges_too_often_is_told_to_wait() {
    let runtime = Runtime::with(WireConfig { key_exchanges_per_minute: 3, ..WireConfig::default() }).await;
    for _ in 0..3 {
        assert_eq!(runtime.raw("GET", &at("/auth/publicKey"), &[], "").await.status, StatusCode::OK);
    }
    let reply = runtime.raw("POST", &at("/auth/verifySign"), &[], "{}").await;
    // The body is read first; a well-formed one is counted.
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
    let reply = verify(&runtime, &json!({ "keyId": "x", "params": "AAAA" })).await;
    assert_eq!((reply.status, reply.code()), (StatusCode::TOO_MANY_REQUESTS, "too-many".to_owned()));
}
