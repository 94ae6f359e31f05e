//! What a suite tells of its failed tests, kept for the end: who reads only the end of a long log needs just this.

/// So many lines from the front and from the back of a suite's story are told again.
const FRONT: usize = 150;
const BACK: usize = 50;

/// Beyond so many lines of one suite nothing more is kept.
const MOST: usize = 20_000;

/// Listens to a suite's lines and keeps those about failed tests.
#[derive(Debug, Default)]
pub struct Failures {
    telling: bool,
    lines: Vec<String>,
}

impl Failures {
    /// One line of the suite, without colours.
    pub fn hear(&mut self, line: &str) {
        let line = line.trim_end();
        self.telling = !ends(line) && (self.telling || begins(line));
        if self.telling && self.lines.len() < MOST {
            self.lines.push(line.to_owned());
        }
    }

    /// What was kept: all of it, or its front and its back.
    pub fn told(mut self) -> Vec<String> {
        if self.lines.len() > FRONT + BACK {
            let back = self.lines.split_off(self.lines.len() - BACK);
            let left_out = self.lines.len() - FRONT;
            self.lines.truncate(FRONT);
            self.lines.push(format!("… {left_out} lines left out …"));
            self.lines.extend(back);
        }
        self.lines
    }
}

/// Whether a runner begins to tell of failed tests here: libtest, nextest, Vitest, Playwright.
fn begins(line: &str) -> bool {
    let words = line.trim_start();
    let numbered = || words.split_once(") [").is_some_and(|(number, _)| number.parse::<u64>().is_ok());
    line == "failures:" || words.starts_with("FAIL [") || words.contains(" Failed Tests ") || numbered()
}

/// Whether it has come to its sum. Playwright sums up last of all, naming what failed.
fn ends(line: &str) -> bool {
    let words = line.trim_start();
    line.starts_with("test result:") || words.starts_with("PASS [") || words.starts_with("Test Files ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(output: &str) -> Vec<String> {
        let mut failures = Failures::default();
        output.lines().for_each(|line| failures.hear(line));
        failures.told()
    }

    #[test]
    fn what_each_runner_says_of_its_failures_is_kept() {
        for (output, kept) in [
            (
                "test a ... ok\ntest b ... FAILED\n\nfailures:\n\n---- b stdout ----\nleft: 1\n\nfailures:\n    b\n\ntest result: FAILED. 1 passed\nafter",
                5,
            ),
            ("  PASS [ 0.1s] a\n  FAIL [ 0.1s] b\n  left: 1\n  PASS [ 0.1s] c", 2),
            (" ✓ a\n⎯⎯⎯ Failed Tests 1 ⎯⎯⎯\n FAIL  a.test.ts > b\n Test Files  1 failed", 2),
            ("  ✓  1 [pages] › a\n  1) [pages] › b\n    Error: late\n  1 failed\n    [pages] › b", 4),
            ("  ✓  1 [pages] › a\ntest result: ok. 1 passed\n 1 passed (2s)", 0),
        ] {
            let lines = told(output);
            assert_eq!(lines.iter().filter(|line| !line.is_empty()).count(), kept, "{lines:?}");
        }
    }

    #[test]
    fn a_long_story_keeps_its_front_and_its_back() {
        let mut output = vec!["failures:".to_owned()];
        output.extend((0..1_000).map(|number| format!("line {number}")));
        let lines = told(&output.join("\n"));
        assert_eq!(lines.len(), FRONT + 1 + BACK);
        assert_eq!(lines.first().map(String::as_str), Some("failures:"));
        assert_eq!(lines[FRONT], "… 801 lines left out …");
        assert_eq!(lines.last().map(String::as_str), Some("line 999"));
    }
}
