//! `align`: which dimension of a template each dimension of an array belongs to.

use super::declare::{check_count, template_not_distributed};
use super::{Dim, Language, Layout, fastest_first, index_and_offset};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Align, Subscript, Text};

/// Checks the template of an `align` directive, which has `dims` dimensions, and these layouts if it is distributed.
///
/// # Errors
/// For a template that is not distributed, and another number of dimensions.
pub fn check_template(align: &Align, dims: usize, layouts: &[Layout]) -> Result<(), Diagnostic> {
    let with = &align.with;
    if layouts.is_empty() {
        let remedy = "write the `distribute` directive before `align`";
        return Err(template_not_distributed(&with.name, remedy));
    }
    check_count((with.subscripts.len(), "subscript"), dims, &with.name.text, &with.span)
}

/// The dimensions of an array: for each its dimension of the template, of which these are the layouts, the fastest first.
///
/// # Errors
/// For subscripts that fit none.
pub fn aligned(
    align: &Align,
    layouts: &[Layout],
    language: Language,
) -> Result<Vec<Dim>, Diagnostic> {
    let mut dims: Vec<Dim> =
        align.subscripts.iter().map(|_| Dim { with: None, layout: Layout::Whole }).collect();
    let all = align.subscripts.iter().enumerate();
    let mut colons = all.filter(|(_, subscript)| matches!(subscript, Subscript::All(_)));
    let mut axes: Vec<(usize, &Subscript)> =
        fastest_first(&align.with).into_iter().enumerate().collect();
    // The colons of both sides belong together in the order in which they are written.
    axes.sort_by_key(|(_, subscript)| subscript.span().start);
    for (axis, subscript) in axes {
        let (dim, offset) = match subscript {
            Subscript::Star(_) => continue,
            Subscript::All(span) => {
                let missing =
                    || Diagnostic::new(span.clone(), "there is no `:` of the array for this one");
                (colons.next().ok_or_else(missing)?.0, "0".to_owned())
            }
            Subscript::At(text) => placed(align, text, language)?,
            Subscript::Range { span, .. } => {
                return refuse(span, "a range is not allowed in `align`");
            }
        };
        if dims[dim].with.is_some() {
            return refuse(subscript.span(), "this index is used twice");
        }
        dims[dim] = Dim { with: Some((axis, offset)), layout: layouts[axis] };
    }
    Ok(dims)
}

/// The dimension of the array that an index of the template belongs to, and the offset.
fn placed(align: &Align, text: &Text, language: Language) -> Result<(usize, String), Diagnostic> {
    let folded = language.folded(&text.text);
    let found = index_and_offset(&folded).and_then(|(name, offset)| {
        let is_it = |of: &Subscript| matches!(of, Subscript::At(dummy) if language.folded(&dummy.text) == name);
        Some((align.subscripts.iter().position(is_it)?, offset))
    });
    found.ok_or_else(|| {
        Diagnostic::new(text.span.clone(), format!("`{}` cannot be understood here", text.text))
            .help("write an index of the array, alone or with a number added: `i`, `i+1`, `i-1`")
    })
}
