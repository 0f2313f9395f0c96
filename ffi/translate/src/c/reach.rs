//! Checks the subscripts of distributed loops against the shadows of arrays.

use super::objects::Layout;
use super::sections::Pick;
use super::syntax::descendants;
use super::unit::{Done, Unit};
use crate::directive::{ArrayTemplate, Dimension, LoopVariable};
use std::ops::Range;

impl Unit<'_> {
    /// Refuses subscripts such as `a[i+2]` in a loop on `t(i)` where the shadow of `a` is narrower than 2, and those of another
    /// dimension.
    ///
    /// # Errors
    /// Names the first one.
    pub fn check_reach(&self, body: &Range<usize>, counted: LoopVariable<'_>) -> Done {
        let statement = self.root.descendant_for_byte_range(body.start, body.end);
        for node in statement.map(descendants).unwrap_or_default() {
            let inside = body.start <= node.start_byte() && node.end_byte() <= body.end;
            if node.kind() != "identifier" || !inside {
                continue;
            }
            let chain = self.chain(node);
            let Some(array) = chain.variable.and_then(|number| self.objects.array_of(number))
            else {
                continue;
            };
            if chain.picks.len() != array.dims.len() {
                continue;
            }
            let templates = &self.objects.templates;
            let (of_loop, of_array) = (&templates[counted.template], &templates[array.template]);
            let by_loop = of_loop.formats.get(counted.axis).map(Layout::of);
            for (nth, (pick, place)) in chain.picks.iter().enumerate() {
                let dim = &array.dims[nth];
                let (Pick::At(text), Some(aligned)) = (pick, &dim.with) else { continue };
                if dim.layout == Layout::Whole {
                    continue;
                }
                let template = if array.template == counted.template {
                    ArrayTemplate::Same
                } else {
                    ArrayTemplate::other(
                        (&of_loop.declared.name.text, by_loop.as_ref()),
                        (&of_array.declared.name.text, &dim.layout),
                    )
                };
                let of = Dimension {
                    array: &array.name.text,
                    subscript: text,
                    aligned,
                    shadow: array.shadow.get(nth),
                    is_piece: dim.layout == Layout::Piece,
                    template,
                };
                counted.check(text, place.clone(), of)?;
            }
        }
        Ok(())
    }
}
