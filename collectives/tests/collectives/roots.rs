//! Roots that differ between images of several hosts, where all images go on: the next barrier finds it on all of them.

use std::sync::Mutex;
use xmp_collectives::{Op, barrier, broadcast, reduce};
use xmp_core::image_set::Members;
use xmp_core::transport::threads;
use xmp_core::{Image, Rank};

/// Does what `differ` does on each image, makes a barrier, and then makes correct collectives, twice. Returns the errors of the
/// barriers, by image and turn.
fn errors(images: u32, hosts: u32, differ: impl Fn(&Image, usize) + Sync) -> Vec<[String; 2]> {
    let found = Mutex::new(vec![[const { String::new() }; 2]; images as usize]);
    threads::run(images, hosts, |image| {
        let set = image.executing();
        let me = set.position().unwrap();
        for turn in 0..2 {
            differ(image, me);
            if let Err(error) = barrier(image, &set) {
                found.lock().unwrap()[me][turn] = error.to_string();
            }
            barrier(image, &set).unwrap();
            for root in 0..images as usize {
                let mut numbers = [me; 100];
                broadcast(image, &set, root, &mut numbers).unwrap();
                assert_eq!(numbers, [root; 100]);
                let mut sum = [me];
                reduce(image, &set, root, &mut sum, Op::Sum).unwrap();
                assert!(me != root || sum == [(0..images as usize).sum()]);
            }
            barrier(image, &set).unwrap();
        }
    })
    .unwrap();
    found.into_inner().unwrap()
}

const LAYOUTS: [(u32, u32); 6] = [(2, 2), (3, 3), (4, 2), (7, 2), (7, 3), (8, 3)];

#[test]
fn images_of_all_hosts_get_one_error_when_the_roots_of_some_differ_and_go_on_alike() {
    for (images, hosts) in LAYOUTS {
        let all = images as usize;
        for other in [0, all / 2, all - 1] {
            let found = errors(images, hosts, |image, me| {
                let set = image.executing();
                let mut number = [me];
                // Images of three hosts may hear at once that one of them differs.
                let _ = broadcast(image, &set, if me == other { me } else { 0 }, &mut number);
            });
            if other == 0 {
                assert!(found.iter().all(|errors| errors[0].is_empty()));
                continue;
            }
            for errors in &found {
                assert_eq!(errors, &found[0], "{images} images, {hosts} hosts, {other}");
                assert!(errors[1].contains("root"), "{errors:?}");
            }
        }
    }
}

#[test]
fn sets_that_have_compared_their_roots_leave_nothing_behind() {
    threads::run(4, 2, |image| {
        let me = image.rank().get();
        for order in
            [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0], [0, 2, 1, 3], [1, 3, 0, 2]]
        {
            let ranks = order.map(Rank::new);
            let set = image.set(Members::from_list(&ranks).unwrap()).unwrap();
            let mut number = [me];
            broadcast(image, &set, 1, &mut number).unwrap();
            let log = set.levels(image).unwrap().calls().unwrap();
            assert!(!log.is_new(), "a broadcast that is not compared yet");
            barrier(image, &set).unwrap();
            assert!(set.levels(image).unwrap().calls().unwrap().is_new());
        }
    })
    .unwrap();
}
