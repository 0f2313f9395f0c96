//! The bounds of allocated coarrays, for by-reference transfers, which do not come with them.
//!
//! They are the same on all images, so those of this image's descriptor are the right ones for any. But the compiler
//! sets them after it has registered the coarray, and MOVE_ALLOC moves them to a descriptor that it does not report. In
//! between there is always the SYNC ALL of the ALLOCATE statement: there they are noted.

use super::token::{Shape, Token};
use crate::process::{Instance, OfImage};
use std::cell::{Cell, RefCell};
use std::ptr::NonNull;

/// Coarrays whose shape is still to be noted.
struct Unshaped {
    /// Whether [`note_all`] has something to do. True at first, so that what SYNC ALL does once needs no test of its own.
    pending: Cell<bool>,
    tokens: RefCell<Vec<NonNull<Token>>>,
}

static UNSHAPED: OfImage<Unshaped> =
    OfImage::new(Unshaped { pending: Cell::new(true), tokens: RefCell::new(Vec::new()) });

/// The coarray with this token is allocated: its shape is noted at the next SYNC ALL.
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

/// Notes the shapes of all coarrays that were allocated since the last SYNC ALL. Returns how many bytes they have together;
/// `None` if there are none.
pub fn note_all(instance: &Instance) -> Option<u64> {
    let Unshaped { pending, tokens } = UNSHAPED.of(instance);
    pending.set(false);
    let mut bytes = None;
    for token in tokens.borrow_mut().drain(..) {
        // SAFETY: deregistration takes tokens out of the list, and the statement that has allocated the coarray, whose
        // descriptor is the variable's, is not complete.
        unsafe {
            let token = token.as_ref();
            token.shape.get_or_init(|| Shape::of(&*token.home.descriptor));
            bytes = Some(bytes.unwrap_or(0) + token.block.size);
        }
    }
    bytes
}

/// The coarray is deregistered.
pub fn forget(instance: &Instance, token: &Token) {
    let mut tokens = UNSHAPED.of(instance).tokens.borrow_mut();
    tokens.retain(|waiting| !std::ptr::eq(waiting.as_ptr(), token));
}
