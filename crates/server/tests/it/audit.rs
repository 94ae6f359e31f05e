//! Who did what, seen by those who may see it: the operator log through the public interface.

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::PgPool;

use crate::city::City;
use crate::client::{Browser, Machine, plain};
use crate::stack::{ADMIN, Stack, eventually};

const LOGS: &str = "/platform/aliyunlog/userlogs";
const HISTORY: &str = "/platform/aliyunlog/history";
const ROLE: &str = "/platform/permission/role";

/// A role of `agent` (0: the platform's) made, changed and disabled; its id.
async fn three_steps(browser: &Browser, agent: &str, name: &str) -> String {
    let made =
        json!({"name": name, "tier": 2, "remark": "", "codes": ["0401"], "state": 1, "agentId": agent});
    let role = browser.ok("POST", ROLE, made).await["id"].as_str().unwrap().to_owned();
    let changed = json!({"id": role, "name": name, "tier": 2, "remark": "夜班", "codes": ["0401", "1601"],
        "version": 1});
    browser.ok("PUT", ROLE, changed).await;
    browser.ok("POST", &format!("{ROLE}/state"), json!({"id": role, "state": 0})).await;
    role
}

fn texts<'a>(rows: &'a Value, field: &str) -> Vec<&'a str> {
    rows.as_array().unwrap().iter().map(|row| row[field].as_str().unwrap()).collect()
}

/// The field of a state, in words.
fn told<'a>(state: &'a Value, field: &str) -> &'a str {
    let found = state.as_array().unwrap().iter().find(|one| one["field"] == field);
    found.and_then(|one| one["text"].as_str()).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn api_055_cqrs_024_each_step_of_a_role_names_who_did_what_and_can_be_stepped_through() {
    let (stack, node) = Stack::serving().await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let own = City::build(&machine, "A", 1, 1).await;
    let other = City::build(&machine, "B", 2, 1).await;
    let role = three_steps(&admin, &own.agent, "客服").await;

    // The list, as endpoints.json has it and more.
    let asked = json!({"category": "role", "target": "客服", "page": "1", "pageSize": "10"});
    let page = admin.ok("GET", LOGS, asked).await;
    assert_eq!((&page["count"], &page["capped"], &page["next"]), (&json!(3), &json!(false), &Value::Null));
    let rows = &page["rows"];
    assert_eq!(texts(rows, "action"), ["role.disabled", "role.changed", "role.created"]);
    assert_eq!(texts(rows, "actionLabel"), ["停用角色", "修改角色", "新增角色"]);
    assert_eq!(texts(rows, "detail")[0], "状态：启用 → 停用");
    let newest = &rows[0];
    assert_eq!((&newest["name"], &newest["phone"]), (&json!("超级管理员"), &json!("138****0000")));
    assert_eq!((&newest["target"], &newest["targetId"]), (&json!("角色 客服"), &json!(role)));
    assert_eq!(
        (&newest["result"], &newest["resultLabel"], &newest["ip"]),
        (&json!(1), &json!("成功"), &json!("127.0.0.1"))
    );
    assert_eq!(newest["agentId"], own.agent);
    let time = newest["time"].as_i64().unwrap();
    assert!(time > 1_700_000_000_000 && !newest["traceId"].as_str().unwrap().is_empty());
    let by_phone = admin.ok("GET", LOGS, json!({"opManId": ADMIN, "action": "role.disabled"})).await;
    assert_eq!(by_phone["rows"][0], *newest);
    let later = json!({"category": "role", "startTime": (time + 1).to_string()});
    assert_eq!(admin.ok("GET", LOGS, later).await["count"], 0);

    // One row whole: what changed, in the words of the form.
    let changed = rows[1]["position"].as_i64().unwrap();
    let row = admin.ok("GET", &format!("{LOGS}/{changed}"), json!({})).await;
    let changes = row["changes"].as_array().unwrap();
    assert_eq!(texts(&row["changes"], "label"), ["备注", "权限"]);
    assert_eq!((&changes[1]["added"], &changes[1]["removed"]), (&json!(["用户订单"]), &json!([])));

    // Its history, and what it was after each step.
    let history = admin.ok("GET", HISTORY, json!({"category": "role", "id": role})).await;
    assert_eq!((&history["count"], &history["name"]), (&json!(3), &json!("客服")));
    assert_eq!(texts(&history["rows"], "action"), ["role.disabled", "role.changed", "role.created"]);
    assert_eq!(history["rows"][0]["actor"]["name"], "超级管理员");
    let expected = [("停用", "夜班", 2), ("启用", "夜班", 2), ("启用", "（空）", 1)];
    for (step, (state, remark, codes)) in history["rows"].as_array().unwrap().iter().zip(expected) {
        let at = json!({"category": "role", "id": role, "position": step["position"].to_string()});
        let moment = admin.ok("GET", &format!("{HISTORY}/at"), at).await;
        assert_eq!(told(&moment["state"], "enabled"), state);
        assert_eq!(told(&moment["state"], "name"), "客服");
        assert_eq!(told(&moment["state"], "remark"), if remark == "（空）" { "" } else { remark });
        let held = moment["state"].as_array().unwrap().iter().find(|one| one["field"] == "codes").unwrap();
        assert_eq!(held["items"].as_array().unwrap().len(), codes);
        assert_eq!(moment["step"]["position"], step["position"]);
    }

    // An auditor of the same agent sees all three; one of another sees nothing and finds nothing.
    let auditors = admin.new_role("审计", &["1404".to_owned()]).await;
    admin.new_operator("13700000011", &[&auditors], &own.agent).await;
    admin.new_operator("13700000012", &[&auditors], &other.agent).await;
    admin.new_operator("13700000013", &[], "0").await;
    let near = Browser::signed_in(&node.url, "13700000011").await;
    assert_eq!(
        texts(&near.ok("GET", LOGS, json!({"target": role})).await["rows"], "name"),
        ["超级管理员"; 3]
    );
    let far = Browser::signed_in(&node.url, "13700000012").await;
    let seen = far.ok("GET", LOGS, json!({"pageSize": "200"})).await;
    assert!(!seen.to_string().contains(&role) && !seen.to_string().contains(&own.agent), "{seen}");
    assert_eq!(far.call("GET", &format!("{LOGS}/{changed}"), json!({})).await.code(), "not-found");
    let of_theirs = json!({"category": "role", "id": role, "position": changed.to_string()});
    for path in [HISTORY.to_owned(), format!("{HISTORY}/at")] {
        assert_eq!(far.call("GET", &path, of_theirs.clone()).await.code(), "not-found", "{path}");
    }
    let found =
        far.ok("GET", "/platform/aliyunlog/subjects", json!({"category": "role", "keyword": ""})).await;
    assert_eq!(found, json!([]));

    // No session: 401; without 1404: 403.
    let at = format!("{}{LOGS}", wire::BASE);
    assert_eq!(plain(&node.url, "GET", &at, &[], None).await.unwrap().status, 401);
    let nobody = Browser::signed_in(&node.url, "13700000013").await;
    assert_eq!(nobody.call("GET", LOGS, json!({})).await.status, 403);

    // What he may not do is known as well.
    assert_eq!(nobody.call("POST", ROLE, json!({})).await.status, 403);
    eventually("the forbidden command", Duration::from_mins(1), async || {
        let rows =
            admin.ok("GET", LOGS, json!({"opManId": "13700000013", "result": "2"})).await["rows"].clone();
        let told = rows[0]["target"] == "POST /platform/permission/role" && rows[0]["name"] == "王芳";
        (told && rows.as_array().unwrap().len() == 1).then_some(())
    })
    .await;
}

async fn events(owner: &PgPool) -> i64 {
    sqlx::query_scalar("select count(*) from log.events").fetch_one(owner).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn api_055_exports_views_of_masked_data_and_refused_commands_stand_in_the_same_list() {
    let (stack, node) = Stack::serving().await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let role = three_steps(&admin, "0", "客服").await;
    let access = "/platform/aliyunlog/access";
    let export =
        json!({"kind": "export", "what": "operator", "filter": {"keyword": "13812348888"}, "rows": 12});
    admin.ok("POST", access, export).await;
    admin.ok("POST", access, json!({"kind": "unmask", "what": "ally.phone", "target": "77"})).await;
    let of_records = json!({"category": "access-record"});
    let rows = admin.ok("GET", LOGS, of_records.clone()).await["rows"].clone();
    assert_eq!(texts(&rows, "actionLabel"), ["查看脱敏信息", "导出数据"]);
    assert_eq!(texts(&rows, "target"), ["ally.phone 77", "operator"]);
    let detail = admin.ok("GET", &format!("{LOGS}/{}", rows[1]["position"]), json!({})).await;
    assert_eq!(
        detail["access"],
        json!({"kind": "export", "what": "operator", "target": "", "filter": {"keyword": "138****8888"},
            "rows": 12, "code": "", "reason": ""})
    );
    let nameless = json!({"kind": "export", "what": " ", "rows": 1});
    assert_eq!(admin.call("POST", access, nameless).await.code(), "record-bad-name");

    // A refused command appends no event, and is known all the same.
    let owner = stack.owner().await;
    let before = events(&owner).await;
    let stale = json!({"id": role, "name": "客服", "tier": 2, "remark": "", "codes": ["0401"], "version": 1});
    assert_eq!(admin.call("PUT", ROLE, stale).await.code(), "stale-version");
    let refused = json!({"result": "2", "action": "access-record.refused"});
    let rows = eventually("the refusals", Duration::from_mins(1), async || {
        let rows = admin.ok("GET", LOGS, refused.clone()).await["rows"].clone();
        (rows.as_array().unwrap().len() == 2).then_some(rows)
    })
    .await;
    assert_eq!(events(&owner).await, before, "nothing was appended");
    assert_eq!(texts(&rows, "target"), ["PUT /platform/permission/role", &format!("POST {access}")]);
    assert_eq!((&rows[0]["resultLabel"], &rows[0]["name"]), (&json!("被拒绝"), &json!("超级管理员")));
    assert!(rows[0]["detail"].as_str().unwrap().contains("请刷新后重试"), "{}", rows[0]);
    let position = rows[0]["position"].as_i64().unwrap();
    let detail = admin.ok("GET", &format!("{LOGS}/{position}"), json!({})).await;
    assert_eq!(
        (&detail["access"]["kind"], &detail["access"]["code"]),
        (&json!("refused"), &json!("stale-version"))
    );

    // Both kinds of line in one list, page by page, none twice and none missing.
    let all = admin.ok("GET", LOGS, json!({"pageSize": "200"})).await;
    let all: Vec<i64> =
        all["rows"].as_array().unwrap().iter().map(|row| row["position"].as_i64().unwrap()).collect();
    let (mut walked, mut next) = (Vec::new(), Value::Null);
    loop {
        let mut asked = json!({"pageSize": "3"});
        if !next.is_null() {
            asked["before"] = json!(next.to_string());
        }
        let page = admin.ok("GET", LOGS, asked).await;
        let rows = page["rows"].as_array().unwrap();
        walked.extend(rows.iter().map(|row| row["position"].as_i64().unwrap()));
        next = page["next"].clone();
        if next.is_null() {
            break;
        }
    }
    assert_eq!(walked, all);
    assert!(all.contains(&position) && all.len() > 6, "{all:?}");

    // What is in the log gives the same rows again.
    let tables = "select string_agg(t::text, e'\\n' order by position) from read.audit_entry t";
    let lived: String = sqlx::query_scalar(tables).fetch_one(&owner).await.unwrap();
    stack.told(&["rebuild", "audit"]).await;
    let rebuilt: String = sqlx::query_scalar(tables).fetch_one(&owner).await.unwrap();
    assert_eq!(rebuilt, lived);
    assert_eq!(admin.ok("GET", LOGS, of_records).await["count"], 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_event_of_the_runtime_has_a_chinese_name_in_the_log() {
    let (stack, node) = Stack::serving().await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "C", 1, 1).await;
    let lock = json!({"carId": city.bikes[0].car, "action": "lock", "reason": "", "requestId": "r-1"});
    admin.ok("POST", "/device/lock", lock).await;
    let log = admin.ok("GET", LOGS, json!({"pageSize": "200"})).await;
    let rows = log["rows"].as_array().unwrap();
    let in_chinese = |row: &Value, label: &str| {
        let text = row[label].as_str().unwrap();
        assert!(text.chars().any(|c| c > '\u{3000}'), "{label} of {row}");
    };
    for row in rows {
        in_chinese(row, "actionLabel");
        in_chinese(row, "categoryLabel");
    }
    let commanded = rows.iter().find(|row| row["category"] == "device-command").expect("the command");
    assert_eq!(commanded["target"], format!("设备指令 关锁 {}", city.bikes[0].car));
    assert!(rows.iter().all(|row| row["actorKind"] == 1), "the log is of people");
    let machines = json!({"actorKind": "2", "result": "1"});
    assert_eq!(admin.ok("GET", LOGS, machines).await["count"], 0);
    // What the machine did is in the history of each thing that it made.
    for category in ["agent", "area", "fence", "vehicle", "device"] {
        let subjects = admin.ok("GET", "/platform/aliyunlog/subjects", json!({"category": category})).await;
        let found = subjects.as_array().unwrap().last().expect("the machine made one");
        let history = admin.ok("GET", HISTORY, json!({"category": category, "id": found["id"]})).await;
        let steps = history["rows"].as_array().unwrap();
        for step in steps {
            in_chinese(step, "actionLabel");
        }
        let made = &steps.last().expect("it was made")["actor"];
        assert_eq!((&made["kind"], &made["name"]), (&json!(2), &json!("city")), "{category}");
    }
    let options = admin.ok("GET", "/platform/aliyunlog/actions", json!({})).await;
    let known = |category: &Value| {
        let all = options["categories"].as_array().unwrap();
        all.iter().any(|one| one["category"] == *category)
    };
    assert!(rows.iter().all(|row| known(&row["category"])), "what is shown can be filtered by");
}
