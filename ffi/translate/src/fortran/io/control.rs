//! The parts of an I/O statement.

use crate::fortran::tokens::{after, closing, name_at, outside, split, trimmed};
use std::ops::Range;

/// The word of an I/O statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    Open,
    Close,
    Read,
    Write,
    Print,
    Backspace,
    Endfile,
    Rewind,
    Inquire,
}

/// An entry of a control list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specifier {
    /// Its name; empty for the unit and the format by their positions.
    pub name: String,
    /// All of it.
    pub whole: Range<usize>,
    /// Its value.
    pub value: Range<usize>,
}

/// An I/O statement, as parts of its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its kind.
    pub word: Word,
    /// The text in the parentheses of the control list, if it has one.
    pub list: Option<Range<usize>>,
    /// The entries of the list; without parentheses the unit or the format.
    pub specifiers: Vec<Specifier>,
    /// The items.
    pub items: Vec<Range<usize>>,
}

const WORDS: [(&[&str], Word); 10] = [
    (&["open"], Word::Open),
    (&["close"], Word::Close),
    (&["read"], Word::Read),
    (&["write"], Word::Write),
    (&["print"], Word::Print),
    (&["backspace"], Word::Backspace),
    (&["endfile"], Word::Endfile),
    (&["end", "file"], Word::Endfile),
    (&["rewind"], Word::Rewind),
    (&["inquire"], Word::Inquire),
];

impl Statement {
    /// The parts of a statement; none if it is no I/O statement.
    pub fn of(code: &str) -> Option<Self> {
        let (word, rest) =
            WORDS.iter().find_map(|(words, word)| Some((*word, after(code, words)?)))?;
        let start = code.len() - rest.len();
        let in_list = rest.starts_with('(') && !matches!(word, Word::Print);
        if !in_list {
            let mut parts = split(code, start..code.len(), b',').into_iter();
            let first = parts.next().filter(|first| !first.is_empty())?;
            // READ and PRINT with a format, the others with a unit.
            let name = if matches!(word, Word::Read | Word::Print) { "fmt" } else { "unit" };
            let takes_unit =
                matches!(word, Word::Backspace | Word::Endfile | Word::Rewind) == (name == "unit");
            let first = Specifier { name: name.into(), whole: first.clone(), value: first };
            let specifiers = vec![first];
            let items = parts.collect();
            return takes_unit.then_some(Statement { word, list: None, specifiers, items });
        }
        let close = closing(code, start)?;
        let list = start + 1..close;
        let specifiers =
            split(code, list.clone(), b',').into_iter().map(|span| specifier(code, span)).collect();
        let rest = trimmed(code, close + 1..code.len());
        let rest = if code[rest.clone()].starts_with(',') {
            trimmed(code, rest.start + 1..rest.end)
        } else {
            rest
        };
        let items = if rest.is_empty() { Vec::new() } else { split(code, rest, b',') };
        Some(Statement { word, list: Some(list), specifiers, items })
    }

    /// The specifier with a name, or in its position.
    pub fn specifier(&self, name: &str) -> Option<&Specifier> {
        let position = match (name, self.word) {
            ("unit", _) => Some(0),
            ("fmt", Word::Read | Word::Write) => Some(1),
            _ => None,
        };
        let in_position = position.and_then(|position| self.specifiers.get(position));
        let unnamed = in_position.filter(|specifier| specifier.name.is_empty());
        self.specifiers.iter().find(|specifier| specifier.name == name).or(unnamed)
    }
}

fn specifier(code: &str, span: Range<usize>) -> Specifier {
    let name = name_at(&code[span.clone()]);
    let rest = trimmed(code, span.start + name.len()..span.end);
    let has_name = !name.is_empty()
        && code[rest.clone()].starts_with('=')
        && !code[rest.clone()].starts_with("==");
    if !has_name {
        return Specifier { name: String::new(), whole: span.clone(), value: span };
    }
    let value = trimmed(code, rest.start + 1..span.end);
    Specifier { name: name.to_owned(), whole: span, value }
}

/// An item in parentheses with the control of an implied DO.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImpliedDo {
    /// The items in it.
    pub items: Vec<Range<usize>>,
    /// `i = 1, n`
    pub control: Range<usize>,
}

/// The parts of an implied DO; none for another item.
pub fn implied_do(code: &str, item: Range<usize>) -> Option<ImpliedDo> {
    if !code[item.clone()].starts_with('(') || closing(code, item.start)? + 1 != item.end {
        return None;
    }
    let parts = split(code, item.start + 1..item.end - 1, b',');
    let is_control = |span: &Range<usize>| {
        let text = &code[span.clone()];
        outside(text, |rest| rest.starts_with('=') && !rest.starts_with("==")).is_some_and(|at| {
            !name_at(text).is_empty() && text[..at].trim_end().len() == name_at(text).len()
        })
    };
    let at = parts.iter().position(is_control).filter(|at| *at > 0)?;
    Some(ImpliedDo { items: parts[..at].to_vec(), control: parts[at].start..parts.last()?.end })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(code: &str) -> (Word, Vec<(String, String)>, Vec<String>) {
        let statement = Statement::of(code).unwrap();
        let text = |span: &Range<usize>| code[span.clone()].to_owned();
        let specifiers =
            statement.specifiers.iter().map(|each| (each.name.clone(), text(&each.value)));
        (statement.word, specifiers.collect(), statement.items.iter().map(text).collect())
    }

    #[test]
    fn control_lists_and_items() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let (word, specifiers, items) = texts("write (10, '~~', iostat = ios) a, (b(i), i = 1, n)");
        assert_eq!(word, Word::Write);
        assert_eq!(specifiers, [pair("", "10"), pair("", "'~~'"), pair("iostat", "ios")]);
        assert_eq!(items, ["a", "(b(i), i = 1, n)"]);
        assert_eq!(texts("print *, x").1, [pair("fmt", "*")]);
        assert_eq!(texts("read 10, x, y").2, ["x", "y"]);
        assert_eq!(texts("rewind 10").1, [pair("unit", "10")]);
        assert_eq!(texts("end file (unit=3)").0, Word::Endfile);
        assert!(Statement::of("call f(x)").is_none() && Statement::of("open 10").is_none());
        let statement = Statement::of("read(fmt=*, unit=5) x").unwrap();
        assert_eq!(statement.specifier("unit").map(|unit| unit.value.clone()), Some(17..18));
    }

    #[test]
    fn implied_loops() {
        let code = "(a(i, j), (b(k), k = 1, 2), i = 1, n, 2)";
        let found = implied_do(code, 0..code.len()).unwrap();
        let items: Vec<&str> = found.items.iter().map(|item| &code[item.clone()]).collect();
        assert_eq!(
            (items, &code[found.control]),
            (vec!["a(i, j)", "(b(k), k = 1, 2)"], "i = 1, n, 2")
        );
        assert!(implied_do("(a + b)", 0..7).is_none() && implied_do("(1.0, 2.0)", 0..10).is_none());
    }
}
