//! The cost of collectives in a job that has executed none before, counted and not timed.

use std::collections::BTreeMap;
use xmp_tests::{Program, Run};

/// Page faults of an image with one length: in the first operations, in a hundred after these, and in the first thousand.
type Faults = [u64; 3];

/// The greatest counts of all images, by bytes.
fn faults(operation: &str, images: u32) -> BTreeMap<u64, Faults> {
    let program = Program::fortran("cold/page_faults").argument("-O1").build();
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
const OTHERS: u64 = 16;
/// Faults of pieces of a page and more in a hundred operations of 8 images: the places that were added last may be reached then.
const LAST_PLACES: u64 = 128 + OTHERS;
/// Faults in a thousand such operations. With whole buffers from the start they were 906.
const GROWTH: u64 = 300;
/// Bytes from which on the images measure once whether the system copies their private memory faster.
const MEASURED: u64 = 16384;

/// No image takes more faults than `next` says for a length after the first few operations, nor more than [`GROWTH`] in a thousand.
fn are_few(operation: &str, next: fn(u64) -> u64) {
    for images in [2, 4, 8] {
        let all = faults(operation, images);
        for (&bytes, &[_, behind, many]) in &all {
            assert!(behind <= next(bytes), "{images} images, {bytes} bytes: {all:?}");
            assert!(many <= GROWTH || bytes >= MEASURED, "{images} images, {bytes} bytes: {all:?}");
        }
    }
}

#[test]
fn sums_of_any_length_take_few_page_faults_after_a_few_operations() {
    are_few("co_sum", |bytes| if bytes < 2048 { OTHERS } else { LAST_PLACES });
    are_few("co_max", |bytes| if bytes < 2048 { OTHERS } else { LAST_PLACES });
}

#[test]
fn short_broadcasts_take_few_page_faults_after_a_few_operations() {
    // Longer ones have 1 MiB of places of two pages, which the source requests in windows.
    are_few("co_broadcast", |bytes| match bytes {
        0..=512 => OTHERS,
        _ => 2 * 100 + LAST_PLACES,
    });
}
