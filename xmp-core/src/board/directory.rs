//! Finding the board of a member list; see `README.md`.

use super::layout::board_len;
use crate::error::{Error, Result};
use crate::failure;
use crate::image::Image;
use crate::image_set::Key;
use crate::rank::Rank;
use crate::sync::{AtomicU32, AtomicU64, Ordering};

/// Entries of a host's directory; a power of two.
const ENTRIES: usize = 4096;

/// The start of a host's boards area. Zeroed memory is an empty directory.
#[repr(C)]
#[derive(Debug)]
struct Directory {
    /// Bytes of the boards area in use behind the directory.
    used: AtomicU64,
    entries: [Entry; ENTRIES],
}

#[repr(C)]
#[derive(Debug)]
struct Entry {
    state: AtomicU32,
    key: [AtomicU64; 2],
    /// Offset of the board in the boards area.
    offset: AtomicU64,
}

const FREE: u32 = 0;
const READY: u32 = 1;
const NO_ROOM: u32 = 2;
/// Plus the rank of the image that is filling the entry.
const CLAIMED: u32 = 16;

/// Address of the board that the set with this key has on the host of `image`, for so many images of it; `None` when this
/// host has no room for one.
pub fn find(image: &Image, key: Key, members: usize) -> Result<Option<*mut u8>> {
    let job = image.job();
    let area = job.boards(image.host());
    // SAFETY: the boards area of every host starts with a directory, valid when zeroed, of atomics.
    let directory = unsafe { &*area.cast::<Directory>() };
    let Key(key) = key;
    for probe in 0..ENTRIES {
        let entry = &directory.entries[(key[0] as usize).wrapping_add(probe) % ENTRIES];
        let mine = CLAIMED + image.rank().get();
        let found = entry.state.compare_exchange(FREE, mine, Ordering::Relaxed, Ordering::Acquire);
        match found {
            Ok(_) => {
                let state = directory.fill(entry, key, members, job.geometry().boards);
                // Release: key and offset are visible to who reads the state.
                entry.state.store(state, Ordering::Release);
                job.here().iter().for_each(|&rank| job.entry(rank).doorbell.ring());
            }
            Err(state) if state >= CLAIMED => {
                let filled = image.waits().until(
                    || failure::check(job, [Rank::new(state - CLAIMED)]),
                    || entry.state.load(Ordering::Acquire) < CLAIMED,
                );
                match filled {
                    Ok(()) => {}
                    Err(Error::JobEnding) => return Err(Error::JobEnding),
                    // The claimer, perhaps of another set, has died over it: the entry is lost, for everybody.
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
    /// Gives a claimed entry its key and its place; the state that it gets.
    fn fill(&self, entry: &Entry, key: [u64; 2], members: usize, area: u64) -> u32 {
        entry.key[0].store(key[0], Ordering::Relaxed);
        entry.key[1].store(key[1], Ordering::Relaxed);
        let start = size_of::<Directory>().next_multiple_of(4096) as u64;
        let len = board_len(members) as u64;
        let used = self.used.fetch_add(len, Ordering::Relaxed);
        if start + used + len > area {
            self.used.fetch_sub(len, Ordering::Relaxed);
            return NO_ROOM;
        }
        entry.offset.store(start + used, Ordering::Relaxed);
        READY
    }
}
