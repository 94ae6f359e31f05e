//! Bank cards: named, proved by a code, let go by the platform.

use finance::expiry::give_up;
use serde_json::{Value, json};
use vocabulary::Clock;

use crate::runtime::{
    CARD, CLERK, CODE, IDENTITY, MOBILE, PLATFORM, STRANGER, TestRuntime, card, closed, text, with,
};

const BIND: &str = "/Pay/customer/bindCard";
const CHECK: &str = "/Pay/customer/bindCardCheck";
const SEND: &str = "/Pay/message/sendCode";
const UNBIND: &str = "/Pay/customer/applyUnbindCard";
const ANSWER: &str = "/Pay/customer/card/state";
const OVER: &str = "验证码已失效，请重新绑卡";

fn check(bind: &str, code: &str) -> Value {
    json!({"bindId": bind, "smsCode": code})
}

fn again(account: &str, phone: &str) -> Value {
    json!({"accountId": account, "phone": phone, "scene": "bindCard"})
}

#[tokio::test(flavor = "multi_thread")]
async fn fin_030_fin_031_a_card_is_named_and_bound_by_the_code_sent_to_its_phone() {
    let runtime = TestRuntime::new().await;
    closed(&runtime, "POST", BIND).await;
    closed(&runtime, "POST", CHECK).await;
    let account = runtime.open_account(2).await;
    let clerk = runtime.signed_in(CLERK).await;
    for (change, words) in [
        (json!({"cardNo": "4111111111111112"}), "银行卡号不正确：应为 12 到 19 位数字，且校验位正确"),
        (json!({"bankMobile": "1390000000"}), "手机号格式不正确"),
        (json!({"bankName": " "}), "开户银行需 1 到 32 个字，不能含有 *"),
        (json!({"holder": ""}), "持卡人需 1 到 64 个字，不能含有 *"),
        (json!({"idNo": "110105194912310021"}), "持卡人证件号码不正确，请核对"),
        (json!({"accountId": "77"}), "账户不存在"),
    ] {
        assert_eq!(clerk.no("POST", BIND, with(card(&account), &change)).await, words, "{change}");
    }
    assert_eq!(runtime.outbox.to(MOBILE), 0, "what is refused sends nothing");

    // FIN-030: the same request twice names one card and sends one code.
    let (_, first) = clerk.keyed("POST", BIND, card(&account), Some("bind-1")).await;
    let bind = text(&first["data"]["bindId"]);
    assert_eq!(clerk.keyed("POST", BIND, card(&account), Some("bind-1")).await.1, first);
    assert_eq!(runtime.outbox.to(MOBILE), 1);
    let shown = clerk.detail(&account).await;
    let expected = json!([{"id": bind, "bankName": "中国工商银行", "cardNoMasked": "**** **** **** 1111",
        "holder": "陈**", "mobileMasked": "139****0001", "state": 0, "boundAt": null, "reason": null}]);
    assert_eq!(shown["cards"], expected);

    // Another within the minute sends nothing and takes nobody's place; of several at once one is named.
    let soon = "验证码发送过于频繁，请 1 分钟后再试";
    assert_eq!(clerk.no("POST", BIND, card(&account)).await, soon);
    let other = runtime.signed_in(CLERK).await;
    runtime.clock.advance(60_000);
    let body = || card(&account);
    let both = tokio::join!(clerk.call("POST", BIND, body()), other.call("POST", BIND, body()));
    let named = [both.0.1, both.1.1].iter().filter(|answer| answer["success"] == true).count();
    assert_eq!(named, 1);
    let waiting =
        |shown: &Value| shown["cards"].as_array().unwrap().iter().filter(|card| card["state"] == 0).count();
    assert_eq!(waiting(&clerk.detail(&account).await), 1);
    assert_eq!(runtime.outbox.to(MOBILE), 2);

    // A card that waits gives way to another.
    runtime.clock.advance(60_000);
    let second = text(&clerk.ok("POST", BIND, card(&account)).await["bindId"]);
    assert_eq!(clerk.no("POST", CHECK, check(&bind, CODE)).await, OVER);
    let states: Vec<Value> = clerk.detail(&account).await["cards"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["state"].clone())
        .collect();
    assert_eq!(states, [0, 2, 2], "newest first");

    // FIN-031: a wrong code, another agent's people, the right code, and that again.
    assert_eq!(clerk.no("POST", CHECK, check(&second, "246811")).await, "验证码错误");
    assert_eq!(clerk.no("POST", CHECK, check(&second, "24681")).await, "验证码错误");
    assert_eq!(clerk.no("POST", CHECK, check("77", CODE)).await, OVER);
    let stranger = runtime.signed_in(STRANGER).await;
    for _ in 0..6 {
        assert_eq!(stranger.no("POST", CHECK, check(&second, "000000")).await, OVER, "and uses up no tries");
    }
    let (_, bound) = clerk.keyed("POST", CHECK, check(&second, CODE), Some("check-1")).await;
    assert_eq!((&bound["success"], &bound["data"]), (&json!(true), &json!({})));
    for _ in 0..6 {
        assert_eq!(clerk.keyed("POST", CHECK, check(&second, CODE), Some("check-1")).await.1, bound);
    }
    assert_eq!(clerk.no("POST", CHECK, check(&second, CODE)).await, OVER, "another request");
    let shown = clerk.detail(&account).await["cards"][0].clone();
    assert_eq!((&shown["state"], &shown["boundAt"]), (&json!(1), &json!(runtime.clock.now().millis())));
    assert_eq!(clerk.no("POST", BIND, card(&account)).await, "已绑定银行卡，请先解绑");

    for table in ["read.payment_card", "authentication.card_codes", "log.requests", "log.events"] {
        let all = runtime.lies_in(table).await;
        for secret in [CARD, IDENTITY, MOBILE, "陈建国", CODE] {
            assert!(!all.contains(secret), "{table} holds {secret}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fin_031_five_wrong_codes_or_ten_minutes_fail_a_card() {
    let runtime = TestRuntime::new().await;
    let account = runtime.open_account(2).await;
    let clerk = runtime.signed_in(CLERK).await;
    let first = async || clerk.detail(&account).await["cards"][0].clone();

    let bind = text(&clerk.ok("POST", BIND, card(&account)).await["bindId"]);
    for _ in 0..4 {
        assert_eq!(clerk.no("POST", CHECK, check(&bind, "000000")).await, "验证码错误");
    }
    assert_eq!(clerk.no("POST", CHECK, check(&bind, "000000")).await, OVER, "the fifth");
    assert_eq!(clerk.no("POST", CHECK, check(&bind, CODE)).await, OVER, "the right one comes too late");
    let shown = first().await;
    assert_eq!((&shown["state"], &shown["reason"]), (&json!(2), &json!("验证码错误次数过多")));

    // Many at once get no more tries than five.
    runtime.clock.advance(60_000);
    let bind = text(&clerk.ok("POST", BIND, card(&account)).await["bindId"]);
    let tries = (0..12).map(|n| check(&bind, &format!("11111{}", n % 10)));
    let mut words = Vec::new();
    for body in tries {
        words.push(clerk.no("POST", CHECK, body).await);
    }
    assert_eq!(words.iter().filter(|one| *one == "验证码错误").count(), 4, "{words:?}");

    // Ten minutes, noticed by who tries …
    runtime.clock.advance(60_000);
    let bind = text(&clerk.ok("POST", BIND, card(&account)).await["bindId"]);
    runtime.clock.advance(10 * 60_000);
    assert_eq!(clerk.no("POST", CHECK, check(&bind, CODE)).await, OVER);
    let shown = first().await;
    assert_eq!((&shown["state"], &shown["reason"]), (&json!(2), &json!("验证码超时未验证")));

    // … and by the system when nobody does.
    clerk.ok("POST", BIND, card(&account)).await;
    let now = runtime.clock.now();
    clerk.detail(&account).await;
    give_up(&runtime.runtime, now.plus_millis(10 * 60_000 - 1)).await.unwrap();
    assert_eq!(first().await["state"], 0);
    for _ in 0..2 {
        give_up(&runtime.runtime, now.plus_millis(10 * 60_000)).await.unwrap();
        assert_eq!(first().await["state"], 2);
    }
    // Codes lie no longer than they have to.
    assert_ne!(runtime.lies_in("authentication.card_codes").await, "");
    give_up(&runtime.runtime, now.plus_millis(3 * 24 * 3_600_000)).await.unwrap();
    assert_eq!(runtime.lies_in("authentication.card_codes").await, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn fin_048_a_code_is_sent_again_once_a_minute_and_the_one_before_is_worth_nothing() {
    let runtime = TestRuntime::new().await;
    closed(&runtime, "POST", SEND).await;
    let account = runtime.open_account(2).await;
    let clerk = runtime.signed_in(CLERK).await;
    assert_eq!(clerk.no("POST", SEND, again(&account, MOBILE)).await, "没有待验证的银行卡，请先绑卡");
    let bind = text(&clerk.ok("POST", BIND, card(&account)).await["bindId"]);
    assert_eq!(clerk.no("POST", SEND, again(&account, MOBILE)).await, "验证码发送过于频繁，请 1 分钟后再试");
    runtime.clock.advance(60_000);
    let other = clerk.no("POST", SEND, again(&account, "13900000002")).await;
    assert_eq!(other, "手机号与待验证银行卡的预留手机号不一致");
    let withdraw = with(again(&account, MOBILE), &json!({"scene": "withdraw"}));
    assert_eq!(clerk.no("POST", SEND, withdraw).await, "提现暂未开放");
    let strange = with(again(&account, MOBILE), &json!({"scene": "else"}));
    assert_eq!(clerk.status("POST", SEND, strange).await, 400);
    assert_eq!(runtime.outbox.to(MOBILE), 1);

    // Four wrong codes were said; a new code has tries of its own. Sent again under one name it is sent once.
    for _ in 0..4 {
        clerk.no("POST", CHECK, check(&bind, "000000")).await;
    }
    let (_, sent) = clerk.keyed("POST", SEND, again(&account, MOBILE), Some("send-1")).await;
    assert_eq!((&sent["success"], &sent["data"]), (&json!(true), &json!({})));
    assert_eq!(clerk.keyed("POST", SEND, again(&account, MOBILE), Some("send-1")).await.1, sent);
    assert_eq!(runtime.outbox.to(MOBILE), 2);
    assert_eq!(runtime.events(&account).await.last().unwrap(), "payment-account.code_resent");
    assert_eq!(clerk.no("POST", CHECK, check(&bind, "000000")).await, "验证码错误");
    // It lives ten minutes from its last sending.
    runtime.clock.advance(10 * 60_000 - 1);
    clerk.ok("POST", CHECK, check(&bind, CODE)).await;
    assert_eq!(clerk.detail(&account).await["cards"][0]["state"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_that_cannot_be_sent_is_told_and_may_be_asked_for_again() {
    let runtime = TestRuntime::new().await;
    let account = runtime.open_account(2).await;
    let clerk = runtime.signed_in(CLERK).await;
    runtime.outbox.break_down(true);
    assert_eq!(clerk.no("POST", BIND, card(&account)).await, "验证码发送失败，请稍后重新发送");
    runtime.outbox.break_down(false);
    runtime.clock.advance(60_000);
    clerk.ok("POST", SEND, again(&account, MOBILE)).await;
    let bind = text(&clerk.detail(&account).await["cards"][0]["id"]);
    clerk.ok("POST", CHECK, check(&bind, CODE)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_request_sends_the_code_that_the_first_one_could_not() {
    let runtime = TestRuntime::new().await;
    let account = runtime.open_account(2).await;
    let clerk = runtime.signed_in(CLERK).await;
    // The card is recorded, then the request ends before its code was sent.
    let owner = &runtime.runtime.pools.owner;
    sqlx::query("alter table authentication.card_codes rename to card_codes_away")
        .execute(owner)
        .await
        .unwrap();
    let (status, _) = clerk.keyed("POST", BIND, card(&account), Some("bind-1")).await;
    assert_eq!((status, runtime.outbox.to(MOBILE)), (500, 0));
    sqlx::query("alter table authentication.card_codes_away rename to card_codes")
        .execute(owner)
        .await
        .unwrap();

    let (status, again) = clerk.keyed("POST", BIND, card(&account), Some("bind-1")).await;
    assert_eq!((status, runtime.outbox.to(MOBILE)), (200, 1), "what is recorded as open is done");
    clerk.ok("POST", CHECK, check(&text(&again["data"]["bindId"]), CODE)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fin_033_the_platform_lets_a_card_go_or_keeps_it() {
    let runtime = TestRuntime::new().await;
    closed(&runtime, "POST", UNBIND).await;
    closed(&runtime, "PUT", ANSWER).await;
    let account = runtime.open_account(2).await;
    let (platform, clerk) = (runtime.signed_in(PLATFORM).await, runtime.signed_in(CLERK).await);
    let bind = text(&clerk.ok("POST", BIND, card(&account)).await["bindId"]);
    clerk.ok("POST", CHECK, check(&bind, CODE)).await;
    let ask =
        |card_no: &str, reason: &str| json!({"accountId": account, "cardNo": card_no, "reason": reason});
    let answer = |agree: bool, reason: &str| json!({"accountId": account, "cardId": bind, "agree": agree, "reason": reason});
    let shown = async || {
        let shown = clerk.detail(&account).await["cards"][0].clone();
        (shown["state"].as_i64().unwrap(), shown["reason"].clone())
    };

    assert_eq!(clerk.no("POST", UNBIND, ask("1112", "换卡")).await, "卡号与已绑定的银行卡不一致");
    assert_eq!(clerk.no("POST", UNBIND, ask("1111", " ")).await, "请填写原因，最多 200 个字");
    assert_eq!(platform.no("PUT", ANSWER, answer(true, "")).await, "该银行卡没有待处理的解绑申请");
    clerk.ok("POST", UNBIND, ask("1111", "换卡")).await;
    assert_eq!(shown().await, (3, json!("换卡")));
    assert_eq!(clerk.no("POST", UNBIND, ask("1111", "换卡")).await, "解绑申请处理中，请等待平台处理");
    assert_eq!(clerk.no("PUT", ANSWER, answer(true, "")).await, "仅平台可处理解绑申请");
    platform.ok("PUT", ANSWER, answer(false, "有未结算的分账")).await;
    assert_eq!(shown().await, (1, json!("有未结算的分账")));
    clerk.ok("POST", UNBIND, ask(CARD, "再次申请")).await;
    let agree = json!({"accountId": account, "cardId": bind, "agree": true});
    platform.ok("PUT", ANSWER, agree).await;
    assert_eq!(shown().await, (4, Value::Null));
    // Then another card may be named.
    runtime.clock.advance(60_000);
    clerk.ok("POST", BIND, card(&account)).await;
}
