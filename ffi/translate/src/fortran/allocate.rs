//! `allocate` and `deallocate` of distributed arrays.

use super::declarations::{self, Bounds};
use super::make::{memory, part_bounds, placed};
use super::objects::ArrayObject;
use super::pointers::are_alike;
use super::source::Statement;
use super::tokens::{action, behind, closing, split, trimmed};
use super::unit::{Done, Unit, descriptor};
use super::writer::Code;
use crate::diagnostics::{Diagnostic, refuse};
use std::ops::Range;

impl Unit<'_> {
    /// Translates a statement that allocates or frees distributed arrays.
    ///
    /// # Errors
    /// For bounds that are missing.
    pub fn allocation(&mut self, item: usize) -> Done {
        let statement = self.statement(item);
        let start = action(&statement.code);
        let condition = (start > 0).then(|| statement.text[..start].trim_end().to_owned());
        let rest = &statement.code[start..];
        let code = if behind(rest, &["allocate"]).is_some_and(|rest| rest.starts_with('(')) {
            self.allocated(item, statement, start)?
        } else if behind(rest, &["deallocate"]).is_some_and(|rest| rest.starts_with('(')) {
            self.freed(item, statement, start)
        } else {
            return Ok(());
        };
        let Some(mut code) = code else { return Ok(()) };
        if let Some(condition) = condition {
            code.insert(0, format!("{condition} then").into());
            code.push("end if".into());
        }
        let scope = self.scope_of(item);
        self.needs[scope].interfaces = true;
        self.output.replace(item, code);
        Ok(())
    }

    /// The distributed arrays in the list of a statement, with their places.
    fn listed(
        &self,
        item: usize,
        statement: &Statement,
        start: usize,
    ) -> Vec<(Range<usize>, &ArrayObject)> {
        let scope = self.scope_of(item);
        let Some(open) = statement.code[start..].find('(').map(|at| start + at) else {
            return Vec::new();
        };
        let Some(close) = closing(&statement.code, open) else { return Vec::new() };
        let entries = split(&statement.code, open + 1..close, b',').into_iter();
        let array = |span: Range<usize>| {
            let entry = &statement.code[span.clone()];
            let name = entry.split('(').next().unwrap_or_default().replace(' ', "");
            let (_, array) = self.objects.array_at(&name, scope)?;
            Some((span, array))
        };
        entries.filter_map(array).collect()
    }

    fn allocated(
        &self,
        item: usize,
        statement: &Statement,
        start: usize,
    ) -> Result<Option<Vec<Code>>, Diagnostic> {
        let (mut before, mut behind): (Vec<Code>, Vec<Code>) = Default::default();
        let mut text = String::new();
        let mut at = start;
        for (span, array) in self.listed(item, statement, start) {
            let open = statement.code[span.clone()].find('(').map(|at| span.start + at);
            self.check_source(item, statement, start, array)?;
            let model = open.is_none().then(|| self.model(item, statement, start)).flatten();
            if open.is_none() && model.is_none_or(|(_, model)| model.dims.len() != array.dims.len())
            {
                return Err(Diagnostic::new(
                    statement.span(span),
                    "the bounds of a distributed array are missing",
                )
                .help(
                    "write them: `allocate(a(n))`, or those of an array: `allocate(a, source=b)`",
                ));
            }
            let Some(variable) = &array.variable else {
                return Err(Diagnostic::new(
                    statement.span(span),
                    format!("`{}` is declared in another file", array.name),
                )
                .help("allocate it in a procedure of its module"));
            };
            let mut variable = variable.clone();
            let (open, close) = match open {
                Some(open) => (open + 1, closing(&statement.code, open).unwrap_or(span.end - 1)),
                None => (span.end, span.end),
            };
            variable.dims = match model {
                Some((_, model)) => bounds_of(model),
                None => declarations::bounds(statement, open..close),
            };
            if variable.dims.len() != array.dims.len() {
                let wrong = format!(
                    "{} bounds for {} dimensions of `{}`",
                    variable.dims.len(),
                    array.dims.len(),
                    array.name
                );
                return refuse(statement.span(span), wrong);
            }
            let array = ArrayObject { variable: Some(variable), ..array.clone() };
            before.extend(self.make_array(&array)?);
            before.push(memory(&array));
            behind.push(placed(&array, false));
            text += &statement.text[at..open];
            text += &match model {
                Some(_) => format!("({})", part_bounds(&array)),
                None => part_bounds(&array),
            };
            at = close;
        }
        if before.is_empty() {
            return Ok(None);
        }
        text += &statement.text[at..];
        before.push(text.into());
        before.append(&mut behind);
        Ok(Some(before))
    }

    /// What a statement allocates by: the word `source` or `mold`, and the place of the expression.
    fn origin<'s>(
        &self,
        statement: &'s Statement,
        start: usize,
    ) -> Option<(&'s str, Range<usize>)> {
        let code = &statement.code;
        let open = start + code[start..].find('(')?;
        let entries = split(code, open + 1..closing(code, open)?, b',').into_iter();
        entries.into_iter().find_map(|span| {
            let (word, _) = code[span.clone()].split_once('=')?;
            let value = trimmed(code, span.start + word.len() + 1..span.end);
            ["source", "mold"].contains(&word.trim()).then(|| (word.trim(), value))
        })
    }

    /// The distributed array that a statement allocates by, and whether it gives the values.
    fn model(
        &self,
        item: usize,
        statement: &Statement,
        start: usize,
    ) -> Option<(bool, &ArrayObject)> {
        let (word, value) = self.origin(statement, start)?;
        let name = statement.code[value].replace(' ', "");
        let (_, array) = self.objects.array_at(&name, self.scope_of(item))?;
        Some((word == "source", array))
    }

    /// Refuses values for the part of an array that are not its elements.
    fn check_source(
        &self,
        item: usize,
        statement: &Statement,
        start: usize,
        array: &ArrayObject,
    ) -> Done {
        let Some((word, value)) = self.origin(statement, start) else { return Ok(()) };
        let name = statement.code[value.clone()].trim();
        let title = match self.model(item, statement, start) {
            Some((true, model)) if !are_alike(array, model) => {
                format!("`{}` and `{name}` are distributed in different ways", array.name)
            }
            None if word == "source" && self.is_array(item, name) => {
                format!(
                    "`{name}` is not distributed, and has other elements than a part of `{}`",
                    array.name
                )
            }
            _ => return Ok(()),
        };
        Err(Diagnostic::new(statement.span(value), title)
            .help("allocate the array with bounds, and assign its values in a loop"))
    }

    /// Whether a name is one of an array that a scope around a statement declares.
    fn is_array(&self, item: usize, name: &str) -> bool {
        let around = |scope: &usize| self.scopes.all[*scope].parent;
        let mut scopes = std::iter::successors(Some(self.scope_of(item)), around);
        let declared =
            scopes.find_map(|of| declarations::variable(self.items, &self.scopes.all[of], name));
        declared.is_some_and(|of| !of.dims.is_empty())
    }

    fn freed(&self, item: usize, statement: &Statement, start: usize) -> Option<Vec<Code>> {
        let listed = self.listed(item, statement, start);
        let mut code: Vec<Code> = listed
            .iter()
            .map(|(_, array)| format!("call xmptf_end({})", descriptor(&array.name)).into())
            .collect();
        if code.is_empty() {
            return None;
        }
        code.push(statement.text[start..].into());
        Some(code)
    }
}

/// The bounds that an array has when a statement is executed.
fn bounds_of(array: &ArrayObject) -> Vec<Bounds> {
    let bound =
        |which: &str, dim: usize| format!("xmptf_{which}({}, {dim})", descriptor(&array.name));
    let dims = 1..=array.dims.len();
    dims.map(|dim| Bounds { lower: bound("lower", dim), upper: Some(bound("upper", dim)) })
        .collect()
}
