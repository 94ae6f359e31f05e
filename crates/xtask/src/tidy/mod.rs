//! The system's rules that a program can check.

mod arrows;
mod files;
mod manifest;
mod migrations;
mod models;
mod routers;
mod routes;
mod times;
mod zones;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

pub use routes::{coming, read_routes};

use crate::rust_source::{Token, tokens};
use crate::shell::{command, metadata, read, root};

/// A text file of the checkout.
pub struct TextFile {
    /// From the root, with slashes.
    pub path: String,
    /// Its content.
    pub text: String,
}

impl TextFile {
    /// Whether the name ends in a dot and `ending`.
    pub fn has_ending(&self, ending: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|end| end == ending)
    }
}

/// A source in Rust, read.
struct RustFile {
    path: String,
    tokens: Vec<Token>,
}

impl RustFile {
    fn read(path: &str, text: &str) -> Result<Self> {
        Ok(Self { path: path.to_owned(), tokens: tokens(path, text)? })
    }
}

/// Checks every rule and lists what breaks one.
pub fn tidy(bless: bool) -> Result<()> {
    if bless {
        migrations::bless()?;
    }
    let files = tracked_files()?;
    let mut broken = arrows::broken(&arrows::read_crates(&metadata()?)?);
    broken.extend(broken_in(&files)?);
    broken.extend(manifest::uncommented(&fs::read_to_string(root().join("Cargo.toml"))?));
    broken.extend(migrations::broken()?);
    let routes = routes::read_routes()?;
    broken.extend(routes::broken(&routes, |page| root().join(format!("web/src/{page}.tsx")).is_file()));
    let coming = routes::coming(&routes);
    if !coming.is_empty() {
        println!("Routes still to come ({} of {}): {}", coming.len(), routes.len(), coming.join(" "));
    }
    for line in &broken {
        println!("{line}");
    }
    if !broken.is_empty() {
        bail!("{} rules broken", broken.len());
    }
    println!("tidy: {} files, no rule broken", files.len());
    Ok(())
}

/// The rules on what stands in the sources.
fn broken_in(files: &[TextFile]) -> Result<Vec<String>> {
    let rust = files.iter().filter(|file| file.path.starts_with("crates/") && file.has_ending("rs"));
    let rust: Vec<RustFile> =
        rust.map(|file| RustFile::read(&file.path, &file.text)).collect::<Result<_>>()?;
    let mut broken = files::too_long(files);
    broken.extend(models::impure(&rust));
    broken.extend(routers::outside_of_the_table(&rust));
    broken.extend(times::columns(files));
    broken.extend(zones::crossed(files));
    Ok(broken)
}

/// The sources that git knows or would take: rs, ts, tsx, sql, css, mjs.
pub fn tracked_files() -> Result<Vec<TextFile>> {
    let names = read(command("git").args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]))?;
    let wanted = |name: &&str| {
        name.rsplit_once('.')
            .is_some_and(|(_, end)| matches!(end, "rs" | "ts" | "tsx" | "sql" | "css" | "mjs"))
    };
    let mut files = Vec::new();
    for name in names.split('\0').filter(wanted) {
        let path = root().join(name);
        // A file that was removed but not yet committed is still in the list.
        if path.is_file() {
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {name} as UTF-8"))?;
            files.push(TextFile { path: name.to_owned(), text });
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_on_sources_is_asked() {
        let file = |path: &str, text: &str| TextFile { path: path.into(), text: text.into() };
        let files = [
            file("web/src/a.ts", &"x\n".repeat(601)),
            file("crates/care/src/model/ticket.rs", "use std::time::Instant;"),
            file("crates/care/src/http/tickets.rs", "fn f(r: R) { r.route(x) }"),
            file("migrations/0999_x.sql", "create table read.t (closed_at bigint);"),
            file("web/src/kit/a.ts", "import '@/app/b'"),
        ];
        let broken = broken_in(&files).expect("readable");
        let named: Vec<&str> = broken.iter().filter_map(|line| line.split(':').next()).collect();
        assert_eq!(named, files.each_ref().map(|file| file.path.as_str()));
    }
}
