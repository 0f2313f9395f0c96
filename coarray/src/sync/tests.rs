//! Tests of the order between segments of images, on one host and on several.

use super::*;
use std::sync::atomic::AtomicU64;
use xmp_core::job::page::ImageState;
use xmp_core::server::Limits;
use xmp_core::server::in_process::Shim;
use xmp_core::settings::Settings;
use xmp_core::transport::{AtomicOp, Layout, Width, threads};

#[test]
fn sync_images_orders_pairs_in_rings_and_stars() {
    for (images, hosts) in [(1, 1), (2, 1), (3, 2), (4, 1), (7, 3)] {
        threads::run(images, hosts, |image| {
            let set = image.executing();
            let me = image.rank().get() as i32 + 1;
            let n = images as i32;
            for _ in 0..200 {
                let (left, right) = ((me + n - 2) % n + 1, me % n + 1);
                let mut both = vec![left, right];
                both.dedup();
                sync_images(image, &set, &both).unwrap();
                match me {
                    1 => sync_images_all(image, &set).unwrap(),
                    _ => sync_images(image, &set, &[1]).unwrap(),
                }
                sync_all(image, &set).unwrap();
                sync_memory(image).unwrap();
            }
        })
        .unwrap();
    }
}

#[test]
fn one_image_synchronises_as_a_list_of_one_does() {
    for (images, hosts) in [(1, 1), (2, 1), (2, 2), (4, 1)] {
        threads::run(images, hosts, |image| {
            let set = image.executing();
            let rank = image.rank().get();
            let partner = (rank ^ 1).min(images - 1) as i32 + 1;
            let is_plain = hosts == 1 && partner != rank as i32 + 1;
            for round in 0..200 {
                if (round + rank) % 3 == 0 {
                    sync_images(image, &set, &[partner]).unwrap();
                } else {
                    match sync_image(image, partner) {
                        Some(done) => done.unwrap(),
                        None => sync_images(image, &set, &[partner]).unwrap(),
                    }
                }
            }
            let none = [0, -1, images as i32 + 1].map(|index| sync_image(image, index).is_none());
            assert_eq!(none, [true; 3]);
            if is_plain {
                assert_eq!(sync_image(image, partner), Some(Ok(())));
            }
        })
        .unwrap();
    }
}

#[test]
fn one_image_that_has_stopped_is_reported() {
    threads::run(2, 1, |image| {
        if image.rank().get() == 0 {
            let stopped = Err(Error::StoppedImage(Rank::new(1)));
            assert_eq!(sync_image(image, 2), Some(stopped));
        }
    })
    .unwrap();
}

#[test]
fn bad_image_sets_are_refused_before_anything_happens() {
    threads::run(2, 1, |image| {
        let set = image.executing();
        for (indices, error) in [
            (vec![0], Error::ImageIndex { index: 0, images: 2 }),
            (vec![1, 3], Error::ImageIndex { index: 3, images: 2 }),
            (vec![-5], Error::ImageIndex { index: -5, images: 2 }),
            (vec![2, 1, 2], Error::RepeatedImage(2)),
        ] {
            assert_eq!(sync_images(image, &set, &indices), Err(error));
        }
        sync_images(image, &set, &[1, 2]).unwrap();
    })
    .unwrap();
}

#[test]
fn an_image_that_stopped_is_reported_but_only_to_who_waits_for_it() {
    threads::run(3, 1, |image| {
        let set = image.executing();
        match image.rank().get() {
            2 => {}
            me => {
                let stopped = Err(Error::StoppedImage(Rank::new(2)));
                assert_eq!(sync_images(image, &set, &[3]), stopped);
                sync_images(image, &set, &[2 - me as i32]).unwrap();
            }
        }
    })
    .unwrap();
}

/// What an image has put before a statement is seen by each image that the statement orders after it, wherever
/// that one looks: with messages that come late, and statements that wait for no more than they must.
#[test]
fn what_was_put_is_seen_behind_every_synchronisation() {
    for (images, hosts) in [(2, 2), (3, 2), (4, 2), (6, 2), (3, 3), (5, 3)] {
        for seed in 0..4 {
            let shim = Shim { seed, delay: 30, eager: 64 };
            let server = Limits { inline: 512, credits: 6, ..Limits::default() };
            let settings = Settings::default();
            let settings = Settings { segment_size: Some(1 << 26), server, ..settings };
            threads::run_on_hosts(settings, images, hosts, shim, |image| {
                see_what_was_put(image, seed);
            })
            .unwrap();
        }
    }
}

/// An image puts under a lock, and those of both hosts that acquire it later see that, wherever the lock is.
#[test]
fn what_was_put_is_seen_by_the_next_owner_of_a_lock() {
    for (seed, keeper) in (0..8).zip([0, 1, 2, 3].into_iter().cycle()) {
        let shim = Shim { seed, delay: 30, eager: 64 };
        let settings = Settings { segment_size: Some(1 << 26), ..Settings::default() };
        threads::run_on_hosts(settings, 4, 2, shim, |image| {
            count_under_a_lock(image, Rank::new(keeper));
        })
        .unwrap();
    }
}

/// An image control statement and an atomic variable order segments together: an image of the other host that finds the variable
/// defined sees what was put before.
#[test]
fn an_atomic_variable_that_is_defined_behind_a_statement_shows_what_was_put() {
    // Who defines the variable where, after image 3 has put to image 1 and synchronised with image 4; `memory`: by SYNC MEMORY.
    let two_hosts = [(4, 4, true), (3, 3, false), (3, 4, false), (4, 3, false)];
    let two_hosts = two_hosts.map(|(definer, keeper, memory)| {
        (4, 2, Definition { partner: 4, definer, keeper, memory, reader: 1 })
    });
    // The same with image 1, of another host; an image of the third one reads.
    let three_hosts = [3, 5].map(|keeper| Definition {
        partner: 1,
        definer: 3,
        keeper,
        memory: false,
        reader: 5,
    });
    for (images, hosts, by) in two_hosts.into_iter().chain(three_hosts.map(|by| (6, 3, by))) {
        for seed in 0..3 {
            let shim = Shim { seed, delay: 40, eager: 64 };
            let settings = Settings { segment_size: Some(1 << 26), ..Settings::default() };
            let body = |image: &Image| put_notify_and_define(image, by);
            threads::run_on_hosts(settings, images, hosts, shim, body).unwrap();
        }
    }
}

#[derive(Clone, Copy)]
struct Definition {
    partner: u32,
    definer: u32,
    keeper: u32,
    memory: bool,
    reader: u32,
}

fn put_notify_and_define(image: &Image, by: Definition) {
    let (set, transport) = (image.executing(), image.transport());
    let [data, flag] = [0, 64].map(|at| image.layout().heap.start + at);
    let [target, keeper] = [1, by.keeper].map(|index| Rank::new(index - 1));
    let load = |rank, offset| {
        let at = Location { rank, offset };
        // SAFETY: words that are accessed atomically here.
        unsafe { crate::atomic::fetch(image, AtomicOp::Load, at, Width::W8, 0).unwrap() }
    };
    for round in 1..=10_u64 {
        let me = image.rank().image();
        if me == 3 {
            // SAFETY: the reader reads the word when the variable is defined.
            unsafe {
                let layout = Layout::Contiguous(8);
                transport.put(target, data, (&raw const round).cast(), layout).unwrap();
            }
        }
        if me == 3 || me == by.partner {
            sync_images(image, &set, &[(3 + by.partner - me) as i32]).unwrap();
        }
        if me == by.definer {
            if by.memory {
                sync_memory(image).unwrap();
            }
            let at = Location { rank: keeper, offset: flag };
            // SAFETY: a word that is accessed atomically.
            unsafe {
                crate::atomic::fetch(image, AtomicOp::Swap, at, Width::W8, round).unwrap();
            }
        }
        if me == by.reader {
            while load(keeper, flag) < round {
                std::thread::yield_now();
            }
            sync_memory(image).unwrap();
            assert_eq!(load(target, data), round);
        }
        sync_all(image, &set).unwrap();
    }
}

/// Each image adds to a word of each image.
fn count_under_a_lock(image: &Image, keeper: Rank) {
    const ROUNDS: u64 = 6;
    let (set, transport) = (image.executing(), image.transport());
    let heap = image.layout().heap.start;
    let lock = Location { rank: keeper, offset: heap + 64 };
    let words = || image.job().ranks().map(|rank| (rank, heap));
    let mut word = 0_u64;
    for _ in 0..ROUNDS {
        // SAFETY: a lock variable; words that images access only while they hold it.
        unsafe {
            crate::lock::acquire(image, lock).unwrap();
            let mut all = vec![];
            for (rank, at) in words() {
                let layout = Layout::Contiguous(8);
                transport.get(rank, at, (&raw mut word).cast(), layout).unwrap();
                all.push(word);
                word += 1;
                transport.put(rank, at, (&raw const word).cast(), layout).unwrap();
            }
            assert!(all.iter().all(|&word| word == all[0]), "{all:?}");
            crate::lock::release(image, lock).unwrap();
        }
    }
    sync_all(image, &set).unwrap();
    for (rank, at) in words() {
        // SAFETY: no image writes the words now.
        unsafe {
            transport.get(rank, at, (&raw mut word).cast(), Layout::Contiguous(8)).unwrap();
        }
        assert_eq!(word, ROUNDS * words().count() as u64);
    }
    sync_all(image, &set).unwrap();
}

/// Those that are left after a failure meet without messages between one another, and see what was put before.
#[test]
fn what_was_put_is_seen_by_those_that_are_left() {
    for seed in 0..2 {
        let shim = Shim { seed, delay: 30, eager: 64 };
        let settings = Settings::default();
        let settings = Settings { segment_size: Some(1 << 26), ..settings };
        let through = AtomicU64::new(0);
        threads::run_on_hosts(settings, 3, 2, shim, |image| put_after_a_failure(image, &through))
            .unwrap();
    }
}

/// An image that is alone on its host puts to one of the other host, where the one that speaks for both has failed.
fn put_after_a_failure(image: &Image, through: &AtomicU64) {
    let (job, me, set) = (image.job(), image.rank(), image.executing());
    let local_peers =
        |rank| job.ranks().filter(move |&it| image.host_of(it) == image.host_of(rank));
    let writer = job.ranks().find(|&rank| local_peers(rank).count() == 1).unwrap();
    let others: Vec<Rank> = job.ranks().filter(|&rank| rank != writer).collect();
    let [doomed, reader] = others[..] else { unreachable!("of three images") };
    if me == doomed {
        failure::publish_failed(job, me);
        return;
    }
    let heap = image.layout().heap.start;
    for round in 1..=12_u64 {
        if me == writer {
            // SAFETY: no other image accesses the word before the next synchronisation.
            unsafe {
                image
                    .transport()
                    .put(reader, heap, (&raw const round).cast(), Layout::Contiguous(8))
                    .unwrap()
            };
        }
        assert_eq!(sync_all_active(image, &set), Err(Error::FailedImage(doomed)));
        if me == reader {
            // SAFETY: an aligned word of the own segment; what is put there is ordered before this.
            let word = unsafe { &*image.own_segment().add(heap as usize).cast::<AtomicU64>() };
            assert_eq!(word.load(Ordering::Relaxed), round);
        }
        assert_eq!(sync_all_active(image, &set), Err(Error::FailedImage(doomed)));
    }
    // No image stops before the other has finished. (An image that panics has failed.)
    through.fetch_add(1, Ordering::AcqRel);
    let running = || job.ranks().filter(|&rank| job.state(rank) == ImageState::Running).count();
    while through.load(Ordering::Acquire) < running() as u64 {
        std::thread::yield_now();
    }
}

/// In each round one image puts, short and long, to one other, then tells a third, which tells all.
fn see_what_was_put(image: &Image, seed: u64) {
    const LONG: usize = 1000;
    let (set, me, images) = (image.executing(), image.rank().get(), image.job().images() as u32);
    let (transport, heap) = (image.transport(), image.layout().heap.start);
    let event = heap + 64;
    for round in 1..=12 + seed {
        let pick = |k: u64| Rank::new(((round * 7 + k * 5 + seed) % u64::from(images)) as u32);
        let (writer, target, told) = (pick(0), pick(round), pick(3 * round + 1));
        let bytes = vec![round as u8; LONG];
        let at = heap + 4096;
        if image.rank() == writer {
            // SAFETY: no other image accesses the word before the next synchronisation.
            unsafe {
                transport.put(target, at, bytes.as_ptr(), Layout::Contiguous(LONG)).unwrap();
                transport
                    .put(target, heap, (&raw const round).cast(), Layout::Contiguous(8))
                    .unwrap();
            }
        }
        let mut order = vec![writer, told];
        order.dedup();
        match round % 3 {
            0 => sync_all(image, &set).unwrap(),
            1 if order.len() == 2 && order.contains(&image.rank()) => {
                let other = if image.rank() == writer { told } else { writer };
                sync_images(image, &set, &[other.image() as i32]).unwrap();
            }
            2 if image.rank() == writer => {
                let at = Location { rank: told, offset: event };
                // SAFETY: an event variable.
                unsafe { crate::event::post(image, at).unwrap() };
            }
            _ => {}
        }
        if round % 3 == 2 && image.rank() == told {
            // SAFETY: this image's event, a word that only event operations access.
            unsafe { crate::event::wait(image, event, 1, &xmp_core::wait::unnamed).unwrap() };
        }
        if round % 3 == 0 || image.rank() == told {
            let (mut word, mut long) = (0_u64, vec![0; LONG]);
            // SAFETY: what was put there is ordered before this.
            unsafe {
                transport.get(target, heap, (&raw mut word).cast(), Layout::Contiguous(8)).unwrap();
                transport.get(target, at, long.as_mut_ptr(), Layout::Contiguous(LONG)).unwrap();
            }
            assert_eq!(word, round, "{writer} to {target}, seen by image {}", me + 1);
            assert_eq!(long, bytes);
        }
        sync_all(image, &set).unwrap();
    }
}
