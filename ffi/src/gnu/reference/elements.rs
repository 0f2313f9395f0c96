//! Which elements of an array a step of a reference means.

use super::types::{Array, Range, mode};
use crate::gnu::shape::Shape;
use crate::gnu::transfer::{Section, count, offsets, too_large};
use xmp_core::{Error, Result};

/// Adds the elements that the subscripts choose of an array with these bounds.
///
/// # Errors
/// Subscripts out of bounds.
///
/// # Safety
/// The compiler made the subscripts.
pub unsafe fn choose(subscripts: &Array, shape: &Shape, section: &mut Section) -> Result<()> {
    for (number, dim) in shape.dims.iter().enumerate() {
        let stride = (dim.stride as i64).checked_mul(shape.unit).ok_or_else(too_large)?;
        let (lower, upper) = (dim.lower as i64, dim.upper as i64);
        let inside = |subscript: i64| match (lower..=upper).contains(&subscript) {
            true => Ok(()),
            false => Err(out_of_bounds(number, subscript, lower, upper)),
        };
        // SAFETY: the mode says what is given.
        unsafe {
            let given = subscripts.dim[number];
            if subscripts.mode[number] == mode::VECTOR {
                let vector = given.vector;
                let at = offsets(vector.count, vector.values, vector.kind, lower, stride)?;
                let last = (upper - lower).saturating_mul(stride);
                let (low, high) = (last.min(0), last.max(0));
                if let Some(bad) = at.iter().find(|&&at| upper < lower || at < low || at > high) {
                    let subscript = if stride == 0 { lower } else { bad / stride + lower };
                    return Err(out_of_bounds(number, subscript, lower, upper));
                }
                section.add_list(at);
                continue;
            }
            let Range { start, end, stride: by } = given.range;
            let (start, end, by) = (start as i64, end as i64, by as i64);
            let (first, last, by) = match subscripts.mode[number] {
                mode::SINGLE => {
                    inside(start)?;
                    section.skip(start - lower, stride)?;
                    continue;
                }
                mode::FULL => (lower, upper, if by == 0 { 1 } else { by }),
                mode::RANGE => (start, end, by),
                mode::OPEN_END => (start, upper, by),
                mode::OPEN_START => (lower, end, by),
                other => return Err(unknown(other)),
            };
            let extent = count(first, last, by);
            if extent > 0 {
                inside(first)?;
                inside(first + (extent as i64 - 1) * by)?;
            }
            section.skip(first.saturating_sub(lower), if extent > 0 { stride } else { 0 })?;
            section.add_range(extent, by.checked_mul(stride).ok_or_else(too_large)?);
        }
    }
    Ok(())
}

/// Adds the elements of an array without a descriptor: the subscripts are positions in array element order.
///
/// # Errors
/// Positions beyond 2^63 bytes.
///
/// # Safety
/// The compiler made the subscripts.
pub unsafe fn positions(subscripts: &Array, item_size: usize, section: &mut Section) -> Result<()> {
    let item = item_size as i64;
    for (number, &how) in subscripts.mode.iter().take_while(|&&how| how != mode::NONE).enumerate() {
        // SAFETY: the mode says what is given.
        unsafe {
            let given = subscripts.dim[number];
            if how == mode::VECTOR {
                let vector = given.vector;
                section.add_list(offsets(vector.count, vector.values, vector.kind, 0, item)?);
                continue;
            }
            let Range { start, end, stride } = given.range;
            let (start, end, stride) = (start as i64, end as i64, stride as i64);
            let first = match how {
                mode::SINGLE => {
                    section.skip(start, item)?;
                    continue;
                }
                mode::RANGE | mode::OPEN_END => start,
                mode::FULL | mode::OPEN_START => 0,
                other => return Err(unknown(other)),
            };
            section.skip(first, item)?;
            let bytes = stride.checked_mul(item).ok_or_else(too_large)?;
            section.add_range(count(first, end, stride), bytes);
        }
    }
    Ok(())
}

fn out_of_bounds(dimension: usize, subscript: i64, lower: i64, upper: i64) -> Error {
    let dimension = dimension + 1;
    Error::Invalid(format!(
        "subscript {subscript} of dimension {dimension} is not in {lower}..{upper}"
    ))
}

fn unknown(mode: u8) -> Error {
    Error::Invalid(format!("unknown kind of subscript {mode}"))
}
