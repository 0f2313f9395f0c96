//! The bounds of allocated coarrays, for by-reference transfers, which do not come with them.
//!
//! They are the same on all images, so those of this image's descriptor are the right ones for any. But the compiler
//! sets them after it has registered the coarray, and MOVE_ALLOC moves them to a descriptor that it does not report. In
//! between there is always the SYNC ALL of the ALLOCATE statement: there they are noted.

use super::token::{Shape, Token};
use crate::process::{Instance, OfImage};
use std::cell::RefCell;
use std::ptr::NonNull;

/// Coarrays whose shape is still to be noted.
type Unshaped = RefCell<Vec<NonNull<Token>>>;

static UNSHAPED: OfImage<Unshaped> = OfImage::new(RefCell::new(Vec::new()));

/// The coarray with this token is allocated: its shape is noted at the next SYNC ALL.
pub fn note_later(instance: &Instance, token: NonNull<Token>) {
    UNSHAPED.of(instance).borrow_mut().push(token);
}

/// Notes the shapes of all coarrays that were allocated since the last SYNC ALL.
#[inline(always)]
pub fn note_all(instance: &Instance) {
    let waiting = UNSHAPED.of(instance);
    if !waiting.borrow().is_empty() {
        note(waiting);
    }
}

#[cold]
fn note(waiting: &Unshaped) {
    for token in waiting.borrow_mut().drain(..) {
        // SAFETY: deregistration takes tokens out of the list, and the statement that has allocated the coarray, whose
        // descriptor is the variable's, is not complete.
        unsafe {
            let token = token.as_ref();
            token.shape.get_or_init(|| Shape::of(&*token.home.descriptor));
        }
    }
}

/// The coarray is deregistered.
pub fn forget(instance: &Instance, token: &Token) {
    UNSHAPED.of(instance).borrow_mut().retain(|waiting| !std::ptr::eq(waiting.as_ptr(), token));
}
