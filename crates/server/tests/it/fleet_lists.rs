//! Lists of bikes, for people and for machines.

use serde_json::{Value, json};

use crate::city::City;
use crate::client::{Browser, Machine, plain};
use crate::stack::{ADMIN, Stack};

fn cars(page: &Value) -> Vec<&str> {
    let rows = page["rows"].as_array().expect("rows");
    rows.iter().map(|row| row["carId"].as_str().expect("a number")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn bikes_are_listed_to_people_within_their_scope_and_to_machines_page_by_page() {
    let (stack, node) = Stack::serving().await;
    let token = stack.full_machine().await;
    let machine = Machine::new(&node.url, &token);
    let first = City::build(&machine, "A", 1, 3).await;
    let second = City::build(&machine, "B", 2, 2).await;

    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let page = admin.ok("GET", "/vehicle/query", json!({"pageSize": "2", "page": "2"})).await;
    assert_eq!((cars(&page), &page["count"]), (vec!["A00002", "B00000"], &json!(5)));
    let row = &page["rows"][0];
    assert_eq!((&row["agentId"], &row["areaId"]), (&json!(first.agent), &json!(first.area)));
    assert_eq!((&row["areaName"], &row["lifecycle"], &row["soc"]), (&json!("A 区"), &json!(2), &Value::Null));
    let found = async |query: Value| {
        let page = admin.ok("GET", "/vehicle/query", query).await;
        cars(&page).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(found(json!({"keyword": "B"})).await, ["B00000", "B00001"]);
    assert_eq!(found(json!({"keyword": second.bikes[1].imei})).await, ["B00001"]);
    assert_eq!(found(json!({"keyword": "A", "status": "0,1"})).await, Vec::<String>::new());
    assert_eq!(found(json!({"keyword": "A", "status": "1,2"})).await.len(), 3);
    let wrong = admin.call("GET", "/vehicle/query", json!({"status": "2,9"})).await;
    assert_eq!((wrong.status, wrong.code()), (400, "malformed"), "{}", wrong.body);

    let role = admin.new_role("查询", &["0302".to_owned()]).await;
    admin.new_operator("13700000009", &[&role], &second.agent).await;
    let operator = Browser::signed_in(&node.url, "13700000009").await;
    let page = operator.ok("GET", "/vehicle/query", json!({})).await;
    assert_eq!((cars(&page), &page["count"]), (vec!["B00000", "B00001"], &json!(2)));
    let page = operator.ok("GET", "/vehicle/query", json!({"keyword": "A"})).await;
    assert_eq!((cars(&page).len(), &page["count"]), (0, &json!(0)));

    let bearer = format!("Bearer {}", token.trim());
    let listed = async |query: &str| {
        let path = format!("/open/v1/vehicles{query}");
        plain(&node.url, "GET", &path, &[("authorization", &bearer)], None).await.unwrap()
    };
    let (mut all, mut query) = (Vec::new(), "?size=2".to_owned());
    loop {
        let page = listed(&query).await.data();
        all.extend(cars(&page).into_iter().map(str::to_owned));
        let Some(next) = page["next"].as_str() else { break };
        query = format!("?size=2&after={next}");
    }
    assert_eq!(all, ["A00000", "A00001", "A00002", "B00000", "B00001"]);
    for wrong in ["?size=0", "?size=501", "?size=many"] {
        assert_eq!(listed(wrong).await.status, 400, "{wrong}");
    }
    let rides = stack.machine_token("rides", "open:ride").await;
    let bearer = format!("Bearer {}", rides.trim());
    let refused = plain(&node.url, "GET", "/open/v1/vehicles", &[("authorization", &bearer)], None).await;
    assert_eq!(refused.unwrap().status, 403);
}
