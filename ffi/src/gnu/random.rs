//! RANDOM_INIT. (GNU-LIBCAF section 2; Fortran 2018, 16.9.155)

use super::types::{DType, Descriptor, Dim, basic};
use crate::process::{self, instance};
use std::ffi::{CStr, c_int, c_void};
use std::ptr;

/// A rank-1 descriptor of default integers, as `random_seed` takes it.
#[repr(C)]
struct Integers {
    base: *mut c_void,
    offset: usize,
    dtype: DType,
    span: isize,
    dim: Dim,
}

impl Integers {
    fn new(values: &mut [i32]) -> Integers {
        let dtype = DType { elem_len: 4, version: 0, rank: 1, basic: basic::INTEGER, attribute: 0 };
        let dim = Dim { stride: 1, lower: 0, upper: values.len() as isize - 1 };
        Integers { base: values.as_mut_ptr().cast(), offset: 0, dtype, span: 4, dim }
    }
}

/// RANDOM_INIT: libgfortran seeds; where it would give all images the same numbers although they shall be
/// distinct - it ignores the image if the numbers shall be repeatable -, the image is mixed into the seed.
#[unsafe(no_mangle)]
pub extern "C" fn _gfortran_caf_random_init(repeatable: bool, image_distinct: bool) {
    type RandomInit = unsafe extern "C" fn(c_int, c_int, c_int);
    type RandomSeed = unsafe extern "C" fn(*mut c_int, *const Integers, *const Integers);
    let this_image = instance().image.rank().image() as c_int;
    // SAFETY: libgfortran's functions of these names have these signatures since GCC 9. SIZE, PUT and GET of
    // `random_seed` are given one at a time, the others null.
    unsafe {
        let random_init =
            std::mem::transmute::<*mut c_void, RandomInit>(libgfortran(c"_gfortran_random_init"));
        random_init(repeatable.into(), image_distinct.into(), this_image);
        if !(repeatable && image_distinct) {
            return;
        }
        let random_seed = std::mem::transmute::<*mut c_void, RandomSeed>(libgfortran(
            c"_gfortran_random_seed_i4",
        ));
        let mut size = 0;
        random_seed(&mut size, ptr::null(), ptr::null());
        let mut seed = vec![0; usize::try_from(size).unwrap_or(0)];
        random_seed(ptr::null_mut(), ptr::null(), &Integers::new(&mut seed));
        for (position, word) in seed.iter_mut().enumerate() {
            *word ^= mixed(this_image as u64, position as u64) as i32;
        }
        random_seed(ptr::null_mut(), &Integers::new(&mut seed), ptr::null());
    }
}

/// A well-mixed function of both numbers (the finaliser of SplitMix64).
fn mixed(image: u64, position: u64) -> u64 {
    let x = (image << 32 | position).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// By name at run time: a program that calls RANDOM_INIT has libgfortran, a C program has not.
fn libgfortran(name: &CStr) -> *mut c_void {
    // SAFETY: a NUL-terminated name.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    if found.is_null() {
        process::die("random_init", "libgfortran is not in this process");
    }
    found
}

const _: () = assert!(size_of::<Integers>() == size_of::<Descriptor>() + size_of::<Dim>());
