//! Whether a process ends because the run-time library of its compiler has found an error, which is error termination, or
//! because the program wants to, which is normal termination whatever the exit status.
//!
//! Both call `exit`, and nothing but the caller tells them apart: gfortran's functions for STOP and EXIT have names that
//! programs know, the function for errors has none.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use xmp_source::{Modules, callers};

/// The part of its file name.
const LIBGFORTRAN: &str = "libgfortran";
/// Functions of it that programs call to end normally begin with these.
const NORMAL_ENDS: [&str; 2] = ["_gfortran_exit_", "_gfortran_stop_"];
/// Its function for errors, which has this name where the library is a part of the program.
const EXIT_AT_ERROR: &str = "_gfortrani_exit_error";

/// Whether the library calls the `exit` that this thread is in because of an error. Only within an exit handler.
pub fn has_found_error() -> bool {
    let callers = callers();
    let mut outside =
        callers.iter().skip_while(|&&address| name(address).as_deref() != Some("exit"));
    let Some(&caller) = outside.nth(1) else { return false };
    let (file, name) = symbol_around(caller);
    if file.contains(LIBGFORTRAN) {
        return !name.is_some_and(|name| NORMAL_ENDS.iter().any(|normal| name.starts_with(normal)));
    }
    symbol_of_file(caller).is_some_and(|name| name == EXIT_AT_ERROR)
}

/// The name of the function at this address.
fn name(address: usize) -> Option<String> {
    symbol_around(address).1.or_else(|| symbol_of_file(address))
}

/// The name in the file's table of symbols, which a file need not have.
fn symbol_of_file(address: usize) -> Option<String> {
    Modules::of_this_process().ok()?.symbol(address)
}

/// The file that an address is in, and the exported function.
fn symbol_around(address: usize) -> (String, Option<String>) {
    let mut found = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: dladdr accepts any address; room for the answer.
    if unsafe { libc::dladdr(std::ptr::without_provenance(address), found.as_mut_ptr()) } == 0 {
        return (String::new(), None);
    }
    // SAFETY: dladdr has filled it, for it has not returned 0.
    let found = unsafe { found.assume_init() };
    // SAFETY: both are null or texts that live as long as the file is loaded, which calls this.
    let text = |text: *const std::ffi::c_char| unsafe {
        (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
    };
    (text(found.dli_fname).unwrap_or_default(), text(found.dli_sname))
}
