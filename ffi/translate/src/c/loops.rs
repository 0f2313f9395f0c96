//! `loop`: each image executes the iterations whose template index it has.

use super::bounds::{Bounded, share};
use super::communicate::wait_async;
use super::counted::Counted;
use super::on::{LOCAL, OWN, PREFIX, Target};
use super::syntax::descendants;
use super::unit::{Done, Unit};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::openmp::check_clauses;
use crate::directive::{
    Brackets, Directive, Extent, Format, Loop, LoopVariable, Reference, Subscript, Text, Width,
    index_and_offset,
};
use std::ops::Range;

/// The variable that counts the sides of a margin.
const SIDE: &str = "xmpt__side";

/// What to do about a loop that is not found.
const HIDDEN: &str = "a macro that hides the loop has to be written out";

impl Unit<'_> {
    /// Translates a `loop` directive.
    ///
    /// # Errors
    /// For what is no counting loop behind it, and references that do not fit.
    pub fn translate_loop(&mut self, nth: usize, directive: &Directive, of: &Loop) -> Done {
        let openmp = self.openmp_before(directive.span.start);
        let body = self.body_of(nth)?;
        let target = self.objects.target(&of.on)?;
        let mut nest = self.nest(&body, directive, of)?;
        let (mut ranges, mut conditions, mut fixed) = (Vec::new(), Vec::new(), Vec::new());
        let (mut counters, mut sides) = (Vec::new(), Vec::new());
        let dims = of.on.subscripts.len();
        for (written, subscript) in of.on.subscripts.iter().enumerate() {
            let dim =
                if of.on.brackets == Some(Brackets::Square) { dims - 1 - written } else { written };
            let text = match subscript {
                Subscript::Star(_) => {
                    fixed.push((dim, true));
                    continue;
                }
                Subscript::All(_) => {
                    fixed.push((dim, false));
                    continue;
                }
                Subscript::At(text) => text,
                Subscript::Range { span, .. } => {
                    return Err(Diagnostic::new(
                        span.clone(),
                        "a range cannot stand in `loop .. on`",
                    )
                    .help("write `:` for all indices, and the bounds in the `for` statement"));
                }
            };
            let counted = index_and_offset(&text.text).and_then(|(name, offset)| {
                let at = nest.iter().position(|counted| counted.variable == name)?;
                Some((nest.remove(at), offset))
            });
            fixed.push((dim, counted.is_none()));
            let Some((counted, offset)) = counted else {
                self.check_fixed(text, &body)?;
                conditions.push(self.has(target, dim, text, &of.on));
                continue;
            };
            let width = of.extent.as_ref().and_then(|(_, widths, ..)| widths.get(written));
            let mut value = match target {
                Target::Template(number, _) => {
                    let name = &self.objects.templates[number].declared.name.text;
                    format!("xmprt_shifted(&{OWN}{name}[{dim}], {offset})")
                }
                Target::Nodes(name, _) => {
                    let lowest = if of.on.brackets == Some(Brackets::Square) { 0 } else { 1 };
                    format!("xmprt_node({PREFIX}{}, {dim}, {lowest} - {offset})", name.text)
                }
            };
            let format = match target {
                Target::Template(number, _) => self.objects.templates[number].formats.get(dim),
                Target::Nodes(..) => None,
            };
            let is_margin = matches!(of.extent, Some((Extent::Margin | Extent::PeelAndWait, ..)));
            let widths = match width {
                Some(Width::Widths { lower, upper, .. })
                    if lower.text != "0" || upper.text != "0" =>
                {
                    if matches!(format, Some(Format::Cyclic(..))) {
                        return refuse(&lower.span, "a cyclic dimension cannot be expanded");
                    }
                    Some((lower.text.as_str(), upper.text.as_str()))
                }
                _ => None,
            };
            let range = format!("{LOCAL}on_{}", counted.variable);
            if is_margin {
                let (lower, upper) = widths.unwrap_or(("0", "0"));
                let nth = sides.len();
                let own = format!("{LOCAL}own_{}", counted.variable);
                sides.push(format!(
                    " const xmprt_blocks {range} = xmprt_blocks_side({own}, {lower}, {upper}, {nth}, {SIDE});"
                ));
            } else if let Some((lower, upper)) = widths {
                value = format!("xmprt_blocks_expanded({value}, {lower}, {upper})");
            }
            if let Target::Template(template, _) = target
                && of.extent.is_none()
            {
                let variable = counted.variable.as_str();
                self.check_reach(
                    &body,
                    LoopVariable { name: variable, template, axis: dim, offset: &offset },
                )?;
            }
            let held =
                if is_margin { format!("{LOCAL}own_{}", counted.variable) } else { range.clone() };
            ranges.push((held, value));
            let shared = self.threaded(&counted.statement, body.start, openmp);
            if let Some((pragma, _)) = shared {
                let place = counted.statement.start..counted.first.start;
                check_clauses(pragma, share(format, &counted), &counted.variable, place)?;
            }
            let threaded = shared.map_or(0, |(_, loops)| loops);
            counters.push(Bounded { range, counted, width, format, is_margin, threaded });
        }
        if let Some(extra) = nest.first() {
            let wrong = format!("the loop variable `{}` does not stand in `on`", extra.variable);
            return refuse(&of.on.span, wrong);
        }
        if counters.is_empty() {
            let wrong = Diagnostic::new(of.on.span.clone(), "no loop variable stands in `on`");
            return Err(wrong.help("write `on t(i)`, where `i` is the variable of the `for` statement behind the directive"));
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
        let after = self.reductions_of_loop(of, target, &mut fixed, &mut text)?;
        let after = self.on_sides(of, &sides, &mut text) + &after;
        // The inner braces keep what follows from looking like a part of the loop.
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
        for counter in &counters {
            self.bound(counter)?;
        }
        Ok(())
    }

    /// Begins the loop over the sides of a margin, which executes the nest once for each: `peel_and_wait` begins with what is
    /// inside, and waits before the sides. Returns what ends it.
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

    /// `xmprt_has(..)`: whether this image has a fixed index.
    fn has(&self, target: Target<'_>, dim: usize, text: &Text, on: &Reference) -> String {
        match target {
            Target::Template(number, _) => {
                let name = &self.objects.templates[number].declared.name.text;
                format!("xmprt_has(&{OWN}{name}[{dim}], {})", text.text)
            }
            Target::Nodes(name, _) => {
                let lowest = if on.brackets == Some(Brackets::Square) { 0 } else { 1 };
                format!(
                    "xmprt_node({PREFIX}{}, {dim}, {lowest}).first == ({})",
                    name.text, text.text
                )
            }
        }
    }

    /// A fixed index is known before the loop: it is not counted by an inner loop that the directive does not name.
    fn check_fixed(&self, text: &Text, body: &Range<usize>) -> Done {
        let Some((name, _)) = index_and_offset(&text.text) else { return Ok(()) };
        let statement = self.root.descendant_for_byte_range(body.start, body.end);
        let inside = statement.map(descendants).unwrap_or_default().into_iter();
        let mut loops =
            inside.filter(|node| node.kind() == "for_statement" && node.start_byte() >= body.start);
        if !loops.any(|node| self.loop_variable(node).as_deref() == Some(name)) {
            return Ok(());
        }
        let wrong = format!("`{name}` counts an inner loop, but is not among the loop variables");
        Err(Diagnostic::new(text.span.clone(), wrong)
            .help(format!("add `{name}` to the loop variables, or write `:` for it")))
    }

    /// The counting loops of the variables that the directive names.
    fn nest(
        &self,
        body: &Range<usize>,
        directive: &Directive,
        of: &Loop,
    ) -> Result<Vec<Counted>, Diagnostic> {
        let of_on = of.on.subscripts.iter().filter_map(|subscript| match subscript {
            Subscript::At(text) => index_and_offset(&text.text).map(|(name, _)| name.to_owned()),
            _ => None,
        });
        let named: Vec<String> = of.indices.iter().map(|index| index.text.clone()).collect();
        let mut wanted: Vec<String> =
            if named.is_empty() { of_on.collect() } else { named.clone() };
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
        if let Some(missing) = wanted.iter().find(|name| named.contains(name)) {
            let index =
                of.indices.iter().find(|index| index.text == **missing).expect("it is one of them");
            let wrong =
                format!("there is no `for` statement that counts `{missing}` behind the directive");
            return Err(Diagnostic::new(index.span.clone(), wrong).help(HIDDEN));
        }
        if nest.is_empty() {
            let wrong =
                "there is no `for` statement that counts a variable of `on` behind the directive";
            return Err(Diagnostic::new(directive.span.clone(), wrong).help(HIDDEN));
        }
        Ok(nest)
    }
}
