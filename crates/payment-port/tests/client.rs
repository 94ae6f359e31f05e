//! What the client makes of lines that break and of answers that are not the provider's.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use payment_port::{
    Channel, Client, Message, Mode, NotAnAddress, PaymentOrder, PaymentPort, PortError, Secret, Signer,
    Stamp, TradeNo,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use vocabulary::{Cents, Clock, SystemClock};

const SECRET: &str = "a-secret-of-thirty-two-bytes-or-more";

fn signer(secret: &str) -> Signer {
    Signer::new("demo", Secret::new(secret).unwrap()).unwrap()
}

fn client(url: &str) -> Client {
    Client::new(url, signer(SECRET), Arc::new(SystemClock)).unwrap().with_timeout(Duration::from_millis(500))
}

fn trade_no() -> TradeNo {
    "T1".parse().unwrap()
}

fn order() -> PaymentOrder {
    PaymentOrder {
        trade_no: trade_no(),
        amount_cents: Cents(100),
        channel: Channel::WechatApp,
        payer: "openid".into(),
        subject: "骑行费用".into(),
        expires_at: SystemClock.now().plus_millis(60_000),
        notify_url: "http://127.0.0.1:1/".into(),
        mode: Mode::Cashier,
    }
}

/// One request as it arrives: its head, to the empty line.
async fn heard(line: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.windows(4).any(|four| four == b"\r\n\r\n") {
        let mut part = [0; 1024];
        let length = line.read(&mut part).await.unwrap();
        assert!(length > 0, "the client says something");
        head.extend_from_slice(&part[..length]);
    }
    String::from_utf8(head).unwrap()
}

/// A provider that answers one question about T1 as `answer` makes it of the question's nonce.
async fn answering(answer: impl FnOnce(&str) -> String + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut line, _) = listener.accept().await.unwrap();
        let head = heard(&mut line).await;
        let nonce = head.lines().find_map(|line| line.strip_prefix("payment-nonce: ")).expect("a nonce");
        line.write_all(answer(nonce).as_bytes()).await.unwrap();
    });
    url
}

/// An answer as it travels, signed by whoever has `secret`, for the request with `nonce`.
fn signed(status: u16, body: &str, secret: &str, nonce: &str) -> String {
    let message = Message::request("GET", "/v1/payments/T1").answered(status);
    let headers = signer(secret).headers(&message, &Stamp { at: SystemClock.now(), nonce }, body.as_bytes());
    let mut answer = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in &headers {
        write!(answer, "{name}: {}\r\n", value.to_str().unwrap()).unwrap();
    }
    format!("{answer}\r\n{body}")
}

fn payment(number: &str) -> String {
    format!(
        r#"{{"tradeNo":"{number}","providerNo":"P1","amountCents":100,"channel":2,"mode":"cashier","state":"waiting",
            "refundedCents":0,"createdAtMs":1}}"#
    )
}

#[tokio::test]
async fn where_nobody_listens_nothing_was_sent() {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let refused = client(&format!("http://{free}")).pay(&order()).await.unwrap_err();
    assert!(matches!(refused, PortError::Unreachable(_)), "{refused:?}");
}

#[tokio::test]
async fn a_line_that_breaks_after_the_question_leaves_it_open() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut line, _) = listener.accept().await.unwrap();
        heard(&mut line).await;
    });
    let left = client(&url).pay(&order()).await.unwrap_err();
    assert!(matches!(left, PortError::Unknown(_)), "{left:?}");
}

#[tokio::test]
async fn who_does_not_answer_in_time_may_have_done_it() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asking = tokio::spawn(async move { client(&url).pay(&order()).await });
    let (mut line, _) = listener.accept().await.unwrap();
    heard(&mut line).await;
    let left = asking.await.unwrap().unwrap_err();
    assert!(matches!(left, PortError::Unknown(_)), "{left:?}");
}

#[tokio::test]
async fn a_signed_answer_is_believed() {
    let url = answering(|nonce| signed(200, &payment("T1"), SECRET, nonce)).await;
    assert_eq!(client(&url).payment(&trade_no()).await.unwrap().unwrap().trade_no, trade_no());
    let refusal = r#"{"code":"unknown-number","text":"没有此单号"}"#;
    let url = answering(|nonce| signed(404, refusal, SECRET, nonce)).await;
    assert_eq!(client(&url).payment(&trade_no()).await, Ok(None));
    let url =
        answering(|nonce| signed(409, r#"{"code":"special","text":"今日不办理"}"#, SECRET, nonce)).await;
    let refused = client(&url).payment(&trade_no()).await.unwrap_err();
    assert!(matches!(&refused, PortError::Refused(why) if why.code == "special"), "{refused:?}");
}

#[tokio::test]
async fn an_answer_that_is_not_the_providers_says_nothing() {
    const OTHER: &str = "another-secret-of-thirty-two-bytes-or-more";
    type Answer = fn(&str) -> String;
    let cases: [(&str, Answer); 7] = [
        ("unsigned", |_| "HTTP/1.1 404 X\r\ncontent-length: 0\r\n\r\n".into()),
        ("another secret", |nonce| signed(200, &payment("T1"), OTHER, nonce)),
        ("another request's", |_| signed(200, &payment("T1"), SECRET, "0123456789abcdef")),
        ("another status", |nonce| signed(200, &payment("T1"), SECRET, nonce).replacen("200", "409", 1)),
        ("another payment", |nonce| signed(200, &payment("T2"), SECRET, nonce)),
        ("a failure", |nonce| signed(500, "{}", SECRET, nonce)),
        ("no JSON", |nonce| signed(200, "<html>", SECRET, nonce)),
    ];
    for (name, answer) in cases {
        let url = answering(answer).await;
        let left = client(&url).payment(&trade_no()).await.unwrap_err();
        assert!(matches!(left, PortError::Unknown(_)), "{name}: {left:?}");
    }
}

#[tokio::test]
async fn an_answer_without_an_end_is_not_read_to_its_end() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut line, _) = listener.accept().await.unwrap();
        heard(&mut line).await;
        line.write_all(b"HTTP/1.1 200 X\r\n\r\n").await.unwrap();
        let part = "x".repeat(64 * 1024);
        while line.write_all(part.as_bytes()).await.is_ok() {}
    });
    let left = client(&url).with_timeout(Duration::from_secs(10)).payment(&trade_no()).await.unwrap_err();
    assert!(matches!(&left, PortError::Unknown(why) if why.contains("more than")), "{left:?}");
}

#[test]
fn an_address_is_of_plain_http_and_its_path_is_kept() {
    let made = |url: &str| Client::new(url, signer(SECRET), Arc::new(SystemClock)).err();
    for good in ["http://127.0.0.1:8090", "http://provider/", "http://provider/pay/v7/"] {
        assert_eq!(made(good), None, "{good}");
    }
    assert_eq!(made("https://provider"), Some(NotAnAddress::Tls));
    for bad in ["provider", "ftp://provider", "http://me:word@provider", "http://provider?a=1", ""] {
        assert_eq!(made(bad), Some(NotAnAddress::Form), "{bad}");
    }
}
