//! The check of an array assignment: each image has the elements of the right side that belong to its elements of the left side.

use super::objects::ArrayObject;
use super::operands::{LeftSide, Section, Triplet, is_triplet, triplet, whole_of_cyclic};
use super::source::Statement;
use super::unit::Unit;
use super::writer::Code;
use crate::diagnostics::Diagnostic;
use crate::meaning::Layout;
use crate::meaning::assignment::differ;
use crate::meaning::reach::{check_shadow, number};
use std::ops::Range;

/// A distributed array of the right side.
#[derive(Clone, Copy)]
pub struct Operand<'a> {
    /// The array.
    pub array: &'a ArrayObject,
    /// Its subscripts; none for the whole array.
    pub subscripts: &'a Option<Vec<Range<usize>>>,
    /// Its lower bounds.
    pub lowers: &'a [String],
}

/// A dimension of an operand that a template distributes.
struct Dimension<'a, 'u> {
    unit: &'a Unit<'u>,
    statement: &'a Statement,
    left: &'a LeftSide<'a>,
    operand: Operand<'a>,
    nth: usize,
    layout: Layout,
    /// The dimension of the template, and the offset of the alignment.
    axis: usize,
    offset: &'a str,
    /// The subscript.
    span: Option<&'a Range<usize>>,
}

impl Unit<'_> {
    /// Checks that each image has the elements of a distributed array of the right side that belong to its elements of
    /// the left side. Returns statements that check the parts that directives do not determine.
    ///
    /// # Errors
    /// Names the first dimension where it has not.
    pub fn check_operand(
        &self,
        statement: &Statement,
        left: &LeftSide<'_>,
        operand: Operand<'_>,
    ) -> Result<Vec<Code>, Diagnostic> {
        let mut checks = Vec::new();
        let mut sections = left.sections.iter();
        for (nth, dim) in operand.array.dims.iter().enumerate() {
            let span = operand.subscripts.as_ref().and_then(|spans| spans.get(nth));
            let is_section = span.is_none_or(|span| is_triplet(&statement.code, span));
            let section = if is_section { sections.next() } else { None };
            let aligned = dim.with.as_ref().filter(|_| dim.layout != Layout::Whole);
            let Some((axis, offset)) = aligned else {
                if section.is_some_and(|section| left.is_cyclic(section)) {
                    let place = span.map_or(statement.whole(), |span| statement.span(span.clone()));
                    return Err(whole_of_cyclic(place, &operand.array.name));
                }
                continue;
            };
            let (axis, layout) = (*axis, dim.layout);
            let unit = self;
            let of = Dimension { unit, statement, left, operand, nth, layout, axis, offset, span };
            match section {
                Some(section) => checks.extend(of.check_section(section)?),
                None if is_section => break,
                None => of.check_index()?,
            }
        }
        Ok(checks)
    }
}

impl Dimension<'_, '_> {
    /// Checks a single index: an image has its element if it is an index of the left side as well.
    fn check_index(&self) -> Result<(), Diagnostic> {
        let text = |span: &Range<usize>| self.statement.code[span.clone()].replace(' ', "");
        let is_same = |span: &Range<usize>| {
            let mut of_left = self.left.subscripts.iter().flatten().zip(&self.left.array.dims);
            of_left.any(|(other, dim)| {
                let is_along =
                    |(axis, added): &(usize, String)| self.is_along(*axis) && added == self.offset;
                dim.with.as_ref().is_some_and(is_along) && text(other) == text(span)
            })
        };
        if self.span.is_some_and(is_same) {
            return Ok(());
        }
        Err(self.needs_gmove(format!(
            "other images may not have this element of `{}`: its index is none of the left side",
            self.operand.array.name
        )))
    }

    /// Checks a section. Returns the statement that checks it when the program runs, if directives do not determine the result.
    fn check_section(&self, section: &Section) -> Result<Option<Code>, Diagnostic> {
        let Operand { array, lowers, .. } = self.operand;
        let (left_axis, left_offset) = self.left_alignment(section)?;
        let is_same = self.is_along(*left_axis);
        self.check_templates(section, is_same)?;
        let own = self.span.map(|span| triplet(self.statement, span));
        let (lower, step) = own.map_or((None, None), |own| (own.lower, Some(own.step)));
        let lower = lower.unwrap_or_else(|| lowers[self.nth].clone());
        let step = step.unwrap_or_else(|| "1".to_owned());
        let is_piece = self.layout == Layout::Piece;
        let has_step = step == section.step;
        if is_same && !is_piece && !has_step {
            return Err(self.elsewhere());
        }
        if is_same && has_step {
            let texts: [&str; 4] = [&lower, self.offset, &section.lower, left_offset];
            let numbers = texts.map(number);
            if let [Some(lower), Some(offset), Some(left_lower), Some(left_offset)] = numbers
                && array.variable.is_some()
            {
                return self.check_reach(lower + offset - left_lower - left_offset).map(|()| None);
            }
            if lower == section.lower && self.offset == left_offset {
                return Ok(None);
            }
            if section.each.is_some() {
                return Err(self.elsewhere());
            }
        }
        let written = Triplet { lower: Some(lower), upper: None, step };
        Ok(section.check(&written, array, self.nth))
    }

    /// The alignment of the dimension of a section of the left side.
    fn left_alignment(&self, section: &Section) -> Result<&(usize, String), Diagnostic> {
        let left = &self.left.array.dims[section.dim];
        let Some(aligned) = left.with.as_ref().filter(|_| left.layout != Layout::Whole) else {
            return Err(self.needs_gmove(format!(
                "each image assigns all of this section, but has a part of `{}`",
                self.operand.array.name
            )));
        };
        if left.layout != self.layout {
            let why = differ(&self.left.array.name, &self.operand.array.name);
            return Err(self.needs_gmove(why));
        }
        Ok(aligned)
    }

    /// Checks that the templates of both sides fit; `is_same`: they have the same indices on each image.
    fn check_templates(&self, section: &Section, is_same: bool) -> Result<(), Diagnostic> {
        let (left, own) = (self.left.array, self.operand.array);
        if !is_same && left.template == own.template {
            return Err(self.needs_gmove(format!(
                "this dimension of `{}` is aligned with another one of the template",
                own.name
            )));
        }
        if !is_same && section.each.is_some() {
            return Err(self.needs_gmove(format!(
                "`{}` and `{}` are aligned with different templates",
                left.name, own.name
            )));
        }
        Ok(())
    }

    /// Checks a section whose elements are at this distance from those of the left side, along the template.
    fn check_reach(&self, reach: i64) -> Result<(), Diagnostic> {
        let array = self.operand.array;
        if self.layout != Layout::Piece {
            return if reach == 0 { Ok(()) } else { Err(self.elsewhere()) };
        }
        let text = self.span.map_or(array.name.as_str(), |span| &self.statement.text[span.clone()]);
        check_shadow(&array.name, array.shadow.get(self.nth), reach, text, self.place())
    }

    /// Whether a dimension of the template of the left side has its indices on the same images as the one of this dimension.
    fn is_along(&self, left_axis: usize) -> bool {
        let left = (self.left.array.template, left_axis);
        let own = (self.operand.array.template, self.axis);
        left == own || left.0 != own.0 && self.unit.are_same(left, own)
    }

    /// The place of the subscript.
    fn place(&self) -> Range<usize> {
        let span = self.span.map(|span| self.statement.span(span.clone()));
        span.unwrap_or_else(|| self.statement.whole())
    }

    /// The error of elements that are on other images.
    fn elsewhere(&self) -> Diagnostic {
        self.needs_gmove(format!(
            "other images may have these elements of `{}`: they belong to other indices of the template",
            self.operand.array.name
        ))
    }

    fn needs_gmove(&self, why: String) -> Diagnostic {
        Diagnostic::new(self.place(), why)
            .help("move the elements by `gmove` before the assignment")
    }
}
