//! Coarrays and aliases: what a handle stands for.

use super::cobounds::Cobounds;
use super::handle::Handle;
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use xmp_coarray::front_end::Block;
use xmp_coarray::front_end::registry::BlockId;
use xmp_core::Image;

/// `prif_coarray_cleanup_interface`.
pub type FinalProcedure = extern "C" fn(Handle);

/// A coarray, or an alias of one.
#[derive(Debug)]
pub struct Coarray {
    /// Its own handle.
    pub handle: Handle,
    /// Offset of its first byte in the segment.
    pub start: u64,
    /// Bytes from there to the end of its memory.
    pub reach: u64,
    /// Whether all images of the program have it.
    pub everywhere: bool,
    /// Its cobounds.
    pub bounds: Cobounds,
    /// What it stands for.
    pub role: Role,
}

/// What a handle stands for.
#[derive(Debug)]
pub enum Role {
    /// A coarray with memory of its own.
    Established(Established),
    /// An alias of the coarray with this handle.
    Alias(Handle),
}

/// What only a coarray with memory of its own has.
#[derive(Debug)]
pub struct Established {
    /// Its memory.
    pub block: Block,
    /// Its name in the registry.
    pub id: BlockId,
    /// Is called before it is deallocated.
    pub final_procedure: Option<FinalProcedure>,
    /// The entry of the team in which it was allocated.
    pub entry: u64,
    /// What the program has associated with it.
    pub context: Cell<*mut c_void>,
    /// Its aliases.
    pub aliases: RefCell<Vec<Handle>>,
}

impl Coarray {
    /// The address of its first byte on this image.
    pub fn local(&self, image: &Image) -> *mut u8 {
        image.own_segment().wrapping_add(self.start as usize)
    }
}
