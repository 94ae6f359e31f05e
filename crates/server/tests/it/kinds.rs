//! Each kind of people that the product is for signs in with phone and code, and reaches what is his and no more.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::city::City;
use crate::client::{Browser, Machine};
use crate::stack::{ADMIN, Stack};

const ROLES: &str = "/platform/permission/role";
const PEOPLE: &str = "/platform/permission/user";

/// An account of a kind, and what its pages ask the server for.
struct Kind {
    row: &'static str,
    name: &'static str,
    phone: &'static str,
    /// Bits: 1 administration, 2 operations, 4 maintenance.
    level: u8,
    codes: &'static [&'static str],
    /// Whose people they are; the platform's own have none.
    agent: Option<String>,
    areas: Vec<String>,
    opens: &'static [&'static str],
    closed: &'static [&'static str],
    /// How many bikes of two cities with two and three he sees.
    bikes: u64,
}

const BIKES: &str = "/vehicle/query";
const AGENTS: &str = "/platform/agent/account";
const LOGS: &str = "/platform/aliyunlog/actions";

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

async fn reaches(admin: &Browser, kind: &Kind) {
    let Kind { row, name, phone, .. } = kind;
    let agent = kind.agent.as_deref().unwrap_or("0");
    let role = json!({"name": name, "tier": kind.level, "remark": "", "codes": kind.codes, "state": 1, "agentId": agent});
    let role = text(&admin.ok("POST", ROLES, role).await["id"]);
    let person = json!({"phone": phone, "name": "王芳", "level": kind.level, "roleIds": [role], "agentId": agent,
        "opAreaIds": kind.areas, "state": 1});
    admin.ok("POST", PEOPLE, person).await;

    // Device, keys, code, phone, login: the steps of the login page.
    let browser = Browser::signed_in(&admin.url, phone).await;
    let held = browser.ok("GET", "/platform/permission/allCode", json!({"opManId": phone})).await;
    let held: BTreeSet<&str> = held.as_array().expect("codes").iter().filter_map(Value::as_str).collect();
    assert_eq!(held, kind.codes.iter().copied().collect(), "{row} {name}");
    for path in kind.opens {
        let reply = browser.call("GET", path, json!({})).await;
        assert_eq!(
            (reply.status, &reply.body["suc"]),
            (200, &json!(true)),
            "{row} {name} {path}: {}",
            reply.body
        );
    }
    for path in kind.closed {
        let reply = browser.call("GET", path, json!({})).await;
        assert_eq!(
            (reply.status, &reply.body["error"]["code"]),
            (403, &json!("forbidden")),
            "{row} {name} {path}"
        );
    }
    let seen = browser.ok("GET", BIKES, json!({"pageSize": "200"})).await;
    assert_eq!(seen["count"], json!(kind.bikes), "{row} {name}: {seen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn prod_001_002_003_004_005_each_kind_of_account_signs_in_and_reaches_what_is_permitted() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let one = City::build(&machine, "A", 1, 2).await;
    City::build(&machine, "B", 2, 3).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;

    // A franchisee of one area of the agent; its people are the agent's, cut to that area.
    let franchisee = json!({"agentId": one.agent, "company": "湖里加盟商", "contact": "陈伟", "phone": "13712340000",
        "licenseNo": "", "legalPerson": "", "serviceAreaIds": [one.area], "remark": "", "depositPaid": 0,
        "divideRatioBp": 100});
    admin.ok("POST", "/platform/agent/allyInfo", franchisee).await;
    let office: &[&str] = &["01", "03", "0302", "10", "1001", "1002", "11", "1101", "14", "1404"];
    for kind in [
        Kind {
            row: "PROD-001",
            name: "平台管理员",
            phone: "13700000051",
            level: 1,
            codes: office,
            agent: None,
            areas: vec![],
            opens: &[ROLES, PEOPLE, AGENTS, LOGS],
            closed: &["/platform/agent/role", "/platform/agent/serviceArea"],
            bikes: 5,
        },
        Kind {
            row: "PROD-002",
            name: "运营",
            phone: "13700000052",
            level: 2,
            codes: &["03", "0301", "0302"],
            agent: None,
            areas: vec![],
            opens: &["/fence/map", BIKES],
            closed: &[ROLES, PEOPLE, AGENTS, LOGS],
            bikes: 5,
        },
        Kind {
            row: "PROD-003",
            name: "运维",
            phone: "13700000053",
            level: 4,
            codes: &["03", "0302", "0305"],
            agent: Some(one.agent.clone()),
            areas: vec![one.area.clone()],
            opens: &[BIKES],
            closed: &["/fence/map", ROLES, PEOPLE, AGENTS, LOGS],
            bikes: 2,
        },
        Kind {
            row: "PROD-004",
            name: "加盟商",
            phone: "13700000054",
            level: 2,
            codes: &["03", "0302", "11", "1101"],
            agent: Some(one.agent.clone()),
            areas: vec![one.area.clone()],
            opens: &[BIKES, "/platform/agent/allyInfo"],
            closed: &[ROLES, PEOPLE, LOGS],
            bikes: 2,
        },
        Kind {
            row: "PROD-005",
            name: "代理商",
            phone: "13700000055",
            level: 1,
            codes: office,
            agent: Some(one.agent.clone()),
            areas: vec![],
            opens: &[ROLES, PEOPLE, AGENTS, "/platform/agent/allyInfo"],
            closed: &["/platform/agent/role", "/platform/agent/serviceArea"],
            bikes: 2,
        },
    ] {
        reaches(&admin, &kind).await;
    }
}
