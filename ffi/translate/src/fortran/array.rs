//! `array`: the array assignment after it, with the sections of each image. The sections of the left side are cut to
//! the indices of this image, and the sections of the right side alike.

use super::bounds::Own;
use super::declarations::Variable;
use super::objects::ArrayObject;
use super::operands::{Each, LeftSide, Section, Triplet, is_triplet, triplet, whole_of_cyclic};
use super::source::Statement;
use super::tokens::{assignment, closing, name_at, split, uses};
use super::unit::{TranslationResult, Unit, descriptor, integer, operand};
use super::writer::Code;
use crate::diagnostics::Diagnostic;
use crate::directive::{Directive, Reference};
use crate::meaning::Layout;
use crate::meaning::assignment::{self, check_on, no_distributed_array};
use crate::meaning::declare::check_count;
use std::ops::Range;

impl Unit<'_> {
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
        let code = statement.code.as_str();
        let equals = assignment(code).filter(|at| !code[*at..].starts_with("=>"));
        let name = name_at(code);
        let array = self.objects.array_at(name, scope).map(|(_, array)| array);
        let (Some(equals), Some(array)) = (equals, array) else {
            return Err(match equals {
                Some(equals) => no_distributed_array(statement.span(0..equals)),
                None => assignment::missing(statement.whole(), "array"),
            });
        };
        check_on(on, target, &array.place, array.template)?;
        let mut changes = Vec::new();
        let mut conditions = Vec::new();
        let subscripts = subscripts(code, 0..equals, name.len())
            .map_err(|()| Diagnostic::new(statement.whole(), "the left side is not understood"))?;
        let mut sections = self.left(statement, array, &subscripts, &mut conditions)?;
        let mut loops = Vec::new();
        for section in &mut sections {
            if let Some(each) = &mut section.each {
                each.index = self.counter(scope);
                loops.push(self.each(array, section, &mut conditions));
            }
        }
        write(statement, name.len(), &subscripts, &sections, Some(array), None, &mut changes);
        changes.extend(self.indices(statement, array, &subscripts)?);
        let left_subscripts = subscripts;
        let mut checks = Vec::new();
        let mut at = equals + 1;
        while at < code.len() {
            let name = name_at(&code[at..]);
            let is_use =
                !name.is_empty() && uses(&code[..at + name.len()], name).any(|use_at| use_at == at);
            let lowers = if is_use { self.lower_bounds(name, scope) } else { None };
            let mut end = at + name.len().max(1);
            if let Some(lowers) = lowers {
                let subscripts =
                    self::subscripts(code, at..code.len(), name.len()).map_err(|()| {
                        Diagnostic::new(statement.whole(), "the right side is not understood")
                    })?;
                let count = subscripts.as_ref().map_or(lowers.len(), |spans| {
                    spans.iter().filter(|span| is_triplet(code, span)).count()
                });
                if count != sections.len() && count > 0 {
                    let place = statement.span(at..end);
                    return Err(assignment::sections(place, sections.len(), count));
                }
                let left = LeftSide { array, subscripts: &left_subscripts, sections: &sections };
                let operand = self.objects.array_at(name, scope).map(|(_, operand)| operand);
                if let Some(operand) = operand {
                    checks.extend(self.check_operand(
                        statement,
                        &left,
                        operand,
                        (&subscripts, &lowers),
                    )?);
                    changes.extend(self.indices(statement, operand, &subscripts)?);
                } else if count > 0 && sections.iter().any(|section| left.is_cyclic(section)) {
                    return Err(whole_of_cyclic(statement.span(at..end), name));
                }
                if count > 0 {
                    let lowers = Some(lowers.as_slice());
                    write(statement, end, &subscripts, &sections, operand, lowers, &mut changes);
                    end = subscripts
                        .and_then(|spans| spans.last().cloned())
                        .map_or(end, |span| span.end);
                }
            }
            at = end;
        }
        let parts = sections.iter().filter_map(|section| section.part.as_ref());
        if array.dims.len() > 1 {
            // Where one section is empty, other sections and indices may be outside of a part without elements.
            conditions.extend(parts.map(|(first, last)| format!("{first} <= {last}")));
        }
        changes.sort_by_key(|(span, _)| span.start);
        let text = statement.changed(changes).text;
        let condition = conditions.join(" .and. ");
        let mut code = match (conditions.is_empty(), checks.is_empty()) {
            (true, _) => vec![text.into()],
            (false, true) => vec![format!("if ({condition}) {text}").into()],
            (false, false) => vec![text.into(), "end if".into()],
        };
        if !(conditions.is_empty() || checks.is_empty()) {
            checks.insert(0, format!("if ({condition}) then").into());
        }
        code.splice(0..0, checks);
        self.instead(item, Vec::new());
        let ends = vec![Code::from("end do"); loops.len()];
        self.output.replace(next, loops.into_iter().chain(code).chain(ends).collect());
        Ok(())
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
            let bounds = array
                .variable
                .as_ref()
                .filter(|_| !array.is_deferred)
                .and_then(|of| of.dims.get(nth));
            let own = self.own_of(array, nth).filter(|_| dim.layout != Layout::Whole);
            if let Some(span) = span
                && !is_triplet(&statement.code, span)
            {
                let index = integer(&statement.text[span.clone()]);
                conditions.extend(own.map(|own| own.has(&index)));
                continue;
            }
            let triplet = span
                .map_or(Triplet { lower: None, upper: None, step: "1".into() }, |span| {
                    triplet(statement, span)
                });
            let is_all = triplet.lower.is_none() && triplet.upper.is_none() && triplet.step == "1";
            let lower = triplet.lower.or(bounds.map(|bounds| bounds.lower.clone()));
            let upper = triplet.upper.or(bounds.and_then(|bounds| bounds.upper.clone()));
            let known = || match (&lower, &upper) {
                (Some(lower), Some(upper)) => Ok((lower, upper)),
                _ => {
                    Err(Diagnostic::new(place.clone(), "the bounds of this section are not known")
                        .help("write both bounds"))
                }
            };
            let mut each = None;
            let part = match (dim.layout, own) {
                (Layout::Whole, _) | (_, None) => None,
                (Layout::Cyclic(_), _) if is_all => None,
                (Layout::Cyclic(_), _) => {
                    let upper = known()?.1.clone();
                    each = Some(Each { index: String::new(), upper });
                    None
                }
                (Layout::Piece, Some(Own { first: from, last: to, .. })) => {
                    let (lower, upper) = known()?;
                    let first = match triplet.step.as_str() {
                        "1" => format!("max({lower}, {from})"),
                        step => {
                            let start = operand(lower);
                            format!(
                                "{start} + (max({lower}, {from}) - {start} + {step} - 1)/{step}*{step}"
                            )
                        }
                    };
                    Some((first, format!("min({upper}, {to})")))
                }
            };
            let lower = lower.unwrap_or_default();
            sections.push(Section { dim: nth, lower, step: triplet.step, part, each });
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
