//! Coarrays that are not allocatable: all images of a job have the same ones, of the same sizes and in the same order, because they
//! are at the same offsets of the segments. Images that execute different programs need not. The comparison travels with the
//! barrier at which the images begin.

use std::fmt::Write;
use std::fs;
use std::sync::atomic::Ordering;
use xmp_collectives::statement::{Difference, Statement, StatementRecord, WORDS};
use xmp_collectives::{barrier_comparing, complete_before_barrier};
use xmp_core::counted::counted;
use xmp_core::{Error, Image, Rank, Result, hash};

/// The coarrays that are not allocatable and that an image has registered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StaticCoarrays {
    count: u64,
    bytes: u64,
    /// A hash of their sizes, in their order.
    sizes: u64,
}

/// The number of this comparison beside those of ALLOCATE and DEALLOCATE.
const BEGIN: u8 = 5;

impl StaticCoarrays {
    /// Adds the next one.
    pub fn add(&mut self, bytes: u64) {
        self.count += 1;
        self.bytes += bytes;
        self.sizes = hash::mixed_with(self.sizes ^ bytes, self.count);
    }

    fn words(self) -> [u64; WORDS] {
        let mut words = [0; WORDS];
        words[..3].copy_from_slice(&[self.count, self.bytes, self.sizes]);
        words
    }

    /// Waits for all images, which compare these coarrays.
    ///
    /// # Errors
    /// When images have stopped or failed; when the coarrays differ, the same error on all images.
    pub fn begin(self, image: &Image) -> Result<()> {
        let set = image.executing();
        complete_before_barrier(image, &set)?;
        let comparison =
            Statement::new("program start", BEGIN, self.words(), |own, other| own == other);
        match barrier_comparing(image, &set, &comparison)? {
            None => Ok(()),
            Some(difference) => Err(differ(image, &difference)),
        }
    }
}

#[cold]
fn differ(image: &Image, difference: &Difference) -> Error {
    let [first, other] = [&difference.first, &difference.other].map(|(rank, found)| {
        let mut text = rank.to_string();
        if let Some(program) = program_of(image, *rank) {
            let _ = write!(text, " ({program})");
        }
        text + &described(found)
    });
    Error::Invalid(format!(
        "{first}, {other}: all images of a job execute one program, which may branch by THIS_IMAGE()"
    ))
}

fn described(found: &StatementRecord) -> String {
    match found {
        Some((BEGIN, [0, ..])) => " has no coarray that is not allocatable".into(),
        Some((BEGIN, [1, bytes, ..])) => {
            format!(" has a coarray that is not allocatable, of {}", counted(bytes, "byte"))
        }
        Some((BEGIN, [count, bytes, ..])) => {
            format!(" has {count} coarrays that are not allocatable, of {bytes} bytes together")
        }
        _ => " executes a statement and has not begun as the other one".into(),
    }
}

/// The program of an image of this machine.
fn program_of(image: &Image, rank: Rank) -> Option<String> {
    image.local_address(rank, 0)?;
    let pid = image.job().entry(rank).pid.load(Ordering::Relaxed);
    Some(fs::read_link(format!("/proc/{pid}/exe")).ok()?.display().to_string())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use xmp_core::transport::threads;

    /// The outcomes of images with coarrays of these sizes.
    fn outcomes(hosts: u32, sizes: &[&[u64]]) -> Vec<Result<()>> {
        threads::run(sizes.len() as u32, hosts, |image| {
            let mut coarrays = StaticCoarrays::default();
            sizes[image.rank().index()].iter().for_each(|&bytes| coarrays.add(bytes));
            coarrays.begin(image)
        })
        .unwrap()
    }

    #[test]
    fn images_with_other_coarrays_have_the_same_error() {
        for hosts in [1, 2] {
            assert_eq!(outcomes(hosts, &[&[40, 8], &[40, 8], &[40, 8]]), [Ok(()), Ok(()), Ok(())]);
            for (other, named) in [
                (&[8, 40][..], "2 coarrays that are not allocatable, of 48 bytes together"),
                (&[48], "has a coarray that is not allocatable, of 48 bytes"),
                (&[], "has no coarray that is not allocatable"),
                (&[40, 8, 8], "has 3 coarrays"),
            ] {
                let outcomes = outcomes(hosts, &[&[40, 8], &[40, 8], other]);
                assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]), "{outcomes:?}");
                let text = outcomes[0].as_ref().expect_err("they differ").to_string();
                assert!(text.contains(named) && text.contains("image 3"), "{text}");
            }
        }
    }
}
