//! The memory that is of interest, and where accesses to it go.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use xmp_core::race_hooks::{Entry, Filter};

/// The memory that images share, while `libxmprt.so` looks for races. The functions of [`crate::accesses`] read it, and the program
/// itself.
#[unsafe(export_name = "xmprt_race_filter")]
pub static FILTER: Filter = Filter { start: AtomicUsize::new(0), len: AtomicUsize::new(0) };

/// The number of gatherings of accesses to memory that images do not share. While there is one, all memory is of interest to the program.
static WIDE: Mutex<usize> = Mutex::new(0);

/// The number of bytes that images share while [`FILTER`] has all.
static SHARED_LEN: AtomicUsize = AtomicUsize::new(0);

/// The number of bytes of all memory.
const ALL: usize = usize::MAX;

/// The function that enters accesses.
static ENTRY: OnceLock<Entry> = OnceLock::new();

/// Whether the process ends.
static HAS_ENDED: AtomicBool = AtomicBool::new(false);

/// Accesses are entered there from now on.
pub extern "C" fn attach(entry: Entry) {
    // One library has one instance.
    let _ = ENTRY.set(entry);
}

/// Nothing is entered any more.
pub extern "C" fn end() {
    // Relaxed, here and below: this thread sees it, and for others it only saves time.
    HAS_ENDED.store(true, Ordering::Relaxed);
    FILTER.len.store(0, Ordering::Relaxed);
}

/// Whether nothing is entered any more: the thread that ends the process may have locks of this library.
pub fn has_ended() -> bool {
    HAS_ENDED.load(Ordering::Relaxed)
}

/// The function that enters accesses, once there is memory of interest.
pub fn entry() -> Option<&'static Entry> {
    ENTRY.get()
}

/// All memory is of interest, until the call of [`narrow`] that belongs to this one.
pub fn widen() {
    let mut wide = WIDE.lock().unwrap_or_else(PoisonError::into_inner);
    if *wide == 0 {
        let len = FILTER.len.load(Ordering::Relaxed);
        SHARED_LEN.store(len, Ordering::Relaxed);
        // An access of another thread looks at the other number if it finds this one.
        FILTER.len.store(ALL, Ordering::Release);
    }
    *wide += 1;
}

/// The end of what [`widen`] has begun.
pub fn narrow() {
    let mut wide = WIDE.lock().unwrap_or_else(PoisonError::into_inner);
    *wide -= 1;
    if *wide == 0 && !has_ended() {
        FILTER.len.store(SHARED_LEN.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// The memory that images share, while races are looked for; otherwise none.
#[inline]
pub fn shared() -> Range<usize> {
    let start = FILTER.start.load(Ordering::Relaxed);
    let mut len = FILTER.len.load(Ordering::Acquire);
    if len == ALL {
        len = SHARED_LEN.load(Ordering::Relaxed);
    }
    start..start + len
}

/// Tells whether an address is in the memory that images share.
#[inline]
pub fn is_shared(address: usize) -> bool {
    shared().contains(&address)
}

/// Whether these bytes begin in memory that is of interest.
#[inline]
pub fn is_of_interest(address: usize) -> bool {
    // Relaxed: `libxmprt.so` changes the length alone after the start of the program.
    let start = FILTER.start.load(Ordering::Relaxed);
    address.wrapping_sub(start) < FILTER.len.load(Ordering::Relaxed)
}
