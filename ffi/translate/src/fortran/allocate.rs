//! `allocate` and `deallocate` of distributed arrays.

use super::declarations;
use super::make::{memory, part_bounds, placed};
use super::objects::ArrayObject;
use super::source::Statement;
use super::tokens::{action, behind, closing, split};
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
            let Some(open) = open else {
                return Err(Diagnostic::new(
                    statement.span(span),
                    "the bounds of a distributed array are missing",
                )
                .help("write them: `allocate(a(n))`"));
            };
            let Some(variable) = &array.variable else {
                return Err(Diagnostic::new(
                    statement.span(span),
                    format!("`{}` is declared in another file", array.name),
                )
                .help("allocate it in a procedure of its module"));
            };
            let mut variable = variable.clone();
            let close = closing(&statement.code, open).unwrap_or(span.end - 1);
            variable.dims = declarations::bounds(statement, open + 1..close);
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
            text += &statement.text[at..=open];
            text += &part_bounds(&array);
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
