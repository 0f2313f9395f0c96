//! The job page: the facts of the job that the launcher and the images of a host share.
//!
//! It lies at the start of the region. The launcher writes the plain fields before any image starts; after that only
//! the atomics change. Layout is `repr(C)` because launcher and images may be built by different compilers from the
//! same version of this crate; [`JobPage::VERSION`] refuses others.

use crate::settings::Techniques;
use crate::sync::{AtomicU32, AtomicU64, Padded};

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
    /// Most bytes that the heaps of this host may hold together.
    pub memory_limit: u64,
    /// Most bytes that the symmetric heaps of one image may hold: the same on all hosts, so that all images of a set
    /// that allocates get the same answer.
    pub symmetric_limit: u64,
    /// How images exchange messages in collectives.
    pub techniques: Techniques,
    /// Bytes that the non-symmetric and teams heaps of all images hold now.
    pub unsymmetric_in_use: AtomicU64,
    /// 0, or the seed of random numbers that are the same on all images: drawn by the first image that asks.
    pub random: AtomicU64,
    /// The state of the job; read by every wait.
    pub status: Padded<Status>,
}

/// Sizes and places of a region; offsets and lengths in bytes, multiples of the page size.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Number of images.
    pub images: u32,
    /// Number of (virtual) hosts that they are split over.
    pub hosts: u32,
    /// Number of images whose segments are in this region: those of the hosts that share it.
    pub slots: u32,
    /// First of the (virtual) hosts that share this region.
    pub first_host: u32,
    /// Number of (virtual) hosts that share this region; they follow one another.
    pub hosts_here: u32,
    /// Address of the region in every image; 0 = wherever the system puts it (one process only).
    pub base: u64,
    /// Length of what precedes the first segment: job page, image entries, collective areas.
    pub control: u64,
    /// Length of the memory for collective areas of one host, within `control`.
    pub areas: u64,
    /// Distance between segments = length of a segment; the same in all regions of a job.
    pub stride: u64,
}

/// Waiting budgets; see `wait/README.md`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Nanoseconds of spinning before the first yield; 0 when images share cores.
    pub spin_ns: u32,
    /// Yields before parking.
    pub yields: u32,
    /// 1 if this job has more images than cores to run on.
    pub crowded: u32,
}

/// The state of the job as a whole.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Status {
    /// Counts every change of an image's state and the start of error termination. 0 = all running.
    pub epoch: AtomicU32,
    /// 0, or in the upper half the image (from 1) that started error termination, or [`Status::BY_LAUNCHER`], and in
    /// the lower half the exit code.
    pub ending: AtomicU64,
    /// 1 once an image was notified of a failed image by a `stat` or an inquiry: the program deals with failures
    /// itself, so the launcher does not end the job because of one.
    pub acknowledged: AtomicU32,
    /// How many images have failed.
    pub failures: AtomicU32,
    /// Images of this region that have reached their normal end; they may not have published it yet.
    pub at_end: AtomicU32,
}

impl Status {
    /// Value in [`Status::ending`] in place of an image: the launcher started error termination.
    pub const BY_LAUNCHER: u32 = u32::MAX;
}

/// One image, as the others and the launcher see it.
#[repr(C, align(128))]
#[derive(Debug)]
pub struct ImageEntry {
    /// Its (virtual) host.
    pub host: u32,
    /// Index of its segment in this region; [`ImageEntry::NO_SLOT`] for an image of a host that does not share the
    /// region.
    pub slot: u32,
    /// The core, cache group and NUMA node that it is bound to, or `u32::MAX`.
    pub place: Place,
    /// Process id, 0 before it is known.
    pub pid: AtomicU32,
    /// [`ImageState`] as a number.
    pub state: AtomicU32,
    /// Its number among the images that have failed, from 1; set before its state is.
    pub failure: AtomicU32,
    /// Number of the synchronisation of all images at which it has last waited for the other survivors
    /// (`failure::wait_for_all`).
    pub survivor_syncs: AtomicU32,
    /// Number of the last synchronisation of all images at which it has arrived; not propagated to other hosts
    /// (`failure::arrivals`).
    pub arrivals: AtomicU32,
    /// 1 if its monitor reports how it dies (`process/guard.rs`).
    pub guarded: AtomicU32,
    /// A robust mutex that the image holds while it lives (`pthread_mutex_t`); see `failure`.
    pub life: [AtomicU64; 6],
    /// Where it sleeps.
    pub doorbell: Padded<crate::wait::Doorbell>,
}

impl ImageEntry {
    /// Value of [`ImageEntry::slot`]: its segment is in another region.
    pub const NO_SLOT: u32 = u32::MAX;
}

/// Logical numbers of what an image is bound to; `u32::MAX` = not bound.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Core.
    pub core: u32,
    /// Group of cores that share a last-level cache.
    pub cache: u32,
    /// NUMA node (memory).
    pub numa: u32,
    /// Package (socket).
    pub package: u32,
}

impl Place {
    /// Not bound.
    pub const ANYWHERE: Place =
        Place { core: u32::MAX, cache: u32::MAX, numa: u32::MAX, package: u32::MAX };

    /// The places of `images` images that are assigned in blocks to groups within groups: `groups` has the number of
    /// groups of each level, at most three levels, the innermost of which are caches (`XMP_VIRTUAL_GROUPS`). Without
    /// groups: anywhere.
    pub fn in_groups(images: u32, groups: &[u32]) -> Vec<Place> {
        // The number of an image's group `above` levels above the innermost one.
        let number = |image: u32, above: usize| match groups.len().saturating_sub(above) {
            0 => u32::MAX,
            levels => {
                let all: u64 = groups[..levels].iter().map(|&number| u64::from(number)).product();
                (u64::from(image) * all / u64::from(images)) as u32
            }
        };
        let place = |image| Place {
            core: u32::MAX,
            cache: number(image, 0),
            numa: number(image, 1),
            package: number(image, 2),
        };
        (0..images).map(place).collect()
    }
}

/// Life of an image. Transitions: running -> stopped, running -> failed.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageState {
    /// Executing.
    Running = 0,
    /// Has begun normal termination (STOP, END PROGRAM).
    Stopped = 1,
    /// Has failed: FAIL IMAGE, or its process died.
    Failed = 2,
}

impl ImageState {
    /// From the number in [`ImageEntry::state`].
    pub fn from_u32(number: u32) -> Self {
        match number {
            0 => ImageState::Running,
            1 => ImageState::Stopped,
            _ => ImageState::Failed,
        }
    }
}

impl JobPage {
    /// "XMP-JOB" and a zero byte.
    pub const MAGIC: u64 = u64::from_le_bytes(*b"XMP-JOB\0");
    /// Changes whenever the layout of shared memory does.
    pub const VERSION: u64 = 7;
    /// Bytes reserved for the page; image entries follow.
    pub const LEN: u64 = 4096;
}

// Not under loom, whose atomics have other sizes.
#[cfg(not(loom))]
const _: () = assert!(size_of::<JobPage>() as u64 <= JobPage::LEN);
#[cfg(not(loom))]
const _: () = assert!(size_of::<libc::pthread_mutex_t>() <= size_of::<[AtomicU64; 6]>());
