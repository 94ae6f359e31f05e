//! The strings of a script in TypeScript or JavaScript.

use std::iter::Peekable;
use std::str::Chars;

/// Signs after which a slash begins a regular expression, not a division or the end of a tag.
const BEFORE_PATTERNS: &str = "(,=:[!&|?;";

/// Every string, without what comments and regular expressions hold.
pub fn strings(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    code(&mut source.chars().peekable(), &mut found);
    found
}

/// Reads code up to the end or to a brace that was not opened here.
fn code(rest: &mut Peekable<Chars<'_>>, found: &mut Vec<String>) {
    let (mut before, mut depth) = (';', 0);
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('/', Some('/')) => while rest.next().is_some_and(|c| c != '\n') {},
            ('/', Some('*')) => block_comment(rest),
            ('/', _) if BEFORE_PATTERNS.contains(before) => pattern(rest),
            ('\'' | '"', _) => found.push(quoted(rest, c)),
            ('`', _) => template(rest, found),
            ('{', _) => depth += 1,
            ('}', _) if depth == 0 => return,
            ('}', _) => depth -= 1,
            _ => {}
        }
        if !c.is_whitespace() {
            before = c;
        }
    }
}

fn block_comment(rest: &mut Peekable<Chars<'_>>) {
    rest.next();
    while let Some(c) = rest.next() {
        if c == '*' && rest.next_if_eq(&'/').is_some() {
            return;
        }
    }
}

/// Up to the slash outside of brackets that ends it.
fn pattern(rest: &mut Peekable<Chars<'_>>) {
    let mut in_class = false;
    while let Some(c) = rest.next_if(|c| *c != '\n') {
        match c {
            '\\' => _ = rest.next(),
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return,
            _ => {}
        }
    }
}

/// Up to its end; an apostrophe in running text ends with its line.
fn quoted(rest: &mut Peekable<Chars<'_>>, end: char) -> String {
    let mut text = String::new();
    while let Some(c) = rest.next_if(|c| *c != '\n') {
        match c {
            '\\' => text.extend(rest.next()),
            _ if c == end => break,
            _ => text.push(c),
        }
    }
    text
}

fn template(rest: &mut Peekable<Chars<'_>>, found: &mut Vec<String>) {
    let mut text = String::new();
    while let Some(c) = rest.next() {
        match c {
            '\\' => text.extend(rest.next()),
            '`' => break,
            '$' if rest.next_if_eq(&'{').is_some() => {
                code(rest, found);
                text.push(' ');
            }
            _ => text.push(c),
        }
    }
    found.push(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_and_tables_are_strings_and_comments_are_not() {
        let source = "
            // it('R-1')
            /* 'R-2' */ /** \"R-3\" */
            it('R-4 it\\'s so', () => {}) // 'R-5'
            it.each(['a'])(\"R-6 %s\", () => {})
            test(`R-7 ${name('R-8')} and ${{ a: `R-9` }.a} then`, () => {})
            const rows = [['R-10', '/path//x']]";
        assert_eq!(
            strings(source),
            ["R-4 it's so", "a", "R-6 %s", "R-8", "R-9", "R-7   and   then", "R-10", "/path//x"]
        );
    }

    #[test]
    fn quotes_and_slashes_elsewhere_open_nothing() {
        let source = "
            expect(text).toMatch(/['\"`/*]\\/ R-1/)
            const half = width / 2 // 'R-2'
            const view = <p title=\"R-3\">the rider's bike</p>
            const other = <Dot a={half} /> || 'R-4'";
        assert_eq!(strings(source), ["R-3", "s bike</p>", "R-4"]);
    }
}
