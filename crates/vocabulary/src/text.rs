//! Short texts that people type.

/// `text` without surrounding blanks, when it is 1 to `max` characters without control characters.
pub fn line(text: &str, max: usize) -> Option<String> {
    some_lines(text, max).filter(|text| !text.contains('\n'))
}

/// `text` without surrounding blanks, when it is 1 to `max` characters; lines may break.
pub fn some_lines(text: &str, max: usize) -> Option<String> {
    lines(text, max).filter(|text| !text.is_empty())
}

/// `text` without surrounding blanks, when it is at most `max` characters; lines may break.
pub fn lines(text: &str, max: usize) -> Option<String> {
    let text = text.trim();
    let fits = text.chars().count() <= max && !text.chars().any(|c| c.is_control() && c != '\n');
    fits.then(|| text.to_owned())
}

/// What a form makes of `known`: what is absent stays as it is, an empty text takes away what was there, any other is read.
pub fn amended<T: Clone, E>(
    typed: Option<&String>,
    known: Option<&T>,
    read: impl FnOnce(&str) -> Result<T, E>,
) -> Result<Option<T>, E> {
    match typed.map(|text| text.trim()) {
        None => Ok(known.cloned()),
        Some("") => Ok(None),
        Some(text) => read(text).map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_count_and_not_bytes() {
        assert_eq!(line(" 客服主管 ", 4).as_deref(), Some("客服主管"));
        assert_eq!(line("客服主管", 3), None);
        assert_eq!(line("  ", 3), None);
        assert_eq!(line("a\u{7}b", 3), None);
        assert_eq!(line("a\nb", 3), None);
        assert_eq!(lines("", 3).as_deref(), Some(""));
        assert_eq!(some_lines("a\nb", 3).as_deref(), Some("a\nb"));
        assert_eq!(some_lines(" \n ", 3), None);
        assert_eq!(lines("a\nb", 3).as_deref(), Some("a\nb"));
        assert_eq!(lines("a\rb", 3), None);
    }

    #[test]
    fn what_is_absent_stays_and_what_is_empty_goes() {
        let over =
            |typed: Option<&str>| amended(typed.map(str::to_owned).as_ref(), Some(&7), str::parse::<i32>);
        assert_eq!(over(None), Ok(Some(7)));
        assert_eq!(over(Some(" ")), Ok(None));
        assert_eq!(over(Some(" 8 ")), Ok(Some(8)));
        assert!(over(Some("acht")).is_err());
    }
}
