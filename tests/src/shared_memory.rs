//! A `/dev/shm` that only one run has: a directory in that of the system, which a mount namespace of the run has in its place. What other
//! programs of the machine make in `/dev/shm` is not there.

use std::ffi::CString;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::ptr;
use std::sync::OnceLock;
use tempfile::TempDir;

const PLACE: &str = "/dev/shm";

/// The `/dev/shm` of one run.
#[derive(Debug)]
pub(crate) struct OwnSharedMemory(TempDir);

impl OwnSharedMemory {
    /// A new one, in which this command will run; `None` where the user may not mount.
    pub fn of(command: &mut Command) -> Option<OwnSharedMemory> {
        static MAY_MOUNT: OnceLock<bool> = OnceLock::new();
        let may_mount = || {
            let mut command = Command::new("true");
            OwnSharedMemory::entered_by(&mut command).is_some()
                && command.status().is_ok_and(|status| status.success())
        };
        if *MAY_MOUNT.get_or_init(may_mount) { OwnSharedMemory::entered_by(command) } else { None }
    }

    fn entered_by(command: &mut Command) -> Option<OwnSharedMemory> {
        let directory = tempfile::Builder::new().prefix("xmp-tests-").tempdir_in(PLACE).ok()?;
        // As that of the system.
        fs::set_permissions(directory.path(), Permissions::from_mode(0o1777)).ok()?;
        let source = CString::new(directory.path().as_os_str().as_bytes()).ok()?;
        let target = CString::new(PLACE).ok()?;
        // SAFETY: only system calls are made.
        unsafe { command.pre_exec(move || mount(&source, &target)) };
        Some(OwnSharedMemory(directory))
    }

    /// Where it is outside of the run.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

/// Has this process, and those that it starts, find the directory at the target. Async-signal-safe.
fn mount(directory: &CString, target: &CString) -> io::Result<()> {
    let succeeded = |code| if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) };
    let none = ptr::null();
    // SAFETY: the paths end with zeros; null pointers name no type and no data.
    unsafe {
        succeeded(libc::unshare(libc::CLONE_NEWNS))?;
        // What is mounted outside appears here, and nothing of here appears there.
        let flags = libc::MS_REC | libc::MS_SLAVE;
        succeeded(libc::mount(none, c"/".as_ptr(), none, flags, none.cast()))?;
        let (directory, target) = (directory.as_ptr(), target.as_ptr());
        succeeded(libc::mount(directory, target, none, libc::MS_BIND, none.cast()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_programs_are_not_in_the_shared_memory_of_a_run() {
        let mut command = Command::new("sh");
        command.args(["-c", "ls -A /dev/shm; echo text > /dev/shm/left"]);
        let Some(own) = OwnSharedMemory::of(&mut command) else { return };
        let other = tempfile::NamedTempFile::new_in(PLACE).unwrap();
        let output = command.output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{output:?}");
        let names = fs::read_dir(own.path()).unwrap().map(|entry| entry.unwrap().file_name());
        assert_eq!(names.collect::<Vec<_>>(), ["left"]);
        drop(other);
    }
}
