//! Barrier.

use crate::check::Call;
use crate::guard::with_live_set;
use crate::leaders::{self, Blocks, CollCall, Vector};
use crate::nonblocking::choices;
use crate::plan::{self, Participant};
use crate::reduction::Op;
use crate::schedules::{Round, binomial};
use crate::select::{Between, Choices};
use crate::survivors::SurvivorSync;
use crate::two_level::{RootedLeaders, conclude};
use crate::typed::allreduce;
use xmp_core::image_set::{ImageSet, Levels};
use xmp_core::transport::FlushScope;
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
    match set.fast_area(image) {
        Some(area) if area.all_or_none() => area.barrier(image),
        _ => in_general(image, set, statement).1,
    }
}

/// As [`barrier_of`], and where images have failed, those of the set that are left synchronise all the same
/// (Fortran 2018, 11.6.11) before the error comes: for statements with `stat=`. Without, they would wait for images
/// that may never come, only to end the job.
///
/// # Errors
/// As [`barrier_of`].
///
/// # Panics
/// As [`barrier_of`].
pub fn barrier_of_active(image: &Image, set: &ImageSet, statement: &'static str) -> Result<()> {
    let outcome = match set.fast_area(image) {
        Some(area) if area.all_or_none() => (Some(SurvivorSync::ATOMIC), area.barrier(image)),
        _ => in_general(image, set, statement),
    };
    match outcome {
        (Some(coming), Err(error)) if coming.calls_for_meeting(&error) => {
            acknowledge(image, &error);
            coming.meet(image, set)?;
            let error = coming.failure(image, set, error);
            acknowledge(image, &error);
            Err(error)
        }
        (_, outcome) => outcome,
    }
}

/// The greatest of the words that the images of the set give, for a statement that is a barrier, too.
///
/// # Errors
/// As [`barrier_of`].
///
/// # Panics
/// As [`barrier_of`].
pub fn greatest_of(
    image: &Image,
    set: &ImageSet,
    word: u64,
    statement: &'static str,
) -> Result<u64> {
    let coming = SurvivorSync::to(image, set, || Call::of(statement), [word, 0])?;
    greatest(image, set, coming)
}

/// As [`greatest_of`], for statements with `stat=`: where images have failed, of those that are left, and then the
/// second is the failure. It is a barrier, too, as [`barrier_of_active`].
///
/// # Errors
/// When an image of the set has stopped; when one has failed and those that are left cannot meet.
///
/// # Panics
/// As [`barrier_of_active`].
pub fn greatest_active(
    image: &Image,
    set: &ImageSet,
    word: u64,
    statement: &'static str,
) -> Result<(u64, Result<()>)> {
    let coming = SurvivorSync::to(image, set, || Call::of(statement), [word, 0])?;
    match greatest(image, set, coming) {
        Ok(greatest) => Ok((greatest, Ok(()))),
        Err(error) if coming.calls_for_meeting(&error) => {
            acknowledge(image, &error);
            let agreed = coming.meet(image, set)?;
            let error = coming.failure(image, set, error);
            acknowledge(image, &error);
            Ok((agreed, Err(error)))
        }
        Err(error) => Err(error),
    }
}

/// Completes what must be complete before this image calls the barrier of `set`, so that all images of the set see what
/// it has put when they leave it: its operations to other hosts. (The barrier orders the loads and stores on this one.)
///
/// Where it is the only image of the set on its host, and there is one other host, what it has put there needs no
/// confirmation: it sends the other host's leader a message before any image leaves, which comes behind. With a local
/// peer it does, who may leave when a message of the other host has come, and look there before those puts have; with a
/// third host, too. Not for [`barrier_of_active`] and [`greatest_active`]: those that are left after a failure may
/// leave without a message of this image.
///
/// # Errors
/// When an image that has pending operations cannot be reached.
#[inline]
pub fn complete_before_barrier(image: &Image, set: &ImageSet) -> Result<()> {
    if image.one_host() { Ok(()) } else { complete_remote(image, set) }
}

#[inline(never)]
fn complete_remote(image: &Image, set: &ImageSet) -> Result<()> {
    let levels = set.levels(image)?;
    match (levels.local_peers(), levels.leaders()) {
        ([me], [one, other]) => {
            image.transport().flush(FlushScope::Before(if one == me { *other } else { *one }))
        }
        _ => image.transport().flush(FlushScope::All),
    }
}

/// The program is told of a failure, if that is what this is.
fn acknowledge(image: &Image, error: &Error) {
    if let Error::FailedImage(_) = error {
        failure::acknowledge(image.job());
    }
}

fn greatest(image: &Image, set: &ImageSet, coming: SurvivorSync) -> Result<u64> {
    let mut greatest = [coming.words()[0]];
    allreduce(image, set, &mut greatest, Op::Max)?;
    Ok(greatest[0])
}

/// A barrier, and how those that are left meet if it fails.
#[inline(never)]
fn in_general(
    image: &Image,
    set: &ImageSet,
    statement: &'static str,
) -> (Option<SurvivorSync>, Result<()>) {
    let coming = match SurvivorSync::to(image, set, || Call::of(statement), [0; 2]) {
        Ok(coming) => coming,
        Err(error) => return (None, Err(error)),
    };
    let barrier = || {
        let levels = set.levels(image)?;
        match (levels.single_host(), levels.area()) {
            (true, Some(area)) => area.barrier(image),
            (true, None) if levels.local_peers().len() == 1 => Ok(()),
            _ => barrier_with(image, set, &choices(image)?),
        }
    };
    (Some(coming), with_live_set(image, set, barrier))
}

/// As [`barrier`], with these algorithms, over several hosts or on a host that has no collective area for the set. (How
/// a collective area makes its steps is decided when it is made.)
///
/// # Errors
/// As there.
///
/// # Panics
/// As there.
pub fn barrier_with(image: &Image, set: &ImageSet, choices: &Choices) -> Result<()> {
    with_live_set(image, set, || {
        let levels = set.levels(image)?;
        let rooted_leaders = RootedLeaders::new(image, levels, None);
        let mut coll = CollCall::new(image, set);
        let arrived = arrive(image, levels, &mut coll);
        if !rooted_leaders.is_me() {
            arrived?;
        } else {
            let area_is_dead = arrived.is_err();
            coll.note(arrived)?;
            let who = Participant { n: rooted_leaders.hosts(), position: rooted_leaders.host() };
            let algorithm = Between::new(image, 0, who.n).barrier(choices.barrier);
            let rounds = plan::barrier(algorithm, who);
            notify(image, |host| rooted_leaders.of(host), rounds, &mut coll)?;
            if area_is_dead {
                return coll.outcome();
            }
        }
        // SAFETY: no data.
        unsafe { conclude(&rooted_leaders, coll, Vector::bytes(nothing(), 0), choices.broadcast) }
    })
}

/// The leader returns when all its local peers have called it.
fn arrive(image: &Image, levels: &Levels, coll: &mut CollCall<'_>) -> Result<()> {
    match levels.area() {
        Some(area) => area.barrier(image),
        None => {
            let local_peers = levels.local_peers();
            let rounds = binomial::reduce(local_peers.len(), levels.position(), 0);
            notify(image, |local_peer| local_peers[local_peer], rounds, coll)
        }
    }
}

/// Executes a schedule without data.
fn notify(
    image: &Image,
    peer: impl Fn(usize) -> Rank,
    rounds: impl Iterator<Item = Round>,
    coll: &mut CollCall<'_>,
) -> Result<()> {
    let blocks = Blocks { start: nothing(), offsets: &[0, 0] };
    // SAFETY: no data.
    unsafe { leaders::run(image, peer, rounds, blocks, None, coll) }
}

/// Where no data lies.
fn nothing() -> *mut u8 {
    std::ptr::NonNull::dangling().as_ptr()
}
