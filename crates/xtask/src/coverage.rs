//! Which ids of a table the tests name.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::tidy::tracked_files;

/// Prints each row's id with `tested` or `missing`, and the sum.
pub fn coverage(table: &Path) -> Result<()> {
    let text = fs::read_to_string(table).with_context(|| format!("cannot read {}", table.display()))?;
    let ids = ids_of(&text);
    ensure!(!ids.is_empty(), "{} holds no ids", table.display());
    let mut named = BTreeSet::new();
    for file in tracked_files()?.iter().filter(|file| is_test_source(&file.path)) {
        named.extend(names_in(tests_of(&file.path, &file.text)));
    }
    let mut tested = 0;
    for id in &ids {
        let found = named.contains(*id);
        tested += usize::from(found);
        println!("{id}\t{}", if found { "tested" } else { "missing" });
    }
    println!("{tested} of {} tested", ids.len());
    Ok(())
}

fn ids_of(table: &str) -> Vec<&str> {
    let mut lines = table.lines();
    let heading = lines.next().unwrap_or_default();
    let column = heading.split('\t').position(|name| name.trim().eq_ignore_ascii_case("id")).unwrap_or(0);
    lines.filter_map(|line| line.split('\t').nth(column).map(str::trim)).filter(|id| !id.is_empty()).collect()
}

/// Files of tests, and sources that hold tests inside.
fn is_test_source(path: &str) -> bool {
    path.contains("/tests/")
        || path.starts_with("web/e2e/")
        || path.ends_with(".test.ts")
        || path.ends_with(".test.tsx")
        || (path.starts_with("crates/") && Path::new(path).extension().is_some_and(|end| end == "rs"))
}

/// Of a source that holds tests inside, only these; naming an id in a comment tests nothing.
fn tests_of<'a>(path: &str, text: &'a str) -> &'a str {
    if path.starts_with("crates/") && !path.contains("/tests/") {
        return text.find("#[cfg(test)]").map_or("", |start| &text[start..]);
    }
    text
}

/// Every word that may be an id: `OPS-12` but not the `OPS-1` in it; `AMB_029` reads as `AMB-029`.
fn names_in(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)))
        .map(|word| word.trim_matches(['-', '.', '_']))
        .filter(|word| word.chars().any(|c| c.is_ascii_digit()))
        .map(|word| word.replace('_', "-").to_ascii_uppercase())
        .chain(text.lines().flat_map(ids_of_function))
}

/// The ids that a test function's name begins with: `api_040_041_perm_018_what_is_tested` names three.
fn ids_of_function(line: &str) -> Vec<String> {
    let Some((_, rest)) = line.split_once("fn ") else { return Vec::new() };
    let name = rest.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default();
    let is_number = |part: &str| part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    let (mut ids, mut area) = (Vec::new(), None);
    let mut parts = name.split('_').peekable();
    while let Some(part) = parts.next() {
        if is_number(part) {
            let Some(area) = area else { break };
            ids.push(format!("{area}-{part}").to_ascii_uppercase());
        } else if parts.peek().is_some_and(|next| is_number(next)) {
            area = Some(part);
        } else {
            break;
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stand_in_their_column_or_the_first() {
        assert_eq!(ids_of("id\ttext\nR-1\tx\nR-2\ty\n"), ["R-1", "R-2"]);
        assert_eq!(ids_of("area\tid\nops\tR-1\n\nops\tR-2\n"), ["R-1", "R-2"]);
    }

    #[test]
    fn a_remark_outside_the_tests_is_no_test() {
        let source = "/// R-1\nfn f() {}\n#[cfg(test)]\nmod tests { /* R-2 */ }\n";
        let named: Vec<String> = names_in(tests_of("crates/care/src/lib.rs", source)).collect();
        assert_eq!(named, ["R-2"]);
        assert_eq!(tests_of("crates/care/tests/it.rs", source), source);
    }

    #[test]
    fn a_test_function_names_the_ids_that_it_begins_with() {
        assert_eq!(
            ids_of_function("async fn api_040_041_perm_018_one_of_2_001() {"),
            ["API-040", "API-041", "PERM-018"]
        );
        assert!(ids_of_function("fn after_api_040_041() {").is_empty());
        assert!(ids_of_function("let x = 5;").is_empty());
        assert_eq!(ids_of_function("    fn gate_001(x: u8) {"), ["GATE-001"]);
    }

    #[test]
    fn a_longer_id_does_not_count_for_a_shorter_one() {
        let named: BTreeSet<String> = names_in("// OPS-12, AMB_029: why").collect();
        assert!(named.contains("OPS-12") && named.contains("AMB-029"));
        assert!(!named.contains("OPS-1"));
    }
}
