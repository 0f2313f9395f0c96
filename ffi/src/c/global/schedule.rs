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
    let piece = |(index, second): (i64, i64), count: i64| {
        let place = |index| array.local_of_owned(dim, part, index);
        Piece {
            index,
            index_step: second - index,
            place: place(index),
            place_step: place(second) - place(index),
            count,
        }
    };
    let Some(axis) = axis else {
        let second = iterations.at(i64::from(iterations.count > 1));
        return Ok(vec![piece((iterations.first, second), iterations.count)]);
    };
    let axis = &array.distribution().axes()[axis];
    let regular = axis.is_blocked() || axis.width() == Some(1);
    let mut pieces = Vec::new();
    let schedule = Loop { axis, offset, iterations };
    for row in schedule.of(part) {
        let index = |k| axis.index(part, row.at(k)) - offset;
        let mut start = 0;
        while start < row.count {
            // Where there are several blocks, what is even in memory is not among the indices.
            let second = index((start + 1).min(row.count - 1));
            let step = second - index(start);
            let end = match regular {
                true => row.count,
                false => {
                    let uneven = |k: &i64| index(*k) - index(*k - 1) != step;
                    (start + 1..row.count).find(uneven).unwrap_or(row.count)
                }
            };
            pieces.push(piece((index(start), second), end - start));
            start = end;
        }
    }
    Ok(pieces)
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
