//! Statements about storage, in which distributed arrays cannot be: each image has a part of such an array only.

use super::declarations::specification;
use super::items::Item;
use super::scopes::Scope;
use super::tokens::{behind, uses};
use crate::diagnostics::Diagnostic;
use crate::directive::Text;

/// Refuses an array that a `common`, `data` or `equivalence` statement of its scope names.
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
        let found = words.into_iter().find(|(word, _)| behind(&statement.code, &[word]).is_some());
        let Some((word, help)) = found else { continue };
        if let Some(at) = uses(&statement.code, &array.text).next() {
            let title = format!("`{}` is distributed: it cannot stand in `{word}`", array.text);
            return Err(
                Diagnostic::new(statement.span(at..at + array.text.len()), title).help(help)
            );
        }
    }
    Ok(())
}
