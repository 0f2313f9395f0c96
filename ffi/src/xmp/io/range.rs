//! Sections that C programs describe by `xmp_range_t`: a lower bound, a number of elements and a stride for each
//! dimension, as in `a[lower:length:stride]`.

use crate::global::ArrayObject;
use crate::xmp::entry::for_c;
use crate::xmp::error::{DirectiveError, Outcome};
use std::cell::Cell;
use std::ffi::c_int;
use xmp_core::global::{Pick, Progression, Section, error};

/// A section, dimension by dimension, as far as it is described.
#[derive(Debug)]
pub struct Range(Vec<Cell<Option<Progression>>>);

impl Range {
    /// The section of an array.
    ///
    /// # Errors
    /// For another number of dimensions, one that was not set, and subscripts outside the array.
    pub fn section(&self, array: &ArrayObject) -> Outcome<Section> {
        let rows: Option<Vec<Pick>> = self.0.iter().map(|row| row.get().map(Pick::Row)).collect();
        let rows =
            rows.ok_or_else(|| DirectiveError::because("a dimension of the range was not set"))?;
        let section: error::Result<Section> = Section::new(&*array.mapping()?, &rows);
        Ok(section?)
    }
}

/// The range that a program has allocated; `None` for null.
///
/// # Safety
/// The contract of entries: null, or what [`xmp_allocate_range`] has returned and is not freed yet.
pub unsafe fn range<'a>(address: usize) -> Option<&'a Range> {
    // SAFETY: contract above.
    unsafe { std::ptr::with_exposed_provenance::<Range>(address).as_ref() }
}

for_c! {
    /// A range of `dims` dimensions; null for none.
    "xmp_allocate_range" fn xmp_allocate_range(dims: c_int) -> usize {
        Ok(match usize::try_from(dims) {
            Ok(dims @ 1..) => {
                let range = Box::new(Range(vec![Cell::new(None); dims]));
                Box::into_raw(range).expose_provenance()
            }
            _ => 0,
        })
    }

    /// The subscript of a dimension, counted from 1: `length` elements from `lower` on, a distance of `step` apart.
    "xmp_set_range" fn xmp_set_range(range_at: usize, dim: c_int, lower: c_int, length: c_int, step: c_int) {
        // SAFETY: the contract of entries.
        let range = unsafe { range(range_at) }.ok_or_else(|| DirectiveError::because("a null range"))?;
        let row = usize::try_from(i64::from(dim) - 1).ok().and_then(|dim| range.0.get(dim));
        let row = row.ok_or_else(|| {
            DirectiveError::because(format!("there is no dimension {dim}; the range has {}", range.0.len()))
        })?;
        if step == 0 || length < 0 {
            return Err(DirectiveError::because(format!("dimension {dim}: length {length} and stride {step}")));
        }
        row.set(Some(Progression { first: lower.into(), step: step.into(), count: length.into() }));
        Ok(())
    }

    /// Frees a range; null is none.
    "xmp_free_range" fn xmp_free_range(range_at: usize) {
        let range = std::ptr::with_exposed_provenance_mut::<Range>(range_at);
        if !range.is_null() {
            // SAFETY: the contract of entries: `xmp_allocate_range` has made it of a box, and it is given back once.
            drop(unsafe { Box::from_raw(range) });
        }
        Ok(())
    }
}
