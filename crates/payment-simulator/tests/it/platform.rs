//! A platform: asks, and takes notices.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use axum::{Json, Router};
use payment_port::{
    Channel, Client, Mode, Notice, PaymentOrder, Received, RefundOrder, Secret, Signer, Verifier,
};
use payment_simulator::{Mishaps, Options, Running};
use testkit::local::Place;
use tokio::net::TcpListener;
use vocabulary::{Cents, Clock, SystemClock};

pub const MERCHANT: &str = "demo";
pub const SECRET: &str = "a-secret-of-thirty-two-bytes-or-more";

pub fn signer() -> Signer {
    Signer::new(MERCHANT, Secret::new(SECRET).unwrap()).unwrap()
}

pub fn client(url: &str) -> Client {
    Client::new(url, signer(), Arc::new(SystemClock)).unwrap()
}

pub fn no<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

/// A simulator in this process, with its file.
pub struct Provider {
    pub running: Running,
    pub client: Client,
    _place: Place,
}

impl Provider {
    pub async fn with(mishaps: Mishaps) -> Self {
        let place = Place::throw_away().unwrap();
        let running = payment_simulator::start(&options(place.path(), mishaps)).await.unwrap();
        let client = client(&running.url);
        Self { running, client, _place: place }
    }

    pub async fn lucky() -> Self {
        Self::with(Mishaps::lucky()).await
    }
}

fn options(folder: &Path, mishaps: Mishaps) -> Options {
    Options {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        public_url: None,
        state_file: folder.join("payments.jsonl"),
        merchant: MERCHANT.into(),
        secret: Some(Secret::new(SECRET).unwrap()),
        secret_file: None,
        most: 10_000,
        mishaps,
    }
}

/// Where notices arrive. The first `unwilling` of them are not taken.
pub struct Platform {
    pub notify_url: String,
    heard: Arc<Mutex<Vec<Notice>>>,
}

struct Desk {
    verifier: Verifier,
    unwilling: AtomicUsize,
    heard: Arc<Mutex<Vec<Notice>>>,
}

impl Platform {
    pub async fn taking_after(unwilling: usize) -> Self {
        Self::at(TcpListener::bind("127.0.0.1:0").await.unwrap(), unwilling)
    }

    pub fn at(listener: TcpListener, unwilling: usize) -> Self {
        let heard = Arc::default();
        let notify_url = format!("http://{}/payment/notices?of=demo", listener.local_addr().unwrap());
        let desk = Desk {
            verifier: Verifier::new(signer()),
            unwilling: AtomicUsize::new(unwilling),
            heard: Arc::clone(&heard),
        };
        let router = Router::new().route("/payment/notices", post(hear)).with_state(Arc::new(desk));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { notify_url, heard }
    }

    pub fn heard(&self) -> Vec<Notice> {
        self.heard.lock().unwrap().clone()
    }

    /// Waits until so many notices came.
    pub async fn hears(&self, count: usize) -> Vec<Notice> {
        eventually("notices", async || Some(self.heard()).filter(|heard| heard.len() >= count)).await
    }

    pub fn order(&self, number: &str, amount: i64, mode: Mode) -> PaymentOrder {
        PaymentOrder {
            trade_no: no(number),
            amount_cents: Cents(amount),
            channel: Channel::WechatMiniProgram,
            payer: "openid-1".into(),
            subject: "骑行费用 <R&D>".into(),
            expires_at: SystemClock.now().plus_millis(600_000),
            notify_url: self.notify_url.clone(),
            mode,
        }
    }

    pub fn refund(&self, number: &str, of: &str, amount: i64) -> RefundOrder {
        RefundOrder {
            refund_no: no(number),
            trade_no: no(of),
            amount_cents: Cents(amount),
            reason: "行程费用调整".into(),
            notify_url: self.notify_url.clone(),
        }
    }
}

async fn hear(
    State(desk): State<Arc<Desk>>,
    headers: HeaderMap,
    body: Bytes,
) -> (StatusCode, Json<Received>) {
    let path = "/payment/notices?of=demo";
    let notice = desk.verifier.notice(path, &headers, &body, SystemClock.now()).expect("a signed notice");
    desk.heard.lock().unwrap().push(notice);
    let less = |left: usize| left.checked_sub(1);
    let unwilling = desk.unwilling.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_ok();
    (StatusCode::OK, Json(Received { received: !unwilling }))
}

/// Waits until `ready` gives something.
pub async fn eventually<T>(what: &str, mut ready: impl AsyncFnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = ready().await {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "not within 20 s: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
