//! A distributed array with fewer subscripts than dimensions. By its name alone it is the pointer to the part of this image, whose indices are local. A program that
//! counts on from it, or follows it, may mean global ones.

use super::make_array::has_width;
use super::objects::ArrayObject;
use super::on::MAP;
use super::syntax::ancestor;
use super::unit::{Done, Unit};
use crate::diagnostics::Diagnostic;
use crate::meaning::Layout;
use std::ops::Range;
use tree_sitter::Node;

/// What stands for the name of an array without subscripts.
pub fn part_of(array: &ArrayObject) -> String {
    let name = &array.name.text;
    let pointer = if array.pointer { name.clone() } else { format!("&{name}[0]") };
    format!("((__typeof__({pointer})){MAP}{name}.part)")
}

/// Refuses a row of an array that is none in memory.
///
/// # Errors
/// For fewer subscripts than dimensions, where the others are distributed or have a shadow.
pub fn check_rows(array: &ArrayObject, given: usize, place: Range<usize>) -> Done {
    let mut rest = array.dims.iter().skip(given);
    let shadow = array.shadow.iter().skip(given).any(has_width);
    if given >= array.dims.len() || rest.all(|dim| dim.layout == Layout::Whole) && !shadow {
        return Ok(());
    }
    let (name, dims) = (&array.name.text, array.dims.len());
    let wrong = format!("`{name}` has {dims} dimensions, but {given} subscripts");
    Err(Diagnostic::new(place, wrong).help("a row of it is no row in memory: write all subscripts"))
}

/// The message about a name that is more than the part of this image.
pub fn no_part(name: &str, place: Range<usize>) -> Diagnostic {
    let wrong = format!("`{name}` without subscripts is the part of this node, with local indices");
    let help = format!(
        "write the subscripts, `&{name}[i]` for an address; for local indices assign `{name}` to a pointer before"
    );
    Diagnostic::new(place, wrong).help(help)
}

/// The message about the size of an array.
pub fn no_size(name: &str, place: Range<usize>) -> Diagnostic {
    let wrong = format!("`{name}` is distributed: its size is not that of an object");
    Diagnostic::new(place, wrong).help("write the number of elements times the size of one")
}

impl Unit<'_> {
    /// Refuses a name without subscripts, or a macro that stands for one, whose elements the program gets at by operators.
    ///
    /// # Errors
    /// For `*a`, `*(a + i)`, `&a`, `a->x`, and such operators around casts and parentheses.
    pub fn check_decay(&self, name: &str, written: Node<'_>) -> Done {
        let mut node = written;
        while let Some(parent) = node.parent() {
            let is = |field: &str| parent.child_by_field_name(field) == Some(node);
            let operator = parent.child_by_field_name("operator").map_or("", |of| of.kind());
            let follows = match parent.kind() {
                "parenthesized_expression" | "cast_expression" => None,
                "conditional_expression" if !is("condition") => None,
                "comma_expression" if is("right") => None,
                "binary_expression" if operator == "+" || operator == "-" && is("left") => None,
                // `sizeof *a` is the size of an element.
                "pointer_expression" => Some(!is_measured(parent)),
                "subscript_expression" | "field_expression" | "update_expression" => Some(true),
                _ => Some(false),
            };
            match follows {
                None => node = parent,
                Some(false) => return Ok(()),
                Some(true) => return Err(no_part(name, written.byte_range())),
            }
        }
        Ok(())
    }
}

/// Whether an expression is an operand of `sizeof`.
fn is_measured(node: Node<'_>) -> bool {
    let around = ancestor(node, &["sizeof_expression", "call_expression", "expression_statement"]);
    around.is_some_and(|around| around.kind() == "sizeof_expression")
}

/// What the body of a macro does with a name that has no subscripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Around {
    /// It stands for the name.
    Name,
    /// It uses the pointer.
    Value,
    /// It takes the size.
    Size,
    /// It gets at elements, or stands for another pointer.
    Pointer,
}

/// What a text does with a name in it: these parts of the text are around the name.
pub fn around(mut before: &str, mut behind: &str) -> Around {
    let mut is_name = true;
    loop {
        (before, behind) = (before.trim_end(), behind.trim_start());
        if before.is_empty() && behind.is_empty() {
            return if is_name { Around::Name } else { Around::Pointer };
        }
        let word = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
        if word == Some("sizeof") {
            return Around::Size;
        }
        let begins = before.ends_with('*') || before.ends_with('&') && !before.ends_with("&&");
        if begins || behind.starts_with("->") || behind.starts_with('[') {
            return Around::Pointer;
        }
        // A cast before the name.
        if before.ends_with(')')
            && let Some(open) = opening(before)
        {
            (before, is_name) = (&before[..open], false);
            continue;
        }
        // What is added belongs to the pointer.
        if behind.starts_with(['+', '-']) || before.ends_with('+') {
            is_name = false;
            before =
                &before[..enclosing(before.char_indices().rev(), '(', ')').map_or(0, |at| at + 1)];
            behind = &behind[enclosing(behind.char_indices(), ')', '(').unwrap_or(behind.len())..];
            continue;
        }
        let inside = before.strip_suffix('(').zip(behind.strip_prefix(')'));
        let Some((outer, rest)) = inside else { return Around::Value };
        let calls = |c: char| c.is_ascii_alphanumeric() || "_)]".contains(c);
        if outer.trim_end().ends_with(calls) && !outer.trim_end().ends_with("sizeof") {
            return Around::Value;
        }
        (before, behind) = (outer, rest);
    }
}

/// Where the list or the parenthesis begins or ends in which a text is.
fn enclosing(text: impl Iterator<Item = (usize, char)>, outer: char, inner: char) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text {
        match c {
            _ if c == inner => depth += 1,
            ',' if depth == 0 => return Some(at),
            _ if c == outer && depth == 0 => return Some(at),
            _ if c == outer => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Where the parenthesis opens that a text ends with.
fn opening(text: &str) -> Option<usize> {
    let inside = text.strip_suffix(')')?;
    let mut before = inside.char_indices().rev();
    let mut at = enclosing(&mut before, '(', ')')?;
    while !inside[at..].starts_with('(') {
        at = enclosing(&mut before, '(', ')')?;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::{Around, around};

    #[test]
    fn what_a_text_does_with_a_name() {
        for (before, behind, wanted) in [
            ("", "", Around::Name),
            (" (", ") ", Around::Name),
            ("f(", ", 3)", Around::Value),
            ("f(2, (", "))", Around::Value),
            ("f((", ") + (i), 3)", Around::Value),
            ("f(2, 3 + ", ")", Around::Value),
            ("c && ", "", Around::Value),
            ("(*(", " + (i)))", Around::Pointer),
            ("(((double *)", ")[i])", Around::Pointer),
            ("((i) + (", "))[2]", Around::Pointer),
            ("((i) + (", "))", Around::Pointer),
            ("*", "", Around::Pointer),
            ("&(", ")", Around::Pointer),
            ("(", ")->x", Around::Pointer),
            ("(double (*)(int, int))", "", Around::Pointer),
            ("(sizeof ", " / 8)", Around::Size),
            ("(sizeof(", ") / 8)", Around::Size),
        ] {
            assert_eq!(around(before, behind), wanted, "{before}a{behind}");
        }
    }
}
