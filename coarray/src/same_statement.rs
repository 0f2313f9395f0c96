//! Comparison of the ALLOCATE and DEALLOCATE statements of images, whose synchronisation is a SYNC ALL that the front end executes:
//! with `XMP_CHECK=1`.
//!
//! Before it each image tells the next one of the executing set what it executes; after it each looks at what the one
//! before it has told. Where all agree with the one before, all agree.
//!
//! An image tells it by a put of a word, which the synchronisation completes. Two words of a pair of images take turns, so that the image
//! before may tell its next statement while this one still looks at the last: it comes to the one after that only when this
//! image has arrived there.

use std::mem::offset_of;
use std::sync::atomic::Ordering;
use xmp_core::notify::Pair;
use xmp_core::transport::Layout;
use xmp_core::{Error, Image, Rank, Result, failure};

/// A statement that the executing images execute together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// ALLOCATE of coarrays of so many bytes.
    Allocate {
        /// All of them together.
        bytes: u64,
    },
    /// DEALLOCATE of the coarray at this offset of the segments.
    Deallocate {
        /// The same on all images.
        offset: u64,
    },
}

/// Bits of a word for the bytes or the offset; the next one says which of the two, the others count statements.
const VALUE: u32 = 55;

impl Statement {
    /// What an image tells in its statement of this number.
    fn word(self, number: u64) -> u64 {
        let (kind, value) = match self {
            Statement::Allocate { bytes } => (0, bytes),
            Statement::Deallocate { offset } => (1, offset),
        };
        number << (VALUE + 1) | kind << VALUE | value & ((1 << VALUE) - 1)
    }
}

/// What this image has told the next one; to be compared with what the one before it tells.
#[derive(Debug)]
pub struct Told<'a> {
    image: &'a Image,
    statement: Statement,
    before: Rank,
}

/// Tells the next image of the executing set what this one executes. `None` if there is no other one, or the program
/// does not ask for this check.
///
/// # Errors
/// When that image cannot be reached.
#[inline]
pub fn tell(image: &Image, statement: Statement) -> Result<Option<Told<'_>>> {
    if image.settings().check.calls { tell_next(image, statement) } else { Ok(None) }
}

/// The same, whether the program asks for it or not.
#[inline(never)]
fn tell_next(image: &Image, statement: Statement) -> Result<Option<Told<'_>>> {
    let set = image.executing();
    let (me, images) = (image.rank(), set.len());
    if images == 1 {
        return Ok(None);
    }
    let neighbour = |distance| {
        let at = set.position().expect("a member of its executing set");
        set.rank_at((at + distance) % images).expect("a position in the set")
    };
    let (next, before) = (neighbour(1), neighbour(images - 1));
    let told = image.peer(next).statements_told();
    told.set(told.get() + 1);
    let (word, turn) = (statement.word(told.get()), (told.get() % 2) as usize);
    if image.local_address(next, 0).is_some() {
        // Release (also by the synchronisation that follows): the next image reads it after that.
        image.pair(next, me).statements[turn].store(word, Ordering::Release);
    } else {
        let at = offset_of!(Pair, statements) + turn * size_of::<u64>();
        let offset = image.pair_offset(me) + at as u64;
        let layout = Layout::Contiguous(size_of::<u64>());
        // SAFETY: a word of the pair, which this image alone writes, and which the target does not read before the
        // synchronisation.
        unsafe { image.transport().put(next, offset, (&raw const word).cast(), layout)? };
    }
    Ok(Some(Told { image, statement, before }))
}

impl Told<'_> {
    /// Compares the statement with that of the image before; called when the images have synchronised.
    ///
    /// # Errors
    /// When they differ.
    pub fn compare(self) -> Result<()> {
        let Told { image, statement, before } = self;
        let seen = image.peer(before).statements_seen();
        seen.set(seen.get() + 1);
        // Images that have ended may have left out statements.
        if !failure::all_running(image.job()) {
            return Ok(());
        }
        let turn = (seen.get() % 2) as usize;
        let theirs = image.pair(image.rank(), before).statements[turn].load(Ordering::Acquire);
        let own = statement.word(seen.get());
        if theirs == own { Ok(()) } else { Err(differ(statement, before, own ^ theirs, theirs)) }
    }
}

/// The error that the image before has told `theirs`, which differs from this image's word in these bits.
#[cold]
fn differ(statement: Statement, before: Rank, bits: u64, theirs: u64) -> Error {
    Error::Invalid(match statement {
        _ if bits >> (VALUE + 1) != 0 => format!("{before} does not execute this statement"),
        Statement::Allocate { .. } if bits >> VALUE != 0 => format!("{before} executes deallocate"),
        Statement::Deallocate { .. } if bits >> VALUE != 0 => format!("{before} executes allocate"),
        Statement::Allocate { bytes } => {
            let theirs = theirs & ((1 << VALUE) - 1);
            format!("coarrays of {bytes} bytes here, of {theirs} bytes on {before}")
        }
        Statement::Deallocate { .. } => format!("{before} deallocates another coarray"),
    })
}

#[cfg(test)]
mod tests {
    use super::Statement::{Allocate, Deallocate};
    use super::*;
    use crate::sync_all;
    use std::sync::Mutex;
    use xmp_core::transport::threads;

    /// What images find whose statements these are, one behind the other.
    fn found(statements: &[&[Statement]]) -> Vec<String> {
        let errors = Mutex::new(Vec::new());
        threads::run(statements.len() as u32, 1, |image| {
            let most = statements.iter().map(|own| own.len()).max().unwrap_or(0);
            for at in 0..most {
                let own = statements[image.rank().index()].get(at);
                let told = own.and_then(|&own| tell_next(image, own).unwrap());
                sync_all(image, &image.executing()).unwrap();
                if let Some(Err(error)) = told.map(Told::compare) {
                    errors.lock().unwrap().push(format!("{}: {error}", image.rank()));
                }
            }
            // Nothing is compared once an image has ended.
            sync_all(image, &image.executing()).unwrap();
        })
        .unwrap();
        let mut errors = errors.into_inner().unwrap();
        errors.sort();
        errors
    }

    #[test]
    fn equal_statements_are_no_error() {
        let many: Vec<Statement> = (0..600)
            .flat_map(|at| [Allocate { bytes: 8 * at }, Deallocate { offset: 4096 }])
            .collect();
        for images in 1..=4 {
            assert_eq!(found(&vec![&many[..]; images]), Vec::<String>::new());
        }
    }

    #[test]
    fn statements_that_differ_are_named() {
        let sizes = [Allocate { bytes: 40 }, Allocate { bytes: 80 }];
        assert_eq!(
            found(&[&sizes[..1], &sizes[1..], &sizes[..1]]),
            [
                "image 2: coarrays of 80 bytes here, of 40 bytes on image 1",
                "image 3: coarrays of 40 bytes here, of 80 bytes on image 2",
            ]
        );
        let others = [Deallocate { offset: 64 }, Deallocate { offset: 128 }];
        assert_eq!(
            found(&[&others[..1], &others[1..]]),
            [
                "image 1: image 2 deallocates another coarray",
                "image 2: image 1 deallocates another coarray",
            ]
        );
        assert_eq!(
            found(&[&sizes[..1], &others[..1]]),
            ["image 1: image 2 executes deallocate", "image 2: image 1 executes allocate"]
        );
        let [one, two] = [&sizes[..1], &[sizes[0], sizes[0]]];
        assert_eq!(found(&[two, one]), ["image 1: image 2 does not execute this statement"]);
    }
}
