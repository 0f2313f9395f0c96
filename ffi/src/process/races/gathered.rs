//! Accesses of functions of the program that the library calls for a statement: gfortran 15 and later make one of each coindexed
//! reference. They are the statement's, and of the image that executes it, which may be of another host.

use super::hooks;
use std::ffi::c_void;
use xmp_core::races::hooks::Gathered;

/// Calls `execute`, and returns what the program has accessed meanwhile in this thread, as far as it has hooks. Nothing of that
/// is entered. Within another call of this function that one has the accesses.
pub fn gather<T>(execute: impl FnOnce() -> T) -> (T, Vec<Gathered>) {
    let mut accesses = Vec::new();
    let Some(hooks) = hooks::get().filter(|hooks| (hooks.gather)()) else {
        return (execute(), accesses);
    };
    let outcome = execute();
    (hooks.gathered)(add, (&raw mut accesses).cast());
    (outcome, accesses)
}

/// Whether the program has hooks.
pub fn has_hooks() -> bool {
    hooks::get().is_some()
}

extern "C" fn add(accesses: *mut c_void, access: Gathered) {
    // SAFETY: the vector of `gather`, which nothing else uses meanwhile.
    unsafe { (*accesses.cast::<Vec<Gathered>>()).push(access) };
}
