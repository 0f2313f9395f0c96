//! Descriptors, which are fetched anew: the lines stay as long as they are the same.

use super::*;
use std::time::Duration;

#[test]
fn a_loop_over_elements_that_gets_their_descriptor_each_time_fetches_it_once() {
    with_cache(|cache| {
        cache.cache.set_trust(Duration::MAX);
        for at in (64..AREA).step_by(4) {
            assert_eq!(cache.read_descriptor(0), 0);
            cache.read(at, 4);
        }
        assert_eq!(cache.inner.gets.get(), 4);
    });
}

#[test]
fn a_descriptor_that_is_fetched_anew_and_is_the_same_leaves_the_lines() {
    with_cache(|cache| {
        cache.cache.set_trust(Duration::ZERO);
        let elements = 5000;
        for at in (64..).step_by(4).take(elements) {
            assert_eq!(cache.read_descriptor(0), 0);
            cache.read(at, 4);
        }
        assert_eq!(cache.inner.gets.get(), 4 + (elements - 1) / 256);
    });
}

#[test]
fn a_loop_that_waits_for_a_descriptor_ends_and_sees_what_was_written_before_it() {
    with_cache(|cache| {
        cache.read(64, 8);
        assert_eq!(cache.read_descriptor(0), 0);
        cache.change(72, 99);
        cache.change(0, 1);
        while cache.read_descriptor(0) == 0 {}
        assert_eq!(cache.read(72, 1), [99]);
        assert_eq!(cache.read_descriptor(0), 1);
    });
}
