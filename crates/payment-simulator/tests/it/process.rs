//! The program itself, killed.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use payment_port::{Mode, PaymentPort, PaymentState, RefundState, Subject, day_of};
use testkit::local::{Place, Signal, Supervised, free_port, http_get_ok};
use tokio::net::TcpListener;
use tokio::task::block_in_place;
use vocabulary::{Clock, SystemClock};

use crate::platform::{MERCHANT, Platform, SECRET, client, eventually, no};

fn command(folder: &Path, port: u16) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_payment-simulator"));
    command
        .args(["--listen", &format!("127.0.0.1:{port}"), "--lucky", "--state-file"])
        .arg(folder.join("payments.jsonl"))
        .env("PAYMENT_MERCHANT", MERCHANT)
        .env("PAYMENT_SECRET", SECRET)
        .env_remove("RUST_LOG");
    command
}

fn started(folder: &Path, port: u16) -> Supervised {
    block_in_place(|| {
        let mut process =
            Supervised::spawn("payment-simulator", command(folder, port), folder, Signal::Term).unwrap();
        process.wait_until(Duration::from_secs(20), |_| http_get_ok(port, "/healthz")).unwrap();
        process
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_provider_knows_everything_when_it_is_back_and_tells_what_it_had_to_tell() {
    let place = Place::throw_away().unwrap();
    let port = free_port().unwrap();
    let provider = client(&format!("http://127.0.0.1:{port}"));
    // Nobody takes notices before the provider is killed.
    let there = format!("127.0.0.1:{}", free_port().unwrap());
    let mut process = started(place.path(), port);

    let platform = Platform::at(TcpListener::bind("127.0.0.1:0").await.unwrap(), 0);
    let order = |number: &str, mode| {
        let mut order = platform.order(number, 100, mode);
        order.notify_url = format!("http://{there}/payment/notices?of=demo");
        order
    };
    let waiting = provider.pay(&order("T1", Mode::Cashier)).await.unwrap();
    let asked = order("T2", Mode::Agreed);
    provider.pay(&asked).await.unwrap();
    let paid = eventually("it is paid", async || {
        let payment = provider.payment(&no("T2")).await.unwrap().unwrap();
        matches!(payment.state, PaymentState::Paid { .. }).then_some(payment)
    })
    .await;
    let refund = platform.refund("R1", "T2", 40);
    provider.refund(&refund).await.unwrap();
    let last = order("T3", Mode::Agreed);
    provider.pay(&last).await.unwrap();
    block_in_place(|| process.kill9());

    let told = Platform::at(TcpListener::bind(&there).await.unwrap(), 0);
    let mut process = started(place.path(), port);
    assert_eq!(provider.payment(&no("T1")).await, Ok(Some(waiting)));
    assert_eq!(provider.pay(&asked).await.unwrap().provider_no, paid.provider_no, "the same again");
    let other = payment_port::PaymentOrder { payer: "somebody else".into(), ..asked };
    assert!(provider.pay(&other).await.is_err(), "the number is taken still");
    let done = eventually("the refund ends", async || {
        let refund = provider.refund_of(&no("R1")).await.unwrap().unwrap();
        matches!(refund.state, RefundState::Done { .. }).then_some(refund)
    })
    .await;
    eventually("the payment that was under way is paid", async || {
        let payment = provider.payment(&no("T3")).await.unwrap().unwrap();
        matches!(payment.state, PaymentState::Paid { .. }).then_some(())
    })
    .await;
    assert!(provider.refund(&platform.refund("R2", "T2", 61)).await.is_err(), "40 of 100 went back");
    eventually("T2 was told of", async || {
        let is_it = |subject: &Subject| matches!(subject, Subject::Payment { payment } if payment.trade_no == no("T2"));
        told.heard().iter().any(|notice| is_it(&notice.subject)).then_some(())
    })
    .await;
    let page = provider.statement(day_of(SystemClock.now()), None).await.unwrap();
    let mut moved: Vec<&str> = page.rows.iter().map(|row| row.provider_no.as_str()).collect();
    moved.sort_unstable();
    assert_eq!(moved.len(), 3, "two payments and a refund, each once: {page:?}");
    assert!(moved.contains(&paid.provider_no.as_str()) && moved.contains(&done.provider_no.as_str()));
    assert!(process.ended().is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn one_file_is_kept_by_one_process_and_a_secret_is_asked_for() {
    let place = Place::throw_away().unwrap();
    let _first = started(place.path(), free_port().unwrap());
    let port = free_port().unwrap();
    let refused = block_in_place(|| command(place.path(), port).output()).unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && said.contains("another process keeps"), "{said}");
    let bare = block_in_place(|| command(place.path(), port).env("PAYMENT_SECRET", "").output()).unwrap();
    let said = String::from_utf8_lossy(&bare.stderr);
    assert!(!bare.status.success() && said.contains("PAYMENT_SECRET"), "{said}");
}
