//! The file in memory of a region. It has no name, or loses it at once.

use crate::error::{Error, Result, refused_call, system_message};
use rustix::fs::{
    MemfdFlags, Mode, OFlags, SealFlags, fchmod, fcntl_add_seals, memfd_create, open, statvfs,
    unlink,
};
use rustix::io::Errno;
use std::hash::{BuildHasher, RandomState};
use std::os::fd::OwnedFd;

/// The directory for the file where the system has no files in memory without a name (`memfd_create`).
const DIRECTORY: &str = "/dev/shm";
/// Attempts to find a name that no other file has.
const ATTEMPTS: u32 = 100;

/// An empty file in memory; close-on-exec. Only this user may open it.
///
/// # Errors
/// [`Error::System`].
pub(super) fn create() -> Result<OwnedFd> {
    let file = match memfd() {
        Ok(file) => file,
        Err(refusal) => unlinked().map_err(|error| {
            let refusal = refused_call("memfd_create", &refusal.into());
            let error = system_message(&error.into());
            let message = format!("{refusal}; {DIRECTORY}: {error}");
            Error::system("cannot create the shared memory of the job", message)
        })?,
    };
    // A file in memory has all rights for all users at first.
    let owner = Mode::RUSR | Mode::WUSR;
    fchmod(&file, owner)
        .map_err(|error| Error::os("cannot protect the shared memory of the job", error.into()))?;
    Ok(file)
}

fn memfd() -> rustix::io::Result<OwnedFd> {
    memfd_create(c"xmp", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)
}

/// A file of [`DIRECTORY`], whose name is removed before it is used.
fn unlinked() -> rustix::io::Result<OwnedFd> {
    let owner = Mode::RUSR | Mode::WUSR;
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for attempt in 0..ATTEMPTS {
        // Seeded by the system: no other user knows the name before.
        let name = format!("{DIRECTORY}/xmp-{:x}", RandomState::new().hash_one(attempt));
        match open(&name, flags, owner) {
            Ok(file) => {
                unlink(&name)?;
                return Ok(file);
            }
            // The file of another user, or of a process that was killed between the two calls.
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error),
        }
    }
    Err(Errno::EXIST)
}

/// Seals the file against another size, so that no image can make another's access a SIGBUS. Files that have had a name
/// cannot be sealed; the images of a job are programs of one user.
pub(super) fn seal(file: &OwnedFd) -> Result<()> {
    match fcntl_add_seals(file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL) {
        Ok(()) | Err(Errno::INVAL | Errno::PERM) => Ok(()),
        Err(error) => Err(Error::os("cannot seal the shared memory of the job", error.into())),
    }
}

/// Bytes of memory that the files of the job can have: where they are files of [`DIRECTORY`], half of the free memory of
/// that file system, because the job needs memory beside its coarrays. A page that is not there kills the process.
pub(super) fn room() -> Option<u64> {
    memfd().is_err().then(|| {
        let system = statvfs(DIRECTORY);
        system.map_or(0, |system| system.f_bavail.saturating_mul(system.f_frsize) / 2)
    })
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use rustix::fs::{fstat, ftruncate};

    #[test]
    fn only_its_user_may_open_the_file() {
        for file in [create().unwrap(), unlinked().unwrap()] {
            let stat = fstat(&file).unwrap();
            assert_eq!(stat.st_mode & 0o7777, 0o600);
            assert_eq!(stat.st_nlink, 0);
            ftruncate(&file, 1 << 40).unwrap();
            seal(&file).unwrap();
        }
    }
}
