//! Iterations of a `loop` that communicate become tasks.

use super::counted::Counted;
use super::syntax::descendants;
use super::unit::{TranslationResult, Unit};
use crate::directive::{Kind, Loop};
use crate::meaning::Target;
use crate::meaning::iterations::{Part, are_tasks};
use std::ops::Range;

impl Unit<'_> {
    /// Has the nodes of `on` execute each iteration of the innermost loop as a task, if it communicates.
    ///
    /// # Errors
    /// As [`super::objects::Objects::entering`].
    pub fn enter_iterations(
        &mut self,
        of: &Loop,
        target: Target,
        innermost: &Counted,
    ) -> TranslationResult {
        let Range { start, end } = innermost.statement;
        let statement = self.root.descendant_for_byte_range(start, end);
        let body = statement.and_then(|statement| statement.child_by_field_name("body"));
        let Some((body, header)) = body.and_then(|body| Some((body, body.prev_sibling()?))) else {
            return Ok(());
        };
        // A directive may be between the header and the statement.
        let inside = header.end_byte()..body.end_byte();
        let directives = self.directives.iter().filter(|of| inside.contains(&of.span.start));
        let directives = directives.map(|of| Part::Directive(&of.kind));
        let called = |node: tree_sitter::Node<'_>| {
            let function = node.child_by_field_name("function")?;
            let is_call = node.kind() == "call_expression";
            is_call.then(|| Part::Call(&self.normal.text[function.byte_range()]))
        };
        let calls = descendants(body).into_iter().filter_map(called);
        if are_tasks(of, target, directives.chain(calls)) {
            let enter = self.objects.entering(&of.on, false)?;
            let enter =
                format!(" {{ int xmpt__in XMPRT_ENDS(xmprt_leave) = {enter}; if (xmpt__in)");
            self.edits.wrap(&inside, enter, " }");
        }
        Ok(())
    }

    /// The assignments of `gmove` in a part of the file, whose elements may be on any nodes.
    pub fn moves(&self, part: &Range<usize>) -> Vec<Range<usize>> {
        let directives = self.directives.iter().enumerate();
        let moves = directives.filter(|(_, of)| {
            part.contains(&of.span.start) && matches!(of.kind, Kind::Gmove { .. })
        });
        moves.filter_map(|(nth, _)| self.body_of(nth).ok()).collect()
    }
}
