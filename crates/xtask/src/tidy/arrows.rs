//! Who may depend on whom: vocabulary ← kernel ← wire ← attachments, approvals, ledger ← contexts ← live, audit ← feeds ← server.

use anyhow::{Context, Result};
use serde_json::Value;

/// The business areas; none of them knows another.
const CONTEXTS: [&str; 10] = [
    "access",
    "territory",
    "fleet",
    "riding",
    "upkeep",
    "care",
    "marketing",
    "settings",
    "finance",
    "reports",
];

/// One crate of ours and our crates it depends on.
#[derive(Debug)]
pub struct Crate {
    /// Its name.
    pub name: String,
    /// Dependencies: name, and whether only its tests have it.
    pub uses: Vec<(String, bool)>,
}

/// The workspace's crates from `cargo metadata --no-deps`.
pub fn read_crates(metadata: &Value) -> Result<Vec<Crate>> {
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let ours: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    packages
        .iter()
        .map(|package| {
            let name = package["name"].as_str().context("a package without a name")?.to_owned();
            let uses =
                package["dependencies"].as_array().context("a package without a list of dependencies")?;
            let uses = uses
                .iter()
                .filter_map(|one| Some((one["name"].as_str()?, one["kind"].as_str() == Some("dev"))))
                .filter(|(used, _)| ours.contains(used))
                .map(|(used, in_tests)| (used.to_owned(), in_tests))
                .collect();
            Ok(Crate { name, uses })
        })
        .collect()
}

/// The floor of a context in the main system; an arrow goes only to a lower floor.
fn floor(name: &str) -> Option<u8> {
    match name {
        "vocabulary" => Some(0),
        "kernel" | "geofence" | "payment-port" => Some(1),
        "wire" => Some(2),
        "attachments" | "approvals" | "ledger" => Some(3),
        _ if CONTEXTS.contains(&name) => Some(4),
        "live" | "audit" => Some(5),
        "feeds" => Some(6),
        "server" => Some(7),
        _ => None,
    }
}

fn allowed(from: &str, to: &str, in_tests: bool) -> bool {
    match (from, to) {
        ("xtask", "testkit") | ("simulator" | "testkit", "vocabulary") => true,
        ("payment-simulator", "vocabulary" | "payment-port") => true,
        // The city and the provider speak the public ports, so only black-box tests put them together with the server.
        ("server", "simulator" | "payment-simulator") | (_, "testkit") => in_tests,
        _ => floor(from).zip(floor(to)).is_some_and(|(from, to)| to < from),
    }
}

/// Every arrow that points the wrong way.
pub fn broken(crates: &[Crate]) -> Vec<String> {
    let arrows = crates
        .iter()
        .flat_map(|krate| krate.uses.iter().map(move |(to, in_tests)| (&krate.name, to, *in_tests)));
    let mut lines: Vec<String> = arrows
        .filter(|(from, to, in_tests)| !allowed(from, to, *in_tests))
        .map(|(from, to, in_tests)| {
            let how = if in_tests { " (in its tests)" } else { "" };
            format!("crates/{from}: must not depend on {to}{how}")
        })
        .collect();
    let apart = ["simulator", "payment-simulator", "testkit", "xtask"];
    let placed = |name: &str| floor(name).is_some() || apart.contains(&name);
    lines.extend(crates.iter().filter(|krate| !placed(&krate.name)).map(|krate| {
        format!("crates/{}: has no place in the system yet; give it one in tidy/arrows.rs", krate.name)
    }));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken_by(from: &str, to: &str, in_tests: bool) -> bool {
        !broken(&[Crate { name: from.into(), uses: vec![(to.into(), in_tests)] }]).is_empty()
    }

    #[test]
    fn arrows_down_are_fine() {
        for (from, to) in
            [("kernel", "vocabulary"), ("access", "wire"), ("live", "fleet"), ("server", "live")]
        {
            assert!(!broken_by(from, to, false), "{from} → {to}");
        }
    }

    #[test]
    fn arrows_up_and_between_contexts_are_broken_in_tests_too() {
        for (from, to) in
            [("kernel", "wire"), ("access", "fleet"), ("fleet", "live"), ("vocabulary", "kernel")]
        {
            assert!(broken_by(from, to, false), "{from} → {to}");
            assert!(broken_by(from, to, true), "{from} → {to} in tests");
        }
    }

    #[test]
    fn the_testkit_is_for_tests_and_xtask() {
        assert!(broken_by("server", "testkit", false));
        assert!(!broken_by("server", "testkit", true));
        assert!(!broken_by("xtask", "testkit", false));
        assert!(broken_by("simulator", "kernel", false), "the city speaks only the public ports");
        assert!(broken_by("payment-simulator", "wire", false), "the provider speaks its protocol alone");
        assert!(broken_by("payment-port", "kernel", true));
        assert!(!broken_by("payment-simulator", "payment-port", false));
    }

    #[test]
    fn a_krate_without_a_place_is_named() {
        let crates = [Crate { name: "attic".into(), uses: Vec::new() }];
        assert_eq!(broken(&crates).len(), 1);
    }

    #[test]
    fn cargos_metadata_is_read() {
        let metadata = serde_json::json!({"packages": [
            {"name": "wire", "dependencies": [
                {"name": "kernel", "kind": null}, {"name": "testkit", "kind": "dev"}, {"name": "serde", "kind": null}]},
            {"name": "kernel", "dependencies": []},
            {"name": "testkit", "dependencies": []},
        ]});
        let crates = read_crates(&metadata).expect("well formed");
        assert_eq!(crates[0].uses, [("kernel".to_owned(), false), ("testkit".to_owned(), true)]);
    }
}
