//! The system's rules that a program can check.

mod arrows;
mod files;
mod manifest;
mod migrations;
mod routes;

use std::fs;

use anyhow::{Context, Result, bail};

use crate::shell::{command, metadata, read, root};

/// A text file of the checkout.
pub struct TextFile {
    /// From the root, with slashes.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// Checks every rule and lists what breaks one.
pub fn tidy(bless: bool) -> Result<()> {
    if bless {
        migrations::bless()?;
    }
    let files = tracked_files()?;
    let mut broken = arrows::broken(&arrows::read_crates(&metadata()?)?);
    broken.extend(files::too_long(&files));
    broken.extend(files::impure_models(&files));
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
