//! The version of the gfortran that has compiled the program, as far as calls differ. (GNU-LIBCAF section 10)
//!
//! gfortran 16 passes other arguments to functions of the same names, and nothing in a call says so. The link step says
//! it: `xmpfc` looks at the compiler's version and, from 16 on, defines the symbol `xmp_gfortran_abi`; by hand,
//! `pkg-config --libs xmprt-gfortran16` has the option, `-Wl,--defsym=xmp_gfortran_abi=16`.
//!
//! A shared library that is opened at run time has a symbol of its own, which no reference of this one leads to: it is
//! looked up when the library registers its first coarray or accessor ([`learn_from`]).

use super::weak::weak;
use crate::entry::decode;
use crate::gfortran_abi::ErrMsg;
use std::ffi::{c_char, c_void};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a program has to be linked with that gfortran 16 or a later version compiles.
pub const OPTION: &str = "-Wl,--defsym=xmp_gfortran_abi=16";

/// A convention for the arguments of team calls, THIS_IMAGE and NUM_IMAGES.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// That of gfortran 12 to 15.
    Until15,
    /// That of gfortran 16.
    Since16,
}

/// Whether a library that was opened at run time says that it is of gfortran 16. Relaxed: set while that library is
/// opened, before it calls anything else.
static OPENED_SINCE_16: AtomicBool = AtomicBool::new(false);

/// The first version with the convention of 16.
const FIRST: usize = 16;

/// The convention of this program.
#[inline]
pub fn convention() -> Convention {
    // The "address" is the number that the symbol was defined as.
    match weak!("xmp_gfortran_abi").addr() {
        0..FIRST if !OPENED_SINCE_16.load(Ordering::Relaxed) => Convention::Until15,
        _ => Convention::Since16,
    }
}

/// An argument that is the address of a value, or null, since version 16. Older versions pass anything there.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Since16<'a, T>(*const T, PhantomData<&'a T>);

impl<'a, T> Since16<'a, T> {
    /// The argument as a number, in programs of any version.
    #[inline(always)]
    pub fn addr(self) -> usize {
        self.0.addr()
    }

    /// The value; `None` in programs of older versions, too.
    #[inline(always)]
    pub fn get(self) -> Option<&'a T> {
        match convention() {
            Convention::Until15 => None,
            // SAFETY: the contract of entries: gfortran 16 passes null or the address of a value.
            Convention::Since16 => unsafe { self.0.as_ref() },
        }
    }
}

/// `errmsg=` where gfortran passes its address correctly only since version 16. What older versions pass is the address
/// of a pointer: nothing is written there.
///
/// # Safety
/// The address and length are those that the compiler passes.
#[inline(always)]
pub unsafe fn errmsg_since_16<'a>(text: *mut c_char, len: usize) -> ErrMsg<'a> {
    match convention() {
        Convention::Until15 => &[],
        // SAFETY: gfortran 16 passes the address of `len` characters.
        Convention::Since16 => unsafe { decode::cells(text, len) },
    }
}

/// Looks for the symbol of the program or library that has something of its own at this address.
pub fn learn_from(address: *const c_void) {
    if convention() == Convention::Until15 && version_at(address) >= FIRST {
        OPENED_SINCE_16.store(true, Ordering::Relaxed);
    }
}

#[cold]
fn version_at(address: *const c_void) -> usize {
    let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: asks what is at the address; the name that comes of it is the loader's. Nothing is loaded, and the handle
    // is given back.
    unsafe {
        if libc::dladdr(address, info.as_mut_ptr()) == 0 || info.assume_init().dli_fname.is_null() {
            return 0;
        }
        let library =
            libc::dlopen(info.assume_init().dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if library.is_null() {
            return 0;
        }
        let version = libc::dlsym(library, c"xmp_gfortran_abi".as_ptr()).addr();
        libc::dlclose(library);
        version
    }
}
