//! Who may call what, held against the list of endpoints: `docs/permits.tsv` has a line for each, with the specification's
//! permission and, where it differs or says nothing, ours. `docs/permits.md` says why.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use wire::BASE;

const LIST: &str = include_str!("../../../../docs/permits.tsv");
const OPENAPI: &str = include_str!("../../../../openapi.json");

/// A line of the list.
struct Line {
    method: &'static str,
    path: &'static str,
    /// The specification's; `-`: it names none; empty: it has no such endpoint.
    specified: &'static str,
    /// Ours where it is another one.
    ours: &'static str,
}

fn lines() -> Vec<Line> {
    let mut lines = LIST.lines();
    assert_eq!(lines.next(), Some("method\tpath\tspecification\tours"));
    lines
        .map(|line| {
            let mut parts = line.split('\t').chain(std::iter::repeat(""));
            let mut next = || parts.next().unwrap_or_default();
            Line { method: next(), path: next(), specified: next(), ours: next() }
        })
        .collect()
}

/// A call as both name it: what parameters of a path are called does not matter.
fn key(method: &str, path: &str) -> (String, String) {
    let path = path.strip_prefix(BASE).unwrap_or(path);
    let parts: Vec<&str> =
        path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part }).collect();
    (method.to_uppercase(), parts.join("/"))
}

/// The codes of a permission, whatever their order.
fn codes(permission: &str) -> BTreeSet<&str> {
    permission.split("||").collect()
}

/// `x-permit` of every operation, as the list writes it.
fn permits() -> BTreeMap<(String, String), String> {
    let document: Value = serde_json::from_str(OPENAPI).expect("JSON");
    let mut permits = BTreeMap::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let permit = &operation["x-permit"];
            let text = match permit["codes"].as_array() {
                Some(codes) => {
                    codes.iter().map(|code| code.as_str().expect("a code")).collect::<Vec<_>>().join("||")
                }
                None => permit["kind"].as_str().expect("a kind").to_owned(),
            };
            permits.insert(key(method, path), text);
        }
    }
    permits
}

#[test]
fn perm_019_every_permit_is_the_one_of_the_list() {
    let permits = permits();
    let listed: BTreeMap<(String, String), Line> =
        lines().into_iter().map(|line| (key(line.method, line.path), line)).collect();
    assert_eq!(listed.len(), lines().len(), "each call has one line");
    let mut wrong = Vec::new();
    for (call, permit) in &permits {
        match listed.get(call) {
            None => wrong.push(format!("{call:?} ({permit}) has no line in docs/permits.tsv")),
            Some(line) => {
                let wanted = if line.ours.is_empty() { line.specified } else { line.ours };
                if codes(wanted) != codes(permit) {
                    wrong.push(format!("{call:?} is open to {permit}, and should be to {wanted}"));
                }
            }
        }
    }
    wrong.extend(
        listed
            .iter()
            .filter(|(call, line)| !line.ours.is_empty() && !permits.contains_key(call))
            .map(|(call, _)| format!("{call:?} has a permit of ours in docs/permits.tsv, and no handler")),
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(permits.len() > 100, "{}", permits.len());
}

#[test]
fn where_the_specification_names_a_permission_ours_differs_only_as_written_down() {
    let differing: Vec<&str> = lines()
        .iter()
        .filter(|line| !matches!(line.specified, "" | "-" | "per topic") && !line.ours.is_empty())
        .map(|line| line.path)
        .collect();
    let fences = ["/fence/list", "/fence/{id}", "/fence", "/fence", "/fence/{id}", "/fence/state"];
    assert_eq!(differing, [&fences[..], &["/device/command"]].concat());
}

mod specification {
    use super::*;

    #[test]
    #[ignore = "reads the folder that WHEELHOUSE_SPEC names"]
    fn the_list_says_what_the_specification_says() {
        let folder =
            std::env::var("WHEELHOUSE_SPEC").expect("WHEELHOUSE_SPEC names the folder of the specification");
        let text = std::fs::read_to_string(format!("{folder}/endpoints.json")).expect("endpoints.json");
        let endpoints: Vec<Value> = serde_json::from_str(&text).expect("a list");
        let field = |endpoint: &Value, name: &str| endpoint[name].as_str().unwrap_or("-").to_owned();
        let specified: Vec<[String; 3]> = endpoints
            .iter()
            .map(|endpoint| ["method", "path", "permission"].map(|name| field(endpoint, name)))
            .collect();
        let listed: Vec<[String; 3]> = lines()
            .iter()
            .filter(|line| !line.specified.is_empty())
            .map(|line| [line.method, line.path, line.specified].map(str::to_owned))
            .collect();
        assert_eq!(listed, specified);
    }
}
