//! What collectives cost in a job that has executed none before, counted and not timed.

use std::collections::BTreeMap;
use xmp_tests::{Program, Run};

/// Page faults of an image with one length: in the first operations, in a hundred behind these, and in the first thousand.
type Faults = [u64; 3];

/// The greatest counts of all images, by bytes.
fn faults(operation: &str, images: u32) -> BTreeMap<u64, Faults> {
    let program = Program::fortran("collectives/page_faults").argument("-O1").build();
    // Small pages everywhere, as where the system has no huge ones.
    let run = Run::new(program).images(images).args([operation]).env("XMP_HUGE_PAGES", "0");
    let outcome = run.finish();
    outcome.succeeded();
    let mut all: BTreeMap<u64, Faults> = BTreeMap::new();
    for line in outcome.stdout.lines() {
        let numbers = line.strip_prefix(operation).expect("the operation");
        let numbers: Vec<u64> =
            numbers.split_whitespace().map(|word| word.parse().expect("a number")).collect();
        let &[bytes, first, next, many] = &numbers[..] else { panic!("{line}") };
        let greatest = all.entry(bytes).or_default();
        *greatest = std::array::from_fn(|at| greatest[at].max([first, next, many][at]));
    }
    assert_eq!(all.len(), 8, "{}", outcome.stdout);
    all
}

/// Page faults that the system may add at any time.
const OTHERS: u64 = 8;

#[test]
fn a_sum_of_any_length_takes_no_page_faults_after_a_few_operations() {
    for images in [2, 4, 8] {
        let all = faults("co_sum", images);
        for (bytes, [_, next, many]) in &all {
            assert!(*next <= OTHERS, "{images} images, {bytes} bytes: {all:?}");
            // A thousand operations of a page or more are walks over new places, at most two doublings of the ring.
            assert!(*many <= 250, "{images} images, {bytes} bytes: {all:?}");
        }
    }
}

#[test]
fn a_short_broadcast_takes_no_page_faults_after_a_few_operations() {
    for images in [2, 4, 8] {
        let all = faults("co_broadcast", images);
        for (bytes, [_, next, many]) in &all {
            // Longer ones have 1 MiB of places, which the source requests in pieces of 64 KiB.
            let most = if *bytes <= 1024 { OTHERS } else { 64 + OTHERS };
            assert!(*next <= most, "{images} images, {bytes} bytes: {all:?}");
            assert!(*many <= 300, "{images} images, {bytes} bytes: {all:?}");
        }
    }
}

#[test]
fn a_sum_with_a_result_image_takes_no_page_faults_after_a_few_operations() {
    for images in [2, 4, 8] {
        let all = faults("co_max", images);
        for (bytes, [_, next, many]) in &all {
            assert!(*next <= OTHERS && *many <= 250, "{images} images, {bytes} bytes: {all:?}");
        }
    }
}
