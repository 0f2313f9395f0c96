//! Iterations of a `loop` that communicate become tasks.

use super::classify::Kind;
use super::items::Item;
use super::tasks::leaving;
use super::tokens::{action, after};
use super::unit::{TranslationResult, Unit};
use super::writer::{Code, doing};
use crate::diagnostics::Diagnostic;
use crate::directive::{self, Loop};
use crate::meaning::Target;
use crate::meaning::iterations::{Part, are_tasks};

impl Unit<'_> {
    /// Has the nodes of `on` execute each iteration of the innermost loop, which begins with this item, as a task, if it communicates.
    ///
    /// # Errors
    /// For statements that leave the loop without its end.
    pub fn enter_iterations(
        &mut self,
        of: &Loop,
        target: Target,
        (start, scope): (usize, usize),
    ) -> TranslationResult {
        let end = self.scopes.ends[&start];
        let mut inside = start + 1..end;
        if !are_tasks(of, target, inside.clone().filter_map(|item| self.part(item))) {
            return Ok(());
        }
        let leaves = |item: &usize| {
            self.items[*item].kind() == Some(&Kind::Return) || self.jumps_out(*item, start..end)
        };
        if let Some(item) = inside.find(leaves) {
            let title = "this statement leaves a loop whose iterations communicate";
            return Err(Diagnostic::new(self.statement(item).whole(), title)
                .help("set a variable, and leave after the loop"));
        }
        self.check_end(start, end)?;
        let entered = self.counter(scope);
        let on = self.on(&of.on, scope)?;
        let leave: Vec<Code> =
            vec![format!("if ({entered} /= 0) then").into(), leaving(), "end if".into()];
        // CYCLE goes to the next iteration, EXIT behind the loop: both leave the iteration there.
        let mut enter = leave.clone();
        let call = format!("xmprt_task_begin({}, executes={entered})", on.arguments());
        enter.push(doing("loop", &call));
        self.output.before(start, vec![format!("{entered} = 0").into()]);
        self.output.after(start, enter);
        self.output.after(end, leave);
        self.needs[scope].interfaces = true;
        Ok(())
    }

    /// A directive, or the call of a subroutine.
    fn part(&self, item: usize) -> Option<Part<'_>> {
        if let Some(directive) = self.items[item].directive() {
            return Some(Part::Directive(&directive.kind));
        }
        let statement = self.items[item].statement()?;
        after(&statement.code[action(&statement.code)..], &["call"]).map(Part::Call)
    }

    /// Whether an item is the assignment of a `gmove`, whose elements may be on any nodes.
    pub fn is_move(&self, item: usize) -> bool {
        let before = item.checked_sub(1).map(|before| &self.items[before]);
        before
            .and_then(Item::directive)
            .is_some_and(|of| matches!(of.kind, directive::Kind::Gmove { .. }))
    }
}
