//! Cases of random tests: which ones run, and what each of them chooses.

use std::ops::Range;

/// The cases of a random test: this many, or what `XMP_TEST_CASES` says, a number or two with `..` between.
///
/// # Panics
/// When it says something else.
pub fn cases(usual: u64) -> Range<u64> {
    let Ok(cases) = std::env::var("XMP_TEST_CASES") else { return 0..usual };
    let number =
        |text: &str| text.parse().expect("XMP_TEST_CASES is a number, or two with .. between");
    match cases.split_once("..") {
        Some((first, end)) => number(first)..number(end),
        None => 0..number(&cases),
    }
}

/// The choice of a case among `of`. Choices of one case with different salts do not depend on one another.
pub fn pick<T: Copy>(case: u64, salt: u64, of: &[T]) -> T {
    let x =
        (case + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt.wrapping_mul(0xd6e8_feb8_6659_fd93);
    let x = (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    of[(x >> 33) as usize % of.len()]
}
