//! A route is written down with its `Permit` or not at all: only `wire`'s table of routes makes routers.

use super::RustFile;

/// The table itself.
const TABLE: &str = "crates/wire/src/routes.rs";
/// The built web application: files for everybody, no routes.
const SITE: &str = "crates/server/src/site.rs";
/// Another program, which nobody signs in to: its callers sign each call.
const PROVIDER: &str = "crates/payment-simulator/";

const MAKERS: [&str; 2] = ["Router", "OpenApiRouter"];
const ADDERS: [&str; 4] = ["route", "route_service", "nest", "nest_service"];

/// Routers made and routes added elsewhere, tests apart.
pub fn outside_of_the_table(files: &[RustFile]) -> Vec<String> {
    let elsewhere = files.iter().filter(|file| file.path != TABLE && !file.path.starts_with(PROVIDER));
    elsewhere
        .flat_map(|file| {
            file.tokens.windows(3).filter(|three| !three[0].in_test).filter_map(|three| {
                let [before, word, after] = [0, 1, 2].map(|i| three[i].text.as_str());
                let place = format!("{}:{}", file.path, three[1].line);
                if before == "." && ADDERS.contains(&word) && after == "(" {
                    return Some(format!(
                        "{place}: `.{word}(` adds a route without a permit; use wire::Routes"
                    ));
                }
                let makes = MAKERS.contains(&before) && word == ":" && after == ":";
                (makes && file.path != SITE)
                    .then(|| format!("{place}: `{before}` has routes without permits; use wire::Routes"))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<String> {
        outside_of_the_table(&[RustFile::read(path, text).expect("Rust")])
    }

    const HANDLERS: &str = "crates/care/src/http/tickets.rs";

    #[test]
    fn a_route_outside_of_the_table_is_named_with_its_line() {
        assert_eq!(
            lines(HANDLERS, "fn f(r: R) {\n    r\n        .route(\"/x\", get(x))\n}"),
            ["crates/care/src/http/tickets.rs:3: `.route(` adds a route without a permit; use wire::Routes"]
        );
        for text in ["fn f() { r.nest(\"/x\", y) }", "fn f() { r.route_service(\"/x\", y) }"] {
            assert_eq!(lines(HANDLERS, text).len(), 1, "{text}");
            assert_eq!(lines(SITE, text).len(), 1, "{text}");
        }
    }

    #[test]
    fn a_router_of_ones_own_is_named_except_for_the_applications_files() {
        for text in ["fn f() { axum::Router::new() }", "fn f() { OpenApiRouter::<S>::default() }"] {
            assert_eq!(lines(HANDLERS, text).len(), 1, "{text}");
            assert!(lines(SITE, text).is_empty(), "{text}");
        }
    }

    #[test]
    fn the_table_tests_and_other_words_pass() {
        let text = "fn f() { Router::new().route(\"/x\", get(x)) }";
        assert!(lines(TABLE, text).is_empty());
        assert!(lines("crates/wire/tests/it/front.rs", text).is_empty());
        assert!(lines("crates/payment-simulator/src/http.rs", text).is_empty());
        assert!(lines(HANDLERS, &format!("#[cfg(test)] mod tests {{ {text} }}")).is_empty());
        assert!(lines(HANDLERS, "fn f(r: Router) { r.routes(); r.route; /* r.route(x) */ }").is_empty());
    }
}
