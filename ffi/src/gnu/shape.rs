//! The bounds of allocated coarrays, for by-reference transfers, which do not come with them.
//!
//! They are the same on all images, so those of this image's descriptor are the right ones for any. But the compiler
//! sets them after it has registered the coarray, and MOVE_ALLOC moves them to a descriptor that it does not report. In
//! between there is always the SYNC ALL of the ALLOCATE statement: there they are noted.

use super::token::{Shape, Token};
use super::variables;
use crate::process::{Instance, OfImage};
use std::cell::{Cell, RefCell};
use std::ptr::NonNull;
use xmp_coarray::front_end::same_statement::{Allocation, EXTENTS};

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

/// Notes the shapes of all coarrays that were allocated since the last SYNC ALL. Returns what they are; `None` if there are
/// none.
pub fn note_all(instance: &Instance) -> Option<Allocation> {
    let Unshaped { pending, tokens } = UNSHAPED.of(instance);
    pending.set(false);
    let mut allocation = None;
    for token in tokens.borrow_mut().drain(..) {
        // SAFETY: deregistration takes tokens out of the list, and the statement that has allocated the coarray, whose
        // descriptor is the variable's, is not complete.
        let (token, shape) = unsafe {
            let token = token.as_ref();
            (token, token.shape.get_or_init(|| Shape::of(&*token.home.descriptor)))
        };
        allocation = Some(with(allocation, token, shape));
    }
    allocation
}

/// What an ALLOCATE statement allocates, with this coarray as the next one of it.
fn with(before: Option<Allocation>, token: &Token, shape: &Shape) -> Allocation {
    let size = token.block.size;
    let variable = variables::number(token.home);
    let Some(before) = before else {
        let mut extents = [0; EXTENTS];
        let element = token.dtype.elem_len as u64;
        let all = || shape.dims.iter().map(|dim| dim.extent() as u64);
        // What is left of another shape is none.
        if shape.dims.len() <= EXTENTS && all().product::<u64>().checked_mul(element) == Some(size)
        {
            extents.iter_mut().zip(all()).for_each(|(place, extent)| *place = extent);
        }
        return Allocation {
            bytes: size,
            sizes: mixed(0, size),
            variables: variable,
            element,
            extents,
        };
    };
    let is_known = before.variables != 0 && variable != 0;
    Allocation {
        bytes: before.bytes + size,
        sizes: mixed(before.sizes, size),
        // The upper half names the program.
        variables: if is_known {
            variable & !0xffff | mixed(before.variables, variable.into()) & 0xffff
        } else {
            0
        },
        ..Allocation::default()
    }
}

/// A hash of what came before and a word; not 0.
fn mixed(before: u32, word: u64) -> u32 {
    let all = (u64::from(before) << 32 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((all ^ all >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32) as u32 | 1
}

/// The coarray is deregistered.
pub fn forget(instance: &Instance, token: &Token) {
    let mut tokens = UNSHAPED.of(instance).tokens.borrow_mut();
    tokens.retain(|waiting| !std::ptr::eq(waiting.as_ptr(), token));
}
