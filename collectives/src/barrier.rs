//! Barriers, and the agreement on a word that some of them carry.
//!
//! On one host the images use their collective area (`xmp-core/shm/src/coll_area/barrier.rs`). Between hosts the leaders
//! follow a schedule (`schedules/central.rs`, `schedules/dissemination.rs`).

mod over_hosts;

use over_hosts::barrier_of_with;
pub use over_hosts::barrier_with;

use crate::check::Call;
use crate::flows;
use crate::guard::with_live_set;
use crate::nonblocking::choices;
use crate::ordering::ordering;
use crate::reduction::Op;
use crate::signature::another_statement;
use crate::statement::{Difference, Statement};
use crate::survivors::SurvivorSync;
use crate::typed::allreduce;
use xmp_core::coll_area::{CollArea, Comparison};
use xmp_core::image_set::ImageSet;
use xmp_core::sync::Ordering;
use xmp_core::transport::{FlushScope, MeetingPoint};
use xmp_core::{BoxedResult, Error, Image, Result, failure};

/// A statement that is a barrier: its name, which [`crate::check`] compares, and a number that the images always compare.
#[derive(Clone, Copy, Debug)]
pub struct BarrierStatement {
    name: &'static str,
    number: u32,
}

impl BarrierStatement {
    /// A statement that does nothing but synchronise. These have no number, because they are the most frequent ones.
    pub const fn plain(name: &'static str) -> BarrierStatement {
        BarrierStatement { name, number: 0 }
    }

    /// The directive `barrier` of XcalableMP. It has a number because a program ends with a statement that does nothing but synchronise:
    /// without a number, a node that leaves its last `barrier` out would meet the others there.
    pub const BARRIER: BarrierStatement = BarrierStatement { name: "barrier", number: 0x5be2_07d9 };
    /// A barrier before or after a gmove that the images of one side execute alone.
    pub const GMOVE: BarrierStatement = BarrierStatement { name: "gmove", number: 0x72c8_3d5e };
    /// CHANGE TEAM.
    pub const CHANGE_TEAM: BarrierStatement =
        BarrierStatement { name: "change team", number: 0x3a6f_51c8 };
    /// END TEAM.
    pub const END_TEAM: BarrierStatement =
        BarrierStatement { name: "end team", number: 0x1d94_e372 };
}

/// Returns when all images of the set have called it. All images of a host see then what each of them did before.
///
/// # Errors
/// When an image of the set has stopped or failed before it called it.
#[inline]
pub fn barrier(image: &Image, set: &ImageSet) -> Result<()> {
    barrier_of(image, set, BarrierStatement::plain("barrier"))
}

/// The [`barrier`] of a statement.
///
/// # Errors
/// Those of [`barrier`]; when another image executes another statement.
#[inline]
pub fn barrier_of(image: &Image, set: &ImageSet, statement: BarrierStatement) -> Result<()> {
    match fast_area(image, set) {
        Some(area) => Ok(alike(image, area, statement)?),
        _ => plain(image, set, statement),
    }
}

/// The [`barrier`] of a statement that all images must execute alike. Returns the first difference.
///
/// # Errors
/// Those of [`barrier`].
#[inline]
pub fn barrier_comparing(
    image: &Image,
    set: &ImageSet,
    statement: &Statement,
) -> Result<Option<Box<Difference>>> {
    match fast_area(image, set) {
        Some(area) => statement.at_area(image, area),
        _ => comparing(image, set, statement).1,
    }
}

/// The [`barrier_of_active`] of a statement that all images must execute alike. Returns the first difference; nothing is
/// compared when an image has failed.
///
/// # Errors
/// Those of [`barrier_of_active`].
pub fn barrier_comparing_active(
    image: &Image,
    set: &ImageSet,
    statement: &Statement,
) -> Result<Option<Box<Difference>>> {
    let outcome = match fast_area(image, set) {
        Some(area) => (Some(SurvivorSync::ATOMIC), statement.at_area(image, area)),
        _ => comparing(image, set, statement),
    };
    with_survivors(image, set, outcome)
}

/// The [`barrier_of`] a statement with `stat=`: when images have failed, the survivors of the set
/// synchronise before they return the error (Fortran 2018, 11.6.11). A statement without `stat=` ends the job, so it need
/// not wait for survivors.
///
/// # Errors
/// Those of [`barrier_of`].
pub fn barrier_of_active(image: &Image, set: &ImageSet, statement: BarrierStatement) -> Result<()> {
    let outcome = match fast_area(image, set) {
        Some(area) => {
            (Some(SurvivorSync::ATOMIC), alike(image, area, statement).map_err(Error::from))
        }
        _ => of_survivors(image, set, statement),
    };
    with_survivors(image, set, outcome)
}

/// The barrier of a statement in an area that all images of the set share.
#[inline(always)]
fn alike(image: &Image, area: &CollArea, statement: BarrierStatement) -> BoxedResult<()> {
    match area.barrier_of(image, statement.number) {
        Ok(Comparison::Same) => Ok(()),
        Ok(Comparison::CallsDiffer) => Err(another_statement(area).into()),
        Ok(Comparison::FlowsDiffer) => Err(flows::difference(image, area).into()),
        Err(error) => Err(error),
    }
}

/// The area of a barrier that all images of the set complete or none. This image may synchronise there, so
/// it calls [`Image::acquired`](xmp_core::image::Endpoint::acquired), as [`with_live_set`] does for the other barriers.
#[inline(always)]
fn fast_area<'a>(image: &Image, set: &'a ImageSet) -> Option<&'a CollArea> {
    let area = set.fast_area(image).filter(|area| area.all_or_none())?;
    image.acquired();
    Some(area)
}

/// The outcome of a synchronisation; when it is the failure of an image, the survivors synchronise before. Where all images had arrived
/// before, nothing was compared.
fn with_survivors<T: Default>(
    image: &Image,
    set: &ImageSet,
    outcome: (Option<SurvivorSync>, Result<T>),
) -> Result<T> {
    match outcome {
        (Some(sync), Err(error)) if sync.needs_survivors(&error) => {
            acknowledge(image, &error);
            let (_, outcome) = sync.meet(image, set, error)?;
            outcome.inspect_err(|error| acknowledge(image, error)).map(|()| T::default())
        }
        (_, outcome) => outcome,
    }
}

/// Returns the greatest of the words that the images of the set give, for a statement that is also a barrier.
///
/// # Errors
/// Those of [`barrier`].
pub fn greatest_of(
    image: &Image,
    set: &ImageSet,
    word: u64,
    statement: &'static str,
) -> Result<u64> {
    let sync = SurvivorSync::to(image, set, || Call::of(statement), [word, 0])?;
    greatest(image, set, sync)
}

/// Returns the greatest of the words that the images of the set give, for a statement with `stat=` that is also a barrier
/// ([`barrier_of_active`]). When images have failed, it is the greatest word of the survivors, and the second result is
/// the failure.
///
/// # Errors
/// When an image of the set has stopped; when one has failed and the survivors cannot synchronise.
pub fn greatest_active(
    image: &Image,
    set: &ImageSet,
    word: u64,
    statement: &'static str,
) -> Result<(u64, Result<()>)> {
    let sync = SurvivorSync::to(image, set, || Call::of(statement), [word, 0])?;
    match greatest(image, set, sync) {
        Ok(greatest) => Ok((greatest, Ok(()))),
        Err(error) if sync.needs_survivors(&error) => {
            acknowledge(image, &error);
            let (arrivals, outcome) = sync.meet(image, set, error)?;
            Ok((arrivals.greatest(), outcome.inspect_err(|error| acknowledge(image, error))))
        }
        Err(error) => Err(error),
    }
}

/// Completes the operations of this image to other hosts that must be complete before it calls the barrier of `set`, so
/// that all images of the set see them after the barrier. (The barrier itself orders the loads and stores on this host.)
///
/// Puts need no confirmation if this image is the only one of the set on its host and there is one other host: before any
/// image leaves the barrier, this image sends the other host's leader a message, which arrives after the puts. With a
/// local peer they need one unless the transport orders that peer's messages after them ([`FlushScope::Before`] this image), and
/// with a third host always: an image may leave the barrier by a message of another image than this one.
/// Do not use this for [`barrier_of_active`] and [`greatest_active`], which survivors may leave without a message of this
/// image. (Where an image fails while some execute such a statement and others one without `stat=`, the former may leave it before
/// puts of the latter are complete.)
///
/// # Errors
/// When an image with pending operations cannot be reached.
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
        (_, [_] | [_, _]) => image.transport().flush(FlushScope::Before(image.rank())),
        _ => image.transport().flush(FlushScope::All),
    }
}

/// Acknowledges a failure, if the error is one: the program gets it.
fn acknowledge(image: &Image, error: &Error) {
    if let Error::FailedImage(_) = error {
        failure::acknowledge(image.job());
    }
}

fn greatest(image: &Image, set: &ImageSet, sync: SurvivorSync) -> Result<u64> {
    let mut greatest = [sync.words()[0]];
    ordering(image, set, || allreduce(image, set, &mut greatest, Op::Max))?;
    Ok(greatest[0])
}

/// The barrier without the fast path, after which no survivors synchronise.
#[inline(never)]
fn plain(image: &Image, set: &ImageSet, statement: BarrierStatement) -> Result<()> {
    of_survivors(image, set, statement).1
}

/// The barrier without the fast path, and the synchronisation of its survivors if it fails.
#[inline(always)]
fn of_survivors(
    image: &Image,
    set: &ImageSet,
    statement: BarrierStatement,
) -> (Option<SurvivorSync>, Result<()>) {
    let over_hosts = || barrier_of_with(image, set, statement.number, &choices(image)?);
    let at_area = |area: &CollArea| Ok(alike(image, area, statement)?);
    in_general(image, set, statement.name, at_area, over_hosts)
}

/// The same of a statement that all images must execute alike.
#[inline(never)]
fn comparing(
    image: &Image,
    set: &ImageSet,
    statement: &Statement,
) -> (Option<SurvivorSync>, Result<Option<Box<Difference>>>) {
    let over_hosts = || statement.over_hosts(image, set);
    in_general(image, set, statement.name(), |area| statement.at_area(image, area), over_hosts)
}

/// A barrier in the area that all images of the set share, or over hosts.
#[inline(always)]
fn in_general<T: Default>(
    image: &Image,
    set: &ImageSet,
    statement: &'static str,
    at_area: impl Fn(&CollArea) -> Result<T>,
    over_hosts: impl Fn() -> Result<T>,
) -> (Option<SurvivorSync>, Result<T>) {
    let sync = match SurvivorSync::to(image, set, || Call::of(statement), [0; 2]) {
        Ok(sync) => sync,
        Err(error) => return (None, Err(error)),
    };
    let barrier = || {
        let levels = set.levels(image)?;
        match (levels.single_host(), levels.area()) {
            (true, Some(area)) => at_area(area),
            (true, None) if levels.local_peers().len() == 1 => Ok(T::default()),
            _ => over_hosts(),
        }
    };
    let is_of_all = !image.one_host() && set.len() == image.job().images();
    let meets = |point| if is_of_all { image.transport().meets(point) } else { Ok(()) };
    // Relaxed: this image has written it.
    let arrivals = image.entry().arrivals.load(Ordering::Relaxed);
    let outcome = meets(MeetingPoint::Arrived { arrivals })
        .and_then(|()| ordering(image, set, || with_live_set(image, set, barrier)));
    let outcome = over_hosts::ending_differences(image, set, outcome);
    (Some(sync), outcome.and_then(|value| meets(MeetingPoint::Met).map(|()| value)))
}
