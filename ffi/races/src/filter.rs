//! The memory that is of interest, and where accesses to it go.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use xmp_core::races::hooks::{Entry, Filter};

/// The memory that images share, while `libxmprt.so` looks for races. The functions of [`crate::accesses`] read it, and the program
/// itself.
#[unsafe(export_name = "xmprt_race_filter")]
pub static FILTER: Filter = Filter { start: AtomicUsize::new(0), len: AtomicUsize::new(0) };

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

/// Whether these bytes begin in memory that is of interest.
#[inline]
pub fn is_of_interest(address: usize) -> bool {
    // Relaxed: `libxmprt.so` changes the length alone after the start of the program.
    let start = FILTER.start.load(Ordering::Relaxed);
    address.wrapping_sub(start) < FILTER.len.load(Ordering::Relaxed)
}
