//! `image`: the synchronisation after it concerns the images of some nodes.

use super::make::doing;
use super::on::PREFIX;
use super::syntax::statement_after;
use super::unit::{TranslationResult, Unit};
use crate::diagnostics::Diagnostic;
use crate::directive::{Directive, Text};
use crate::meaning::declare::unknown;
use crate::meaning::{IMAGE_INDICES, Language};

/// The procedures of the library whose images the directive can name.
const SYNCHRONISE: [&str; 4] =
    ["xmp_sync_all", "xmp_sync_image", "xmp_sync_images", "xmp_sync_images_all"];

impl Unit<'_> {
    /// Translates an `image` directive and the call after it.
    ///
    /// # Errors
    /// When nodes are unknown, or no call follows that synchronises images.
    pub fn image(&mut self, nth: usize, directive: &Directive, nodes: &Text) -> TranslationResult {
        let Some(declared) = self.objects.nodes_at(nodes) else {
            return Err(unknown("nodes", nodes, Language::C));
        };
        let name = &declared.declared.shape.name.text;
        let body = self.body_of(nth)?;
        let statement = statement_after(self.root, &self.normal.text, directive.span.end);
        let called = statement
            .filter(|statement| statement.kind() == "expression_statement")
            .and_then(|statement| statement.named_child(0))
            .filter(|call| call.kind() == "call_expression")
            .and_then(|call| call.child_by_field_name("function"))
            .map(|function| &self.source[function.byte_range()]);
        if !called.is_some_and(|called| SYNCHRONISE.contains(&called)) {
            let wrong = "a call of `xmp_sync_all` or of another procedure that synchronises images has to \
                         follow the `image` directive";
            return Err(Diagnostic::new(body, wrong).help(IMAGE_INDICES));
        }
        let call = doing("image", &format!("xmprt_image({PREFIX}{name})"));
        let text = format!("{{ {call}");
        self.edits.replace(directive.span.clone(), text);
        self.edits.insert(body.end, " }");
        Ok(())
    }
}
