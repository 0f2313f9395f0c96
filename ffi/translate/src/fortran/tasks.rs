//! Ways out of a task other than its end.

use super::classify::Kind;
use super::directives::leaving;
use super::items::Item;
use super::tokens::{action, after};
use super::unit::{TranslationResult, Unit};
use super::writer::Code;
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive;

impl Unit<'_> {
    /// Has statements that return out of a task leave it before.
    ///
    /// # Errors
    /// For a task without an end, and other statements that leave it.
    pub fn leave_by_return(&mut self, task: usize) -> TranslationResult {
        let Some(end) = self.scopes.ends.get(&task).copied() else {
            let Item::Directive(directive) = &self.items[task] else { return Ok(()) };
            return refuse(&directive.span, "this `task` has no `end task`");
        };
        let inside = task + 1..end;
        if let Some(item) = inside.clone().find(|item| self.jumps_out(*item, inside.clone())) {
            return Err(Diagnostic::new(
                self.statement(item).whole(),
                "this statement leaves a task",
            )
            .help("set a variable, end the task, and leave after it"));
        }
        for inner in inside {
            if self.items[inner].kind() == Some(&Kind::Return) {
                self.return_from_tasks(inner);
            }
        }
        Ok(())
    }

    /// Whether a statement goes on outside of these items, by `exit`, `cycle` or `go to`.
    pub fn jumps_out(&self, item: usize, inside: std::ops::Range<usize>) -> bool {
        let Some(statement) = self.items[item].statement() else { return false };
        let code = statement.code[action(&statement.code)..].trim();
        if let Some(labels) = after(code, &["go", "to"]) {
            let list = labels.strip_prefix('(').and_then(|rest| rest.split_once(')'));
            let labels = list.map_or(labels, |(list, _)| list);
            let is_inside = |label: &str| {
                let mut statements = inside.clone().filter_map(|of| self.items[of].statement());
                statements.any(|of| of.label.as_deref() == Some(label))
            };
            let mut labels =
                labels.split(|c: char| !c.is_ascii_digit()).filter(|label| !label.is_empty());
            return !labels.all(is_inside);
        }
        ["exit", "cycle"].iter().any(|word| after(code, &[word]).is_some())
            && !self.stays(item, code, inside)
    }

    /// Whether the construct that `exit` or `cycle` names, or the loop around it, is among these items.
    fn stays(&self, item: usize, code: &str, inside: std::ops::Range<usize>) -> bool {
        let name = code.trim_start_matches("exit").trim_start_matches("cycle").trim();
        let mut around = inside.take_while(|start| *start < item).filter_map(|start| {
            let statement = self.items[start].statement()?;
            let is_loop = matches!(self.items[start].kind(), Some(Kind::Do(_)));
            let end = self.scopes.ends.get(&start).copied().unwrap_or(usize::MAX);
            (!is_loop || item < end).then_some((statement, is_loop))
        });
        around.any(|(statement, is_loop)| match name {
            "" => is_loop,
            name => {
                let rest = statement.code.strip_prefix(name).map(str::trim_start);
                rest.is_some_and(|rest| rest.starts_with(':'))
            }
        })
    }

    /// Ends the tasks around a statement that returns.
    fn return_from_tasks(&mut self, item: usize) {
        let scope = self.scope_of(item);
        let is_task = |(start, end): &(&usize, &usize)| {
            let Item::Directive(directive) = &self.items[**start] else { return false };
            let is_task = matches!(directive.kind, directive::Kind::Task { nocomm: false, .. });
            is_task && (**start..**end).contains(&item)
        };
        let tasks = self.scopes.ends.iter().filter(is_task).count();
        let statement = self.statement(item);
        let start = action(&statement.code);
        let mut code: Vec<Code> = vec![leaving(); tasks];
        code.push(statement.text[start..].into());
        if start > 0 {
            code.insert(0, format!("{} then", statement.text[..start].trim_end()).into());
            code.push("end if".into());
        }
        self.needs[scope].interfaces = true;
        self.output.replace(item, code);
    }
}
