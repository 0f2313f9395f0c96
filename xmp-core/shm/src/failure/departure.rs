//! Whether this process has announced how it leaves its job: a word that it shares with the monitor that watches it
//! (`process/monitor.rs`).

use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// The value before the image has joined its job, and after it has announced how it leaves.
pub const OUTSIDE: u32 = 0;
/// The value while the image is in its job: an exit now is unannounced.
pub const INSIDE: u32 = 1;

/// The word of this process, null without a monitor.
static WORD: AtomicPtr<AtomicU32> = AtomicPtr::new(ptr::null_mut());

/// From now on this process keeps `word` up to date; `None`: it has no monitor.
pub fn share(word: Option<&'static AtomicU32>) {
    let word = word.map_or(ptr::null_mut(), |word| ptr::from_ref(word).cast_mut());
    WORD.store(word, Ordering::Relaxed);
}

/// The image is in its job from now on: it has to announce how it leaves.
pub fn enter() {
    set(INSIDE);
}

/// The image is about to leave its job in a way that all others learn of.
pub fn announce() {
    set(OUTSIDE);
}

fn set(value: u32) {
    // SAFETY: null, or what `share` was given, which lives as long as the process.
    if let Some(word) = unsafe { WORD.load(Ordering::Relaxed).as_ref() } {
        // Relaxed: the monitor reads when this process has ended.
        word.store(value, Ordering::Relaxed);
    }
}
