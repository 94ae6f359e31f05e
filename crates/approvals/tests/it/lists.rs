//! Who sees which requests.

use serde_json::{Value, json};
use vocabulary::{AgentId, AreaId, Reach, Scope};

use crate::runtime::{
    BARE, CHIEF, CLERK, DECIDE, NEIGHBOUR, SECOND, STRANGER, TestRuntime, accept, reject, text,
};

const LIST: &str = "/platform/approval/list";

/// Queries say everything as text.
fn said(mut query: Value) -> Value {
    for value in query.as_object_mut().expect("an object").values_mut() {
        if !value.is_string() {
            *value = value.to_string().into();
        }
    }
    query
}

fn ids(page: &Value) -> Vec<String> {
    page["rows"].as_array().expect("rows").iter().map(|row| text(&row["id"])).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_sees_what_concerns_him_by_his_codes_and_his_scope() {
    let runtime = Box::pin(TestRuntime::new()).await;
    let (clerk, second) = (runtime.signed_in(CLERK).await, runtime.signed_in(SECOND).await);
    let rejected = clerk.asks(6_000).await;
    second.ok("POST", DECIDE, reject(&rejected, "金额不符")).await;
    let approved = clerk.asks(7_000).await;
    second.ok("POST", DECIDE, accept(&approved)).await;
    let waiting = clerk.asks(8_000).await;
    let all = [&waiting, &approved, &rejected].map(Clone::clone);

    let of = async |who, query: Value| ids(&runtime.signed_in(who).await.ok("GET", LIST, said(query)).await);
    assert_eq!(of(SECOND, json!({"view": 1})).await, std::slice::from_ref(&waiting));
    assert_eq!(of(CLERK, json!({"view": 1})).await, Vec::<String>::new());
    assert_eq!(of(CLERK, json!({"view": 2})).await, all);
    assert_eq!(of(SECOND, json!({"view": 2})).await, Vec::<String>::new());
    for who in [CLERK, SECOND, CHIEF] {
        assert_eq!(of(who, json!({})).await, all, "{who}");
    }
    for who in [BARE, STRANGER, NEIGHBOUR] {
        for view in 0..3 {
            assert_eq!(of(who, json!({"view": view})).await, Vec::<String>::new(), "{who} {view}");
        }
        let browser = runtime.signed_in(who).await;
        assert_eq!(browser.waiting().await, 0);
        assert_eq!(browser.no("GET", &format!("/platform/approval/{waiting}"), json!({})).await, "not-found");
    }
    // What somebody decided stays in his sight without the code.
    runtime.people.hold(SECOND, &["0301"]);
    assert_eq!(of(SECOND, json!({})).await, [approved.clone(), rejected.clone()]);

    for (query, found) in [
        (json!({"state": 2}), vec![&rejected]),
        (json!({"kind": "till.refund", "amountFrom": "70", "amountTo": "80.00"}), vec![&waiting, &approved]),
        (json!({"kind": "till.tidy"}), vec![]),
        (json!({"requester": CLERK, "state": 0}), vec![&waiting]),
        (json!({"keyword": "王芳"}), vec![&waiting, &approved, &rejected]),
        (json!({"keyword": "收银台 8"}), vec![]),
        (json!({"agentId": "3"}), vec![]),
        (json!({"startTime": "2027-01-15 15:59:59", "pageSize": "1"}), vec![&waiting]),
        (json!({"endTime": "2027-01-15 15:59:58"}), vec![]),
    ] {
        let found: Vec<String> = found.into_iter().cloned().collect();
        assert_eq!(of(CHIEF, query.clone()).await, found, "{query}");
    }
    let chief = runtime.signed_in(CHIEF).await;
    assert_eq!(chief.call("GET", LIST, json!({"amountFrom": "viel"})).await.0, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_database_shows_nothing_of_another_agent_or_area() {
    let runtime = Box::pin(TestRuntime::new()).await;
    let id = runtime.signed_in(CLERK).await.asks(6_000).await;
    assert_eq!(runtime.signed_in(SECOND).await.waiting().await, 1, "it is in the table");
    let seen = async |agent: i64, areas: Reach<AreaId>| -> i64 {
        let scope = Scope::of(Reach::only([AgentId(agent)]), areas);
        let mut db = runtime.runtime.reads.scoped(&scope, None, &[]).await.unwrap();
        sqlx::query_scalar("select count(*) from read.approval where approval_id = $1::bigint")
            .bind(id.parse::<i64>().unwrap())
            .fetch_one(&mut *db)
            .await
            .unwrap()
    };
    assert_eq!(seen(2, Reach::All).await, 1);
    assert_eq!(seen(2, Reach::only([AreaId(20)])).await, 1);
    assert_eq!(seen(2, Reach::only([AreaId(21)])).await, 0);
    assert_eq!(seen(3, Reach::All).await, 0);
}
