//! A directory for files of this process: for this user alone, under a name that no other user can foresee, and removed
//! with all that is in it.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;
use xmp_core::{Error, Result};

/// Makes a new directory in another one.
///
/// # Errors
/// When it cannot be made; the error begins with the purpose of the directory.
pub fn directory_in(parent: &Path, purpose: &str) -> Result<TempDir> {
    let made = tempfile::Builder::new()
        .prefix("xmprun-")
        .permissions(Permissions::from_mode(0o700))
        .tempdir_in(parent);
    made.map_err(|error| {
        let text = error.to_string();
        // Without the system's number and the path, which the crate appends.
        let reason = text.split(" (os error ").next().unwrap_or(&text);
        let what = format!("{purpose}: cannot make a directory in {}", parent.display());
        Error::os(what, io::Error::new(error.kind(), reason))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_directory_is_for_this_user_and_has_another_name_each_time() {
        let parent = tempfile::tempdir().unwrap();
        let [one, other] = [(); 2].map(|()| directory_in(parent.path(), "--list").unwrap());
        assert_ne!(one.path(), other.path());
        assert_eq!(fs::metadata(one.path()).unwrap().permissions().mode() & 0o777, 0o700);
        let error = directory_in(&parent.path().join("none"), "--list").unwrap_err().to_string();
        assert!(error.starts_with("--list: cannot make a directory in "), "{error}");
        assert!(error.ends_with("none: No such file or directory"), "{error}");
        assert!(!parent.path().join("none").exists());
    }
}
