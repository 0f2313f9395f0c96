//! `gmove` and `array`: the assignment after the directive.

use super::Target;
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Reference, Span, Text};

/// The error that no assignment follows a directive.
pub fn missing(place: Span, directive: &str) -> Diagnostic {
    Diagnostic::new(place, format!("an assignment has to follow the `{directive}` directive"))
}

/// The error of a left side of `gmove` that cannot be assigned.
pub fn no_left_side(place: Span) -> Diagnostic {
    Diagnostic::new(place, "the left side of a `gmove` is an array, a section or a variable")
}

/// The error of a `gmove` of local data.
pub fn no_distributed_side(place: Span) -> Diagnostic {
    Diagnostic::new(place, "no side of this `gmove` is a distributed array")
        .help("write the assignment without the directive")
}

/// The error of a right side of `gmove` that computes with a distributed array.
pub fn expression(place: Span) -> Diagnostic {
    Diagnostic::new(place, "a distributed array cannot be a part of an expression in `gmove`").help(
        "compute in a loop with a `loop` directive, or by `array`, or move it to a variable first",
    )
}

/// The error of an `array` directive before something else than an assignment to a distributed array.
pub fn no_distributed_array(place: Span) -> Diagnostic {
    Diagnostic::new(place, "the left side after `array` is a distributed array")
}

/// Checks the reference of an `array` directive: it is to the template of the array.
///
/// # Errors
/// For nodes, and another template.
pub fn check_on(
    on: &Reference,
    target: Target,
    array: &Text,
    template: usize,
) -> Result<(), Diagnostic> {
    match target {
        Target::Nodes(_) => refuse(&on.span, "`array` needs a template in `on`"),
        Target::Template(number, _) if number != template => {
            refuse(&on.span, format!("`{}` is aligned with another template", array.text))
        }
        Target::Template(..) => Ok(()),
    }
}

/// The error of a reference whose number of sections differs from the left side.
pub fn sections(place: Span, left: usize, here: usize) -> Diagnostic {
    Diagnostic::new(place, format!("{left} sections on the left side and {here} here"))
}

/// The text about two arrays of different mappings, one of which cannot replace the other.
pub fn differ(left: &str, right: &str) -> String {
    format!("`{left}` and `{right}` are distributed in different ways")
}
