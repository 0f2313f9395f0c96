//! XcalableMP in C.
//!
//! Arrays keep their global indices: a function sees a part through a pointer that is shifted to index 0. So references
//! to blocks stay as they are, and only loops get other bounds. Cyclic subscripts are rewritten.
//! Lines keep their places.

mod alignment;
mod array;
mod bounds;
mod coarray;
mod coindexed;
mod collect;
mod communicate;
mod companions;
mod conditionals;
mod counted;
mod data;
mod decay;
mod declare;
mod definitions;
mod directives;
mod exclusive;
mod expand;
mod file_scope;
mod gmove;
mod headers;
mod image;
mod initial;
mod iterations;
mod lifetimes;
mod local_sections;
mod loops;
mod macro_kinds;
mod make;
mod make_array;
mod members;
mod names;
mod names_in_text;
mod nest_check;
mod normal;
mod objects;
mod on;
mod openmp;
mod part_sections;
mod ranges;
mod reach;
mod reduction;
mod references;
mod rows;
mod sections;
mod swaps;
mod syntax;
mod tokens;
mod unit;
mod words;

use crate::diagnostics::Diagnostic;
use crate::directive::{Directive, pragmas};
use crate::edits::Edits;
use crate::meaning::consequences::without_consequences;
use coarray::Coarrays;
pub use conditionals::active;
use definitions::{Definitions, definitions};
use expand::{expanded, without_pragmas};
pub use headers::Joined;
use headers::quoted;
use names::{Member, Names};
pub use normal::has_directives;
use objects::{File, Objects};
use std::collections::BTreeSet;
use std::path::Path;
pub use unit::Options;
use unit::Unit;

/// Translates a C source. `path` is the name of the file in the compiler's messages.
///
/// # Errors
/// Describes everything that is wrong or not understood, in the order of the source.
pub fn translate(path: &Path, source: &str, options: Options) -> Result<String, Vec<Diagnostic>> {
    translate_with_macros(path, source, options, &|| None)
}

/// Translates a C source. `macros` is the preprocessor's output of all macros; without it the macros are read from the
/// source.
///
/// # Errors
/// As [`translate`].
pub fn translate_with_macros(
    path: &Path,
    source: &str,
    options: Options,
    macros: &dyn Fn() -> Option<String>,
) -> Result<String, Vec<Diagnostic>> {
    // Without its macros, a statement may look like another one: `UNLESS(x) a[i] = 1;` like a declaration of `a`.
    let definitions = definitions(&macros().unwrap_or_else(|| source.to_owned()));
    let Some(expanded) = expanded(&quoted(path), source, &definitions) else {
        return translate_as_written(path, source, options, &definitions);
    };
    let text = without_pragmas(&expanded.text);
    translate_as_written(path, &text, options, &definitions).map_err(|mut wrong| {
        for diagnostic in &mut wrong {
            let (span, is_macro) = expanded.place(&diagnostic.span);
            if is_macro && diagnostic.label.is_empty() {
                diagnostic.label = "the text of this macro".to_owned();
            }
            diagnostic.span = span;
        }
        wrong
    })
}

/// Translates a source without macros that are a part of the grammar.
fn translate_as_written(
    path: &Path,
    source: &str,
    options: Options,
    macros: &Definitions,
) -> Result<String, Vec<Diagnostic>> {
    let directives = directives_of(source)?;
    let normal = normal::normal(source, &directives);
    let tree = syntax::parse(&normal.text);
    let root = tree.root_node();
    let names = Names::of(root, &normal.text);
    let members = members::of_file(root, &normal.text, &names, &directives);
    let members = members.map_err(|wrong| vec![wrong])?;
    if members.is_empty() {
        return translate_with(path, source, &members, options, macros);
    }
    let renamed = members::renamed(source, root, &names, &members, &directives);
    translate_with(path, &renamed.map_err(|wrong| vec![wrong])?, &members, options, macros).map_err(
        |mut wrong| {
            for diagnostic in &mut wrong {
                members::name_as_written(diagnostic, &members);
            }
            wrong
        },
    )
}

/// The directives of a source.
fn directives_of(source: &str) -> Result<Vec<Directive>, Vec<Diagnostic>> {
    let mut directives: Vec<Directive> = Vec::new();
    let mut wrong = Vec::new();
    for found in pragmas(source) {
        match found {
            Ok(directive) => directives.push(directive),
            Err(error) => wrong.push(error),
        }
    }
    if wrong.is_empty() { Ok(directives) } else { Err(wrong) }
}

/// Translates a source in which distributed members of structures are variables.
fn translate_with(
    path: &Path,
    source: &str,
    members: &[Member],
    options: Options,
    macros: &Definitions,
) -> Result<String, Vec<Diagnostic>> {
    let directives = directives_of(source)?;
    let normal = normal::normal(source, &directives);
    let tree = syntax::parse(&normal.text);
    let root = tree.root_node();
    let mut wrong = not_understood(root);
    let mut names = Names::of(root, &normal.text);
    names.add_members(members);
    let file = File { root, text: &normal.text, names: &names, members };
    let mut objects = Objects::of(file, &directives, &mut wrong);
    objects.find_exclusive(file, macros, &directives);
    let coarrays = Coarrays::of_file(&names, &normal, source, &directives, &mut wrong);
    if !wrong.is_empty() {
        return Err(without_consequences(wrong, directives.iter()));
    }
    let mut unit = Unit {
        path: quoted(path),
        options,
        source,
        normal: &normal,
        root,
        names: &names,
        objects: &objects,
        coarrays: &coarrays,
        directives: &directives,
        macros,
        edits: Edits::default(),
        wrong: Vec::new(),
        swapped: BTreeSet::new(),
        checked: BTreeSet::new(),
        followers: BTreeSet::new(),
    };
    unit.translate();
    if !unit.wrong.is_empty() {
        return Err(unit.wrong);
    }
    let text = unit.edits.apply(source);
    Ok(format!("#include <xmprt_translated.h>\n#line 1 \"{}\"\n{text}", quoted(path)))
}

/// Code in functions that the grammar of C does not know.
fn not_understood(root: tree_sitter::Node<'_>) -> Vec<Diagnostic> {
    let broken =
        syntax::descendants(root).into_iter().filter(|node| node.is_error() || node.is_missing());
    let inside = broken.filter(|node| syntax::function_of(*node).is_some());
    let message = |node: tree_sitter::Node<'_>| {
        let span = node.byte_range();
        Diagnostic::new(span.start..span.end.min(span.start + 60), "this is not understood as C")
            .help("a macro for a part of a statement has to be written out")
    };
    inside.map(message).take(5).collect()
}
