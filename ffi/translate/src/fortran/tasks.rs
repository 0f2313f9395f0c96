//! `task`: its nodes execute the statements up to its end, unless they leave it before.

use super::classify::Kind;
use super::items::Item;
use super::on::On;
use super::tokens::{action, after};
use super::unit::{TranslationResult, Unit};
use super::writer::{Code, doing};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Kind as Directive, Reference};

impl Unit<'_> {
    /// Enters the nodes of `on`; `nocomm`: which need not be the executing nodes then.
    ///
    /// # Errors
    /// As [`Unit::leave_by_return`]; when `on` refers to something unknown.
    pub fn task(&mut self, item: usize, on: &Reference, nocomm: bool) -> TranslationResult {
        let scope = self.scope_of(item);
        let enter = if nocomm { ("xmprt_is_on", "is") } else { ("xmprt_task_begin", "executes") };
        let code = self.entering(&self.on(on, scope)?, enter, scope);
        self.instead(item, code);
        if nocomm { Ok(()) } else { self.leave_by_return(item) }
    }

    /// Leaves the nodes that the task has entered.
    pub fn end_task(&mut self, item: usize) {
        let mut starts = self.scopes.ends.iter().filter(|(_, last)| **last == item);
        let leave = starts.any(|(start, _)| self.communicates(*start)).then(leaving);
        self.instead(item, leave.into_iter().chain(["end if".into()]).collect());
    }

    /// Statements that enter nodes, by a function with a result of this name: up to `then`.
    pub fn entering(&mut self, on: &On, (enter, result): (&str, &str), scope: usize) -> Vec<Code> {
        let variable = self.counter(scope);
        let call = format!("{enter}({}, {result}={variable})", on.arguments());
        vec![doing("task", &call), format!("if ({variable} /= 0) then").into()]
    }

    /// Whether an item begins a task with communication.
    fn communicates(&self, item: usize) -> bool {
        let directive = self.items[item].directive();
        directive.is_some_and(|of| matches!(of.kind, Directive::Task { nocomm: false, .. }))
    }

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
        let around = |(start, end): &(&usize, &usize)| {
            (**start..**end).contains(&item) && self.communicates(**start)
        };
        let tasks = self.scopes.ends.iter().filter(around).count();
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

/// The statement that leaves a task.
pub fn leaving() -> Code {
    doing("end task", "xmprt_task_end()")
}
