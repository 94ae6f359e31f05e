//! What every change must pass.

use std::time::Instant;

use anyhow::{Result, ensure};
use testkit::local::on_path;

use crate::suites::Count;
use crate::{TestArgs, openapi, packages, schema, shell, test, tidy};

/// Runs every step, even after a failure, and sums up.
pub fn ci() -> Result<()> {
    type Step = (&'static str, fn() -> Result<Count>);
    let steps: [Step; 11] = [
        ("formatting", || check(shell::run(shell::cargo().args(["fmt", "--all", "--check"])))),
        ("lints", || {
            let words = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
            check(shell::run(shell::cargo().args(words)))
        }),
        ("tidy", || check(tidy::tidy(false))),
        ("dependencies", || check(dependencies())),
        ("web packages", || check(packages::node())),
        ("OpenAPI", || check(openapi::openapi(true))),
        ("web lint", || check(shell::run(shell::in_web("npm").args(["run", "--silent", "lint"])))),
        ("web types", || check(shell::run(shell::in_web("npm").args(["run", "--silent", "typecheck"])))),
        // Fails over the budget of the first load too (`web/scripts/firstLoad.ts`).
        ("web build", || check(packages::web_build())),
        ("tests", || test::suites(&TestArgs::default())),
        ("schema", || check(schema::schema())),
    ];
    let mut total = Count::default();
    let mut failed = Vec::new();
    for (name, step) in steps {
        println!("\n==== {name}");
        let begun = Instant::now();
        let count = step().unwrap_or_else(|error| {
            println!("{name}: {error:#}");
            Count::of_check(false)
        });
        println!(
            "==== {name}: {} in {} s",
            if count.failed == 0 { "ok" } else { "FAILED" },
            begun.elapsed().as_secs()
        );
        if count.failed > 0 {
            failed.push(name);
        }
        total = total.and(count);
    }
    total.print();
    ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
    Ok(())
}

/// A step without tests of its own is one check.
fn check(done: Result<()>) -> Result<Count> {
    done.map(|()| Count::of_check(true))
}

/// Licences, sources and advisories of the dependencies.
fn dependencies() -> Result<()> {
    if on_path("cargo-deny").is_none() {
        println!(
            "!! cargo-deny is not installed: licences and advisories WERE NOT CHECKED (cargo install cargo-deny)."
        );
        return Ok(());
    }
    shell::run(shell::cargo().args(["deny", "check", "licenses", "bans", "sources"]))
}
