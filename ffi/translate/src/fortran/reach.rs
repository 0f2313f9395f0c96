//! Checks the subscripts of distributed loops against the shadows of arrays.

use super::objects::{ArrayObject, Layout};
use super::source::Statement;
use super::tokens::{closing, split, uses};
use super::unit::{Done, Unit};
use crate::directive::{ArrayTemplate, Dimension, LoopVariable};
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
        let rest = &code[at + array.name.len()..];
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
            if dim.layout == Layout::Whole {
                continue;
            }
            let template = if array.template == of.template {
                ArrayTemplate::Same
            } else {
                ArrayTemplate::other((&of_loop.name, by_loop), (&of_array.name, &dim.layout))
            };
            let dimension = Dimension {
                array: &array.name,
                subscript: &code[span.clone()],
                aligned,
                shadow: array.shadow.get(nth),
                is_piece: dim.layout == Layout::Piece,
                template,
            };
            of.check(&statement.text[span.clone()], statement.span(span), dimension)?;
        }
        Ok(())
    }
}
