//! Iterations of a `loop` that communicate: the nodes of `on` execute an iteration, so they are its executing nodes.

use super::counted::Counted;
use super::syntax::descendants;
use super::unit::{TranslationResult, Unit};
use crate::directive::{Kind, Loop};
use crate::meaning::Target;
use crate::meaning::nest::is_of_executing_nodes;
use std::ops::Range;

impl Unit<'_> {
    /// Has the nodes of `on` execute each iteration of the innermost loop as a task, if it communicates. Iterations beyond the part of
    /// a node, which `expand` and its like add, have other nodes.
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
        let is_call = |node: &tree_sitter::Node<'_>| {
            let called = node.child_by_field_name("function");
            node.kind() == "call_expression"
                && called.is_some_and(|of| !self.normal.text[of.byte_range()].starts_with("xmp"))
        };
        let mut directives = self.directives.iter();
        let communicates = directives
            .any(|of| inside.contains(&of.span.start) && is_of_executing_nodes(&of.kind))
            || matches!(target, Target::Nodes(_)) && descendants(body).iter().any(is_call);
        if of.extent.is_none() && communicates {
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
