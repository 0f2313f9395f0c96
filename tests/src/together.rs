//! Several checks at the same time: jobs wait most of the time.

use std::sync::{Mutex, PoisonError};
use std::thread;

/// Calls `check` for each of these, this many at a time. What one of them uses must not be in the way of another.
///
/// # Panics
/// When a check does, after the others.
pub fn together<T, I>(items: I, at_a_time: usize, check: impl Fn(T) + Sync)
where
    T: Send,
    I: IntoIterator<Item = T, IntoIter: Send>,
{
    let items = Mutex::new(items.into_iter());
    // A thread that panicked in between has taken its item.
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    // Messages name the test by its thread.
    let test = thread::current().name().unwrap_or_default().to_owned();
    thread::scope(|scope| {
        for _ in 0..at_a_time {
            let thread = thread::Builder::new().name(test.clone());
            let work = || {
                while let Some(item) = next() {
                    check(item);
                }
            };
            thread.spawn_scoped(scope, work).expect("a thread");
        }
    });
}
