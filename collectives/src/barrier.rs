//! Barrier.

use crate::check::{self, Call};
use crate::leaders::{self, Blocks, Verdict};
use crate::plan::{self, Participant};
use crate::reduction::Op;
use crate::schedules::{Round, binomial};
use crate::select::{Between, Choices};
use crate::survivors;
use crate::two_level::{Speakers, conclude};
use crate::typed::allreduce;
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::{Error, Image, Rank, Result, failure};

/// Returns when all images of the set have called it. What each did before is then visible to all of its host.
///
/// # Errors
/// When an image of the set has stopped or failed without calling it.
///
/// # Panics
/// When this image is not in the set.
#[inline]
pub fn barrier(image: &Image, set: &ImageSet) -> Result<()> {
    barrier_of(image, set, "barrier")
}

/// As [`barrier`], for a statement with this name: images that execute another one do not agree with it
/// ([`crate::check`]).
///
/// # Errors
/// As [`barrier`].
///
/// # Panics
/// As [`barrier`].
#[inline]
pub fn barrier_of(image: &Image, set: &ImageSet, statement: &'static str) -> Result<()> {
    match set.express(image) {
        Some(board) => board.step(image),
        None => in_general(image, set, statement),
    }
}

/// As [`barrier_of`], and where images have failed, those of the set that are left synchronise all the same
/// (Fortran 2018, 11.6.11) before the error comes: for statements with `stat=`. Without, they would wait for images that
/// may never come, only to end the job. Only where they share a host and a board.
///
/// # Errors
/// As [`barrier_of`].
///
/// # Panics
/// As [`barrier_of`].
pub fn barrier_of_active(image: &Image, set: &ImageSet, statement: &'static str) -> Result<()> {
    match barrier_of(image, set, statement) {
        Err(Error::FailedImage(failed)) => {
            failure::acknowledge(image.job());
            survivors::meet(image, set, 0)?;
            Err(Error::FailedImage(failed))
        }
        outcome => outcome,
    }
}

/// The greatest of the words that the images of the set give, for statements with `stat=`: where images have failed, of those
/// that are left, and then the second is the failure. It is a barrier, too, as [`barrier_of_active`].
///
/// # Errors
/// When an image of the set has stopped; when one has failed and those that are left cannot meet.
///
/// # Panics
/// As [`barrier_of_active`].
pub fn greatest_active(image: &Image, set: &ImageSet, word: u64) -> Result<(u64, Result<()>)> {
    let mut greatest = [word];
    match allreduce(image, set, &mut greatest, Op::Max) {
        Ok(()) => Ok((greatest[0], Ok(()))),
        Err(Error::FailedImage(failed)) => {
            failure::acknowledge(image.job());
            let failure = Error::FailedImage(failed);
            let agreed = survivors::meet(image, set, word)?.ok_or_else(|| failure.clone())?;
            Ok((agreed, Err(failure)))
        }
        Err(error) => Err(error),
    }
}

#[inline(never)]
fn in_general(image: &Image, set: &ImageSet, statement: &'static str) -> Result<()> {
    check::agree(image, set, || Call::of(statement))?;
    let levels = set.levels(image)?;
    match (levels.single_host(), levels.board()) {
        (true, Some(board)) => board.step(image),
        (true, None) if levels.mates().len() == 1 => Ok(()),
        _ => barrier_with(image, set, &Choices::from_settings(image.settings())?),
    }
}

/// As [`barrier`], with these algorithms, over several hosts or on a host that has no board for the set. (How a board
/// makes its steps is decided when it is made.)
///
/// # Errors
/// As there.
///
/// # Panics
/// As there.
pub fn barrier_with(image: &Image, set: &ImageSet, choices: &Choices) -> Result<()> {
    let levels = set.levels(image)?;
    let speakers = Speakers::new(image, levels, None);
    let mut verdict = Verdict::GOOD;
    let arrived = arrive(image, levels, &mut verdict);
    if !speakers.is_me() {
        arrived?;
    } else {
        let board_is_dead = arrived.is_err();
        verdict.note(arrived)?;
        let who = Participant { n: speakers.hosts(), position: speakers.host() };
        let algorithm = Between::new(image, 0, who.n).barrier(choices.barrier);
        let rounds = plan::barrier(algorithm, who);
        notify(image, |host| speakers.of(host), rounds, &mut verdict)?;
        if board_is_dead {
            return verdict.outcome();
        }
    }
    // SAFETY: no data.
    unsafe { conclude(&speakers, verdict, (nothing(), 0), choices.broadcast) }
}

/// The leader returns when all its mates have called it.
fn arrive(image: &Image, levels: &Levels, verdict: &mut Verdict) -> Result<()> {
    match levels.board() {
        Some(board) => board.step(image),
        None => {
            let mates = levels.mates();
            let rounds = binomial::reduce(mates.len(), levels.position(), 0);
            notify(image, |mate| mates[mate], rounds, verdict)
        }
    }
}

/// Executes a schedule without data.
fn notify(
    image: &Image,
    peer: impl Fn(usize) -> Rank,
    rounds: impl Iterator<Item = Round>,
    verdict: &mut Verdict,
) -> Result<()> {
    let blocks = Blocks { start: nothing(), offsets: &[0, 0] };
    // SAFETY: no data.
    unsafe { leaders::run(image, peer, rounds, blocks, None, verdict) }
}

/// Where no data lies.
fn nothing() -> *mut u8 {
    std::ptr::NonNull::dangling().as_ptr()
}
