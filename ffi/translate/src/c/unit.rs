//! A C file during its translation: its declarations, and the edits that translate it.

use super::coarray::Coarrays;
use super::definitions::Definitions;
use super::headers::line_at;
use super::names::Names;
use super::normal::Normal;
use super::objects::Objects;
use super::syntax::{function_of, statement_after};
use crate::diagnostics::Diagnostic;
use crate::directive::{Directive, Kind};
use crate::edits::Edits;
use std::collections::BTreeSet;
use std::ops::Range;
use tree_sitter::Node;

/// The result of translating a piece.
pub type TranslationResult = Result<(), Diagnostic>;

/// The options of a translation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Whether the program checks that each element that it refers to is on its image.
    pub check_bounds: bool,
}

/// A file that is being translated.
#[derive(Debug)]
pub struct Unit<'a> {
    /// The compiler's name of the file.
    pub path: String,
    /// The options of the user.
    pub options: Options,
    /// The text of the user.
    pub source: &'a str,
    /// The same as plain C.
    pub normal: &'a Normal,
    /// Its syntax tree.
    pub root: Node<'a>,
    /// Its variables.
    pub names: &'a Names,
    /// Nodes, templates and arrays.
    pub objects: &'a Objects,
    /// Coarrays.
    pub coarrays: &'a Coarrays,
    /// Directives in their order.
    pub directives: &'a [Directive],
    /// Macros, which may hide calls.
    pub macros: &'a Definitions,
    /// The edits.
    pub edits: Edits,
    /// The errors.
    pub wrong: Vec<Diagnostic>,
    /// The places of the names in assignments of distributed pointers to one another.
    pub swapped: BTreeSet<usize>,
    /// The places of the names of arrays whose subscripts the program checks.
    pub checked: BTreeSet<usize>,
    /// Pointers that are not distributed and have a mapping from those that are.
    pub followers: BTreeSet<usize>,
}

impl Unit<'_> {
    /// The construct that a directive applies to: the statement after it, or the directive there.
    ///
    /// # Errors
    /// When nothing follows.
    pub fn body_of(&self, nth: usize) -> Result<Range<usize>, Diagnostic> {
        let directive = &self.directives[nth];
        let statement = statement_after(self.root, &self.normal.text, directive.span.end)
            .map(|node| node.byte_range());
        if let Some((next, inner)) = self.directives.iter().enumerate().nth(nth + 1)
            && statement.as_ref().is_none_or(|statement| inner.span.start <= statement.start)
            && self.normal.text[directive.span.end..inner.span.start].trim().is_empty()
        {
            let applies = matches!(
                inner.kind,
                Kind::Loop(_)
                    | Kind::Task { .. }
                    | Kind::Tasks
                    | Kind::Array { .. }
                    | Kind::Gmove { .. }
            );
            return if applies {
                Ok(inner.span.start..self.body_of(next)?.end)
            } else {
                Ok(inner.span.clone())
            };
        }
        statement.ok_or_else(|| {
            let wrong = format!("no statement follows the `{}` directive", directive.keyword.text);
            Diagnostic::new(directive.span.clone(), wrong)
                .help("write the statement that it applies to after it; a macro for it has to be written out")
        })
    }

    /// A `#line` directive for a place in the source of the user.
    pub fn line_of(&self, at: usize) -> String {
        line_at(self.source, &self.path, at)
    }

    /// The function around a place.
    pub fn function_at(&self, at: usize) -> Option<Node<'_>> {
        self.root.descendant_for_byte_range(at, at).and_then(function_of)
    }

    /// Whether a place is in a function.
    pub fn is_in_function(&self, at: usize) -> bool {
        self.function_at(at).is_some()
    }
}
