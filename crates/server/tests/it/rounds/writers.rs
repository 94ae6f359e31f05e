//! Who writes down that a leader lives and how far it came: by node, process and version of the program. A trigger looks at every write,
//! so that none is too short to be seen.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

use sqlx::PgPool;

use crate::stack::eventually;

const PATIENCE: Duration = Duration::from_mins(2);
/// What a process tells PostgreSQL of itself.
const SETTING: &str = "wheelhouse.process";

/// A place that was written down: whose, in which term, of which version of the rules, by which process of which program.
#[derive(sqlx::FromRow)]
struct Written {
    what: String,
    token: i64,
    version: i32,
    process: String,
    program: String,
}

/// A database's address for one process of a node.
pub fn named(url: &str, node: usize, process: usize, is_next: bool) -> String {
    let program = if is_next { "next" } else { "this" };
    format!("{url}?options=-c%20{SETTING}%3D{node}.{process}%2F{program}")
}

/// From now on every leader who writes is written down, be it a place, moved or not, or a sign of life: a write that was on its way when the
/// term ended is one or the other. The tables are there when a node has served.
pub async fn watch(owner: &PgPool) {
    // A rebuild's swap is no leader's write: it holds the row, and changes the version or has no process.
    let tables = [
        ("projectors", "position, beat_at", "new.name", "new.version", "new.version = old.version"),
        ("reactors", "position, beat_at", "new.name", "0", "true"),
        ("relay", "position", "'relay'", "0", "true"),
    ];
    let mut sql = String::from(
        "create schema faults;
         create table faults.written (what text, token bigint, version int, process text, program text,
             primary key (what, token, version, process, program));",
    );
    for (table, columns, name, version, when) in tables {
        let _ = write!(
            sql,
            "create function faults.{table}() returns trigger language plpgsql security definer
                 set search_path = pg_catalog as $$
             declare process text := current_setting('{SETTING}', true);
             begin
                 if process <> '' and ({when}) then
                     insert into faults.written values ('{table} ' || {name}, new.token, {version},
                         split_part(process, '/', 1), split_part(process, '/', 2))
                     on conflict do nothing;
                 end if;
                 return null;
             end $$;
             create trigger faults after update of {columns} on log.{table} for each row
                 execute function faults.{table}();"
        );
    }
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(owner).await.expect("the triggers are made");
}

async fn all(owner: &PgPool) -> Vec<Written> {
    let written: Vec<Written> = sqlx::query_as("select * from faults.written order by what, token")
        .fetch_all(owner)
        .await
        .expect("the database answers");
    assert!(!written.is_empty(), "leaders wrote down how far they came");
    written
}

/// Of which version of its rules each read model's tables are.
pub async fn versions(owner: &PgPool) -> BTreeMap<String, i32> {
    let sql = "select name, version from log.projectors";
    let rows: Vec<(String, i32)> = sqlx::query_as(sql).fetch_all(owner).await.expect("the database answers");
    rows.into_iter().collect()
}

/// Waits until all tables are of newer rules than they were.
pub async fn renewed(owner: &PgPool, older: &BTreeMap<String, i32>) {
    eventually("all tables are of newer rules", PATIENCE, async || {
        let newer = versions(owner).await;
        older.iter().all(|(name, version)| newer[name] > *version).then_some(())
    })
    .await;
}

/// A term is of one process: whoever led before writes nothing once another has begun.
pub async fn one_in_a_term(owner: &PgPool) {
    let mut terms: BTreeMap<(String, i64), BTreeSet<String>> = BTreeMap::new();
    for Written { what, token, process, .. } in all(owner).await {
        terms.entry((what, token)).or_default().insert(process);
    }
    for ((what, token), processes) in terms {
        assert!(processes.len() < 2, "{what}, term {token}: written by processes {processes:?}");
    }
}

/// Tables of newer rules are not touched by a program of older ones.
pub async fn one_of_a_version(owner: &PgPool) {
    let mut versions: BTreeMap<(String, i32), BTreeSet<String>> = BTreeMap::new();
    for Written { what, version, program, .. } in all(owner).await {
        if what.starts_with("projectors ") {
            versions.entry((what, version)).or_default().insert(program);
        }
    }
    for ((what, version), programs) in versions {
        assert!(programs.len() < 2, "{what}, rules of version {version}: written by programs {programs:?}");
    }
}
