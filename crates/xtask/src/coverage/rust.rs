//! The ids that tests in Rust name.

use anyhow::Result;

use super::ids_in;
use crate::rust_source::{Kind, tokens};

/// Those of test functions' names, and of the strings of test code.
pub fn ids(path: &str, text: &str) -> Result<Vec<String>> {
    let tokens = tokens(path, text)?;
    let of_tests = tokens.iter().filter(|token| token.in_test);
    Ok(of_tests
        .flat_map(|token| match token.kind {
            Kind::TestName => ids_of_name(&token.text),
            Kind::Literal => ids_in(&token.text).collect(),
            Kind::Word | Kind::Sign => Vec::new(),
        })
        .collect())
}

/// The ids that a test's name begins with: `api_040_041_perm_018_what_is_tested` names three.
fn ids_of_name(name: &str) -> Vec<String> {
    let is_number = |part: &str| part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    let (mut ids, mut area) = (Vec::new(), None);
    let mut parts = name.split('_').peekable();
    while let Some(part) = parts.next() {
        if is_number(part) {
            let Some(area) = area else { break };
            ids.push(format!("{area}-{part}").to_ascii_uppercase());
        } else if parts.peek().is_some_and(|next| is_number(next)) {
            area = Some(part);
        } else {
            break;
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_names_the_ids_that_it_begins_with() {
        assert_eq!(ids_of_name("api_040_041_perm_018_one_of_2_001"), ["API-040", "API-041", "PERM-018"]);
        assert!(ids_of_name("after_api_040_041").is_empty());
        assert_eq!(ids_of_name("gate_001"), ["GATE-001"]);
    }

    #[test]
    fn comments_helpers_and_product_code_name_none() {
        let source = "
            //! R-1
            fn r_002() { f(\"R-3\") } /* R-4 */
            #[cfg(test)]
            mod tests {
                /// R-5: why
                fn r_006_helper() {}
                // R-7
                #[tokio::test]
                async fn r_008_011_x() { assert_eq!(a, \"R-9\", \"{R-10}\"); }
            }";
        assert_eq!(ids("crates/care/src/lib.rs", source).expect("Rust"), ["R-008", "R-011", "R-9", "R-10"]);
    }
}
