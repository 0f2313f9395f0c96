//! The kind of a Fortran statement, as far as the translator distinguishes them.

use super::heads::{Head, unit_start};
use super::tokens::{after, assignment, closing, name_at, outside, split, trimmed};
use std::ops::Range;

/// A `do` statement, as parts of its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Do {
    /// The label of the statement that ends the loop.
    pub label: Option<String>,
    /// The loop variable, and the first, last and step expressions; none in other forms of `do`.
    pub counter: Option<Counter>,
}

/// The control of a counting loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The variable.
    pub variable: Range<usize>,
    /// The first value.
    pub first: Range<usize>,
    /// The last value.
    pub last: Range<usize>,
    /// The step.
    pub step: Option<Range<usize>>,
}

/// A kind of statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    UnitStart(Head),
    UnitEnd,
    Contains,
    InterfaceStart,
    InterfaceEnd,
    TypeStart,
    TypeEnd,
    Use,
    Import,
    Implicit,
    /// Any other statement of a specification part.
    Specification,
    Do(Do),
    EndDo,
    BlockConstruct,
    ConstructStart,
    ConstructEnd,
    Allocate,
    Deallocate,
    Return,
    /// Any other executable statement.
    Executable,
}

/// The kind of a statement by its code. In a derived type, `contains` and procedure statements are not asked for.
pub fn kind(code: &str) -> Kind {
    if assignment(code).is_some() {
        return Kind::Executable;
    }
    if let Some(rest) = after(code, &["end"]) {
        return end(rest);
    }
    // `enddo` and `endif` in one word.
    if let Some(rest) = code.strip_prefix("end")
        && let kind @ (Kind::UnitEnd
        | Kind::EndDo
        | Kind::InterfaceEnd
        | Kind::TypeEnd
        | Kind::ConstructEnd) = end(rest)
        && END_WORDS.iter().any(|word| after(rest, &[word]).is_some())
    {
        return kind;
    }
    unit_start(code)
        .map(Kind::UnitStart)
        .or_else(|| specification(code))
        .unwrap_or_else(|| executable(code))
}

/// Words that may follow `end` without a blank.
const END_WORDS: [&str; 18] = [
    "program",
    "module",
    "submodule",
    "subroutine",
    "function",
    "procedure",
    "block",
    "blockdata",
    "interface",
    "type",
    "enum",
    "do",
    "if",
    "select",
    "where",
    "forall",
    "associate",
    "critical",
];

fn end(rest: &str) -> Kind {
    let is = |word: &str| after(rest, &[word]).is_some();
    if is("do") {
        Kind::EndDo
    } else if is("interface") {
        Kind::InterfaceEnd
    } else if is("type") || is("enum") {
        Kind::TypeEnd
    } else if rest.is_empty()
        || ["program", "module", "submodule", "subroutine", "function", "procedure", "blockdata"]
            .iter()
            .any(|word| is(word))
        || after(rest, &["block", "data"]).is_some()
    {
        Kind::UnitEnd
    } else if END_WORDS.iter().any(|word| is(word)) || is("team") {
        Kind::ConstructEnd
    } else {
        Kind::Executable
    }
}

/// Words that statements of a specification part begin with, besides those with a kind of their own.
const SPECIFICATIONS: [&str; 32] = [
    "integer",
    "real",
    "complex",
    "logical",
    "character",
    "doubleprecision",
    "class",
    "dimension",
    "allocatable",
    "pointer",
    "target",
    "save",
    "common",
    "data",
    "equivalence",
    "external",
    "intrinsic",
    "namelist",
    "parameter",
    "format",
    "procedure",
    "public",
    "private",
    "protected",
    "intent",
    "optional",
    "value",
    "volatile",
    "asynchronous",
    "bind",
    "codimension",
    "contiguous",
];

fn specification(code: &str) -> Option<Kind> {
    if after(code, &["use"]).is_some() {
        return Some(Kind::Use);
    }
    if after(code, &["implicit"]).is_some() {
        return Some(Kind::Implicit);
    }
    if after(code, &["import"]).is_some() {
        return Some(Kind::Import);
    }
    if after(code, &["interface"]).is_some() || after(code, &["abstract", "interface"]).is_some() {
        return Some(Kind::InterfaceStart);
    }
    if let Some(rest) = after(code, &["type"]) {
        return Some(if rest.starts_with('(') { Kind::Specification } else { Kind::TypeStart });
    }
    if after(code, &["enum"]).is_some() {
        return Some(Kind::TypeStart);
    }
    if code == "contains" {
        return Some(Kind::Contains);
    }
    let declares = SPECIFICATIONS.iter().any(|word| after(code, &[word]).is_some())
        || after(code, &["double", "precision"]).is_some()
        || after(code, &["double", "complex"]).is_some()
        || ["include", "generic", "final", "enumerator"]
            .iter()
            .any(|word| after(code, &[word]).is_some());
    declares.then_some(Kind::Specification)
}

fn executable(whole: &str) -> Kind {
    let code = without_name(whole);
    if let Some(rest) =
        after(code, &["do"]).or_else(|| code.strip_prefix("do").filter(|rest| counts(rest)))
    {
        return Kind::Do(do_statement(whole, rest));
    }
    if let Some(rest) = after(code, &["if"])
        && let Some(close) = rest.starts_with('(').then(|| closing(rest, 0)).flatten()
    {
        let rest = rest[close + 1..].trim();
        return match rest {
            "then" => Kind::ConstructStart,
            _ if after(rest, &["return"]).is_some() => Kind::Return,
            _ => Kind::Executable,
        };
    }
    for word in ["where", "forall"] {
        if let Some(rest) = after(code, &[word])
            && let Some(close) = rest.starts_with('(').then(|| closing(rest, 0)).flatten()
        {
            return if rest[close + 1..].trim().is_empty() {
                Kind::ConstructStart
            } else {
                Kind::Executable
            };
        }
    }
    if after(code, &["block"]).is_some_and(str::is_empty) {
        return Kind::BlockConstruct;
    }
    let starts =
        [&["select"][..], &["selectcase"], &["associate"], &["critical"], &["change", "team"]];
    if starts.iter().any(|words| after(code, words).is_some()) {
        return Kind::ConstructStart;
    }
    if after(code, &["return"]).is_some() {
        return Kind::Return;
    }
    if after(code, &["allocate"]).is_some() {
        return Kind::Allocate;
    }
    if after(code, &["deallocate"]).is_some() {
        return Kind::Deallocate;
    }
    Kind::Executable
}

/// A statement without the name of its construct.
pub fn without_name(code: &str) -> &str {
    let name = name_at(code);
    match code[name.len()..].trim_start().strip_prefix(':') {
        Some(rest) if !name.is_empty() && !rest.starts_with(':') => rest.trim_start(),
        _ => code,
    }
}

/// Whether this is `i = 1, 3`.
fn counts(rest: &str) -> bool {
    let equals = outside(rest, |rest| rest.starts_with('='));
    equals.is_some_and(|at| outside(&rest[at..], |rest| rest.starts_with(',')).is_some())
}

/// Reads the control of a `do` statement, which is the end of its code.
fn do_statement(code: &str, rest: &str) -> Do {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let label = (digits > 0).then(|| rest[..digits].to_owned());
    let control = rest[digits..].trim_start().trim_start_matches(',');
    if !counts(control) || after(control, &["concurrent"]).is_some() {
        return Do { label, counter: None };
    }
    let start = code.len() - control.len();
    let equals = start + outside(control, |rest| rest.starts_with('=')).unwrap_or_default();
    let values = split(code, equals + 1..code.len(), b',');
    let counter = Counter {
        variable: trimmed(code, start..equals),
        first: values[0].clone(),
        last: values[1].clone(),
        step: values.get(2).cloned(),
    };
    Do { label, counter: Some(counter) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_constructs() {
        assert_eq!(kind("enddo"), Kind::EndDo);
        assert_eq!(kind("end"), Kind::UnitEnd);
        assert_eq!(kind("end subroutine s"), Kind::UnitEnd);
        assert_eq!(kind("endif"), Kind::ConstructEnd);
        assert_eq!(kind("end block"), Kind::ConstructEnd);
        assert_eq!(kind("endx"), Kind::Executable);
        assert_eq!(kind("if (a) then"), Kind::ConstructStart);
        assert_eq!(kind("if (a) return"), Kind::Return);
        assert_eq!(kind("outer: do while (x)"), Kind::Do(Do { label: None, counter: None }));
        assert_eq!(kind("type(t) :: x"), Kind::Specification);
        assert_eq!(kind("type, extends(t) :: x"), Kind::TypeStart);
    }

    #[test]
    fn counting_loops() {
        let code = "l: do 10, i = f(1, 2), n, -1";
        let Kind::Do(Do { label, counter: Some(counter) }) = kind(code) else { panic!() };
        assert_eq!(label.as_deref(), Some("10"));
        assert_eq!(code[counter.variable].trim(), "i");
        assert_eq!(&code[counter.first], "f(1, 2)");
        assert_eq!((&code[counter.last], counter.step.map(|step| &code[step])), ("n", Some("-1")));
    }
}
