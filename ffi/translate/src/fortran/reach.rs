//! How far the subscripts of a distributed loop reach beyond the elements of an image, where numbers say so.

use super::objects::{ArrayObject, Layout};
use super::source::Statement;
use super::tokens::{closing, name_at, split, uses};
use super::unit::{Done, Unit};
use crate::diagnostics::Diagnostic;
use crate::directive::{Width, index_and_offset};
use std::ops::Range;

/// A loop variable, and the dimension of a template that it counts.
#[derive(Clone, Copy, Debug)]
pub struct Reach<'a> {
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
    /// Refuses subscripts such as `a(i+2)` in a loop on `t(i)` where the shadow of `a` is narrower than 2. The loop is
    /// that of these items.
    ///
    /// # Errors
    /// Names the first one.
    pub fn check_reach(&self, items: Range<usize>, of: Reach<'_>) -> Done {
        let Some(of_loop) = number(of.offset) else { return Ok(()) };
        for item in items {
            let Some(statement) = self.items[item].statement() else { continue };
            let scope = self.scope_of(item);
            for array in self.objects.arrays.iter().filter(|array| array.template == of.template) {
                let seen = self.objects.array_at(&array.name, scope);
                if array.variable.is_none() || seen.is_none_or(|(_, seen)| seen.home != array.home)
                {
                    continue;
                }
                for at in uses(&statement.code, &array.name) {
                    check(statement, at, array, of, of_loop)?;
                }
            }
        }
        Ok(())
    }
}

/// Checks the subscripts of one reference.
fn check(
    statement: &Statement,
    at: usize,
    array: &ArrayObject,
    of: Reach<'_>,
    of_loop: i64,
) -> Done {
    let code = &statement.code;
    let rest = &code[at + name_at(&code[at..]).len()..];
    let open = code.len() - rest.trim_start().len();
    let Some(close) = code[open..].starts_with('(').then(|| closing(code, open)).flatten() else {
        return Ok(());
    };
    let subscripts = split(code, open + 1..close, b',');
    if subscripts.len() != array.dims.len() {
        return Ok(());
    }
    for (nth, (dim, span)) in array.dims.iter().zip(subscripts).enumerate() {
        let Some((axis, offset)) = &dim.with else { continue };
        let Some((name, added)) = index_and_offset(&code[span.clone()]) else { continue };
        if name != of.variable || *axis != of.axis || dim.layout != Layout::Piece {
            continue;
        }
        let (Some(added), Some(of_array)) = (number(&added), number(offset)) else { continue };
        let widths = match array.shadow.get(nth) {
            None => Some((0, 0)),
            Some(Width::Full(_)) => None,
            Some(Width::Widths { lower, upper, .. }) => {
                number(&lower.text).zip(number(&upper.text))
            }
        };
        let Some((lower, upper)) = widths else { continue };
        let reach = added + of_array - of_loop;
        if (-lower..=upper).contains(&reach) {
            continue;
        }
        let (side, width) = if reach < 0 { ("below", lower) } else { ("above", upper) };
        let wrong = format!(
            "`{}` is {} {side} the elements of the image, but the shadow of `{}` is {width} wide there",
            &statement.text[span.clone()],
            reach.abs(),
            array.name
        );
        return Err(Diagnostic::new(statement.span(span), wrong)
            .help("widen it by the directive `shadow`, and `reflect` the array before the loop"));
    }
    Ok(())
}

/// A number, in parentheses or not.
fn number(text: &str) -> Option<i64> {
    let text = text.trim().trim_start_matches('(').trim_end_matches(')');
    text.split_whitespace().collect::<String>().parse().ok()
}
