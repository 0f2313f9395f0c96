//! Loops over distributed arrays: what an image executes.

use super::array::Distributed;
use super::range::Range;
use super::{ObjectHandle, array_of, dimension};
use crate::c::outcome::{not_null, outcome};
use std::ffi::c_int;
use xmp_core::global::{Align, Loop, MappingError, Progression};
use xmp_core::{Error, Result};

/// `xmprt_piece`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    index: i64,
    index_step: i64,
    place: i64,
    place_step: i64,
    count: i64,
}

/// The iterations of a loop over a dimension that this image executes.
fn pieces(array: &Distributed, dim: usize, range: Range) -> Result<Vec<Piece>> {
    let Distributed { storage, coords, .. } = array;
    let array = &storage.array;
    let Align { lower, upper, axis, offset, .. } = array.dims()[dim];
    let whole = Progression { first: lower, step: 1, count: upper - lower + 1 };
    let iterations = range.iterations(whole)?;
    if !iterations.is_within(lower, upper) {
        let (first, last) = (iterations.first, iterations.last());
        return Err(MappingError::Outside { dim: dim + 1, first, last, lower, upper }.of("loop"));
    }
    let Some(coords) = coords.as_ref().filter(|_| iterations.count > 0) else {
        return Ok(Vec::new());
    };
    let part = array.part(dim, coords);
    let piece = |index: &dyn Fn(i64) -> i64, count: i64| {
        let place = |k| array.local_of_owned(dim, part, index(k));
        let second = i64::from(count > 1);
        Piece {
            index: index(0),
            index_step: index(second) - index(0),
            place: place(0),
            place_step: place(second) - place(0),
            count,
        }
    };
    let Some(axis) = axis else {
        return Ok(vec![piece(&|k| iterations.at(k), iterations.count)]);
    };
    let axis = &array.distribution().axes()[axis];
    let ordinals = Loop { axis, offset, iterations }.of(part);
    let index = |row: &Progression, k| axis.index(part, row.at(k)) - offset;
    Ok(ordinals.iter().map(|row| piece(&|k| index(row, k), row.count)).collect())
}

/// What this image executes of a loop.
///
/// # Safety
/// `pieces` is null or has room for `most`; `count` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn xmprt_loop(
    array: ObjectHandle,
    dim: c_int,
    range: Range,
    pieces: *mut Piece,
    most: usize,
    count: *mut usize,
) -> c_int {
    let attempt = || -> Result<()> {
        let array = array_of(array)?;
        not_null(count, "count")?;
        let dim = dimension(dim, array.storage.array.dims().len())?;
        let found = self::pieces(&array, dim, range)?;
        // SAFETY: the caller's guarantee; it is told how many there are also when they have no room.
        unsafe { *count = found.len() };
        if found.len() > most {
            let len = found.len();
            return Err(Error::Invalid(format!("{len} pieces, and room for {most}")));
        }
        if found.is_empty() {
            return Ok(());
        }
        not_null(pieces, "pieces")?;
        // SAFETY: the caller's guarantee; no more than there is room for.
        unsafe { found.as_ptr().copy_to_nonoverlapping(pieces, found.len()) };
        Ok(())
    };
    outcome("xmprt_loop", attempt())
}
