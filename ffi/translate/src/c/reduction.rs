//! `reduction`, as a directive and as a clause of `loop`.

use super::communicate::id_or_null;
use super::data::Data;
use super::make::doing;
use super::on::Target;
use super::unit::Unit;
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Loop, Operator, Reduction, Text};

/// An operator as an argument.
fn operator(of: Operator) -> &'static str {
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
    /// For each variable of a reduction: what prepares it before a loop, and what combines it. `on` is the nodes, as two arguments.
    ///
    /// # Errors
    /// As [`Unit::data`].
    pub fn reduction(
        &self,
        of: &Reduction,
        on: &str,
        id: Option<&Text>,
    ) -> Result<Vec<(String, String)>, Diagnostic> {
        let op = operator(of.operator);
        let id = id_or_null(id);
        let mut all = Vec::new();
        for (variable, locations) in &of.variables {
            let Data { address, count, element } = self.data(variable)?;
            let what = format!("{address}, {count}, XMPRT_TYPE({element}), {op}");
            let max_or_min = matches!(of.operator, Operator::Max | Operator::Min);
            if locations.is_empty() && !of.operator.has_location() {
                let prepare = format!("xmprt_neutral({what}, {on})");
                let combine = format!("xmprt_reduce({what}, {on}, {id})");
                all.push((
                    format!(" {}", doing("reduction", &prepare)),
                    doing("reduction", &combine),
                ));
                continue;
            }
            if !of.operator.has_location() && !max_or_min {
                return refuse(&of.span, "this operator has no location variables");
            }
            let mut variables = Vec::new();
            for location in locations {
                let Data { address, count, element } = self.data(location)?;
                let bytes = format!("(size_t)({count}) * sizeof({element})");
                variables.push(format!("{{{address}, {bytes}, XMPRT_TYPE({element})}}"));
            }
            let variables =
                format!("{}, (xmprt_location[]){{{}}}", variables.len(), variables.join(", "));
            let call = format!("xmprt_reduce_located({what}, {variables}, {on})");
            all.push((String::new(), doing("reduction", &call)));
        }
        Ok(all)
    }

    /// Adds statements that prepare the variables of `reduction` clauses to `text`.
    /// Returns the statements behind the loop.
    ///
    /// # Errors
    /// As [`Unit::reduction`].
    pub fn reductions_of_loop(
        &self,
        of: &Loop,
        target: Target<'_>,
        fixed: &mut [(usize, bool)],
        text: &mut String,
    ) -> Result<String, Diagnostic> {
        if of.reductions.is_empty() {
            return Ok(String::new());
        }
        let on = if fixed.iter().any(|(_, fixed)| *fixed) {
            fixed.sort_unstable();
            let range =
                |&(_, fixed): &(usize, bool)| if fixed { "xmprt_own()" } else { "xmprt_whole()" };
            let ranges: Vec<&str> = fixed.iter().map(range).collect();
            format!("{}, (xmprt_range[]){{{}}}", self.objects.object(target), ranges.join(", "))
        } else {
            self.objects.on(None)?
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
