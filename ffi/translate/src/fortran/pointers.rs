//! Pointer assignments to and from distributed arrays.

use super::objects::ArrayObject;
use super::source::Statement;
use super::tokens::{action, assignment, name_at, uses};
use super::unit::{TranslationResult, Unit, descriptor, own};
use super::writer::Code;
use crate::diagnostics::{Diagnostic, refuse};
use crate::meaning::assignment::differ;
use crate::meaning::declare::same_shadow;

impl Unit<'_> {
    /// Translates a pointer assignment: the pointer is distributed as its target is.
    ///
    /// # Errors
    /// When only one side is distributed, and when both are distributed in different ways.
    pub fn association(&mut self, item: usize) -> TranslationResult {
        let (statement, scope) = (self.statement(item), self.scope_of(item));
        let start = action(&statement.code);
        let code = &statement.code[start..];
        let Some(arrow) = assignment(code).filter(|at| code[*at..].starts_with("=>")) else {
            return Ok(());
        };
        let target = arrow + 2..code.len();
        let whole = |part: &str| {
            let name = name_at(part.trim());
            let array = self.objects.array_at(name, scope).map(|(_, array)| array);
            array.map(|array| (array, name == part.trim()))
        };
        let (left, right) = (whole(&code[..arrow]), whole(&code[target.clone()]));
        match (left, right) {
            (None, None) => self.check_target(statement, start + arrow, scope),
            (None, Some((array, _))) => Err(Diagnostic::new(
                statement.whole(),
                format!("a pointer that is not distributed cannot point to `{}`", array.name),
            )
            .help("write an `align` directive for the pointer")),
            (Some((pointer, true)), None) if code[target.clone()].trim().starts_with("null") => {
                let none = format!("{} = 0", descriptor(&pointer.name)).into();
                self.associate(item, start, vec![none]);
                Ok(())
            }
            (Some((pointer, true)), Some((array, true))) => {
                if !are_alike(pointer, array) {
                    let wrong = differ(&pointer.name, &array.name);
                    return Err(Diagnostic::new(statement.whole(), wrong)
                        .help("a pointer has the alignment and the shadow of its target"));
                }
                let (name, of) = (&pointer.name, &array.name);
                let alike = vec![
                    format!("{} = {}", descriptor(name), descriptor(of)).into(),
                    format!("{} = {}", own(name), own(of)).into(),
                ];
                self.associate(item, start, alike);
                Ok(())
            }
            _ => Err(Diagnostic::new(
                statement.whole(),
                "a distributed pointer points to a whole distributed array",
            )
            .help("write both names without subscripts")),
        }
    }

    /// Puts statements after a pointer assignment, which begins there in its statement.
    fn associate(&mut self, item: usize, start: usize, more: Vec<Code>) {
        let statement = self.statement(item);
        let mut code = vec![Code::from(&statement.text[start..])];
        code.extend(more);
        if start > 0 {
            code.insert(0, format!("{} then", statement.text[..start].trim_end()).into());
            code.push("end if".into());
        }
        self.output.replace(item, code);
    }

    /// Refuses a pointer to a part of a distributed array, in whatever expression.
    fn check_target(&self, statement: &Statement, arrow: usize, scope: usize) -> TranslationResult {
        let target = &statement.code[arrow + 2..];
        for array in &self.objects.arrays {
            let seen = self.objects.array_at(&array.name, scope);
            if seen.is_some_and(|(_, seen)| seen.home == array.home)
                && uses(target, &array.name).next().is_some()
            {
                let wrong =
                    format!("a pointer to a part of the distributed array `{}`", array.name);
                return refuse(statement.whole(), wrong);
            }
        }
        Ok(())
    }
}

/// Whether two arrays are distributed in one way, as far as their directives determine it.
pub fn are_alike(left: &ArrayObject, right: &ArrayObject) -> bool {
    let is_known = left.variable.is_some() && right.variable.is_some();
    left.template == right.template
        && left.dims == right.dims
        && (!is_known || same_shadow(left.dims.len(), &left.shadow, &right.shadow))
}
