//! The subscripts of distributed loops.

use super::objects::ArrayObject;
use super::rewrite::around_place;
use super::source::Statement;
use super::tokens::{closing, split, uses};
use super::unit::{Unit, integer, operand, own};
use super::writer::{Code, doing};
use crate::diagnostics::Diagnostic;
use crate::meaning::mapping::Mapped;
use crate::meaning::reach::{Array, LoopVariable, Open, Written};
use crate::meaning::{Language, Layout, Linear};
use std::ops::Range;

/// The elements that a loop accesses by a subscript, which is checked at run time: `factor * i + added` of a dimension
/// of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reached {
    array: String,
    /// The indices that are there, as an argument: of the template where the dimension is cyclic, else of the array.
    own: String,
    factor: i64,
    added: String,
}

impl Unit<'_> {
    /// Refuses subscripts such as `a(i+2)` in a loop on `t(i)` where the shadow of `a` is narrower than 2, and
    /// subscripts of another dimension. The loop has these items. Returns the subscripts that have to be checked at run
    /// time.
    ///
    /// # Errors
    /// Names the first one.
    pub fn check_reach(
        &self,
        items: Range<usize>,
        of: LoopVariable<'_>,
    ) -> Result<Vec<Reached>, Diagnostic> {
        let mut reached = Vec::new();
        for item in items {
            let Some(statement) = self.items[item].statement() else { continue };
            if self.is_move(item) {
                continue;
            }
            let scope = self.scope_of(item);
            for array in &self.objects.arrays {
                let seen = self.objects.array_at(&array.name, scope);
                if array.variable.is_none() || seen.is_none_or(|(_, seen)| seen.home != array.home)
                {
                    continue;
                }
                for at in uses(&statement.code, &array.name) {
                    for open in self.check_reference(statement, at, array, of)? {
                        reached
                            .extend(self.reached(array, open).filter(|of| !reached.contains(of)));
                    }
                }
            }
        }
        Ok(reached)
    }

    /// Checks the subscripts of one reference.
    fn check_reference(
        &self,
        statement: &Statement,
        at: usize,
        array: &ArrayObject,
        of: LoopVariable<'_>,
    ) -> Result<Vec<Open>, Diagnostic> {
        let code = &statement.code;
        let rest = &code[at + array.name.len()..];
        let open = code.len() - rest.trim_start().len();
        let Some(close) = code[open..].starts_with('(').then(|| closing(code, open)).flatten()
        else {
            return Ok(Vec::new());
        };
        let spans = split(code, open + 1..close, b',').into_iter().enumerate();
        let spans: Vec<_> = spans.map(|(nth, span)| index_of(array, nth, code, span)).collect();
        let written = |span: &Range<usize>| {
            Some(Written {
                text: &statement.text[span.clone()],
                code: &code[span.clone()],
                place: statement.span(span.clone()),
            })
        };
        let subscripts: Vec<_> = spans.iter().map(written).collect();
        let checked = Array {
            name: &array.name,
            dims: &array.dims,
            shadow: &array.shadow,
            template: (array.template, &self.objects.templates[array.template].name),
        };
        let is_same = |axis: usize| {
            of.template.is_some_and(|(template, _)| {
                self.are_same((template, of.axis), (array.template, axis))
            })
        };
        of.check_reference(checked, &subscripts, &is_same)
    }

    /// Whether dimensions of two templates have their indices on the same images, as far as directives determine it.
    pub fn are_same(&self, one: (usize, usize), other: (usize, usize)) -> bool {
        let mapped = |(template, axis): (usize, usize)| {
            let of = &self.objects.templates[template];
            let (formats, onto) = of.distributed.as_ref()?;
            // Of modules of other files, less is known.
            let home = Some(of.home).filter(|home| *home < self.scopes.all.len())?;
            let (nodes, _) = self.objects.nodes_seen(&onto.text, home)?;
            Some((Mapped { declared: of.declared.as_ref()?, formats, nodes, axis }, of.home))
        };
        let (Some((one, home)), Some((other, other_home))) = (mapped(one), mapped(other)) else {
            return false;
        };
        // The bounds of all templates of a scope are computed at its start.
        one.is_same(&other, Language::Fortran, &|_| home == other_home)
    }

    /// The elements that a subscript accesses, if it is linear in the variable of the loop.
    fn reached(&self, array: &ArrayObject, Open { dim, linear }: Open) -> Option<Reached> {
        let Linear { factor: Some(factor), added: Some(added) } = linear? else { return None };
        let name = array.name.clone();
        Some(match (&array.dims[dim].with, array.dims[dim].layout) {
            (Some((axis, offset)), Layout::Cyclic(_)) => Reached {
                array: name,
                own: format!(
                    "{}(:, {})",
                    own(&self.objects.templates[array.template].name),
                    axis + 1
                ),
                factor,
                added: format!("{added} + {}", operand(&integer(offset))),
            },
            _ => Reached {
                own: format!("{}(:, {})", own(&array.name), dim + 1),
                array: name,
                factor,
                added: added.to_string(),
            },
        })
    }
}

impl Reached {
    /// The statement that checks it for a loop of this variable, with a first value, a last one and a step.
    pub fn check(&self, variable: &str, ends: [&str; 3]) -> Code {
        let Self { array, own, factor, added } = self;
        let what = format!("the loop that counts {variable}, with {array}");
        let ends = ends.map(integer).join(", ");
        doing(&what, &format!("xmprt_fortran_reach({ends}, {factor}, {added}, {own})"))
    }
}

/// The index of a subscript of a dimension, which is in a place if the dimension is cyclic.
fn index_of(array: &ArrayObject, nth: usize, code: &str, span: Range<usize>) -> Range<usize> {
    let Some(Layout::Cyclic(single)) = array.dims.get(nth).map(|dim| dim.layout) else {
        return span;
    };
    let [before, after] = around_place(array, nth, single, "");
    let after = &after[..after.find("/").expect("it has a distance")];
    let start = span.start + before.len();
    match code[span.clone()].strip_prefix(&before).and_then(|rest| rest.find(after)) {
        Some(len) if code[start..].starts_with('(') => start + 1..start + len - 1,
        Some(len) => start..start + len,
        None => span,
    }
}
