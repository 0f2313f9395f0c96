//! References that need other text: subscripts of cyclic dimensions become places, `xmp_desc_of` becomes the variable that holds
//! the descriptor.

use super::classify::{Kind as Statements, kind};
use super::coarrays::selectors;
use super::declarations::variable;
use super::extensions::{Changes, changes};
use super::items::Item;
use super::objects::{ArrayObject, Objects};
use super::scopes::Scopes;
use super::source::Statement;
use super::tokens::{action, after, assignment, closing, name_at, outside, split, uses};
use super::unit::{Needs, descriptor, operand, own};
use crate::diagnostics::Diagnostic;
use crate::directive::Kind;
use crate::meaning::Layout;

/// Rewrites the executable statements of a file.
pub fn rewrite(
    items: Vec<Item>,
    scopes: &Scopes,
    objects: &Objects,
    needs: &mut [Needs],
    wrong: &mut Vec<Diagnostic>,
) -> Vec<Item> {
    let cyclic = objects.arrays.iter().filter(|array| is_cyclic(array)).collect();
    let as_integers = are_integers(&items, scopes);
    let mut rewriter = Rewriter { scopes, objects, cyclic, as_integers, needs, wrong };
    // The statement after one of these directives, and those of an input or output block, keep their subscripts.
    let (mut is_next, mut is_in_io) = (false, false);
    let rewritten = |(number, item)| match item {
        Item::Directive(directive) => {
            is_next = matches!(
                directive.kind,
                Kind::Gmove { .. } | Kind::Array { .. } | Kind::MasterIo { begins: false }
            );
            is_in_io = matches!(directive.kind, Kind::MasterIo { begins: true });
            Item::Directive(directive)
        }
        Item::Statement(statement, old) => {
            let keeps_subscripts = std::mem::take(&mut is_next) || is_in_io;
            match rewriter.changes(number, &statement, &old, keeps_subscripts) {
                Some(changes) => {
                    let statement = statement.changed(changes);
                    let new = kind(&statement.code);
                    Item::Statement(statement, new)
                }
                None => Item::Statement(statement, old),
            }
        }
    };
    items.into_iter().enumerate().map(rewritten).collect()
}

/// The statements of a file while they are rewritten.
struct Rewriter<'a> {
    scopes: &'a Scopes,
    objects: &'a Objects,
    /// Arrays with cyclic dimensions.
    cyclic: Vec<&'a ArrayObject>,
    /// Whether the file keeps descriptors in integers.
    as_integers: bool,
    needs: &'a mut [Needs],
    wrong: &'a mut Vec<Diagnostic>,
}

impl Rewriter<'_> {
    /// The changes of a statement; none if it stays as it is.
    fn changes(
        &mut self,
        number: usize,
        statement: &Statement,
        old: &Statements,
        keeps_subscripts: bool,
    ) -> Option<Changes> {
        let scope = self.scopes.of_item[number]?;
        let of = &self.scopes.all[scope];
        if let Some(changes) = changes(statement, number, old, of) {
            return Some(changes);
        }
        // Of a specification part, statement functions have references.
        if number < of.body && *old != Statements::Executable {
            return None;
        }
        let changes = self.references(statement, scope, old, keeps_subscripts);
        (!changes.is_empty()).then(|| nested(changes))
    }

    /// The changes of the references of an executable statement.
    fn references(
        &mut self,
        statement: &Statement,
        scope: usize,
        old: &Statements,
        keeps_subscripts: bool,
    ) -> Changes {
        let objects = self.objects;
        let mut changes = Changes::new();
        match selectors(statement, scope, objects, &mut changes) {
            Ok(changed) => self.needs[scope].interfaces |= changed,
            Err(error) => self.wrong.push(error),
        }
        let before = changes.len();
        descriptors(statement, scope, objects, self.as_integers, &mut changes);
        arguments(statement, scope, objects, &mut changes);
        self.needs[scope].interfaces |= changes.len() > before;
        if keeps_subscripts {
            return changes;
        }
        whole(statement, scope, objects, &mut changes);
        if matches!(old, Statements::Allocate | Statements::Deallocate) {
            return changes;
        }
        let names: Vec<&str> = self.cyclic.iter().map(|array| array.name.as_str()).collect();
        for array in &self.cyclic {
            let seen = objects.array_at(&array.name, scope);
            if seen.is_some_and(|(_, seen)| seen.home == array.home) {
                self.wrong.extend(places(statement, array, &names, &mut changes).err());
            }
        }
        changes
    }
}

/// An assignment to a whole array is one to all of its part: it must not be allocated anew with other bounds.
fn whole(statement: &Statement, scope: usize, objects: &Objects, changes: &mut Changes) {
    let start = action(&statement.code);
    let code = &statement.code[start..];
    let Some(equals) = assignment(code).filter(|at| !code[*at..].starts_with("=>")) else { return };
    let name = code[..equals].trim_end();
    if let Some((_, array)) = objects.array_at(name, scope) {
        let all = vec![":"; array.dims.len()].join(", ");
        let end = start + name.len();
        changes.push((end..end, format!("({all})")));
    }
}

/// Arguments of the library's procedures that are descriptors: `call xmp_transpose(a, b, 0)`.
fn arguments(statement: &Statement, scope: usize, objects: &Objects, changes: &mut Changes) {
    let code = &statement.code;
    let Some(rest) = after(code, &["call"]).filter(|rest| rest.starts_with("xmp_")) else {
        return;
    };
    let open = code.len() - rest.len() + name_at(rest).len();
    let Some(close) = code[open..].starts_with('(').then(|| closing(code, open)).flatten() else {
        return;
    };
    for span in split(code, open + 1..close, b',') {
        if objects.array_at(&code[span.clone()], scope).is_some() {
            changes.push((span.clone(), format!("xmprt_descriptor({})", descriptor(&code[span]))));
        }
    }
}

fn is_cyclic(array: &ArrayObject) -> bool {
    array.dims.iter().any(|dim| dim.layout.is_cyclic())
}

/// Whether a file keeps descriptors in integers, and not in variables of their type: its calls have integers as arguments then.
fn are_integers(items: &[Item], scopes: &Scopes) -> bool {
    let is_integer = |name: &str, scope: usize| {
        let around = std::iter::successors(Some(scope), |scope| scopes.all[*scope].parent);
        let mut found = around.filter_map(|of| variable(items, &scopes.all[of], name));
        found.next().is_some_and(|of| of.type_code.starts_with("integer"))
    };
    items.iter().enumerate().any(|(number, item)| {
        let (Some(statement), Some(scope)) = (item.statement(), scopes.of_item[number]) else {
            return false;
        };
        let code = &statement.code[action(&statement.code)..];
        assignment(code).is_some_and(|equals| {
            after(code[equals + 1..].trim_start(), &["xmp_desc_of"]).is_some()
                && is_integer(name_at(code), scope)
        })
    })
}

/// `xmp_desc_of(a)`
fn descriptors(
    statement: &Statement,
    scope: usize,
    objects: &Objects,
    as_integers: bool,
    changes: &mut Changes,
) {
    let code = &statement.code;
    for at in uses(code, "xmp_desc_of") {
        let open = at + "xmp_desc_of".len();
        let open = open + code[open..].len() - code[open..].trim_start().len();
        let Some(close) = code[open..].starts_with('(').then(|| closing(code, open)).flatten()
        else {
            continue;
        };
        let name = code[open + 1..close].trim();
        let known = objects.nodes_at(name, scope).is_some()
            || objects.template_at(name, scope).is_some()
            || objects.array_at(name, scope).is_some();
        if known {
            let variable = descriptor(name);
            let function =
                if as_integers { "xmprt_descriptor" } else { "xmprt_fortran_descriptor" };
            let value = format!("{function}({variable})");
            changes.push((at..close + 1, value));
        }
    }
}

/// Subscripts of the cyclic dimensions of an array. Inner references come after outer ones.
fn places(
    statement: &Statement,
    array: &ArrayObject,
    cyclic: &[&str],
    changes: &mut Changes,
) -> Result<(), Diagnostic> {
    let code = &statement.code;
    for at in uses(code, &array.name) {
        debug_assert_eq!(name_at(&code[at..]), array.name);
        let after = at + array.name.len();
        let open = after + code[after..].len() - code[after..].trim_start().len();
        if !code[open..].starts_with('(') {
            continue;
        }
        let Some(close) = closing(code, open) else { continue };
        let subscripts = split(code, open + 1..close, b',');
        if subscripts.len() != array.dims.len() {
            continue;
        }
        for (nth, (dim, span)) in array.dims.iter().zip(subscripts).enumerate() {
            let Layout::Cyclic(single) = dim.layout else { continue };
            if outside(&code[span.clone()], |rest| rest.starts_with(':')).is_some() {
                if code[span.clone()].trim() == ":" {
                    continue;
                }
                let title =
                    format!("a section of the cyclic dimension {} of `{}`", nth + 1, array.name);
                return Err(Diagnostic::new(statement.span(span), title)
                    .help("write a loop with a `loop` directive, or a `gmove`"));
            }
            let index = operand(&statement.text[span.clone()]);
            if !single && cyclic.iter().any(|name| uses(&code[span.clone()], name).next().is_some())
            {
                let title = format!("a cyclic array in a subscript of `{}`", array.name);
                return Err(Diagnostic::new(statement.span(span), title)
                    .help("assign the subscript to a variable first"));
            }
            let [before, after] = around_place(array, nth, single, &index);
            changes.push((
                span.start..span.start,
                before + if index.starts_with('(') { "(" } else { "" },
            ));
            changes.push((
                span.end..span.end,
                if index.starts_with('(') { ")" } else { "" }.to_owned() + &after,
            ));
        }
    }
    Ok(())
}

/// The text around an index of a cyclic dimension that makes a place of it; `single`: blocks have one index.
pub fn around_place(array: &ArrayObject, dim: usize, single: bool, index: &str) -> [String; 2] {
    let part = |row: u8| format!("{}({row}, {})", own(&array.name), dim + 1);
    let (origin, width, distance) = (part(3), part(4), part(5));
    if single {
        return ["(".to_owned(), format!(" - {origin})/{distance}")];
    }
    [format!("{width}*(("), format!(" - {origin})/{distance}) + mod({index} - {origin}, {width})")]
}

/// Changes in order; changes within others are left out.
fn nested(mut changes: Changes) -> Changes {
    changes.sort_by_key(|(span, _)| (span.start, span.end));
    let mut kept: Changes = Vec::new();
    for change in changes {
        if kept.last().is_none_or(|(last, _)| change.0.start >= last.end) {
            kept.push(change);
        }
    }
    kept
}
