//! Accesses of functions of the program that the library calls for a statement: gfortran 15 and later make one of each coindexed
//! reference. They are the statement's, and of the image that executes it, which may be of another host.

use super::hooks;
use std::cell::Cell;
use std::ffi::c_void;
use xmp_core::races::hooks::{Gathered, Hooks, Piece};

thread_local! {
    /// Whether this thread executes something for an image of another host.
    static SERVES: Cell<bool> = const { Cell::new(false) };
}

/// Calls `execute`, and returns what the program has accessed meanwhile in this thread, as far as it has hooks, of the memory that
/// images share and of these pieces of this process's, which are in the order of their addresses. Nothing of that is entered. Within
/// what [`gather_for_others`] calls, that has the accesses.
pub fn gather<T>(pieces: &[Piece], execute: impl FnOnce() -> T) -> (T, Vec<Gathered>) {
    let mut accesses = Vec::new();
    let begins = |hooks: &&'static Hooks| {
        // SAFETY: the pieces of the slice.
        unsafe { (hooks.gather)(pieces.as_ptr(), pieces.len()) }
    };
    let Some(hooks) = hooks::get().filter(|_| !SERVES.get()).filter(begins) else {
        return (execute(), accesses);
    };
    let outcome = execute();
    (hooks.gathered)(add, (&raw mut accesses).cast());
    (outcome, accesses)
}

/// The same for an image of another host.
pub fn gather_for_others<T>(execute: impl FnOnce() -> T) -> (T, Vec<Gathered>) {
    gather(&[], || {
        SERVES.set(true);
        let outcome = execute();
        SERVES.set(false);
        outcome
    })
}

/// Whether the program has hooks.
pub fn has_hooks() -> bool {
    hooks::get().is_some()
}

extern "C" fn add(accesses: *mut c_void, access: Gathered) {
    // SAFETY: the vector of `gather`, which nothing else uses meanwhile.
    unsafe { (*accesses.cast::<Vec<Gathered>>()).push(access) };
}
