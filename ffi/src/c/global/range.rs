//! Subscripts as C programs write them.

use crate::c::argument::List;
use smallvec::SmallVec;
use xmp_core::global::{Pick, Progression, Subscript};
use xmp_core::{Error, Result};

/// `xmprt_range`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// The numbers of the range.
    pub fn numbers(self) -> [i64; 3] {
        [self.first, self.count, self.step]
    }

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

    /// The indices from `first` to `last`. A step of 0 gives a range that is refused where it is used.
    pub fn between(first: i64, last: i64, step: i64) -> Range {
        let distance =
            if step > 0 { last.saturating_sub(first) } else { first.saturating_sub(last) };
        let count = match step.unsigned_abs() as i64 {
            0 => 2,
            _ if distance < 0 => 0,
            width => distance / width + 1,
        };
        Range { first, count, step }
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

/// Subscripts of `ndims` dimensions of an array; all of it without them.
///
/// # Errors
/// When they make no sense.
pub fn picks(ranges: List<Range>, ndims: usize) -> Result<SmallVec<[Pick; 4]>> {
    if ranges.is_null() {
        return Ok(SmallVec::from_elem(Pick::All, ndims));
    }
    ranges.of("ranges", ndims)?.iter().map(|range| range.pick()).collect()
}

/// The subscripts of nodes or of a template that these ranges are.
///
/// # Errors
/// When they make no sense.
pub fn subscripts_of(ranges: &[Range]) -> Result<Vec<Subscript>> {
    ranges.iter().map(|range| range.subscript()).collect()
}

/// Subscripts of `ndims` dimensions of nodes or of a template.
///
/// # Errors
/// When they make no sense.
pub fn subscripts(ranges: List<Range>, ndims: usize) -> Result<Vec<Subscript>> {
    subscripts_of(ranges.of("ranges", ndims)?)
}
