//! The subscripts of distributed loops.

use super::sections::Pick;
use super::syntax::descendants;
use super::unit::{Done, Unit};
use crate::meaning::reach::{Array, LoopVariable, Written};
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
            let written = |(pick, place): &'_ (Pick, Range<usize>)| match pick {
                Pick::At(text) => Some((text.clone(), place.clone())),
                _ => None,
            };
            let written: Vec<_> = chain.picks.iter().map(written).collect();
            let subscripts: Vec<Option<Written<'_>>> = written
                .iter()
                .map(|of| {
                    let (text, place) = of.as_ref()?;
                    Some(Written { text, code: text, place: place.clone() })
                })
                .collect();
            let template = &self.objects.templates[array.template].declared.name.text;
            let array = Array {
                name: &array.name.text,
                dims: &array.dims,
                shadow: &array.shadow,
                template: (array.template, template),
            };
            counted.check_reference(array, &subscripts)?;
        }
        Ok(())
    }
}
