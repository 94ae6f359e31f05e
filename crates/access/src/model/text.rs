//! Short texts that people type.

/// `text` without surrounding blanks, when it is 1 to `max` characters without control characters.
pub(super) fn line(text: &str, max: usize) -> Option<String> {
    let text = text.trim();
    let fits = !text.is_empty() && text.chars().count() <= max && !text.chars().any(char::is_control);
    fits.then(|| text.to_owned())
}

/// `text` without surrounding blanks, when it is at most `max` characters; lines may break.
pub(super) fn remark(text: &str, max: usize) -> Option<String> {
    let text = text.trim();
    let fits = text.chars().count() <= max && !text.chars().any(|c| c.is_control() && c != '\n');
    fits.then(|| text.to_owned())
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
        assert_eq!(remark("", 3).as_deref(), Some(""));
        assert_eq!(remark("a\nb", 3).as_deref(), Some("a\nb"));
    }
}
