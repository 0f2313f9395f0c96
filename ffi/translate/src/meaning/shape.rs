//! The sizes of nodes, and the bounds and formats of templates.

use super::declare::check_count;
use super::fastest_first;
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Brackets, Format, Nodes, NodesOf, Reference, Subscript, Text};
use std::mem::discriminant;

/// The sizes of nodes, the fastest dimension first; none for `*`.
///
/// # Errors
/// For text that is no size, and a `*` that the other sizes do not determine.
pub fn sizes(nodes: &Nodes) -> Result<Vec<Option<&Text>>, Diagnostic> {
    let of_all = nodes.of == NodesOf::All;
    let subscripts = fastest_first(&nodes.shape);
    let last = subscripts.len() - 1;
    let mut sizes = Vec::new();
    for (dim, subscript) in subscripts.into_iter().enumerate() {
        sizes.push(match subscript {
            Subscript::At(size) => Some(size),
            // Where the program is not the whole set, only the last size can be open.
            Subscript::Star(span) if !of_all && dim < last => {
                let wrong = "only the slowest dimension of these nodes may be `*`";
                return Err(Diagnostic::new(span.clone(), wrong)
                    .help("it is the last one in `(..)` and the first one in `[..]`"));
            }
            Subscript::Star(_) => None,
            other => return refuse(other.span(), "a size of nodes is a number or `*`"),
        });
    }
    Ok(sizes)
}

/// The bounds of a dimension of a template.
#[derive(Clone, Copy, Debug)]
pub enum Bounds<'a> {
    /// So many indices from the lowest one of the language.
    Size(&'a Text),
    /// A first and a last index; in square brackets a first index and a size.
    Between(&'a Text, &'a Text),
}

/// The bounds of a template, the fastest dimension first; none if they are open.
///
/// # Errors
/// For text that is no bound, and bounds that are open in some dimensions only.
pub fn bounds(template: &Reference) -> Result<Option<Vec<Bounds<'_>>>, Diagnostic> {
    let mut bounds = Vec::new();
    let subscripts = fastest_first(template);
    for subscript in &subscripts {
        bounds.push(match subscript {
            Subscript::All(_) => continue,
            Subscript::At(size) => Bounds::Size(size),
            Subscript::Range { first: Some(first), second: Some(second), step: None, .. } => {
                Bounds::Between(first, second)
            }
            other => {
                return refuse(
                    other.span(),
                    "bounds of a template are `lower:upper`, a size or `:`",
                );
            }
        });
    }
    match bounds.len() {
        0 => Ok(None),
        all if all == subscripts.len() => Ok(Some(bounds)),
        _ => refuse(&template.span, "either all dimensions of a template are `:` or none"),
    }
}

/// The formats of a template, the fastest dimension first, with the sizes of blocks that `template_fix` gives; none if it gives none.
///
/// # Errors
/// For other formats than the formats of `distribute`.
pub fn fixed_formats(
    distributed: &[Format],
    given: &[Format],
    template: &Reference,
) -> Result<Option<Vec<Format>>, Diagnostic> {
    if given.is_empty() {
        return Ok(None);
    }
    let dims = distributed.len();
    check_count((given.len(), "format"), dims, &template.name.text, &template.span)?;
    let mut formats = distributed.to_vec();
    let mut maps = false;
    for (nth, format) in given.iter().enumerate() {
        let axis = if template.brackets == Some(Brackets::Square) { dims - 1 - nth } else { nth };
        match (format, &mut formats[axis]) {
            (Format::Gblock(Some(_), _), of @ Format::Gblock(..)) => {
                *of = format.clone();
                maps = true;
            }
            (Format::Gblock(..), _) => {
                return refuse(&template.span, "this dimension is not distributed by `gblock`");
            }
            (given, of) if !is_same(given, of) => {
                return refuse(
                    &template.span,
                    "`distribute` has another format for this dimension",
                );
            }
            _ => {}
        }
    }
    Ok(maps.then_some(formats))
}

/// Whether two formats are written alike.
fn is_same(one: &Format, other: &Format) -> bool {
    let width = |of: &Format| match of {
        Format::Block(width, _) | Format::Cyclic(width, _) | Format::Gblock(width, _) => {
            width.as_ref().map(|width| width.text.split_whitespace().collect::<String>())
        }
        Format::Star(_) => None,
    };
    discriminant(one) == discriminant(other) && width(one) == width(other)
}

/// The bounds that `template_fix` gives a template of `dims` dimensions; none if it names the template only.
///
/// # Errors
/// For bounds that are open, and another number of dimensions.
pub fn fixed_bounds(
    template: &Reference,
    dims: usize,
) -> Result<Option<Vec<Bounds<'_>>>, Diagnostic> {
    if template.brackets.is_none() {
        return Ok(None);
    }
    check_count((template.subscripts.len(), "bound"), dims, &template.name.text, &template.span)?;
    match bounds(template)? {
        None => refuse(&template.span, "`template_fix` has to say the bounds"),
        bounds => Ok(bounds),
    }
}
