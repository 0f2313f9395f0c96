//! Statements where distributed arrays are refused: about storage, of which each image would have a part only, and
//! results of functions.

use super::declarations::specification;
use super::heads::Unit;
use super::items::Item;
use super::scopes::Scope;
use super::tokens::{after, uses};
use crate::diagnostics::Diagnostic;
use crate::directive::Text;

/// Refuses the result of a function.
///
/// # Errors
/// At the name in the directive.
pub fn check_result(items: &[Item], scope: &Scope, array: &Text) -> Result<(), Diagnostic> {
    let head = scope.head.as_ref().filter(|head| head.unit == Unit::Function);
    let code = items[scope.first].statement().map_or("", |statement| &statement.code);
    let result = head.map(|head| &code[head.result.clone().unwrap_or(head.name.clone())]);
    if result != Some(array.text.as_str()) {
        return Ok(());
    }
    let title = format!("`{}` is the result of a function: it cannot be distributed", array.text);
    Err(Diagnostic::new(array.span.clone(), title)
        .help("write a subroutine, with the array as an argument"))
}

/// Refuses an array that a `data` or `equivalence` statement of its scope names, and one in `common` but in main programs and
/// procedures.
///
/// # Errors
/// At the name in the statement.
pub fn check_storage(items: &[Item], scope: &Scope, array: &Text) -> Result<(), Diagnostic> {
    for (_, statement) in specification(items, scope) {
        let words = [
            ("common", "make it a variable of a module, which all procedures use"),
            ("data", "assign the values in a loop, or give the declaration one value: `= 0`"),
            ("equivalence", "use one name, or a pointer to the whole array"),
        ];
        let found = words.into_iter().find(|(word, _)| after(&statement.code, &[word]).is_some());
        let Some((word, help)) = found else { continue };
        let is_possible = matches!(scope.unit, Unit::Program | Unit::Subroutine | Unit::Function);
        if word == "common" && is_possible {
            continue;
        }
        if let Some(at) = uses(&statement.code, &array.text).next() {
            let title = format!("`{}` is distributed: it is not allowed in `{word}`", array.text);
            return Err(
                Diagnostic::new(statement.span(at..at + array.text.len()), title).help(help)
            );
        }
    }
    Ok(())
}
