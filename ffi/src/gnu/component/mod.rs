//! Allocatable and pointer components of coarrays. (GNU-LIBCAF section 3)
//!
//! A component belongs to one image: what it allocates is in that image's non-symmetric heap, where other images find
//! it at the address that the component holds. Its token - the compiler keeps one beside every such component - is a
//! handle that says which memory to give back; nothing else is needed to follow the component ([`super::reference`]).
//! Objects of derived type are copied with their tokens in them, so that a token may be out of date: one that is not
//! known, or whose memory belongs to another component now, is not followed.

mod allocator;
pub mod block;
pub mod copies;
pub mod lookup;
mod ordinary;
pub mod whole_objects;

pub use allocator::release;

use super::token::TokenHandle;
use crate::gfortran_abi::{Descriptor, basic};
use crate::process::{Handles, Instance, NOTHING, OfImage, is_handle};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ptr;
use xmp_coarray::front_end::Block;
use xmp_core::Result;

/// The components of this image's coarrays that have memory.
#[derive(Debug)]
struct Components {
    /// For each token the memory that was allocated with it, as an offset in the segment. Components without memory
    /// share the token [`NOTHING`]: nothing is known about them, and their end is not reported.
    tokens: Handles<u64>,
    /// The memory of components: how long it is, and its token.
    memory: BTreeMap<u64, Memory>,
    /// Where in this image's segment tokens are that have got memory, and which. (What was copied or moved is
    /// elsewhere.)
    homes: BTreeMap<u64, u64>,
    /// Where the program keeps the tokens of coarrays that live as long as it does.
    fixed: BTreeSet<*mut TokenHandle>,
    /// Memory of components of coarrays that are being deallocated: other images may use it until all have met.
    leaving: Vec<u64>,
}

static COMPONENTS: OfImage<RefCell<Components>> = OfImage::new(RefCell::new(Components {
    tokens: Handles::new(),
    memory: BTreeMap::new(),
    homes: BTreeMap::new(),
    fixed: BTreeSet::new(),
    leaving: Vec::new(),
}));

#[derive(Clone, Copy, Debug)]
struct Memory {
    size: u64,
    token: u64,
}

/// Registers a component, with memory of `size` bytes if `size` is given.
pub fn register(
    instance: &Instance,
    size: Option<usize>,
    token: &Cell<TokenHandle>,
    descriptor: &mut Descriptor,
) -> Result<()> {
    let (handle, base) = match size {
        None => (NOTHING, ptr::null_mut()),
        Some(size) => {
            let size = size.max(1) as u64;
            let offset = block::allocate(&instance.image, size)?;
            let mut components = COMPONENTS.of(instance).borrow_mut();
            let handle = components.tokens.insert(offset);
            components.memory.insert(offset, Memory { size, token: handle });
            if let Some(home) = own_offset(instance, token) {
                components.homes.insert(home, handle);
            }
            (handle, instance.image.own_segment().wrapping_add(offset as usize))
        }
    };
    // The token that is there may be undefined, or a copy of another component's.
    if !COMPONENTS.of(instance).borrow().fixed.contains(&token.as_ptr()) {
        token.set(handle as TokenHandle);
    }
    descriptor.base = base.cast();
    Ok(())
}

impl Components {
    /// Takes memory away from its token, which is not known any more.
    fn take(&mut self, offset: u64) -> Option<Memory> {
        let memory = self.memory.remove(&offset)?;
        self.tokens.remove(memory.token);
        Some(memory)
    }
}

/// Whether a registered token is that of a component.
pub fn has_token_of_component(instance: &Instance, token: &Cell<TokenHandle>) -> bool {
    own_offset(instance, token).is_some() || is_handle(token.get().addr() as u64)
}

/// Whether the compiler passes a token instead of a variable: to CO_BROADCAST of an object it gives all that the
/// object has, tokens of scalar components among them. They mean something on their own image only. (A scalar of type
/// C_PTR comes as what it points to, in the same way, so nothing can be done for it, either.)
pub fn is_token(descriptor: &Descriptor) -> bool {
    descriptor.dtype.basic == basic::VOID && descriptor.dtype.rank == 0
}

/// Whether what is registered with a token in this place as if it were a coarray is a component: where components have
/// theirs. For a polymorphic component the compiler passes the token of the coarray that it is part of; that stays what
/// it is.
pub fn is_place_of_component(instance: &Instance, token: &Cell<TokenHandle>) -> bool {
    own_offset(instance, token).is_some()
        || COMPONENTS.of(instance).borrow().fixed.contains(&token.as_ptr())
}

/// The token of a coarray that lives as long as the program is kept in this place.
pub fn note_fixed(instance: &Instance, token: *mut TokenHandle) {
    COMPONENTS.of(instance).borrow_mut().fixed.insert(token);
}

/// The place in this image's segment where a token is kept. `None` for a token in memory that the program or the compiler
/// has got from `malloc`.
fn own_offset(instance: &Instance, token: &Cell<TokenHandle>) -> Option<u64> {
    let (rank, offset) = instance.image.locate(token.as_ptr().cast_const().cast())?;
    (rank == instance.image.rank() && !ordinary::contains(instance, offset)).then_some(offset)
}

/// Deregisters a component: gives its memory back, and forgets the token unless it is kept. That of a coarray which is
/// being deallocated goes with the coarray ([`give_back`]).
pub fn deregister(instance: &Instance, token: &Cell<TokenHandle>, keep: bool) -> Result<()> {
    let mut components = COMPONENTS.of(instance).borrow_mut();
    let handle = token.get().addr() as u64;
    if let Some(offset) = components.tokens.get(handle).copied() {
        components.take(offset);
        if keep {
            block::free(&instance.image, offset)?;
        } else {
            components.leaving.push(offset);
        }
    }
    if !keep {
        if let Some(home) = own_offset(instance, token) {
            components.homes.remove(&home);
        }
        token.set(ptr::null_mut());
    }
    Ok(())
}

/// All images have met: gives back what belonged to coarrays that are deallocated now.
#[inline]
pub fn give_back(instance: &Instance) -> Result<()> {
    // Most coarrays have no components.
    if COMPONENTS.of(instance).borrow().leaving.is_empty() { Ok(()) } else { free_all(instance) }
}

#[cold]
fn free_all(instance: &Instance) -> Result<()> {
    let leaving = std::mem::take(&mut COMPONENTS.of(instance).borrow_mut().leaving);
    leaving.into_iter().try_for_each(|offset| block::free(&instance.image, offset))
}

/// The memory of the components of a coarray, which is about to be deallocated by END TEAM: where the compiler does
/// not deregister components. It leaves with the next [`give_back`].
///
/// A component is one of this coarray if its token is there and the address of its memory, too: after MOVE_ALLOC to a
/// component of another coarray only the former is.
pub fn leave_with(instance: &Instance, block: Block) {
    let components = &mut *COMPONENTS.of(instance).borrow_mut();
    let places: Vec<(u64, u64)> = components
        .homes
        .range(block.offset..block.offset + block.size)
        .map(|(&place, &handle)| (place, handle))
        .collect();
    // Most coarrays have no components, and are not looked through.
    if places.is_empty() {
        return;
    }
    let segment = instance.image.own_segment();
    let word = |offset: u64| {
        // SAFETY: a word of a coarray of this image, whose parts the program has defined, or not; then it is volatile
        // and any value will do. Blocks start at multiples of more than 8.
        unsafe { segment.wrapping_add(offset as usize).cast::<u64>().read_volatile() }
    };
    let words = (block.offset..block.offset + block.size / 8 * 8).step_by(8);
    let found: BTreeSet<u64> = words
        .filter_map(|offset| word(offset).checked_sub(segment.addr() as u64))
        .filter(|address| components.memory.contains_key(address))
        .collect();
    for (place, handle) in places {
        components.homes.remove(&place);
        if word(place) != handle {
            continue;
        }
        let memory = components.tokens.get(handle).copied();
        if let Some(offset) = memory.filter(|offset| found.contains(offset)) {
            components.take(offset);
            components.leaving.push(offset);
        }
    }
}
