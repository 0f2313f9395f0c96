//! Sections as rows of indices: what the loops of an assignment count.

use super::sections::{Chain, Pick};
use super::unit::{Done, Unit};
use crate::diagnostics::refuse;

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
    pub fn index_sections(&mut self, chain: &Chain, rows: &[(String, Row)]) -> Done {
        let sizes = self.sizes(chain);
        let mut nth = 0;
        for (dim, (pick, inside)) in chain.picks.iter().enumerate() {
            if matches!(pick, Pick::At(_)) {
                continue;
            }
            let size = sizes.get(dim).cloned().flatten();
            let (Some(own), Some((variable, left))) = (row(pick, size.as_deref()), rows.get(nth))
            else {
                return refuse(&chain.span, "this reference has more sections than the left side");
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
            return refuse(&chain.span, "this reference has fewer sections than the left side");
        }
        Ok(())
    }
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
