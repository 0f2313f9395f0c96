//! The operands of array assignments behind `array`: sections, and which of them each image has.

use super::objects::{ArrayObject, Layout};
use super::source::Statement;
use super::tokens::{outside, split};
use super::unit::{Done, Unit};
use crate::diagnostics::Diagnostic;
use crate::directive::{check_shadow, number};
use std::ops::Range;

/// A section of the left side.
#[derive(Debug)]
pub struct Section {
    /// The dimension of the array.
    pub dim: usize,
    pub lower: String,
    pub step: String,
    /// The first and the last index of this image; none if it has all of them.
    pub part: Option<(String, String)>,
}

/// A subscript triplet, as written.
#[derive(Debug)]
pub struct Triplet {
    pub lower: Option<String>,
    pub upper: Option<String>,
    pub step: String,
}

/// The left side.
pub struct Left<'a> {
    pub array: &'a ArrayObject,
    pub subscripts: &'a Option<Vec<Range<usize>>>,
    pub sections: &'a [Section],
}

impl Left<'_> {
    /// Whether the elements of a section lie on an image in cyclic order.
    pub fn is_cyclic(&self, section: &Section) -> bool {
        matches!(self.array.dims[section.dim].layout, Layout::Cyclic(_))
    }
}

/// The error of a section that each image has as a whole, where that of the left side is cyclic.
pub fn whole_of_cyclic(place: Range<usize>, name: &str) -> Diagnostic {
    let title = format!(
        "each image has all of this section of `{name}`, but assigns elements in cyclic order"
    );
    Diagnostic::new(place, title).help("write a loop with a `loop` directive")
}

impl Unit<'_> {
    /// Checks that each image has the elements of a distributed array of the right side that belong to those of the left side.
    ///
    /// # Errors
    /// Names the first dimension where it has not.
    pub fn check_operand(
        &self,
        statement: &Statement,
        left: &Left<'_>,
        operand: &ArrayObject,
        subscripts: &Option<Vec<Range<usize>>>,
    ) -> Done {
        let code = statement.code.as_str();
        let mut sections = left.sections.iter();
        for (nth, dim) in operand.dims.iter().enumerate() {
            let span = subscripts.as_ref().and_then(|spans| spans.get(nth));
            let place = span.map_or(statement.whole(), |span| statement.span(span.clone()));
            let section = span.is_none_or(|span| is_triplet(code, span)).then(|| sections.next());
            let Some((axis, offset)) = dim.with.as_ref().filter(|_| dim.layout != Layout::Whole)
            else {
                if section.flatten().is_some_and(|section| left.is_cyclic(section)) {
                    return Err(whole_of_cyclic(place, &operand.name));
                }
                continue;
            };
            let needs = |why: String| {
                Err(Diagnostic::new(place.clone(), why)
                    .help("move the elements by `gmove` before the assignment"))
            };
            let with = |of: usize| left.array.dims[of].with.as_ref();
            let Some(section) = section else {
                let text = |span: &Range<usize>| code[span.clone()].replace(' ', "");
                let same = span.is_some_and(|span| {
                    let of_left = left.subscripts.iter().flatten().enumerate();
                    let mut alike = of_left.filter(|(of, _)| with(*of) == dim.with.as_ref());
                    alike.any(|(_, other)| text(other) == text(span))
                });
                if same && operand.template == left.array.template {
                    continue;
                }
                return needs(format!(
                    "other images may not have this element of `{}`: its index is none of the left side",
                    operand.name
                ));
            };
            let Some(section) = section else { return Ok(()) };
            let left_layout = left.array.dims[section.dim].layout;
            let Some((left_axis, left_offset)) =
                with(section.dim).filter(|_| left_layout != Layout::Whole)
            else {
                return needs(format!(
                    "each image assigns all of this section, but has a part of `{}`",
                    operand.name
                ));
            };
            if left_layout != dim.layout {
                return needs(format!(
                    "`{}` and `{}` are distributed in different ways",
                    left.array.name, operand.name
                ));
            }
            if operand.template != left.array.template {
                continue;
            }
            if axis != left_axis {
                return needs(format!(
                    "this dimension of `{}` is aligned with another one of the template",
                    operand.name
                ));
            }
            let known = operand.variable.as_ref().filter(|_| !operand.is_deferred);
            let lower = span.and_then(|span| triplet(statement, span).lower);
            let lower = lower.or(known.and_then(|of| Some(of.dims.get(nth)?.lower.clone())));
            let numbers = [lower.as_deref().unwrap_or(""), offset, &section.lower, left_offset];
            if let [Some(lower), Some(offset), Some(left_lower), Some(left_offset)] =
                numbers.map(number)
                && operand.variable.is_some()
            {
                let reach = lower + offset - left_lower - left_offset;
                if dim.layout != Layout::Piece {
                    if reach == 0 {
                        continue;
                    }
                    return needs(format!(
                        "other images have these elements of `{}`: they belong to other indices of the template",
                        operand.name
                    ));
                }
                let text = span.map_or(operand.name.as_str(), |span| &statement.text[span.clone()]);
                check_shadow(&operand.name, operand.shadow.get(nth), reach, text, place)?;
            }
        }
        Ok(())
    }
}

/// Whether a subscript is a section.
pub fn is_triplet(code: &str, span: &Range<usize>) -> bool {
    outside(&code[span.clone()], |rest| rest.starts_with(':')).is_some()
}

/// A section, as written.
pub fn triplet(statement: &Statement, span: &Range<usize>) -> Triplet {
    let parts = split(&statement.code, span.clone(), b':');
    let text = |nth: usize| {
        let span = parts.get(nth)?.clone();
        Some(statement.text[span].trim().to_owned()).filter(|text| !text.is_empty())
    };
    Triplet { lower: text(0), upper: text(1), step: text(2).unwrap_or_else(|| "1".into()) }
}
