//! The bounds of allocated coarrays, for by-reference transfers, which do not come with them.
//!
//! They are the same on all images, so those of this image's descriptor are the right ones for any. But the compiler
//! sets them after it has registered the coarray, and MOVE_ALLOC moves them to a descriptor that it does not report. In
//! between there is always the SYNC ALL of the ALLOCATE statement: there they are noted.

use super::token::{Shape, Token};
use super::variables;
use crate::gfortran_abi::Dim;
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
    let mut tokens = tokens.borrow_mut();
    let (&first, more) = tokens.split_first()?;
    // SAFETY: deregistration takes tokens out of the list, and the statement that has allocated the coarrays, whose
    // descriptors are the variables', is not complete.
    let allocation = unsafe {
        let first = note(first);
        more.iter().fold(first, |before, &token| with(before, note(token)))
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
    let (bytes, element) = (token.block.size, token.dtype.elem_len as u64);
    Allocation {
        bytes,
        sizes: mixed(0, bytes),
        variables: variables::number(token.home),
        element,
        extents: extents(&shape.dims, element, bytes).unwrap_or_default(),
    }
}

/// The extents of an array of this many bytes, if it is known to have no more of them than images compare.
#[inline]
fn extents(dims: &[Dim], element: u64, bytes: u64) -> Option<[u64; EXTENTS]> {
    let mut extents = [0; EXTENTS];
    let mut all = element;
    for (at, dim) in dims.iter().enumerate() {
        let extent = dim.extent() as u64;
        *extents.get_mut(at)? = extent;
        all = all.checked_mul(extent)?;
    }
    // The descriptor may still have the extents of another array, whose size differs.
    (all == bytes).then_some(extents)
}

/// What a statement allocates that allocates this coarray after those before.
fn with(before: Allocation, Allocation { bytes, variables, .. }: Allocation) -> Allocation {
    let is_known = before.variables != 0 && variables != 0;
    Allocation {
        bytes: before.bytes + bytes,
        sizes: mixed(before.sizes, bytes),
        // The upper half names the program.
        variables: if is_known {
            variables & !0xffff | mixed(before.variables, variables.into()) & 0xffff
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
