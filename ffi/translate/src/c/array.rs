//! `array`: an assignment of sections, executed element by element where the left side is.

use super::objects::Layout;
use super::on::{PREFIX, Target};
use super::sections::{Chain, Pick};
use super::syntax::descendants;
use super::unit::{Done, Unit};
use crate::diagnostics::Diagnostic;
use crate::directive::{Brackets, Directive, Reference, Subscript};

/// First index, last index and step of a section, as expressions.
struct Row {
    first: String,
    last: String,
    step: String,
}

impl Unit<'_> {
    /// Translates an `array` directive and the assignment behind it.
    ///
    /// # Errors
    /// When no assignment to a distributed array follows, or sections do not correspond.
    pub fn array_assignment(&mut self, nth: usize, directive: &Directive, on: &Reference) -> Done {
        let body = self.body_of(nth)?;
        let (left, _) = self.assignment(&body, "array")?;
        let chain = self.as_chain(left);
        let chain = chain.filter(|chain| {
            chain.variable.is_some_and(|number| self.objects.array_of(number).is_some())
        });
        let Some(chain) = chain else {
            return Err(Diagnostic::new(
                left.byte_range(),
                "the left side behind `array` is a distributed array",
            ));
        };
        let objects = self.objects;
        let array =
            objects.array_of(chain.variable.expect("it is declared")).expect("it is distributed");
        let Target::Template(number, dims) = objects.target(on)? else {
            return Err(Diagnostic::new(on.span.clone(), "`array` stands `on` a template"));
        };
        if number != array.template {
            let wrong = format!("`{}` is aligned with another template", array.name.text);
            return Err(Diagnostic::new(on.span.clone(), wrong));
        }
        if chain.picks.len() != array.dims.len() {
            return Err(Diagnostic::new(
                chain.span.clone(),
                format!("`{}` needs {} subscripts", array.name.text, array.dims.len()),
            ));
        }
        let template = format!("{PREFIX}{}", objects.templates[number].declared.name.text);
        let mut conditions = Vec::new();
        for (written, subscript) in on.subscripts.iter().enumerate() {
            if let Subscript::At(index) = subscript {
                let dim = if on.brackets == Some(Brackets::Square) {
                    dims - 1 - written
                } else {
                    written
                };
                conditions.push(format!("xmpt_has(&{template}, {dim}, {})", index.text));
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
                        conditions
                            .push(format!("xmpt_has(&{template}, {axis}, ({index}) + {offset})"));
                    }
                    (Pick::At(_), None) => {}
                    _ => {
                        return Err(Diagnostic::new(
                            inside.clone(),
                            "the length of this section is not known",
                        ));
                    }
                }
                continue;
            };
            let variable = format!("{PREFIX}k{}", rows.len());
            let Row { first, last, step } = &row;
            loops += &match &of.with {
                None => format!(
                    "for (long {variable} = {first}; {variable} <= {last}; {variable} += {step}) "
                ),
                Some((axis, offset)) => {
                    let mut within = format!("xmpt_range(&{template}, {axis}, {offset})");
                    let mut outer = String::new();
                    if let Layout::Cyclic(_) = of.layout {
                        let start = format!("{PREFIX}b{}", rows.len());
                        outer = format!(
                            "for (long {start} = xmpt_block_from({within}, {first}); {start} <= {within}.last; {start} += {within}.period) "
                        );
                        within = format!("xmpt_block({within}, {start})");
                    }
                    format!(
                        "{outer}for (long {variable} = xmpt_from({within}, {first}, {step}); {variable} <= xmpt_upto({within}, {last}); \
                         {variable} += {step}) "
                    )
                }
            };
            rows.push((variable, row));
        }
        let statement =
            self.root.descendant_for_byte_range(body.start, body.end).expect("it was there");
        for node in descendants(statement).into_iter().filter(|node| node.kind() == "identifier") {
            let of = self.chain(node);
            if of.has_sections() {
                if of.variable == chain.variable && self.is_shifted(&of, &rows) {
                    let wrong = Diagnostic::new(
                        of.span,
                        "elements of the left side are assigned from others of them",
                    );
                    return Err(wrong.help("use another array, or `gmove`"));
                }
                self.index_sections(&of, &rows)?;
            }
        }
        let condition = if conditions.is_empty() {
            String::new()
        } else {
            format!("if ({}) ", conditions.join(" && "))
        };
        self.edits.replace(directive.span.clone(), "");
        self.edits.wrap(&body, format!("{{ {condition}{loops}"), " }");
        Ok(())
    }

    /// Translates assignments of sections of local arrays, which need no directive.
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

    /// One loop for each section, or two nests with a copy between them where the array stands on both sides.
    fn local_assignment(&mut self, statement: &std::ops::Range<usize>, chain: &Chain) -> Done {
        let sizes = self.sizes(chain);
        let mut rows = Vec::new();
        let (mut loops, mut count) = (String::new(), String::new());
        for (dim, (pick, inside)) in chain.picks.iter().enumerate() {
            if matches!(pick, Pick::At(_)) {
                continue;
            }
            let row = row(pick, sizes.get(dim).cloned().flatten().as_deref());
            let row = row.ok_or_else(|| {
                Diagnostic::new(inside.clone(), "the length of this section is not known")
            })?;
            let variable = format!("{PREFIX}k{}", rows.len());
            let Row { first, last, step } = &row;
            loops += &format!(
                "for (long {variable} = {first}; {variable} <= {last}; {variable} += {step}) "
            );
            count += &format!(" * xmpt_count({first}, {last}, {step})");
            rows.push((variable, row));
        }
        let (left, right) = self.assignment(statement, "")?;
        let (left, right) = (left.byte_range(), right.byte_range());
        let node = self
            .root
            .descendant_for_byte_range(statement.start, statement.end)
            .expect("it was there");
        let chains: Vec<Chain> = descendants(node)
            .into_iter()
            .filter(|node| node.kind() == "identifier")
            .map(|node| self.chain(node))
            .collect();
        let behind = |of: &&Chain| of.span.start >= right.start && of.variable == chain.variable;
        let copies =
            chains.iter().filter(behind).any(|of| !of.has_sections() || self.is_shifted(of, &rows));
        let replaced = |of: &&Chain| copies && of.span.end <= left.end;
        for of in chains.iter().filter(|of| of.has_sections() && !replaced(of)) {
            self.index_sections(of, &rows)?;
        }
        if !copies {
            self.edits.wrap(statement, format!("{{ {loops}"), " }");
            return Ok(());
        }
        // The right side is read as a whole before the left side is written.
        let element = self.element_of(chain);
        self.edits.wrap(statement, format!("{{ __typeof__({element}) *xmp__s XMPT_ENDS(xmpt_end_scratch) = xmpt_scratch(sizeof({element}){count}); long xmp__n = 0; {loops}xmp__s[xmp__n++] = "), "");
        let mut target = self.source[chain.name.start..chain.picks[0].1.start - 1].to_owned();
        let mut next = rows.iter();
        for (pick, inside) in &chain.picks {
            let subscript = match pick {
                Pick::At(_) => self.source[inside.clone()].to_owned(),
                _ => next.next().expect("there is one for each section").0.clone(),
            };
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
            format!(" xmp__n = 0; {loops}{target} = xmp__s[xmp__n++]; }}"),
        );
        Ok(())
    }

    /// Whether a reference has other sections than the left side.
    fn is_shifted(&self, chain: &Chain, rows: &[(String, Row)]) -> bool {
        let sizes = self.sizes(chain);
        let sections =
            chain.picks.iter().enumerate().filter(|(_, (pick, _))| !matches!(pick, Pick::At(_)));
        let mut own = sections
            .map(|(dim, (pick, _))| row(pick, sizes.get(dim).cloned().flatten().as_deref()));
        rows.iter().any(|(_, left)| {
            let same = |row: Row| row.first == left.first && row.step == left.step;
            !own.next().flatten().is_some_and(same)
        })
    }

    /// The sizes of the array of a reference, as far as they are known.
    fn sizes(&self, chain: &Chain) -> Vec<Option<String>> {
        match chain.variable {
            Some(number) => match self.objects.array_of(number) {
                Some(array) => array.dims.iter().map(|dim| dim.size.clone()).collect(),
                None => {
                    let known = self.names.variable(number);
                    let size = |size: &std::ops::Range<usize>| {
                        Some(self.source[size.clone()].trim().to_owned())
                            .filter(|size| !size.is_empty())
                    };
                    let sizes = known.declarator.sizes.iter().map(size);
                    // Of a pointer, the first size is not known; cosizes stand behind the sizes.
                    known.declarator.pointer.then_some(None).into_iter().chain(sizes).collect()
                }
            },
            None => Vec::new(),
        }
    }

    /// Replaces the sections of a reference by subscripts of the generated loops.
    fn index_sections(&mut self, chain: &Chain, rows: &[(String, Row)]) -> Done {
        let sizes = self.sizes(chain);
        let mut nth = 0;
        for (dim, (pick, inside)) in chain.picks.iter().enumerate() {
            if matches!(pick, Pick::At(_)) {
                continue;
            }
            let size = sizes.get(dim).cloned().flatten();
            let (Some(own), Some((variable, left))) = (row(pick, size.as_deref()), rows.get(nth))
            else {
                return Err(Diagnostic::new(
                    chain.span.clone(),
                    "this reference has more sections than the left side",
                ));
            };
            nth += 1;
            let text = if own.first == left.first && own.step == left.step {
                variable.clone()
            } else {
                format!(
                    "{} + ({variable} - {}) / {} * {}",
                    own.first, left.first, left.step, own.step
                )
            };
            self.edits.replace(inside.clone(), text);
        }
        if nth != rows.len() {
            return Err(Diagnostic::new(
                chain.span.clone(),
                "this reference has fewer sections than the left side",
            ));
        }
        Ok(())
    }
}

/// A subscript as a row of indices; none for one index and for an open length.
fn row(pick: &Pick, size: Option<&str>) -> Option<Row> {
    match pick {
        Pick::At(_) => None,
        Pick::All => {
            let size = size?;
            Some(Row { first: "0".into(), last: format!("({size}) - 1"), step: "1".into() })
        }
        Pick::Row { first, len: Some(len), step } => {
            let last = format!("{first} + ({len} - 1) * {step}");
            Some(Row { first: first.clone(), last, step: step.clone() })
        }
        Pick::Row { first, len: None, step } => {
            let size = size?;
            Some(Row { first: first.clone(), last: format!("({size}) - 1"), step: step.clone() })
        }
    }
}
