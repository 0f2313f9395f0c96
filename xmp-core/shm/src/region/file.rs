//! The file in memory of a region. It has no name, or loses it at once.

use super::capacity::RegionCapacity;
use super::huge_pages::{HugePagePolicy, HugePageReport, HugePageSource, System};
use super::private_tmpfs::{self, Mount};
use crate::error::{Error, Result, refused_call, system_message};
use crate::size::Size;
use rustix::fs::{
    MemfdFlags, Mode, OFlags, SealFlags, fchmod, fcntl_add_seals, ftruncate, memfd_create, open,
    statvfs, unlink,
};
use rustix::io::Errno;
use std::hash::{BuildHasher, RandomState};
use std::os::fd::OwnedFd;

/// The directory for the file where the system has no files in memory without a name (`memfd_create`).
const DIRECTORY: &str = "/dev/shm";
/// Attempts to find a name that no other file has.
const ATTEMPTS: u32 = 100;

/// The file in memory of a region; close-on-exec. Only this user may open it.
#[derive(Debug)]
pub struct RegionFile {
    /// The file.
    pub file: OwnedFd,
    /// How it gets huge pages.
    pub huge_pages: HugePageReport,
    /// What its file system was mounted by, if it is not the system's. Drop it when nothing waits.
    pub mount: Option<Mount>,
}

impl RegionFile {
    /// A file with `len` zero bytes, with huge pages by the best way that the system permits.
    ///
    /// # Errors
    /// [`Error::System`].
    pub fn create(len: u64, policy: HugePagePolicy) -> Result<RegionFile> {
        if i64::try_from(len).is_err() {
            return Err(Error::SizeOverflow(format!("a region of {len} bytes")));
        }
        let created = RegionFile::create_empty(policy)?;
        let room = RegionCapacity::of_file();
        let what = || format!("cannot size the job's shared memory ({})", Size(len));
        // The system would kill this process (SIGXFSZ).
        if len > room.bytes {
            return Err(Error::system(what(), room.to_string()));
        }
        ftruncate(&created.file, len).map_err(|error| Error::os(what(), error.into()))?;
        seal(&created.file)?;
        Ok(created)
    }

    fn create_empty(policy: HugePagePolicy) -> Result<RegionFile> {
        let plainly = |way, obstacles| {
            let huge_pages = HugePageReport { way, obstacles };
            Ok(RegionFile { file: plain()?, huge_pages, mount: None })
        };
        if policy == HugePagePolicy::Never {
            return plainly(HugePageSource::None, vec!["XMP_HUGE_PAGES=0".into()]);
        }
        let system = System::read();
        if let Some(obstacle) = system.obstacle_to_files() {
            return plainly(HugePageSource::None, vec![obstacle]);
        }
        let obstacle = match system.way_of_memfd() {
            Ok(way) => return plainly(way, Vec::new()),
            Err(obstacle) => obstacle,
        };
        match private_tmpfs::create() {
            Ok((file, mount)) => {
                let huge_pages =
                    HugePageReport { way: HugePageSource::PrivateTmpfs, obstacles: Vec::new() };
                Ok(RegionFile { file, huge_pages, mount: Some(mount) })
            }
            Err(refusal) => {
                let (way, obstacles) = without_tmpfs(policy, obstacle, refusal);
                plainly(way, obstacles)
            }
        }
    }
}

/// The way to huge pages where files of `memfd_create` have none, and no tmpfs can be mounted.
fn without_tmpfs(
    policy: HugePagePolicy,
    memfd: String,
    tmpfs: String,
) -> (HugePageSource, Vec<String>) {
    let mut obstacles = vec![memfd, tmpfs];
    let way = match (policy, can_collapse()) {
        (HugePagePolicy::Collapse, true) => HugePageSource::Collapse,
        (_, can_collapse) => {
            obstacles.push(if can_collapse {
                "XMP_HUGE_PAGES=collapse takes them with each allocation".into()
            } else {
                "this kernel has no MADV_COLLAPSE".into()
            });
            HugePageSource::None
        }
    };
    (way, obstacles)
}

/// Whether the kernel replaces pages by huge ones on request (Linux 6.1).
fn can_collapse() -> bool {
    // SAFETY: no byte is affected. The kernel refuses an advice that it does not know, for whatever range.
    unsafe { libc::madvise(std::ptr::null_mut(), 0, libc::MADV_COLLAPSE) == 0 }
}

/// An empty file without huge pages, if the system's choice does not give them to all files in memory.
fn plain() -> Result<OwnedFd> {
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
/// cannot be sealed, and those of a file system that is mounted are among them. The images of a job are programs of one
/// user, and only programs of that user, or of root, can open the file.
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
    use rustix::fs::fstat;

    #[test]
    fn only_its_user_may_open_the_file() {
        let created = |policy| RegionFile::create_empty(policy).unwrap().file;
        let files =
            [created(HugePagePolicy::Auto), created(HugePagePolicy::Never), unlinked().unwrap()];
        for file in files {
            let stat = fstat(&file).unwrap();
            assert_eq!(stat.st_mode & 0o7777, 0o600);
            assert_eq!(stat.st_nlink, 0);
            ftruncate(&file, 1 << 40).unwrap();
            seal(&file).unwrap();
        }
    }
}
