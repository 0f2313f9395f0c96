//! The library of PMIx: where it is, and its functions.

use super::types::{Info, Process, Value};
use crate::error::{Error, Result};
use std::env;
use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Its soname, in all versions from 2.2 on.
const SONAME: &str = "libpmix.so.2";

type Init = unsafe extern "C" fn(*mut Process, *mut Info, usize) -> c_int;
type Get = unsafe extern "C" fn(
    *const Process,
    *const c_char,
    *const Info,
    usize,
    *mut *mut Value,
) -> c_int;
type Put = unsafe extern "C" fn(u8, *const c_char, *mut Value) -> c_int;
type Commit = unsafe extern "C" fn() -> c_int;
type Fence = unsafe extern "C" fn(*const Process, usize, *const Info, usize) -> c_int;
type Finalize = unsafe extern "C" fn(*const Info, usize) -> c_int;
type Abort = unsafe extern "C" fn(c_int, *const c_char, *mut Process, usize) -> c_int;
type ErrorString = unsafe extern "C" fn(c_int) -> *const c_char;

/// The loaded library.
pub struct Library {
    file: PathBuf,
    pub init: Init,
    pub get: Get,
    pub put: Put,
    pub commit: Commit,
    pub fence: Fence,
    pub finalize: Finalize,
    pub abort: Abort,
    error_string: ErrorString,
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Library").field("file", &self.file).finish_non_exhaustive()
    }
}

/// Places of the library, in this order: `PMIX_PREFIX`, the installations whose launchers are in `PATH`, and the places
/// of the loader.
fn places(lookup: impl Fn(&str) -> Option<std::ffi::OsString>) -> Vec<PathBuf> {
    let mut prefixes: Vec<PathBuf> = lookup("PMIX_PREFIX").map(PathBuf::from).into_iter().collect();
    let path = lookup("PATH").unwrap_or_default();
    for launcher in ["prterun", "srun"] {
        let mut files = env::split_paths(&path).map(|directory| directory.join(launcher));
        let prefix = files.find(|file| file.is_file());
        prefixes.extend(prefix.and_then(|file| Some(file.parent()?.parent()?.to_path_buf())));
    }
    let below = ["lib", "lib/openmpi", "lib64"];
    let inside = |prefix: &PathBuf| below.map(|directory| prefix.join(directory).join(SONAME));
    let mut files: Vec<PathBuf> = prefixes.iter().flat_map(inside).collect();
    files.retain(|file| file.is_file());
    files.push(SONAME.into());
    files
}

impl Library {
    /// Loads the library, for good: the first of its places from which it can be loaded. One that the process has loaded comes before.
    ///
    /// # Errors
    /// When there is none, or it lacks a function.
    pub fn load() -> Result<Library> {
        let loaded =
            load(OsStr::new(SONAME), libc::RTLD_NOLOAD).map(|found| (SONAME.into(), found));
        let (file, library) = loaded
            .or_else(|| {
                let each = places(|name| env::var_os(name)).into_iter();
                each.filter_map(|file| Some((load(file.as_os_str(), 0)?, file)))
                    .map(|(library, file)| (file, library))
                    .next()
            })
            .ok_or_else(|| {
                Error::Invalid(format!(
                    "the launcher's process manager speaks PMIx, and its library {SONAME} is not found. Name its directory in \
                     LD_LIBRARY_PATH, or that of its installation in PMIX_PREFIX, or install the plug-in for the launcher's MPI"
                ))
            })?;
        let function = |name: &CStr| {
            // SAFETY: a loaded library and a NUL-terminated name.
            let function = unsafe { libc::dlsym(library, name.as_ptr()) };
            if function.is_null() {
                let file = file.display();
                return Err(Error::Invalid(format!("{file} has no function {name:?}")));
            }
            Ok(function)
        };
        // SAFETY: the functions of these names have these types in all versions.
        unsafe {
            use std::mem::transmute;
            Ok(Library {
                init: transmute::<*mut c_void, Init>(function(c"PMIx_Init")?),
                get: transmute::<*mut c_void, Get>(function(c"PMIx_Get")?),
                put: transmute::<*mut c_void, Put>(function(c"PMIx_Put")?),
                commit: transmute::<*mut c_void, Commit>(function(c"PMIx_Commit")?),
                fence: transmute::<*mut c_void, Fence>(function(c"PMIx_Fence")?),
                finalize: transmute::<*mut c_void, Finalize>(function(c"PMIx_Finalize")?),
                abort: transmute::<*mut c_void, Abort>(function(c"PMIx_Abort")?),
                error_string: transmute::<*mut c_void, ErrorString>(function(
                    c"PMIx_Error_string",
                )?),
                file,
            })
        }
    }

    /// The outcome of a call.
    ///
    /// # Errors
    /// When the code is not success.
    pub fn check(&self, what: &str, code: c_int) -> Result<()> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the library returns a constant text, or null.
        let text = unsafe { (self.error_string)(code).as_ref().map(|text| CStr::from_ptr(text)) };
        let text = text.map(CStr::to_string_lossy).unwrap_or_default();
        let file = self.file.display();
        Err(Error::system(what, format!("{text} ({code}, by {file})")))
    }
}

/// Loads a file, with private names; `None` if that is not possible.
fn load(file: &OsStr, flags: c_int) -> Option<*mut c_void> {
    let file = CString::new(file.as_bytes()).ok()?;
    // SAFETY: a NUL-terminated path. The library's initialisers run as in any program of PMIx.
    let library = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL | flags) };
    (!library.is_null()).then_some(library)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_installation_of_the_launcher_comes_before_the_loader() {
        let directory = tempfile::tempdir().unwrap();
        let file = |path: &str| {
            let file = directory.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, "").unwrap();
            file
        };
        file("bin/prterun");
        let its = file("lib/openmpi/libpmix.so.2");
        let lookup = |name: &str| (name == "PATH").then(|| directory.path().join("bin").into());
        assert_eq!(places(lookup), [its, PathBuf::from(SONAME)]);
        assert_eq!(places(|_| None), [PathBuf::from(SONAME)]);
    }
}
