//! `reduction`, as a directive and as a clause of `loop`.

use super::on::{self, On};
use super::unit::{TranslationResult, Unit, descriptor};
use super::writer::{Code, doing};
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Loop, Reduction, Reference, Subscript, Text};
use crate::meaning::naming;
use crate::meaning::nest::Axis;
use crate::meaning::reduction::{is_on_all, operator};

/// Most location variables of a reduction.
const MAX_LOCATIONS: usize = 15;

/// Statements before and after a loop.
type Around = (Vec<Code>, Vec<Code>);

impl Unit<'_> {
    /// For each variable of a reduction: the statements that prepare it before a loop, and those that combine it.
    fn reduction(&self, of: &Reduction, on: &On, id: Option<&Text>) -> Result<Around, Diagnostic> {
        let (mut before, mut after): Around = Default::default();
        for (variable, locations) in &of.variables {
            let name = self.text(variable);
            let written = naming("reduction", &name);
            let operator = operator(of, locations)?;
            let number = operator.number();
            if locations.len() > MAX_LOCATIONS {
                let wrong = format!("more than {MAX_LOCATIONS} location variables");
                return refuse(&of.span, wrong);
            }
            let what = format!("{name}, {number}, {}", on.arguments());
            if operator.has_location() {
                let locations = locations.iter().enumerate();
                let locations: String = locations
                    .map(|(nth, of)| format!(", l{}={}", nth + 1, self.text(of)))
                    .collect();
                let call = format!("xmprt_fortran_reduce_located({what}{locations})");
                after.push(doing(&written, &call));
            } else {
                before.push(doing(&written, &format!("xmprt_fortran_neutral({what})")));
                let id = with_id(id);
                after.push(doing(&written, &format!("xmprt_fortran_reduce({what}{id})")));
            }
        }
        Ok((before, after))
    }

    /// A variable of a clause, as the user wrote it.
    pub fn text(&self, reference: &Reference) -> String {
        let mut text = reference.name.text.clone();
        if reference.subscripts.is_empty() {
            return text;
        }
        let part =
            |text: &Option<Text>| text.as_ref().map_or(String::new(), |text| text.text.clone());
        let one = |subscript: &Subscript| match subscript {
            Subscript::Star(_) => "*".to_owned(),
            Subscript::All(_) => ":".to_owned(),
            Subscript::At(text) => text.text.clone(),
            Subscript::Range { first, second, step: None, .. } => {
                format!("{}:{}", part(first), part(second))
            }
            Subscript::Range { first, second, step, .. } => {
                format!("{}:{}:{}", part(first), part(second), part(step))
            }
        };
        text +=
            &format!("({})", reference.subscripts.iter().map(one).collect::<Vec<_>>().join(", "));
        text
    }

    /// Translates a `reduction` directive.
    ///
    /// # Errors
    /// For references that do not fit.
    pub fn reduce(
        &mut self,
        item: usize,
        of: &Reduction,
        on: Option<&Reference>,
        id: Option<&Text>,
    ) -> TranslationResult {
        let on = self.on_or_nothing(on, self.scope_of(item))?;
        let (_, code) = self.reduction(of, &on, id)?;
        self.instead(item, code);
        Ok(())
    }

    /// Statements before and after a loop for its `reduction` clauses.
    ///
    /// # Errors
    /// As [`Unit::target`].
    pub fn reductions_of_loop(
        &self,
        of: &Loop,
        axes: &[Axis<'_>],
        scope: usize,
    ) -> Result<Around, Diagnostic> {
        let (mut before, mut after): Around = Default::default();
        if of.reductions.is_empty() {
            return Ok((before, after));
        }
        let on = if is_on_all(axes) {
            On::executing()
        } else {
            self.target(&of.on, scope)?;
            let range = |(range, axis): (on::Range, &Axis<'_>)| match axis {
                Axis::All | Axis::Counted(_) => on::whole(),
                Axis::Own | Axis::Value(_) => range,
            };
            let ranges = on::ranges(&of.on).into_iter().zip(axes).map(range);
            let at = Some(on::list(&ranges.collect::<Vec<_>>()));
            On { object: descriptor(&of.on.name.text), at }
        };
        for reduction in &of.reductions {
            let (prepare, combine) = self.reduction(reduction, &on, None)?;
            before.extend(prepare);
            after.extend(combine);
        }
        Ok((before, after))
    }
}

/// The argument of an operation that has an id; nothing without one.
pub fn with_id(id: Option<&Text>) -> String {
    id.map_or(String::new(), |id| format!(", async=int({}, 8)", id.text))
}
