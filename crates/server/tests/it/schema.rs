//! Every operation of the document, asked well and badly: whatever is sent, the answer is one that the document gives,
//! or a refusal in Chinese, and it comes soon. The list of operations is the document's own, so that one is covered from
//! the day on which it is added.

mod asking;
mod shape;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::rngs::StdRng;
use reqwest::{Client, Method, Response, StatusCode};
use serde_json::Value;
use tokio::task::JoinSet;

use self::asking::{Asking, Body, Operation};
use self::shape::Document;
use crate::client::Browser;
use crate::stack::{ADMIN, METRICS_TOKEN, Node, Stack, eventually};

/// The same requests in every run.
const SEED: u64 = 20_261_121;
/// No answer takes longer, also on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);
/// Of one operation so many findings are shown.
const SHOWN: usize = 5;
/// Operations that are asked at the same time.
const AT_ONCE: usize = 6;
/// Operations that end or renew the session they are called on, each of which is asked on sessions of its own.
const SESSION_KINDS: [&str; 2] = ["/auth/", "/platform/permission/login"];

/// Who asks.
#[derive(Clone)]
struct Askers {
    http: Client,
    url: String,
    admin_t: String,
    admin_bearer: String,
    machine_bearer: String,
}

impl Askers {
    async fn of(stack: &Stack, node: &Node) -> Self {
        let admin = Browser::signed_in(&node.url, ADMIN).await;
        let http = Client::builder().timeout(PATIENCE).no_proxy().build().expect("a client");
        Self {
            http,
            url: node.url.clone(),
            admin_bearer: format!("Bearer {}", admin.token.as_deref().expect("signed in")),
            admin_t: admin.session.t.0,
            machine_bearer: format!("Bearer {}", stack.full_machine().await.trim()),
        }
    }

    /// Headers that let `operation` in; `t` is the session of those that need one alone.
    fn headers(&self, operation: &Operation, t: &str) -> Vec<(&'static str, String)> {
        match operation.permit.as_str() {
            "open" => Vec::new(),
            "keyed" => vec![("_t", t.to_owned())],
            "machine" => vec![("authorization", self.machine_bearer.clone())],
            _ => vec![("_t", self.admin_t.clone()), ("authorization", self.admin_bearer.clone())],
        }
    }

    async fn send(&self, operation: &Operation, asking: &Asking, t: &str) -> reqwest::Result<Response> {
        let method: Method = operation.method.parse().expect("a method");
        let mut address = format!("{}{}", self.url, asking.path);
        if !asking.query.is_empty() {
            address = format!("{address}?{}", asking.query);
        }
        let mut request = self.http.request(method, address);
        for (name, value) in self.headers(operation, t) {
            request = request.header(name, value);
        }
        for (name, value) in &asking.headers {
            request = request.header(*name, value);
        }
        request = match &asking.body {
            Body::None => request,
            Body::Json(value) => request.json(value),
            Body::Raw(kind, bytes) => request.header("content-type", *kind).body(bytes.clone()),
        };
        let again = request.try_clone().expect("the body is in memory");
        match request.send().await {
            // The server closes a connection over a body that it does not want to read; the next request may meet that.
            Err(error) if !error.is_timeout() => again.send().await,
            answered => answered,
        }
    }
}

/// What went wrong with one operation, and how its answers were spread.
#[derive(Default)]
struct Told {
    wrong: Vec<String>,
    statuses: BTreeMap<u16, usize>,
    slowest: (Duration, String),
}

/// Asks all requests of one operation, one after the other.
async fn ask_all(askers: &Askers, document: &Document, operation: &Operation) -> Told {
    let mut told = Told::default();
    let own_session = operation.permit == "keyed";
    let mut t = String::new();
    let mut rng = StdRng::seed_from_u64(SEED ^ operation.number());
    for asking in asking::all(document, operation, &mut rng) {
        if own_session && t.is_empty() {
            t = Browser::keyed(&askers.url, "schema").await.session.t.0;
        }
        let begun = Instant::now();
        let (status, body) = match askers.send(operation, &asking, &t).await {
            Ok(response) => taken(response).await,
            Err(error) => {
                told.wrong.push(format!("{asking}: no answer after {:?}: {error}", begun.elapsed()));
                continue;
            }
        };
        *told.statuses.entry(status.as_u16()).or_default() += 1;
        if begun.elapsed() > told.slowest.0 {
            told.slowest = (begun.elapsed(), asking.to_string());
        }
        if own_session && status == StatusCode::UNAUTHORIZED && !t.is_empty() {
            // The call before ended it, as signing out does.
            t = String::new();
        } else if let Err(why) = judge(document, operation, status, &body) {
            told.wrong.push(format!("{asking}\n     {status}: {}\n     {why}", shortened(&body)));
        }
    }
    told
}

async fn taken(response: Response) -> (StatusCode, Vec<u8>) {
    let status = response.status();
    let body = response.bytes().await.map(|bytes| bytes.to_vec()).unwrap_or_default();
    (status, body)
}

fn shortened(body: &[u8]) -> String {
    String::from_utf8_lossy(body).chars().take(300).collect()
}

/// Whether an answer is one that the document gives, or a refusal that a person can read.
fn judge(document: &Document, operation: &Operation, status: StatusCode, body: &[u8]) -> Result<(), String> {
    let parsed: Option<Value> = serde_json::from_slice(body).ok();
    let is_envelope = parsed.as_ref().is_some_and(|value| value.get("suc").is_some());
    if !is_envelope && operation.has_files {
        // A file, which may be JSON of its own, or a page, which refuses as a page.
        let text = String::from_utf8_lossy(body);
        return if status == StatusCode::OK { Ok(()) } else { shape::in_chinese(&text) };
    }
    match status.as_u16() {
        200 => {
            let Some(schema) = operation.answer.as_ref() else { return Ok(()) };
            let value = parsed.ok_or("it is no JSON")?;
            if value["suc"] == false || value["success"] == false || value["error"].is_string() {
                shape::refusal_in_chinese(operation.financial(), &value)?;
            }
            document.conforms(&value, schema)
        }
        400 | 401 | 403 | 404 | 413 | 429 => {
            if operation.documents(status.as_u16()).is_some_and(|audit_schemas| !audit_schemas) {
                return Ok(());
            }
            shape::refusal_in_chinese(operation.financial(), &parsed.ok_or("a refusal is JSON")?)?;
            operation.documents(status.as_u16()).map(drop).ok_or_else(|| "it is not documented".to_owned())
        }
        _ => Err("that is no answer".to_owned()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_sent_every_operation_answers_as_documented_or_refuses_in_chinese() {
    let stack = Stack::start().await;
    let node = stack.node_with(None, &[("WIRE_ENCRYPTION", "optional")]);
    stack.know_the_administrator().await;
    let printed = stack.told(&["openapi"]).await;
    let document = Arc::new(Document::new(serde_json::from_str(&printed).expect("the document is JSON")));
    let operations = document.operations();
    assert!(operations.len() > 90, "the whole document: {}", operations.len());
    let askers = Askers::of(&stack, &node).await;

    // What ends or renews sessions comes last: it may take the administrator's with it.
    let (last, first): (Vec<_>, Vec<_>) = operations
        .into_iter()
        .partition(|operation| SESSION_KINDS.iter().any(|kind| operation.path.contains(kind)));
    let mut wrong = Vec::new();
    let (mut asked, mut found) = (0, 0);
    let mut slowest = (Duration::ZERO, String::new());
    for (group, at_once) in [(first, AT_ONCE), (last, 1)] {
        let mut waiting = group.into_iter();
        let mut running = JoinSet::new();
        loop {
            while running.len() < at_once
                && let Some(operation) = waiting.next()
            {
                let (askers, document) = (askers.clone(), Arc::clone(&document));
                running.spawn(async move {
                    let told = ask_all(&askers, &document, &operation).await;
                    (operation, told)
                });
            }
            let Some(ended) = running.join_next().await else { break };
            let (operation, told) = ended.expect("nothing here panics");
            let requests: usize = told.statuses.values().sum();
            asked += requests;
            slowest = slowest.max((told.slowest.0, format!("{operation}: {}", told.slowest.1)));
            // Refused at the edge every time, nothing of it was looked at: that is right of what needs a payment account.
            let at_the_edge = told.statuses.keys().all(|status| matches!(status, 401 | 403 | 429));
            if at_the_edge && !operation.needs_account {
                wrong.push(format!("{operation}: never got in: {:?}", told.statuses));
            }
            found += told.wrong.len();
            // The first ones tell enough.
            wrong.extend(told.wrong.into_iter().take(SHOWN).map(|why| format!("{operation}: {why}")));
        }
    }
    println!("{asked} requests; the slowest took {:?}: {}", slowest.0, slowest.1);
    assert!(wrong.is_empty(), "{found} of {asked}:\n{}", wrong.join("\n"));
    assert!(asked > 1_500, "only {asked} requests");

    // What was taken is also understood: no projector stumbles over it.
    eventually("every read model took in what was done", Duration::from_mins(1), async || {
        let asking = askers.http.get(format!("{}/healthz", node.url)).bearer_auth(METRICS_TOKEN);
        let report: Value = asking.send().await.ok()?.json().await.ok()?;
        let projections = report["details"]["projections"].as_array()?;
        assert!(projections.iter().all(|one| one["parked"] == 0), "parked: {report}");
        (report["status"] == "ok" && projections.iter().all(|one| one["lag"] == 0)).then_some(())
    })
    .await;
}
