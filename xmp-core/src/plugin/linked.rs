//! The MPI that the program itself is linked with, if any.

use super::detect::Flavour;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem;

/// Longer than any MPI's text: the standard's constant is 256 in Open MPI, 8192 in MPICH.
const VERSION_TEXT: usize = 16 << 10;

/// Which MPI that is.
pub fn flavour() -> Option<Flavour> {
    let function = find(c"MPI_Get_library_version")?;
    // SAFETY: the function of that name has this type in every MPI.
    let version: extern "C" fn(*mut c_char, *mut c_int) -> c_int =
        unsafe { mem::transmute(function) };
    let (mut text, mut len) = (vec![0_u8; VERSION_TEXT], 0);
    version(text.as_mut_ptr().cast(), &mut len);
    Some(Flavour::of_library(&String::from_utf8_lossy(&text)))
}

/// Whether the program has initialised that MPI already.
pub fn has_initialised() -> bool {
    let Some(function) = find(c"MPI_Initialized") else { return false };
    // SAFETY: the function of that name has this type in every MPI; it may be called at any time.
    let initialized: extern "C" fn(*mut c_int) -> c_int = unsafe { mem::transmute(function) };
    let mut flag = 0;
    initialized(&mut flag);
    flag != 0
}

/// A function of the program or of the libraries that it is linked with; not of those that were loaded by hand for
/// somebody's own use, as plug-ins are.
pub fn find(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a name.
    let function = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!function.is_null()).then_some(function)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_has_no_mpi() {
        assert_eq!(flavour(), None);
        assert!(!has_initialised());
        assert!(find(c"dlsym").is_some());
    }
}
