//! Pieces of a statement: words, parentheses, lists. They work on the code of a statement, which is in lower case and has no
//! strings.

use std::ops::Range;

/// Whether a byte can be a part of a name.
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The name at the start of a text; empty if there is none.
pub fn name_at(code: &str) -> &str {
    let len = code.bytes().take_while(|byte| is_word(*byte)).count();
    if code.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') { &code[..len] } else { "" }
}

/// The text after these words, of which the last one ends there. Blanks between them are optional.
pub fn after<'a>(code: &'a str, words: &[&str]) -> Option<&'a str> {
    let mut rest = code;
    for word in words {
        rest = rest.trim_start().strip_prefix(word)?;
    }
    let ends = !rest.bytes().next().is_some_and(is_word);
    ends.then(|| rest.trim_start())
}

/// The module of a `use` statement, and the text after its name.
pub fn used_module(code: &str) -> Option<(&str, &str)> {
    let rest = after(code, &["use"])?;
    let rest = rest.find("::").map_or(rest, |at| rest[at + 2..].trim_start());
    let module = name_at(rest);
    (!module.is_empty()).then(|| (module, &rest[module.len()..]))
}

/// The end of the parenthesis that opens at `open`.
pub fn closing(code: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The start of the parenthesis that closes at `close`.
pub fn opening(code: &str, close: usize) -> Option<usize> {
    let opens = |at: &usize| matches!(code.as_bytes()[*at], b'(' | b'[');
    (0..close).rev().filter(opens).find(|&at| closing(code, at) == Some(close))
}

/// The first place outside of parentheses for which `found` returns true; it gets the text from there on.
pub fn outside(code: &str, found: impl Fn(&str) -> bool) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate() {
        if depth == 0 && found(&code[at..]) {
            return Some(at);
        }
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The parts of a span between separators outside of parentheses, without blanks around them.
pub fn split(code: &str, span: Range<usize>, separator: u8) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_usize, span.start);
    for at in span.clone() {
        match code.as_bytes()[at] {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            byte if byte == separator && depth == 0 => {
                parts.push(trimmed(code, start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(trimmed(code, start..span.end));
    parts
}

/// A span without the blanks around it.
pub fn trimmed(code: &str, span: Range<usize>) -> Range<usize> {
    let text = &code[span.clone()];
    let start = span.start + text.len() - text.trim_start().len();
    start..start + text.trim().len()
}

/// The start of the action in a statement: after the condition of `if (..)`, else its own start.
pub fn action(code: &str) -> usize {
    let rest = after(code, &["if"]).filter(|rest| rest.starts_with('('));
    let action = rest.and_then(|rest| {
        let open = code.len() - rest.len();
        let close = closing(code, open)?;
        let start = trimmed(code, close + 1..code.len()).start;
        // `if (1) = 2` assigns to an array.
        (!code[start..].starts_with('=')).then_some(start)
    });
    action.filter(|start| *start < code.len()).unwrap_or(0)
}

/// The place of the `=` of an assignment, or of the `=>` of a pointer assignment: a designator is before it.
pub fn assignment(code: &str) -> Option<usize> {
    let at = outside(code, |rest| rest.starts_with('='))?;
    if code[at..].starts_with("==") {
        return None;
    }
    let mut rest = code[..at].trim_end();
    loop {
        let name = name_at(rest);
        if name.is_empty() {
            return None;
        }
        rest = rest[name.len()..].trim_start();
        while rest.starts_with(['(', '[']) {
            rest = rest[closing(rest, 0)? + 1..].trim_start();
        }
        match rest.strip_prefix('%') {
            Some(member) => rest = member.trim_start(),
            None if rest.is_empty() => break,
            None => return None,
        }
    }
    // `do 10 i = 1, n` without blanks, which fixed form allows.
    let is_loop =
        code.starts_with("do") && outside(&code[at..], |rest| rest.starts_with(',')).is_some();
    (!is_loop).then_some(at)
}

/// The places of a name, outside of strings and not after `%`.
pub fn uses<'a>(code: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    code.match_indices(name).map(|(at, _)| at).filter(move |at| {
        let before = code[..*at].trim_end().bytes().last();
        let joined = code[..*at].bytes().last().is_some_and(is_word);
        let longer = code.as_bytes().get(at + name.len()).copied().is_some_and(is_word);
        !joined && !longer && before != Some(b'%')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_are_told_from_the_rest() {
        for code in ["a = 1", "a(i, f(j))%b (3) = c == d", "p => q", "do = 5", "x[3] = 1"] {
            assert!(assignment(code).is_some(), "{code}");
        }
        for code in
            ["do i = 1, 3", "if (a) b = c", "integer :: i = 3", "doi=1,3", "call f(a=1)", "a == b"]
        {
            assert!(assignment(code).is_none(), "{code}");
        }
    }

    #[test]
    fn lists_and_names() {
        let code = "f(a, b), c";
        let parts = split(code, 0..code.len(), b',');
        assert_eq!(
            parts.iter().map(|part| &code[part.clone()]).collect::<Vec<_>>(),
            ["f(a, b)", "c"]
        );
        assert_eq!(after("end do x", &["end", "do"]), Some("x"));
        assert_eq!(after("enddox", &["end", "do"]), None);
        assert_eq!(uses("a + ba*b%a(a)", "a").collect::<Vec<_>>(), [0, 11]);
    }
}
