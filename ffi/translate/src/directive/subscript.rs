//! Subscripts of distributed loops such as `i+1`, and how far they reach beyond the elements of an image, where numbers
//! say so.

use super::{Span, Width};
use crate::diagnostics::Diagnostic;

/// Takes `i`, `i+k` and `i-k` apart: the index, and what is added.
pub fn index_and_offset(text: &str) -> Option<(&str, String)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return None;
    }
    let rest = rest.trim();
    match rest.chars().next() {
        None => Some((name, "0".to_owned())),
        Some('+') => Some((name, format!("({})", rest[1..].trim()))),
        // All that follows counts: `i-1+2` adds `-1+2`.
        Some('-') => Some((name, format!("({rest})"))),
        Some(_) => None,
    }
}

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

    /// Whether a subscript is this variable, or this variable and an offset.
    pub fn is_in(&self, subscript: &str) -> bool {
        index_and_offset(subscript).is_some_and(|(name, _)| name == self.name)
    }

    /// The error of a subscript of an array whose template is dealt out in another way than that of the loop.
    pub fn dealt_otherwise(
        &self,
        of_loop: &str,
        array: &str,
        of_array: &str,
        place: Span,
    ) -> Diagnostic {
        let wrong = format!(
            "the loop is on `{of_loop}`, but `{array}` is aligned with `{of_array}`, which is distributed in another way"
        );
        Diagnostic::new(place, wrong).help(format!(
            "write a loop on `{of_array}`, or move the elements by `gmove` before the loop"
        ))
    }

    /// Checks that a subscript that counts this variable is of a dimension that is aligned with its dimension of the template.
    ///
    /// # Errors
    /// Names the variable.
    pub fn check_axis(
        &self,
        subscript: &str,
        aligned: &(usize, String),
        place: Span,
    ) -> Result<(), Diagnostic> {
        if !self.is_in(subscript) || aligned.0 == self.axis {
            return Ok(());
        }
        let wrong = format!(
            "`{}` counts another dimension of the template than this one of the array is aligned with",
            self.name
        );
        Err(Diagnostic::new(place, wrong).help(
            "exchange the variables in `on`, or move the elements by `gmove` before the loop",
        ))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_with_offsets() {
        assert_eq!(index_and_offset(" i "), Some(("i", "0".into())));
        assert_eq!(index_and_offset("i+N-1"), Some(("i", "(N-1)".into())));
        assert_eq!(index_and_offset("i - 1+2"), Some(("i", "(- 1+2)".into())));
        assert_eq!(index_and_offset("2*i"), None);
        assert_eq!(index_and_offset("i*2"), None);
    }
}
