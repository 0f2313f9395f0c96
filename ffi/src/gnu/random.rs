//! RANDOM_INIT. (GNU-LIBCAF section 2; Fortran 2018, 16.9.155)

use super::weak::weak_functions;
use crate::entry::entries;
use crate::gfortran_abi::{DType, Descriptor, Dim, basic};
use crate::process::{self, enter, instance};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use xmp_core::hash;

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

/// `random_init` of libgfortran since GCC 9: repeatable, image_distinct, this image.
type RandomInit = unsafe extern "C" fn(c_int, c_int, c_int);
/// `random_seed_i4` of libgfortran since GCC 9: SIZE, and the descriptors of PUT and GET; all but one are null.
type RandomSeed = unsafe extern "C" fn(*mut c_int, *const c_void, *const c_void);

weak_functions! {
    /// RANDOM_INIT.
    fn random_init() = "_gfortran_random_init": RandomInit;
    /// RANDOM_SEED for default integers.
    fn random_seed() = "_gfortran_random_seed_i4": RandomSeed;
}

/// Calls of RANDOM_INIT by this image for numbers that are neither repeatable nor distinct.
static COMMON_CALLS: AtomicU64 = AtomicU64::new(0);

entries! {
    /// RANDOM_INIT.
    ///
    /// libgfortran seeds as it shall only in two of four cases. It ignores the image, so that repeatable and distinct
    /// numbers are the same on all images: the image is mixed into the seed. Numbers that are neither are different on
    /// all images, because each asks the system: the seed comes from a random number of the job and from how often the
    /// image has asked for such numbers.
    fn _gfortran_caf_random_init(repeatable: bool, image_distinct: bool) {
        seed(repeatable, image_distinct);
    }
}

/// Seeds the random numbers of this image.
fn seed(repeatable: bool, image_distinct: bool) {
    let functions = random_init().zip(random_seed());
    let Some((random_init, random_seed)) = functions else {
        process::die("random_init", "libgfortran is not in this program: link it with xmpfc");
    };
    let seed_with = |size: *mut c_int, put: *const Integers, get: *const Integers| {
        // SAFETY: one of them is given and valid, the others are null.
        unsafe { random_seed(size, put.cast(), get.cast()) }
    };
    // As image 1 of a job of its own: a third image that does not want repeatable numbers would be refused.
    // What is not repeatable comes from the system and is distinct by itself.
    // SAFETY: the function takes three numbers.
    unsafe { random_init(repeatable.into(), image_distinct.into(), 1) };
    if repeatable != image_distinct {
        return;
    }
    let _entered = enter();
    let image = &instance().image;
    let mut size = 0;
    seed_with(&mut size, ptr::null(), ptr::null());
    let mut seed = vec![0; usize::try_from(size).unwrap_or(0)];
    seed_with(ptr::null_mut(), ptr::null(), &Integers::new(&mut seed));
    if repeatable {
        let this_image = image.rank().image();
        for (position, word) in seed.iter_mut().enumerate() {
            *word ^= hash::mixed(u64::from(this_image) << 32 | position as u64) as i32;
        }
    } else {
        let drawn = seed.iter().fold(0, |all, &word| hash::mixed(all ^ u64::from(word as u32)));
        let call = COMMON_CALLS.fetch_add(1, Ordering::Relaxed);
        let start = image.job().random(drawn) ^ hash::mixed(call);
        for (position, word) in seed.iter_mut().enumerate() {
            *word = hash::mixed(start.wrapping_add(position as u64)) as i32;
        }
    }
    seed_with(ptr::null_mut(), &Integers::new(&mut seed), ptr::null());
}

const _: () = assert!(size_of::<Integers>() == size_of::<Descriptor>() + size_of::<Dim>());
