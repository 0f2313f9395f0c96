//! Settings: everything that the environment can say to the runtime, in one table.
//!
//! [`TABLE`] is the documentation that `xmprun --info` prints; [`Settings::from_env`] is the only reader.
//! A value that a setting cannot have is an error that names the setting, never ignored.

mod objects;
mod server;
mod techniques;
mod transport;
mod unknown;
mod value;

pub use objects::ObjectSettings;
pub use techniques::Techniques;
pub use transport::TransportChoice;
pub use unknown::{Unknown, unknown};

use crate::error::{Error, Result};
#[cfg(not(loom))]
use crate::process::rights;
use crate::server::Limits;
use std::path::PathBuf;
use std::time::Duration;
use value::{
    collectives, count, directory, groups, log_filter, microseconds, milliseconds, optional, size,
    switch,
};

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Name of the environment variable.
    pub name: &'static str,
    /// What is used when it is not set.
    pub default: &'static str,
    /// What it does; with the unit of its value.
    pub meaning: &'static str,
}

/// All settings.
pub const TABLE: &[Setting] = &[
    Setting {
        name: "XMP_NUM_IMAGES",
        default: "1",
        meaning: "images that a program starts itself as when it is not started by a launcher",
    },
    Setting {
        name: "XMP_TRANSPORT",
        default: "auto",
        meaning: "between images: shm (this machine's memory), mpi (of any kind), openmpi or mpich; auto is mpi where a \
                  launcher of MPI has started the program",
    },
    Setting {
        name: "XMP_PLUGIN_DIR",
        default: "xmprt beside libxmprt, or of the installation whose xmprun is in PATH",
        meaning: "directory of the MPI plug-ins, libxmprt_mpi_<openmpi or mpich>_<soname of the MPI library>.so",
    },
    Setting {
        name: "XMP_VIRTUAL_HOSTS",
        default: "1",
        meaning: "hosts that the images of this machine are split over, to test what crosses hosts",
    },
    Setting {
        name: "XMP_VIRTUAL_GROUPS",
        default: "what images are bound to",
        meaning: "groups that images are split over, as if bound, to test what crosses them: caches, or NUMA nodes x \
                  caches of each, or packages x nodes x caches, such as 2x4",
    },
    Setting {
        name: "XMP_SEPARATE_HOSTS",
        default: "0",
        meaning: "1: the hosts of images that are threads (tests) share no memory, and send messages through a network \
                  within the process",
    },
    Setting {
        name: "XMP_SEGMENT_SIZE",
        default: "64G, less where that many do not fit",
        meaning: "address space of each image's segment (bytes, or K, M, G, T); memory is used when touched",
    },
    Setting {
        name: "XMP_MEMORY_LIMIT",
        default: "memory of the machine or control group",
        meaning: "most memory that the coarrays of this machine may take together (bytes, or K, M, G, T)",
    },
    Setting {
        name: "XMP_SPIN",
        default: "8 with a core for each image, else 0",
        meaning: "microseconds that a waiting image spins before it yields its core",
    },
    Setting {
        name: "XMP_YIELDS",
        default: "500 with a core for each image, else 16",
        meaning: "times that a waiting image yields its core before it sleeps",
    },
    Setting {
        name: "XMP_COLL",
        default: "by size and set",
        meaning: "forces algorithms of collectives: operation:algorithm[,operation:algorithm...]",
    },
    Setting {
        name: "XMP_COLL_TECHNIQUES",
        default: "all",
        meaning: "techniques of messages in collectives: all, none, or a list of double-buffering, work-buffers, \
                  canary, two-level",
    },
    Setting {
        name: "XMP_CHECK",
        default: "0",
        meaning: "1: images compare what they call before each collective, so that calls that do not match are errors",
    },
    Setting {
        name: "XMP_FAILURE_GRACE",
        default: "10000",
        meaning: "milliseconds from the death of an image to the end of the job if no image notices it",
    },
    Setting {
        name: "XMP_KILL_GRACE",
        default: "1000",
        meaning: "milliseconds from SIGTERM to SIGKILL when a job is ended",
    },
    server::ROWS[0],
    server::ROWS[1],
    server::ROWS[2],
    server::ROWS[3],
    server::ROWS[4],
    server::ROWS[5],
    server::ROWS[6],
    server::ROWS[7],
    server::ROWS[8],
    server::ROWS[9],
    server::ROWS[10],
    server::ROWS[11],
    objects::ROWS[0],
    objects::ROWS[1],
    objects::ROWS[2],
    objects::ROWS[3],
    objects::ROWS[4],
    Setting {
        name: "XMP_LOG",
        default: "off",
        meaning: "log filter: a level (error, warn, info, debug, trace) or target=level[,...]",
    },
];

/// The settings of a process, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `XMP_NUM_IMAGES`.
    pub num_images: Option<u32>,
    /// `XMP_TRANSPORT`.
    pub transport: TransportChoice,
    /// `XMP_PLUGIN_DIR`.
    pub plugin_dir: Option<PathBuf>,
    /// `XMP_VIRTUAL_HOSTS`.
    pub virtual_hosts: u32,
    /// `XMP_VIRTUAL_GROUPS`, the outermost first; empty if not set.
    pub virtual_groups: Vec<u32>,
    /// `XMP_SEPARATE_HOSTS`.
    pub separate_hosts: bool,
    /// `XMP_SEGMENT_SIZE`, bytes.
    pub segment_size: Option<u64>,
    /// `XMP_MEMORY_LIMIT`, bytes.
    pub memory_limit: Option<u64>,
    /// `XMP_SPIN`.
    pub spin: Option<Duration>,
    /// `XMP_YIELDS`.
    pub yields: Option<u32>,
    /// `XMP_COLL`: pairs of operation and algorithm, as written.
    pub collectives: Vec<(String, String)>,
    /// `XMP_COLL_TECHNIQUES`.
    pub techniques: Techniques,
    /// `XMP_CHECK`.
    pub check: bool,
    /// `XMP_FAILURE_GRACE`.
    pub failure_grace: Duration,
    /// `XMP_KILL_GRACE`.
    pub kill_grace: Duration,
    /// `XMP_SERVER_INLINE`, `XMP_SERVER_CREDITS`, `XMP_SERVER_CHUNK`, `XMP_SERVER_PIPELINE`, `XMP_SERVER_NAP`,
    /// `XMP_COOPERATION`, `XMP_COOPERATION_GROUP`, `XMP_COOPERATION_WINDOW`.
    pub server: Limits,
    /// `XMP_MPI_RMA`.
    pub one_sided: bool,
    /// `XMP_MPI_GUARD`.
    pub guard: bool,
    /// `XMP_HOST_TIMEOUT`.
    pub host_timeout: Duration,
    /// `XMP_MPI_BIND`.
    pub bind: bool,
    /// `XMPF_COARRAY_*`.
    pub objects: ObjectSettings,
    /// `XMP_LOG`.
    pub log: Option<String>,
}

impl Settings {
    /// Reads the environment. A program that runs with other rights than its user's has no settings.
    ///
    /// # Errors
    /// [`Error::Setting`] for the first setting whose value cannot be used.
    pub fn from_env() -> Result<Settings> {
        #[cfg(not(loom))]
        if rights::is_privileged() {
            rights::ignore_settings();
            return Settings::from_lookup(|_| Ok(None));
        }
        Settings::from_lookup(|name| match std::env::var(name) {
            Ok(value) => Ok(Some(value)),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(std::env::VarError::NotUnicode(bytes)) => Err(bytes.to_string_lossy().into_owned()),
        })
    }

    /// What all images of a job must have alike, by the names of settings: what one image does by them, others answer.
    pub fn alike(&self) -> Vec<(&'static str, String)> {
        vec![
            ("XMP_VIRTUAL_HOSTS", self.virtual_hosts.to_string()),
            ("XMP_VIRTUAL_GROUPS", format!("{:?}", self.virtual_groups)),
            ("XMP_COLL", format!("{:?}", self.collectives)),
            ("XMP_COLL_TECHNIQUES", format!("{:?}", self.techniques)),
            ("XMP_CHECK", self.check.to_string()),
            ("XMP_SERVER_INLINE", self.server.inline.to_string()),
            ("XMP_SERVER_CREDITS", self.server.credits.to_string()),
            ("XMP_SERVER_CHUNK", self.server.chunk.to_string()),
            ("XMP_SERVER_PIPELINE", self.server.pipeline.to_string()),
            ("XMP_COOPERATION", format!("{:?}", self.server.cooperation.mode)),
            ("XMP_COOPERATION_GROUP", format!("{:?}", self.server.cooperation.group)),
            ("XMPF_COARRAY_POOL", self.objects.threshold.to_string()),
            ("XMPF_COARRAY_METHOD", if self.objects.allocation { "ra" } else { "rs" }.to_string()),
            ("XMP_MPI_RMA", if self.one_sided { "always" } else { "never" }.to_string()),
        ]
    }

    /// Reads settings from any source; `Err` is a value that is no text.
    ///
    /// # Errors
    /// As [`Settings::from_env`].
    pub fn from_lookup(
        lookup: impl Fn(&str) -> std::result::Result<Option<String>, String>,
    ) -> Result<Settings> {
        let get = |name: &'static str| {
            lookup(name).map_err(|value| Error::Setting {
                name,
                value,
                expected: "valid UTF-8".into(),
            })
        };
        Ok(Settings {
            num_images: optional("XMP_NUM_IMAGES", get, |v| count(v, 1))?,
            transport: optional("XMP_TRANSPORT", get, TransportChoice::parse)?.unwrap_or_default(),
            plugin_dir: optional("XMP_PLUGIN_DIR", get, directory)?,
            virtual_hosts: optional("XMP_VIRTUAL_HOSTS", get, |v| count(v, 1))?.unwrap_or(1),
            virtual_groups: optional("XMP_VIRTUAL_GROUPS", get, groups)?.unwrap_or_default(),
            separate_hosts: optional("XMP_SEPARATE_HOSTS", get, switch)?.unwrap_or(false),
            segment_size: optional("XMP_SEGMENT_SIZE", get, size)?,
            memory_limit: optional("XMP_MEMORY_LIMIT", get, size)?,
            spin: optional("XMP_SPIN", get, microseconds)?,
            yields: optional("XMP_YIELDS", get, |v| count(v, 0))?,
            collectives: optional("XMP_COLL", get, collectives)?.unwrap_or_default(),
            techniques: optional("XMP_COLL_TECHNIQUES", get, Techniques::parse)?
                .unwrap_or_default(),
            check: optional("XMP_CHECK", get, switch)?.unwrap_or(false),
            failure_grace: optional("XMP_FAILURE_GRACE", get, milliseconds)?
                .unwrap_or(Duration::from_secs(10)),
            kill_grace: optional("XMP_KILL_GRACE", get, milliseconds)?
                .unwrap_or(Duration::from_secs(1)),
            server: server::limits(get)?,
            one_sided: server::one_sided(get)?,
            guard: optional("XMP_MPI_GUARD", get, switch)?.unwrap_or(true),
            host_timeout: server::host_timeout(get)?,
            bind: optional("XMP_MPI_BIND", get, switch)?.unwrap_or(true),
            objects: objects::read(get)?,
            log: optional("XMP_LOG", get, log_filter)?,
        })
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    fn with(name: &'static str, value: &'static str) -> Result<Settings> {
        Settings::from_lookup(|n| Ok((n == name).then(|| value.to_string())))
    }

    #[test]
    fn the_table_lists_exactly_what_is_read() {
        let asked = RefCell::new(BTreeSet::new());
        Settings::from_lookup(|name| {
            asked.borrow_mut().insert(name.to_string());
            Ok(None)
        })
        .unwrap();
        let listed: BTreeSet<String> = TABLE.iter().map(|row| row.name.to_string()).collect();
        assert_eq!(asked.into_inner(), listed);
    }

    #[test]
    fn good_values() {
        assert_eq!(with("XMP_NUM_IMAGES", "8").unwrap().num_images, Some(8));
        assert_eq!(with("XMP_TRANSPORT", "mpich").unwrap().transport, TransportChoice::Mpich);
        assert_eq!(with("XMP_PLUGIN_DIR", "/a b").unwrap().plugin_dir, Some("/a b".into()));
        assert_eq!(with("XMP_VIRTUAL_GROUPS", "2x4").unwrap().virtual_groups, [2, 4]);
        assert_eq!(with("XMP_SEGMENT_SIZE", "2G").unwrap().segment_size, Some(2 << 30));
        assert_eq!(with("XMP_SPIN", "2.5").unwrap().spin, Some(Duration::from_nanos(2500)));
        assert_eq!(
            with("XMP_COLL", "barrier:central,allreduce:flat").unwrap().collectives,
            [("barrier".into(), "central".into()), ("allreduce".into(), "flat".into())]
        );
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
            ("XMP_SEGMENT_SIZE", "1Q"),
            ("XMP_SEGMENT_SIZE", "99999999999999999999"),
            ("XMP_SPIN", "-2"),
            ("XMP_YIELDS", "1e3"),
            ("XMP_COLL", "barrier"),
            ("XMP_CHECK", "yes"),
            ("XMP_COLL_TECHNIQUES", "canary,parrot"),
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
            ("XMP_HOST_TIMEOUT", "1"),
            ("XMPF_COARRAY_POOL", "0"),
            ("XMPF_COARRAY_METHOD", "ca"),
            ("XMPF_COARRAY_SCHEME", "dma"),
            ("XMPF_COARRAY_BUF", "2G"),
            ("XMPF_COARRAY_SYNCPUT", "yes"),
            ("XMP_LOG", ""),
        ] {
            let text = with(name, value).unwrap_err().to_string();
            assert!(text.contains(name) && text.contains(value), "{text}");
        }
    }
}
