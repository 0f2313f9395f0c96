//! `array`: the array assignment after it, with the sections of each image. The sections of the left side are cut to
//! the indices of this image, and the sections of the right side alike.

use super::bounds::Own;
use super::declarations::{Bounds, Variable};
use super::extensions::Changes;
use super::objects::ArrayObject;
use super::on;
use super::operand_check::Operand;
use super::operands::{Each, LeftSide, Section, Triplet, is_triplet, triplet, whole_of_cyclic};
use super::source::Statement;
use super::tokens::{assignment, closing, name_at, split, uses};
use super::unit::{TranslationResult, Unit, descriptor, integer, operand};
use super::writer::{Code, doing};
use crate::diagnostics::Diagnostic;
use crate::directive::{Directive, Reference, Subscript};
use crate::meaning::Layout;
use crate::meaning::assignment::{self, check_on, no_distributed_array};
use crate::meaning::declare::check_count;
use crate::meaning::naming;
use std::ops::Range;

/// An array assignment, with the parts that this image executes.
struct ArrayAssignment<'a> {
    statement: &'a Statement,
    scope: usize,
    /// The array of the left side.
    array: &'a ArrayObject,
    /// The subscripts of the left side.
    subscripts: Option<Vec<Range<usize>>>,
    /// The sections of the left side.
    sections: Vec<Section>,
    /// The loops over sections of cyclic dimensions.
    loops: Vec<Code>,
    /// The conditions under which this image has any of the elements.
    conditions: Vec<String>,
    /// The statements that check the right side.
    checks: Vec<Code>,
    changes: Changes,
}

impl ArrayAssignment<'_> {
    /// The statements that replace the assignment.
    fn code(mut self) -> Vec<Code> {
        if self.array.dims.len() > 1 {
            // Where one section is empty, other sections and indices may be outside of a part without elements.
            let parts = self.sections.iter().filter_map(|section| section.part.as_ref());
            self.conditions.extend(parts.map(|(first, last)| format!("{first} <= {last}")));
        }
        self.changes.sort_by_key(|(span, _)| span.start);
        let text = self.statement.changed(self.changes).text;
        let condition = self.conditions.join(" .and. ");
        let ends = vec![Code::from("end do"); self.loops.len()];
        let mut code = self.loops;
        match (self.conditions.is_empty(), self.checks.is_empty()) {
            (false, true) => code.push(format!("if ({condition}) {text}").into()),
            (true, _) => {
                code.extend(self.checks);
                code.push(text.into());
            }
            (false, false) => {
                code.push(format!("if ({condition}) then").into());
                code.extend(self.checks);
                code.push(text.into());
                code.push("end if".into());
            }
        }
        code.extend(ends);
        code
    }
}

impl<'a> Unit<'a> {
    /// Translates an `array` directive and the statement after it.
    ///
    /// # Errors
    /// When no assignment to a distributed array follows, and for sections that do not conform.
    pub fn array_assignment(
        &mut self,
        item: usize,
        directive: &Directive,
        on: &Reference,
    ) -> TranslationResult {
        let scope = self.scope_of(item);
        let target = self.target(on, scope)?;
        let next = self.next_statement(item, &directive.keyword)?;
        let statement = self.statement(next);
        let (array, equals) = self.left_array(statement, scope)?;
        check_on(on, target, &array.place, array.template)?;
        let mut of = self.assign_to(statement, scope, array, equals)?;
        self.read_right_side(&mut of, equals + 1)?;
        self.instead(item, Vec::new());
        let mut code = self.check_sections(on, &of)?;
        code.extend(of.code());
        self.output.replace(next, code);
        Ok(())
    }

    /// The statements that check whether the nodes of all elements of the left side execute, and whether `on` is within its template.
    fn check_sections(
        &mut self,
        on: &Reference,
        of: &ArrayAssignment<'_>,
    ) -> Result<Vec<Code>, Diagnostic> {
        let ArrayAssignment { statement, scope, array, subscripts, .. } = of;
        // A pure procedure can call nothing that ends the program.
        if self.is_pure(*scope) {
            return Ok(Vec::new());
        }
        let template = &self.objects.templates[array.template];
        let mut ranges = vec![on::whole(); template.dims];
        for (range, subscript) in ranges.iter_mut().zip(&on.subscripts) {
            match subscript {
                Subscript::At(index) => *range = on::single(&index.text),
                Subscript::Star(_) => *range = on::own_place(),
                _ => {}
            }
        }
        for (nth, dim) in array.dims.iter().enumerate() {
            let Some((axis, offset)) = &dim.with else { continue };
            let index = |text: &str| match offset.as_str() {
                "0" => text.to_owned(),
                offset => format!("{} + {}", operand(text), operand(offset)),
            };
            let span = subscripts.as_ref().map(|spans| &spans[nth]);
            let triplet = match span {
                Some(span) if !is_triplet(&statement.code, span) => {
                    ranges[*axis] = on::single(&index(&statement.text[span.clone()]));
                    continue;
                }
                Some(span) => triplet(statement, span),
                None => Triplet { lower: None, upper: None, step: "1".into() },
            };
            let declared = array.variable.as_ref().filter(|_| !array.is_deferred);
            let declared = declared.and_then(|of| of.dims.get(nth));
            let bound = |upper: u8| {
                let object = descriptor(&array.name);
                format!("xmprt_fortran_bound({object}, {}, {upper})", nth + 1)
            };
            let lower = triplet.lower.or(declared.map(|of| of.lower.clone()));
            let upper = triplet.upper.or(declared.and_then(|of| of.upper.clone()));
            let lower = index(&lower.unwrap_or_else(|| bound(0)));
            let upper = index(&upper.unwrap_or_else(|| bound(1)));
            ranges[*axis] = on::between(&lower, &upper, &triplet.step);
        }
        let object = descriptor(&template.name);
        let nodes = template.distributed.as_ref().map_or("", |(_, onto)| &onto.text);
        let what = naming("array", &array.name);
        let check = |ranges: &[on::Range], executes: u8| {
            let at = on::list(ranges);
            let nodes = format!("'{nodes}'//achar(0)");
            doing(&what, &format!("xmprt_section_check({object}, {at}, {executes}, {nodes})"))
        };
        let is_some = |of: &Subscript| matches!(of, Subscript::At(_) | Subscript::Range { .. });
        let mut code = Vec::new();
        if on.subscripts.iter().any(is_some) {
            code.push(check(&on::ranges(on), 0));
        }
        code.push(check(&ranges, 1));
        self.needs[*scope].interfaces = true;
        Ok(code)
    }

    /// The distributed array of the left side, and the place of the `=`.
    fn left_array(
        &self,
        statement: &Statement,
        scope: usize,
    ) -> Result<(&'a ArrayObject, usize), Diagnostic> {
        let code = statement.code.as_str();
        let equals = assignment(code).filter(|at| !code[*at..].starts_with("=>"));
        let equals = equals.ok_or_else(|| assignment::missing(statement.whole(), "array"))?;
        let array = self.objects.array_at(name_at(code), scope).map(|(_, array)| array);
        let array = array.ok_or_else(|| no_distributed_array(statement.span(0..equals)))?;
        Ok((array, equals))
    }

    /// The left side, cut to this image.
    fn assign_to(
        &mut self,
        statement: &'a Statement,
        scope: usize,
        array: &'a ArrayObject,
        equals: usize,
    ) -> Result<ArrayAssignment<'a>, Diagnostic> {
        let code = statement.code.as_str();
        let name = name_at(code).len();
        let subscripts = subscripts(code, 0..equals, name)
            .map_err(|()| Diagnostic::new(statement.whole(), "the left side is not understood"))?;
        let mut conditions = Vec::new();
        let mut sections = self.left(statement, array, &subscripts, &mut conditions)?;
        let mut loops = Vec::new();
        for section in &mut sections {
            if let Some(each) = &mut section.each {
                each.index = self.counter(scope);
                loops.push(self.each(array, section, &mut conditions));
            }
        }
        let mut changes = Vec::new();
        write(statement, name, &subscripts, &sections, Some(array), None, &mut changes);
        changes.extend(self.indices(statement, array, &subscripts)?);
        let checks = Vec::new();
        Ok(ArrayAssignment {
            statement,
            scope,
            array,
            subscripts,
            sections,
            loops,
            conditions,
            checks,
            changes,
        })
    }

    /// Cuts the sections of the right side, which begins here, as those of the left side.
    fn read_right_side(&self, of: &mut ArrayAssignment<'_>, start: usize) -> TranslationResult {
        let code = of.statement.code.as_str();
        let mut at = start;
        while at < code.len() {
            let name = name_at(&code[at..]);
            let end = at + name.len().max(1);
            let is_use =
                !name.is_empty() && uses(&code[..at + name.len()], name).any(|use_at| use_at == at);
            let lowers = if is_use { self.lower_bounds(name, of.scope) } else { None };
            at = match lowers {
                Some(lowers) => self.read_operand(of, at..end, &lowers)?,
                None => end,
            };
        }
        Ok(())
    }

    /// Cuts the sections of an array of the right side, whose name is there. Returns the end of what has been read.
    fn read_operand(
        &self,
        of: &mut ArrayAssignment<'_>,
        place: Range<usize>,
        lowers: &[String],
    ) -> Result<usize, Diagnostic> {
        let (statement, code) = (of.statement, of.statement.code.as_str());
        let (name, end) = (&code[place.clone()], place.end);
        let subscripts = subscripts(code, place.start..code.len(), name.len())
            .map_err(|()| Diagnostic::new(statement.whole(), "the right side is not understood"))?;
        let count = subscripts.as_ref().map_or(lowers.len(), |spans| {
            spans.iter().filter(|span| is_triplet(code, span)).count()
        });
        if count != of.sections.len() && count > 0 {
            return Err(assignment::sections(statement.span(place), of.sections.len(), count));
        }
        let left = LeftSide { array: of.array, subscripts: &of.subscripts, sections: &of.sections };
        let array = self.objects.array_at(name, of.scope).map(|(_, array)| array);
        if let Some(array) = array {
            let operand = Operand { array, subscripts: &subscripts, lowers };
            of.checks.extend(self.check_operand(statement, &left, operand)?);
            of.changes.extend(self.indices(statement, array, &subscripts)?);
        } else if count > 0 && of.sections.iter().any(|section| left.is_cyclic(section)) {
            return Err(whole_of_cyclic(statement.span(place), name));
        }
        if count == 0 {
            return Ok(end);
        }
        write(statement, end, &subscripts, &of.sections, array, Some(lowers), &mut of.changes);
        Ok(subscripts.and_then(|spans| spans.last().cloned()).map_or(end, |span| span.end))
    }

    /// The `do` statement over the indices of this image in a section of a cyclic dimension.
    fn each(&self, array: &ArrayObject, section: &Section, conditions: &mut Vec<String>) -> Code {
        let Each { index, upper } = section.each.as_ref().expect("it has a loop");
        let (dim, lower, step) = (&array.dims[section.dim], &section.lower, &section.step);
        let own = self.own_of(array, section.dim).expect("a cyclic dimension is aligned");
        let (from, to) = (&own.first, &own.last);
        let (_, distance) = own.blocks.as_ref().expect("it has blocks");
        if dim.layout == Layout::Cyclic(true) && step == "1" {
            let first = format!(
                "{from} + (max({lower}, {from}) - ({from}) + {distance} - 1)/{distance}*{distance}"
            );
            return format!("do {index} = {first}, min({upper}, {to}), {distance}").into();
        }
        conditions.push(own.has(index));
        format!("do {index} = {lower}, {upper}, {step}").into()
    }

    /// The indices of this image in a dimension of an array, if that is aligned.
    fn own_of(&self, array: &ArrayObject, dim: usize) -> Option<Own> {
        let (axis, offset) = array.dims[dim].with.as_ref()?;
        let less = if offset == "0" { String::new() } else { format!(" - {}", integer(offset)) };
        Some(self.own_part(array.template, *axis, &less))
    }

    /// The sections of the left side, cut to this image; subscripts that are no sections become conditions.
    fn left(
        &self,
        statement: &Statement,
        array: &ArrayObject,
        subscripts: &Option<Vec<Range<usize>>>,
        conditions: &mut Vec<String>,
    ) -> Result<Vec<Section>, Diagnostic> {
        if let Some(spans) = subscripts {
            let given = (spans.len(), "subscript");
            check_count(given, array.dims.len(), &array.name, &statement.whole())?;
        }
        let mut sections = Vec::new();
        for (nth, dim) in array.dims.iter().enumerate() {
            let span = subscripts.as_ref().map(|spans| &spans[nth]);
            let place = span.map_or(statement.whole(), |span| statement.span(span.clone()));
            let own = self.own_of(array, nth).filter(|_| dim.layout != Layout::Whole);
            if let Some(span) = span
                && !is_triplet(&statement.code, span)
            {
                let index = integer(&statement.text[span.clone()]);
                conditions.extend(own.map(|own| own.has(&index)));
                continue;
            }
            let triplet = match span {
                Some(span) => triplet(statement, span),
                None => Triplet { lower: None, upper: None, step: "1".into() },
            };
            let variable = array.variable.as_ref().filter(|_| !array.is_deferred);
            let bounds = variable.and_then(|of| of.dims.get(nth));
            sections.push(cut(nth, dim.layout, triplet, bounds, own).ok_or_else(|| {
                Diagnostic::new(place, "the bounds of this section are not known")
                    .help("write both bounds")
            })?);
        }
        Ok(sections)
    }

    /// The lower bounds of an array of the right side; none if the name is no array.
    fn lower_bounds(&self, name: &str, scope: usize) -> Option<Vec<String>> {
        let of = |variable: &Variable| {
            variable.dims.iter().map(|dim| dim.lower.clone()).collect::<Vec<_>>()
        };
        if let Some((_, array)) = self.objects.array_at(name, scope) {
            let known = array.variable.as_ref().filter(|_| !array.is_deferred).map(of);
            let bound =
                |dim: usize| format!("xmprt_fortran_bound({}, {dim}, 0)", descriptor(&array.name));
            let bounds = 1..=array.dims.len();
            return Some(known.unwrap_or_else(|| bounds.map(bound).collect()));
        }
        let mut at = Some(scope);
        while let Some(number) = at {
            let scope = &self.scopes.all[number];
            if let Some(variable) = super::declarations::variable(self.items, scope, name) {
                let bounds = 1..=variable.dims.len();
                return Some(
                    bounds.map(|dim| format!("lbound({name}, {dim})")).collect::<Vec<_>>(),
                )
                .filter(|bounds| !bounds.is_empty());
            }
            at = scope.parent;
        }
        None
    }
}

/// The subscripts after a name that begins a part of a statement; none if there are no parentheses.
fn subscripts(
    code: &str,
    part: Range<usize>,
    name: usize,
) -> Result<Option<Vec<Range<usize>>>, ()> {
    let rest = &code[part.start + name..part.end];
    let open = part.start + name + rest.len() - rest.trim_start().len();
    if !code[open..].starts_with('(') {
        return Ok(None);
    }
    let close = closing(code, open).ok_or(())?;
    Ok(Some(split(code, open + 1..close, b',')))
}

/// A section of a dimension, cut to the indices of this image; none where its bounds are needed and not known.
fn cut(
    dim: usize,
    layout: Layout,
    Triplet { lower, upper, step }: Triplet,
    bounds: Option<&Bounds>,
    own: Option<Own>,
) -> Option<Section> {
    let is_all = lower.is_none() && upper.is_none() && step == "1";
    let lower = lower.or(bounds.map(|bounds| bounds.lower.clone()));
    let upper = upper.or(bounds.and_then(|bounds| bounds.upper.clone()));
    let (mut part, mut each) = (None, None);
    match (layout, own) {
        (Layout::Whole, _) | (_, None) => {}
        (Layout::Cyclic(_), _) if is_all => {}
        (Layout::Cyclic(_), _) => {
            lower.as_ref()?;
            each = Some(Each { index: String::new(), upper: upper? });
        }
        (Layout::Piece, Some(Own { first: from, last: to, .. })) => {
            let (lower, upper) = (lower.as_ref()?, upper?);
            let start = operand(lower);
            let first = match step.as_str() {
                "1" => format!("max({lower}, {from})"),
                step => {
                    format!("{start} + (max({lower}, {from}) - {start} + {step} - 1)/{step}*{step}")
                }
            };
            part = Some((first, format!("min({upper}, {to})")));
        }
    }
    Some(Section { dim, lower: lower.unwrap_or_default(), step, part, each })
}

/// Writes the sections of this image into a reference to an array, which may be distributed; `lowers` are the lower bounds of one
/// of the right side.
fn write(
    statement: &Statement,
    after_name: usize,
    subscripts: &Option<Vec<Range<usize>>>,
    sections: &[Section],
    array: Option<&ArrayObject>,
    lowers: Option<&[String]>,
    changes: &mut Vec<(Range<usize>, String)>,
) {
    if sections.iter().all(|section| section.part.is_none() && section.each.is_none()) {
        return;
    }
    let Some(spans) = subscripts else {
        let whole = Triplet { lower: None, upper: None, step: "1".into() };
        let texts = sections.iter().enumerate().map(|(nth, section)| {
            section.text(&whole, lowers.map(|lowers| lowers[nth].as_str()), array, nth)
        });
        changes
            .push((after_name..after_name, format!("({})", texts.collect::<Vec<_>>().join(", "))));
        return;
    };
    let mut rest = sections.iter();
    for (nth, span) in spans.iter().enumerate() {
        if is_triplet(&statement.code, span)
            && let Some(section) = rest.next()
            && (section.part.is_some() || section.each.is_some())
        {
            let written = triplet(statement, span);
            let lower = lowers.and_then(|lowers| lowers.get(nth)).map(String::as_str);
            changes.push((span.clone(), section.text(&written, lower, array, nth)));
        }
    }
}
