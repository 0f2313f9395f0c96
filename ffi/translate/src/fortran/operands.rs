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
    pub fn check(&self, written: &Triplet, array: &ArrayObject, nth: usize) -> Option<Code> {
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
