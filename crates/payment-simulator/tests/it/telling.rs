//! Notices, and what happens to them.

use std::time::Duration;

use payment_port::{Mode, PaymentPort, PaymentState, Subject};
use payment_simulator::Mishaps;

use crate::platform::{Platform, Provider, eventually, no};

/// Quick, and open to mishaps.
fn unlucky() -> Mishaps {
    Mishaps { lucky: false, pause_ms: 30, ..Mishaps::lucky() }
}

#[tokio::test]
async fn a_notice_that_is_not_taken_comes_again_until_it_is() {
    let (provider, platform) = (Provider::with(unlucky()).await, Platform::taking_after(2).await);
    provider.client.pay(&platform.order("T1", 100, Mode::Agreed)).await.unwrap();
    let heard = platform.hears(3).await;
    assert!(heard.iter().all(|notice| *notice == heard[0]), "{heard:?}");
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(platform.heard().len(), 3, "what was taken does not come again");
}

#[tokio::test]
async fn a_notice_that_is_never_taken_comes_so_often_and_no_more() {
    let three = Mishaps { tries: 3, ..unlucky() };
    let (provider, platform) = (Provider::with(three).await, Platform::taking_after(usize::MAX).await);
    provider.client.pay(&platform.order("T1", 100, Mode::Agreed)).await.unwrap();
    platform.hears(3).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(platform.heard().len(), 3);
}

#[tokio::test]
async fn a_lost_notice_is_found_by_asking() {
    let lost = Mishaps { lost_percent: 100, ..unlucky() };
    let (provider, platform) = (Provider::with(lost).await, Platform::taking_after(0).await);
    provider.client.pay(&platform.order("T1", 100, Mode::Agreed)).await.unwrap();
    eventually("it is paid", async || {
        let payment = provider.client.payment(&no("T1")).await.unwrap().unwrap();
        matches!(payment.state, PaymentState::Paid { .. }).then_some(())
    })
    .await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(platform.heard().is_empty());
}

#[tokio::test]
async fn a_notice_may_come_twice_with_one_id_and_in_another_order() {
    let twice = Mishaps { twice_percent: 100, notice_ms: 400, ..unlucky() };
    let (provider, platform) = (Provider::with(twice).await, Platform::taking_after(0).await);
    for number in 0..12 {
        provider.client.pay(&platform.order(&format!("T{number}"), 100, Mode::Agreed)).await.unwrap();
    }
    let heard = platform.hears(24).await;
    let mut first = Vec::new();
    for notice in &heard {
        let Subject::Payment { payment } = &notice.subject else { panic!("{notice:?}") };
        let PaymentState::Paid { at } = payment.state else { panic!("{notice:?}") };
        if !first.iter().any(|(id, _)| *id == notice.notice_id) {
            first.push((notice.notice_id.clone(), at));
        }
    }
    assert_eq!(first.len(), 12, "each twice");
    assert!(!first.is_sorted_by_key(|(_, at)| *at), "not in the order in which they were paid: {first:?}");
}

#[tokio::test]
async fn a_late_notice_comes_late() {
    let late = Mishaps { late_percent: 100, late_ms: 700, ..unlucky() };
    let (provider, platform) = (Provider::with(late).await, Platform::taking_after(0).await);
    provider.client.pay(&platform.order("T1", 100, Mode::Agreed)).await.unwrap();
    eventually("it is paid", async || {
        let payment = provider.client.payment(&no("T1")).await.unwrap().unwrap();
        matches!(payment.state, PaymentState::Paid { .. }).then_some(())
    })
    .await;
    assert!(platform.heard().is_empty(), "paid, and not told yet");
    platform.hears(1).await;
}
