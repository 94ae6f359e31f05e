//! Rust sources as the compiler's own lexer splits them: without comments, and knowing what is test code.

use std::path::Path;

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or a keyword.
    Word,
    /// The name of a function marked as a test.
    TestName,
    /// A literal, as it is written.
    Literal,
    /// A single sign; brackets too.
    Sign,
}

/// One token outside of attributes and comments.
#[derive(Debug)]
pub struct Token {
    /// As it is written.
    pub text: String,
    /// What it is.
    pub kind: Kind,
    /// Whether it is compiled for tests alone.
    pub in_test: bool,
    /// Where it stands, from 1.
    pub line: usize,
}

/// The tokens of a source file. Doc comments are attributes to the lexer, so they are left out like all others.
pub fn tokens(path: &str, text: &str) -> Result<Vec<Token>> {
    let stream: TokenStream = text.parse().map_err(|error| anyhow!("{path} is no Rust: {error}"))?;
    let mut tokens = Vec::new();
    collect(stream, is_test_file(path), &mut tokens);
    Ok(tokens)
}

/// Whole files of tests: folders of their own, and the files that a module's tests moved into.
fn is_test_file(path: &str) -> bool {
    let stem = Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    path.contains("/tests/") || stem == "tests" || stem.ends_with("_tests")
}

fn collect(stream: TokenStream, in_test: bool, found: &mut Vec<Token>) {
    let mut trees = stream.into_iter().peekable();
    // What the attributes say of the item that follows them.
    let (mut of_tests, mut a_test) = (false, false);
    while let Some(tree) = trees.next() {
        let line = tree.span().start().line;
        let mut push = |text: String, kind| found.push(Token { text, kind, in_test, line });
        match tree {
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                trees.next_if(|next| matches!(next, TokenTree::Punct(sign) if sign.as_char() == '!'));
                let attribute = trees.next_if(
                    |next| matches!(next, TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket),
                );
                if let Some(TokenTree::Group(attribute)) = attribute {
                    of_tests |= names_tests(attribute.stream());
                    a_test |= is_test(attribute.stream());
                }
            }
            TokenTree::Punct(sign) => {
                of_tests &= !matches!(sign.as_char(), ';' | ',');
                push(sign.to_string(), Kind::Sign);
            }
            TokenTree::Literal(literal) => push(literal.to_string(), Kind::Literal),
            TokenTree::Ident(word) if word == "fn" => {
                push(word.to_string(), Kind::Word);
                if let Some(TokenTree::Ident(name)) =
                    trees.next_if(|next| matches!(next, TokenTree::Ident(_)))
                {
                    push(name.to_string(), if a_test { Kind::TestName } else { Kind::Word });
                }
                a_test = false;
            }
            TokenTree::Ident(word) => push(word.to_string(), Kind::Word),
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                push(open.to_owned(), Kind::Sign);
                collect(group.stream(), in_test || of_tests, found);
                let line = group.span_close().start().line;
                found.push(Token { text: close.to_owned(), kind: Kind::Sign, in_test, line });
                of_tests &= group.delimiter() != Delimiter::Brace;
            }
        }
    }
}

/// `cfg(test)`, also inside of `all(…)`.
fn names_tests(attribute: TokenStream) -> bool {
    let mut trees = attribute.into_iter();
    let is_cfg = matches!(trees.next(), Some(TokenTree::Ident(word)) if word == "cfg");
    is_cfg && matches!(trees.next(), Some(TokenTree::Group(group)) if asks_for_tests(group.stream()))
}

fn asks_for_tests(condition: TokenStream) -> bool {
    let mut negated = false;
    condition.into_iter().any(|tree| match tree {
        TokenTree::Ident(word) => {
            negated = word == "not";
            word == "test"
        }
        TokenTree::Group(group) => !negated && asks_for_tests(group.stream()),
        _ => false,
    })
}

/// `test`, `tokio::test(…)`.
fn is_test(attribute: TokenStream) -> bool {
    let path = attribute.into_iter().take_while(|tree| !matches!(tree, TokenTree::Group(_)));
    let words = path.filter_map(|tree| match tree {
        TokenTree::Ident(word) => Some(word.to_string()),
        _ => None,
    });
    words.last().is_some_and(|word| word == "test")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(path: &str, source: &str, kind: Kind) -> Vec<(String, bool)> {
        let tokens = tokens(path, source).expect("Rust");
        tokens.into_iter().filter(|one| one.kind == kind).map(|one| (one.text, one.in_test)).collect()
    }

    const SOURCE: &str = r#"
        //! "module"
        /// "doc"
        fn f(a: u8) { /* "block" */ g("code") } // "line"
        #[cfg(test)]
        fn helper(a: u8) { h("helper") }
        #[cfg(not(test))]
        fn other() { h("other") }
        #[cfg(test)]
        use a::b;
        fn after() { h("after") }
        #[cfg(all(test, unix))]
        mod tests { #[test] fn one() { h(r"raw") } #[tokio::test(flavor = "x")] async fn two() {} fn no_test() {} }
    "#;

    #[test]
    fn comments_and_attributes_are_no_tokens_and_test_code_is_known() {
        let literals = words("crates/care/src/lib.rs", SOURCE, Kind::Literal);
        let literals: Vec<(&str, bool)> =
            literals.iter().map(|(text, test)| (text.as_str(), *test)).collect();
        assert_eq!(
            literals,
            [
                ("\"code\"", false),
                ("\"helper\"", true),
                ("\"other\"", false),
                ("\"after\"", false),
                ("r\"raw\"", true)
            ]
        );
    }

    #[test]
    fn only_what_is_marked_as_a_test_is_one() {
        let names = words("crates/care/src/lib.rs", SOURCE, Kind::TestName);
        assert_eq!(names, [("one".to_owned(), true), ("two".to_owned(), true)]);
    }

    #[test]
    fn files_of_tests_are_tests_throughout() {
        for path in ["crates/care/tests/it/a.rs", "crates/care/src/model/ticket_tests.rs"] {
            assert_eq!(words(path, "f(\"x\");", Kind::Literal), [("\"x\"".to_owned(), true)], "{path}");
        }
        assert_eq!(
            words("crates/care/src/contests.rs", "f(\"x\");", Kind::Literal),
            [("\"x\"".to_owned(), false)]
        );
    }

    #[test]
    fn a_token_knows_its_line_and_a_broken_file_its_name() {
        assert_eq!(tokens("a.rs", "a\n\nb").expect("Rust")[1].line, 3);
        assert!(tokens("a.rs", "fn (").expect_err("open").to_string().contains("a.rs"));
    }
}
