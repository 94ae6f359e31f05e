//! A list as a file: made by the server, cut to what its taker may see, and on record before it leaves.

use serde_json::{Value, json};
use wire::BASE;

use crate::city::City;
use crate::client::{Browser, Machine, Reply, plain};
use crate::stack::{ADMIN, Stack};

const LOGS: &str = "/platform/aliyunlog/userlogs";
const ROLE: &str = "/platform/permission/role";
const FRANCHISEE: &str = "/platform/agent/allyInfo";
const USER: &str = "/platform/permission/user";
const ACCOUNT: &str = "/platform/agent/account";
const TEMPLATE: &str = "/platform/agent/role";
const AREA: &str = "/platform/agent/serviceArea";
/// The whole of time that one file may cover, around now.
const DAY_MS: i64 = 86_400_000;

/// The file of the list at `path`.
pub async fn file(browser: &Browser, path: &str, query: &str) -> Reply {
    taken(browser, &format!("{path}/export?{query}")).await
}

/// A file as a browser takes it.
pub async fn taken(browser: &Browser, path: &str) -> Reply {
    let bearer = format!("Bearer {}", browser.token.as_deref().expect("signed in"));
    let headers = [
        ("_t", browser.session.t.0.as_str()),
        ("authorization", bearer.as_str()),
        ("x-seen", "9223372036854775807"),
    ];
    plain(&browser.url, "GET", &format!("{BASE}{path}"), &headers, None).await.unwrap()
}

/// Its lines, the head first.
pub fn lines(reply: &Reply) -> Vec<String> {
    assert_eq!(reply.status, 200, "{}", reply.body);
    let text = reply.body.as_str().expect("a file");
    let text = text.strip_prefix('\u{feff}').expect("marked as UTF-8");
    text.strip_suffix("\r\n").expect("whole lines").split("\r\n").map(str::to_owned).collect()
}

/// The newest record of an export of `what`, and how many there are.
pub async fn recorded(admin: &Browser, what: &str) -> (Value, i64) {
    let asked = json!({"action": "access-record.exported", "target": what, "pageSize": "200"});
    let page = admin.ok("GET", LOGS, asked).await;
    let Some(newest) = page["rows"][0]["position"].as_i64() else { return (Value::Null, 0) };
    let detail = admin.ok("GET", &format!("{LOGS}/{newest}"), json!({})).await;
    (detail, page["count"].as_i64().unwrap())
}

fn span(now_ms: i64, days: i64) -> String {
    format!("startTime={}&endTime={}", now_ms - (days - 1) * DAY_MS, now_ms + DAY_MS)
}

#[tokio::test(flavor = "multi_thread")]
async fn api_055_an_export_is_made_by_the_server_cut_to_the_takers_scope_and_recorded() {
    let (stack, node) = Stack::serving().await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let own = City::build(&machine, "A", 1, 1).await;
    let other = City::build(&machine, "B", 2, 1).await;
    let named = |name: &str, agent: &str| json!({"name": name, "tier": 2, "remark": "", "codes": ["0401"], "state": 1, "agentId": agent});
    admin.ok("POST", ROLE, named("=1+1", &own.agent)).await;
    admin.ok("POST", ROLE, named("远处", &other.agent)).await;
    let auditors = admin.new_role("审计", &["1404", "1103", "1002", "1101"].map(str::to_owned)).await;
    admin.new_operator("13700000021", &[&auditors], &own.agent).await;
    admin.new_operator("13700000022", &[], "0").await;
    let near = Browser::signed_in(&node.url, "13700000021").await;
    let nobody = Browser::signed_in(&node.url, "13700000022").await;
    let newest = admin.ok("GET", LOGS, json!({"pageSize": "1"})).await["rows"][0].clone();
    let now = newest["time"].as_i64().unwrap();

    // Everything of one kind, with a head, and no cell that a spreadsheet would compute.
    let query = format!("{}&category=role&action=role.created&opManId={ADMIN}", span(now, 2));
    let reply = file(&admin, LOGS, &query).await;
    let all = lines(&reply);
    let head = "时间,操作人,操作,对象,结果,内容,来源地址,操作人编号,对象编号,代理商编号,追踪编号";
    assert_eq!(all[0], head);
    assert!(all.iter().any(|line| line.contains("角色 远处")), "{all:?}");
    assert!(!all.iter().any(|line| line.contains(ADMIN)), "phones are masked: {all:?}");
    let (record, count) = recorded(&admin, "operator-log").await;
    assert_eq!(count, 1);
    assert_eq!((&record["name"], &record["result"]), (&json!("超级管理员"), &json!(1)));
    assert_eq!(record["access"]["kind"], "export");
    assert_eq!(record["access"]["rows"].as_i64().unwrap(), all.len() as i64 - 1, "{record}");
    let filter = &record["access"]["filter"];
    assert_eq!((&filter["category"], &filter["action"]), (&json!("role"), &json!("role.created")));
    assert_eq!(filter["opManId"], "138****0000", "a phone in a filter is masked");
    let chosen = lines(&file(&admin, LOGS, &format!("{query}&columns=target,action")).await);
    assert_eq!(chosen[0], "操作,对象");

    // One of an agent gets what is his, and it is on record that he took it.
    let his = lines(&file(&near, LOGS, &format!("{}&category=role", span(now, 2))).await);
    assert!(his.len() > 1 && !his.iter().any(|line| line.contains("远处")), "{his:?}");
    assert!(his.iter().skip(1).all(|line| line.contains(&own.agent)), "{his:?}");
    assert_eq!(recorded(&admin, "operator-log").await.0["name"], "王芳");

    // What is too wide, or asks for a column that is none, leaves nothing; a file of nothing is one as well.
    let before = recorded(&admin, "operator-log").await.1;
    assert_eq!(file(&admin, LOGS, &span(now, 40)).await.code(), "export-span");
    assert_eq!(file(&admin, LOGS, "").await.code(), "export-span");
    assert_eq!(file(&admin, LOGS, &format!("{}&columns=secret", span(now, 2))).await.status, 400);
    assert_eq!(recorded(&admin, "operator-log").await.1, before);
    let nothing = format!("{}&target=%E6%B2%A1%E6%9C%89", span(now, 2));
    assert_eq!(lines(&file(&admin, LOGS, &nothing).await), [head], "the head alone");
    assert_eq!(recorded(&admin, "operator-log").await.0["access"]["rows"], 0);

    // Without the code nothing leaves and nothing is said to have left.
    for path in [LOGS, ROLE, USER, AREA, ACCOUNT, TEMPLATE, FRANCHISEE] {
        assert_eq!(file(&nobody, path, &span(now, 2)).await.status, 403, "{path}");
        let bare = plain(&node.url, "GET", &format!("{BASE}{path}/export"), &[], None).await.unwrap();
        assert_eq!(bare.status, 401, "{path}");
    }

    // The other lists alike.
    let roles = lines(&file(&admin, ROLE, "keyword=%3D").await);
    assert_eq!(roles[0], "角色名称,级别,状态,权限数,可见车辆,关联用户,备注,更新人,更新时间,角色编号");
    assert!(roles.len() == 2 && roles[1].starts_with("'=1+1,运营,启用,1,全部,0,,超级管理员,"), "{roles:?}");
    assert_eq!(recorded(&admin, "role").await.0["access"]["filter"], json!({"keyword": "="}));
    let people = lines(&file(&near, USER, "columns=name,phone,reach").await);
    assert_eq!(people, ["姓名,手机号,数据范围", "王芳,137****0021,1 个代理商 · 全部服务区"]);
    assert_eq!(recorded(&admin, "user").await.0["name"], "王芳");
    let agents = lines(&file(&admin, ACCOUNT, "columns=agentId").await);
    assert!(agents.contains(&own.agent) && agents.contains(&other.agent), "{agents:?}");
    let agents = lines(&file(&near, ACCOUNT, "columns=agentId").await);
    assert_eq!(agents, ["代理编号", &own.agent]);
    assert_eq!(recorded(&admin, "agent-account").await.1, 2);
    assert_eq!(lines(&file(&admin, TEMPLATE, "columns=name").await)[0], "模板名称");
    let franchisees = lines(&file(&admin, FRANCHISEE, "columns=company,phone").await);
    assert_eq!(franchisees, ["公司,联系电话"]);
    assert_eq!(recorded(&admin, "ally").await.0["access"]["rows"], 0);
    let areas = lines(&file(&near, AREA, "keyword=&columns=name,id").await);
    assert_eq!(areas[0], "服务区,服务区编号");
    assert!(areas.len() > 1 && areas.iter().any(|line| line.contains(&own.area)), "{areas:?}");
    assert!(!areas.iter().any(|line| line.contains(&other.area)), "{areas:?}");
    let (record, count) = recorded(&admin, "service-area").await;
    assert_eq!((count, record["access"]["rows"].as_i64()), (1, Some(areas.len() as i64 - 1)), "{record}");
}
