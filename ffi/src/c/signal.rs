//! Events, locks, and signals with data.
//!
//! The contract of entries here: events and locks start at 0, and only functions of events and locks access them; signals are
//! accessed atomically only.

use super::argument::{Data, place};
use super::outcome::{OK, functions, outcome};
use super::shared::{
    own_word, place_of_any, place_of_word, rank_of_reached, reached, reached_word,
};
use super::team::{TeamHandle, set_of};
use crate::entry::entries;
use crate::process::{instance, name_of_own_place, name_of_place};
use std::cell::Cell;
use std::ffi::{c_int, c_uint};
use xmp_coarray::front_end::event::{self, EVENT_LEN};
use xmp_coarray::front_end::lock::{self, LOCK_LEN};
use xmp_coarray::front_end::plan::copy_block;
use xmp_coarray::front_end::races::{self, AccessedElements};
use xmp_coarray::front_end::signal::{self, SIGNAL_LEN, Signal};
use xmp_coarray::front_end::transfer::{MemoryRef, put};
use xmp_core::wait::{WaitKind, unnamed};
use xmp_core::{Error, Result};

entries! {
    /// EVENT POST.
    pub fn xmprt_event_post(team: TeamHandle, image: c_int, event: Data) -> c_int {
        if let Some((own, word)) = reached_word(team, image, event, EVENT_LEN)
            && own.one_host()
            && let Some(rank) = rank_of_reached(own, team, image)
        {
            // SAFETY: an event of that image, by the contract.
            unsafe { event::post_local(own, rank, word) };
            return OK;
        }
        post(team, image, event)
    }

    /// Puts `bytes` bytes, then changes a signal of the same image.
    pub fn xmprt_put_signal(
        team: TeamHandle,
        image: c_int,
        to: Data,
        from: Data,
        bytes: usize,
        signal: Data,
        op: c_uint,
        value: i64,
    ) -> c_int {
        if let Some((own, there)) = reached(team, image, to, bytes)
            && let Some((_, word)) = reached_word(team, image, signal, SIGNAL_LEN)
            && own.one_host()
            && let Some(rank) = rank_of_reached(own, team, image)
            && let Ok(change) = change_of(op, value)
            && !from.start().is_null()
        {
            // SAFETY: the contract of entries: `from` has `bytes` bytes, and the program orders accesses; the places are within
            // blocks.
            unsafe {
                copy_block(there, from.start(), bytes);
                signal::change_local(own, rank, word, change);
            }
            return OK;
        }
        outcome("xmprt_put_signal", || {
            let change = change_of(op, value)?;
            let at = place_of_any(set_of(team), image, to.called("to"), bytes)?;
            let word = place_of_word(team, image, signal.called("signal"), SIGNAL_LEN)?;
            let image = &instance().image;
            if let Some(at) = at {
                from.not_null("from")?;
                let there = AccessedElements::block(MemoryRef::of(image, at), bytes);
                races::transfer(image, there, AccessedElements::block(MemoryRef::Local(from.start()), bytes));
                // SAFETY: as above.
                unsafe { put(image, at, from.start(), bytes)? };
            }
            // SAFETY: as above.
            unsafe { signal::change(image, word, change) }
        })
    }

    /// LOCK.
    pub fn xmprt_lock_acquire(team: TeamHandle, image: c_int, lock: Data) -> c_int {
        if let Some((own, word)) = reached_word(team, image, lock, LOCK_LEN)
            && own.orders_only_stores()
            // SAFETY: a lock of that image, by the contract.
            && unsafe { lock::acquire_local(own, word) }
        {
            return OK;
        }
        acquire(team, image, lock)
    }

    /// UNLOCK.
    pub fn xmprt_lock_release(team: TeamHandle, image: c_int, lock: Data) -> c_int {
        if let Some((own, word)) = reached_word(team, image, lock, LOCK_LEN)
            && own.one_host()
            // SAFETY: a lock of that image, by the contract.
            && unsafe { lock::release_local(own, word) }.is_ok()
        {
            return OK;
        }
        release(team, image, lock)
    }

    /// LOCK with ACQUIRED_LOCK=.
    pub fn xmprt_lock_try(team: TeamHandle, image: c_int, lock: Data, acquired: Option<&Cell<c_int>>) -> c_int {
        outcome("xmprt_lock_try", || {
            let acquired = place(acquired, "acquired")?;
            let at = place_of_word(team, image, lock.called("lock"), LOCK_LEN)?;
            // SAFETY: a lock, by the contract.
            unsafe { lock::acquire_or_try(&instance().image, at, Some(acquired), &unnamed) }
        })
    }
}

functions! {
    /// EVENT WAIT.
    fn xmprt_event_wait(event: Data, until: i64) {
        let at = own_word(event.called("event"), EVENT_LEN)?;
        // A count less than 1 is the same as 1 (Fortran 2018, 11.6.9).
        let until = u64::try_from(until).unwrap_or(1);
        let variable = || name_of_own_place(instance(), at.offset, EVENT_LEN as u64);
        // SAFETY: an event of this image, by the contract.
        unsafe { event::wait(&instance().image, at.offset, until, &variable) }
    }

    /// EVENT_QUERY.
    fn xmprt_event_query(event: Data, count: Option<&Cell<i64>>) {
        let count = place(count, "count")?;
        let at = own_word(event.called("event"), EVENT_LEN)?;
        let image = &instance().image;
        image.polled();
        // SAFETY: an event, by the contract.
        count.set(unsafe { event::query(image, at)? } as i64);
        Ok(())
    }
}

// Slow paths take the arguments of their entries in the same registers.

/// The slow path of EVENT POST.
#[inline(never)]
extern "C" fn post(team: TeamHandle, image: c_int, event: Data) -> c_int {
    outcome("xmprt_event_post", || {
        let at = place_of_word(team, image, event.called("event"), EVENT_LEN)?;
        // SAFETY: an event, by the contract.
        unsafe { event::post(&instance().image, at) }
    })
}

/// The slow path of LOCK.
#[inline(never)]
extern "C" fn acquire(team: TeamHandle, image: c_int, lock: Data) -> c_int {
    outcome("xmprt_lock_acquire", || {
        let at = place_of_word(team, image, lock.called("lock"), LOCK_LEN)?;
        let variable = || name_of_place(instance(), at, LOCK_LEN as u64);
        // SAFETY: a lock, by the contract.
        unsafe { lock::acquire_for(&instance().image, at, WaitKind::Lock, &variable)? }.reported()
    })
}

/// The slow path of UNLOCK.
#[inline(never)]
extern "C" fn release(team: TeamHandle, image: c_int, lock: Data) -> c_int {
    outcome("xmprt_lock_release", || {
        let at = place_of_word(team, image, lock.called("lock"), LOCK_LEN)?;
        // SAFETY: a lock, by the contract.
        unsafe { lock::release(&instance().image, at) }
    })
}

/// The operation of an `xmprt_signal_op`.
#[inline(always)]
fn change_of(op: c_uint, value: i64) -> Result<Signal> {
    match op {
        1 => Ok(Signal::Set(value as u64)),
        2 => Ok(Signal::Add(value as u64)),
        _ => Err(Error::Invalid(format!("operator {op} is not an xmprt_signal_op"))),
    }
}
