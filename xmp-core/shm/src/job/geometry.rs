//! The layout of the region, and of a segment.

use super::entry::ImageEntry;
use super::part::{PartSizes, images_in_words, packets, pair_areas, pairs_len};
use crate::error::{Error, Result};
use crate::rank::Rank;
use crate::region::{BASE, CapacityLimit, HUGE_PAGE, PAGE, RegionCapacity};
use crate::size::SettingSize;
use std::ops::Range;

pub use super::part::{JOB_PAGE, Part};

/// Bytes reserved in each segment for what [`crate::failure::arrivals`] keeps there.
pub const ARRIVALS: u64 = 16384;
/// Bytes reserved in each segment for the table of [`crate::failure::refusals`].
pub const REFUSALS: u64 = 4224;
/// Bytes reserved in each segment for the table of [`crate::failure::calls`].
pub const CALLS: u64 = 6144;
/// Bytes reserved in each segment for the record of the image's wait ([`crate::endpoint::Record`]).
pub const RECORD: u64 = 16;

/// Bytes reserved in each segment for the fixed part of [`crate::endpoint::Answer`].
pub const ANSWER: u64 = 704;

/// Bytes of the answer to a probe: the fixed part, and two sets of images.
const fn answer_len(images: u32) -> u64 {
    ANSWER + two_sets_len(images)
}

/// Bytes of the table of [`crate::failure::revocation`]: two sets of images.
pub const fn revocation_len(images: u32) -> u64 {
    two_sets_len(images)
}

/// Bytes of two sets of images, with a bit for each image of the job.
const fn two_sets_len(images: u32) -> u64 {
    2 * images.div_ceil(u64::BITS) as u64 * size_of::<u64>() as u64
}

/// Address space of a segment unless asked otherwise, if that many fit.
const DEFAULT_SEGMENT: u64 = 1 << 36;
/// Sizes and places of a region; offsets and lengths in bytes, multiples of the page size. Segments begin with huge pages.
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
    pub region_hosts: u32,
    /// Address of the region in every image; 0 = wherever the system puts it (one process only).
    pub base: u64,
    /// Length of the memory before the first segment: job page, image entries, collective areas.
    pub control: u64,
    /// Length of the memory for collective areas of one host, within `control`.
    pub areas: u64,
    /// Distance between segments = length of a segment; the same in all regions of a job.
    pub stride: u64,
    /// Length of the shadow at the end of each segment ([`crate::races`]); 0 where races are not looked for.
    pub shadow: u64,
}

/// Areas of a segment, as offsets from its start; equal in all segments of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentLayout {
    /// One [`Pair`](super::pair::Pair) for each image of the job: the counters by which that image notifies this one.
    pub pairs: u64,
    /// Packet rings ([`crate::job::pair::rings_len`] bytes) for each image of the job.
    pub rings: u64,
    /// Packets of each ring.
    pub packets: u64,
    /// The arrivals of the image at synchronisations ([`crate::failure::arrivals`]).
    pub arrivals: u64,
    /// The revocation table of the image ([`crate::failure::revocation`]).
    pub revocations: u64,
    /// The refusal table of the image ([`crate::failure::refusals`]).
    pub refusals: u64,
    /// The call log of the image ([`crate::failure::calls`]).
    pub calls: u64,
    /// The record of the image's wait ([`crate::failure::deadlock`]).
    pub blocked: u64,
    /// The image's answer to the launcher's last probe ([`crate::endpoint::Answer`]).
    pub answer: u64,
    /// Symmetric heap of the initial team (from below) and non-symmetric heap (from above).
    pub heap: Range<u64>,
    /// Heap of all other teams.
    pub teams: Range<u64>,
    /// The record of accesses to the segment ([`crate::races`]); empty where races are not looked for.
    pub shadow: Range<u64>,
}

impl Geometry {
    /// A geometry for `images` images on `hosts` (virtual) hosts that share one region, with segments of `segment`
    /// bytes of address space (`None`: 64 GiB each, less where that many do not fit).
    ///
    /// # Errors
    /// When the segments do not fit, or are too small to be useful.
    pub fn plan(images: u32, hosts: u32, segment: Option<u64>) -> Result<Geometry> {
        Geometry::plan_part(images, hosts, Part { images, first_host: 0, hosts }, segment)
    }

    /// [`Geometry::plan`] for a region that holds a part of the job only.
    ///
    /// # Errors
    /// When the segments do not fit, or are too small to be useful.
    pub fn plan_part(
        images: u32,
        hosts: u32,
        part: Part,
        segment: Option<u64>,
    ) -> Result<Geometry> {
        Geometry::plan_within(RegionCapacity::UNLIMITED, images, hosts, part, segment)
    }

    /// [`Geometry::plan_part`] for a region that has no more than this room.
    ///
    /// # Errors
    /// When the segments do not fit, or are too small to be useful.
    pub fn plan_within(
        room: RegionCapacity,
        images: u32,
        hosts: u32,
        part: Part,
        segment: Option<u64>,
    ) -> Result<Geometry> {
        if images == 0 {
            return Err(Error::Invalid("a job needs at least one image, not 0".into()));
        }
        if hosts == 0 || hosts > images {
            return Err(Error::Invalid(format!(
                "{images} images cannot be split over {hosts} hosts"
            )));
        }
        let sizes = PartSizes { images, part };
        let (least, most) = (sizes.least_stride(), sizes.most_stride(room.bytes));
        if most < least {
            return Err(sizes.too_many_images(room));
        }
        let stride = match segment {
            Some(bytes) => bytes.next_multiple_of(HUGE_PAGE),
            None => {
                let unasked = sizes.most_stride(room.share()).min(DEFAULT_SEGMENT);
                // A default is a power of two, which is easy to read. Under a limit segments use all the room.
                let is_limited = room.limit != CapacityLimit::Addresses;
                let unasked = if is_limited { unasked } else { 1 << unasked.max(1).ilog2() };
                unasked.max(least)
            }
        };
        if let Some(bytes) = segment
            && !(least..=most).contains(&stride)
        {
            return Err(Error::Setting {
                name: "XMP_SEGMENT_SIZE",
                value: SettingSize(bytes).to_string(),
                expected: format!(
                    "from {} to {}, for {} of one machine ({room})",
                    SettingSize(least),
                    SettingSize(most),
                    images_in_words(part.images)
                ),
            });
        }
        let planned = Geometry {
            images,
            hosts,
            slots: part.images,
            first_host: part.first_host,
            region_hosts: part.hosts,
            base: BASE,
            control: sizes.control(stride),
            areas: sizes.areas(stride),
            stride,
            shadow: 0,
        };
        planned.check(planned.region_len()).map(|()| planned)
    }

    /// This geometry with segments of another size, in this room.
    ///
    /// # Errors
    /// When they do not fit.
    pub fn with_segments(&self, stride: u64, room: RegionCapacity) -> Result<Geometry> {
        let Geometry { images, hosts, slots, first_host, region_hosts, .. } = *self;
        let part = Part { images: slots, first_host, hosts: region_hosts };
        let planned = Geometry::plan_within(room, images, hosts, part, Some(stride))?;
        Ok(Geometry { base: self.base, ..planned }.with_shadow(self.shadow > 0))
    }

    /// This geometry, with a shadow in each segment if `races` are looked for. Coarrays get the rest, a sixth of the segment.
    pub fn with_shadow(self, races: bool) -> Geometry {
        let shadow = if races { self.stride - (self.stride / 6).next_multiple_of(PAGE) } else { 0 };
        Geometry { shadow, ..self }
    }

    /// Checks that this geometry, which another process has planned, fits a region of `len` bytes: all that the methods
    /// below compute then is in the region.
    ///
    /// # Errors
    /// [`Error::Invalid`].
    pub fn check(&self, len: u64) -> Result<()> {
        let (images, slots) = (u128::from(self.images), u128::from(self.slots));
        let region_hosts = u128::from(self.region_hosts);
        let (control, areas) = (u128::from(self.control), u128::from(self.areas));
        let entries = u128::from(JOB_PAGE) + images * size_of::<ImageEntry>() as u128;
        let hosts_end = u64::from(self.first_host) + u64::from(self.region_hosts);
        let sane = (1..=self.images).contains(&self.hosts)
            && (1..=self.slots).contains(&self.region_hosts)
            && self.slots <= self.images
            && hosts_end <= u64::from(self.hosts)
            && [self.control, self.areas, self.stride, self.shadow]
                .iter()
                .all(|area| area.is_multiple_of(PAGE))
            && entries + region_hosts * areas <= control
            && self.shadow <= self.stride
            && pair_areas(self.images, self.slots) < self.stride - self.shadow
            && control + slots * u128::from(self.stride) <= u128::from(len);
        if sane {
            Ok(())
        } else {
            Err(Error::Invalid(format!(
                "the job page does not describe its region of {len} bytes: {self:?}"
            )))
        }
    }

    /// Length of the region in bytes.
    pub fn region_len(&self) -> u64 {
        self.control + u64::from(self.slots) * self.stride
    }

    /// Offset of the entry of `rank` in the region.
    pub fn entry(&self, rank: Rank) -> u64 {
        JOB_PAGE + u64::from(rank.get()) * size_of::<ImageEntry>() as u64
    }

    /// Whether `host` is one of those that share the region.
    pub fn is_in_region(&self, host: u32) -> bool {
        host.checked_sub(self.first_host).is_some_and(|place| place < self.region_hosts)
    }

    /// Offset in the region of the memory for collective areas of `host`, one of those that share it.
    pub fn areas_of(&self, host: u32) -> u64 {
        self.control - u64::from(self.first_host + self.region_hosts - host) * self.areas
    }

    /// Offset in the region of its segment number `slot`.
    #[inline(always)]
    pub fn segment(&self, slot: u32) -> u64 {
        self.control + u64::from(slot) * self.stride
    }

    /// Address of segment number `slot` on another host of this job, one with `images` images and a region of its own.
    /// Regions have the same address everywhere, and the length of what is before the segments depends on nothing
    /// else.
    pub fn remote_segment(&self, images: u32, slot: u32) -> Option<u64> {
        let part = Part { images, first_host: 0, hosts: 1 };
        let there = Geometry::plan_part(self.images, self.hosts, part, Some(self.stride)).ok()?;
        (slot < images).then(|| there.base + there.segment(slot))
    }

    /// The host of `rank` when images are assigned to hosts in contiguous, balanced blocks.
    pub fn host_by_block(&self, rank: Rank) -> u32 {
        (u64::from(rank.get()) * u64::from(self.hosts) / u64::from(self.images)) as u32
    }

    /// The host of each image, by [`Geometry::host_by_block`].
    pub fn hosts_by_block(&self) -> Vec<u32> {
        (0..self.images).map(|number| self.host_by_block(Rank::new(number))).collect()
    }

    /// The areas of a segment.
    pub fn layout(&self) -> SegmentLayout {
        let pairs = 0;
        let rings = pairs_len(self.images);
        let packets = packets(self.images, self.slots);
        let arrivals = pair_areas(self.images, self.slots);
        let revocations = arrivals + ARRIVALS;
        let refusals = revocations + revocation_len(self.images);
        let calls = (refusals + REFUSALS).next_multiple_of(64);
        let blocked = calls + CALLS;
        let answer = (blocked + RECORD).next_multiple_of(64);
        let heap = (answer + answer_len(self.images)).next_multiple_of(PAGE);
        let end = self.stride - self.shadow;
        let teams = (heap + (end - heap) / 4 * 3).next_multiple_of(PAGE);
        SegmentLayout {
            pairs,
            rings,
            packets,
            arrivals,
            revocations,
            refusals,
            calls,
            blocked,
            answer,
            heap: heap..teams,
            teams: teams..end,
            shadow: end..self.stride,
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_job_has_room_for_its_own_images_only() {
        let part = Part { images: 3, first_host: 5, hosts: 2 };
        let g = Geometry::plan_part(1000, 9, part, Some(1 << 30)).unwrap();
        assert!(g.entry(Rank::new(999)) + size_of::<ImageEntry>() as u64 <= g.areas_of(5));
        assert_eq!(g.areas_of(6) + g.areas, g.control);
        assert_eq!(g.segment(2) + g.stride, g.region_len());
        assert_eq!([4, 5, 6, 7].map(|host| g.is_in_region(host)), [false, true, true, false]);
        let other = Part { images: 997, first_host: 0, hosts: 5 };
        let other = Geometry::plan_part(1000, 9, other, Some(1 << 30)).unwrap();
        assert_eq!(g.layout(), other.layout());
    }

    #[test]
    fn segments_of_other_hosts_are_where_these_have_them() {
        let plan = |images| {
            let part = Part { images, first_host: 1, hosts: 1 };
            Geometry::plan_part(6, 3, part, Some(1 << 30)).unwrap()
        };
        let mine = plan(2);
        for images in 1..=4 {
            let theirs = plan(images);
            for slot in 0..images {
                let address = mine.remote_segment(images, slot);
                assert_eq!(address, Some(theirs.base + theirs.segment(slot)));
            }
            assert_eq!(mine.remote_segment(images, images), None);
        }
    }

    #[test]
    fn areas_do_not_overlap_and_fill_the_region() {
        for (images, hosts) in [(1, 1), (2, 1), (7, 3), (64, 2), (1024, 16)] {
            let g = Geometry::plan(images, hosts, None).unwrap();
            let last = Rank::new(images - 1);
            assert!(g.entry(last) + size_of::<ImageEntry>() as u64 <= g.areas_of(0));
            assert_eq!(g.areas_of(hosts - 1) + g.areas, g.control);
            assert_eq!(g.segment(images - 1) + g.stride, g.region_len());
            assert!((0..images).all(|slot| (g.base + g.segment(slot)).is_multiple_of(HUGE_PAGE)));
            let l = g.layout();
            assert!(l.pairs < l.rings && l.rings < l.arrivals && l.arrivals < l.revocations);
            assert!(l.revocations + revocation_len(images) <= l.refusals);
            assert!(l.refusals + REFUSALS <= l.calls && l.calls + CALLS <= l.blocked);
            assert!(l.blocked + RECORD <= l.answer);
            assert!(l.answer + answer_len(images) <= l.heap.start);
            assert_eq!(l.heap.end, l.teams.start);
            assert_eq!(l.teams.end, g.stride);
            assert_eq!(g.host_by_block(last), hosts - 1);
        }
    }

    #[test]
    fn geometries_that_leave_the_region_are_refused() {
        let g = Geometry::plan(4, 2, Some(1 << 26)).unwrap();
        g.check(g.region_len()).unwrap();
        assert!(g.check(g.region_len() - 1).is_err());
        for wrong in [
            Geometry { images: 0, ..g },
            Geometry { images: 3, ..g },
            Geometry { images: u32::MAX, ..g },
            Geometry { hosts: 0, ..g },
            Geometry { hosts: 5, ..g },
            Geometry { slots: 0, ..g },
            Geometry { slots: 5, ..g },
            Geometry { first_host: 1, ..g },
            Geometry { first_host: u32::MAX, ..g },
            Geometry { region_hosts: 0, ..g },
            Geometry { region_hosts: 3, ..g },
            Geometry { areas: g.areas + HUGE_PAGE, ..g },
            Geometry { areas: u64::MAX - u64::MAX % PAGE, ..g },
            Geometry { control: 0, ..g },
            Geometry { control: g.control - PAGE / 2, ..g },
            Geometry { stride: 0, ..g },
            Geometry { shadow: g.stride, ..g },
            Geometry { shadow: g.stride + PAGE, ..g },
            Geometry { shadow: PAGE / 2, ..g },
            Geometry { stride: u64::MAX - u64::MAX % PAGE, ..g },
        ] {
            let text = wrong.check(g.region_len()).unwrap_err().to_string();
            assert!(text.contains("job page"), "{text}");
        }
    }

    #[test]
    fn a_shadow_takes_most_of_each_segment_and_overlaps_nothing() {
        let g = Geometry::plan(3, 1, Some(1 << 30)).unwrap();
        assert_eq!(g.with_shadow(false), g);
        let l = g.with_shadow(true).layout();
        assert_eq!((l.teams.end, l.shadow.end), (l.shadow.start, g.stride));
        assert!(l.heap.start < l.heap.end && l.heap.end < l.teams.end);
        assert!(l.shadow.end - l.shadow.start >= 4 * l.shadow.start);
    }

    #[test]
    fn impossible_geometries_say_why() {
        for (images, hosts, segment, word) in [
            (0, 1, None, "not 0"),
            (2, 3, None, "3 hosts"),
            (4, 1, Some(1 << 20), "\"1M\""),
            (4, 1, Some(1 << 60), "XMP_SEGMENT_SIZE"),
        ] {
            let text = Geometry::plan(images, hosts, segment).unwrap_err().to_string();
            assert!(text.contains(word), "{text}");
        }
    }
}
