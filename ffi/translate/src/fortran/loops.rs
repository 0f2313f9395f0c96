//! `loop`: each image executes the iterations whose template index it has. The loop variable keeps its values; `do` statements
//! get other bounds.

use super::bounds::{Counted, Own, variable_of};
use super::classify::Kind;
use super::directives::wait_async;
use super::objects::Layout;
use super::on::Target;
use super::unit::{Done, Unit, descriptor, integer, operand, own};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{
    Directive, Extent, Loop, LoopVariable, Subscript, Text, Width, index_and_offset,
};

impl<'a> Unit<'a> {
    /// Translates a `loop` directive.
    ///
    /// # Errors
    /// For what is no counting loop behind it, and references that do not fit.
    pub fn translate_loop(&mut self, item: usize, directive: &Directive, of: &Loop) -> Done {
        let scope = self.scope_of(item);
        let target = self.target(&of.on, scope)?;
        let on: Vec<Option<(String, String)>> =
            of.on.subscripts.iter().map(|subscript| index(subscript, of)).collect();
        let wanted: Vec<&str> = on.iter().flatten().map(|(name, _)| name.as_str()).collect();
        let nest = self.nest(item, directive, &wanted)?;
        let mut conditions = Vec::new();
        let mut counted = Vec::new();
        for (dim, (subscript, index)) in of.on.subscripts.iter().zip(&on).enumerate() {
            let Some((name, offset)) = index else {
                conditions.extend(self.condition(target, &of.on.name, dim, subscript)?);
                continue;
            };
            let found = nest.iter().find(|counted| variable_of(counted) == *name);
            let Some(found) = found else {
                // A subscript without a loop of its own is a value.
                if of.indices.iter().any(|index| index.text == *name) || nest.is_empty() {
                    return Err(no_loop(subscript, name));
                }
                conditions.extend(self.condition(target, &of.on.name, dim, subscript)?);
                continue;
            };
            if counted
                .iter()
                .any(|(other, ..): &(Counted<'_>, Own, usize)| other.item == found.item)
            {
                return refuse(subscript.span().clone(), format!("`{name}` stands twice in `on`"));
            }
            if let (Target::Template(template, _), None) = (target, &of.extent) {
                let inside = found.item + 1..self.scopes.ends[&found.item] + 1;
                let variable = LoopVariable { name, template, axis: dim, offset };
                self.check_reach(inside, variable)?;
            }
            counted.push((found.clone(), self.own_indices(target, &of.on.name, dim, offset), dim));
        }
        if let Some(extra) = of.indices.iter().find(|index| !wanted.contains(&index.text.as_str()))
        {
            let wrong = format!("the loop variable `{}` does not stand in `on`", extra.text);
            return refuse(&extra.span, wrong);
        }
        if counted.is_empty() {
            return Err(Diagnostic::new(of.on.span.clone(), "no loop variable stands in `on`")
                .help("write `on t(i)`, where `i` is the variable of the `do` statement behind the directive"));
        }
        counted.sort_by_key(|(counted, ..)| counted.item);
        let condition = Some(conditions.join(" .and. ")).filter(|condition| !condition.is_empty());
        let mut condition = condition.as_deref();
        // Loops that are not distributed may stand around the first one that is.
        let start = self.next_statement(item, &directive.keyword)?;
        let end = self.scopes.ends[&start];
        let side = of.extent.as_ref().filter(|(extent, ..)| *extent != Extent::Expand);
        let side = side.map(|(_, _, id, _)| (self.counter(scope), id.as_ref()));
        for (nth, (counted, own, dim)) in counted.iter().enumerate() {
            let width = self.width(of, *dim, own.layout)?;
            let (own, beyond) = match &side {
                Some((side, _)) => own.on_side(width, nth, side),
                None => own.expanded(width),
            };
            self.bound(counted, &own, beyond, condition.take())?;
        }
        let (mut before, mut behind) = self.reductions_of_loop(of, scope)?;
        if let Some((side, id)) = side {
            let first = if id.is_some() { -1 } else { 0 };
            before.push(format!("do {side} = {first}, {}", 2 * counted.len() - 1).into());
            if let Some(id) = id {
                let first = format!("if ({side} == 0) then").into();
                before.extend([first, wait_async(id), "end if".into()]);
            }
            behind.insert(0, "end do".into());
        }
        if !before.is_empty() || !behind.is_empty() {
            self.check_end(start, end)?;
            self.needs[scope].interfaces = true;
            self.output.before(item, before);
            self.output.behind(end, behind);
        } else if matches!(target, Target::Nodes(_)) {
            self.needs[scope].interfaces = true;
        }
        Ok(())
    }

    /// Refuses a loop whose last statement ends a loop around it as well: nothing can stand between the two ends.
    fn check_end(&self, start: usize, end: usize) -> Done {
        if self.scopes.ends.iter().any(|(other, last)| *last == end && *other < start) {
            return Err(Diagnostic::new(
                self.statement(end).whole(),
                "this statement ends a loop with a reduction or a margin, and another one around it",
            )
            .help("give each loop an `end do` of its own"));
        }
        Ok(())
    }

    /// The `do` statements behind a directive, from the outside to the inside, until all variables are found.
    fn nest(
        &self,
        item: usize,
        directive: &Directive,
        wanted: &[&str],
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
                    if wanted.contains(&variable_of(&counted).as_str()) {
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

    /// The condition that this image has a fixed index of the target; none for `*` and `:`.
    fn condition(
        &self,
        target: Target,
        name: &Text,
        dim: usize,
        subscript: &Subscript,
    ) -> Result<Option<String>, Diagnostic> {
        let text = match subscript {
            Subscript::Star(_) | Subscript::All(_) => return Ok(None),
            Subscript::At(text) => integer(&text.text),
            Subscript::Range { span, .. } => {
                return Err(Diagnostic::new(span.clone(), "a range cannot stand in `loop .. on`")
                    .help("write `:` for all indices, and the bounds in the `do` statement"));
            }
        };
        Ok(Some(self.own_indices(target, name, dim, "0").has(&text)))
    }

    /// The widths of a dimension in `expand` and its like, as bounds below and above, and whether they go beyond the loop.
    fn width(&self, of: &Loop, dim: usize, layout: Layout) -> Result<Option<Widths>, Diagnostic> {
        let Some((_, widths, _, span)) = &of.extent else { return Ok(None) };
        let Some(width) = widths.get(dim) else {
            let wrong =
                format!("{} widths for {} dimensions", widths.len(), of.on.subscripts.len());
            return refuse(span.clone(), wrong);
        };
        match width {
            Width::Full(span) => refuse(span.clone(), "`*` is no width of a loop"),
            Width::Widths { lower, upper, flag } => {
                if lower.text == "0" && upper.text == "0" {
                    return Ok(None);
                }
                if matches!(layout, Layout::Cyclic(_)) {
                    return refuse(&lower.span, "a cyclic dimension cannot be expanded");
                }
                let (below, above) = (integer(&lower.text), integer(&upper.text));
                Ok(Some(Widths { below, above, unbound: *flag }))
            }
        }
    }
}

/// The widths of a dimension, and whether they go beyond the bounds of the loop.
struct Widths {
    below: String,
    above: String,
    unbound: bool,
}

impl Own {
    /// These indices and those around them, and by how much the iterations go beyond the bounds of the loop.
    fn expanded(&self, widths: Option<Widths>) -> (Self, Option<(String, String)>) {
        let Some(Widths { below, above, unbound }) = widths else { return (self.clone(), None) };
        let own = Self {
            first: format!("{} - {}", self.first, operand(&below)),
            last: format!("{} + {}", self.last, operand(&above)),
            ..self.clone()
        };
        (own, unbound.then_some((below, above)))
    }

    /// What one side of a margin has of them, which the variable `side` counts; this is dimension `nth` of the nest.
    fn on_side(
        &self,
        widths: Option<Widths>,
        nth: usize,
        side: &str,
    ) -> (Self, Option<(String, String)>) {
        let none = || Widths { below: "0".into(), above: "0".into(), unbound: false };
        let Widths { below, above, unbound } = widths.unwrap_or_else(none);
        let Self { first, last, .. } = self;
        let end = |which| {
            format!("xmprt_fortran_side({first}, {last}, {below}, {above}, {nth}, {side}, {which})")
        };
        let own = Self { first: end(1), last: end(2), ..self.clone() };
        let beyond = unbound.then(|| (format!("max({below}, 0)"), format!("max({above}, 0)")));
        (own, beyond)
    }
}

/// The loop variable and the offset of a subscript of `on`; none for `*`, `:` and values.
fn index(subscript: &Subscript, of: &Loop) -> Option<(String, String)> {
    let Subscript::At(text) = subscript else { return None };
    let lower = text.text.to_ascii_lowercase();
    let (name, offset) = index_and_offset(&lower)?;
    let listed = of.indices.is_empty() || of.indices.iter().any(|index| index.text == name);
    listed.then(|| (name.to_owned(), offset))
}

fn no_loop(subscript: &Subscript, name: &str) -> Diagnostic {
    Diagnostic::new(
        subscript.span().clone(),
        format!("no `do` statement behind the directive counts `{name}`"),
    )
}
