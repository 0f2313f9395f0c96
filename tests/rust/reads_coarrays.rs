//! Routines that a Fortran program calls for its coarrays: they read those of the calling image as a slice, and those
//! of others by the library that the program is linked with.

use std::ffi::{c_int, c_void};

unsafe extern "C" {
    fn xmprt_num_images(team: i64) -> c_int;
    fn xmprt_get(team: i64, image: c_int, to: *mut c_void, from: *const c_void, bytes: usize) -> c_int;
}

/// XMPRT_CURRENT of the header.
const CURRENT: i64 = 0;

/// The largest of the values of this image's coarray.
///
/// # Safety
/// There are this many values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn largest_here(values: *const f64, count: usize) -> f64 {
    // SAFETY: the caller's guarantee.
    let values = unsafe { std::slice::from_raw_parts(values, count) };
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The largest of the values of this coarray on all images of the current team; a NaN if they cannot be read.
///
/// # Safety
/// The values are (a part of) a coarray, this many on each image.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn largest_anywhere(values: *const f64, count: usize) -> f64 {
    let mut copy = vec![0.0; count];
    let mut largest = f64::NEG_INFINITY;
    // SAFETY: any team; the copy is as long.
    unsafe {
        for image in 1..=xmprt_num_images(CURRENT) {
            let (to, from) = (copy.as_mut_ptr().cast(), values.cast());
            if xmprt_get(CURRENT, image, to, from, size_of_val(copy.as_slice())) != 0 {
                return f64::NAN;
            }
            largest = largest.max(largest_here(copy.as_ptr(), count));
        }
    }
    largest
}
