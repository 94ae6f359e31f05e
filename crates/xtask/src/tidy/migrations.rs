//! A migration that went out is never edited: installations have run it.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::shell::root;

const LIST: &str = "migrations/checksums.txt";

/// File name to SHA-256.
type Sums = BTreeMap<String, String>;

/// What is wrong with the migrations of this checkout.
pub fn broken() -> Result<Vec<String>> {
    Ok(compare(&parse(&list()?), &present()?))
}

/// Adds new migrations to the list; what is in it stays as it is.
pub fn bless() -> Result<()> {
    let merged = merge(parse(&list()?), present()?);
    let lines: Vec<String> = merged.iter().map(|(name, sum)| format!("{sum}  {name}")).collect();
    fs::write(root().join(LIST), lines.join("\n") + "\n").with_context(|| format!("cannot write {LIST}"))
}

fn list() -> Result<String> {
    match fs::read_to_string(root().join(LIST)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        other => other.with_context(|| format!("cannot read {LIST}")),
    }
}

fn present() -> Result<Sums> {
    let mut sums = Sums::new();
    for entry in fs::read_dir(root().join("migrations"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "sql")
            && let Some(name) = path.file_name().and_then(|name| name.to_str())
        {
            sums.insert(name.to_owned(), hex::encode(Sha256::digest(fs::read(&path)?)));
        }
    }
    Ok(sums)
}

fn parse(list: &str) -> Sums {
    list.lines()
        .filter_map(|line| line.split_once("  "))
        .map(|(sum, name)| (name.to_owned(), sum.to_owned()))
        .collect()
}

fn merge(listed: Sums, present: Sums) -> Sums {
    let mut merged = present;
    merged.extend(listed);
    merged
}

fn compare(listed: &Sums, present: &Sums) -> Vec<String> {
    let changed = listed.iter().filter_map(|(name, sum)| match present.get(name) {
        None => Some(format!("migrations/{name}: was removed; write a new migration that undoes it")),
        Some(now) if now != sum => {
            Some(format!("migrations/{name}: was edited; write a new migration instead"))
        }
        Some(_) => None,
    });
    let unlisted = present
        .keys()
        .filter(|name| !listed.contains_key(*name))
        .map(|name| format!("migrations/{name}: not in {LIST}; run `cargo xtask tidy --bless`"));
    changed.chain(unlisted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(list: &[(&str, &str)]) -> Sums {
        list.iter().map(|(name, sum)| ((*name).to_owned(), (*sum).to_owned())).collect()
    }

    #[test]
    fn edited_removed_and_unlisted_migrations_are_each_named() {
        let listed = sums(&[("1.sql", "aa"), ("2.sql", "bb"), ("3.sql", "cc")]);
        let present = sums(&[("1.sql", "aa"), ("2.sql", "b0"), ("4.sql", "dd")]);
        let lines = compare(&listed, &present);
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert!(lines[0].contains("2.sql: was edited"));
        assert!(lines[1].contains("3.sql: was removed"));
        assert!(lines[2].contains("4.sql: not in"));
    }

    #[test]
    fn blessing_adds_new_ones_and_never_changes_old_ones() {
        let listed = parse("aa  1.sql\nbb  2.sql\n");
        let merged = merge(listed, sums(&[("1.sql", "a0"), ("2.sql", "bb"), ("3.sql", "cc")]));
        assert_eq!(merged, sums(&[("1.sql", "aa"), ("2.sql", "bb"), ("3.sql", "cc")]));
    }
}
