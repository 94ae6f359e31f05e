//! Riders as the back-office sees them: found, shown in whole on record, frozen; their wallets and deposits.

use std::sync::Arc;
use std::time::Duration;

use kernel::{CommandContext, Foundation, MasterKey, PoolSizes, Pools, Runtime};
use riding::model::rider::{Rider as Model, RiderCommand};
use serde_json::{Value, json};
use vocabulary::{Clock, PaymentId, RiderId, Snowflake, SystemClock};

use crate::city::City;
use crate::client::{Browser, Machine};
use crate::exports::{file, lines, recorded};
use crate::rider::Rider;
use crate::rides::balance;
use crate::stack::{ADMIN, Node, Stack};
use crate::stream;

const SIZES: PoolSizes = PoolSizes { owner: 2, app: 6, projector: 4, feed: 2 };
const LIST: &str = "/user/list";
const TOP_UP: &str = "/user/wallet/topUp";
const RECORDS: &str = "/user/wallet/records";
const FIRST: &str = "0192f0c1-2b3c-7d4e-8f50-a1b2c3d4e501";
const SECOND: &str = "0192f0c1-2b3c-7d4e-8f50-a1b2c3d4e502";
const THIRD: &str = "0192f0c1-2b3c-7d4e-8f50-a1b2c3d4e503";

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// Two cities of two agents, an administrator, and people of each who may see riders.
struct Scene {
    stack: Stack,
    machine: Machine,
    city: City,
    admin: Browser,
    own: Browser,
    stranger: Browser,
    _node: Node,
}

/// Somebody of an agent who sees riders.
async fn clerk(node: &Node, admin: &Browser, phone: &str, agent: &str) -> Browser {
    let role = json!({"name": format!("客服 {phone}"), "tier": 1, "remark": "", "state": 1, "agentId": agent,
        "codes": ["07", "070101"]});
    let role = text(&admin.ok("POST", "/platform/permission/role", role).await["id"]);
    admin.new_operator(phone, &[&role], agent).await;
    Browser::signed_in(&node.url, phone).await
}

impl Scene {
    async fn build() -> Self {
        let (stack, node) = Stack::serving().await;
        let machine = Machine::new(&node.url, &stack.full_machine().await);
        let (city, other) = (City::build(&machine, "U", 1, 0).await, City::build(&machine, "V", 2, 0).await);
        let admin = Browser::signed_in(&node.url, ADMIN).await;
        let own = clerk(&node, &admin, "13700000071", &city.agent).await;
        let stranger = clerk(&node, &admin, "13700000072", &other.agent).await;
        Self { stack, machine, city, admin, own, stranger, _node: node }
    }

    async fn come(&self, name: &str) -> Rider {
        Rider::come(&self.machine, &self.city.area, name).await
    }

    async fn info(&self, rider: &Rider) -> Value {
        self.own.ok("GET", &format!("/user/{}", rider.id), json!({})).await
    }
}

fn top_up(rider: &Rider, amount: i64, gift: i64, request: &str) -> Value {
    json!({"userId": rider.id, "amount": amount, "gift": gift, "remark": "线下转账补录", "requestId": request})
}

#[tokio::test(flavor = "multi_thread")]
async fn route_018_riders_are_found_masked_and_by_their_own_people_alone() {
    let scene = Scene::build().await;
    let (anna, berta) = (scene.come("list-anna").await, scene.come("list-berta").await);
    let stranger = Rider::unverified(&scene.machine, &scene.city.area, "list-carla").await;
    let found = async |asked: Value| {
        let page = scene.own.ok("GET", LIST, asked).await;
        let rows = page["rows"].as_array().unwrap().clone();
        rows.iter().map(|row| text(&row["userId"])).collect::<Vec<_>>()
    };
    assert_eq!(found(json!({})).await, [&*stranger.id, &*berta.id, &*anna.id], "newest first");
    assert_eq!(found(json!({"keyword": anna.phone})).await, [&*anna.id]);
    assert_eq!(found(json!({"keyword": anna.phone[..7]})).await.len(), 0, "a whole phone alone");
    assert_eq!(found(json!({"keyword": berta.id})).await, [&*berta.id]);
    assert_eq!(found(json!({"isVerified": "false"})).await, [&*stranger.id]);
    let freeze = json!({"state": 1, "reason": "多次投诉"});
    scene.own.ok("POST", &format!("/user/{}/state", berta.id), freeze).await;
    assert_eq!(found(json!({"accountState": "1"})).await, [&*berta.id]);
    assert_eq!(found(json!({"accountState": "0"})).await, [&*stranger.id, &*anna.id]);
    let entry = json!({"userId": anna.id, "kind": 1, "scope": 2, "reason": "恶意占车"});
    scene.admin.ok("POST", "/user/blacklist", entry).await;
    assert_eq!(found(json!({"accountState": "2"})).await, [&*anna.id]);
    assert_eq!(found(json!({"accountState": "0"})).await, [&*stranger.id]);
    assert_eq!(found(json!({"qualification": "1"})).await.len(), 0);
    assert_eq!(found(json!({"depositState": "0"})).await.len(), 3);
    assert_eq!(found(json!({"startTime": "2000-01-01", "endTime": "2000-01-02"})).await.len(), 0);

    let row = scene.own.ok("GET", LIST, json!({"keyword": anna.id})).await["rows"][0].clone();
    assert!(!row.to_string().contains(&anna.phone), "{row}");
    assert_eq!((&row["nameMasked"], &row["accountState"]), (&json!("陈*"), &json!(2)), "{row}");
    let exported =
        lines(&file(&scene.own, LIST, &format!("columns=userId,phoneMasked&keyword={}", anna.id)).await);
    assert_eq!(exported[1], format!("{}****{},{}", &anna.phone[..3], &anna.phone[7..], anna.id));

    // Another agent's people see nothing of them.
    assert_eq!(scene.stranger.ok("GET", LIST, json!({})).await["count"], 0);
    for path in [format!("/user/{}", anna.id), "/user/wallet".to_owned()] {
        let reply = scene.stranger.call("GET", &path, json!({"userId": anna.id})).await;
        assert_eq!(reply.code(), "not-found", "{path}: {}", reply.body);
    }
    let unfreeze = json!({"state": 0, "reason": "越权"});
    let reply = scene.stranger.call("POST", &format!("/user/{}/state", berta.id), unfreeze).await;
    assert_eq!(reply.code(), "not-found", "{}", reply.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_masked_is_shown_one_at_a_time_on_record() {
    let scene = Scene::build().await;
    let anna = scene.come("masked-anna").await;
    let info = scene.info(&anna).await;
    assert!(!info.to_string().contains(&anna.phone) && !info.to_string().contains("陈一"), "{info}");
    let ask = async |who: &Browser, what: &str| {
        who.call("POST", "/user/unmask", json!({"userId": anna.id, "what": what})).await
    };
    assert_eq!(ask(&scene.stranger, "phone").await.code(), "not-found");
    assert_eq!(ask(&scene.own, "phone").await.data(), json!({"value": anna.phone}));
    assert_eq!(ask(&scene.own, "name").await.data(), json!({"value": "陈一"}));
    assert_eq!(ask(&scene.own, "idNo").await.data(), json!({"value": crate::rider::id_no("masked-anna")}));
    let carla = Rider::unverified(&scene.machine, &scene.city.area, "masked-carla").await;
    let nothing = json!({"userId": carla.id, "what": "name"});
    assert_eq!(scene.own.call("POST", "/user/unmask", nothing).await.code(), "rider-nothing-masked");
    let log = json!({"action": "access-record.unmasked", "pageSize": "50"});
    let page = scene.admin.ok("GET", "/platform/aliyunlog/userlogs", log).await;
    assert_eq!(page["count"], 3, "who was refused is not told anything: {page}");
    let mut positions = page["rows"].as_array().unwrap().iter().map(|row| row["position"].clone());
    let newest = positions.next().unwrap();
    let detail =
        scene.admin.ok("GET", &format!("/platform/aliyunlog/userlogs/{newest}"), json!({})).await.to_string();
    assert!(detail.contains("rider.id_no") && detail.contains(&anna.id), "{detail}");
}

#[tokio::test(flavor = "multi_thread")]
async fn route_018_who_is_frozen_unlocks_nothing_before_he_is_let_go() {
    let scene = Scene::build().await;
    let anna = scene.come("frozen-anna").await;
    let path = format!("/user/{}/state", anna.id);
    let version = scene.info(&anna).await["version"].as_i64().unwrap();
    let call = async |body: Value| scene.own.call("POST", &path, body).await.code().to_owned();
    assert_eq!(call(json!({"state": 0, "reason": "误判", "version": version})).await, "rider-not-frozen");
    assert_eq!(call(json!({"state": 1, "reason": " ", "version": version})).await, "rider-reason");
    assert_eq!(call(json!({"state": 4, "reason": "注销"})).await, "malformed");
    assert_eq!(call(json!({"state": 1, "reason": "多次投诉", "version": version})).await, "");
    assert_eq!(call(json!({"state": 0, "reason": "误判", "version": version})).await, "stale-version");
    assert_eq!(scene.info(&anna).await["accountState"], 1);
    assert_eq!(anna.account(&scene.machine).await["accountState"], 1);
    assert_eq!(call(json!({"state": 0, "reason": "误判", "version": version + 1})).await, "");
    assert_eq!(scene.info(&anna).await["accountState"], 0);
    let log = json!({"pageSize": "50", "category": "rider"});
    let page = scene.admin.ok("GET", "/platform/aliyunlog/userlogs", log).await.to_string();
    assert!(page.contains("冻结账户") && page.contains("解冻账户"), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn api_076_money_comes_once_under_one_name_and_never_goes_below_nothing() {
    let scene = Scene::build().await;
    let anna = scene.come("wallet-anna").await;
    let call = async |body: Value| scene.own.call("POST", TOP_UP, body).await;
    let first = call(top_up(&anna, 2_000, 500, FIRST)).await;
    assert_eq!(first.data()["balanceCents"], 2_500);
    assert_eq!(call(top_up(&anna, 2_000, 500, FIRST)).await.data()["balanceCents"], 2_500, "once");
    let other = call(top_up(&anna, 3_000, 500, FIRST)).await;
    assert!(!other.code().is_empty(), "the same name for something else: {}", other.body);
    for (amount, gift, code) in [
        (0, 0, "rider-wallet-amount"),
        (-2_000, 0, "rider-wallet-amount"),
        (1_000_001, 0, "rider-wallet-amount"),
        (100, -1, "rider-wallet-gift"),
    ] {
        assert_eq!(call(top_up(&anna, amount, gift, SECOND)).await.code(), code);
    }
    assert_eq!(call(top_up(&anna, 100, 0, "once")).await.code(), "rider-wallet-request");
    let stranger = scene.stranger.call("POST", TOP_UP, top_up(&anna, 100, 0, SECOND)).await;
    assert_eq!(stranger.code(), "not-found");
    // Ten at once under one name are one.
    let calls = (0..10).map(|_| scene.own.call("POST", TOP_UP, top_up(&anna, 700, 0, SECOND)));
    let mut done = 0;
    for reply in futures::future::join_all(calls).await {
        done += usize::from(reply.code().is_empty());
    }
    assert!(done > 0);
    let wallet = scene.own.ok("GET", "/user/wallet", json!({"userId": anna.id})).await;
    assert_eq!(
        (&wallet["rechargeCents"], &wallet["presentCents"], &wallet["balanceCents"], &wallet["owedCents"]),
        (&json!(2_700), &json!(500), &json!(3_200), &json!(0)),
        "{wallet}"
    );

    let page = scene.own.ok("GET", RECORDS, json!({"userId": anna.id})).await;
    let rows = page["rows"].as_array().unwrap();
    let told: Vec<_> =
        rows.iter().map(|row| (row["rechargeCents"].clone(), row["balanceAfterCents"].clone())).collect();
    assert_eq!(told, [(json!(700), json!(3_200)), (json!(2_000), json!(2_500))], "newest first");
    assert_eq!((&rows[1]["movement"], &rows[1]["cause"]), (&json!(7), &json!(format!("adjustment:{FIRST}"))));
    let count = async |asked: Value| scene.own.ok("GET", RECORDS, asked).await["count"].clone();
    assert_eq!(count(json!({"userId": anna.id, "movement": "7"})).await, 2);
    assert_eq!(count(json!({"userId": anna.id, "movement": "1"})).await, 0);
    assert_eq!(count(json!({"userId": anna.id, "endTime": "2000-01-01"})).await, 0);
    let csv = lines(
        &file(&scene.own, RECORDS, &format!("columns=movement,balanceAfterCents&userId={}", anna.id)).await,
    );
    assert_eq!(csv, ["变动类型,变动后余额", "人工充值,32.00", "人工充值,25.00"]);
    assert_eq!(recorded(&scene.admin, "wallet-record").await.1, 1, "the file is on record");

    // What it held between the two, and before either.
    let between = rows[1]["recordedAt"].as_i64().unwrap();
    for (at, cents) in [(between, 2_500), (between - 1, 0), (rows[0]["recordedAt"].as_i64().unwrap(), 3_200)]
    {
        let then =
            scene.own.ok("GET", "/user/wallet", json!({"userId": anna.id, "at": at.to_string()})).await;
        assert_eq!(then["balanceCents"], cents, "{then}");
    }
    let owner = scene.stack.owner().await;
    stream::settled(&owner).await;
    balance(&owner).await;
    let log =
        scene.admin.ok("GET", "/platform/aliyunlog/userlogs", json!({"pageSize": "50"})).await.to_string();
    assert!(
        log.contains("人工充值") && !log.contains("rider.wallet_adjusted\",\"actionLabel\":\"rider."),
        "{log}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn api_076_above_the_limit_a_second_person_puts_the_money_in() {
    let scene = Scene::build().await;
    let anna = scene.come("two-anna").await;
    let asked = top_up(&anna, 50_000, 1, THIRD);
    let waits = scene.own.ok("POST", TOP_UP, asked.clone()).await;
    assert_eq!(waits["balanceCents"], 0, "nothing has moved: {waits}");
    assert_eq!(scene.own.ok("POST", TOP_UP, asked).await["approvalId"], waits["approvalId"], "asked once");
    let id = text(&waits["approvalId"]);
    let decide = json!({"id": id, "result": "accept"});
    assert_eq!(
        scene.own.call("POST", "/platform/approval/decide", decide.clone()).await.code(),
        "approval-own"
    );
    let info = scene.admin.ok("GET", &format!("/platform/approval/{id}"), json!({})).await;
    assert_eq!(info["outlook"][0], "充值余额：0.00 元 → 500.00 元。", "{info}");
    assert!(!info.to_string().contains(&anna.phone), "{info}");
    scene.admin.ok("POST", "/platform/approval/decide", decide).await;
    let wallet = scene.own.ok("GET", "/user/wallet", json!({"userId": anna.id})).await;
    assert_eq!((&wallet["rechargeCents"], &wallet["presentCents"]), (&json!(50_000), &json!(1)), "{wallet}");
}

#[tokio::test(flavor = "multi_thread")]
async fn api_077_api_078_a_deposit_is_kept_and_let_go() {
    let scene = Scene::build().await;
    let anna = scene.come("deposit-anna").await;
    let ask = async |what: &str, more: Value| {
        let mut body = json!({"userId": anna.id, "reason": "损坏车辆待核实"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        scene.own.call("POST", &format!("/user/deposit/{what}"), body).await
    };
    let state = async || scene.own.ok("GET", "/user/deposit", json!({"userId": anna.id})).await;
    assert_eq!(ask("freeze", json!({})).await.code(), "rider-deposit");
    pay_deposit(&scene.stack, &anna, 9_900).await;
    let before = state().await;
    assert_eq!((&before["state"], &before["amountCents"]), (&json!(1), &json!(9_900)), "{before}");
    assert_eq!(ask("freeze", json!({"reason": ""})).await.code(), "rider-reason");
    assert_eq!(ask("freeze", json!({"until": "2000-01-01"})).await.code(), "rider-until");
    assert_eq!(ask("recover", json!({})).await.code(), "rider-deposit");
    let until = SystemClock.now().plus_millis(3_600_000);
    let freeze = json!({"until": until.millis().to_string(), "version": before["version"]});
    assert_eq!(ask("freeze", freeze.clone()).await.code(), "");
    assert_eq!(ask("freeze", freeze).await.code(), "stale-version");
    let frozen = state().await;
    assert_eq!(
        (&frozen["state"], &frozen["freezeReason"], &frozen["freezeUntil"]),
        (&json!(3), &json!("损坏车辆待核实"), &json!(until.millis())),
        "{frozen}"
    );
    let found =
        async |state: &str| scene.own.ok("GET", LIST, json!({"depositState": state})).await["count"].clone();
    assert_eq!((found("3").await, found("1").await), (json!(1), json!(0)));
    assert_eq!(scene.own.ok("GET", LIST, json!({"qualification": "1"})).await["count"], 0);
    assert_eq!(ask("recover", json!({})).await.code(), "");
    assert_eq!((&state().await["state"], &state().await["freezeReason"]), (&json!(1), &Value::Null));
    assert_eq!(scene.own.ok("GET", LIST, json!({"qualification": "1"})).await["count"], 1);

    // What is kept for a second is free after it, by itself, in the list too.
    let until = SystemClock.now().plus_millis(1_500);
    assert_eq!(ask("freeze", json!({"until": until.millis().to_string()})).await.code(), "");
    assert_eq!(state().await["state"], 3);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(state().await["state"], 1);
    assert_eq!((found("3").await, found("1").await), (json!(0), json!(1)));
    assert_eq!(scene.info(&anna).await["depositState"], 1);
}

/// His deposit came, told by a desk beside the server's: no payment provider stands here.
async fn pay_deposit(stack: &Stack, rider: &Rider, amount_cents: i64) {
    let pools = Pools::connect(&stack.database_url(), SIZES).await.expect("PostgreSQL answers");
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let ids = Arc::new(Snowflake::new(SystemClock, 901));
    let key = std::fs::read_to_string(stack.state_dir().join("master.key")).expect("the master key");
    let key: [u8; 32] = hex::decode(key.trim()).expect("hex").try_into().expect("32 bytes");
    let foundation = Foundation::new(pools, MasterKey::new(key), clock, ids);
    let runtime = Runtime::open(foundation).await.expect("a second runtime");
    let id = RiderId(rider.id.parse().unwrap());
    let pay = RiderCommand::PayDeposit { amount_cents, payment: PaymentId(1) };
    let ctx = CommandContext::of_system("test", SystemClock.now());
    runtime.desk.execute::<Model>(&id, pay, &ctx).await.expect("it is paid");
}
