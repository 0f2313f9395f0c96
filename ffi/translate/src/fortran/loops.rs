//! `loop`: each image executes the iterations whose template index it has. The loop variable keeps its values; `do` statements
//! get other bounds.

use super::bounds::{Counted, Own, variable_of};
use super::classify::Kind;
use super::communicate::wait_async;
use super::nest_check::Level;
use super::reach::Reached;
use super::unit::{TranslationResult, Unit, descriptor, integer, operand, own};
use super::writer::Code;
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Directive, Extent, Loop, Text};
use crate::meaning::communicate::Widths;
use crate::meaning::nest::{self, Axis};
use crate::meaning::reach::LoopVariable;
use crate::meaning::{Language, Layout, Target};

/// A loop of a nest, and the indices of this image.
struct OwnLoop<'a> {
    counted: Counted<'a>,
    own: Own,
    widths: Option<Widths<'a>>,
    /// The dimension, and the number that is added to the variable.
    dim: usize,
    offset: String,
    /// The elements that its iterations reach by subscripts that the program checks.
    reached: Vec<Reached>,
}

/// The sides of a margin: a loop executes the nest once for each. `peel_and_wait` begins with the inside, and waits before the sides.
struct Sides<'a> {
    /// The variable that counts them.
    variable: String,
    /// The id that is waited for.
    awaited: Option<&'a Text>,
}

impl Sides<'_> {
    /// The statements that begin the loop, for a nest of this many dimensions.
    fn begin(&self, dims: usize) -> Vec<Code> {
        let variable = &self.variable;
        let first = if self.awaited.is_some() { -1 } else { 0 };
        let mut code = vec![format!("do {variable} = {first}, {}", 2 * dims - 1).into()];
        if let Some(id) = self.awaited {
            let first = format!("if ({variable} == 0) then").into();
            code.extend([first, wait_async(id), "end if".into()]);
        }
        code
    }
}

impl<'a> Unit<'a> {
    /// Translates a `loop` directive.
    ///
    /// # Errors
    /// When no counting loop follows, and for references that do not fit.
    pub fn translate_loop(
        &mut self,
        item: usize,
        directive: &Directive,
        of: &Loop,
    ) -> TranslationResult {
        let scope = self.scope_of(item);
        let target = self.target(&of.on, scope)?;
        let wanted = nest::wanted(of, Language::Fortran);
        let found = self.nest(item, directive, &wanted)?;
        let names: Vec<String> = found.iter().map(variable_of).collect();
        let start = self.next_statement(item, &directive.keyword)?;
        let end = self.scopes.ends[&start];
        let inside = |name: &str| (start..=end).any(|at| self.counts(at, name));
        let layouts = self.objects.layouts(target);
        let axes = nest::axes(of, layouts, &names, &inside, Language::Fortran)?;
        let mut conditions = Vec::new();
        let mut nest = Vec::new();
        for (dim, axis) in axes.iter().enumerate() {
            let own = |offset: &str| self.own_indices(target, &of.on.name, dim, offset);
            let index = match axis {
                Axis::Own | Axis::All => continue,
                Axis::Value(text) => {
                    conditions.push(own("0").has(&integer(&text.text)));
                    continue;
                }
                Axis::Counted(index) => index,
            };
            let counted = found[index.nth].clone();
            let inside = counted.item + 1..self.scopes.ends[&counted.item] + 1;
            let layout = layouts.get(dim).copied();
            let variable = LoopVariable::counting(index, of, target, dim, layout);
            let reached = self.check_reach(inside, variable)?;
            let (widths, offset) = (index.widths, index.offset.clone());
            nest.push(OwnLoop { counted, own: own(&index.offset), widths, dim, offset, reached });
        }
        nest.sort_by_key(|own| own.counted.item);
        self.check_nest(item, (of, target), &axes, &nest)?;
        let condition = Some(conditions.join(" .and. ")).filter(|condition| !condition.is_empty());
        let sides = of.extent.as_ref().filter(|(extent, ..)| *extent != Extent::Expand);
        let sides = sides
            .map(|(_, _, id, _)| Sides { variable: self.counter(scope), awaited: id.as_ref() });
        self.bound_nest(&nest, condition.as_deref(), sides.as_ref())?;
        if let Some(innermost) = nest.last() {
            self.enter_iterations(of, target, (innermost.counted.item, scope))?;
        }
        let (mut before, mut after) = self.reductions_of_loop(of, &axes, scope)?;
        if let Some(sides) = sides {
            before.extend(sides.begin(nest.len()));
            after.insert(0, "end do".into());
        }
        if !before.is_empty() || !after.is_empty() {
            self.check_end(start, end)?;
            self.needs[scope].interfaces = true;
            self.output.before(item, before);
            self.output.after(end, after);
        } else if matches!(target, Target::Nodes(_)) {
            self.needs[scope].interfaces = true;
        }
        Ok(())
    }

    /// Checks before each loop of a nest that its iterations belong to nodes that execute.
    fn check_nest(
        &mut self,
        item: usize,
        (of, target): (&Loop, Target),
        axes: &[Axis<'_>],
        nest: &[OwnLoop<'_>],
    ) -> TranslationResult {
        // A pure procedure can call nothing that ends the program.
        if self.is_pure(self.scope_of(item)) {
            return Ok(());
        }
        let (check, before) = self.nest_check(&of.on, target, axes, self.scope_of(item));
        self.output.before(item, before);
        let bits = |part: &[OwnLoop<'_>]| part.iter().map(|of| 1 << of.dim).sum::<u32>();
        for (nth, OwnLoop { counted, dim, offset, .. }) in nest.iter().enumerate() {
            let (outer, inner) = (bits(&nest[..nth]), bits(&nest[nth + 1..]));
            let level = Level { counted, dim: *dim, offset, outer, inner };
            self.check_iterations(&check, &level)?;
        }
        Ok(())
    }

    /// Writes the bounds of this image into the loops of a nest. Without the condition, there are no iterations.
    fn bound_nest(
        &mut self,
        nest: &[OwnLoop<'_>],
        mut condition: Option<&str>,
        sides: Option<&Sides<'_>>,
    ) -> TranslationResult {
        for (nth, OwnLoop { counted, own, widths, reached, .. }) in nest.iter().enumerate() {
            let (own, beyond) = match sides {
                Some(sides) => own.on_side(*widths, nth, &sides.variable),
                None => own.expanded(*widths),
            };
            self.bound(counted, &own, beyond, condition.take(), reached)?;
        }
        Ok(())
    }

    /// Refuses a loop whose last statement ends a loop around it as well: no statement can be between the two ends.
    pub fn check_end(&self, start: usize, end: usize) -> TranslationResult {
        if self.scopes.ends.iter().any(|(other, last)| *last == end && *other < start) {
            return Err(Diagnostic::new(
                self.statement(end).whole(),
                "this statement ends a loop with a reduction, a margin or communication, and another one around it",
            )
            .help("give each loop an `end do` of its own"));
        }
        Ok(())
    }

    /// The `do` statements after a directive, from the outside to the inside, until all variables are found.
    fn nest(
        &self,
        item: usize,
        directive: &Directive,
        wanted: &[String],
    ) -> Result<Vec<Counted<'a>>, Diagnostic> {
        let start = self.next_statement(item, &directive.keyword)?;
        let Some(Kind::Do(_)) = self.items[start].kind() else {
            return refuse(
                self.statement(start).whole(),
                "a `do` statement has to follow the `loop` directive",
            );
        };
        let mut nest: Vec<Counted<'a>> = Vec::new();
        let mut at = start;
        let mut end = self.scopes.ends.get(&start).copied();
        while let Some(last) = end
            && at <= last
        {
            if let Some(Kind::Do(of)) = self.items[at].kind() {
                end = self.scopes.ends.get(&at).copied();
                if let Some(counter) = &of.counter {
                    let statement = self.statement(at);
                    let counted = Counted { item: at, statement, counter: counter.clone() };
                    if wanted.contains(&variable_of(&counted)) {
                        nest.push(counted);
                    }
                }
                if nest.len() == wanted.len() {
                    break;
                }
            }
            at += 1;
        }
        if self.scopes.ends.contains_key(&start) {
            return Ok(nest);
        }
        refuse(self.statement(start).whole(), "this loop has no end")
    }

    /// The indices of this image in a dimension of the target, less an offset.
    fn own_indices(&self, target: Target, name: &Text, dim: usize, offset: &str) -> Own {
        let less = if offset == "0" { String::new() } else { format!(" - {}", integer(offset)) };
        match target {
            Target::Nodes(_) => {
                let node =
                    format!("xmprt_fortran_node({}, {}){less}", descriptor(&name.text), dim + 1);
                Own { first: node.clone(), last: node, blocks: None, layout: Layout::Piece }
            }
            Target::Template(number, _) => self.own_part(number, dim, &less),
        }
    }

    /// The indices of this image in a dimension of a template, less an offset.
    pub fn own_part(&self, template: usize, dim: usize, less: &str) -> Own {
        let template = &self.objects.templates[template];
        let part = |row: u8| format!("{}({row}, {})", own(&template.name), dim + 1);
        let layout = template.layouts.get(dim).copied().unwrap_or(Layout::Piece);
        let cyclic = matches!(layout, Layout::Cyclic(_));
        Own {
            first: part(1) + less,
            last: part(2) + less,
            blocks: cyclic.then(|| (part(3), part(4))),
            layout,
        }
    }

    /// Whether a statement is a loop that counts a variable.
    fn counts(&self, item: usize, name: &str) -> bool {
        let Some(Kind::Do(of)) = self.items[item].kind() else { return false };
        let code = &self.statement(item).code;
        of.counter.as_ref().is_some_and(|counter| code[counter.variable.clone()] == *name)
    }
}

impl Own {
    /// These indices and those around them, and by how much the iterations go beyond the bounds of the loop.
    fn expanded(&self, widths: Option<Widths<'_>>) -> (Self, Option<(String, String)>) {
        let Some(Widths { lower, upper, flag }) = widths else { return (self.clone(), None) };
        let (below, above) = (integer(&lower.text), integer(&upper.text));
        let own = Self {
            first: format!("{} - {}", self.first, operand(&below)),
            last: format!("{} + {}", self.last, operand(&above)),
            ..self.clone()
        };
        (own, flag.then_some((below, above)))
    }

    /// The iterations of one side of a margin, which the variable `side` counts; this is dimension `nth` of the nest.
    fn on_side(
        &self,
        widths: Option<Widths<'_>>,
        nth: usize,
        side: &str,
    ) -> (Self, Option<(String, String)>) {
        let text = |text: &Text| integer(&text.text);
        let (below, above) =
            widths.map_or(("0".into(), "0".into()), |of| (text(of.lower), text(of.upper)));
        let unbound = widths.is_some_and(|of| of.flag);
        let Self { first, last, .. } = self;
        let end = |which| {
            format!("xmprt_fortran_side({first}, {last}, {below}, {above}, {nth}, {side}, {which})")
        };
        let own = Self { first: end(1), last: end(2), ..self.clone() };
        let beyond = unbound.then(|| (format!("max({below}, 0)"), format!("max({above}, 0)")));
        (own, beyond)
    }
}
