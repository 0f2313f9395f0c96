//! Loads a plug-in and checks its table.

use super::find::Installed;
use crate::error::{Error, Result};
use std::ffi::{CStr, CString, c_char};
use std::os::unix::ffi::OsStrExt;
use std::{mem, ptr};
use xmp_plugin::{ENTRY, Entry, Table, VERSION};

/// Why a plug-in cannot be loaded.
pub enum Refused {
    /// The MPI library that it is for is not here.
    WithoutMpi(Error),
    /// The plug-in itself is at fault.
    Unfit(Error),
}

/// Loads the plug-in, for good, because MPI cannot be unloaded. Its names are private, so that its MPI does not mix
/// with that of the program.
///
/// # Errors
/// When the file is no plug-in, is of another release, or is for another MPI than its name says.
pub fn load(plugin: &Installed) -> Result<&'static Table> {
    try_load(plugin).map_err(|refused| match refused {
        Refused::WithoutMpi(error) | Refused::Unfit(error) => error,
    })
}

/// As [`load`]; the error tells which of the two is at fault.
///
/// # Errors
/// Those of [`load`].
pub fn try_load(plugin: &Installed) -> std::result::Result<&'static Table, Refused> {
    let Installed { file, soname, .. } = plugin;
    let kind = plugin.kind();
    let refused = |why: &str| {
        Refused::Unfit(Error::Invalid(format!(
            "{}, the plug-in for {kind} ({soname}), {why}. Run ./x install again, with the MPI that the launcher is of",
            file.display()
        )))
    };
    let path = CString::new(file.as_os_str().as_bytes())
        .map_err(|_| refused("has a name with a zero byte"))?;
    // SAFETY: a NUL-terminated path. The libraries' initialisers run as in any program of that MPI.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
    if library.is_null() {
        let why = last_error();
        // The loader's message begins with the library that it has not found.
        if why.starts_with(soname.as_str()) {
            return Err(Refused::WithoutMpi(Error::Invalid(format!(
                "the MPI library of {} cannot be loaded: {why}. Name its directory in LD_LIBRARY_PATH, or run ./x install \
                 with the MPI that the launcher is of",
                file.display()
            ))));
        }
        return Err(refused(&format!("cannot be loaded ({why})")));
    }
    // SAFETY: a loaded library and a NUL-terminated name.
    let entry = unsafe { libc::dlsym(library, ENTRY.as_ptr()) };
    if entry.is_null() {
        return Err(refused("is none: it has no function xmp_mpi_table"));
    }
    // SAFETY: the function of this name has this type.
    let entry: Entry = unsafe { mem::transmute(entry) };
    let table = entry();
    check(table, plugin.word()).map_err(|why| refused(&why))?;
    // SAFETY: checked, and valid as long as the library is loaded.
    Ok(unsafe { &*table })
}

/// Checks a table, beginning with the fields that every version has in the same place.
fn check(table: *const Table, word: &str) -> std::result::Result<(), String> {
    // SAFETY: every version of a table starts with these two numbers.
    let (version, size) =
        unsafe { ((&raw const (*table).version).read(), (&raw const (*table).size).read()) };
    if version != VERSION || size as usize != size_of::<Table>() {
        return Err(format!(
            "is of another release: its table has version {version} and {size} bytes, not {VERSION} and {}",
            size_of::<Table>()
        ));
    }
    // SAFETY: the table is of this version.
    let its = unsafe { (*table).flavour };
    let its = String::from_utf8_lossy(&its);
    match its.trim_end_matches('\0') {
        its if its == word => Ok(()),
        its => Err(format!("was built with {its}")),
    }
}

fn last_error() -> String {
    // SAFETY: no arguments.
    let text = unsafe { libc::dlerror() };
    match ptr::NonNull::<c_char>::new(text) {
        // SAFETY: a text that is valid until the next call of this thread.
        Some(text) => unsafe { CStr::from_ptr(text.as_ptr()) }.to_string_lossy().into_owned(),
        None => "no reason given".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::Flavour;

    fn mpich(file: &str) -> Installed {
        let flavour = Some(Flavour::Mpich);
        Installed { file: file.into(), flavour, soname: "libmpich.so.12".into() }
    }

    #[test]
    fn a_file_that_is_no_plug_in_is_refused_by_name() {
        let file = "/nowhere/libxmprt_mpi_mpich_libmpich.so.12.so";
        let text = load(&mpich(file)).unwrap_err().to_string();
        assert!(text.contains(file) && text.contains("MPICH"), "{text}");
        // A library that exists on every Linux with glibc.
        let text = load(&mpich("libc.so.6")).unwrap_err().to_string();
        assert!(text.contains("no function xmp_mpi_table"), "{text}");
    }

    #[test]
    fn another_release_is_known_by_two_numbers() {
        let table = [VERSION + 1, 8];
        let text = check(table.as_ptr().cast(), "openmpi").unwrap_err();
        assert!(text.contains("another release"), "{text}");
        let table = [VERSION, 8];
        let text = check(table.as_ptr().cast(), "openmpi").unwrap_err();
        assert!(text.contains("8 bytes"), "{text}");
    }
}
