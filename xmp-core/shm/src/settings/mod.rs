//! Settings: the environment variables that change the behaviour of the runtime, in one table.
//!
//! [`TABLE`] is the documentation that `xmprun --info` prints; [`Settings::from_env`] is the only reader. An invalid
//! value is an error that names the setting, and is never ignored.

mod checks;
mod choices;
mod limits;
mod objects;
pub mod rights;
mod table;
mod techniques;
mod unknown;
mod value;
mod virtual_groups;

pub use checks::Checks;
pub use choices::{DeadlockAction, Preference, RaceAction, TransportChoice};
pub use limits::Limits;
pub use objects::ObjectSettings;
pub use table::{Setting, Settings, TABLE};
pub use techniques::Techniques;
pub use unknown::{Unknown, unknown};
pub use virtual_groups::VirtualGroups;

use crate::error::{Error, Result};
use std::ffi::OsString;
use table::Scope;

impl Settings {
    /// Reads the environment. A program that runs with other rights than its user's has no settings.
    ///
    /// # Errors
    /// [`Error::Setting`] for the first setting whose value cannot be used.
    pub fn from_env() -> Result<Settings> {
        #[cfg(not(loom))]
        if rights::is_privileged() {
            rights::ignore_settings();
            return Ok(Settings::default());
        }
        Settings::from_values(|name| std::env::var_os(name))
    }

    /// The names and values of the settings that all images of a job must have alike.
    pub fn alike(&self) -> impl Iterator<Item = (&'static str, String)> {
        let alike = TABLE.iter().filter(|setting| setting.scope == Scope::Job);
        alike.map(|setting| (setting.name, (setting.shown)(self)))
    }

    /// Reads settings from any source of texts; `Err` is a value that is no text.
    ///
    /// # Errors
    /// [`Error::Setting`] for the first setting whose value cannot be used.
    pub fn from_lookup(
        lookup: impl Fn(&str) -> std::result::Result<Option<String>, String>,
    ) -> Result<Settings> {
        Settings::from_values(|name| match lookup(name) {
            Ok(value) => value.map(OsString::from),
            Err(value) => Some(value.into()),
        })
    }

    /// Settings with these names and values.
    ///
    /// # Errors
    /// [`Error::Setting`] for the first setting whose value cannot be used.
    pub fn from_pairs(pairs: &[(&str, &str)]) -> Result<Settings> {
        Settings::from_values(|name| {
            let value = pairs.iter().find(|(known, _)| *known == name);
            value.map(|(_, value)| OsString::from(value))
        })
    }

    /// Reads settings from any source.
    ///
    /// # Errors
    /// [`Error::Setting`] for the first setting whose value cannot be used.
    fn from_values(value_of: impl Fn(&str) -> Option<OsString>) -> Result<Settings> {
        let mut settings = Settings::default();
        for setting in TABLE {
            for (n, &name) in setting.variables.iter().enumerate() {
                let Some(value) = value_of(name) else { continue };
                let stored = (setting.store)(&mut settings, n, &value);
                stored.map_err(|expected| {
                    let value = value.to_string_lossy().into_owned();
                    Error::Setting { name, value, expected }
                })?;
            }
        }
        Ok(settings)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::collections::BTreeSet;
    use std::os::unix::ffi::OsStringExt;
    use std::path::PathBuf;
    use std::time::Duration;

    fn with(name: &'static str, value: &'static str) -> Result<Settings> {
        Settings::from_pairs(&[(name, value)])
    }

    #[test]
    fn the_table_lists_exactly_the_variables_read() {
        let asked = RefCell::new(BTreeSet::new());
        Settings::from_lookup(|name| {
            asked.borrow_mut().insert(name.to_string());
            Ok(None)
        })
        .unwrap();
        let variables = TABLE.iter().flat_map(|setting| setting.variables);
        let listed: BTreeSet<String> = variables.map(|name| name.to_string()).collect();
        assert_eq!(asked.into_inner(), listed);
    }

    #[test]
    fn images_compare_the_settings_they_rely_on() {
        let alike = |name, value| {
            let differs = |settings: &Settings| settings.alike().collect::<Vec<_>>();
            let (changed, default) =
                (differs(&with(name, value).unwrap()), differs(&Settings::default()));
            changed.into_iter().zip(default).find(|(changed, default)| changed != default)
        };
        let (changed, default) = alike("XMP_MPI_RMA", "always").unwrap();
        assert_eq!((changed.0, &*changed.1, &*default.1), ("XMP_MPI_RMA", "always", "never"));
        assert_eq!(alike("XMP_MPI_RMA", "auto").unwrap().0.1, "auto");
        assert_eq!(alike("XMP_MPI_SOCKETS", "never").unwrap().1.1, "auto");
        assert_eq!(alike("XMP_SERVER_INLINE", "8K").unwrap().0.1, "8192");
        assert_eq!(alike("XMP_SPIN", "3"), None);
    }

    #[test]
    fn good_values() {
        assert_eq!(with("XMP_NUM_IMAGES", "8").unwrap().num_images, Some(8));
        assert_eq!(with("XMP_TRANSPORT", "mpich").unwrap().transport, TransportChoice::Mpich);
        assert_eq!(with("XMP_PLUGIN_DIR", "/a b").unwrap().plugin_dir, Some("/a b".into()));
        let groups = |value| with("XMP_VIRTUAL_GROUPS", value).unwrap().virtual_groups;
        assert_eq!(groups("2x4"), VirtualGroups::Blocks(vec![2, 4]));
        let lists = VirtualGroups::Lists(vec![vec![1..=3, 6..=6], vec![4..=4, 5..=5]]);
        assert_eq!(groups("1-3,6/4,5"), lists);
        assert_eq!(with("XMP_SEGMENT_SIZE", "2G").unwrap().segment_size, Some(2 << 30));
        assert_eq!(with("XMP_C_FIRST_IMAGE", "1").unwrap().first_image_in_c, 1);
        let sizes = with("XMP_NODE_SIZE2", "4").unwrap().node_sizes;
        assert_eq!(sizes, [None, None, Some(4), None, None, None, None]);
        let checks = |calls, races| Checks { calls, races };
        assert_eq!(with("XMP_CHECK", "0").unwrap().check, checks(false, false));
        assert_eq!(with("XMP_CHECK", "races").unwrap().check, checks(false, true));
        assert_eq!(with("XMP_CHECK", "1, races").unwrap().check, checks(true, true));
        assert_eq!(with("XMP_SPIN", "2.5").unwrap().spin, Some(Duration::from_nanos(2500)));
        assert_eq!(
            with("XMP_COLL", "barrier:central,allreduce:flat").unwrap().collectives,
            [("barrier".into(), "central".into()), ("allreduce".into(), "flat".into())]
        );
    }

    #[test]
    fn names_of_files_may_have_any_bytes_and_other_values_are_text() {
        let bytes = OsString::from_vec(b"/tmp/\xff".to_vec());
        let with = |setting: &'static str| {
            Settings::from_values(|name| (name == setting).then(|| bytes.clone()))
        };
        let path = Some(PathBuf::from(&bytes));
        assert_eq!(with("XMP_TRACE").unwrap().trace, path);
        assert_eq!(with("XMP_TOOL").unwrap().tool, path);
        assert_eq!(with("XMP_PLUGIN_DIR").unwrap().plugin_dir, path);
        let error = with("XMP_LOG").unwrap_err().to_string();
        assert!(error.contains("XMP_LOG") && error.contains("valid UTF-8"), "{error}");
    }

    #[test]
    fn bad_values_are_rejected_by_name() {
        for (name, value) in [
            ("XMP_NUM_IMAGES", "0"),
            ("XMP_NUM_IMAGES", "four"),
            ("XMP_TRANSPORT", "tcp"),
            ("XMP_VIRTUAL_HOSTS", "-1"),
            ("XMP_VIRTUAL_GROUPS", "2x0"),
            ("XMP_VIRTUAL_GROUPS", "2x2x2x2"),
            ("XMP_VIRTUAL_GROUPS", "1-3,0/4"),
            ("XMP_VIRTUAL_GROUPS", "1/3-2"),
            ("XMP_SEGMENT_SIZE", "1Q"),
            ("XMP_SEGMENT_SIZE", "99999999999999999999"),
            ("XMP_HUGE_PAGES", "1"),
            ("XMP_SPIN", "-2"),
            ("XMP_YIELDS", "1e3"),
            ("XMP_COLL", "barrier"),
            ("XMP_CHECK", "yes"),
            ("XMP_CHECK", "0,races"),
            ("XMP_COLL_TECHNIQUES", "canary,parrot"),
            ("XMP_IO_BUFFER", "0"),
            ("XMP_DEADLOCK", "0"),
            ("XMP_RACES", "some"),
            ("XMP_RACES_STATUS", "256"),
            ("XMP_FAILURE_GRACE", "soon"),
            ("XMP_COOPERATION", "auto"),
            ("XMP_COOPERATION_GROUP", "0"),
            ("XMP_COOPERATION_WINDOW", "-1"),
            ("XMP_SEPARATE_HOSTS", "2"),
            ("XMP_SERVER_INLINE", "17M"),
            ("XMP_SERVER_CREDITS", "0"),
            ("XMP_SERVER_CHUNK", "2G"),
            ("XMP_SERVER_PIPELINE", "0"),
            ("XMP_SERVER_NAP", "-1"),
            ("XMP_MPI_RMA", "1"),
            ("XMP_MPI_SOCKETS", "yes"),
            ("XMP_HOST_TIMEOUT", "1"),
            ("XMPF_COARRAY_POOL", "0"),
            ("XMPF_COARRAY_METHOD", "ca"),
            ("XMP_C_FIRST_IMAGE", "2"),
            ("XMP_NODE_SIZE3", "many"),
            ("XMP_NODE_SIZE6", "0"),
            ("XMPF_COARRAY_SYNCPUT", "yes"),
            ("XMP_LOG", ""),
        ] {
            let text = with(name, value).unwrap_err().to_string();
            assert!(text.contains(name) && text.contains(value), "{text}");
        }
    }
}
