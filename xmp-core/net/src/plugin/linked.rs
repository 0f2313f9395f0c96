//! The MPI that the program itself is linked with, if any.

use super::flavour::Flavour;
use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::mem::{self, MaybeUninit};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Longer than any MPI's text: the standard's constant is 256 in Open MPI, 8192 in MPICH.
const VERSION_TEXT: usize = 16 << 10;

/// The family of that MPI.
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

/// The file of that MPI: its library, or the program if the MPI is in that.
pub fn file() -> Option<PathBuf> {
    file_of(find(c"MPI_Get_library_version")?)
}

/// The library or program that an address of code or data belongs to, by the name under which it was loaded.
pub(super) fn file_of(address: *const c_void) -> Option<PathBuf> {
    let mut found = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: dladdr accepts any address; room for the answer.
    if unsafe { libc::dladdr(address, found.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: dladdr has filled it, for it has not returned 0.
    let name = unsafe { found.assume_init() }.dli_fname;
    // SAFETY: a text that lives as long as the library is loaded; no library of this process is unloaded meanwhile.
    let name = unsafe { CStr::from_ptr(name) };
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}

/// Whether the process has loaded a library with this soname.
pub fn is_loaded(soname: &str) -> bool {
    let Ok(soname) = CString::new(soname) else { return false };
    let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD;
    // SAFETY: a NUL-terminated name; with RTLD_NOLOAD nothing is loaded.
    let library = unsafe { libc::dlopen(soname.as_ptr(), flags) };
    if library.is_null() {
        return false;
    }
    // SAFETY: the handle of the line above, which added a reference; the library stays.
    unsafe { libc::dlclose(library) };
    true
}

/// A function of the program or of the libraries that it is linked with; not of libraries that were loaded privately,
/// as plug-ins are.
pub fn find(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: a NUL-terminated name.
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
        assert_eq!(file(), None);
        assert!(find(c"dlsym").is_some());
    }

    #[test]
    fn loaded_libraries_are_known_by_their_soname() {
        assert!(is_loaded("libc.so.6"));
        assert!(!is_loaded("libmpi.so.4711"));
        let file = file_of(find(c"dlsym").unwrap()).unwrap();
        assert!(file.to_string_lossy().contains("libc.so"), "{}", file.display());
    }
}
