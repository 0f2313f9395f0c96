//! `#pragma xmp` in C: the lines of a file that begin with it, outside of comments.

use super::{DirectiveResults, read};
use crate::diagnostics::Diagnostic;

/// The directives of a C file. Lines that end in a backslash are continued.
pub fn pragmas(source: &str) -> DirectiveResults {
    let mut found = Vec::new();
    let mut at = 0;
    let mut in_comment = false;
    while at < source.len() {
        let end = end_of_logical_line(source, at);
        let line = &source[at..end];
        if !in_comment && let Some(after) = after_pragma(line) {
            let text = blanked(&line[after..]);
            let first = at + line.len() - line.trim_start().len();
            let last = at + after + text.trim_end().len();
            found.push(read(&text, at + after, first..last, false));
        } else if !in_comment && let Some(place) = operator(line) {
            let wrong = Diagnostic::new(
                at + place..at + place + "_Pragma".len(),
                "`_Pragma` cannot have a directive of XcalableMP",
            );
            found.push(Err(
                wrong.help("write `#pragma xmp` on a line of its own, outside of macros")
            ));
        }
        in_comment = comment_goes_on(line, in_comment);
        at = end + 1;
    }
    found
}

/// The end of the line that begins at `at`, without the line end; continuation lines included.
fn end_of_logical_line(source: &str, mut at: usize) -> usize {
    loop {
        let end = source[at..].find('\n').map_or(source.len(), |len| at + len);
        let continued = source[at..end].trim_end_matches('\r').ends_with('\\');
        if !continued || end == source.len() {
            return end;
        }
        at = end + 1;
    }
}

/// The length of `#pragma xmp` at the start of this line; none if the line begins otherwise.
pub fn after_pragma(line: &str) -> Option<usize> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("pragma")?;
    let words = rest.trim_start();
    let rest = words.strip_prefix("xmp").filter(|_| words.len() < rest.len())?;
    let ends = rest.chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '_');
    ends.then_some(line.len() - rest.len())
}

/// Whether a line has a directive in an operator: `_Pragma("xmp ..")`.
pub fn has_pragma_operator(line: &str) -> bool {
    operator(line).is_some()
}

/// The places of `_Pragma("xmp ..")` in a line.
fn operator(line: &str) -> Option<usize> {
    let mut all = line.match_indices("_Pragma");
    let after = |at: usize| line[at + "_Pragma".len()..].trim_start().strip_prefix('(');
    let is_ours = |text: &str| {
        let words = text.trim_start().strip_prefix('"').map(str::trim_start);
        let rest = words.and_then(|words| words.strip_prefix("xmp"));
        rest.is_some_and(|rest| rest.starts_with([' ', '\t', '"']))
    };
    all.find(|(at, _)| after(*at).is_some_and(is_ours)).map(|(at, _)| at)
}

/// The text with comments, line ends and their backslashes replaced by blanks, as long as before.
fn blanked(text: &str) -> String {
    let mut blank: Vec<u8> = text
        .bytes()
        .map(|b| if b == b'\n' || b == b'\r' || b == b'\\' { b' ' } else { b })
        .collect();
    let mut at = 0;
    while let Some(start) = text[at..].find("/*").map(|found| at + found) {
        let end = text[start..].find("*/").map_or(text.len(), |len| start + len + 2);
        blank[start..end].fill(b' ');
        at = end;
    }
    if let Some(start) = text.find("//") {
        blank[start..].fill(b' ');
    }
    String::from_utf8(blank).expect("only whole characters are replaced")
}

/// Whether a comment `/* */` is open at the end of a line.
fn comment_goes_on(line: &str, mut inside: bool) -> bool {
    let mut rest = line;
    let mut quote = None;
    while let Some(c) = rest.chars().next() {
        let mut step = c.len_utf8();
        if inside {
            if rest.starts_with("*/") {
                inside = false;
                step = 2;
            }
        } else if let Some(open) = quote {
            if c == '\\' {
                step += rest[1..].chars().next().map_or(0, char::len_utf8);
            } else if c == open {
                quote = None;
            }
        } else if rest.starts_with("//") {
            return false;
        } else if rest.starts_with("/*") {
            inside = true;
            step = 2;
        } else if c == '"' || c == '\'' {
            quote = Some(c);
        }
        rest = &rest[step..];
    }
    inside
}
