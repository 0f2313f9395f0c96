//! Directives of XcalableMP 1.4 in C and Fortran: their places in a file, and their syntax.

pub mod ast;
mod declarative;
mod executable;
mod grammar;
mod io;
mod near;
mod pieces;
mod pragma;
mod scan;
mod sentinel;
pub mod terms;

pub use ast::*;
pub use pragma::{after_pragma, has_pragma_operator, pragmas};
pub use sentinel::{Form, sentinels};
pub use terms::*;

use crate::diagnostics::Diagnostic;
use scan::Scanner;

/// The directives of a file in their order; a diagnostic for each that cannot be read.
pub type DirectiveResults = Vec<Result<Directive, Diagnostic>>;

/// The notes about the directives of a file, the first one of each kind.
pub fn notes(found: DirectiveResults) -> Vec<Diagnostic> {
    let mut notes: Vec<Diagnostic> = Vec::new();
    for note in found.into_iter().flatten().flat_map(|directive| directive.notes) {
        if notes.iter().all(|other| other.title != note.title) {
            notes.push(note);
        }
    }
    notes
}

/// Reads the text after a sentinel. `span` is the whole directive, `text` begins at `base`.
fn read(text: &str, base: usize, span: Span, folds_case: bool) -> Result<Directive, Diagnostic> {
    let mut scan = Scanner::new(text, base, folds_case);
    let (keyword, kind) = grammar::directive(&mut scan)?;
    Ok(Directive { keyword, kind, span, notes: scan.into_notes() })
}

#[cfg(test)]
mod tests;
