//! Lines: what gets fetch, and when it is served again.

use super::*;
use crate::sync::Ordering;

#[test]
fn a_loop_over_elements_fetches_lines() {
    with_cache(|cache| {
        for at in (0..AREA).step_by(4) {
            cache.read(at, 4);
        }
        // 256 bytes, a line, two lines, the others.
        assert_eq!(cache.inner.gets.get(), 4);
    });
}

#[test]
fn a_loop_that_waits_for_a_flag_ends_and_sees_what_was_written_before_the_flag() {
    with_cache(|cache| {
        cache.change(16, 0);
        // The line comes with data and flag.
        assert_eq!(cache.read(0, 1), [0]);
        let mut looks = 0;
        while cache.read(16, 1) == [0] {
            looks += 1;
            if looks == 3 {
                cache.change(64, 99);
                cache.change(16, 1);
            }
            assert!(looks < 10);
        }
        assert_eq!(cache.read(64, 1), [99]);
    });
}

#[test]
fn another_thread_is_not_served_what_the_first_one_has_fetched() {
    struct Shared<'a>(&'a ReadCache<Memory>);
    // SAFETY: the threads use it one after the other.
    unsafe impl Send for Shared<'_> {}
    with_cache(|cache| {
        cache.read(0, 8);
        cache.change(8, 99);
        let shared = Shared(cache);
        let found = std::thread::scope(|scope| {
            scope
                .spawn(move || {
                    let Shared(cache) = { shared };
                    cache.read(8, 1)
                })
                .join()
                .unwrap()
        });
        assert_eq!(found, [99]);
    });
}

#[test]
fn nothing_is_served_after_an_image_has_ended() {
    with_cache(|cache| {
        cache.read(0, 8);
        cache.job.page().status.epoch.store(1, Ordering::Relaxed);
        cache.change(8, 99);
        assert_eq!(cache.read(8, 1), [99]);
    });
}
