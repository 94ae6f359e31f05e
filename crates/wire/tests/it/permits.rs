use axum::http::StatusCode;
use serde_json::{Value, json};
use vocabulary::{AgentId, AreaId, Reach, Scope};
use wire::{BASE, FinancialAccount, Permit};

use crate::runtime::{Client, MACHINE_TOKEN, NOW, Runtime, at, codes, few, nonce};

async fn status(runtime: &Runtime, client: &Client, path: &str) -> StatusCode {
    runtime.call(client, "GET", path, json!({})).await.0
}

#[tokio::test]
async fn each_kind_of_permit_lets_its_own_in_and_nobody_else() {
    let runtime = Runtime::new().await;
    let keyed = runtime.keyed().await;
    let signed_in = runtime.signed_in().await;
    assert_eq!(runtime.raw("GET", &at("/free"), &[], "").await.status, StatusCode::OK);
    for path in ["/keyed", "/me", "/echo", "/file"] {
        assert_eq!(runtime.raw("GET", &at(path), &[], "").await.status, StatusCode::UNAUTHORIZED, "{path}");
    }
    assert_eq!(status(&runtime, &keyed, "/keyed").await, StatusCode::OK);
    assert_eq!(status(&runtime, &keyed, "/me").await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(&runtime, &keyed, "/echo").await, StatusCode::UNAUTHORIZED);
    assert_eq!(status(&runtime, &signed_in, "/me").await, StatusCode::OK);
    assert_eq!(status(&runtime, &signed_in, "/echo").await, StatusCode::OK);
    runtime.change(|standing| standing.codes = codes(&["0399"]));
    assert_eq!(status(&runtime, &signed_in, "/me").await, StatusCode::OK);
    let (forbidden, body) = runtime.call(&signed_in, "GET", "/echo", json!({})).await;
    assert_eq!(forbidden, StatusCode::FORBIDDEN);
    assert_eq!(body["message"], "您没有权限进行此操作");
    assert_eq!((&body["suc"], &body["error"]["promot"]), (&json!(false), &body["message"]));
    // One of several codes is enough.
    runtime.change(|standing| standing.codes = codes(&["0302"]));
    assert_eq!(status(&runtime, &signed_in, "/echo").await, StatusCode::OK);
}

#[tokio::test]
async fn an_unwrapped_route_still_needs_its_session_and_token() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    let bearer = format!("Bearer {}", client.token.clone().unwrap());
    let both = [("_t", client.opened.t.as_str()), ("authorization", bearer.as_str())];
    assert_eq!(runtime.raw("GET", &at("/file"), &both, "").await.bytes, b"file");
    for lone in both {
        assert_eq!(runtime.raw("GET", &at("/file"), &[lone], "").await.status, StatusCode::UNAUTHORIZED);
    }
}

#[tokio::test]
async fn machines_come_in_by_their_token_and_code_only() {
    let runtime = Runtime::new().await;
    let ask = async |token: &str| {
        let bearer = format!("Bearer {token}");
        runtime.raw("GET", "/open/v1/me", &[("authorization", bearer.as_str())], "").await
    };
    assert_eq!(ask(MACHINE_TOKEN).await.json(), json!({ "suc": true, "data": "rider app" }));
    assert_eq!(ask("another").await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(runtime.raw("GET", "/open/v1/me", &[], "").await.status, StatusCode::UNAUTHORIZED);
    let operator = runtime.signed_in().await;
    assert_eq!(ask(&operator.token.unwrap()).await.status, StatusCode::UNAUTHORIZED);
    let change = |change: fn(&mut wire::MachineStanding)| {
        runtime.register.machines.lock().unwrap().values_mut().for_each(change);
    };
    change(|machine| machine.codes = codes(&["open:ride"]));
    assert_eq!(ask(MACHINE_TOKEN).await.status, StatusCode::FORBIDDEN);
    change(|machine| machine.enabled = false);
    assert_eq!(ask(MACHINE_TOKEN).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_disabled_or_removed_operator_is_out_on_the_next_request() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    assert_eq!(status(&runtime, &client, "/me").await, StatusCode::OK);
    runtime.change(|standing| standing.enabled = false);
    let (refused, body) = runtime.call(&client, "GET", "/me", json!({})).await;
    assert_eq!((refused, &body["message"]), (StatusCode::UNAUTHORIZED, &json!("账号已停用，请联系管理员")));
    runtime.register.operators.lock().unwrap().clear();
    assert_eq!(status(&runtime, &client, "/me").await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn whose_session_ended_because_the_account_was_disabled_is_told_why() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    let told = async |runtime: &Runtime| {
        let (status, body) = runtime.call(&client, "GET", "/me", json!({})).await;
        (status, body["error"]["code"].as_str().unwrap_or_default().to_owned())
    };
    let admitted =
        async |runtime: &Runtime| runtime.wire.admit(client.token.as_ref().unwrap(), &client.opened.t).await;
    runtime.wire.sessions.end(client.opened.id, wire::EndedReason::SignedOut, NOW).await.unwrap();
    assert_eq!(told(&runtime).await, (StatusCode::UNAUTHORIZED, "no-session".to_owned()));
    assert!(matches!(admitted(&runtime).await, Err(wire::Refused::NoSession(_))));
    runtime.change(|standing| standing.enabled = false);
    assert_eq!(told(&runtime).await, (StatusCode::UNAUTHORIZED, "operator-disabled".to_owned()));
    assert!(matches!(admitted(&runtime).await, Err(wire::Refused::Disabled)));

    // Without a token of before nobody learns how an account stands.
    let t = ("_t", client.opened.t.as_str());
    let reply = runtime.raw("GET", &at("/me"), &[t, ("authorization", "Bearer made.up.token")], "").await;
    assert_eq!(reply.json()["error"]["code"], "no-session");
}

#[tokio::test]
async fn a_raised_permission_version_does_not_sign_out_and_new_codes_count_at_once() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    runtime.change(|standing| {
        standing.permission_version = 7;
        standing.codes = codes(&[]);
    });
    assert_eq!(status(&runtime, &client, "/me").await, StatusCode::OK);
    assert_eq!(status(&runtime, &client, "/echo").await, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_selection_narrows_and_never_widens_the_scope() {
    let runtime = Runtime::new().await;
    let scope = async |agents: &[i64], areas: &[i64]| -> Scope {
        let client = runtime.selecting(agents, areas).await;
        let answer: Value = runtime.call(&client, "GET", "/me", json!({})).await.1;
        serde_json::from_value(answer["data"]["scope"].clone()).unwrap()
    };
    assert_eq!(scope(&[], &[]).await, few());
    let narrowed = Scope::of(Reach::only([AgentId(2)]), Reach::only([AreaId(20)]));
    assert_eq!(scope(&[2], &[20]).await, narrowed);
    // 4 and 40 belong to others.
    assert_eq!(scope(&[2, 4], &[20, 40]).await, narrowed);
    assert_eq!(scope(&[4], &[40]).await, Scope::of(Reach::NONE, Reach::NONE));
}

#[tokio::test]
async fn a_token_is_worth_nothing_on_another_session() {
    let runtime = Runtime::new().await;
    let (mine, mut other) = (runtime.signed_in().await, runtime.signed_in().await);
    other.token = mine.token;
    assert_eq!(status(&runtime, &other, "/me").await, StatusCode::UNAUTHORIZED);
    let mut keyed = runtime.keyed().await;
    keyed.token = Some(runtime.token(&keyed, &[], &[]));
    assert_eq!(status(&runtime, &keyed, "/me").await, StatusCode::UNAUTHORIZED, "nobody signed in on it");
}

#[tokio::test]
async fn an_expired_token_is_refused_while_its_session_lives() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    let week = 7 * 24 * 3600 * 1000;
    sqlx::query("update authentication.sessions set expires_at = expires_at + interval '30 days'")
        .execute(&runtime.db)
        .await
        .unwrap();
    runtime.clock.advance(week);
    let now = NOW.plus_millis(week);
    let sealed = client.session.seal_request("GET", &at("/me"), &json!({}), now, nonce());
    let reply = runtime.with_box(&client, "GET", &at("/me"), &sealed).await;
    assert_eq!(reply.status, StatusCode::UNAUTHORIZED);
    let sealed = client.session.seal_request("GET", &at("/keyed"), &json!({}), now, nonce());
    assert_eq!(runtime.with_box(&client, "GET", &at("/keyed"), &sealed).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_handler_that_asks_for_a_caller_on_an_open_route_gets_none() {
    let runtime = Runtime::new().await;
    assert_eq!(runtime.raw("GET", &at("/no-caller"), &[], "").await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn financial_calls_have_their_own_shape_and_believe_the_token_not_the_headers() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    let (_, answer) = runtime.call(&client, "GET", "/Pay/account", json!({})).await;
    assert_eq!(answer, json!({ "success": true, "data": 1, "msg": "" }));
    let (status, answer) = runtime.call(&client, "GET", "/Pay/account", json!({ "fail": "1" })).await;
    assert_eq!(
        (status, &answer["success"], &answer["msg"]),
        (StatusCode::OK, &json!(false), &json!("余额不足"))
    );
    let bearer = format!("Bearer {}", client.token.clone().unwrap());
    let ask = async |name: &str, value: &str| {
        let sealed = client.session.seal_request("GET", "/Pay/account", &json!({}), NOW, nonce());
        let headers = [("_t", client.opened.t.as_str()), ("authorization", bearer.as_str()), (name, value)];
        runtime.raw("GET", &format!("/Pay/account?params={sealed}"), &headers, "").await.status
    };
    assert_eq!(ask("phone", "13800000000").await, StatusCode::OK);
    assert_eq!(ask("phone", "13900000000").await, StatusCode::UNAUTHORIZED);
    assert_eq!(ask("agentId", "2").await, StatusCode::OK);
    assert_eq!(ask("agentId", "4").await, StatusCode::FORBIDDEN);
    assert_eq!(ask("agentId", "x").await, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn the_table_and_the_document_tell_every_route_and_its_permit() {
    let runtime = Runtime::new().await;
    let line = |path: &str, method: &str| {
        runtime.table.iter().find(|info| info.path == at(path) && info.method == method).unwrap().clone()
    };
    assert_eq!(line("/echo", "POST").permit, Permit::AnyOf(&["0301", "0302"]));
    assert_eq!((line("/echo", "POST").context, line("/echo", "POST").wrapped), ("context", true));
    assert_eq!(line("/auth/verifySign", "POST").permit, Permit::Open);
    assert!(!line("/file", "GET").wrapped);
    let permit = &runtime.openapi["paths"][at("/echo")]["post"]["x-permit"];
    assert_eq!(permit, &json!({ "kind": "anyOf", "codes": ["0301", "0302"] }));
    assert_eq!(runtime.openapi["paths"]["/open/v1/me"]["get"]["x-permit"]["kind"], "machine");
    assert!(runtime.table.iter().all(|info| info.path.starts_with(BASE) || info.path.starts_with("/open/")));
}

#[tokio::test]
async fn gate_001_005_007_financial_calls_are_open_as_far_as_the_account_of_the_agent_is() {
    let runtime = Runtime::new().await;
    let client = runtime.signed_in().await;
    let all = ["0301", "financial", "financial_01", "financial_02", "financial_03"];
    runtime.change(|standing| standing.codes = codes(&all));
    let account = |status, level| {
        let account = FinancialAccount { status: Some(status), level: Some(level) };
        runtime.register.accounts.lock().unwrap().insert(AgentId(3), account);
    };
    let ask = async |agent: &str| {
        let (t, token) = (client.opened.t.as_str(), client.token.clone().unwrap());
        let bearer = format!("Bearer {token}");
        let sealed = client.session.seal_request("GET", &at("/Pay/bills"), &json!({}), NOW, nonce());
        let headers = [("_t", t), ("authorization", bearer.as_str()), ("agentId", agent)];
        let reply = runtime.raw("GET", &format!("{}?params={sealed}", at("/Pay/bills")), &headers, "").await;
        reply.status.as_u16()
    };
    assert_eq!(ask("3").await, 403, "there is no account");
    account(1, 2);
    assert_eq!(ask("3").await, 403);
    account(2, 1);
    assert_eq!(ask("3").await, 403);
    account(2, 2);
    assert_eq!(ask("3").await, 200);
    assert_eq!(ask("2").await, 403, "it is another's account");
    // Elsewhere the codes are as they were granted.
    assert_eq!(status(&runtime, &client, "/echo").await, StatusCode::OK);
}
