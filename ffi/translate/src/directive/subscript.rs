//! Subscripts of distributed loops such as `i+1`, and how far they reach beyond the elements of an image, where numbers
//! say so.

use super::linear::Linear;
use super::{Span, Width};
use crate::diagnostics::Diagnostic;
use std::mem::discriminant;

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

/// A distributed dimension of an array that a loop refers to.
#[derive(Clone, Copy, Debug)]
pub struct Dimension<'a> {
    /// The name of the array.
    pub array: &'a str,
    /// Its subscript, in lower case where case has no meaning.
    pub subscript: &'a str,
    /// The dimension of the template that it is aligned with, and what the alignment adds.
    pub aligned: &'a (usize, String),
    /// Its shadow, if it has one.
    pub shadow: Option<&'a Width>,
    /// Whether each image has one piece of it.
    pub is_piece: bool,
    /// The template of the array, against that of the loop.
    pub template: ArrayTemplate<'a>,
}

/// The template of an array, against that of the loop.
#[derive(Clone, Copy, Debug)]
pub enum ArrayTemplate<'a> {
    /// It is the same one.
    Same,
    /// It is another one that may be distributed alike.
    Alike,
    /// It is another one that is distributed in another way; the names.
    Different {
        /// That of the loop.
        of_loop: &'a str,
        /// That of the array.
        of_array: &'a str,
    },
}

impl<'a> ArrayTemplate<'a> {
    /// The template of an array, where it is not that of the loop. `of_loop` has the layout of the loop, if it is known.
    pub fn other<L>(of_loop: (&'a str, Option<&L>), of_array: (&'a str, &L)) -> Self {
        match of_loop.1 {
            Some(by_loop) if discriminant(by_loop) != discriminant(of_array.1) => {
                Self::Different { of_loop: of_loop.0, of_array: of_array.0 }
            }
            _ => Self::Alike,
        }
    }
}

impl LoopVariable<'_> {
    /// Checks the subscript `text` of a distributed dimension, which stands at `place`, if it counts this variable.
    ///
    /// # Errors
    /// Where it is of a template that is distributed in another way, of another dimension, or reaches beyond the shadow.
    pub fn check(&self, text: &str, place: Span, of: Dimension<'_>) -> Result<(), Diagnostic> {
        let name = self.name;
        let Some(Linear { factor, added }) = Linear::of(of.subscript, name) else { return Ok(()) };
        if factor == Some(0) || matches!(of.shadow, Some(Width::Full(_))) {
            return Ok(());
        }
        let (axis, offset) = of.aligned;
        match of.template {
            ArrayTemplate::Alike => return Ok(()),
            ArrayTemplate::Different { of_loop, of_array } => {
                let wrong = format!(
                    "the loop is on `{of_loop}`, but `{}` is aligned with `{of_array}`, which is distributed in another way",
                    of.array
                );
                return Err(Diagnostic::new(place, wrong).help(format!(
                    "write a loop on `{of_array}`, or move the elements by `gmove` before the loop"
                )));
            }
            ArrayTemplate::Same => {}
        }
        if *axis != self.axis {
            let wrong = format!(
                "`{name}` counts another dimension of the template than this one of the array is aligned with"
            );
            return Err(Diagnostic::new(place, wrong).help(
                "exchange the variables in `on`, or move the elements by `gmove` before the loop",
            ));
        }
        if factor != Some(1) {
            let wrong = format!(
                "`{text}` is an element of another image for most values of `{name}`: it cannot be placed"
            );
            return Err(Diagnostic::new(place, wrong).help(format!(
                "move the elements of `{}` by `gmove` to where they are used, before the loop",
                of.array
            )));
        }
        let (Some(added), Some(offset), Some(own)) = (added, number(offset), number(self.offset))
        else {
            return Ok(());
        };
        match added + offset - own {
            0 => Ok(()),
            reach if of.is_piece => check_shadow(of.array, of.shadow, reach, text, place),
            _ => {
                let wrong = format!(
                    "`{text}` is an element of another image: this dimension of `{}` is cyclic and has no shadow",
                    of.array
                );
                let help = "move the elements by `gmove` before the loop, or distribute by `block`";
                Err(Diagnostic::new(place, wrong).help(help))
            }
        }
    }
}

/// A number, in parentheses or not.
pub fn number(text: &str) -> Option<i64> {
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
