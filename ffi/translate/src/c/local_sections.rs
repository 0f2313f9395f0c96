//! Assignments of sections of local arrays, which need no directive.

use super::on::{LOCAL, PREFIX};
use super::rows::{HoistedExpressions, Row, row, subscripts};
use super::sections::{Chain, Pick};
use super::syntax::descendants;
use super::unit::{TranslationResult, Unit};
use crate::diagnostics::Diagnostic;
use std::ops::Range;

impl Unit<'_> {
    /// Translates assignments of sections of local arrays.
    pub fn local_assignments(&mut self) {
        let statements =
            descendants(self.root).into_iter().filter(|node| node.kind() == "expression_statement");
        for statement in statements.map(|node| node.byte_range()).collect::<Vec<_>>() {
            if self.edits.is_replaced(statement.start) {
                continue;
            }
            let Ok((left, _)) = self.assignment(&statement, "") else { continue };
            let Some(chain) = self.as_chain(left).filter(Chain::has_sections) else { continue };
            let is_local = chain.images.is_empty()
                && chain.variable.is_some_and(|number| self.objects.array_of(number).is_none());
            if is_local && let Err(error) = self.local_assignment(&statement, &chain) {
                self.wrong.push(error);
            }
        }
    }

    /// One loop for each section, or two nests with a copy between them where the array is on both sides.
    fn local_assignment(&mut self, statement: &Range<usize>, chain: &Chain) -> TranslationResult {
        let sizes = self.sizes(chain);
        let mut rows = Vec::new();
        let (mut loops, mut count) = (String::new(), String::new());
        let mut held = HoistedExpressions::new(self.macros);
        let picks = held.picks(chain);
        for (dim, (pick, (_, inside))) in picks.iter().zip(&chain.picks).enumerate() {
            if matches!(pick, Pick::At(_)) {
                continue;
            }
            let row = row(pick, sizes.get(dim).cloned().flatten().as_deref());
            let row = row.ok_or_else(|| {
                Diagnostic::new(inside.clone(), "the length of this section is not known")
            })?;
            let variable = format!("{LOCAL}k{}", rows.len());
            let Row { first, last, step } = &row;
            loops += &format!(
                "for (long {variable} = {first}; {variable} <= {last}; {variable} += {step}) "
            );
            count += &format!(" * xmprt_count({first}, {last}, {step})");
            rows.push((variable, row));
        }
        let (left, right) = self.assignment(statement, "")?;
        let (left, right) = (left.byte_range(), right.byte_range());
        let chains = self.chains_in(statement);
        let copies = self.needs_copy(&chains, chain, right.start, &rows);
        let own = (left.end, (!copies).then_some(&picks[..]));
        self.index_all(&chains, own, &rows, &mut held)?;
        let held = held.declared;
        if !copies {
            self.edits.wrap(statement, format!("{{ {held}{loops}"), " }");
            return Ok(());
        }
        // The right side is read as a whole before the left side is written.
        let element = self.element_of(chain);
        self.edits.wrap(statement, format!("{{ {held}__typeof__({element}) *xmpt__s XMPRT_ENDS(xmprt_end_scratch) = xmprt_scratch(sizeof({element}){count}); long xmpt__n = 0; {loops}xmpt__s[xmpt__n++] = "), "");
        let mut target = self.source[chain.name.start..chain.picks[0].1.start - 1].to_owned();
        for subscript in subscripts(&picks, &rows) {
            target += &format!("[{subscript}]");
        }
        if self.coarrays.of(chain.variable.expect("it is declared")).is_some() {
            target = target.replacen(
                &self.source[chain.name.clone()],
                &format!("(*{PREFIX}{})", &self.source[chain.name.clone()]),
                1,
            );
        }
        self.edits.replace(left.start..right.start, "");
        self.edits.wrap(
            &(statement.start..statement.end),
            "",
            format!(" xmpt__n = 0; {loops}{target} = xmpt__s[xmpt__n++]; }}"),
        );
        Ok(())
    }
}
