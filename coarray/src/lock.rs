//! Lock variables (Fortran 2018, 11.6.10), also the mechanism of CRITICAL.
//!
//! A lock is two words: the owner's image index in the initial set (0 = unlocked), and the gate that counts
//! sleeping waiters (`wait/README.md` of the core). Acquiring is a compare-and-swap, releasing an exchange;
//! waiters compete, because handing the lock to a particular waiter would make all others wait until that
//! one is scheduled. Images of other hosts, which can only look now and then, ask for their turn (`lock/turn.rs`). All ways to
//! acquire a lock fail as [`acquire`] does.

mod turn;

use crate::sync::{Notifier, before_signal};
use crate::{Location, atomic};
use std::cell::{Cell, RefCell};
use turn::Requests;
use xmp_core::job::page::ImageState;
use xmp_core::sync::{AtomicU32, fence_after_rmw, spin_loop};
use xmp_core::transport::{AtomicOp, Update, Wake, Width, compare_swap_word, fetch_word};
use xmp_core::wait::{ForVariable, Need, VariableName, WaitKind, unnamed};
use xmp_core::{Error, Image, Rank, Result, failure};

/// Bytes of a lock variable.
pub const LOCK_LEN: usize = 8;

/// Pauses of the processor after the first look of a waiting image: about the time in which the owner gets its cache
/// line back after a look.
const FIRST_PAUSES: u32 = 8;
/// Most pauses between two looks of a waiting image: below a microsecond.
const MAX_PAUSES: u32 = 64;

/// How a lock was acquired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acquired {
    /// It was unlocked.
    Free,
    /// It was locked by this image, which has failed (STAT_UNLOCKED_FAILED_IMAGE).
    FromFailedImage(Rank),
}

impl Acquired {
    /// Reports to `stat=` that a failed image held the lock, which this image holds now.
    ///
    /// # Errors
    /// [`Error::UnlockedFailedImage`].
    pub fn reported(self) -> Result<()> {
        match self {
            Acquired::Free => Ok(()),
            Acquired::FromFailedImage(image) => Err(Error::UnlockedFailedImage(image)),
        }
    }
}

/// Acquires the lock, waiting for it (LOCK without ACQUIRED_LOCK=).
///
/// # Errors
/// [`Error::Locked`] when this image holds it already; an image that stopped while holding it; [`Error::FailedImage`] when the
/// image of the variable fails while this one waits.
///
/// # Safety
/// `at` is a lock variable: 8 bytes, aligned, that start at 0 and are only accessed by this module.
pub unsafe fn acquire(image: &Image, at: Location) -> Result<Acquired> {
    // SAFETY: `at` is a lock variable.
    unsafe { acquire_for(image, at, WaitKind::Lock, &unnamed) }
}

/// LOCK: waits for the lock, which `variable` names in tables of waits; with `acquired` (ACQUIRED_LOCK=) it does not wait, and stores
/// there whether it has acquired the lock.
///
/// # Errors
/// The errors of [`acquire`]; [`Error::UnlockedFailedImage`] when a failed image held the lock, which this image holds now.
///
/// # Safety
/// The conditions of [`acquire`].
pub unsafe fn acquire_or_try<T: From<bool>>(
    image: &Image,
    at: Location,
    acquired: Option<&Cell<T>>,
    variable: VariableName<'_>,
) -> Result<()> {
    let Some(acquired) = acquired else {
        // SAFETY: `at` is a lock variable.
        return unsafe { acquire_for(image, at, WaitKind::Lock, variable)? }.reported();
    };
    // SAFETY: `at` is a lock variable.
    let outcome = unsafe { try_acquire(image, at)? };
    acquired.set(outcome.is_some().into());
    outcome.map_or(Ok(()), Acquired::reported)
}

/// Acquires the lock for a statement of this kind; `variable` names the lock in tables of waits. A lock of CRITICAL outlives its image.
/// Otherwise like [`acquire`].
///
/// # Safety
/// The conditions of [`acquire`].
pub unsafe fn acquire_for(
    image: &Image,
    at: Location,
    kind: WaitKind,
    variable: VariableName<'_>,
) -> Result<Acquired> {
    // SAFETY: `at` is a lock variable.
    match unsafe { try_acquire(image, at)? } {
        Some(acquired) => Ok(acquired),
        // SAFETY: `at` is a lock variable.
        None => unsafe { wait_and_acquire(image, at, kind, variable, |now| now) },
    }
}

/// Acquires the lock of CRITICAL for a thread of an image whose other threads may hold it, too: it waits for them as for
/// other images.
///
/// # Errors
/// An image that stopped while holding it.
///
/// # Safety
/// The conditions of [`acquire`].
pub unsafe fn acquire_by_thread(image: &Image, at: Location) -> Result<Acquired> {
    let held_by_others = |now| match now {
        Err(Error::Locked) => Ok(None),
        now => now,
    };
    // SAFETY: `at` is a lock variable.
    match unsafe { held_by_others(try_acquire(image, at))? } {
        Some(acquired) => Ok(acquired),
        // SAFETY: `at` is a lock variable.
        None => unsafe {
            wait_and_acquire(image, at, WaitKind::Critical, &unnamed, held_by_others)
        },
    }
}

/// Acquires the lock if that needs no waiting (LOCK with ACQUIRED_LOCK=).
///
/// # Safety
/// The conditions of [`acquire`].
#[inline]
pub unsafe fn try_acquire(image: &Image, at: Location) -> Result<Option<Acquired>> {
    let mine = u64::from(image.rank().image());
    // SAFETY: `at` is a lock variable; its first word is the owner.
    let owner = unsafe { atomic::compare_swap_only(image, at, Width::W4, 0, mine)? };
    if owner == 0 {
        note(image, at);
        return Ok(Some(Acquired::Free));
    }
    if owner == mine {
        return Err(Error::Locked);
    }
    let holder = holder(image, owner)?;
    if failure::all_running(image.job()) {
        return Ok(None);
    }
    match image.job().state(holder) {
        ImageState::Running => Ok(None),
        ImageState::Stopped => {
            // It may have unlocked between the two looks.
            // SAFETY: `at` is a lock variable; its first word is the owner.
            match unsafe { atomic::compare_swap_only(image, at, Width::W4, 0, mine)? } {
                0 => {
                    note(image, at);
                    Ok(Some(Acquired::Free))
                }
                still if still == owner => Err(Error::StoppedImage(holder)),
                _ => Ok(None),
            }
        }
        ImageState::Failed => {
            // SAFETY: `at` is a lock variable; its first word is the owner. Of several images that find the failed
            // owner one succeeds.
            let old = unsafe { atomic::compare_swap_only(image, at, Width::W4, owner, mine)? };
            if old == owner {
                note(image, at);
            }
            Ok((old == owner).then_some(Acquired::FromFailedImage(holder)))
        }
    }
}

/// # Safety
/// The conditions of [`acquire`].
#[cold]
unsafe fn wait_and_acquire(
    image: &Image,
    at: Location,
    kind: WaitKind,
    variable: VariableName<'_>,
    judge: impl Fn(Result<Option<Acquired>>) -> Result<Option<Acquired>>,
) -> Result<Acquired> {
    let outcome = RefCell::new(Ok(None));
    let mut pauses = FIRST_PAUSES;
    let attempt = || {
        // SAFETY: `at` is a lock variable.
        if unsafe { is_held_locally(image, at) } {
            // Every look takes the cache line from the owner: the longer this image has waited, the rarer it looks.
            (0..pauses).for_each(|_| spin_loop());
            pauses = (2 * pauses).min(MAX_PAUSES);
            return false;
        }
        // SAFETY: `at` is a lock variable.
        let now = judge(unsafe { try_acquire(image, at) });
        let done = !matches!(now, Ok(None));
        *outcome.borrow_mut() = now;
        done
    };
    let watch = || match (failure::ending(image.job()), kind) {
        (Some(_), _) => Err(Error::JobEnding),
        // The lock of a construct continues to be one when the image that has it in its memory has failed.
        (None, WaitKind::Critical) => Ok(()),
        // The variable is lost, and its owner is not required to unlock it. The end of the owner is seen by the attempts.
        (None, _) => failure::check_failed(image.job(), at.rank),
    };
    let need = || {
        // SAFETY: `at` is a lock variable; its first word is the owner.
        let owner = unsafe { atomic::fetch(image, AtomicOp::Load, at, Width::W4, 0) };
        match owner.ok().filter(|&owner| owner != 0).map(|owner| holder(image, owner)) {
            Some(Ok(holder)) => Need::all_of(kind, [holder]),
            // It has just been unlocked, or its image cannot be reached.
            _ => Need { kind, ..Need::default() },
        }
    };
    let need = ForVariable { need, variable };
    let waits = image.waits_one_sided().needing(&need);
    match image.local_address(at.rank, at.offset + 4) {
        Some(gate) => {
            // SAFETY: `at` is a lock variable; its second word is the gate.
            let gate = unsafe { &*gate.cast::<AtomicU32>() };
            waits.until_gate(gate, watch, attempt)?;
        }
        // An unlocking image rings the waiting images of the lock's host only.
        None => {
            let requests = Requests::default();
            let mut attempt = attempt;
            let asking = || {
                if attempt() {
                    return true;
                }
                // SAFETY: `at` is a lock variable of another host.
                let asked = unsafe { requests.looked_in_vain(image, at) };
                asked.map_err(|error| *outcome.borrow_mut() = Err(error)).is_err()
            };
            let waited = waits.until_asked(image.settings().server.nap, watch, asking);
            // SAFETY: `at` is a lock variable of another host.
            let done = unsafe { requests.done(image, at) };
            waited?;
            if outcome.borrow().is_ok() {
                done?;
            }
        }
    }
    Ok(outcome.into_inner()?.expect("the wait ends when the lock is acquired"))
}

/// Whether a running image holds a lock of this host. It only loads, so that many waiting images do not take the cache
/// line from the owner. The load is sequentially consistent, as the attempt itself: an image that has raised the gate
/// sleeps after it.
///
/// # Safety
/// The conditions of [`acquire`].
unsafe fn is_held_locally(image: &Image, at: Location) -> bool {
    let Some(lock) = image.local_address(at.rank, at.offset) else { return false };
    // SAFETY: a lock variable is at the address; its first word is the owner.
    let owner = unsafe { fetch_word(AtomicOp::Load, lock, Width::W4, 0) };
    owner != 0 && failure::all_running(image.job())
}

/// Releases the lock (UNLOCK).
///
/// # Errors
/// [`Error::Unlocked`] or [`Error::LockedOtherImage`]; the lock is unchanged then.
///
/// # Safety
/// The conditions of [`acquire`].
#[inline]
pub unsafe fn release(image: &Image, at: Location) -> Result<()> {
    before_signal(image, at, Notifier::Lock)?;
    if let Some(lock) = image.local_address(at.rank, at.offset) {
        // SAFETY: a lock variable is at the address.
        return unsafe { release_local(image, lock) }.or_else(|owner| not_mine(image, owner));
    }
    let mine = u64::from(image.rank().image());
    if !forget(image, at) {
        // SAFETY: `at` is a lock variable; its first word is the owner.
        let owner = unsafe { atomic::fetch(image, AtomicOp::Load, at, Width::W4, 0)? };
        if owner != mine {
            return not_mine(image, owner);
        }
    }
    let (gate, clear) = (Wake::Sleepers(at.offset + 4), Update::Clear(mine));
    // SAFETY: `at` is a lock variable: two words, owner and gate.
    unsafe { image.transport().signal(at.rank, at.offset, Width::W4, clear, gate) }
}

/// Acquires a lock of an image of this host if it is unlocked: one compare-and-swap. Returns whether it did.
///
/// # Safety
/// A lock is at the address, as for [`acquire`].
#[inline(always)]
pub unsafe fn acquire_local(image: &Image, lock: *mut u8) -> bool {
    let mine = u64::from(image.rank().image());
    // SAFETY: a lock variable is at the address; its first word is the owner.
    unsafe { compare_swap_word(lock, Width::W4, 0, mine) == 0 }
}

/// Releases a lock of an image of this host. The caller has completed earlier puts to other hosts.
///
/// # Errors
/// The owner's word, if this image does not hold the lock; the lock is unchanged then.
///
/// # Safety
/// A lock is at the address, as for [`acquire`].
#[inline(always)]
pub unsafe fn release_local(image: &Image, lock: *mut u8) -> std::result::Result<(), u64> {
    let mine = u64::from(image.rank().image());
    // SAFETY: a lock variable is at the address: owner and gate. The read-modify-write is the first half of the
    // notifier's protocol.
    let (owner, sleepers) = unsafe {
        let owner = compare_swap_word(lock, Width::W4, mine, 0);
        fence_after_rmw();
        (owner, fetch_word(AtomicOp::Load, lock.wrapping_add(4), Width::W4, 0))
    };
    if owner != mine {
        return Err(owner);
    }
    if sleepers != 0 {
        // SAFETY: a lock variable is at the address.
        unsafe { let_others_acquire(image, lock) };
    }
    Ok(())
}

/// The error of releasing a lock that this image does not hold.
///
/// # Errors
/// [`Error::Unlocked`] or [`Error::LockedOtherImage`], by the owner's word.
#[cold]
fn not_mine(image: &Image, owner: u64) -> Result<()> {
    Err(match owner {
        0 => Error::Unlocked,
        other => Error::LockedOtherImage(holder(image, other)?),
    })
}

/// The image that holds a lock, by the owner's word, which is not 0.
///
/// # Errors
/// When there is no such image: the memory is no lock, or did not start with zeros. A wait for it would have no end.
fn holder(image: &Image, owner: u64) -> Result<Rank> {
    let images = image.job().geometry().images;
    if owner <= u64::from(images) {
        return Ok(Rank::new(owner as u32 - 1));
    }
    Err(Error::Invalid(format!(
        "the memory is no lock: it says that image {owner} of {images} holds it; the memory of a lock starts with zeros, and \
         only operations on locks change it"
    )))
}

/// Wakes the images of this region, this one included: another thread of it may wait. Images of other hosts poll, and may have
/// asked for their turn.
///
/// # Safety
/// The conditions of [`turn::leave_to_others`].
#[cold]
#[inline(never)]
unsafe fn let_others_acquire(image: &Image, lock: *mut u8) {
    for &rank in image.job().region_ranks() {
        image.transport().ring(rank);
    }
    // SAFETY: the contract of this function.
    unsafe { turn::leave_to_others(image, lock) };
}

/// This image has acquired a lock: orders what the former owners did before what follows, and records that it holds a
/// lock of another host, so that it can release it without a request for the owner.
fn note(image: &Image, at: Location) {
    image.acquired();
    if let Some(races) = image.races() {
        races.acquire(at.rank, at.offset);
    }
    if image.local_address(at.rank, at.offset).is_none() {
        image.peer(at.rank).held().borrow_mut().push(at.offset);
    }
}

/// Removes the record that this image holds this lock of another host; returns whether there was one.
fn forget(image: &Image, at: Location) -> bool {
    let mut held = image.peer(at.rank).held().borrow_mut();
    let before = held.len();
    held.retain(|&offset| offset != at.offset);
    held.len() != before
}
