//! Output of this process that is still in buffers.

use std::ffi::c_int;
use std::io::Write;
use std::{mem, ptr};

/// The unit that libgfortran connects to standard output, unless `GFORTRAN_STDOUT_UNIT` names another one.
const STANDARD_UNIT: c_int = 6;

/// Writes the buffered output of this process: of Rust, of C, and of Fortran if its library is loaded.
pub(super) fn flush() {
    let _ = std::io::stdout().flush();
    // SAFETY: null means all streams.
    unsafe { libc::fflush(ptr::null_mut()) };
    if let Some(flush_units) = fortran_flush() {
        flush_units(ptr::null());
    }
}

/// The same for a signal handler, which may have interrupted one of these libraries: it may wait for ever for a lock that the
/// interrupted thread holds. What is most likely to succeed comes first. Nothing is allocated.
pub(super) fn flush_in_handler() {
    let units = fortran_flush();
    if let Some(flush_units) = units {
        flush_units(&STANDARD_UNIT);
    }
    // SAFETY: as above.
    unsafe { libc::fflush(ptr::null_mut()) };
    if let Some(flush_units) = units {
        flush_units(ptr::null());
    }
}

/// The function of libgfortran that writes the buffers of a unit, or of all units.
fn fortran_flush() -> Option<extern "C" fn(*const c_int)> {
    // SAFETY: the name is a NUL-terminated literal; libgfortran's function of this name takes a unit, or null for all units.
    unsafe {
        let function = libc::dlsym(libc::RTLD_DEFAULT, c"_gfortran_flush_i4".as_ptr());
        (!function.is_null())
            .then(|| mem::transmute::<*mut libc::c_void, extern "C" fn(*const c_int)>(function))
    }
}
