//! The vector clock of an image. Its threads may read it at any time; the image changes it in image control statements.

use super::access::LAST_SEGMENT;
use super::sites::Site;
use crate::rank::Rank;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};

// All orders are relaxed. Only the image itself uses its clock: its image control statements change it, and the program
// orders them with accesses of other threads of the image. Other images see copies in the shadow memory.

/// A number of a segment for each image.
#[derive(Debug)]
pub struct Clock {
    me: usize,
    /// For each image, the last segment that is ordered before the current one of this image; for this image, its last
    /// segment that has ended.
    segments: Box<[AtomicU64]>,
    /// For each image the site of the statement by which it was ordered before this one last; 0: none.
    ordered_at: Box<[AtomicU16]>,
    /// Whether this image has accessed a coarray in its present segment.
    has_access: AtomicBool,
}

impl Clock {
    /// That of the image `me` at its start.
    pub fn new(images: usize, me: Rank) -> Clock {
        Clock {
            me: me.index(),
            segments: (0..images).map(|_| AtomicU64::new(0)).collect(),
            ordered_at: (0..images).map(|_| AtomicU16::new(0)).collect(),
            has_access: AtomicBool::new(false),
        }
    }

    /// The last segment of an image that is ordered before the current one of this image.
    pub fn of(&self, image: usize) -> u64 {
        self.segments[image].load(Ordering::Relaxed)
    }

    /// The clock.
    pub fn all(&self) -> impl Iterator<Item = u64> + Clone {
        self.segments.iter().map(|segment| segment.load(Ordering::Relaxed))
    }

    /// The number of the present segment, in which this image now accesses a coarray; `None` after the last one that has a
    /// number.
    pub fn segment_with_access(&self) -> Option<u64> {
        if !self.has_access.load(Ordering::Relaxed) {
            self.has_access.store(true, Ordering::Relaxed);
        }
        Some(self.of(self.me) + 1).filter(|&segment| segment <= LAST_SEGMENT)
    }

    /// The present segment ends. One without accesses is part of the next one.
    pub fn begin_segment(&self) {
        if self.has_access.swap(false, Ordering::Relaxed) {
            let next = (self.of(self.me) + 1).min(LAST_SEGMENT);
            self.segments[self.me].store(next, Ordering::Relaxed);
        }
    }

    /// Orders the segments of an image up to this one before the current one. Returns whether some were not ordered
    /// before.
    pub fn see(&self, image: usize, segment: u64) -> bool {
        image != self.me && self.segments[image].fetch_max(segment, Ordering::Relaxed) < segment
    }

    /// The statement by which an image was ordered before this one last.
    pub fn ordered_at(&self, image: usize) -> Site {
        Site::from_number(self.ordered_at[image].load(Ordering::Relaxed))
    }

    /// The statement at this site has ordered an image before this one.
    pub fn set_ordered_at(&self, image: usize, site: Site) {
        self.ordered_at[image].store(site.number(), Ordering::Relaxed);
    }
}
