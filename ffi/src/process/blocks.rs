//! Memory of the program in this image's segment, where other images reach it. The program allocates and frees it by what its
//! compiler takes for the C library's functions.

use super::{Instance, OfImage};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::c_void;
use xmp_core::{Image, Result};

/// The blocks of this image: where each starts in the segment, and how many bytes it has.
static BLOCKS: OfImage<RefCell<BTreeMap<u64, usize>>> = OfImage::new(RefCell::new(BTreeMap::new()));

/// Allocates a block of `size` bytes.
pub fn allocate(instance: &Instance, size: usize) -> Result<*mut c_void> {
    let offset = instance.image.memory().allocate_part(size as u64)?;
    BLOCKS.of(instance).borrow_mut().insert(offset, size);
    Ok(address(&instance.image, offset))
}

/// How many bytes the block has that starts at an offset; none if no block does.
pub fn size(instance: &Instance, offset: u64) -> Option<usize> {
    BLOCKS.of(instance).borrow().get(&offset).copied()
}

/// Frees the block that starts at an offset.
///
/// # Errors
/// When no block does.
pub fn free(instance: &Instance, offset: u64) -> Result<()> {
    BLOCKS.of(instance).borrow_mut().remove(&offset);
    // SAFETY: a block of a program, which does not use it after it has freed it.
    unsafe { instance.image.memory().free_local(offset) }
}

fn address(image: &Image, offset: u64) -> *mut c_void {
    image.own_segment().wrapping_add(offset as usize).cast()
}
