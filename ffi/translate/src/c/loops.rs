//! `loop`: bounds of `for` statements, so that each image executes the iterations whose template index it has.

use super::objects::index_and_offset;
use super::on::{PREFIX, Target};
use super::reach::Counter;
use super::syntax::descendants;
use super::unit::{Done, Unit};
use crate::diagnostics::Diagnostic;
use crate::directive::{
    Brackets, Directive, Extent, Format, Loop, Reference, Subscript, Text, Width,
};
use std::ops::Range;
use tree_sitter::Node;

/// A `for` statement that counts: `for (variable = first; variable < end; variable += step)`.
#[derive(Debug)]
struct Counted {
    variable: String,
    statement: Range<usize>,
    first: Range<usize>,
    /// The bound that the variable is compared with.
    bound: Range<usize>,
    /// The comparison, as if the variable stood left.
    comparison: &'static str,
    /// The variable in the comparison.
    compared: Range<usize>,
    /// Whether the variable has no sign.
    unsigned: bool,
    update: Range<usize>,
    /// The step without its sign.
    step: String,
    upwards: bool,
}

/// A loop, its range and what is special about its dimension.
#[derive(Debug)]
struct Bounded<'a> {
    range: String,
    counted: Counted,
    width: Option<&'a Width>,
    format: Option<&'a Format>,
}

impl Unit<'_> {
    /// Translates a `loop` directive.
    ///
    /// # Errors
    /// For what is no counting loop behind it, and references that do not fit.
    pub fn translate_loop(&mut self, nth: usize, directive: &Directive, of: &Loop) -> Done {
        self.check_no_pragma_before(directive)?;
        let body = self.body_of(nth)?;
        let target = self.objects.target(&of.on)?;
        let mut nest = self.nest(&body, directive, of)?;
        let (mut ranges, mut conditions, mut fixed) = (Vec::new(), Vec::new(), Vec::new());
        let mut counters = Vec::new();
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
                    format!("xmpt_range(&{PREFIX}{name}, {dim}, {offset})")
                }
                Target::Nodes(name, _) => {
                    let lowest = if of.on.brackets == Some(Brackets::Square) { 0 } else { 1 };
                    format!("xmpt_node({PREFIX}{}, {dim}, {lowest} - {offset})", name.text)
                }
            };
            let format = match target {
                Target::Template(number, _) => self.objects.templates[number].formats.get(dim),
                Target::Nodes(..) => None,
            };
            if let Some(Width::Widths { lower, upper, .. }) = width
                && (lower.text != "0" || upper.text != "0")
            {
                if matches!(format, Some(Format::Cyclic(..))) {
                    return Err(Diagnostic::new(
                        lower.span.clone(),
                        "a cyclic dimension cannot be expanded",
                    ));
                }
                value = format!("xmpt_expanded({value}, {}, {})", lower.text, upper.text);
            }
            let range = format!("{PREFIX}on_{}", counted.variable);
            if let Target::Template(template, _) = target
                && of.extent.is_none()
            {
                let variable = counted.variable.as_str();
                self.check_reach(
                    &body,
                    Counter { variable, template, axis: dim, offset: &offset },
                )?;
            }
            ranges.push((range.clone(), value));
            counters.push(Bounded { range, counted, width, format });
        }
        if let Some(extra) = nest.first() {
            let wrong = format!("the loop variable `{}` does not stand in `on`", extra.variable);
            return Err(Diagnostic::new(of.on.span.clone(), wrong));
        }
        if counters.is_empty() {
            let wrong = Diagnostic::new(of.on.span.clone(), "no loop variable stands in `on`");
            return Err(wrong.help("write `on t(i)`, where `i` is the variable of the `for` statement behind the directive"));
        }
        if let Some((_, first)) = ranges.first_mut()
            && !conditions.is_empty()
        {
            *first = format!("xmpt_if({}, {first})", conditions.join(" && "));
        }
        let mut text = "{".to_owned();
        for (name, value) in &ranges {
            text += &format!(" const struct xmpt_range {name} = {value};");
        }
        let after = self.reductions_of_loop(of, target, &mut fixed, &mut text)?;
        // The inner braces keep what follows from looking like a part of the loop.
        let (open, close) =
            if after.is_empty() { ("", " }".to_owned()) } else { (" {", format!(" }}{after} }}")) };
        self.edits.replace(directive.span.clone(), text + open);
        self.edits.wrap(&body, "", close);
        for counter in &counters {
            self.bound(counter)?;
        }
        Ok(())
    }

    /// `xmpt_has(..)`: whether this image has a fixed index.
    fn has(&self, target: Target<'_>, dim: usize, text: &Text, on: &Reference) -> String {
        match target {
            Target::Template(number, _) => {
                let name = &self.objects.templates[number].declared.name.text;
                format!("xmpt_has(&{PREFIX}{name}, {dim}, {})", text.text)
            }
            Target::Nodes(name, _) => {
                let lowest = if on.brackets == Some(Brackets::Square) { 0 } else { 1 };
                format!(
                    "xmpt_node({PREFIX}{}, {dim}, {lowest}).first == ({})",
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

    /// OpenMP's pragma has to stand between the directive and the loop: what is generated opens a block.
    fn check_no_pragma_before(&self, directive: &Directive) -> Done {
        let before = self.source[..directive.span.start].trim_end();
        let line = before.rsplit('\n').next().unwrap_or(before).trim_start();
        let is_loop = line.starts_with('#') && line.contains("omp") && line.contains("for");
        match is_loop {
            true => Err(Diagnostic::new(
                directive.span.clone(),
                "the loop directive stands behind the pragma of OpenMP",
            )
            .help("write `#pragma xmp loop` first, then `#pragma omp`, then the loop")),
            false => Ok(()),
        }
    }

    /// The counting loops of the variables that the directive names.
    fn nest(
        &self,
        body: &Range<usize>,
        directive: &Directive,
        of: &Loop,
    ) -> Result<Vec<Counted>, Diagnostic> {
        if let Some((Extent::Margin | Extent::PeelAndWait, _, _, span)) = &of.extent {
            return Err(Diagnostic::new(
                span.clone(),
                "`margin` and `peel_and_wait` are not supported",
            )
            .help("write a loop with `expand` or with other bounds"));
        }
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
            return Err(Diagnostic::new(index.span.clone(), wrong)
                .help("a macro that hides the loop has to be written out"));
        }
        if nest.is_empty() {
            let wrong =
                "there is no `for` statement that counts a variable of `on` behind the directive";
            return Err(Diagnostic::new(directive.span.clone(), wrong));
        }
        Ok(nest)
    }

    fn text(&self, node: Node<'_>) -> &str {
        &self.normal.text[node.byte_range()]
    }

    /// The name and the first value of the variable that a `for` statement sets.
    fn initializer<'t>(&self, statement: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
        let first = statement.child_by_field_name("initializer")?;
        let set = match first.kind() {
            "declaration" => {
                let declared = first.child_by_field_name("declarator")?;
                let ends = first.named_child_count() == 2;
                return if declared.kind() == "init_declarator" && ends {
                    Some((
                        declared.child_by_field_name("declarator")?,
                        declared.child_by_field_name("value")?,
                    ))
                } else {
                    None
                };
            }
            "assignment_expression" => first,
            _ => return None,
        };
        let is_plain =
            set.child_by_field_name("operator").is_none_or(|operator| self.text(operator) == "=");
        is_plain.then_some((set.child_by_field_name("left")?, set.child_by_field_name("right")?))
    }

    fn loop_variable(&self, statement: Node<'_>) -> Option<String> {
        self.initializer(statement).map(|(variable, _)| self.text(variable).to_owned())
    }

    /// Takes the header of a `for` statement apart.
    fn counted(&self, statement: Node<'_>) -> Result<Counted, Diagnostic> {
        let wrong = |node: Option<Node<'_>>, title: &str| {
            let span = node.unwrap_or(statement).byte_range();
            Diagnostic::new(span.start..span.end.min(span.start + 60), title.to_owned())
                .help("write `for (i = first; i < end; i++)`, with `<`, `<=`, `>` or `>=` and a step `i += n` or `i -= n`")
        };
        let (variable, first) = self.initializer(statement).expect("it has a variable");
        let variable = self.text(variable).to_owned();
        let condition = statement.child_by_field_name("condition");
        let test = condition.filter(|condition| condition.kind() == "binary_expression");
        let test = test.ok_or_else(|| {
            wrong(condition, "the condition of a distributed loop compares its variable")
        })?;
        let part = |name| test.child_by_field_name(name).expect("the grammar has it");
        let operator = self.text(part("operator"));
        let (bound, comparison) = if self.text(part("left")) == variable {
            (
                part("right"),
                ["<", "<=", ">", ">=", "!="].into_iter().find(|known| *known == operator),
            )
        } else if self.text(part("right")) == variable {
            let turned = match operator {
                "<" => Some(">"),
                "<=" => Some(">="),
                ">" => Some("<"),
                ">=" => Some("<="),
                "!=" => Some("!="),
                _ => None,
            };
            (part("left"), turned)
        } else {
            return Err(wrong(
                Some(test),
                "the condition of a distributed loop compares its variable",
            ));
        };
        let comparison =
            comparison.ok_or_else(|| wrong(Some(test), "this comparison has no bounds"))?;
        let update = statement.child_by_field_name("update");
        let (step, upwards) = update
            .and_then(|update| self.step(update, &variable))
            .ok_or_else(|| wrong(update, "the step of a distributed loop is not understood"))?;
        let update = update.expect("it has a step").byte_range();
        let fits = match comparison {
            "<" | "<=" => upwards,
            ">" | ">=" => !upwards,
            _ => step == "1",
        };
        if !fits {
            return Err(wrong(Some(test), "the loop counts away from its bound"));
        }
        let comparison = match (comparison, upwards) {
            ("!=", true) => "<",
            ("!=", false) => ">",
            (other, _) => other,
        };
        let statement = statement.byte_range();
        let compared = if bound == part("right") { part("left") } else { part("right") };
        Ok(Counted {
            unsigned: self.is_unsigned(&variable, compared.start_byte()),
            compared: compared.byte_range(),
            variable,
            statement,
            first: first.byte_range(),
            bound: bound.byte_range(),
            comparison,
            update,
            step,
            upwards,
        })
    }

    /// Whether the type of a variable says that it has no sign.
    fn is_unsigned(&self, variable: &str, at: usize) -> bool {
        let Some((_, known)) = self.names.meant(variable, at) else { return false };
        let declared = &self.normal.text[known.declaration.start..known.declarator.name.start];
        ["unsigned", "size_t", "uint"].iter().any(|word| declared.contains(word))
    }

    /// The step of an update without its sign, and whether it counts upwards.
    fn step(&self, update: Node<'_>, variable: &str) -> Option<(String, bool)> {
        match update.kind() {
            "update_expression" => {
                let argument = update.child_by_field_name("argument")?;
                let upwards = self.text(update.child_by_field_name("operator")?) == "++";
                (self.text(argument) == variable).then(|| ("1".to_owned(), upwards))
            }
            "assignment_expression" => {
                let left = update.child_by_field_name("left")?;
                let right = update.child_by_field_name("right")?;
                if self.text(left) != variable {
                    return None;
                }
                match self.text(update.child_by_field_name("operator")?) {
                    "+=" => self.signed(right, true),
                    "-=" => self.signed(right, false),
                    "=" if right.kind() == "binary_expression" => {
                        let added = right.child_by_field_name("right")?;
                        let is_variable = self.text(right.child_by_field_name("left")?) == variable;
                        match self.text(right.child_by_field_name("operator")?) {
                            "+" if is_variable => self.signed(added, true),
                            "-" if is_variable => self.signed(added, false),
                            _ => None,
                        }
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A step with its sign: `-n` counts the other way. Of any other expression the sign is that which is written.
    fn signed(&self, step: Node<'_>, upwards: bool) -> Option<(String, bool)> {
        let text = self.text(step).trim();
        Some(match text.strip_prefix('-') {
            Some(rest) => (format!("({})", rest.trim()), !upwards),
            None if step.kind() == "identifier" || step.kind() == "number_literal" => {
                (text.to_owned(), upwards)
            }
            None => (format!("({text})"), upwards),
        })
    }

    /// Writes the bounds of this image into the header of a `for` statement.
    fn bound(&mut self, counter: &Bounded<'_>) -> Done {
        let Bounded { range, counted, width, format } = counter;
        let step = &counted.step;
        let (mut lower, mut upper) = (String::new(), String::new());
        if let Some(Width::Widths { lower: below, upper: above, flag: true }) = width {
            if step != "1" {
                return Err(Diagnostic::new(
                    counted.update.clone(),
                    "a loop that is expanded beyond its bounds has a step of 1",
                ));
            }
            (lower, upper) = (format!(" - ({})", below.text), format!(" + ({})", above.text));
            if !counted.upwards {
                (lower, upper) = (upper, lower);
            }
        }
        let mut within = range.clone();
        if let Some(Format::Cyclic(wide, _)) = format {
            let first = &self.normal.text[counted.first.clone()];
            if wide.is_none() && step == "1" && counted.upwards {
                self.edits.wrap(&counted.first, format!("xmpt_block_from({range}, "), ")");
                self.edits.replace(
                    counted.update.clone(),
                    format!("{} += {range}.period", counted.variable),
                );
                return self.bound_end(counted, range, "");
            }
            let from = if counted.upwards {
                format!("xmpt_block_from({range}, {first})")
            } else {
                format!("{range}.first")
            };
            let start = format!("{PREFIX}at_{}", counted.variable);
            let outer = format!(
                "for (long {start} = {from}; {start} <= {range}.last; {start} += {range}.period) "
            );
            self.edits.wrap(&counted.statement, outer, "");
            within = format!("xmpt_block({range}, {start})");
        }
        let from = if counted.upwards { "xmpt_from" } else { "xmpt_down_from" };
        self.edits.wrap(
            &counted.first,
            format!("{from}({within}, ("),
            format!("){lower}, {step})"),
        );
        self.bound_end(counted, &within, &upper)
    }

    fn bound_end(&mut self, counted: &Counted, within: &str, upper: &str) -> Done {
        let end = match counted.comparison {
            "<" => "xmpt_below",
            "<=" => "xmpt_upto",
            ">" => "xmpt_above",
            _ => "xmpt_downto",
        };
        self.edits.wrap(&counted.bound, format!("{end}({within}, ("), format!("){upper})"));
        if counted.unsigned {
            // Bounds have a sign: those of no iterations may be negative.
            self.edits.wrap(&counted.compared, "(long)", "");
        }
        // `!=` becomes a comparison with a direction.
        let between = counted.compared.end.min(counted.bound.end)
            ..counted.compared.start.max(counted.bound.start);
        if let Some(at) = self.normal.text[between.clone()].find("!=") {
            let turned = counted.bound.start < counted.compared.start;
            let operator = if (counted.comparison == "<") == turned { ">" } else { "<" };
            let at = between.start + at;
            self.edits.replace(at..at + 2, operator);
        }
        Ok(())
    }

    /// Prepares the variables of `reduction` clauses before the loop, and gives what stands behind it.
    fn reductions_of_loop(
        &self,
        of: &Loop,
        target: Target<'_>,
        fixed: &mut [(usize, bool)],
        text: &mut String,
    ) -> Result<String, Diagnostic> {
        if of.reductions.is_empty() {
            return Ok(String::new());
        }
        let (mut before, mut after) = (String::new(), String::new());
        for reduction in &of.reductions {
            for (prepare, combine) in self.reduction(reduction)? {
                before += &prepare;
                after += &format!(" {combine}");
            }
        }
        if fixed.iter().any(|(_, fixed)| *fixed) {
            fixed.sort_unstable();
            let flags: Vec<&str> =
                fixed.iter().map(|(_, fixed)| if *fixed { "1" } else { "0" }).collect();
            let flags = flags.join(", ");
            let enter = match target {
                Target::Template(number, _) => {
                    let name = &self.objects.templates[number].declared.name.text;
                    format!("_XMP_init_reduce_comm_TEMPLATE({PREFIX}{name}.desc, {flags})")
                }
                Target::Nodes(name, _) => {
                    format!("_XMP_init_reduce_comm_NODES({PREFIX}{}, {flags})", name.text)
                }
            };
            let on = |what: &str| match what {
                "" => String::new(),
                _ => format!(" if ({enter}) {{{what} _XMP_pop_n_free_nodes(); }}"),
            };
            *text += &on(&before);
            return Ok(on(&after));
        }
        *text += &before;
        Ok(after)
    }
}
