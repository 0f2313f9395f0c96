//! Sections of distributed arrays in assignments to and from coarrays: they are sections of the part of this image.

use super::make_array::element;
use super::objects::{ArrayObject, Layout};
use super::on::MAP;
use super::sections::{Chain, Pick};
use super::unit::Unit;
use crate::diagnostics::{Diagnostic, refuse};

impl Unit<'_> {
    /// Describes the section of a distributed array, which this image has, and the address of the part.
    ///
    /// # Errors
    /// For sections that no image has as such.
    pub fn part(&self, chain: &Chain, array: &ArrayObject) -> Result<(String, String), Diagnostic> {
        let (name, dims) = (&array.name.text, array.dims.len());
        if chain.picks.len() != dims {
            let wrong =
                format!("{} subscripts for {dims} dimensions of `{name}`", chain.picks.len());
            return refuse(&chain.span, wrong);
        }
        let map = format!("{MAP}{name}");
        let mut arguments = Vec::new();
        for (nth, (dim, (pick, span))) in array.dims.iter().zip(&chain.picks).enumerate() {
            let (origin, extent) = (format!("{map}.origin[{nth}]"), format!("{map}.length[{nth}]"));
            let wrong = |title: &str, help: &str| {
                Err(Diagnostic::new(span.clone(), title).help(help.to_owned()))
            };
            let is_open = matches!(pick, Pick::All | Pick::Row { len: None, .. });
            let place = match &dim.layout {
                Layout::Whole => triplet(pick, &extent),
                Layout::Cyclic(_) => {
                    return wrong(
                        "a section of a cyclic dimension cannot stand in an assignment to or from a coarray",
                        "copy it to a local array before, in a loop",
                    );
                }
                Layout::Piece if is_open => {
                    return wrong(
                        "all indices of this dimension are not on one node",
                        "write the first index and the number of elements: `[i:n]`",
                    );
                }
                Layout::Piece => {
                    let first = |text: &str| {
                        let index = match self.around_subscript(array, nth) {
                            Some((before, after)) => format!("{before}{text}{after}"),
                            None => text.to_owned(),
                        };
                        format!("({index} - {origin})")
                    };
                    let own = match pick {
                        Pick::At(at) => Pick::At(first(&format!("({at})"))),
                        Pick::Row { first: at, len, step } => {
                            Pick::Row { first: first(at), len: len.clone(), step: step.clone() }
                        }
                        Pick::All => Pick::All,
                    };
                    triplet(&own, &extent)
                }
            };
            arguments.push(format!("{place}, {extent}"));
        }
        let text = format!(
            "_XMP_coarray_rdma_array_set_{dims}({}, sizeof({}));",
            arguments.join(", "),
            element(array)
        );
        Ok((text, format!("{map}.part")))
    }
}

/// Start, length and stride of a subscript.
pub fn triplet(pick: &Pick, size: &str) -> String {
    match pick {
        Pick::All => format!("0L, (long)({size}), 1L"),
        Pick::At(at) => format!("(long)({at}), 1L, 1L"),
        Pick::Row { first, len: Some(len), step } => {
            format!("(long){first}, (long){len}, (long){step}")
        }
        Pick::Row { first, len: None, step } => {
            format!(
                "(long){first}, (long)((({size}) - {first} + {step} - 1) / {step}), (long){step}"
            )
        }
    }
}
