//! Programs that run with other rights than those of their user: setuid, setgid, or with capabilities.

use crate::report::report;
use std::ffi::OsString;
use std::sync::OnceLock;

/// Whether the system tells this process not to trust its environment (`AT_SECURE`), as for `secure_getenv`: the user
/// who has set it has other rights than the program.
pub fn is_privileged() -> bool {
    // SAFETY: no memory is passed.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// Reports once which settings a privileged program ignores, because plug-ins are code.
pub fn ignore_settings() {
    static SAID: OnceLock<()> = OnceLock::new();
    SAID.get_or_init(|| {
        let names = std::env::vars_os().map(|(name, _)| name);
        if let Some(text) = ignored(names) {
            report(format_args!("{text}"));
        }
    });
}

fn ignored(names: impl Iterator<Item = OsString>) -> Option<String> {
    let is_setting = |name: &OsString| name.as_encoded_bytes().starts_with(b"XMP_");
    let mut names: Vec<_> =
        names.filter(is_setting).map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    (!names.is_empty()).then(|| {
        format!(
            "{} of the environment: ignored, because this program runs with other rights than its user's (setuid)",
            names.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_settings_are_named() {
        let names = |names: &[&str]| {
            ignored(names.iter().map(OsString::from).collect::<Vec<_>>().into_iter())
        };
        assert_eq!(names(&["PATH", "OMP_NUM_THREADS"]), None);
        let text = names(&["XMP_PLUGIN_DIR", "PATH", "XMP_LOG"]).unwrap();
        assert!(text.starts_with("XMP_LOG, XMP_PLUGIN_DIR of the environment: ignored"), "{text}");
        assert!(!is_privileged(), "tests have the rights of their user");
    }
}
