//! A distributed array with fewer subscripts than dimensions. By its name alone it is the pointer to the part of this image, whose indices are local. A program that
//! counts on from it, or follows it, may mean global ones.

use super::make_array::has_width;
use super::objects::ArrayObject;
use super::on::MAP;
use super::syntax::ancestor;
use super::unit::{TranslationResult, Unit};
use crate::diagnostics::Diagnostic;
use crate::meaning::Layout;
use std::ops::Range;
use tree_sitter::Node;
use xmp_map::counted::counted;

/// The replacement of the name of an array without subscripts.
pub fn part_of(array: &ArrayObject) -> String {
    let name = &array.name.text;
    let pointer = if array.pointer { name.clone() } else { format!("&{name}[0]") };
    format!("((__typeof__({pointer})){MAP}{name}.part)")
}

/// Refuses a row of an array that is none in memory.
///
/// # Errors
/// For fewer subscripts than dimensions, where the others are distributed or have a shadow.
pub fn check_rows(array: &ArrayObject, given: usize, place: Range<usize>) -> TranslationResult {
    let mut rest = array.dims.iter().skip(given);
    let shadow = array.shadow.iter().skip(given).any(has_width);
    if given >= array.dims.len() || rest.all(|dim| dim.layout == Layout::Whole) && !shadow {
        return Ok(());
    }
    let (name, dims) = (&array.name.text, array.dims.len());
    let (dims, given) = (counted(dims, "dimension"), counted(given, "subscript"));
    let wrong = format!("`{name}` has {dims}, but {given}");
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
    /// Refuses a name without subscripts, or a macro for such a name, if the program accesses the elements by
    /// operators.
    ///
    /// # Errors
    /// For `*a`, `*(a + i)`, `&a`, `a->x`, and such operators around casts and parentheses.
    pub fn check_decay(&self, name: &str, written: Node<'_>) -> TranslationResult {
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
