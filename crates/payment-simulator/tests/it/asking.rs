//! The protocol as a platform speaks it.

use std::sync::Arc;

use chrono::NaiveDate;
use payment_port::{
    Client, Message, Mode, Moved, PaymentPort, PaymentState, PortError, RefundState, Refusal, Secret, Signer,
    Stamp, Subject, day_of,
};
use payment_simulator::Mishaps;
use reqwest::StatusCode;
use tokio::task::JoinSet;
use vocabulary::{Cents, Clock, SystemClock};

use crate::platform::{MERCHANT, Platform, Provider, client, eventually, no, signer};

fn code(answer: Result<impl std::fmt::Debug, PortError>) -> String {
    match answer {
        Err(PortError::Refused(Refusal { code, .. })) => code,
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn a_payer_confirms_at_the_cashier_and_the_platform_is_told() {
    let (provider, platform) = (Provider::lucky().await, Platform::taking_after(0).await);
    let asked = provider.client.pay(&platform.order("T1", 1_234, Mode::Cashier)).await.unwrap();
    let PaymentState::Waiting { cashier_url: Some(url) } = asked.state else { panic!("{asked:?}") };
    let http = reqwest::Client::new();
    let shown = http.get(&url).send().await.unwrap();
    assert!(shown.headers()["content-security-policy"].to_str().unwrap().starts_with("default-src 'none'"));
    let page = shown.text().await.unwrap();
    for part in ["12.34", "骑行费用 &lt;R&amp;D&gt;", "T1", "微信小程序", "确认支付", "放弃"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let done = http.post(format!("{url}/pay")).send().await.unwrap();
    assert!(done.text().await.unwrap().contains("支付成功"));
    let paid = provider.client.payment(&no("T1")).await.unwrap().unwrap();
    assert!(matches!(paid.state, PaymentState::Paid { .. }), "{paid:?}");
    let heard = platform.hears(1).await;
    assert_eq!(heard[0].subject, Subject::Payment { payment: paid.clone() });
    // Who comes back to the page is told how it ended, and changes nothing.
    let again = http.post(format!("{url}/give-up")).send().await.unwrap();
    assert!(again.text().await.unwrap().contains("支付成功"));
    assert_eq!(provider.client.payment(&no("T1")).await, Ok(Some(paid)));
    let strange =
        http.get(format!("{}/cashier/{}", provider.running.url, "0".repeat(32))).send().await.unwrap();
    assert_eq!(strange.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn what_was_agreed_to_is_taken_by_itself_unless_there_is_no_money() {
    let (provider, platform) = (Provider::lucky().await, Platform::taking_after(0).await);
    let asked = provider.client.pay(&platform.order("T1", 100, Mode::Agreed)).await.unwrap();
    assert_eq!(asked.state, PaymentState::Waiting { cashier_url: None });
    let mut poor = platform.order("T2", 100, Mode::Agreed);
    poor.payer = "poor-somebody".into();
    provider.client.pay(&poor).await.unwrap();
    platform.hears(2).await;
    let state = async |number: &str| provider.client.payment(&no(number)).await.unwrap().unwrap().state;
    assert!(matches!(state("T1").await, PaymentState::Paid { .. }));
    let PaymentState::Refused { refusal, .. } = state("T2").await else { panic!("no money") };
    assert_eq!(refusal, Refusal::new("insufficient", "余额不足"));
}

#[tokio::test]
async fn the_same_number_is_the_same_payment_and_with_another_amount_it_is_refused() {
    let (provider, platform) = (Provider::lucky().await, Platform::taking_after(0).await);
    let order = platform.order("T1", 100, Mode::Cashier);
    let mut tasks = JoinSet::new();
    for _ in 0..20 {
        let (client, order) = (client(&provider.running.url), order.clone());
        tasks.spawn(async move { client.pay(&order).await.unwrap() });
    }
    let answers = tasks.join_all().await;
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    let other = platform.order("T1", 101, Mode::Cashier);
    assert_eq!(code(provider.client.pay(&other).await), "number-taken");
    assert_eq!(provider.client.payment(&no("T1")).await.unwrap().unwrap().amount_cents, Cents(100));
    assert_eq!(provider.client.payment(&no("T2")).await, Ok(None));
    assert_eq!(provider.client.refund_of(&no("R2")).await, Ok(None));
    assert_eq!(code(provider.client.pay(&platform.order("T3", 0, Mode::Cashier)).await), "malformed");
}

/// A payment that is paid.
async fn paid(provider: &Provider, platform: &Platform, number: &str, amount: i64) {
    provider.client.pay(&platform.order(number, amount, Mode::Agreed)).await.unwrap();
    eventually("it is paid", async || {
        let payment = provider.client.payment(&no(number)).await.unwrap().unwrap();
        matches!(payment.state, PaymentState::Paid { .. }).then_some(())
    })
    .await;
}

#[tokio::test]
async fn refunds_that_come_at_once_never_exceed_the_payment() {
    let (provider, platform) = (Provider::lucky().await, Platform::taking_after(0).await);
    paid(&provider, &platform, "T1", 100).await;
    let mut tasks = JoinSet::new();
    for number in 0..24 {
        let (client, order) =
            (client(&provider.running.url), platform.refund(&format!("R{number}"), "T1", 30));
        tasks.spawn(async move { client.refund(&order).await });
    }
    let answers = tasks.join_all().await;
    let taken: Vec<_> = answers.iter().flatten().collect();
    assert_eq!(taken.len(), 3, "{answers:?}");
    assert!(
        answers
            .iter()
            .filter_map(|answer| answer.as_ref().err())
            .all(|error| matches!(error, PortError::Refused(refusal) if refusal.code == "too-much"))
    );
    platform.hears(4).await;
    for refund in taken {
        let refund = provider.client.refund_of(&refund.refund_no).await.unwrap().unwrap();
        assert!(matches!(refund.state, RefundState::Done { .. }), "{refund:?}");
    }
    assert_eq!(provider.client.payment(&no("T1")).await.unwrap().unwrap().refunded_cents, Cents(90));
}

#[tokio::test]
async fn what_is_closed_is_paid_no_more_and_what_is_paid_is_not_closed() {
    let (provider, platform) = (Provider::lucky().await, Platform::taking_after(0).await);
    let asked = provider.client.pay(&platform.order("T1", 100, Mode::Cashier)).await.unwrap();
    let PaymentState::Waiting { cashier_url: Some(url) } = asked.state else { panic!("{asked:?}") };
    assert_eq!(code(provider.client.refund(&platform.refund("R1", "T1", 1)).await), "not-paid");
    let closed = provider.client.close(&no("T1")).await.unwrap();
    assert!(matches!(closed.state, PaymentState::Closed { .. }));
    assert_eq!(provider.client.close(&no("T1")).await, Ok(closed.clone()));
    let late = reqwest::Client::new().post(format!("{url}/pay")).send().await.unwrap();
    assert!(late.text().await.unwrap().contains("付款已关闭"));
    assert_eq!(provider.client.payment(&no("T1")).await, Ok(Some(closed)));
    paid(&provider, &platform, "T2", 100).await;
    assert_eq!(code(provider.client.close(&no("T2")).await), "already-paid");
    assert_eq!(code(provider.client.close(&no("T3")).await), "unknown-number");
}

#[tokio::test]
async fn a_payment_that_nobody_pays_in_time_is_closed_by_itself() {
    let (provider, platform) = (Provider::lucky().await, Platform::taking_after(0).await);
    let mut order = platform.order("T1", 100, Mode::Cashier);
    order.expires_at = SystemClock.now().plus_millis(300);
    provider.client.pay(&order).await.unwrap();
    let heard = platform.hears(1).await;
    let Subject::Payment { payment } = &heard[0].subject else { panic!("{heard:?}") };
    assert!(matches!(payment.state, PaymentState::Closed { at } if at >= order.expires_at));
    let late = platform.order("T2", 1, Mode::Cashier);
    let late = payment_port::PaymentOrder { expires_at: SystemClock.now(), ..late };
    assert_eq!(code(provider.client.pay(&late).await), "expired");
}

#[tokio::test]
async fn the_statement_is_what_was_paid_and_given_back() {
    let refusing = Mishaps { refund_refused_percent: 50, ..unlucky() };
    let (provider, platform) = (Provider::with(refusing).await, Platform::taking_after(0).await);
    for number in 0..8 {
        paid(&provider, &platform, &format!("T{number}"), 100 + number).await;
        provider
            .client
            .refund(&platform.refund(&format!("R{number}"), &format!("T{number}"), 10))
            .await
            .unwrap();
    }
    platform.hears(16).await;
    let (mut done, mut refused) = (0, 0);
    for number in 0..8 {
        match provider.client.refund_of(&no(&format!("R{number}"))).await.unwrap().unwrap().state {
            RefundState::Done { .. } => done += 1,
            RefundState::Refused { .. } => refused += 1,
            RefundState::Processing => panic!("all were told of"),
        }
    }
    assert!(done > 0 && refused > 0, "{done} done, {refused} refused");
    let today = day_of(SystemClock.now());
    let page = provider.client.statement(today, None).await.unwrap();
    // Midnight may have come meanwhile.
    let before = provider.client.statement(today.pred_opt().unwrap(), None).await.unwrap();
    let sum = |is_payment: bool| -> i64 {
        let rows =
            before.rows.iter().chain(&page.rows).filter(|row| (row.moved == Moved::Payment) == is_payment);
        rows.map(|row| row.amount_cents.0).sum()
    };
    assert_eq!((sum(true), sum(false), page.next, page.complete), (828, done * 10, None, false));
    let early = provider.client.statement(NaiveDate::from_ymd_opt(2020, 1, 1).unwrap(), None).await.unwrap();
    assert!(early.rows.is_empty() && early.complete);
    let strange = provider.client.statement(today, Some(&no("nonsense"))).await;
    assert_eq!(code(strange), "malformed");
}

/// Quick, and open to mishaps.
fn unlucky() -> Mishaps {
    Mishaps { lucky: false, ..Mishaps::lucky() }
}

#[tokio::test]
async fn who_is_not_the_merchant_is_not_answered_and_no_request_comes_twice() {
    let provider = Provider::lucky().await;
    let http = reqwest::Client::new();
    let url = format!("{}/v1/statement?day=2026-11-23", provider.running.url);
    let bare = http.get(&url).send().await.unwrap();
    assert_eq!(bare.status(), StatusCode::UNAUTHORIZED);
    assert!(bare.headers().get("payment-signature").is_none(), "strangers get no signature");
    assert_eq!(bare.json::<Refusal>().await.unwrap().code, "unsigned");

    let ask = async |ms: i64, nonce: &str| {
        let asked = Message::request("GET", "/v1/statement?day=2026-11-23");
        let stamp = Stamp { at: SystemClock.now().plus_millis(ms), nonce };
        let headers = signer().headers(&asked, &stamp, b"");
        let first = http.get(&url).headers(headers.clone()).send().await.unwrap();
        (first.status(), headers)
    };
    let (status, headers) = ask(0, "0123456789abcdef").await;
    assert_eq!(status, StatusCode::OK);
    let again = http.get(&url).headers(headers).send().await.unwrap();
    assert_eq!(again.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(again.json::<Refusal>().await.unwrap().code, "replayed");
    assert_eq!(ask(-301_000, "0123456789abcdeg").await.0, StatusCode::UNAUTHORIZED);

    let other = Signer::new(MERCHANT, Secret::new(&"x".repeat(32)).unwrap()).unwrap();
    let other = Client::new(&provider.running.url, other, Arc::new(SystemClock)).unwrap();
    let left = other.payment(&no("T1")).await.unwrap_err();
    assert!(matches!(&left, PortError::Unknown(why) if why.contains("wrong-signature")), "{left:?}");
}
