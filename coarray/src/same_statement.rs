//! Comparison of the ALLOCATE and DEALLOCATE statements of images. It travels with the barrier that the statement has anyway
//! ([`xmp_collectives::statement`]).

mod allocation;

use crate::sync::complete_remote;
pub use allocation::{Allocation, Bound, MAX_BOUNDS, NO_UPPER_BOUND, OnlyCoarray};
use xmp_collectives::statement::{self, Difference, StatementRecord, WORDS};
use xmp_collectives::{barrier_comparing, barrier_comparing_active, complete_before_barrier};
use xmp_core::counted::counted;
use xmp_core::{Error, Image, Rank, Result};

/// A statement that the executing images execute together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// ALLOCATE of coarrays.
    Allocate(Allocation),
    /// DEALLOCATE of the coarray at this offset of the segments.
    Deallocate {
        /// The same on all images.
        offset: u64,
        /// Its size.
        bytes: u64,
        /// Bytes of an element.
        element: u64,
    },
}

const ALLOCATE: u8 = 1;
const DEALLOCATE: u8 = 2;

impl Statement {
    fn kind(&self) -> u8 {
        match self {
            Statement::Allocate(_) => ALLOCATE,
            Statement::Deallocate { .. } => DEALLOCATE,
        }
    }

    #[inline(always)]
    fn words(&self) -> [u64; WORDS] {
        match *self {
            Statement::Deallocate { offset, bytes, element } => {
                [bytes, element, offset, 0, 0, 0, 0]
            }
            Statement::Allocate(allocation) => allocation.words(),
        }
    }

    /// `None` for another statement that is compared.
    fn of_words(kind: u8, words: [u64; WORDS]) -> Option<Statement> {
        match kind {
            DEALLOCATE => {
                let [bytes, element, offset, ..] = words;
                Some(Statement::Deallocate { offset, bytes, element })
            }
            ALLOCATE => Some(Statement::Allocate(Allocation::of_words(words))),
            _ => None,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Statement::Allocate(_) => "allocate",
            Statement::Deallocate { .. } => "deallocate",
        }
    }
}

/// Tells whether two ALLOCATE statements are the same, as far as images can know.
fn same_allocation(own: &[u64; WORDS], other: &[u64; WORDS]) -> bool {
    Allocation::of_words(*own).matches(&Allocation::of_words(*other))
}

/// Synchronises the executing images as SYNC ALL does, and compares their statements; with `has_stat` also when images have
/// failed.
///
/// # Errors
/// When images have stopped or failed; when they do not execute the same statement, the same error on all images that execute one.
pub fn synchronise(image: &Image, statement: &Statement, has_stat: bool) -> Result<()> {
    let set = image.executing();
    let (name, kind) = (statement.name(), statement.kind());
    let matches: fn(&[u64; WORDS], &[u64; WORDS]) -> bool = match statement {
        Statement::Allocate(_) => same_allocation,
        Statement::Deallocate { .. } => |own, other| own == other,
    };
    let compared = statement::Statement::new(name, kind, statement.words(), matches);
    let difference = if has_stat {
        // All of it: those that are left may meet without a message of this image, after which they would see it.
        complete_remote(image)?;
        barrier_comparing_active(image, &set, &compared)?
    } else {
        complete_before_barrier(image, &set)?;
        barrier_comparing(image, &set, &compared)?
    };
    match difference {
        None => Ok(()),
        Some(difference) => Err(differ(*difference)),
    }
}

/// The error of images that do not execute the same.
#[cold]
fn differ(Difference { first, other }: Difference) -> Error {
    let statement =
        |found: StatementRecord| found.and_then(|(kind, words)| Statement::of_words(kind, words));
    let [of_first, of_other] = [first.1, other.1].map(statement);
    Error::Invalid(match (of_first, of_other) {
        (Some(Statement::Allocate(own)), Some(Statement::Allocate(theirs))) => {
            own.difference([first.0, other.0].map(|image| image.to_string()), &theirs)
        }
        (
            Some(Statement::Deallocate { bytes, element, .. }),
            Some(Statement::Deallocate { bytes: of_other, element: element_of_other, .. }),
        ) => {
            let [own, theirs] = [sized(bytes, element), sized(of_other, element_of_other)];
            format!("{} deallocates {own}, {} another one, {theirs}", first.0, other.0)
        }
        (Some(own), Some(theirs)) => {
            format!("{} executes {}, {} {}", first.0, own.name(), other.0, theirs.name())
        }
        (None, _) => missing(first.0),
        (_, None) => missing(other.0),
    })
}

/// A coarray of `bytes` bytes with elements of `element` bytes, in the words of messages.
fn sized(bytes: u64, element: u64) -> String {
    format!("a coarray of {}", counted(bytes / element.max(1), "element"))
}

fn missing(image: Rank) -> String {
    format!("{image} does not execute this statement")
}

#[cfg(test)]
mod tests {
    use super::Statement::{Allocate, Deallocate};
    use super::*;
    use std::sync::Mutex;
    use xmp_core::transport::threads;

    fn vector(elements: u64) -> Statement {
        shaped(elements, &[(1, elements as u32), (1, NO_UPPER_BOUND)])
    }

    /// An ALLOCATE of a coarray of this many elements with these bounds, of which the last ones are those of its codimension.
    fn shaped(elements: u64, all: &[(i32, u32)]) -> Statement {
        let mut bounds = [Bound::default(); MAX_BOUNDS];
        for (bound, &(lower, extent)) in bounds.iter_mut().zip(all) {
            *bound = Bound::new(lower as isize, extent.into()).unwrap();
        }
        let rank = all.len() as u8 - 1;
        let only = OnlyCoarray { element: 8, basic: 3, rank, corank: 1, bounds: Some(bounds) };
        Allocate(Allocation { bytes: 8 * elements, shapes: 1, variables: 0, only: Some(only) })
    }

    /// The results of images that execute these statements, one after the other, on this many hosts.
    fn found(statements: &[&[Statement]], hosts: u32) -> Vec<String> {
        let errors = Mutex::new(Vec::new());
        threads::run(statements.len() as u32, hosts, |image| {
            for (at, statement) in statements[image.rank().index()].iter().enumerate() {
                if let Err(error) = synchronise(image, statement, at % 2 == 0) {
                    errors.lock().unwrap().push(format!("{}: {error}", image.rank()));
                }
            }
        })
        .unwrap();
        let mut errors = errors.into_inner().unwrap();
        errors.sort();
        errors
    }

    #[test]
    fn equal_statements_are_no_error() {
        let many: Vec<Statement> = (0..600)
            .flat_map(|at| [vector(at), Deallocate { offset: 4096, bytes: 8 * at, element: 8 }])
            .collect();
        for images in 1..=4 {
            for hosts in 1..=images as u32 {
                assert_eq!(found(&vec![&many[..]; images], hosts), Vec::<String>::new());
            }
        }
    }

    /// All images get this error.
    fn all_find(statements: &[&[Statement]], text: &str) {
        for hosts in 1..=statements.len() as u32 {
            let expected: Vec<String> =
                (1..=statements.len()).map(|image| format!("image {image}: {text}")).collect();
            assert_eq!(found(statements, hosts), expected, "{hosts} hosts");
        }
    }

    #[test]
    fn all_images_find_the_same_two_statements_that_differ() {
        let [five, ten] = [vector(5), vector(10)];
        all_find(
            &[&[five], &[ten], &[five]],
            "image 1 allocates a coarray of 5 elements, image 2 a coarray of 10 elements",
        );
        all_find(
            &[&[five], &[five], &[five], &[ten]],
            "image 1 allocates a coarray of 5 elements, image 4 a coarray of 10 elements",
        );
        let [one, two] = [64, 128].map(|offset| Deallocate { offset, bytes: 40, element: 8 });
        all_find(
            &[&[one], &[two]],
            "image 1 deallocates a coarray of 5 elements, image 2 another one, a coarray of 5 elements",
        );
        all_find(&[&[five], &[one]], "image 1 executes allocate, image 2 deallocate");
        let shape = |x, y| shaped(200, &[(1, x), (1, y), (1, NO_UPPER_BOUND)]);
        all_find(
            &[&[shape(10, 20)], &[shape(20, 10)]],
            "image 1 allocates a coarray of shape (10, 20), image 2 a coarray of shape (20, 10)",
        );
    }

    #[test]
    fn bounds_element_sizes_and_types_are_compared_and_named() {
        let five = vector(5);
        all_find(
            &[&[five], &[shaped(5, &[(0, 5), (1, NO_UPPER_BOUND)])]],
            "image 1 allocates a coarray with the bounds (1:5)[*], image 2 a coarray with the bounds (0:4)[*]",
        );
        all_find(
            &[&[shaped(1, &[(1, NO_UPPER_BOUND)])], &[shaped(1, &[(-2, NO_UPPER_BOUND)])]],
            "image 1 allocates a coarray with the cobounds [*], image 2 a coarray with the cobounds [-2:*]",
        );
        let changed = |change: fn(&mut Allocation)| {
            let Allocate(mut allocation) = five else { unreachable!() };
            change(&mut allocation);
            Allocate(allocation)
        };
        all_find(
            &[&[five], &[changed(|of| of.only.as_mut().unwrap().element = 16)]],
            "image 1 allocates a coarray of 5 elements of 8 bytes, image 2 a coarray of 5 elements of 16 bytes",
        );
        all_find(
            &[&[five], &[changed(|of| of.only.as_mut().unwrap().basic = 1)]],
            "image 1 and image 2 allocate a coarray of different types",
        );
        all_find(
            &[&[five], &[changed(|of| of.shapes = 2)]],
            "image 1 and image 2 allocate a coarray of different dynamic types",
        );
        let unknown = |shapes| {
            let Allocate(mut allocation) = five else { unreachable!() };
            allocation.only.as_mut().unwrap().bounds = None;
            Allocate(Allocation { shapes, ..allocation })
        };
        all_find(
            &[&[unknown(1)], &[unknown(2)]],
            "image 1 and image 2 allocate a coarray of different bounds, cobounds or dynamic types",
        );
        let several = |shapes| Allocate(Allocation { bytes: 80, shapes, ..Allocation::default() });
        all_find(
            &[&[several(1)], &[several(2)]],
            "image 1 and image 2 allocate coarrays of different sizes, bounds, cobounds or dynamic types",
        );
    }

    #[test]
    fn variables_are_compared_where_all_images_know_them() {
        let of = |variables: u32| {
            let variables = if variables == 0 { 0 } else { 7 << 16 | variables };
            Allocate(Allocation { bytes: 80, shapes: 1, variables, ..Allocation::default() })
        };
        all_find(
            &[&[of(1)], &[of(2)]],
            "image 1 and image 2 allocate different coarrays, of the same size",
        );
        assert_eq!(found(&[&[of(1)], &[of(0)], &[of(1)]], 1), Vec::<String>::new());
        let of_other_program = Allocate(Allocation {
            bytes: 80,
            shapes: 1,
            variables: 8 << 16 | 2,
            ..Allocation::default()
        });
        assert_eq!(found(&[&[of(1)], &[of_other_program]], 2), Vec::<String>::new());
    }
}
