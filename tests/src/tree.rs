//! Checks of a whole directory: an installation, or a package that was unpacked.

use crate::toolchain::{output_of, workspace};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// All files below a directory, relative to it.
///
/// # Panics
/// When the directory cannot be read.
pub fn files(directory: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let mut left = vec![directory.to_path_buf()];
    while let Some(place) = left.pop() {
        for entry in
            fs::read_dir(&place).expect("a directory").map(|entry| entry.expect("an entry"))
        {
            if entry.file_type().expect("a type").is_dir() {
                left.push(entry.path());
            } else {
                let path = entry.path();
                found.insert(path.strip_prefix(directory).expect("below").to_path_buf());
            }
        }
    }
    found
}

/// Checks that no file below `prefix` contains the path of the workspace, of the Rust toolchain, of Cargo's sources or
/// of the home directory.
///
/// # Panics
/// When a file does, or cannot be read.
pub fn names_no_path_of_this_machine(prefix: &Path) {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.parent().is_some());
    let sysroot = output_of("rustc", ["--print", "sysroot"]);
    let mut paths = vec![workspace().to_path_buf(), PathBuf::from(sysroot.trim())];
    paths.extend(std::env::var_os("CARGO_HOME").map(PathBuf::from));
    paths.extend(home.map(|home| home.join("")));
    for file in files(prefix) {
        let file = prefix.join(file);
        // What gfortran writes is compressed.
        let bytes = if file.extension().is_some_and(|kind| kind == "mod") {
            output_of("gzip", ["-dcf".as_ref(), file.as_path()]).into_bytes()
        } else {
            fs::read(&file).expect("a file")
        };
        for path in &paths {
            let path = path.to_str().expect("UTF-8").as_bytes();
            assert!(
                !names(&bytes, path),
                "{} is in {}",
                String::from_utf8_lossy(path),
                file.display()
            );
        }
    }
}

/// Whether the bytes contain the path, or one below it. `/src/main.rs` does not name `/src/main`.
fn names(bytes: &[u8], path: &[u8]) -> bool {
    let directory = path.strip_suffix(b"/").unwrap_or(path);
    let goes_on = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    let mut rest = bytes;
    while let Some(at) = find(rest, directory) {
        let after = &rest[at + directory.len()..];
        if !after.first().is_some_and(goes_on) {
            return true;
        }
        rest = after;
    }
    false
}

/// The first place of some bytes in others. Libraries have many megabytes, and tests are not optimised: the C library is.
fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let (start, wanted_start) = (bytes.as_ptr(), wanted.as_ptr());
    // SAFETY: both areas are those of slices.
    let found = unsafe {
        libc::memmem(start.cast(), bytes.len(), wanted_start.cast(), wanted.len()).cast_const()
    };
    (!found.is_null()).then(|| found.addr() - start.addr())
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_longer_name_is_another_path() {
        for named in ["/src/main", "/src/main/x", "a /src/main\0", "/src/main.rs /src/main/"] {
            assert!(names(named.as_bytes(), b"/src/main"), "{named}");
            assert!(names(named.as_bytes(), b"/src/main/"), "{named}");
        }
        for other in ["/src/main.rs", "/src/main-2/x", "/src/mai", "src/main"] {
            assert!(!names(other.as_bytes(), b"/src/main"), "{other}");
        }
    }
}
