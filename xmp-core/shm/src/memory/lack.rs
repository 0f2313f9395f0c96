//! Errors of heaps that have no room: what is left, and how there is more.

use super::Memory;
use crate::error::Error;
use crate::job::SegmentLayout;
use crate::region::{CapacityLimit, RegionCapacity};
use crate::size::{SettingSize, Size};
use std::ops::Range;

/// A heap of a segment, in the layout of the segment.
pub(super) type Area = fn(&SegmentLayout) -> Range<u64>;

impl Memory {
    /// The machine, or the control group of the job, has not enough memory.
    pub(super) fn no_memory(&self, requested: u64, available: u64) -> Error {
        let each = Size(self.job.page().symmetric_limit);
        let remedy = match self.job.images() {
            1 => format!("this job may have {each} of it"),
            images => format!("each of the {images} images may have {each} of it"),
        };
        Error::OutOfMemory { heap: "machine's memory", requested, available, remedy }
    }

    /// An error of an allocation in a heap that has this many bytes in use, with the remedy.
    pub(super) fn with_remedy(&self, error: Error, in_use: u64, area: Area) -> Error {
        match error {
            Error::OutOfMemory { heap, requested, available, .. } => {
                let remedy = self.larger_segments(in_use.saturating_add(requested), area);
                Error::OutOfMemory { heap, requested, available, remedy }
            }
            other => other,
        }
    }

    /// The setting with which an area of the segment has this many bytes, or what forbids that.
    fn larger_segments(&self, bytes: u64, area: Area) -> String {
        let geometry = self.job.geometry();
        let mut room = if geometry.base == 0 {
            RegionCapacity::of_process()
        } else {
            RegionCapacity::of_file()
        };
        if room.limit == CapacityLimit::Process {
            room.bytes += geometry.region_len();
        }
        let mut strides = (geometry.stride.ilog2() + 1..u64::BITS).map(|bits| 1 << bits);
        let has_room = |stride: &u64| match geometry.with_segments(*stride, room) {
            Ok(larger) => {
                let area = area(&larger.layout());
                area.end - area.start >= bytes
            }
            Err(_) => false,
        };
        match strides.find(has_room) {
            Some(stride) => format!("XMP_SEGMENT_SIZE={} makes room", SettingSize(stride)),
            None => format!("segments cannot be large enough: {room}"),
        }
    }
}
