//! Errors that follow from others: an object is unknown, or not distributed, because its own directive is wrong.

use crate::diagnostics::Diagnostic;
use crate::directive::{Directive, Kind, Text};

/// The errors but for those that follow from another one.
pub fn without_consequences<'a>(
    mut wrong: Vec<Diagnostic>,
    directives: impl Iterator<Item = &'a Directive>,
) -> Vec<Diagnostic> {
    let declarations: Vec<&Directive> =
        directives.filter(|directive| !objects(directive).is_empty()).collect();
    let undeclared: Vec<String> = wrong
        .iter()
        .flat_map(|error| {
            let around = |of: &&&Directive| of.span.contains(&error.span.start);
            let names = declarations.iter().find(around).map_or(Vec::new(), |of| objects(of));
            names.into_iter().filter(|name| error.lacks.as_ref() != Some(&name.text))
        })
        .map(|name| name.text.clone())
        .collect();
    wrong.retain(|error| error.lacks.as_ref().is_none_or(|name| !undeclared.contains(name)));
    wrong
}

/// The objects that a directive declares, distributes or aligns.
fn objects(directive: &Directive) -> Vec<&Text> {
    match &directive.kind {
        Kind::Nodes(list) => list.iter().map(|nodes| &nodes.shape.name).collect(),
        Kind::Template(list) => list.iter().map(|template| &template.name).collect(),
        Kind::Distribute { templates, .. } => templates.iter().collect(),
        Kind::Align(align) => align.arrays.iter().collect(),
        _ => Vec::new(),
    }
}
