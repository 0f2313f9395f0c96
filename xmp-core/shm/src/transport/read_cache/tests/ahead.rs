//! What comes before a get of it: with a descriptor, and with a barrier.

use super::*;
use std::time::Duration;

#[test]
fn a_block_comes_with_the_descriptor_after_which_it_was_got_before() {
    with_cache(|cache| {
        let gets = || cache.inner.gets.replace(0);
        let step = |at: usize| {
            let next = cache.inner.bytes.borrow()[at + 3].wrapping_add(1);
            cache.change(at + 3, next);
            cache.acquire();
            cache.read_descriptor(0);
            assert_eq!(cache.read(at, 8000), cache.inner.bytes.borrow()[at..at + 8000]);
            gets()
        };
        assert_eq!([4096; 4].map(step), [2, 2, 1, 1]);
        // Another place.
        assert_eq!([5000; 3].map(step), [2, 2, 1]);
        // A block is served once.
        let block = cache.read(5000, 8000);
        cache.change(5001, block[1].wrapping_add(1));
        assert_ne!(cache.read(5000, 8000), block);
        assert_eq!(gets(), 2);
        // What this image has put, and what it gets after a synchronisation, is fetched.
        cache.acquire();
        cache.read_descriptor(0);
        cache.write(6000, &[77]);
        assert_eq!(cache.read(5000, 8000)[1000], 77);
        cache.acquire();
        cache.read_descriptor(0);
        cache.change(6000, 78);
        cache.acquire();
        assert_eq!(cache.read(5000, 8000)[1000], 78);
    });
}

#[test]
fn a_block_that_is_not_got_does_not_come_again() {
    with_cache(|cache| {
        let bytes = || {
            cache.acquire();
            cache.read_descriptor(0);
            cache.inner.fetched.replace(0)
        };
        for _ in 0..2 {
            bytes();
            cache.read(4096, 8000);
        }
        cache.inner.fetched.set(0);
        assert_eq!([bytes(), bytes(), bytes()], [8256, 256, 256]);
    });
}

/// Executes barriers, after each of which the other image has changed its memory before it arrives; `then` follows each one.
fn barriers(cache: &ReadCache<Memory>, count: usize, then: impl Fn(usize)) {
    for number in 0..count {
        cache.change(0, number as u8);
        cache.change(5000, number as u8);
        cache.meets(MeetingPoint::Arrived { arrivals: number as u32 }).unwrap();
        cache.acquire();
        cache.meets(MeetingPoint::Met).unwrap();
        then(number);
    }
}

#[test]
fn a_descriptor_that_is_fetched_after_each_fourth_barrier_comes_with_that() {
    with_cache(|cache| {
        let gets = RefCell::new(Vec::new());
        barriers(cache, 100, |number| {
            if number % 4 == 1 {
                assert_eq!(cache.read_descriptor(0), number as u8);
                gets.borrow_mut().push(cache.inner.gets.replace(0));
            }
        });
        let gets = gets.into_inner();
        // The history is full after 8 barriers; then it takes two rounds more.
        assert!(
            gets[..3].iter().all(|&gets| gets == 1) && gets[6..].iter().all(|&gets| gets == 0),
            "{gets:?}"
        );
        let foreseen = gets.iter().filter(|&&gets| gets == 0).count();
        assert_eq!(cache.inner.requests.get(), foreseen, "and nothing else is requested");
    });
}

/// After the fourth barrier of each round a descriptor is read; `before` is executed between the request for it and that barrier.
/// Returns how many gets the last ten rounds took.
fn rounds(cache: &ReadCache<Memory>, before: impl Fn()) -> usize {
    let step = |number: usize| match number % 4 {
        2 if number >= 120 => before(),
        3 => assert_eq!(cache.read_descriptor(0), cache.inner.bytes.borrow()[0]),
        _ => {}
    };
    barriers(cache, 120, step);
    cache.inner.gets.set(0);
    let gets = Cell::new(0);
    barriers(cache, 160, |number| {
        step(number);
        if number >= 120 {
            gets.set(gets.get() + cache.inner.gets.get());
        }
        cache.inner.gets.set(0);
    });
    gets.get()
}

#[test]
fn a_descriptor_that_is_foreseen_is_requested_one_barrier_before() {
    with_cache(|cache| {
        assert_eq!(rounds(cache, || {}), 0);
        let of_present = cache.inner.requests.get() - cache.inner.requests_for_next.get();
        assert!(of_present < 5 && cache.inner.requests.get() > 50, "{of_present}");
    });
}

#[test]
fn what_this_image_may_change_after_it_has_requested_it_is_fetched() {
    with_cache(|cache| {
        // Other bytes, and reads.
        assert_eq!(rounds(cache, || cache.write(9000, &[1])), 0);
        assert_eq!(rounds(cache, || drop(cache.read(12000, 4))), 10, "the gets are those alone");
    });
    type Change<'a> = &'a (dyn Fn(&ReadCache<Memory>) + Sync);
    let changes: [Change<'_>; 4] = [
        &|cache| {
            let byte = cache.inner.bytes.borrow()[0];
            cache.write(0, &[byte]);
        },
        // An atomic operation, a signal and a handler.
        &|cache| cache.synchronise(2),
        &|cache| cache.synchronise(3),
        &|cache| cache.synchronise(4),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        with_cache(|cache| assert_eq!(rounds(cache, || change(cache)), 10, "change {number}"));
    }
}

/// After the barriers of a round nothing, one descriptor and another one are read. The other image is ahead: the reply to the request for
/// the first descriptor comes before this image arrives, with that of a get.
#[test]
fn a_reply_that_has_come_early_is_not_dropped_for_another_request() {
    with_cache(|cache| {
        for number in 0..150 {
            cache.meets(MeetingPoint::Arrived { arrivals: number }).unwrap();
            cache.acquire();
            cache.meets(MeetingPoint::Met).unwrap();
            match number % 3 {
                0 => {}
                1 => assert_eq!(cache.read_descriptor(0), number as u8),
                _ => assert_eq!(cache.read_descriptor(8192), number as u8),
            }
            // The other image does its work, and arrives at the next barrier.
            for at in [0, 8192] {
                cache.change(at, number as u8 + 1);
            }
            if number % 3 == 0 {
                cache.inner.arrives().unwrap();
                cache.read(12000, 4);
            }
        }
        assert!(cache.inner.requests_for_next.get() > 20);
    });
}

#[test]
fn a_block_that_follows_a_descriptor_comes_with_the_barrier_between_two_images() {
    with_cache(|cache| {
        barriers(cache, 40, |number| {
            assert_eq!(cache.read_descriptor(0), number as u8);
            assert_eq!(cache.read(4096, 8000)[5000 - 4096], number as u8);
        });
        // One round trip for each of the first ones, then the block comes with the descriptor, then both with the barrier.
        assert!(cache.inner.gets.get() < 30, "{}", cache.inner.gets.get());
        cache.inner.gets.set(0);
        barriers(cache, 10, |_| {
            cache.read_descriptor(0);
            cache.read(4096, 8000);
        });
        assert_eq!(cache.inner.gets.get(), 0);
    });
}

/// The elements of a component, one by one or as a short array.
#[test]
fn elements_that_follow_a_descriptor_come_with_the_barrier_between_two_images() {
    let elements = |cache: &ReadCache<Memory>, number| {
        for at in (4096..8192).step_by(40) {
            assert_eq!(cache.read_descriptor(0), number as u8);
            let expected = cache.inner.bytes.borrow()[at..at + 4].to_vec();
            assert_eq!(cache.read(at, 4), expected);
        }
    };
    let array = |cache: &ReadCache<Memory>, number| {
        assert_eq!(cache.read_descriptor(0), number as u8);
        assert_eq!(cache.read(4800, 400)[5000 - 4800], number as u8);
    };
    // It begins in one line and ends in the next.
    let array_in_two_lines = |cache: &ReadCache<Memory>, number| {
        assert_eq!(cache.read_descriptor(0), number as u8);
        let expected = cache.inner.bytes.borrow()[8000..8400].to_vec();
        assert_eq!(cache.read(8000, 400), expected);
    };
    let blocks = |cache: &ReadCache<Memory>, number| {
        assert_eq!(cache.read_descriptor(0), number as u8);
        let first = cache.read(4800, 600);
        assert_eq!(first[5000 - 4800], number as u8);
        let expected = cache.inner.bytes.borrow()[5400..6400].to_vec();
        assert_eq!(cache.read(5400, 1000), expected);
    };
    let two_places_in_turn = |cache: &ReadCache<Memory>, number: usize| {
        assert_eq!(cache.read_descriptor(0), number as u8);
        let at = if number.is_multiple_of(2) { 8192 } else { 16384 };
        let expected = cache.inner.bytes.borrow()[at..at + 400].to_vec();
        assert_eq!(cache.read(at, 400), expected);
    };
    type Form<'a> = &'a (dyn Fn(&ReadCache<Memory>, usize) + Sync);
    let forms: [Form<'_>; 5] =
        [&elements, &array, &array_in_two_lines, &two_places_in_turn, &blocks];
    for (number, form) in forms.into_iter().enumerate() {
        with_cache(|cache| {
            cache.cache.set_trust(Duration::MAX);
            barriers(cache, 40, |number| form(cache, number));
            cache.inner.gets.set(0);
            barriers(cache, 10, |number| form(cache, number));
            assert_eq!(cache.inner.gets.get(), 0, "form {number}");
        });
    }
}

#[test]
fn where_nothing_can_be_got_ahead_barriers_foresee_nothing() {
    with_cache(|cache| {
        cache.inner.gets_ahead.set(false);
        barriers(cache, 40, |number| assert_eq!(cache.read_descriptor(0), number as u8));
        assert_eq!((cache.inner.requests.get(), cache.inner.gets.get()), (0, 40));
        assert!(cache.foresight.borrow().is_new());
    });
}

#[test]
fn what_was_got_ahead_is_not_served_after_another_synchronisation_or_a_put() {
    with_cache(|cache| {
        let step = |number: usize| {
            let has_come = cache.inner.ahead.borrow().is_some();
            let found = match number {
                20 => {
                    assert!(has_come);
                    cache.write(0, &[77]);
                    (cache.read_descriptor(0), 77)
                }
                30 => {
                    assert!(has_come);
                    cache.synchronise(number);
                    cache.change(0, 99);
                    (cache.read_descriptor(0), 99)
                }
                _ => (cache.read_descriptor(0), number as u8),
            };
            assert_eq!(found.0, found.1, "{number}");
        };
        barriers(cache, 40, step);
    });
}
