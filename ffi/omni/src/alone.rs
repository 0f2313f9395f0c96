//! One runtime in a process: this library has all of `libxmprt.so`, so a program that is linked with both would have two.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use xmp_core::Error;
use xmp_ffi::process::{enter, run_time_error};

/// Ends the job where calls of the program reach `libxmprt.so` instead of this library.
#[unsafe(no_mangle)]
pub extern "C" fn xmprt_omni_alone() {
    // SAFETY: the name ends with a zero byte, and nothing is called.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"xmprt_this_image".as_ptr()) };
    if found.is_null() {
        // The library was opened with names of its own (RTLD_LOCAL), which calls of the program do not reach.
        return;
    }
    let own = object_of as fn(*const c_void) -> Option<*mut c_void>;
    if object_of(found) != object_of(own as *const c_void) {
        let why = "the program is linked with libxmprt.so, too: name libxmprt_omni.so alone, which has the same functions";
        let _entered = enter();
        run_time_error("start", &Error::Invalid(why.into()));
    }
}

/// The address at which the object of an address is loaded.
fn object_of(address: *const c_void) -> Option<*mut c_void> {
    let mut found = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: dladdr accepts any address; room for the answer.
    if unsafe { libc::dladdr(address, found.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: dladdr has filled it, for it has not returned 0.
    Some(unsafe { found.assume_init() }.dli_fbase)
}
