//! Comparison of the ALLOCATE and DEALLOCATE statements of images. It travels with the barrier that the statement has anyway
//! ([`xmp_collectives::statement`]).

use crate::sync::complete_remote;
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

/// What an ALLOCATE statement allocates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocation {
    /// Bytes of all its coarrays.
    pub bytes: u64,
    /// A hash of the sizes of its coarrays, in their order.
    pub sizes: u32,
    /// Which variables they are: a number of the program in the upper half, one of the variables in the lower one; 0 if that is
    /// not known. Images of different programs do not compare it.
    pub variables: u32,
    /// Bytes of an element, if it is one coarray.
    pub element: u64,
    /// The extents of the first dimensions, if it is one coarray that has no more; 0 for dimensions that it does not have.
    pub extents: [u64; EXTENTS],
}

/// Extents of a coarray that images compare and name.
pub const EXTENTS: usize = 3;

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
            Statement::Deallocate { offset, bytes, element } => [bytes, 0, element, offset, 0, 0],
            Statement::Allocate(Allocation { bytes, sizes, variables, element, extents }) => {
                let which = u64::from(variables) << 32 | u64::from(sizes);
                [bytes, which, element, extents[0], extents[1], extents[2]]
            }
        }
    }

    fn of_words(kind: u8, [bytes, which, element, x, y, z]: [u64; WORDS]) -> Statement {
        match kind {
            DEALLOCATE => Statement::Deallocate { offset: x, bytes, element },
            _ => Statement::Allocate(Allocation {
                bytes,
                sizes: which as u32,
                variables: (which >> 32) as u32,
                element,
                extents: [x, y, z],
            }),
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Statement::Allocate(_) => "allocate",
            Statement::Deallocate { .. } => "deallocate",
        }
    }
}

/// Whether two statements of one kind are the same, as far as images can know.
fn matches(own: &[u64; WORDS], other: &[u64; WORDS]) -> bool {
    let [program, of_other] = [own, other].map(|words| words[1] >> 48);
    let known = program != 0 && program == of_other;
    let without_variables = |&[bytes, which, more @ ..]: &[u64; WORDS]| {
        (bytes, if known { which } else { which & u64::from(u32::MAX) }, more)
    };
    without_variables(own) == without_variables(other)
}

/// Synchronises the executing images as SYNC ALL does, and compares their statements; with `has_stat` also when images have
/// failed.
///
/// # Errors
/// When images have stopped or failed; when they do not execute the same statement, the same error on all images that execute one.
pub fn synchronise(image: &Image, statement: &Statement, has_stat: bool) -> Result<()> {
    let set = image.executing();
    let (name, kind) = (statement.name(), statement.kind());
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
        |found: StatementRecord| found.map(|(kind, words)| Statement::of_words(kind, words));
    let [of_first, of_other] = [first.1, other.1].map(statement);
    Error::Invalid(match (of_first, of_other) {
        (Some(Statement::Allocate(own)), Some(Statement::Allocate(theirs))) => {
            let same_size = own.described() == theirs.described();
            if same_size {
                format!("{} and {} allocate different coarrays, of the same size", first.0, other.0)
            } else {
                let [own, theirs] = [own.described(), theirs.described()];
                format!("{} allocates {own}, {} {theirs}", first.0, other.0)
            }
        }
        (Some(Statement::Deallocate { .. }), Some(Statement::Deallocate { .. })) => {
            let [own, theirs] = [first.1, other.1].map(sizes);
            format!("{} deallocates {own}, {} another one, {theirs}", first.0, other.0)
        }
        (Some(own), Some(theirs)) => {
            format!("{} executes {}, {} {}", first.0, own.name(), other.0, theirs.name())
        }
        (None, _) => missing(first.0),
        (_, None) => missing(other.0),
    })
}

/// The size of what a statement found deallocates.
fn sizes(found: StatementRecord) -> String {
    let (bytes, element) = found.map_or((0, 0), |(_, words)| (words[0], words[2]));
    Allocation { bytes, element, ..Allocation::default() }.described()
}

fn missing(image: Rank) -> String {
    format!("{image} does not execute this statement")
}

impl Allocation {
    /// The coarrays in the user's terms.
    fn described(&self) -> String {
        let Allocation { bytes, element, extents, .. } = *self;
        let extents: Vec<String> =
            extents.iter().take_while(|&&extent| extent != 0).map(u64::to_string).collect();
        match (element, extents.len()) {
            (0, _) => format!("coarrays of {}", counted(bytes, "byte")),
            (_, 2..) => format!("a coarray of shape ({})", extents.join(", ")),
            _ => format!("a coarray of {}", counted(bytes / element, "element")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Statement::{Allocate, Deallocate};
    use super::*;
    use std::sync::Mutex;
    use xmp_core::transport::threads;

    fn vector(elements: u64) -> Statement {
        let extents = [elements, 0, 0];
        Allocate(Allocation {
            bytes: 8 * elements,
            sizes: 1,
            element: 8,
            extents,
            ..Allocation::default()
        })
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
        let shape = |extents: [u64; 3]| {
            Allocate(Allocation {
                bytes: 1600,
                sizes: 1,
                element: 8,
                extents,
                ..Allocation::default()
            })
        };
        all_find(
            &[&[shape([10, 20, 0])], &[shape([20, 10, 0])]],
            "image 1 allocates a coarray of shape (10, 20), image 2 a coarray of shape (20, 10)",
        );
    }

    #[test]
    fn variables_are_compared_where_all_images_know_them() {
        let of = |variables: u32| {
            let variables = if variables == 0 { 0 } else { 7 << 16 | variables };
            Allocate(Allocation { bytes: 80, sizes: 1, variables, ..Allocation::default() })
        };
        all_find(
            &[&[of(1)], &[of(2)]],
            "image 1 and image 2 allocate different coarrays, of the same size",
        );
        assert_eq!(found(&[&[of(1)], &[of(0)], &[of(1)]], 1), Vec::<String>::new());
        let of_other_program = Allocate(Allocation {
            bytes: 80,
            sizes: 1,
            variables: 8 << 16 | 2,
            ..Allocation::default()
        });
        assert_eq!(found(&[&[of(1)], &[of_other_program]], 2), Vec::<String>::new());
    }
}
