//! `array`: an assignment of sections, executed element by element where the left side is.

use super::make_array::{element, rows_of};
use super::objects::Layout;
use super::on::{LOCAL, OWN, Target};
use super::rows::{Row, row};
use super::sections::{Chain, Pick};
use super::syntax::descendants;
use super::unit::{Done, Unit};
use crate::diagnostics::refuse;
use crate::directive::{Brackets, Directive, Reference, Subscript};

impl Unit<'_> {
    /// Translates an `array` directive and the assignment behind it.
    ///
    /// # Errors
    /// When no assignment to a distributed array follows, or sections do not correspond.
    pub fn array_assignment(&mut self, nth: usize, directive: &Directive, on: &Reference) -> Done {
        let body = self.body_of(nth)?;
        let (left, right) = self.assignment(&body, "array")?;
        let chain = self.as_chain(left);
        let chain = chain.filter(|chain| {
            chain.variable.is_some_and(|number| self.objects.array_of(number).is_some())
        });
        let Some(chain) = chain else {
            return refuse(
                left.byte_range(),
                "the left side behind `array` is a distributed array",
            );
        };
        let objects = self.objects;
        let array =
            objects.array_of(chain.variable.expect("it is declared")).expect("it is distributed");
        let Target::Template(number, dims) = objects.target(on)? else {
            return refuse(&on.span, "`array` stands `on` a template");
        };
        if number != array.template {
            let wrong = format!("`{}` is aligned with another template", array.name.text);
            return refuse(&on.span, wrong);
        }
        if chain.picks.len() != array.dims.len() {
            return refuse(
                &chain.span,
                format!("`{}` needs {} subscripts", array.name.text, array.dims.len()),
            );
        }
        let own = format!("{OWN}{}", objects.templates[number].declared.name.text);
        let mut conditions = Vec::new();
        for (written, subscript) in on.subscripts.iter().enumerate() {
            if let Subscript::At(index) = subscript {
                let dim = if on.brackets == Some(Brackets::Square) {
                    dims - 1 - written
                } else {
                    written
                };
                conditions.push(format!("xmprt_has(&{own}[{dim}], {})", index.text));
            }
        }
        let mut loops = String::new();
        let mut rows = Vec::new();
        for (dim, (pick, inside)) in chain.picks.iter().enumerate() {
            let size = array.dims[dim].size.as_deref();
            let of = &array.dims[dim];
            let Some(row) = row(pick, size) else {
                match (pick, &of.with) {
                    (Pick::At(index), Some((axis, offset))) => {
                        conditions.push(format!("xmprt_has(&{own}[{axis}], ({index}) + {offset})"));
                    }
                    (Pick::At(_), None) => {}
                    _ => {
                        return refuse(inside.clone(), "the length of this section is not known");
                    }
                }
                continue;
            };
            let variable = format!("{LOCAL}k{}", rows.len());
            let Row { first, last, step } = &row;
            loops += &match &of.with {
                None => format!(
                    "for (long {variable} = {first}; {variable} <= {last}; {variable} += {step}) "
                ),
                Some((axis, offset)) => {
                    let mut within = format!("xmprt_shifted(&{own}[{axis}], {offset})");
                    let mut outer = String::new();
                    if let Layout::Cyclic(_) = of.layout {
                        let start = format!("{LOCAL}b{}", rows.len());
                        outer = format!(
                            "for (long {start} = xmprt_block_from({within}, {first}); {start} <= {within}.last; {start} += {within}.period) "
                        );
                        within = format!("xmprt_block({within}, {start})");
                    }
                    format!(
                        "{outer}for (long {variable} = xmprt_loop_from({within}, {first}, {step}); {variable} <= xmprt_loop_upto({within}, {last}); \
                         {variable} += {step}) "
                    )
                }
            };
            rows.push((variable, row));
        }
        let statement =
            self.root.descendant_for_byte_range(body.start, body.end).expect("it was there");
        let chains: Vec<Chain> = descendants(statement)
            .into_iter()
            .filter(|node| node.kind() == "identifier")
            .map(|node| self.chain(node))
            .collect();
        let (left, right) = (left.byte_range(), right.byte_range());
        let overlaps = |of: &&Chain| {
            of.span.start >= right.start
                && of.variable == chain.variable
                && (!of.has_sections() || self.is_shifted(of, &rows))
        };
        let copies = chains.iter().any(|of| overlaps(&of));
        for of in chains.iter().filter(|of| of.has_sections()) {
            if !(copies && of.span.end <= left.end) {
                self.index_sections(of, &rows)?;
            }
        }
        let condition = if conditions.is_empty() {
            String::new()
        } else {
            format!("if ({}) ", conditions.join(" && "))
        };
        self.edits.replace(directive.span.clone(), "");
        let each = format!("{condition}{loops}");
        if !copies {
            self.edits.wrap(&body, format!("{{ {each}"), " }");
            return Ok(());
        }
        // The right side is read as a whole before the left side is written.
        let element = element(array);
        let scratch = format!(
            "{{ long xmpt__n = 0; {each}xmpt__n++; __typeof__({element}) *xmpt__s XMPRT_ENDS(xmprt_end_scratch) = \
             xmprt_scratch(sizeof({element}) * (size_t)xmpt__n); xmpt__n = 0; {each}xmpt__s[xmpt__n++] = "
        );
        let mut target = rows_of(array);
        let mut variables = rows.iter().map(|(variable, _)| variable.clone());
        for (dim, (pick, inside)) in chain.picks.iter().enumerate() {
            let subscript = match pick {
                Pick::At(_) => self.source[inside.clone()].to_owned(),
                _ => variables.next().expect("there is one for each section"),
            };
            let (before, after) = self.around_subscript(array, dim).unwrap_or_default();
            target += &format!("[{before}{subscript}{after}]");
        }
        self.edits.replace(left.start..right.start, "");
        let after = format!(" xmpt__n = 0; {each}{target} = xmpt__s[xmpt__n++]; }}");
        self.edits.wrap(&body, scratch, after);
        Ok(())
    }
}
