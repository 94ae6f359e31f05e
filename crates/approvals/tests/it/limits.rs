//! From what on there must be a second person.

use serde_json::{Value, json};

use crate::runtime::{CHIEF, CLERK, NEIGHBOUR, NOW, SECOND, STRANGER, TILL, TestRuntime, text};
use crate::till::REFUND;

const LIMITS: &str = "/platform/approval/limits";
const HOUR_MS: i64 = 3_600_000;

fn set(need: i64, above_cents: i64, from_at: Option<i64>, version: &Value) -> Value {
    json!({"agentId": "2", "rules": [{"kind": REFUND, "need": need, "aboveCents": above_cents}],
        "fromAt": from_at, "version": version})
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agents_limit_says_from_what_on_it_takes_two() {
    let runtime = Box::pin(TestRuntime::new()).await;
    let (clerk, chief) = (runtime.signed_in(CLERK).await, runtime.signed_in(CHIEF).await);
    let read = async || chief.ok("GET", LIMITS, json!({"agentId": "2"})).await;
    let waits = async |cents: i64| {
        let wish = json!({"till": TILL, "cents": cents});
        let told = clerk.ok("POST", "/till/refund", wish).await;
        if let Some(id) = told["approvalId"].as_str() {
            clerk.ok("POST", "/platform/approval/withdraw", json!({"id": id})).await;
        }
        told["paid"] != true
    };
    let at_first = read().await;
    assert_eq!(
        (&at_first["version"], &at_first["versions"], &at_first["fixed"]),
        (&json!(0), &json!([]), &Value::Null)
    );
    let refund = &at_first["kinds"][0];
    assert_eq!((&refund["label"], &refund["now"]["aboveCents"]), (&json!("退款"), &json!(5_000)));
    assert!(waits(5_001).await && !waits(5_000).await);

    chief.ok("POST", LIMITS, set(1, 100, None, &json!(0))).await;
    assert!(waits(101).await && !waits(100).await);
    let now = read().await;
    chief.ok("POST", LIMITS, set(0, 0, Some(NOW.millis() + HOUR_MS), &now["version"])).await;
    assert!(waits(101).await, "not yet");
    assert_eq!(chief.no("POST", LIMITS, set(2, 0, None, &json!(1))).await, "stale-version");
    runtime.clock.advance(HOUR_MS);
    assert!(!waits(6_000).await);

    let versions = read().await;
    let of = |number: i64| json!({"agentId": "2", "dataVersion": number, "version": versions["version"]});
    assert_eq!(chief.no("POST", &format!("{LIMITS}/withdraw"), of(2)).await, "approval-limits-counted");
    chief.ok("POST", &format!("{LIMITS}/rollback"), of(1)).await;
    assert!(waits(101).await);
    let told = read().await;
    let numbers: Vec<i64> =
        told["versions"].as_array().unwrap().iter().filter_map(|one| one["dataVersion"].as_i64()).collect();
    assert_eq!(numbers, [3, 2, 1]);
    assert_eq!(told["versions"][2]["counted"], json!([[NOW.millis(), NOW.millis() + HOUR_MS]]));
    assert_eq!(told["kinds"][0]["now"]["aboveCents"], 100);

    let later = set(2, 0, Some(NOW.millis() + 3 * HOUR_MS), &told["version"]);
    chief.ok("POST", LIMITS, later).await;
    let told = read().await;
    let body = json!({"agentId": "2", "dataVersion": 4, "version": told["version"]});
    chief.ok("POST", &format!("{LIMITS}/withdraw"), body).await;
    assert_eq!(read().await["versions"].as_array().unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_are_set_by_administrators_who_reach_the_whole_agent() {
    let runtime = Box::pin(TestRuntime::new()).await;
    let asked = async |who, agent: &str| {
        let mut body = set(0, 0, None, &json!(0));
        body["agentId"] = agent.into();
        runtime.signed_in(who).await.no("POST", LIMITS, body).await
    };
    assert_eq!(asked(SECOND, "2").await, "approval-limits-level");
    assert_eq!(asked(STRANGER, "2").await, "not-found");
    assert_eq!(asked(NEIGHBOUR, "2").await, "approval-limits-reach");
    assert_eq!(asked(CHIEF, "0").await, "not-found");
    let second = runtime.signed_in(SECOND).await;
    let told = second.ok("GET", LIMITS, json!({"agentId": "2"})).await;
    assert!(text(&told["fixed"]).contains("管理员"), "{told}");
    assert_eq!(second.no("GET", LIMITS, json!({"agentId": "3"})).await, "not-found");

    let chief = runtime.signed_in(CHIEF).await;
    let no = async |rules: Value| {
        let body = json!({"agentId": "2", "rules": rules, "version": 0});
        chief.no("POST", LIMITS, body).await
    };
    assert_eq!(
        no(json!([{"kind": "till.tidy", "need": 1, "aboveCents": 5}])).await,
        "approval-limits-unmeasured"
    );
    assert_eq!(no(json!([{"kind": "till.burn", "need": 2}])).await, "approval-limits-kind");
    assert_eq!(no(json!([{"kind": REFUND, "need": 1, "aboveCents": -1}])).await, "approval-limits-amount");
    assert_eq!(chief.no("POST", LIMITS, set(2, 0, Some(5), &json!(0))).await, "approval-limits-too-early");
    let twice = json!({"agentId": "2", "rules": [{"kind": REFUND, "need": 2}, {"kind": REFUND, "need": 0}],
        "version": 0});
    assert_eq!(chief.call("POST", LIMITS, twice).await.0, 400);
}
