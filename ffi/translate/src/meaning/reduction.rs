//! `reduction`: its operator with and without location variables, and the nodes that a loop reduces on.

use super::nest::Axis;
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Operator, Reduction, Reference};

/// The operator for a variable with these location variables.
///
/// # Errors
/// For operators that have no location variables, or need some.
pub fn operator(of: &Reduction, locations: &[Reference]) -> Result<Operator, Diagnostic> {
    let operator = match of.operator {
        Operator::Max if !locations.is_empty() => Operator::FirstMax,
        Operator::Min if !locations.is_empty() => Operator::FirstMin,
        operator => operator,
    };
    match (operator.has_location(), locations.is_empty()) {
        (false, false) => refuse(&of.span, "this operator has no location variables"),
        (true, true) => {
            Err(Diagnostic::new(of.span.clone(), "this operator needs location variables")
                .help("write them between slashes: `firstmax: x /i, j/`"))
        }
        _ => Ok(operator),
    }
}

/// Whether the nodes that execute a loop are all that execute the directive.
pub fn is_on_all(axes: &[Axis<'_>]) -> bool {
    axes.iter().all(|axis| matches!(axis, Axis::All | Axis::Counted(_)))
}
