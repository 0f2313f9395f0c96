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
