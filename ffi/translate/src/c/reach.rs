//! Checks the subscripts of distributed loops against the shadows of arrays.

use super::objects::Layout;
use super::sections::Pick;
use super::syntax::descendants;
use super::unit::{Done, Unit};
use crate::directive::{LoopVariable, check_shadow};
use std::ops::Range;

impl Unit<'_> {
    /// Refuses subscripts such as `a[i+2]` in a loop on `t(i)` where the shadow of `a` is narrower than 2.
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
            if array.template != counted.template || chain.picks.len() != array.dims.len() {
                continue;
            }
            for (nth, (pick, place)) in chain.picks.iter().enumerate() {
                let dim = &array.dims[nth];
                let (Pick::At(text), Some(aligned), Layout::Piece) = (pick, &dim.with, &dim.layout)
                else {
                    continue;
                };
                if let Some(reach) = counted.reach(text, aligned) {
                    let shadow = array.shadow.get(nth);
                    check_shadow(&array.name.text, shadow, reach, text, place.clone())?;
                }
            }
        }
        Ok(())
    }
}
