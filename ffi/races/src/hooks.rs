//! The functions that `libxmprt.so` calls, and the program when a part of it is unloaded.

use crate::filter::{FILTER, attach, end, has_ended};
use crate::{gathered, sites, threads};
use std::slice;
use xmp_core::race_hooks::{Hooks, Piece, VERSION};

/// The symbol by which `libxmprt.so` finds these hooks.
#[unsafe(no_mangle)]
pub static xmprt_race_hooks: Hooks = Hooks {
    version: VERSION,
    attach,
    flush,
    end,
    filter: &FILTER,
    gather,
    gathered: gathered::end,
};

/// Enters all that is held back.
extern "C" fn flush() {
    // The thread that ends the process may have the locks.
    if !has_ended() {
        sites::flush();
        threads::flush();
    }
}

/// Gathers the accesses of this thread. Runs of the program are looked at before anything is called, so there may be none.
///
/// # Safety
/// `number` pieces are at the pointer.
unsafe extern "C" fn gather(pieces: *const Piece, number: usize) -> bool {
    if has_ended() {
        return false;
    }
    sites::leave();
    // SAFETY: this many pieces are there (contract above).
    gathered::begin(unsafe { slice::from_raw_parts(pieces, number) });
    true
}

/// The object files of a library leave the program: their runs are gone afterwards.
#[unsafe(no_mangle)]
extern "C" fn xmprt_race_leave() {
    flush();
}
