//! The addresses of a job's segments, as one process sees them.

use crate::job::Job;
use crate::rank::Rank;

/// The addresses of the segments of all images.
#[derive(Debug)]
pub struct SegmentTable {
    /// Start of each image's segment, null for images of other hosts.
    local: Box<[*mut u8]>,
    /// How many of them [`SegmentTable::plain_address`] knows: all, or none where each access is to be entered. At most all.
    plain: usize,
    /// Address of each image's segment in its own processes, if some segments are in other regions.
    remote: Box<[u64]>,
}

impl SegmentTable {
    /// The table for an image of `job`; `local` gives the segment of each image of the same host. `enters` accesses: races are
    /// looked for.
    pub fn new(job: &Job, enters: bool, local: impl Fn(Rank) -> *mut u8) -> SegmentTable {
        let local: Box<[*mut u8]> = job.ranks().map(local).collect();
        let plain = if enters { 0 } else { local.len() };
        SegmentTable { local, plain, remote: remote_segments(job) }
    }

    /// The same as [`SegmentTable::local_address`] where loads and stores are all of an access; `None`, too, where races are
    /// looked for.
    #[inline(always)]
    pub fn plain_address(&self, rank: Rank, offset: u64) -> Option<*mut u8> {
        if rank.index() >= self.plain {
            return None;
        }
        // SAFETY: there are at least `plain` segments.
        let segment = unsafe { *self.local.get_unchecked(rank.index()) };
        (!segment.is_null()).then(|| segment.wrapping_add(offset as usize))
    }

    /// The address of `offset` in the segment of an image of the same host; `None` for other hosts.
    #[inline(always)]
    pub fn local_address(&self, rank: Rank, offset: u64) -> Option<*mut u8> {
        let segment = *self.local.get(rank.index())?;
        (!segment.is_null()).then(|| segment.wrapping_add(offset as usize))
    }

    /// The segment that an address of this host is in, and the offset in it; `None` for addresses outside
    /// all segments.
    pub fn locate(job: &Job, address: *const u8) -> Option<(Rank, u64)> {
        let geometry = job.geometry();
        let start = job.region().start() as u64 + geometry.segment(0);
        let distance = (address as u64).checked_sub(start)?;
        let rank = job.region_ranks().get((distance / geometry.stride) as usize)?;
        Some((*rank, distance % geometry.stride))
    }

    /// The offset in the segment of `rank` of an address in that image's own process; `None` outside the segment.
    /// Regions of other hosts have the same addresses as this one, so the address alone does not identify the segment.
    pub fn locate_of(&self, job: &Job, rank: Rank, address: *const u8) -> Option<u64> {
        // Not `local_address`: virtual hosts may share a region.
        if job.segment(rank).is_some() {
            return SegmentTable::locate(job, address)
                .filter(|(owner, _)| *owner == rank)
                .map(|(_, offset)| offset);
        }
        let start = *self.remote.get(rank.index())?;
        (address as u64).checked_sub(start).filter(|offset| *offset < job.geometry().stride)
    }
}

/// The address of each image's segment in the processes of its host; empty if all share this region.
fn remote_segments(job: &Job) -> Box<[u64]> {
    let geometry = job.geometry();
    if geometry.region_hosts == geometry.hosts {
        return Box::default();
    }
    let host = |rank| job.entry(rank).host as usize;
    let mut counts = vec![0; geometry.hosts as usize];
    job.ranks().for_each(|rank| counts[host(rank)] += 1);
    let mut slots = vec![0; counts.len()];
    let start = |rank| {
        let (count, slot) = (counts[host(rank)], &mut slots[host(rank)]);
        *slot += 1;
        geometry.remote_segment(count, *slot - 1).unwrap_or(u64::MAX)
    };
    job.ranks().map(start).collect()
}
