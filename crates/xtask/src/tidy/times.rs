//! Read models hold moments as epoch milliseconds: `bigint`, named `…_at_ms` (`docs/adr/0021`). A day is a `date`.

use super::TextFile;

/// Ends of names that speak of a moment.
const MOMENTS: [&str; 4] = ["_at", "_time", "_until", "_since"];
/// What stands in place of a column's name where a table's definition says something else.
const NO_COLUMNS: [&str; 7] = ["primary", "unique", "check", "foreign", "constraint", "exclude", "like"];

/// Columns of schema `read` that hold a moment in another way.
pub fn columns(files: &[TextFile]) -> Vec<String> {
    files
        .iter()
        .filter(|file| file.path.starts_with("migrations/"))
        .flat_map(|file| {
            let text = without_remarks(&file.text).to_lowercase();
            let broken: Vec<String> = text.split(';').flat_map(broken_in).collect();
            broken.into_iter().map(|what| format!("{}: {what}", file.path))
        })
        .collect()
}

fn without_remarks(sql: &str) -> String {
    sql.lines().map(|line| line.split("--").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

fn broken_in(statement: &str) -> Vec<String> {
    let Some((table, rest)) = table_of(statement) else { return Vec::new() };
    let parts = parts(rest);
    parts.into_iter().filter_map(|part| broken(&table, column_of(part)?)).collect()
}

/// The table of schema `read` that a statement makes or changes, and what follows its name.
fn table_of(statement: &str) -> Option<(String, &str)> {
    let at = ["create table ", "alter table "].iter().filter_map(|start| statement.find(start)).min()?;
    let name = at + statement[at..].find("read.")?;
    let end = statement[name..].find(|c: char| c.is_whitespace() || c == '(').map(|end| name + end)?;
    // Only `if exists`, `only` and the like stand between.
    let between = statement[at..name].split_whitespace();
    let known = ["create", "alter", "table", "if", "not", "exists", "only"];
    between
        .into_iter()
        .all(|word| known.contains(&word))
        .then(|| (statement[name..end].to_owned(), &statement[end..]))
}

/// What commas divide outside of inner brackets; the definition's own bracket is taken off.
fn parts(rest: &str) -> Vec<&str> {
    let rest = rest.trim();
    let rest =
        rest.strip_prefix('(').and_then(|inner| inner.rsplit_once(')')).map_or(rest, |(inner, _)| inner);
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0);
    for (at, c) in rest.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&rest[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&rest[start..]);
    parts
}

/// Name and type of the column that a part adds, or the name it gives one.
fn column_of(part: &str) -> Option<(&str, &str)> {
    let words: Vec<&str> = part.split_whitespace().collect();
    match words.as_slice() {
        ["add", "column", "if", "not", "exists", name, kind, ..] | ["add", "column", name, kind, ..] => {
            Some((name, kind))
        }
        ["rename", "column", _, "to", name] => Some((name, "bigint")),
        ["alter" | "add" | "drop" | "rename" | "enable" | "disable" | "owner" | "set", ..] => None,
        [name, kind, ..] if !NO_COLUMNS.contains(name) => Some((name, kind)),
        _ => None,
    }
}

fn broken(table: &str, (name, kind): (&str, &str)) -> Option<String> {
    let is_time =
        kind.starts_with("timestamp") || kind.split('(').next().is_some_and(|kind| kind.starts_with("time"));
    let speaks_of_a_moment = name == "at" || MOMENTS.iter().any(|end| name.ends_with(end));
    let too_small = name.ends_with("_at_ms") && kind != "bigint";
    (is_time || too_small || speaks_of_a_moment && kind != "date")
        .then(|| format!("{table}.{name} {kind}: a moment is a bigint named …_at_ms (a day is a date)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(sql: &str) -> Vec<String> {
        columns(&[TextFile { path: "migrations/0999_x.sql".into(), text: sql.into() }])
    }

    #[test]
    fn a_moment_of_another_type_or_name_is_named() {
        assert_eq!(
            lines(
                "create table read.ticket (\n  id bigint primary key,\n  closed_at timestamptz not null -- when\n);"
            ),
            [
                "migrations/0999_x.sql: read.ticket.closed_at timestamptz: a moment is a bigint named …_at_ms (a day is a date)"
            ]
        );
        for sql in [
            "create table read.t (closed_at bigint);",
            "create table read.t (closed_at_ms integer);",
            "create table if not exists read.t (a numeric(5, 2), at bigint);",
            "select 1;\nalter table read.t add column a bigint, add column open_until bigint;",
            "alter table read.t add column if not exists moment timestamptz;",
            "ALTER TABLE read.t RENAME COLUMN a TO seen_at;",
        ] {
            assert_eq!(lines(sql).len(), 1, "{sql}");
        }
    }

    #[test]
    fn epoch_milliseconds_days_and_other_schemas_pass() {
        for sql in [
            "create table read.t (closed_at_ms bigint not null, took_ms integer, joined_on date, what text);",
            "create table read.t (format text, primary key (a, b), check (state in (1, 2)));",
            "alter table read.t alter column seen_at type bigint, drop column closed_at;",
            "create table authentication.t (sent_at timestamptz); select a from read.t;",
            "-- create table read.t (closed_at timestamptz)\ncreate index t_at on read.t (closed_at_ms);",
            "create table log.t (at timestamptz); alter table read.t rename column seen_at to seen_at_ms;",
        ] {
            assert!(lines(sql).is_empty(), "{sql}: {:?}", lines(sql));
        }
        let web =
            TextFile { path: "web/x.sql".into(), text: "create table read.t (closed_at bigint);".into() };
        assert!(columns(&[web]).is_empty());
    }
}
