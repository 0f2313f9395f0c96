//! From an image index of a set to the rank and the segment of the image.

use super::set::ImageSet;
use crate::rank::Rank;

/// The location of all images' segments, if all are addressable from this process.
#[derive(Clone, Copy, Debug)]
pub struct Segments {
    /// Start of the segment of rank 0; null if some image is on another host.
    pub first: *mut u8,
    /// Bytes from one segment to the next.
    pub stride: isize,
}

/// Translates an image index to rank and segment in the executing set, without access to the set: for the fast paths.
#[derive(Clone, Copy, Debug)]
pub struct Translation {
    len: u32,
    start: u32,
    stride: i32,
    /// The 1-based index of this image; 0 if it is not in the set.
    index: u32,
    /// The table of a set that is no formula, else null.
    table: *const u32,
    /// Number of images whose segments a formula gives: `len` or 0.
    direct: u32,
    /// Segment of the first image, and bytes from one image's to the next's.
    segment: *mut u8,
    step: isize,
}

impl Translation {
    /// That of a set.
    pub fn of(set: &ImageSet, segments: Segments) -> Translation {
        let members = set.members();
        let len = members.len() as u32;
        let index = set.position().map_or(0, |position| position as u32 + 1);
        if let Some(table) = members.table() {
            return Translation {
                len,
                start: 0,
                stride: 0,
                index,
                table: table.as_ptr(),
                direct: 0,
                segment: std::ptr::null_mut(),
                step: 0,
            };
        }
        let start = members.rank(0).expect("a set has an image").get();
        let stride = members.stride().expect("without a table there is a formula");
        Translation {
            len,
            start,
            stride,
            index,
            table: std::ptr::null(),
            direct: if segments.first.is_null() { 0 } else { len },
            segment: segments.first.wrapping_offset(start as isize * segments.stride),
            step: stride as isize * segments.stride,
        }
    }
    /// The 1-based index of this image, and the number of images.
    #[inline(always)]
    pub fn index_and_size(&self) -> (u32, u32) {
        (self.index, self.len)
    }

    /// The same without any image.
    pub fn closed(&self) -> Translation {
        Translation { len: 0, direct: 0, ..*self }
    }

    /// The segment of the image with the 1-based `index`, if a formula gives it; `None` when the index is out of range or
    /// the answer takes longer ([`Translation::rank`]).
    #[inline(always)]
    pub fn segment(&self, index: i32) -> Option<*mut u8> {
        let position = index.wrapping_sub(1) as u32;
        if position >= self.direct {
            return None;
        }
        Some(self.segment.wrapping_offset(position as isize * self.step))
    }

    /// The rank of the 1-based `index`; `None` when out of range.
    ///
    /// # Safety
    /// The set of this translation exists.
    #[inline(always)]
    pub unsafe fn rank(&self, index: i32) -> Option<Rank> {
        let position = index.wrapping_sub(1) as u32;
        if position >= self.len {
            return None;
        }
        if self.table.is_null() {
            let offset = position.wrapping_mul(self.stride as u32);
            return Some(Rank::new(self.start.wrapping_add(offset)));
        }
        // SAFETY: the table has `len` entries and lives as long as its set.
        Some(Rank::new(unsafe { *self.table.add(position as usize) }))
    }
}
