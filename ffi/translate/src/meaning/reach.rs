//! Subscripts of distributed loops such as `i+1`, and how far they reach beyond the elements of an image, where numbers
//! say so.

use super::linear::Linear;
use super::{Dim, Layout};
use crate::diagnostics::Diagnostic;
use crate::directive::{Span, Width};
use std::mem::discriminant;

/// A loop variable, and the dimension of a template that it counts.
#[derive(Clone, Copy, Debug)]
pub struct LoopVariable<'a> {
    /// Its name.
    pub name: &'a str,
    /// The number and the name of the template.
    pub template: (usize, &'a str),
    /// The dimension.
    pub axis: usize,
    /// The layout of the dimension, if it is known.
    pub layout: Option<Layout>,
    /// What is added to it in `on`.
    pub offset: &'a str,
}

/// A distributed array that a loop refers to.
#[derive(Clone, Copy, Debug)]
pub struct Array<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its dimensions.
    pub dims: &'a [Dim],
    /// Its shadow; empty without one.
    pub shadow: &'a [Width],
    /// The number and the name of its template.
    pub template: (usize, &'a str),
}

/// A subscript of a reference.
#[derive(Clone, Debug)]
pub struct Written<'a> {
    /// As it is spelled.
    pub text: &'a str,
    /// In lower case where case has no meaning.
    pub code: &'a str,
    /// Where it stands.
    pub place: Span,
}

/// A distributed dimension of an array that a loop refers to.
#[derive(Clone, Copy, Debug)]
struct Dimension<'a> {
    array: Array<'a>,
    /// The dimension of the template that it is aligned with, and what the alignment adds.
    aligned: &'a (usize, String),
    /// Its shadow, if it has one.
    shadow: Option<&'a Width>,
    layout: Layout,
}

impl LoopVariable<'_> {
    /// Checks the subscripts of a reference; none stands for one that is no index.
    ///
    /// # Errors
    /// For the first subscript that counts this variable and is of a template that is distributed in another way, of another dimension,
    /// or reaches beyond the shadow.
    pub fn check_reference(
        &self,
        array: Array<'_>,
        subscripts: &[Option<Written<'_>>],
    ) -> Result<(), Diagnostic> {
        if subscripts.len() != array.dims.len() {
            return Ok(());
        }
        for (nth, (dim, subscript)) in array.dims.iter().zip(subscripts).enumerate() {
            let (Some(written), Some(aligned)) = (subscript, &dim.with) else { continue };
            if dim.layout != Layout::Whole {
                let (shadow, layout) = (array.shadow.get(nth), dim.layout);
                self.check(written, Dimension { array, aligned, shadow, layout })?;
            }
        }
        Ok(())
    }

    /// Checks the subscript of a distributed dimension, if it counts this variable.
    fn check(&self, written: &Written<'_>, of: Dimension<'_>) -> Result<(), Diagnostic> {
        let (name, Written { text, code, place }) = (self.name, written);
        let array = of.array.name;
        let wrong = |title: String| Diagnostic::new(place.clone(), title);
        let Some(Linear { factor, added }) = Linear::of(code, name) else { return Ok(()) };
        if factor == Some(0) || matches!(of.shadow, Some(Width::Full(_))) {
            return Ok(());
        }
        let (axis, offset) = of.aligned;
        if of.array.template.0 != self.template.0 {
            let is_alike =
                self.layout.is_none_or(|layout| discriminant(&layout) == discriminant(&of.layout));
            if is_alike {
                return Ok(());
            }
            let (of_loop, of_array) = (self.template.1, of.array.template.1);
            return Err(wrong(format!(
                "the loop is on `{of_loop}`, but `{array}` is aligned with `{of_array}`, which is distributed in another way"
            ))
            .help(format!(
                "write a loop on `{of_array}`, or move the elements by `gmove` before the loop"
            )));
        }
        if *axis != self.axis {
            return Err(wrong(format!(
                "`{name}` counts another dimension of the template than this one of the array is aligned with"
            ))
            .help("exchange the variables in `on`, or move the elements by `gmove` before the loop"));
        }
        if factor != Some(1) {
            return Err(wrong(format!(
                "`{text}` is an element of another image for most values of `{name}`: it cannot be placed"
            ))
            .help(format!(
                "move the elements of `{array}` by `gmove` to where they are used, before the loop"
            )));
        }
        let (Some(added), Some(offset), Some(own)) = (added, number(offset), number(self.offset))
        else {
            return Ok(());
        };
        match added + offset - own {
            0 => Ok(()),
            reach if of.layout == Layout::Piece => {
                check_shadow(array, of.shadow, reach, text, place.clone())
            }
            _ => Err(wrong(format!(
                "`{text}` is an element of another image: this dimension of `{array}` is cyclic and has no shadow"
            ))
            .help("move the elements by `gmove` before the loop, or distribute by `block`")),
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
