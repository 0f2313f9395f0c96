//! Checks the subscripts of distributed loops against the shadows of arrays.

use super::objects::Layout;
use super::sections::Pick;
use super::syntax::descendants;
use super::unit::{Done, Unit};
use crate::directive::{LoopVariable, Width, check_shadow};
use std::mem::discriminant;
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
            let is_same = array.template == counted.template;
            let templates = &self.objects.templates;
            let of_loop = &templates[counted.template];
            let by_loop = of_loop.formats.get(counted.axis).map(Layout::of);
            for (nth, (pick, place)) in chain.picks.iter().enumerate() {
                let dim = &array.dims[nth];
                let (Pick::At(text), Some(aligned)) = (pick, &dim.with) else { continue };
                let shadow = array.shadow.get(nth);
                if dim.layout == Layout::Whole || matches!(shadow, Some(Width::Full(_))) {
                    continue;
                }
                if !is_same {
                    let is_other = by_loop
                        .as_ref()
                        .is_some_and(|by_loop| discriminant(by_loop) != discriminant(&dim.layout));
                    if is_other && counted.is_in(text) {
                        let of_array = &templates[array.template].declared.name.text;
                        let of_loop = &of_loop.declared.name.text;
                        let name = &array.name.text;
                        return Err(counted.dealt_otherwise(
                            of_loop,
                            name,
                            of_array,
                            place.clone(),
                        ));
                    }
                    continue;
                }
                counted.check_axis(text, aligned, place.clone())?;
                if dim.layout != Layout::Piece {
                    continue;
                }
                if let Some(reach) = counted.reach(text, aligned) {
                    check_shadow(&array.name.text, shadow, reach, text, place.clone())?;
                }
            }
        }
        Ok(())
    }
}
