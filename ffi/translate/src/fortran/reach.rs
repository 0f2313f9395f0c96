//! The subscripts of distributed loops.

use super::objects::ArrayObject;
use super::source::Statement;
use super::tokens::{closing, split, uses};
use super::unit::{Done, Unit};
use crate::meaning::reach::{Array, LoopVariable, Written};
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
        let spans = split(code, open + 1..close, b',');
        let written = |span: Range<usize>| Written {
            text: &statement.text[span.clone()],
            code: &code[span.clone()],
            place: statement.span(span),
        };
        let subscripts: Vec<_> = spans.into_iter().map(|span| Some(written(span))).collect();
        let array = Array {
            name: &array.name,
            dims: &array.dims,
            shadow: &array.shadow,
            template: (array.template, &self.objects.templates[array.template].name),
        };
        of.check_reference(array, &subscripts)
    }
}
