//! How far the subscripts of a distributed loop reach beyond the elements of an image, where numbers say so.

use super::{Span, Width, index_and_offset};
use crate::diagnostics::Diagnostic;

/// A loop variable, and the dimension of a template that it counts.
#[derive(Clone, Copy, Debug)]
pub struct LoopVariable<'a> {
    /// Its name.
    pub name: &'a str,
    /// The number of the template.
    pub template: usize,
    /// The dimension.
    pub axis: usize,
    /// What is added to it in `on`.
    pub offset: &'a str,
}

impl LoopVariable<'_> {
    /// How far a subscript reaches beyond the elements of the image, if it counts this variable. `aligned` is the
    /// dimension of the template that the dimension of the array is aligned with, and what the alignment adds.
    pub fn reach(&self, subscript: &str, aligned: &(usize, String)) -> Option<i64> {
        let (name, added) = index_and_offset(subscript)?;
        let (axis, offset) = aligned;
        if name != self.name || *axis != self.axis {
            return None;
        }
        Some(number(&added)? + number(offset)? - number(self.offset)?)
    }
}

/// A number, in parentheses or not.
fn number(text: &str) -> Option<i64> {
    let text = text.trim().trim_start_matches('(').trim_end_matches(')');
    text.split_whitespace().collect::<String>().parse().ok()
}

/// Checks that the shadow of a dimension is as wide as a subscript reaches. The subscript has this text and place.
///
/// # Errors
/// Names the array, the subscript and the width of the shadow.
pub fn check_shadow(
    array: &str,
    shadow: Option<&Width>,
    reach: i64,
    subscript: &str,
    place: Span,
) -> Result<(), Diagnostic> {
    let widths = match shadow {
        None => Some((0, 0)),
        Some(Width::Full(_)) => None,
        Some(Width::Widths { lower, upper, .. }) => number(&lower.text).zip(number(&upper.text)),
    };
    let Some((lower, upper)) = widths else { return Ok(()) };
    if (-lower..=upper).contains(&reach) {
        return Ok(());
    }
    let (side, width) = if reach < 0 { ("below", lower) } else { ("above", upper) };
    let wrong = format!(
        "`{subscript}` is {} {side} the elements of the image, but the shadow of `{array}` is {width} wide there",
        reach.abs()
    );
    Err(Diagnostic::new(place, wrong)
        .help("widen it by the directive `shadow`, and `reflect` the array before the loop"))
}
