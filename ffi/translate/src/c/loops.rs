//! `loop`: each image executes the iterations whose template index it has.

use super::bounds::{Bounded, share};
use super::communicate::wait_async;
use super::counted::Counted;
use super::nest_check::NestCheck;
use super::ranges::{OnObject, Ranges, SIDE};
use super::syntax::descendants;
use super::unit::{TranslationResult, Unit};
use crate::diagnostics::Diagnostic;
use crate::directive::{Directive, Extent, Loop};
use crate::meaning::nest::{self, Axis};
use crate::meaning::openmp::check_clauses;
use crate::meaning::reach::LoopVariable;
use crate::meaning::{Language, Layout};
use std::ops::Range;

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
        let layouts = self.objects.layouts(target);
        let nest = self.nest(&body, of)?;
        let found: Vec<String> = nest.iter().map(|counted| counted.variable.clone()).collect();
        let inside = |name: &str| self.counts_inside(name, &body);
        let axes = nest::axes(of, layouts, &found, &inside, Language::C)?;
        let starts: Vec<usize> = nest.iter().map(|counted| counted.statement.start).collect();
        let NestCheck { declared, levels } = self.nest_check(of, target, &axes, &starts);
        let mut levels = levels.into_iter();
        let mut nest: Vec<Option<Counted>> = nest.into_iter().map(Some).collect();
        let is_margin = matches!(of.extent, Some((Extent::Margin | Extent::PeelAndWait, ..)));
        let on = OnObject::of(of, target);
        let (mut ranges, mut counters) = (Ranges::default(), Vec::new());
        for (dim, axis) in axes.iter().enumerate() {
            let index = match axis {
                Axis::Own | Axis::All => continue,
                Axis::Value(index) => {
                    ranges.add_condition(on.has(dim, &index.text));
                    continue;
                }
                Axis::Counted(index) => index,
            };
            let counted = nest[index.nth].take().expect("each loop counts one dimension");
            let layout = layouts.get(dim).copied();
            self.check_reach(&body, LoopVariable::counting(index, of, target, dim, layout))?;
            let threaded = self.threads_of(&counted, layout, body.start, openmp)?;
            let range = ranges.add(index, on.own(dim, &index.offset), is_margin);
            let (widths, level) =
                (index.widths, levels.next().expect("one for each counted dimension"));
            counters.push(Bounded { range, counted, level, widths, layout, is_margin, threaded });
        }
        let mut text = format!("{{{declared}{}", ranges.declarations());
        let after = self.reductions_of_loop(of, &axes, &mut text)?;
        let after = self.on_sides(of, ranges.sides(), &mut text) + &after;
        self.around_nest(directive, &body, openmp, (text, &after));
        let statement = |counter: &&Bounded| counter.counted.statement.start;
        if let Some(innermost) = counters.iter().max_by_key(statement) {
            self.enter_iterations(of, target, &innermost.counted)?;
        }
        for counter in &counters {
            self.bound(counter)?;
        }
        Ok(())
    }

    /// The number of loops, from this one on, that a pragma of OpenMP before the directive distributes among threads.
    ///
    /// # Errors
    /// For clauses that mean something else for the iterations of one image.
    fn threads_of(
        &self,
        counted: &Counted,
        layout: Option<Layout>,
        start: usize,
        pragma: Option<usize>,
    ) -> Result<usize, Diagnostic> {
        let threaded = self.threaded(&counted.statement, start, pragma);
        let Some((pragma, loops)) = threaded else { return Ok(0) };
        let place = counted.statement.start..counted.first.start;
        check_clauses(pragma, share(layout, counted), &counted.variable, place)?;
        Ok(loops)
    }

    /// Writes statements before and after the nest, in a block.
    fn around_nest(
        &mut self,
        directive: &Directive,
        body: &Range<usize>,
        openmp: Option<usize>,
        (before, after): (String, &str),
    ) {
        // The inner braces keep the next statement from looking like a part of the loop.
        let (open, close) =
            if after.is_empty() { ("", " }".to_owned()) } else { (" {", format!(" }}{after} }}")) };
        let opened = before + open;
        // A pragma of OpenMP stays with the loop.
        if let Some(pragma) = openmp {
            self.edits.insert(pragma, format!("{opened}\n{}", self.line_of(pragma)));
            self.edits.replace(directive.span.clone(), "");
        } else {
            self.edits.replace(directive.span.clone(), opened);
        }
        self.edits.wrap(body, "", close);
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
