//! A model decides: it reaches for nothing, and time and randomness come to it as arguments.

use super::RustFile;

const FOREIGN: [&str; 3] = ["sqlx", "axum", "tokio"];
const CLOCKS: [&str; 5] = ["Instant", "SystemTime", "SystemClock", "Utc", "Local"];
const DICE: [&str; 8] =
    ["rand", "rand_chacha", "random", "thread_rng", "OsRng", "getrandom", "RandomState", "Uuid"];

/// Models that know more than their decisions.
pub fn impure(files: &[RustFile]) -> Vec<String> {
    let tokens = files.iter().filter(|file| is_model(&file.path)).flat_map(|file| {
        file.tokens.iter().map(move |token| (format!("{}:{}", file.path, token.line), token.text.as_str()))
    });
    tokens
        .filter_map(|(place, word)| {
            if FOREIGN.contains(&word) {
                Some(format!("{place}: a model knows no {word}"))
            } else if CLOCKS.contains(&word) {
                Some(format!("{place}: a model has no clock ({word}); time is an argument"))
            } else if DICE.contains(&word) {
                Some(format!("{place}: a model throws no dice ({word}); randomness is an argument"))
            } else {
                None
            }
        })
        .collect()
}

fn is_model(path: &str) -> bool {
    path.contains("/src/model/") || path.ends_with("/src/model.rs")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<String> {
        impure(&[RustFile::read(path, text).expect("Rust")])
    }

    const MODEL: &str = "crates/care/src/model/ticket.rs";

    #[test]
    fn a_model_that_imports_the_database_is_named_with_its_line() {
        let text = "// sqlx is elsewhere\nuse std::fmt;\nuse sqlx::Row;\nfn tokio_free() { \"axum\"; }\n";
        assert_eq!(lines(MODEL, text), ["crates/care/src/model/ticket.rs:3: a model knows no sqlx"]);
        assert_eq!(lines("crates/care/src/model.rs", text).len(), 1);
        assert!(lines("crates/care/src/read/tickets.rs", text).is_empty());
    }

    #[test]
    fn a_model_reads_no_clock() {
        for text in [
            "use std::time::Instant;",
            "fn f() { std::time::SystemTime::now(); }",
            "fn f() { chrono::Utc::now(); }",
            "fn f() { chrono::Local::now(); }",
            "#[cfg(test)] mod tests { fn f() { SystemClock.now() } }",
        ] {
            assert_eq!(lines(MODEL, text).len(), 1, "{text}");
            assert!(lines(MODEL, text)[0].contains("time is an argument"), "{text}");
        }
        assert!(lines(MODEL, "fn decide(now: Timestamp) { instant(now) } // Instant").is_empty());
    }

    #[test]
    fn a_model_throws_no_dice() {
        for text in [
            "use rand::Rng;",
            "fn f() { OsRng.fill(&mut x); }",
            "let m = HashMap::<A, B, RandomState>::new();",
        ] {
            assert_eq!(lines(MODEL, text).len(), 1, "{text}");
            assert!(lines(MODEL, text)[0].contains("randomness is an argument"), "{text}");
        }
        assert!(lines(MODEL, "/// Its own random code.\nstruct Code { operand: u8 }").is_empty());
    }
}
