//! Running test suites and counting what they say.

use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::iter;
use std::mem;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result};

use crate::failures::Failures;
use crate::shell::shown;

/// What a suite came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed; at least one when the suite's program failed.
    pub failed: u64,
    /// Tests that were left out: what they need is not here, or others were asked for.
    pub not_run: u64,
    /// Tests that passed when they were run a second time; they count as passed too.
    pub unsteady: u64,
    /// What failed suites said of their failed tests, line by line.
    pub failures: Vec<String>,
}

/// So many unsteady tests are told and no more: beyond, something is wrong with what they test.
const UNSTEADY_MOST: u64 = 2;

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.unsteady > 0 {
            write!(f, ", {} UNSTEADY (passed the second time)", self.unsteady)?;
        }
        if self.not_run > 0 { write!(f, ", {} NOT RUN", self.not_run) } else { Ok(()) }
    }
}

impl Count {
    /// Both together.
    pub fn and(mut self, other: Self) -> Self {
        self.failures.extend(other.failures);
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
            not_run: self.not_run + other.not_run,
            unsteady: self.unsteady + other.unsteady,
            failures: self.failures,
        }
    }

    /// The sum as the last line, and before it what failed: the end of a long log tells both.
    pub fn print(&self) {
        for line in &self.failures {
            println!("{line}");
        }
        println!("\n{self}");
    }

    /// One check that is a suite by itself.
    pub fn of_check(passed: bool) -> Self {
        Self { passed: u64::from(passed), failed: u64::from(!passed), ..Self::default() }
    }
}

/// Runs a suite, shows what it prints and counts.
pub fn run_suite(name: &str, command: &mut Command) -> Result<Count> {
    count_suite(name, command, &Mutex::new(std::io::stdout()))
}

/// Runs a suite beside another one: what it prints is shown when it has ended.
pub fn run_suite_aside(name: &str, command: &mut Command) -> Result<Count> {
    let printed = Mutex::new(Vec::new());
    let count = count_suite(name, command, &printed);
    std::io::stdout().write_all(&printed.into_inner().unwrap_or_default())?;
    count
}

fn count_suite(name: &str, command: &mut Command, screen: &Mutex<impl Write + Send>) -> Result<Count> {
    show(screen, format!("\n== {name}\n$ {}\n", shown(command)).as_bytes());
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {}", shown(command)))?;
    let total = Mutex::new((Count::default(), Failures::default()));
    let (out, err) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        for stream in [out.map(boxed), err.map(boxed)].into_iter().flatten() {
            scope.spawn(|| show_and_count(stream, screen, &total));
        }
    });
    let success = child.wait()?.success();
    let (mut count, failures) = total.into_inner().unwrap_or_default();
    if !success && count.failed == 0 {
        count.failed = 1;
    }
    if count.unsteady > UNSTEADY_MOST {
        count.failed += count.unsteady;
        count.passed -= count.unsteady;
    }
    show(screen, format!("== {name}: {count}\n").as_bytes());
    if count.failed > 0 {
        count.failures = iter::once(format!("\n== failed in {name}")).chain(failures.told()).collect();
    }
    Ok(count)
}

fn boxed(stream: impl Read + Send + 'static) -> Box<dyn Read + Send> {
    Box::new(stream)
}

fn show(screen: &Mutex<impl Write>, text: &[u8]) {
    if let Ok(mut screen) = screen.lock() {
        let _ = screen.write_all(text);
    }
}

fn show_and_count(
    stream: Box<dyn Read + Send>,
    screen: &Mutex<impl Write>,
    total: &Mutex<(Count, Failures)>,
) {
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
        show(screen, &line);
        let text = plain(&String::from_utf8_lossy(&line));
        if let Ok(mut total) = total.lock() {
            total.1.hear(&text);
            if let Some(count) = count_in(&text) {
                total.0 = mem::take(&mut total.0).and(count);
            }
        }
        line.clear();
    }
}

/// The line without terminal colours.
fn plain(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            for skipped in characters.by_ref() {
                if skipped.is_ascii_alphabetic() {
                    break;
                }
            }
        } else {
            text.push(character);
        }
    }
    text
}

/// What a runner's closing line says: nextest's, libtest's, Vitest's, Playwright's.
fn count_in(line: &str) -> Option<Count> {
    // Indented, it is what nextest shows of one failed test, which its own closing line counts.
    let libtest = line.starts_with("test result:");
    let line = line.trim();
    let nextest = line.starts_with("Summary [") && line.contains(" run:");
    // nextest tells them in brackets, among those that passed.
    let among = if nextest { number_before(&line.replace(['(', ')'], ","), "flaky") } else { 0 };
    let beside = number_before(line, "flaky");
    let counts = || Count {
        passed: number_before(line, "passed") + beside,
        failed: number_before(line, "failed") + number_before(line, "timed out"),
        not_run: ["skipped", "ignored", "filtered out", "todo", "did not run"]
            .iter()
            .map(|word| number_before(line, word))
            .sum(),
        unsteady: among + beside,
        ..Count::default()
    };
    let vitest = line.starts_with("Tests ") && (line.contains(" passed") || line.contains(" failed"));
    // "4 passed (14.2s)", "1 failed", "2 flaky", "1 interrupted"
    let playwright = {
        let mut words = line.split_whitespace();
        words.next().is_some_and(|word| word.parse::<u64>().is_ok())
            && match words.next() {
                Some("passed" | "failed" | "flaky" | "skipped") => {
                    words.next().is_none_or(|word| word.starts_with('('))
                }
                Some("did") => words.eq(["not", "run"]),
                _ => false,
            }
    };
    (nextest || libtest || vitest || playwright).then(counts)
}

fn number_before(line: &str, word: &str) -> u64 {
    line.split([',', ';', '|', ':', '.'])
        .find_map(|part| {
            let part = part.split('(').next()?.trim();
            part.strip_suffix(word)?.trim().rsplit(' ').next()?.parse().ok()
        })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_suite_prints_is_shown_and_counted() {
        let screen = Mutex::new(Vec::new());
        let mut command = Command::new("sh");
        command.args(["-c", "echo '  4 passed (14.2s)'; echo '  1 failed' >&2; exit 1"]);
        let count = count_suite("pages", &mut command, &screen).unwrap();
        assert_eq!((count.passed, count.failed), (4, 1));
        let shown = String::from_utf8(screen.into_inner().unwrap()).unwrap();
        for line in ["== pages", "  4 passed (14.2s)", "  1 failed", "== pages: 4 passed, 1 failed"] {
            assert!(shown.lines().any(|shown| shown == line), "{line:?} in {shown}");
        }
    }

    #[test]
    fn each_runners_closing_line_is_understood() {
        for (line, passed, failed, not_run) in [
            ("     Summary [   2.500s] 13 tests run: 8 passed, 5 failed, 0 skipped", 8, 5, 0),
            ("     Summary [   5.098s] 13 tests run: 13 passed (1 slow), 4 skipped", 13, 0, 4),
            ("     Summary [   5.098s] 13/20 tests run: 12 passed, 1 timed out, 0 skipped", 12, 1, 0),
            (
                "test result: ok. 6 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 4.39s",
                6,
                0,
                3,
            ),
            ("test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out", 3, 2, 0),
            ("      Tests  12 passed (12)", 12, 0, 0),
            ("      Tests  1 failed | 11 passed | 2 skipped | 1 todo (15)", 11, 1, 3),
            ("  4 passed (14.2s)", 4, 0, 0),
            ("  1 failed", 0, 1, 0),
            ("  3 skipped", 0, 0, 3),
            ("  2 did not run", 0, 0, 2),
        ] {
            assert_eq!(
                count_in(line),
                Some(Count { passed, failed, not_run, ..Count::default() }),
                "{line:?}"
            );
        }
        let twice = Count { passed: 2, unsteady: 2, ..Count::default() };
        assert_eq!(count_in("  2 flaky").as_ref(), Some(&twice));
        let nextest = "     Summary [   5.098s] 13 tests run: 13 passed (1 slow, 2 flaky), 4 skipped";
        let among = Count { passed: 13, not_run: 4, unsteady: 2, ..Count::default() };
        assert_eq!(count_in(nextest), Some(among));
        assert_eq!(twice.to_string(), "2 passed, 0 failed, 2 UNSTEADY (passed the second time)");
    }

    #[test]
    fn other_lines_count_nothing() {
        for line in [
            "    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 12 filtered out",
            "",
            "PASS [   0.005s] a_test_that_passed",
            " Test Files  3 passed (3)",
            "2 passed the river",
            "2 did nothing",
            "Tests are dear",
        ] {
            assert_eq!(count_in(line), None, "{line:?}");
        }
    }

    #[test]
    fn colours_do_not_hide_the_counts() {
        let line = "\u{1b}[2m      Tests \u{1b}[22m \u{1b}[1m\u{1b}[32m12 passed\u{1b}[39m\u{1b}[22m\u{1b}[90m (12)\u{1b}[39m";
        assert_eq!(count_in(&plain(line)), Some(Count { passed: 12, ..Count::default() }));
    }

    #[test]
    fn what_was_left_out_is_told_with_the_sum() {
        let one = Count { passed: 3, ..Count::default() };
        assert_eq!(one.to_string(), "3 passed, 0 failed");
        assert_eq!(one.clone().and(Count { not_run: 4, ..one }).to_string(), "6 passed, 0 failed, 4 NOT RUN");
    }
}
