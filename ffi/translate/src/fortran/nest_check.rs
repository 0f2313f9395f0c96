//! The check that all iterations of a distributed loop belong to nodes that execute.

use super::bounds::{Counted, Step, step, variable_of};
use super::on;
use super::unit::{Unit, descriptor, operand, own};
use super::writer::{Code, doing};
use crate::diagnostics::Diagnostic;
use crate::directive::Reference;
use crate::meaning::Target;
use crate::meaning::nest::Axis;

/// A nest, as the library checks it.
pub struct NestCheck<'a> {
    on: &'a Reference,
    target: Target,
    /// The subscripts of the dimensions that no loop counts.
    at: String,
    /// The variable of a loop on a template that is not 0 where some nodes do not execute, or an index is beyond the template.
    partly: String,
}

/// A loop of a nest.
pub struct Level<'a> {
    /// Its statement.
    pub counted: &'a Counted<'a>,
    /// The dimension that it counts, and the number that is added to its variable.
    pub dim: usize,
    pub offset: &'a str,
    /// The dimensions that loops around it and in it count, as sets of bits.
    pub outer: u32,
    pub inner: u32,
}

impl Unit<'_> {
    /// The check of a nest, and the statements before all of its loops.
    pub fn nest_check<'a>(
        &mut self,
        on: &'a Reference,
        target: Target,
        axes: &[Axis<'_>],
        scope: usize,
    ) -> (NestCheck<'a>, Vec<Code>) {
        self.needs[scope].interfaces = true;
        let name = &on.name.text;
        // The library is asked about each loop on nodes.
        let (partly, mut code) = match target {
            Target::Nodes(_) => (String::new(), Vec::new()),
            Target::Template(..) => {
                let partly = self.counter(scope);
                let code = format!("{partly} = xmprt_partly({})", descriptor(name));
                (partly, vec![code.into()])
            }
        };
        let mut ranges = Vec::new();
        for (dim, axis) in axes.iter().enumerate() {
            ranges.push(match axis {
                Axis::Own => on::own_place(),
                Axis::All | Axis::Counted(_) => on::whole(),
                Axis::Value(text) => {
                    if let Target::Template(number, _) = target {
                        let [lower, upper] = self.bounds_of(number, dim);
                        let index = operand(&text.text);
                        let beyond = format!("{index} < {lower} .or. {index} > {upper}");
                        code.push(format!("if ({beyond}) {partly} = 1").into());
                    }
                    on::single(&text.text)
                }
            });
        }
        (NestCheck { on, target, at: on::list(&ranges), partly }, code)
    }

    /// The bounds of a dimension of a template.
    fn bounds_of(&self, template: usize, dim: usize) -> [String; 2] {
        let own = own(&self.objects.templates[template].name);
        [5, 6].map(|row| format!("{own}({row}, {})", dim + 1))
    }

    /// Checks the iterations of a loop before it.
    ///
    /// # Errors
    /// For a step that is none.
    pub fn check_iterations(
        &mut self,
        check: &NestCheck<'_>,
        level: &Level<'_>,
    ) -> Result<(), Diagnostic> {
        let NestCheck { on, target, at, partly } = check;
        let Level { counted, dim, offset, outer, inner } = level;
        let Counted { item, statement, counter } = counted;
        let [first, last] =
            [&counter.first, &counter.last].map(|span| operand(&statement.text[span.clone()]));
        let (by, sign) = match step(statement, counter)? {
            Step::Number(step) => (step.to_string(), step.signum()),
            Step::Computed(step) => (step.to_owned(), 0),
        };
        let at_index = |value: &str| match *offset {
            "0" => value.to_owned(),
            offset => format!("{value} + {}", operand(offset)),
        };
        let condition = match (target, sign) {
            // Of a step that is computed, the library sees the direction.
            (Target::Nodes(_), _) | (_, 0) => None,
            (Target::Template(number, _), _) => {
                let [lower, upper] = self.bounds_of(*number, *dim);
                let [low, high] = if sign > 0 { [&first, &last] } else { [&last, &first] };
                Some(format!(
                    "{low} <= {high} .and. ({partly} /= 0 .or. {} < {lower} .or. {} > {upper})",
                    at_index(low),
                    at_index(high)
                ))
            }
        };
        let nodes = match target {
            Target::Nodes(_) => on.name.text.clone(),
            Target::Template(number, _) => {
                let distributed = self.objects.templates[*number].distributed.as_ref();
                distributed.map_or(String::new(), |(_, onto)| onto.text.clone())
            }
        };
        let [first, last, by, offset] =
            [&first, &last, &by, *offset].map(|text| format!("int({text}, 8)"));
        let call = format!(
            "xmprt_loop_check({}, {at}, {dim}, {outer}, {inner}, {first}, {last}, {by}, {offset}, '{nodes}'//achar(0))",
            descriptor(&on.name.text)
        );
        let checked = doing(&format!("loop: {}", variable_of(counted)), &call);
        let code = match condition {
            Some(condition) => {
                vec![format!("if ({condition}) then").into(), checked, "end if".into()]
            }
            None => vec![checked],
        };
        self.output.before(self.before_loop(*item), code);
        Ok(())
    }
}
