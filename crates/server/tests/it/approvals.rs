//! What takes two people, by the public ports: an agent is disabled.

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::Row;

use crate::client::Browser;
use crate::exports::{file, lines};
use crate::screen::Screen;
use crate::stack::{ADMIN, Stack, eventually};

const ACCOUNT: &str = "/platform/agent/account";
const STATE: &str = "/platform/agent/account/state";
const LIMITS: &str = "/platform/approval/limits";
const LIST: &str = "/platform/approval/list";
const DECIDE: &str = "/platform/approval/decide";

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

fn codes(list: &[&str]) -> Vec<String> {
    list.iter().map(|code| (*code).to_owned()).collect()
}

async fn open(admin: &Browser, company: &str, phone: &str) -> String {
    let account = json!({"company": company, "contact": "陈明", "phone": phone, "billingWay": 1});
    text(&admin.ok("POST", ACCOUNT, account).await["agentId"])
}

async fn state_of(admin: &Browser, agent: &str) -> Value {
    admin.ok("GET", ACCOUNT, json!({"agentId": agent})).await["rows"][0]["state"].clone()
}

/// From now on it takes two to disable the agent.
async fn two_for(admin: &Browser, agent: &str) {
    let rules = json!([{"kind": "agent.disable", "need": 2}]);
    admin.ok("POST", LIMITS, json!({"agentId": agent, "rules": rules, "version": 0})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_is_disabled_on_the_word_of_two_in_one_append() {
    let (stack, node) = Stack::serving().await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let ours = open(&admin, "厦门骑行有限公司", "13900000041").await;
    let theirs = open(&admin, "泉州骑行有限公司", "13900000042").await;
    let disable = |agent: &str| json!({"agentId": agent, "state": 0});

    // Where nobody set a limit one is enough.
    assert_eq!(admin.ok("POST", STATE, disable(&theirs)).await, json!({}));
    assert_eq!(state_of(&admin, &theirs).await, 0);
    two_for(&admin, &ours).await;
    let asked = admin.keyed_call(STATE, &disable(&ours), "disable-1").await.unwrap().data();
    let id = text(&asked["approvalId"]);
    let again = admin.keyed_call(STATE, &disable(&ours), "disable-1").await.unwrap();
    assert_eq!(again.data(), json!({ "approvalId": id }), "one request");
    assert_eq!(state_of(&admin, &ours).await, 1, "nothing has happened");
    let several = admin.ok("POST", STATE, json!({"agentIds": [ours, theirs], "state": 0})).await;
    assert_eq!(several["results"][0]["error"]["code"], "approval-waits");
    assert_eq!(several["results"][1]["suc"], true);

    let second = admin.new_role("复核", &codes(&["11", "1101"])).await;
    admin.new_operator("13700000041", &[&second], "0").await;
    let guest = admin.new_role("看车", &codes(&["03", "0301"])).await;
    admin.new_operator("13700000042", &[&guest], "0").await;
    admin.new_operator("13700000043", &[&second], &ours).await;
    let second = Browser::signed_in(&node.url, "13700000041").await;
    let guest = Browser::signed_in(&node.url, "13700000042").await;
    let inside = Browser::signed_in(&node.url, "13700000043").await;
    let waits =
        async |who: &Browser| who.ok("GET", "/platform/approval/count", json!({})).await["waiting"].clone();
    assert_eq!([waits(&admin).await, waits(&second).await, waits(&guest).await], [0, 1, 0]);

    let accept = json!({"id": id, "result": "accept"});
    assert_eq!(admin.call("POST", DECIDE, accept.clone()).await.code(), "approval-own");
    assert_eq!(guest.call("POST", DECIDE, accept.clone()).await.code(), "approval-not-permitted");
    // Who works for the agent holds the code and sees it, and may not disable it on his own word either.
    assert_eq!(inside.call("POST", DECIDE, accept.clone()).await.code(), "agent-own");
    let info = second.ok("GET", &format!("/platform/approval/{id}"), json!({})).await;
    assert_eq!(
        (&info["summary"], &info["kindLabel"]),
        (&json!("停用代理「厦门骑行有限公司」"), &json!("停用代理"))
    );
    assert_eq!(info["outlook"].as_array().map(Vec::len), Some(3), "{info}");

    // The websocket tells that the request is decided.
    let mut screen = Screen::open(&second).await;
    screen.watch("read/approval").await;
    screen
        .until("it is watched", |s| s.said("watching").is_some_and(|told| told["topic"] == "read/approval"))
        .await;
    second.ok("POST", DECIDE, json!({"id": id, "result": "accept", "version": info["version"]})).await;
    assert_eq!(state_of(&admin, &ours).await, 0, "whoever asks after the answer sees it");
    let told = |s: &Screen| s.data("read/approval").is_some_and(|data| data["keys"] == json!([id]));
    screen.until("the change is told", told).await;
    assert_eq!(inside.call("GET", ACCOUNT, json!({})).await.status, 401, "its people are out");

    let owner = stack.owner().await;
    let told = sqlx::query(
        "select position, type, meta::jsonb ->> 'nonce' as append, meta::jsonb #>> '{actor,id}' as who
         from log.events where type in ('approval.approved', 'agent.disabled') order by position desc limit 2",
    )
    .fetch_all(&owner)
    .await
    .unwrap();
    let of = |row: usize, column: &str| told[row].get::<String, _>(column);
    assert_eq!((of(1, "type"), of(0, "type")), ("approval.approved".into(), "agent.disabled".into()));
    assert_eq!(told[1].get::<i64, _>("position") + 1, told[0].get::<i64, _>("position"));
    assert_eq!((of(0, "append"), of(0, "who")), (of(1, "append"), of(1, "who")));

    // Both acts stand in the operator log in words.
    let page = admin.ok("GET", "/platform/aliyunlog/userlogs", json!({"pageSize": "50"})).await;
    let acts: Vec<String> =
        page["rows"].as_array().unwrap().iter().map(|row| text(&row["actionLabel"])).collect();
    for act in ["提交复核", "同意复核", "发布复核额度", "停用代理"] {
        assert!(acts.iter().any(|one| one.contains(act)), "{act}: {acts:?}");
    }
    let exported = lines(&file(&admin, LIST, "columns=summary,state,amount&state=1").await);
    assert_eq!(exported, ["事项,状态,金额", "停用代理「厦门骑行有限公司」,已同意,0.00"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dismissed_person_acts_no_more_by_what_he_asked_for() {
    let (_stack, node) = Stack::serving().await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let ours = open(&admin, "厦门骑行有限公司", "13900000041").await;
    two_for(&admin, &ours).await;
    let clerk_role = admin.new_role("专员", &codes(&["11", "1101"])).await;
    admin.new_operator("13700000041", &[&clerk_role], "0").await;
    let clerk = Browser::signed_in(&node.url, "13700000041").await;
    let asked = clerk.ok("POST", STATE, json!({"agentId": ours, "state": 0})).await;
    let accept = json!({"id": asked["approvalId"], "result": "accept"});
    let decided = async || admin.call("POST", DECIDE, accept.clone()).await.code().to_owned();

    let role = |held: &[&str], version: i64| {
        json!({"id": clerk_role, "name": "专员", "tier": 1, "remark": "", "codes": codes(held), "state": 1,
            "version": version})
    };
    admin.ok("PUT", "/platform/permission/role", role(&["03", "0301"], 1)).await;
    assert_eq!(decided().await, "approval-requester-codes");
    admin.ok("PUT", "/platform/permission/role", role(&["11", "1101"], 2)).await;
    let switch = |state: u8| json!({"phone": "13700000041", "state": state});
    admin.ok("POST", "/platform/permission/user/state", switch(0)).await;
    assert_eq!(decided().await, "approval-requester-disabled");
    assert_eq!(state_of(&admin, &ours).await, 1);
    admin.ok("POST", "/platform/permission/user/state", switch(1)).await;
    eventually("he stands as he did", Duration::from_secs(10), async || {
        decided().await.is_empty().then_some(())
    })
    .await;
    assert_eq!(state_of(&admin, &ours).await, 0);
}
