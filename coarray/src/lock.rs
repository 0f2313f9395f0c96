//! Lock variables (Fortran 2018, 11.6.10), also the mechanism of CRITICAL.
//!
//! A lock is two words: the owner's image index in the initial set (0 = unlocked), and the gate that counts
//! sleeping waiters (`wait/README.md` of the core). Acquiring is a compare-and-swap, releasing an exchange;
//! waiters compete, because handing the lock to a particular waiter would make everybody wait for that
//! one to be scheduled.

use crate::sync::complete_far;
use crate::{Location, atomic};
use std::cell::RefCell;
use xmp_core::job::page::ImageState;
use xmp_core::sync::{AtomicU32, fence_after_rmw};
use xmp_core::transport::{AtomicOp, Width};
use xmp_core::{Error, Image, Rank, Result, failure};

/// Bytes of a lock variable.
pub const LOCK_LEN: usize = 8;

/// How a lock was acquired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acquired {
    /// It was unlocked.
    Free,
    /// It was locked by this image, which has failed (STAT_UNLOCKED_FAILED_IMAGE).
    FromFailedImage(Rank),
}

/// Acquires the lock, waiting for it (LOCK without ACQUIRED_LOCK=).
///
/// # Errors
/// [`Error::Locked`] when this image holds it already; an image that stopped while holding it.
///
/// # Safety
/// `at` is a lock variable: 8 bytes, aligned, that start at 0 and are only accessed by this module.
pub unsafe fn acquire(image: &Image, at: Location) -> Result<Acquired> {
    // SAFETY: the caller's guarantee.
    let mut outcome = unsafe { try_acquire(image, at)? };
    if outcome.is_none() {
        // SAFETY: the caller's guarantee.
        outcome = unsafe { wait_and_acquire(image, at)? };
    }
    Ok(outcome.expect("the wait ends when the lock is acquired"))
}

/// Acquires the lock if that needs no waiting (LOCK with ACQUIRED_LOCK=).
///
/// # Errors
/// As [`acquire`].
///
/// # Safety
/// As [`acquire`].
#[inline]
pub unsafe fn try_acquire(image: &Image, at: Location) -> Result<Option<Acquired>> {
    let mine = u64::from(image.rank().image());
    // SAFETY: the caller's guarantee; the owner is the first of the two words.
    let owner = unsafe { atomic::compare_swap(image, at, Width::W4, 0, mine)? };
    if owner == 0 {
        return Ok(Some(Acquired::Free));
    }
    if owner == mine {
        return Err(Error::Locked);
    }
    if failure::all_running(image.job()) {
        return Ok(None);
    }
    match image.job().state(Rank::new(owner as u32 - 1)) {
        ImageState::Running => Ok(None),
        ImageState::Stopped => {
            // It may have unlocked between the two looks.
            // SAFETY: as above.
            match unsafe { atomic::compare_swap(image, at, Width::W4, 0, mine)? } {
                0 => Ok(Some(Acquired::Free)),
                still if still == owner => Err(Error::StoppedImage(Rank::new(owner as u32 - 1))),
                _ => Ok(None),
            }
        }
        ImageState::Failed => {
            // SAFETY: as above. Of several images that find the failed owner one succeeds.
            let old = unsafe { atomic::compare_swap(image, at, Width::W4, owner, mine)? };
            let failed = Rank::new(owner as u32 - 1);
            Ok((old == owner).then_some(Acquired::FromFailedImage(failed)))
        }
    }
}

/// # Safety
/// As [`acquire`].
#[cold]
unsafe fn wait_and_acquire(image: &Image, at: Location) -> Result<Option<Acquired>> {
    let outcome = RefCell::new(Ok(None));
    let attempt = || {
        // SAFETY: the caller's guarantee.
        let now = unsafe { try_acquire(image, at) };
        let done = !matches!(now, Ok(None));
        *outcome.borrow_mut() = now;
        done
    };
    let watch = || match failure::ending(image.job()) {
        Some(_) => Err(Error::JobEnding),
        // The end of the owner is seen by the attempts themselves.
        None => Ok(()),
    };
    match image.near(at.rank, at.offset + 4) {
        Some(gate) => {
            // SAFETY: the caller's guarantee: the gate is the second word.
            let gate = unsafe { &*gate.cast::<AtomicU32>() };
            image.waits().until_gate(gate, watch, attempt)?;
        }
        // The releasing image rings every image when the lock may have waiters on other hosts.
        None => image.waits().until(watch, attempt)?,
    }
    outcome.into_inner()
}

/// Releases the lock (UNLOCK).
///
/// # Errors
/// [`Error::Unlocked`] or [`Error::LockedOtherImage`]; the lock is unchanged then.
///
/// # Safety
/// As [`acquire`].
#[inline]
pub unsafe fn release(image: &Image, at: Location) -> Result<()> {
    complete_far(image)?;
    let mine = u64::from(image.rank().image());
    // SAFETY: the caller's guarantee.
    let owner = unsafe { atomic::compare_swap(image, at, Width::W4, mine, 0)? };
    if owner != mine {
        return Err(match owner {
            0 => Error::Unlocked,
            other => Error::LockedOtherImage(Rank::new(other as u32 - 1)),
        });
    }
    // The read-modify-write is the first half of the notifier's protocol.
    fence_after_rmw();
    // SAFETY: the caller's guarantee: the gate is the second word.
    let sleepers = unsafe {
        let gate = Location { offset: at.offset + 4, ..at };
        atomic::fetch(image, AtomicOp::Load, gate, Width::W4, 0)?
    };
    if sleepers != 0 || !image.one_host() {
        wake_waiters(image);
    }
    Ok(())
}

#[cold]
fn wake_waiters(image: &Image) {
    for rank in image.job().ranks().filter(|&rank| rank != image.rank()) {
        image.transport().ring(rank);
    }
}
