//! Broadcast of private memory by a single copy: with every root, where a member cannot be reached, and as measured.

use crate::common::{buffer, random};
use std::sync::atomic::Ordering;
use xmp_collectives::broadcast::broadcast_with;
use xmp_collectives::select::Choices;
use xmp_core::Image;
use xmp_core::transport::threads;

/// Lengths from the shortest message on that the system copies, with parts that are no whole pages, or empty.
const LENS: [usize; 4] = [16 << 10, 20_001, 64 << 10, 300_003];

/// Says which process this image is. Threads have no entry of the launcher's.
fn enter_process(image: &Image, number: u32) {
    image.job().entry(image.rank()).pid.store(number, Ordering::Relaxed);
}

/// Broadcasts each length from each root, in private memory and in a segment.
fn broadcast_all(image: &Image) {
    let set = image.executing();
    for len in LENS {
        for root in 0..set.len() {
            for shared in [false, true] {
                let data = buffer(image, len, shared);
                let bytes = |p: usize| (0..len).map(move |index| random(p, index, 7) as u8);
                data.fill(&bytes(set.position().unwrap()).collect::<Vec<u8>>());
                broadcast_with(image, &set, data.message(root), &Choices::default()).unwrap();
                assert!(bytes(root).eq(data.read::<u8>()), "{len} from {root}");
            }
        }
    }
}

#[test]
fn a_message_in_private_memory_is_copied_once() {
    for images in [2, 3, 4, 7, 8] {
        threads::run(images, 1, |image| {
            enter_process(image, std::process::id());
            let area = image.executing();
            let area = area.levels(image).unwrap().area().unwrap();
            area.set_single_copy_from(0);
            broadcast_all(image);
            assert_eq!(area.single_copy_from(), Some(0), "a copy has failed");
        })
        .unwrap();
    }
}

#[test]
fn a_message_is_staged_where_a_copy_fails() {
    threads::run(3, 1, |image| {
        // No process has this number.
        let unknown = i32::MAX as u32;
        let numbers = [std::process::id(), unknown, std::process::id()];
        enter_process(image, numbers[image.rank().index()]);
        let area = image.executing();
        let area = area.levels(image).unwrap().area().unwrap();
        area.set_single_copy_from(0);
        broadcast_all(image);
        assert_eq!(area.single_copy_from(), Some(u64::MAX), "it is not tried again");
    })
    .unwrap();
}

#[test]
fn all_members_find_the_same_length() {
    for number in [std::process::id(), i32::MAX as u32] {
        let found = threads::run(4, 1, |image| {
            enter_process(image, number);
            broadcast_all(image);
            image.executing().levels(image).unwrap().area().unwrap().single_copy_from()
        })
        .unwrap();
        assert!(found[0].is_some() && found.iter().all(|it| *it == found[0]), "{found:?}");
        assert!(number == std::process::id() || found[0] == Some(u64::MAX), "{found:?}");
    }
}
