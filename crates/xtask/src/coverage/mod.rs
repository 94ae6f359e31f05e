//! Which rows of a table the tests name.
//!
//! An id counts where a test's name begins with it (`api_040_041_perm_018_…`) or where a string of a test says it: a
//! browser test's title, a row of a table of cases, what an assertion says when it fails. In a comment it counts nothing.

mod rust;
mod script;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::tidy::{TextFile, coming, read_routes, tracked_files};

/// Prints each row's id with `tested`, `declared` or `missing`, and the sums.
pub fn coverage(table: &Path) -> Result<()> {
    let text = fs::read_to_string(table).with_context(|| format!("cannot read {}", table.display()))?;
    let rows = rows_of(&text);
    ensure!(!rows.is_empty(), "{} holds no ids", table.display());
    let named = ids_named(&tracked_files()?)?;
    let routes = read_routes()?;
    let coming = coming(&routes);
    let mut sums = [0, 0, 0];
    for row in &rows {
        let state = row.state(&named, &coming);
        sums[state as usize] += 1;
        println!("{}\t{}", row.id, ["tested", "declared", "missing"][state as usize]);
    }
    let [tested, declared, missing] = sums;
    println!(
        "{tested} of {} tested, {declared} declared (their pages are to come), {missing} missing",
        rows.len()
    );
    Ok(())
}

/// A row of the table.
struct Row<'a> {
    id: &'a str,
    text: &'a str,
}

/// What the tests have of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Tested,
    /// A test names it, but the page that it speaks of is still to come: what is tested is its line in the route table.
    Declared,
    Missing,
}

impl Row<'_> {
    fn state(&self, named: &BTreeSet<String>, coming: &[&str]) -> State {
        if !named.contains(self.id) {
            return State::Missing;
        }
        if self.page().is_some_and(|page| coming.contains(&page.as_str())) {
            State::Declared
        } else {
            State::Tested
        }
    }

    /// The first path, which is what a row is about; a later one may be where it leads. `list under /care` is `/care/list`.
    fn page(&self) -> Option<String> {
        let words: Vec<&str> = self.text.split_whitespace().collect();
        let at = words.iter().position(|word| word.starts_with('/'))?;
        let path = words[at].trim_end_matches([',', '.', ';', ':', ')']);
        Some(match words[..at] {
            [.., page, "under"] => format!("{path}/{page}"),
            _ => path.to_owned(),
        })
    }
}

fn rows_of(table: &str) -> Vec<Row<'_>> {
    let mut lines = table.lines();
    let heading = lines.next().unwrap_or_default();
    let column = heading.split('\t').position(|name| name.trim().eq_ignore_ascii_case("id")).unwrap_or(0);
    lines
        .filter_map(|text| Some(Row { id: text.split('\t').nth(column)?.trim(), text }))
        .filter(|row| !row.id.is_empty())
        .collect()
}

/// The ids that the tests of these files name. This program's own tests speak of made-up ids.
fn ids_named(files: &[TextFile]) -> Result<BTreeSet<String>> {
    let mut named = BTreeSet::new();
    for file in files.iter().filter(|file| !file.path.starts_with("crates/xtask/")) {
        if file.path.starts_with("crates/") && file.has_ending("rs") {
            named.extend(rust::ids(&file.path, &file.text)?);
        } else if is_script_of_tests(&file.path) {
            named.extend(script::strings(&file.text).iter().flat_map(|text| ids_in(text)));
        }
    }
    Ok(named)
}

fn is_script_of_tests(path: &str) -> bool {
    path.starts_with("web/e2e/") || path.ends_with(".test.ts") || path.ends_with(".test.tsx")
}

/// Every word that may be an id: `OPS-12` but not the `OPS-1` in it.
fn ids_in(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c)))
        .map(|word| word.trim_matches(['-', '.', '_']))
        .filter(|word| word.contains('-') && word.ends_with(|c: char| c.is_ascii_digit()))
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::State::{Declared, Missing, Tested};
    use super::*;

    fn ids(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<TextFile> = files
            .iter()
            .map(|(path, text)| TextFile { path: (*path).to_owned(), text: (*text).to_owned() })
            .collect();
        ids_named(&files).expect("readable").into_iter().collect()
    }

    #[test]
    fn ids_stand_in_their_column_or_the_first() {
        let ids = |table| rows_of(table).iter().map(|row| row.id.to_owned()).collect::<Vec<_>>();
        assert_eq!(ids("id\ttext\nR-1\tx\nR-2\ty\n"), ["R-1", "R-2"]);
        assert_eq!(ids("area\tid\nops\tR-1\n\nops\tR-2\n"), ["R-1", "R-2"]);
    }

    #[test]
    fn a_row_whose_page_is_to_come_is_declared_and_one_that_leads_there_is_tested() {
        let named: BTreeSet<String> = ["R-1", "R-2", "R-3", "R-5", "R-6"].map(str::to_owned).into();
        let table = "id\ttext\nR-1\tRoute /care/list shows tickets.\nR-2\tRoute /care redirects to /care/list.\n\
                     R-3\t(path proposed: /care/map, x)\nR-4\tRoute /care/list again\nR-5\tno page\n\
                     R-6\tRoute list under /care (x)\n";
        let states: Vec<State> =
            rows_of(table).iter().map(|row| row.state(&named, &["/care/list", "/care/map"])).collect();
        assert_eq!(states, [Declared, Tested, Declared, Missing, Tested, Declared]);
    }

    #[test]
    fn tests_are_found_in_their_files_and_in_none_of_this_program() {
        let test = "#[test]\nfn ops_001_x() { assert!(true, \"OPS-002\"); }";
        assert_eq!(ids(&[("crates/care/tests/it/a.rs", test)]), ["OPS-001", "OPS-002"]);
        assert_eq!(ids(&[("crates/care/src/ticket_tests.rs", test)]), ["OPS-001", "OPS-002"]);
        assert!(ids(&[("crates/xtask/src/coverage/a_tests.rs", test)]).is_empty());
        assert!(ids(&[("crates/care/src/lib.rs", "const A: &str = \"OPS-002\";")]).is_empty());
        let test = "// OPS-003\nit('OPS-004 x', f)";
        assert_eq!(ids(&[("web/src/a.test.tsx", test), ("web/e2e/b.spec.ts", test)]), ["OPS-004"]);
        assert!(ids(&[("web/src/a.ts", test), ("bench/a.rs", test)]).is_empty());
    }

    #[test]
    fn a_longer_id_does_not_count_for_a_shorter_one() {
        let named: Vec<String> = ids_in("OPS-12, AMB-029: why 5 and 2026-11").collect();
        assert_eq!(named, ["OPS-12", "AMB-029", "2026-11"]);
    }
}
