//! An image that releases its own lock and acquires it again at once, and one of another host that waits for it.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use xmp_coarray::front_end::{Location, lock, sync_all};
use xmp_core::transport::threads;
use xmp_core::{Image, Rank};

/// An image holds the lock for this time, so that looks of another image hardly ever find it free.
const HELD: Duration = Duration::from_millis(1);
/// The image acquires the lock this many times at most.
const ROUNDS: u32 = 1000;

/// The lock of the first image.
fn lock_of_first(image: &Image) -> Location {
    Location { rank: Rank::new(0), offset: image.layout().heap.start }
}

#[test]
fn an_image_of_another_host_gets_a_lock_that_its_owner_acquires_in_a_loop() {
    let has_it = AtomicBool::new(false);
    let rounds = threads::run(2, 2, |image| {
        let at = lock_of_first(image);
        let rounds = Cell::new(0);
        // SAFETY: words that only locks use.
        unsafe {
            if image.rank().get() == 0 {
                lock::acquire(image, at).unwrap();
                sync_all(image, &image.executing()).unwrap();
                while !has_it.load(Ordering::Acquire) && rounds.get() < ROUNDS {
                    let until = Instant::now() + HELD;
                    while Instant::now() < until {
                        std::hint::spin_loop();
                    }
                    lock::release(image, at).unwrap();
                    lock::acquire(image, at).unwrap();
                    rounds.set(rounds.get() + 1);
                }
                lock::release(image, at).unwrap();
            } else {
                sync_all(image, &image.executing()).unwrap();
                lock::acquire(image, at).unwrap();
                has_it.store(true, Ordering::Release);
                lock::release(image, at).unwrap();
            }
        }
        sync_all(image, &image.executing()).unwrap();
        rounds.get()
    });
    assert!(rounds.unwrap()[0] < ROUNDS, "the owner had the lock {ROUNDS} times");
}

/// Each of several images of two hosts gets the lock as often as it wants.
#[test]
fn images_of_two_hosts_share_a_lock() {
    const EACH: u64 = 200;
    let counts = threads::run(4, 2, |image| {
        let at = lock_of_first(image);
        let counter = image.local_address(at.rank, at.offset + 64).map(|it| it.cast::<u64>());
        sync_all(image, &image.executing()).unwrap();
        for _ in 0..EACH {
            // SAFETY: words that only locks use; the counter is accessed by images of the first host that hold the lock.
            unsafe {
                lock::acquire(image, at).unwrap();
                if let Some(counter) = counter {
                    counter.write_volatile(counter.read_volatile() + 1);
                }
                lock::release(image, at).unwrap();
            }
        }
        sync_all(image, &image.executing()).unwrap();
        // SAFETY: no image changes the counter any more.
        counter.map(|counter| unsafe { counter.read_volatile() })
    });
    assert_eq!(counts.unwrap()[0], Some(2 * EACH));
}
