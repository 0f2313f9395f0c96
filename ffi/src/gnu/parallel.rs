//! Parallel regions of OpenMP: the stack of each of their threads is watched ([`stack`]). `xmpfc -fopenmp` links programs
//! with `--wrap` for the functions of libgomp that begin a region.
//!
//! `GOMP_parallel_reductions` is left out: it reads the data of the region itself.

use super::stack;
use crate::arch::stack_entries;
use crate::gnu::weak::weak_functions;
use crate::process;
use std::ffi::c_void;

/// The body of a region, which each thread calls with the region's data.
type Body = unsafe extern "C" fn(*mut c_void);

/// The arguments from the seventh on. (Three words, so that the structure is in memory; no function of libgomp has more than
/// eight.) A function that has fewer gets what is there, and does not read it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct OnStack([usize; 3]);

/// A function of libgomp that begins a region: the body, its data, and arguments that are passed on as they are. They are single
/// words: AAPCS64 would pass a structure of three by its address.
type Begin =
    unsafe extern "C" fn(Body, *mut c_void, usize, usize, usize, usize, usize, usize) -> usize;

/// A region of the program.
struct Region {
    body: Body,
    data: *mut c_void,
}

impl Region {
    /// Executes the region in threads whose stacks are watched.
    ///
    /// # Safety
    /// `begin` and its arguments are those of the program's call.
    unsafe fn execute(
        mut self,
        begin: Option<Begin>,
        [third, fourth, fifth, sixth]: [usize; 4],
        others: OnStack,
    ) -> usize {
        let Some(begin) = begin else {
            process::die("OpenMP", "the program is not linked with libgomp");
        };
        let OnStack([seventh, eighth, _]) = others;
        let region = (&raw mut self).cast();
        // SAFETY: the caller's promise; the region lives until all threads have left it, when `begin` returns.
        unsafe { begin(in_thread, region, third, fourth, fifth, sixth, seventh, eighth) }
    }
}

/// What each thread calls.
unsafe extern "C" fn in_thread(region: *mut c_void) {
    stack::watch_thread();
    // SAFETY: what `execute` passes, which no thread changes.
    unsafe {
        let Region { body, data } = &*region.cast::<Region>();
        body(*data);
    }
}

/// Declares what takes the place of a function of libgomp in programs, and finds the function: the linker calls it
/// `__real_...` in programs that are linked with `libxmprt.a`.
macro_rules! regions {
    ($($wrapper:ident: $plain:ident = $name:literal, $real:ident = $real_name:literal;)+) => {
        weak_functions! {$(
            /// The function of libgomp.
            fn $plain() = $name: Begin;
            /// The same in programs that are linked with `libxmprt.a`.
            fn $real() = $real_name: Begin;
        )+}

        stack_entries! {$(
            /// Takes the place of the function of libgomp in programs (`--wrap`).
            fn $wrapper(
                body: Body,
                data: *mut c_void,
                third: usize,
                fourth: usize,
                fifth: usize,
                sixth: usize,
                others: OnStack,
            ) -> usize {
                let begin = $real().or($plain());
                // SAFETY: the contract of entries.
                unsafe { Region { body, data }.execute(begin, [third, fourth, fifth, sixth], others) }
            }
        )+}
    };
}

regions! {
    __wrap_GOMP_parallel: parallel = "GOMP_parallel", real_parallel = "__real_GOMP_parallel";
    __wrap_GOMP_parallel_loop_static:
        loop_static = "GOMP_parallel_loop_static", real_loop_static = "__real_GOMP_parallel_loop_static";
    __wrap_GOMP_parallel_loop_dynamic:
        loop_dynamic = "GOMP_parallel_loop_dynamic", real_loop_dynamic = "__real_GOMP_parallel_loop_dynamic";
    __wrap_GOMP_parallel_loop_guided:
        loop_guided = "GOMP_parallel_loop_guided", real_loop_guided = "__real_GOMP_parallel_loop_guided";
    __wrap_GOMP_parallel_loop_runtime:
        loop_runtime = "GOMP_parallel_loop_runtime", real_loop_runtime = "__real_GOMP_parallel_loop_runtime";
    __wrap_GOMP_parallel_loop_nonmonotonic_dynamic:
        nonmonotonic_dynamic = "GOMP_parallel_loop_nonmonotonic_dynamic",
        real_nonmonotonic_dynamic = "__real_GOMP_parallel_loop_nonmonotonic_dynamic";
    __wrap_GOMP_parallel_loop_nonmonotonic_guided:
        nonmonotonic_guided = "GOMP_parallel_loop_nonmonotonic_guided",
        real_nonmonotonic_guided = "__real_GOMP_parallel_loop_nonmonotonic_guided";
    __wrap_GOMP_parallel_loop_nonmonotonic_runtime:
        nonmonotonic_runtime = "GOMP_parallel_loop_nonmonotonic_runtime",
        real_nonmonotonic_runtime = "__real_GOMP_parallel_loop_nonmonotonic_runtime";
    __wrap_GOMP_parallel_loop_maybe_nonmonotonic_runtime:
        maybe_nonmonotonic_runtime = "GOMP_parallel_loop_maybe_nonmonotonic_runtime",
        real_maybe_nonmonotonic_runtime = "__real_GOMP_parallel_loop_maybe_nonmonotonic_runtime";
    __wrap_GOMP_parallel_sections:
        sections = "GOMP_parallel_sections", real_sections = "__real_GOMP_parallel_sections";
}
