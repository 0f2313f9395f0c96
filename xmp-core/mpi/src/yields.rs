//! Yields of MPI itself. Where there are more processes than cores, Open MPI yields the core whenever a look has found nothing. Beside a
//! program that computes such a yield lasts for a time slice. The library decides between two looks whether the image yields.

use std::ffi::c_void;
use std::mem;
use std::sync::OnceLock;

/// The function of Open MPI (1.0 to 5) that sets whether it yields, and returns what it did before.
type SetYields = unsafe extern "C" fn(bool) -> bool;

/// Calls `look`, in which MPI does not yield, if it is an Open MPI.
pub fn without_yields<T>(look: impl FnOnce() -> T) -> T {
    static SET: OnceLock<Option<SetYields>> = OnceLock::new();
    let Some(set) = *SET.get_or_init(find) else { return look() };
    // SAFETY: has no conditions. It changes a variable that MPI reads when it has found nothing to do.
    let before = unsafe { set(false) };
    let outcome = look();
    if before {
        // SAFETY: as above.
        unsafe { set(true) };
    }
    outcome
}

/// The function, if the MPI with which this plug-in was loaded has it.
fn find() -> Option<SetYields> {
    let name = c"opal_progress_set_yield_when_idle";
    // SAFETY: a NUL-terminated name. The default search includes the libraries that were loaded with this plug-in.
    let function = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    // SAFETY: null, or the function of this name, which has this type.
    unsafe { mem::transmute::<*mut c_void, Option<SetYields>>(function) }
}
