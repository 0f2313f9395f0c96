//! The bounds of allocated coarrays, for by-reference transfers, which do not come with them.
//!
//! They are the same on all images, so those of this image's descriptor are the right ones for any. But the compiler
//! sets them after it has registered the coarray, and MOVE_ALLOC moves them to a descriptor that it does not report. In
//! between there is always the SYNC ALL of the ALLOCATE statement: there they are noted.

use super::allocation;
use super::token::{Shape, Token};
use crate::process::{Instance, OfImage};
use std::cell::{Cell, RefCell};
use std::ptr::NonNull;
use xmp_coarray::front_end::same_statement::Allocation;

/// Coarrays whose shape is still to be noted.
struct Unshaped {
    /// Whether [`note_all`] has something to do. True at first, so that what SYNC ALL does once needs no test of its own.
    pending: Cell<bool>,
    tokens: RefCell<Vec<NonNull<Token>>>,
}

static UNSHAPED: OfImage<Unshaped> =
    OfImage::new(Unshaped { pending: Cell::new(true), tokens: RefCell::new(Vec::new()) });

/// The coarray with this token is allocated: its shape is noted at the next SYNC ALL.
#[inline]
pub fn note_later(instance: &Instance, token: NonNull<Token>) {
    let Unshaped { pending, tokens } = UNSHAPED.of(instance);
    tokens.borrow_mut().push(token);
    pending.set(true);
}

/// Whether coarrays were allocated since the last SYNC ALL, or there was none yet: then [`note_all`] is due.
#[inline(always)]
pub fn is_pending(instance: &Instance) -> bool {
    UNSHAPED.of(instance).pending.get()
}

/// Notes the shapes of all coarrays that were allocated since the last SYNC ALL. Returns what they are; `None` if there are
/// none.
pub fn note_all(instance: &Instance) -> Option<Allocation> {
    let Unshaped { pending, tokens } = UNSHAPED.of(instance);
    pending.set(false);
    let mut tokens = tokens.borrow_mut();
    let (&first, more) = tokens.split_first()?;
    // SAFETY: deregistration takes tokens out of the list, and the statement that has allocated the coarrays, whose
    // descriptors are the variables', is not complete.
    let allocation = unsafe {
        let first = note(first);
        more.iter().fold(first, |before, &token| allocation::with(before, note(token)))
    };
    tokens.clear();
    Some(allocation)
}

/// Notes the shape of a coarray. Returns what a statement allocates that allocates this one only.
///
/// # Safety
/// The token and the variable of its coarray are valid.
#[inline]
unsafe fn note(token: NonNull<Token>) -> Allocation {
    // SAFETY: the contract above.
    let (token, shape) = unsafe {
        let token = token.as_ref();
        (token, token.shape.get_or_init(|| Shape::of(&*token.home.descriptor)))
    };
    // SAFETY: the contract above.
    unsafe { allocation::of(token, shape) }
}

/// The coarray is deregistered.
#[inline]
pub fn forget(instance: &Instance, token: &Token) {
    let Unshaped { pending, tokens } = UNSHAPED.of(instance);
    if pending.get() {
        tokens.borrow_mut().retain(|waiting| !std::ptr::eq(waiting.as_ptr(), token));
    }
}
