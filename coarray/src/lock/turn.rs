//! Turns of images of other hosts. An image that releases a lock of its host and acquires it again at once leaves it free for some
//! nanoseconds, and an image of another host looks once in some microseconds: it might look for a minute in vain. So it asks
//! for its turn, by a bit of the gate, and the image that releases the lock then waits until it is taken.
//!
//! The wait is bounded, because the image that has asked may have ended, or have got the lock meanwhile. An image that has waited in
//! vain takes the request back; an image that still waits asks again.

use crate::Location;
use std::cell::Cell;
use std::time::{Duration, Instant};
use xmp_core::sync::AtomicU32;
use xmp_core::transport::{AtomicOp, AtomicRequest, Width};
use xmp_core::wait::turn::{self, ASKED};
use xmp_core::wait::{Need, WaitKind};
use xmp_core::{Error, Image, Result, failure};

/// Looks of an image of another host before it asks, and before it asks again.
const LOOKS: u32 = 4;

/// An image that releases a lock leaves it to the images of other hosts for this time: some looks of one that has waited for long.
const BOUND: Duration = Duration::from_millis(2);

/// The requests of an image for a lock of another host.
#[derive(Debug, Default)]
pub struct Requests {
    looks: Cell<u32>,
    has_asked: Cell<bool>,
}

impl Requests {
    /// Called after a look in vain: asks for a turn now and then.
    ///
    /// # Errors
    /// When the lock's host cannot be reached.
    ///
    /// # Safety
    /// `at` is a lock variable of another host.
    pub unsafe fn looked_in_vain(&self, image: &Image, at: Location) -> Result<()> {
        self.looks.set(self.looks.get() + 1);
        if self.looks.get().is_multiple_of(LOOKS) {
            self.has_asked.set(true);
            // SAFETY: the contract of this function.
            unsafe { change(image, at, AtomicOp::Or, ASKED) }?;
        }
        Ok(())
    }

    /// Called when this image has got the lock, or waits no longer: takes its request back.
    ///
    /// # Errors
    /// When the lock's host cannot be reached.
    ///
    /// # Safety
    /// `at` is a lock variable of another host.
    pub unsafe fn done(&self, image: &Image, at: Location) -> Result<()> {
        if !self.has_asked.replace(false) {
            return Ok(());
        }
        // SAFETY: the contract of this function.
        unsafe { change(image, at, AtomicOp::And, !ASKED) }
    }
}

/// # Safety
/// `at` is a lock variable of another host.
unsafe fn change(image: &Image, at: Location, op: AtomicOp, operand: u32) -> Result<()> {
    let request = AtomicRequest::Fetch(op, operand.into());
    // SAFETY: the second word of a lock variable is its gate.
    unsafe { image.transport().atomic(at.rank, at.offset + 4, Width::W4, request) }.map(drop)
}

/// Leaves the lock that this image has just released to an image of another host that has asked for its turn, for a while.
///
/// # Safety
/// A lock of an image of this host is at the address.
pub unsafe fn leave_to_others(image: &Image, lock: *mut u8) {
    // SAFETY: a lock variable is at the address: owner and gate.
    let [owner, gate] =
        unsafe { [lock, lock.wrapping_add(4)].map(|word| &*word.cast::<AtomicU32>()) };
    turn::leave(owner, gate, |is_taken| {
        let until = Instant::now() + BOUND;
        let watch = || match failure::ending(image.job()) {
            Some(_) => Err(Error::JobEnding),
            None => Ok(()),
        };
        let slept = Cell::new(false);
        let need = || Need { kind: WaitKind::Lock, ..Need::default() };
        let waits = image.waits_one_sided().unrecorded().needing(&need);
        // The end of the job ends the next wait of this image, too.
        let _ = waits.bounded(BOUND, &slept).until(watch, || is_taken() || Instant::now() >= until);
    });
}
