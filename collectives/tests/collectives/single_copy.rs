//! Broadcasts and reductions of private memory by a single copy: with every root, where a member cannot be reached, and as
//! measured.

use crate::common::{buffer, random};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use xmp_collectives::broadcast::broadcast_with;
use xmp_collectives::host::reduce::Operand;
use xmp_collectives::reduce::reduce_with;
use xmp_collectives::select::{Choices, HostReduce};
use xmp_collectives::{Op, Reduction};
use xmp_core::coll_area::SingleCopy;
use xmp_core::failure::{life_word, publish_failed};
use xmp_core::settings::Settings;
use xmp_core::transport::threads;
use xmp_core::{Error, Image, Rank};

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

/// The least number of bytes for which the members of the executing set use a single copy.
fn single_copy_from(image: &Image, operation: SingleCopy) -> Option<u64> {
    image.executing().levels(image).unwrap().area().unwrap().single_copy_from(operation)
}

/// Reduces each length to all and to each member, in private memory and in segments, by the table's choice and by `sliced`:
/// both must give the same bits, and on the members that get no result nothing is expected.
fn reduce_all(image: &Image) {
    let set = image.executing();
    let me = set.position().unwrap();
    let sum = Reduction::number::<f64>(Op::Sum);
    let calls = Cell::new(0_usize);
    let difference = |acc: *mut u8, x: *const u8| {
        calls.set(calls.get() + 1);
        // SAFETY: two elements of 8 bytes.
        unsafe {
            *acc.cast::<u64>() = (*acc.cast::<u64>()).rotate_left(3) ^ x.cast::<u64>().read()
        };
    };
    let program = Reduction::user(8, &difference);
    for (reduction, len) in [&sum, &program].into_iter().flat_map(|it| LENS.map(|len| (it, len))) {
        let own: Vec<f64> = (0..len / 8).map(|i| random(me, i, 5) as f64 * 1e-3).collect();
        for to in std::iter::once(None).chain((0..set.len()).map(Some)) {
            let results = [None, Some(HostReduce::Sliced)].map(|forced| {
                [false, true, me == 1].map(|shared| {
                    let data = buffer(image, len, shared);
                    data.fill(&own);
                    let mut choices = Choices::default();
                    (choices.allreduce.host, choices.reduce.host) = (forced, forced);
                    let operand = Operand { elements: data.elements(reduction), to };
                    reduce_with(image, &set, &operand, &choices).unwrap();
                    data.read::<u64>()
                })
            });
            let [found, expected] = results;
            let wanted = to.is_none_or(|to| to == me);
            assert!(!wanted || found == expected, "{len} bytes to {to:?} of {}", set.len());
            assert!(!wanted || found.iter().all(|it| *it == found[0]), "wherever operands are");
        }
    }
    assert!(calls.get() > 0);
}

#[test]
fn operands_in_private_memory_are_copied_once_and_give_the_same_bits() {
    for images in [2, 3, 4, 7, 8] {
        threads::run(images, 1, |image| {
            enter_process(image, std::process::id());
            let set = image.executing();
            let levels = set.levels(image).unwrap();
            levels.area().unwrap().set_single_copy_from(SingleCopy::Reduction, 0);
            reduce_all(image);
            assert_eq!(
                single_copy_from(image, SingleCopy::Reduction),
                Some(0),
                "a copy has failed"
            );
        })
        .unwrap();
    }
}

#[test]
fn operands_are_staged_where_a_copy_fails() {
    threads::run(3, 1, |image| {
        let numbers = [std::process::id(), i32::MAX as u32, std::process::id()];
        enter_process(image, numbers[image.rank().index()]);
        let set = image.executing();
        let levels = set.levels(image).unwrap();
        levels.area().unwrap().set_single_copy_from(SingleCopy::Reduction, 0);
        reduce_all(image);
        assert_eq!(single_copy_from(image, SingleCopy::Reduction), Some(u64::MAX));
    })
    .unwrap();
}

#[test]
fn a_reduction_that_is_copied_in_part_is_an_error_on_all_images() {
    let found = threads::run(3, 1, |image| {
        enter_process(image, std::process::id());
        let set = image.executing();
        let levels = set.levels(image).unwrap();
        levels.area().unwrap().set_single_copy_from(SingleCopy::Reduction, 0);
        // The first image combines its first block, and cannot give the result to the second one then.
        let forget = |_: *mut u8, _: *const u8| {
            let second = image.job().entry(Rank::new(1));
            second.pid.store(i32::MAX as u32, Ordering::Relaxed);
        };
        let keep = |_: *mut u8, _: *const u8| {};
        let first = Reduction::user(8, &forget);
        let others = Reduction::user(8, &keep);
        let reduction = if image.rank().get() == 0 { &first } else { &others };
        let data = buffer(image, 64 << 10, false);
        let operand = Operand { elements: data.elements(reduction), to: None };
        reduce_with(image, &set, &operand, &Choices::default()).unwrap_err().to_string()
    })
    .unwrap();
    assert!(found[0].contains("set XMP_COLL=allreduce:sliced"), "{found:?}");
    assert!(found.iter().all(|it| *it == found[0]), "{found:?}");
}

#[test]
fn a_reduction_with_an_image_that_is_killed_after_its_part_names_it_as_failed() {
    let failed = Rank::new(1);
    let settings = Settings::from_pairs(&[("XMP_COLL", "barrier:flat")]).unwrap();
    let found = threads::run_with(settings, 3, 1, |image| {
        enter_process(image, std::process::id());
        let set = image.executing();
        let levels = set.levels(image).unwrap();
        levels.area().unwrap().set_single_copy_from(SingleCopy::Reduction, 0);
        // The first image combines its first block, and cannot give the result to the second one then.
        let is_dead = AtomicBool::new(false);
        let kill = |_: *mut u8, _: *const u8| {
            let second = image.job().entry(failed);
            life_word(second).store(libc::FUTEX_OWNER_DIED, Ordering::Relaxed);
            second.pid.store(i32::MAX as u32, Ordering::Relaxed);
            is_dead.store(true, Ordering::Release);
        };
        let keep = |_: *mut u8, _: *const u8| {};
        let is_first = image.rank().get() == 0;
        let (first, others) = (Reduction::user(8, &kill), Reduction::user(8, &keep));
        let data = buffer(image, 64 << 10, false);
        let elements = data.elements(if is_first { &first } else { &others });
        let operand = Operand { elements, to: None };
        let job = image.job();
        std::thread::scope(|scope| {
            if is_first {
                scope.spawn(|| {
                    while !is_dead.load(Ordering::Acquire) {
                        std::thread::yield_now();
                    }
                    // The second image arrives at the barrier meanwhile.
                    std::thread::sleep(Duration::from_millis(100));
                    publish_failed(job, failed);
                });
            }
            reduce_with(image, &set, &operand, &Choices::default()).unwrap_err()
        })
    })
    .unwrap();
    assert!(found.iter().all(|error| *error == Error::FailedImage(failed)), "{found:?}");
}

#[test]
fn a_message_in_private_memory_is_copied_once() {
    for images in [2, 3, 4, 7, 8] {
        threads::run(images, 1, |image| {
            enter_process(image, std::process::id());
            let area = image.executing();
            let area = area.levels(image).unwrap().area().unwrap();
            area.set_single_copy_from(SingleCopy::Broadcast, 0);
            broadcast_all(image);
            assert_eq!(area.single_copy_from(SingleCopy::Broadcast), Some(0), "a copy has failed");
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
        area.set_single_copy_from(SingleCopy::Broadcast, 0);
        broadcast_all(image);
        assert_eq!(
            area.single_copy_from(SingleCopy::Broadcast),
            Some(u64::MAX),
            "it is not tried again"
        );
    })
    .unwrap();
}

#[test]
fn all_members_find_the_same_length() {
    for number in [std::process::id(), i32::MAX as u32] {
        let found = threads::run(4, 1, |image| {
            enter_process(image, number);
            broadcast_all(image);
            reduce_all(image);
            [SingleCopy::Broadcast, SingleCopy::Reduction]
                .map(|it| single_copy_from(image, it).unwrap())
        })
        .unwrap();
        assert!(found.iter().all(|it| *it == found[0]), "{found:?}");
        assert!(number == std::process::id() || found[0] == [u64::MAX; 2], "{found:?}");
    }
}
