//! Statements that begin program units and procedures.

use super::tokens::{after, closing, is_word, name_at, outside, trimmed};
use std::ops::Range;

/// A kind of program units and procedures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A main program.
    Program,
    /// A module.
    Module,
    /// A submodule.
    Submodule,
    /// Block data: a unit whose contents are left alone.
    Other,
    /// A subroutine.
    Subroutine,
    /// A function.
    Function,
    /// `module procedure`, whose arguments the module declares.
    Separate,
    /// A `block` construct.
    Block,
}

/// The first statement of a unit, as parts of its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The kind of scope that it begins.
    pub unit: Unit,
    /// Its name.
    pub name: Range<usize>,
    /// The text before `subroutine` or `function`.
    pub prefix: Range<usize>,
    /// The dummy arguments: the text in the parentheses, if there are any.
    pub arguments: Option<Range<usize>>,
    /// The name in `result(..)`.
    pub result: Option<Range<usize>>,
}

/// The head of a unit, if the statement begins one.
pub fn unit_start(code: &str) -> Option<Head> {
    let name_of = |rest: &str| {
        let start = code.len() - rest.len();
        start..start + name_at(rest).len()
    };
    let plain = |unit: Unit, rest: &str| Head {
        unit,
        name: name_of(rest),
        prefix: 0..0,
        arguments: None,
        result: None,
    };
    if let Some(rest) = after(code, &["program"]) {
        return Some(plain(Unit::Program, rest));
    }
    if let Some(rest) = after(code, &["module"])
        && !["procedure", "subroutine", "function"]
            .iter()
            .any(|word| after(rest, &[word]).is_some())
        && rest.bytes().all(is_word)
    {
        return Some(plain(Unit::Module, rest));
    }
    if let Some(rest) = after(code, &["module", "procedure"])
        && !rest.is_empty()
        && rest.bytes().all(is_word)
    {
        return Some(plain(Unit::Separate, rest));
    }
    if let Some(ancestors) = after(code, &["submodule"])
        && let Some(close) = ancestors.starts_with('(').then(|| closing(ancestors, 0)).flatten()
    {
        return Some(plain(Unit::Submodule, ancestors[close + 1..].trim_start()));
    }
    if after(code, &["block", "data"]).is_some() {
        return Some(plain(Unit::Other, ""));
    }
    procedure(code)
}

/// The head of a subroutine or function.
fn procedure(code: &str) -> Option<Head> {
    let words = [("subroutine", Unit::Subroutine), ("function", Unit::Function)];
    let (at, word, unit) = words.iter().find_map(|(word, unit)| {
        let at = outside(code, |rest| rest.starts_with(word))?;
        let apart = at == 0 || !is_word(code.as_bytes()[at - 1]);
        apart.then_some((at, *word, *unit))
    })?;
    if !is_prefix(&code[..at]) {
        return None;
    }
    let rest = after(&code[at..], &[word])?;
    let name = name_at(rest);
    if name.is_empty() {
        return None;
    }
    let start = code.len() - rest.len();
    let mut head = Head {
        unit,
        name: start..start + name.len(),
        prefix: 0..code[..at].trim_end().len(),
        arguments: None,
        result: None,
    };
    let after_name = head.name.end;
    let open = trimmed(code, after_name..code.len());
    let mut tail = open.start;
    if code[open.clone()].starts_with('(') {
        let close = closing(code, open.start)?;
        head.arguments = Some(open.start + 1..close);
        tail = close + 1;
    } else if !open.is_empty() {
        return None;
    }
    if let Some(at) = code[tail..].find("result") {
        let open = tail + at + code[tail + at..].find('(')?;
        head.result = Some(trimmed(code, open + 1..closing(code, open)?));
    }
    Some(head)
}

/// Whether a text can be before `subroutine` or `function`.
fn is_prefix(text: &str) -> bool {
    let mut rest = text.trim();
    while !rest.is_empty() {
        let word = name_at(rest);
        let known = [
            "pure",
            "elemental",
            "impure",
            "recursive",
            "non_recursive",
            "module",
            "integer",
            "real",
            "complex",
            "logical",
            "character",
            "double",
            "precision",
            "doubleprecision",
            "type",
            "class",
        ];
        if !known.contains(&word) {
            return false;
        }
        rest = rest[word.len()..].trim_start();
        if let Some(size) = rest.strip_prefix('*') {
            rest = size.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
        }
        if rest.starts_with('(') {
            match closing(rest, 0) {
                Some(close) => rest = rest[close + 1..].trim_start(),
                None => return false,
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_procedures() {
        let code = "real(kind=8) recursive function f(a, b) result(r)";
        let head = unit_start(code).unwrap();
        assert_eq!(
            (&code[head.name.clone()], &code[head.prefix.clone()]),
            ("f", "real(kind=8) recursive")
        );
        assert_eq!(head.arguments.map(|span| &code[span]), Some("a, b"));
        assert_eq!(head.result.map(|span| &code[span]), Some("r"));
        assert!(unit_start("subroutine s").is_some());
        assert!(unit_start("real :: function_x").is_none());
        assert!(unit_start("module m").is_some());
        assert_eq!(unit_start("module procedure p").map(|head| head.unit), Some(Unit::Separate));
        assert!(unit_start("module procedure p, q").is_none());
        let code = "submodule (m:n) s";
        let head = unit_start(code).unwrap();
        assert_eq!((head.unit, &code[head.name]), (Unit::Submodule, "s"));
    }
}
