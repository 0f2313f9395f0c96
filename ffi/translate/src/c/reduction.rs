//! `reduction`, as a directive and as a clause of `loop`.

use super::data::Data;
use super::on::{PREFIX, Target};
use super::unit::Unit;
use crate::diagnostics::{Diagnostic, refuse};
use crate::directive::{Loop, Operator, Reduction};

impl Unit<'_> {
    /// For each variable of a reduction: what prepares it before a loop, and what combines it.
    ///
    /// # Errors
    /// As [`Unit::data`].
    pub fn reduction(&self, of: &Reduction) -> Result<Vec<(String, String)>, Diagnostic> {
        let code = of.operator.number();
        let mut all = Vec::new();
        for (variable, locations) in &of.variables {
            let Data { address, count, element } = self.data(variable)?;
            let what = format!("{address}, {count}, XMPT_TYPE({element}), {code}");
            let max_or_min = matches!(of.operator, Operator::Max | Operator::Min);
            all.push(if of.operator.has_location() {
                let mut arguments = String::new();
                for location in locations {
                    let Data { address, element, .. } = self.data(location)?;
                    arguments += &format!(", {address}, XMPT_TYPE({element})");
                }
                (
                    String::new(),
                    format!("_XMP_reduce_FLMM_CLAUSE({what}, {}{arguments});", locations.len()),
                )
            } else if locations.is_empty() {
                (format!(" xmpt_identity({what});"), format!("_XMP_reduce_CLAUSE({what});"))
            } else if max_or_min {
                let mut text = format!(
                    "xmp_reduce_loc_init({}, 0, {address}, XMPT_TYPE({element}));",
                    locations.len()
                );
                for location in locations {
                    let Data { address, count, element } = self.data(location)?;
                    text += &format!(" xmp_reduce_loc_set({address}, {count}, sizeof({element}));");
                }
                text += &format!(
                    " xmp_reduce_loc_execute({});",
                    if of.operator == Operator::Max { 317 } else { 318 }
                );
                (String::new(), text)
            } else {
                return refuse(&of.span, "this operator has no location variables");
            });
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
        let (mut before, mut after) = (String::new(), String::new());
        for reduction in &of.reductions {
            for (prepare, combine) in self.reduction(reduction)? {
                before += &prepare;
                after += &format!(" {combine}");
            }
        }
        if fixed.iter().any(|(_, fixed)| *fixed) {
            fixed.sort_unstable();
            let flags: Vec<&str> =
                fixed.iter().map(|(_, fixed)| if *fixed { "1" } else { "0" }).collect();
            let flags = flags.join(", ");
            let enter = match target {
                Target::Template(number, _) => {
                    let name = &self.objects.templates[number].declared.name.text;
                    format!("_XMP_init_reduce_comm_TEMPLATE({PREFIX}{name}.desc, {flags})")
                }
                Target::Nodes(name, _) => {
                    format!("_XMP_init_reduce_comm_NODES({PREFIX}{}, {flags})", name.text)
                }
            };
            let on = |what: &str| match what {
                "" => String::new(),
                _ => format!(" if ({enter}) {{{what} _XMP_pop_n_free_nodes(); }}"),
            };
            *text += &on(&before);
            return Ok(on(&after));
        }
        *text += &before;
        Ok(after)
    }
}
