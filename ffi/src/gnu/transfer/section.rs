//! Decoding: what a descriptor and its subscripts say about one side of a transfer.

use crate::gnu::types::{Descriptor, MAX_RANK, Subscript};
use smallvec::SmallVec;
use std::ffi::c_void;
use xmp_coarray::plan::Axis;
use xmp_core::{Error, Result};

/// One dimension of a side, before vector subscripts have a place to live in.
enum Decoded {
    Stride { extent: usize, stride: i64 },
    Index(Vec<i64>),
}

/// One side of a transfer: a section, owning the offsets of its vector subscripts.
pub struct Section {
    dims: SmallVec<[Decoded; 4]>,
}

impl Section {
    /// The section that a descriptor describes; `subscripts`, if not null, has one entry a dimension and
    /// replaces the descriptor's bounds.
    ///
    /// # Errors
    /// Subscripts of a kind that does not exist, or too large.
    ///
    /// # Safety
    /// The compiler made both.
    pub unsafe fn decode(descriptor: &Descriptor, subscripts: *const Subscript) -> Result<Section> {
        let unit = descriptor.unit();
        // SAFETY: the caller's guarantee.
        let dims = unsafe { descriptor.dims() };
        debug_assert!(dims.len() <= MAX_RANK);
        let dims = dims.iter().enumerate().map(|(number, dim)| {
            let stride = (dim.stride as i64).checked_mul(unit).ok_or_else(too_large)?;
            if subscripts.is_null() {
                return Ok(Decoded::Stride { extent: dim.extent(), stride });
            }
            // SAFETY: the caller's guarantee: an entry a dimension; `nvec` says which member is meant.
            unsafe {
                let subscript = *subscripts.add(number);
                let lower = dim.lower as i64;
                if subscript.nvec != 0 {
                    let vector = subscript.u.vector;
                    offsets(subscript.nvec, vector.values, vector.kind, lower, stride)
                        .map(Decoded::Index)
                } else {
                    let t = subscript.u.triplet;
                    triplet((t.lower as i64, t.upper as i64, t.stride as i64), lower, stride)
                }
            }
        });
        Ok(Section { dims: dims.collect::<Result<_>>()? })
    }

    /// The axes, for a plan.
    pub fn axes(&self) -> SmallVec<[Axis<'_>; 4]> {
        self.dims
            .iter()
            .map(|dim| match dim {
                Decoded::Stride { extent, stride } => {
                    Axis::Stride { extent: *extent, stride: *stride }
                }
                Decoded::Index(offsets) => Axis::Index(offsets),
            })
            .collect()
    }
}

/// A triplet counts from the declared lower bound, so its first element may be anywhere: an index list of
/// one or a shifted list says so.
fn triplet((first, last, step): (i64, i64, i64), lower: i64, stride: i64) -> Result<Decoded> {
    // A stride of 0 is not Fortran: it is an empty vector subscript, which comes as a triplet never set.
    let count = match step {
        0 => 0,
        _ => last.saturating_sub(first).saturating_add(step) / step,
    };
    (0..count)
        .map(|i| (first + i * step - lower).checked_mul(stride).ok_or_else(too_large))
        .collect::<Result<Vec<i64>>>()
        .map(Decoded::Index)
}

/// Byte offsets of a vector subscript.
///
/// # Safety
/// `values` has `count` integers of `kind` bytes.
unsafe fn offsets(
    count: usize,
    values: *const c_void,
    kind: i32,
    lower: i64,
    stride: i64,
) -> Result<Vec<i64>> {
    let value = |i: usize| -> Result<i64> {
        // SAFETY: the caller's guarantee.
        unsafe {
            Ok(match kind {
                1 => i64::from(*values.cast::<i8>().add(i)),
                2 => i64::from(*values.cast::<i16>().add(i)),
                4 => i64::from(*values.cast::<i32>().add(i)),
                8 => *values.cast::<i64>().add(i),
                16 => i64::try_from(values.cast::<i128>().add(i).read_unaligned())
                    .map_err(|_| too_large())?,
                other => {
                    return Err(Error::Invalid(format!(
                        "vector subscripts of kind {other} do not exist"
                    )));
                }
            })
        }
    };
    (0..count)
        .map(|i| {
            value(i)?.checked_sub(lower).and_then(|n| n.checked_mul(stride)).ok_or_else(too_large)
        })
        .collect()
}

fn too_large() -> Error {
    Error::SizeOverflow("a subscript reaches beyond 2^63 bytes".into())
}
