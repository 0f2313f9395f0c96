//! The part of a job in one region: what it needs at least, and the largest segments for which there is room.

use super::entry::ImageEntry;
use super::pair::{self, Pair};
use crate::error::Error;
use crate::region::{CapacityLimit, HUGE_PAGE, PAGE, RegionCapacity};
use crate::size::Size;

/// Bytes reserved for the job page; the entries of the images follow.
pub const JOB_PAGE: u64 = 4096;
/// Smallest segment that is useful.
const MIN_SEGMENT: u64 = 1 << 26;
/// Most address space for the collective areas of a host, and least for a host of several images.
const AREAS: std::ops::RangeInclusive<u64> = 1 << 28..=1 << 34;

/// The part of a job in one region: the images of consecutive hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Number of images.
    pub images: u32,
    /// The first of the (virtual) hosts.
    pub first_host: u32,
    /// Number of (virtual) hosts.
    pub hosts: u32,
}

/// The sizes of a region by the size of its segments.
#[derive(Clone, Copy)]
pub(super) struct PartSizes {
    /// Images of the job.
    pub images: u32,
    /// The part that the region holds.
    pub part: Part,
}

impl PartSizes {
    /// Length of the memory for collective areas of one host.
    pub fn areas(&self, stride: u64) -> u64 {
        match self.part.images {
            // An image alone on its host needs no collective area.
            slots if slots == self.part.hosts => PAGE,
            _ => (stride / 4).clamp(*AREAS.start(), *AREAS.end()).next_multiple_of(PAGE),
        }
    }

    /// Length of what precedes the first segment, which begins with a huge page.
    pub fn control(&self, stride: u64) -> u64 {
        let entries = u64::from(self.images) * size_of::<ImageEntry>() as u64;
        let areas = u64::from(self.part.hosts) * self.areas(stride);
        ((JOB_PAGE + entries).next_multiple_of(PAGE) + areas).next_multiple_of(HUGE_PAGE)
    }

    /// The size of the smallest useful segment.
    pub fn least_stride(&self) -> u64 {
        let pairs = 2 * pair_areas(self.images, self.part.images);
        MIN_SEGMENT.max(pairs).next_multiple_of(HUGE_PAGE)
    }

    /// The size of the largest segments with which the region has at most this many bytes.
    pub fn most_stride(&self, bytes: u64) -> u64 {
        let len = |stride: u64| {
            u128::from(self.control(stride)) + u128::from(self.part.images) * u128::from(stride)
        };
        // By bisection, because the collective areas depend on the segments.
        let (mut fits, mut exceeds) = (0, bytes / HUGE_PAGE + 1);
        while exceeds - fits > 1 {
            let middle = fits + (exceeds - fits) / 2;
            let fit = len(middle * HUGE_PAGE) <= u128::from(bytes);
            if fit { fits = middle } else { exceeds = middle }
        }
        fits * HUGE_PAGE
    }

    /// Whether a region with this many images fits.
    fn has_room_for(self, slots: u32, bytes: u64) -> bool {
        let images = self.images - self.part.images + slots;
        let hosts = self.part.hosts.min(slots);
        let sizes = PartSizes { images, part: Part { images: slots, hosts, ..self.part } };
        sizes.most_stride(bytes) >= sizes.least_stride()
    }

    /// The error that there are more images than the room permits; it names how many are possible.
    pub fn too_many_images(self, room: RegionCapacity) -> Error {
        let (mut fits, mut exceeds) = (0, self.part.images);
        while exceeds - fits > 1 {
            let middle = fits + (exceeds - fits) / 2;
            if self.has_room_for(middle, room.bytes) { fits = middle } else { exceeds = middle }
        }
        let least = self.least_stride();
        let needed =
            u128::from(self.control(least)) + u128::from(self.part.images) * u128::from(least);
        let remedy = match (fits, room.limit) {
            (most, CapacityLimit::Addresses) => format!("at most {most} can run on one machine"),
            (0, _) => "raise that limit".into(),
            (most, _) => format!("raise that limit, or start at most {most} on one machine"),
        };
        Error::Invalid(format!(
            "{} of one machine share at least {} of memory, and {room}: {remedy}",
            images_in_words(self.part.images),
            Size(u64::try_from(needed).unwrap_or(u64::MAX))
        ))
    }
}

/// A number of images in messages.
pub(super) fn images_in_words(images: u32) -> String {
    if images == 1 { "1 image".into() } else { format!("{images} images") }
}

/// Bytes of the notification counters of a segment.
pub(super) fn pairs_len(images: u32) -> u64 {
    (u64::from(images) * size_of::<Pair>() as u64).next_multiple_of(PAGE)
}

/// Bytes that a segment has for each of the other images: counters and packet rings.
pub(super) fn pair_areas(images: u32, slots: u32) -> u64 {
    pairs_len(images) + u64::from(images) * pair::rings_len(packets(images, slots))
}

/// Packets of a ring: the same in all regions of a job, whether one holds all its images or not.
pub(super) fn packets(images: u32, slots: u32) -> u64 {
    pair::packets(slots < images)
}

#[cfg(all(test, not(loom)))]
mod tests;
