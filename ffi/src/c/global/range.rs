//! Subscripts as C programs write them.

use crate::c::argument::List;
use xmp_core::global::{Array, Pick, Progression, Section, Subscript};
use xmp_core::{Error, Result};

/// `xmprt_range`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Range {
    first: i64,
    count: i64,
    step: i64,
}

/// `XMPRT_WHOLE` as a count: all indices.
const WHOLE: i64 = -1;
/// `XMPRT_OWN` as a count: where this image is.
const OWN: i64 = -2;

impl Range {
    /// The range as the indices of a loop.
    ///
    /// # Errors
    /// When they cannot be; `whole` are those that there are.
    pub fn iterations(self, whole: Progression) -> Result<Progression> {
        Ok(match self.pick()? {
            Pick::All => whole,
            Pick::At(index) => Progression::one(index),
            Pick::Row(row) => row,
        })
    }

    fn pick(self) -> Result<Pick> {
        let Range { first, count, step } = self;
        match (count, step) {
            (WHOLE, _) => Ok(Pick::All),
            (1, 0) => Ok(Pick::At(first)),
            (0.., 1.. | ..=-1) => Ok(Pick::Row(Progression { first, step, count })),
            _ => {
                let text = format!("a range of {count} indices from {first} on with step {step}");
                Err(Error::Invalid(text))
            }
        }
    }

    fn subscript(self) -> Result<Subscript> {
        if self.count == OWN {
            return Ok(Subscript::Own);
        }
        Ok(match self.pick()? {
            Pick::At(index) => Subscript::At(index),
            Pick::Row(row) => Subscript::Some(row),
            Pick::All => Subscript::All,
        })
    }
}

/// The section of an array with these subscripts; all of it without them.
///
/// # Errors
/// When they are not of the array.
pub fn section(array: &Array, ranges: List<Range>) -> Result<Section> {
    if ranges.is_null() {
        return Ok(Section::all(array));
    }
    let ranges = ranges.of("ranges", array.dims().len())?;
    let picks = ranges.iter().map(|range| range.pick()).collect::<Result<Vec<Pick>>>()?;
    Section::new(array, &picks).map_err(|error| error.of("section"))
}

/// Subscripts of `ndims` dimensions of nodes or of a template.
///
/// # Errors
/// When they make no sense.
pub fn subscripts(ranges: List<Range>, ndims: usize) -> Result<Vec<Subscript>> {
    ranges.of("ranges", ndims)?.iter().map(|range| range.subscript()).collect()
}
