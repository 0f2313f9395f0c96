//! The job page: the facts of the job that the launcher and the images of a host share.
//!
//! It is at the start of the region. The launcher writes the plain fields before any image starts; after that only
//! the atomics change. Layout is `repr(C)` because launcher and images may be built by different compilers from the
//! same version of this crate; [`JobPage::VERSION`] refuses others.

pub use super::entry::{ImageEntry, ImageState, Place};
pub use super::geometry::Geometry;
pub use crate::wait::{Status, Waiting};

use super::geometry::JOB_PAGE;
use super::program::ProgramFile;
use crate::error::{Error, Result};
use crate::settings::Techniques;
use crate::sync::{AtomicU64, Padded};

/// The images of a job that share the cores of one machine. Containers of the machine are hosts of their own, so these images may be
/// on several hosts. The images of one host are consecutive.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreSharers {
    /// The number of these images before those of this host.
    pub first: u32,
    /// Their number.
    pub images: u32,
}

/// Start of the region: facts of the job and its status.
#[repr(C)]
#[derive(Debug)]
pub struct JobPage {
    /// [`JobPage::MAGIC`].
    pub magic: u64,
    /// [`JobPage::VERSION`] of the library that made the page.
    pub version: u64,
    /// The layout of the region.
    pub geometry: Geometry,
    /// How images wait.
    pub waiting: Waiting,
    /// The images that share cores with those of this host.
    pub sharers: CoreSharers,
    /// Most bytes that the heaps of this host may hold together.
    pub memory_limit: u64,
    /// Most bytes that the symmetric heaps of one image may hold: the same on all hosts, so that all images of a set
    /// that allocates get the same answer.
    pub symmetric_limit: u64,
    /// Bytes of a chunk of a collective operation on this host (`machine::chunk`).
    pub chunk: u64,
    /// How the large blocks of this host get huge pages ([`HugePages`](crate::region::HugePages)).
    pub huge_pages: u64,
    /// How images exchange messages in collectives.
    pub techniques: Techniques,
    /// The program that all images execute, if it is known.
    pub program: ProgramFile,
    /// Bytes that the non-symmetric and teams heaps of all images hold now.
    pub unsymmetric_in_use: AtomicU64,
    /// 0, or the seed of random numbers that are the same on all images: drawn by the first image that asks.
    pub random: AtomicU64,
    /// The state of the job; read by every wait.
    pub status: Padded<Status>,
}

impl JobPage {
    /// "XMP-JOB" and a zero byte.
    pub const MAGIC: u64 = u64::from_le_bytes(*b"XMP-JOB\0");
    /// Changes whenever the layout of shared memory does.
    pub const VERSION: u64 = 17;
    /// Bytes reserved for the page; image entries follow.
    pub const LEN: u64 = JOB_PAGE;

    /// Whether this version of the library understands the page.
    ///
    /// # Errors
    /// [`Error::Invalid`] with both versions if not.
    pub fn verify(&self) -> Result<()> {
        if self.magic == JobPage::MAGIC && self.version == JobPage::VERSION {
            return Ok(());
        }
        Err(Error::Invalid(format!(
            "the launcher's job page is of version {}, this library's is {}: \
             use xmprun and libxmprt of one installation",
            self.version,
            JobPage::VERSION
        )))
    }
}

// Not under loom, whose atomics have other sizes.
#[cfg(not(loom))]
const _: () = assert!(size_of::<JobPage>() as u64 <= JobPage::LEN);
