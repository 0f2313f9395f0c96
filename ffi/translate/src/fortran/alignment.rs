//! Which dimension of a template each dimension of an array belongs to.

use super::objects::{Dim, Layout};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Align, Reference, Subscript, Text, index_and_offset};

/// Finds for each dimension of an array its dimension of the template.
///
/// # Errors
/// For subscripts that fit none.
pub fn matched(align: &Align, layouts: &[Layout]) -> Result<Vec<Dim>, Diagnostic> {
    let mut dims: Vec<Dim> =
        align.subscripts.iter().map(|_| Dim { with: None, layout: Layout::Whole }).collect();
    let mut colons = align
        .subscripts
        .iter()
        .enumerate()
        .filter(|(_, subscript)| matches!(subscript, Subscript::All(_)));
    let Reference { subscripts, .. } = &align.with;
    for (axis, subscript) in subscripts.iter().enumerate() {
        let (dim, offset) = match subscript {
            Subscript::Star(_) => continue,
            Subscript::All(span) => {
                let missing =
                    || Diagnostic::new(span.clone(), "there is no `:` of the array for this one");
                (colons.next().ok_or_else(missing)?.0, "0".to_owned())
            }
            Subscript::At(text) => placed(align, text)?,
            Subscript::Range { span, .. } => {
                return refuse(span.clone(), "a range cannot stand in `align`");
            }
        };
        if dims[dim].with.is_some() {
            return refuse(subscript.span().clone(), "this index is used twice");
        }
        dims[dim] = Dim { with: Some((axis, offset)), layout: layouts[axis] };
    }
    Ok(dims)
}

/// The dimension of the array that an index of the template belongs to, and the offset.
fn placed(align: &Align, text: &Text) -> Result<(usize, String), Diagnostic> {
    let lower = text.text.to_ascii_lowercase();
    let found = index_and_offset(&lower).and_then(|(name, offset)| {
        let dim = align.subscripts.iter().position(
            |of| matches!(of, Subscript::At(dummy) if dummy.text.eq_ignore_ascii_case(name)),
        )?;
        Some((dim, offset))
    });
    found.ok_or_else(|| {
        Diagnostic::new(text.span.clone(), format!("`{}` cannot be understood here", text.text))
            .help("write an index of the array, alone or with a number added: `i`, `i+1`, `i-1`")
    })
}
