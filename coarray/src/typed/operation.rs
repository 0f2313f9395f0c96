//! Operations of programs in reductions and scans.

use xmp_core::launch::report;

/// An operation whose panic ends the process: by unwinding, the image would leave the collective, and its memory, while other
/// images read that.
pub(super) fn without_unwinding<T>(operation: impl Fn(T, T) -> T) -> impl Fn(T, T) -> T {
    move |left, right| {
        let bomb = AbortOnUnwind;
        let result = operation(left, right);
        std::mem::forget(bomb);
        result
    }
}

/// Ends the process when a panic drops it.
struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        report(format_args!(
            "the operation of a reduction has panicked; the other images are in the middle of it, so this process ends"
        ));
        std::process::abort();
    }
}
