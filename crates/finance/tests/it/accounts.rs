//! Accounts: applied for, recorded by the platform, found; and what they open.

use serde_json::{Value, json};

use crate::runtime::{
    BARE, CLERK, CREDIT, IDENTITY, PLATFORM, STRANGER, TestRuntime, application, card, closed, text, with,
};

const OPEN: &str = "/Pay/customer/openAccount";
const STATE: &str = "/Pay/customer/state";
const INFO: &str = "/Pay/customer/getAccountInfo";
const LIST: &str = "/Pay/customer/list";
const DETAIL: &str = "/Pay/customer/detail";
const CHOICES: &str = "/Pay/customer/accountList";
const BY_NAME: &str = "/Pay/customer/getAccountByTenantName";
const UNKNOWN: &str = "账户不存在";

#[tokio::test(flavor = "multi_thread")]
async fn fin_034_an_account_is_applied_for_once_and_again_when_it_was_not_opened() {
    let runtime = TestRuntime::new().await;
    closed(&runtime, "POST", OPEN).await;
    let clerk = runtime.signed_in(CLERK).await;
    for (change, words) in [
        (json!({"agentId": "3"}), "代理不存在或已停用"),
        (json!({"agentId": "77"}), "代理不存在或已停用"),
        (json!({"accountType": 0}), "身份证号不正确：应为 18 位，且校验位正确"),
        (json!({"customerName": ""}), "开户名称需 1 到 64 个字，不能含有 *"),
        (json!({"contact": "陈**"}), "联系人需 1 到 20 个字，不能含有 *"),
        (json!({"phone": "12900000009"}), "手机号格式不正确"),
    ] {
        assert_eq!(clerk.no("POST", OPEN, with(application("2"), &change)).await, words, "{change}");
    }
    let wrong = with(application("2"), &json!({"certNo": "91350100M000100Y44"}));
    assert!(clerk.no("POST", OPEN, wrong).await.starts_with("统一社会信用代码不正确"));
    let strange = with(application("2"), &json!({"accountType": 3}));
    assert_eq!(clerk.status("POST", OPEN, strange).await, 400);
    let platform = runtime.signed_in(PLATFORM).await;
    assert_eq!(platform.no("POST", OPEN, application("4")).await, "代理不存在或已停用", "it is disabled");

    // Done once, however often it is sent.
    let (status, first) = clerk.keyed("POST", OPEN, application("2"), Some("open-1")).await;
    assert_eq!((status, &first["data"]["status"]), (200, &json!(1)), "{first}");
    let account = text(&first["data"]["accountId"]);
    assert_eq!(clerk.keyed("POST", OPEN, application("2"), Some("open-1")).await.1, first);
    assert_eq!(clerk.no("POST", OPEN, application("2")).await, "开户申请审核中，请等待结果");
    assert_eq!(runtime.events(&account).await, ["payment-account.applied"]);
    let shown = clerk.detail(&account).await;
    let expected = json!({"id": account, "agentId": "2", "agentName": "厦门骑行有限公司", "parentAccountId": null,
        "accountLevel": null, "accountType": 1, "customerName": "骑行科技", "certNoMasked": "**************0Y43",
        "contact": "陈**", "phoneMasked": "139****0009", "status": 1, "authStatus": 0, "failReason": null,
        "payPasswordSet": false, "openedAt": null, "changedAt": 1_800_000_000_000_i64, "version": 1, "cards": []});
    assert_eq!(shown, expected);

    // Not opened: the same call sends the corrected application.
    let refused = json!({"accountId": account, "version": 1, "status": 3, "reason": "证件照片不清晰"});
    platform.ok("PUT", STATE, refused).await;
    let shown = clerk.detail(&account).await;
    assert_eq!((&shown["status"], &shown["failReason"]), (&json!(3), &json!("证件照片不清晰")));
    let again = with(
        application("2"),
        &json!({"accountType": 0, "customerName": "王芳", "certNo": IDENTITY.to_lowercase(), "contact": "王芳"}),
    );
    assert_eq!(clerk.ok("POST", OPEN, again).await, json!({"accountId": account, "status": 1}));
    let shown = clerk.detail(&account).await;
    assert_eq!((&shown["status"], &shown["failReason"]), (&json!(1), &Value::Null));
    assert_eq!(
        (&shown["accountType"], &shown["customerName"], &shown["certNoMasked"]),
        (&json!(0), &json!("王芳"), &json!("**************002X"))
    );
    platform
        .ok("PUT", STATE, json!({"accountId": account, "version": 3, "status": 2, "accountLevel": 2}))
        .await;
    assert_eq!(clerk.no("POST", OPEN, application("2")).await, "该代理商已开户");

    // Whole numbers, names and phones lie sealed in the log alone.
    for table in ["read.payment_account", "log.requests", "log.events"] {
        let all = runtime.lies_in(table).await;
        for secret in [CREDIT, IDENTITY, "13900000009", "陈建国"] {
            assert!(!all.contains(secret), "{table} holds {secret}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_platform_alone_records_what_became_of_an_account_and_nobody_over_anothers_change() {
    let runtime = TestRuntime::new().await;
    closed(&runtime, "PUT", STATE).await;
    let (platform, clerk) = (runtime.signed_in(PLATFORM).await, runtime.signed_in(CLERK).await);
    let account = text(&clerk.ok("POST", OPEN, application("2")).await["accountId"]);
    let to = |version: i64, more: Value| with(json!({"accountId": account, "version": version}), &more);
    let opened = to(1, json!({"status": 2, "accountLevel": 1}));
    assert_eq!(clerk.no("PUT", STATE, opened.clone()).await, "仅平台可登记开户结果");
    assert_eq!(platform.no("PUT", STATE, to(1, json!({"status": 2}))).await, "请选择账户等级：1 或 2");
    assert_eq!(platform.status("PUT", STATE, to(1, json!({"status": 2, "accountLevel": 3}))).await, 400);
    assert_eq!(platform.status("PUT", STATE, to(1, json!({"status": 6}))).await, 400);
    assert_eq!(platform.no("PUT", STATE, to(1, json!({"status": 3}))).await, "请填写原因，最多 200 个字");
    let elsewhere = json!({"accountId": "77", "version": 1, "status": 2, "accountLevel": 1});
    assert_eq!(platform.no("PUT", STATE, elsewhere).await, UNKNOWN);

    let before = runtime.told.times();
    platform.ok("PUT", STATE, opened.clone()).await;
    assert!(runtime.told.times() > before, "the wire looks anew");
    let shown = clerk.detail(&account).await;
    assert_eq!((&shown["status"], &shown["accountLevel"]), (&json!(2), &json!(1)));
    assert_eq!(shown["openedAt"], json!(1_800_000_000_000_i64));
    assert!(platform.no("PUT", STATE, opened).await.contains("已被他人修改"));

    // A card named in between is a change, too; of two who saw the same, one is first.
    clerk.ok("POST", "/Pay/customer/bindCard", card(&account)).await;
    let freeze = to(2, json!({"status": 4, "reason": "风控"}));
    assert!(platform.no("PUT", STATE, freeze).await.contains("已被他人修改"));
    let other = runtime.signed_in(PLATFORM).await;
    let freeze = || to(3, json!({"status": 4, "reason": "风控"}));
    let (one, two) = tokio::join!(platform.call("PUT", STATE, freeze()), other.call("PUT", STATE, freeze()));
    let done = [&one.1, &two.1].into_iter().filter(|answer| answer["success"] == true).count();
    assert_eq!(done, 1, "{one:?} {two:?}");

    assert_eq!(
        platform.no("PUT", STATE, to(4, json!({"status": 5, "reason": "散伙"}))).await,
        "还有待验证的银行卡，处理完后才能销户"
    );
    platform.ok("PUT", STATE, to(4, json!({"status": 2, "reason": "误报"}))).await;
    assert_eq!(clerk.detail(&account).await["failReason"], Value::Null);
    let events = runtime.events(&account).await;
    let expected = ["applied", "opened", "card_named", "frozen", "unfrozen"];
    assert_eq!(events, expected.map(|name| format!("payment-account.{name}")));
    let actors: Vec<String> = sqlx::query_scalar(
        "select distinct meta::jsonb->'actor'->>'id' from log.events where stream_id = $1 order by 1",
    )
    .bind(&account)
    .fetch_all(&runtime.runtime.pools.owner)
    .await
    .unwrap();
    assert_eq!(actors, ["11", "12"], "each event names who did it");
}

#[tokio::test(flavor = "multi_thread")]
async fn fin_039_api_028_the_login_learns_of_its_agents_account() {
    let runtime = TestRuntime::new().await;
    assert_eq!(runtime.keyed().await.status("GET", INFO, json!({})).await, 401);
    // Whoever is signed in may ask.
    let mut bare = runtime.signed_in(BARE).await;
    assert_eq!(bare.ok("GET", INFO, json!({})).await, Value::Null, "nobody applied yet");
    let account = runtime.open_account(1).await;
    let expected = json!({"id": account, "accountLevel": 1, "authStatus": 0, "status": 2, "accountType": 1,
        "customerName": "骑行科技", "name": "厦门骑行有限公司"});
    assert_eq!(bare.ok("GET", INFO, json!({})).await, expected, "his own");
    assert_eq!(bare.ok("GET", INFO, json!({"agentId": "2"})).await, expected);
    bare.agent = Some("2");
    assert_eq!(bare.ok("GET", INFO, json!({})).await, expected, "of the header");
    assert_eq!(bare.status("GET", INFO, json!({"agentId": "3"})).await, 403, "another's");
    assert_eq!(bare.status("GET", INFO, json!({"agentId": "x"})).await, 400);
    bare.agent = Some("3");
    assert_eq!(bare.status("GET", INFO, json!({})).await, 403, "another's in the header");
    let platform = runtime.signed_in(PLATFORM).await;
    assert_eq!(platform.ok("GET", INFO, json!({"agentId": "2"})).await, expected);
    assert_eq!(platform.ok("GET", INFO, json!({"agentId": "3"})).await, Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn fin_035_fin_040_fin_041_fin_042_accounts_are_found_within_ones_scope() {
    let runtime = TestRuntime::new().await;
    for (method, path) in [("GET", LIST), ("GET", DETAIL), ("GET", CHOICES), ("POST", BY_NAME)] {
        closed(&runtime, method, path).await;
    }
    let account = runtime.open_account(2).await;
    let (platform, clerk) = (runtime.signed_in(PLATFORM).await, runtime.signed_in(CLERK).await);
    let stranger = runtime.signed_in(STRANGER).await;
    runtime.clock.advance(1_000);
    let theirs = with(application("3"), &json!({"customerName": "单车运营"}));
    let theirs = text(&stranger.ok("POST", OPEN, theirs).await["accountId"]);
    let open = json!({"accountId": theirs, "version": 1, "status": 2, "accountLevel": 2});
    platform.ok("PUT", STATE, open).await;

    // FIN-040.
    let ids = |list: &Value| -> Vec<String> {
        list["records"].as_array().unwrap().iter().map(|one| text(&one["id"])).collect()
    };
    let all = platform.ok("GET", LIST, json!({})).await;
    assert_eq!(ids(&all), [theirs.clone(), account.clone()], "newest first");
    assert_eq!((&all["total"], &all["current"], &all["size"]), (&json!(2), &json!(1), &json!(10)));
    assert_eq!(all["records"][1]["agentName"], "厦门骑行有限公司");
    assert_eq!(all["records"][1].get("cards"), None);
    let second = platform.ok("GET", LIST, json!({"current": "2", "size": "1"})).await;
    assert_eq!((ids(&second), &second["current"]), (vec![account.clone()], &json!(2)));
    for (keyword, expected) in [
        ("骑行", vec![&account]),
        ("泉州单车", vec![&theirs]),
        ("单车运", vec![&theirs]),
        ("%", vec![]),
        ("没有", vec![]),
    ] {
        let found = platform.ok("GET", LIST, json!({ "keyword": keyword })).await;
        assert_eq!(ids(&found).iter().collect::<Vec<_>>(), expected, "{keyword}");
    }
    assert_eq!(ids(&clerk.ok("GET", LIST, json!({})).await), std::slice::from_ref(&account));
    assert_eq!(ids(&clerk.ok("GET", LIST, json!({"keyword": "单车"})).await), Vec::<String>::new());

    // FIN-041: another's account is as unknown as one that there is not.
    assert_eq!(clerk.detail(&account).await["version"], 2);
    for (browser, id) in [(&stranger, account.as_str()), (&clerk, &theirs), (&platform, "77")] {
        assert_eq!(browser.no("GET", DETAIL, json!({ "accountId": id })).await, UNKNOWN);
    }
    assert_eq!(clerk.status("GET", DETAIL, json!({"accountId": ""})).await, 400);

    // FIN-042.
    let choice = json!({"id": account, "customerName": "骑行科技"});
    assert_eq!(platform.ok("GET", CHOICES, json!({"agentId": "2"})).await, json!([choice]));
    assert_eq!(platform.ok("GET", CHOICES, json!({})).await.as_array().map(Vec::len), Some(2));
    assert_eq!(clerk.ok("GET", CHOICES, json!({})).await, json!([choice]));
    assert_eq!(clerk.ok("GET", CHOICES, json!({"agentId": "3"})).await, json!([]));

    // FIN-035.
    let found = json!([{"id": account, "customerName": "骑行科技", "accountLevel": 2, "status": 2}]);
    assert_eq!(platform.ok("POST", BY_NAME, json!({"tenantName": "厦门骑行"})).await, found);
    assert_eq!(clerk.ok("POST", BY_NAME, json!({"tenantName": "科技"})).await, found);
    assert_eq!(clerk.ok("POST", BY_NAME, json!({"tenantName": "单车"})).await, json!([]));
    assert_eq!(platform.ok("POST", BY_NAME, json!({"tenantName": " "})).await, json!([]), "not everybody");

    // Another's account is not changed either.
    for (method, path, body) in [
        ("POST", "/Pay/customer/bindCard", card(&account)),
        (
            "POST",
            "/Pay/message/sendCode",
            json!({"accountId": account, "phone": "13900000001", "scene": "bindCard"}),
        ),
        (
            "POST",
            "/Pay/customer/applyUnbindCard",
            json!({"accountId": account, "cardNo": "1111", "reason": "x"}),
        ),
    ] {
        assert_eq!(stranger.no(method, path, body).await, UNKNOWN, "{path}");
    }
    assert_eq!(runtime.events(&account).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn gate_001_003_005_006_007_what_an_account_opens_follows_its_status_and_level() {
    let runtime = TestRuntime::new().await;
    let (platform, clerk) = (runtime.signed_in(PLATFORM).await, runtime.signed_in(CLERK).await);
    let account = text(&clerk.ok("POST", OPEN, application("2")).await["accountId"]);
    // Management, choices of dividing, bills, objections to them, and what everybody with an application needs.
    let stands = async || {
        [
            clerk.status("GET", LIST, json!({})).await,
            clerk.status("GET", CHOICES, json!({})).await,
            clerk.status("GET", "/Pay/bills", json!({})).await,
            clerk.status("GET", "/Pay/objections", json!({})).await,
            clerk.status("GET", DETAIL, json!({ "accountId": account })).await,
        ]
    };
    let mut version = 0;
    let mut turn = async |more: Value| {
        version += 1;
        let body = with(json!({"accountId": account, "version": version}), &more);
        platform.ok("PUT", STATE, body).await;
    };
    assert_eq!(stands().await, [403, 403, 403, 403, 200], "GATE-001 GATE-003: applied for");
    turn(json!({"status": 2, "accountLevel": 1})).await;
    assert_eq!(stands().await, [200, 200, 403, 403, 200], "GATE-005 GATE-006: level 1 has no bills");
    turn(json!({"status": 4, "reason": "风控"})).await;
    assert_eq!(stands().await, [403, 403, 403, 403, 200], "GATE-001: frozen");
    turn(json!({"status": 2, "reason": "误报"})).await;
    assert_eq!(stands().await, [200, 200, 403, 403, 200]);

    // The other agent's account is of level 2; the platform's people go by the one in the header.
    let stranger = runtime.signed_in(STRANGER).await;
    let theirs = text(&stranger.ok("POST", OPEN, application("3")).await["accountId"]);
    let open = json!({"accountId": theirs, "version": 1, "status": 2, "accountLevel": 2});
    platform.ok("PUT", STATE, open).await;
    for path in ["/Pay/bills", "/Pay/objections", LIST] {
        assert_eq!(stranger.status("GET", path, json!({})).await, 200, "GATE-007: level 2: {path}");
    }
    let mut of_theirs = runtime.signed_in(PLATFORM).await;
    of_theirs.agent = Some("3");
    assert_eq!(of_theirs.status("GET", "/Pay/bills", json!({})).await, 200);
    assert_eq!(platform.status("GET", "/Pay/bills", json!({})).await, 403, "by default agent 2's");
}
