//! The payment password: the link to its page, and the page that stands in.

use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use axum::{Json, Router};
use finance::password_desk::{HttpDesk, PasswordDesk};
use serde_json::{Value, json};
use wire::BASE;

use crate::runtime::{BARE, CLERK, PLATFORM, STRANGER, TestRuntime, application, text};

const MODIFY: &str = "/Pay/customer/modifyPwd";
const NOT_OPEN: &str = "尚未开通支付账户";

impl TestRuntime {
    /// The stand-in's page, and what pressing its button says.
    async fn page(&self, link: &str) -> (u16, String) {
        let (status, bytes) = self.send("GET", link, &[], String::new()).await;
        (status, String::from_utf8(bytes).unwrap())
    }

    async fn press(&self, ticket: &str) -> (u16, String) {
        let headers = [("content-type", "application/x-www-form-urlencoded")];
        let at = format!("{BASE}/stand-in/pay-password");
        let (status, bytes) = self.send("POST", &at, &headers, format!("ticket={ticket}")).await;
        (status, String::from_utf8(bytes).unwrap())
    }
}

fn ticket_of(link: &str) -> &str {
    link.strip_prefix(&format!("{BASE}/stand-in/pay-password?ticket=")).expect("the stand-in's page")
}

#[tokio::test(flavor = "multi_thread")]
async fn fin_029_a_link_leads_to_the_page_of_the_password_which_is_set_once() {
    let runtime = TestRuntime::new().await;
    let body = || json!({"callType": "MODIFY"});
    assert_eq!(runtime.keyed().await.status("POST", MODIFY, body()).await, 401);
    let (bare, clerk) = (runtime.signed_in(BARE).await, runtime.signed_in(CLERK).await);
    assert_eq!(bare.no("POST", MODIFY, body()).await, NOT_OPEN, "there is none");
    clerk.ok("POST", "/Pay/customer/openAccount", application("2")).await;
    assert_eq!(bare.no("POST", MODIFY, body()).await, NOT_OPEN, "it is applied for");
    let platform = runtime.signed_in(PLATFORM).await;
    let list = clerk.ok("GET", "/Pay/customer/getAccountInfo", json!({})).await;
    let account = text(&list["id"]);
    let open = json!({"accountId": account, "version": 1, "status": 2, "accountLevel": 2});
    platform.ok("PUT", "/Pay/customer/state", open).await;
    for strange in [json!({}), json!({"callType": "DELETE"})] {
        assert_eq!(bare.status("POST", MODIFY, strange).await, 400);
    }
    let stranger = runtime.signed_in(STRANGER).await;
    assert_eq!(stranger.no("POST", MODIFY, body()).await, NOT_OPEN, "his own agent has none");

    // Whoever is signed in gets a link; under one name, one that names the same.
    let (_, answer) = bare.keyed("POST", MODIFY, body(), Some("pwd-1")).await;
    let link = text(&answer["data"]["redirectUrl"]);
    let (_, repeated) = bare.keyed("POST", MODIFY, body(), Some("pwd-1")).await;
    assert_eq!(repeated, answer);
    let (status, page) = runtime.page(&link).await;
    assert_eq!(status, 200);
    assert!(page.contains("代替支付渠道") && page.contains(">完成</button>"), "{page}");
    assert_eq!(clerk.detail(&account).await["payPasswordSet"], false, "looking sets nothing");
    assert!(!runtime.lies_in("log.requests").await.contains(ticket_of(&link)), "links are not kept");

    // Forged, cut, of another time: nothing.
    let ticket = ticket_of(&link).to_owned();
    let (payload, signed) = ticket.split_once('.').unwrap();
    let swapped: String = signed.chars().rev().collect();
    for bad in
        ["", "x", payload, &format!("{payload}."), &format!("{payload}.{swapped}"), &format!("e30.{signed}")]
    {
        let (status, page) = runtime.press(bad).await;
        assert!(status == 400 && page.contains("链接已失效"), "{bad}: {page}");
        assert_eq!(runtime.page(&format!("{BASE}/stand-in/pay-password?ticket={bad}")).await.0, 400, "{bad}");
    }
    let (status, _) =
        runtime.send("POST", &format!("{BASE}/stand-in/pay-password"), &[], "{}".to_owned()).await;
    assert_eq!(status, 400, "no form at all");
    runtime.clock.advance(5 * 60_000);
    assert_eq!(runtime.press(&ticket).await.0, 400, "five minutes are over");
    assert_eq!(clerk.detail(&account).await["payPasswordSet"], false);

    // A newer link takes the place of one before; each is used once.
    let first = text(&bare.ok("POST", MODIFY, json!({"callType": "FORGET"})).await["redirectUrl"]);
    let second = text(&bare.ok("POST", MODIFY, json!({"callType": "B_MODIFY"})).await["redirectUrl"]);
    assert_eq!(runtime.press(ticket_of(&first)).await.0, 400);
    let (status, page) = runtime.press(ticket_of(&second)).await;
    assert!(status == 200 && page.contains("支付密码已设置"), "{page}");
    assert_eq!(clerk.detail(&account).await["payPasswordSet"], true);
    assert_eq!(runtime.press(ticket_of(&second)).await.0, 400, "used");
    assert_eq!(runtime.page(&second).await.0, 400, "used");
    let by: String = sqlx::query_scalar(
        "select meta::jsonb->'actor'->>'id' from log.events where type = 'payment-account.password_set'",
    )
    .fetch_one(&runtime.runtime.pools.owner)
    .await
    .unwrap();
    assert_eq!(by, BARE.to_string(), "who asked for the page did it");

    // A link outlives no freezing.
    let link = text(&bare.ok("POST", MODIFY, json!({"callType": "B_FORGET"})).await["redirectUrl"]);
    let version = clerk.detail(&account).await["version"].clone();
    let freeze = json!({"accountId": account, "version": version, "status": 4, "reason": "风控"});
    platform.ok("PUT", "/Pay/customer/state", freeze).await;
    assert_eq!(runtime.press(ticket_of(&link)).await.0, 400);
    assert_eq!(bare.no("POST", MODIFY, body()).await, NOT_OPEN, "it is frozen");
}

#[tokio::test(flavor = "multi_thread")]
async fn fin_029_without_a_provider_nobody_gets_a_link_and_there_is_no_stand_in() {
    let runtime = TestRuntime::with(|_| None).await;
    let account = runtime.open_account(2).await;
    let bare = runtime.signed_in(BARE).await;
    let told = bare.no("POST", MODIFY, json!({"callType": "MODIFY"})).await;
    assert_eq!(told, "支付渠道未接入，暂不能修改支付密码，请联系平台管理员");
    assert_eq!(runtime.page(&format!("{BASE}/stand-in/pay-password?ticket=x")).await.0, 404);
    assert_eq!(runtime.events(&account).await.len(), 2, "nothing was asked");
}

/// The payment provider's side: what it was asked, and what it answers.
#[derive(Default)]
struct Provider {
    asked: Mutex<Vec<(String, Value)>>,
    answer: Mutex<(u16, Value)>,
}

async fn link(
    State(provider): State<Arc<Provider>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> (StatusCode, Json<Value>) {
    let bearer = headers["authorization"].to_str().unwrap().to_owned();
    provider.asked.lock().unwrap().push((bearer, body));
    let (status, answer) = provider.answer.lock().unwrap().clone();
    (StatusCode::from_u16(status).unwrap(), Json(answer))
}

#[tokio::test(flavor = "multi_thread")]
async fn fin_029_the_provider_is_asked_for_the_link_and_believed_when_it_leads_to_a_web_page() {
    let provider = Arc::new(Provider::default());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/password", listener.local_addr().unwrap());
    let app = Router::new().route("/password", post(link)).with_state(Arc::clone(&provider));
    let serving = tokio::spawn(async move { axum::serve(listener, app).await });
    let desk = HttpDesk::new(url, "secret-token".to_owned()).unwrap();
    let runtime = TestRuntime::with(|_| Some(PasswordDesk::Http(Arc::new(desk)))).await;
    let account = runtime.open_account(2).await;
    let clerk = runtime.signed_in(CLERK).await;
    let says = |status: u16, answer: Value| *provider.answer.lock().unwrap() = (status, answer);

    says(200, json!({"redirectUrl": "https://pay.example/password?token=1"}));
    let answer = clerk.ok("POST", MODIFY, json!({"callType": "B_FORGET"})).await;
    assert_eq!(answer, json!({"redirectUrl": "https://pay.example/password?token=1"}));
    let asked = provider.asked.lock().unwrap().clone();
    let body = json!({"accountId": account, "callType": "B_FORGET"});
    assert_eq!(asked, [("Bearer secret-token".to_owned(), body)]);
    assert_eq!(
        runtime.page(&format!("{BASE}/stand-in/pay-password?ticket=x")).await.0,
        404,
        "nothing stands in"
    );

    for (status, answer) in [
        (200, json!({"redirectUrl": "javascript:alert(1)"})),
        (200, json!({"redirectUrl": "/password"})),
        (200, json!({"url": "https://pay.example"})),
        (200, json!({"redirectUrl": format!("https://pay.example/{}", "x".repeat(20_000))})),
        (302, json!({"redirectUrl": "https://pay.example/password"})),
        (500, json!({})),
    ] {
        says(status, answer.clone());
        let told = clerk.no("POST", MODIFY, json!({"callType": "MODIFY"})).await;
        assert_eq!(told, "支付渠道暂时无法连接，请稍后重试", "{status} {answer}");
    }
    serving.abort();
    let _ = serving.await;
    let told = clerk.no("POST", MODIFY, json!({"callType": "MODIFY"})).await;
    assert_eq!(told, "支付渠道暂时无法连接，请稍后重试");
}
