//! Images that end, and images that disagree.

use crate::common::random;
use xmp_collectives::nonblocking::{self, Handle};
use xmp_collectives::{Op, barrier};
use xmp_core::image_set::{ImageSet, Members};
use xmp_core::transport::threads;
use xmp_core::{Error, Image, Rank};

type Begin = for<'i> fn(&'i Image, &ImageSet) -> Handle<'i, Vec<u64>>;

/// Operations that no image can complete before all have begun them.
const ENTANGLED: [(&str, Begin); 6] = [
    ("allreduce 1", |image, set| nonblocking::allreduce(image, set, vec![1], Op::Sum)),
    ("allreduce 30000", |image, set| nonblocking::allreduce(image, set, vec![1; 30_000], Op::Sum)),
    ("allgather 1", |image, set| nonblocking::allgather(image, set, &[1])),
    ("allgather 5000", |image, set| nonblocking::allgather(image, set, &[1; 5000])),
    ("alltoallv 0", |image, set| parts_of(image, set, 0)),
    ("alltoallv 2000", |image, set| parts_of(image, set, 2000)),
];

/// So many for each image.
fn parts_of<'i>(image: &'i Image, set: &ImageSet, len: usize) -> Handle<'i, Vec<u64>> {
    let (data, lens) = (vec![1; len * set.len()], vec![len; set.len()]);
    nonblocking::alltoallv(image, set, data, &lens, &lens).unwrap()
}

#[test]
fn an_image_that_stops_ends_the_operation_for_all() {
    for images in [2, 3, 5, 8] {
        for hosts in (1..=3).filter(|&hosts| hosts <= images) {
            for (name, begin) in ENTANGLED {
                let stops = (random(images as usize, hosts as usize, 4) % u64::from(images)) as u32;
                let outcomes = threads::run(images, hosts, |image| {
                    let set = image.executing();
                    begin(image, &set).wait().unwrap();
                    if image.rank().get() == stops {
                        return None;
                    }
                    let both = [begin(image, &set), begin(image, &set)];
                    let barrier = nonblocking::barrier(image, &set);
                    let outcomes = both.map(|handle| handle.wait().map(|_| ()));
                    assert!(barrier.test().is_ok_and(|done| !done) || barrier.test().is_err());
                    Some([outcomes.to_vec(), vec![barrier.wait()]].concat())
                })
                .unwrap();
                for outcome in outcomes.into_iter().flatten().flatten() {
                    assert!(
                        matches!(outcome, Err(Error::StoppedImage(_))),
                        "{name}: {images} images on {hosts} hosts, {stops} stops: {outcome:?}"
                    );
                }
            }
        }
    }
}

/// Of operations that not all images need of one another, those end with an error that need the one that has stopped,
/// and all end.
#[test]
fn an_image_that_stops_ends_the_operation_for_those_that_need_it() {
    for images in [2, 3, 4, 7] {
        for hosts in (1..=3).filter(|&hosts| hosts <= images) {
            for len in [0, 1, 2000, 20_000] {
                let stops =
                    (random(images as usize, hosts as usize, 5) % u64::from(images)) as usize;
                let outcomes = threads::run(images, hosts, |image| {
                    let (set, me) = (image.executing(), image.rank().index());
                    if me == stops {
                        return None;
                    }
                    // To the one after it, and from it.
                    let (n, root) = (set.len(), (stops + 1) % set.len());
                    let (data, mine) = (vec![1_u64; len * n], vec![1_u64; len]);
                    let lens = vec![len; n];
                    let upto = nonblocking::scan(image, &set, mine.clone(), Op::Sum);
                    let before = nonblocking::exscan(image, &set, mine.clone(), Op::Sum);
                    let there = nonblocking::gatherv(image, &set, root, mine, &lens).unwrap();
                    let part = nonblocking::scatterv(image, &set, stops, vec![], &lens, len);
                    let given = nonblocking::scatterv(image, &set, root, data, &lens, len).unwrap();
                    drop(given.wait());
                    Some([upto, before, there, part.unwrap()].map(|handle| handle.wait().map(drop)))
                })
                .unwrap();
                for (me, outcomes) in outcomes.into_iter().enumerate() {
                    let Some([upto, before, there, part]) = outcomes else { continue };
                    let has_stopped = |outcome| matches!(outcome, Err(Error::StoppedImage(_)));
                    // Without elements a scan is nothing.
                    let scans_need = me > stops && len > 0;
                    let name =
                        format!("{len} on {images} images, {hosts} hosts: {stops} before {me}");
                    assert!(
                        !scans_need || has_stopped(upto) && has_stopped(before),
                        "scan of {name}"
                    );
                    let is_root = me == (stops + 1) % images as usize;
                    assert!(!is_root || has_stopped(there), "gatherv of {name}");
                    assert!(has_stopped(part), "scatterv of {name}");
                }
            }
        }
    }
}

/// Image 2 names another root than the others. Each image that compares its root with that of image 2 gets the error.
#[test]
fn gathers_and_scatters_of_parts_with_different_roots_are_errors() {
    for hosts in 1..=2 {
        for scatters in [false, true] {
            let outcomes = threads::run(4, hosts, |image| {
                let (set, me) = (image.executing(), image.rank().index());
                let (root, lens) = (usize::from(me == 1), [1; 4]);
                let handle = if scatters {
                    nonblocking::scatterv(image, &set, root, vec![me; 4], &lens, 1)
                } else {
                    nonblocking::gatherv(image, &set, root, vec![me], &lens)
                };
                handle.unwrap().wait().map(drop)
            })
            .unwrap();
            for found_by in [1, 2] {
                let error = outcomes[found_by].as_ref().expect_err("a different root");
                assert!(error.to_string().contains("root"), "{scatters} {hosts}: {error}");
            }
        }
    }
}

/// Messages that an image has sent before its end count, and an image that does not need it does not notice its end.
#[test]
fn an_image_that_has_done_its_part_may_stop() {
    for hosts in 1..=3 {
        for len in [1, 1000, 100_000] {
            let outcomes = threads::run(6, hosts, |image| {
                let set = image.executing();
                let me = image.rank().get();
                let sent = nonblocking::broadcast(image, &set, 2, vec![me; len])?;
                let sum = nonblocking::reduce(image, &set, 4, vec![me; len], Op::Sum)?;
                assert_eq!(sent.wait()?, vec![2; len]);
                let sum = sum.wait()?;
                assert!(me != 4 || sum == vec![15; len]);
                Ok(())
            })
            .unwrap();
            assert_eq!(outcomes, vec![Ok::<(), Error>(()); 6]);
        }
    }
}

/// After an error those that are left go on in a set of their own, with operations of both kinds.
#[test]
fn the_others_go_on_without_it() {
    for hosts in 1..=3 {
        threads::run(6, hosts, |image| {
            if image.rank().get() == 3 {
                return;
            }
            let failing = nonblocking::allreduce(image, &image.executing(), vec![1; 9000], Op::Sum);
            let others: Vec<Rank> = (0..6).filter(|&i| i != 3).map(Rank::new).collect();
            let set = image.set(Members::from_list(&others).unwrap()).unwrap();
            for round in 1..20 {
                let sum = nonblocking::allreduce(image, &set, vec![round; 2000], Op::Sum);
                barrier(image, &set).unwrap();
                assert_eq!(sum.wait().unwrap(), [5 * round; 2000]);
            }
            assert_eq!(failing.wait(), Err(Error::StoppedImage(Rank::new(3))));
            // No image may stop before all have their error from the image that has.
            barrier(image, &set).unwrap();
        })
        .unwrap();
    }
}

/// An image that fails while operations are in flight.
#[test]
fn an_image_that_fails_ends_the_operation_for_all() {
    let outcomes = threads::run(4, 2, |image| {
        let set = image.executing();
        if image.rank().get() == 2 {
            xmp_core::failure::publish_failed(image.job(), image.rank());
            return None;
        }
        Some(nonblocking::allreduce(image, &set, vec![1.0; 50_000], Op::Sum).wait())
    })
    .unwrap();
    for outcome in outcomes.into_iter().flatten() {
        assert!(matches!(outcome, Err(Error::FailedImage(_) | Error::StoppedImage(_))));
    }
}

/// Images that give different lengths: all of them report it, none writes where it should not, none hangs.
#[test]
fn different_lengths_are_an_error_and_not_a_hang() {
    for (short, long) in [(1, 2), (10, 1024), (1000, 1025), (1024, 5000), (5000, 100_000)] {
        for swap in [false, true] {
            let outcomes = threads::run(2, 1, |image| {
                let set = image.executing();
                let is_short = (image.rank().get() == 0) == swap;
                let data = vec![1u64; if is_short { short } else { long }];
                // One message in each direction, but for vectors of several parts.
                nonblocking::broadcast(image, &set, 0, data).unwrap().wait()
            })
            .unwrap();
            // Whichever of them finds it first; the other one gets the error from that one or finds it, too.
            for outcome in outcomes {
                let text = outcome.unwrap_err().to_string();
                let found = [(1, 2), (2, 1)]
                    .map(|(by, with)| format!("image {by}: non-blocking collective: image {with}"));
                assert!(found.iter().any(|found| text.starts_with(found)), "{text}");
            }
        }
    }
}
