//! Sections of distributed arrays in assignments to and from coarrays: they are sections of the part of this image.

use super::gmove::range;
use super::objects::ArrayObject;
use super::on::MAP;
use super::sections::{Chain, Pick};
use super::unit::Unit;
use crate::diagnostics::Diagnostic;
use crate::meaning::Layout;
use crate::meaning::declare::check_count;

impl Unit<'_> {
    /// The section of a distributed array, which this image has, as memory.
    ///
    /// # Errors
    /// For sections that no image has as such.
    pub fn part(&self, chain: &Chain, array: &ArrayObject) -> Result<String, Diagnostic> {
        let (name, dims) = (&array.name.text, array.dims.len());
        check_count((chain.picks.len(), "subscript"), dims, name, &chain.span)?;
        let map = format!("{MAP}{name}");
        let (mut extents, mut ranges) = (Vec::new(), Vec::new());
        for (nth, (dim, (pick, span))) in array.dims.iter().zip(&chain.picks).enumerate() {
            let (origin, extent) = (format!("{map}.origin[{nth}]"), format!("{map}.length[{nth}]"));
            let wrong = |title: &str, help: &str| {
                Err(Diagnostic::new(span.clone(), title).help(help.to_owned()))
            };
            let is_open = matches!(pick, Pick::All | Pick::Row { len: None, .. });
            ranges.extend(match &dim.layout {
                Layout::Whole => range(pick, Some(&extent)),
                Layout::Cyclic(_) => {
                    return wrong(
                        "a section of a cyclic dimension is not allowed in an assignment to or from a coarray",
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
                        let index = match self.around_subscript(array, nth, self.options.check_bounds) {
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
                    range(&own, Some(&extent))
                }
            });
            extents.push(extent);
        }
        let (extents, ranges) = (extents.join(", "), ranges.join(", "));
        Ok(format!(
            "&(xmprt_memory){{{map}.part, {dims}, (int64_t[]){{{extents}}}, (xmprt_range[]){{{ranges}}}}}"
        ))
    }
}
