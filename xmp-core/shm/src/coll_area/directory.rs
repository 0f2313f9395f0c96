//! The directory of a host's collective areas, keyed by image set; see `README.md`.

use super::layout::area_len;
use super::windows::WINDOW;
use crate::endpoint::Endpoint;
use crate::error::{Error, Result};
use crate::failure;
use crate::members::Key;
use crate::rank::Rank;
use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// Entries of a host's directory; a power of two.
const ENTRIES: usize = 4096;

/// The start of a host's memory for collective areas. Zeroed memory is an empty directory.
#[repr(C)]
#[derive(Debug)]
struct Directory {
    /// Bytes of that memory in use after the directory.
    used: AtomicU64,
    entries: [Entry; ENTRIES],
}

#[repr(C)]
#[derive(Debug)]
struct Entry {
    state: AtomicU32,
    key: [AtomicU64; 2],
    /// Offset of the area in that memory.
    offset: AtomicU64,
}

const FREE: u32 = 0;
const READY: u32 = 1;
const NO_ROOM: u32 = 2;
/// Plus the rank of the image that is filling the entry.
const CLAIMED: u32 = 16;

/// Address of the collective area on the host of `image` of the set with this key, which has `members` images there;
/// `None` when the host has no room for it.
///
/// # Errors
/// [`Error::JobEnding`] while another image fills the entry.
pub fn find(image: &Endpoint, key: Key, members: usize) -> Result<Option<*mut u8>> {
    let job = image.job();
    let area = job.areas(image.host());
    // SAFETY: each host's memory for areas starts with a directory: atomics, valid when zeroed.
    let directory = unsafe { &*area.cast::<Directory>() };
    let Key(key) = key;
    for probe in 0..ENTRIES {
        let entry = &directory.entries[(key[0] as usize).wrapping_add(probe) % ENTRIES];
        let mine = CLAIMED + image.rank().get();
        let found = entry.state.compare_exchange(FREE, mine, Ordering::Relaxed, Ordering::Acquire);
        match found {
            Ok(_) => {
                let state = directory.fill(entry, key, members, job.geometry().areas);
                // Release: an image that reads the state sees key and offset.
                entry.state.store(state, Ordering::Release);
                job.region_ranks().iter().for_each(|&rank| job.entry(rank).doorbell.ring());
            }
            Err(state) if state >= CLAIMED => {
                let filled = image.waits().until(
                    || failure::check(job, [Rank::new(state - CLAIMED)]),
                    || entry.state.load(Ordering::Acquire) < CLAIMED,
                );
                match filled {
                    Ok(()) => {}
                    Err(Error::JobEnding) => return Err(Error::JobEnding),
                    // The claiming image, perhaps of another set, has died while it filled the entry: the entry is lost
                    // for all images.
                    Err(_) => continue,
                }
            }
            Err(_) => {}
        }
        if entry.key[0].load(Ordering::Relaxed) != key[0]
            || entry.key[1].load(Ordering::Relaxed) != key[1]
        {
            continue;
        }
        return Ok(match entry.state.load(Ordering::Acquire) {
            NO_ROOM => None,
            _ => Some(area.wrapping_add(entry.offset.load(Ordering::Relaxed) as usize)),
        });
    }
    Ok(None)
}

impl Directory {
    /// Fills a claimed entry: its key, and its place if there is room. Returns the new state.
    fn fill(&self, entry: &Entry, key: [u64; 2], members: usize, area: u64) -> u32 {
        entry.key[0].store(key[0], Ordering::Relaxed);
        entry.key[1].store(key[1], Ordering::Relaxed);
        let start = size_of::<Directory>().next_multiple_of(WINDOW) as u64;
        let len = area_len(members).next_multiple_of(WINDOW) as u64;
        let used = self.used.fetch_add(len, Ordering::Relaxed);
        if start + used + len > area {
            self.used.fetch_sub(len, Ordering::Relaxed);
            return NO_ROOM;
        }
        entry.offset.store(start + used, Ordering::Relaxed);
        READY
    }
}
