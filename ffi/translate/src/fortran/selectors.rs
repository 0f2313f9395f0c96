//! Image selectors, and coarrays that are allocated with `stat=`, which some compilers compile wrongly.

use super::classify::{Kind, kind};
use super::source::{Statement, statements};
use super::tokens::{after, assignment, closing, is_word, name_at, opening, split, trimmed};
use super::writer::origins;
use crate::directive::Form;
use std::ops::Range;

/// A construct of coarrays that `xmpfc` may warn of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectorKind {
    /// A coindexed object.
    Coindexed,
    /// `stat=` in an image selector.
    Stat,
    /// `team=` in an image selector.
    Team,
    /// `team_number=` in an image selector.
    TeamNumber,
    /// `stat=` in the `allocate` statement of a coarray.
    AllocateStat,
}

impl SelectorKind {
    /// Its word in the output of `xmp-translate`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Coindexed => "coindexed",
            Self::Stat => "stat",
            Self::Team => "team",
            Self::TeamNumber => "team_number",
            Self::AllocateStat => "allocate-stat",
        }
    }
}

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file: another one where a preprocessor has included it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// Its kind.
    pub found: SelectorKind,
    /// The object with its image selector, or the allocated object.
    pub text: String,
}

/// All constructs of the kinds of [`SelectorKind`] in a source, in their order. `path` is its name; in fixed form the
/// first `columns` characters of a line count.
pub fn selectors(path: &str, source: &str, form: Form, columns: usize) -> Vec<Place> {
    let lines: Vec<&str> = source.split_inclusive('\n').collect();
    let origins = origins(path, &lines);
    let mut places = Vec::new();
    for statement in statements(source, form, columns) {
        for (at, found, part) in of_statement(&statement.code) {
            let line = source[..statement.span(at..at + 1).start].matches('\n').count();
            let (line, file) = origins[line.min(origins.len() - 1)].clone();
            places.push(Place { file, line, found, text: text(&statement, part) });
        }
    }
    places
}

/// A part of a statement, with one blank for many.
fn text(statement: &Statement, part: Range<usize>) -> String {
    statement.text[part].split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether statements of a kind are executed.
pub fn is_executed(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Executable
            | Kind::Do(_)
            | Kind::ConstructStart
            | Kind::Allocate
            | Kind::Deallocate
            | Kind::Return
    )
}

/// A coindexed object in a statement: where its designator and its brackets begin, and where these end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selector {
    /// The start of the designator.
    pub object: usize,
    /// The bracket that opens.
    pub open: usize,
    /// The bracket that closes.
    pub close: usize,
}

/// The coindexed objects in a statement that is executed.
pub fn image_selectors(code: &str) -> Vec<Selector> {
    let action = code.len() - after_condition(code).len();
    let (control, cobounds) = (control_list(code, action), cobounds(code, action));
    let is_selector = |at: usize| {
        let before = code[..at].trim_end();
        before.bytes().last().is_some_and(|byte| is_word(byte) || byte == b')')
            && Some(before.len() - 1) != control
            && !cobounds.iter().any(|span| span.start == at)
    };
    let brackets = code.match_indices('[').map(|(at, _)| at).filter(|at| is_selector(*at));
    let selector = |open| {
        let close = closing(code, open)?;
        Some(Selector { object: object(code, open), open, close })
    };
    brackets.filter_map(selector).collect()
}

/// Whether an item between the brackets is `stat=`, `team=` or `team_number=`, and no cosubscript.
pub fn is_specifier(item: &str) -> bool {
    ["stat", "team", "team_number"].iter().any(|word| is_keyword(item, word))
}

/// The finds in a statement: place, kind, and object.
fn of_statement(code: &str) -> Vec<(usize, SelectorKind, Range<usize>)> {
    let action = code.len() - after_condition(code).len();
    let mut found = Vec::new();
    if !is_executed(&kind(code)) {
        return found;
    }
    let cobounds = cobounds(code, action);
    if let (Some(first), Some(stat)) = (cobounds.first(), argument(code, action, "stat")) {
        found.push((
            stat.start,
            SelectorKind::AllocateStat,
            object(code, first.start)..first.end + 1,
        ));
    }
    for Selector { object, open, close } in image_selectors(code) {
        let whole = object..close + 1;
        found.push((open, SelectorKind::Coindexed, whole.clone()));
        for item in split(code, open + 1..close, b',') {
            let words = [
                ("stat", SelectorKind::Stat),
                ("team", SelectorKind::Team),
                ("team_number", SelectorKind::TeamNumber),
            ];
            for (word, kind) in words {
                if is_keyword(&code[item.clone()], word) {
                    found.push((item.start, kind, whole.clone()));
                }
            }
        }
    }
    found
}

/// The action after `if (..)`; the whole statement without it.
fn after_condition(code: &str) -> &str {
    if assignment(code).is_some() {
        return code;
    }
    match after(code, &["if"]).filter(|rest| rest.starts_with('(')) {
        Some(rest) => closing(rest, 0).map_or(code, |close| rest[close + 1..].trim_start()),
        None => code,
    }
}

/// The start and the end of the list in parentheses of a statement that starts with one of these words.
fn list_of(code: &str, action: usize, words: &[&str]) -> Option<(usize, usize)> {
    let code_of_action = &code[action..];
    if assignment(code_of_action).is_some() {
        return None;
    }
    let rest = words.iter().find_map(|word| after(code_of_action, &[word]))?;
    let open = code.len() - rest.len();
    rest.starts_with('(').then_some(())?;
    Some((open, closing(code, open)?))
}

/// The last parenthesis of the control list of an input or output statement, before the list of values.
fn control_list(code: &str, action: usize) -> Option<usize> {
    list_of(code, action, &["write", "read", "inquire"]).map(|(_, close)| close)
}

/// The brackets with cobounds, in statements that allocate or change a team.
fn cobounds(code: &str, action: usize) -> Vec<Range<usize>> {
    let list = list_of(code, action, &["allocate"]).or_else(|| {
        let rest = after(&code[action..], &["change", "team"])?;
        let open = code.len() - rest.len();
        rest.starts_with('(').then_some(())?;
        Some((open, closing(code, open)?))
    });
    let Some((open, close)) = list else { return Vec::new() };
    let mut found = Vec::new();
    for item in split(code, open + 1..close, b',') {
        let mut depth = 0_usize;
        for at in item.clone() {
            match code.as_bytes()[at] {
                b'=' if depth == 0 => break,
                b'[' if depth == 0 => {
                    found.extend(closing(code, at).map(|close| at..close));
                    break;
                }
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
    found
}

/// An argument with a keyword of an `allocate` statement.
fn argument(code: &str, action: usize, word: &str) -> Option<Range<usize>> {
    let (open, close) = list_of(code, action, &["allocate"])?;
    split(code, open + 1..close, b',')
        .into_iter()
        .find(|item| is_keyword(&code[item.clone()], word))
}

/// Whether this is `word = ..`.
pub fn is_keyword(item: &str, word: &str) -> bool {
    let rest = after(item, &[word]);
    rest.is_some_and(|rest| rest.starts_with('=') && !rest.starts_with("=="))
}

/// The start of the designator that an image selector at `open` belongs to.
fn object(code: &str, open: usize) -> usize {
    let bytes = code.as_bytes();
    let mut start = trimmed(code, 0..open).end;
    loop {
        while start > 0 && bytes[start - 1] == b')' {
            let Some(at) = opening(code, start - 1) else { return start };
            start = trimmed(code, 0..at).end;
        }
        while start > 0 && is_word(bytes[start - 1]) {
            start -= 1;
        }
        let before = code[..start].trim_end();
        match before.strip_suffix('%') {
            Some(parent) if !name_at(&code[start..]).is_empty() => start = parent.trim_end().len(),
            _ => return start,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::source::COLUMNS;
    use super::*;

    fn found(source: &str) -> Vec<(usize, &'static str, String)> {
        let places = selectors("a.f90", source, Form::Free, COLUMNS).into_iter();
        places.map(|place| (place.line, place.found.word(), place.text)).collect()
    }

    fn coindexed(source: &str) -> Vec<String> {
        let found = found(source).into_iter();
        found.filter(|(_, word, _)| *word == "coindexed").map(|(.., text)| text).collect()
    }

    #[test]
    fn image_selectors_are_told_from_constructors_and_cobounds() {
        for code in [
            "integer :: x[*], y(3)[2, *]",
            "integer, codimension[*] :: x",
            "k = sum([1, 2]) + size((/ 1 /))",
            "write (*, *) [1, 2]",
            "if (k == 3) write (unit=6, fmt='(a[1])') [f(1)]",
            "print *, [k], 'x[1]' ! y[2]",
            "allocate (y(4)[2, *], z[*])",
            "allocate (p%y(4)[0:*], stat=k)",
            "if (.not. allocated(y)) allocate(y(3)[*])",
            "change team (t, b[2, *] => a)",
            "x = [integer :: 1, 2]",
            "inquire (iolength=n) [1.0, 2.0]",
            "if (any(a == [1, 2])) stop",
        ] {
            assert_eq!(coindexed(code), [""; 0], "{code}");
        }
    }

    #[test]
    fn objects_are_found_with_their_selectors() {
        for (code, expected) in [
            ("k = x[1] + 0", vec!["x[1]"]),
            ("If (A(2) [ me ]%c > 3) k = 2", vec!["A(2) [ me ]"]),
            ("y = s%t(i, f(j))%u(:)[2]", vec!["s%t(i, f(j))%u(:)[2]"]),
            ("call f(x[1], (b(2)[k]))", vec!["x[1]", "b(2)[k]"]),
            ("k = a(2)[x[1]]", vec!["a(2)[x[1]]", "x[1]"]),
            ("allocate (w(x[1]))", vec!["x[1]"]),
            ("do k = 1, n[2]", vec!["n[2]"]),
            ("print *, (b(i)[1], i = 1, 3)", vec!["b(i)[1]"]),
            ("write (*, *) v(k)[1]", vec!["v(k)[1]"]),
            ("select case (x[1])", vec!["x[1]"]),
        ] {
            assert_eq!(coindexed(code), expected, "{code}");
        }
    }

    #[test]
    fn lines_are_those_of_the_selectors_also_in_continued_statements_and_included_files() {
        let source = "k = 1 + &\n  ! x[9]\n  x[1, stat=i] &\n  + x[2, &\n  team=t]\n";
        let of = |line, word, text: &str| (line, word, text.to_owned());
        assert_eq!(
            found(source),
            [
                of(3, "coindexed", "x[1, stat=i]"),
                of(3, "stat", "x[1, stat=i]"),
                of(4, "coindexed", "x[2, team=t]"),
                of(5, "team", "x[2, team=t]"),
            ]
        );
        let included = "#line \"a.F90\" 7\nk = 1\n# 3 \"b.h\"\nk = x[i, team_number=3] + 1\n";
        let places = selectors("a.f90", included, Form::Free, COLUMNS);
        assert_eq!((places[0].file.as_str(), places[0].line), ("b.h", 3));
        assert_eq!(places[1].found, SelectorKind::TeamNumber);
        let first = selectors("a.f90", "#line \"a.F90\" 7\nk = x[1] + 1\n", Form::Free, COLUMNS);
        assert_eq!((first[0].file.as_str(), first[0].line), ("a.F90", 7));
    }

    #[test]
    fn status_variables_of_allocate_are_found_where_there_are_cobounds() {
        let of = |code: &str| {
            found(code).into_iter().map(|(_, word, text)| (word, text)).collect::<Vec<_>>()
        };
        assert_eq!(of("allocate (y(4)[*], stat = k)"), [("allocate-stat", "y(4)[*]".to_owned())]);
        assert_eq!(
            of("if (k > 0) allocate (z, y(n)[*], stat=k)"),
            [("allocate-stat", "y(n)[*]".to_owned())]
        );
        assert_eq!(of("allocate (y(4), stat=k)"), []);
    }
}
