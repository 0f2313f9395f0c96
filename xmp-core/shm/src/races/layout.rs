//! The layout of the shadow memory of a segment.
//!
//! The shadow belongs to the image of its segment. It is sparse: memory is taken where coarrays are accessed.

use super::access::{BLOCK, GRANULE, MAX_IMAGES, SITES, SLOTS};
use super::owner::Block;
use super::table::Rows;
use crate::error::{Error, Result};
use crate::job::SegmentLayout;

/// Return addresses that are kept of a site.
pub const CALLERS: usize = 16;

/// In the number of a clock: posts follow it.
pub const HAS_POSTS: u32 = 1 << 31;
/// Posts of an event that have clocks of their own: an image that is further ahead orders more than it should.
pub const KEPT_POSTS: u64 = 16;
/// Words before their clocks: the image that posts, and the number of its posts.
pub const HEAD: u64 = 2;

const WORD: u64 = size_of::<u64>() as u64;

/// Offsets of the parts of a shadow in its segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShadowLayout {
    /// The memory that it is the shadow of: everything before it.
    pub end: u64,
    /// [`SLOTS`] words for each granule.
    slots: u64,
    /// A [`Block`] for each block of granules.
    blocks: u64,
    /// The number of the clock of each granule, 4 bytes; 0: none.
    clock_numbers: u64,
    /// The sites of the image, a record each.
    sites: u64,
    /// Two messages to each image.
    messages: u64,
    /// The races that were found, in the segment of the first image.
    table: u64,
    /// The number of clocks that are in use, then the clocks.
    clocks: u64,
    /// Clocks that there is room for.
    pub most_clocks: u64,
    images: u64,
}

impl ShadowLayout {
    /// The parts of the shadow of a segment, in a job of `images` images.
    ///
    /// # Errors
    /// When the shadow is too small, or there are too many images.
    pub fn new(segment: &SegmentLayout, images: usize) -> Result<ShadowLayout> {
        let (end, images) = (segment.shadow.start, images as u64);
        let granules = end.div_ceil(GRANULE);
        let slots = end;
        let blocks = slots + granules * SLOTS as u64 * WORD;
        let clock_numbers = blocks + granules.div_ceil(BLOCK) * size_of::<Block>() as u64;
        let sites = (clock_numbers + granules * WORD / 2).next_multiple_of(64);
        let messages = sites + SITES as u64 * ShadowLayout::site_len();
        let table = messages + images * 2 * (1 + images) * WORD;
        let clocks = table + size_of::<Rows>() as u64;
        let first = clocks + WORD;
        let most_clocks = segment.shadow.end.saturating_sub(first) / (images * WORD);
        if images > u64::from(MAX_IMAGES) || most_clocks < 2 {
            return Err(Error::Setting {
                name: "XMP_CHECK",
                value: "races".into(),
                expected: format!(
                    "possible for {images} images with segments of {} bytes: use fewer images, or a greater \
                     XMP_SEGMENT_SIZE",
                    segment.shadow.end
                ),
            });
        }
        Ok(ShadowLayout {
            end,
            slots,
            blocks,
            clock_numbers,
            sites,
            messages,
            table,
            clocks,
            most_clocks,
            images,
        })
    }

    const fn site_len() -> u64 {
        CALLERS as u64 * WORD
    }

    /// The slots of the granule with this number.
    pub fn slots(&self, granule: u64) -> u64 {
        self.slots + granule * SLOTS as u64 * WORD
    }

    /// The block with this number.
    pub fn block(&self, number: u64) -> u64 {
        self.blocks + number * size_of::<Block>() as u64
    }

    /// The number of the clock of the granule with this number.
    pub fn clock_number(&self, granule: u64) -> u64 {
        self.clock_numbers + granule * WORD / 2
    }

    /// The record of the site with this number: its return addresses.
    pub fn site(&self, number: u16) -> u64 {
        self.sites + u64::from(number) * ShadowLayout::site_len()
    }

    /// The message to the image with this number at the joint synchronisation with this count: the count, then a clock.
    pub fn message(&self, to: u64, count: u64) -> u64 {
        self.messages + (to * 2 + count % 2) * (1 + self.images) * WORD
    }

    /// The races that were found.
    pub fn table(&self) -> u64 {
        self.table
    }

    /// The place of the number of clocks in use.
    pub fn clocks_in_use(&self) -> u64 {
        self.clocks
    }

    /// The number of clocks whose place the posts of an event take, besides the clock of the event.
    pub fn clocks_of_posts(&self) -> u64 {
        (HEAD + KEPT_POSTS * self.images).div_ceil(self.images)
    }

    /// The place of the posts of the event whose clock has this number: the head, then a clock for each post.
    pub fn posts(&self, number: u64) -> u64 {
        self.clock(number + 1)
    }

    /// The clock with this number, from 1.
    pub fn clock(&self, number: u64) -> u64 {
        self.clocks + WORD + (number - 1) * self.images * WORD
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::job::page::Geometry;

    #[test]
    fn the_parts_follow_one_another_within_the_segment() {
        for (images, segment) in [(1, 1 << 26), (8, 1 << 26), (64, 1 << 30), (4, 1 << 36)] {
            let geometry = Geometry::plan(images, 1, Some(segment)).unwrap().with_shadow(true);
            let shadow = ShadowLayout::new(&geometry.layout(), images as usize).unwrap();
            let granules = shadow.end / GRANULE;
            assert_eq!(shadow.slots(0), shadow.end);
            assert!(shadow.slots(granules) <= shadow.block(0));
            assert!(shadow.block(granules.div_ceil(BLOCK)) <= shadow.clock_number(0));
            assert!(shadow.clock_number(granules) <= shadow.site(0));
            let last = shadow.site((SITES - 1) as u16) + ShadowLayout::site_len();
            assert!(last <= shadow.message(0, 0));
            assert_eq!(shadow.message(3, 4), shadow.message(3, 6));
            let images = u64::from(images);
            assert!(shadow.message(images - 1, 1) + (1 + images) * WORD <= shadow.table());
            assert!(shadow.table() + size_of::<Rows>() as u64 <= shadow.clocks_in_use());
            assert!(shadow.clock(shadow.most_clocks + 1) <= segment);
        }
    }

    #[test]
    fn a_shadow_without_room_names_the_setting() {
        let geometry = Geometry::plan(400, 1, Some(1 << 28)).unwrap().with_shadow(true);
        let error = ShadowLayout::new(&geometry.layout(), 4000).unwrap_err().to_string();
        assert!(error.contains("XMP_CHECK") && error.contains("XMP_SEGMENT_SIZE"), "{error}");
    }
}
