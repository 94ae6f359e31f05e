//! The server's own table of routes, as its OpenAPI document tells it: walks over it cover a route from the day on
//! which it is added.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::client::{Browser, Reply, plain};
use crate::stack::Stack;

/// A line of the table.
#[derive(Clone, Debug)]
pub struct Route {
    pub method: String,
    /// As declared, with its `{names}`.
    pub declared: String,
    pub permit: String,
    pub codes: BTreeSet<String>,
    pub wrapped: bool,
    /// Names of its query parameters.
    pub query: Vec<String>,
}

/// What the document says.
pub async fn table(stack: &Stack) -> Vec<Route> {
    let printed = stack.told(&["openapi"]).await;
    let document: Value = serde_json::from_str(&printed).expect("the document is JSON");
    let mut routes = Vec::new();
    for (declared, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let permit = &operation["x-permit"];
            let codes = permit["codes"].as_array().into_iter().flatten();
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            routes.push(Route {
                method: method.to_uppercase(),
                declared: declared.clone(),
                permit: permit["kind"].as_str().expect("every route declares its permit").to_owned(),
                codes: codes.map(|code| code.as_str().expect("a code").to_owned()).collect(),
                wrapped: operation["x-wrapped"].as_bool().expect("every route says whether it is wrapped"),
                query: parameters
                    .filter(|one| one["in"] == "query")
                    .map(|one| one["name"].as_str().expect("a name").to_owned())
                    .collect(),
            });
        }
    }
    assert!(routes.len() > 50, "the whole table: {}", routes.len());
    for kind in ["open", "keyed", "signedIn", "anyOf", "machine"] {
        assert!(routes.iter().any(|route| route.permit == kind), "no route is {kind}");
    }
    routes
}

impl Route {
    /// Whether a session is needed.
    pub fn needs_session(&self) -> bool {
        matches!(self.permit.as_str(), "keyed" | "signedIn" | "anyOf")
    }

    /// Whether somebody must have signed in.
    pub fn needs_operator(&self) -> bool {
        matches!(self.permit.as_str(), "signedIn" | "anyOf")
    }

    /// Whether it is of the financial host.
    pub fn is_financial(&self) -> bool {
        let path = self.declared.strip_prefix(wire::BASE).unwrap_or(&self.declared);
        path.starts_with("/Pay/") || path.starts_with("/Business/")
    }

    pub fn is_machine(&self) -> bool {
        self.permit == "machine"
    }

    /// Its addresses with `value` for every name in the path; some live at two places.
    pub fn addresses(&self, value: &str) -> Vec<String> {
        let path: Vec<&str> =
            self.declared.split('/').map(|part| if part.starts_with('{') { value } else { part }).collect();
        let path = path.join("/");
        let at_root = path.strip_prefix(wire::BASE).filter(|rest| {
            ["/auth/", "/mieba/", "/Pay/", "/Business/"].iter().any(|prefix| rest.starts_with(prefix))
        });
        at_root.map(str::to_owned).into_iter().chain([path.clone()]).collect()
    }

    /// `value` for every query parameter.
    pub fn asking_for(&self, value: &str) -> Value {
        Value::Object(self.query.iter().map(|name| (name.clone(), json!(value))).collect::<Map<_, _>>())
    }

    /// What a failed assertion says of it.
    pub fn name(&self, at: &str) -> String {
        format!("{} {at} ({}{})", self.method, self.permit, if self.wrapped { ", wrapped" } else { "" })
    }
}

/// A call without a box.
pub async fn bare(url: &str, route: &Route, at: &str, headers: &[(&str, &str)]) -> Reply {
    let body = (route.method != "GET" && route.method != "DELETE").then(|| json!({}));
    plain(url, &route.method, at, headers, body.as_ref()).await.expect("an answer")
}

/// The refusal's status, in the shape that the contract gives it.
pub fn refused(reply: &Reply, route: &Route, at: &str, who: &str, status: u16) {
    refused_as(reply, route, at, who, status, if status == 401 { "no-session" } else { "forbidden" });
}

/// The same, with a code of its own.
pub fn refused_as(reply: &Reply, route: &Route, at: &str, who: &str, status: u16, code: &str) {
    assert_eq!(reply.status, status, "{who}: {}: {}", route.name(at), reply.body);
    let told = reply.body["error"]["code"].as_str().or(reply.body["code"].as_str());
    assert_eq!(told, Some(code), "{who}: {}: {}", route.name(at), reply.body);
    let text = reply.body["message"].as_str().unwrap_or_default();
    assert!(text.chars().any(|c| c > '\u{3000}'), "{who}: {}: in Chinese: {}", route.name(at), reply.body);
    assert!(reply.body.get("data").is_none_or(Value::is_null), "{who}: {}: tells data", route.name(at));
}

/// As this browser, in a box where boxes are due.
pub async fn asked(browser: &Browser, route: &Route, at: &str) -> Reply {
    if route.wrapped {
        return browser.call_at(&route.method, at, &json!({})).await;
    }
    let bearer = format!("Bearer {}", browser.token.as_deref().unwrap_or_default());
    let mut headers = vec![("_t", browser.session.t.0.as_str())];
    headers.extend(browser.token.is_some().then_some(("authorization", bearer.as_str())));
    bare(&browser.url, route, at, &headers).await
}

/// All codes of the permission tree.
pub fn collect(tree: &Value, codes: &mut Vec<String>) {
    for branch in tree.as_array().into_iter().flatten() {
        codes.push(branch["code"].as_str().expect("a code").to_owned());
        collect(&branch["children"], codes);
    }
}
