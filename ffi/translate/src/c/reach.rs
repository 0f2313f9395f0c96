//! How far the subscripts of a distributed loop reach beyond the elements of an image, where numbers say so.

use super::objects::{ArrayObject, Layout};
use super::sections::Pick;
use super::syntax::descendants;
use super::unit::{Done, Unit};
use crate::diagnostics::Diagnostic;
use crate::directive::Width;
use crate::directive::index_and_offset;
use std::ops::Range;

/// A loop variable, and the dimension of a template that it counts.
#[derive(Clone, Copy, Debug)]
pub struct Counter<'a> {
    /// Its name.
    pub variable: &'a str,
    /// The number of the template.
    pub template: usize,
    /// The dimension.
    pub axis: usize,
    /// What is added to it in `on`.
    pub offset: &'a str,
}

impl Unit<'_> {
    /// Refuses subscripts such as `a[i+2]` in a loop on `t(i)` where the shadow of `a` is narrower than 2.
    ///
    /// # Errors
    /// Names the first one.
    pub fn check_reach(&self, body: &Range<usize>, counted: Counter<'_>) -> Done {
        let Some(of_loop) = number(counted.offset) else { return Ok(()) };
        let statement = self.root.descendant_for_byte_range(body.start, body.end);
        for node in statement.map(descendants).unwrap_or_default() {
            let inside = body.start <= node.start_byte() && node.end_byte() <= body.end;
            if node.kind() != "identifier" || !inside {
                continue;
            }
            let chain = self.chain(node);
            let Some(array) = chain.variable.and_then(|number| self.objects.array_of(number))
            else {
                continue;
            };
            if array.template != counted.template || chain.picks.len() != array.dims.len() {
                continue;
            }
            for (dim, (pick, inside)) in chain.picks.iter().enumerate() {
                let (Pick::At(text), Some((axis, offset))) = (pick, &array.dims[dim].with) else {
                    continue;
                };
                let Some((name, added)) = index_and_offset(text) else { continue };
                if name != counted.variable
                    || *axis != counted.axis
                    || array.dims[dim].layout != Layout::Piece
                {
                    continue;
                }
                let (Some(added), Some(of_array)) = (number(&added), number(offset)) else {
                    continue;
                };
                check(array, dim, added + of_array - of_loop, text, inside)?;
            }
        }
        Ok(())
    }
}

/// Whether the shadow of a dimension is as wide as a subscript reaches.
fn check(array: &ArrayObject, dim: usize, reach: i64, text: &str, place: &Range<usize>) -> Done {
    let widths = match array.shadow.get(dim) {
        None => Some((0, 0)),
        Some(Width::Full(_)) => None,
        Some(Width::Widths { lower, upper, .. }) => number(&lower.text).zip(number(&upper.text)),
    };
    let Some((lower, upper)) = widths else { return Ok(()) };
    if -lower <= reach && reach <= upper {
        return Ok(());
    }
    let (side, width) = if reach < 0 { ("below", lower) } else { ("above", upper) };
    let name = &array.name.text;
    let wrong = format!(
        "`{text}` is {} {side} the elements of the image, but the shadow of `{name}` is {width} wide there",
        reach.abs()
    );
    Err(Diagnostic::new(place.clone(), wrong)
        .help("widen it by the directive `shadow`, and `reflect` the array before the loop"))
}

/// A number, in parentheses or not.
fn number(text: &str) -> Option<i64> {
    let text = text.trim().trim_start_matches('(').trim_end_matches(')');
    text.split_whitespace().collect::<String>().parse().ok()
}
