//! `reduction`, as a directive and as a clause of `loop`.

use super::communicate::id_or_null;
use super::data::Data;
use super::make::doing;
use super::on::object;
use super::unit::Unit;
use crate::diagnostics::Diagnostic;
use crate::directive::{Loop, Operator, Reduction, Text};
use crate::meaning::naming;
use crate::meaning::nest::Axis;
use crate::meaning::reduction::{is_on_all, operator};

/// An operator as an argument.
fn named(of: Operator) -> &'static str {
    match of {
        Operator::Sum | Operator::Minus => "XMPRT_SUM",
        Operator::Product => "XMPRT_PRODUCT",
        Operator::BitAnd => "XMPRT_BIT_AND",
        Operator::And => "XMPRT_AND",
        Operator::BitOr => "XMPRT_BIT_OR",
        Operator::Or => "XMPRT_OR",
        Operator::BitXor => "XMPRT_BIT_XOR",
        Operator::Max => "XMPRT_MAX",
        Operator::Min => "XMPRT_MIN",
        Operator::FirstMax => "XMPRT_FIRST_MAX",
        Operator::FirstMin => "XMPRT_FIRST_MIN",
        Operator::LastMax => "XMPRT_LAST_MAX",
        Operator::LastMin => "XMPRT_LAST_MIN",
        Operator::Eqv => "XMPRT_EQV",
        Operator::Neqv => "XMPRT_NEQV",
    }
}

impl Unit<'_> {
    /// For each variable of a reduction: the statements before and after a loop. `on` is the nodes, as two arguments.
    ///
    /// # Errors
    /// As [`Unit::data`].
    pub fn reduction(
        &self,
        of: &Reduction,
        on: &str,
        id: Option<&Text>,
    ) -> Result<Vec<(String, String)>, Diagnostic> {
        let id = id_or_null(id);
        let mut all = Vec::new();
        for (variable, locations) in &of.variables {
            let operator = operator(of, locations)?;
            let name = naming("reduction", &self.source[variable.span.clone()]);
            let Data { address, count, element } = self.data(variable)?;
            let what =
                format!("{address}, {count}, XMPRT_ELEMENT_TYPE({element}), {}", named(operator));
            if !operator.has_location() {
                let prepare = format!("xmprt_neutral({what}, {on})");
                let combine = format!("xmprt_reduce({what}, {on}, {id})");
                all.push((format!(" {}", doing(&name, &prepare)), doing(&name, &combine)));
                continue;
            }
            let mut variables = Vec::new();
            for location in locations {
                let Data { address, count, element } = self.data(location)?;
                let bytes = format!("(size_t)({count}) * sizeof({element})");
                variables.push(format!("{{{address}, {bytes}, XMPRT_ELEMENT_TYPE({element})}}"));
            }
            let variables =
                format!("{}, (xmprt_location[]){{{}}}", variables.len(), variables.join(", "));
            let call = format!("xmprt_reduce_located({what}, {variables}, {on})");
            all.push((String::new(), doing(&name, &call)));
        }
        Ok(all)
    }

    /// Adds statements that prepare the variables of `reduction` clauses to `text`. Returns the statements after the
    /// loop.
    ///
    /// # Errors
    /// As [`Unit::reduction`].
    pub fn reductions_of_loop(
        &self,
        of: &Loop,
        axes: &[Axis<'_>],
        text: &mut String,
    ) -> Result<String, Diagnostic> {
        if of.reductions.is_empty() {
            return Ok(String::new());
        }
        let on = if is_on_all(axes) {
            self.objects.on(None)?
        } else {
            let range = |axis: &Axis<'_>| match axis {
                Axis::Own | Axis::Value(_) => "xmprt_own()",
                Axis::All | Axis::Counted(_) => "xmprt_whole()",
            };
            let ranges: Vec<&str> = axes.iter().map(range).collect();
            format!("{}, (xmprt_range[]){{{}}}", object(&of.on), ranges.join(", "))
        };
        let mut after = String::new();
        for reduction in &of.reductions {
            for (prepare, combine) in self.reduction(reduction, &on, None)? {
                *text += &prepare;
                after += &format!(" {combine}");
            }
        }
        Ok(after)
    }
}
