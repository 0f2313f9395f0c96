//! Accesses of functions of the program that the library calls for a statement: gfortran 15 and later make one of each coindexed
//! reference. They are the statement's, and of the image that executes it, which may be of another host.

use super::hooks;
use std::cell::Cell;
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use xmp_core::race_hooks::{Gathered, Hooks, Piece};

thread_local! {
    /// Whether this thread executes something for an image of another host.
    static SERVES: Cell<bool> = const { Cell::new(false) };
}

/// Calls `execute`, and returns what the program has accessed meanwhile in this thread, as far as it has hooks, of the memory that
/// images share and of these pieces of this process's, which are in the order of their addresses. Nothing of that is entered. Within
/// what [`gather_for_others`] calls, that has the accesses.
pub fn gather<T>(pieces: &[Piece], execute: impl FnOnce() -> T) -> (T, Vec<Gathered>) {
    let hooks = hooks::get().filter(|_| !SERVES.get());
    let Some(gathering) = hooks.and_then(|hooks| Gathering::begin(hooks, pieces)) else {
        return (execute(), Vec::new());
    };
    let outcome = execute();
    (outcome, gathering.end())
}

/// The same for an image of another host.
pub fn gather_for_others<T>(execute: impl FnOnce() -> T) -> (T, Vec<Gathered>) {
    gather(&[], || {
        let _serving = Serving::begin();
        execute()
    })
}

/// A gathering of this thread. It ends with this value, also where `execute` unwinds: its accesses are lost then.
struct Gathering(&'static Hooks);

impl Gathering {
    /// `None` at the end of the process.
    fn begin(hooks: &'static Hooks, pieces: &[Piece]) -> Option<Gathering> {
        // SAFETY: the pieces of the slice.
        let begins = unsafe { (hooks.gather)(pieces.as_ptr(), pieces.len()) };
        begins.then(|| Gathering(hooks))
    }

    fn end(self) -> Vec<Gathered> {
        ManuallyDrop::new(self).take()
    }

    fn take(&self) -> Vec<Gathered> {
        let mut accesses = Vec::new();
        (self.0.gathered)(add, (&raw mut accesses).cast());
        accesses
    }
}

impl Drop for Gathering {
    fn drop(&mut self) {
        self.take();
    }
}

/// This thread executes something for an image of another host as long as this value exists.
struct Serving;

impl Serving {
    fn begin() -> Serving {
        SERVES.set(true);
        Serving
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        SERVES.set(false);
    }
}

/// Whether the program has hooks.
pub fn has_hooks() -> bool {
    hooks::get().is_some()
}

extern "C" fn add(accesses: *mut c_void, access: Gathered) {
    // SAFETY: the vector of `Gathering::take`, which nothing else uses meanwhile.
    unsafe { (*accesses.cast::<Vec<Gathered>>()).push(access) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use xmp_core::race_hooks::{Entry, Filter, VERSION};

    /// Gatherings of the hooks below that have begun and not ended.
    static OPEN: AtomicUsize = AtomicUsize::new(0);

    unsafe extern "C" fn begin(_: *const Piece, _: usize) -> bool {
        OPEN.fetch_add(1, Ordering::Relaxed);
        true
    }

    extern "C" fn end(visit: extern "C" fn(*mut c_void, Gathered), context: *mut c_void) {
        OPEN.fetch_sub(1, Ordering::Relaxed);
        visit(context, Gathered { address: 8, len: 4, writes: true });
    }

    extern "C" fn attach(_: Entry) {}

    extern "C" fn nothing() {}

    #[test]
    fn a_gathering_that_unwinds_leaves_nothing_behind() {
        static FILTER: Filter = Filter { start: AtomicUsize::new(0), len: AtomicUsize::new(0) };
        static HOOKS: Hooks = Hooks {
            version: VERSION,
            attach,
            flush: nothing,
            end: nothing,
            filter: &FILTER,
            gather: begin,
            gathered: end,
        };
        hooks::use_these(&HOOKS);
        let unwinds = || gather_for_others(|| -> () { panic!("on purpose") });
        assert!(catch_unwind(AssertUnwindSafe(unwinds)).is_err());
        assert_eq!(OPEN.load(Ordering::Relaxed), 0);
        let (outcome, accesses) = gather(&[], || OPEN.load(Ordering::Relaxed));
        assert_eq!((outcome, accesses.len(), OPEN.load(Ordering::Relaxed)), (1, 1, 0));
    }
}
