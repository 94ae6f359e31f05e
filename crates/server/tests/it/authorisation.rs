//! Every route refuses whoever may not: the walk goes over the server's own table.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use wire::FinancialAccount;

use crate::access::paid;
use crate::client::{Browser, Machine, Reply, plain};
use crate::stack::{ADMIN, Stack};
use crate::walk::{Route, asked, bare, refused, refused_as, table};

/// The tree's codes that stay when those of `without` are taken away: neither they nor what hangs below them, which
/// would bring them back.
fn all_but(tree: &Value, without: &BTreeSet<String>) -> Vec<String> {
    let mut left = Vec::new();
    for branch in tree.as_array().into_iter().flatten() {
        let code = branch["code"].as_str().expect("a code");
        if !without.contains(code) {
            left.push(code.to_owned());
            left.extend(all_but(&branch["children"], without));
        }
    }
    left
}

#[tokio::test(flavor = "multi_thread")]
async fn perm_019_every_route_refuses_whoever_may_not_call_it() {
    let (stack, node) = Stack::serving().await;
    let url = &node.url;
    let routes = table(&stack).await;
    let admin = Browser::signed_in(url, ADMIN).await;
    let tree = admin.ok("GET", "/platform/permission/tree", json!({})).await;

    strangers(url, &routes).await;

    // Somebody who agreed on keys and is nobody yet, also with somebody else's token.
    let mut keyed = Browser::keyed(url, "stranger").await;
    for token in [None, Some("nonsense".to_owned()), admin.token.clone()] {
        keyed.token = token;
        for route in routes.iter().filter(|route| route.needs_operator() || route.is_machine()) {
            for at in route.addresses("1") {
                refused(&asked(&keyed, route, &at).await, route, &at, "a keyed stranger", 401);
            }
        }
    }

    // An operator who holds nothing, and one who holds everything but what the route asks for.
    let role = admin.new_role("其余", &all_but(&tree, &BTreeSet::from(["0301".to_owned()]))).await;
    admin.new_operator("13700000001", &[], "0").await;
    admin.new_operator("13700000002", &[&role], "0").await;
    let nobody = Browser::signed_in(url, "13700000001").await;
    let narrow = Browser::signed_in(url, "13700000002").await;
    let coded: Vec<&Route> = routes.iter().filter(|route| route.permit == "anyOf").collect();
    for route in &coded {
        for at in route.addresses("1") {
            refused(&asked(&nobody, route, &at).await, route, &at, "an operator without codes", 403);
        }
    }
    let mut by_codes: BTreeMap<&BTreeSet<String>, Vec<&Route>> = BTreeMap::new();
    for route in &coded {
        by_codes.entry(&route.codes).or_default().push(route);
    }
    for (codes, routes) in by_codes {
        let left = all_but(&tree, codes);
        assert!(left.len() > 10, "{codes:?} leave nothing");
        set_codes(&admin, &role, &left).await;
        for route in routes {
            for at in route.addresses("1") {
                refused(&asked(&narrow, route, &at).await, route, &at, "an operator without the code", 403);
            }
        }
        // Each of its codes alone opens it; what the call thinks of an empty request is another matter.
        for code in codes {
            set_codes(&admin, &role, std::slice::from_ref(code)).await;
            for route in coded.iter().filter(|route| route.codes.contains(code) && route.method == "GET") {
                let at = &route.addresses("1")[0];
                let reply = asked(&narrow, route, at).await;
                // Nobody has a financial account yet: most financial codes open nothing until he has.
                let held = vocabulary::PermissionCode::try_from(code.clone()).expect("a code");
                let gated = wire::gate_financial(&[held].into_iter().collect(), FinancialAccount::default());
                if route.is_financial() && gated.is_empty() {
                    refused(&reply, route, at, "a holder without an account", 403);
                } else {
                    assert!(matches!(reply.status, 200 | 400), "{code}: {}: {}", route.name(at), reply.body);
                }
            }
        }
    }

    // A disabled operator, whose session was live a moment ago.
    let state = json!({"phone": "13700000002", "state": 0});
    admin.ok("POST", "/platform/permission/user/state", state).await;
    for route in routes.iter().filter(|route| route.needs_session()) {
        for at in route.addresses("1") {
            // A call for a session alone says nothing of who was signed in on it.
            let code = if route.needs_operator() { "operator-disabled" } else { "no-session" };
            refused_as(&asked(&narrow, route, &at).await, route, &at, "a disabled operator", 401, code);
        }
    }

    // One's own token on another session of one's own is worth nothing either.
    let mut other_session = Browser::keyed(url, "second-device").await;
    other_session.token.clone_from(&nobody.token);
    for route in routes.iter().filter(|route| route.needs_operator()) {
        let at = &route.addresses("1")[0];
        refused(&asked(&other_session, route, at).await, route, at, "a token of another session", 401);
    }
    machines(&stack, url, &routes, &admin).await;
}

/// Sets the codes of a role, at whichever version it is.
async fn set_codes(admin: &Browser, role: &str, codes: &[String]) {
    let rows = admin.ok("GET", "/platform/permission/role", json!({"pageSize": "200"})).await;
    let row = rows["rows"].as_array().unwrap().iter().find(|row| row["id"] == role).expect("the role");
    let body = json!({"id": role, "name": row["name"], "tier": row["tier"], "remark": "", "codes": codes,
        "version": row["version"]});
    admin.ok("PUT", "/platform/permission/role", body).await;
}

/// Nobody: no header at all, and headers that say nothing.
async fn strangers(url: &str, routes: &[Route]) {
    let nonsense = [("_t", "nonsense"), ("authorization", "Bearer nonsense")];
    for route in routes {
        for at in route.addresses("1") {
            for headers in [&[][..], &nonsense[..1], &nonsense[1..], &nonsense[..]] {
                let reply = bare(url, route, &at, headers).await;
                if route.permit == "open" {
                    assert!(!matches!(reply.status, 401 | 403), "{}: {}", route.name(&at), reply.body);
                    assert!(reply.status < 500, "{}: {}", route.name(&at), reply.body);
                } else {
                    refused(&reply, route, &at, "a stranger", 401);
                }
            }
        }
    }
    for (method, at, status) in [
        ("GET", "/ebike/v3/backend/platform/nothing", 404),
        ("GET", "/open/v1/nothing", 404),
        ("GET", "/auth/nothing", 404),
        ("DELETE", "/ebike/v3/backend/web/config", 405),
    ] {
        let reply = plain(url, method, at, &[], None).await.unwrap();
        assert_eq!((reply.status, &reply.body["suc"]), (status, &json!(false)), "{method} {at}");
    }
}

/// Machines: no token, a wrong one, one without the code, an operator's, one that was revoked; and with the code.
async fn machines(stack: &Stack, url: &str, routes: &[Route], admin: &Browser) {
    let codes: BTreeSet<&String> =
        routes.iter().filter(|route| route.is_machine()).flat_map(|route| &route.codes).collect();
    assert!(codes.len() > 2, "{codes:?}");
    let operator = format!("Bearer {}", admin.token.as_deref().unwrap());
    for (number, code) in codes.iter().enumerate() {
        let with = format!("Bearer {}", stack.machine_token(&format!("with-{number}"), code).await.trim());
        let others: Vec<&str> =
            codes.iter().filter(|other| other != &code).map(|code| code.as_str()).collect();
        let without = stack.machine_token(&format!("without-{number}"), &others.join(",")).await;
        let without = format!("Bearer {}", without.trim());
        let its = routes.iter().filter(|route| route.is_machine() && route.codes.contains(*code));
        for route in its {
            for at in route.addresses("1") {
                let call = async |bearer: &str| {
                    let headers = [("_t", admin.session.t.0.as_str()), ("authorization", bearer)];
                    bare(url, route, &at, &headers).await
                };
                refused(&call(&operator).await, route, &at, "an operator", 401);
                refused(&call("Bearer whm_nonsense").await, route, &at, "a wrong token", 401);
                refused(&call(&without).await, route, &at, "a machine without the code", 403);
                let let_in = call(&with).await;
                assert!(matches!(let_in.status, 200 | 400), "{}: {}", route.name(&at), let_in.body);
            }
        }
        for route in routes.iter().filter(|route| route.needs_operator()) {
            let at = &route.addresses("1")[0];
            let headers = [("_t", admin.session.t.0.as_str()), ("authorization", with.as_str())];
            refused(&bare(url, route, at, &headers).await, route, at, "a machine", 401);
        }
    }
    // Of a machine that may do something, not only read.
    let acts = |code: &String| {
        routes.iter().find(|route| route.is_machine() && route.method == "POST" && route.codes.contains(code))
    };
    let acting = codes.iter().enumerate().find_map(|(number, code)| Some((number, acts(code)?)));
    let (number, route) = acting.expect("a machine that acts");
    stack.told(&["machine", "revoke", "--name", &format!("with-{number}")]).await;
    let token = std::fs::read_to_string(stack.state_dir().join(format!("with-{number}.token"))).unwrap();
    let at = &route.addresses("1")[0];
    let bearer = format!("Bearer {}", token.trim());
    crate::stack::eventually("the revoked token is refused", std::time::Duration::from_mins(1), async || {
        (bare(url, route, at, &[("authorization", &bearer)]).await.status == 401).then_some(())
    })
    .await;
    assert_eq!(Machine::new(url, &token).post(at, &json!({}), None).await.unwrap().status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrapped_route_insists_on_its_box_and_takes_it_once() {
    let (stack, node) = Stack::serving().await;
    let routes = table(&stack).await;
    let admin = Browser::signed_in(&node.url, ADMIN).await;
    let all = all_but(&admin.ok("GET", "/platform/permission/tree", json!({})).await, &BTreeSet::new());
    let role = admin.new_role("全部", &all).await;
    admin.new_operator("13700000003", &[&role], "0").await;
    let deputy = Browser::signed_in(&node.url, "13700000003").await;
    // Financial calls are open to the people of an agent whose payment account is.
    let body =
        json!({"company": "厦门骑行有限公司", "contact": "陈明", "phone": "13900000003", "billingWay": 1});
    let opened = admin.ok("POST", "/platform/agent/account", body).await;
    let agent = opened["agentId"].as_str().expect("an id");
    admin.new_operator("13700000004", &[&role], agent).await;
    let payer = Browser::signed_in(&node.url, "13700000004").await;
    paid(&admin, &payer, agent, "厦门骑行").await;
    let holder = |route: &Route| if route.is_financial() { &payer } else { &deputy };
    for route in routes.iter().filter(|route| route.wrapped) {
        let caller = holder(route);
        let bearer = format!("Bearer {}", caller.token.as_deref().unwrap());
        let headers = [("_t", caller.session.t.0.as_str()), ("authorization", bearer.as_str())];
        for at in route.addresses("1") {
            let reply = bare(&node.url, route, &at, &headers).await;
            assert_eq!((reply.status, said_code(&reply)), (400, "unsealed"), "{}", route.name(&at));
            // A box for another call does not open here.
            let foreign = caller.sealed(&route.method, "/ebike/v3/backend/elsewhere", &json!({}));
            let reply = caller.send(&route.method, &at, &foreign, None).await.unwrap();
            assert_eq!((reply.status, said_code(&reply)), (400, "unsealed"), "{}", route.name(&at));
        }
    }
    // The key exchange's and sign-in's own calls end or change their session, so each gets a session of its own.
    for route in routes.iter().filter(|route| route.wrapped) {
        let at = &route.addresses("1")[0];
        let fresh;
        let caller = if route.permit == "keyed" {
            fresh = Browser::keyed(&node.url, "replayer").await;
            &fresh
        } else {
            holder(route)
        };
        let sealed = caller.sealed(&route.method, at, &json!({}));
        let first = caller.send(&route.method, at, &sealed, None).await.unwrap();
        let let_in = matches!(first.status, 200 | 400 | 401) && said_code(&first) != "unsealed";
        assert!(let_in, "{}: {} {}", route.name(at), first.status, first.body);
        let again = caller.send(&route.method, at, &sealed, None).await.unwrap();
        let gone = again.status == 401 && at.ends_with("/logout");
        assert!(
            gone || (again.status, said_code(&again)) == (400, "replayed"),
            "{}: {} {}",
            route.name(at),
            again.status,
            again.body
        );
    }
}

/// The code of a refusal, in either envelope.
fn said_code(reply: &Reply) -> &str {
    reply.body["error"]["code"].as_str().or(reply.body["code"].as_str()).unwrap_or_default()
}
