//! `loop`: each image executes the iterations whose template index it has.

use super::bounds::{Bounded, share};
use super::communicate::wait_async;
use super::counted::Counted;
use super::on::{LOCAL, OWN, PREFIX};
use super::syntax::descendants;
use super::unit::{TranslationResult, Unit};
use crate::diagnostics::Diagnostic;
use crate::directive::{Brackets, Directive, Extent, Loop, Text};
use crate::meaning::communicate::Widths;
use crate::meaning::nest::{self, Axis};
use crate::meaning::openmp::check_clauses;
use crate::meaning::reach::{LoopVariable, beyond};
use crate::meaning::{Language, Target};
use std::ops::Range;

/// The variable that counts the sides of a margin.
const SIDE: &str = "xmpt__side";

impl Unit<'_> {
    /// Translates a `loop` directive.
    ///
    /// # Errors
    /// When no counting loop follows, and for references that do not fit.
    pub fn translate_loop(
        &mut self,
        nth: usize,
        directive: &Directive,
        of: &Loop,
    ) -> TranslationResult {
        let openmp = self.openmp_before(directive.span.start);
        let body = self.body_of(nth)?;
        let target = self.objects.target(&of.on)?;
        let template = match target {
            Target::Template(number, _) => Some(&self.objects.templates[number]),
            Target::Nodes(_) => None,
        };
        let layouts = template.map_or(&[][..], |template| &template.layouts);
        let nest = self.nest(&body, of)?;
        let found: Vec<String> = nest.iter().map(|counted| counted.variable.clone()).collect();
        let inside = |name: &str| self.counts_inside(name, &body);
        let axes = nest::axes(of, layouts, &found, &inside, Language::C)?;
        let mut nest: Vec<Option<Counted>> = nest.into_iter().map(Some).collect();
        let (mut ranges, mut conditions) = (Vec::new(), Vec::new());
        let (mut counters, mut sides) = (Vec::new(), Vec::new());
        let is_margin = matches!(of.extent, Some((Extent::Margin | Extent::PeelAndWait, ..)));
        let lowest = u8::from(of.on.brackets != Some(Brackets::Square));
        let on = &of.on.name.text;
        for (dim, axis) in axes.iter().enumerate() {
            let index = match axis {
                Axis::Own | Axis::All => continue,
                Axis::Value(Text { text, .. }) => {
                    conditions.push(match target {
                        Target::Template(..) => format!("xmprt_has(&{OWN}{on}[{dim}], {text})"),
                        Target::Nodes(_) => {
                            format!("xmprt_node({PREFIX}{on}, {dim}, {lowest}).first == ({text})")
                        }
                    });
                    continue;
                }
                Axis::Counted(index) => index,
            };
            let counted = nest[index.nth].take().expect("each loop counts one dimension");
            let (name, offset) = (index.name.as_str(), index.offset.as_str());
            let mut value = match target {
                Target::Template(..) => format!("xmprt_shifted(&{OWN}{on}[{dim}], {offset})"),
                Target::Nodes(_) => format!("xmprt_node({PREFIX}{on}, {dim}, {lowest} - {offset})"),
            };
            let range = format!("{LOCAL}on_{name}");
            let own = format!("{LOCAL}own_{name}");
            let (lower, upper) = index
                .widths
                .map_or(("0", "0"), |Widths { lower, upper, .. }| (&lower.text, &upper.text));
            if is_margin {
                let nth = sides.len();
                sides.push(format!(
                    " const xmprt_blocks {range} = xmprt_blocks_side({own}, {lower}, {upper}, {nth}, {SIDE});"
                ));
            } else if index.widths.is_some() {
                value = format!("xmprt_blocks_expanded({value}, {lower}, {upper})");
            }
            let layout = layouts.get(dim).copied();
            let template = match target {
                Target::Template(number, _) => Some((number, on.as_str())),
                Target::Nodes(_) => None,
            };
            let beyond = beyond(index.widths);
            let variable = LoopVariable { name, template, axis: dim, layout, offset, beyond };
            self.check_reach(&body, variable)?;
            ranges.push((if is_margin { own } else { range.clone() }, value));
            let shared = self.threaded(&counted.statement, body.start, openmp);
            if let Some((pragma, _)) = shared {
                let place = counted.statement.start..counted.first.start;
                check_clauses(pragma, share(layout, &counted), &counted.variable, place)?;
            }
            let threaded = shared.map_or(0, |(_, loops)| loops);
            let widths = index.widths;
            counters.push(Bounded { range, counted, widths, layout, is_margin, threaded });
        }
        if let Some((_, first)) = ranges.first_mut()
            && !conditions.is_empty()
        {
            *first = format!("xmprt_blocks_if({}, {first})", conditions.join(" && "));
        }
        let mut text = "{".to_owned();
        for (name, value) in &ranges {
            text += &format!(" const xmprt_blocks {name} = {value};");
        }
        let after = self.reductions_of_loop(of, &axes, &mut text)?;
        let after = self.on_sides(of, &sides, &mut text) + &after;
        // The inner braces keep the next statement from looking like a part of the loop.
        let (open, close) =
            if after.is_empty() { ("", " }".to_owned()) } else { (" {", format!(" }}{after} }}")) };
        let opened = text + open;
        // A pragma of OpenMP stays with the loop.
        if let Some(pragma) = openmp {
            self.edits.insert(pragma, format!("{opened}\n{}", self.line_of(pragma)));
            self.edits.replace(directive.span.clone(), "");
        } else {
            self.edits.replace(directive.span.clone(), opened);
        }
        self.edits.wrap(&body, "", close);
        let statement = |counter: &&Bounded| counter.counted.statement.start;
        if let Some(innermost) = counters.iter().max_by_key(statement) {
            self.enter_iterations(of, target, &innermost.counted)?;
        }
        for counter in &counters {
            self.bound(counter)?;
        }
        Ok(())
    }

    /// Begins the loop over the sides of a margin, which executes the nest once for each: `peel_and_wait` begins with
    /// the inside, and waits before the sides. Returns the text that ends the loop.
    fn on_sides(&self, of: &Loop, sides: &[String], text: &mut String) -> String {
        if sides.is_empty() {
            return String::new();
        }
        let mut first = "0";
        let mut wait = String::new();
        if let Some((_, _, Some(id), _)) = &of.extent {
            first = "-1";
            wait = format!(" if ({SIDE} == 0) {{ {} }}", wait_async(id));
        }
        *text += &format!(
            " for (int {SIDE} = {first}; {SIDE} < {}; {SIDE}++) {{{wait}{}",
            2 * sides.len(),
            sides.concat()
        );
        " }".to_owned()
    }

    /// Whether a loop after the directive counts a variable.
    fn counts_inside(&self, name: &str, body: &Range<usize>) -> bool {
        let statement = self.root.descendant_for_byte_range(body.start, body.end);
        let inside = statement.map(descendants).unwrap_or_default().into_iter();
        let mut loops =
            inside.filter(|node| node.kind() == "for_statement" && node.start_byte() >= body.start);
        loops.any(|node| self.loop_variable(node).as_deref() == Some(name))
    }

    /// The counting loops of the variables in `on`.
    fn nest(&self, body: &Range<usize>, of: &Loop) -> Result<Vec<Counted>, Diagnostic> {
        let mut wanted = nest::wanted(of, Language::C);
        let statement = self.root.descendant_for_byte_range(body.start, body.end);
        let mut nest = Vec::new();
        for node in statement.map(descendants).unwrap_or_default() {
            if node.kind() != "for_statement"
                || node.start_byte() < body.start
                || node.end_byte() > body.end
            {
                continue;
            }
            let inside =
                nest.last().is_none_or(|outer: &Counted| outer.statement.end >= node.end_byte());
            let Some(variable) = self.loop_variable(node) else { continue };
            if let Some(at) = wanted.iter().position(|name| *name == variable)
                && inside
            {
                wanted.remove(at);
                nest.push(self.counted(node)?);
            }
        }
        Ok(nest)
    }
}
