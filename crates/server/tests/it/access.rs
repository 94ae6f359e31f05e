//! Rights over the whole product: what belongs to one agent is closed to the others on every route there is, a
//! token whose time is over opens none, and a right that is taken away closes the socket at once.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use vocabulary::{Clock, OperatorId, SystemClock};
use wire::{SecretKey, SessionId, TokenKeys, TokenSubject};

use crate::city::City;
use crate::client::{Browser, Machine, Reply, plain};
use crate::rider::Rider;
use crate::samples::{Sample, Theirs, address, beyond, sample};
use crate::screen::Screen;
use crate::stack::{ADMIN, Stack};
use crate::walk::{Route, collect, refused, table};

const CLERK: &str = "13700000021";
const COLLEAGUE: &str = "13700000023";
const THEIR_CLERK: &str = "13700000022";

/// The same token as it was eight days ago.
pub fn expired(stack: &Stack, token: &str) -> String {
    let payload = URL_SAFE_NO_PAD.decode(token.split('.').nth(1).expect("three parts")).unwrap();
    let claims: Value = serde_json::from_slice(&payload).unwrap();
    let seed = std::fs::read_to_string(stack.state_dir().join("token.key")).expect("the signing key");
    let seed: [u8; 32] = hex::decode(seed.trim()).unwrap().try_into().unwrap();
    let subject = TokenSubject {
        agent_ids: Vec::new(),
        op_area_ids: Vec::new(),
        operator: OperatorId(claims["userId"].as_str().unwrap().parse().unwrap()),
        phone: claims["phone"].as_str().unwrap().parse().unwrap(),
        agent: None,
        build: String::new(),
        dev_id: String::new(),
        package: String::new(),
        permission_version: claims["pv"].as_i64().unwrap(),
        session: SessionId(claims["sid"].as_i64().unwrap()),
    };
    let eight_days_ago = SystemClock.now().plus_millis(-8 * 24 * 3_600_000);
    TokenKeys::from_seed(&SecretKey::new(seed)).issue(subject, eight_days_ago).token
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// A payment account that opens every financial call to the agent's people, with a card that waits for its code.
pub async fn paid(admin: &Browser, them: &Browser, agent: &str, name: &str) -> (String, String) {
    let yes = async |browser: &Browser, method: &str, path: &str, content: Value| {
        let reply = browser.call(method, path, content).await;
        assert_eq!((reply.status, &reply.body["success"]), (200, &json!(true)), "{path}: {}", reply.body);
        reply.body["data"].clone()
    };
    let application = json!({"agentId": agent, "accountType": 1, "customerName": name,
        "certNo": "91350100M000100Y43", "contact": "陈伟", "phone": "13712340001"});
    let account = text(&yes(them, "POST", "/Pay/customer/openAccount", application).await["accountId"]);
    let state = json!({"accountId": account, "version": 1, "status": 2, "accountLevel": 2});
    yes(admin, "PUT", "/Pay/customer/state", state).await;
    let card = json!({"accountId": account, "cardNo": "4111111111111111", "bankMobile": "13712340001",
        "bankName": "银行", "holder": "陈伟", "idNo": "11010519491231002X"});
    let card = text(&yes(them, "POST", "/Pay/customer/bindCard", card).await["bindId"]);
    (account, card)
}

/// A rider with a case of each kind: his id and theirs.
async fn cases_of(admin: &Browser, machine: &Machine, area: &str) -> [String; 4] {
    let rider = Rider::come(machine, area, "他们的用户").await;
    let path = format!("/open/v1/attachments?userPin={}", rider.id);
    let mut photos = Vec::new();
    for number in [1, 2] {
        let brought = machine.upload(&path, simulator::photo::photo(number, [118.1, 24.5], 0)).await.data();
        photos.push(text(&brought["attachmentId"]));
    }
    let asked = json!({"userId": rider.id, "kind": 1, "organisation": "他们的学校", "certNo": "20260012345",
        "photoIds": [photos[0]]});
    let certification = machine.ok("/open/v1/rider/certification", &asked).await;
    let asked = json!({"userId": rider.id, "kind": 1, "phone": "13612340009", "photoIds": [photos[1]]});
    let rebinding = machine.ok("/open/v1/rider/rebinding", &asked).await;
    let listed = json!({"userId": rider.id, "kind": 1, "scope": 2, "reason": "他们拉黑的原因"});
    let entry = admin.ok("POST", "/user/blacklist", listed).await;
    [rider.id, text(&certification["certificationId"]), text(&rebinding["rebindingId"]), text(&entry["id"])]
}

/// An agent with something of every kind.
async fn theirs(stack: &Stack, admin: &Browser, machine: &Machine, city: &City, codes: &[String]) -> Theirs {
    let role = json!({"name": "他们的客服", "tier": 1, "remark": "他们的备注", "codes": codes, "state": 1,
        "agentId": city.agent});
    let role = text(&admin.ok("POST", "/platform/permission/role", role).await["id"]);
    let operator = json!({"phone": THEIR_CLERK, "name": "他们的王芳", "level": 15, "roleIds": [role],
        "agentId": city.agent, "opAreaIds": [city.area], "state": 1});
    let operator = text(&admin.ok("POST", "/platform/permission/user", operator).await["objectId"]);
    let (west, south) = (city.lng - 0.01, city.lat - 0.01);
    let ring = json!([[[west, south], [west + 0.005, south], [west + 0.005, south + 0.005], [west, south]]]);
    let maintained = json!({"name": "他们的运维区", "opAreaId": city.area, "leaders": [operator],
        "geometry": {"type": "Polygon", "coordinates": ring}});
    let maintained = text(&admin.ok("POST", "/ops/area", maintained).await["id"]);
    let them = Browser::signed_in(&admin.url, THEIR_CLERK).await;
    let devices = "/mieba/v2/platform/opman/device/login_info";
    let device = text(&them.ok("GET", devices, json!({})).await["list"][0]["id"]);
    let lock = json!({"carId": city.bikes[0].car, "action": "lock", "reason": "", "requestId": "theirs-1"});
    let command = text(&them.ok("POST", "/device/lock", lock).await["commandId"]);
    let fence = &city.fences[0];
    let version = admin.ok("GET", &format!("/fence/{fence}"), json!({})).await["version"].clone();
    let batch = json!({"fences": [{"id": fence, "version": version}], "change": {"capacity": {"by": 1}},
        "reason": "他们的原因"});
    let batch = text(&admin.ok("POST", "/fence/batch", batch).await["id"]);
    let template =
        json!({"name": "他们的模板", "remark": "", "codes": ["03", "0301"], "levelMask": 15, "state": 1});
    let template = text(&admin.ok("POST", "/platform/agent/role", template).await["id"]);
    let franchisee = json!({"agentId": city.agent, "company": "他们的加盟商", "contact": "他们的联系人",
        "phone": "13712340000", "licenseNo": "", "legalPerson": "", "serviceAreaIds": [city.area], "remark": "",
        "depositPaid": 0, "divideRatioBp": 100});
    let franchisee = text(&admin.ok("POST", "/platform/agent/allyInfo", franchisee).await["id"]);
    let (account, card) = paid(admin, &them, &city.agent, "A 的支付账户").await;
    let application = json!({"userPin": "7", "phone": "13712340002", "location": "他们的站点",
        "lat": city.lat + 0.01, "lng": city.lng});
    let application = machine.ok("/open/v1/rider/park-application", &application).await;
    let application = text(&application["applicationId"]);
    let two = json!({"agentId": city.agent, "rules": [{"kind": "agent.disable", "need": 2}], "version": 0});
    admin.ok("POST", "/platform/approval/limits", two).await;
    let disable = json!({"agentId": city.agent, "state": 0});
    let approval = admin.ok("POST", "/platform/agent/account/state", disable).await;
    let approval = text(&approval["approvalId"]);
    let product = json!({"agentId": city.agent, "kind": 4, "name": "他们的次卡", "days": 30, "times": 5, "priceCents": 990,
        "originPriceCents": 990});
    let product = text(&machine.ok("/open/v1/cards", &product).await["id"]);
    let cases = cases_of(admin, machine, &city.area).await;
    let view = json!({"name": "他们的视图", "audience": 2, "state": "f=alarm"});
    let view = text(&them.ok("POST", "/vehicle/map-view", view).await["id"]);
    let note = text(&them.ok("POST", "/vehicle/shift-note", json!({"text": "他们的交接"})).await["id"]);
    let scheme = crate::voltage_schemes::form("他们的电压方案", Some(&city.agent));
    let scheme = text(&machine.ok("/open/v1/voltage-schemes", &scheme).await["id"]);
    let position: i64 = sqlx::query_scalar("select max(position) from log.events where category = 'role'")
        .fetch_one(&stack.owner().await)
        .await
        .unwrap();
    Theirs {
        agent: city.agent.clone(),
        area: city.area.clone(),
        fence: fence.clone(),
        batch,
        maintained,
        application,
        cases,
        approval,
        product,
        car: city.bikes[0].car.clone(),
        imei: city.bikes[0].imei.clone(),
        role,
        template,
        franchisee,
        account,
        card,
        phone: THEIR_CLERK.to_owned(),
        operator,
        device,
        command,
        view,
        note,
        scheme,
        position: position.to_string(),
    }
}

impl Theirs {
    /// What nobody else is ever told.
    fn secrets(&self) -> Vec<&str> {
        vec![
            &self.agent,
            &self.area,
            &self.fence,
            &self.batch,
            &self.application,
            &self.cases[0],
            &self.cases[1],
            &self.cases[2],
            &self.cases[3],
            &self.approval,
            &self.product,
            &self.maintained,
            &self.car,
            &self.imei,
            &self.role,
            &self.franchisee,
            &self.account,
            &self.card,
            &self.operator,
            &self.device,
            &self.command,
            &self.view,
            &self.note,
            &self.scheme,
            "他们的电压方案",
            &self.phone,
            "他们的客服",
            "他们的备注",
            "他们的王芳",
            "他们的加盟商",
            "他们的联系人",
            "A 的支付账户",
            "A 出行有限公司",
            "A 区",
            "A 停车点",
            "他们的站点",
            "他们的学校",
            "他们拉黑的原因",
            "他们的运维区",
            "他们的原因",
            "他们的视图",
            "他们的交接",
        ]
    }
}

/// A file, which travels plain; one that is brought is none that is taken.
async fn taken(browser: &Browser, method: &str, at: &str, query: &Value) -> Reply {
    let query: Vec<String> = query
        .as_object()
        .expect("a query")
        .iter()
        .map(|(name, value)| format!("{name}={}", value.as_str().expect("text")))
        .collect();
    let bearer = format!("Bearer {}", browser.token.as_deref().unwrap_or_default());
    let seen = i64::MAX.to_string();
    let headers =
        [("_t", browser.session.t.0.as_str()), ("authorization", bearer.as_str()), ("x-seen", seen.as_str())];
    plain(&browser.url, method, &format!("{at}?{}", query.join("&")), &headers, None)
        .await
        .expect("an answer")
}

/// What is wrong with an answer that should tell nothing of theirs.
fn told(route: &Route, theirs: &Theirs, reply: &Reply) -> Option<String> {
    // A refusal may repeat what was asked for.
    if reply.body["suc"] == false || reply.body["success"] == false {
        let forbidden = reply.status == 403 && code(reply) == "forbidden";
        return if forbidden { None } else { done(route, reply) };
    }
    if reply.status != 200 {
        return Some(format!("{} {}", reply.status, reply.body));
    }
    // His own log has the paths that he asked for.
    let asked = format!("DELETE /fence/{}", theirs.fence);
    let told = reply.body.to_string().replace(&asked, "DELETE /fence");
    let secret = theirs.secrets().into_iter().find(|secret| told.contains(secret))?;
    Some(format!("tells {secret}: {told}"))
}

/// The code of a refusal, in either envelope.
fn code(reply: &Reply) -> &str {
    reply.body["error"]["code"].as_str().or(reply.body["code"].as_str()).unwrap_or_default()
}

/// What is wrong with an answer that should be a no, because the thing is theirs and for no other reason.
fn done(route: &Route, reply: &Reply) -> Option<String> {
    let no = reply.body["suc"] == false || reply.body["success"] == false;
    let as_it_should = reply.status == 200 && no && code(reply) == beyond(route);
    (!as_it_should).then(|| format!("is not refused as {}: {} {}", beyond(route), reply.status, reply.body))
}

#[tokio::test(flavor = "multi_thread")]
async fn perm_020_on_every_route_another_agents_things_do_not_exist() {
    let (stack, node) = Stack::serving().await;
    let machine = Machine::new(&node.url, &stack.full_machine().await);
    let city = City::build(&machine, "A", 1, 2).await;
    let own = City::build(&machine, "B", 2, 1).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let mut codes = Vec::new();
    collect(&admin.ok("GET", "/platform/permission/tree", json!({})).await, &mut codes);
    let theirs = theirs(&stack, &admin, &machine, &city, &codes).await;
    let role =
        json!({"name": "加盟商", "tier": 1, "remark": "", "codes": codes, "state": 1, "agentId": own.agent});
    let role = text(&admin.ok("POST", "/platform/permission/role", role).await["id"]);
    admin.new_operator(CLERK, &[&role], &own.agent).await;
    let clerk = Browser::signed_in(&node.url, CLERK).await;
    // By somebody else of his agent: what he himself brought about is counted below.
    admin.new_operator(COLLEAGUE, &[&role], &own.agent).await;
    paid(&admin, &Browser::signed_in(&node.url, COLLEAGUE).await, &own.agent, "自己的").await;
    let id =
        text(&admin.ok("GET", &format!("/platform/permission/user/{CLERK}"), json!({})).await["objectId"]);

    let routes = table(&stack).await;
    let missing: Vec<String> = routes
        .iter()
        .filter(|route| sample(route, &theirs).is_none())
        .map(|route| route.name(&route.declared))
        .collect();
    assert!(missing.is_empty(), "routes without a sample request in samples.rs: {missing:#?}");

    let (mut asked, mut refused, mut whole, mut wrong) = (0, 0, Vec::new(), Vec::new());
    for route in &routes {
        let at = address(route, &theirs);
        let call = async |content: Value| {
            if route.wrapped {
                clerk.call_at(&route.method, &at, &content).await
            } else {
                taken(&clerk, &route.method, &at, &content).await
            }
        };
        let found = match sample(route, &theirs).expect("checked above") {
            Sample::Whole(why) => {
                whole.push(why);
                None
            }
            Sample::Ask(content) | Sample::Own(content) => {
                asked += 1;
                told(route, &theirs, &call(content).await)
            }
            Sample::Tell(content) => {
                refused += 1;
                done(route, &call(content).await)
            }
        };
        wrong.extend(found.map(|found| format!("{} {found}", route.name(&at))));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(asked > 20 && refused > 20, "{asked} queries, {refused} commands; not cut: {whole:?}");

    // Signing in and what he said of himself is all that he brought about; refusals on record are the system's doing.
    let done: Vec<String> = sqlx::query_scalar(
        "select type from log.events where meta::jsonb->'actor'->>'id' = $1 and category <> 'access-record'
           and type not in ('operator.signed_in', 'operator-device.bound')",
    )
    .bind(&id)
    .fetch_all(&stack.owner().await)
    .await
    .unwrap();
    assert!(done.is_empty(), "his requests brought about {done:?}");
    let still = admin.ok("GET", &format!("/platform/permission/user/{THEIR_CLERK}"), json!({})).await;
    assert_eq!((&still["state"], &still["version"]), (&json!(1), &json!(1)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_right_that_is_taken_away_closes_the_socket_and_counts_on_the_next_request() {
    let (_stack, node) = Stack::serving().await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let role = admin.new_role("地图", &["0301".to_owned()]).await;
    admin.new_operator(CLERK, &[&role], "0").await;
    let clerk = Browser::signed_in(&node.url, CLERK).await;

    let mut screen = Screen::open(&clerk).await;
    admin.ok("POST", "/platform/permission/role/state", json!({"ids": [role], "state": 0})).await;
    assert_eq!(screen.until_closed().await, 4401, "the role was disabled");
    let map = clerk.call("GET", "/fence/map", json!({})).await;
    assert_eq!(map.status, 403, "{}", map.body);
    admin.ok("POST", "/platform/permission/role/state", json!({"id": role, "state": 1})).await;
    clerk.ok("GET", "/fence/map", json!({})).await;

    let mut screen = Screen::open(&clerk).await;
    let state = json!({"phones": [CLERK], "state": 0});
    admin.ok("POST", "/platform/permission/user/state", state).await;
    assert_eq!(screen.until_closed().await, 4403, "the account was disabled");
    assert_eq!(clerk.call("GET", "/fence/map", json!({})).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_whose_time_is_over_opens_no_route() {
    let (stack, node) = Stack::serving().await;
    let mut admin = Browser::signed_in(&node.url, ADMIN).await;
    let routes = table(&stack).await;
    let alive = admin.token.clone().expect("a token");
    admin.token = Some(expired(&stack, &alive));
    for route in routes.iter().filter(|route| route.needs_operator() || route.is_machine()) {
        for at in route.addresses("1") {
            refused(&crate::walk::asked(&admin, route, &at).await, route, &at, "an expired token", 401);
        }
    }
    admin.token = Some(alive);
    admin.ok("GET", "/platform/permission/allCode", json!({})).await;
}
