use std::time::Duration;

use axum::http::StatusCode;
use kernel::MasterKey;
use serde_json::json;
use testkit::Services;
use vocabulary::OperatorId;
use wire::{Ended, EndedReason, Revocations, SessionError, SessionId, Sessions};

use crate::runtime::{NOW, OPERATOR, Runtime, at, nonce, phone};

const DAY_MS: i64 = 24 * 3600 * 1000;

#[tokio::test]
async fn a_session_ends_after_two_days() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    runtime.clock.advance(2 * DAY_MS - 1);
    let ask = async |now| {
        let sealed = client.session.seal_request("GET", &at("/keyed"), &json!({}), now, nonce());
        runtime.with_box(&client, "GET", &at("/keyed"), &sealed).await.status
    };
    assert_eq!(ask(NOW.plus_millis(2 * DAY_MS - 1)).await, StatusCode::OK);
    runtime.clock.advance(1);
    assert_eq!(ask(NOW.plus_millis(2 * DAY_MS)).await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn an_ended_session_is_out_at_once_although_it_was_remembered() {
    let runtime = Runtime::new().await;
    let (one, two) = (runtime.signed_in().await, runtime.signed_in().await);
    let mut ended = runtime.wire.sessions.subscribe();
    for client in [&one, &two] {
        assert_eq!(runtime.call(client, "GET", "/me", json!({})).await.0, StatusCode::OK);
    }
    runtime.wire.sessions.end(one.opened.id, EndedReason::SignedOut, NOW).await.unwrap();
    assert_eq!(runtime.call(&one, "GET", "/me", json!({})).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(runtime.call(&two, "GET", "/me", json!({})).await.0, StatusCode::OK);
    runtime.wire.sessions.end_of_operator(OPERATOR, EndedReason::Disabled, NOW).await.unwrap();
    assert_eq!(runtime.call(&two, "GET", "/me", json!({})).await.0, StatusCode::UNAUTHORIZED);
    let told = Ended::Session { session: one.opened.id, reason: EndedReason::SignedOut };
    assert_eq!(*ended.recv().await.unwrap(), told);
    let told = Ended::Operator { operator: OPERATOR, reason: EndedReason::Disabled };
    assert_eq!(*ended.recv().await.unwrap(), told);
}

#[tokio::test]
async fn a_session_is_proved_for_one_phone_and_signed_in_by_one_operator() {
    let runtime = Runtime::new().await;
    let sessions = &runtime.wire.sessions;
    let id = runtime.keyed().await.opened.id;
    assert!(matches!(sessions.sign_in(id, OPERATOR).await, Err(SessionError::Unusable)), "not proved yet");
    sessions.prove(id, &phone(), "obj").await.unwrap();
    sessions.prove(id, &phone(), "obj").await.unwrap();
    let other = "13900000000".parse().unwrap();
    assert!(matches!(sessions.prove(id, &other, "obj").await, Err(SessionError::Unusable)));
    assert!(sessions.sign_in(id, OPERATOR).await.unwrap(), "the first time");
    assert!(!sessions.sign_in(id, OPERATOR).await.unwrap(), "already so");
    assert!(matches!(sessions.sign_in(id, OperatorId(10)).await, Err(SessionError::Unusable)));
}

#[tokio::test]
async fn a_renewed_session_has_new_secrets_and_the_old_ones_last_a_minute() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    let session = runtime.wire.sessions.find(&client.opened.t, NOW).await.unwrap().unwrap();
    let renewed = runtime.wire.sessions.renew(&session, NOW).await.unwrap();
    assert!(renewed.t != client.opened.t && renewed.k != client.opened.k);
    let found = runtime.wire.sessions.find(&renewed.t, NOW).await.unwrap().unwrap();
    assert_eq!(
        (found.operator, found.phone.clone(), found.device_code.as_str()),
        (Some(OPERATOR), Some(phone()), "device")
    );
    let later = NOW.plus_millis(60_000);
    assert!(runtime.wire.sessions.find(&client.opened.t, later).await.unwrap().is_none());
    runtime.wire.sessions.end(renewed.id, EndedReason::SignedOut, NOW).await.unwrap();
    let refused = runtime.wire.sessions.renew(&found, NOW).await;
    assert!(matches!(refused, Err(SessionError::Unusable)), "an ended session is not renewed");
}

#[tokio::test]
async fn secrets_are_not_in_the_database_and_do_not_print() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    let rows: Vec<String> = sqlx::query_scalar("select row_to_json(s)::text from authentication.sessions s")
        .fetch_all(&runtime.db)
        .await
        .unwrap();
    let texts =
        [rows.concat(), format!("{:?} {:?} {:?}", client.opened, client.session, runtime.wire)].concat();
    for secret in [&client.opened.t, &hex::encode(client.opened.k.expose()), &client.opened.k.to_text()] {
        assert!(!texts.contains(secret.as_str()));
    }
    let stranger = Sessions::new(runtime.db.clone(), &MasterKey::new([9; 32]), Revocations::new(None));
    assert!(matches!(stranger.find(&client.opened.t, NOW).await, Err(SessionError::Seal(_))));
}

#[tokio::test]
async fn what_ended_long_ago_is_swept() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    runtime.wire.sessions.end(client.opened.id, EndedReason::SignedOut, NOW).await.unwrap();
    let _live = runtime.keyed().await;
    runtime.clock.advance(DAY_MS + 1);
    runtime.wire.tend_once().await;
    let left: i64 = sqlx::query_scalar("select count(*) from authentication.sessions")
        .fetch_one(&runtime.db)
        .await
        .unwrap();
    assert_eq!(left, 1);
}

#[tokio::test]
async fn another_node_hears_of_an_end_through_nats_and_the_own_node_once() {
    let services = Services::start().await;
    let node = async || Revocations::new(Some(async_nats::connect(services.nats_url()).await.unwrap()));
    let (here, there) = (node().await, node().await);
    let (mut own, mut heard) = (here.subscribe(), there.subscribe());
    let listening = [here.clone(), there].map(|node| tokio::spawn(async move { node.listen().await }));
    let ended = Ended::Session { session: SessionId(5), reason: EndedReason::SignedOut };
    let mut told = 0;
    // The first may be told before the other listens.
    let first = loop {
        assert!(told < 100, "nothing was heard");
        here.tell(ended.clone()).await;
        told += 1;
        if let Ok(heard) = tokio::time::timeout(Duration::from_millis(100), heard.recv()).await {
            break heard.unwrap();
        }
    };
    assert_eq!(*first, ended);
    tokio::time::sleep(Duration::from_millis(200)).await;
    let mut own_count = 0;
    while own.try_recv().is_ok() {
        own_count += 1;
    }
    assert_eq!(own_count, told);
    listening.iter().for_each(tokio::task::JoinHandle::abort);
}
