//! Who decides, when, and what moves by it.

use approvals::expiry;
use serde_json::{Value, json};
use vocabulary::{AreaId, Clock, Reach};

use crate::runtime::{
    BARE, CHIEF, CLERK, DAY_MS, DECIDE, FULL_CENTS, NEIGHBOUR, SECOND, STRANGER, TILL, TestRuntime, accept,
    reject, text,
};
use crate::till::TillCommand;

const MUCH_CENTS: i64 = 12_000;

#[tokio::test(flavor = "multi_thread")]
async fn little_is_paid_at_once_and_much_when_a_second_person_says_yes_in_one_append() {
    let runtime = Box::pin(TestRuntime::new()).await;
    let (clerk, second) = (runtime.signed_in(CLERK).await, runtime.signed_in(SECOND).await);
    let paid = clerk.ok("POST", "/till/refund", json!({"till": TILL, "cents": 5_000})).await;
    assert_eq!((paid, runtime.cents().await), (json!({"paid": true}), FULL_CENTS - 5_000));

    let id = clerk.asks(MUCH_CENTS).await;
    assert_eq!(runtime.cents().await, FULL_CENTS - 5_000, "nothing has moved");
    assert_eq!((second.waiting().await, clerk.waiting().await), (1, 0));
    let info = second.info(&id).await;
    assert_eq!(
        (&info["summary"], &info["kindLabel"], &info["amountCents"], &info["requesterName"], &info["reason"]),
        (&json!("从收银台 7 退款"), &json!("退款"), &json!(MUCH_CENTS), &json!("王芳"), &json!("重复扣款"))
    );
    assert_eq!((&info["outlook"], &info["notApproved"]), (&json!(["退款后收银台余 13000 分"]), &Value::Null));

    let stale = json!({"id": id, "result": "accept", "version": 9});
    assert_eq!(second.no("POST", DECIDE, stale).await, "stale-version");
    second.ok("POST", DECIDE, json!({"id": id, "result": "accept", "version": info["version"]})).await;
    assert_eq!(runtime.cents().await, 13_000);
    let (yes, done) = (runtime.events("approval.approved").await, runtime.events("till.refunded").await);
    assert_eq!((yes.len(), done.len()), (1, 2));
    assert_eq!(yes[0].0 + 1, done[1].0, "one stands beside the other");
    assert_eq!(yes[0].1, done[1].1, "they are one append");
    assert_ne!(done[0].1, done[1].1);

    let info = second.info(&id).await;
    assert_eq!((&info["state"], &info["deciderName"]), (&json!(1), &json!("李强")));
    assert_eq!(second.waiting().await, 0);
    assert_eq!(second.no("POST", DECIDE, accept(&id)).await, "approval-over");
    assert_eq!(runtime.cents().await, 13_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_decides_who_asked_holds_no_code_or_does_not_see_it() {
    let runtime = Box::pin(TestRuntime::new()).await;
    let clerk = runtime.signed_in(CLERK).await;
    let id = clerk.asks(MUCH_CENTS).await;
    for decision in [accept(&id), reject(&id, "不符")] {
        assert_eq!(clerk.no("POST", DECIDE, decision.clone()).await, "approval-own");
        let bare = runtime.signed_in(BARE).await;
        assert_eq!(bare.no("POST", DECIDE, decision.clone()).await, "approval-not-permitted");
        for blind in [STRANGER, NEIGHBOUR] {
            let blind = runtime.signed_in(blind).await;
            assert_eq!(blind.no("POST", DECIDE, decision.clone()).await, "not-found");
        }
    }
    let own = clerk.info(&id).await;
    assert!(text(&own["notApproved"]).contains("自己提交"), "{own}");
    assert_eq!(own["mayWithdraw"], true);
    let second = runtime.signed_in(SECOND).await;
    assert_eq!(
        second.no("POST", "/platform/approval/withdraw", json!({"id": id})).await,
        "approval-not-requester"
    );
    // The right that the decider had when the page was opened is gone.
    runtime.people.hold(SECOND, &["0301"]);
    assert_eq!(second.no("POST", DECIDE, accept(&id)).await, "approval-not-permitted");
    assert_eq!(runtime.cents().await, FULL_CENTS);
    assert!(runtime.events("approval.approved").await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asked_must_still_be_able_to_do_it_when_it_is_decided() {
    let runtime = Box::pin(TestRuntime::new()).await;
    let (clerk, second) = (runtime.signed_in(CLERK).await, runtime.signed_in(SECOND).await);
    let id = clerk.asks(MUCH_CENTS).await;
    runtime.people.hold(CLERK, &["0301"]);
    assert_eq!(second.no("POST", DECIDE, accept(&id)).await, "approval-requester-codes");
    assert!(text(&second.info(&id).await["notApproved"]).contains("权限"));
    runtime.people.hold(CLERK, &["1602"]);
    runtime.people.change(CLERK, |clerk| clerk.scope.areas = Reach::only([AreaId(21)]));
    assert_eq!(second.no("POST", DECIDE, accept(&id)).await, "approval-requester-reach");
    runtime.people.change(CLERK, |clerk| {
        clerk.scope.areas = Reach::All;
        clerk.enabled = false;
    });
    assert_eq!(second.no("POST", DECIDE, accept(&id)).await, "approval-requester-disabled");
    assert_eq!(runtime.cents().await, FULL_CENTS);
    runtime.people.change(CLERK, |clerk| clerk.enabled = true);
    second.ok("POST", DECIDE, accept(&id)).await;
    assert_eq!(runtime.cents().await, FULL_CENTS - MUCH_CENTS);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_day_nothing_moves_and_it_is_ended_once() {
    let runtime = Box::pin(TestRuntime::new()).await;
    let id = runtime.signed_in(CLERK).await.asks(MUCH_CENTS).await;
    expiry::end(&runtime.runtime, runtime.clock.now()).await.unwrap();
    assert!(runtime.events("approval.expired").await.is_empty(), "its time is not over");
    runtime.clock.advance(DAY_MS);
    let (clerk, second) = (runtime.signed_in(CLERK).await, runtime.signed_in(SECOND).await);
    // Before anybody swept.
    assert_eq!(second.no("POST", DECIDE, accept(&id)).await, "approval-expired");
    assert_eq!(second.no("POST", DECIDE, reject(&id, "太晚")).await, "approval-expired");
    assert_eq!(clerk.no("POST", "/platform/approval/withdraw", json!({"id": id})).await, "approval-expired");
    assert_eq!(second.waiting().await, 1, "it is in the table");
    let now = runtime.clock.now();
    let (first, other) = tokio::join!(expiry::end(&runtime.runtime, now), expiry::end(&runtime.runtime, now));
    first.and(other).unwrap();
    expiry::end(&runtime.runtime, now).await.unwrap();
    assert_eq!(runtime.events("approval.expired").await.len(), 1);
    assert_eq!(second.info(&id).await["state"], 4);
    assert_eq!(second.no("POST", DECIDE, accept(&id)).await, "approval-expired");
    assert_eq!((runtime.cents().await, second.waiting().await), (FULL_CENTS, 0));
    // It may be asked for anew.
    assert_ne!(clerk.asks(MUCH_CENTS).await, id);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_who_say_yes_at_once_one_does_it() {
    let runtime = Box::pin(TestRuntime::new()).await;
    let (second, chief) = (runtime.signed_in(SECOND).await, runtime.signed_in(CHIEF).await);
    for round in 1..=2 {
        let id = runtime.signed_in(CLERK).await.asks(MUCH_CENTS).await;
        let (one, other) =
            tokio::join!(second.call("POST", DECIDE, accept(&id)), chief.call("POST", DECIDE, accept(&id)));
        let yes = [&one.1, &other.1].into_iter().filter(|answer| answer["suc"] == true).count();
        assert_eq!(yes, 1, "{one:?} {other:?}");
        let no = [&one.1, &other.1].into_iter().find(|answer| answer["suc"] == false).unwrap();
        assert_eq!(no["error"]["code"], "approval-over");
        assert_eq!(runtime.cents().await, FULL_CENTS - round * MUCH_CENTS);
    }
    assert_eq!(runtime.events("till.refunded").await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_done_any_more_stays_open_and_says_why() {
    let runtime = Box::pin(TestRuntime::new()).await;
    let (clerk, second) = (runtime.signed_in(CLERK).await, runtime.signed_in(SECOND).await);
    // What cannot be done now is not even asked for.
    let wish = json!({"till": TILL, "cents": FULL_CENTS + 1});
    assert_eq!(clerk.no("POST", "/till/refund", wish).await, "till-too-little");
    let id = clerk.asks(MUCH_CENTS).await;
    assert_eq!(runtime.events("till.refunded").await.len(), 0, "a rehearsal writes nothing");
    runtime.tell(TillCommand::Close).await;
    let (_, answer) = second.call("POST", DECIDE, accept(&id)).await;
    assert_eq!(answer["error"]["code"], "till-closed");
    let said = text(&answer["error"]["promot"]);
    assert!(said.contains("收银台已关闭") && said.contains("仍待复核"), "{said}");
    let info = second.info(&id).await;
    assert_eq!((&info["state"], &info["outlook"]), (&json!(0), &json!([])));
    assert_eq!(info["impossible"], "收银台已关闭");
    assert!(runtime.events("approval.approved").await.is_empty());
    assert_eq!(second.no("POST", DECIDE, reject(&id, " ")).await, "approval-reject-reason");
    second.ok("POST", DECIDE, reject(&id, "收银台已关闭")).await;
    let info = second.info(&id).await;
    assert_eq!((&info["state"], &info["decisionReason"]), (&json!(2), &json!("收银台已关闭")));
    assert_eq!(runtime.cents().await, FULL_CENTS);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_sent_twice_under_one_name_is_one() {
    let runtime = Box::pin(TestRuntime::new()).await;
    let (clerk, second) = (runtime.signed_in(CLERK).await, runtime.signed_in(SECOND).await);
    let sent = async |cents: i64, key: &str| {
        let wish = json!({"till": TILL, "cents": cents});
        clerk.keyed("POST", "/till/refund", wish, Some(key)).await.1["data"].clone()
    };
    assert_eq!(sent(1_000, "little").await, sent(1_000, "little").await);
    assert_eq!(runtime.cents().await, FULL_CENTS - 1_000);
    let asked = sent(MUCH_CENTS, "much").await;
    assert_eq!(sent(MUCH_CENTS, "much").await, asked, "one request");
    assert_eq!(second.waiting().await, 1);
    // Under another name it would be a second one for the same till.
    let wish = json!({"till": TILL, "cents": MUCH_CENTS});
    assert_eq!(clerk.no("POST", "/till/refund", wish).await, "approval-waits");
    let id = text(&asked["approvalId"]);
    for _ in 0..2 {
        let (_, answer) = second.keyed("POST", DECIDE, accept(&id), Some("yes")).await;
        assert_eq!(answer["suc"], true, "{answer}");
    }
    assert_eq!(runtime.cents().await, FULL_CENTS - 1_000 - MUCH_CENTS);
    // The answer to the request stays what it was, whatever became of the till.
    runtime.tell(TillCommand::Close).await;
    assert_eq!(sent(MUCH_CENTS, "much").await, asked);
    assert_eq!(runtime.events("approval.requested").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asked_takes_it_back_and_asks_anew() {
    let runtime = Box::pin(TestRuntime::new()).await;
    let (clerk, second) = (runtime.signed_in(CLERK).await, runtime.signed_in(SECOND).await);
    let id = clerk.asks(MUCH_CENTS).await;
    clerk.ok("POST", "/platform/approval/withdraw", json!({"id": id, "version": 1})).await;
    assert_eq!(second.no("POST", DECIDE, accept(&id)).await, "approval-over");
    assert_eq!(second.info(&id).await["state"], 3);
    let again = clerk.asks(MUCH_CENTS).await;
    second.ok("POST", DECIDE, accept(&again)).await;
    assert_eq!(runtime.cents().await, FULL_CENTS - MUCH_CENTS);
}
