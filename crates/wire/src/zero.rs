//! The zero character: JSON and addresses can write it, PostgreSQL cannot hold it, and no text for people has one.

use axum::http::Uri;

use crate::Refused;

/// Refuses a path or query with a zero character in it. `%` itself is written `%25`, so `%00` is always one.
pub(crate) fn refuse_in_address(uri: &Uri) -> Result<(), Refused> {
    let has = |text: &str| text.contains("%00");
    if has(uri.path()) || uri.query().is_some_and(has) { Err(refused()) } else { Ok(()) }
}

/// Refuses a JSON body with a zero character in any of its strings or names.
pub(crate) fn refuse_in_json(body: &[u8]) -> Result<(), Refused> {
    let mut at = 0;
    while let Some(found) = body[at..].iter().position(|byte| *byte == b'\\' || *byte == 0) {
        at += found;
        let rest = &body[at..];
        if rest[0] == 0 || rest.starts_with(b"\\u0000") {
            return Err(refused());
        }
        // What is escaped is no escape itself.
        at = (at + 2).min(body.len());
    }
    Ok(())
}

/// The same words wherever it is met.
pub(crate) fn refused() -> Refused {
    Refused::malformed("请求中包含非法字符")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zero_character_is_found_in_strings_and_names_and_only_there() {
        for wrong in [&br#"{"a":"\u0000"}"#[..], br#"{"\u0000":1}"#, br#"["x\\\u0000"]"#, b"{\"a\":\"\0\"}"] {
            assert!(refuse_in_json(wrong).is_err(), "{}", String::from_utf8_lossy(wrong));
        }
        for right in
            [&br#"{"a":"\\u0000"}"#[..], br#"{"a":"\u0001"}"#, br#"{"a":"u0000"}"#, b"", b"\\", b"{\"a\":0}"]
        {
            assert!(refuse_in_json(right).is_ok(), "{}", String::from_utf8_lossy(right));
        }
    }

    #[test]
    fn a_zero_character_is_found_in_paths_and_queries() {
        for wrong in ["/a/%00/b", "/a?x=%00", "/a?%00=1"] {
            assert!(refuse_in_address(&wrong.parse().unwrap()).is_err(), "{wrong}");
        }
        for right in ["/a/00", "/a?x=%2500", "/a?x=%01"] {
            assert!(refuse_in_address(&right.parse().unwrap()).is_ok(), "{right}");
        }
    }
}
