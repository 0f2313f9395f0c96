//! `array`: an assignment of sections, executed element by element where the left side is.

use super::make::doing;
use super::make_array::{element, rows_of};
use super::objects::ArrayObject;
use super::on::{LOCAL, OWN, object, operand};
use super::rows::{HoistedExpressions, Row, row, subscripts};
use super::sections::{Chain, Pick};
use super::unit::{TranslationResult, Unit};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Directive, Reference, Subscript};
use crate::meaning::assignment::{check_on, no_distributed_array};
use crate::meaning::declare::check_count;
use crate::meaning::{fastest_first, naming};
use std::ops::Range;

impl Unit<'_> {
    /// Translates an `array` directive and the assignment after it.
    ///
    /// # Errors
    /// When no assignment to a distributed array follows, or sections do not correspond.
    pub fn array_assignment(
        &mut self,
        nth: usize,
        directive: &Directive,
        on: &Reference,
    ) -> TranslationResult {
        let body = self.body_of(nth)?;
        let (left, right) = self.assignment(&body, "array")?;
        let objects = self.objects;
        let array = |chain: Chain| Some((objects.array_of(chain.variable?)?, chain));
        let Some((array, chain)) = self.as_chain(left).and_then(array) else {
            return Err(no_distributed_array(left.byte_range()));
        };
        check_on(on, objects.target(on)?, &array.name, array.template)?;
        let given = (chain.picks.len(), "subscript");
        check_count(given, array.dims.len(), &array.name.text, &chain.span)?;
        let own = format!("{OWN}{}", objects.templates[array.template].declared.name.text);
        let mut held = HoistedExpressions::new(self.macros);
        let picks = held.picks(&chain);
        let OwnElements { conditions: of_section, loops, rows } =
            own_elements(array, &chain, &picks, &own)?;
        held.declared += &self.check_sections(on, array, &picks)?;
        let has = |(dim, subscript): (usize, &Subscript)| match subscript {
            Subscript::At(index) => Some(format!("xmprt_has(&{own}[{dim}], {})", index.text)),
            _ => None,
        };
        let of_on = fastest_first(on).into_iter().enumerate().filter_map(has);
        let conditions: Vec<String> = of_on.chain(of_section).collect();
        let chains = self.chains_in(&body);
        let (left, right) = (left.byte_range(), right.byte_range());
        let copies = self.needs_copy(&chains, &chain, right.start, &rows);
        for operand in chains.iter().filter(|of| of.span.start >= right.start) {
            self.check_operand(operand, (array, &chain), &rows)?;
        }
        let own = (left.end, (!copies).then_some(&picks[..]));
        self.index_all(&chains, own, &rows, &mut held)?;
        let condition = if conditions.is_empty() {
            String::new()
        } else {
            format!("if ({}) ", conditions.join(" && "))
        };
        self.edits.replace(directive.span.clone(), "");
        let each = format!("{condition}{loops}");
        if copies {
            let subscripts = subscripts(&picks, &rows);
            let before = (held.declared.as_str(), each.as_str());
            self.through_copy(&body, left.start..right.start, array, before, &subscripts);
        } else {
            self.edits.wrap(&body, format!("{{ {}{each}", held.declared), " }");
        }
        Ok(())
    }

    /// The statements that check whether the nodes of all elements of a section execute, and whether `on` is within its template.
    fn check_sections(
        &self,
        on: &Reference,
        array: &ArrayObject,
        picks: &[Pick],
    ) -> Result<String, Diagnostic> {
        let template = &self.objects.templates[array.template];
        let mut ranges = vec!["xmprt_whole()".to_owned(); template.layouts.len()];
        for (range, subscript) in ranges.iter_mut().zip(fastest_first(on)) {
            match subscript {
                Subscript::At(index) => *range = format!("xmprt_at({})", operand(index)),
                Subscript::Star(_) => *range = "xmprt_own()".to_owned(),
                _ => {}
            }
        }
        for (dim, (pick, of)) in picks.iter().zip(&array.dims).enumerate() {
            let Some((axis, offset)) = &of.with else { continue };
            ranges[*axis] = match (row(pick, array.sizes[dim].as_deref()), pick) {
                (Some(Row { first, last, step }), _) => {
                    format!("xmprt_to(({first}) + {offset}, ({last}) + {offset}, {step})")
                }
                (None, Pick::At(index)) => format!("xmprt_at(({index}) + {offset})"),
                (None, _) => continue,
            };
        }
        let nodes = template.onto.as_ref().map_or("", |onto| &onto.text);
        let what = naming("array", &array.name.text);
        let check = |reference: &str, executes: u8| {
            let call = format!("xmprt_section_check({reference}, {executes}, \"{nodes}\")");
            doing(&what, &call) + " "
        };
        let is_some = |of: &Subscript| matches!(of, Subscript::At(_) | Subscript::Range { .. });
        let mut checks = String::new();
        if on.subscripts.iter().any(is_some) {
            checks += &check(&self.objects.on(Some(on))?, 0);
        }
        let ranges = ranges.join(", ");
        Ok(checks + &check(&format!("{}, (xmprt_range[]){{{ranges}}}", object(on)), 1))
    }

    /// Writes an assignment whose right side is read as a whole before the left side is written.
    fn through_copy(
        &mut self,
        body: &Range<usize>,
        left: Range<usize>,
        array: &ArrayObject,
        (declared, each): (&str, &str),
        subscripts: &[&str],
    ) {
        let element = element(array);
        let scratch = format!(
            "{{ {declared}long xmpt__n = 0; {each}xmpt__n++; __typeof__({element}) *xmpt__s XMPRT_ENDS(xmprt_end_scratch) = \
             xmprt_scratch(sizeof({element}) * (size_t)xmpt__n); xmpt__n = 0; {each}xmpt__s[xmpt__n++] = "
        );
        let mut target = rows_of(array);
        for (dim, subscript) in subscripts.iter().enumerate() {
            let (before, after) =
                self.around_subscript(array, dim, self.options.check_bounds).unwrap_or_default();
            target += &format!("[{before}{subscript}{after}]");
        }
        self.edits.replace(left, "");
        let after = format!(" xmpt__n = 0; {each}{target} = xmpt__s[xmpt__n++]; }}");
        self.edits.wrap(body, scratch, after);
    }
}

/// The elements of the left side that this image has.
struct OwnElements {
    /// The conditions under which it has any.
    conditions: Vec<String>,
    /// The loops over them.
    loops: String,
    /// The variables of these loops, and the sections that they run through.
    rows: Vec<(String, Row)>,
}

/// The elements of a section of an array that this image has; `own` are the indices of its template.
///
/// # Errors
/// When the length of a section is not known.
fn own_elements(
    array: &ArrayObject,
    chain: &Chain,
    picks: &[Pick],
    own: &str,
) -> Result<OwnElements, Diagnostic> {
    let (mut conditions, mut loops, mut rows) = (Vec::new(), String::new(), Vec::new());
    for (dim, (pick, (_, inside))) in picks.iter().zip(&chain.picks).enumerate() {
        let of = &array.dims[dim];
        let Some(row) = row(pick, array.sizes[dim].as_deref()) else {
            match (pick, &of.with) {
                (Pick::At(index), Some((axis, offset))) => {
                    conditions.push(format!("xmprt_has(&{own}[{axis}], ({index}) + {offset})"));
                }
                (Pick::At(_), None) => {}
                _ => return refuse(inside.clone(), "the length of this section is not known"),
            }
            continue;
        };
        let variable = format!("{LOCAL}k{}", rows.len());
        let Row { first, last, step } = &row;
        loops += &match &of.with {
            None => format!(
                "for (long {variable} = {first}; {variable} <= {last}; {variable} += {step}) "
            ),
            Some((axis, offset)) => {
                let mut within = format!("xmprt_shifted(&{own}[{axis}], {offset})");
                let mut outer = String::new();
                if of.layout.is_cyclic() {
                    let start = format!("{LOCAL}b{}", rows.len());
                    outer = format!(
                        "for (long {start} = xmprt_block_from({within}, {first}); {start} <= {within}.last; {start} += {within}.period) "
                    );
                    within = format!("xmprt_block({within}, {start})");
                }
                format!(
                    "{outer}for (long {variable} = xmprt_loop_from({within}, {first}, {step}); {variable} <= xmprt_loop_upto({within}, {last}); \
                     {variable} += {step}) "
                )
            }
        };
        rows.push((variable, row));
    }
    Ok(OwnElements { conditions, loops, rows })
}
