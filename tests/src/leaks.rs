//! The things that a job could leave behind besides processes: names in `/dev/shm` and in directories for temporary files, and
//! memory without a name that a process still holds.

use crate::processes::{self, Pid};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// Between two looks for what is left.
const PAUSE: Duration = Duration::from_millis(5);
/// How long a name may be there that no process has mapped yet, or any more.
const PATIENCE: Duration = Duration::from_secs(300);

/// The names that were in `/dev/shm` at some time, for runs that cannot have their own (`shared_memory.rs`).
#[derive(Debug)]
pub struct SharedMemoryNames(BTreeSet<OsString>);

impl SharedMemoryNames {
    /// Those that are there now.
    pub fn now() -> SharedMemoryNames {
        let entries = fs::read_dir("/dev/shm").into_iter().flatten();
        SharedMemoryNames(entries.filter_map(|entry| Some(entry.ok()?.file_name())).collect())
    }

    /// Checks that no name has been added, except by other programs that run: those map it, or are about to.
    ///
    /// # Panics
    /// When there is one; `what` says whose it is.
    pub fn assert_no_more(&self, what: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let added: Vec<OsString> =
                SharedMemoryNames::now().0.difference(&self.0).cloned().collect();
            let Some(left) = added
                .into_iter()
                .filter(|name| !is_segment_of_open_mpi(name))
                .map(|name| Path::new("/dev/shm").join(name))
                .find(|path| is_left(path))
            else {
                return;
            };
            assert!(Instant::now() < deadline, "{what}: left {} behind", left.display());
            thread::sleep(PAUSE);
        }
    }
}

/// Whether a name is there that no program has mapped.
fn is_left(path: &Path) -> bool {
    let maps = |pid| fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    let path = path.to_string_lossy();
    let others = processes::all()
        .into_iter()
        .any(|pid| maps(pid).lines().any(|line| line.ends_with(&*path)));
    !others && fs::exists(&*path).unwrap_or(false)
}

/// Directories that only the run uses, empty before it.
#[derive(Debug, Default)]
pub struct OwnDirectories(Vec<PathBuf>);

impl OwnDirectories {
    /// These.
    pub fn new(directories: Vec<PathBuf>) -> OwnDirectories {
        OwnDirectories(directories)
    }

    /// Checks that they are empty again, `patience` long.
    ///
    /// # Panics
    /// When one is not; `what` says whose it is.
    pub fn assert_empty(&self, what: &str, patience: Duration) {
        let deadline = Instant::now() + patience;
        for directory in &self.0 {
            loop {
                let mut left = files_below(directory);
                left.retain(|path| !is_of_open_mpi(path, directory));
                if left.is_empty() {
                    break;
                }
                assert!(Instant::now() < deadline, "{what}: left behind: {left:?}");
                thread::sleep(PAUSE);
            }
        }
    }
}

/// Whether Open MPI 5 leaves this path in a directory: that of its session when a job ends with an error.
fn is_of_open_mpi(path: &Path, directory: &Path) -> bool {
    let first = path.strip_prefix(directory).ok().and_then(|path| path.iter().next());
    first.is_some_and(|name| {
        name.to_string_lossy().starts_with("prterun.") || is_segment_of_open_mpi(name)
    })
}

/// Whether this is the name of a segment of Open MPI 5. Of two processes that no mpirun has started, one leaves that of both.
fn is_segment_of_open_mpi(name: &OsStr) -> bool {
    name.to_string_lossy().starts_with("sm_segment.")
}

/// Everything in a directory, and in those within it.
fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                pending.push(entry.path());
            }
            found.push(entry.path());
        }
    }
    found
}

/// A block of memory without a name, by device, inode and former name as in `/proc/*/maps`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SharedMemory(String);

/// The blocks made by XMP-RT that these processes map.
pub fn mapped_by(processes: &[Pid]) -> Vec<SharedMemory> {
    let mut found = BTreeSet::new();
    for pid in processes {
        let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
        let is_shared = |line: &&str| line.contains("/memfd:xmp") || line.contains("/xmp-job-");
        for line in maps.lines().filter(is_shared) {
            // address permissions offset device inode path
            let fields: Vec<&str> = line.split_whitespace().skip(3).take(3).collect();
            found.insert(SharedMemory(fields.join(" ")));
        }
    }
    found.into_iter().collect()
}

/// Checks that within a moment no process of this machine maps any of these blocks, so that they are gone.
///
/// # Panics
/// When one does.
pub fn assert_unmapped(blocks: &[SharedMemory]) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let holders: Vec<Pid> = processes::all()
            .into_iter()
            .filter(|pid| mapped_by(&[*pid]).iter().any(|block| blocks.contains(block)))
            .collect();
        if holders.is_empty() {
            return;
        }
        assert!(
            Instant::now() < deadline,
            "the memory of the job is still held by:\n{}",
            processes::describe(&holders)
        );
        thread::sleep(PAUSE);
    }
}
