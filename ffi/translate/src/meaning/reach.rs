//! Subscripts of distributed loops such as `i+1`, and their distance from the elements of an image, where numbers
//! determine it.

use super::communicate::Widths;
use super::linear::Linear;
use super::nest::Counted;
use super::{Dim, Layout, Target};
use crate::diagnostics::Diagnostic;
use crate::directive::{Loop, Span, Width};
use std::mem::discriminant;

/// A loop variable, and the dimension of a template that it counts.
#[derive(Clone, Copy, Debug)]
pub struct LoopVariable<'a> {
    /// Its name.
    pub name: &'a str,
    /// The number and the name of the template; none for nodes.
    pub template: Option<(usize, &'a str)>,
    /// The dimension.
    pub axis: usize,
    /// The layout of the dimension, if it is known.
    pub layout: Option<Layout>,
    /// The number that is added to it in `on`.
    pub offset: &'a str,
    /// The number of iterations beyond the indices of the image, if it is known.
    pub beyond: Option<(i64, i64)>,
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
    /// Its place.
    pub place: Span,
}

/// A subscript of which only the program that runs can know whether it is an element of this image or of its shadow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// The dimension of the array.
    pub dim: usize,
    /// The subscript, if it is linear.
    pub linear: Option<Linear>,
}

/// A distributed dimension of an array that a loop refers to.
#[derive(Clone, Copy, Debug)]
struct Dimension<'a> {
    array: Array<'a>,
    /// The dimension of the template that it is aligned with, and the number that the alignment adds.
    aligned: &'a (usize, String),
    /// Its shadow, if it has one.
    shadow: Option<&'a Width>,
    layout: Layout,
}

impl<'a> LoopVariable<'a> {
    /// The variable of a loop that counts this dimension of `on`.
    pub fn counting(
        index: &'a Counted<'_>,
        of: &'a Loop,
        target: Target,
        axis: usize,
        layout: Option<Layout>,
    ) -> Self {
        let template = target.template().map(|number| (number, of.on.name.text.as_str()));
        let (name, offset) = (index.name.as_str(), index.offset.as_str());
        Self { name, template, axis, layout, offset, beyond: beyond(index.widths) }
    }

    /// Checks the subscripts of a reference; none is a subscript that is no index. `is_same` returns whether a
    /// dimension of the template of the array is distributed as the counted one. Returns the subscripts that directives
    /// do not determine.
    ///
    /// # Errors
    /// For the first subscript that counts this variable and is of a template that is distributed in another way, of another dimension,
    /// or reaches beyond the shadow.
    pub fn check_reference(
        &self,
        array: Array<'_>,
        subscripts: &[Option<Written<'_>>],
        is_same: &dyn Fn(usize) -> bool,
    ) -> Result<Vec<Open>, Diagnostic> {
        let mut open = Vec::new();
        if subscripts.len() != array.dims.len() {
            return Ok(open);
        }
        for (nth, (dim, subscript)) in array.dims.iter().zip(subscripts).enumerate() {
            let (Some(written), Some(aligned)) = (subscript, &dim.with) else { continue };
            let shadow = array.shadow.get(nth);
            if dim.layout == Layout::Whole || matches!(shadow, Some(Width::Full(_))) {
                continue;
            }
            let of = Dimension { array, aligned, shadow, layout: dim.layout };
            let linear = Linear::of(written.code, self.name);
            if self.is_open(written, linear, of, is_same(aligned.0))? {
                open.push(Open { dim: nth, linear });
            }
        }
        Ok(open)
    }

    /// Checks the subscript of a distributed dimension, if it counts this variable. Returns whether it has to be checked again when the
    /// program runs.
    fn is_open(
        &self,
        written: &Written<'_>,
        linear: Option<Linear>,
        of: Dimension<'_>,
        is_same: bool,
    ) -> Result<bool, Diagnostic> {
        let counts = match linear {
            Some(linear) => linear.factor != Some(0),
            None => has_word(written.code, self.name),
        };
        if !counts {
            return Ok(false);
        }
        let is_one = self.template.is_some_and(|(number, _)| number == of.array.template.0);
        if !is_one && !is_same {
            return self.is_on_another(written, of);
        }
        let Some(linear) = linear else { return Ok(false) };
        self.check_element(written, linear, of, is_one)?;
        let Some(added) = linear.added else { return Ok(false) };
        let offset = &of.aligned.1;
        if added == 0 && offset == self.offset && self.beyond == Some((0, 0)) {
            return Ok(false);
        }
        let (Some(offset), Some(own), Some(beyond)) =
            (number(offset), number(self.offset), self.beyond)
        else {
            return Ok(true);
        };
        Self::check_distance(written, added + offset - own, beyond, of)?;
        Ok(false)
    }

    /// Whether a program that runs has to find out whether the template of an array is distributed as the one of the loop.
    ///
    /// # Errors
    /// Where it is not.
    fn is_on_another(&self, written: &Written<'_>, of: Dimension<'_>) -> Result<bool, Diagnostic> {
        let is_alike =
            self.layout.is_none_or(|layout| discriminant(&layout) == discriminant(&of.layout));
        let (Some((_, of_loop)), false) = (self.template, is_alike) else { return Ok(true) };
        let (array, of_array) = (of.array.name, of.array.template.1);
        let wrong = format!(
            "the loop is on `{of_loop}`, but `{array}` is aligned with `{of_array}`, which is distributed in another way"
        );
        Err(Diagnostic::new(written.place.clone(), wrong).help(format!(
            "write a loop on `{of_array}`, or move the elements by `gmove` before the loop"
        )))
    }

    /// Checks that the elements of a subscript are near the image's own for all values of the variable.
    fn check_element(
        &self,
        written: &Written<'_>,
        linear: Linear,
        of: Dimension<'_>,
        is_one: bool,
    ) -> Result<(), Diagnostic> {
        let (name, array, text) = (self.name, of.array.name, written.text);
        let wrong = |title: String| Diagnostic::new(written.place.clone(), title);
        if is_one && of.aligned.0 != self.axis {
            return Err(wrong(format!(
                "`{name}` counts another dimension of the template than this one of the array is aligned with"
            ))
            .help("exchange the variables in `on`, or move the elements by `gmove` before the loop"));
        }
        if linear.factor != Some(1) {
            return Err(wrong(format!(
                "`{text}` is an element of another image for most values of `{name}`: it cannot be placed"
            ))
            .help(format!(
                "move the elements of `{array}` by `gmove` to where they are used, before the loop"
            )));
        }
        Ok(())
    }

    /// Checks elements at a distance from those of the image, in iterations that go this far beyond its indices.
    fn check_distance(
        written: &Written<'_>,
        reach: i64,
        (below, above): (i64, i64),
        of: Dimension<'_>,
    ) -> Result<(), Diagnostic> {
        let (array, Written { text, place, .. }) = (of.array.name, written);
        if of.layout == Layout::Piece {
            for reach in [reach - below, reach + above] {
                check_shadow(array, of.shadow, reach, text, place.clone())?;
            }
            return Ok(());
        }
        if reach == 0 {
            return Ok(());
        }
        let wrong = format!(
            "`{text}` is an element of another image: this dimension of `{array}` is cyclic and has no shadow"
        );
        Err(Diagnostic::new(place.clone(), wrong)
            .help("move the elements by `gmove` before the loop, or distribute by `block`"))
    }
}

/// The number of iterations of a loop beyond the indices of the image in a dimension with these widths, if it is known.
fn beyond(widths: Option<Widths<'_>>) -> Option<(i64, i64)> {
    let Some(Widths { lower, upper, .. }) = widths else { return Some((0, 0)) };
    Some((number(&lower.text)?.max(0), number(&upper.text)?.max(0)))
}

/// Whether a text has a word.
fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|of| of == word)
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
