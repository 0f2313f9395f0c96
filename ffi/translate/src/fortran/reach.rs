//! Checks the subscripts of distributed loops against the shadows of arrays.

use super::objects::{ArrayObject, Layout};
use super::source::Statement;
use super::tokens::{closing, name_at, split, uses};
use super::unit::{Done, Unit};
use crate::directive::{LoopVariable, Width, check_shadow};
use std::mem::discriminant;
use std::ops::Range;

impl Unit<'_> {
    /// Refuses subscripts such as `a(i+2)` in a loop on `t(i)` where the shadow of `a` is narrower than 2, and those of
    /// another dimension. The loop is that of these items.
    ///
    /// # Errors
    /// Names the first one.
    pub fn check_reach(&self, items: Range<usize>, of: LoopVariable<'_>) -> Done {
        for item in items {
            let Some(statement) = self.items[item].statement() else { continue };
            let scope = self.scope_of(item);
            for array in &self.objects.arrays {
                let seen = self.objects.array_at(&array.name, scope);
                if array.variable.is_none() || seen.is_none_or(|(_, seen)| seen.home != array.home)
                {
                    continue;
                }
                for at in uses(&statement.code, &array.name) {
                    self.check_reference(statement, at, array, of)?;
                }
            }
        }
        Ok(())
    }

    /// Checks the subscripts of one reference.
    fn check_reference(
        &self,
        statement: &Statement,
        at: usize,
        array: &ArrayObject,
        of: LoopVariable<'_>,
    ) -> Done {
        let code = &statement.code;
        let rest = &code[at + name_at(&code[at..]).len()..];
        let open = code.len() - rest.trim_start().len();
        let Some(close) = code[open..].starts_with('(').then(|| closing(code, open)).flatten()
        else {
            return Ok(());
        };
        let subscripts = split(code, open + 1..close, b',');
        if subscripts.len() != array.dims.len() {
            return Ok(());
        }
        let (of_loop, of_array) =
            (&self.objects.templates[of.template], &self.objects.templates[array.template]);
        let by_loop = of_loop.layouts.get(of.axis);
        for (nth, (dim, span)) in array.dims.iter().zip(subscripts).enumerate() {
            let Some(aligned) = &dim.with else { continue };
            let shadow = array.shadow.get(nth);
            if dim.layout == Layout::Whole || matches!(shadow, Some(Width::Full(_))) {
                continue;
            }
            let subscript = &code[span.clone()];
            if array.template != of.template {
                let is_other = by_loop
                    .is_some_and(|by_loop| discriminant(by_loop) != discriminant(&dim.layout));
                if is_other && of.is_in(subscript) {
                    let (of_loop, of_array) = (&of_loop.name, &of_array.name);
                    let place = statement.span(span);
                    return Err(of.dealt_otherwise(of_loop, &array.name, of_array, place));
                }
                continue;
            }
            of.check_axis(subscript, aligned, statement.span(span.clone()))?;
            if dim.layout != Layout::Piece {
                continue;
            }
            if let Some(reach) = of.reach(subscript, aligned) {
                let text = &statement.text[span.clone()];
                check_shadow(&array.name, shadow, reach, text, statement.span(span))?;
            }
        }
        Ok(())
    }
}
