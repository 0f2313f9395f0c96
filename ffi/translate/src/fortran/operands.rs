//! The operands of array assignments after `array`: sections, and the part of each on each image.

use super::extensions::Changes;
use super::objects::ArrayObject;
use super::rewrite::around_place;
use super::source::Statement;
use super::tokens::{outside, split, uses};
use super::unit::{Unit, integer, operand, own};
use super::writer::{Code, doing};
use crate::diagnostics::Diagnostic;
use crate::meaning::Layout;
use crate::meaning::assignment::differ;
use crate::meaning::reach::{check_shadow, number};
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
    /// The loop over the indices of this image, where they are in cyclic order.
    pub each: Option<Each>,
}

/// A loop over a section.
#[derive(Debug)]
pub struct Each {
    /// The loop variable; empty until it is known.
    pub index: String,
    /// The upper bound of the section.
    pub upper: String,
}

/// A subscript triplet, as written.
#[derive(Debug)]
pub struct Triplet {
    pub lower: Option<String>,
    pub upper: Option<String>,
    pub step: String,
}

/// The left side of an assignment.
pub struct LeftSide<'a> {
    pub array: &'a ArrayObject,
    pub subscripts: &'a Option<Vec<Range<usize>>>,
    pub sections: &'a [Section],
}

impl LeftSide<'_> {
    /// Whether the elements of a section are on an image in cyclic order, and no loop counts them.
    pub fn is_cyclic(&self, section: &Section) -> bool {
        section.each.is_none() && self.array.dims[section.dim].layout.is_cyclic()
    }
}

/// The error of a section that each image has as a whole, beside a cyclic section on the left side.
pub fn whole_of_cyclic(place: Range<usize>, name: &str) -> Diagnostic {
    let title = format!(
        "each image has all of this section of `{name}`, but assigns elements in cyclic order"
    );
    Diagnostic::new(place, title).help("write the bounds of both sections")
}

impl Unit<'_> {
    /// The changes by which single indices of cyclic dimensions become places.
    ///
    /// # Errors
    /// For indices with elements of distributed arrays, which become places themselves.
    pub fn indices(
        &self,
        statement: &Statement,
        array: &ArrayObject,
        subscripts: &Option<Vec<Range<usize>>>,
    ) -> Result<Changes, Diagnostic> {
        let mut changes = Changes::new();
        for (nth, (dim, span)) in array.dims.iter().zip(subscripts.iter().flatten()).enumerate() {
            let Layout::Cyclic(single) = dim.layout else { continue };
            let code = &statement.code[span.clone()];
            if is_triplet(&statement.code, span) {
                continue;
            }
            if self.objects.arrays.iter().any(|other| uses(code, &other.name).next().is_some()) {
                let title = format!("a distributed array in a subscript of `{}`", array.name);
                return Err(Diagnostic::new(statement.span(span.clone()), title)
                    .help("assign the subscript to a variable first"));
            }
            let index = operand(&statement.text[span.clone()]);
            let [before, after] = around_place(array, nth, single, &index);
            changes.push((span.clone(), before + &index + &after));
        }
        Ok(changes)
    }

    /// Checks that each image has the elements of a distributed array of the right side that belong to its elements of
    /// the left side. Returns statements that check the parts that directives do not determine.
    ///
    /// # Errors
    /// Names the first dimension where it has not.
    pub fn check_operand(
        &self,
        statement: &Statement,
        left: &LeftSide<'_>,
        operand: &ArrayObject,
        (subscripts, lowers): (&Option<Vec<Range<usize>>>, &[String]),
    ) -> Result<Vec<Code>, Diagnostic> {
        let mut checks = Vec::new();
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
            let is_one = operand.template == left.array.template;
            let along = |left_axis: usize| {
                let (left, own) = ((left.array.template, left_axis), (operand.template, *axis));
                left == own || !is_one && self.are_same(left, own)
            };
            let Some(section) = section else {
                let text = |span: &Range<usize>| code[span.clone()].replace(' ', "");
                let same = span.is_some_and(|span| {
                    let of_left = left.subscripts.iter().flatten().enumerate();
                    let is_there =
                        |(left_axis, added): &(usize, String)| along(*left_axis) && added == offset;
                    let mut alike = of_left.filter(|(of, _)| with(*of).is_some_and(is_there));
                    alike.any(|(_, other)| text(other) == text(span))
                });
                if same {
                    continue;
                }
                return needs(format!(
                    "other images may not have this element of `{}`: its index is none of the left side",
                    operand.name
                ));
            };
            let Some(section) = section else { return Ok(checks) };
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
                return needs(differ(&left.array.name, &operand.name));
            }
            let is_same = along(*left_axis);
            if is_one && !is_same {
                return needs(format!(
                    "this dimension of `{}` is aligned with another one of the template",
                    operand.name
                ));
            }
            if !is_same && section.each.is_some() {
                return needs(format!(
                    "`{}` and `{}` are aligned with different templates",
                    left.array.name, operand.name
                ));
            }
            let lower = span.and_then(|span| triplet(statement, span).lower);
            let lower = lower.unwrap_or_else(|| lowers[nth].clone());
            let step = span.map_or("1".to_owned(), |span| triplet(statement, span).step);
            if !is_same || dim.layout == Layout::Piece && step != section.step {
                let written = Triplet { lower: Some(lower), upper: None, step };
                checks.extend(section.check(&written, operand, nth));
                continue;
            }
            let elsewhere = || {
                needs(format!(
                    "other images may have these elements of `{}`: they belong to other indices of the template",
                    operand.name
                ))
            };
            if step != section.step {
                return elsewhere();
            }
            let numbers = [&lower, offset, &section.lower, left_offset];
            if let [Some(lower), Some(offset), Some(left_lower), Some(left_offset)] =
                numbers.map(|text| number(text))
                && operand.variable.is_some()
            {
                let reach = lower + offset - left_lower - left_offset;
                if dim.layout != Layout::Piece {
                    if reach == 0 {
                        continue;
                    }
                    return elsewhere();
                }
                let text = span.map_or(operand.name.as_str(), |span| &statement.text[span.clone()]);
                check_shadow(&operand.name, operand.shadow.get(nth), reach, text, place)?;
            } else if lower != section.lower || offset != left_offset {
                if section.each.is_some() {
                    return elsewhere();
                }
                let written = Triplet { lower: Some(lower), upper: None, step };
                checks.extend(section.check(&written, operand, nth));
            }
        }
        Ok(checks)
    }
}

impl Section {
    /// The part of a section that belongs to the part of this one; `lower` is the start of the dimension, none for the
    /// left side. `nth` is the dimension; `array` is none for an array that is not distributed.
    pub fn text(
        &self,
        written: &Triplet,
        lower: Option<&str>,
        array: Option<&ArrayObject>,
        nth: usize,
    ) -> String {
        if let Some(each) = &self.each {
            let index = self.moved(written, lower, &each.index);
            return match array.map(|array| (array, array.dims[nth].layout)) {
                Some((array, Layout::Cyclic(single))) => {
                    let index = operand(&index);
                    let [before, after] = around_place(array, nth, single, &index);
                    before + &index + &after
                }
                _ => index,
            };
        }
        let Some((first, last)) = &self.part else { return ":".into() };
        let step = if written.step == "1" { String::new() } else { format!(":{}", written.step) };
        let moved = |index: &str| self.moved(written, lower, index);
        format!("{}:{}{step}", moved(first), moved(last))
    }

    /// The statement that checks that this image has the part of a section of an array that belongs to the part of this one.
    fn check(&self, written: &Triplet, array: &ArrayObject, nth: usize) -> Option<Code> {
        let (first, last) = self.part.as_ref()?;
        let moved = |index: &str| integer(&self.moved(written, None, index));
        let (first, last, step) = (moved(first), moved(last), integer(&written.step));
        let own = format!("{}(:, {})", own(&array.name), nth + 1);
        let call = format!("xmprt_fortran_reach({first}, {last}, {step}, 1, 0, {own})");
        Some(doing(&format!("the array assignment, with {}", array.name), &call))
    }

    /// The index of a section that belongs to an index of this one.
    fn moved(&self, written: &Triplet, lower: Option<&str>, index: &str) -> String {
        let start = written.lower.as_deref().or(lower).unwrap_or(&self.lower);
        if start == self.lower && written.step == self.step {
            return index.to_owned();
        }
        let (from, start) = (operand(&self.lower), operand(start));
        if self.step == "1" && written.step == "1" {
            return format!("{start} + ({index} - {from})");
        }
        format!("{start} + ({index} - {from})/{}*{}", operand(&self.step), operand(&written.step))
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
