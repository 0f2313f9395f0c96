//! Tests with more at once than there is room for.

use super::*;
use crate::nest::{Loop, Nest};
use crate::server::Limits;
use crate::sync::{AtomicU64, Ordering};
use crate::transport::{AtomicOp, AtomicRequest, FlushScope, Layout, Width};

fn settings(server: Limits) -> Settings {
    let settings = Settings::default();
    Settings { segment_size: Some(1 << 28), server, ..settings }
}

/// Returns when all images have called it `times` times.
fn meet(image: &Image, times: u64) {
    let at = image.layout().heap.start;
    for rank in image.job().ranks() {
        // SAFETY: an aligned word that is only accessed atomically.
        unsafe {
            image
                .transport()
                .atomic(rank, at, Width::W8, AtomicRequest::Fetch(AtomicOp::Add, 1))
                .unwrap()
        };
    }
    // SAFETY: an aligned word that is only accessed atomically.
    let count = unsafe { &*image.own_segment().add(at as usize).cast::<AtomicU64>() };
    let all = times * image.job().images() as u64;
    image.waits().until(|| Ok(()), || count.load(Ordering::Acquire) >= all).unwrap();
}

#[test]
fn all_put_to_all_at_once_and_more_than_there_is_room_for() {
    // One credit, one message at a time, and none that the fabric copies.
    let shim = Shim { seed: 3, delay: 3, eager: 0 };
    let narrow = Limits { inline: 8, credits: 1, chunk: 4096, pipeline: 1, ..Limits::default() };
    run_on_hosts(settings(narrow), 5, 3, shim, |image| {
        const LEN: usize = 30_000;
        let (me, images) = (image.rank().index(), image.job().images());
        let heap = image.layout().heap.start + 4096;
        let bytes =
            |from: usize| -> Vec<u8> { (0..LEN).map(|i| (i / 8 * 3 + from) as u8).collect() };
        let mine = bytes(me);
        // Contiguous, then as a section with holes in it, at a place of its own in each segment.
        let dims = [Loop { extent: LEN / 8, remote: 16, local: 8 }];
        let nest = Nest { unit: 8, loops: &dims };
        let place = |from: usize| heap + (from * 3 * LEN) as u64;
        for shift in 0..images {
            let to = Rank::new(((me + shift) % images) as u32);
            // SAFETY: places that only this image writes before all synchronise.
            unsafe {
                image
                    .transport()
                    .put(to, place(me), mine.as_ptr(), Layout::Contiguous(LEN))
                    .unwrap();
                let spread = place(me) + LEN as u64;
                image.transport().put(to, spread, mine.as_ptr(), Layout::Nest(nest)).unwrap();
            }
        }
        image.transport().flush(FlushScope::All).unwrap();
        meet(image, 1);
        for from in 0..images {
            let expected = bytes(from);
            let start = image.own_segment().wrapping_add(place(from) as usize);
            // SAFETY: no image writes any more.
            let there = unsafe { std::slice::from_raw_parts(start, 3 * LEN) };
            assert!(there[..LEN] == expected, "{from}");
            let spread = there[LEN..].chunks(16).flat_map(|chunk| &chunk[..8]);
            assert!(spread.eq(&expected), "{from}");
        }
        // And back, from the next one.
        let next = Rank::new(((me + 1) % images) as u32);
        let mut back = vec![0; LEN];
        // SAFETY: no image writes any more.
        unsafe {
            image
                .transport()
                .get(next, place(me), back.as_mut_ptr(), Layout::Contiguous(LEN))
                .unwrap();
            assert!(back == mine);
            back.fill(0);
            let spread = place(me) + LEN as u64;
            image.transport().get(next, spread, back.as_mut_ptr(), Layout::Nest(nest)).unwrap();
        }
        assert!(back == mine);
        meet(image, 2);
    })
    .unwrap();
}

#[test]
fn any_number_of_requests_may_be_open() {
    const COUNT: u64 = 20_000;
    for server in [Limits::default(), Limits { credits: 1, ..Limits::default() }] {
        run_on_hosts(settings(server), 2, 2, Shim::default(), |image| {
            let other = Rank::new(1 - image.rank().get());
            let at = image.layout().heap.start + 4096;
            for number in 0..COUNT {
                let word = number.to_le_bytes();
                // SAFETY: a place that only this image writes.
                unsafe {
                    let place = at + number % 512 * 8;
                    image
                        .transport()
                        .put(other, place, word.as_ptr(), Layout::Contiguous(8))
                        .unwrap();
                }
            }
            let mut last = [0; 8];
            // SAFETY: a place that only this image writes.
            unsafe {
                image
                    .transport()
                    .get(
                        other,
                        at + (COUNT - 1) % 512 * 8,
                        last.as_mut_ptr(),
                        Layout::Contiguous(8),
                    )
                    .unwrap();
            }
            assert_eq!(u64::from_le_bytes(last), COUNT - 1);
            meet(image, 1);
        })
        .unwrap();
    }
}

#[test]
fn requests_to_ended_images_fail_as_on_one_host() {
    let outcome = std::panic::catch_unwind(|| {
        run_on_hosts(settings(Limits::default()), 5, 2, Shim::default(), |image| {
            let (me, job) = (image.rank().get(), image.job());
            let at = image.layout().heap.start + 64;
            let word = |rank, value| {
                // SAFETY: an aligned word that is only accessed atomically.
                unsafe {
                    image
                        .transport()
                        .atomic(rank, at, Width::W8, AtomicRequest::Fetch(AtomicOp::Add, value))
                        .unwrap()
                }
            };
            match me {
                // An image that sees that it has stopped sees what it did before. It is a leader, and continues to
                // serve.
                3 => {
                    word(Rank::new(0), 7);
                }
                4 => panic!("on purpose"),
                _ => {
                    let [stopped, failed] = [3, 4].map(Rank::new);
                    for (rank, error) in [
                        (stopped, crate::error::Error::StoppedImage(stopped)),
                        (failed, crate::error::Error::FailedImage(failed)),
                    ] {
                        let ended =
                            image.waits().until(|| crate::failure::check(job, [rank]), || false);
                        assert_eq!(ended, Err(error));
                    }
                    // Its memory is still there.
                    assert_eq!(word(stopped, 1) & !3, 0);
                    assert_eq!(word(Rank::new(0), 0), 7);
                }
            }
        })
    });
    let panic = outcome.unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"on purpose"));
}

/// Its server continues: the other images of its host are reached as before.
#[test]
fn a_failed_leader_does_not_take_its_host_along() {
    run_on_hosts(settings(Limits::default()), 4, 2, Shim::default(), |image| {
        const LEN: usize = 100_000;
        let (me, job) = (image.rank(), image.job());
        let [leader, neighbour] = [2, 3].map(Rank::new);
        let at = image.layout().heap.start + 64;
        if me == leader {
            return crate::failure::publish_failed(job, me);
        }
        let ended = image.waits().until(|| crate::failure::check(job, [leader]), || false);
        assert_eq!(ended, Err(crate::error::Error::FailedImage(leader)));
        if me != neighbour {
            let mine = vec![me.get() as u8 + 1; LEN];
            let (mut back, place) = (vec![0; LEN], at + 64 + (me.index() * LEN) as u64);
            // SAFETY: a place that only this image uses, and an aligned word that is only accessed atomically.
            unsafe {
                image
                    .transport()
                    .put(neighbour, place, mine.as_ptr(), Layout::Contiguous(LEN))
                    .unwrap();
                image.transport().flush(FlushScope::Target(neighbour)).unwrap();
                image
                    .transport()
                    .get(neighbour, place, back.as_mut_ptr(), Layout::Contiguous(LEN))
                    .unwrap();
                image
                    .transport()
                    .atomic(neighbour, at, Width::W8, AtomicRequest::Fetch(AtomicOp::Add, 1))
                    .unwrap();
            }
            assert!(back == mine);
        }
    })
    .unwrap();
}
