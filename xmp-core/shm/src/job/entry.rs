//! The entry of one image in the region: its facts for the other images and the launcher, and its binding.

use super::duties::Duties;
use crate::settings::VirtualGroups;
use crate::sync::{AtomicU32, AtomicU64, Padded};
use crate::wait::Doorbell;

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
    /// 1 if its monitor reports how it dies (`process/monitor.rs`).
    pub monitored: AtomicU32,
    /// The number of threads of its process that MPI had started before the program began.
    pub threads: AtomicU32,
    /// What the image is about to report before it ends the job (`failure::complaint`); 0: nothing.
    pub complaint: AtomicU32,
    /// A robust mutex that the image holds while it lives (`pthread_mutex_t`); see `failure`.
    pub life: [AtomicU64; 6],
    /// In a job of two hosts: of the messages of requests that it has sent to the other host, the number that other images of its
    /// host may depend on (`xmp_net::server`, causal order).
    pub messages: AtomicU64,
    /// If it leads its host: how often images of the host have published such a number.
    pub publications: AtomicU64,
    /// What its image control statements have to do besides ordering loads and stores.
    pub duties: Duties,
    /// Where it sleeps.
    pub doorbell: Padded<Doorbell>,
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

    /// The places of `images` images of a host that are assigned to these groups. Without groups: anywhere.
    pub fn in_groups(images: u32, groups: &VirtualGroups) -> Vec<Place> {
        match groups {
            VirtualGroups::Blocks(numbers) => Place::in_blocks(images, numbers),
            VirtualGroups::Lists(lists) => {
                let listed = |image: u32| {
                    lists.iter().position(|list| list.iter().any(|range| range.contains(&image)))
                };
                let cache = |image| listed(image).unwrap_or(lists.len()) as u32;
                (1..=images).map(|image| Place { cache: cache(image), ..Place::ANYWHERE }).collect()
            }
        }
    }

    /// The places of images that are assigned in blocks to groups within groups: `groups` has the number of groups of
    /// each level, at most three levels, the innermost of which are caches.
    fn in_blocks(images: u32, groups: &[u32]) -> Vec<Place> {
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

#[cfg(not(loom))]
const _: () = assert!(size_of::<libc::pthread_mutex_t>() <= size_of::<[AtomicU64; 6]>());
