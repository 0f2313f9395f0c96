//! Signals: words of 8 bytes that other images change after their data, and waits for the value of a word (OpenSHMEM, 9.9 and
//! 9.10).

use crate::sync::{Notifier, before_signal};
use crate::{Location, atomic};
use xmp_core::failure::deadlock::{self, AwaitedPost};
use xmp_core::sync::fence_after_rmw;
use xmp_core::transport::{AtomicOp, Update, Wake, Width, fetch_word};
use xmp_core::wait::{ForVariable, Need, VariableName, WaitKind};
use xmp_core::{Image, Rank, Result, failure};

/// Bytes of a signal.
pub const SIGNAL_LEN: usize = 8;

/// An operation on a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// It gets this value.
    Set(u64),
    /// This is added, wrapping.
    Add(u64),
}

/// Changes the signal at a location and wakes its image: that sees the change after what this image has put there.
///
/// # Errors
/// When the image of the signal has stopped or failed, or cannot be reached.
///
/// # Safety
/// `at` is an aligned word of 8 bytes in allocated memory of its segment, which is accessed atomically.
pub unsafe fn change(image: &Image, at: Location, signal: Signal) -> Result<()> {
    failure::check(image.job(), [at.rank])?;
    before_signal(image, at, Notifier::Word)?;
    if let Some(word) = image.local_address(at.rank, at.offset) {
        // SAFETY: a signal is at the address.
        unsafe { change_local(image, at.rank, word, signal) };
        return Ok(());
    }
    let transport = image.transport();
    // SAFETY: `at` is an aligned word of 8 bytes, which is accessed atomically.
    unsafe {
        match signal {
            Signal::Add(value) => {
                let update = Update::Add(value);
                transport.signal(at.rank, at.offset, Width::W8, update, Wake::Target)
            }
            Signal::Set(value) => {
                atomic::fetch(image, AtomicOp::Swap, at, Width::W8, value)?;
                transport.ring(at.rank);
                Ok(())
            }
        }
    }
}

/// Changes a signal of `rank`, an image of this host. The caller has ordered earlier puts to other hosts before that.
///
/// # Safety
/// A signal is at the address, as for [`change`].
#[inline(always)]
pub unsafe fn change_local(image: &Image, rank: Rank, word: *mut u8, signal: Signal) {
    let (op, operand) = match signal {
        Signal::Set(value) => (AtomicOp::Swap, value),
        Signal::Add(value) => (AtomicOp::Add, value),
    };
    // SAFETY: an aligned word of 8 bytes is at the address.
    unsafe { fetch_word(op, word, Width::W8, operand) };
    // The read-modify-write is the first half of the notifier's protocol.
    fence_after_rmw();
    image.ring_if_parked(rank);
}

/// The value of a word of this image.
///
/// # Safety
/// `offset` is an aligned word of `width` in a block of this image, which only atomic operations and signals access.
#[inline]
pub unsafe fn value(image: &Image, offset: u64, width: Width) -> u64 {
    let word = image.own_segment().wrapping_add(offset as usize);
    // SAFETY: an aligned word of `width`, which is mapped as long as the image lives.
    unsafe { fetch_word(AtomicOp::Load, word, width, 0) }
}

/// Waits until `ready`, which looks at words of this image. Signals end the wait at once, atomic operations at the next look; the image
/// sleeps between two looks. `variable` names the words in tables of waits.
///
/// # Errors
/// When no running image is left that could change them, as for [`crate::event::wait`].
pub fn wait_until_ready(
    image: &Image,
    variable: VariableName<'_>,
    ready: impl Fn() -> bool,
) -> Result<()> {
    if ready() {
        return Ok(());
    }
    let need = ForVariable { need: || Need::any_image(WaitKind::Value), variable };
    let nap = Some(image.settings().server.nap);
    let post = AwaitedPost { what: "change the value", need: &need, nap };
    deadlock::wait(image, post, || Ok(()), ready)
}

/// Orders what images did before they changed these words of this image, whose values it has seen, before what follows.
pub fn seen(image: &Image, offsets: impl IntoIterator<Item = u64>) {
    image.acquired();
    if let Some(races) = image.races() {
        offsets.into_iter().for_each(|offset| races.acquire(image.rank(), offset));
    }
}
