//! Sections as rows of indices, which the loops of an assignment count.

use super::companions::has_effect;
use super::definitions::Definitions;
use super::on::LOCAL;
use super::sections::{Chain, Pick};
use super::syntax::descendants;
use super::unit::{TranslationResult, Unit};
use crate::meaning::assignment;
use std::ops::Range;

/// First index, last index and step of a section, as expressions.
#[derive(Debug)]
pub struct Row {
    /// The first index.
    pub first: String,
    /// The last index.
    pub last: String,
    /// The step.
    pub step: String,
}

/// Expressions of an assignment that are evaluated once, before its loops.
#[derive(Debug)]
pub struct HoistedExpressions<'d> {
    macros: &'d Definitions,
    /// Declarations of variables that have their values.
    pub declared: String,
    count: usize,
}

impl<'d> HoistedExpressions<'d> {
    /// None yet. Macros may hide calls.
    pub fn new(macros: &'d Definitions) -> Self {
        Self { macros, declared: String::new(), count: 0 }
    }

    /// An expression; if it calls a function or changes something, the variable that has its value.
    pub fn value(&mut self, text: &str) -> String {
        if !has_effect(text, self.macros) {
            return text.to_owned();
        }
        let name = format!("{LOCAL}v{}", self.count);
        self.count += 1;
        self.declared += &format!("const long {name} = {text}; ");
        name
    }

    /// A subscript whose expressions are evaluated once.
    pub fn pick(&mut self, pick: &Pick) -> Pick {
        match pick {
            Pick::All => Pick::All,
            Pick::At(index) => Pick::At(self.value(index)),
            Pick::Row { first, len, step } => Pick::Row {
                first: self.value(first),
                len: len.as_ref().map(|len| self.value(len)),
                step: self.value(step),
            },
        }
    }

    /// The subscripts of a reference.
    pub fn picks(&mut self, chain: &Chain) -> Vec<Pick> {
        chain.picks.iter().map(|(pick, _)| self.pick(pick)).collect()
    }
}

impl Unit<'_> {
    /// Whether a reference has other sections than the left side.
    pub fn is_shifted(&self, chain: &Chain, rows: &[(String, Row)]) -> bool {
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
    pub fn sizes(&self, chain: &Chain) -> Vec<Option<String>> {
        match chain.variable {
            Some(number) => match self.objects.array_of(number) {
                Some(array) => array.sizes.clone(),
                None => {
                    let known = self.names.variable(number);
                    let size = |size: &Range<usize>| {
                        Some(self.source[size.clone()].trim().to_owned())
                            .filter(|size| !size.is_empty())
                    };
                    let sizes = known.declarator.sizes.iter().map(size);
                    // The first size of a pointer is not known; cosizes are after the sizes.
                    known.declarator.pointer.then_some(None).into_iter().chain(sizes).collect()
                }
            },
            None => Vec::new(),
        }
    }

    /// The references in a statement.
    pub fn chains_in(&self, statement: &Range<usize>) -> Vec<Chain> {
        let node = self.root.descendant_for_byte_range(statement.start, statement.end);
        let nodes = descendants(node.expect("it is in the file")).into_iter();
        nodes.filter(|node| node.kind() == "identifier").map(|node| self.chain(node)).collect()
    }

    /// Returns whether the right side, which begins here, refers to other elements of the array of the left side than each iteration
    /// assigns.
    pub fn needs_copy(
        &self,
        chains: &[Chain],
        left: &Chain,
        right: usize,
        rows: &[(String, Row)],
    ) -> bool {
        chains.iter().any(|of| {
            of.span.start >= right
                && of.variable == left.variable
                && (!of.has_sections() || self.is_shifted(of, rows))
        })
    }

    /// Replaces the sections of all references of an assignment by subscripts of the generated loops. The left side ends there; it has
    /// these picks, or stays as it is.
    pub fn index_all(
        &mut self,
        chains: &[Chain],
        (left_end, left): (usize, Option<&[Pick]>),
        rows: &[(String, Row)],
        held: &mut HoistedExpressions<'_>,
    ) -> TranslationResult {
        for of in chains.iter().filter(|of| of.has_sections()) {
            match (of.span.end <= left_end, left) {
                (true, Some(picks)) => self.index_sections(of, picks, rows)?,
                (true, None) => {}
                (false, _) => self.index_sections(of, &held.picks(of), rows)?,
            }
        }
        Ok(())
    }

    /// Replaces the sections of a reference by subscripts of the generated loops. The picks are its subscripts, evaluated once.
    fn index_sections(
        &mut self,
        chain: &Chain,
        picks: &[Pick],
        rows: &[(String, Row)],
    ) -> TranslationResult {
        let sizes = self.sizes(chain);
        let mut nth = 0;
        for (dim, (pick, (written, inside))) in picks.iter().zip(&chain.picks).enumerate() {
            if let Pick::At(index) = pick {
                if pick != written {
                    self.edits.replace(inside.clone(), index.as_str());
                }
                continue;
            }
            let size = sizes.get(dim).cloned().flatten();
            let (Some(own), Some((variable, left))) = (row(pick, size.as_deref()), rows.get(nth))
            else {
                let here = chain.picks.iter().filter(|(pick, _)| !matches!(pick, Pick::At(_)));
                return Err(assignment::sections(chain.span.clone(), rows.len(), here.count()));
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
            return Err(assignment::sections(chain.span.clone(), rows.len(), nth));
        }
        Ok(())
    }
}
/// The subscripts of a reference in the generated loops.
pub fn subscripts<'a>(picks: &'a [Pick], rows: &'a [(String, Row)]) -> Vec<&'a str> {
    let mut variables = rows.iter().map(|(variable, _)| variable.as_str());
    let subscript = |pick: &'a Pick| match pick {
        Pick::At(index) => index.as_str(),
        _ => variables.next().expect("there is one for each section"),
    };
    picks.iter().map(subscript).collect()
}

/// A subscript as a row of indices; none for one index and for an open length.
pub fn row(pick: &Pick, size: Option<&str>) -> Option<Row> {
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
