//! Payment accounts by the real binary: what an account opens, at once; who did what with it; the stand-in's page.

use serde_json::{Value, json};

use crate::city::City;
use crate::client::{Browser, Machine, Reply};
use crate::exports::{file, lines};
use crate::screen::Screen;
use crate::stack::{ADMIN, SMS_CODE, Stack};

const STATE: &str = "/Pay/customer/state";
const LIST: &str = "/Pay/customer/list";
const LOGS: &str = "/platform/aliyunlog/userlogs";

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("text: {value}")).to_owned()
}

fn data(reply: &Reply) -> Value {
    assert_eq!((reply.status, &reply.body["success"]), (200, &json!(true)), "{}", reply.body);
    reply.body["data"].clone()
}

async fn yes(browser: &Browser, method: &str, path: &str, content: Value) -> Value {
    data(&browser.call(method, path, content).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn gate_001_fin_034_what_an_account_opens_is_open_on_the_next_call_and_stands_in_the_log() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "A", 1, 0).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let codes: Vec<String> =
        ["financial", "financial_02", "financial_03", "financial_06"].map(str::to_owned).to_vec();
    let role = admin.new_role("财务", &codes).await;
    admin.new_operator("13700000051", &[&role], &city.agent).await;
    let clerk = Browser::signed_in(&node.url, "13700000051").await;
    let mut screen = Screen::open(&clerk).await;
    screen.watch("read/payment_account").await;
    screen.until("watching", |s| s.texts.iter().any(|text| text["topic"] == "read/payment_account")).await;

    let body = json!({"agentId": city.agent, "accountType": 1, "customerName": "厦门骑行科技",
        "certNo": "91350100M000100Y43", "contact": "陈建国", "phone": "13900000009"});
    let account = text(&yes(&clerk, "POST", "/Pay/customer/openAccount", body).await["accountId"]);
    screen
        .until("the page hears of it", |s| s.texts.iter().any(|text| text.to_string().contains(&account)))
        .await;

    // The directory remembers for a second: every change counts on the very next call all the same.
    let turns = [
        (json!({"status": 2, "accountLevel": 1}), 200),
        (json!({"status": 4, "reason": "风控"}), 403),
        (json!({"status": 2, "reason": "误报"}), 200),
        (json!({"status": 4, "reason": "再查"}), 403),
        (json!({"status": 2, "reason": "查清"}), 200),
    ];
    for (version, (more, status)) in (1..).zip(turns) {
        let before = if status == 200 { 403 } else { 200 };
        assert_eq!(clerk.call("GET", LIST, json!({})).await.status, before, "{more}");
        let mut body = json!({"accountId": account, "version": version});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        yes(&admin, "PUT", STATE, body).await;
        assert_eq!(clerk.call("GET", LIST, json!({})).await.status, status, "{more}");
    }
    let shown = yes(&clerk, "GET", LIST, json!({"keyword": "A 出行"})).await;
    assert_eq!((&shown["total"], &shown["records"][0]["agentName"]), (&json!(1), &json!("A 出行有限公司")));

    // A card by the system's SMS; the password on the page that stands in.
    let card = json!({"accountId": account, "cardNo": "4111111111111111", "bankMobile": "13900000008",
        "bankName": "中国工商银行", "holder": "陈建国", "idNo": "11010519491231002X"});
    let bind = yes(&clerk, "POST", "/Pay/customer/bindCard", card).await["bindId"].clone();
    yes(&clerk, "POST", "/Pay/customer/bindCardCheck", json!({"bindId": bind, "smsCode": SMS_CODE})).await;
    let asked = json!({"callType": "B_MODIFY"});
    let link = text(&yes(&clerk, "POST", "/Pay/customer/modifyPwd", asked).await["redirectUrl"]);
    let http = reqwest::Client::new();
    let page = http.get(format!("{}{link}", node.url)).send().await.unwrap();
    assert_eq!(page.status(), 200);
    assert!(page.headers()["content-security-policy"].to_str().unwrap().contains("form-action 'self'"));
    assert!(page.text().await.unwrap().contains("完成</button>"));
    let (at, ticket) = link.split_once("?ticket=").unwrap();
    let pressed = http
        .post(format!("{}{at}", node.url))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(format!("ticket={ticket}"))
        .send();
    assert_eq!(pressed.await.unwrap().status(), 200);
    let detail = yes(&clerk, "GET", "/Pay/customer/detail", json!({ "accountId": account })).await;
    assert_eq!((&detail["payPasswordSet"], &detail["cards"][0]["state"]), (&json!(true), &json!(1)));

    let export = lines(&file(&clerk, LIST, "columns=customerName,status,certNo").await);
    assert_eq!(export, ["客户名称,状态,证件号", "厦门骑行科技,正常,**************0Y43"]);

    // Who did what, in Chinese and without whole numbers.
    let log = admin.ok("GET", LOGS, json!({"category": "payment-account", "pageSize": "200"})).await;
    let rows = log["rows"].as_array().unwrap();
    let mut told: Vec<(String, String)> =
        rows.iter().map(|row| (text(&row["actionLabel"]), text(&row["name"]))).collect();
    told.reverse();
    let told: Vec<(&str, &str)> =
        told.iter().map(|(action, name)| (action.as_str(), name.as_str())).collect();
    assert_eq!(
        told,
        [
            ("申请开户", "王芳"),
            ("登记开户成功", "超级管理员"),
            ("冻结支付账户", "超级管理员"),
            ("解冻支付账户", "超级管理员"),
            ("冻结支付账户", "超级管理员"),
            ("解冻支付账户", "超级管理员"),
            ("申请绑卡", "王芳"),
            ("绑卡成功", "王芳"),
            ("申请修改支付密码", "王芳"),
            ("设置支付密码", "王芳"),
        ]
    );
    let mut details = String::new();
    for row in rows {
        let position = row["position"].as_i64().unwrap();
        details.push_str(&admin.ok("GET", &format!("{LOGS}/{position}"), json!({})).await.to_string());
    }
    for word in ["开户名称", "银行卡号", "已绑定", "冻结", "一级（平台）", "中国工商银行"]
    {
        assert!(details.contains(word), "{word}: {details}");
    }
    for secret in [
        "91350100M000100Y43",
        "13900000009",
        "13900000008",
        "4111111111111111",
        "11010519491231002X",
        "陈建国",
    ] {
        assert!(!details.contains(secret) && !log.to_string().contains(secret), "{secret}");
    }

    // What is in the log gives the same rows again.
    let owner = stack.owner().await;
    let tables = "select (select string_agg(t::text, ';' order by account_id) from read.payment_account t)
        || (select string_agg(t::text, ';' order by card_id) from read.payment_card t)";
    let lived: String = sqlx::query_scalar(tables).fetch_one(&owner).await.unwrap();
    stack.told(&["rebuild", "payment_account"]).await;
    let rebuilt: String = sqlx::query_scalar(tables).fetch_one(&owner).await.unwrap();
    assert_eq!(rebuilt, lived);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stand_in_is_refused_in_production() {
    let stack = Stack::start().await;
    let mut serve = stack.command(&["serve"]);
    serve
        .env("WHEELHOUSE_PROFILE", "production")
        .env("PAY_ADAPTER", "stand-in")
        .env("SMS_ADAPTER", "http")
        .env("SMS_GATEWAY_URL", "http://127.0.0.1:9/sms")
        .env_remove("SMS_FIXED_CODE");
    let output = tokio::task::spawn_blocking(move || serve.output()).await.unwrap().expect("the binary runs");
    assert!(!output.status.success());
    let said = crate::stack::said(&output);
    assert!(said.contains("PAY_ADAPTER=stand-in"), "{said}");
}
